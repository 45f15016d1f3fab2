"""Sparse vectors: triangular systems are compared with plain summation, and rows of terms are
converted and converted back.
"""

import attrs
from hypothesis import given
from hypothesis import strategies as st

from simnet.linear.terms import Terms
from simnet.linear.vectors import Vector, add_to, back_substitute, multiple

PRIMES = (2, 3, 101)


@attrs.frozen
class Triangle:
    """A system: a unit of row k calls for `calls[k]`, pairs (smaller row, factor)."""

    modulus: int
    calls: list[list[tuple[int, int]]]
    weights: Vector

    def solved_directly(self) -> Vector:
        """From the highest row down, with a list of all weights."""
        totals = [self.weights.get(row, 0) for row in range(len(self.calls))]
        for row in reversed(range(len(self.calls))):
            for other, factor in self.calls[row]:
                totals[other] += totals[row] * factor
        return {
            row: total % self.modulus for row, total in enumerate(totals) if total % self.modulus
        }


@st.composite
def triangles(draw: st.DrawFn) -> Triangle:
    modulus, rows = draw(st.sampled_from(PRIMES)), draw(st.integers(1, 8))
    factor = st.integers(-modulus, modulus)
    calls = [
        draw(st.lists(st.tuples(st.integers(0, row - 1), factor), max_size=4)) if row else []
        for row in range(rows)
    ]
    weights = draw(st.dictionaries(st.integers(0, rows - 1), st.integers(1, modulus - 1)))
    return Triangle(modulus, calls, weights)


@given(triangles(), st.integers(0, 3))
def test_back_substitution_solves_triangular_systems(system: Triangle, unranked: int) -> None:
    """The highest rows may go without a rank if nothing calls for them."""
    called = {other for calls in system.calls for other, _ in calls}
    highest = range(len(system.calls) - unranked, len(system.calls))
    rank = {row: row for row in range(len(system.calls)) if row in called or row not in highest}
    solved = back_substitute(system.weights, rank, system.calls.__getitem__, system.modulus)
    assert solved == system.solved_directly()


@given(st.sampled_from(PRIMES), st.data())
def test_multiples_and_sums_keep_no_zeros(modulus: int, data: st.DataObject) -> None:
    vectors = st.dictionaries(st.integers(0, 5), st.integers(1, modulus - 1))
    first, second = data.draw(vectors), data.draw(vectors)
    factor = data.draw(st.integers(-modulus, modulus))
    total = dict(first)
    add_to(total, second, factor, modulus)
    sums = {key: first.get(key, 0) + factor * second.get(key, 0) for key in {*first, *second}}
    assert total == {key: value % modulus for key, value in sums.items() if value % modulus}
    if factor % modulus:
        assert multiple(first, factor, modulus) == {
            key: value * factor % modulus for key, value in first.items()
        }


@given(st.lists(st.dictionaries(st.integers(0, 9), st.integers(1, 100)), max_size=6))
def test_terms_of_vectors_have_these_vectors(vectors: list[Vector]) -> None:
    assert Terms.of_vectors(vectors).vectors() == vectors
