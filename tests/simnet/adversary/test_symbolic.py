"""A symbolic reading has the same transcript and the same bill as the numeric run of the same
seed.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from simnet import (
    Coins,
    Field,
    FieldArray,
    Party,
    ScriptError,
    Sealed,
    Seat,
    SimnetError,
    Summed,
    Tag,
    bits,
    constant,
    index,
)
from simnet import run as play_once
from simnet.adversary.door_uses import DoorUse
from simnet.adversary.judge import verdict
from simnet.adversary.reading_again import recorded
from simnet.adversary.symbolic import SharedSecrets, Symbolic, SymbolicField
from simnet.coins.sampled import SampledCoins
from simnet.contract import Holder
from simnet.doors.record import DoorRecord
from simnet.kernel.ideal import ideal_world
from simnet.kernel.run import Run
from simnet.linear.form_totals import MOST_CHUNKS
from simnet.linear.forms import Forms
from simnet.linear.terms import refine
from simnet.linear.unknowns import PLACES, Family, Unknowns
from simnet.record.trace import canonical
from simnet.values.meter import Meter
from simnet.values.residues import Residues, residues_of
from simnet.values.totals import ResidueTotal, Slots
from tests.harness.forms import FIELDS, evaluated
from tests.harness.fuzz import cases
from tests.harness.networks import ended
from tests.harness.scripts import NOTE, SHARE, Crowd, F, Scripts, elements


def read(
    protocol: Any,
    inputs: Any = (),
    seed: int = 0,
    threads: int | None = None,
    more: Mapping[str, Any] | None = None,
) -> tuple[Run, Run, Symbolic]:
    """Return the numeric run, the symbolic run and its reading; every party is observed."""
    everyone = list(protocol.parties())
    sampled, record = recorded(play_once(protocol, inputs, seed), everyone)
    reading = Symbolic(record, **(more or {}))
    symbolic = play_once(protocol, inputs, seed, observe=everyone, reading=reading, threads=threads)
    return sampled, symbolic, reading


def empty(unknowns: Unknowns | None = None) -> Symbolic:
    """Return a reading of a run that has not reached a door yet."""
    return Symbolic(DoorRecord(), unknowns)


def assert_same(sampled: Run, symbolic: Run, unknowns: Unknowns) -> None:
    assert symbolic.trace_hash == sampled.trace_hash
    assert symbolic.ledger.operations("party") == sampled.ledger.operations("party")
    assert symbolic.ledger.total() == sampled.ledger.total()
    assert ended(symbolic) == ended(sampled)
    assert list(symbolic.outputs) == list(sampled.outputs)
    for name, output in sampled.outputs.items():
        assert canonical(symbolic.outputs[name]) == canonical(output)
    assert_evaluates_to(symbolic.secrets, sampled.secrets, unknowns)
    assert len(symbolic.transcript.messages) == len(sampled.transcript.messages)
    for message, expected in zip(
        symbolic.transcript.messages, sampled.transcript.messages, strict=True
    ):
        assert (message.place, message.manifest) == (expected.place, expected.manifest)
        for piece, number in zip(message.pieces, expected.pieces, strict=True):
            assert isinstance(piece, Forms) == isinstance(number, Residues)
            assert_number(piece, number, unknowns)


def assert_evaluates_to(
    secrets: Mapping[str, Sequence[Any]], expected: Mapping[str, Sequence[Any]], unknowns: Unknowns
) -> None:
    assert list(secrets) == list(expected)
    for name, values in expected.items():
        for forms, value in zip(secrets[name], values, strict=True):
            assert_number(forms, value, unknowns)


def assert_number(piece: Any, expected: Any, unknowns: Unknowns) -> None:
    if isinstance(piece, Forms):
        assert evaluated(piece, unknowns) == expected.numbers().tolist()
    assert (piece.wire, piece.shape) == (expected.wire, expected.shape)
    assert piece.numbers().tolist() == expected.numbers().tolist()


# Random scripts

Held = list[FieldArray]


@attrs.frozen
class Move:
    """One operation of every user.

    `left` and `right` select the arrays of the user that it works on.
    """

    kind: str
    left: int
    right: int
    number: int


ALONE = ("draw", "declare", "derive", "public", "toss", "mix", "turn", "multiply", "open")
TOGETHER = ("pass on", "publish", "tuple", "scatter", "keyed", "deal")


@attrs.frozen
class Chatter:
    """All users make the same moves one after another, and the server adds up their last arrays."""

    field: Field
    users: int
    width: int
    moves: tuple[Move, ...]

    def parties(self) -> Mapping[str, Seat]:
        users = {f"u{index}": Seat(self.user, index) for index in range(1, self.users + 1)}
        return {**users, "server": Seat(self.server)}

    async def user(self, me: Party, value: Sealed) -> int:
        held: Held = [
            self.secret(me, lambda value: [value] * self.width, value),
            me.coins.field(self.field, (self.width,)),
        ]
        for place, move in enumerate(self.moves):
            held += await self.move(me, move, held, f"move {place}")
        await me.send(SHARE, "server", held[-1])
        return len(held)

    async def server(self, me: Party) -> Any:
        return (await me.gather_sum(SHARE, me.all("user"))).open(signed=True)

    def secret(self, me: Party, function: Callable[..., Any], *values: Any) -> FieldArray:
        return me.secret(function, *values, field=self.field, shape=(self.width,))

    async def move(self, me: Party, move: Move, held: Held, name: str) -> Sequence[FieldArray]:
        left, right = held[move.left % len(held)], held[move.right % len(held)]
        if move.kind in ALONE:
            return self.alone(me, move, left, right, held[1])
        return await self.together(me, move, left, right, name)

    def alone(
        self, me: Party, move: Move, a: FieldArray, b: FieldArray, coins: FieldArray
    ) -> Sequence[FieldArray]:
        match move.kind:
            case "draw":
                return [me.coins.field(self.field, (2, self.width))[move.number % 2]]
            case "declare":
                return [self.secret(me, lambda coins: coins.integers(9, self.width))]
            case "derive":
                return [self.secret(me, lambda a, b, coins: a - b * coins.bernoulli(0.5), a, b)]
            case "public":
                return [constant(self.field, np.arange(self.width) + move.number)]
            case "toss":
                return [a if me.coins.bernoulli(0.5) else b]
            case "mix":
                rows = type(coins).stack([coins, a, b])
                return [
                    a * move.number + b - coins,
                    rows.combine(np.array([[move.number, -1, 2]]))[0],
                    rows.sum(),
                ]
            case "turn":
                return [coins[[move.number % self.width] * self.width] - coins[::-1]]
            case "multiply":
                return [a * b]
            case _:
                return [constant(self.field, me.disclose(lambda numbers: numbers % 7, a))]

    async def together(
        self, me: Party, move: Move, a: FieldArray, b: FieldArray, name: str
    ) -> Sequence[FieldArray]:
        users, plain, summed = me.all("user"), Tag(name), Summed(name)
        after, before = f"u{me.index % self.users + 1}", f"u{(me.index - 2) % self.users + 1}"
        masked = a + me.coins.field(self.field, (self.width,))
        match move.kind:
            case "pass on":
                await me.send(plain, after, a)
                return [await me.receive(plain, before, shape=(self.width,))]
            case "publish":
                await me.publish(plain, users, a)
                return await me.gather(plain, users)
            case "tuple":
                await me.send(plain, after, (index(move.number, 10), a, bits([1, 0]), b))
                _, first, _, second = await me.receive(plain, before)
                return [first, second]
            case "scatter":
                await me.scatter(
                    summed, users, type(masked).stack([masked, *[b] * (self.users - 1)])
                )
                return [await me.gather_sum(summed, senders=users)]
            case "keyed":
                rows = type(masked).join([masked[np.newaxis], b[np.newaxis]] * self.users)
                await me.scatter(
                    summed, [users, users], rows, keys=index([3, 5], below=9, kind="Nd")
                )
                sums = await me.gather_sums(summed, [5, 3], [self.users, self.users])
                return [sums[0], sums[1]]
            case _:
                await me.scatter(summed, users, self.dealt(me, a))
                return [await me.gather_sum(summed, senders=users)]

    def dealt(self, me: Party, secret: FieldArray) -> Any:
        def rows(coins: Coins) -> FieldArray:
            masks = coins.field(self.field, (self.users - 1, self.width))
            return masks.append(secret - masks.sum())

        return me.coins.deferred(self.field, (self.users, self.width), rows)


moves = st.builds(
    Move, st.sampled_from(ALONE + TOGETHER), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)
)
chatters = st.builds(
    Chatter,
    st.sampled_from(FIELDS),
    st.integers(2, 4),
    st.integers(1, 3),
    st.lists(moves, min_size=1, max_size=9).map(tuple),
)


@cases(50)
@given(chatters, st.integers(0, 2**32))
def test_a_script_read_symbolically_is_the_script_that_runs(protocol: Chatter, seed: int) -> None:
    sampled, symbolic, reading = read(protocol, range(1, protocol.users + 1), seed)
    assert_same(sampled, symbolic, reading.unknowns)


@cases(10)
@given(chatters)
def test_threads_change_no_form(protocol: Chatter) -> None:
    sampled, symbolic, reading = read(protocol, range(1, protocol.users + 1), 1, threads=2)
    assert_same(sampled, symbolic, reading.unknowns)


# Protocols


sharings = st.sampled_from(["additive", "shamir:1", "shamir:2", "shamir:3"])
chances = st.sampled_from([0.25, 0.5, 1.0])
sizes = {"users": st.integers(2, 4), "items": st.integers(1, 3), "sharing": sharings}


@st.composite
def tss(draw: st.DrawFn, primed: bool) -> TSS:
    users, items = draw(st.integers(2, 5)), draw(st.integers(1, 4))
    parameters: dict[str, Any] = {
        "users": users,
        "items": items,
        "sharing": draw(sharings),
        "participation": draw(chances),
        "reported": draw(st.integers(1, items)),
        "gamma": draw(st.sampled_from([None, 2.0])),
    }
    return (
        TSSPrime(**parameters, bound=draw(st.integers(0, users - 1)))
        if primed
        else TSS(**parameters)
    )


PROTOCOLS: dict[str, st.SearchStrategy[Any]] = {
    "dpds": st.builds(DPDS, **sizes, participation=chances),
    "dpdg": st.builds(
        DPDG,
        **sizes,
        epsilon=st.just(0.5),
        delta=st.just(0.01),
        fraction_bits=st.sampled_from([4, 16]),
        noise=st.sampled_from(["rounded-gaussian", "discrete-gaussian"]),
    ),
    "tss": tss(primed=False),
    "tss_prime": tss(primed=True),
}


@pytest.mark.parametrize("name", PROTOCOLS)
@cases(25)
@given(st.data())
def test_a_protocol_read_symbolically_is_the_protocol_that_runs(
    name: str, data: st.DataObject
) -> None:
    protocol = data.draw(PROTOCOLS[name])
    item = st.integers(1, protocol.items)
    inputs = data.draw(st.lists(item, min_size=protocol.users, max_size=protocol.users))
    sampled, symbolic, reading = read(protocol, inputs, data.draw(st.integers(0, 2**32)))
    assert_same(sampled, symbolic, reading.unknowns)
    of_outputs = {use.party for use in reading.door_uses if use.kind == "output"}
    assert of_outputs == {about(protocol).estimator}
    assert not reading.products


@pytest.mark.parametrize("name", PROTOCOLS)
@cases(8)
@given(st.data())
def test_the_ideal_world_speaks_of_the_unknowns_of_the_run(name: str, data: st.DataObject) -> None:
    protocol = data.draw(PROTOCOLS[name])
    _, symbolic, reading = read(protocol, [1] * protocol.users, 5)
    before = len(reading.unknowns.families)
    handed = ideal_world(protocol, symbolic.inputs, 5, reading)
    plain = ideal_world(protocol, symbolic.inputs, 5)
    assert list(handed) == list(plain)
    for name_, forms in handed.items():
        assert_number(forms, plain[name_], reading.unknowns)
    assert len(reading.unknowns.families) == before


# Unknowns


def drawn(
    party: str, seed: int, unknowns: Unknowns, shapes: Sequence[tuple[int, ...]]
) -> list[int]:
    coins = empty(unknowns).coins(seed, party, Meter())
    forms: list[Any] = [coins.field(F, shape) for shape in shapes]
    return [unknown for one in forms for unknown in refine(one.terms, 1).unknowns.tolist()]


SHAPES = st.lists(st.sampled_from([(), (1,), (3,), (2, 2), (0,), (0, 3)]), max_size=4)


@given(SHAPES, st.integers(0, 9))
def test_equal_streams_give_equal_unknowns(shapes: list[tuple[int, ...]], seed: int) -> None:
    unknowns = Unknowns()
    first = drawn("a", seed, unknowns, shapes)
    assert len(set(first)) == len(first) == sum(map(prod, shapes))
    assert drawn("a", seed, unknowns, shapes) == first
    assert not set(first) & set(drawn("a", seed + 1, unknowns, shapes))
    assert not set(first) & set(drawn("b", seed, unknowns, shapes))


@pytest.mark.parametrize("participation", [0.5, 1.0])
def test_runs_of_one_seed_share_their_coins_and_runs_of_another_do_not(
    participation: float,
) -> None:
    unknowns, protocol = Unknowns(), DPDS(3, 2, participation)
    coins: list[list[set[int]]] = []
    for seed in (4, 4, 5):
        sampled, symbolic, _ = read(protocol, [1, 2, 1], seed, more={"unknowns": unknowns})
        assert_same(sampled, symbolic, unknowns)
        seen = [
            set(message.payload.terms.unknowns.tolist()) for message in symbolic.transcript.messages
        ]
        coins.append([{one for one in row if unknowns.name(one).kind == "coin"} for row in seen])
    assert coins[0] == coins[1]
    assert not set(itertools.chain(*coins[0])) & set(itertools.chain(*coins[2]))


def secret_of(reading: Symbolic) -> int:
    """Return the first unknown of the secret that `a` declares."""
    return int(reading.declared["a"][0].terms.unknowns[0])


class Declares:
    """Party `a` holds a number, and declares a secret with the given function."""

    def __init__(self, function: Callable[..., Any], discloses: bool = False) -> None:
        self.function = function
        self.discloses = discloses

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a)}

    async def a(self, me: Party, number: Sealed) -> None:
        value = me.disclose(lambda number: number, number) if self.discloses else number
        me.secret(self.function, value, field=F, shape=(1,))


def plus(more: int) -> Callable[[int], list[int]]:
    return lambda number: [number + more]


SQUARE, SAME = Declares(lambda number: [number**2]), Declares(lambda number: [number])
TOSSED = Declares(lambda number, coins: [number * coins.bernoulli(1)])


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        (SAME, SAME, True),
        (Declares(plus(0)), Declares(plus(0)), True),
        (SAME, SQUARE, False),
        (Declares(plus(0)), Declares(plus(1)), False),
        (SAME, Declares(lambda number: [number], discloses=True), False),
        (TOSSED, TOSSED, False),  # although this coin has only one possible outcome
    ],
)
def test_a_secret_is_one_unknown_in_runs_of_equal_inputs_if_it_is_made_alike(
    one: Declares, other: Declares, are_same: bool
) -> None:
    """Secrets of different functions are two unknowns even if their values are equal, such as 1 and
    its square.
    """
    for inputs in ("the same", None):  # as it is said
        more = {"unknowns": Unknowns(), "shared": SharedSecrets(), "inputs": inputs}
        first, second = (
            secret_of(read(protocol, [1], seed, more=more)[2])
            for seed, protocol in ((1, one), (2, other))
        )
        assert (first == second) == (are_same and inputs is not None)


@pytest.mark.parametrize("declares", [SAME, TOSSED])
def test_a_secret_is_one_unknown_in_one_run_read_twice(declares: Declares) -> None:
    more = {"unknowns": Unknowns(), "shared": SharedSecrets(), "inputs": "the same"}
    first, again, other = (
        secret_of(read(declares, [1], 1, more={**more, "run": of_run})[2])
        for of_run in ("first", "first", "other")
    )
    assert first == again
    assert (first == other) == (declares is SAME)


def test_certain_tosses_touch_no_secret() -> None:
    coins = empty().coins(1, "a", Meter())
    assert coins.bernoulli(1)
    assert not coins.bernoulli(0)
    assert not coins.tossed


def test_unknowns_have_names_and_holders() -> None:
    async def a(me: Party) -> None:
        share = me.coins.field(F, (2,))
        secret = me.secret(lambda: [3, 4], field=F, shape=(2,))
        await me.send(NOTE, "b", secret + share)
        await me.send(NOTE, "b", elements(7))

    async def b(me: Party) -> None:
        await me.receive_each(NOTE, "a", 2)

    _, symbolic, reading = read(Scripts(a=a, b=b), seed=6)
    named = [
        [reading.unknowns.name(unknown) for unknown in message.payload[[0]].terms.unknowns.tolist()]
        for message in symbolic.transcript.messages
    ]
    assert [[(name.kind, name.holders, name.place) for name in row] for row in named] == [
        [("coin", ("a",), 0), ("secret", ("a",), 0)],
        [("public", (), 0)],
    ]
    assert named[0][0].label.split("/")[0] == named[0][0].holders[0]
    held = dict(
        zip(
            [family.kind for family in reading.unknowns.families],
            reading.unknowns.held_by("a"),
            strict=True,
        )
    )
    assert held == {"public": True, "coin": True, "secret": True}
    assert reading.unknowns.held_by("b").tolist() == [True, False, False]  # what is public


# Totals


@cases(30)
@given(st.data())
def test_totals_of_forms_are_totals_of_residues(data: st.DataObject) -> None:
    field, shape = (
        data.draw(st.sampled_from(FIELDS)),
        data.draw(st.sampled_from([(1,), (3,), (2, 2)])),
    )
    reading = empty()
    coins, plain_coins = reading.coins(1, "a", Meter()), SampledCoins(1, "a")
    ours, plain = reading.total(field, shape), ResidueTotal(field, shape)
    filled = 0

    def add(pieces: list[Slots], rows: int) -> None:
        forms, block = (
            coins.field(field, (rows + 1, *shape)),
            plain_coins.field(field, (rows + 1, *shape)),
        )
        for total, values in ((ours, forms), (plain, block)):
            total.add(pieces, values[1:] * 2 - values[:1])

    for _ in range(data.draw(st.integers(1, MOST_CHUNKS + 8))):
        if not filled or data.draw(st.booleans()):
            first = data.draw(st.integers(0, filled))
            block = slice(first, first + data.draw(st.integers(1, 3)))
            pieces: list[Slots] = [block]
            filled = max(filled, block.stop)
            if data.draw(st.booleans()):
                chosen = data.draw(st.lists(st.integers(0, filled - 1), unique=True, min_size=1))
                pieces.append(np.array(chosen, dtype=np.intp))
            for total in (ours, plain):
                total.reserve(filled)
            add(pieces, block.stop - block.start + sum(map(len, pieces[1:])))
        slots = data.draw(st.lists(st.integers(0, filled - 1), min_size=1, max_size=3))
        assert_number(ours.rows(slots), plain.rows(slots), reading.unknowns)
        assert_number(ours.row(slots[0]), plain.row(slots[0]), reading.unknowns)


@cases(30)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), min_size=1, max_size=60)
)
def test_totals_may_be_asked_any_number_of_times_between_blocks(
    events: list[tuple[int, bool, bool]],
) -> None:
    reading, expected = empty(), [[0, 0] for _ in range(3)]
    coins, total = reading.coins(3, "a", Meter()), reading.total(F, (2,))
    total.reserve(3)
    total.add([slice(0, 3)], coins.field(F, (3, 2)) * 0)
    for slot, asks, again in events * 2:
        block = coins.field(F, (1, 2))
        total.add([slice(slot, slot + 1)], block)
        numbers = block.numbers()[0].tolist()
        expected[slot] = [(a + b) % 101 for a, b in zip(expected[slot], numbers, strict=True)]
        for where in [slot] * asks + [2] * again:
            assert evaluated(total.row(where), reading.unknowns) == expected[where]
    assert evaluated(total.rows([2, 0, 1]), reading.unknowns) == [
        expected[2],
        expected[0],
        expected[1],
    ]


@cases(30)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=8))
def test_merged_totals_are_the_total_of_all_blocks(blocks: list[tuple[int, int]]) -> None:
    reading, field = empty(), FIELDS[2]
    coins, expected = reading.coins(3, "a", Meter()), ResidueTotal(field, (2,))
    totals = [reading.total(field, (2,)) for _ in range(2)]
    expected.reserve(3)
    for total in totals:
        total.reserve(3)
        total.add([slice(0, 3)], coins.field(field, (3, 2)) * 0)
    for which, slot in blocks:
        block: Any = coins.field(field, (1, 2))
        totals[which].add([slice(slot, slot + 1)], block)
        expected.add([slice(slot, slot + 1)], block.sampled)
    totals[0].merge(totals[1])
    assert_number(totals[0].rows([0, 1, 2]), expected.rows([0, 1, 2]), reading.unknowns)


# Doors


def test_what_doors_are_given_and_make_is_noted() -> None:
    async def a(me: Party, number: Sealed) -> Any:
        coins = me.coins.field(F, (2,))
        await me.send(NOTE, "b", coins)
        me.disclose(lambda number: number > 2, number)
        derived = me.secret(
            lambda pair, number: [pair[0] + number], coins, number, field=F, shape=1
        )
        return me.output(lambda *both: sum(map(sum, both)), derived, coins.open(signed=True))

    async def b(me: Party) -> Any:
        received: FieldArray = await me.receive(NOTE, "a")
        total = me.output(lambda pair, number: pair + number, received * 2, 4)
        me.disclose(lambda total, coins: total * coins.bernoulli(0.5), total)
        return received

    class Both(Scripts):
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(a), "b": Seat(b)}

    sampled, symbolic, reading = read(Both(), [3])
    assert_same(sampled, symbolic, reading.unknowns)
    (sent,) = (message.payload for message in symbolic.transcript.messages)
    (secret,) = reading.declared["a"]
    uses: dict[tuple[str, str], DoorUse] = {(use.party, use.kind): use for use in reading.door_uses}
    assert len(uses) == len(reading.door_uses) == 5
    assert {place: use.has_input for place, use in uses.items()} == {
        ("a", "disclose"): True,
        ("a", "secret"): True,
        ("a", "output"): False,
        ("b", "output"): False,
        ("b", "disclose"): False,
    }
    expected = {
        ("a", "disclose"): [],
        ("a", "secret"): [sent],
        ("a", "output"): [secret, sent],
        ("b", "output"): [sent * 2],
        ("b", "disclose"): [sent * 2],  # by way of the output
    }
    for place, rows in expected.items():
        noted = uses[place].rows
        assert len(noted) == len(rows)
        assert all(row.is_same_as(other) for row, other in zip(noted, rows, strict=True))
    made = uses["a", "secret"].made
    assert made is not None
    assert secret.terms.unknowns.tolist() == [made.first]


# Refusals


OPERATIONS: dict[str, Callable[[FieldArray], object]] = {
    "branches on unknown field elements": bool,
    "compares unknown field elements": lambda x: x[0] == x[1],
    "turns field elements into a number": lambda x: int(x[0]),  # type: ignore[call-overload]
}


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_forms_cannot_do_ends_the_run_with_party_and_operation(operation: str) -> None:
    async def user(me: Party) -> None:
        coins = me.coins.field(F, (2,))
        await me.publish(NOTE, me.all("user"), coins)
        received = await me.gather(NOTE, me.all("user"))
        if me.index == 2:
            OPERATIONS[operation](received[0])

    with pytest.raises(
        ScriptError,
        match=rf'u2 in round 2 \(tag "note"\): {operation}: pass the array to me\.disclose\(',
    ):
        play_once(Crowd(3, user), reading=empty())


@attrs.frozen
class TwoFaced:
    """One user's secret, which the functionality makes out to be another."""

    difference: int
    kind: str = "secret"

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user, 1)}

    async def user(self, me: Party, value: Sealed) -> None:
        self.declare(me, value, 0)

    def functionality(
        self, values: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        return {"u1": self.declare(users[0], values[0], self.difference)}

    def declare(self, user: Holder, value: Sealed, more: int) -> FieldArray:
        def number(value: int, coins: Coins) -> list[int]:
            return [value + more + coins.bernoulli(0.5)]

        if self.kind == "disclosed value":
            return constant(F, user.disclose(number, value))
        return user.secret(number, value, field=F, shape=(1,))


@given(st.integers(0, 100), st.integers(0, 20), st.sampled_from(["secret", "disclosed value"]))
def test_a_functionality_opens_the_doors_of_the_script(
    difference: int, seed: int, kind: str
) -> None:
    protocol = TwoFaced(difference, kind)
    _, symbolic, reading = read(protocol, [3], seed)
    if difference:
        refused = f"the functionality gives u1 a {kind} that its script does not make at this place"
        with pytest.raises(SimnetError, match=refused):
            ideal_world(protocol, symbolic.inputs, seed, reading)
        return
    handed: Any = ideal_world(protocol, symbolic.inputs, seed, reading)["u1"]
    if kind == "secret":
        assert isinstance(handed, Forms)
        assert handed.is_same_as(reading.declared["u1"][0])
    else:
        (disclosed,) = reading.calls
        assert handed.numbers().tolist() == disclosed.result


# Known departures


def test_single_numbers_are_scattered_into_sums() -> None:
    async def user(me: Party) -> Any:
        await me.scatter(SHARE, me.all("user"), me.coins.field(F, (3,)))
        return (await me.gather_sum(SHARE, me.all("user"))).open()

    sampled, symbolic, reading = read(Crowd(3, user))
    assert_same(sampled, symbolic, reading.unknowns)


def test_a_total_that_was_asked_is_merged_whole() -> None:
    reading = empty()
    coins, totals = reading.coins(1, "a", Meter()), [reading.total(F, (2,)) for _ in range(2)]
    for total in totals:
        total.reserve(1)
        total.add([slice(0, 1)], coins.field(F, (1, 2)))
        total.row(0)
    totals[0].merge(totals[1])
    assert totals[0].row(0).terms.starts.tolist() == [0, 2]


def test_totals_of_empty_rows_may_be_asked_often() -> None:
    reading = empty()
    coins, total = reading.coins(1, "a", Meter()), reading.total(F, (0,))
    total.reserve(2)
    for _ in range(MOST_CHUNKS + 2):
        total.add([slice(0, 2)], coins.field(F, (2, 0)))
        assert total.row(1).shape == (0,)


def test_a_total_of_no_blocks_is_zero() -> None:
    total = empty().total(F, (2,))
    total.reserve(1)
    terms = total.row(0).terms
    assert (terms.rows * terms.lanes, terms.unknowns.size) == (2, 0)


def test_an_unknown_has_one_value_in_every_reading() -> None:
    unknowns = Unknowns()
    first, second = (empty(unknowns).coins(1, "a", Meter()) for _ in range(2))
    first.field(F, ())
    with pytest.raises(SimnetError, match="in different portions"):
        second.field(F, (2,))


@pytest.mark.parametrize(
    "protocol",
    [DPDS(4, 3, 0.5), DPDS(5, 2, 0.5, "shamir:3"), TSS(6, 3, 0.5, 2, sharing="shamir:2")],
    ids=str,
)
def test_the_values_of_coins_that_are_drawn_again_are_those_of_the_run(
    protocol: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if a party draws several times from one source, as the last protocol does."""
    drawn: list[tuple[Family, list[int]]] = []
    draw = SymbolicField.draw

    def noting(source: SymbolicField, field: Field, shape: tuple[int, ...], meter: Any) -> Forms:
        forms = draw(source, field, shape, meter)
        family = source._reading.unknowns.families[int(forms.terms.unknowns[0]) // PLACES]
        drawn.append((family, residues_of(forms.sampled).reshape(-1).tolist()))
        return forms

    monkeypatch.setattr(SymbolicField, "draw", noting)
    done = play_once(protocol, [1 + user % 2 for user in range(protocol.users)], 5)
    verdict(done, "all users but one")
    assert len(drawn) > protocol.users / 2
    assert all(family.values.tolist() == numbers for family, numbers in drawn)
