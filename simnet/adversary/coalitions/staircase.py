"""Minimal and maximal vectors of counts: the staircase of a property that more members never undo.

Theory of operation. Parties fall into kinds, and a coalition is a vector of counts: how many
members it has of each kind. Let a property be *monotone*: if a vector has it, so has every larger
vector. Then the minimal vectors with the property, and the maximal vectors without it, say the same
thing in two ways, and each list gives the whole answer. For two kinds they look like a staircase::

    servers  1 |  .  .  .  x  x      x: the vectors with the property
             0 |  .  .  .  .  x      minimal: (3, 1), (4, 0)
               +----------------     maximal without it: (2, 1), (3, 0)
                  0  1  2  3  4  users

A party of its own is a kind of size one, so the same search serves parties that are not alike.

A vector *contains* another one if none of its counts is smaller. We keep the minimal vectors that
were found so far, and look at the largest vectors that contain none of them. If one of these
largest vectors has the property, we shrink it: we lower one count after the other as far as the
property stays, by bisection. This gives a new minimal vector. If no largest vector has the
property, they are the maximal vectors without it, and nothing is left to find.

It may be uncertain whether a vector has the property. Then we look at the largest vectors that do
not contain this vector either. In the end, the lists may not decide about it.

There may be too many minimal vectors to find them all. `one_of_each` finds one of them, by
shrinking the largest vector, and one maximal vector without the property, by raising one count of
the vector 0 after the other.

>>> def breaks(counts):
...     users, servers = counts
...     return users >= 700 or (users >= 20 and servers >= 1)
>>> found = staircase((999, 1), breaks)
>>> found.minimal, found.maximal
(((20, 1), (700, 0)), ((19, 1), (699, 0)))
"""

import functools
import operator
from collections.abc import Callable, Sequence

import attrs

from simnet.errors import SimnetError

Counts = tuple[int, ...]

ONE_OF_EACH = "one vector of each sort was searched"
UNDECIDED = "of some coalitions it is not known for certain"


class Unsearched(SimnetError):
    """Raised if a search for coalitions has to end early; the text says why."""


@attrs.frozen
class Staircase:
    """Minimal vectors with a monotone property, and maximal vectors without it.

    If `unsearched` is empty, these are all such vectors. Otherwise it says why the search ended
    early. Then what is listed is right, but the lists do not decide about every vector.
    """

    minimal: tuple[Counts, ...]
    maximal: tuple[Counts, ...]
    unsearched: str = ""

    @property
    def is_nowhere(self) -> bool:
        """Whether it is certain that no vector has the property."""
        return not self.minimal and not self.unsearched

    def says(self, vector: Counts) -> bool | None:
        """Whether a vector has the property, by the lists; None if they do not decide."""
        if any(_within(each, vector) for each in self.minimal):
            return True
        return False if any(_within(vector, each) for each in self.maximal) else None


def staircase(
    most: Sequence[int], ask: Callable[[Counts], bool | None], one_of_each: bool = False
) -> Staircase:
    """Return the staircase of a monotone property on the vectors from 0 to `most`.

    `ask` says whether a vector has the property, or None if this is not certain. It may raise
    `Unsearched`, which ends the search. With `one_of_each`, the search ends with one minimal and
    one maximal vector, unless no vector has the property.
    """
    asked = functools.cache(ask)
    top, bottom, places = tuple(most), (0,) * len(most), range(len(most))
    minimal: list[Counts] = []
    maximal: dict[Counts, None] = {}
    unknown: list[Counts] = []
    largest, reason = [top], ""
    try:
        if one_of_each and asked(top) is not False:
            if asked(bottom) is False:
                maximal[_moved(bottom, top, places, lambda each: asked(each) is False)] = None
            if asked(top):
                minimal.append(_moved(top, bottom, places[::-1], asked))
            raise Unsearched(ONE_OF_EACH)
        while (vector := next((each for each in largest if each not in maximal), None)) is not None:
            answer = asked(vector)
            if answer is False:
                maximal[vector] = None
                continue
            edge = _moved(vector, bottom, places[::-1], asked) if answer else vector
            (minimal if answer else unknown).append(edge)
            largest = _avoiding(largest, edge)
    except Unsearched as error:
        reason = str(error)
    # Where answers are uncertain, shrinking may have ended too early.
    minimal = [
        one for one in minimal if not any(_within(new, one) for new in minimal if new != one)
    ]
    found = Staircase(tuple(sorted(minimal)), tuple(sorted(maximal)), reason)
    if not reason and any(found.says(vector) is None for vector in unknown):
        return attrs.evolve(found, unsearched=UNDECIDED)
    return found


def _moved(
    start: Counts, end: Counts, places: Sequence[int], keeps: Callable[[Counts], bool | None]
) -> Counts:
    """Move one count after the other from `start` as far towards `end` as a property stays."""
    vector = start
    while places:
        # The first `low` counts can move to their ends together, and the first `high` cannot.
        low, high = 0, len(places) + 1
        while high - low > 1:
            middle = (low + high) // 2
            if keeps(_with(vector, end, places[:middle])):
                low = middle
            else:
                high = middle
        vector = _with(vector, end, places[:low])
        for place in places[low : low + 1]:
            vector = _nearer(vector, place, end[place], keeps)
        places = places[low + 1 :]
    return vector


def _with(vector: Counts, end: Counts, places: Sequence[int]) -> Counts:
    changed = list(vector)
    for place in places:
        changed[place] = end[place]
    return tuple(changed)


def _nearer(vector: Counts, place: int, end: int, keeps: Callable[[Counts], bool | None]) -> Counts:
    """Move one count towards an end at which the property does not hold. Often it cannot move at
    all, so one step is tried first.
    """
    near, far = vector[place], end
    step = 1 if far > near else -1
    middle = near + step
    while far not in (near, near + step):
        if keeps((*vector[:place], middle, *vector[place + 1 :])):
            near = middle
        else:
            far = middle
        middle = (near + far) // 2
    return (*vector[:place], near, *vector[place + 1 :])


def _avoiding(largest: Sequence[Counts], edge: Counts) -> list[Counts]:
    """The largest vectors that lie within one of the given vectors and do not contain `edge`."""
    kept = {vector for vector in largest if not _within(edge, vector)}
    lowered = {
        (*vector[:place], count - 1, *vector[place + 1 :])
        for vector in largest
        if vector not in kept
        for place, count in enumerate(edge)
        if count
    }
    found = kept | lowered
    inside = {
        vector
        for vector in lowered
        if any(vector != other and _within(vector, other) for other in found)
    }
    return sorted(found - inside)


def _within(smaller: Counts, larger: Counts) -> bool:
    return all(map(operator.le, smaller, larger))
