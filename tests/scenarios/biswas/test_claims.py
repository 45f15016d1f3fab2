"""Means and variances of the estimators, played out in fractions beside those of the product."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import e, log

import pytest

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import centred, direct, per_report, pooled
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas import claims

MADE = {"c": direct, "g": centred, "ĉ": per_report}
Moments = tuple[Fraction, Fraction]


def moments(name: str, items: int, power: Fraction, held: Sequence[int], pi: Sequence[Fraction]):
    """Return mean and variance of an estimated count, from every way to report."""
    n, total = len(held), sum(pi, Fraction(0))
    p, q = power / (power + items - 1), 1 / (power + items - 1)
    law = {(0, 0): Fraction(1)}
    for item, sent in zip(held, pi, strict=True):
        named = p if item == 0 else q
        parts = {(0, 0): 1 - sent, (0, 1): sent * (1 - named), (1, 1): sent * named}
        after: dict[tuple[int, int], Fraction] = {}
        for (a, b), chance in law.items():
            for (da, db), more in parts.items():
                place = a + da, b + db
                after[place] = after.get(place, Fraction(0)) + chance * more
        law = after

    def estimate(named: int, sent: int) -> Fraction:
        alone, share = (named - n * q) / (p - q), total / n
        if name == "c":
            return alone
        if name == "ĉ":
            return (named - sent * q) / (share * (p - q))
        return alone / share + n * q * (1 - share) / ((p - q) * share)

    mean = sum((estimate(*at) * c for at, c in law.items()), Fraction(0))
    return mean, sum((estimate(*at) ** 2 * c for at, c in law.items()), Fraction(0)) - mean**2


@pytest.mark.parametrize("name", MADE)
def test_means_and_variances_are_those_of_every_way_to_report(name: str) -> None:
    for n, m, pi, power in product((1, 2, 3), (2, 3), (0.25, 0.75), (1.5, 3.0)):
        for holders in range(n + 1):
            held = [0] * holders + [1] * (n - holders)
            known = SamplingDesign(GRR(log(power), m), n, pi)
            mean, variance = moments(name, m, Fraction(power), held, [Fraction(pi)] * n)
            made, f = MADE[name](known), holders / n
            assert n * float(made.mean(f)) == pytest.approx(float(mean), abs=1e-9)
            assert n**2 * float(made.variance(f)) == pytest.approx(float(variance), abs=1e-9)


def test_t_with_chances_of_ones_own_is_played_out() -> None:
    pi = [Fraction(str(one)) for one in claims.OWN_CHANCES]
    mean, variance = moments("T", 3, Fraction(e), (0, 0, 1, 2), pi)
    shares = [[1.0], [1.0], [0.0], [0.0]]
    assert float(pooled(claims.OWN).mean(shares)[0]) * 4 == pytest.approx(float(mean)) == 3.4
    assert (
        float(variance)
        == pytest.approx(claims.corrected_variance_t())
        == pytest.approx(16.8738, abs=1e-4)
    )


def test_printed_and_corrected_formulas_have_the_known_values() -> None:
    assert claims.printed_variance_g() == pytest.approx(22.5276, abs=1e-4)
    assert claims.corrected_variance_g() == pytest.approx(24.0276, abs=1e-4)
    assert claims.printed_variance_c_hat() == pytest.approx(26.0598, abs=1e-4)
    assert claims.corrected_variance_c_hat() == pytest.approx(18.5036, abs=1e-4)


def test_small_probabilities_make_the_mean_of_c_negative() -> None:
    """At every point of the grid up to 0.018, and not one step further."""

    def share(pi: float) -> float:
        return claims.on_grid(lambda known, f: float(direct(known).mean(f)) < 0, (pi,))()

    assert share(0.018) == 1 > share(0.019)
