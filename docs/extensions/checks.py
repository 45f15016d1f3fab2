"""What a build must have: examples of all public names, and no request to another computer."""

import ast
import importlib
import inspect
import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)
ROOT = Path(__file__).parent.parent.parent

_EXAMPLE = re.compile(r"^```(?:pycon|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# An address that a browser fetches when it shows the page. A link to click on is none.
_FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|object|embed)\b[^>]*?(?:src|data)=["'](?:https?:)?//[^"']+
    |<link\b(?=[^>]*rel=["'](?:stylesheet|preconnect|preload|dns-prefetch|icon))[^>]*href=["'](?:https?:)?//[^"']+
    |url\(\s*["']?(?:https?:)?//[^)]+
    |@import\s+["'](?:https?:)?//[^"']+""",
    re.VERBOSE | re.IGNORECASE,
)


def public_names() -> dict[str, list[str]]:
    """The public names of each documented module, read from the source."""
    stubs = {"simnet": ROOT / "simnet/__init__.pyi", "protocols": ROOT / "protocols/__init__.pyi"}
    names: dict[str, list[str]] = {}
    for module, file in stubs.items():
        if file.exists():
            for node in ast.parse(file.read_text()).body:
                if isinstance(node, ast.ImportFrom):
                    names.setdefault(module, []).extend(
                        alias.asname or alias.name for alias in node.names
                    )
    body = ast.parse((ROOT / "simnet/testing.py").read_text()).body
    names["simnet.testing"] = [
        node.name
        for node in body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
    ]
    return names


def fetched_addresses(text: str) -> list[str]:
    """What a browser would fetch from elsewhere to show this page or style sheet."""
    return [found.group() for found in _FETCHED.finditer(text)]


def check(app: Sphinx, error: Exception | None) -> None:
    """Warn of what is missing or fetched; warnings fail a strict build."""
    if error is not None:
        return
    documented = app.env.domaindata["py"]["objects"]
    for module, names in public_names().items():
        page = ROOT / "docs/reference/api" / f"{module}.md"
        examples = "\n".join(
            found[1] for found in re.finditer(_EXAMPLE, page.read_text() if page.exists() else "")
        )
        for name in names:
            public = getattr(importlib.import_module(module), name)
            if f"{module}.{name}" not in documented:
                logger.warning("%s.%s is public, and not on %s", module, name, page)
            elif ">>>" not in (inspect.getdoc(public) or "") and not re.search(
                rf"\b{name}\b", examples
            ):
                logger.warning(
                    "%s.%s has no example: neither in its docstring nor on %s", module, name, page
                )
    for file in Path(app.outdir).rglob("*"):
        if file.suffix in (".html", ".css"):
            for address in fetched_addresses(file.read_text(errors="replace")):
                logger.warning("%s fetches from elsewhere: %s", file, address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the check."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
