"""Mechanisms that perturb a gradient in [-1, 1]^d.

The module has mechanisms for tuples of d numeric attributes and, for comparison, no perturbation.
Each report, read as a vector, is an unbiased estimate of the gradient.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section V, with the mechanisms of Sections III and IV.
"""

from collections.abc import Callable, Mapping
from math import inf

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.attributes import Attributes, Pieces, Reports
from protocols.mechanisms.split import Split
from protocols.mechanisms.tuples import Tuples
from simnet.arrays import Floats
from simnet.coins.coins import Coins
from simnet.values.typed import reals


@attrs.frozen
class Unperturbed:
    """No privacy, for comparison: a report is the gradient itself, and ε is infinite."""

    attributes: Attributes

    epsilon = inf
    exact_epsilon = inf
    continuous = False

    def perturb(self, numbers: npt.ArrayLike, categories: None, coins: Coins) -> Reports:
        """Return the values themselves; `numbers` has shape (n, d).

        Raises `ValueError` for values outside [-1, 1] and for another shape.
        """
        del coins
        values, _ = self.attributes.checked(numbers, categories)
        return _every_attribute(values)

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return zeros; shape as given."""
        return np.zeros_like(checks.within_one(values))

    def payload(self, reports: Reports) -> Pieces:
        """Return the reports, encoded for sending: real numbers."""
        return (reals(reports.numbers),)

    def received(self, pieces: Pieces) -> Reports:
        """Return the reports that the received pieces stand for."""
        return _every_attribute(np.asarray(pieces[0].numbers(), dtype=np.float64))

    @property
    def form(self) -> Pieces:
        """An empty batch of reports, which shows their wire type and shape."""
        return (reals(np.empty((0, self.attributes.count))),)


Perturbation = Tuples | Split | Unperturbed

MECHANISMS: Mapping[str, Callable[[float, Attributes, int | None], Perturbation]] = {
    "hm": lambda epsilon, attributes, chosen: Tuples(epsilon, attributes, "hm", chosen),
    "pm": lambda epsilon, attributes, chosen: Tuples(epsilon, attributes, "pm", chosen),
    "duchi": lambda epsilon, attributes, _: Split(epsilon, attributes, "duchi"),
    "duchi-as-printed": lambda epsilon, attributes, _: Split(
        epsilon, attributes, "duchi-as-printed"
    ),
    "laplace": lambda epsilon, attributes, _: Split(epsilon, attributes, "laplace"),
    "none": lambda _, attributes, __: Unperturbed(attributes),
}


def gradient_mechanism(
    name: str, epsilon: float, attributes: int, chosen: int | None = None
) -> Perturbation:
    """Return the mechanism of this name for gradients with `attributes` entries.

    The mechanisms hm and pm report on `chosen` entries. Raises `ValueError` for another name, an ε
    out of range, a number of entries out of range, and `chosen` with another mechanism. The
    mechanism `none` ignores ε, which must still be valid.
    """
    checks.whole("attributes", attributes, 1)
    checks.epsilon_of_reals(epsilon)
    if name not in MECHANISMS:
        raise ValueError(f"mechanism is {' or '.join(MECHANISMS)}, got {name!r}")
    if chosen is not None and name not in ("hm", "pm"):
        raise ValueError(
            f"only hm and pm report on a chosen number of entries, got chosen={chosen} for {name}"
        )
    return MECHANISMS[name](epsilon, Attributes(attributes), chosen)


def clip(gradients: Floats) -> Floats:
    """Return the gradients with every entry moved into [-1, 1], which biases gradients outside."""
    return np.clip(gradients, -1, 1)


def _every_attribute(numbers: Floats) -> Reports:
    return Reports(numbers, (), np.ones(numbers.shape, dtype=np.bool_))
