"""Estimators of one item's count, from Biswas, Cormode and Maple: their means and variances, as
measured in trials, as computed exactly, and by formulas.

The letters are the paper's. Each of n users reports with the sampling probability π, or user j with
its own π_j; a share f of the users hold item 1. A report names the user's own item with probability
p, and any other item with probability q each. If N_i reports name the item and S reports are sent,
c = (N_i - n q) / (p - q), g = (N_i - n π q) / (π (p - q)) and ĉ = (N_i - S q) / (π (p - q)). T is g
with the mean of the π_j in place of π. Var* is the variance for an item that nobody holds. Printed
and corrected variances are those of counts, as in the paper.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
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
# For this many users or fewer with fixed items, every combination of reports is played out.
FEW_USERS = 4


@attrs.frozen(eq=False)
class Case:
    """A population of users. A trial estimates how many of them hold item 1."""

    held: Ints  # the users' items, numbered from 1; shape (n,)
    items: int
    # each user's sampling probability; None where all users have the same one
    chances: tuple[float, ...] | None = None
    drawn: bool = False  # whether each user's item is drawn anew, independently, from these items
    repetitions: int = 1000  # the number of collections in a trial

    @property
    def share(self) -> float:
        """f, the share of item 1 in `held`."""
        return float(np.mean(self.held == 1))


def _crowd() -> Ints:
    return np.concatenate(
        [np.ones(4000, dtype=np.int64), 2 + np.arange(46_000, dtype=np.int64) % 100]
    )


FOUR = np.array([1, 1, 2, 3])
CASES: Mapping[str, Case] = {
    "8 % of 50,000 users": Case(_crowd(), 101, repetitions=20),
    "2 of 4 users": Case(FOUR, 3),
    "2 of 4 users, each with its own π_j": Case(FOUR, 3, (0.9, 0.8, 0.2, 0.1)),
    "4 users with drawn items, each with its own π_j": Case(
        FOUR, 3, (0.9, 0.8, 0.2, 0.1), drawn=True
    ),
}
CROWD, FEW, OWN, DRAWN = CASES
SHARED: Mapping[str, Callable[[SamplingDesign], Any]] = {"c": direct, "g": centred, "ĉ": per_report}
PERSONAL: Mapping[str, Callable[[SamplingDesign], Any]] = {
    "T": pooled,
    "Horvitz-Thompson": horvitz_thompson,
}


def sample(case: str, sampling: float) -> SamplingDesign:
    """Return what the server knows in a case where all users have the same sampling probability."""
    return SamplingDesign(GRR(EPSILON, CASES[case].items), len(CASES[case].held), sampling)


def personal() -> SamplingDesign:
    """Return what the server knows in the cases where users have probabilities of their own."""
    own = CASES[OWN]
    assert own.chances is not None
    return SamplingDesign.of_each(GRR(EPSILON, own.items), np.array(own.chances))


@attrs.frozen(kw_only=True)
class EstimatorPoint:
    """An estimator in a case. `sampling` is the sampling probability of all users, or None if each
    user has its own sampling probability.
    """

    case: str
    estimator: str
    sampling: float | None = None


@typed(EstimatorPoint)
def estimated(point: EstimatorPoint, seed: int, data: Path | None) -> Measurements:
    """Return the mean of the estimated counts and their mean squared distance from the exact mean,
    each with its exact value.
    """
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
    """An estimate of the standard deviation of the mean of the squared distances."""
    few = len(squares) < 100
    return float(sqrt(2) * variance if few else squares.std()) / sqrt(len(squares))


def _shared(
    name: str, estimator: str, sampling: float, coins: SampledCoins
) -> tuple[Floats, float, float]:
    """Return estimated shares, their exact mean and variance; all users have one sampling
    probability.
    """
    case, known = CASES[name], sample(name, sampling)
    made = SHARED[estimator](known)
    reports = _reports(case, sampling, coins)
    supports = (np.bincount(row, minlength=case.items + 1)[1:] for row in reports)
    drawn = np.array([made.estimate(row)[0] for row in supports])
    if len(case.held) <= FEW_USERS:
        return drawn, *played(name, estimator, sampling)
    return drawn, float(made.mean(case.share)), float(made.variance(case.share))


def _personal(name: str, estimator: str, coins: SampledCoins) -> tuple[Floats, float, float]:
    """Return estimated shares, their exact mean and variance; each user has its own probability."""
    case, known = CASES[name], personal()
    made = PERSONAL[estimator](known)
    chances = np.tile(known.sampling, case.repetitions).tolist()
    reports = _reports(case, chances, coins)
    drawn = np.array([made.estimate(known.supports(row))[0] for row in reports])
    if case.drawn:
        return drawn, float(made.mean(case.share)), float(made.drawn_variance(case.share))
    return drawn, *played(name, estimator)


@lru_cache
def played(case: str, estimator: str, sampling: float | None = None) -> tuple[float, float]:
    """Return the exact mean and variance of the estimated share of item 1, for a case of a few
    users with fixed items.

    Without `sampling`, each user has its own sampling probability.
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


def _reports(case: Case, chances: float | list[float], coins: SampledCoins) -> Ints:
    """Draw the reports of every repetition; 0 stands for no report. Shape (repetitions, n)."""
    everybody = np.tile(case.held, case.repetitions)
    if case.drawn:
        everybody = case.held[coins.integers(len(case.held), everybody.size).plain]
    return sampled_reports(GRR(EPSILON, case.items), everybody, chances, coins).reshape(
        case.repetitions, len(case.held)
    )


def printed_variance_g(case: str, sampling: float) -> float:
    """The variance of g by the proof of Theorem 3.2: the printed variance of c, divided by π²."""
    known, f = sample(case, sampling), CASES[case].share
    p, q, gap = known.chances
    noise = f * p * (1 - p) + (1 - f) * q * (1 - q)
    mean = f * p + (1 - f) * q
    return known.users * (noise + mean**2 * (1 - sampling)) / (sampling * gap**2)


def printed_variance_c_hat(case: str, sampling: float) -> float:
    """The variance of ĉ by the proof of Theorem 3.5: the exact variance of g plus q² Var(S) / (π (p
    - q))², where S is the number of reports.
    """
    known = sample(case, sampling)
    _, q, gap = known.chances
    exact = float(centred(known).variance(CASES[case].share)) * known.users**2
    return exact + known.users * (1 - sampling) * q**2 / (sampling * gap**2)


def corrected_variance_g(case: str, sampling: float) -> float:
    """The exact variance of g if the users' items are fixed.

    Where the proof of Theorem 3.2 squares a mean, this formula has f p² + (1 - f) q², the mean
    square of the probabilities that a report names the item.
    """
    known, f = sample(case, sampling), CASES[case].share
    p, q, gap = known.chances
    noise = f * p * (1 - p) + (1 - f) * q * (1 - q)
    return (
        known.users * (noise + (f * p**2 + (1 - f) * q**2) * (1 - sampling)) / (sampling * gap**2)
    )


def corrected_variance_c_hat(case: str, sampling: float) -> float:
    """The exact variance of ĉ if the users' items are fixed: the printed variance minus 2 q
    Cov(N_i, S) / (π (p - q))².

    Here N_i reports name the item, S reports are sent, and Cov(N_i, S) = n π (1 - π) (f p + (1 - f)
    q).
    """
    known, f = sample(case, sampling), CASES[case].share
    p, q, gap = known.chances
    covariance = known.users * sampling * (1 - sampling) * (f * p + (1 - f) * q)
    return printed_variance_c_hat(case, sampling) - 2 * q * covariance / (sampling * gap) ** 2


def printed_estimate_t(known: SamplingDesign, named: float) -> float:
    """T of Theorem 5.1, as printed, if `named` reports name the item."""
    (_, q, gap), users = known.chances, known.users
    h = (named - users * q) / gap
    return users * h / known.budget + users * q * (users - known.budget) / (known.budget * gap)


def approximate_variance_g(case: str, sampling: float) -> float:
    """Var* of Theorem 3.2, as printed."""
    known = sample(case, sampling)
    _, q, gap = known.chances
    return known.users * (q - q**2 * sampling) / (gap**2 * sampling)


def approximate_variance_t(epsilon: float, items: int, sampling: Sequence[float]) -> float:
    """Var* of Theorem 5.1, as printed, for users who report with these probabilities."""
    p, q = (float(chance) for chance in GRR(epsilon, items).exact_chances)
    chances = np.asarray(sampling, dtype=np.float64)
    terms = q * chances * (1 - q * chances)
    return float(len(chances) ** 2 * terms.sum() / (chances.sum() * (p - q)) ** 2)


def printed_variance_t() -> float:
    """The variance of T in the proof of Theorem 5.1, with its bracket corrected and with π_j in
    place of π, for the four users who have their own π_j.
    """
    known, f = personal(), CASES[OWN].share
    (p, q, gap), pi = known.chances, known.sampling
    noise, mean = f * p * (1 - p) + (1 - f) * q * (1 - q), f * p + (1 - f) * q
    terms = pi * (1 - pi) * (noise + mean**2) + pi**2 * noise
    return float(known.users**2 * terms.sum() / (known.budget * gap) ** 2)


def corrected_variance_t(drawn: bool) -> float:
    """The exact variance of T for the four users who have their own π_j; items are fixed or drawn.

    The variance is n² Σ π_j m_j (1 - π_j m_j) / (B (p - q))², where B = Σ π_j. The report of user
    j, if it is sent, names the item with probability m_j. If items are drawn, m_j is the same for
    all users.
    """
    case, known = CASES[OWN], personal()
    (p, q, gap), pi = known.chances, known.sampling
    mean = case.share * p + (1 - case.share) * q
    named = np.full(len(pi), mean) if drawn else np.where(case.held == 1, p, q)
    return float(known.users**2 * np.sum(pi * named * (1 - pi * named)) / (known.budget * gap) ** 2)


def drawn_variance_g(case: str, sampling: float) -> float:
    """The exact variance of g if each user's item is drawn: n μ (1 - π μ) / (π (p - q)²).

    Here μ = f p + (1 - f) q.
    """
    known, f = sample(case, sampling), CASES[case].share
    p, q, gap = known.chances
    mean = f * p + (1 - f) * q
    return known.users * mean * (1 - sampling * mean) / (sampling * gap**2)


def order_of(quotient: Callable[[float], float]) -> float:
    """Return the power k such that a function of π grows like (1/π)^k from π = 10⁻⁶ to 10⁻⁷."""
    small, smaller = 1e-6, 1e-7
    return float(np.log(quotient(smaller) / quotient(small)) / np.log(small / smaller))


def normalised_by_reports(sampling: float) -> float:
    """Var*(g / E[S]), as the proof of Theorem 3.3 normalises; E[S] = n π."""
    return centred(sample(CROWD, sampling)).approximate_variance / sampling**2


def normalised_by_mean(sampling: float) -> float:
    """Var(g) / E[g], as Definition 3.1 normalises, for item 1, up to a constant factor."""
    made, share = centred(sample(CROWD, sampling)), CASES[CROWD].share
    return float(made.variance(share) / made.mean(share))
