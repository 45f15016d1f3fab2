"""Statements that compare methods on the same people.

An experiment whose methods are `paired` gives all methods of a trial one seed, so that they can
draw the same people. Two methods are then compared trial by trial: what changes the numbers of both
methods in a trial, such as people who are hard to estimate, changes their quotient less. So an
interval for the quotient of two errors that is made in this way is usually narrower than an
interval that follows from two intervals, one for each method.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, inf, isnan, sqrt
from typing import Any

import attrs
import numpy as np

from simnet.arrays import Floats
from simnet.studies.paper_claim import Counterpart
from simnet.studies.statements import Statement, places_in_words, share_at
from simnet.studies.table import ALIKE, CONFIDENCE, NoSuchPoint, Table, TrialRow, student

Ends = tuple[float, float, float]  # a measured value, and both ends of its interval


@attrs.frozen
class Contrast:
    """A way to compare the numbers of two methods.

    `measured` takes each method's numbers, one for each trial, and the probability with which the
    interval may be wrong. It returns the measured value and the ends of its interval. `by_law`
    compares the two expected numbers.
    """

    measured: Callable[[Floats, Floats, float], Ends]
    by_law: Callable[[float, float], float]


def paired_share(
    table: Table,
    pairs: Sequence[tuple[str, str]],
    places: Sequence[str],
    holds: Statement,
    *,
    along: Sequence[str] = (),
    methods: str = "method",
    contrast: "Contrast | None" = None,
    shown: Sequence[str] | None = None,
) -> Counterpart:
    """Return the share of places at which a statement about pairs of methods holds.

    A place is a combination of the values of the axes `places`. At each place the statement is
    given a number for every pair that was run there, by the key `(one, other)` or, if `along` names
    more axes, by `(one, other, *values)` with the values of these axes. The number is the quotient
    of the two methods' means, or what another `contrast` makes of them. The intervals of all
    numbers hold jointly. `methods` is the axis of the methods, and the measure is the first one of
    the table.

    The result names the values of the axes `shown` that were compared; by default these are the
    axes `methods`, `places` and `along`.

    Raises `NoSuchPoint` if no place has trials of both methods of a pair, and if at some place the
    trials of two methods have no seed in common.
    """
    how, measure = contrast or QUOTIENT, table.measures[0]
    named = {name for pair in pairs for name in pair}
    rows: dict[tuple[Any, ...], dict[str, dict[tuple[int, int], TrialRow]]] = {}
    for row in table.rows:
        if row[methods] in named and measure.name in row:
            key = tuple(row.get(axis) for axis in (*places, *along))
            of_method = rows.setdefault(key, {}).setdefault(row[methods], {})
            of_method[row["trial"], row["seed"]] = row
    found = {
        (key, pair): _both(by_method, pair)
        for key, by_method in rows.items()
        for pair in pairs
        if set(pair) <= set(by_method)
    }
    if not found:
        raise NoSuchPoint("nothing was run that the statement is about")
    error = (1 - CONFIDENCE) / len(found)
    lines: dict[tuple[Any, ...], dict[Any, Mapping[str, Any]]] = {}
    for (key, pair), trials in found.items():
        line = _line(trials, measure.name, measure.expected, how, error)
        lines.setdefault(key[: len(places)], {})[(*pair, *key[len(places) :])] = line
    share = share_at(list(lines.values()), holds)
    looked_at = {(key, name) for key, pair in found for name in pair}
    compared = [
        row
        for row in table.rows
        if (tuple(row.get(axis) for axis in (*places, *along)), row[methods]) in looked_at
    ]
    axes = [methods, *places, *along] if shown is None else shown
    return attrs.evolve(share, judged_at=places_in_words(compared, axes))


def _both(
    by_method: Mapping[str, Mapping[tuple[int, int], TrialRow]], pair: tuple[str, str]
) -> list[tuple[TrialRow, TrialRow]]:
    ones, others = (by_method[name] for name in pair)
    both = [(ones[trial], others[trial]) for trial in ones if trial in others]
    if not both:
        raise NoSuchPoint(f"no trial has {' and '.join(map(repr, pair))} with the same seed")
    return both


def _line(
    trials: Sequence[tuple[TrialRow, TrialRow]],
    name: str,
    expected: str | None,
    how: Contrast,
    error: float,
) -> Mapping[str, Any]:
    one, other = (
        np.array([float(row[name]) for row in rows]) for rows in zip(*trials, strict=True)
    )
    mean, low, high = how.measured(one, other, error)
    law = None
    if expected is not None:
        laws = [
            float(np.mean([float(row[expected]) for row in rows]))
            for rows in zip(*trials, strict=True)
        ]
        law = None if any(map(isnan, laws)) else how.by_law(laws[0], laws[1])
    return {
        "mean": mean,
        "low": low,
        "high": high,
        "expected": law,
        "holds": law is None or low <= law <= high,
        "trials": len(trials),
    }


def _arm(values: Floats, error: float) -> float:
    """Return half the width of Student's interval for the mean; infinity for a single value, and
    for fewer than `ALIKE` equal values.
    """
    deviation = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    if len(values) < ALIKE and not deviation:
        return inf
    return student(len(values), error) * deviation / sqrt(len(values)) if deviation else 0.0


def _quotient(one: Floats, other: Floats, error: float) -> Ends:
    """Return the quotient of two means, with Student's interval on a logarithmic scale.

    The variance of the logarithm is computed to first order (the delta method).
    """
    means = float(one.mean()), float(other.mean())
    arm = _arm(one / means[0] - other / means[1], error)
    ratio = means[0] / means[1]
    return ratio, ratio * exp(-arm), ratio * exp(arm) if arm < inf else inf


def _difference(one: Floats, other: Floats, error: float) -> Ends:
    gaps = one - other
    mean, arm = float(gaps.mean()), _arm(gaps, error)
    return mean, mean - arm, mean + arm


QUOTIENT = Contrast(_quotient, lambda one, other: one / other)
DIFFERENCE = Contrast(_difference, lambda one, other: one - other)
