"""The processes of the vault.

    the run's process              mother                      chamber
    loads the script's file,       has imported simnet,        gets definitions and calls,
    has the inputs          --->   and no script, no input     --->   calls functions, ends
                     a socket                           a fork

The *mother* is forked from a command before it loads a file, or else is a new interpreter; it is
never a fork of a program that uses simnet. The run hands her one end of a socket for each *chamber*
that it needs: she forks the chamber, which reads calls from the socket, and answers. A chamber ends
when the other end of its socket is closed, also in the middle of a call, and the mother ends when
the process that has started her ends.
"""

import contextlib
import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import NoReturn

LARGEST = 1 << 30  # the most bytes of a call or an answer

is_command = False  # whether this process is a command, and not a program that uses simnet


class Lost(Exception):
    """Raised if a chamber has ended, or cannot be started."""


class Chamber:
    """A process that calls functions, which has the installed modules `modules`.

    `sent` is for the caller: how many definitions were sent to it.
    """

    def __init__(self, modules: Iterable[str]) -> None:
        self.modules = frozenset(modules)
        self.sent = 0
        self._socket, other = socket.socketpair()
        self.end = weakref.finalize(self, self._socket.close)
        with other:
            _hand_over(other, self.modules)

    def ask(self, frame: bytes) -> bytes:
        """Send a call, and return the answer. If this fails or is interrupted, the process ends.

        Raises `Lost` if the process has ended.
        """
        try:
            send(self._socket, frame)
            return received(self._socket)
        except (OSError, EOFError):
            self.end()
            raise Lost("has ended") from None
        except BaseException:
            self.end()
            raise


_lock = threading.Lock()
_mothers: dict[int, socket.socket] = {}  # by the process: after a fork, it needs a new mother


def _hand_over(chamber: socket.socket, modules: Iterable[str]) -> None:
    request = json.dumps([sorted(modules), sys.path]).encode()
    with _lock:
        for _ in range(2):  # somebody may have ended the mother
            mother = _mothers.get(os.getpid()) or _new_interpreter()
            with contextlib.suppress(OSError):
                socket.send_fds(mother, [request], [chamber.fileno()])
                return
            _mothers.pop(os.getpid()).close()
    raise Lost("cannot be started")


def _new_interpreter() -> socket.socket:
    from simnet.presses import uninterrupted

    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs, uninterrupted():
        process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        )
    process.returncode = 0  # Python would complain, at the end, that it goes on: it ends by itself
    _mothers[os.getpid()] = ours
    return ours


def before_file() -> None:
    """Make the mother by a fork of this process, if it is a command that has loaded no file yet."""
    from simnet.presses import uninterrupted

    if not is_command or _mothers:
        return
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with warnings.catch_warnings(), uninterrupted():
        warnings.simplefilter("ignore")  # sleeping threads of numpy are no danger here
        child = os.fork()
        if child == 0:
            _be_mother(theirs)
    theirs.close()
    _mothers[os.getpid()] = ours


def _be_mother(run: socket.socket) -> NoReturn:
    # Imported here, because a new interpreter must first find `simnet`.
    from simnet.vault.answering import serve

    sys.dont_write_bytecode = True
    # What a function prints goes nowhere: in a file, a script could read it.
    for number in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    for file in list(Path("/dev/fd").iterdir()):
        if int(file.name) not in (0, 1, 2, run.fileno()):
            with contextlib.suppress(OSError):
                os.close(int(file.name))
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # chambers leave nothing behind
    while True:
        request, sockets, *_ = socket.recv_fds(run, LARGEST >> 10, 1)
        if not request:
            os._exit(0)
        modules, path = json.loads(request)
        sys.path += [folder for folder in path if folder not in sys.path]
        for name in modules:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        if os.fork() == 0:
            run.close()
            serve(socket.socket(fileno=sockets[0]))
            os._exit(0)
        os.close(sockets[0])


# Frames: eight bytes with the length, and what they announce.


def send(connection: socket.socket, frame: bytes) -> None:
    """Send a frame."""
    connection.sendall(len(frame).to_bytes(8, "big") + frame)


def received(connection: socket.socket) -> bytes:
    """Return the next frame. Raises `EOFError` if the other end has closed, and `OSError` if the
    frame is too large.
    """
    length = int.from_bytes(_exactly(connection, 8), "big")
    if length > LARGEST:
        raise OSError("the frame is too large")
    return _exactly(connection, length)


def _exactly(connection: socket.socket, length: int) -> bytes:
    frame = bytearray()
    while len(frame) < length:
        piece = connection.recv(min(length - len(frame), 1 << 20))
        if not piece:
            raise EOFError
        frame += piece
    return bytes(frame)


if __name__ == "__main__":
    sys.path.append(str(Path(__file__).parents[2]))
    _be_mother(socket.socket(fileno=int(sys.argv[1])))
