"""Several attributes with one ε: each user reports on k of its d attributes.

The k attributes are drawn independently of the values, and each gets ε/k. PM or HM perturbs the
numeric attributes, whose reports are then multiplied by d/k; OUE perturbs the categorical ones. The
server computes unbiased estimates of the mean of every numeric attribute and of the frequency of
every category. The paper's formula for frequencies does not remove the bias of OUE; ours does.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Algorithm 4 and Section IV-C.
"""

from math import floor, inf
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import one_of
from protocols.mechanisms.attributes import (
    Attributes,
    Estimates,
    Pieces,
    Reports,
    as_slots,
    estimates_of,
    from_slots,
    no_reports,
)
from protocols.mechanisms.hybrid import HM
from protocols.mechanisms.joint import JointLaw
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.subsets import subsets
from protocols.mechanisms.unary import OUE
from simnet.arrays import Floats
from simnet.coins.coins import Coins

Inner = Literal["pm", "hm"]
INNER: dict[str, type[PM] | type[HM]] = {"pm": PM, "hm": HM}


def printed_k(epsilon: float, attributes: int) -> int:
    """Return k, the number of reported attributes, by Eq. 12: a rule that may not be optimal."""
    return max(1, min(attributes, floor(epsilon / 2.5)))


def optimal_k(epsilon: float, attributes: int, inner: Inner) -> int:
    """Return the k in 1..d for which `Tuples.worst_variance` is least, if all d = `attributes`
    attributes are numeric; if several k give the least value, the smallest of them.

    Raises `ValueError` for an `epsilon` that is above 1400 or below 1e-6 times `attributes`.
    """
    every = Attributes(attributes)
    return min(
        range(1, attributes + 1), key=lambda k: Tuples(epsilon, every, inner, k).worst_variance
    )


@attrs.frozen
class Tuples:
    """The mechanism for several attributes: each user reports on k of its d attributes.

    `epsilon` is that of the whole report, `attributes` are the `Attributes`, `inner` is `pm` or
    `hm`, and `chosen` is k in 1..d, or None for the k of the paper's rule, Eq. 12.
    `perturb(numbers, categories, coins)` makes the reports, and `estimate(reports)` gives means and
    frequencies. Raises `ValueError` for parameters out of range.

    >>> tuples = Tuples(epsilon=1.0, attributes=Attributes(numeric=2, domains=(3,)))
    >>> tuples.k, tuples.rate, round(tuples.exact_epsilon, 9)
    (1, 3.0, 1.0)
    """

    epsilon: float
    attributes: Attributes
    inner: Inner = "hm"
    chosen: int | None = None  # 1 <= k <= d

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        one_of("inner", self.inner, tuple(INNER))
        if self.chosen is not None:
            checks.whole("chosen", self.chosen, 1, self.attributes.count)
        if self.attributes.numeric:
            name = "epsilon" if self.k == 1 else f"epsilon / {self.k}"
            checks.epsilon_of_reals(self.epsilon / self.k, name)

    @property
    def k(self) -> int:
        """The number of attributes that a user reports on."""
        return (
            printed_k(self.epsilon, self.attributes.count) if self.chosen is None else self.chosen
        )

    @property
    def rate(self) -> float:
        """The inverse of the probability that a user reports on a given attribute, d/k."""
        return self.attributes.count / self.k

    @property
    def mechanism(self) -> PM | HM:
        """The mechanism of a reported numeric attribute."""
        return INNER[self.inner](self.epsilon / self.k)

    @property
    def encoders(self) -> tuple[OUE, ...]:
        """The mechanism of each reported categorical attribute."""
        return self.attributes.encoders(self.epsilon / self.k)

    @property
    def bound(self) -> float:
        """The largest absolute value of a number in a report: d/k times the bound of the mechanism
        at ε/k.
        """
        return self.rate * self.mechanism.bound

    def perturb(
        self, numbers: npt.ArrayLike, categories: npt.ArrayLike | None, coins: Coins
    ) -> Reports:
        """Return the users' reports.

        `numbers` has shape (n, d_n), and `categories` has shape (n, d_c), or is None if no
        attribute is categorical; row j is user j. Raises `ValueError` as `Attributes.checked` does.
        """
        values, labels = self.attributes.checked(numbers, categories)
        chosen = subsets(np.full(len(values), self.k), self.attributes.count, coins)
        reports, reported = np.zeros(values.shape), chosen[:, : self.attributes.numeric]
        if values.size:
            reports[reported] = self.rate * self.mechanism.perturb(values[reported], coins)
        columns = zip(self.encoders, labels.T, chosen.T[self.attributes.numeric :], strict=True)
        encodings = tuple(
            encoder.perturb(column[reporters], coins) for encoder, column, reporters in columns
        )
        return Reports(reports, encodings, chosen)

    def estimate(self, reports: Reports) -> Estimates:
        """Return unbiased estimates of the means and frequencies.

        Raises `ValueError` if there is no user, and for a number that is not finite or whose
        absolute value exceeds `bound`.
        """
        return estimates_of(
            reports, self.encoders, self.rate, self.bound if self.attributes.numeric else inf
        )

    def payload(self, reports: Reports) -> Pieces:
        """Return the reports, encoded for sending: k slots for each user (see `attributes`)."""
        return as_slots(self.attributes, self.k, reports)

    @property
    def form(self) -> Pieces:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.payload(no_reports(self.attributes))

    def received(self, pieces: Pieces) -> Reports:
        """Return the reports that the received slots stand for."""
        return from_slots(self.attributes, pieces)

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the number that a user reports for a numeric attribute, for each
        of these values t of the attribute.

        The number is 0 if the user does not report on the attribute. Shape as given.

        The result is the variance of Lemma 6, except for HM if ε/k is at most ε* (about 0.61; see
        `hybrid`): then the last term is `-t²` instead of `(d/k - 1) t²`.
        """
        numbers = checks.within_one(values)
        return self._sampled_variance(self.mechanism.variance(numbers), numbers * numbers)

    def frequency_variance(self, share: npt.ArrayLike, users: int) -> Floats:
        """Return the variance of the estimated frequency of a category that `share` of the users
        hold.

        Shape as given.
        """
        shares = np.asarray(share, dtype=np.float64)
        encoder = OUE(self.epsilon / self.k, 2)  # the variance does not depend on the domain
        return self._sampled_variance(encoder.variance(shares, 1), shares) / users

    def _sampled_variance(self, variance: Floats, square: Floats) -> Floats:
        """Return the variance of a number that is d/k times a report with probability k/d, else 0.

        The result follows from the report's `variance` and the `square` of the report's mean.
        """
        return np.asarray(self.rate * (variance + square) - square)

    @property
    def worst_variance(self) -> float:
        """The largest variance of the number that a user reports for a numeric attribute.

        The variance is linear in t², so it is largest at 0 or at 1.
        """
        return float(self.variance([0.0, 1.0]).max())

    def law(self, numbers: npt.ArrayLike, categories: npt.ArrayLike) -> JointLaw:
        """Return the law of the whole report of a user with this tuple, shapes (d_n,) and
        (d_c,).

        The density of a number is the density before the number is scaled by d/k. Raises
        `ValueError` as `perturb` does, and for a categorical attribute with more than 16 values.
        """
        values, labels = self.attributes.single(numbers, categories)
        rows = (encoder.law(label) for encoder, label in zip(self.encoders, labels, strict=True))
        return JointLaw((*(self.mechanism.law(value) for value in values), *rows), self.k)

    @property
    def continuous(self) -> bool:
        """Whether reports have a continuous part; then ε is that of exact real numbers."""
        return bool(self.attributes.numeric) and self.mechanism.continuous

    @property
    def exact_epsilon(self) -> float:
        """The ε of a user's whole report: the sum of the k largest ε of single attributes.

        Given the k attributes, which are drawn at random, the reports on them are independent. Two
        tuples reach the sum if every number is -1 in one and 1 in the other, and every category
        differs.
        """
        numbers = self.attributes.numeric
        numeric = [self.mechanism.exact_epsilon] * numbers if numbers else []
        return sum(
            sorted(numeric + [encoder.exact_epsilon for encoder in self.encoders])[-self.k :]
        )
