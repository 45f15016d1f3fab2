"""Losses of linear models, with their gradients.

A user holds x in [-1, 1]^d and a label y; a model b scores it x·b. Source: Wang et al., *Collecting
and Analyzing Multidimensional Data with Local Differential Privacy*, Section V. Its experiments
have labels 0 and 1, with which the two losses of classes would learn nothing from the users
labelled 0: labels are -1 and +1 here, and others refused.
"""

from collections.abc import Callable, Mapping

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from simnet.arrays import Floats

OfScores = Callable[[Floats, Floats], Floats]  # of scores and labels, both of shape (n,)


@attrs.frozen
class Loss:
    """A loss of a score and a label, and its derivative by the score."""

    name: str
    of_classes: bool  # labels are -1 and +1, and not any numbers in [-1, 1]
    value: OfScores = attrs.field(repr=False)
    slope: OfScores = attrs.field(repr=False)

    def gradients(self, model: Floats, features: Floats, labels: Floats) -> Floats:
        """One gradient by the model, of shape (d,), for each user.

        Shape (n, d), row j from user j.
        """
        scores = features @ model
        return self.slope(scores, labels)[:, np.newaxis] * features

    def mean(self, model: Floats, features: Floats, labels: Floats) -> float:
        """The mean loss of the users."""
        return float(np.mean(self.value(features @ model, labels)))

    def error(self, model: Floats, features: Floats, labels: Floats) -> float:
        """The share of the users whose class is not that of the score's sign.

        Without classes, the mean loss.
        """
        if not self.of_classes:
            return self.mean(model, features, labels)
        return float(np.mean(np.where(features @ model > 0, 1.0, -1.0) != labels))

    def checked(self, features: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[Floats, Floats]:
        """The users' features and labels, checked; shapes (n, d) and (n,).

        Raises `ValueError` for values outside [-1, 1] and for labels that the loss does not take.
        """
        rows = checks.within_one(checks.shaped("features", features, (None, None)))
        targets = checks.to_the_bound(checks.shaped("labels", labels, (len(rows),)))
        # Also finds NaN
        wrong = (
            targets[np.abs(targets) != 1] if self.of_classes else targets[~(np.abs(targets) <= 1)]
        )
        if wrong.size:
            expected = (
                "are -1 or +1, as for every loss of two classes"
                if self.of_classes
                else "lie in [-1, 1]"
            )
            raise ValueError(
                f"labels of the {self.name} loss {expected}, got {wrong[0]:g}: map yours to these"
            )
        return rows, targets


def _logistic(scores: Floats, labels: Floats) -> Floats:
    return np.logaddexp(0, -labels * scores)


def _logistic_slope(scores: Floats, labels: Floats) -> Floats:
    """-y / (1 + e^{y s}), which overflows for no score."""
    return -labels * np.exp(-np.logaddexp(0, labels * scores))


SQUARED = Loss("squared", False, lambda s, y: (s - y) ** 2, lambda s, y: 2 * (s - y))
LOGISTIC = Loss("logistic", True, _logistic, _logistic_slope)
HINGE = Loss(
    "hinge", True, lambda s, y: np.maximum(0, 1 - y * s), lambda s, y: np.where(y * s < 1, -y, 0.0)
)

LOSSES: Mapping[str, Loss] = {loss.name: loss for loss in (SQUARED, LOGISTIC, HINGE)}
