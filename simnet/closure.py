"""The sources that some code may run: a file, and whatever it imports, directly or not.

The store keys a result on the code that made it. Taking the sources of all packages would throw an
hour of trials away for a word in a help text, so a key takes in only what a trial can reach by
imports: its *closure*.

Example. `scenarios/yang/trials.py` has `from protocols.dpds.script import DPDS` at its head, and
that file has `from simnet.kernel.run import run` inside a function. Both files are in the closure,
with everything that they import in turn, and so are `protocols/__init__.py` and its like, for they
run first. The command line is not, and neither is the module that draws the figure.

Imports are read off the syntax tree, wherever in a file they stand, and nothing is executed.
What stands under `if TYPE_CHECKING:` never runs and is left out. The imports of a module are
followed if the module belongs to a package that contributes to simnet, or lies beside the first
file. Of any other library only the name is noted, so that its version can be looked up. A name such
as `simnet.run`, which is loaded when it is first used, is looked up in the stub of its package. An
import by a computed name is not seen.

A source counts by its syntax tree without docstrings, so that comments, blank lines and line breaks
do not matter.
"""

import ast
import gc
import hashlib
import importlib.util
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import attrs

from simnet.errors import BadInput
from simnet.installed import packages

Import = tuple[int, str]  # dots in front, and a module, or a module with a name that is taken of it

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@attrs.frozen
class Source:
    """The facts that the closure needs about a file: its digest, and its imports."""

    digest: bytes  # of the syntax tree without docstrings
    imports: tuple[Import, ...]


@attrs.frozen
class Closure:
    """The files that some code may run, with a digest of each, and the other libraries."""

    digests: tuple[tuple[str, bytes], ...]  # by the file's place in its package, in order
    libraries: tuple[str, ...]  # top modules that are not followed, in order


@lru_cache
def closure_of(files: tuple[Path, ...], beside: Path | None = None) -> Closure:
    """Return the closure of some files, which may also import modules from the folder `beside`.

    The sources count as they are when they are first read in this process. Raises `BadInput` for a
    file that cannot be read.
    """
    bases = _bases(beside)
    found: dict[Path, Source] = {}
    libraries: set[str] = set()
    waiting = list(files)
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found[file] = source_of(file)
        for level, name in found[file].imports:
            reached = _reached(file, level, name, bases)
            waiting += reached
            top = name.partition(".")[0]
            if not reached and not level and top not in sys.stdlib_module_names:
                libraries.add(top)
    digests = sorted((_place(file, bases), source.digest) for file, source in found.items())
    return Closure(tuple(digests), tuple(sorted(libraries)))


@lru_cache
def source_of(file: Path) -> Source:
    """A file's digest and imports. Raises `BadInput` when it cannot be read."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from error
    try:
        tree = _tree(content)
    except (SyntaxError, ValueError):  # it does not run, so it counts letter by letter
        return Source(hashlib.sha256(content).digest(), ())
    _strip(tree)
    digest = hashlib.sha256(ast.dump(tree).encode()).digest()
    return Source(digest, tuple(sorted(_imports(tree))))


def _tree(content: bytes) -> ast.Module:
    """The syntax tree of a source. Raises what `ast.parse` does.

    Python 3.11 loses count of its depth, and gives up, if rubbish whose end runs code is collected
    while it makes the tree. So nothing is collected meanwhile.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(content)
    finally:
        if was_enabled:
            gc.enable()


def forget_sources() -> None:
    """Forget all sources, so that the next call reads them again."""
    closure_of.cache_clear()
    source_of.cache_clear()


def _strip(tree: ast.Module) -> None:
    """Take docstrings out of a tree, and what only type checkers read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and _only_for_type_checkers(node.test):
            node.body = []
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]


def _only_for_type_checkers(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING` or `typing.TYPE_CHECKING`."""
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def _imports(tree: ast.Module) -> set[Import]:
    """What a source imports, inside functions too."""
    found: set[Import] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {(0, name.name) for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            module = f"{node.module}." if node.module else ""
            found |= {(node.level, module + name.name) for name in node.names}
    return found


def _bases(beside: Path | None) -> dict[str, Path]:
    """The folder in which each package that is followed lies; under "" the one beside."""
    found = {} if beside is None else {"": beside}
    for package in sorted(packages()):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            source = Path(spec.origin)
            found[package] = source.parents[1] if spec.submodule_search_locations else source.parent
    return found


def _reached(file: Path, level: int, name: str, bases: dict[str, Path]) -> list[Path]:
    """Return the source files that an import runs; none for a library that is not followed."""
    parts = name.split(".")
    if level:
        return _along(file.parents[level - 1], parts)
    folders = [bases[key] for key in ("", parts[0]) if key in bases]
    return next((found for folder in folders if (found := _along(folder, parts))), [])


def _along(folder: Path, parts: Sequence[str]) -> list[Path]:
    """The sources on the way to a module: its packages, itself, and what its package's stub names.

    The last part may be the name of something in a module.
    """
    found = []
    for part in parts:
        package, module = folder / part / "__init__.py", folder / f"{part}.py"
        if package.is_file():
            found.append(package)
        elif module.is_file():
            return [*found, module]
        elif not (folder / part).is_dir():
            return found + _by_stub(folder / "__init__.pyi", part)
        folder /= part
    return found


def _by_stub(stub: Path, name: str) -> list[Path]:
    """Return the source files behind a name in a package's stub; none without a stub."""
    if not stub.is_file():
        return []
    return [
        source
        for level, place in source_of(stub).imports
        if level and place.rpartition(".")[2] == name
        for source in _along(stub.parents[level - 1], place.split("."))
    ]


def _place(file: Path, bases: dict[str, Path]) -> str:
    """A file's path from the folder of its package, which says what it is on any machine."""
    for folder in bases.values():
        if file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    return file.name
