"""What the README shows is what there is."""

import re
import textwrap

import pytest

from simnet.cli.main import main
from tests.harness.data import ROOT

README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_scripts_shown_are_the_scripts() -> None:
    shown = {
        "protocols/dpds/script.py": textwrap.indent(BLOCKS[2], "    "),
        "notebooks/ring_sum.py": BLOCKS[4],
    }
    for path, code in shown.items():
        assert _without_blank_lines(code) in _without_blank_lines((ROOT / path).read_text()), path


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())


def test_the_other_examples_run() -> None:
    scope: dict[str, object] = {}
    for place in (0, 1):
        exec(BLOCKS[place], {})
    exec(BLOCKS[3], scope)
    assert len(scope["done"].outputs["server"]) == 3  # type: ignore[attr-defined]
    exec(BLOCKS[5], scope)
    scope["test_users_need_the_server"]()  # type: ignore[operator]


COMMANDS = [
    ("verify notebooks/ring_sum.py --corrupt u3", "{u3} learns only"),
    ("verify notebooks/ring_sum.py --corrupt u2,u4", "{u2, u4} learns u3's"),
    ("run dpds --participation 0.3934693402873666 --no-claims", "Privacy of one user"),
    (
        "privacy advise --users 10000 --items 30 --rarest 300 --epsilon 0.5 --delta 1e-6"
        " --budget 200000",
        "protocol  parameters",
    ),
    ("run tss --users 100 --items 12 --gamma 2", "coalition          secret shares"),
]


@pytest.mark.parametrize(("command", "begins"), COMMANDS, ids=lambda text: text[:40])
def test_the_output_shown_is_the_output(
    command: str, begins: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80" if "run" in command.split()[0] else "140")
    with pytest.raises(SystemExit) as ended:
        main(command.split())
    assert ended.value.code == 0
    printed = {" ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    start = README.index(begins)
    shown = [
        " ".join(line.split()) for line in README[start : README.index("\n\n", start)].splitlines()
    ]
    assert len(shown) >= 3
    assert [line for line in shown if line not in printed] == []


def test_every_file_that_is_linked_is_there() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", README):
        assert link.startswith("https://") or (ROOT / link).exists(), link
