"""What is computed once from a folder of data, until a file of the folder changes."""

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from simnet.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")
_MEMORIES: list[Callable[[], None]] = []  # how to forget each


def remembered(load: Callable[P, T]) -> Callable[P, T]:
    """A function of a folder of data and other things, computed once for each of them.

    When a file of the folder changes, it is computed anew.
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
    return tuple(sorted((one.name, *stamp_of(one)) for one in folder.iterdir() if one.is_file()))


def stamp_of(path: Path) -> tuple[int, int]:
    """Size and time of a file, which change when its content does.

    Raises `BadInput` when there is none.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    return found.st_size, found.st_mtime_ns
