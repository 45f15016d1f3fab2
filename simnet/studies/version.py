"""What results depend on besides parameters and seed: the version of the code, and the data."""

import ast
import hashlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, wraps
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from simnet.errors import BadInput

DIGITS = 32  # of a digest in hexadecimal
LIBRARIES = (
    "numpy",
    "scipy",
)  # whose numbers may differ in the last digits from one version to another
P = ParamSpec("P")
T = TypeVar("T")
_MEMORIES: list[Callable[[], None]] = []  # how to forget each
SYNTHETIC = "synthetic"  # in place of a digest where there are no data


@lru_cache
def code_version(file: Path | None = None) -> str:
    """A digest of the sources of every package that contributes to the command line, and of an
    experiment's own file.

    It takes in what lies beside that file and has been imported, and the versions of the libraries
    that compute. It is that of the sources as they were when first asked for in this process.
    """
    digest = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in LIBRARIES).encode())
    for package in sorted(_packages()):
        spec = importlib.util.find_spec(package)
        for folder in sorted(spec.submodule_search_locations or ()) if spec else ():
            _take_in(digest.update, sorted(Path(folder).rglob("*.py")), Path(folder).parent)
    if file is not None:
        digest.update(b"\0" + _bytes(file))
        _take_in(digest.update, _imported_beside(file), file.absolute().parent)
    return digest.hexdigest()[:DIGITS]


def data_version(folder: Path | None, files: Sequence[str]) -> str:
    """A digest of the named files of a folder; `synthetic` without one, or where no files are read.

    Raises `BadInput` for a file that is missing.
    """
    if folder is None or not files:
        return SYNTHETIC
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0".encode() + _file_digest(folder / name, _stamp(folder / name)))
    return digest.hexdigest()[:DIGITS]


@lru_cache
def _file_digest(path: Path, stamp: tuple[int, int]) -> bytes:  # noqa: ARG001  # the stamp is for the cache
    return hashlib.sha256(_bytes(path)).digest()


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of a file, which change when its content does.

    Raises `BadInput` when there is none.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return found.st_size, found.st_mtime_ns


def _imported_beside(file: Path) -> list[Path]:
    """The sources beside a file that it imports, or that these import."""
    found: set[Path] = set()
    waiting = [file.absolute()]
    while waiting:
        one = waiting.pop()
        new = {
            source
            for name in _imports(one)
            for source in _sources(one.parent / name.replace(".", "/"))
        }
        waiting += new - found
        found |= new
    return sorted(found - {file.absolute()})


def _imports(file: Path) -> set[str]:
    """The names of the modules that a source imports."""
    try:
        nodes = list(ast.walk(ast.parse(_bytes(file))))
    except SyntaxError:
        return set()
    whole = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    parts = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    return (
        whole
        | {node.module for node in parts if node.module}
        | {
            f"{node.module}.{name.name}" if node.module else name.name
            for node in parts
            for name in node.names
        }
    )


def _sources(place: Path) -> Iterator[Path]:
    """The source of the module that would be at this place, or of the package with its parent
    packages.
    """
    for one in (place.with_suffix(".py"), place / "__init__.py"):
        if one.is_file():
            yield one


def remembered(load: Callable[P, T]) -> Callable[P, T]:
    """`load`, a function of a folder of data and whatever else, computed once until a file of the
    folder changes.
    """
    cached: Any = lru_cache(lambda _, *args, **rest: load(*args, **rest))

    _MEMORIES.append(cached.cache_clear)

    @wraps(load)
    def loaded(*args: P.args, **rest: P.kwargs) -> T:
        folder = next((one for one in (*args, *rest.values()) if isinstance(one, Path)), None)
        found: T = cached(_state(folder), *args, **rest)
        return found

    return loaded


def forget() -> None:
    """Compute anew whatever is remembered."""
    for clear in _MEMORIES:
        clear()


def _state(folder: Path | None) -> tuple[tuple[str, int, int], ...]:
    if folder is None or not folder.is_dir():
        return ()
    return tuple(sorted((one.name, *_stamp(one)) for one in folder.iterdir() if one.is_file()))


def _packages() -> set[str]:
    groups = [group for group in entry_points().groups if group.startswith("simnet.")]
    modules = [
        entry.value.partition(":")[0] for group in groups for entry in entry_points(group=group)
    ]
    return {"simnet", *(module.partition(".")[0] for module in modules)}


def _take_in(update: Callable[[bytes], object], paths: Iterable[Path], root: Path) -> None:
    for path in paths:
        update(
            f"{path.relative_to(root).as_posix()}\0".encode()
            + hashlib.sha256(path.read_bytes()).digest()
        )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
