"""Sampled collection: a user reports only with some probability.

A report is a randomised response (GRR), or a unary encoding (OUE, SUE): a noisy bit for each item.
It *supports* the item that it names, or every item whose bit is 1. Somebody who sees the messages
learns who reports, so silence is one more possible output of a user. As long as the sampling does
not depend on the item, silence has the same probability for every item. Then ε is that of a report,
and sampling does not lower it.

Source: Biswas, Cormode and Maple, *Impact of Sampling on Locally Differentially Private Data
Collection*, sections 3 and 5. The paper samples users of randomised response; its Definition 2.3
covers unary encodings too.
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
from protocols.mechanisms.unary import UnaryReports, joint_law
from protocols.sampled_frequency.estimators import Linear, per_report
from protocols.sampled_frequency.sampling_design import NONE, SamplingDesign
from simnet.arrays import Bools, Floats, Ints, Numbers
from simnet.coins.coins import Coins
from simnet.values.typed import Typed


@attrs.frozen
class SampledGRR:
    """Randomised response over N items, counted from 1, where a user reports with probability π.

    `epsilon` is that of a report, `items` is N >= 2, and `sampling` is π in (0, 1]. Raises
    `ValueError` for parameters out of range.

    >>> sampled = SampledGRR(epsilon=1.0, items=3, sampling=0.25)
    >>> float(sampled.law(1)[0]), round(sampled.exact_epsilon, 9)
    (0.75, 1.0)
    """

    epsilon: float  # ε > 0
    items: int  # N >= 2
    sampling: Chance  # π, the probability that a user reports: 0 < π <= 1

    continuous = False

    def __attrs_post_init__(self) -> None:
        positive_chance("sampling", self.sampling)
        _ = self.response

    @property
    def response(self) -> GRR:
        """The randomised response of a user who reports."""
        return GRR(self.epsilon, self.items)

    def law(self, value: int) -> tuple[Fraction, ...]:
        """Return the probabilities of no report and of each report, for a user who holds
        `value`.

        Shape (N + 1,).
        """
        return silent_or(self.response.law(value), self.sampling)

    @property
    def exact_epsilon(self) -> float:
        """The ε of the law; any two items differ in the same way as items 1 and 2."""
        return epsilon_of(
            [silent_or(self.response.law_of_few(value, 2), self.sampling) for value in (1, 2)]
        )

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Ints:
        """Return one report in 1..N for each user, or 0 for no report; shape (n,)."""
        return sampled_reports(self.response, values, self.sampling, coins)

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """Return how many reports name each item; shape (N,).

        Raises `ValueError` for a report outside 0..N.
        """
        items = checks.whole_numbers("reports", reports, NONE, self.items)
        return self.response.supports(items[items != NONE])

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> Ints:
        """Draw the supports of a population's reports without drawing the reports; shape (N,).

        `holders` counts the users who hold each item.
        """
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        return self.response.draw_supports(coins.binomials(counts, self.sampling).plain, coins)

    def payload(self, reports: npt.ArrayLike) -> Typed:
        """Return the reports that are sent, in order, encoded for sending."""
        items = checks.whole_numbers("reports", reports, NONE, self.items)
        return self.response.payload(items[items != NONE])

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.response.form

    def received(self, numbers: Numbers) -> Ints:
        """Return the reports that the received numbers stand for."""
        return self.response.received(numbers)

    @property
    def support_chances(self) -> tuple[float, float]:
        """The probabilities (p, q) that a report, if sent, supports the user's own item, and a
        given other item.
        """
        return self.response.support_chances

    def sample(self, users: int) -> SamplingDesign:
        """Return the sampling design for this many users."""
        return SamplingDesign(self.response, users, float(self.sampling))

    def estimator(self, users: int) -> Linear:
        """Return the estimator ĉ for this many users."""
        return per_report(self.sample(users))

    def estimate(self, supports: npt.ArrayLike, users: int) -> Floats:
        """Return, for each item, the estimated share of all users who hold it; shape (N,).

        The estimate is unbiased and not clipped. `users` includes the silent ones.
        """
        return self.estimator(users).estimate(supports)

    def variance(self, share: npt.ArrayLike, users: int) -> Any:
        """Return the exact variance, for fixed data, of the estimated share of an item.

        `share` is the share of the users who hold the item.
        """
        return self.estimator(users).variance(share)


@attrs.frozen
class SampledUnary:
    """A unary encoding over N items, counted from 1, where a user reports with probability π.

    `response` is the encoding of a user who reports, such as `OUE(epsilon, items)`, and `sampling`
    is π in (0, 1]. Raises `ValueError` for a probability out of range.

    >>> from protocols import OUE
    >>> sampled = SampledUnary(OUE(epsilon=1.0, items=3), sampling=0.25)
    >>> float(sampled.law(1)[0]), round(sampled.exact_epsilon, 9)
    (0.75, 1.0)
    """

    response: UnaryReports
    sampling: Chance  # π, the probability that a user reports: 0 < π <= 1

    continuous = False

    def __attrs_post_init__(self) -> None:
        positive_chance("sampling", self.sampling)

    @property
    def epsilon(self) -> float:
        """The requested ε of a report; for chosen probabilities p and q, the ε of their law."""
        stated = self.response.stated_epsilon
        return self.response.exact_epsilon if stated is None else stated

    @property
    def items(self) -> int:
        """The number of items, N."""
        return self.response.items

    def law(self, value: int) -> tuple[Fraction, ...]:
        """Return the probabilities of no report and of each of the 2**N reports.

        Shape (1 + 2**N,), for a user who holds `value`. Raises `ValueError` for more than 16 items.
        """
        return silent_or(self.response.law(value), self.sampling)

    @property
    def exact_epsilon(self) -> float:
        """The ε of the law.

        The laws for two items differ only in the bits of these items. So items 1 and 2, and bits 1
        and 2, stand for all pairs.
        """
        return epsilon_of(
            [
                silent_or(joint_law(self.response.bit_law(value, 2)), self.sampling)
                for value in (1, 2)
            ]
        )

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Bools:
        """Return the reports of the users who report, in the order of the users; shape (s, N)."""
        items = checks.whole_numbers("values", values, 1, self.items)
        sent = coins.bernoullis(self.sampling, items.size)
        return self.response.perturb(items[sent], coins)

    def supports(self, reports: npt.ArrayLike) -> Ints:
        """Return how many of the reports, shape (s, N), have each bit set; shape (N,)."""
        return self.response.supports(reports)

    def draw_supports(self, holders: npt.ArrayLike, coins: Coins) -> tuple[Ints, int]:
        """Draw the supports, shape (N,), and the number of reports, without drawing the reports.

        `holders` counts the users who hold each item; shape (N,).
        """
        counts = checks.whole_numbers("holders", holders, 0, np.iinfo(np.int64).max, self.items)
        sent = coins.binomials(counts, self.sampling).plain
        return self.response.draw_supports(sent, coins), int(sent.sum())

    def payload(self, reports: Bools) -> Typed:
        """Return the reports that are sent, in order, encoded for sending."""
        return self.response.payload(reports)

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.response.form

    def received(self, numbers: Numbers) -> Bools:
        """Return the reports that the received bits stand for."""
        return self.response.received(numbers)

    @property
    def support_chances(self) -> tuple[float, float]:
        """The probabilities (p, q) that a report, if sent, supports the user's own item, and a
        given other item.
        """
        return self.response.support_chances


def silent_or(row: Sequence[Fraction], sampling: Chance) -> tuple[Fraction, ...]:
    """Return the law of a report that is sent with this probability; no report comes first."""
    sent = Fraction(sampling)
    return (1 - sent, *(sent * chance for chance in row))


def sampled_reports(
    response: GRR, values: npt.ArrayLike, sampling: Chance | Sequence[Chance], coins: Coins
) -> Ints:
    """Draw the reports of users, shape (n,), with one reporting probability or one for each
    user.

    0 stands for no report. Raises `ValueError` for a value outside 1..N, for a probability outside
    (0, 1], and if there is another number of probabilities than of users.
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
    if isinstance(sampling, int | float | Fraction):
        positive_chance("sampling", sampling)
        yield sampling, slice(None)
        return
    chances = checks.sampling(checks.doubles("a sampling chance", sampling), users)
    for chance in np.unique(chances):
        yield float(chance), np.flatnonzero(chances == chance)


def channel_epsilon(epsilon: float, items: int, sampling: Chance | Sequence[Chance]) -> float:
    """Return the exact ε of a report or its absence.

    `sampling` is one probability, or one for each value that a user may hold. If the probability
    depends on the value, silence tells something about the value. The result is inf if users report
    always with some values but not with all. Raises `ValueError` for a probability outside (0, 1],
    and for another number of probabilities than of items.
    """
    response = GRR(epsilon, items)
    if isinstance(sampling, int | float | Fraction):
        return SampledGRR(epsilon, items, sampling).exact_epsilon
    if len(sampling) != items:
        raise ValueError(
            f"sampling is one probability, or one for each of {items} items, got {len(sampling)}"
        )
    for chance in sampling:
        positive_chance("sampling", chance)
    return epsilon_of(
        [silent_or(response.law(value), chance) for value, chance in enumerate(sampling, start=1)]
    )


def counts_epsilon(epsilon: float, users: int, reports: int) -> float:
    """Return the ε of the counts alone, given that s = `reports` of the n users reported.

    The result is ln(1 + (s / n) (e^ε - 1)), where ε = `epsilon` is that of a report. All users must
    have the same sampling probability; neighbouring inputs differ in one user's value. If the
    number S of users who report is left to chance, then for every s the counts are private with
    ε = counts_epsilon(s) and δ = P[S > s]: see `excess_reports`.
    """
    checks.epsilon(epsilon)
    checks.whole("users", users, 1)
    checks.whole("reports", reports, 0, users)
    share = reports / users
    if epsilon < 700:  # e^ε is a double; `log1p` keeps the digits of small results
        return math.log1p(share * math.expm1(epsilon))
    return epsilon + math.log(share + (1 - share) * math.exp(-epsilon)) if reports else 0.0


def excess_reports(users: int, sampling: Chance, reports: int) -> float:
    """Return P[S > s], the probability that more than s = `reports` of the users report.

    This probability is the δ that belongs to `counts_epsilon`.
    """
    from scipy.special import bdtrc  # imported only here: scipy loads slowly

    checks.whole("users", users, 1)
    checks.whole("reports", reports, 0, users)
    positive_chance("sampling", sampling)
    return 0.0 if reports == users else float(bdtrc(reports, users, float(sampling)))
