"""The versions that a result depends on besides its parameters and seed: of the code and of the
data.

The code is what a trial can reach by imports (see `simnet.closure`), with the versions of Python
and of the imported libraries.
"""

import functools
import hashlib
import platform
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from importlib.metadata import packages_distributions, version
from pathlib import Path

from simnet.closure import closure_of
from simnet.errors import BadInput
from simnet.studies.experiment import Trial
from simnet.studies.remembered import stamp_of

DIGITS = 32  # of a digest in hexadecimal
COMPUTING = ("numpy", "scipy")  # results may differ from one version of these libraries to another
SYNTHETIC = "synthetic"  # takes the place of the digest of the data if people are made up


def code_version(trial: Trial, file: Path | None = None, paired: Sequence[str] = ()) -> str:
    """Return a digest of the code that a trial can reach, of the experiment's own `file` if it is
    given, and of the names of its `paired` parameters, which change the seeds.

    Docstrings and comments do not count. The version of Python, such as 3.11, and those of the
    libraries count. Each source file is read once in a process; later changes of the file are not
    noticed.
    """
    sources = {Path(path).absolute() for path in _files(trial)}
    beside = None
    if file is not None:
        sources.add(file.absolute())
        beside = file.absolute().parent
    closure = closure_of(tuple(sorted(sources)), beside)
    digest = hashlib.sha256()
    for place, source in closure.digests:
        digest.update(f"{place}\0".encode() + source)
    # Python itself counts: since 3.12, for example, `sum` of floats carries the rounding along
    python = ".".join(platform.python_version_tuple()[:2])
    libraries = _versions(tuple(sorted({*COMPUTING, *closure.libraries})))
    digest.update(f"python {python} {libraries}".encode())
    digest.update("".join(f"\0paired {name}" for name in sorted(paired)).encode())
    return digest.hexdigest()[:DIGITS]


def _files(trial: object) -> Iterator[str]:
    if isinstance(trial, functools.partial):
        for part in (trial.func, *trial.args, *trial.keywords.values()):
            if callable(part):
                yield from _files(part)
        return
    file = sys.modules[trial.__module__].__file__ if trial.__module__ in sys.modules else None
    if file is not None:
        yield file


@lru_cache
def _versions(modules: tuple[str, ...]) -> str:
    distributions = packages_distributions()
    found = {name for module in modules for name in distributions.get(module, ())}
    return " ".join(f"{name} {version(name)}" for name in sorted(found))


def data_version(folder: Path | None, files: Sequence[str]) -> str:
    """Return a digest of the named files of a folder; "synthetic" without a folder or names.

    Raises `BadInput` if a file is missing.
    """
    if folder is None or not files:
        return SYNTHETIC
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name}\0".encode() + _file_digest(folder / name, stamp_of(folder / name)))
    return digest.hexdigest()[:DIGITS]


@lru_cache
def _file_digest(path: Path, stamp: tuple[int, int]) -> bytes:  # noqa: ARG001  # for the cache
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
