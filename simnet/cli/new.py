"""`simnet new`."""

import ast
import builtins
import keyword
import re
import sys
import sysconfig
from importlib.machinery import PathFinder
from pathlib import Path

STARTER = (
    "two_server_sum",
    "TwoServerSum",
)  # the starter's module and class, which the copies rename
# A module with such a name would hide a module that simnet, the starter or its test needs.
MODULES = {
    *("scenario", "simnet", "protocols", "scenarios", "attrs", "numpy", "hypothesis", "pytest"),
    *sys.stdlib_module_names,
}


def new(name: str, *, folder: Path | None = None) -> None:
    """Write a protocol, a scenario and a test that run, as a start for your own.

    For example:

    - `simnet new my_sum`
    - `simnet run my_sum/scenario.py`
    - `simnet verify my_sum/scenario.py --corrupt A`
    - `pytest my_sum`

    Parameters
    ----------
    name
        The protocol's name: small letters, digits and underscores, such as `my_sum`. This is also
        the name of the module; the class is then called `MySum`.
    folder
        The folder for the three files. Without this option it is a folder with the protocol's name.
        The command makes the folder if it is missing.

    """
    from simnet.cli.output import console
    from simnet.errors import BadInput
    from simnet.files import make_folder, write_whole

    if re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) is None or keyword.iskeyword(name):
        raise BadInput(
            "a protocol's name consists of words of small letters and digits, joined by "
            "underscores, such as ring_sum; it begins with a letter and is no keyword of Python; "
            f"got {name!r}"
        )
    if _is_taken(name):
        raise BadInput(
            f"{name!r} is taken: Python, an installed library or the files to be written use "
            f"{name} or {_class_name(name)} for something else; give another name"
        )
    target = Path(name) if folder is None else folder
    texts = starter(name)
    present = [file for file in texts if (target / file).exists()]
    if present:
        raise BadInput(f"{target / present[0]} is there already: give another name or --folder")
    make_folder(target)
    for file, text in texts.items():
        write_whole(target / file, text)
    out = console(None)
    out.print(f"{', '.join(texts)} written to {target}. Next:", soft_wrap=True)
    for command in (
        f"simnet run {target}/scenario.py",
        f"simnet verify {target}/scenario.py --corrupt A,B",
        f"pytest {target}",
    ):
        out.print(f"    {command}", soft_wrap=True)


def starter(name: str) -> dict[str, str]:
    """Return the texts of the files for a protocol of this name, by file name."""
    module, cls = STARTER
    source = Path(__file__).parent / "starter"
    camel = _class_name(name)
    texts = {}
    for file in (f"{module}.py", "scenario.py", f"test_{module}.py"):
        text = (source / file).read_text(encoding="utf-8")
        text = text.replace(f"{__package__}.starter.", "").replace(cls, camel)
        texts[file.replace(module, name)] = text.replace(module, name)
    return texts


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _is_taken(name: str) -> bool:
    imported = {
        alias.name
        for text in starter(STARTER[0]).values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    # so would the names of other installed modules, of which libraries may need any
    installed = [sysconfig.get_path(place) for place in ("purelib", "platlib")]
    if name in MODULES or PathFinder.find_spec(name, installed) is not None:
        return True
    camel = _class_name(name)
    return hasattr(builtins, camel) or camel in imported - {STARTER[1]}
