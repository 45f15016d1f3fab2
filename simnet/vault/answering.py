"""What a chamber does with a call: it calls the function, and answers with plain values."""

import fcntl
import functools
import marshal
import os
import pickle
import select
import signal
import traceback
from collections.abc import Sequence
from types import MethodType
from typing import Any

from simnet.coins.coins import Coins, discrete_of
from simnet.coins.sampled import SampledCoins
from simnet.coins.tape import Tape, TapeDiscrete, TapeEnd, TapeField
from simnet.doors.call import DoorCall, called
from simnet.doors.plain_values import encode
from simnet.doors.record import position_of
from simnet.values.residues import Residues, residues_of
from simnet.vault.chamber import framed, load, moved, received
from simnet.vault.sending import meter_of_call


def serve(number: int, error: BaseException | None) -> None:
    """Answer calls until the run closes its end of the socket. Then this process ends, also in the
    middle of a call. `number` is that of the socket, and `error` is what failed when definitions
    were loaded.
    """
    run = moved(number)
    # The system sends SIGIO whenever something happens on the socket. During a call, the only such
    # thing is that the run closes it, and this signal ends a process that does not ignore it.
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    fcntl.fcntl(run, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(run, fcntl.F_SETFL, fcntl.fcntl(run, fcntl.F_GETFL) | os.O_ASYNC)
    while True:
        try:
            further, packed, several = marshal.loads(received(functools.partial(os.read, run)))
        except (OSError, EOFError):
            return
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        if select.select([run], [], [], 0)[0]:  # the run has closed the socket already
            return
        try:
            load(further)
        except BaseException as failure:
            error = error or failure
        answers = [marshal.dumps(_answer(packed, values, error), 2) for values in several]
        data = memoryview(framed(marshal.dumps(answers)))
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        while data:
            data = data[os.write(run, data) :]


def _answer(packed: bytes, values: bytes, error: BaseException | None) -> tuple[Any, ...]:
    """Call a function, and return what happened: its value, its error, or that its tape ended; what
    it billed; how far it read its coins; whether it asked for coins; the number of at least q that
    a secret was made of, if there is one; and the outcomes of the coins that it tossed ahead.
    """
    tape = Tape(())
    try:
        if error is not None:
            raise error
        described = pickle.loads(packed)
        meter = meter_of_call()
        meter.counts.clear()
        begun, outcomes, further = marshal.loads(values)
        given, coins = pickle.loads(begun)
        if isinstance(coins, TapeDiscrete):
            tape = Tape(outcomes, further)
            coins = Coins(coins.on(tape), TapeField(tape), meter).for_doors
        elif type(coins) is tuple:  # the place of the coins in a stream of a party
            position, seed, party, purpose = coins
            coins = SampledCoins(seed, party, meter, purpose).for_doors
            source: Any = discrete_of(coins)
            source.skip(position)
    except BaseException as failure:
        return *_stopped(failure), {}, 0, False, None, encode([])
    kind, function, owner, takes_coins, field, shape, plain = described
    rest = iter(given)
    arguments = [
        plain[place] if place in plain else next(rest) for place in range(len(plain) + len(given))
    ]
    call = DoorCall(
        kind=kind,
        party="",
        number=0,
        function=MethodType(function, *owner) if owner else function,
        arguments=(),
        takes_coins=takes_coins,
        field=field,
        shape=shape,
    )
    start = position_of(coins)
    outcome = _outcome(call, arguments, coins)
    if tape.stop is not None:  # perhaps the function caught this error
        outcome = "end" if isinstance(tape.stop, TapeEnd) else "stopped", _stopped(tape.stop)[1]
    tossed, billed = coins is not None and coins.tossed, dict(meter.counts)
    ahead = encode([choice.outcomes for choice in tape.choices])
    return *outcome, billed, position_of(coins) - start, tossed, call.reduced, ahead


def _outcome(call: DoorCall, arguments: Sequence[object], coins: Any) -> tuple[str, Any]:
    try:
        result = called(call, arguments, coins)
    except BaseException as error:
        return _stopped(error)
    return "value", encode(residues_of(result) if isinstance(result, Residues) else result)


def _stopped(error: BaseException) -> tuple[str, Any]:
    kind, arguments = type(error), error.args
    if not all(type(each) in (bool, int, float, str) for each in arguments):
        arguments = (str(error),)
    frames = traceback.walk_tb(error.__traceback__)
    lines = [(frame.f_code.co_filename, line) for frame, line in frames]
    name = error.name if isinstance(error, NameError) else None
    return "error", [kind.__module__, kind.__qualname__, list(arguments), name, lines]
