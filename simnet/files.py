"""Files that are written whole or not at all, and checked before the work that fills them.

Theory of operation. Whoever opens a file for writing empties it first: on a full disk the old
content is then gone, and half of the new one is taken for the whole. So the new content goes to a
hidden file in the same folder, is pushed to the disk, and takes the name in one step, which the
file system does whole or not at all. When anything fails before that step, the hidden file is
removed and the old file is as it was. What is no regular file (`/dev/stdout`, a named pipe) has no
content to lose and is written to directly.

The module stands on the lowest floor but the errors', so that records, pictures, studies and the
command line can all write through it.
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


def write_whole(path: Path, content: bytes | str) -> None:
    """Replace a file's content.

    Text becomes UTF-8; half of a surrogate pair, for which UTF-8 has no bytes, becomes its escape.
    Raises `BadInput` when the file cannot be written; it is then as it was.
    """
    with whole_file(path) as file:
        file.write(
            content.encode(errors="backslashreplace") if isinstance(content, str) else content
        )


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing bytes; it gets the name `path` when the block ends without an error.

    Raises `BadInput` if the file cannot be written; an existing file of this name then stays as it
    was.
    """
    refuse_unwritable(path)
    try:
        if _is_device(path):  # by its own name: an open pipe, such as /dev/stdout, has no other
            with path.open("wb") as file:
                yield file
            return
        target = path.resolve()  # the file that a link names, so that the link stays
        beside = target.with_name(f".simnet-{os.urandom(8).hex()}")
        try:
            with beside.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())  # a full disk may be told here, and not by any write
            with contextlib.suppress(FileNotFoundError):
                beside.chmod(stat.S_IMODE(target.stat().st_mode))
            beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def refuse_unwritable(path: Path) -> None:
    """Raise `BadInput` for a file that cannot be written, as far as this is visible without
    writing.

    It is called before the work whose result the file will contain.
    """
    try:
        if not path.name or path.is_dir():
            raise _unwritable(path, "it is a folder")
        if not path.parent.is_dir():
            raise _unwritable(path, f"there is no folder {path.parent}")
        if path.exists() and not os.access(path, os.W_OK):
            raise _unwritable(path, "its permissions do not allow it")
        if not _is_device(path) and not os.access(path.resolve().parent, os.W_OK):
            raise _unwritable(path, f"the permissions of the folder {path.parent} do not allow it")
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error


def _is_device(path: Path) -> bool:
    """Whether a name stands for no regular file, or for an open one, such as /dev/stdout."""
    return path.is_relative_to("/dev") or (path.exists() and not path.is_file())


def _unwritable(path: Path, why: str) -> BadInput:
    return BadInput(f"{path} cannot be written: {why}")
