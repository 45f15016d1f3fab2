"""Statements of a paper that something holds wherever it looked, as quoted numbers.

The number is the share of the places of a grid at which the statement holds, 1 if the paper is right.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from simnet.study.quote import Counterpart, Quote
from simnet.study.table import NoSuchPoint, Table

Numbers = Mapping[Any, float]  # of a measure, by the value of an axis
Statement = Callable[[Numbers], bool]  # raises KeyError where a number that it needs is missing


def exact(value: float) -> Counterpart:
    """What is computed without chance."""
    return Counterpart(value, value, value, value)


def everywhere(
    source: str, what: str, measure: str, axis: str | Sequence[str], others: Sequence[str], holds: Statement, *,
    why: str = "it fails somewhere", correction: str = "", instead: Statement | None = None,
) -> Quote:  # fmt: skip
    """The statement that `holds` is true of a measure wherever it was taken.

    It is shown the measure by the values of `axis`, one or several, at each place, a combination of the values of the
    axes in `others`. With a `correction` it is what `instead` says.
    """

    def share(statement: Statement) -> Callable[[Table], Counterpart]:
        return lambda table: _share(_places(table, measure, axis, others), statement)

    return Quote(
        source, what, lambda _: 1.0, share(holds), correction=correction,
        corrected=None if instead is None else share(instead), why=why,
    )  # fmt: skip


def rises(numbers: Numbers) -> bool:
    """Whether a measure grows strictly with the axis. Raises `KeyError` for less than two values."""
    if len(numbers) < 2:
        raise KeyError("two values are compared at least")
    in_order = [numbers[key] for key in sorted(numbers)]
    return all(one < other for one, other in pairwise(in_order))


def falls(numbers: Numbers) -> bool:
    """Whether a measure shrinks strictly with the axis. Raises `KeyError` for less than two values."""
    return rises({key: -number for key, number in numbers.items()})


def _places(
    table: Table, measure: str, axis: str | Sequence[str], others: Sequence[str]
) -> list[dict[Any, Mapping[str, Any]]]:
    """The lines of the table's summary at each place, by the value of the axis."""
    found: dict[tuple[Any, ...], dict[Any, Mapping[str, Any]]] = {}
    for line in table.summary():
        if line["measure"] == measure:
            key = line.get(axis) if isinstance(axis, str) else tuple(line.get(name) for name in axis)
            found.setdefault(tuple(line.get(name) for name in others), {})[key] = line
    return list(found.values())


def _share(places: Sequence[Mapping[Any, Mapping[str, Any]]], holds: Statement) -> Counterpart:
    """In which share of the places a statement holds: by expectation, if that is known, and as measured."""
    told = [one for place in places if (one := _told(place, holds)) is not None]
    if not told:
        raise NoSuchPoint("nothing was run that the statement is about")
    expected, measured = (sum(column) / len(told) for column in zip(*told, strict=True))
    return Counterpart(expected, measured)


def _told(place: Mapping[Any, Mapping[str, Any]], holds: Statement) -> tuple[bool, bool] | None:
    """Whether a statement holds at a place, by expectation and as measured; None where it has nothing to say."""
    measured = {key: line["mean"] for key, line in place.items()}
    expected = {key: line["mean"] if line["expected"] is None else line["expected"] for key, line in place.items()}
    try:
        return holds(expected), holds(measured)
    except KeyError:
        return None
