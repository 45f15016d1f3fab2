"""Sampled collection: a user reports with some probability only.

A report is a randomised response (GRR). Learns: whoever sees the messages, who reports and, up to
ε, what each reporter holds. Silence adds one output to the channel, with the same chance for every
value as long as the sampling does not look at the value: then ε is that of a report, and sampling
does not lower it. Source: Biswas, Cormode and Maple, *Impact of Sampling on Locally Differentially
Private Data Collection*, sections 3 and 5.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import Chance, positive_chance
from protocols.mechanisms.channel import epsilon_of
from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import Linear, per_report
from protocols.sampled_frequency.sampling_design import NONE, SamplingDesign
from simnet.arrays import Floats, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.values.typed import Typed


@attrs.frozen
class SampledGRR:
    """Randomised response over N items, counted from 1, of users who report at times.

    Each reports with probability π.
    """

    epsilon: float  # ε > 0
    items: int  # N >= 2
    sampling: Chance  # π, the chance that a user reports: 0 < π <= 1

    continuous = False

    def __attrs_post_init__(self) -> None:
        positive_chance("sampling", self.sampling)
        _ = self.response

    @property
    def response(self) -> GRR:
        """The randomised response of a user who reports."""
        return GRR(self.epsilon, self.items)

    def law(self, value: int) -> tuple[Fraction, ...]:
        """The chances of no report and of each report of a user who holds `value` in 1..N.

        Shape (N + 1,).
        """
        return silent_or(self.response.law(value), self.sampling)

    @property
    def exact_epsilon(self) -> float:
        """The ε of the law; any two items differ as the first two do."""
        return epsilon_of(
            [silent_or(self.response.law_of_few(value, 2), self.sampling) for value in (1, 2)]
        )

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """One report a user, shape (n,), in 1..N, and 0 of a user who sends none."""
        return sampled_reports(self.response, values, self.sampling, coins)

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """How many reports name each item; shape (N,). Raises `ValueError` for one outside 0..N."""
        items = checks.whole_numbers("reports", reports, NONE, self.items)
        return self.response.supports(items[items != NONE])

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """The supports that a population's reports have, drawn without the reports; shapes (N,).

        `holders` are how many hold each item.
        """
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        return self.response.draw_supports(coins.binomials(counts, self.sampling).plain, coins)

    def payload(self, reports: npt.ArrayLike) -> Typed:
        """The reports that are sent, as they travel, in order."""
        items = checks.whole_numbers("reports", reports, NONE, self.items)
        return self.response.payload(items[items != NONE])

    @property
    def form(self) -> Typed:
        """No reports at all, as they would travel."""
        return self.response.form

    def received(self, numbers: Numbers) -> Ints:
        """Reports from the numbers that arrived."""
        return self.response.received(numbers)

    @property
    def support_chances(self) -> tuple[float, float]:
        """The chances (p, q) that a report which is sent supports the own item, and any other."""
        return self.response.support_chances

    def sample(self, users: int) -> SamplingDesign:
        """The sampling design of this many users."""
        return SamplingDesign(self.response, users, float(self.sampling))

    def estimator(self, users: int) -> Linear:
        """The best of the estimators for so many users: ĉ."""
        return per_report(self.sample(users))

    def estimate(self, supports: npt.ArrayLike, users: int) -> Floats:
        """Unbiased shares of all users, silent ones included; shape (N,), not clipped."""
        return self.estimator(users).estimate(supports)

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """The exact variance of an item's estimated share, data fixed.

        `share` of the users hold it.
        """
        return self.estimator(users).variance(share)


def silent_or(row: Sequence[Fraction], sampling: Chance) -> tuple[Fraction, ...]:
    """The law of a report that is sent with this chance; no report comes first."""
    sent = Fraction(sampling)
    return (1 - sent, *(sent * chance for chance in row))


def sampled_reports(
    response: GRR, values: npt.ArrayLike, sampling: Chance | Sequence[Chance], coins: Coins
) -> Ints:
    """Reports of users, shape (n,), sampled with one chance or each with its own.

    0 stands for no report. Raises `ValueError` for a value outside 1..N, a chance outside (0, 1]
    and another number of chances than of users.
    """
    items = checks.whole_numbers("values", values, 1, response.items)
    sent = np.empty(items.size, dtype=np.bool_)
    for chance, users in _by_chance(sampling, items.size):
        sent[users] = coins.bernoullis(chance, len(sent[users]))
    reports = np.zeros(items.size, dtype=np.int64)
    reports[sent] = response.perturb(items[sent], coins)
    return reports


def _by_chance(
    sampling: Chance | Sequence[Chance], users: int
) -> Iterator[tuple[Chance, slice | Ints]]:
    """Every chance that occurs and the users who have it."""
    if isinstance(sampling, int | float | Fraction):
        positive_chance("sampling", sampling)
        yield sampling, slice(None)
        return
    chances = checks.sampling(checks.doubles("a sampling chance", sampling), users)
    for chance in np.unique(chances):
        yield float(chance), np.flatnonzero(chances == chance)


def channel_epsilon(epsilon: float, items: int, sampling: Chance | Sequence[Chance]) -> float:
    """The exact ε of a report or its absence.

    `sampling` is one chance, or one for each value that a user may hold. A chance that depends on
    the value adds what silence tells of it; inf where one value always reports. Raises `ValueError`
    for a chance outside (0, 1] and another number of chances than of items.
    """
    response = GRR(epsilon, items)
    if isinstance(sampling, int | float | Fraction):
        return SampledGRR(epsilon, items, sampling).exact_epsilon
    if len(sampling) != items:
        raise ValueError(
            f"sampling is one chance or one for each of {items} items, got {len(sampling)} chances"
        )
    for chance in sampling:
        positive_chance("sampling", chance)
    return epsilon_of(
        [silent_or(response.law(value), chance) for value, chance in enumerate(sampling, start=1)]
    )


def counts_epsilon(epsilon: float, users: int, reports: int) -> float:
    """The ε of the counts alone, given that so many of the users reported.

    ln(1 + (s / n) (e^ε - 1)). Holds for equal sampling chances, one user's value being changed.
    Without the condition the counts are (counts_epsilon(s), P[S > s])-private for every s: see
    `excess_reports`.
    """
    checks.epsilon(epsilon)
    checks.whole("users", users, 1)
    checks.whole("reports", reports, 0, users)
    share = reports / users
    if epsilon < 700:  # e^ε is a double; a logarithm of what is near 1 would lose digits
        return math.log1p(share * math.expm1(epsilon))
    return epsilon + math.log(share + (1 - share) * math.exp(-epsilon)) if reports else 0.0


def excess_reports(users: int, sampling: Chance, reports: int) -> float:
    """P[S > s]: the chance that more than so many of the users report.

    It is the δ that goes with `counts_epsilon`.
    """
    from scipy.special import bdtrc  # here, not above: it takes a while to load

    checks.whole("users", users, 1)
    checks.whole("reports", reports, 0, users)
    positive_chance("sampling", sampling)
    return 0.0 if reports == users else float(bdtrc(reports, users, float(sampling)))
