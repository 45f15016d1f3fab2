"""How good an estimate is: the truth, the errors, and the errors that are expected."""

from collections.abc import Mapping

import attrs
import numpy as np

from simnet.arrays import Bools, Floats

ITEMS_SHOWN = 40  # if there are more items than this, only the most frequent items are shown


@attrs.frozen(kw_only=True)
class Scores:
    """The errors of a model beside those of other models, or how well heavy items are found.

    `target` is the column that is predicted (or the class that large scores stand for), or the
    items that are looked for. `judges` says in words on which users or items the errors are
    measured. `errors` maps the name of each model to its error, this run's model first. For heavy
    items it maps the name of each rate to the rate. `remark` says what the numbers cannot show.

    >>> Scores(target="sex", measure="error rate", judges="100 users", errors={"run": 0.2}).remark
    ''
    """

    target: str
    measure: str
    judges: str
    errors: Mapping[str, float]
    remark: str = ""


@attrs.frozen(kw_only=True)
class Assessment:
    """How good an estimate is, item by item and as a whole.

    Arrays have shape (N,). Unknown numbers are NaN. A protocol that has no estimate of some items
    gives NaN for them; errors are then those of the other items. For expectations, the users'
    inputs are fixed.
    """

    estimate: Floats
    truth: Floats
    low: Floats  # the ends of confidence intervals; see also `raw` and `bias_removed`
    high: Floats
    confidence: float  # the probability with which an interval should contain the truth
    expected_squared_l2: float  # the mean of the squared L2 distance from the truth
    deviation_squared_l2: float  # its standard deviation
    variance: Floats  # of each estimate
    estimated_variance: Floats  # the variance as the owner of the estimate can compute it
    # Errors are divided by these units if the estimates are of different kinds; shape (N,).
    units: Floats | float = 1.0
    parts: Mapping[str, slice] = attrs.field(
        factory=dict
    )  # maps each kind of estimate to the places of its estimates
    # The estimates before post-processing, if `estimate` was computed from them. Then the intervals
    # are those of the raw estimates.
    raw: Floats | None = None
    # Whether the formula of the estimates has a bias that the intervals are computed without.
    bias_removed: bool = False
    # The names of a model's weights, if a model is estimated. Then `truth` is the model of the same
    # run without noise, and `scores` are the errors of the models.
    labels: tuple[str, ...] | None = None
    scores: Scores | None = None  # the errors of a model, or how well heavy items are found

    @property
    def squared_l2(self) -> float:
        """The sum of the squared errors, in their `units`, of all items that have an estimate."""
        return float(np.nansum(self._squares))

    @property
    def has_estimate(self) -> Bools:
        """For each item, whether it has an estimate; shape (N,)."""
        return ~np.isnan(self.estimate)

    @property
    def raw_squared_l2(self) -> float | None:
        """The sum of the squared errors before post-processing, or None without `raw`."""
        if self.raw is None:
            return None
        return float(np.sum(((self.raw - self.truth) / self.units) ** 2))

    @property
    def shown(self) -> list[int]:
        """The places of the estimates to show to a person: all places if there are at most 40, else
        the places of the 40 largest true values, the largest first. The weight of a model counts
        without its sign.
        """
        return self._largest(self.truth)

    @property
    def shown_without_truth(self) -> list[int]:
        """As `shown`, but with the 40 largest estimates, where the truth must not be told."""
        return self._largest(self.estimate)

    def _largest(self, values: Floats) -> list[int]:
        if len(values) <= ITEMS_SHOWN:
            return list(range(len(values)))
        size = values if self.labels is None else np.abs(values)
        size = np.where(np.isnan(size), -np.inf, size)  # what has no estimate comes last
        return [int(place) for place in size.argsort(kind="stable")[::-1][:ITEMS_SHOWN]]

    @property
    def has_intervals(self) -> bool:
        """Whether any interval is known."""
        return not bool(np.isnan(self.low).all())

    @property
    def _squares(self) -> Floats:
        return np.asarray(((self.estimate - self.truth) / self.units) ** 2)

    def mse_of_parts(self) -> dict[str, dict[str, float]]:
        """Return each part's mean squared error, and its expectation if estimates have no bias."""
        expected = self.variance / np.square(self.units)
        return {
            name: {
                "mse": float(self._squares[where].mean()),
                "expected_mse": float(expected[where].mean()),
            }
            for name, where in self.parts.items()
        }

    @property
    def mse(self) -> float:
        """The mean of the squared errors of all items that have an estimate."""
        return self.squared_l2 / int(self.has_estimate.sum())

    @property
    def deviations(self) -> float:
        """The number of standard deviations by which the squared error exceeds its mean; 0 if the
        standard deviation is 0.
        """
        excess = self.squared_l2 - self.expected_squared_l2
        return excess / self.deviation_squared_l2 if self.deviation_squared_l2 else 0.0
