"""What the README shows is what there is."""

import re
import textwrap
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_script_shown_is_the_script() -> None:
    source = (ROOT / "protocols" / "secure" / "dpds.py").read_text()
    assert _without_blank_lines(textwrap.indent(BLOCKS[0], "    ")) in _without_blank_lines(source)


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())


def test_the_other_example_runs() -> None:
    scope: dict[str, object] = {}
    exec(BLOCKS[1], scope)
    assert len(scope["done"].outputs["server"]) == 3  # type: ignore[attr-defined]


def test_every_file_that_is_linked_is_there() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / link).exists(), link
