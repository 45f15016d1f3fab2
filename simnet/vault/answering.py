"""What a chamber does with a call: it calls the function, and answers with plain values."""

import fcntl
import itertools
import marshal
import os
import select
import signal
import socket
import traceback
from collections.abc import Sequence
from typing import Any

from simnet.coins.coins import discrete_of
from simnet.coins.sampled import SampledDiscrete
from simnet.coins.tape import TapeDiscrete, TapeEnd
from simnet.doors.call import DoorCall, called
from simnet.doors.plain_values import encode
from simnet.values.meter import Meter
from simnet.values.residues import Residues, residues_of
from simnet.vault.barrier import close_off
from simnet.vault.chamber import received, send
from simnet.vault.sending import Unpickler


def serve(run: socket.socket) -> None:
    """Answer calls until the run closes its end of the socket. Then this process ends, also in the
    middle of a call.
    """
    definitions: list[object] = []
    # The system sends SIGIO whenever something happens on the socket. During a call, the only such
    # thing is that the run closes it, and this signal ends a process that does not ignore it.
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    fcntl.fcntl(run, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(run, fcntl.F_SETFL, fcntl.fcntl(run, fcntl.F_GETFL) | os.O_ASYNC)
    while True:
        try:
            frame = received(run)
        except (OSError, EOFError):
            return
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        if select.select([run], [], [], 0)[0]:  # the run has closed the socket already
            return
        answer = _answer(frame, definitions)
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        send(run, answer)


def _answer(frame: bytes, definitions: list[object]) -> bytes:
    """Call a function, and return what happened, encoded: its value, its error, or the coin for
    which its tape has no outcome; what it billed; how far it read its coins; and the number of at
    least q that a secret was made of, if there is one.

    The frame has further definitions, in one pickle or several, and the call.
    """
    try:
        further, pieces = marshal.loads(frame)
        for piece in further:
            definitions += Unpickler(piece, definitions).load()
        meter = Meter()
        loaded = [Unpickler(each, definitions, meter).load() for each in pieces]
        described, plain, given, coins = itertools.chain.from_iterable(loaded)
        rest = iter(given)
        places = range(len(plain) + len(given))
        arguments = [plain[place] if place in plain else next(rest) for place in places]
        source = None if coins is None else discrete_of(coins)
        start = source.position if isinstance(source, SampledDiscrete) else 0
        close_off()
        call = DoorCall(**described, arguments=())
        outcome = _outcome(call, arguments, coins)
        if isinstance(source, TapeDiscrete) and source.tape.stop is not None:
            kind, data = _stopped(source.tape.stop)  # perhaps the function caught this error
            outcome = "end" if kind == "end" else "stopped", data
        words = source.position - start if isinstance(source, SampledDiscrete) else 0
        tossed = coins is not None and coins.tossed
        return marshal.dumps((*outcome, dict(meter.counts), words, tossed, call.reduced), 2)
    except BaseException as error:
        return marshal.dumps((*_stopped(error), {}, 0, False, None), 2)


def _outcome(call: DoorCall, arguments: Sequence[object], coins: Any) -> tuple[str, Any]:
    try:
        result = called(call, arguments, coins)
    except BaseException as error:
        return _stopped(error)
    return "value", encode(residues_of(result) if isinstance(result, Residues) else result)


def _stopped(error: BaseException) -> tuple[str, Any]:
    if isinstance(error, TapeEnd):
        return "end", encode(error.choice.outcomes)
    kind, arguments = type(error), error.args
    if not all(type(each) in (bool, int, float, str) for each in arguments):
        arguments = (str(error),)
    frames = traceback.walk_tb(error.__traceback__)
    lines = [(frame.f_code.co_filename, line) for frame, line in frames]
    name = error.name if isinstance(error, NameError) else None
    return "error", [kind.__module__, kind.__qualname__, list(arguments), name, lines]
