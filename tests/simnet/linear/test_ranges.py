"""Rows with ranges of unknowns are compared with the same rows written out."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from simnet import Field, constant
from simnet.adversary.orbits.rows import Book, NotAlike, Relation, Sent
from simnet.linear.forms import Forms
from simnet.linear.ranges import Range, Ranges
from simnet.linear.terms import blank, fresh
from simnet.linear.unknowns import PLACES
from simnet.values.residues import Residues
from tests.harness.fuzz import cases

PRIMES = (2, 3, 101)
SECRETS, FIRST_COINS = PLACES, 2 * PLACES  # the family of secrets, and the first family of coins


class Lifting:
    """Enough of a reading for forms that are added, where plain numbers are zeros."""

    def lifted(self, values: Residues) -> Forms:
        return Forms(values, blank(values.shape[0]), self)


def coins(family: int, shape: tuple[int, ...], field: Field, short: bool) -> Forms:
    """An array of coins of a family, as a range or written out."""
    lanes, size = shape[-1] or 1, int(np.prod(shape))
    first = FIRST_COINS + family * PLACES
    rows: Any = fresh(first, size // lanes, lanes)
    if short:
        rows = Ranges((Range(first, size // lanes, lanes),), lanes)
    return Forms(constant(field, np.zeros(shape, dtype=np.int64)), rows, Lifting())


def secrets(count: int, lanes: int, field: Field) -> Forms:
    shape = (count, lanes) if count else (lanes,)
    zeros = constant(field, np.zeros(shape, dtype=np.int64))
    return Forms(zeros, fresh(SECRETS, count or 1, lanes), Lifting())


@st.composite
def scripts(draw: st.DrawFn) -> list[tuple[Any, ...]]:
    """What a sender does: a list of steps with their numbers."""
    lanes = draw(st.integers(1, 3))
    several = st.tuples(
        st.just("share"),
        st.integers(1, 4),
        st.just(lanes),
        st.sampled_from(["append", "first", "twice", "slice", "plus"]),
    )
    one = st.tuples(
        st.just("close"),
        st.lists(st.integers(0, 4), min_size=1, max_size=3),
        st.booleans(),
        st.sampled_from(["all", "swapped"]),
    )
    steps = several if lanes > 1 else several | one
    return draw(st.lists(steps, min_size=1, max_size=3))


def sent_by(script: Sequence[tuple[Any, ...]], field: Field, short: bool) -> list[Forms]:
    """The arrays that a sender sends."""
    arrays = []
    for family, (kind, sizes, more, way) in enumerate(script):
        if kind == "close":
            masks = coins(family, (sum(sizes),), field, short)
            made = masks.close(secrets(len(sizes), 1, field).reshape(len(sizes)), sizes)
            if more:
                arrays.append(masks)
            arrays.append(made if way == "all" else made[::-1])
            continue
        masks, mine = coins(family, (sizes, more), field, short), secrets(0, more, field)
        total = masks.sum()
        last = mine - total
        if way == "append":
            arrays.append(masks.append(last))
        elif way == "first":
            arrays.append(Forms.join([last[np.newaxis], masks]))
        elif way == "twice":
            arrays += [masks, Forms.stack([total + mine, total - mine, -total])]
        elif way == "slice":
            arrays.append(masks.append(last)[1:])
        else:
            arrays += [masks, (masks[0] + total)[np.newaxis], (last + total)[np.newaxis]]
    return [array for array in arrays if array.shape[0]]


@cases(60)
@given(scripts(), st.sampled_from(PRIMES))
def test_operations_on_ranges_give_the_forms_of_written_rows(script, q):
    field = Field(q)
    for short, plain in zip(
        sent_by(script, field, True), sent_by(script, field, False), strict=True
    ):
        assert short.terms.vectors() == plain.terms.vectors()
        assert short.rows.rows == plain.terms.rows
        assert short.terms.lanes == plain.terms.lanes
        for row in short.terms.vectors():
            assert list(row) == sorted(row)


def relations_of(arrays: Sequence[Any], blocks: int, q: int) -> list[Relation] | str:
    """What a book notes of rows, each array in some blocks; the reason if it refuses them."""
    book = Book(lambda family: "secret" if family == SECRETS // PLACES else "coin")
    try:
        for number, rows in enumerate(arrays):
            cuts = sorted({rows.rows * part // blocks for part in range(blocks + 1)})
            sent = [
                Sent((number, begin), np.arange(end - begin))
                for begin, end in itertools.pairwise(cuts)
            ]
            book.read(sent, rows, q)
    except NotAlike as error:
        return str(error)
    return book.relations


@cases(60)
@given(scripts(), st.sampled_from(PRIMES), st.integers(1, 3), st.booleans())
def test_a_sender_has_the_same_relations_when_its_rows_are_written_out(script, q, blocks, again):
    short = [array.rows for array in sent_by(script, Field(q), True)]
    plain = [array.terms for array in sent_by(script, Field(q), False)]
    if again:
        short, plain = short + short[:1], plain + plain[:1]
    assert relations_of(short, blocks, q) == relations_of(plain, blocks, q)


def test_a_sender_of_additive_shares_keeps_its_rows_short():
    field = Field(101)
    masks = coins(0, (1000, 3), field, True)
    shares = masks.append(secrets(0, 3, field) - masks.sum())
    assert isinstance(shares.rows, Ranges)
    assert [type(part).__name__ for part in shares.rows.parts] == ["Range", "RangeSum"]
    many = coins(1, (1000,), field, True)
    closed = many.close(secrets(2, 1, field).reshape(2), [400, 600])
    assert isinstance(closed.rows, Ranges)
    assert len(closed.rows.parts) == 4
