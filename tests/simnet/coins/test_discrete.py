"""The laws of integer noise, and of the draws from which it is made, are compared with exact
weights.

Chi-square and binomial tests have fixed seeds; on fresh seeds each raises a false alarm with
probability 1e-6.
"""

from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import exp, factorial, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from simnet.coins import discrete
from simnet.coins.discrete import bernoulli_exp, discrete_gaussian
from simnet.coins.law import law_of
from simnet.coins.sampled import SampledCoins
from simnet.coins.streams import Stream
from simnet.coins.tape import Choice, Tape
from simnet.values.meter import Meter

FALSE_ALARM = 1e-6


def fits(drawn: list[int], weight: Callable[[int], float], reach: int) -> bool:
    """Chi-square of integers against their weights.

    What is expected less than 5 times is thrown together.
    """
    support = np.arange(-reach, reach + 1)
    weights = np.array([weight(int(x)) for x in support])
    law = len(drawn) * weights / weights.sum()
    values = np.array(drawn)
    assert abs(values).max() <= reach  # beyond it lies a mass below 1e-12
    seen = np.bincount(values + reach, minlength=2 * reach + 1)
    common = law >= 5
    seen, law = (
        np.append(seen[common], seen[~common].sum()),
        np.append(law[common], law[~common].sum()),
    )
    return bool(stats.chisquare(seen[law > 1e-9], law[law > 1e-9]).pvalue > FALSE_ALARM)


VARIANCES = [
    Fraction(1, 10),
    Fraction(1, 2),
    Fraction(1),
    Fraction(9, 4),
    Fraction(4),
    Fraction(0.3),
    Fraction(50),
]


@pytest.mark.slow
@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_the_discrete_gaussian_has_its_weights(variance: Fraction) -> None:
    drawn = SampledCoins(3, "u1").discrete_normal(variance, 12_000).plain.tolist()
    assert fits(drawn, lambda x: exp(-(x**2) / (2 * float(variance))), 3 + int(8 * sqrt(variance)))


def test_a_wide_discrete_gaussian_is_nearly_gaussian() -> None:
    variance = Fraction(10**12, 7)
    drawn = SampledCoins(4, "u1").discrete_normal(variance, 10_000).plain
    assert stats.kstest(drawn / sqrt(variance), "norm").pvalue > FALSE_ALARM


@pytest.mark.parametrize(
    "scale", [Fraction(1, 3), Fraction(1), Fraction(7, 3), Fraction(5)], ids=str
)
def test_the_discrete_laplace_has_its_weights(scale: Fraction) -> None:
    drawn = SampledCoins(5, "u1").discrete_laplace(scale, 12_000).plain.tolist()
    assert fits(drawn, lambda x: exp(-abs(x) / float(scale)), 4 + int(30 * scale))


@pytest.mark.parametrize(
    "variance", [Fraction(1, 5), Fraction(1), Fraction(9, 4), Fraction(400)], ids=str
)
def test_the_skellam_law_has_its_weights(variance: Fraction) -> None:
    drawn = SampledCoins(3, "u1").skellam(variance, 12_000).plain.tolist()
    law = stats.skellam(float(variance / 2), float(variance / 2))
    assert fits(drawn, lambda x: float(law.pmf(x)), 10 + int(10 * sqrt(variance)))


class StartsAnew(Exception):
    pass


@pytest.mark.parametrize("mean", [Fraction(1, 3), Fraction(2, 5)])
def test_the_chances_of_a_poisson_draw_are_exact(
    monkeypatch: pytest.MonkeyPatch, mean: Fraction
) -> None:
    """An attempt is kept as k with chance (1 - mean) mean^k / k!, else the draw starts anew."""

    def attempt(tape: Tape) -> Hashable:
        def tossed(_: Stream, chance: Fraction, count: int) -> np.ndarray[Any, Any]:
            coin = Choice.of([(True, chance), (False, 1 - chance)])
            return np.array([tape.toss(coin) for _ in range(count)], dtype=np.bool_)

        def number(_: Stream, bound: int, count: int) -> np.ndarray[Any, Any]:
            if bound == 7:  # so many are enough
                raise StartsAnew
            if not tossed(_, Fraction(1, bound), count).all():
                raise StartsAnew
            return np.zeros(count, dtype=np.int64)

        monkeypatch.setattr(discrete, "bernoullis", tossed)
        monkeypatch.setattr(discrete, "uniform_below", number)
        try:
            return int(discrete.poissons(Stream(0, "", ""), mean, 1)[0])
        except StartsAnew:
            return "anew"

    law = law_of(attempt)
    assert {k: law[k] for k in range(6)} == {
        k: (1 - mean) * mean**k / factorial(k) for k in range(6)
    }


@pytest.mark.parametrize(
    ("law", "parameter"),
    [
        ("discrete_laplace", 0),
        ("discrete_laplace", 1 << 57),
        ("skellam", Fraction(-1)),
        ("skellam", 10**10),
    ],
)
def test_noise_is_refused_beyond_its_limits(law: str, parameter: Fraction) -> None:
    with pytest.raises(ValueError, match="must be positive and at most"):
        getattr(SampledCoins(0, "u1"), law)(parameter, 1)


@pytest.mark.parametrize(
    ("a", "b"), [(1, 1000), (1, 3), (2, 3), (1, 1), (4, 3), (5, 2), (3, 1), (10**30, 10**30 + 1)]
)
def test_a_coin_has_chance_exp_of_minus_the_fraction(a: int, b: int) -> None:
    stream, tosses = Stream(6, "u1", "test"), 12_000
    heads = sum(bernoulli_exp(stream, a, b) for _ in range(tosses))
    assert stats.binomtest(heads, tosses, exp(-Fraction(a, b))).pvalue > FALSE_ALARM


def test_a_coin_of_exponent_zero_is_certain() -> None:
    assert all(bernoulli_exp(Stream(seed, "u1", "test"), 0, 7) for seed in range(200))


class Undecided(Exception):
    def __init__(self, bound: int) -> None:
        self.bound = bound


@pytest.mark.parametrize(("a", "b"), [(1, 3), (2, 3), (1, 1), (3, 2)])
def test_the_chance_of_a_coin_is_exact(monkeypatch: pytest.MonkeyPatch, a: int, b: int) -> None:
    """Every sequence of up to 9 draws is played, alike ones together.

    The chance of what they decide is exact.
    """
    decided = {True: Fraction(0), False: Fraction(0)}
    pending: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while pending:
        path, chance = pending.pop()
        played = iter(path)

        def choose(_: Stream, bound: int, played: Iterator[int] = played) -> int:
            choice = next(played, None)
            if choice is None:
                raise Undecided(bound)
            return choice

        monkeypatch.setattr(discrete, "integer_below", choose)
        try:
            decided[discrete.bernoulli_exp(Stream(0, "", ""), a, b)] += chance
        except Undecided as more:
            if (
                len(path) < 9
                # draws between two neighbouring cuts are alike: they are only held against 1, a, a
                # - b
            ):
                cuts = sorted(
                    {0, more.bound, *(cut for cut in (1, a, a - b) if 0 < cut < more.bound)}
                )
                for low, high in pairwise(cuts):
                    pending.append(((*path, low), chance * Fraction(high - low, more.bound)))
    assert float(decided[True]) <= exp(-a / b) <= float(1 - decided[False])
    assert 1 - decided[True] - decided[False] < Fraction(1, 1000)


def test_draws_are_billed_and_integers() -> None:
    meter = Meter()
    drawn = SampledCoins(0, "u1", meter).discrete_normal(Fraction(2), 5)
    assert meter.counts == {"RS": 5}
    assert drawn.plain.dtype == np.int64
    assert (
        discrete_gaussian(Stream(0, "u1", "x"), Fraction(1, 10**6)) == 0
    )  # e^(-500,000) for any other


@pytest.mark.parametrize("variance", [Fraction(0), Fraction(-1), Fraction(2**112 + 1)])
def test_a_variance_must_be_positive_and_not_too_large(variance: Fraction) -> None:
    with pytest.raises(ValueError, match="variance parameter must be positive"):
        SampledCoins(0, "u1").discrete_normal(variance, 1)


@pytest.mark.slow
@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(9, 4), Fraction(40)])
def test_the_law_is_that_of_an_independent_library(variance: Fraction) -> None:
    """Against OpenDP's sampler, 20,000 draws each: chi-square on two samples; OpenDP has no seed,
    false alarm 1e-9.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    other = dp.m.make_gaussian(*space, scale=float(variance) ** 0.5)([0] * 20_000)
    ours = SampledCoins(3, "u1").discrete_normal(variance, 20_000).tolist()
    widest = max(map(abs, [*other, *ours]))
    table = np.array(
        [[sample.count(x) for x in range(-widest, widest + 1)] for sample in (ours, other)]
    )
    common = table[:, table.sum(axis=0) >= 20]
    rare = table[:, table.sum(axis=0) < 20].sum(axis=1, keepdims=True)
    cells = np.hstack([common, rare]) if rare.sum() >= 20 else common
    assert stats.chi2_contingency(cells).pvalue > 1e-9


@pytest.mark.slow
def test_the_comparison_sees_another_variance() -> (
    None
):  # one that is blind would pass the test above
    tables = [
        SampledCoins(3, "u1").discrete_normal(v, 20_000).tolist()
        for v in (Fraction(9, 4), Fraction(10, 4))
    ]
    cells = np.array([[sample.count(x) for x in range(-4, 5)] for sample in tables])
    assert stats.chi2_contingency(cells).pvalue < 1e-9
