"""The processes of the vault.

    the run's process              mother                      nursery            chamber
    loads the script's file,       has imported simnet,        of one run: has    calls functions,
    has the inputs          --->   and no script, no input     the definitions    ends
                 a socket                        a fork                  a fork

The *mother* is forked from a command before it loads a file, or else is a new interpreter; it is
never a fork of a program that uses simnet. For each run she forks a *nursery*, which loads the
definitions of the run, but gets no call and so no input. For each *chamber* that the run needs, the
nursery forks one, and hands it a socket of its own, from which the chamber reads calls. All these
processes end when the run, or the process that has started them, closes its end of their socket.
"""

import atexit
import contextlib
import gc
import importlib
import marshal
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import simnet.vault
from simnet.installed import PYTHON

LARGEST = 1 << 30  # the most bytes of a call or an answer


class Lost(Exception):
    """Raised if a process of the vault has ended, or cannot be started."""


class Process:
    """A nursery, or one of its chambers, and the socket to it. It has loaded `definitions`, and
    only the process with the number `owner` may use it.
    """

    def __init__(
        self,
        parent: "Process | None" = None,
        modules: Iterable[str] = (),
        further: list[bytes] | None = None,
    ) -> None:
        """Let a nursery, or the mother, import modules, load further definitions, and fork."""
        self.owner = os.getpid()
        self.definitions: list[bytes] = [*(parent.definitions if parent else ()), *(further or ())]
        self._socket, other = socket.socketpair()
        self.end = weakref.finalize(self, self._socket.close)
        request = framed(marshal.dumps((sorted(modules), sys.path, further or [])))
        with other:
            if parent is None:
                _to_mother(request, other)
            else:
                parent.definitions = [*self.definitions]
                parent._try(_with_socket, parent._socket, request, other)

    def ask(self, frame: bytes) -> bytes:
        """Send a call, and return the answer. If this fails or is interrupted, the process ends.

        Raises `Lost` if the process has ended.
        """
        self._try(self._socket.sendall, framed(frame))
        answer: bytes = self._try(received, self._socket.recv)
        return answer

    def _try(self, deed: Callable[..., Any], *arguments: object) -> Any:
        try:
            return deed(*arguments)
        except (OSError, EOFError):
            self.end()
            raise Lost("has ended") from None
        except BaseException:
            self.end()
            raise


_lock = threading.Lock()
_mothers: dict[int, socket.socket] = {}  # by the process: after a fork, it needs a new mother


def _to_mother(request: bytes, connection: socket.socket) -> None:
    with _lock:
        for _ in range(2):  # somebody may have ended the mother
            mother = _mothers.get(os.getpid()) or _made(_new_interpreter)
            with contextlib.suppress(OSError):
                return _with_socket(mother, request, connection)
            _mothers.pop(os.getpid()).close()
    raise Lost("cannot be started")


def _with_socket(to: socket.socket, request: bytes, connection: socket.socket) -> None:
    sent = socket.send_fds(to, [request], [connection.fileno()])
    to.sendall(request[sent:])


def _made(start: Callable[[int], None]) -> socket.socket:
    """Start a mother, who gets the number of her socket, and return the other end."""
    from simnet.presses import uninterrupted

    ours, theirs = socket.socketpair()
    with theirs, uninterrupted():
        start(theirs.fileno())
    _mothers[os.getpid()] = ours
    atexit.register(ours.close)
    return ours


def _new_interpreter(number: int) -> None:
    start = "import sys; sys.path.append(sys.argv[1]); from simnet.vault import chamber; "
    process = subprocess.Popen(
        [*PYTHON, "-c", f"{start}chamber.be_mother({number})", str(Path(__file__).parents[2])],
        pass_fds=[number],
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    process.returncode = 0  # Python would complain, at the end, that it goes on: it ends by itself


def _fork(number: int) -> None:
    from simnet.vault import answering, barrier  # noqa: F401  # the processes share them

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sleeping threads of numpy are no danger here
        if os.fork() == 0:
            be_mother(number)


def before_file() -> None:
    """Make the mother by a fork of this process, if it is a command that has loaded no file yet."""
    if simnet.vault.is_command and not _mothers:
        _made(_fork)


def be_mother(number: int) -> NoReturn:
    """Be the mother: do what the run asks for on the socket with this number, and end."""
    from simnet.vault.answering import serve
    from simnet.vault.barrier import close_off

    def nurse(number: int, error: BaseException | None) -> None:
        connection = socket.socket(fileno=moved(number))
        close_off({"os.fork": _fork_for.__code__, "fcntl.fcntl": serve.__code__})
        _fork_for(connection, serve, error)

    sys.dont_write_bytecode = True
    run = socket.socket(fileno=moved(number))
    # What a function prints goes nowhere: in a file, a script could read it.
    for standard in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), standard)
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the processes leave nothing behind
    _fork_for(run, nurse)
    os._exit(0)


def _fork_for(
    run: socket.socket,
    child: Callable[[int, BaseException | None], None],
    error: BaseException | None = None,
) -> None:
    """Do what the run asks for, until it closes the socket: import modules, load definitions and
    fork a process for the socket that comes with the request. `error` is what has failed before.
    """
    while True:
        head, sockets, *_ = socket.recv_fds(run, 8, 1)
        if not head:
            return
        modules, path, further = marshal.loads(received(run.recv, head))
        sys.path += [folder for folder in path if folder not in sys.path]
        for name in modules:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        try:
            load(further)
        except BaseException as failure:
            error = error or failure
        gc.freeze()  # else a collection would copy all memory that the processes share
        if os.fork() == 0:
            child(sockets[0], error)
            os._exit(0)
        os.close(sockets[0])


def moved(number: int) -> int:
    """Give an open file the number 3, close all others but the null device, and return 3."""
    if number != 3:
        os.dup2(number, 3)
    os.closerange(4, 1 << 20)
    return 3


def load(further: Sequence[bytes]) -> None:
    """Load definitions, in a process of the vault."""
    from simnet.vault import sending

    for piece in further:
        sending.loaded += pickle.loads(piece)


# Frames: eight bytes with the length, and what they announce.


def framed(frame: bytes) -> bytes:
    """Return a frame with its length before it."""
    return len(frame).to_bytes(8, "big") + frame


def received(read: Callable[[int], bytes], begun: bytes = b"") -> bytes:
    """Return the next frame, of which the bytes `begun` have been read already. Raises `EOFError`
    if the other end has closed, and `OSError` if the frame is too large.
    """
    frame, whole = bytearray(begun), 8
    while True:
        if len(frame) >= 8:
            whole = 8 + int.from_bytes(frame[:8], "big")
        if len(frame) >= whole:
            return bytes(frame[8:whole])
        if whole > LARGEST:
            raise OSError("the frame is too large")
        # The length is read with the rest, because most frames are small.
        rest = whole - len(frame) if len(frame) >= 8 else 1 << 16
        piece = read(min(rest, 1 << 20))
        if not piece:
            raise EOFError
        frame += piece
