"""The baseline for several attributes: every user reports on all of them and splits its ε.

Let d be the number of attributes, of which d_n are numeric. OUE with ε / d perturbs each
categorical attribute. For the numeric attributes there is a choice: additive noise perturbs each of
them with ε / d, or Duchi et al.'s mechanism for several values perturbs all of them at once with
d_n ε / d.

Source: the "best effort" combination with which Wang et al., *Collecting and Analyzing
Multidimensional Data with Local Differential Privacy*, Section VI, compare their protocol.
"""

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import one_of
from protocols.mechanisms.additive import SCDF, Laplace, Staircase, Stairs, least_variance
from protocols.mechanisms.attributes import (
    Attributes,
    Estimates,
    Pieces,
    Reports,
    estimates_of,
    no_reports,
)
from protocols.mechanisms.density import Density
from protocols.mechanisms.duchi_multi import DuchiMulti, DuchiVariant
from protocols.mechanisms.joint import ChanceRow, JointLaw
from protocols.mechanisms.unary import OUE
from simnet.arrays import Bools, Floats
from simnet.coins.coins import Coins
from simnet.values.typed import bits

SplitMethod = Literal["duchi", "duchi-as-printed", "laplace", "scdf", "staircase", "least-variance"]
JOINT: dict[str, DuchiVariant] = {
    "duchi": "corrected",
    "duchi-as-printed": "as-printed",
}  # variants of the mechanism for all numeric attributes at once
SINGLE: dict[str, Callable[[float], Laplace | Stairs]] = {  # mechanisms for one attribute
    "laplace": Laplace,
    "scdf": SCDF,
    "staircase": Staircase,
    "least-variance": least_variance,
}


@attrs.frozen
class Split:
    """The mechanism that splits ε among all attributes; `method` names the mechanism of numeric
    attributes.

    Raises `ValueError` for parameters out of range.
    """

    epsilon: float
    attributes: Attributes
    method: SplitMethod = "duchi"

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        one_of("method", self.method, (*JOINT, *SINGLE))
        if self.attributes.numeric:
            at_once = self.attributes.numeric if self.method in JOINT else 1
            part = Fraction(at_once, self.attributes.count)
            name = "epsilon" if part == 1 else f"{part} of epsilon"
            checks.epsilon_of_reals(at_once * self.share, name)
            _ = self.mechanism  # this raises an error for too many numeric attributes

    @property
    def share(self) -> float:
        """The ε of one attribute, ε / d."""
        return self.epsilon / self.attributes.count

    @property
    def mechanism(self) -> DuchiMulti | Laplace | Stairs:
        """The mechanism of the numeric attributes.

        Raises `ValueError` for Duchi et al.'s mechanism if there are no such attributes.
        """
        if self.method in SINGLE:
            return SINGLE[self.method](self.share)
        if not self.attributes.numeric:
            raise ValueError(
                "Duchi et al.'s mechanism needs numeric attributes, and these attributes are all "
                "categorical"
            )
        return DuchiMulti(
            self.share * self.attributes.numeric, self.attributes.numeric, JOINT[self.method]
        )

    @property
    def encoders(self) -> tuple[OUE, ...]:
        """The mechanism of each categorical attribute."""
        return self.attributes.encoders(self.share)

    def perturb(
        self, numbers: npt.ArrayLike, categories: npt.ArrayLike | None, coins: Coins
    ) -> Reports:
        """Return the users' reports.

        `numbers` has shape (n, d_n), and `categories` has shape (n, d_c), or is None if no
        attribute is categorical; row j is user j. Raises `ValueError` as `Attributes.checked` does.
        """
        values, labels = self.attributes.checked(numbers, categories)
        pairs = zip(self.encoders, labels.T, strict=True)
        encodings = tuple(encoder.perturb(column, coins) for encoder, column in pairs)
        return Reports(self._numbers(values, coins), encodings, self._all_reported(len(values)))

    def _all_reported(self, users: int) -> Bools:
        return np.ones((users, self.attributes.count), dtype=np.bool_)

    def _numbers(self, values: Floats, coins: Coins) -> Floats:
        if not values.size:
            return values
        if isinstance(self.mechanism, DuchiMulti):
            return self.mechanism.perturb(values, coins)
        return self.mechanism.perturb(values.ravel(), coins).reshape(values.shape)

    def estimate(self, reports: Reports) -> Estimates:
        """Return unbiased estimates of the means and frequencies.

        Raises `ValueError` if there is no user, and for a number that is not finite or whose
        absolute value exceeds the mechanism's bound.
        """
        return estimates_of(
            reports, self.encoders, 1.0, self.mechanism.bound if self.attributes.numeric else inf
        )

    def payload(self, reports: Reports) -> Pieces:
        """Return the reports, encoded for sending.

        First come the numbers as their mechanism sends them, then the bits of all categories.
        """
        pieces = [self.mechanism.payload(reports.numbers)] if self.attributes.numeric else []
        return (*pieces, *([bits(np.hstack(reports.encodings))] if self.attributes.domains else []))

    @property
    def form(self) -> Pieces:
        """An empty batch of reports, which shows their wire type and shape."""
        return self.payload(no_reports(self.attributes))

    def received(self, pieces: Pieces) -> Reports:
        """Return the reports that the received pieces stand for."""
        rows = [piece.numbers() for piece in pieces]
        users = len(rows[0])
        numbers = (
            self.mechanism.received(rows[0]) if self.attributes.numeric else np.empty((users, 0))
        )
        ends = np.cumsum(self.attributes.domains)[:-1]
        encodings = (
            np.split(rows[-1].astype(np.bool_), ends, axis=1) if self.attributes.domains else ()
        )
        return Reports(numbers, tuple(encodings), self._all_reported(users))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the number that a user reports for a numeric attribute, for each
        of these values of the attribute.

        Shape as given. Raises `ValueError` as `mechanism` does.
        """
        return self.mechanism.variance(values)

    def frequency_variance(self, share: npt.ArrayLike, users: int) -> Floats:
        """Return the variance of the estimated frequency of a category that `share` of the users
        hold.

        Shape as given.
        """
        encoder = OUE(self.share, 2)  # the variance does not depend on the domain's size
        return np.asarray(encoder.variance(share, users))

    @property
    def worst_variance(self) -> float:
        """The largest variance of the number that a user reports for a numeric attribute."""
        return self.mechanism.worst_variance

    def law(self, numbers: npt.ArrayLike, categories: npt.ArrayLike) -> JointLaw:
        """Return the law of the whole report of a user with this tuple, shapes (d_n,) and
        (d_c,).

        Raises `ValueError` as `perturb` does, and for a part that has too many different
        reports to list.
        """
        values, labels = self.attributes.single(numbers, categories)
        rows = [encoder.law(label) for encoder, label in zip(self.encoders, labels, strict=True)]
        return JointLaw((*self._laws(values), *rows), self.attributes.count)

    def _laws(self, values: list[float]) -> list[ChanceRow | Density | None]:
        if not values:
            return []
        if isinstance(self.mechanism, DuchiMulti):
            return [self.mechanism.law_of_tuple(values), *[None] * (len(values) - 1)]
        return [self.mechanism.law(value) for value in values]

    @property
    def continuous(self) -> bool:
        """Whether reports have a continuous part; then ε is that of exact real numbers."""
        return bool(self.attributes.numeric) and self.mechanism.continuous

    @property
    def exact_epsilon(self) -> float:
        """The ε of a user's whole report: the sum of the ε of its parts, which are independent.

        The parts are the reports on single attributes; Duchi et al.'s mechanism makes one report on
        all numeric attributes. For `duchi-as-printed` the sum exceeds `epsilon` if the number of
        numeric attributes is even and not 0.
        """
        numeric = self.mechanism.exact_epsilon if self.attributes.numeric else 0.0
        times = self.attributes.numeric if self.method in SINGLE else 1
        return times * numeric + sum(encoder.exact_epsilon for encoder in self.encoders)
