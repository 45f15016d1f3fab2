"""The trials of Wang et al. on one value in [-1, 1]."""

from collections.abc import Callable, Mapping
from math import exp, sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols import checks
from protocols.mechanisms.additive import SCDF, Laplace, Staircase
from protocols.mechanisms.density import Flat
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.hybrid import HM
from protocols.mechanisms.piecewise import PM
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed

MECHANISMS: Mapping[str, Callable[[float], Any]] = {
    "laplace": Laplace,
    "scdf": SCDF,
    "staircase": Staircase,
    "duchi": Duchi,
    "pm": PM,
    "hm": HM,
}
WORDS = {
    "laplace": "Laplace",
    "scdf": "SCDF",
    "staircase": "Staircase",
    "duchi": "Duchi et al.",
    "pm": "PM",
    "hm": "HM",
}
BINS = 40


@attrs.frozen(kw_only=True)
class WorstCasePoint:
    """Reports by a mechanism on the value where its variance is largest."""

    value: str  # "worst"
    mechanism: str
    epsilon: float
    reports: int


@typed(WorstCasePoint)
def worst_case(point: WorstCasePoint, seed: int, data: Path | None) -> Measurements:
    """Return the mean squared error of drawn reports on one value, and the expected error (Fig. 1).
    The value is the one whose reports have the largest variance.

    Raises `ValueError` for another value than "worst", and for an unknown mechanism.
    """
    del data
    checks.one_of("value", point.value, ("worst",))
    checks.one_of("mechanism", point.mechanism, tuple(MECHANISMS))
    mechanism = MECHANISMS[point.mechanism](point.epsilon)
    value = float(np.argmax(mechanism.variance([0.0, 1.0])))  # variances are monotone in t²
    squares = (_reports(mechanism, value, point.reports, seed) - value) ** 2
    return {
        "variance": float(squares.mean()),
        "expected": mechanism.worst_variance,
        "deviation": _deviation(squares),
    }


@attrs.frozen(kw_only=True)
class ReportsPoint:
    """Reports by PM on one value."""

    value: float
    epsilon: float
    reports: int


@typed(ReportsPoint)
def pieces(point: ReportsPoint, seed: int, data: Path | None) -> Measurements:
    """Return the shares of PM's reports in its likeliest piece and in 40 bins, and the variance
    (Fig. 2).

    `bin1`, `bin2` and so on are the shares of reports in equal parts of [-C, C], the range of
    reports. `right_length` is the length of the piece to the right of the likeliest one, and 0 if
    there is none.
    """
    del data
    mechanism, value, count = PM(point.epsilon), point.value, point.reports
    law = mechanism.law(value)
    reports = _reports(mechanism, value, count, seed)
    low, high = centre(mechanism, value)
    mass = float(exp(mechanism.log_height) * (high - low))
    squares = (reports - value) ** 2
    shares = np.histogram(reports, BINS, (-mechanism.bound, mechanism.bound))[0] / count
    return {
        "centre": float(np.mean((reports >= low) & (reports <= high))),
        "expected_centre": mass,
        "deviation_centre": sqrt(mass * (1 - mass) / count),
        "variance": float(squares.mean()),
        "expected_variance": law.second_moment - law.mean**2,
        "deviation_variance": _deviation(squares),
        "right_length": max(mechanism.bound - high, 0.0),
        **{f"bin{place}": float(share) for place, share in enumerate(shares, start=1)},
    }


def centre(mechanism: PM, value: float) -> tuple[float, float]:
    """Return the two ends of the interval where the density of reports is highest."""
    flats = [part for part in mechanism.law(value).parts if isinstance(part, Flat)]
    likeliest = max(flats, key=lambda part: part.log_height)
    return float(likeliest.low), float(likeliest.high)


def _reports(mechanism: Any, value: float, count: int, seed: int) -> Any:
    return mechanism.perturb(np.full(count, value), SampledCoins(seed, "users"))


def _deviation(squares: Any) -> float:
    """The standard deviation of the mean of the squares, from their scatter; 0 if all are equal."""
    return float(squares.std() / sqrt(len(squares))) if squares.min() < squares.max() else 0.0
