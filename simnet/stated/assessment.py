"""How good an estimate is: what it is held against, and what its errors are expected to be."""

from collections.abc import Mapping

import attrs
import numpy as np

from simnet.arrays import Floats

ITEMS_SHOWN = 40  # to a person; of more, the most frequent ones


@attrs.frozen(kw_only=True)
class Scores:
    """How wrong a model is about what users hold, beside others.

    Where items are looked for, `errors` are the rates of what is found, by their names.
    """

    target: str  # a column, the class that large scores stand for, or items that are looked for
    measure: str
    judges: str  # the users in words, or the items
    errors: Mapping[str, float]  # by the model's name, this run's first
    remark: str = ""  # on what the numbers cannot tell


@attrs.frozen(kw_only=True)
class Assessment:
    """How good an estimate is, item by item and as a whole.

    Arrays have shape (N,). What is not known is NaN. Expectations are over the protocol's coins,
    with what the users hold fixed.
    """

    estimate: Floats
    truth: Floats
    low: Floats  # confidence intervals, of the unbiased estimates
    high: Floats
    confidence: float  # at which each interval covers
    expected_squared_l2: float  # mean of the squared L2 distance from the truth
    deviation_squared_l2: float  # its standard deviation
    variance: Floats  # of each estimate
    estimated_variance: Floats  # what the holder of the estimate can tell of it
    # Distances are measured in these where estimates are of different kinds; shape (N,).
    units: Floats | float = 1.0
    parts: Mapping[str, slice] = attrs.field(factory=dict)  # the kinds, and where they are
    # The unbiased estimates, where these were processed into `estimate`.
    raw: Floats | None = None
    # The weights of a model, where one is estimated: then the truth is the model that the same run
    # gives without noise, and `scores` say what it is good for.
    labels: tuple[str, ...] | None = None
    scores: Scores | None = None  # of a model, or how well heavy hitters are found

    @property
    def squared_l2(self) -> float:
        """The sum over items of the squared error."""
        return float(np.sum(self._squares))

    @property
    def raw_squared_l2(self) -> float | None:
        """The same of the unbiased estimates, where these were processed."""
        if self.raw is None:
            return None
        return float(np.sum(((self.raw - self.truth) / self.units) ** 2))

    @property
    def shown(self) -> list[int]:
        """The places to show a person: all, or the 40 of the most users or the largest weights."""
        if len(self.truth) <= ITEMS_SHOWN:
            return list(range(len(self.truth)))
        size = self.truth if self.labels is None else np.abs(self.truth)
        return [int(place) for place in size.argsort(kind="stable")[::-1][:ITEMS_SHOWN]]

    @property
    def has_intervals(self) -> bool:
        """Whether any interval is known."""
        return not bool(np.isnan(self.low).all())

    @property
    def _squares(self) -> Floats:
        return np.asarray(((self.estimate - self.truth) / self.units) ** 2)

    def mse_of_parts(self) -> dict[str, dict[str, float]]:
        """Each part's mean squared error, and what it is expected to be without bias."""
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
        """The mean over items of the squared error."""
        return self.squared_l2 / len(self.truth)

    @property
    def deviations(self) -> float:
        """By how many standard deviations the squared error exceeds its mean; 0 if none varies."""
        excess = self.squared_l2 - self.expected_squared_l2
        return excess / self.deviation_squared_l2 if self.deviation_squared_l2 else 0.0
