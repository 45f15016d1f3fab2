"""Remember the results of functions of a folder of data, until a file of the folder changes."""

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from simnet.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")
_MEMORIES: list[Callable[[], None]] = []  # the functions that forget remembered results


def remembered(load: Callable[P, T]) -> Callable[P, T]:
    """Return a function that computes its result once for each folder and other arguments.

    If a file of the folder changes, the function computes the result again. Each function remembers
    the 128 results that were asked for last.
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
    """Forget all remembered results."""
    for clear in _MEMORIES:
        clear()


def _state(folder: Path | None) -> tuple[tuple[str, int, int], ...]:
    if folder is None or not folder.is_dir():
        return ()
    return tuple(sorted((one.name, *stamp_of(one)) for one in folder.iterdir() if one.is_file()))


def stamp_of(path: Path) -> tuple[int, int]:
    """Return the size of a file and the time of its last change.

    Raises `BadInput` if there is no such file.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return found.st_size, found.st_mtime_ns
