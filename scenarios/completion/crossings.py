"""Where curves over the number of users cross: from how many users on a protocol is done earlier
than another one, or has a smaller error.

Two curves cross between neighbouring numbers of users of the grid if their order there differs.
Where there is a formula for both curves, bisection finds the place, up to 1 %. Otherwise the place
is read from straight lines between the two numbers on logarithmic scales. If two curves cross twice
between neighbouring numbers, neither place is found.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from math import exp, inf, isclose, log

import attrs

CLOSE = 1.01  # bisection ends when high / low is at most this
Curves = Mapping[str, Mapping[int, float]]  # by protocol and number of users
Value = Callable[[str, int], float | None]  # of a protocol at a number of users


@attrs.frozen
class Crossing:
    """From about `users` users on, `better` has a smaller value than `other`.

    The grid has the neighbouring numbers `low` and `high`. `is_interpolated` says that the place
    was not computed, but read from straight lines between these two.
    """

    better: str
    other: str
    users: float
    low: int
    high: int
    is_interpolated: bool

    @property
    def place(self) -> str:
        """The number of users in words, with two digits."""
        if self.is_interpolated:
            return f"{rounded(self.users):,} (between {self.low:,} and {self.high:,})"
        return f"{rounded(self.users):,}"


def crossings(curves: Curves, value: Value) -> list[Crossing]:
    """Return the crossing points of all pairs of curves, in the order of the number of users.

    `value` returns a value at any number of users, or None if there is no formula.
    """
    found = []
    for one, other in itertools.combinations(curves, 2):
        both = sorted(set(curves[one]) & set(curves[other]))
        for low, high in itertools.pairwise(both):
            before = _order(curves[one][low], curves[other][low])
            after = _order(curves[one][high], curves[other][high])
            if before * after < 0:
                pair = (one, other) if after < 0 else (other, one)
                found.append(_crossing(curves, value, *pair, low, high))
    return sorted(found, key=lambda crossing: crossing.users)


def _crossing(
    curves: Curves, value: Value, better: str, other: str, low: int, high: int
) -> Crossing:
    def is_better(users: int) -> bool | None:
        one, two = value(better, users), value(other, users)
        return None if one is None or two is None else one < two

    if is_better(low) is None:
        at_low, at_high = (log(curves[better][n] / curves[other][n]) for n in (low, high))
        share = at_low / (at_low - at_high)
        return Crossing(better, other, low * (high / low) ** share, low, high, True)
    least, most = float(low), float(high)
    while most / least > CLOSE and round(most) - round(least) > 1:
        middle = exp((log(least) + log(most)) / 2)
        least, most = (least, middle) if is_better(round(middle)) else (middle, most)
    return Crossing(better, other, most, low, high, False)


def leaders(
    curves: Curves, found: Sequence[Crossing], among: Sequence[str]
) -> list[tuple[str, str]]:
    """Return which of the protocols has the smallest value, and from which place on: one after
    another, by rising numbers of users. The first place is the smallest number of users.
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
    """Return -1, 0 or 1: which number is smaller; 0 if they are equal up to rounding."""
    if isclose(one, other, rel_tol=1e-9):
        return 0
    return -1 if one < other else 1


def rounded(users: float) -> int:
    """Return a number of users rounded to two digits.

    >>> rounded(4529.3), rounded(66.4)
    (4500, 66)
    """
    unit = int(10 ** max(len(str(round(users))) - 2, 0))
    return round(users / unit) * unit
