"""Every coordinate of every report is compared with its law, and a failing test names the
coordinate.

A mechanism may be proved private while its code adds no noise to one bit. Only a test of each bit
of the drawn reports finds this. Exact binomial tests of 40,000 reports for every held item and
every coordinate; with fresh coins all tests of one mechanism would raise a false alarm with
probability 1e-6 at most.
"""

from typing import Any

import attrs
import numpy as np
from scipy import stats

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.response import JoyGerla, Warner
from protocols.mechanisms.unary import OUE, SUE, Unary
from simnet.arrays import Bools
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from tests.harness.exact_mutants import LastBitAsIs
from tests.harness.many_cases import for_each

REPORTS, FALSE_ALARM = 40_000, 1e-6


def laws(mechanism: Any, value: int) -> list[float]:
    """The chance of a 1 in each coordinate: a bit of unary reports, an answer (0 for none) of the
    others.
    """
    law = mechanism.bit_law(value) if hasattr(mechanism, "bit_law") else mechanism.law(value)
    return [float(chance) for chance in law]


def counts(mechanism: Any, value: int, coins: Coins) -> list[int]:
    reports = mechanism.perturb(np.full(REPORTS, value), coins)
    if reports.ndim == 2:
        return [int(count) for count in reports.sum(axis=0)]
    seen = np.bincount(reports, minlength=mechanism.items + 1)
    return [int(count) for count in (seen if isinstance(mechanism, JoyGerla) else seen[1:])]


def unlawful(mechanism: Any, values: Any = None, seed: int = 1) -> list[tuple[int, int]]:
    """Pairs of a held item and a coordinate, counted from 1, that is not as often 1 as it should
    be.
    """
    found, coins = [], SampledCoins(seed, "u1")
    values = values or range(1, mechanism.items + 1)
    for value in values:
        chances, ones = np.array(laws(mechanism, value)), np.array(counts(mechanism, value, coins))
        tails = stats.binom.cdf(ones, REPORTS, chances), stats.binom.sf(ones - 1, REPORTS, chances)
        (wrong,) = np.nonzero(2 * np.minimum(*tails) < FALSE_ALARM / chances.size / len(values))
        found += [(value, int(place) + 1) for place in wrong]
    return found


@for_each(
    "mechanism",
    [
        GRR(1.0, 8),
        GRR(4.0, 3),
        Warner(0.5),
        SUE(1.0, 8),
        SUE(5.0, 3),
        OUE(1.0, 8),
        OUE(5.0, 3),
        Unary(0.9, 0.01, 5),
        JoyGerla(0.8, 0.2, 0.45),
        JoyGerla(0.5, 0.9),
    ],
)
def test_every_coordinate_of_every_report_follows_its_law(mechanism: Any) -> None:
    assert unlawful(mechanism) == []


def test_more_items_than_a_byte_has_bits() -> None:
    assert unlawful(OUE(1.0, 100), values=[1, 57, 100]) == []
    assert unlawful(GRR(1.0, 1024), values=[1, 600, 1024]) == []


def test_bits_of_one_report_are_independent() -> None:
    """All 16 reports of four bits, by chi-square."""
    for mechanism in (SUE(1.0, 4), OUE(1.0, 4)):
        reports = mechanism.perturb(np.full(REPORTS, 2), SampledCoins(2, "u1"))
        drawn = np.bincount(reports @ [8, 4, 2, 1], minlength=16)
        law = np.array([float(chance) for chance in mechanism.law(2)])
        assert stats.chisquare(drawn, law * REPORTS).pvalue > FALSE_ALARM


def test_reports_of_neighbouring_users_are_independent() -> None:
    mechanism = GRR(1.0, 4)
    reports = mechanism.perturb(np.full(2 * REPORTS, 2), SampledCoins(3, "u1")).reshape(-1, 2)
    law = np.array([float(chance) for chance in mechanism.law(2)])
    drawn = np.bincount((reports[:, 0] - 1) * 4 + reports[:, 1] - 1, minlength=16)
    assert stats.chisquare(drawn, np.outer(law, law).ravel() * REPORTS).pvalue > FALSE_ALARM


# A test that no mistake can fail would pass the above.


def test_a_bit_sent_as_it_is_is_named() -> None:
    assert unlawful(LastBitAsIs(1.0, 6)) == [(value, 6) for value in range(1, 7)]


@attrs.frozen
class HalfTheNoise(OUE):
    """A mechanism in which the third bit of a report is 1 somewhat too seldom."""

    def perturb(self, values: Any, coins: Coins) -> Bools:
        reports = super().perturb(values, coins)
        reports[:, 2] &= coins.bernoullis(0.95, len(reports))
        return reports


def test_a_bit_with_slightly_wrong_noise_is_named() -> None:
    assert {place for _, place in unlawful(HalfTheNoise(1.0, 5))} == {3}


@attrs.frozen
class AnyItem(GRR):
    """A mechanism that reports any item in place of another item, so that it reports the own item
    too often.
    """

    def perturb(self, values: Any, coins: Coins) -> Any:
        kept = coins.bernoullis(self.exact_chances[0], len(values))
        return np.where(kept, values, coins.integers(self.items, len(values)).plain + 1)


def test_an_own_item_reported_too_often_is_named() -> None:
    named = unlawful(AnyItem(1.0, 4))
    assert {(value, value) for value in range(1, 5)} <= set(named)
