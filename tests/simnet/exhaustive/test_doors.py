"""Doors in the exhaustive reading: which values are computed, which are opened, and which never
are.

Most tests come in pairs: a script that tells something, and its sound twin.
"""

import itertools
import math
from collections.abc import Awaitable, Callable, Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

from simnet import BadInput, Coins, Field, Party, ScriptError, Seat, Tag, bits, constant, index
from simnet.exhaustive.compare import Compared, Comparison
from simnet.values.sealed import Sealed
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.scripts import NOTE
from tests.harness.tiny import HALF, READINGS, G, held_by, small

BACK, LATE = Tag("back"), Tag("late")

Holder = Callable[[Party, Sealed], Awaitable[Any]]
Listener = Callable[[Party], Awaitable[Any]]


async def silent(me: Party) -> None:
    """Do nothing; the messages to this party are seen all the same."""


@attrs.frozen(eq=False)
class Trio:
    """Party `a` holds an element of F_3; `b` and `c` have no input."""

    a: Holder
    b: Listener = silent
    c: Listener = silent

    def parties(self) -> Mapping[str, Seat]:
        return {
            "a": Seat(self.holder),
            "b": Seat(self.b, role="b"),
            "c": Seat(self.c, role="c"),
        }

    async def holder(self, me: Party, held: Sealed) -> None:
        await self.a(me, held)


def compare(corrupt: str, a: Holder, enumerated: bool = False, **others: Listener) -> Compared:
    """Compare what a coalition sees if `a` holds 1 and if `a` holds 2."""
    return Comparison(Trio(a, **others), corrupt, enumerated).compare([1], [2])


def coin(me: Party) -> Any:
    return me.coins.field(G, (1,))


def number(elements: Any) -> int:
    return int(elements[0])


# Own secrets are computed, whatever their field coins.


@READINGS
def test_a_choice_by_an_own_secret_tells_it_and_one_by_a_constant_does_not(
    enumerated: bool,
) -> None:
    def choosing(chooses: Callable[[Any], bool]) -> Holder:
        async def a(me: Party, held: Sealed) -> None:
            secret = held_by(me, held)
            await me.send(NOTE, "b" if me.disclose(chooses, secret) else "c", secret + coin(me))

        return a

    told = compare("b", choosing(lambda elements: elements[0] == 1), enumerated)
    assert (told.delta(), told.epsilon) == (1, math.inf)
    assert compare("b", choosing(lambda elements: elements[0] > 0), enumerated).same
    assert told.tapes == ((3, 3) if enumerated else (1, 1))


@READINGS
def test_a_noisy_choice_by_an_own_secret_has_the_law_of_its_noise(enumerated: bool) -> None:
    def likely(elements: Any, coins: Coins) -> bool:
        return coins.bernoulli(Fraction(3, 4) if elements[0] == 1 else Fraction(1, 4))

    async def a(me: Party, held: Sealed) -> None:
        if me.disclose(likely, held_by(me, held)):
            await me.send(NOTE, "b", bits([1]))

    compared = compare("b", a, enumerated)
    assert (compared.delta(), compared.epsilon) == (HALF, math.log(3))


# Rows with coins are played out.


def opened_after_masking(also: str | None) -> tuple[Holder, Listener]:
    """`a` sends its element masked to `b`, and the mask to `also`; `b` tells `c` of a sum of 2."""

    async def a(me: Party, held: Sealed) -> None:
        mask = coin(me)
        await me.send(NOTE, "b", held_by(me, held) + mask)
        if also is not None:
            await me.send(NOTE, also, mask)

    async def b(me: Party) -> None:
        if me.disclose(lambda elements: elements[0] == 2, await me.receive(NOTE, "a")):
            await me.send(BACK, "c", bits([1]))

    return a, b


@READINGS
@for_each(
    "also, corrupt, distance",
    [(None, "b", 0), (None, "c", 0), ("c", "c", Fraction(2, 3)), ("b", "b", 1), ("b", "c", 0)],
)
def test_silence_after_opening_tells_what_was_opened_and_nothing_that_a_mask_hides(
    also: str | None, corrupt: str, distance: Fraction, enumerated: bool
) -> None:
    a, b = opened_after_masking(also)
    compared = compare(corrupt, a, enumerated, b=b)
    assert compared.delta() == distance
    assert compared.tapes == (3, 3)


@READINGS
@pytest.mark.parametrize(("masks", "distance"), [(1, 0), (0, 1)])
def test_opened_numbers_are_never_zeros(masks: int, distance: int, enumerated: bool) -> None:
    """A script that sends only if the number is large: with zeros it would always be silent."""

    async def a(me: Party, held: Sealed) -> None:
        await me.send(NOTE, "b", held_by(me, held) + coin(me) * masks)

    async def b(me: Party) -> None:
        if me.disclose(number, await me.receive(NOTE, "a")) >= 2:
            await me.send(BACK, "c", bits([1]))

    assert compare("c", a, enumerated, b=b).delta() == distance


def test_a_sum_whose_coins_cancel_is_opened_at_no_cost() -> None:
    async def a(me: Party, held: Sealed) -> None:
        mask = coin(me)
        await me.send(NOTE, "b", held_by(me, held) + mask)
        await me.send(NOTE, "c", mask)

    async def b(me: Party) -> None:
        total = await me.receive(NOTE, "a") - await me.receive(NOTE, "c")
        await me.send(BACK, "c", index(me.disclose(number, total), 3))

    async def c(me: Party) -> None:
        await me.send(NOTE, "b", await me.receive(NOTE, "a"))
        await me.receive(BACK, "b")

    compared = compare("c", a, b=b, c=c)
    assert (compared.delta(), compared.tapes) == (1, (1, 1))


def test_what_was_opened_is_opened_again_at_no_cost_by_anybody() -> None:
    async def a(me: Party, held: Sealed) -> None:
        mask, other = coin(me), coin(me)
        sent = held_by(me, held) + mask
        first = me.disclose(number, sent)
        assert me.disclose(number, sent * 2) == 2 * first % 3
        await me.send(NOTE, "b", sent + other)
        await me.send(LATE, "b", other)

    async def b(me: Party) -> None:
        row = await me.receive(NOTE, "a") - await me.receive(LATE, "a")
        await me.send(BACK, "c", index(me.disclose(number, row), 3))

    compared = compare("c", a, b=b)
    assert compared.same
    assert compared.tapes == (3, 3)
    assert sorted(compared.first.values()) == [Fraction(1, 3)] * 3


@READINGS
@pytest.mark.parametrize(("shows", "distance"), [(False, 0), (True, 1)])
def test_rows_that_were_opened_bind_the_messages_made_of_them(
    shows: bool, distance: int, enumerated: bool
) -> None:
    """`a` opens its mask, and tells `b` the number or not."""

    async def a(me: Party, held: Sealed) -> None:
        mask = coin(me)
        opened = me.disclose(number, mask)
        await me.send(NOTE, "b", held_by(me, held) + mask)
        await me.send(BACK, "b", index(opened if shows else 0, 3))

    compared = compare("b", a, enumerated)
    assert compared.delta() == distance
    assert compared.tapes == (3, 3)


@READINGS
def test_members_know_what_they_opened_of_their_own_coins(enumerated: bool) -> None:
    """`b` opens its own coin, and sends it to `a`, who sends it back masked or with its element."""

    async def b(me: Party) -> None:
        own = coin(me)
        if me.disclose(number, own):
            await me.send(NOTE, "a", own)
        else:
            await me.send(NOTE, "a", own + small(1))

    def adds(masks: int) -> Holder:
        async def a(me: Party, held: Sealed) -> None:
            got = await me.receive(NOTE, "b")
            await me.send(BACK, "b", got + held_by(me, held) + coin(me) * masks)

        return a

    assert compare("b", adds(1), enumerated, b=b).same
    assert compare("b", adds(0), enumerated, b=b).delta() == 1


# Secrets made of field elements, outputs that are used again, and products.


@READINGS
@pytest.mark.parametrize(
    ("sends_mask", "distance"), [(False, 0), (True, Fraction(2, 3))], ids=["masked", "told"]
)
def test_a_secret_made_of_a_masked_one_is_hidden_as_long_as_the_mask_is(
    sends_mask: bool, distance: Fraction, enumerated: bool
) -> None:
    async def a(me: Party, held: Sealed) -> None:
        mask = coin(me)
        masked = held_by(me, held) + mask
        derived = me.secret(lambda v: v * v, masked, field=G, shape=(1,))
        await me.send(NOTE, "b", derived)
        await me.send(BACK, "b", mask if sends_mask else coin(me))

    assert compare("b", a, enumerated).delta() == distance


def test_an_output_is_not_computed_unless_a_door_needs_it() -> None:
    async def a(me: Party, held: Sealed) -> Sealed:
        row = held_by(me, held) + coin(me)
        await me.send(NOTE, "b", row)
        return me.output(number, row)

    assert compare("b", a).tapes == (1, 1)


@READINGS
@pytest.mark.parametrize("masks", [0, 1])
def test_an_output_that_a_door_needs_carries_the_rows_it_was_made_of(
    masks: int, enumerated: bool
) -> None:
    async def a(me: Party, held: Sealed) -> None:
        row = held_by(me, held) + coin(me) * masks
        doubled = me.output(lambda v: 2 * v, row)
        doubled_again = me.output(lambda v, item: (2 * v, item), doubled, held)
        if me.disclose(lambda pair: pair[0][0] % 3 == 1, doubled_again):
            await me.send(NOTE, "b", bits([1]))

    compared = compare("b", a, enumerated)
    assert compared.same == bool(masks)
    assert compared.tapes == ((3, 3) if masks or enumerated else (1, 1))


@READINGS
def test_an_output_that_is_computed_late_knows_what_it_knew(enumerated: bool) -> None:
    """A loop makes two functions that share a variable; another changes what it has captured."""

    async def a(me: Party, held: Sealed) -> None:
        row = held_by(me, held) + coin(me)
        outputs = [me.output(lambda v: int(v[0]) >= limit, row) for limit in (0, 5)]  # noqa: B023
        both = me.disclose(lambda always, never: always and not never, *outputs)
        await me.send(NOTE, "b", bits([both]))

    compared = compare("b", a, enumerated)
    assert compared.same
    assert len(compared.first) == 1


def test_an_output_that_has_captured_what_changes_is_refused() -> None:
    async def a(me: Party, held: Sealed) -> None:
        limits = [0]
        output = me.output(lambda v: int(v[0]) >= limits[0], held_by(me, held) + coin(me))
        limits[0] = 5
        me.disclose(bool, output)

    with pytest.raises(BadInput, match=r"^a uses an output of a lambda, which reads variables"):
        compare("b", a)


@READINGS
def test_an_output_whose_function_raises_ends_no_world_unless_a_door_needs_it(
    enumerated: bool,
) -> None:
    def fails(elements: Any) -> int:
        if elements[0] == 0:
            raise ValueError("no zeros, please")
        return int(elements[0])

    def using(uses: bool) -> Holder:
        async def a(me: Party, held: Sealed) -> None:
            row = held_by(me, held) + coin(me)
            output = me.output(fails, row)
            await me.send(NOTE, "b", row)
            if uses:
                me.disclose(lambda value: value > 0, output)

        return a

    assert compare("b", using(False), enumerated).same
    with pytest.raises(ScriptError, match=r"^a in round 1.*no zeros, please"):
        compare("b", using(True), enumerated)


@READINGS
@pytest.mark.parametrize(
    ("masks", "sends_factor", "distance"),
    [(0, False, 0), (0, True, Fraction(2, 3)), (1, True, 0)],
    ids=["factor unknown", "factor told", "masked"],
)
def test_a_product_of_field_elements_is_played_out(
    masks: int, sends_factor: bool, distance: Fraction, enumerated: bool
) -> None:
    async def a(me: Party, held: Sealed) -> None:
        secret, factor = held_by(me, held), coin(me)
        await me.send(NOTE, "b", factor if sends_factor else coin(me))
        await me.send(BACK, "b", factor * (secret + coin(me) * masks))

    compared = compare("b", a, enumerated)
    assert compared.delta() == distance


# Two parties, scopes.


@attrs.frozen
class Beaver:
    """`a` and `b` multiply what they hold with a dealer's triple, and the client adds up shares."""

    modulus: int
    is_masked: bool = True

    @property
    def field(self) -> Field:
        return Field(self.modulus)

    def parties(self) -> Mapping[str, Seat]:
        return {
            "a": Seat(self.a),
            "b": Seat(self.b),
            "dealer": Seat(self.dealer),
            "client": Seat(self.client),
        }

    async def dealer(self, me: Party) -> None:
        one, other = (me.coins.field(self.field, (2, 1)) * int(self.is_masked) for _ in range(2))
        share = me.coins.field(self.field, (1,))
        factors = one + other
        await me.send(NOTE, "a", (one[0], one[1], share))
        await me.send(NOTE, "b", (other[0], other[1], factors[0] * factors[1] - share))

    async def a(self, me: Party, held: Sealed) -> None:
        await self.multiplies(me, held, "b")

    async def b(self, me: Party, held: Sealed) -> None:
        await self.multiplies(me, held, "a")

    async def multiplies(self, me: Party, held: Sealed, other: str) -> None:
        secret = me.secret(lambda v: [v], held, field=self.field, shape=(1,))
        theirs = me.coins.field(self.field, (1,))
        await me.send(LATE, other, theirs)
        own = {me.name: secret - theirs, other: await me.receive(LATE, other)}
        u, v, w = await me.receive(NOTE, "dealer")
        await me.send(BACK, other, (own["a"] - u, own["b"] - v))
        d_other, e_other = await me.receive(BACK, other)
        d, e = (
            me.disclose(number, part) for part in (own["a"] - u + d_other, own["b"] - v + e_other)
        )
        product = v * d + u * e + w
        if me.name == "a":
            product = product + constant(self.field, [d * e])
        await me.send(NOTE, "client", product)

    async def client(self, me: Party) -> Sealed:
        total = sum(await me.gather(NOTE, ["a", "b"]), constant(self.field, [0]))
        return me.output(number, total)


PAIRS = [
    ([1, 1], [1, 2]),
    ([0, 1], [0, 2]),
    ([1, 0], [2, 0]),
    ([1, 2], [2, 2]),
    ([2, 2], [1, 1]),
    ([1, 1], [0, 2]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("one", "other"), long_but(PAIRS, *PAIRS[:2]))
def test_multiplication_with_a_triple_tells_the_product_alone(
    one: list[int], other: list[int]
) -> None:
    product = {tuple(held): held[0] * held[1] % 3 for held in (one, other)}
    differs = len(set(product.values())) > 1
    for corrupt in ("dealer", "client", "network", "a", "b", "a, client", "b, client"):
        comparison = Comparison(Beaver(3), corrupt)
        own = [place for place, name in enumerate("ab") if name in comparison.corrupt.parties]
        if any(one[place] != other[place] for place in own):
            continue
        compared = comparison.compare(one, other)
        assert compared.same == (not differs or "client" not in corrupt)
        assert compared.tapes == (9, 9)  # a factor u, with it x - u, and y - v


@pytest.mark.slow
def test_multiplication_with_a_triple_agrees_with_brute_force() -> None:
    for corrupt, is_masked in itertools.product(("client", "a", "b, client"), (True, False)):
        other = [0, 1] if "b" in corrupt else [1, 0]
        played, brute = (
            Comparison(Beaver(2, is_masked), corrupt, numbers).compare([1, 1], other)
            for numbers in (False, True)
        )
        assert played.same == brute.same == (is_masked and corrupt == "a")
        assert (played.epsilon, played.delta()) == (brute.epsilon, brute.delta())


@READINGS
def test_doors_open_inside_a_part_as_well(enumerated: bool) -> None:
    async def a(me: Party, held: Sealed) -> None:
        inner = me.within("")
        await inner.send(NOTE, "b", held_by(inner, held) + coin(inner))

    async def b(me: Party) -> None:
        part = me.within("")
        if part.disclose(lambda v: v[0] == 2, await part.receive(NOTE, "a")):
            await part.send(BACK, "c", bits([1]))

    assert compare("c", a, enumerated, b=b).same
    assert compare("b", a, enumerated, b=b).same


# What a script catches.


@READINGS
def test_a_refusal_that_a_script_catches_tells_nothing(enumerated: bool) -> None:
    async def a(me: Party, held: Sealed) -> None:
        try:
            told = int(held == 1)
        except TypeError:
            told = 2
        await me.send(NOTE, "b", index(told, 3))

    assert compare("b", a, enumerated).same


@READINGS
def test_an_error_of_a_door_ends_the_search_even_if_the_script_catches_it(
    enumerated: bool,
) -> None:
    def fails(elements: Any) -> int:
        return 6 // int(elements[0])

    async def a(me: Party, held: Sealed) -> None:
        row = held_by(me, held) + coin(me)
        try:
            me.disclose(fails, row)
        except ArithmeticError:
            await me.send(NOTE, "b", bits([1]))

    with pytest.raises(ScriptError, match=r"^a in round 1.*division.*test_doors.py:\d+"):
        compare("b", a, enumerated)


@READINGS
def test_a_script_is_left_without_a_trace_where_it_is_to_be_played_again(
    enumerated: bool,
) -> None:
    """Neither `finally` nor an `except` for everything sends or receives anything on the way."""

    def clumsy(catches: type[BaseException], masks: int) -> Holder:
        async def a(me: Party, held: Sealed) -> None:
            opened = 5
            try:
                opened = me.disclose(number, held_by(me, held) + coin(me) * masks)
                me.coins.bernoulli(0.5)
            except catches:
                await me.send(BACK, "b", bits([1]))
                await me.receive(LATE, "b")
            finally:
                await me.send(NOTE, "b", index(opened, 6))

        return a

    for catches in (ValueError, BaseException):
        hidden, told = (compare("b", clumsy(catches, masks), enumerated) for masks in (1, 0))
        assert hidden.same
        assert sum(hidden.first.values()) == 1
        assert told.delta() == 1
        assert hidden.tapes == (6, 6)


@READINGS
def test_nobody_reads_numbers_of_field_elements_in_any_world(enumerated: bool) -> None:
    """Not even in worlds to which the first runs do not lead."""

    async def a(me: Party, held: Sealed) -> None:
        del held
        row: Any = coin(me)
        if me.coins.bernoulli(Fraction(1, 10**6)):
            await me.send(NOTE, "b", bits([row.numbers()[0] == 0]))

    with pytest.raises(ScriptError, match=r"^a in round 1: reads the numbers of field elements"):
        compare("b", a, enumerated)


def test_a_coin_that_cannot_be_played_out_is_refused_even_if_the_script_catches_it() -> None:
    async def a(me: Party, held: Sealed) -> None:
        del held
        try:
            me.coins.normal(1)
        except ValueError:
            await me.send(NOTE, "b", bits([1]))

    with pytest.raises(BadInput, match="too many outcomes"):
        compare("b", a)


@READINGS
def test_an_input_that_a_function_writes_to_is_the_same_each_time_it_is_played(
    enumerated: bool,
) -> None:
    def eats(item: list[int], eats: bool) -> int:
        return item.pop() if eats else item[-1]

    async def a(me: Party, held: Sealed) -> None:
        rarely = me.coins.bernoulli(Fraction(1, 10**6))  # not in the runs that come before
        last = me.disclose(eats, held, rarely)
        me.coins.bernoullis(0.5, 3)
        await me.send(NOTE, "b", index(last, 9))

    comparison = Comparison(Trio(a), "b", enumerated)
    compared = comparison.compare([[7, 1]], [[7, 2]])
    assert compared.delta() == 1
    assert comparison.compare([[7, 1]], [[8, 1]]).same


def test_a_secret_of_another_function_of_the_input_is_another_secret() -> None:
    """The same unknown in both worlds, with values of its own: x and x + x² are never mixed up."""

    async def a(me: Party, held: Sealed) -> None:
        power = me.disclose(lambda item: item % 2, held)
        secret = me.secret(lambda v: [v + v * v * power], held, field=G, shape=(1,))
        await me.send(NOTE, "b", secret)

    comparison = Comparison(Trio(a), "b")
    assert [comparison.compare([0], [held]).same for held in (1, 2, 4)] == [False, False, False]
    assert comparison.compare([1], [2]).same  # 1 + 1 and 2


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), ((1,), [1])])
def test_inputs_of_different_kinds_are_different_inputs(one: object, other: object) -> None:
    async def a(me: Party, held: Sealed) -> None:
        kind = me.disclose(lambda item: type(item).__name__, held)
        await me.send(NOTE, "b", index(len(kind), 99))

    comparison = Comparison(Trio(a), "b")
    assert comparison.compare([one], [other]).delta() == 1


class Alike:
    """Equal to all others of its class."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alike)

    def __hash__(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Alike(1), Alike(2)),
        *[([np.ma.MaskedArray([0], mask=[True], fill_value=n) for n in (1, 2)])],
    ],
)
def test_equal_inputs_that_differ_in_hidden_places_are_different_inputs(
    one: object, other: object
) -> None:
    def number_of(value: Any) -> int:
        return value.number if isinstance(value, Alike) else int(value.filled()[0])

    async def a(me: Party, held: Sealed) -> None:
        await me.send(NOTE, "b", index(me.disclose(number_of, held), 9))

    assert Comparison(Trio(a), "b").compare([one], [other]).delta() == 1
