"""Statements of a paper that something holds everywhere, as claims of a paper.

A paper says, for example, that the error falls as the number of users grows. We check this at every
*place*: at each combination of the values of the parameters that the statement does not compare,
here of all parameters but the number of users. The number that stands for the statement is the
share of places at which the statement holds. This share is 1 if the paper is right. At each place
we try some values within the confidence intervals, above all the ends of the intervals (see
`_within`). The interval of the share begins at the share of places at which the statement holds for
all values that we try. It ends at the share of places at which the statement holds for some of
them.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf, isfinite, prod, sqrt
from typing import Any

import attrs
import numpy as np

from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import DROP, NETWORK
from simnet.studies.paper_claim import Counterpart
from simnet.studies.table import ALIKE, CONFIDENCE, NoSuchPoint, Table, TrialRow, student

CORNERS = 512  # the largest number of choices of interval ends that are tried
MOST_VALUES = 8  # if an axis with equal steps has more values than this, not all are listed

MeasureByAxis = Mapping[Any, float]  # a number of a measure for each value of an axis
# A function that says whether the statement holds; it raises KeyError if a number is missing.
Statement = Callable[[MeasureByAxis], bool]


def exact(value: float) -> Counterpart:
    """Return the counterpart for a value that is computed exactly, without any trial."""
    return Counterpart(value)


def everywhere(
    measure: str, axis: str | Sequence[str], others: Sequence[str], holds: Statement
) -> Callable[[Table], Counterpart]:
    """Return the reading of the statement that `holds` is true of a measure at every place.

    A place is a combination of the values of the axes in `others`, and of `drop` and `network` if
    the table has them. At each place `holds` is given the measure by the values of `axis` (one axis
    or several). A place does not count if `holds` raises `KeyError` there, because a value was not
    run.
    """
    axes = [axis, *others] if isinstance(axis, str) else [*axis, *others]

    def read(table: Table) -> Counterpart:
        added = _added_axes(table, axes)
        places = _places(table, measure, axis, [*others, *added])
        found = share_at(places, holds, table.exact)
        lines = [line for place in places for line in _compared(place, holds)]
        return attrs.evolve(found, judged_at=places_in_words(lines, [*axes, *added]))

    return read


def places_in_words(lines: Sequence[Mapping[str, Any]], axes: Sequence[str]) -> str:
    """Return a text with the values that the rows have on some axes. An axis with one value is left
    out.

    >>> places_in_words([{"d": 2, "way": "ours"}, {"d": 5, "way": "ours"}], ["d", "way"])
    'd 2, 5'
    """
    parts = []
    for axis in axes:
        values = list(dict.fromkeys(line[axis] for line in lines if line.get(axis) is not None))
        if len(values) > 1:
            parts.append(f"{axis} {listed_in_words(values)}")
    return "; ".join(parts)


def listed_in_words(values: Sequence[Any]) -> str:
    """Return values as text. If there are many numbers with equal steps, only the first two numbers
    and the last number are listed. Texts stand in quotation marks if one of them has a comma.

    >>> listed_in_words([1, 2, 5]), listed_in_words(list(range(10, 110, 10)))
    ('1, 2, 5', '10, 20, ..., 100')
    >>> listed_in_words(["all users", "2 users, not sampled"])
    '"all users", "2 users, not sampled"'
    """
    if len(values) > MOST_VALUES and all(isinstance(value, int | float) for value in values):
        steps = np.diff(values)
        if np.allclose(steps, steps[0], rtol=1e-6, atol=0):
            return f"{values[0]}, {values[1]}, ..., {values[-1]}"
    mark = '"' if any(isinstance(value, str) and "," in value for value in values) else ""
    words = ["none" if value is None else str(value) for value in values]
    return ", ".join(
        f"{mark}{word}{mark}" if isinstance(value, str) else word
        for value, word in zip(values, words, strict=True)
    )


class _Watched(dict[Any, Any]):
    """A mapping that notes which of its values are looked at."""

    def __init__(self, values: Mapping[Any, Any]) -> None:
        super().__init__(values)
        self.seen: set[Any] = set()

    def __getitem__(self, key: Any) -> Any:
        self.seen.add(key)
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        self.seen.add(key)
        return super().get(key, default)

    def values(self) -> Any:
        self.seen.update(self)
        return super().values()

    def items(self) -> Any:
        self.seen.update(self)
        return super().items()


def _compared(
    place: Mapping[Any, Mapping[str, Any]], holds: Statement
) -> Iterator[Mapping[str, Any]]:
    """Yield the lines that the statement compares.

    A statement that stops at the first failure may not look at all lines. So we also evaluate it
    with all numbers equal, with falling numbers and with rising numbers.
    """
    seen: set[Any] = set()
    keys = list(place)
    for numbers in (
        {key: place[key]["mean"] for key in keys},
        dict.fromkeys(keys, 1.0),
        {key: 1.0 + number for number, key in enumerate(keys)},
        {key: 1.0 + len(keys) - number for number, key in enumerate(keys)},
    ):
        watched = _Watched(numbers)
        try:
            holds(watched)
        except KeyError:
            return
        except ArithmeticError:
            continue
        seen |= watched.seen
    yield from (line for key, line in place.items() if key in seen)


def rises(numbers: MeasureByAxis) -> bool:
    """Return whether a measure grows strictly along the axis.

    Raises `KeyError` if the axis has fewer than two values.
    """
    if len(numbers) < 2:
        raise KeyError("at least two values are compared")
    in_order = [numbers[key] for key in sorted(numbers)]
    return all(one < other for one, other in itertools.pairwise(in_order))


def falls(numbers: MeasureByAxis) -> bool:
    """Return whether a measure shrinks strictly along the axis.

    Raises `KeyError` if the axis has fewer than two values.
    """
    return rises({key: -number for key, number in numbers.items()})


def _added_axes(table: Table, named: Sequence[str]) -> list[str]:
    """Return the axes that `--set drop=...` and `--network` added to the grid.

    Numbers at different values of these are not compared with each other.
    """
    return [name for name in (DROP, NETWORK) if name in table.axes and name not in named]


def _places(
    table: Table, measure: str, axis: str | Sequence[str], others: Sequence[str]
) -> list[dict[Any, Mapping[str, Any]]]:
    found: dict[tuple[Any, ...], dict[Any, Mapping[str, Any]]] = {}
    for line in table.summary():
        if line["measure"] == measure:
            key = (
                line.get(axis) if isinstance(axis, str) else tuple(line.get(name) for name in axis)
            )
            found.setdefault(tuple(line.get(name) for name in others), {})[key] = line
    return list(found.values())


def share_at(
    places: Sequence[Mapping[Any, Mapping[str, Any]]], holds: Statement, exact: bool = False
) -> Counterpart:
    """Return the share of places at which a statement holds: for the expected values, if they are
    known, and for the measured ones.

    A place is a mapping from keys to lines, such as the lines of a table's summary. The statement
    finds its lines by these keys. A line has `mean`, `low`, `high`, `expected`, `trials`, and
    `holds`, which says whether the interval contains the expected value.

    `exact` says that the trials compute their numbers exactly. If they then have no expected values
    besides, the share of the computed numbers counts as the value of a law, and nothing counts as
    measured.
    """
    tried = [_outcome_at(place, holds) for place in places]
    outcomes = [outcome for outcome in tried if outcome is not None]
    by_law = share_by_law(outcomes)
    found = share_of(outcomes, by_law)
    if exact and by_law is None:
        return Counterpart(found.measured, share=True)
    trials = min(line["trials"] for place in places for line in place.values())
    return attrs.evolve(found, trials=trials)


@attrs.frozen
class Outcome:
    """Whether a statement holds at one place.

    `measured` is the answer for the measured means. `surely` says whether the statement holds for
    all values that were tried within the intervals, and `possibly` whether it holds for some of
    them. `by_law` is the answer for the expected values; None if they are not known.
    """

    measured: bool
    surely: bool
    possibly: bool
    by_law: bool | None = None


def share_of(outcomes: Sequence[Outcome], expected: float | None = None) -> Counterpart:
    """Return the share of places at which a statement holds.

    Raises `NoSuchPoint` if there is no place.
    """
    if not outcomes:
        raise NoSuchPoint("nothing was run that the statement is about")
    return Counterpart(
        expected,
        measured=sum(outcome.measured for outcome in outcomes) / len(outcomes),
        low=sum(outcome.surely for outcome in outcomes) / len(outcomes),
        high=sum(outcome.possibly for outcome in outcomes) / len(outcomes),
        share=True,
    )


def share_by_law(outcomes: Sequence[Outcome]) -> float | None:
    """Return the share of places at which a statement holds for the expected values.

    Returns None if there is no place, or if an expected value is unknown.
    """
    if not outcomes or any(outcome.by_law is None for outcome in outcomes):
        return None
    return sum(bool(outcome.by_law) for outcome in outcomes) / len(outcomes)


def _outcome_at(place: Mapping[Any, Mapping[str, Any]], holds: Statement) -> Outcome | None:
    try:
        measured = holds({key: line["mean"] for key, line in place.items()})
        seen = {measured, *(holds(numbers) for numbers in _within(place))}
        by_law = None
        if all(line["expected"] is not None for line in place.values()):
            by_law = holds({key: line["expected"] for key, line in place.items()})
            if all(
                line["holds"] for line in place.values()
            ):  # the intervals contain the expected values, too
                seen.add(by_law)
    except KeyError:
        return None
    return Outcome(measured, False not in seen, True in seen, by_law)


def _within(place: Mapping[Any, Mapping[str, Any]]) -> Iterator[dict[Any, float]]:
    """Yield choices of one number from the interval of each line.

    All choices of interval ends are tried and, if all intervals are finite, two more choices. One
    takes the low end of the first interval and the high end of the last; in the intervals between,
    it moves from the low end towards the high end in equal steps. The other does so in the opposite
    order. If there are too many choices of ends, some choices are drawn at random.
    """
    bounded = all(isfinite(line["high"] - line["low"]) for line in place.values())
    upwards = sorted(place) if all(isinstance(key, int | float) for key in place) else list(place)
    for order in (upwards, upwards[::-1]) if bounded else ():
        steps = max(len(order) - 1, 1)
        yield {
            key: place[key]["low"] + (place[key]["high"] - place[key]["low"]) * step / steps
            for step, key in enumerate(order)
        }
    ends = {key: sorted({line["low"], line["high"]}) for key, line in place.items()}
    if prod(map(len, ends.values())) <= CORNERS:
        for chosen in itertools.product(*ends.values()):
            yield dict(zip(ends, chosen, strict=True))
        return
    coins = SampledCoins(0, "corners")
    for _ in range(CORNERS):
        yield {
            key: at[-1] if high else at[0]
            for (key, at), high in zip(
                ends.items(), coins.bernoullis(0.5, len(ends)).tolist(), strict=True
            )
        }


def paired_less(
    places: Sequence[Sequence[TrialRow]],
    better: Sequence[str],
    worse: Sequence[str],
    expected: Callable[[Sequence[TrialRow]], MeasureByAxis] | None = None,
) -> Counterpart:
    """Return the share of places at which each number in `better` is below each number in `worse`.

    The rows of a place are trials. The methods of a trial saw the same data, for example the same
    reports, or the same parts of the data in a cross-validation. So we look at the differences
    within one trial, with Student's intervals that hold jointly over all places and pairs.
    `expected` gives the numbers by law.

    Raises `NoSuchPoint` if there is no place.
    """
    pairs = list(itertools.product(better, worse))
    error = (1 - CONFIDENCE) / max(len(places) * len(pairs), 1)
    outcomes = []
    for rows in places:
        ends = [_difference(rows, one, other, error) for one, other in pairs]
        by_law = None
        if expected is not None:
            law = expected(rows)
            by_law = all(law[one] < law[other] for one, other in pairs)
        outcomes.append(
            Outcome(
                all(mean < 0 for mean, _ in ends),
                all(mean + arm < 0 for mean, arm in ends),
                all(mean - arm < 0 for mean, arm in ends),
                by_law,
            )
        )
    found = share_of(outcomes, share_by_law(outcomes))
    return attrs.evolve(found, trials=min(len(rows) for rows in places))


def _difference(
    rows: Sequence[TrialRow], one: str, other: str, error: float
) -> tuple[float, float]:
    """Return the mean of a difference within trials, and half the width of its interval.

    If the two numbers are equal in every trial, the trials decide nothing: a difference may be too
    rare for them. Fewer than `ALIKE` equal differences decide nothing either.
    """
    differences = np.array([float(row[one]) - float(row[other]) for row in rows])
    mean, count = float(differences.mean()), len(differences)
    if count < 2 or not differences.any():
        return mean, inf
    deviation = float(differences.std(ddof=1))
    if not deviation:
        return mean, inf if count < ALIKE else 0.0
    return mean, student(count, error) * deviation / sqrt(count)


def always_less(
    better: Callable[[Any], bool], axis: str, others: Sequence[str]
) -> Callable[[Table], Counterpart]:
    """Return the reading of the statement that the better methods have smaller errors than all
    others, everywhere.

    `better` decides by the value of `axis` whether a method is one of the better methods. A place
    is a combination as in `everywhere`. The error is the first measure of the table.
    """
    return lambda table: _share_of_less(table, better, axis, others)


def _share_of_less(
    table: Table, better: Callable[[Any], bool], axis: str, others: Sequence[str]
) -> Counterpart:
    others = [*others, *_added_axes(table, [axis, *others])]
    places: dict[tuple[Any, ...], dict[bool, list[dict[str, Any]]]] = {}
    for line in table.summary():
        if line["measure"] != table.measures[0].name:
            continue
        place = places.setdefault(tuple(line.get(name) for name in others), {True: [], False: []})
        place[better(line.get(axis))].append(line)
    compared = [place for place in places.values() if place[True] and place[False]]
    if not compared:
        raise NoSuchPoint(
            "nothing can be compared: for no values of the other parameters is there both a better "
            f"method and another one (axis {axis})"
        )

    def less(place: dict[bool, list[dict[str, Any]]], one: str, other: str) -> bool:
        return bool(
            max(line[one] for line in place[True]) < min(line[other] for line in place[False])
        )

    lines = [line for place in compared for line in (*place[True], *place[False])]
    pairs = [("mean", "mean"), ("high", "low"), ("low", "high")]
    if all(line["expected"] is not None for line in lines):
        pairs.append(("expected", "expected"))
    outcomes = [Outcome(*(less(place, *pair) for pair in pairs)) for place in compared]
    return attrs.evolve(
        share_of(outcomes, share_by_law(outcomes)),
        trials=min(line["trials"] for line in lines),
        judged_at=places_in_words(lines, [axis, *others]),
    )
