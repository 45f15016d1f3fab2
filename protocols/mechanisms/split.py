"""The baseline for several attributes: every user reports on all of them, and the budget is split.

d_n numeric attributes share d_n ε / d, by Duchi et al.'s mechanism for several values or by
additive noise with ε / d each; each categorical attribute has OUE with ε / d. Source: the "best
effort" combination that Wang et al., *Collecting and Analyzing Multidimensional Data with Local
Differential Privacy*, Section VI, compare with.
"""

from collections.abc import Callable
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
}  # all numeric attributes at once
SINGLE: dict[str, Callable[[float], Laplace | Stairs]] = {  # one by one
    "laplace": Laplace,
    "scdf": SCDF,
    "staircase": Staircase,
    "least-variance": least_variance,
}


@attrs.frozen
class Split:
    """The split budget; `method` says how numeric attributes are perturbed."""

    epsilon: float
    attributes: Attributes
    method: SplitMethod = "duchi"

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon)
        one_of("method", self.method, (*JOINT, *SINGLE))
        if self.attributes.numeric:
            _ = self.mechanism  # refuses a share that is too small

    @property
    def share(self) -> float:
        """ε / d, the budget of one attribute."""
        return self.epsilon / self.attributes.count

    @property
    def mechanism(self) -> DuchiMulti | Laplace | Stairs:
        """The mechanism of the numeric attributes. Raises `ValueError` when there are none."""
        if self.method in SINGLE:
            return SINGLE[self.method](self.share)
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
        """The users' reports.

        `numbers` of shape (n, d_n), `categories` of shape (n, d_c) or None, row j from user j.

        Raises `ValueError` for values outside [-1, 1] or their domain, `TypeError` for categories
        that are no whole numbers.
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
        """Unbiased means and frequencies.

        Raises `ValueError` when there is no user, and for a number that is not finite or exceeds
        the bound.
        """
        return estimates_of(
            reports, self.encoders, 1.0, self.mechanism.bound if self.attributes.numeric else inf
        )

    def payload(self, reports: Reports) -> Pieces:
        """Reports as they travel.

        First the numbers as their mechanism sends them, then the bits of all categories.
        """
        pieces = [self.mechanism.payload(reports.numbers)] if self.attributes.numeric else []
        return (*pieces, *([bits(np.hstack(reports.encodings))] if self.attributes.domains else []))

    @property
    def form(self) -> Pieces:
        """No reports at all, as they would travel."""
        return self.payload(no_reports(self.attributes))

    def received(self, pieces: Pieces) -> Reports:
        """Reports from what arrived."""
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
        """Variance of one user's number for an attribute with this value; shape as given."""
        return self.mechanism.variance(values)

    def frequency_variance(self, share: npt.ArrayLike, users: int) -> Floats:
        """Variance of the estimated frequency of a category that `share` of the users hold.

        Shape as given.
        """
        encoder = OUE(self.share, 2)  # the size of the domain does not matter
        return np.asarray(encoder.variance(share, users))

    @property
    def worst_variance(self) -> float:
        """The largest variance of a numeric attribute."""
        return self.mechanism.worst_variance

    def law(self, numbers: npt.ArrayLike, categories: npt.ArrayLike) -> JointLaw:
        """The law of the whole report of a user with this tuple, shapes (d_n,) and (d_c,).

        Raises `ValueError` as `perturb` does, and for more numbers at once than Duchi et al.'s law
        is listed for.
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
        """Whether reports have a density: then ε is that of exact reals."""
        return bool(self.attributes.numeric) and self.mechanism.continuous

    @property
    def exact_epsilon(self) -> float:
        """The ε of a user's whole report: independent reports on all attributes.

        It exceeds `epsilon` for `duchi-as-printed`.
        """
        numeric = self.mechanism.exact_epsilon if self.attributes.numeric else 0.0
        times = self.attributes.numeric if self.method in SINGLE else 1
        return times * numeric + sum(encoder.exact_epsilon for encoder in self.encoders)
