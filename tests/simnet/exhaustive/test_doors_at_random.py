"""Random scripts that open field elements and continue: the exhaustive reading is compared with
brute force.

Three ways to the law of a view must tell inputs apart equally well: field coins stay unknown, and
rows that are opened are played out; every field coin is enumerated, and nothing is unknown; whole
runs on the kernel, one for every outcome of every coin, which share nothing with the other two but
coins and messages.
"""

import math
import random
from collections.abc import Hashable, Mapping
from itertools import product
from typing import Any

import attrs
import pytest
from hypothesis import Phase, assume, event, given
from hypothesis import strategies as st

from simnet import Coins, Field, Party, ScriptError, Seat, Tag, bits, index, run
from simnet.coins.law import Law, delta, epsilon, law_of
from simnet.coins.tape import Choice, Tape, TapeDiscrete, TapeEnd, TapeField
from simnet.exhaustive.compare import Comparison
from simnet.kernel.reading import Sampled
from simnet.values.meter import Meter
from simnet.values.sealed import Sealed
from tests.harness.fuzz import cases

NAMES = ["a", "b", "c"]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
MOST = 150  # worlds with field coins enumerated
KINDS = [
    "send",  # a combination of what is known
    "send",
    "disclose",  # a combination, perhaps with the input, perhaps with noise
    "disclose",
    "derive",  # a secret made of a combination and the input
    "wrap",  # an output made of a combination and the input, and a secret made of the output
    "multiply",  # two things known
    "tell",  # the last plain value
    "whisper",  # a combination, if the last plain value is odd
    "turn round",  # two messages, in an order that hangs on the last plain value
]


@attrs.frozen
class Step:
    """One operation of a party; `to` is the recipient of a message."""

    kind: str
    party: int
    to: int
    weights: tuple[int, ...]
    with_input: bool
    with_coin: bool


@attrs.frozen
class Opening:
    """Two or three parties that each hold an element, draw some more, and go through the steps."""

    modulus: int
    drawn: tuple[int, ...]
    steps: tuple[Step, ...]

    @property
    def field(self) -> Field:
        return Field(self.modulus)

    def parties(self) -> Mapping[str, Seat]:
        return {name: Seat(self.party, place) for place, name in enumerate(NAMES, start=1)}

    async def party(self, me: Party, held: Sealed) -> None:
        number = me.index - 1
        coins = me.coins.field(self.field, (self.drawn[number],))
        rows: list[Any] = [me.secret(lambda v: [v], held, field=self.field, shape=(1,))]
        rows += [coins[place : place + 1] for place in range(self.drawn[number])]
        plain = [0]
        for place, step in enumerate(self.steps):
            tag, more = Tag(f"{step.kind} {place}"), Tag(f"more {place}")
            if step.party == number:
                await self.acts(me, step, tag, more, rows, plain, held)
            if step.to == number and step.kind == "send":
                rows.append(await me.receive(tag, NAMES[step.party]))
            if step.to == number and step.kind == "tell":
                plain.append(int((await me.receive(tag, NAMES[step.party])).numbers()))

    async def acts(
        self,
        me: Party,
        step: Step,
        tag: Tag,
        more: Tag,
        rows: list[Any],
        plain: list[int],
        held: Sealed,
    ) -> None:
        """Do the acting party's part of a step."""
        to, combined, is_odd = NAMES[step.to], self.combined(step, rows, plain), plain[-1] % 2
        if step.kind == "send" or (step.kind == "whisper" and is_odd):
            await me.send(tag, to, combined)
        elif step.kind == "tell":
            await me.send(tag, to, index(plain[-1], self.modulus))
        elif step.kind == "turn round":
            for each in (more, tag) if is_odd else (tag, more):
                await me.send(each, to, bits([1]))
        elif step.kind == "disclose":
            plain.append(me.disclose(self.value(step), combined, held))
        elif step.kind == "multiply":
            rows.append(combined * rows[step.weights[0] % len(rows)])
        elif step.kind in ("derive", "wrap"):
            rows.append(self.made(me, step, combined, held))

    def made(self, me: Party, step: Step, combined: Any, held: Sealed) -> Any:
        """Return a secret that is made of rows and the input, or of an output that is made of
        them.
        """
        one = {"field": self.field, "shape": (1,)}
        if step.kind == "derive":
            return me.secret(self.elements(step), combined, held, **one)
        output = me.output(lambda row, item: int(row[0]) * item % self.modulus, combined, held)
        return me.secret(lambda v: [v], output, **one)

    def combined(self, step: Step, rows: list[Any], plain: list[int]) -> Any:
        """Return a combination of rows, whose last weight is raised by the last plain value."""
        total = rows[0] * step.weights[0]
        for weight, row in zip(step.weights[1:], rows[1:], strict=False):
            total = total + row * weight
        return total + rows[-1] * (plain[-1] * step.weights[-1])

    def value(self, step: Step) -> Any:
        """Return the function of a disclosing door."""

        def exact(row: Any, item: int) -> int:
            return int(row[0] + step.with_input * item) % self.modulus

        def noisy(row: Any, item: int, coins: Coins) -> int:
            return (exact(row, item) + coins.bernoulli(0.25)) % self.modulus

        return noisy if step.with_coin else exact

    def elements(self, step: Step) -> Any:
        """Return the function of a secret that is made of a row."""

        def exact(row: Any, item: int) -> list[int]:
            return [int(row[0]) * (item if step.with_input else 1) + 1]

        def noisy(row: Any, item: int, coins: Coins) -> list[int]:
            return [exact(row, item)[0] * coins.bernoulli(0.5)]

        return noisy if step.with_coin else exact


def opening(seed: int) -> Opening:
    """Draw a random script from a seed. Hypothesis does not draw the pieces, because it prefers
    zeros, which tell nothing.
    """
    source = random.Random(seed)
    modulus = source.choice([2, 2, 3])
    steps = []
    for _ in range(source.randint(3, 8)):
        party = source.randrange(3)
        to = (party + source.randint(1, 2)) % 3
        weights = tuple(source.randrange(modulus) for _ in range(4))
        with_input, with_coin = source.random() < 0.5, source.random() < 0.2
        steps.append(Step(source.choice(KINDS), party, to, weights, with_input, with_coin))
    drawn = tuple(source.randint(0, 2) for _ in NAMES)
    return Opening(modulus, drawn, tuple(steps))


@st.composite
def openings(draw: st.DrawFn, most: int = MOST) -> Opening:
    protocol = opening(draw(st.integers(0, 2**60)))
    tossed = sum(step.with_coin and step.kind in ("disclose", "derive") for step in protocol.steps)
    assume(protocol.modulus ** sum(protocol.drawn) * 2**tossed <= most)
    return protocol


SETS = ["a", "b", "c", "a, b", "b, c", "network", "a, network"]


def assert_agrees_with_brute_force(protocol: Opening, corrupt: str) -> None:
    played, brute = (Comparison(protocol, corrupt, numbers) for numbers in (False, True))
    honest = [place for place, name in enumerate(NAMES) if name not in corrupt.split(", ")]
    first = [0, 0, 0]
    for values in product(range(protocol.modulus), repeat=len(honest)):
        other = list(first)
        for place, value in zip(honest, values, strict=True):
            other[place] = value
        full = brute.compare(first, other)
        reduced = played.compare(first, other)
        event("same" if full.same else "infinite ε" if full.epsilon == math.inf else "finite ε")
        assert reduced.same == full.same
        assert reduced.epsilon == full.epsilon
        assert reduced.delta() == full.delta()
        assert sum(reduced.second.values()) == sum(full.second.values()) == 1


@pytest.mark.slow
@cases(30, phases=PHASES)
@given(openings(), st.sampled_from(SETS))
def test_what_is_played_out_tells_inputs_apart_exactly_as_brute_force_does(
    protocol: Opening, corrupt: str
) -> None:
    assert_agrees_with_brute_force(protocol, corrupt)


# Whole runs.


@attrs.frozen
class LoggedTape:
    """A tape that notes each outcome for the party that tosses the coin."""

    tape: Tape
    log: list[Any]

    def toss(self, choice: Choice) -> Any:
        self.log.append(self.tape.toss(choice))
        return self.log[-1]


class Logged(Sampled):
    """A reading in which all parties toss the coins of one tape, and each party has a log of its
    own.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.logs: dict[str, list[Any]] = {}

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        del seed
        tape: Any = LoggedTape(self.tape, self.logs.setdefault(party, []))
        return Coins(TapeDiscrete(tape), TapeField(tape), meter)


def law_by_runs(protocol: Opening, corrupt: str, held: list[int]) -> Law:
    """Return the law of what a coalition sees, from the transcripts of runs."""
    members = [place for place, name in enumerate(NAMES) if name in corrupt.split(", ")]

    def view(tape: Tape) -> Hashable:
        reading = Logged(tape)
        try:
            blocks = run(protocol, held, observe=NAMES, reading=reading).transcript.blocks
        except ScriptError as error:  # the run blames the script for whatever leaves it
            if isinstance(error.__cause__, TapeEnd):
                raise error.__cause__ from None
            raise
        seen = [
            (m.sender, m.recipient, m.round, m.tag, tuple(m.payload.numbers().ravel().tolist()))
            for block in blocks  # not `messages`, which are sorted by tag as well
            for m in block.messages()
            if m.recipient in members and m.sender not in members
        ]
        logs = [tuple(reading.logs.get(NAMES[place], ())) for place in members]
        return tuple(logs), tuple(sorted(seen, key=lambda message: message[:2]))

    return law_of(view)


@pytest.mark.slow
@cases(12, phases=PHASES)
@given(openings(most=40), st.sampled_from([who for who in SETS if "network" not in who]))
def test_what_is_played_out_tells_inputs_apart_exactly_as_all_runs_do(
    protocol: Opening, corrupt: str
) -> None:
    comparison, first = Comparison(protocol, corrupt), [0, 0, 0]
    law = law_by_runs(protocol, corrupt, first)
    for place, name in enumerate(NAMES):
        if name not in corrupt.split(", "):
            other = [int(place == at) for at in range(3)]
            compared = comparison.compare(first, other)
            full = law_by_runs(protocol, corrupt, other)
            event("same" if law == full else "different")
            assert compared.same == (law == full)
            assert compared.epsilon == epsilon(law, full)
            assert compared.delta() == delta(law, full)
