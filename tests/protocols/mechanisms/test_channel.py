"""Finite channels: ε and δ computed by hand, by the definition over all sets of outputs, and by an
independent library.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import qif
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from protocols.mechanisms.channel import delta_of, epsilon_of, worst_ratio
from protocols.mechanisms.odds import exp, log, real
from tests.harness.fuzz import cases

F = Fraction
some = cases(50)


@st.composite
def laws(draw: st.DrawFn, rows: int, most: int = 5) -> list[list[Fraction]]:
    """Rows of one length, with zeros among them."""
    outputs = draw(st.integers(1, most))
    found = []
    for _ in range(rows):
        weights = draw(st.lists(st.integers(0, 6), min_size=outputs, max_size=outputs).filter(any))
        found.append([F(weight, sum(weights)) for weight in weights])
    return found


def subsets(outputs: int) -> Any:
    return itertools.chain.from_iterable(
        itertools.combinations(range(outputs), size) for size in range(outputs + 1)
    )


@given(laws(2), st.sampled_from([0.0, 0.1, 1.0, 3.0]))
@some
def test_delta_is_the_worst_excess_over_all_sets_of_outputs(
    rows: list[list[Fraction]], epsilon: float
) -> None:
    p, q = rows
    factor = exp(epsilon)
    excesses = [
        sum((one[i] for i in chosen), F(0)) - factor * sum((other[i] for i in chosen), F(0))
        for chosen in subsets(len(p))
        for one, other in ((p, q), (q, p))
    ]
    assert delta_of(p, q, epsilon) == max(excesses)
    assert delta_of([float(x) for x in p], [float(x) for x in q], epsilon) == pytest.approx(
        float(max(excesses)), abs=1e-15
    )


@given(laws(3))
@some
def test_epsilon_is_where_delta_ends(rows: list[list[Fraction]]) -> None:
    pairs = list(itertools.permutations(rows, 2))
    found = epsilon_of(rows)
    if found == math.inf:
        assert any(delta_of(p, q, math.inf) > 0 for p, q in pairs)
        assert any(delta_of(p, q, 50.0) > 0 for p, q in pairs)
    else:
        assert all(delta_of(p, q, found * (1 + 1e-12)) <= 1e-11 for p, q in pairs)
        assert found == 0 or any(delta_of(p, q, found * (1 - 1e-12)) > 0 for p, q in pairs)
        assert found == pytest.approx(
            max(math.log(max(c) / min(c)) for c in zip(*rows, strict=True) if max(c))
        )


@given(laws(3))
@some
def test_epsilon_is_that_of_an_independent_library(rows: list[list[Fraction]]) -> None:
    channel = np.array([[float(chance) for chance in row] for row in rows])
    expected = qif.measure.d_privacy.smallest_epsilon(channel, qif.metric.discrete())
    assert epsilon_of(rows) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert epsilon_of(channel) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_known_channels() -> None:
    thirds = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 4), F(1, 2), F(1, 4)]]
    assert worst_ratio(thirds) == 2
    assert epsilon_of(thirds) == math.log(2)
    assert delta_of(*thirds, 0) == F(1, 4)
    assert delta_of(*thirds, math.inf) == 0
    assert epsilon_of([[1, 0], [1, 0]]) == 0  # a column of zeros has no ratio
    assert epsilon_of([[1, 0], [F(1, 2), F(1, 2)]]) == math.inf
    assert delta_of([1, 0], [F(1, 2), F(1, 2)], 1.0) == F(1, 2)
    assert epsilon_of([[1.0, 5e-324], [1.0 - 2**-53, 2.0**-53]]) == pytest.approx(
        math.log(2.0**-53) - math.log(5e-324)
    )


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ([[0.5, 0.5], [1.0]], "same length"),
        ([], "same length"),
        ([[0.5, 0.6]], "add up to 1"),
        ([[-0.5, 1.5]], "add up to 1"),
        ([[math.nan, 1.0]], "add up to 1"),
        ([[]], "add up to 1"),
    ],
)
def test_what_is_no_channel_is_refused(rows: list[list[float]], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        epsilon_of(rows)


@pytest.mark.parametrize("epsilon", [-0.1, math.nan])
def test_delta_needs_an_epsilon(epsilon: float) -> None:
    with pytest.raises(ValueError, match="an epsilon of at least 0"):
        delta_of([1], [1], epsilon)


def test_delta_of_a_huge_epsilon_is_refused() -> None:
    rows = (0.75, 0.25), (0.25, 0.75)
    for epsilon in (1_000_001, 1e300):
        with pytest.raises(ValueError, match="for an epsilon up to 1,000,000 or inf"):
            delta_of(*rows, epsilon)
    assert delta_of(*rows, 1e6) == delta_of(*rows, math.inf) == 0


# e^ε


@given(st.floats(1e-100, 1500) | st.sampled_from([1e-6, 1400.0]))
def test_exponentials_have_forty_digits(epsilon: float) -> None:
    before, ctx.prec = ctx.prec, 700
    try:
        precise = arb(epsilon).exp()
        found = exp(epsilon)
        ours = arb(found.numerator) / arb(found.denominator)
        assert abs(ours / precise - 1) < arb(max(1.0, epsilon)) * arb("1e-39")
        assert abs((ours - 1) / (precise - 1) - 1) < arb("1e-38") * arb(max(1.0, epsilon))
    finally:
        ctx.prec = before


@given(st.floats(1e-100, 1e5))
def test_logarithms_undo_exponentials(epsilon: float) -> None:
    assert log(exp(epsilon)) == pytest.approx(epsilon, rel=1e-14)
    assert log(1 / exp(epsilon)) == pytest.approx(-epsilon, rel=1e-14)


def test_what_exceeds_the_doubles_is_infinite() -> None:
    assert real(exp(1400)) == math.inf
    assert real(-exp(1400)) == -math.inf
    assert real(1 / exp(1400)) == 0
