"""Linear forms are compared with residues: the same programs give the same numbers and the same
bills.
"""

import itertools
import operator
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Field, constant
from simnet.adversary.symbolic import Symbolic
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.doors.record import DoorRecord
from simnet.kernel.actor import Actor
from simnet.linear.forms import Forms
from simnet.linear.unknowns import PLACES
from simnet.record.ledger import Receipts
from simnet.values.field import FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues
from simnet.values.sealed import Opened, SealBroken, source_of
from tests.harness.forms import FIELDS, evaluated
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each

LARGEST = 60  # elements of an array in a program
SHAPES = ((), (1,), (3,), (0,), (2, 3), (3, 0), (0, 2), (1, 4), (3, 1), (2, 2, 2))

each_field = for_each("field", FIELDS)


@attrs.frozen(eq=False)
class TwinParty:
    """One party, `a`, that plays the same program twice: with forms, and with residues."""

    field: Field
    reading: Symbolic
    actor: Actor
    coins: Coins
    meter: Meter
    plain_coins: SampledCoins

    @classmethod
    def of(cls, field: Field) -> "TwinParty":
        reading, meter = Symbolic(DoorRecord()), Meter()
        actor = Actor(0, "a", "a", Meter(), Receipts())
        reading.begin([actor])
        coins = reading.coins(7, "a", actor.meter)
        return cls(field, reading, actor, coins, meter, SampledCoins(7, "a", meter))

    def drawn(self, *shape: int) -> tuple[Forms, Residues]:
        return self.coins.field(self.field, shape), self.plain_coins.field(self.field, shape)  # type: ignore[return-value]

    def secret(self, values: Any) -> tuple[Forms, Residues]:
        elements = constant(self.field, values)
        unknowns = self.reading.unknowns
        family = unknowns.family("secret", len(unknowns.families), "0/1", "a", elements)
        forms = self.reading.named(elements, family).metered(self.actor.meter)
        return forms, elements.metered(self.meter)

    def public(self, values: Any, held: bool) -> tuple[Residues, Residues]:
        made = constant(self.field, values)
        return made.metered(self.actor.meter if held else None), made.metered(
            self.meter if held else None
        )

    def agree(self, forms: FieldArray, plain: FieldArray) -> None:
        number = forms.sampled if isinstance(forms, Forms) else forms
        assert isinstance(number, Residues)
        assert number == plain
        assert (forms.shape, forms.wire) == (plain.shape, plain.wire)
        assert self.actor.meter.counts == self.meter.counts
        if isinstance(forms, Forms):
            assert evaluated(forms, self.reading.unknowns) == plain.numbers().tolist()

    def kinds(self, forms: Forms) -> set[tuple[str, tuple[str, ...]]]:
        names = [self.reading.unknowns.name(unknown) for unknown in forms.terms.unknowns.tolist()]
        return {(name.kind, name.holders) for name in names}


Pair = tuple[Any, Any]
Pool = list[Pair]
Step = Callable[[st.DataObject, TwinParty, Pool], Pair]


def small(world: TwinParty) -> st.SearchStrategy[int]:
    q = world.field.modulus
    return st.sampled_from([0, 1, -1, 2, q - 1, q // 2]) | st.integers(-9, 9)


def array(
    data: st.DataObject, world: TwinParty, shape: Sequence[int]
) -> np.ndarray[Any, np.dtype[np.int64]]:
    size = prod(shape)
    drawn = data.draw(st.lists(small(world), min_size=size, max_size=size))
    return np.array(drawn, dtype=np.int64).reshape(shape)


def one_of(
    data: st.DataObject, pool: Pool, fits: Callable[[Any], bool] = lambda _: True
) -> Pair | None:
    fitting = [pair for pair in pool if fits(pair[0])]
    return data.draw(st.sampled_from(fitting)) if fitting else None


def broadcast(left: Sequence[int], right: Sequence[int]) -> bool:
    try:
        return prod(np.broadcast_shapes(tuple(left), tuple(right))) <= LARGEST
    except ValueError:
        return False


def fresh(data: st.DataObject, world: TwinParty, shape: Sequence[int]) -> Pair:
    match data.draw(st.sampled_from(["coins", "secret", "public"])):
        case "coins":
            return world.drawn(*shape)
        case "secret":
            return world.secret(array(data, world, shape))
        case _:
            return world.public(array(data, world, shape), held=data.draw(st.booleans()))


def both(operation: Callable[..., Any], *pairs: Pair) -> Pair:
    return operation(*(ours for ours, _ in pairs)), operation(*(plain for _, plain in pairs))


def add_or_subtract(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    left = data.draw(st.sampled_from(pool))
    right = one_of(data, pool, lambda other: broadcast(left[0].shape, other.shape))
    assert right is not None
    return both(
        data.draw(st.sampled_from([operator.add, operator.sub])),
        *data.draw(st.permutations([left, right])),
    )


def negate(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    return both(operator.neg, data.draw(st.sampled_from(pool)))


def scale(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair, factor = (
        data.draw(st.sampled_from(pool)),
        data.draw(small(world) | st.integers(-(2**70), 2**70)),
    )
    return both(lambda x: x * factor if factor % 2 else factor * x, pair)


def weigh(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair = data.draw(st.sampled_from(pool))
    shape = pair[0].shape
    narrowed = tuple(size if data.draw(st.booleans()) else 1 for size in shape)
    wanted = [shape, narrowed, shape[1:], (2, *shape)]
    chosen = data.draw(st.sampled_from([s for s in wanted if broadcast(s, shape)]))
    weights = world.public(array(data, world, chosen), held=data.draw(st.booleans()))
    return both(operator.mul, *data.draw(st.permutations([pair, weights])))


def index(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair = data.draw(st.sampled_from(pool))
    where = data.draw(places(pair[0].shape))
    made = both(lambda x: x[where], pair)
    return made if prod(made[0].shape) <= LARGEST else pair


@st.composite
def places(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """Draw an index for an array of this shape."""
    wheres: list[Any] = [Ellipsis, None, (Ellipsis, None)]
    if shape:
        wheres += [
            slices(),
            (slice(None), None),
            (Ellipsis, slice(None, None, -1)),
            several(shape[0]),
        ]
        wheres += (
            [st.lists(st.booleans(), min_size=shape[0], max_size=shape[0]).map(np.array)]
            if shape[0]
            else []
        )
    if shape and shape[0]:
        number = st.integers(-shape[0], shape[0] - 1)
        wheres += [number, number.map(np.int64), st.tuples(number, st.none()), number.map(np.array)]
        wheres += [st.tuples(number, slices())] if len(shape) > 1 else []
    if shape and shape[-1]:
        last = st.integers(-shape[-1], shape[-1] - 1)
        wheres += [st.tuples(st.just(Ellipsis), last)]
    if prod(shape):
        wheres.append(tuple(0 for _ in shape))
    where = draw(st.sampled_from(wheres))
    return draw(where) if isinstance(where, st.SearchStrategy) else where


def several(size: int) -> st.SearchStrategy[Any]:
    numbers = st.lists(st.integers(-size, size - 1), max_size=4) if size else st.just([])
    return numbers.map(lambda chosen: np.array(chosen, dtype=np.int64))


def slices() -> st.SearchStrategy[slice]:
    edge = st.none() | st.integers(-3, 3)
    return st.builds(slice, edge, edge, st.sampled_from([None, 1, 2, -1]))


def add_up(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair = one_of(data, pool, lambda x: len(x.shape) > 0)
    return both(lambda x: x.sum(), pair) if pair else add_or_subtract(data, world, pool)


def append(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair = one_of(data, pool, lambda x: isinstance(x, Forms) and len(x.shape) > 0)
    if pair is None:
        return world.drawn(2, 2)
    row = one_of(data, pool, lambda x: x.shape == pair[0].shape[1:]) or fresh(
        data, world, pair[0].shape[1:]
    )
    return both(lambda x, y: x.append(y), pair, row)


def close(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair = one_of(data, pool, lambda x: isinstance(x, Forms) and len(x.shape) == 1)
    if pair is None:
        return world.drawn(4)
    size = pair[0].shape[0]
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=3)))
    sizes = np.diff([0, *cuts, size]).tolist()
    return both(lambda x, totals: x.close(totals, sizes), pair, fresh(data, world, (len(sizes),)))


def combine(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair = one_of(data, pool, lambda x: len(x.shape) > 0)
    if pair is None:
        return world.drawn(3, 2)
    weights = array(data, world, (data.draw(st.integers(0, 3)), pair[0].shape[0]))
    return both(lambda x: x.combine(weights), pair)


def multiply_matrices(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    """A factor with two axes or one, on either side: forms, residues or plain integers."""
    pair = one_of(data, pool, lambda x: len(x.shape) in (1, 2) and prod(x.shape) <= 12)
    if pair is None:
        return world.drawn(3, 2)
    on_the_left, inner = data.draw(st.booleans()), pair[0].shape
    outer = data.draw(st.sampled_from([(), (1,), (3,), (0,)]))
    shape = (*outer, inner[0]) if on_the_left else (inner[-1], *outer)
    if data.draw(st.booleans()):
        integers = array(data, world, shape)
        factor: Pair = (integers, integers)
    else:
        factor = fresh(data, world, shape)
    return both(operator.matmul, *((factor, pair) if on_the_left else (pair, factor)))


def reshape(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    pair = data.draw(st.sampled_from(pool))
    size = prod(pair[0].shape)
    first = data.draw(st.sampled_from([k for k in range(1, size + 1) if size % k == 0] or [1]))
    shape = data.draw(st.sampled_from([(size,), (first, size // first), (-1, first)]))
    return both(lambda x: x.reshape(*shape), pair)


def stack_or_join(data: st.DataObject, world: TwinParty, pool: Pool) -> Pair:
    first = one_of(data, pool, lambda x: isinstance(x, Forms) and prod(x.shape) <= LARGEST // 4)
    if first is None:
        return world.drawn(2)
    shape = first[0].shape
    joins = bool(shape) and data.draw(st.booleans())
    rows = [first]
    for _ in range(data.draw(st.integers(0, 2))):
        alike = one_of(
            data, pool, lambda x: x.shape[joins:] == shape[joins:] and len(x.shape) == len(shape)
        )
        rows.append(
            alike if alike and prod(alike[0].shape) <= LARGEST // 4 else fresh(data, world, shape)
        )
    named: Any = data.draw(st.sampled_from([Forms, Residues]))
    chosen = (named.join, Residues.join) if joins else (named.stack, Residues.stack)
    return chosen[0]([ours for ours, _ in rows]), chosen[1]([plain for _, plain in rows])


STEPS: list[Step] = [
    add_or_subtract,
    negate,
    scale,
    weigh,
    index,
    index,
    add_up,
    append,
    close,
    combine,
    multiply_matrices,
    reshape,
    stack_or_join,
]


@cases(80)
@given(st.data())
def test_programs_carry_the_numbers_and_the_bill_of_residues(data: st.DataObject) -> None:
    world = TwinParty.of(data.draw(st.sampled_from(FIELDS)))
    pool = [fresh(data, world, data.draw(st.sampled_from(SHAPES))) for _ in range(3)]
    pool.append(world.drawn(2, 3))
    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=9)):
        pair = step(data, world, pool)
        world.agree(*pair)
        if prod(pair[0].shape) <= LARGEST:
            pool.append(pair)


@cases(60)
@given(st.data())
def test_every_index_of_fresh_unknowns_is_numpys(data: st.DataObject) -> None:
    world = TwinParty.of(FIELDS[1])
    ours, plain = world.drawn(*data.draw(st.sampled_from(SHAPES)))
    where = data.draw(places(ours.shape))
    world.agree(ours[where], plain[where])


def test_any_elements_may_be_picked_lane_by_lane() -> None:
    world = TwinParty.of(FIELDS[0])
    (ours, plain), cells = world.drawn(2, 3), list(itertools.product(range(2), range(3)))
    for chosen in itertools.product(cells, repeat=3):
        where = tuple(np.array(axis) for axis in zip(*chosen, strict=True))
        world.agree(ours[where], plain[where])
    for row in itertools.product(range(3), repeat=3):
        world.agree(ours[1][list(row)], plain[1][list(row)])


@each_field
@for_each("times", [2, 3, 4, 5, 8, 9])
def test_sums_of_largest_coefficients_do_not_wrap(field: Field, times: int) -> None:
    world = TwinParty.of(field)
    largest = both(lambda x: x * -1, world.drawn(2))
    rows = both(lambda x: type(x).stack([x] * times), largest)
    world.agree(*both(lambda x: x.sum(), rows))
    world.agree(*both(lambda x: x.combine(np.full((2, times), -1)), rows))
    world.agree(*both(lambda x: x[:, 0].close(x[:1, 1], [times]), rows))


@each_field
def test_a_row_is_broadcast_over_rows_in_every_lane(field: Field) -> None:
    world = TwinParty.of(field)
    table, row = world.drawn(3, 4), world.drawn(4)
    for left, right in ((table, row), (row, table)):
        world.agree(left[0] + right[0], left[1] + right[1])
        world.agree(left[0] - right[0], left[1] - right[1])
    assert (table[0] + row[0]).terms.lanes == 4


@each_field
def test_what_cancels_leaves_no_term(field: Field) -> None:
    world = TwinParty.of(field)
    forms, _ = world.drawn(3, 2)
    masked = forms.append(world.drawn(2)[0])
    for nothing in (
        forms - forms,
        forms * 0,
        forms * field.modulus,
        forms + forms * (field.modulus - 1),
        forms.append(-forms.sum()).sum(),
        masked.sum() - forms.sum() - masked[3],
        (forms[:, 0].close(forms[:2, 1], [1, 2])[[0, 1]].sum() - forms[0, 1])[np.newaxis],
    ):
        assert nothing.terms.unknowns.size == 0


@each_field
@pytest.mark.parametrize("operation", [operator.add, operator.sub, operator.mul])
def test_fields_do_not_mix(field: Field, operation: Callable[[Any, Any], Any]) -> None:
    forms, other = TwinParty.of(field).drawn(2)[0], constant(Field(7), [1, 2])
    for left, right in ((forms, other), (other, forms)):
        with pytest.raises(TypeError, match="cannot combine elements of F_"):
            operation(left, right)


@each_field
def test_pythons_sum_adds_up_forms(field: Field) -> None:
    world = TwinParty.of(field)
    forms, plain = world.drawn(2)
    world.agree(sum([forms, forms, forms]), sum([plain, plain, plain]))
    with pytest.raises(TypeError):
        1 + forms


# Numbers among forms


@each_field
def test_plain_numbers_among_forms_are_multiples_of_the_unknown_that_is_one(field: Field) -> None:
    world = TwinParty.of(field)
    forms, _ = world.drawn(2)
    plain: Any = constant(field, [3, 1])
    held = plain.metered(world.actor.meter)
    for mixed in (forms + plain, plain + forms, forms - held, held - forms, forms.append(held[0])):
        assert world.kinds(mixed) == {("coin", ("a",)), ("public", ())}
    assert world.kinds(forms.close(held[:1], [2])) == {("coin", ("a",)), ("public", ())}
    assert world.kinds(forms * held) == {("coin", ("a",))}


def test_what_is_public_cancels() -> None:
    world = TwinParty.of(FIELDS[1])
    (forms, _), plain = world.drawn(2), constant(FIELDS[1], [3, 1])
    assert world.kinds((forms + plain) - (forms + plain)) == set()


@each_field
def test_a_product_of_forms_is_an_unknown_of_its_own(field: Field) -> None:
    world = TwinParty.of(field)
    (left, plain), (right, other) = world.drawn(2, 3), world.secret([1, 2, 3])
    product = left * right
    world.agree(product, plain * other)
    assert world.kinds(product) == {("product", ("a",))}
    (noted,) = world.reading.products
    assert noted.left is left
    assert noted.right is right


@each_field
def test_a_matrix_product_of_forms_adds_up_unknowns_of_single_products(field: Field) -> None:
    world = TwinParty.of(field)
    (left, plain), (right, other) = world.drawn(2, 3), world.secret([[1, 2], [3, 4], [0, 1]])
    product = left @ right
    world.agree(product, plain @ other)
    assert world.kinds(product) == {("product", ("a",))}
    (noted,) = world.reading.products
    # Element (i, j) is the sum over k of the product of elements (i, k) and (k, j).
    for i, j in itertools.product(range(2), range(2)):
        cells = [(k, i, j) for k in range(3)]
        for k, cell in enumerate(cells):
            assert noted.left[cell]._is_same(left[i, k])
            assert noted.right[cell]._is_same(right[k, j])
        named = world.reading.named(residues_of_product(noted, world), noted.made)
        assert product[i, j]._is_same(named[tuple(zip(*cells, strict=True))].sum())


def residues_of_product(noted: Any, world: TwinParty) -> Residues:
    values = noted.left.sampled.metered(None) * noted.right.sampled.metered(None)
    return values.metered(world.actor.meter)


@each_field
def test_a_matrix_product_with_public_numbers_stays_linear(field: Field) -> None:
    world = TwinParty.of(field)
    (forms, plain), matrix = world.drawn(3, 2), np.array([[1, -2, 3], [0, 5, 1]])
    for ours, other in (
        (matrix @ forms, matrix @ plain),
        (forms @ matrix, plain @ matrix),
        (forms[0] @ matrix, plain[0] @ matrix),
        (matrix[0] @ forms, matrix[0] @ plain),
    ):
        world.agree(ours, other)
        assert world.kinds(ours) == {("coin", ("a",))}
    assert not world.reading.products
    public = world.reading.lifted(constant(field, matrix).metered(world.actor.meter))
    world.agree(public @ forms, constant(field, matrix).metered(world.meter) @ plain)
    assert not world.reading.products


@each_field
def test_public_numbers_have_inverses_and_unknowns_have_none(field: Field) -> None:
    world = TwinParty.of(field)
    (own, same), (forms, _) = world.public([[1, 2]], held=True), world.drawn(2)
    world.agree(world.reading.lifted(own).inverse(), same.inverse())
    for unknown in (forms, world.secret([1, 2])[0], forms + own[0]):
        with pytest.raises(TypeError, match="inverts field elements that are not public"):
            unknown.inverse()


@each_field
def test_a_product_with_public_numbers_stays_linear(field: Field) -> None:
    world = TwinParty.of(field)
    (forms, plain), (own, same) = world.drawn(2), world.public([3, 1], held=True)
    public = world.reading.lifted(own)
    world.agree(forms * public, plain * same)
    assert world.kinds(public * forms) == {("coin", ("a",))}
    assert not world.reading.products


@each_field
@pytest.mark.parametrize("name", ["stack", "join"])
def test_stacks_and_joins_take_numbers_in(field: Field, name: str) -> None:
    world = TwinParty.of(field)
    forms, plain = world.drawn(2)
    number, same = world.public([1, 2], held=True)
    for ours, theirs in (
        ([forms, number], [plain, same]),
        ([number, forms], [same, plain]),
        ([number, number, forms, number], [same, same, plain, same]),
    ):
        made = getattr(Residues, name)(ours)
        assert isinstance(made, Forms)
        world.agree(made, getattr(Residues, name)(theirs))
        assert made.meter is world.actor.meter
        assert world.kinds(made) == {("coin", ("a",)), ("public", ())}
    assert isinstance(getattr(Residues, name)([number, number]), Residues)


def test_unknowns_of_a_party_are_its_own_and_follow_one_another() -> None:
    world = TwinParty.of(FIELDS[1])
    first, second = world.drawn(2, 3)[0], world.drawn(2)[0]
    assert first.terms.unknowns.tolist() == [PLACES, PLACES + 3]
    assert first.terms.lanes == 3
    assert second.terms.unknowns.tolist() == [2 * PLACES]
    secret, _ = world.secret([5])
    assert secret.terms.unknowns.tolist() == [3 * PLACES]
    assert world.kinds(secret) == {("secret", ("a",))}


# What is refused


REFUSED: dict[str, Callable[[Any], object]] = {
    "bool": bool,
    "not": operator.not_,
    "eq": lambda x: x == x,
    "ne": lambda x: x != x,
    "eq with residues": lambda x: x.sampled == x,
    "eq with a number": lambda x: x == 0,
    "lt": lambda x: x < x,
    "ge": lambda x: x >= 1,
    "membership": lambda x: x[0] in [x[1]],
    "int": lambda x: int(x[0]),
    "float": lambda x: float(x[0]),
    "range": lambda x: range(x[0]),
    "asarray": np.asarray,
    "numpy's sum": np.sum,
    "hash": hash,
    "sum with a number": lambda x: x + 1,
    "real factor": lambda x: x * 0.5,
    "division": lambda x: x / 2,
    "stack with a number": lambda x: Forms.stack([x, 1]),  # type: ignore[list-item]
    "append a number": lambda x: x.append(1),
}


@for_each("name", REFUSED)
def test_what_would_need_the_numbers_is_refused(name: str) -> None:
    world = TwinParty.of(FIELDS[1])
    forms, _ = world.drawn(2)
    with pytest.raises(TypeError):
        REFUSED[name](forms)


# Openings


@each_field
def test_opening_gives_a_sealed_value_that_stands_for_the_forms(field: Field) -> None:
    forms, _ = TwinParty.of(field).drawn(3)
    for signed in (False, True):
        source = source_of(forms.open(signed))
        assert isinstance(source, Opened)
        assert source.array is forms
        assert source.signed == signed


@each_field
def test_numbers_are_for_instruments_once_the_run_is_over(field: Field) -> None:
    world = TwinParty.of(field)
    forms, plain = world.drawn(3)
    for ask in (forms.numbers, forms.as_integers):
        with pytest.raises(SealBroken, match="reads the numbers of field elements"):
            ask()
    world.reading.end()
    assert forms.numbers().tolist() == plain.numbers().tolist()
    for signed in (False, True):
        opened, expected = forms.as_integers(signed), plain.as_integers(signed)
        assert opened.tolist() == expected.tolist()
        assert opened.dtype == expected.dtype
        assert opened.meter is world.actor.meter


@each_field
def test_arithmetic_on_numbers_is_billed_like_that_on_residues(field: Field) -> None:
    world = TwinParty.of(field)
    drawn = world.drawn(4)
    world.reading.end()
    ours, plain = both(lambda x: x.as_integers(signed=True) * 3 - 1, drawn)
    assert ours.tolist() == plain.tolist()
    assert world.actor.meter.counts == world.meter.counts


# Known departures


@pytest.mark.parametrize(
    "where", [(slice(None), np.array([0, 2])), (0, [0, 2])], ids=["slice", "number"]
)
def test_an_index_array_may_stand_behind_another_index(where: Any) -> None:
    world = TwinParty.of(FIELDS[1])
    ours, plain = world.drawn(2, 3)
    world.agree(ours[where], plain[where])


def test_numpys_integers_are_factors_from_either_side() -> None:
    world, factor = TwinParty.of(FIELDS[1]), np.int64(3)
    world.agree(*both(lambda x: factor * x, world.drawn(2)))


def test_a_row_of_forms_is_appended_to_numbers() -> None:
    world = TwinParty.of(FIELDS[1])
    world.agree(*both(lambda x, y: x.append(y), world.public([[1, 2]], held=True), world.drawn(2)))


def test_runs_of_numbers_closed_to_forms_are_forms() -> None:
    world = TwinParty.of(FIELDS[1])
    numbers, (forms, _) = constant(FIELDS[1], [1, 2]).metered(world.actor.meter), world.drawn(1)
    closed: Any = numbers.close(forms, [2])
    assert isinstance(closed, Forms)


@pytest.mark.parametrize("name", ["stack", "join"])
def test_a_stack_is_in_the_hands_of_who_holds_the_first(name: str) -> None:
    world = TwinParty.of(FIELDS[1])
    (ours, plain), (forms, residues) = world.public([1, 2], held=False), world.drawn(2)
    stacked = getattr(Residues, name)([ours, forms]), getattr(Residues, name)([plain, residues])
    world.agree(*both(lambda x: x * 2, stacked))
