"""Tables of orbits agree with the matrices that they stand for."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from simnet.adversary.orbits.tables import Orbits
from tests.harness.orbit_matrices import matching_of, places, written_out

WORDS = st.lists(st.lists(st.sampled_from("ab"), max_size=2).map(tuple), min_size=1, max_size=2)
SIZES = st.fixed_dictionaries({"a": st.integers(0, 4), "b": st.integers(0, 3)})
MODULI = st.sampled_from([2, 3, 5, 101])


def drawn_table(data, orbits, rows, columns):
    entries = orbits.entries(rows, columns)
    values = data.draw(
        st.lists(st.integers(0, orbits.modulus - 1), min_size=len(entries), max_size=len(entries))
    )
    return {entry: value for entry, value in zip(entries, values, strict=True) if value}


@given(SIZES, MODULI, WORDS, WORDS, WORDS, st.data())
def test_a_product_of_tables_is_the_product_of_the_matrices(sizes, q, rows, inner, columns, data):
    orbits = Orbits(sizes, q)
    left = drawn_table(data, orbits, rows, inner)
    right = drawn_table(data, orbits, inner, columns)
    first = written_out(left, rows, inner, sizes)
    second = written_out(right, inner, columns, sizes)
    width = len(places(columns, sizes))
    expected = [
        [sum(row[k] * second[k][j] for k in range(len(second))) % q for j in range(width)]
        for row in first
    ]
    product = orbits.product(left, right, rows, inner, columns)
    assert written_out(product, rows, columns, sizes) == expected


@given(SIZES, WORDS, WORDS)
def test_every_pair_of_tuples_has_exactly_one_entry_and_every_entry_occurs(sizes, rows, columns):
    orbits = Orbits(sizes, 101)
    occurring = {
        (row, column, matching_of(parties, others))
        for (row, parties), (column, others) in itertools.product(
            places(rows, sizes), places(columns, sizes)
        )
    }
    entries = orbits.entries(rows, columns)
    assert len(entries) == len(set(entries))
    assert set(entries) == occurring


@given(SIZES, MODULI, WORDS, WORDS, st.data())
def test_the_identity_changes_no_table(sizes, q, rows, columns, data):
    orbits = Orbits(sizes, q)
    table = drawn_table(data, orbits, rows, columns)
    assert orbits.product(orbits.identity(rows), table, rows, rows, columns) == table
    assert orbits.product(table, orbits.identity(columns), rows, columns, columns) == table


def test_counts_of_large_classes_are_reduced_only_in_the_field():
    orbits = Orbits({"user": 1_000_000}, 10_007)
    ones = {(0, 0, ()): 1}
    count = orbits.product(ones, ones, [()], [("user", "user")], [()])
    assert count == {(0, 0, ()): 1_000_000 * 999_999 % 10_007}
