"""A learning problem: a loss, and users who hold features and a label."""

import attrs
import numpy as np

from protocols.ldp_sgd.losses import Loss
from simnet.arrays import Floats


@attrs.frozen(eq=False)
class Task:
    """Users to learn from: user j + 1 holds row j of `features` and `labels[j]`.

    Features lie in [-1, 1]. Raises `ValueError` for values outside [-1, 1], labels that the loss
    does not take, and shapes that do not fit.
    """

    name: str
    loss: Loss
    features: Floats  # (n, d)
    labels: Floats  # (n,)

    def __attrs_post_init__(self) -> None:
        self.loss.checked(self.features, self.labels)

    @property
    def constant_error(self) -> float:
        """The error of the best model that is the same for everybody."""
        if self.loss.of_classes:
            return float(min(np.mean(self.labels > 0), np.mean(self.labels < 0)))
        return float(np.var(self.labels))
