"""Where curves over the number of users cross: from how many users on a protocol is done earlier
than another one, or has a smaller error.

Where one of two curves is the lower one at a number of users of the grid, and the higher one at the
next, bisection finds the place: to within 1 %, or to within 5 % if every value of one of the curves
takes a run, or to the next whole number. If two curves cross twice between neighbouring numbers,
neither place is found.
"""

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from math import exp, inf, isclose, log

import attrs

CLOSE, CLOSE_IN_RUNS = 1.01, 1.05  # bisection ends when high / low is at most this
Curves = Mapping[str, Mapping[int, float]]  # by protocol and number of users
Value = Callable[[str, int], float]  # of a protocol at a number of users


@attrs.frozen
class Crossing:
    """At about `users` users the value of `better` becomes smaller than that of `other`.

    `high` is the next number of users of the grid.
    """

    better: str
    other: str
    users: float
    high: int

    @property
    def place(self) -> str:
        """The number of users as text, rounded as `rounded` does."""
        return f"{rounded(self.users):,}"


def crossings(curves: Curves, value: Value, in_runs: Collection[str] = ()) -> list[Crossing]:
    """Return the crossing points that are found for the pairs of curves, by rising numbers of
    users.

    `value` gives the value of a protocol at a number of users. For the protocols in `in_runs`,
    `value` makes a run, which takes time. So a bisection that concerns one of these protocols stops
    at a coarser result.
    """
    found = []
    for pair in itertools.combinations(curves, 2):
        one, other = pair
        close = CLOSE_IN_RUNS if set(pair) & set(in_runs) else CLOSE
        for low, high in itertools.pairwise(sorted(set(curves[one]) & set(curves[other]))):
            before = _order(curves[one][low], curves[other][low])
            after = _order(curves[one][high], curves[other][high])
            if before * after < 0:
                better, worse = pair if after < 0 else pair[::-1]
                users = _bisected(value, better, worse, low, high, close)
                found.append(Crossing(better, worse, users, high))
    return sorted(found, key=lambda crossing: crossing.users)


def _bisected(
    value: Value, better: str, other: str, low: float, high: float, close: float
) -> float:
    while high / low > close and round(high) - round(low) > 1:
        middle = exp((log(low) + log(high)) / 2)
        is_better = value(better, round(middle)) < value(other, round(middle))
        low, high = (low, middle) if is_better else (middle, high)
    return high


def leaders(
    curves: Curves, found: Sequence[Crossing], among: Sequence[str]
) -> list[tuple[str, str]]:
    """Return which of the protocols `among` has the smallest value, and from which number of users
    on, as pairs of a protocol and a text. The numbers of users rise.
    """
    users = sorted({n for name in among for n in curves.get(name, ())})
    best: list[tuple[str, str]] = []
    for n in users:
        name = min((name for name in among if n in curves.get(name, ())), key=_at(curves, n))
        if not best:
            best.append((name, f"{n:,}"))
        elif _order(curves[name][n], curves[best[-1][0]].get(n, inf)) < 0:
            place = next(
                (
                    crossing.place
                    for crossing in found
                    if (crossing.better, crossing.other) == (name, best[-1][0])
                    and crossing.high == n
                ),
                f"{n:,} or fewer",  # the last leader has no value between these two numbers
            )
            best.append((name, place))
    return best


def _at(curves: Curves, users: int) -> Callable[[str], float]:
    return lambda name: curves[name][users]


def _order(one: float, other: float) -> int:
    if isclose(one, other, rel_tol=1e-9):
        return 0
    return -1 if one < other else 1


def rounded(users: float) -> int:
    """Return a number of users rounded to a whole number of at most two significant digits.

    >>> rounded(4529.3), rounded(66.4)
    (4500, 66)
    """
    unit = int(10 ** max(len(str(round(users))) - 2, 0))
    return round(users / unit) * unit
