"""Plain values in messages, and how the bill counts arithmetic on them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.coins.sampled import SampledCoins
from simnet.errors import CodecError
from simnet.values.field import Field
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.typed import Typed, bits, index, reals, stack
from simnet.values.wire import BIT, REAL, WireType
from tests.harness.many_cases import for_each

Array = np.ndarray[Any, np.dtype[Any]]


def indices(values: Any) -> Typed:
    return index(values, below=10)


# Typed


@for_each("make", [bits, indices, reals])
@for_each("shape", [(), (0,), (3,), (2, 2)])
def test_typed_values_are_a_frozen_copy(
    make: Callable[[Any], Typed], shape: tuple[int, ...]
) -> None:
    for dtype in ("int64", "uint8", "float64" if make is reals else "bool"):
        source: Array = np.ones(shape, dtype=dtype)
        typed = make(source)
        source[...] = 0
        assert typed.shape == shape
        assert (typed.numbers() == 1).all()
        for held in (typed.values, typed.numbers(), typed.metered(Meter()).values):
            with pytest.raises(ValueError, match="read-only"):
                held[...] = 0


@pytest.mark.parametrize("make", [bits, indices, reals])
def test_typed_values_leave_the_meter_of_their_source(make: Callable[[Any], Typed]) -> None:
    meter, mine = Meter(), Meter()
    typed = make(Metered.of(np.ones(3, dtype=np.int64), meter))
    assert typed.values.meter is None
    total = typed.metered(mine).values + np.ones(3, dtype=np.int64)
    assert total.tolist() == [2, 2, 2]
    assert (meter.counts, mine.counts) == ({}, {} if make is reals else {"nA": 3})
    assert typed.values.meter is None


@pytest.mark.parametrize(
    "where", [0, (1, 1), slice(1, None), [1, 0], np.array([True, False])], ids=str
)
def test_parts_of_typed_values_are_typed_and_frozen(where: Any) -> None:
    source, meter = np.array([[0, 1], [1, 1]]), Meter()
    part = bits(source).metered(meter)[where]
    assert (part.wire, part.numbers().tolist(), part.values.meter) == (
        BIT,
        source[where].tolist(),
        meter,
    )
    with pytest.raises(ValueError, match="read-only"):
        part.numbers()[...] = 0


def test_stacked_payloads_are_rows_of_one_and_frozen() -> None:
    meter = Meter()
    stacked = stack([bits([0, 1]).metered(meter), bits([1, 1])])
    assert (stacked.wire, stacked.numbers().tolist(), stacked.values.meter) == (
        BIT,
        [[0, 1], [1, 1]],
        meter,
    )
    with pytest.raises(ValueError, match="read-only"):
        stacked.numbers()[...] = 0


def test_each_kind_of_value_names_its_wire_type() -> None:
    assert bits([True, False]).wire == bits(1).wire == BIT
    assert index(2, below=3).wire == WireType("nd", 3)
    assert index(2, below=3, kind="Nd").wire == WireType("Nd", 3)
    assert reals(0).wire == REAL
    assert index([], below=3).values.dtype == bits([]).values.dtype == np.int64
    assert reals([]).values.dtype == reals(1).values.dtype == np.float64


def test_numbers_are_plain() -> None:
    typed = bits([1, 0]).metered(Meter())
    assert type(typed.numbers()) is np.ndarray
    assert typed.numbers().tolist() == [1, 0]


@pytest.mark.parametrize("value", [2, -1, [0, 1, 2], 1.0, "1", [None], 1j, [2**64]], ids=repr)
def test_bits_refuse_other_values(value: Any) -> None:
    with pytest.raises(CodecError, match=r"bits must be integers in 0\.\.1, got"):
        bits(value)


@pytest.mark.slow
@pytest.mark.parametrize(
    "value", [10, -1, [0, 10], 0.0, [1.5], "1", np.uint64(2**64 - 1), [2**64]], ids=repr
)
def test_indices_refuse_other_values(value: Any) -> None:
    with pytest.raises(CodecError, match=r"indices must be integers in 0\.\.\d+, got"):
        indices(value)


@pytest.mark.parametrize("below", [0, -1, 2**63 + 1, 2**64, 2**64 + 1])
def test_indices_refuse_bounds_that_a_signed_word_cannot_hold(below: int) -> None:
    with pytest.raises(ValueError, match=f"below={below}"):
        index([], below)
    with pytest.raises(ValueError, match=f"below={below}"):
        index(below - 1, below)


def test_the_kind_of_an_index_is_that_of_parties_or_of_items() -> None:
    for kind in ("qd", "items", None):
        wrong: Any = kind
        with pytest.raises(ValueError, match="the kind of an index is nd or Nd"):
            index([1], below=5, kind=wrong)


def test_reals_refuse_words() -> None:
    with pytest.raises(CodecError, match="real numbers are expected"):
        reals(["one"])


@pytest.mark.parametrize("below", [1, 2**31, 2**63 - 1, 2**63])
def test_the_largest_index_is_held(below: int) -> None:
    assert int(index(below - 1, below).numbers()) == below - 1


# Metered

shapes = st.sampled_from([(), (1,), (4,), (0,), (2, 3), (3, 1), (1, 3)])


def billed(use: Callable[[Metered], Any], source: Any) -> dict[str, int]:
    meter = Meter()
    use(Metered.of(source, meter))
    return {operation: times for operation, times in meter.counts.items() if times}


@given(shapes, shapes)
def test_each_element_of_a_result_is_billed_once(
    shape: tuple[int, ...], other: tuple[int, ...]
) -> None:
    try:
        times = int(np.prod(np.broadcast_shapes(shape, other)))
    except ValueError:
        return
    ones = np.ones(other, dtype=np.int64)
    for operation, uses in {
        "nA": (lambda a: a + ones, lambda a: ones + a, lambda a: a - ones, lambda a: ones - a),
        "RM": (lambda a: a * ones, lambda a: ones * a, lambda a: a / ones, lambda a: ones // a),
    }.items():
        for use in uses:
            assert billed(use, np.ones(shape, dtype=np.int64)) == (
                {operation: times} if times else {}
            )


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int32, np.bool_])
def test_a_reduction_is_billed_one_addition_less_than_numbers(dtype: type[np.generic]) -> None:
    source = np.ones((3, 4), dtype=dtype)
    assert billed(lambda a: a.sum(), source) == {"nA": 11}
    assert billed(np.sum, source) == {"nA": 11}
    assert billed(lambda a: a.sum(axis=0), source) == {"nA": 8}
    assert billed(lambda a: a.sum(axis=1, keepdims=True), source) == {"nA": 9}
    assert billed(lambda a: a[:1].sum(axis=0), source) == {}
    assert billed(lambda a: a[:0].sum(axis=0), source) == {}
    assert billed(lambda a: a[0, 0:1].sum(), source) == {}
    assert billed(lambda a: a.prod(axis=0), source) == {"RM": 8}


def test_reals_are_billed_for_multiplications_alone() -> None:
    source, count = np.ones((2, 3)), np.ones((2, 3), dtype=np.int64)
    for use in (
        lambda a: a + a,
        lambda a: a - 1,
        lambda a: count + a,
        lambda a: a.sum(),
        lambda a: a.sum(axis=0),
    ):
        assert billed(use, source) == {}
    assert billed(lambda a: a + 0.5, count) == {}
    assert billed(lambda a: a * 2 / 3, source) == {"RM": 12}
    assert billed(lambda a: a.mean(axis=0), source) == {"RM": 3}
    assert billed(lambda a: a.mean(axis=0), count) == {"nA": 3, "RM": 3}


def test_looking_and_moving_are_not_billed() -> None:
    source = np.arange(6)
    for use in (
        lambda a: a == a[::-1],
        lambda a: a < 3,
        lambda a: -a,
        lambda a: a.max(),
        lambda a: np.sort(a),
        lambda a: a.reshape(2, 3).T.copy(),
        lambda a: a.astype(np.float64),
        lambda a: a.plain + a.plain,
        lambda a: a.tolist(),
    ):
        assert billed(use, source) == {}


def test_in_place_arithmetic_is_billed_and_done() -> None:
    meter, target = Meter(), np.zeros(3, dtype=np.int64)
    array = Metered.of(np.arange(3), meter)
    array += 1
    array -= np.ones(3, dtype=np.int64)
    array *= 2
    assert (array.tolist(), array.meter, meter.counts) == ([0, 2, 4], meter, {"nA": 6, "RM": 3})
    np.add(array, array, out=target)
    np.add(target, target, out=array)
    assert (target.tolist(), array.tolist(), meter.counts["nA"]) == ([0, 4, 8], [0, 8, 16], 9)


def test_results_carry_the_meter() -> None:
    meter, plain = Meter(), np.arange(6)
    array = Metered.of(plain, meter)
    unmetered = Metered.of(plain, None)
    results: list[Any] = [
        array + 1,
        plain + array,
        2 * array,
        array / 3,
        array + unmetered,
        unmetered + array,
    ]
    results += [
        array[1:],
        array.reshape(2, 3),
        array.copy(),
        array.sum(),
        array.mean(),
        -array,
        array < 3,
    ]
    for result in results:
        assert isinstance(result, Metered)
        assert result.meter is meter


def test_results_are_those_of_plain_numbers() -> None:
    plain = np.arange(6).reshape(2, 3) + 1
    array = Metered.of(plain, Meter())
    for use in (
        lambda a: a + 2,
        lambda a: 2 - a,
        lambda a: a * a,
        lambda a: 1 / a,
        lambda a: a // 2,
        lambda a: a.sum(axis=0),
        lambda a: a.mean(),
        lambda a: np.cumsum(a),
        lambda a: a[a > 2],
        lambda a: np.modf(a / 2),
    ):
        np.testing.assert_array_equal(use(array), use(plain))


def test_plain_numbers_stay_plain_and_unbilled() -> None:
    meter, plain = Meter(), np.arange(3)
    array = Metered.of(plain, meter)
    assert (type(plain), type(plain + 1), type(array.plain), meter.counts) == (np.ndarray,) * 3 + (
        {},
    )
    unmetered: Any = Metered.of(plain, None)
    assert ((unmetered + unmetered).tolist(), (unmetered + 1).meter) == ([0, 2, 4], None)


def test_a_metered_mask_may_say_where() -> None:
    array = Metered.of(np.arange(4), Meter())
    assert array.sum(where=array > 1) == 5
    assert np.divide(array, array, out=np.zeros(4), where=array > 0).tolist() == [0, 1, 1, 1]


@for_each(
    "use, additions",
    [
        (lambda a: a.cumsum(), 11),
        (lambda a: a.cumsum(axis=0), 8),
        (lambda a: a.cumsum(axis=1), 9),
        (lambda a: np.add.reduceat(a.ravel(), [0, 3]), 10),
        (lambda a: np.add.reduceat(a, [0, 2], axis=0), 4),
        (lambda a: np.add.reduceat(a.ravel(), [9]), 2),
        (lambda a: np.add.at(a.ravel(), [0, 0, 1], 1), 3),
        (lambda a: np.add.at(a, ([0, 1, 1], [0, 0, 0]), 1), 3),
        (lambda a: np.add.at(a, [0, 0], 1), 8),
        (lambda a: np.add.outer(a.ravel(), np.arange(2)), 24),
    ],
)
def test_other_ways_of_adding_are_billed_what_they_take(
    use: Callable[[Metered], Any], additions: int
) -> None:
    assert billed(use, np.ones((3, 4), dtype=np.int64)) == {"nA": additions}


# Coins bill their draws

DRAWS: tuple[tuple[Callable[[SampledCoins], Any], dict[str, int]], ...] = (
    (lambda coins: coins.bernoulli(0.5), {"BS": 1}),
    (lambda coins: coins.bernoullis(1, 7), {"BS": 7}),
    (lambda coins: coins.binomials(np.array([3, 0, 4]), 0.5), {"BS": 7}),
    (lambda coins: coins.integers(5, 4), {"nS": 4}),
    (lambda coins: coins.subset(3, 10), {"nS": 3}),
    (lambda coins: coins.weighted_subset(3, 10), {"aS": 1}),
    (lambda coins: coins.weighted_subset(3, 10, 4, 2.5), {"aS": 1}),
    (lambda coins: coins.categorical([1, 2], 6), {"nS": 6}),
    (lambda coins: coins.field(Field(5), (2, 3)), {"FS": 6}),
    (lambda coins: coins.field(Field(5), ()), {"FS": 1}),
    (lambda coins: coins.field(Field(5), (0, 3)), {"FS": 0}),
    (lambda coins: coins.uniform(4), {"RS": 4}),
    (lambda coins: coins.normal(4), {"RS": 4}),
    (lambda coins: coins.exponential(4), {"RS": 4}),
)


@for_each("draw, expected", DRAWS)
def test_a_draw_is_billed_and_hands_on_the_meter(
    draw: Callable[[SampledCoins], Any], expected: dict[str, int]
) -> None:
    meter = Meter()
    drawn = draw(SampledCoins(0, "u1", meter))
    assert meter.counts == expected
    assert getattr(drawn, "meter", meter) is meter


def test_a_deferred_block_is_billed_when_it_is_made() -> None:
    meter, field = Meter(), Field(5)
    block = SampledCoins(0, "u1", meter).deferred(
        field, (3, 2), lambda coins: coins.field(field, (3, 2))
    )
    assert (block.size, meter.counts) == (6, {})
    block.evaluate()
    assert meter.counts == {"FS": 6}
