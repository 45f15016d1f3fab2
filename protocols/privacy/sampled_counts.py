"""The exact privacy of sampled counts: what the server of DPCS can tell about one user.

The server of DPDS learns no more. The server of DPCS sees, for each item, an independent count
Bin(Π_j, p), where Π_j users hold item j. There are two relations between neighbouring populations.
`remove`: a user never takes part, so that its item loses one holder; the number of users does not
change. `replace`: the user's item becomes another item.

δ does not rise with the counts: if an independent Bernoulli(p) coin is added to a count of Π
holders, its law becomes that of Π + 1 holders, which is post-processing and cannot increase δ. So
the worst user to remove holds the rarest item that anybody holds. The worst replacement is from
this item to an item that nobody holds; if every item is held, the worst replacement is between the
two rarest items, in one direction or the other.

Source: Yang et al., section 3.1.1 for the mechanism. `theorems` has the paper's Theorems 3.1 and
3.2, which these exact values refute for some parameters.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from math import exp, frexp, inf, ldexp, log, log1p
from typing import Literal

import attrs
import numpy as np

from protocols.privacy.binomial import DIGITS, Binomial
from protocols.privacy.profile import Profile, Worst
from simnet.arrays import Floats

Relation = Literal["remove", "replace"]

RELATIONS: tuple[Relation, ...] = ("remove", "replace")
LARGEST_COUNT = 10**9
LEAST_PARTICIPATION = 1e-290  # smaller probabilities leave the range of doubles
# At counts up to 10^9, e^700 exceeds every finite ratio of probabilities.
LARGE_EPSILON = 700.0
# The error of the logarithm of an exact δ, relative to 1 + |ln δ|.
ERROR = 1e-11
# Terms whose logarithm lies this far below another's are left out, however many there are.
NEGLIGIBLE_LOG = 60.0


def profile(counts: Sequence[int], participation: float, relation: Relation) -> Profile:
    """Return the privacy profile of the worst pair of neighbouring populations, from the item
    counts.

    `counts` are the numbers of users who hold each item. A count above 0 may be a lower bound on
    the true one; δ is then an upper bound. A 0 says that nobody holds the item: nobody can be
    removed from it, but a user may move to it. `relation` is `remove` or `replace`.

    Raises `ValueError` for counts without any holder, for a count outside 0 to 10^9, for fewer than
    two items with `replace`, for another relation, and for a participation outside 1e-290 to 1, and
    `TypeError` for counts that are not whole numbers.

    >>> from protocols import delta_at
    >>> counts = profile([33, 40, 200], participation=0.393, relation="remove")
    >>> f"{delta_at(counts, epsilon=0.5):.1e}"
    '2.0e-04'
    """
    pairs = neighbours(counts, participation, relation)
    if relation == "remove":
        return Worst(tuple(Removal(count, participation) for (count, *_) in pairs))
    moves = {
        (move.a, move.b): move
        for origin, target in pairs
        for move in Replacement(origin, target, participation).directions
    }
    return Worst(tuple(moves.values()))


def neighbours(
    counts: Sequence[int], participation: float, relation: Relation
) -> list[tuple[int, ...]]:
    """Return the changes of one user that may be the worst, as tuples: the count of the item that
    the user leaves, and with `replace` also that of the item to which the user moves.

    Raises the errors of `profile`.
    """
    _refuse(counts, participation, relation)
    rarest = sorted(counts)
    fewest = next(count for count in rarest if count > 0)
    if relation == "remove":
        return [(fewest,)]
    if rarest[0] == 0:
        return [(fewest, 0)]
    return sorted({(fewest, rarest[1]), (rarest[1], fewest)})


def _refuse(counts: Sequence[int], participation: float, relation: Relation) -> None:
    if relation not in RELATIONS:
        raise ValueError(f"the relation is remove or replace, got {relation!r}")
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int | np.integer):
            raise TypeError(f"counts are whole numbers, got {count!r}")
    if len(counts) == 0 or max(counts) <= 0:
        raise ValueError(
            "no item has a holder: give the number of holders of each item, such as 33,40,200"
        )
    if min(counts) < 0 or max(counts) > LARGEST_COUNT:
        raise ValueError(f"counts lie in 0..{LARGEST_COUNT:,}, got {min(counts)}..{max(counts)}")
    if relation == "replace" and len(counts) < 2:
        raise ValueError(
            "a user's item can be replaced only if there are at least two items: give the counts "
            "of all items"
        )
    if not LEAST_PARTICIPATION <= participation <= 1:
        raise ValueError(
            f"participation is a probability from {LEAST_PARTICIPATION:g} to 1, got {participation}"
        )


@attrs.frozen
class Removal:
    """The count with a user, P = Bin(Π, p), against the count without the user, Q = Bin(Π - 1, p).

    Both directions are computed, and the larger δ counts.
    """

    count: int  # Π >= 1
    participation: float

    @property
    def log_limit(self) -> float:
        """The logarithm of the limit of δ as ε goes to infinity.

        The limit is the probability that all Π holders take part: a count of Π is impossible with
        Π - 1 holders.
        """
        return self.count * log(self.participation)

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of δ(ε), for ε >= 0."""
        if self.participation == 1:
            return self.log_limit
        return max(self._with_to_without(epsilon), self._without_to_with(epsilon))

    def _with_to_without(self, epsilon: float) -> float:
        """Return ln δ of P against Q, as an expected shortfall of idle holders.

        P(x) - e^ε Q(x) = P(x) (s - i) e^ε / (Π (1 - p)), where i = Π - x holders are idle and s = Π
        (1 - p) e^-ε.
        """
        with localcontext(prec=DIGITS):
            s = self.count * (1 - Decimal(self.participation)) * (-Decimal(epsilon)).exp()
        if s <= 1:
            return self.log_limit  # only the outcome with no idle holder has a ratio above e^ε
        shortfall = self._active.mirrored.log_shortfall(s)
        return shortfall + epsilon - log(self.count) - log1p(-self.participation)

    def _without_to_with(self, epsilon: float) -> float:
        """Return ln δ of Q against P, as an expected shortfall of active holders.

        Q(x) - e^ε P(x) = P(x) (s - x) / (Π (1 - p)), where s = Π (1 - (1 - p) e^ε). For s <= 0, δ
        is 0.
        """
        if epsilon > LARGE_EPSILON:
            return -inf
        with localcontext(prec=DIGITS):
            ratio = Decimal(epsilon).exp()  # for a tiny p, 1 - p would be rounded to 1
            s = self.count * (1 - ratio + Decimal(self.participation) * ratio)
        if s <= 0:
            return -inf
        return self._active.log_shortfall(s) - log(self.count) - log1p(-self.participation)

    @property
    def _active(self) -> Binomial:
        return Binomial.of(self.count, self.participation)


@attrs.frozen
class Replacement:
    """A user moves from an item with Π_a holders to an item with Π_b holders.

    The larger δ of both directions counts.
    """

    origin: int  # Π_a >= 1
    target: int  # Π_b >= 0
    participation: float

    @property
    def directions(self) -> tuple["Move", ...]:
        """The replacement and its reverse; one entry if they are mirror images."""
        there = Move(self.origin, self.target, self.participation)
        if self.origin == self.target + 1:
            return (there,)
        return there, Move(self.target + 1, self.origin - 1, self.participation)

    @property
    def log_limit(self) -> float:
        """The logarithm of the limit of δ as ε goes to infinity.

        The limit is the larger one of two probabilities: that all Π_a holders of the old item take
        part, and that all Π_b + 1 holders of the new item take part, the user included.
        """
        return max(move.log_limit for move in self.directions)

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of δ(ε), for ε >= 0."""
        return max(move.log_delta(epsilon) for move in self.directions)


@attrs.frozen
class Move:
    """One direction of a replacement: from an item with A holders, the user included, to an item
    that B other users hold.
    """

    a: int
    b: int
    participation: float

    @property
    def log_limit(self) -> float:
        """The logarithm of the limit of δ as ε goes to infinity.

        The limit is the probability that all A holders take part.
        """
        return self.a * log(self.participation)

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of δ(ε), for ε >= 0."""
        # The ratio P(x, y)/Q(x, y) is A (B + 1 - y) / ((B + 1) i), where i = A - x holders are
        # idle. It is at most A unless i = 0.
        with localcontext(prec=DIGITS):
            is_largest = self.a <= Decimal(min(epsilon, LARGE_EPSILON)).exp()
        if self.participation == 1 or is_largest:
            return self.log_limit
        return _Moved(self.a, self.b, self.participation, epsilon).log_delta()


@attrs.frozen
class _Moved:
    """One direction of a replacement at an ε.

    The laws are P = Bin(A, p) Bin(B, p) and Q = Bin(A - 1, p) Bin(B + 1, p). P(x, y) - e^ε Q(x, y)
    = Bin(A)(x) Bin(B + 1)(y) (s(y) - i) e^ε / (A (1 - p)), where i = A - x holders are idle and
    s(y) = A e^-ε (B + 1 - y) / (B + 1). For every y, the sum of the positive terms over x is a
    factor times the expected shortfall E[max(0, s(y) - i)]. These sums are close to log-concave in
    y, so the sums that matter lie around one peak.
    """

    a: int
    b: int
    participation: float
    epsilon: float

    @property
    def _idle(self) -> Binomial:
        return Binomial.of(self.a, self.participation).mirrored

    @property
    def _counted(self) -> Binomial:
        return Binomial.of(self.b + 1, self.participation)

    def log_delta(self) -> float:
        """Return the logarithm of the sum over x and y."""
        peak = _crossing(lambda y: self._above(y + 1) <= self._above(y), 0, self.b)
        floor = float(self._terms(peak, peak)[0]) - NEGLIGIBLE_LOG
        low = _crossing(lambda y: self._above(y) >= floor, 0, peak)
        high = _crossing(lambda y: self._above(y + 1) < floor, peak, self.b)
        terms = self._terms(low, high)
        top = float(terms.max())
        total = top + log(float(np.exp(terms - top).sum()))
        return total + self.epsilon - log(self.a) - log1p(-self.participation)

    def _above(self, y: int) -> float:
        """Return an upper bound on the logarithm of a term; the bound is concave in y."""
        if y > self.b:
            return -inf
        s = self.a * exp(-self.epsilon) * (self.b + 1 - y) / (self.b + 1)
        return self._counted.log_at_most(y) + log(s) + self._idle.log_at_most(s, below=True)

    def _terms(self, low: int, high: int) -> Floats:
        left = np.arange(self.b + 1 - low, self.b - high, -1)
        # s is a slope times `left`, and we need its distance to the whole number below it exactly,
        # also where this distance is far below the rounding of s. So the slope is split in three:
        # the first two parts have 20 bits each, and their products with a whole number are exact.
        with localcontext(prec=DIGITS):
            rest = self.a * (-Decimal(self.epsilon)).exp() / (self.b + 1)
            exponent, parts = frexp(float(rest))[1], []
            for bits in (20, 40):
                unit = ldexp(1.0, exponent - bits)
                parts.append(float(round(rest / Decimal(unit))) * unit)
                rest -= Decimal(parts[-1])
        whole = np.rint(left * parts[0])
        off = (left * parts[0] - whole) + left * parts[1]
        nearest = np.rint(off)
        off = (off - nearest) + left * float(rest)  # s is whole + nearest + off
        is_above = off > 0
        whole = whole + nearest - ~is_above
        part = np.where(is_above, off, 1 + off)
        terms: Floats = self._counted.log_pmfs(low, high) + self._idle.log_shortfalls(
            whole.astype(np.int64), part
        )
        return terms


def _crossing(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the least y in low..high from which on a condition holds; `high` if there is no
    smaller such y.
    """
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
