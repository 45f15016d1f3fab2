"""Residues and running totals are compared with Python integers, over fields on both sides of every
change of dtype.
"""

import copy
import itertools
import operator
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.coins.sampled import SampledCoins
from simnet.linear.forms import Forms
from simnet.linear.terms import fresh
from simnet.values.field import LARGEST_MODULUS, Field
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.residues import Residues, column_sums, constant
from simnet.values.totals import ResidueTotal
from tests.harness.many_cases import for_each

Ints = np.ndarray[Any, np.dtype[np.object_]]  # Python integers, which never wrap

BELOW_2_62 = 2**62 - 57  # the largest prime there
PRIMES = (
    2,
    3,
    5,
    127,
    131,
    251,
    257,
    5003,
    65521,
    65537,
    2**31 - 1,
    4294967311,
    2**61 - 1,
    BELOW_2_62,
)
FIELDS = [Field(q) for q in PRIMES]
SHAPES = ((), (0,), (1,), (4,), (0, 3), (3, 0), (2, 3), (2, 3, 2))
TALL_SHAPES = [shape for shape in SHAPES if shape]

each_field = for_each("field", FIELDS)


@st.composite
def integers_of(draw: st.DrawFn, field: Field, shape: tuple[int, ...]) -> Ints:
    q, count = field.modulus, int(np.prod(shape))
    element = st.sampled_from([0, 1, q // 2, (q // 2 + 1) % q, q - 1]) | st.integers(0, q - 1)
    return np.array(draw(st.lists(element, min_size=count, max_size=count)), dtype=object).reshape(
        shape
    )


@st.composite
def pairs(draw: st.DrawFn, shapes: Sequence[tuple[int, ...]]) -> tuple[Field, Ints, Ints]:
    field, shape = draw(st.sampled_from(FIELDS)), draw(st.sampled_from(shapes))
    shorter = shape[
        draw(st.integers(0, len(shape))) :
    ]  # the second operand may have to be broadcast
    return field, draw(integers_of(field, shape)), draw(integers_of(field, shorter))


def made(field: Field, values: Ints) -> Residues:
    return constant(field, values.astype(np.int64))


def agree(got: Residues, expected: Any) -> bool:
    numbers = got.numbers()
    wanted = np.asarray(np.asarray(expected, dtype=object) % got.field.modulus)
    return (type(numbers), numbers.dtype) == (np.ndarray, got.field.dtype) and (
        (got.shape, numbers.tolist()) == (wanted.shape, wanted.tolist())
    )


# Arithmetic


@given(pairs(SHAPES))
def test_sums_differences_and_negatives_are_those_of_integers(
    pair: tuple[Field, Ints, Ints],
) -> None:
    field, left, right = pair
    assert agree(made(field, left) + made(field, right), left + right)
    assert agree(made(field, left) - made(field, right), left - right)
    assert agree(made(field, right) - made(field, left), right - left)
    assert agree(-made(field, left), -left)


@given(pairs(TALL_SHAPES), st.integers(-(2**70), 2**70))
def test_products_are_those_of_integers(pair: tuple[Field, Ints, Ints], factor: int) -> None:
    field, left, right = pair
    assert agree(made(field, left) * made(field, right), left * right)
    assert agree(made(field, left) * factor, left * factor)
    assert agree(factor * made(field, left), left * factor)
    numpys: Any = np.int64(-3)
    assert agree(made(field, left) * numpys, left * -3)
    assert agree(
        numpys * made(field, left), left * -3
    )  # numpy's own product would have the first say


@given(st.data())
def test_matrix_products_are_those_of_integers(data: st.DataObject) -> None:
    field = data.draw(st.sampled_from(FIELDS))
    rows, inner, columns = (data.draw(st.integers(0, 4)) for _ in range(3))
    one_axis = data.draw(st.tuples(st.booleans(), st.booleans()))
    shapes = (
        (inner,) if one_axis[0] else (rows, inner),
        (inner,) if one_axis[1] else (inner, columns),
    )
    left, right = (data.draw(integers_of(field, shape)) for shape in shapes)
    shape = (*shapes[0][:-1], *shapes[1][1:])
    expected = np.asarray(left @ right if inner else np.zeros(shape, dtype=object))
    factors, meter = (made(field, left), made(field, right)), Meter()
    plain: list[Any] = [np.asarray(values, dtype=np.int64) for values in (left, right)]
    assert agree(factors[0].metered(meter) @ factors[1], expected)
    assert meter.counts["FM"] == expected.size * inner
    assert meter.counts["FA"] == expected.size * max(inner - 1, 0)
    assert agree(factors[0] @ plain[1], expected)
    assert agree(plain[0] @ factors[1], expected)
    assert agree(factors[0].reshape(left.size), left.reshape(left.size))
    with pytest.raises(ValueError, match="cannot multiply shapes"):
        _ = factors[0] @ constant(field, np.ones((inner + 1, 2), dtype=np.int64))
    with pytest.raises(TypeError, match="made from integers"):
        _ = factors[0] @ (plain[1] + 0.5)


@each_field
def test_an_element_times_its_inverse_is_one(field: Field) -> None:
    numbers = [[1, field.modulus - 1], [max(field.modulus // 2, 1), max(field.modulus - 2, 1)]]
    elements, meter = constant(field, numbers), Meter()
    inverses = elements.metered(meter).inverse()
    assert meter.counts == {"FM": 4}
    assert (elements * inverses).numbers().tolist() == [[1, 1], [1, 1]]
    with pytest.raises(ValueError, match=f"0 has no inverse in F_{field.modulus}"):
        constant(field, [1, 0]).inverse()


@each_field
def test_arithmetic_on_the_edges_of_the_field(field: Field) -> None:
    q = field.modulus
    edges = np.array(sorted({0, 1, q // 2, (q + 1) // 2 % q, q - 2, q - 1}), dtype=object)
    left, right = edges[:, np.newaxis], edges[np.newaxis]
    assert agree(made(field, left) + made(field, right), left + right)
    assert agree(made(field, left) - made(field, right), left - right)
    assert agree(made(field, left) * made(field, right), left * right)
    assert made(field, edges).as_integers(signed=True).tolist() == [
        x if 2 * x <= q else x - q for x in edges
    ]


@pytest.mark.parametrize(
    "field", [Field(5), Field(65537), Field(2**61 - 1)], ids=lambda field: f"F_{field.modulus}"
)
def test_a_product_of_single_numbers_is_a_field_array(field: Field) -> None:
    largest = constant(field, field.modulus - 1)
    for product, expected in (
        (largest * largest, 1),
        (largest * 2, -2),
        (constant(field, [1, -1])[1] * largest, 1),
    ):
        assert agree(product, expected)
        assert int(product.as_integers(signed=True)) == expected


@given(st.data())
def test_sum_append_and_open_are_those_of_integers(data: st.DataObject) -> None:
    field, shape = data.draw(st.sampled_from(FIELDS)), data.draw(st.sampled_from(TALL_SHAPES))
    values, row = data.draw(integers_of(field, shape)), data.draw(integers_of(field, shape[1:]))
    array, longer = made(field, values), np.concatenate([values, row[np.newaxis]])
    assert agree(array.sum(), values.sum(axis=0))
    assert agree(array.append(made(field, row)), longer)
    assert agree(
        array.append(made(field, row)).append(made(field, row)).sum(), longer.sum(axis=0) + row
    )
    assert agree(array, values)


@given(st.data())
def test_combinations_of_rows_are_those_of_integers(data: st.DataObject) -> None:
    field, shape = (
        data.draw(st.sampled_from(FIELDS)),
        data.draw(st.sampled_from([(1,), (4,), (3, 0), (2, 3), (3, 2, 2)])),
    )
    rows, combinations = shape[0], data.draw(st.integers(0, 3))
    weight = st.sampled_from([-1, 0, 1, 2**63 - 1, -(2**63)]) | st.integers(-9, 9)
    drawn = data.draw(st.lists(weight, min_size=rows * combinations, max_size=rows * combinations))
    weights, values = (
        np.array(drawn, dtype=object).reshape(combinations, rows),
        data.draw(integers_of(field, shape)),
    )
    expected = (weights @ values.reshape(rows, -1)).reshape(combinations, *shape[1:])
    assert agree(made(field, values).combine(weights.astype(np.int64)), expected)


@each_field
def test_combinations_of_largest_residues_do_not_wrap(field: Field) -> None:
    for rows in (1, 2, 3, 5, 9, 300):
        array, weights = constant(field, np.full((rows, 2), -1)), np.full((1, rows), -1)
        assert agree(array.combine(weights), [[rows, rows]])


@pytest.mark.parametrize("modulus", [2**31 - 1, 2**32 - 5])
@pytest.mark.parametrize("rows", [1, 700, 2**15 - 1])
def test_combinations_of_the_largest_residues_do_not_wrap(modulus: int, rows: int) -> None:
    """The sums of products are as large as they can be; halves of 16 bits must hold them."""
    field = Field(modulus)
    array = constant(field, np.full((rows, 2), modulus - 1))
    weights = np.full((1, rows), modulus - 1)
    assert agree(array.combine(weights), [[rows % modulus] * 2])


def test_combinations_of_no_rows_are_zero() -> None:
    array = constant(Field(5), np.zeros((0, 3), dtype=np.int64))
    assert agree(array.combine(np.zeros((2, 0), dtype=np.int64)), np.zeros((2, 3), dtype=object))


@given(st.data())
def test_closing_makes_every_run_add_up_to_its_total(data: st.DataObject) -> None:
    field, sizes = (
        data.draw(st.sampled_from(FIELDS)),
        data.draw(st.lists(st.integers(0, 6), max_size=5)),
    )
    values, totals = (
        data.draw(integers_of(field, (sum(sizes),))),
        data.draw(integers_of(field, (len(sizes),))),
    )
    expected, rest = [], values.tolist()
    for size, total in zip(sizes, totals.tolist(), strict=True):
        run, rest = rest[:size], rest[size:]
        expected += [*run, total - sum(run)]
    assert agree(made(field, values).close(made(field, totals), sizes), expected)


@each_field
def test_one_zero_in_memory_for_all_elements_counts_like_many_zeros(field: Field) -> None:
    zero = np.broadcast_to(np.zeros((), dtype=field.dtype), (6,))
    row = constant(field, [1, field.modulus - 1])
    counts = []
    for values in (zero, np.zeros_like(zero)):
        meter = Meter()
        flat = Residues(field, values, meter)
        square = flat.reshape(3, 2)
        assert agree(square.sum(), [0, 0])
        assert agree(square.append(row), [[0, 0]] * 3 + [[1, field.modulus - 1]])
        assert agree(flat.close(row, [0, 6]), [1, *[0] * 6, field.modulus - 1])
        counts.append(meter.counts)
    assert counts[0] == counts[1]


@each_field
def test_runs_of_largest_residues_close(field: Field) -> None:
    for longest in (1, 2, 3, 4, 5, 6, 8, 9, 15, 17, 70, 5000):
        sizes = [0, longest, 1]
        closed = constant(field, np.full(longest + 1, -1)).close(constant(field, [3, 2, 1]), sizes)
        assert agree(closed[[0, longest + 1, -1]], [3, longest + 2, 2])


@pytest.mark.parametrize(
    ("totals", "sizes"), [([1], [2]), ([1], [4]), ([1, 2], [3]), ([1], [1, 2]), ([], [])], ids=str
)
def test_runs_and_totals_must_match(totals: list[int], sizes: list[int]) -> None:
    field = Field(5)
    with pytest.raises(ValueError, match="do not fit groups"):
        constant(field, [1, 2, 3]).close(constant(field, np.array(totals, dtype=np.int64)), sizes)


@each_field
@for_each("shape", [(), (3,), (0,), (2, 2)])
def test_stacked_arrays_become_rows(field: Field, shape: tuple[int, ...]) -> None:
    rows = [np.full(shape, value) for value in (-1, 0, 1)]
    stacked = Residues.stack([constant(field, row) for row in rows])
    assert agree(stacked, np.stack(rows))
    assert agree(stacked[2], rows[2])


@given(st.data())
def test_opening_gives_the_residues_or_the_nearest_to_zero(data: st.DataObject) -> None:
    field, shape = data.draw(st.sampled_from(FIELDS)), data.draw(st.sampled_from(SHAPES))
    values = data.draw(integers_of(field, shape))
    opened, signed = made(field, values).as_integers(), made(field, values).as_integers(signed=True)
    assert opened.dtype == signed.dtype == np.int64
    assert (opened.shape, opened.tolist(), signed.shape) == (shape, values.tolist(), shape)
    nearest = [x if 2 * x <= field.modulus else x - field.modulus for x in values.ravel()]
    assert signed.ravel().tolist() == nearest


@each_field
@for_each(
    "where",
    [
        0,
        -1,
        slice(1, None),
        slice(None, None, -2),
        slice(3, 1),
        (Ellipsis, 2),
        (1, 2),
        [2, 0, 2],
        (slice(None), np.array([1, 3])),
        np.array([True, False, True]),
    ],
)
def test_indexing_is_numpys(field: Field, where: Any) -> None:
    values = np.arange(12).reshape(3, 4) - 6
    assert agree(constant(field, values)[where], values[where])


def test_equality_compares_field_shape_and_elements() -> None:
    array = constant(Field(5), [[1, 2]])
    assert array == constant(Field(5), [[6, -3]])
    assert array != constant(Field(7), [[1, 2]])
    assert array != constant(Field(5), [1, 2])
    assert array != [[1, 2]]


def test_numbers_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        constant(Field(5), [1, 2]).numbers()[0] = 3


# Long sums: nothing may wrap


@each_field
@for_each("shape", [(), (1,), (3,), (5, 2), (2500,)])
def test_column_sums_of_many_largest_residues(field: Field, shape: tuple[int, ...]) -> None:
    for rows in (0, 1, 2, 15, 16, 17, 255, 257, 2049 if np.prod(shape) > 100 else 9001):
        total = column_sums(np.full((rows, *shape), field.modulus - 1, dtype=field.dtype), field)
        assert (total.shape, total.dtype) == (shape, field.dtype)
        assert (total == -rows % field.modulus).all()


@each_field
@for_each("shape", [(70_003,), (9_001, 3), (600, 250)])
def test_column_sums_of_uniform_residues(field: Field, shape: tuple[int, ...]) -> None:
    drawn = (
        np.random.default_rng(1)
        .integers(field.modulus, size=shape, dtype=np.uint64)
        .astype(field.dtype)
    )
    assert agree(Residues(field, drawn).sum(), drawn.astype(object).sum(axis=0))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)], ids=str)
def test_many_rows_of_no_columns_add_to_no_columns(shape: tuple[int, ...]) -> None:
    for field in FIELDS:
        assert constant(field, np.zeros((70_000, *shape), dtype=np.int64)).sum().shape == shape


@pytest.mark.slow
@each_field
@pytest.mark.parametrize("rows", [slice(1, 3), np.array([3, 1])], ids=["slice", "indices"])
def test_a_total_of_many_largest_residues(field: Field, rows: Any) -> None:
    times = 2 * field.headroom + 3 if field.headroom < 2**17 else 1000
    total, block = ResidueTotal(field, (2,)), constant(field, np.full((2, 2), -1))
    total.reserve(4)
    for _ in range(times):
        total.add([rows], block)
    touched = set(np.arange(4)[rows].tolist())
    for slot in range(4):
        assert agree(total.row(slot), [-times if slot in touched else 0] * 2)


@each_field
def test_totals_of_totals_of_largest_residues(field: Field) -> None:
    part, whole = ResidueTotal(field, (1,)), ResidueTotal(field, (1,))
    part.reserve(1)
    block, times = constant(field, [[-1]]), min(field.headroom, 300)
    for merges in range(1, 12):
        for _ in range(times):
            part.add([slice(0, 1)], block)
        whole.merge(part)
        part.merge(whole)  # the parts grow like Fibonacci numbers
        for _ in range(times):
            whole.add([slice(0, 1)], block)
        expected = _fibonacci_like(merges, times)
        assert agree(part.row(0), [-expected[0]])
        assert agree(whole.row(0), [-expected[1]])


def _fibonacci_like(merges: int, times: int) -> tuple[int, int]:
    part = whole = 0
    for _ in range(merges):
        part += times
        whole += part
        part += whole
        whole += times
    return part, whole


@st.composite
def slots(draw: st.DrawFn) -> Any:
    if draw(st.booleans()):
        start = draw(st.integers(0, 5))
        return slice(start, draw(st.integers(start, 6)))
    return np.array(draw(st.lists(st.integers(0, 5), unique=True)), dtype=np.intp)


@given(st.data())
def test_totals_follow_a_model_of_integers(data: st.DataObject) -> None:
    field, shape = (
        data.draw(st.sampled_from(FIELDS)),
        data.draw(st.sampled_from([(), (2,), (2, 2)])),
    )
    totals = [ResidueTotal(field, shape), ResidueTotal(field, shape)]
    models = [np.zeros((0, *shape), dtype=object), np.zeros((0, *shape), dtype=object)]

    def reserve(which: int, slots: int) -> None:
        missing = max(slots - len(models[which]), 0)
        models[which] = np.concatenate([models[which], np.zeros((missing, *shape), dtype=object)])

    for _ in range(data.draw(st.integers(1, 6))):
        which = data.draw(st.integers(0, 1))
        if data.draw(st.booleans()):
            totals[which].merge(totals[1 - which])
            reserve(which, len(models[1 - which]))
            models[which][: len(models[1 - which])] += models[1 - which]
        else:
            totals[which].reserve(6)
            reserve(which, 6)
            rows = data.draw(slots())
            block = data.draw(integers_of(field, (len(np.arange(6)[rows]), *shape)))
            for _ in range(data.draw(st.sampled_from([1, 2, 300]))):
                totals[which].add([rows], made(field, block))
                models[which][rows] += block
        for total, model in zip(totals, models, strict=True):
            assert all(agree(total.row(slot), model[slot]) for slot in range(len(model)))


# Constants, and arrays that share memory


@given(st.sampled_from(FIELDS), st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_constants_are_reduced(field: Field, values: list[int]) -> None:
    assert agree(constant(field, np.array(values, dtype=np.int64)), values)


@each_field
def test_constants_come_from_unsigned_integers_and_booleans(field: Field) -> None:
    assert agree(constant(field, np.array([0, 2**64 - 1], dtype=np.uint64)), [0, 2**64 - 1])
    assert agree(constant(field, np.array([255], dtype=np.uint8)), [255])
    assert agree(constant(field, np.array([True, False])), [1, 0])
    assert agree(constant(field, True), 1)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_constants_come_from_narrow_signed_integers(dtype: type[np.signedinteger[Any]]) -> None:
    for field in FIELDS:
        assert agree(constant(field, np.array([-128, -1, 0, 127], dtype=dtype)), [-128, -1, 0, 127])


@each_field
@for_each("dtype", [np.int64, np.uint64, np.bool_])
def test_a_constant_is_a_copy(field: Field, dtype: type[np.generic]) -> None:
    source = np.zeros(3, dtype=dtype)
    array = constant(field, source)
    source[:] = 1
    assert agree(array, [0, 0, 0])


@pytest.mark.parametrize(
    "value", [1.0, [0.5], np.float32(2), 1j, "1", None, [2**64], [[1, 2.0]]], ids=repr
)
def test_a_constant_of_no_integers_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="made from integers"):
        constant(Field(5), value)


@each_field
@for_each("shape", [(3,), (2, 3), (0, 2), (2, 0), (2, 2, 2)])
def test_appending_twice_to_drawn_coins_gives_two_right_results(
    field: Field, shape: tuple[int, ...]
) -> None:
    drawn = SampledCoins(3, "u1").field(field, shape)
    before, part = drawn.numbers().tolist(), drawn[:1].numbers().tolist()
    rows = [constant(field, np.full(shape[1:], value)) for value in (-1, 1, 0)]
    results = [drawn.append(row) for row in rows]
    further = [result.append(rows[1]) for result in results]
    for row, result, longer in zip(rows, results, further, strict=True):
        assert result.numbers().tolist() == [*before, row.numbers().tolist()]
        assert longer.numbers().tolist() == [
            *before,
            row.numbers().tolist(),
            rows[1].numbers().tolist(),
        ]
    assert drawn.numbers().tolist() == before
    assert drawn[:1].numbers().tolist() == part


@pytest.mark.parametrize("row", [0, [1], [1, 2], [[1, 2, 3]]], ids=repr)
def test_append_refuses_a_row_of_another_shape(row: Any) -> None:
    field = Field(5)
    for array in (constant(field, [[1, 2, 3]]), SampledCoins(0, "u1").field(field, (1, 3))):
        with pytest.raises(ValueError, match="rows have shape"):
            array.append(constant(field, row))


def test_append_refuses_what_is_no_field_array() -> None:
    with pytest.raises(TypeError):
        constant(Field(5), [1, 2]).append(3)


# Fields


def test_above_gives_the_smallest_larger_prime() -> None:
    primes = [n for n in range(2, 2100) if all(n % d for d in range(2, int(n**0.5) + 1))]
    for bound in range(-3, 2001):
        assert Field.above(bound).modulus == next(prime for prime in primes if prime > bound)


@pytest.mark.parametrize(
    ("bound", "prime"), [(2**32, 4294967311), (2**31 - 2, 2**31 - 1), (2**62 - 72, BELOW_2_62)]
)
def test_above_gives_known_large_primes(bound: int, prime: int) -> None:
    assert Field.above(bound).modulus == prime


@pytest.mark.parametrize("bound", [BELOW_2_62, LARGEST_MODULUS, 2**80])
def test_above_refuses_bounds_without_a_prime_below_2_62(bound: int) -> None:
    with pytest.raises(ValueError, match="prime modulus"):
        Field.above(bound)


NO_MODULI = (
    -7,
    -1,
    0,
    1,
    4,
    9,
    561,
    5003 * 5009,
    3215031751,
    2**61 + 1,
    2**62 - 1,
    2**62,
    2**62 + 135,
    2**89 - 1,
)


@for_each("modulus", NO_MODULI)  # also a Carmichael number, a strong pseudoprime, too large primes
def test_a_field_refuses_what_is_no_prime_below_2_62(modulus: int) -> None:
    with pytest.raises(ValueError, match="prime modulus"):
        Field(modulus)


@each_field
def test_the_dtype_is_the_narrowest_that_holds_two_residues(field: Field) -> None:
    bits = next(bits for bits in (8, 16, 32, 64) if 2 * (field.modulus - 1) < 2**bits)
    assert field.dtype == np.dtype(f"uint{bits}")
    assert field.wire.width == (field.modulus - 1).bit_length()


MIXTURES = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "append": lambda one, other: one.append(other[0]),
    "close": lambda one, other: one.close(other, [1, 1]),
    "stack": lambda one, other: Residues.stack([one, other]),
}


@pytest.mark.parametrize("mix", MIXTURES.values(), ids=MIXTURES)
def test_two_fields_do_not_mix(mix: Any) -> None:
    for one, other in itertools.permutations([Field(5), Field(7), Field(2**61 - 1)], 2):
        with pytest.raises(TypeError, match="cannot combine elements of F_"):
            mix(constant(one, [1, 2]), constant(other, [1, 2]))


@pytest.mark.parametrize("operation", [operator.add, operator.sub])
def test_bare_numbers_are_neither_added_nor_subtracted(operation: Any) -> None:
    with pytest.raises(TypeError):
        operation(constant(Field(5), [1, 2]), 1)
    for number in (1, 0.0, False, np.int64(0)):
        with pytest.raises(TypeError):
            operation(number, constant(Field(5), [1, 2]))


def calling(function: Any, *more: Any) -> Any:
    return lambda v, _: function(v, *more)


NAMES = (
    *("mod", "floordiv", "truediv", "pow", "lshift", "rshift", "and_", "or_", "xor"),
    *("lt", "le", "gt", "ge"),
)
MEANINGLESS: dict[str, Any] = {
    **{f"v {name} 2": getattr(operator, name) for name in NAMES},
    "divmod": divmod,
    "pow": lambda v, two: pow(v, two, 5),
    **{
        one.__name__: calling(one) for one in (abs, len, round, complex, operator.inv, operator.pos)
    },
    **{f"v {one.__name__} 1.5": calling(one, 1.5) for one in (operator.mul, operator.add)},
    "1.5 * v": lambda v, _: 1.5 * v,
    "v @ list": calling(operator.matmul, [1, 2]),
    "v * array": calling(operator.mul, np.array([1, 2])),
    "array * v": lambda v, _: np.array([1, 2]) * v,
    "array / v": lambda v, _: np.array([1, 2]) / v,
    "array += v": lambda v, _: operator.iadd(np.array([1, 2]), v),
    "np.array of a list": lambda v, _: np.array([v, v]),
    "np.asarray": lambda v, _: np.asarray(v, dtype=object),
    **{f"np.{one.__name__}": calling(one) for one in (np.array, np.mean, np.sqrt, np.negative)},
    **{
        f"np.{one.__name__} of two": lambda v, _, one=one: one(v, v)
        for one in (np.add, np.multiply, np.matmul, np.maximum, np.equal)
    },
}


def both_kinds() -> list[Any]:
    residues = constant(Field(101), [3, 4])
    return [residues, Forms(residues, fresh(1, 1, 2), cast(Any, None))]


@pytest.mark.parametrize("deed", MEANINGLESS.values(), ids=MEANINGLESS)
def test_what_only_numbers_have_is_refused_with_what_to_write(deed: Any) -> None:
    for array in both_kinds():
        with pytest.raises(TypeError, match=r"`array|constant\(|me\.output"):
            deed(array, 2)
        with pytest.raises(TypeError, match=r"`array|constant\(|me\.output"):
            deed(array, np.int64(2))


@pytest.mark.parametrize("name", ["T", "mean", "dtype", "size", "tolist", "max", "cumsum"])
def test_an_attribute_that_only_numpys_arrays_have_is_refused(name: str) -> None:
    for array in both_kinds():
        with pytest.raises(AttributeError, match=rf"no attribute '{name}': .*`array\.sum\(\)`"):
            getattr(array, name)
        assert list(copy.deepcopy(array).shape) == [2]


def test_operators_with_numpys_integers_on_the_left_have_a_meaning() -> None:
    field = Field(101)
    v: Any = constant(field, [3, 4])
    assert agree(np.int64(2) * v, [6, 8])
    assert agree(np.array([[1, 1], [1, 2]]) @ v, [7, 11])


def test_pythons_sum_adds_up_arrays_and_bills_each_addition() -> None:
    rows = [constant(Field(5), [1, 2]) for _ in range(3)]
    assert agree(sum(rows), [3, 1])
    assert billed(Field(5), (2,), lambda a: sum([a, a, a])) == {"FA": 4}
    with pytest.raises(TypeError):
        0 - rows[0]


# The meter


def billed(field: Field, shape: tuple[int, ...], use: Any) -> dict[str, int]:
    meter = Meter()
    use(constant(field, np.ones(shape, dtype=np.int64)).metered(meter))
    return {operation: times for operation, times in meter.counts.items() if times}


@each_field
def test_each_result_element_is_billed_once(field: Field) -> None:
    row, one = constant(field, [1, 1, 1]), constant(field, 1)
    assert billed(field, (2, 3), lambda a: a + a) == {"FA": 6}
    assert billed(field, (2, 3), lambda a: a - row) == {"FA": 6}
    assert billed(field, (2, 3), lambda a: row - a) == {"FA": 6}
    assert billed(field, (2, 3), lambda a: -a) == {"FA": 6}
    assert billed(field, (2, 3), lambda a: one + a) == {"FA": 6}
    assert billed(field, (3,), lambda a: a + constant(field, np.ones((5, 3), dtype=np.int64))) == {
        "FA": 15
    }
    assert billed(field, (2, 3), lambda a: a * a) == {"FM": 6}
    assert billed(field, (2, 3), lambda a: 3 * a * row) == {"FM": 12}
    assert billed(field, (0, 3), lambda a: a * a + a) == {}
    assert billed(field, (), lambda a: a + a) == {"FA": 1}


@each_field
@for_each(
    "shape, additions",
    [((5, 3), 12), ((1, 3), 0), ((0, 3), 0), ((4,), 3), ((3, 2, 2), 8), ((3, 0), 0)],
)
def test_a_sum_is_billed_one_addition_less_than_rows(
    field: Field, shape: tuple[int, ...], additions: int
) -> None:
    assert billed(field, shape, lambda a: a.sum()) == ({"FA": additions} if additions else {})


@each_field
@for_each("shape, per_row", [((4,), 1), ((4, 3), 3), ((1, 3), 3), ((4, 0), 0)])
def test_a_combination_is_billed_its_products_and_sums(
    field: Field, shape: tuple[int, ...], per_row: int
) -> None:
    rows, expected = shape[0], {"FM": 2 * shape[0] * per_row, "FA": 2 * (shape[0] - 1) * per_row}
    counts = billed(field, shape, lambda a: a.combine(np.ones((2, rows), dtype=np.int64)))
    assert counts == {operation: times for operation, times in expected.items() if times}


@pytest.mark.parametrize("sizes", [[4], [3, 1], [0, 4, 0], [1, 1, 1, 1]], ids=str)
def test_closing_is_billed_one_addition_for_every_masking_element(sizes: list[int]) -> None:
    field, meter = Field(5), Meter()
    totals = constant(field, np.ones(len(sizes), dtype=np.int64))
    constant(field, [1, 2, 3, 4]).metered(meter).close(totals.metered(meter), sizes)
    assert meter.counts == {"FA": 4}


@pytest.mark.parametrize("sizes", [[4], [3, 1], [0, 4, 0], [1, 1, 1, 1]], ids=str)
def test_closing_on_public_totals_is_billed_the_same(sizes: list[int]) -> None:
    field, meter = Field(5), Meter()
    totals = constant(field, np.ones(len(sizes), dtype=np.int64))
    constant(field, [1, 2, 3, 4]).metered(meter).close(totals, sizes)
    assert meter.counts == {"FA": 4}


@each_field
def test_moving_elements_about_is_not_billed(field: Field) -> None:
    row = constant(field, [1, 2, 3])
    assert (
        billed(
            field,
            (2, 3),
            lambda a: (a[0], a.append(row), Residues.stack([a, a]), a.as_integers(signed=True)),
        )
        == {}
    )


def test_the_meter_goes_along() -> None:
    first, second = Meter(), Meter()
    array = constant(Field(5), [[1, 2], [3, 4]])
    mine = array.metered(first)
    results = (
        mine + array,
        array - mine,
        2 * mine,
        mine.sum(),
        mine[0],
        Residues.stack([mine, array]),
        -mine,
    )
    assert all(result.meter is first for result in results)
    assert array.append(mine[0]).meter is first
    opened = mine.as_integers()
    assert isinstance(opened, Metered)
    assert opened.meter is first
    before = first.counts.copy()
    handed = mine.metered(second) + array
    assert (handed.meter, first.counts, second.counts) == (second, before, {"FA": 4})
    assert array.meter is None


@pytest.mark.parametrize(
    "pieces", [[slice(0, 3), slice(1, 4)], [slice(0, 0), slice(1, 3)], [slice(2, 4), slice(0, 3)]]
)
def test_pieces_that_overlap_or_hold_nothing_are_added_right(pieces: list[slice]) -> None:
    """Over a field in whose narrow type just two residues can be added."""
    field, named = (
        Field(127),
        [place for piece in pieces for place in range(piece.start, piece.stop)],
    )
    total, expected = ResidueTotal(field, ()), [0] * 4
    total.reserve(4)
    for _ in range(5):
        total.add(pieces, constant(field, [126 - place for place in range(len(named))]))
        for value, place in enumerate(named):
            expected[place] += 126 - value
    assert total.rows(range(4)).numbers().tolist() == [value % 127 for value in expected]


@given(st.data())
def test_a_block_is_dealt_to_its_pieces_in_order(data: st.DataObject) -> None:
    """Ranges apart from each other, ranges that meet again, and index arrays.

    As often as narrow entries could wrap.
    """
    field = data.draw(st.sampled_from(FIELDS))
    pieces = data.draw(
        st.lists(
            st.one_of(
                st.tuples(st.integers(0, 3), st.integers(0, 3)).map(
                    lambda pair: slice(min(pair), max(pair) + 1)
                ),
                st.sets(st.integers(0, 3), min_size=1).map(
                    lambda members: np.array(sorted(members))
                ),
            ),
            min_size=1,
            max_size=4,
        )
    )
    named = [
        place
        for piece in pieces
        for place in (range(4)[piece] if isinstance(piece, slice) else piece.tolist())
    ]
    total, expected = ResidueTotal(field, ()), [0] * 4
    total.reserve(4)
    for _ in range(40):
        block = [field.modulus - 1 - place for place in range(len(named))]
        total.add(pieces, constant(field, [value % field.modulus for value in block]))
        for value, place in zip(block, named, strict=True):
            expected[place] += value
    assert total.rows(range(4)).numbers().tolist() == [value % field.modulus for value in expected]


def test_no_integers_make_an_empty_array() -> None:
    assert constant(Field(7), []).shape == (0,)


@pytest.mark.parametrize("bound", [6, 100, 2**61])
def test_an_integer_of_numpy_makes_the_same_field(bound: int) -> None:
    for field in (Field.above(np.int64(bound)), Field(np.int64(Field.above(bound).modulus))):
        assert field == Field.above(bound)
        assert type(field.modulus) is int
    with pytest.raises(TypeError, match="whole number"):
        Field(7.0)


@pytest.mark.parametrize(
    ("deed", "instead"),
    [
        (lambda v: v / 2, "multiply by an inverse"),
        (lambda v: 2 / v, "multiply by an inverse"),
        (lambda v: v**2, r"array \* array"),
        (lambda v: np.concatenate([v, v]), r"join\(\[array, other\]\)"),
        (lambda v: np.stack([v, v]), r"stack\(\[array, other\]\)"),
        (lambda v: np.sum(v), r"array\.sum\(\)"),
    ],
)
def test_a_refused_operation_says_what_to_write_instead(deed: Any, instead: str) -> None:
    values = constant(Field(101), [1, 2, 3])
    with pytest.raises(TypeError, match=instead):
        deed(values)
    half = values * constant(Field(101), 2).inverse()
    assert (half + half).is_same_as(values)
    assert type(values).join([values, values]).shape == (6,)
