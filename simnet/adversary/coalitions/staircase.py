"""Minimal and maximal vectors of counts: the staircase of a property that more members never undo.

Theory of operation. Parties fall into kinds, and a coalition is a vector of counts: how many
members it has of each kind. Let a property be *monotone*: if a vector has it, so has every larger
vector. Then the minimal vectors with the property, and the maximal vectors without it, say the same
thing in two ways, and each list gives the whole answer. For two kinds they look like a staircase::

    servers  1 |  .  .  .  x  x      x: the vectors with the property
             0 |  .  .  .  .  x      minimal: (3, 1), (4, 0)
               +----------------     maximal without it: (2, 1), (3, 0)
                  0  1  2  3  4  users

A vector *contains* another one if none of its counts is smaller. We keep the minimal vectors that
were found so far, and look at the largest vectors that contain none of them. If one of these
largest vectors has the property, we shrink it: we lower one count after the other as far as the
property stays, by bisection. This gives a new minimal vector. If no largest vector has the
property, they are the maximal vectors without it, and nothing is left to find.

>>> def breaks(counts):
...     users, servers = counts
...     return users >= 700 or (users >= 20 and servers >= 1)
>>> found = staircase((999, 1), breaks)
>>> found.minimal, found.maximal
(((20, 1), (700, 0)), ((19, 1), (699, 0)))
"""

import functools
from collections.abc import Callable, Iterator, Sequence

import attrs

from simnet.errors import SimnetError

Counts = tuple[int, ...]


class Unsearched(SimnetError):
    """Raised if a search for coalitions has to end early; the text says why."""


@attrs.frozen
class Staircase:
    """The minimal vectors with a monotone property, and the maximal vectors without it.

    If `unsearched` is not empty, it says why the search ended early. Then each vector that is
    listed is minimal or maximal, but more such vectors may exist.
    """

    minimal: tuple[Counts, ...]
    maximal: tuple[Counts, ...]
    unsearched: str = ""


def staircase(most: Sequence[int], holds: Callable[[Counts], bool]) -> Staircase:
    """Return the staircase of a monotone property on the vectors from 0 to `most`.

    `holds` says whether a vector has the property. It may raise `Unsearched`, which ends the
    search.
    """
    asked = functools.cache(holds)
    minimal: list[Counts] = []
    without: set[Counts] = set()
    try:
        while True:
            largest = _largest_without(tuple(most), minimal)
            for vector in largest:
                if vector not in without:
                    if asked(vector):
                        minimal.append(_shrunk(vector, asked))
                        break
                    without.add(vector)
            else:
                return Staircase(tuple(sorted(minimal)), tuple(largest))
    except Unsearched as error:
        return Staircase(tuple(sorted(minimal)), tuple(sorted(without)), str(error))


def _largest_without(most: Counts, minimal: Sequence[Counts]) -> list[Counts]:
    """The largest vectors up to `most` that contain none of the `minimal` ones."""
    found = {most}
    for smallest in minimal:
        found = {smaller for vector in found for smaller in _avoiding(vector, smallest)}
        found = {
            vector
            for vector in found
            if not any(vector != other and _within(vector, other) for other in found)
        }
    return sorted(found)


def _avoiding(vector: Counts, smallest: Counts) -> Iterator[Counts]:
    """The largest vectors within a vector that do not contain `smallest`."""
    if not _within(smallest, vector):
        yield vector
        return
    for place, count in enumerate(smallest):
        if count:
            yield (*vector[:place], count - 1, *vector[place + 1 :])


def _within(smaller: Counts, larger: Counts) -> bool:
    return all(one <= other for one, other in zip(smaller, larger, strict=True))


def _shrunk(vector: Counts, holds: Callable[[Counts], bool]) -> Counts:
    for place in range(len(vector)):
        vector = _lowered(vector, place, holds)
    return vector


def _lowered(vector: Counts, place: int, holds: Callable[[Counts], bool]) -> Counts:
    low, high = -1, vector[place]  # the property holds with the count `high`, and not with `low`
    tries = [0, high - 1]
    while high - low > 1:
        count = tries.pop(0) if tries else (low + high) // 2
        if not low < count < high:
            continue
        if holds((*vector[:place], count, *vector[place + 1 :])):
            high = count
        else:
            low = count
    return (*vector[:place], high, *vector[place + 1 :])
