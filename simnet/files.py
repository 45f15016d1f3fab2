"""Writing a file so that it has either its old content or the whole new content.

Theory of operation. When a program opens a file for writing, the file becomes empty. If the disk is
then full, the old content is lost, and a reader may take half of the new content for all of it. So
we write the new content to a hidden file in the same folder, have the system store it on the disk,
and rename the hidden file. If an error occurs before the renaming, we remove the hidden file, and
the old file is unchanged. To a special file (`/dev/stdout`, a named pipe) we write directly.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from simnet.errors import BadInput

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def write_whole(path: Path, content: bytes | str, private: bool = False) -> None:
    """Write a file, or replace the content of an existing file.

    Only its owner may read a new `private` file. An existing file keeps its permissions. Text
    becomes UTF-8; half of a surrogate pair, for which UTF-8 has no bytes, becomes its escape.
    Raises `BadInput` when the file cannot be written; an old regular file is then unchanged.
    """
    with whole_file(path, private) as file:
        file.write(
            content.encode(errors="backslashreplace") if isinstance(content, str) else content
        )


@contextlib.contextmanager
def whole_file(path: Path, private: bool = False) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes. A regular file gets the name `path` when the block ends
    without an error. For `private`, see `write_whole`.

    Raises `BadInput` if the file cannot be written; an existing regular file then stays as it was.
    """
    refuse_unwritable(path)
    try:
        if _is_device(path):  # do not resolve its name: an open pipe has only this name
            with path.open("wb") as file:
                yield file
            return
        target = path.resolve()  # replace the file behind a link, and not the link itself
        beside = target.with_name(f".simnet-{os.urandom(8).hex()}")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            replaces = target.exists()
            mode = 0o600 if private or replaces else 0o666
            with os.fdopen(os.open(beside, flags, mode), "wb") as file:
                if replaces:  # from the first byte on, only those may read it who could before
                    beside.chmod(stat.S_IMODE(target.stat().st_mode))
                yield file
                file.flush()
                os.fsync(file.fileno())  # only this call may report that the disk is full
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def refuse_unwritable(path: Path) -> None:
    """Raise `BadInput` for a file that cannot be written, as far as this is visible without
    writing.
    """
    try:
        if not path.name or path.is_dir():
            raise _unwritable(path, "it is a folder")
        if not path.parent.is_dir():
            raise _unwritable(path, f"there is no folder {path.parent}")
        with contextlib.suppress(FileNotFoundError):
            path.stat()  # fails for a loop of links, for which `exists` returns False
        if path.exists() and not os.access(path, os.W_OK):
            raise _unwritable(path, "its permissions do not allow it")
        if not _is_device(path) and not os.access(path.resolve().parent, os.W_OK):
            raise _unwritable(path, f"the permissions of the folder {path.parent} do not allow it")
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def make_folder(folder: Path) -> None:
    """Make a folder, and those around it, unless it is there. Raises `BadInput` if this fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise BadInput(f"{folder} cannot be made: a file or a link has this name") from error
    except OSError as error:
        raise BadInput(f"{folder} cannot be made: {error.strerror}") from error


def _is_device(path: Path) -> bool:
    if path.exists() and not path.is_file():
        return True
    return path.is_relative_to("/dev") and not path.is_relative_to("/dev/shm")  # a folder in memory


def _unwritable(path: Path, why: str) -> BadInput:
    return BadInput(f"{path} cannot be written: {why}")
