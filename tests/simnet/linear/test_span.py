"""Spans are compared with dense elimination, and the steps of a reduction are counted."""

import random

from flint import nmod_mat
from hypothesis import given
from hypothesis import strategies as st

from simnet.linear import span as module
from simnet.linear.span import Span
from simnet.linear.vectors import Vector, add_to

LENGTH = 7


def dense(vector):
    return [vector.get(key, 0) for key in range(LENGTH)]


@given(st.sampled_from((2, 3, 101)), st.data())
def test_the_basis_is_the_reduced_echelon_form_and_the_origins_make_it(modulus, data):
    drawn = st.dictionaries(st.integers(0, LENGTH - 1), st.integers(1, modulus - 1))
    vectors = data.draw(st.lists(drawn, min_size=1, max_size=9))
    span = Span(modulus)
    for number, vector in enumerate(vectors):
        span.add(vector, {number: 1})
    entries = [entry for vector in vectors for entry in dense(vector)]
    matrix = nmod_mat(len(vectors), LENGTH, entries, modulus)
    reduced, rank = matrix.rref()
    basis = span.basis()
    assert [dense(vector) for vector, _ in basis] == [
        list(map(int, row)) for row in reduced.tolist()[:rank]
    ]
    for vector, origin in basis:
        combined: Vector = {}
        for number, weight in origin.items():
            add_to(combined, vectors[number], weight, modulus)
        assert combined == vector


def test_a_reduction_subtracts_each_row_at_most_once(monkeypatch):
    """In an order that is left to chance, the steps double with each dense vector."""
    steps = 0

    def counted(*arguments):
        nonlocal steps
        steps += 1
        add_to(*arguments)

    monkeypatch.setattr(module, "add_to", counted)
    draw, span = random.Random(0), Span(2**31 - 1)
    for size in range(40):
        steps = 0
        span.add({key: draw.randrange(1, 2**31 - 1) for key in range(80)}, {size: 1})
        assert steps <= 2 * size  # a vector and its origin
    steps = 0
    span.basis()
    assert steps <= 40 * 39
