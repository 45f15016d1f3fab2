"""The source files that some code may run: a file, and files that it imports, directly or through
other files, with the `__init__.py` of their packages. We call them the *closure* of the file.

The store keeps the result of a trial under a key that depends on the closure of the trial. So the
change of another file does not make hours of stored trials useless.

We read imports off the syntax tree of a file, also inside functions. Code under `if TYPE_CHECKING:`
never runs, so we leave it out. We follow the imports of a module if the module belongs to simnet or
to a package that contributes to simnet, or lies in the folder `beside`. Of other libraries, except
Python's own, we note only the name. A name such as `simnet.run`, which Python loads when it is
first used, is looked up in the stub of its package. Only import statements are noticed, and no
calls such as `importlib.import_module(name)`.

The digest of a file is computed from its syntax tree without docstrings. So comments, docstrings,
blank lines and line breaks do not change the digest. (A file that Python cannot parse has the
digest of its bytes, and no imports.)
"""

import ast
import gc
import hashlib
import importlib.util
import sys
from functools import cache, lru_cache
from pathlib import Path

import attrs

from simnet.errors import BadInput
from simnet.installed import packages

# An import: the number of dots before the name, and the name of the module or, for `from a import
# b`, the name `a.b`.
Import = tuple[int, str]

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@attrs.frozen
class Source:
    """The facts that the closure needs about a file: its digest, and its imports."""

    digest: bytes  # of the syntax tree without docstrings; of the bytes if there is no tree
    imports: tuple[Import, ...]


@attrs.frozen
class Closure:
    """The files that some code may run, with a digest of each, and the names of other libraries."""

    digests: tuple[tuple[str, bytes], ...]  # each file's path with its package, and its digest
    libraries: tuple[str, ...]  # the names of the libraries whose imports are not followed


@cache
def closure_of(files: tuple[Path, ...], beside: Path | None = None) -> Closure:
    """Return the closure of some files, which may also import modules from the folder `beside`.

    Changes of a file that was read before are not noticed until `forget_sources` is called. Raises
    `BadInput` for a file that cannot be read.
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


@cache
def source_of(file: Path) -> Source:
    """Return a file's digest and imports. Raises `BadInput` when the file cannot be read."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from error
    return _source(content)


@lru_cache(1_000)  # also of sources that are read again, most of which are as they were
def _source(content: bytes) -> Source:
    try:
        tree = _tree(content)
    except (SyntaxError, ValueError):  # the file cannot run: take the digest of its bytes
        return Source(hashlib.sha256(content).digest(), ())
    text, imports = _written(tree)
    return Source(hashlib.sha256(text.encode()).digest(), tuple(sorted(imports)))


def _tree(content: bytes) -> ast.Module:
    # If Python 3.11 collects garbage while it makes the tree, and a collected object runs code when
    # it is freed, then Python miscounts the depth of the tree and raises an error.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(content)
    finally:
        if was_enabled:
            gc.enable()


def forget_sources() -> None:
    """Forget all sources, so that they are read again when they are needed."""
    for kept in (closure_of, source_of, _along):
        kept.cache_clear()


def _written(tree: ast.Module) -> tuple[str, set[Import]]:
    """Return a text that differs for different trees, and the imports. Docstrings, and code that
    only type checkers read, are left out.
    """
    words: list[str] = []
    imports: set[Import] = set()
    waiting: list[object] = [tree]
    while waiting:
        thing = waiting.pop()
        if isinstance(thing, list):
            words.append(str(len(thing)))
            waiting += thing
            continue
        if not isinstance(thing, ast.AST):
            words.append(f"={thing!r}")
            continue
        words.append(type(thing).__name__)
        if isinstance(thing, DOCUMENTED) and ast.get_docstring(thing, clean=False) is not None:
            del thing.body[0]
        elif isinstance(thing, ast.If) and _only_for_type_checkers(thing.test):
            thing.body = []
        elif isinstance(thing, ast.Import):
            imports |= {(0, name.name) for name in thing.names}
        elif isinstance(thing, ast.ImportFrom):
            module = f"{thing.module}." if thing.module else ""
            imports |= {(thing.level, module + name.name) for name in thing.names}
        waiting += [getattr(thing, name, None) for name in thing._fields]
    return "\n".join(words), imports


def _only_for_type_checkers(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", None)
    return name == "TYPE_CHECKING"


def _bases(beside: Path | None) -> dict[str, Path]:
    """Return, for each package whose imports we follow, the folder that contains it; and under the
    name "" the folder `beside`.
    """
    found = {} if beside is None else {"": beside}
    for package in sorted(packages()):
        spec = importlib.util.find_spec(package)
        if spec is not None and spec.origin is not None:
            source = Path(spec.origin)
            found[package] = source.parents[1] if spec.submodule_search_locations else source.parent
    return found


def _reached(file: Path, level: int, name: str, bases: dict[str, Path]) -> list[Path]:
    """Return the source files that an import runs; none for a library whose imports we do not
    follow.
    """
    parts = tuple(name.split("."))
    if level:
        return _along(file.parents[level - 1], parts)
    folders = [bases[key] for key in ("", parts[0]) if key in bases]
    return next((found for folder in folders if (found := _along(folder, parts))), [])


@cache
def _along(folder: Path, parts: tuple[str, ...]) -> list[Path]:
    """Return the source files that Python runs to import a module: its packages and the module.

    If a part is a name that the package's stub (`__init__.pyi`) imports, the files behind this name
    are returned as well.
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
    if not stub.is_file():
        return []
    return [
        source
        for level, place in source_of(stub).imports
        if level and place.rpartition(".")[2] == name
        for source in _along(stub.parents[level - 1], tuple(place.split(".")))
    ]


def _place(file: Path, bases: dict[str, Path]) -> str:
    """Return a file's path from the first of the folders `bases` that contains it, such as
    `simnet/roster.py`; for a file outside these folders, its name.
    """
    for folder in bases.values():
        if file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    return file.name
