"""Several attributes under one budget: each user reports on k of its d attributes.

They are chosen blindly and have ε/k each. Numeric attributes are perturbed by PM or HM and scaled
by d/k, categorical ones by OUE; the server learns the unbiased mean of every numeric attribute and
the unbiased frequency of every category. Source: Wang et al., *Collecting and Analyzing
Multidimensional Data with Local Differential Privacy*, Algorithm 4 and Section IV-C. The
frequencies are debiased, which the paper's formula leaves out.
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
    """How many attributes a user reports on by Eq. 12: a rule of thumb, not the best choice."""
    return max(1, min(attributes, floor(epsilon / 2.5)))


def optimal_k(epsilon: float, attributes: int, inner: Inner) -> int:
    """The k of least worst variance of a numeric attribute, the smallest if there are several.

    It is found by trying all.
    """
    every = Attributes(attributes)
    return min(
        range(1, attributes + 1), key=lambda k: Tuples(epsilon, every, inner, k).worst_variance
    )


@attrs.frozen
class Tuples:
    """Reports on k attributes a user. `chosen` is k; None stands for the printed rule."""

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
            checks.epsilon_of_reals(self.epsilon / self.k)

    @property
    def k(self) -> int:
        """How many attributes a user reports on."""
        return (
            printed_k(self.epsilon, self.attributes.count) if self.chosen is None else self.chosen
        )

    @property
    def rate(self) -> float:
        """d/k: one over the chance that a user reports on an attribute."""
        return self.attributes.count / self.k

    @property
    def mechanism(self) -> PM | HM:
        """The mechanism of a numeric attribute that is reported on."""
        return INNER[self.inner](self.epsilon / self.k)

    @property
    def encoders(self) -> tuple[OUE, ...]:
        """The mechanism of each categorical attribute that is reported on."""
        return self.attributes.encoders(self.epsilon / self.k)

    @property
    def bound(self) -> float:
        """The largest number of a report, d/k times that of the mechanism at ε/k."""
        return self.rate * self.mechanism.bound

    def perturb(
        self, numbers: npt.ArrayLike, categories: npt.ArrayLike | None, coins: Coins
    ) -> Reports:
        """The users' reports.

        `numbers` of shape (n, d_n), `categories` of shape (n, d_c) or None, row j from user j.

        Raises `ValueError` for values outside [-1, 1] or their domain, `TypeError` for categories
        that are no whole numbers.
        """
        values, labels = self.attributes.checked(numbers, categories)
        chosen = subsets(np.full(len(values), self.k), self.attributes.count, coins)
        reports, reported = np.zeros(values.shape), chosen[:, : self.attributes.numeric]
        reports[reported] = self.rate * self.mechanism.perturb(values[reported], coins)
        columns = zip(self.encoders, labels.T, chosen.T[self.attributes.numeric :], strict=True)
        encodings = tuple(
            encoder.perturb(column[reporters], coins) for encoder, column, reporters in columns
        )
        return Reports(reports, encodings, chosen)

    def estimate(self, reports: Reports) -> Estimates:
        """Unbiased means and frequencies.

        Raises `ValueError` when there is no user, and for a number that is not finite or exceeds
        the bound.
        """
        return estimates_of(
            reports, self.encoders, self.rate, self.bound if self.attributes.numeric else inf
        )

    def payload(self, reports: Reports) -> Pieces:
        """Reports as they travel: k slots.

        Each has an attribute and room for what is reported on any.
        """
        return as_slots(self.attributes, self.k, reports)

    @property
    def form(self) -> Pieces:
        """No reports at all, as they would travel."""
        return self.payload(no_reports(self.attributes))

    def received(self, pieces: Pieces) -> Reports:
        """Reports from what arrived."""
        return from_slots(self.attributes, pieces)

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance of one user's number for an attribute with this value; shape as given.

        It is that of Lemma 6, but for HM up to ε*, where the last term is - t² and not (d/k - 1)
        t².
        """
        numbers = checks.within_one(values)
        return self._sampled_variance(self.mechanism.variance(numbers), numbers * numbers)

    def frequency_variance(self, share: npt.ArrayLike, users: int) -> Floats:
        """Variance of the estimated frequency of a category that `share` of the users hold.

        Shape as given.
        """
        shares = np.asarray(share, dtype=np.float64)
        encoder = OUE(self.epsilon / self.k, 2)  # the size of the domain does not matter
        return self._sampled_variance(encoder.variance(shares, 1), shares) / users

    def _sampled_variance(self, variance: Floats, square: Floats) -> Floats:
        """The variance of d/k times a report made with chance k/d.

        It follows from the report's `variance` and the `square` of its mean.
        """
        return np.asarray(self.rate * (variance + square) - square)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a numeric attribute: it is linear in t², so at 0 or at 1."""
        return float(self.variance([0.0, 1.0]).max())

    def law(self, numbers: npt.ArrayLike, categories: npt.ArrayLike) -> JointLaw:
        """The law of the whole report of a user with this tuple, shapes (d_n,) and (d_c,).

        The density of a number is that before it is scaled by d/k. Raises `ValueError` as `perturb`
        does.
        """
        values, labels = self.attributes.single(numbers, categories)
        rows = (encoder.law(label) for encoder, label in zip(self.encoders, labels, strict=True))
        return JointLaw((*(self.mechanism.law(value) for value in values), *rows), self.k)

    @property
    def continuous(self) -> bool:
        """Whether reports have a density: then ε is that of exact reals."""
        return bool(self.attributes.numeric) and self.mechanism.continuous

    @property
    def exact_epsilon(self) -> float:
        """The ε of a user's whole report: k independent ones, on attributes chosen blindly.

        Tuples that differ in every attribute reach the mechanism's ε on each of them, and so the
        sum.
        """
        numbers = self.attributes.numeric
        numeric = [self.mechanism.exact_epsilon] * numbers if numbers else []
        return sum(
            sorted(numeric + [encoder.exact_epsilon for encoder in self.encoders])[-self.k :]
        )
