"""A notebook as a Markdown page: its text, its code, and its outputs if it was executed.

A cell of text that begins with `**Solution 1.**`, with the cells up to the next such cell, is the
solution of an exercise. The page shows it folded, so that a reader can try the exercise first.
"""

import html
import json
import re
from pathlib import Path
from typing import Any

NOT_EXECUTED = """
:::{note}
This copy of the site was built without executing the notebook, so outputs are missing.
`make notebooks` executes all of them; then build the site again.
:::
"""

_SOLUTION = re.compile(r"\*\*(Solution \d+)\.\*\* ")


def notebook_page(file: Path, *, executed: bool) -> str:
    """Return the page; a notebook that was not executed says so below its title."""
    cells = json.loads(file.read_text())["cells"]
    parts: list[str] = []
    folded = False
    for cell in cells:
        source = "".join(cell["source"])
        if solution := _SOLUTION.match(source):
            fold = f'<details class="solution"><summary>{solution[1]}</summary>'
            parts.append(_raw(f"</details>\n{fold}" if folded else fold))
            folded, source = True, source[solution.end() :]
        if cell["cell_type"] == "markdown":
            parts.append(source)
            if len(parts) == 1 and not executed:
                parts.append(NOT_EXECUTED)
        elif cell["cell_type"] == "code" and source.strip():
            parts.append(f"```python\n{source}\n```")
            parts += [_output(output) for output in cell["outputs"]]
    if folded:
        parts.append(_raw("</details>"))
    return "\n\n".join(part for part in parts if part) + "\n"


def _output(output: dict[str, Any]) -> str:
    """One output as HTML: the richest of its forms that needs no script."""
    if "text" in output:  # a stream
        return _box(f"<pre>{html.escape(''.join(output['text']))}</pre>")
    if "traceback" in output:
        return _box(f"<pre>{html.escape(output['ename'] + ': ' + output['evalue'])}</pre>")
    data = {kind: "".join(value) for kind, value in output["data"].items() if value}
    if "image/svg+xml" in data:
        return _box(data["image/svg+xml"])
    if "image/png" in data:
        picture = "".join(data["image/png"].split())
        return _box(f'<img alt="figure" src="data:image/png;base64,{picture}"/>')
    if "text/html" in data:
        return _box(data["text/html"])
    return _box(f"<pre>{html.escape(data.get('text/plain', ''))}</pre>")


def _box(inside: str) -> str:
    return _raw(f'<div class="notebook-output">{inside}</div>')


def _raw(inside: str) -> str:
    """A raw HTML block, which Markdown may not end early at an empty line."""
    return f"```{{raw}} html\n{inside}\n```"
