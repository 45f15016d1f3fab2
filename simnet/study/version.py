"""What results depend on besides parameters and seed: the version of the code, and the data."""

import hashlib
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path

from simnet.errors import BadInput

DIGITS = 32  # of a digest in hexadecimal
SYNTHETIC = "synthetic"  # in place of a digest where there are no data


@lru_cache
def code_version(file: Path | None = None) -> str:
    """A digest of the sources of every package that contributes to the command line, and of an experiment's own file.

    It is that of the sources as they were when first asked for in this process.
    """
    digest = hashlib.sha256()
    for package in sorted(_packages()):
        spec = importlib.util.find_spec(package)
        for folder in sorted(spec.submodule_search_locations or ()) if spec else ():
            _take_in(digest.update, sorted(Path(folder).rglob("*.py")), Path(folder).parent)
    if file is not None:
        digest.update(b"\0" + _bytes(file))
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
    """Size and time of a file, which change when its content does. Raises `BadInput` when there is none."""
    try:
        found = path.stat()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return found.st_size, found.st_mtime_ns


def _packages() -> set[str]:
    groups = [group for group in entry_points().groups if group.startswith("simnet.")]
    modules = [entry.value.partition(":")[0] for group in groups for entry in entry_points(group=group)]
    return {"simnet", *(module.partition(".")[0] for module in modules)}


def _take_in(update: Callable[[bytes], object], paths: Iterable[Path], root: Path) -> None:
    for path in paths:
        update(f"{path.relative_to(root).as_posix()}\0".encode() + hashlib.sha256(path.read_bytes()).digest())


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
