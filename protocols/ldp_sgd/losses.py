"""Losses of linear models, with their gradients.

A user holds x in [-1, 1]^d and a label y; a model b gives the user the score x·b.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section V. The paper's experiments with two classes have labels 0 and 1. With these
labels, the two losses of two classes would learn nothing from users with label 0. So these two
losses take the labels -1 and +1 here, and other labels raise an error.
"""

from collections.abc import Callable, Mapping

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from simnet.arrays import Floats

OfScores = Callable[[Floats, Floats], Floats]  # a function of scores and labels, shapes (n,)


@attrs.frozen
class Loss:
    """A loss of a score and a label, and its derivative with respect to the score."""

    name: str
    of_classes: bool  # whether labels are -1 and +1, rather than any numbers in [-1, 1]
    value: OfScores = attrs.field(repr=False)
    slope: OfScores = attrs.field(repr=False)

    def gradients(self, model: Floats, features: Floats, labels: Floats) -> Floats:
        """Return each user's gradient with respect to the model.

        Shape (n, d), row j from user j.
        """
        scores = features @ model
        return self.slope(scores, labels)[:, np.newaxis] * features

    def mean(self, model: Floats, features: Floats, labels: Floats) -> float:
        """Return the mean loss of the users."""
        return float(np.mean(self.value(features @ model, labels)))

    def error(self, model: Floats, features: Floats, labels: Floats) -> float:
        """Return the share of the users whose class is not the sign of the score (-1 for score 0).

        For a loss without classes, return the mean loss.
        """
        if not self.of_classes:
            return self.mean(model, features, labels)
        return float(np.mean(np.where(features @ model > 0, 1.0, -1.0) != labels))

    def checked(self, features: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the users' features and labels after a check; shapes (n, d) and (n,).

        Raises `ValueError` for values outside [-1, 1], for labels that the loss does not take, and
        for other shapes.
        """
        rows = checks.within_one(checks.shaped("features", features, (None, None)))
        targets = checks.to_the_bound(checks.shaped("labels", labels, (len(rows),)))
        # these comparisons also find NaN
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
                f"labels of the {self.name} loss {expected}, got {wrong[0]}: map "
                "your labels to these values"
            )
        return rows, targets


def _logistic(scores: Floats, labels: Floats) -> Floats:
    return np.logaddexp(0, -labels * scores)


def _logistic_slope(scores: Floats, labels: Floats) -> Floats:
    """Return -y / (1 + e^{y s}), without overflow for any score."""
    return -labels * np.exp(-np.logaddexp(0, labels * scores))


SQUARED = Loss("squared", False, lambda s, y: (s - y) ** 2, lambda s, y: 2 * (s - y))
LOGISTIC = Loss("logistic", True, _logistic, _logistic_slope)
HINGE = Loss(
    "hinge", True, lambda s, y: np.maximum(0, 1 - y * s), lambda s, y: np.where(y * s < 1, -y, 0.0)
)

LOSSES: Mapping[str, Loss] = {loss.name: loss for loss in (SQUARED, LOGISTIC, HINGE)}
