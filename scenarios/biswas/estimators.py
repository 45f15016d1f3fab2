"""Single items of Biswas, Cormode and Maple: how their estimators are distributed.

The means and variances are those of trials, exact ones, and the formulas as printed.

Counts are estimated, so shares times the number of users, as in the paper.
"""

import itertools
from collections.abc import Callable, Mapping
from functools import lru_cache
from math import prod, sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import (
    centred,
    direct,
    horvitz_thompson,
    per_report,
    pooled,
)
from protocols.sampled_frequency.mechanism import sampled_reports
from protocols.sampled_frequency.sampling_design import SamplingDesign
from simnet.arrays import Floats, Ints
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed

EPSILON = 1.0
FEW_USERS = 4  # whose every way to report is played


@attrs.frozen(eq=False)
class Case:
    """A population; the item that is estimated is the first."""

    held: Ints  # items from 1, shape (n,)
    items: int
    # To be sampled, one a user; None where all have the same
    chances: tuple[float, ...] | None = None
    repetitions: int = 1000  # in a trial

    @property
    def share(self) -> float:
        """f, the share of the users who hold the item."""
        return float(np.mean(self.held == 1))


def _crowd() -> Ints:
    """50,000 users of whom 8 % hold the first of 101 items, the others one of the rest."""
    return np.concatenate(
        [np.ones(4000, dtype=np.int64), 2 + np.arange(46_000, dtype=np.int64) % 100]
    )


FOUR = np.array([1, 1, 2, 3])
CASES: Mapping[str, Case] = {
    "8 % of 50,000 users": Case(_crowd(), 101, repetitions=20),
    "2 of 4 users": Case(FOUR, 3),
    "2 of 4 users, own chances": Case(FOUR, 3, (0.9, 0.8, 0.2, 0.1)),
}
CROWD, FEW, OWN = CASES
SHARED: Mapping[str, Callable[[SamplingDesign], Any]] = {"c": direct, "g": centred, "ĉ": per_report}
PERSONAL: Mapping[str, Callable[[SamplingDesign], Any]] = {
    "T": pooled,
    "Horvitz-Thompson": horvitz_thompson,
}


def sample(case: str, sampling: float) -> SamplingDesign:
    """What is known in a case where all have one sampling chance."""
    return SamplingDesign(GRR(EPSILON, CASES[case].items), len(CASES[case].held), sampling)


def personal() -> SamplingDesign:
    """What is known in the case of own chances."""
    own = CASES[OWN]
    assert own.chances is not None
    return SamplingDesign.of_each(GRR(EPSILON, own.items), np.array(own.chances))


@attrs.frozen(kw_only=True)
class EstimatorPoint:
    """An estimator in a case; `sampling` is the chance of all, where users have none of their own.

    Every trial repeats the collection as often as the case says.
    """

    case: str
    estimator: str
    sampling: float | None = None


@typed(EstimatorPoint)
def estimated(point: EstimatorPoint, seed: int, data: Path | None) -> Measurements:
    """The mean over repetitions of the item's estimated count, and its mean squared error."""
    del data
    case, coins = CASES[point.case], SampledCoins(seed, "users")
    users = len(case.held)
    if point.sampling is None:
        drawn, mean, variance = _personal(point.case, point.estimator, coins)
    else:
        drawn, mean, variance = _shared(point.case, point.estimator, point.sampling, coins)
    squares = (drawn - mean) ** 2
    return {
        "estimate": float(drawn.mean()) * users,
        "expected_estimate": mean * users,
        "variance": float(squares.mean()) * users**2,
        "expected_variance": variance * users**2,
        "deviation_variance": _deviation(squares, variance) * users**2,
    }


def _deviation(squares: Floats, variance: float) -> float:
    """The standard deviation of the mean of the squares.

    It is taken from their scatter, or where they are few, as of normal estimates.
    """
    few = len(squares) < 100
    return float(sqrt(2) * variance if few else squares.std()) / sqrt(len(squares))


def _shared(
    name: str, estimator: str, sampling: float, coins: SampledCoins
) -> tuple[Floats, float, float]:
    """Estimated shares, their mean and their variance, where all have one sampling chance."""
    case, known = CASES[name], sample(name, sampling)
    made = SHARED[estimator](known)
    reports = _reports(case, known.response, sampling, coins)
    supports = (np.bincount(row, minlength=case.items + 1)[1:] for row in reports)
    drawn = np.array([made.estimate(row)[0] for row in supports])
    if len(case.held) <= FEW_USERS:
        return drawn, *played(name, estimator, sampling)
    return drawn, float(made.mean(case.share)), float(made.variance(case.share))


def _personal(name: str, estimator: str, coins: SampledCoins) -> tuple[Floats, float, float]:
    """The same where everybody has a chance of its own."""
    case, known = CASES[name], personal()
    made = PERSONAL[estimator](known)
    chances = np.tile(known.sampling, case.repetitions).tolist()
    reports = _reports(case, known.response, chances, coins)
    drawn = np.array([made.estimate(known.supports(row))[0] for row in reports])
    return drawn, *played(name, estimator)


@lru_cache
def played(case: str, estimator: str, sampling: float | None = None) -> tuple[float, float]:
    """Mean and variance of an estimated share among a few users.

    Every way to report is played with its chance.
    """
    everybody = CASES[case].held
    known = personal() if sampling is None else sample(case, sampling)
    made = (PERSONAL if sampling is None else SHARED)[estimator](known)
    chances = known.sampling if sampling is None else np.full(len(everybody), sampling)
    p, q, _ = known.chances
    laws = [
        [1 - pi, *(pi * (p if item == held else q) for item in range(1, CASES[case].items + 1))]
        for held, pi in zip(everybody, chances, strict=True)
    ]
    mean = square = 0.0
    for reports in itertools.product(range(CASES[case].items + 1), repeat=len(everybody)):
        chance = prod(law[report] for law, report in zip(laws, reports, strict=True))
        found = made.estimate(known.supports(reports))[0]
        mean, square = mean + chance * found, square + chance * found**2
    return float(mean), float(square - mean**2)


def _reports(case: Case, response: GRR, chances: float | list[float], coins: SampledCoins) -> Ints:
    """The reports of every repetition, 0 of a user who sends none; shape (repetitions, n)."""
    everybody = np.tile(case.held, case.repetitions)
    return sampled_reports(response, everybody, chances, coins).reshape(
        case.repetitions, len(case.held)
    )


def printed_variance_g(case: str, sampling: float) -> float:
    """The variance of g in the proof of Theorem 3.2, as printed."""
    known, f = sample(case, sampling), CASES[case].share
    p, q, gap = known.chances
    noise = f * p * (1 - p) + (1 - f) * q * (1 - q)
    mean = f * p + (1 - f) * q
    return known.users * (noise + mean**2 * (1 - sampling)) / (sampling * gap**2)


def printed_variance_c_hat(case: str, sampling: float) -> float:
    """The variance of ĉ in the proof of Theorem 3.5, as printed.

    It is that of g, and that of the number of reports times q².

    The variance of g is the exact one.
    """
    known = sample(case, sampling)
    _, q, gap = known.chances
    exact = float(centred(known).variance(CASES[case].share)) * known.users**2
    return exact + known.users * (1 - sampling) * q**2 / (sampling * gap**2)


def corrected_variance_g(case: str, sampling: float) -> float:
    """The variance of g with f p² + (1 - f) q² where the proof squares a mean.

    That is the mean square of the chances to name the item.
    """
    known, f = sample(case, sampling), CASES[case].share
    p, q, gap = known.chances
    noise = f * p * (1 - p) + (1 - f) * q * (1 - q)
    return (
        known.users * (noise + (f * p**2 + (1 - f) * q**2) * (1 - sampling)) / (sampling * gap**2)
    )


def corrected_variance_c_hat(case: str, sampling: float) -> float:
    """The variance of ĉ less 2 q Cov(N_i, S), with Cov(N_i, S) = n π (1 - π) (f p + (1 - f) q)."""
    known, f = sample(case, sampling), CASES[case].share
    p, q, gap = known.chances
    covariance = known.users * sampling * (1 - sampling) * (f * p + (1 - f) * q)
    return printed_variance_c_hat(case, sampling) - 2 * q * covariance / (sampling * gap) ** 2


def approximate_variance_g(case: str, sampling: float) -> float:
    """Var* of Theorem 3.2, as printed."""
    known = sample(case, sampling)
    _, q, gap = known.chances
    return known.users * (q - q**2 * sampling) / (gap**2 * sampling)


def approximate_variance_t() -> float:
    """Var* of Theorem 5.1, as printed, in the case of own chances."""
    known = personal()
    _, q, gap = known.chances
    return float(
        known.users**2
        * np.sum(q * known.sampling * (1 - q * known.sampling))
        / (known.budget * gap) ** 2
    )


def order_in_sampling() -> float:
    """The power of 1/π that Var*(g / n) goes with as π goes to 0, from its slope there."""
    small, smaller = 1e-6, 1e-7
    ratio = (
        centred(sample(CROWD, smaller)).approximate_variance
        / centred(sample(CROWD, small)).approximate_variance
    )
    return float(np.log(ratio) / np.log(small / smaller))
