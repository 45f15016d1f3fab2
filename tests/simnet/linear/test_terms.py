"""Sums of sparse rows are compared with sums of dictionaries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.linear import terms
from simnet.linear.terms import Terms, accumulate, between, only, take
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import Vector, add_to

PLACE = st.integers(0, 4) | st.just(PLACES - 1)
MODULI = (2, 7, 10_007, (1 << 61) - 1)


@st.composite
def rows_mod(draw: st.DrawFn, modulus: int) -> list[Vector]:
    """Some rows, with unknowns of a few families."""
    unknown = st.builds(lambda family, place: family * PLACES + place, st.integers(0, 3), PLACE)
    vector = st.dictionaries(unknown, st.integers(1, modulus - 1), max_size=6)
    return draw(st.lists(vector, min_size=1, max_size=8))


@given(st.data())
def test_sums_in_portions_are_sums(data: st.DataObject) -> None:
    modulus = data.draw(st.sampled_from(MODULI))
    vectors = data.draw(rows_mod(modulus))
    count = data.draw(st.sampled_from([1, 1, 2, 5]))
    targets = data.draw(st.lists(st.integers(0, count - 1), min_size=len(vectors), max_size=20))
    targets = targets[: len(vectors)]
    weights = data.draw(
        st.none()
        | st.lists(st.integers(0, modulus - 1), min_size=len(vectors), max_size=len(vectors))
    )
    expected: list[Vector] = [{} for _ in range(count)]
    for vector, target, weight in zip(vectors, targets, weights or [1] * len(vectors), strict=True):
        add_to(expected[target], vector, weight, modulus)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terms, "PORTION", data.draw(st.sampled_from([1, 2, 5, 1 << 18])))
        total = accumulate(
            Terms.of_vectors(vectors),
            np.array(targets),
            None if weights is None else np.array(weights, dtype=np.int64),
            count,
            modulus,
        )
    assert total.vectors() == expected
    assert all(list(vector) == sorted(vector) for vector in total.vectors())


def test_a_sum_of_more_terms_than_a_portion() -> None:
    size = terms.PORTION
    generator = np.random.Generator(np.random.SFC64(1))
    unknowns = np.concatenate([np.arange(size), generator.permutation(size) * 3])
    rows = Terms(np.arange(2 * size + 1), unknowns, np.arange(2 * size) % 97, 1)
    total = accumulate(rows, np.zeros(2 * size, dtype=np.int64), None, 1, 97)
    expected = np.bincount(unknowns, weights=rows.coefficients).astype(np.int64) % 97
    assert np.array_equal(total.unknowns, np.flatnonzero(expected))
    assert np.array_equal(total.coefficients, expected[expected != 0])


def test_many_equal_coefficients_take_no_room_and_add_up() -> None:
    size = 2 * terms.MANY
    coins = terms.fresh(PLACES, size, 1)
    total = accumulate(coins, np.zeros(size, dtype=np.int64), None, 1, 7)
    assert total.coefficients.strides == (0,)
    both = accumulate(terms.join([total, total, coins]), np.arange(size + 2) * 0, None, 1, 7)
    assert both.vectors() == [{PLACES + place: 3 for place in range(size)}]


@given(st.data())
def test_parts_of_rows(data: st.DataObject) -> None:
    vectors = data.draw(rows_mod(7))
    rows = Terms.of_vectors(vectors)
    begin = data.draw(st.integers(0, len(vectors)))
    end = data.draw(st.integers(begin, len(vectors)))
    part = between(rows, begin, end)
    assert (
        part.vectors() == take(rows, np.arange(begin, end)).vectors() == rows.vectors()[begin:end]
    )
    assert only(rows, lambda unknowns: unknowns % 2 == 0).vectors() == [
        {unknown: value for unknown, value in sorted(vector.items()) if unknown % 2 == 0}
        for vector in vectors
    ]
