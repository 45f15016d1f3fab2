"""Mixtures and their reductions are compared with the same rows written out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Field, constant
from simnet.arrays import Ints
from simnet.linear import form_totals
from simnet.linear.form_totals import FormTotal
from simnet.linear.forms import FormReading, Forms
from simnet.linear.mixtures import Mixture, added, echelon, listed, refined, size_of, written_out
from simnet.linear.reduction import Reduction
from simnet.linear.terms import Terms, fresh, refine
from simnet.linear.vectors import Vector, add_to
from tests.harness.fuzz import cases
from tests.harness.matrices import reduced

PRIMES = (2, 3, 101, Field.above(2**40).modulus)


class NoReading(FormReading):
    """Enough of a reading for forms that are only added."""

    def lifted(self, values: Any) -> Forms:
        raise NotImplementedError


@st.composite
def matrices(draw: st.DrawFn, q: int, tall: int, wide: int) -> Ints:
    entry = st.integers(0, q - 1) | st.just(0)
    row = st.lists(entry, min_size=wide, max_size=wide)
    drawn = draw(st.lists(row, min_size=tall, max_size=tall))
    return np.array(drawn, dtype=np.int64).reshape(tall, wide)


@st.composite
def bases(draw: st.DrawFn, q: int, rows: int, lanes: int) -> Terms:
    """Rows over a few unknowns, in lanes that do not overlap."""
    vector = st.dictionaries(
        st.integers(0, 5).map(lambda place: 100 * place), st.integers(1, q - 1), max_size=4
    )
    terms = Terms.of_vectors(draw(st.lists(vector, min_size=rows, max_size=rows)))
    return Terms(terms.starts, terms.unknowns, terms.coefficients, lanes)


@st.composite
def mixtures(draw: st.DrawFn, q: int, base: Terms | None = None, inner: int = 0) -> Mixture:
    each = draw(st.integers(1, 2)) if base is None else base.rows // inner
    inner = inner or draw(st.integers(1, 3))
    if base is None:
        base = draw(bases(q, inner * each, draw(st.sampled_from([1, 2, 4]))))
    weights = draw(matrices(q, draw(st.integers(1, 5)), inner))
    return Mixture(weights, base, each, q)


def plain(mixture: Mixture) -> list[Vector]:
    """The rows, computed one by one."""
    base = mixture.base.vectors()
    rows: list[Vector] = []
    for weights in mixture.weights.tolist():
        for e in range(mixture.each):
            row: Vector = {}
            for i, weight in enumerate(weights):
                add_to(row, base[i * mixture.each + e], weight, mixture.modulus)
            rows.append(row)
    return rows


def dense(rows: list[Vector], names: list[int]) -> list[list[int]]:
    return [[row.get(name, 0) for name in names] for row in rows]


@cases(60)
@given(st.data())
def test_a_mixture_is_its_rows(data: st.DataObject) -> None:
    q = data.draw(st.sampled_from(PRIMES))
    mixture = data.draw(mixtures(q))
    rows = plain(mixture)
    assert mixture.terms.vectors() == rows == written_out(mixture).vectors()
    assert mixture.rows == len(rows)
    assert size_of(mixture) >= sum(map(len, rows))
    assert {u for row in rows for u in row} <= set(listed(mixture).unknowns.tolist())
    lanes = data.draw(st.sampled_from([n for n in (1, 2, 4) if mixture.lanes % n == 0]))
    assert refined(mixture, lanes).lanes == lanes
    split = refine(mixture.terms, lanes).vectors()
    assert written_out(refined(mixture, lanes)).vectors() == split
    places = data.draw(st.lists(st.integers(0, mixture.count - 1), min_size=1, max_size=4))
    e = mixture.each
    taken = [rows[place * e + within] for place in places for within in range(e)]
    assert mixture.take(np.array(places)).terms.vectors() == taken
    factors = data.draw(matrices(q, 2, mixture.count))
    combined: list[Vector] = [{} for _ in range(2 * e)]
    for k in range(2):
        for place in range(mixture.count):
            for within in range(e):
                factor = int(factors[k, place])
                add_to(combined[k * e + within], rows[place * e + within], factor, q)
    assert mixture.combined(factors).terms.vectors() == combined
    chosen = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1)))
    weights = [data.draw(st.integers(1, q - 1)) for _ in chosen]
    total: Vector = {}
    for row, weight in zip(chosen, weights, strict=True):
        add_to(total, rows[row], weight, q)
    numbers, shares = mixture.summed(np.array(chosen), np.array(weights))
    by_base: Vector = {}
    for number, share in zip(numbers.tolist(), shares.tolist(), strict=True):
        add_to(by_base, mixture.base.vectors()[number], share, q)
    assert by_base == total


@cases(60)
@given(st.data())
def test_an_echelon_form_spans_the_same_rows(data: st.DataObject) -> None:
    q = data.draw(st.sampled_from(PRIMES))
    matrix = data.draw(matrices(q, data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))))
    form = echelon(matrix, q)
    assert form.reduced.tolist() == reduced(matrix.tolist(), q)
    made = form.combined.astype(object) @ matrix[form.rows].astype(object) % q
    assert made.tolist() == form.reduced.tolist()
    # `rows` are the first independent rows.
    before = [matrix[:k].tolist() for k in range(len(matrix) + 1)]
    ranks = [len(reduced(rows, q)) if rows else 0 for rows in before]
    assert form.rows.tolist() == [k for k in range(len(matrix)) if ranks[k + 1] > ranks[k]]


@cases(60)
@given(st.data())
def test_a_reduction_keeps_the_span_and_knows_the_weights(data: st.DataObject) -> None:
    q = data.draw(st.sampled_from(PRIMES))
    lanes, inner, each = 2, data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2))
    one, other = (data.draw(bases(q, inner * each, lanes)) for _ in range(2))
    parts: list[Terms | Mixture] = []
    for kind in data.draw(st.lists(st.sampled_from(["one", "other", "plain"]), max_size=5)):
        if kind == "plain":
            parts.append(data.draw(bases(q, 2, lanes)))
        else:
            base = one if kind == "one" else other
            parts.append(data.draw(mixtures(q, base, inner)))
    rows = [row for part in parts for row in written_out(part).vectors()]
    names = [100 * place for place in range(6)]
    reduction = Reduction(parts, q)
    found = reduction.terms.vectors()
    assert reduced(dense(found, names), q) == reduced(dense(rows, names), q)
    for number, row in enumerate(found):
        made: Vector = {}
        for place, weight in reduction.weights({number: 1}).items():
            add_to(made, rows[place], weight, q)
        assert made == row
    if found:
        mixed = {number: 1 + number % (q - 1) for number in range(len(found))}
        by_rows: Vector = {}
        for place, weight in reduction.weights(mixed).items():
            add_to(by_rows, rows[place], weight, q)
        wanted: Vector = {}
        for number, weight in mixed.items():
            add_to(wanted, found[number], weight, q)
        assert by_rows == wanted


@cases(40)
@given(st.data())
def test_totals_of_mixtures_are_totals_of_rows(data: st.DataObject) -> None:
    """Blocks with equal or other weights, for the same or other slots, asked for in between, and
    added up all at once or in portions.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(form_totals, "PORTION", data.draw(st.sampled_from([1, 5, 1 << 18])))
        assert_totals(data)


def assert_totals(data: st.DataObject) -> None:
    field, slots = Field(7), 6
    reading: Any = NoReading
    total = FormTotal(field, (2,), reading)
    total.reserve(slots)
    wanted: list[Vector] = [{} for _ in range(slots)]
    shapes = [data.draw(matrices(7, 3, 2)) for _ in range(2)]
    for number in range(data.draw(st.integers(1, 8))):
        weights = shapes[data.draw(st.integers(0, 1))]
        base = fresh(1000 * (number + 1), 2, 2)
        forms = Forms(constant(field, np.zeros((2, 2), dtype=np.int64)), base, reading)
        block = forms.combine(weights)
        assert isinstance(block.rows, Mixture)
        if data.draw(st.booleans()):
            block = Forms(block.sampled, block.terms, reading)
        first = data.draw(st.sampled_from([0, 0, 2]))
        pieces: list[Any] = [slice(first, first + 3)]
        if data.draw(st.booleans()):
            pieces = [slice(first + k, first + k + 1) for k in range(3)]
        total.add(pieces, block)
        for k, row in enumerate(block.terms.vectors()):
            add_to(wanted[first + k], row, 1, 7)
        if data.draw(st.integers(0, 3)) == 0:
            asked = data.draw(st.integers(0, slots - 1))
            assert_rows(total.row(asked), [wanted[asked]])
    for slot in range(slots):
        assert_rows(total.row(slot), [wanted[slot]])
    assert_rows(total.rows(range(slots)), wanted)


def assert_rows(found: Forms, wanted: list[Vector]) -> None:
    lanes = found.terms.lanes
    assert refine(found.terms, 1).vectors() == [
        {unknown + lane: value for unknown, value in row.items()}
        for row in wanted
        for lane in (0, 1)
    ], lanes


def test_sums_of_equal_sharings_stay_mixtures() -> None:
    """Otherwise the sums at a server would have n·t terms each."""
    field, reading = Field(11), Any
    no_reading: Any = reading
    total = FormTotal(field, (1,), no_reading)
    total.reserve(8)
    weights = np.array([[x, 1] for x in range(1, 9)])
    for sender in range(5):
        base = Forms(
            constant(field, np.zeros((2, 1), dtype=np.int64)),
            fresh(10 * sender + 1, 2, 1),
            no_reading,
        )
        total.add([slice(0, 8)], base.combine(weights.copy()))
    rows = [total.row(slot).rows for slot in range(8)]
    first = rows[0]
    assert isinstance(first, Mixture)
    assert all(first.is_alike(row) for row in rows)
    stacked = Forms.stack([total.row(slot) for slot in range(3)])
    assert isinstance(stacked.rows, Mixture)
    assert stacked.terms.vectors() == [row.vectors()[0] for row in map(written_out, rows[:3])]


@pytest.mark.parametrize("where", [None, 0, slice(1, 3), [2, 0], np.array([True, False, True])])
def test_indexing_a_mixture_is_indexing_its_rows(where: Any) -> None:
    field, no_reading = Field(11), Any
    reading: Any = no_reading
    base = Forms(constant(field, np.zeros((2, 4), dtype=np.int64)), fresh(1, 2, 4), reading)
    mixed = base.combine(np.array([[1, 2], [3, 4], [5, 6]]))
    explicit = Forms(mixed.sampled, mixed.terms, reading)
    assert isinstance(mixed.rows, Mixture)
    assert mixed[where]._is_same(explicit[where])
    assert mixed[:, 1]._is_same(explicit[:, 1])
    assert mixed.reshape(6, 2)._is_same(explicit.reshape(6, 2))
    assert mixed.reshape(12).reshape(3, 4)[where]._is_same(explicit[where])
    assert (mixed + mixed)._is_same(explicit + explicit)
    assert mixed.sum()._is_same(explicit.sum())
    assert mixed.combine(np.array([[1, 2, 3]]))._is_same(explicit.combine(np.array([[1, 2, 3]])))


def test_added_mixtures_with_other_lanes() -> None:
    weights = np.array([[1, 2], [3, 4]])
    one = Mixture(weights, fresh(100, 2, 4), 1, 7)
    two = Mixture(weights, fresh(200, 4, 2), 2, 7)
    total = added([one, two])
    wanted = [
        {u: c for row in pair for u, c in row.items()}
        for pair in zip(refine(one.terms, 2).vectors(), two.terms.vectors(), strict=True)
    ]
    assert total.terms.vectors() == wanted
