"""Heavy hitters: the items above a cut, and how well estimates find them.

Source: Jia and Gong, *Calibrate*, section II-C, Eq. 6 to 8.
"""

import math

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks


@attrs.frozen
class Detection:
    """How many items are above the cut in truth and by the estimates.

    Precision, recall or F-score is 0 if its denominator is 0.
    """

    right: int  # above the cut in truth and by the estimates
    wrong: int  # above the cut by the estimates alone
    missed: int  # above the cut in truth alone

    @property
    def precision(self) -> float:
        """The share of the found items that are above the cut in truth."""
        return _rate(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of the items above the cut that are found."""
        return _rate(self.right, self.right + self.missed)

    @property
    def f_score(self) -> float:
        """The harmonic mean of precision and recall."""
        return _rate(2 * self.right, 2 * self.right + self.wrong + self.missed)


def _rate(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def heavy_hitters(truth: npt.ArrayLike, estimates: npt.ArrayLike, cut: float) -> Detection:
    """Compare the items whose true value is above the cut with those whose estimate is above it.

    `truth` and `estimates` have shape (N,) and the unit of `cut`; a value that equals the cut is
    not above it. The result has `precision`, `recall` and `f_score`. Raises `ValueError` for other
    shapes and for NaN.

    >>> found = heavy_hitters(truth=[50, 30, 5], estimates=[47, 8, 12], cut=10)
    >>> found.precision, found.recall
    (0.5, 0.5)
    """
    true, estimated = checks.as_doubles("truth", truth), checks.as_doubles("estimates", estimates)
    if true.ndim != 1 or true.shape != estimated.shape:
        raise ValueError(
            f"truth and estimates are two rows of the same length, got shapes {true.shape} and "
            f"{estimated.shape}"
        )
    if np.isnan(true).any() or np.isnan(estimated).any() or math.isnan(cut):
        raise ValueError("counts, estimates and the cut are numbers, got nan")
    truly_above, estimated_above = true > cut, estimated > cut
    return Detection(
        int((truly_above & estimated_above).sum()),
        int((estimated_above & ~truly_above).sum()),
        int((truly_above & ~estimated_above).sum()),
    )
