"""Statements of Yang et al. that one way always errs less than another."""

from collections.abc import Callable, Sequence
from typing import Any

from simnet.studies.quote import Counterpart, Quote
from simnet.studies.statements import Told, share_of
from simnet.studies.table import NoSuchPoint, Table


def always_less(
    source: str,
    what: str,
    better: Callable[[Any], bool],
    axis: str,
    others: Sequence[str],
    why: str,
) -> Quote:
    """The statement that wherever two ways were run, the better ones (by their value of `axis`) err
    less than the rest.

    The number quoted is the share of such places where they do, 1; `others` are the axes that make
    a place.
    """
    return Quote(
        source, what, lambda _: 1.0, lambda table: _share(table, better, axis, others), why=why
    )


def _share(
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
    told = [Told(*(less(place, *pair) for pair in pairs)) for place in compared]
    return share_of(told, sum(bool(one.by_law) for one in told) / len(told))
