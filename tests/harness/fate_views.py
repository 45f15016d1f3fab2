"""The law of a coalition's view under fates, by brute force.

The kernel plays one run for every outcome of every coin, field coins included. Nothing here
knows the exhaustive reading.
"""

from collections.abc import Collection, Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from simnet import ScriptError, run
from simnet.coins import law
from simnet.coins.coins import Coins
from simnet.coins.law import Law
from simnet.coins.tape import Choice, Outcome, Tape, TapeDiscrete, TapeEnd, TapeField
from simnet.kernel.reading import Sampled
from simnet.kernel.run import Run
from simnet.record.fate import Fates, MessageFate
from simnet.record.message import Message
from simnet.values.meter import Meter


class _Noted(Tape):
    """The part of a tape that one party plays, with a list of its outcomes."""

    def __init__(self, tape: Tape, outcomes: list[Outcome]) -> None:
        super().__init__(())
        self._tape = tape
        self._noted = outcomes

    def toss(self, choice: Choice) -> Outcome:
        outcome = self._tape.toss(choice)
        self._noted.append(outcome)
        return outcome


class _AllOnOneTape(Sampled):
    """All parties toss the coins of one tape. `outcomes` has them by party."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self.outcomes: dict[str, list[Outcome]] = {}

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        tape = _Noted(self._tape, self.outcomes.setdefault(party, []))
        return Coins(TapeDiscrete(tape), TapeField(tape), meter)


def view_law(
    protocol: Any,
    held: Sequence[Any],
    corrupt: Collection[str],
    fates: Fates,
    astray: Sequence[MessageFate] = (),
) -> tuple[Law, Law]:
    """Return the law of the view of a coalition, and the law of the run's endings."""
    views: dict[Hashable, Fraction] = {}
    endings: dict[Hashable, Fraction] = {}

    def draw(tape: Tape) -> Hashable:
        reading = _AllOnOneTape(tape)
        try:
            done = run(
                protocol,
                held,
                reading=reading,
                observe=corrupt,
                fates=fates,
                message_fates=astray,
            )
        except ScriptError as error:  # the run blames the script for whatever leaves it
            if isinstance(error.__cause__, TapeEnd):
                raise error.__cause__ from None
            raise
        return seen(done, corrupt, reading.outcomes), done.aborts

    joint: Any = law.law_of(draw)
    for (view, ended), chance in joint.items():
        views[view] = views.get(view, Fraction(0)) + chance
        endings[ended] = endings.get(ended, Fraction(0)) + chance
    return views, endings


def seen(done: Run, corrupt: Collection[str], coins: dict[str, list[Outcome]]) -> Hashable:
    """What the coalition sees of a run: its coins, the messages to its members, and silences."""
    members = {done.roster.number[name] for name in corrupt}
    links: dict[tuple[int, int], list[Hashable]] = {}
    for message in done.transcript.messages:
        if message.recipient in members and message.sender not in members:
            links.setdefault((message.sender, message.recipient), []).append(_content(message))
    silences = tuple(
        (silence.round, silence.recipient, silence.tag, silence.senders)
        for silence in done.transcript.silences
        if silence.recipient in members
    )
    tossed = tuple(tuple(coins.get(name, ())) for name in sorted(corrupt))
    return tossed, tuple((link, tuple(sent)) for link, sent in sorted(links.items())), silences


def _content(message: Message) -> Hashable:
    pieces = message.payload if isinstance(message.payload, tuple) else (message.payload,)
    return (
        message.round,
        message.tag,
        message.key,
        tuple((piece.shape, np.asarray(piece.numbers()).tobytes()) for piece in pieces),
    )
