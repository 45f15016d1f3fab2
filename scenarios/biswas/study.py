"""What sampling costs in accuracy and saves in communication: the experiments of Biswas, Cormode
and Maple, section 4.

The paper states neither ε nor the number of repetitions nor how estimates are made distributions,
so these are arguments here. Its "domain of size 100" has the 101 values 0..100, which are the items
1..101.
"""

import math
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.grr import GRR
from protocols.postprocess.consistency import apply
from protocols.sampled_frequency.estimators import Estimator, per_report
from protocols.sampled_frequency.mechanism import SampledGRR
from protocols.sampled_frequency.sampling_design import SamplingDesign
from simnet.coins.coins import Coins

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def binomial_law(trials: int, chance: float) -> Floats:
    """The chances of 0..trials successes; shape (trials + 1,)."""
    checks.whole("trials", trials, 1)
    checks.chance("chance", chance)
    law = np.ones(1)
    for _ in range(trials):
        law = np.convolve(law, [1 - chance, chance])
    return law


def one_hump() -> Floats:
    """The paper's first data set: Binomial(100, 1/2); shape (101,)."""
    return binomial_law(100, 0.5)


def sum_of_two() -> Floats:
    """The paper's second data set, "+" being the sum of independent Binomial(50, 0.6) and
    Binomial(50, 0.4).
    """
    return np.convolve(binomial_law(50, 0.6), binomial_law(50, 0.4))


def mixture_of_two() -> Floats:
    """The second data set with "+" being a mixture in equal parts: humps at 30 and 20, nothing
    above 50.
    """
    halves = (binomial_law(50, 0.6) + binomial_law(50, 0.4)) / 2
    return np.append(halves, np.zeros(50))


def apportioned(law: npt.ArrayLike, users: int) -> Ints:
    """How many of so many users hold each value, by largest remainder; shape as the law's."""
    checks.whole("users", users, 1)
    quotas = np.asarray(law, dtype=np.float64) * users
    counts = np.floor(quotas).astype(np.int64)
    order = np.argsort(counts - quotas, kind="stable")
    counts[order[: users - int(counts.sum())]] += 1
    return counts


def tv_distance(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """Total variation distance, half the sum of |a - b|.

    Above 1 it can be for what are no distributions.

    Raises `ValueError` for laws of different shapes.
    """
    law = np.asarray(one, dtype=np.float64)
    return float(np.abs(law - checks.shaped("the other law", other, law.shape)).sum() / 2)


def expected_raw_tv(holders: Ints, estimator: Any) -> float:
    """The mean distance of raw estimates from the truth, as normal ones have it: half the sum of
    √(2 Var_i / π).
    """
    shares = np.asarray(holders) / np.sum(holders)
    return float(np.sqrt(2 * estimator.variance(shares) / math.pi).sum() / 2)


@attrs.frozen
class Point:
    """One point of figure 3: accuracy and communication at a sampling chance."""

    epsilon: float
    sampling: float
    payload_bytes: float  # expected, of all users
    expected_tv: float  # of raw estimates
    raw_tv: float  # mean of the repetitions
    normalised_tv: float  # the same of estimates clipped at 0 and scaled


def histogram(
    holders: Ints, epsilon: float, sampling: float, coins: Coins, estimator: Estimator = per_report
) -> Floats:
    """The raw estimated shares of one simulated collection, shape (N,): a picture of figures 1 and
    2.
    """
    users = int(np.sum(holders))
    supports = SampledGRR(epsilon, len(holders), sampling).draw_supports(holders, coins)
    return np.asarray(
        estimator(SamplingDesign(GRR(epsilon, len(holders)), users, sampling)).estimate(supports)
    )


def sampling_point(
    holders: Ints,
    epsilon: float,
    sampling: float,
    repetitions: int,
    coins: Coins,
    estimator: Estimator = per_report,
) -> Point:
    """The mean distances over so many simulated collections from a population with these holders,
    shape (N,).
    """
    users, shares = int(np.sum(holders)), holders / np.sum(holders)
    made = estimator(SamplingDesign(GRR(epsilon, len(holders)), users, sampling))
    drawn = (histogram(holders, epsilon, sampling, coins, estimator) for _ in range(repetitions))
    distances = np.array(
        [[tv_distance(raw, shares), tv_distance(apply("normalise", raw), shares)] for raw in drawn]
    )
    raw_tv, normalised_tv = distances.mean(axis=0)
    expected = expected_raw_tv(holders, made)
    return Point(
        epsilon,
        sampling,
        made.sample.expected_bytes,
        expected,
        float(raw_tv),
        float(normalised_tv),
    )


def figure3(
    holders: Ints,
    epsilons: Sequence[float],
    samplings: Sequence[float],
    repetitions: int,
    coins: Coins,
) -> list[Point]:
    """Distance and communication for every ε and sampling chance, for the estimator that the paper
    draws, ĉ.
    """
    return [
        sampling_point(holders, epsilon, sampling, repetitions, coins)
        for epsilon in epsilons
        for sampling in samplings
    ]
