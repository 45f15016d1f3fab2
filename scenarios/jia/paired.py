"""Statements that compare methods on the same collections, at places: the values of an axis.

All methods of one trial see the same estimates, so their numbers are correlated. Therefore methods
are compared trial by trial.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import inf, sqrt

import attrs
import numpy as np

from simnet.studies.paper_claim import Counterpart
from simnet.studies.readings import paired_quotient, share_less
from simnet.studies.statements import paired_less, places_in_words
from simnet.studies.table import ALIKE, CONFIDENCE, NoSuchPoint, Table, TrialRow, student

Places = Mapping[float, Sequence[TrialRow]]  # trials by the value of an axis


def places_of(table: Table, axis: str) -> Places:
    """Return the trials by the value of an axis, in increasing order.

    Raises `NoSuchPoint` if there are none.
    """
    found = {value: table.where(**{axis: value}).rows for value in sorted(table.values(axis))}
    if not found:
        raise NoSuchPoint("nothing was run that the statement is about")
    return found


def ratio(rows: Sequence[TrialRow], one: str, other: str, runs: int = 0) -> Counterpart:
    """Return the mean of one number divided by the mean of another number, from trials that have
    both.
    """
    expected = None
    if all(f"expected_{name}" in row for row in rows for name in (one, other)):
        expected = rows[0][f"expected_{one}"] / rows[0][f"expected_{other}"] if rows else None
    return paired_quotient(rows, one, other, expected=expected, runs=runs)


def less(
    places: Places,
    one: str,
    other: str,
    factor: float = 1.0,
    axis: str = "epsilon",
) -> Counterpart:
    """Return the share of places at which the mean of `one` is below `factor` times that of
    `other`.
    """
    return all_less(places, [(one, other, factor)], axis)


def all_less(
    places: Places, pairs: Sequence[tuple[str, str, float]], axis: str = "epsilon"
) -> Counterpart:
    """Return the share of places at which the first number of every pair is below the factor of the
    pair times the second number.
    """
    names = list(dict.fromkeys(name for one, other, _ in pairs for name in (one, other)))
    found = [
        [row for row in rows if all(name in row for name in names)] for rows in places.values()
    ]
    if not all(found):
        raise NoSuchPoint(f"at some {axis} no trial has {' and '.join(map(repr, names))}")

    def excesses(row: TrialRow, prefix: str = "") -> dict[str, float]:
        return {
            f"excess {number}": row[prefix + one] - factor * row[prefix + other]
            for number, (one, other, factor) in enumerate(pairs)
        }

    known = all(f"expected_{name}" in row for rows in found for row in rows for name in names)
    shares = paired_less(
        [[{**excesses(row), "zero": 0.0} for row in rows] for rows in found],
        [f"excess {number}" for number in range(len(pairs))],
        ["zero"],
        None,
    )
    if known:
        laws = [excesses(rows[0], "expected_") for rows in found]
        holds = [all(excess < 0 for excess in law.values()) for law in laws]
        shares = attrs.evolve(shares, expected=sum(holds) / len(holds))
    return attrs.evolve(sure(shares), judged_at=_in_words(axis, list(places)))


def sure(found: Counterpart) -> Counterpart:
    """Return the share of places; with too few trials, with the interval 0..1, so that it decides
    nothing.

    A few differences of scores may be equal by accident, and then their interval has no width.
    """
    if found.trials is None or found.trials >= ALIKE:
        return found
    return attrs.evolve(found, low=0.0, high=1.0)


def quotient_falls(places: Places, one: str, other: str, axis: str = "epsilon") -> Counterpart:
    """Return the share of steps along the axis at which the quotient of two numbers gets smaller.

    Raises `NoSuchPoint` if the axis has a single value.
    """
    found = [ratio(rows, one, other) for rows in places.values()]
    if len(found) < 2:
        raise NoSuchPoint(
            "a statement about steps along an axis needs results at two of its values"
        )
    steps = share_less([(after, before) for before, after in pairwise(found)])
    trials = min(len(rows) for rows in places.values())
    return sure(attrs.evolve(steps, trials=trials, judged_at=_in_words(axis, list(places))))


def difference_falls(places: Places, one: str, other: str, axis: str) -> Counterpart:
    """Return the share of steps along the axis at which one number, less another one, falls.

    Raises `NoSuchPoint` for fewer than two places.
    """
    if len(places) < 2:
        raise NoSuchPoint(
            "a statement about steps along an axis needs results at two of its values"
        )
    error = (1 - CONFIDENCE) / len(places)
    found = [_difference(rows, one, other, error) for rows in places.values()]
    trials = min(len(rows) for rows in places.values())
    steps = share_less([(after, before) for before, after in pairwise(found)])
    return sure(attrs.evolve(steps, trials=trials, judged_at=_in_words(axis, list(places))))


def _difference(rows: Sequence[TrialRow], one: str, other: str, error: float) -> Counterpart:
    pairs = [row for row in rows if one in row and other in row]
    if not pairs:
        raise NoSuchPoint(f"no trial has {one!r} and {other!r}")
    numbers = np.array([float(row[one]) - float(row[other]) for row in pairs])
    mean, count = float(numbers.mean()), len(numbers)
    if count < 2:
        return Counterpart(None, mean, -inf, inf)
    arm = student(count, error) * float(numbers.std(ddof=1)) / sqrt(count)
    return Counterpart(None, mean, mean - arm, mean + arm)


def always(
    places: Places,
    name: str,
    axis: str,
    by_law: Callable[[TrialRow], bool],
) -> Counterpart:
    """Return the share of places at which a number is 1 in every trial.

    `by_law` says whether it is 1 by the definitions of the methods.
    """
    shares = [all(row[name] == 1 for row in rows) for rows in places.values()]
    laws = [all(by_law(row) for row in rows) for rows in places.values()]
    share = sum(shares) / len(shares)
    trials = min(len(rows) for rows in places.values())
    words = _in_words(axis, list(places))
    law = sum(laws) / len(laws)
    return Counterpart(law, share, share, share, share=True, trials=trials, judged_at=words)


def _in_words(axis: str, values: Sequence[float]) -> str:
    return places_in_words([{axis: value} for value in values], [axis])
