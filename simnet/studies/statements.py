"""Statements of a paper that something holds wherever it looked, as quoted numbers.

The number is the share of the places of a grid at which the statement holds, 1 if the paper is
right. Its interval is from where it holds surely, wherever in their intervals the measured numbers
may lie, to where it holds possibly.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, prod
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from simnet.coins.sampled import SampledCoins
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.table import NoSuchPoint, Table, TrialRow

CORNERS = 512  # of intervals, that are looked at
DRAWS, ENOUGH = 1000, 5  # draws of whole trials; trials from which on they tell anything

MeasureByAxis = Mapping[Any, float]  # of a measure, by the value of an axis
Statement = Callable[[MeasureByAxis], bool]  # raises KeyError where a number is missing


def exact(value: float) -> Counterpart:
    """What is computed: nothing is run for it."""
    return Counterpart(value)


def everywhere(
    source: str,
    what: str,
    measure: str,
    axis: str | Sequence[str],
    others: Sequence[str],
    holds: Statement,
    *,
    why: str = "it fails somewhere",
    correction: str = "",
    instead: Statement | None = None,
) -> Quote:
    """The statement that `holds` is true of a measure wherever it was taken.

    It is shown the measure by the values of `axis`, one or several, at each place, a combination of
    the values of the axes in `others`. With a `correction` it is what `instead` says.
    """

    def share(statement: Statement) -> Callable[[Table], Counterpart]:
        return lambda table: _share(_places(table, measure, axis, others), statement)

    return Quote(
        source,
        what,
        lambda _: 1.0,
        share(holds),
        correction=correction,
        corrected=None if instead is None else share(instead),
        why=why,
    )


def rises(numbers: MeasureByAxis) -> bool:
    """Whether a measure grows strictly with the axis.

    Raises `KeyError` for less than two values.
    """
    if len(numbers) < 2:
        raise KeyError("two values are compared at least")
    in_order = [numbers[key] for key in sorted(numbers)]
    return all(one < other for one, other in itertools.pairwise(in_order))


def falls(numbers: MeasureByAxis) -> bool:
    """Whether a measure shrinks strictly with the axis.

    Raises `KeyError` for less than two values.
    """
    return rises({key: -number for key, number in numbers.items()})


def _places(
    table: Table, measure: str, axis: str | Sequence[str], others: Sequence[str]
) -> list[dict[Any, Mapping[str, Any]]]:
    """The lines of the table's summary at each place, by the value of the axis."""
    found: dict[tuple[Any, ...], dict[Any, Mapping[str, Any]]] = {}
    for line in table.summary():
        if line["measure"] == measure:
            key = (
                line.get(axis) if isinstance(axis, str) else tuple(line.get(name) for name in axis)
            )
            found.setdefault(tuple(line.get(name) for name in others), {})[key] = line
    return list(found.values())


def _share(places: Sequence[Mapping[Any, Mapping[str, Any]]], holds: Statement) -> Counterpart:
    """In which share of the places a statement holds, by expectation if known, and as measured."""
    tried = [_outcome_at(place, holds) for place in places]
    outcomes = [outcome for outcome in tried if outcome is not None]
    return share_of(outcomes, share_by_law(outcomes))


@attrs.frozen
class Outcome:
    """Whether a statement holds at a place, in three ways.

    That is as measured, surely and possibly by the intervals, and by the law.
    """

    measured: bool
    surely: bool
    possibly: bool
    by_law: bool | None = None


def share_of(outcomes: Sequence[Outcome], expected: float | None = None) -> Counterpart:
    """The share of places at which a statement holds.

    Raises `NoSuchPoint` where there is no place.
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
    """The share of places at which a statement is expected to hold; None where a law is missing."""
    if not outcomes or any(outcome.by_law is None for outcome in outcomes):
        return None
    return sum(bool(outcome.by_law) for outcome in outcomes) / len(outcomes)


def _outcome_at(place: Mapping[Any, Mapping[str, Any]], holds: Statement) -> Outcome | None:
    """Whether a statement holds at a place; None where it has nothing to say."""
    try:
        measured = holds({key: line["mean"] for key, line in place.items()})
        seen = {measured, *(holds(numbers) for numbers in _within(place))}
        by_law = None
        if all(line["expected"] is not None for line in place.values()):
            by_law = holds({key: line["expected"] for key, line in place.items()})
            if all(
                line["holds"] for line in place.values()
            ):  # then what is expected lies in the intervals too
                seen.add(by_law)
    except KeyError:
        return None
    return Outcome(measured, False not in seen, True in seen, by_law)


def _within(place: Mapping[Any, Mapping[str, Any]]) -> Iterator[dict[Any, float]]:
    """Numbers in their intervals: as steep as they can be, up and down, and every one at an end.

    Of many numbers the ends are drawn.
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


def resampled(
    places: Sequence[Sequence[TrialRow]], holds: Callable[[MeasureByAxis], bool]
) -> Counterpart:
    """In which share of the places a statement holds of the mean numbers of their trials.

    The numbers of a trial belong together, as of methods that are shown the same reports; so whole
    trials are drawn anew, with replacement, and what holds at every draw holds surely. Fewer than
    `ENOUGH` trials tell nothing.
    """
    coins = SampledCoins(0, "resampled")
    return share_of([_resampled(rows, holds, coins) for rows in places])


def _resampled(
    rows: Sequence[TrialRow], holds: Callable[[MeasureByAxis], bool], coins: SampledCoins
) -> Outcome:
    names = [name for name, value in rows[0].items() if isinstance(value, int | float)]
    numbers = np.array([[float(row[name]) for name in names] for row in rows])

    def at(means: npt.NDArray[np.float64]) -> bool:
        return holds(dict(zip(names, means.tolist(), strict=True)))

    measured = at(numbers.mean(axis=0))
    if len(rows) < ENOUGH:
        return Outcome(measured, False, True)
    drawn = coins.integers(len(rows), DRAWS * len(rows)).plain.reshape(DRAWS, len(rows))
    seen = {measured, *(at(numbers[chosen].mean(axis=0)) for chosen in drawn)}
    return Outcome(measured, False not in seen, True in seen)


def always_less(
    source: str,
    what: str,
    better: Callable[[Any], bool],
    axis: str,
    others: Sequence[str],
    why: str,
) -> Quote:
    """The statement that wherever two ways were run, the better ones err less than the rest.

    `better` tells the better ways by their value of `axis`. The number quoted is the share of the
    places where they do err less, 1; `others` are the axes that make a place.
    """
    return Quote(
        source,
        what,
        lambda _: 1.0,
        lambda table: _share_of_less(table, better, axis, others),
        why=why,
    )


def _share_of_less(
    table: Table, better: Callable[[Any], bool], axis: str, others: Sequence[str]
) -> Counterpart:
    """In which share of the places the better ways err less: by expectation, and as measured."""
    places: dict[tuple[Any, ...], dict[bool, list[dict[str, Any]]]] = {}
    for line in table.summary():
        place = places.setdefault(tuple(line.get(name) for name in others), {True: [], False: []})
        place[better(line.get(axis))].append(line)
    compared = [place for place in places.values() if place[True] and place[False]]
    if not compared:
        raise NoSuchPoint(f"nothing to compare by {axis}")

    def less(place: dict[bool, list[dict[str, Any]]], one: str, other: str) -> bool:
        return bool(
            max(line[one] for line in place[True]) < min(line[other] for line in place[False])
        )

    pairs = (("mean", "mean"), ("high", "low"), ("low", "high"), ("expected", "expected"))
    outcomes = [Outcome(*(less(place, *pair) for pair in pairs)) for place in compared]
    return share_of(outcomes, share_by_law(outcomes))
