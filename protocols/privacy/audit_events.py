"""Events that distinguish two samples, learnt from part of the samples.

Theory of operation. Reports are drawn under an input P and under its neighbour Q. The probabilities
of an event under P and under Q give a lower bound on ε. The best events are thresholds on the
likelihood ratio (Neyman and Pearson). So we learn scores that order reports as that ratio does,
from likelier under Q to likelier under P; `auditor` sets the thresholds. There are three kinds
of scores, because no kind is best everywhere. A *feature* is one coordinate of a report.

- `RatioTable`: the likelihood ratio in the cells of a grid, by counting. There is one table for
  each of the (at most 32) features whose means under P and Q differ most, and one table for all
  features together if it has at most 4,096 cells.
- `WeightedSum`: Fisher's discriminant. It suits Gaussian noise, and it still orders reports far out
  in the tails, where a table has no counts.
- `Trees`: the log-odds of gradient-boosted trees, which are learnt only if no table has all
  features.

Example. Users report an item by OUE over 3 items; users with item 1 are compared with users with
item 2. There are 8 different reports, so the table of all three bits has 8 cells. The cells whose
first two bits are 1, 0 have the largest ratio, e^ε, so the event of these cells shows the full ε.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import attrs
import numpy as np

from simnet.arrays import Bools, Floats, Indices, Numbers
from simnet.coins.coins import Coins
from simnet.errors import BadInput
from simnet.installed import extra_missing

CELLS = 256  # the largest number of cells of one coordinate
JOINT_CELLS = 4096  # the largest number of cells of all coordinates together
ALONE = 32  # coordinates with a table of their own: those whose means differ most
TREES = 40  # the number of boosted trees
ENOUGH = 100_000  # the largest number of rows of a sample from which trees and weights are learnt
WORDS = 4  # the largest number of parts of an event that its text lists


class Score(Protocol):
    """A real number for every row of a sample, which is one report. The number is the report's
    only feature, or it tends to be higher under P than under Q.
    """

    def of(self, rows: Numbers) -> Floats:
        """Return the scores of rows (m, features); shape (m,)."""
        ...

    def words(self, threshold: float, above: bool) -> str:
        """Describe the event that the score is at least the threshold if `above` is true, and
        below the threshold otherwise.
        """
        ...


@attrs.frozen(eq=False)
class Event:
    """The event that a row's score is at least the threshold if `above` is true, and below the
    threshold otherwise.
    """

    score: Score
    threshold: float
    above: bool

    def holds(self, rows: Numbers) -> Bools:
        """Return which of the rows (m, features) are in the event; shape (m,)."""
        return np.asarray((self.score.of(rows) >= self.threshold) == self.above)

    def __str__(self) -> str:
        return self.score.words(self.threshold, self.above)


def learnt_scores(
    p_rows: Numbers, q_rows: Numbers, names: Sequence[str], coins: Coins
) -> Iterator[Score]:
    """Yield scores learnt from rows under P and under Q, each (m, features).

    Trees are learnt only if no table has all features. Raises `BadInput` if trees are needed and
    scikit-learn is missing.
    """
    p_thinned, q_thinned = _evenly_spread(p_rows), _evenly_spread(q_rows)
    features = p_rows.shape[1]
    cuts = [
        _cuts(np.concatenate([p_rows[:, place], q_rows[:, place]])) for place in range(features)
    ]
    if features == 1:
        yield linear(p_thinned, q_thinned, names)
    for place in _most_different(p_thinned, q_thinned):
        yield table(p_rows, q_rows, names, (place,), (cuts[place],))
    if features == 1:
        return
    yield linear(p_thinned, q_thinned, names)
    if np.prod([float(len(starts)) for starts in cuts]) <= JOINT_CELLS:
        yield table(p_rows, q_rows, names, tuple(range(features)), tuple(cuts))
    else:
        yield trees(p_thinned, q_thinned, names, coins)


@attrs.frozen(eq=False)
class RatioTable:
    """The logarithm of the likelihood ratio in each cell of a grid over some features.

    The values of each feature are divided into ranges. Range i begins at cut i, and the first range
    also holds all smaller values.
    """

    places: tuple[int, ...]  # the features, counted from 0
    cuts: tuple[Numbers, ...]  # for each of these features, where its ranges begin
    ratios: Floats  # logarithms, shape (cells,), last feature fastest
    names: Sequence[str]

    def of(self, rows: Numbers) -> Floats:
        """Return the logarithm of the ratio of each row's cell; shape (m,)."""
        return np.asarray(self.ratios[_cells(rows, self.places, self.cuts)])

    def words(self, threshold: float, above: bool) -> str:
        """Describe the event by its ranges of the feature, or, if the table has several features,
        by its number of cells.
        """
        inside = np.flatnonzero((self.ratios >= threshold) == above)
        if len(self.places) > 1:
            return (
                f"a report in {len(inside)} of the {len(self.ratios)} cells of a grid over all "
                f"coordinates{self._clearest(inside)}"
            )
        ends = np.flatnonzero(np.diff(inside) > 1)
        runs = (
            list(zip(inside[np.r_[0, ends + 1]], inside[np.r_[ends, -1]], strict=True))
            if inside.size
            else []
        )
        return (
            f"{self.names[self.places[0]]} "
            f"{_join([self._range(first, last) for first, last in runs] or ['nowhere'], 'or')}"
        )

    def _range(self, first: int, last: int) -> str:
        (cuts,) = self.cuts
        if first == 0:
            return "anything" if last == len(cuts) - 1 else f"below {cuts[last + 1]:g}"
        return (
            f"from {cuts[first]:g} on"
            if last == len(cuts) - 1
            else f"in [{cuts[first]:g}, {cuts[last + 1]:g})"
        )

    def _clearest(self, inside: Indices) -> str:
        if not inside.size:
            return ""
        clearest = inside[np.argmax(np.abs(self.ratios[inside]))]
        codes = np.unravel_index(clearest, tuple(len(cuts) for cuts in self.cuts))
        corner = zip(self.places, self.cuts, codes, strict=True)
        parts = [f"{self.names[place]} from {cuts[code]:g}" for place, cuts, code in corner]
        return f" (of these, P and Q differ most in the cell with {_join(parts, 'and')})"


def table(
    p_rows: Numbers,
    q_rows: Numbers,
    names: Sequence[str],
    places: tuple[int, ...],
    cuts: tuple[Numbers, ...],
) -> RatioTable:
    """Return a table with a number for each cell: the logarithm of the ratio of the first sample's
    share of rows to the second sample's.

    Half a row is added to each count of rows. The ratio of a cell without any rows is set to 1.
    """
    size = int(np.prod([len(starts) for starts in cuts]))
    p_counts, q_counts = (
        np.bincount(_cells(rows, places, cuts), minlength=size) for rows in (p_rows, q_rows)
    )
    ratios = np.log((p_counts + 0.5) / (q_counts + 0.5) * (len(q_rows) / len(p_rows)))
    return RatioTable(places, cuts, np.where(p_counts + q_counts == 0, 0.0, ratios), names)


def _cuts(values: Numbers) -> Numbers:
    """Return where the ranges of a feature begin: at every value if there are at most 256
    different ones, otherwise at equally spaced quantiles.
    """
    ordered = np.sort(values)
    distinct = ordered[np.r_[True, ordered[1:] != ordered[:-1]]]
    if len(distinct) <= CELLS:
        return distinct
    return np.unique(ordered[np.arange(CELLS) * len(ordered) // CELLS])


def _cells(rows: Numbers, places: tuple[int, ...], cuts: tuple[Numbers, ...]) -> Indices:
    cells = np.zeros(len(rows), dtype=np.intp)
    for place, starts in zip(places, cuts, strict=True):
        cells *= len(starts)
        cells += np.maximum(np.searchsorted(starts, rows[:, place], side="right") - 1, 0)
    return cells


def _most_different(p_rows: Numbers, q_rows: Numbers) -> list[int]:
    apart, _ = _standardised(p_rows, q_rows)
    return [int(place) for place in np.argsort(-np.abs(apart), kind="stable")[:ALONE]]


def _standardised(p_rows: Numbers, q_rows: Numbers) -> tuple[Floats, Floats]:
    """Return for each feature the difference of its means under P and Q divided by a standard
    deviation, and this deviation, or 1 if it is 0. Shapes (features,).

    The square of the deviation is the mean of both variances plus the squared difference of the
    means.
    """
    deviations = np.sqrt(
        (p_rows.var(axis=0) + q_rows.var(axis=0)) / 2
        + (p_rows.mean(axis=0) - q_rows.mean(axis=0)) ** 2
    )
    deviations = np.where(deviations > 0, deviations, 1.0)
    return (p_rows.mean(axis=0) - q_rows.mean(axis=0)) / deviations, deviations


@attrs.frozen(eq=False)
class WeightedSum:
    """A weighted sum of the features. If there are several, `words` ranks the terms by the
    absolute value of weight times `deviations`.
    """

    weights: Floats
    deviations: Floats
    names: Sequence[str]

    def of(self, rows: Numbers) -> Floats:
        """Return the weighted sums; shape (m,)."""
        return np.asarray(rows @ self.weights, dtype=np.float64)

    def words(self, threshold: float, above: bool) -> str:
        """Describe the event by the sum, of which at most four terms are written out: those whose
        weight times deviation is largest in absolute value.
        """
        sign = ">=" if above else "<"
        if len(self.weights) == 1:
            return f"{self.names[0]} {sign} {threshold:g}"
        order = np.argsort(-np.abs(self.weights * self.deviations), kind="stable")
        parts = [f"{self.weights[place]:.3g} × {self.names[place]}" for place in order]
        return f"{_join(parts, '+')} {sign} {threshold:.6g}"


def linear(p_rows: Numbers, q_rows: Numbers, names: Sequence[str]) -> WeightedSum:
    """Return Fisher's discriminant, fitted to both samples.

    If reports have a single feature, the score is this feature itself.
    """
    if p_rows.shape[1] == 1:
        return WeightedSum(np.ones(1), np.ones(1), names)
    apart, deviations = _standardised(p_rows, q_rows)
    spread = (
        sum(np.atleast_2d(np.cov(rows / deviations, rowvar=False)) for rows in (p_rows, q_rows)) / 2
    )
    spread = spread + 1e-6 * np.eye(len(apart))  # so that it can be inverted without noise too
    return WeightedSum(np.linalg.solve(spread, apart) / deviations, deviations, names)


@attrs.frozen(eq=False)
class Trees:
    """The log-odds of gradient-boosted trees."""

    decide: Callable[[Numbers], Numbers]
    place: int  # the coordinate whose means differ most
    names: Sequence[str]

    def of(self, rows: Numbers) -> Floats:
        """Return the log-odds of P against Q; shape (m,)."""
        return np.asarray(self.decide(rows), dtype=np.float64)

    def words(self, threshold: float, above: bool) -> str:
        """Describe the event by the threshold, and name the coordinate whose means differ most."""
        sign = ">=" if above else "<"
        return (
            f"log-odds of a classifier {sign} {threshold:.4g} (the means differ most in "
            f"{self.names[self.place]})"
        )


def trees(p_rows: Numbers, q_rows: Numbers, names: Sequence[str], coins: Coins) -> Trees:
    """Fit histogram gradient boosting, on one thread.

    Raises `BadInput` if scikit-learn is missing.
    """
    try:
        from sklearn.ensemble import (
            # imported only here: it is an optional package, and takes long to load
            HistGradientBoostingClassifier,
        )
        from threadpoolctl import threadpool_limits
    except ImportError:
        raise BadInput(
            extra_missing("an audit of reports with many outcomes", "scikit-learn", "audit")
        ) from None
    seed = int(coins.integers(1 << 31, 1)[0])
    model = HistGradientBoostingClassifier(max_iter=TREES, early_stopping=False, random_state=seed)

    def decide(rows: Numbers) -> Numbers:
        with threadpool_limits(1, user_api="openmp"):
            return np.asarray(model.decision_function(rows))

    with threadpool_limits(1, user_api="openmp"):
        model.fit(np.concatenate([p_rows, q_rows]), np.repeat([1, 0], [len(p_rows), len(q_rows)]))
    return Trees(decide, _most_different(p_rows, q_rows)[0], names)


def _evenly_spread(rows: Numbers) -> Numbers:
    return rows[:: -(-len(rows) // ENOUGH)]


def _join(parts: Sequence[str], word: str) -> str:
    shown = f" {word} ".join(parts[:WORDS])
    return shown if len(parts) <= WORDS else f"{shown} {word} {len(parts) - WORDS} more"
