"""A learning problem: a loss, and users who hold features and a label."""

import attrs
import numpy as np

from protocols.ldp_sgd.losses import Loss
from simnet.arrays import Floats


@attrs.frozen(eq=False)
class Task:
    """A learning problem: user j + 1 holds row j of `features`, shape (n, d), and `labels[j]`.

    `name` is a title, and `loss` is `SQUARED`, `LOGISTIC` or `HINGE` in
    `protocols.ldp_sgd.losses`. Raises `ValueError` for features outside [-1, 1], labels that the
    loss does not take, and shapes that do not fit.

    >>> import numpy as np
    >>> from protocols.ldp_sgd.losses import LOGISTIC
    >>> task = Task("tiny", LOGISTIC, np.array([[0.5], [-0.5], [1.0]]), np.array([1.0, -1.0, 1.0]))
    >>> round(task.constant_error, 3)
    0.333
    """

    name: str
    loss: Loss
    features: Floats  # (n, d)
    labels: Floats  # (n,)

    def __attrs_post_init__(self) -> None:
        self.loss.checked(self.features, self.labels)

    @property
    def constant_error(self) -> float:
        """The error of the best model that gives every user the same answer."""
        if self.loss.of_classes:
            return float(min(np.mean(self.labels > 0), np.mean(self.labels < 0)))
        return float(np.var(self.labels))

    def error_of_constant(self, labels: Floats) -> float:
        """Take the best answer that is the same for all users of this task; return its error on
        other users' labels.
        """
        if self.loss.of_classes:
            return float(np.mean(labels != (1.0 if np.mean(self.labels) > 0 else -1.0)))
        return float(np.mean((labels - np.mean(self.labels)) ** 2))
