"""The views of the worlds of hand-written and of random scripts.

The key property: the reduced view, in which field coins are unknown, tells inputs apart exactly as
the whole view does with every field coin enumerated.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import attrs
import pytest
from hypothesis import Phase, assume, event, given
from hypothesis import strategies as st

from simnet import BadInput, Coins, Field, Party, Seat, Tag, bits, constant, index, run
from simnet.exhaustive.compare import Comparison
from simnet.exhaustive.model import Model
from simnet.exhaustive.views import Views
from simnet.values.sealed import Sealed
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.scripts import NOTE, SHARE, Crowd
from tests.harness.tiny import HALF, KEYED, READINGS, G, held_by, small

BACK = Tag("back")


PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # a failure is as good unshrunk


# Replies: messages that are sent after another message has arrived.


class Replies:
    """Party `a` waits for a message from `b`, and then tells `b` its input, in one of several
    ways.
    """

    def __init__(self, tell: Callable[[Party, Sealed], Any]) -> None:
        self.tell = tell

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, held: Sealed) -> None:
        drawn = self.tell(me, held)
        await me.receive(NOTE, "b")
        await me.send(BACK, "b", drawn)

    async def b(self, me: Party) -> None:
        await me.send(NOTE, "a", bits([1]))
        await me.receive(BACK, "a")


def masked(me: Party, held: Sealed) -> Any:
    return held_by(me, held) + me.coins.field(G, (1,))


def one(me: Party) -> Any:
    return me.secret(lambda: [1], field=G, shape=(1,))


def noisy(held: int, coins: Coins) -> bool:
    return (held == 1) ^ coins.bernoulli(0.25)


TELLS = [  # the way of sending, the exact δ(0), and ε between the inputs 1 and 2
    ("in clear", lambda me, held: bits([me.disclose(lambda v: v - 1, held)]), 1, math.inf),
    ("as a plain element", lambda me, held: small(me.disclose(int, held)), 1, math.inf),
    ("with noise", lambda me, held: bits([me.disclose(noisy, held)]), HALF, math.log(3)),
    ("by a multiple", lambda me, held: one(me) * me.disclose(int, held), 1, math.inf),
    ("as a product", lambda me, held: one(me) * held_by(me, held), 1, math.inf),
    ("as a secret", held_by, 1, math.inf),
    ("as a secret of a secret", lambda me, held: derived(me, held_by(me, held)), 1, math.inf),
]


def derived(me: Party, rows: Any) -> Any:
    """A secret made of field elements."""
    return me.secret(lambda numbers: 2 * numbers, rows, field=G, shape=rows.shape)


@READINGS
@for_each("how, tell, distance, largest", TELLS)
def test_a_reply_that_hangs_on_an_input_tells_inputs_apart(
    how: str,
    tell: Callable[[Party, Sealed], Any],
    distance: Fraction,
    largest: float,
    enumerated: bool,
) -> None:
    compared = Comparison(Replies(tell), "b", enumerated).compare([1], [2])
    assert compared.delta() == distance
    assert compared.epsilon == largest


@READINGS
def test_a_reply_that_is_masked_or_hangs_on_nothing_tells_nothing(enumerated: bool) -> None:
    for tell in (masked, lambda _, __: small(1), lambda me, _: bits([me.coins.bernoulli(0.5)])):
        assert Comparison(Replies(tell), "b", enumerated).compare([1], [2]).same


@READINGS
def test_a_reply_that_hangs_on_a_coin_has_the_law_of_the_coin(enumerated: bool) -> None:
    tell = Replies(lambda me, _: bits([me.coins.bernoulli(Fraction(1, 3))]))
    found = Views(Model(tell, enumerated), "b").law([1])
    assert sorted(found.values()) == [Fraction(1, 3), Fraction(2, 3)]


@READINGS
def test_a_reply_masked_by_a_coin_s_leave_is_told_by_half(enumerated: bool) -> None:
    def tell(me: Party, held: Sealed) -> Any:
        return masked(me, held) if me.coins.bernoulli(0.5) else held_by(me, held)

    compared = Comparison(Replies(tell), "b", enumerated).compare([1], [2])
    assert (compared.delta(), compared.epsilon) == (HALF, math.log(4))  # 2/3 against 1/6


class Returns:
    """Party `b` sends `a` an element, and `a` sends it back multiplied by its input."""

    def __init__(self, sends: Callable[[Party], Any], factor: Callable[..., Any]) -> None:
        self.sends = sends
        self.factor = factor

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, held: Sealed) -> None:
        await me.send(BACK, "b", await me.receive(NOTE, "b") * self.factor(me, held))

    async def b(self, me: Party) -> None:
        await me.send(NOTE, "a", self.sends(me))
        await me.receive(BACK, "a")


RETURNED = [  # what `b` sends, and what is seen of it: all, unless it is zero
    ("a coin", lambda me: me.coins.field(G, (1,)), Fraction(2, 3)),
    ("a secret", lambda me: one(me) + one(me), Fraction(1)),
    ("a number", lambda _: small(2), Fraction(1)),
    ("zero", lambda _: small(0), Fraction(0)),
]


def plain_factor(me: Party, held: Sealed) -> int:
    factor: int = me.disclose(int, held)
    return factor


@for_each("factor", [plain_factor, held_by])
@for_each("what, sends, distance", RETURNED)
@READINGS
def test_what_comes_back_multiplied_gives_the_factor_away(
    what: str,
    sends: Callable[[Party], Any],
    distance: Fraction,
    factor: Callable[..., Any],
    enumerated: bool,
) -> None:
    compared = Comparison(Returns(sends, factor), "b", enumerated).compare([1], [2])
    assert compared.delta() == distance


# What the network sees.


async def busy(me: Party) -> None:
    others = me.group([name for name in me.names("user") if name != me.name])
    await me.scatter(SHARE, to=me.all("user"), rows=me.coins.field(G, (3, 2)))
    await me.publish(NOTE, to=others, payload=(index([1, 2], 77), bits([1]), small(1)))
    await me.send(NOTE, me.name, bits([1, 0]))
    await me.gather(NOTE, others)
    await me.receive(NOTE, me.name)
    total = await me.gather_sum(SHARE, senders=me.all("user"))
    await me.scatter(KEYED, to=[others], rows=constant(G, [[1], [2]]), keys=index([0], 9))
    await me.gather_sum(KEYED, key=0, count=2)
    await me.send(NOTE, "u1", total)
    if me.index == 1:
        for _ in me.names("user"):
            await me.receive_any(NOTE)


def test_the_network_sees_rounds_links_and_sizes_of_a_run() -> None:
    protocol = Crowd(3, busy)
    done = run(protocol, observe=protocol.parties())
    sent = [(m.round, m.sender, m.recipient, m.frame_bytes) for m in done.transcript.messages]
    ((view, _),) = Views(Model(protocol), "network").law(()).items()
    _, crossing = view[0][1]  # type: ignore[index]
    assert sorted(crossing) == sorted(message for message in sent if message[1] != message[2])
    ((again, _),) = Views(Model(protocol), "u1, network").law(()).items()
    assert again[0][1][1] == crossing  # type: ignore[index]


# What recipients see of order and rounds.


class Timed:
    """The time of a message from `a` depends on its input, and `b` sees when the message comes."""

    def __init__(self, acts: Callable[[Party, bool], Any]) -> None:
        self.acts = acts

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b), "c": Seat(self.c)}

    async def a(self, me: Party, held: Sealed) -> None:
        await self.acts(me, me.disclose(lambda item: item == 2, held))

    async def b(self, me: Party) -> None:
        await me.send(NOTE, "a", bits([1]))
        await me.send(NOTE, "c", bits([1]))

    async def c(self, me: Party) -> None:
        await me.receive(NOTE, "b")
        await me.send(BACK, "a", bits([1]))


FIRST, SECOND = Tag("first"), Tag("second")


async def in_order(me: Party, late: bool) -> None:
    for tag in (SECOND, FIRST) if late else (FIRST, SECOND):
        await me.send(tag, "b", bits([1]))


async def to_two_in_order(me: Party, late: bool) -> None:
    for name in ("b", "c") if late else ("c", "b"):
        await me.send(FIRST, name, bits([1]))


async def of_one_tag(me: Party, late: bool) -> None:
    for value in (1, 0) if late else (0, 1):
        await me.send(FIRST, "b", bits([value]))


async def after_a_message(me: Party, late: bool) -> None:
    if late:
        await me.receive(NOTE, "b")
    await me.send(FIRST, "b", bits([1]))


async def after_one_or_two(me: Party, late: bool) -> None:
    await me.receive(*(BACK, "c") if late else (NOTE, "b"))
    await me.send(FIRST, "b", bits([1]))


async def after_both_in_order(me: Party, late: bool) -> None:
    for tag, sender in ((BACK, "c"), (NOTE, "b"))[:: 1 if late else -1]:
        await me.receive(tag, sender)
    await me.send(FIRST, "b", bits([1]))


async def after_oneself(me: Party, late: bool) -> None:
    await me.send(FIRST, "a", bits([1]))
    if late:
        await me.receive(FIRST, "a")
    await me.send(FIRST, "b", bits([1]))


async def of_one_of_two(me: Party, late: bool) -> None:
    """Receive a message from `b` and, if `late`, sum a message to oneself; then send a message to
    `b`.
    """
    await me.send(SHARE, "a", small(1))
    await me.receive(NOTE, "b")
    if late:
        await me.gather_sum(SHARE, senders=["a"])
    await me.send(FIRST, "b", bits([1]))


TIMES = [  # what `a` does, and whether `b` can tell
    (in_order, True),
    (to_two_in_order, False),
    (of_one_tag, True),
    (after_a_message, True),
    (after_one_or_two, True),
    (after_both_in_order, False),
    (after_oneself, True),
    (of_one_of_two, False),
]


@READINGS
@for_each("acts, is_told", TIMES)
def test_a_recipient_sees_steps_and_the_order_of_each_sender(
    acts: Callable[[Party, bool], Any], is_told: bool, enumerated: bool
) -> None:
    compared = Comparison(Timed(acts), "b", enumerated).compare([1], [2])
    assert compared.delta() == is_told


@pytest.mark.parametrize(("acts", "is_told"), [(in_order, False), (after_a_message, True)])
def test_the_network_sees_rounds_and_the_order_of_sizes_on_a_link(
    acts: Callable[[Party, bool], Any], is_told: bool
) -> None:
    async def of_two_sizes(me: Party, late: bool) -> None:
        for size in (1, 20) if late else (20, 1):
            await me.send(FIRST, "b", bits([1] * size))

    assert Comparison(Timed(acts), "network").compare([1], [2]).delta() == is_told
    assert Comparison(Timed(of_two_sizes), "network").compare([1], [2]).delta() == 1


def test_the_number_of_keys_that_there_could_be_is_seen() -> None:
    def keyed(below: Callable[[bool], int]) -> Callable[[Party, bool], Any]:
        async def acts(me: Party, late: bool) -> None:
            keys = index([1], below(late))
            await me.scatter(KEYED, to=[me.group("b")], rows=constant(G, [[1]]), keys=keys)

        return acts

    for corrupt in ("b", "network"):
        for below, is_told in ((lambda late: 1000 if late else 3, True), (lambda _: 3, False)):
            compared = Comparison(Timed(keyed(below)), corrupt).compare([1], [2])
            assert compared.delta() == is_told


# Structure that is hidden from the coalition.


def hiding(told: bool, field: Field = G) -> type:
    """Return a protocol in which a coin decides whether `a` masks its input; with `told`, `a` also
    sends the coin to `b`.
    """

    class Hiding:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a), "b": Seat(self.b)}

        async def a(self, me: Party, held: Sealed) -> None:
            secret = me.secret(lambda v: [v], held, field=field, shape=(1,))
            masks = me.coins.bernoulli(0.5)
            await me.send(NOTE, "b", secret + me.coins.field(field, (1,)) if masks else secret)
            if told:
                await me.send(BACK, "b", bits([masks]))

        async def b(self, me: Party) -> None:
            await me.receive(NOTE, "a")
            if told:
                await me.receive(BACK, "a")

    return Hiding


@READINGS
def test_hidden_structure_tells_no_more_than_its_messages_do(enumerated: bool) -> None:
    compared = Comparison(hiding(told=False)(), "b", enumerated).compare([1], [2])
    assert compared.delta() == HALF  # 2/3 against 1/6
    assert compared.epsilon == math.log(4)
    assert sorted(compared.first.values()) == [Fraction(1, 6), Fraction(1, 6), Fraction(2, 3)]


def test_hidden_structure_of_too_many_outcomes_is_refused() -> None:
    with pytest.raises(BadInput, match=r"cannot tell which combinations .* use a smaller field"):
        Comparison(hiding(told=False, field=Field.above(10**6))(), "b").compare([1], [2])


def test_structure_that_the_set_is_told_is_no_obstacle() -> None:
    for enumerated in (False, True):
        compared = Comparison(hiding(told=True)(), "b", enumerated).compare([1], [2])
        assert (compared.delta(), compared.epsilon) == (HALF, math.inf)
        assert Comparison(hiding(told=True)(), "network", enumerated).compare([1], [2]).same


# Random scripts: the reduced view against brute force.

NAMES = ["a", "b", "c"]
MOST = 250  # worlds with field coins enumerated


@attrs.frozen
class Step:
    """One thing that happens: a message, a sum, a coin, or a plain bit that is told.

    `weights` are coefficients of what the sender knows so far; `hides` makes the first of them hang
    on its last coin.
    """

    kind: str
    sender: int
    to: int
    weights: tuple[int, ...]
    hides: bool

    @property
    def senders(self) -> list[int]:
        """Return the parties that send elements."""
        everyone = {"send": [self.sender], "sum": [0, 1, 2], "any": [0, 1, 2]}.get(self.kind, [])
        return [number for number in everyone if self.kind == "sum" or number != self.to]


@attrs.frozen
class Programme:
    """Three parties that each hold an element, draw some more, and go through the same steps."""

    modulus: int
    drawn: tuple[int, int, int]
    steps: tuple[Step, ...]
    tosses: tuple[bool, bool, bool] = (False, False, False)

    def parties(self) -> Mapping[str, Seat]:
        return {name: Seat(self.party, place) for place, name in enumerate(NAMES, start=1)}

    @property
    def field(self) -> Field:
        return Field(self.modulus)

    async def party(self, me: Party, held: Sealed) -> None:
        number = me.index - 1
        known: list[Any] = [me.secret(lambda v: [v], held, field=self.field, shape=(1,))]
        if self.drawn[number]:
            coins = me.coins.field(self.field, (self.drawn[number],))
            known += [coins[place : place + 1] for place in range(self.drawn[number])]
        tossed = [self.tosses[number] and me.coins.bernoulli(Fraction(1, 3))]
        for place, step in enumerate(self.steps):
            tag = SHARE if step.kind == "sum" else Tag(f"{step.kind} {place}")
            if step.kind == "toss" and step.sender == number:
                tossed.append(me.coins.bernoulli(Fraction(1, 3)))
            if step.kind == "tell" and step.sender == number:
                odd = step.hides and me.disclose(lambda v: v % 2 == 1, held)
                await me.send(tag, NAMES[step.to], bits([tossed[-1] ^ odd]))
            elif number in step.senders:
                await me.send(tag, NAMES[step.to], self.combined(step, known, tossed[-1]))
            if step.to == number:
                await self.hears(me, step, tag, known, tossed)

    async def hears(
        self, me: Party, step: Step, tag: Tag, known: list[Any], tossed: list[bool]
    ) -> None:
        """Return what the recipient of a step receives."""
        if step.kind == "tell":
            tossed.append(bool((await me.receive(tag, NAMES[step.sender])).numbers()[0]))
        elif step.kind == "send":
            known.append(await me.receive(tag, NAMES[step.sender]))
        elif step.kind == "sum":
            known.append(await me.gather_sum(tag, senders=NAMES))
        elif step.kind == "any":  # in whatever order they come
            got = dict([await me.receive_any(tag) for _ in step.senders])
            known += [got[name] for name in sorted(got)]

    def combined(self, step: Step, known: Sequence[Any], tossed: bool) -> Any:
        total = (
            constant(self.field, [step.weights[-1]])
            if step.hides and tossed
            else constant(self.field, [0])
        )
        for weight, value in zip(step.weights, known, strict=False):
            total = total + value * (weight + (step.hides and tossed))
        return total


@st.composite
def programmes(draw: st.DrawFn) -> Programme:
    modulus = draw(st.sampled_from([2, 3]))
    drawn = draw(st.tuples(*[st.integers(0, 2)] * 3))
    tosses = draw(st.tuples(*[st.booleans()] * 3))
    kinds = st.sampled_from(["send", "send", "send", "sum", "toss", "tell", "any"])
    weights = st.tuples(*[st.integers(0, modulus - 1)] * 5)
    steps = st.builds(
        lambda kind, sender, by, *more: Step(kind, sender, (sender + by) % 3, *more),
        kinds,
        st.integers(0, 2),
        st.integers(1, 2),
        weights,
        st.booleans(),
    )
    chosen = tuple(draw(st.lists(steps, min_size=2, max_size=6)))
    tossed = sum(tosses) + sum(step.kind == "toss" for step in chosen)
    assume(modulus ** sum(drawn) * 2**tossed <= MOST)
    return Programme(modulus, drawn, chosen, tosses)


SETS = ["a", "b", "c", "a, b", "b, c", "c, a", "network", "a, network", "b, c, network"]


def assert_readings_agree(
    programme: Programme, corrupt: str, pairs: Sequence[tuple[list[int], list[int]]]
) -> None:
    symbolic, brute = (Comparison(programme, corrupt, enumerated) for enumerated in (False, True))
    for one, other in pairs:
        full = brute.compare(one, other)
        reduced = symbolic.compare(one, other)
        event("same" if full.same else "infinite ε" if full.epsilon == math.inf else "finite ε")
        assert reduced.same == full.same
        assert reduced.epsilon == full.epsilon
        assert reduced.delta() == full.delta()
        assert reduced.delta(0.3) == pytest.approx(full.delta(0.3), abs=1e-12)
        assert sum(reduced.first.values()) == sum(full.first.values()) == 1


@pytest.mark.slow
@cases(35, phases=PHASES)
@given(programmes(), st.sampled_from(SETS), st.data())
def test_the_reduced_view_tells_inputs_apart_exactly_as_brute_force_does(
    programme: Programme, corrupt: str, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.integers(0, programme.modulus - 1), min_size=3, max_size=3))
    honest = [place for place, name in enumerate(NAMES) if name not in corrupt.split(", ")]
    others = []
    for values in product(range(programme.modulus), repeat=len(honest)):
        other = list(held)
        for place, value in zip(honest, values, strict=True):
            other[place] = value
        others.append((held, other))
    assert_readings_agree(programme, corrupt, others[:5])


@pytest.mark.slow
@cases(40, phases=PHASES)
@given(programmes(), st.data())
def test_what_a_run_does_is_one_of_the_worlds(programme: Programme, data: st.DataObject) -> None:
    held = data.draw(st.lists(st.integers(0, programme.modulus - 1), min_size=3, max_size=3))
    done = run(programme, held, data.draw(st.integers(0, 99)), observe=NAMES)
    sent = sorted(
        (m.round, m.sender, m.recipient, m.frame_bytes)
        for m in done.transcript.messages
        if m.sender != m.recipient
    )
    model = Model(programme)
    views: list[Any] = list(Views(model, "network").law(held))
    assert sum(Views(model, "network").law(held).values()) == 1
    assert sent in [sorted(discrete[1][1]) for discrete, *_ in views]


def test_what_was_played_out_for_one_pair_does_not_change_the_next() -> None:
    programme = Programme(3, (1, 0, 0), (Step("send", 0, 1, (1, 1, 0, 0, 0), False),))
    comparison = Comparison(programme, "b")
    fresh = [Comparison(programme, "b").compare([0, 0, 0], [held, 0, 0]).same for held in range(3)]
    kept = [comparison.compare([0, 0, 0], [held, 0, 0]).same for held in range(3)]
    assert fresh == kept == [True, True, True]
