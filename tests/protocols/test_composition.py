"""Privacy losses and their composition: intervals hold the truth, by enumeration, by formula and by other libraries."""

from fractions import Fraction
from itertools import product
from math import exp, inf, log, prod, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocols.privacy import accounting, loss
from protocols.privacy.accounting import OneWay
from protocols.privacy.composition import Composition, Interval
from protocols.privacy.convolution import OUTSIDE, fold, tilted_sum, window
from protocols.privacy.gaussian import delta_of
from protocols.privacy.loss import GaussianLoss, Losses, Pair, finite_pair, gaussian_pair
from protocols.privacy.profile import epsilon_at

Law = tuple[Fraction, ...]


def logs(law: Law) -> np.ndarray[Any, Any]:
    return np.array([log(mass) if mass else -inf for mass in law])


def pair_of(p: Law, q: Law) -> Pair:
    return finite_pair(logs(p), logs(q))


def exact_delta(pairs: list[tuple[Law, Law]], ratio: Fraction) -> Fraction:
    """δ at ε = log ratio, by enumeration of all joint outcomes."""
    p = [prod(joint) for joint in product(*(pair[0] for pair in pairs))]
    q = [prod(joint) for joint in product(*(pair[1] for pair in pairs))]
    both = [sum(max(a - ratio * b, 0) for a, b in zip(x, y, strict=True)) for x, y in ((p, q), (q, p))]
    return Fraction(max(both))


def holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


def is_sharp(interval: Interval, relative: float = 1e-3) -> bool:
    return interval.high - interval.low <= relative * interval.high


@st.composite
def laws(draw: st.DrawFn, outcomes: int) -> Law:
    weights = draw(st.lists(st.integers(0, 9), min_size=outcomes, max_size=outcomes).filter(any))
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


@st.composite
def pairs_of_laws(draw: st.DrawFn) -> tuple[Law, Law]:
    outcomes = draw(st.integers(2, 4))
    return draw(laws(outcomes)), draw(laws(outcomes))


ratios = st.fractions(1, 30, max_denominator=20)


@settings(max_examples=40)
@given(st.lists(st.tuples(pairs_of_laws(), st.integers(1, 2)), min_size=1, max_size=3), ratios)
def test_the_interval_holds_delta_by_enumeration(parts: list[tuple[tuple[Law, Law], int]], ratio: Fraction) -> None:
    truth = float(exact_delta([pair for pair, times in parts for _ in range(times)], ratio))
    found = Composition([(pair_of(*pair), times) for pair, times in parts]).delta(log(ratio))
    assert holds(found, truth)
    assert is_sharp(found) or found.high < 1e-12  # what rounding leaves of a δ of 0


COARSE = {"POINTS": 4, "FINENESS": (1,)}


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Grids of four points to a deviation, where splitting changes δ a lot: what the lower end takes off counts."""
    for name, value in COARSE.items():
        monkeypatch.setattr(accounting, name, value)


def coarsely(parts: list[tuple[Pair, int]]) -> Composition:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in COARSE.items():
            patch.setattr(accounting, name, value)
        return Composition(parts, tolerance=0.9)


@given(st.lists(st.tuples(pairs_of_laws(), st.integers(1, 2)), min_size=1, max_size=3), ratios)
def test_coarse_grids_hold_it_too(parts: list[tuple[tuple[Law, Law], int]], ratio: Fraction) -> None:
    truth = float(exact_delta([pair for pair, times in parts for _ in range(times)], ratio))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in COARSE.items():
            patch.setattr(accounting, name, value)
        found = Composition([(pair_of(*pair), times) for pair, times in parts], tolerance=0.9).delta(log(ratio))
    assert holds(found, truth)
