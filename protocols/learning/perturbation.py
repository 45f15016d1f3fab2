"""Mechanisms that perturb a gradient in [-1, 1]^d: what a report is, how it travels and what it costs in privacy.

Each report, read as a vector, is an unbiased gradient. Source: Wang et al., *Collecting and Analyzing Multidimensional
Data with Local Differential Privacy*, Section V, with the mechanisms of Sections III and IV.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from math import inf
from typing import Any
from typing import Protocol as Interface

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local import checks
from protocols.local.attributes import Attributes
from protocols.local.duchi_multi import DuchiMulti
from protocols.local.split import Split
from protocols.local.tuples import Inner, Tuples
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, index, reals

Floats = npt.NDArray[np.float64]


class Perturbation(Interface):
    """What gradient descent asks of a mechanism over [-1, 1]^d."""

    @property
    def epsilon(self) -> float:
        """The ε that was asked for."""
        ...

    @property
    def attributes(self) -> int:
        """d, the number of entries of a gradient."""
        ...

    @property
    def exact_epsilon(self) -> float:
        """The ε of a report, by its law."""
        ...

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """The users' reports as vectors, row j from user j; shapes (n, d). `ValueError` for values out of [-1, 1]."""
        ...

    def variance(self, values: npt.ArrayLike) -> Floats:
        """The variance of a report's entry with this value; shape as given."""
        ...

    def payload(self, reports: Floats) -> Any:
        """Reports as they travel, row k the k-th: an array, or a tuple of arrays."""
        ...

    def received(self, numbers: Any) -> Floats:
        """Reports as vectors from the numbers that arrived, an array or a tuple of arrays."""
        ...


@attrs.frozen
class Chosen:
    """Algorithm 4: each user reports on k of the d entries, chosen blindly, by PM or HM with ε/k each.

    A report is k places and k numbers.
    """

    epsilon: float
    attributes: int  # d >= 1
    inner: Inner = "hm"
    chosen: int | None = None  # k; None stands for the printed rule

    def __attrs_post_init__(self) -> None:
        checks.whole("attributes", self.attributes, 1)
        _ = self.tuples

    @cached_property
    def tuples(self) -> Tuples:
        """The mechanism for d numeric attributes."""
        return Tuples(self.epsilon, Attributes(self.attributes), self.inner, self.chosen)

    @property
    def exact_epsilon(self) -> float:
        """The ε of a report, by its law."""
        return self.tuples.exact_epsilon

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Reports as vectors, 0 where a user did not report; shapes (n, d)."""
        return self.tuples.perturb(values, None, coins).numbers

    def variance(self, values: npt.ArrayLike) -> Floats:
        """The variance of a report's entry with this value; shape as given."""
        return self.tuples.variance(values)

    def payload(self, reports: Floats) -> tuple[Typed, Typed]:
        """The places of the k reported entries, in order, and the numbers; shapes (n, k)."""
        # a reported number may be 0: any place that holds 0 then makes the same vector
        places = np.sort(np.argsort(reports == 0, axis=1, kind="stable")[:, : self.tuples.k], axis=1)
        return index(places, self.attributes, "Nd"), reals(np.take_along_axis(reports, places, axis=1))

    def received(self, numbers: tuple[npt.NDArray[np.int64], Floats]) -> Floats:
        """Reports as vectors from places and numbers."""
        places, entries = numbers
        reports = np.zeros((len(places), self.attributes))
        np.put_along_axis(reports, places, entries, axis=1)
        return reports


@attrs.frozen
class Entrywise:
    """Laplace noise on every entry, with ε/d each; a report is d reals."""

    epsilon: float
    attributes: int  # d >= 1

    def __attrs_post_init__(self) -> None:
        checks.whole("attributes", self.attributes, 1)
        _ = self.split

    @property
    def split(self) -> Split:
        """The mechanism for d numeric attributes."""
        return Split(self.epsilon, Attributes(self.attributes), "laplace")

    @property
    def exact_epsilon(self) -> float:
        """The ε of a report, by its law."""
        return self.split.exact_epsilon

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Reports; shapes (n, d)."""
        return self.split.perturb(values, None, coins).numbers

    def variance(self, values: npt.ArrayLike) -> Floats:
        """The variance of a report's entry, the same for every value; shape as given."""
        return self.split.variance(values)

    def payload(self, reports: Floats) -> Typed:
        """Reports as they travel: reals."""
        return reals(reports)

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Reports from the numbers that arrived."""
        return np.asarray(numbers, dtype=np.float64)


@attrs.frozen
class Unperturbed:
    """No privacy at all, for comparison: a report is the gradient, whose loss has no bound."""

    attributes: int  # d >= 1

    epsilon = inf
    exact_epsilon = inf

    def __attrs_post_init__(self) -> None:
        checks.whole("attributes", self.attributes, 1)

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """The gradients themselves; shapes (n, d)."""
        del coins
        return checks.within_one(checks.shaped("values", values, (None, self.attributes)))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Zeros; shape as given."""
        return np.zeros_like(checks.within_one(values))

    def payload(self, reports: Floats) -> Typed:
        """Reports as they travel: reals."""
        return reals(reports)

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Reports from the numbers that arrived."""
        return np.asarray(numbers, dtype=np.float64)


MECHANISMS: Mapping[str, Callable[[float, int, int | None], Perturbation]] = {
    "hm": lambda epsilon, attributes, chosen: Chosen(epsilon, attributes, "hm", chosen),
    "pm": lambda epsilon, attributes, chosen: Chosen(epsilon, attributes, "pm", chosen),
    "duchi": lambda epsilon, attributes, _: DuchiMulti(epsilon, attributes),
    "duchi-as-printed": lambda epsilon, attributes, _: DuchiMulti(epsilon, attributes, "as-printed"),
    "laplace": lambda epsilon, attributes, _: Entrywise(epsilon, attributes),
    "none": lambda _, attributes, __: Unperturbed(attributes),
}


def clip(gradients: Floats) -> Floats:
    """Gradients with every entry moved into [-1, 1], which biases those that were outside."""
    return np.clip(gradients, -1, 1)
