"""How many neighbours a user of SecAgg+ needs, and which threshold: degree k and threshold t.

The server puts n users on a circle in a random order; the neighbours of a user are the h = k/2
users on each side of it. A secret of a user has k + 1 shares: one for each neighbour, and one for
the user itself. Any t of these shares open the secret. Up to C users are corrupt: they give the
server all that they see. Who is corrupt does not depend on the order on the circle. Three things
may go wrong:

1. *Too many corrupt neighbours.* An honest user has enough corrupt neighbours so that the server
   opens both of its secrets, and so its vector. An honest user helps with one secret alone, so with
   a server that keeps to the protocol t corrupt neighbours are needed. A server that lies can tell
   some users that this user has dropped out, and other users that this user has not dropped out. Of
   the k + 1 - c honest shares each helps to open one secret, and the c corrupt shares help with
   both, so both secrets can only be opened if 2t <= k + 1 + c.
2. *A cut.* The honest users whose vectors are counted fall into two groups between which nobody is
   left on the circle. Then the server learns the sum over each group. This takes two gaps, each of
   h users in a row. If the server keeps to the protocol, all users in a gap are corrupt or have
   dropped out. A server that lies chooses whom it declares to have dropped out, and so it can make
   gaps where it likes. But then users beside a gap refuse to help, since they count fewer than t
   present users, corrupt ones included. The proof shows: if no gap of h places has t - 1 - h or
   more corrupt users, no secret of a user beside a gap can be opened. So a cut takes two gaps with
   at least t - 1 - h corrupt users each.
3. *Too few helpers.* Some secret has fewer than t holders left, and the run is aborted.

The demand is that the probabilities of 1 and 2 are at most 2^-(σ + 1) each, and that of 3 is at
most 2^-η, where σ is called `security_bits` and η `correctness_bits`. Each of them is bounded by a
sum, over users or over pairs of gaps, of hypergeometric and binomial probabilities, which is
computed in whole numbers.

A *rate* of drop-outs δ means that each user drops out with probability δ, independently. A *bound*
means that at most δn users drop out; who they are does not depend on the order on the circle.
Against a server that lies, the bounds on 1 and 2 hold whoever drops out, even if somebody who knows
the circle chooses these users.

The numbers do not hold if the server does more than tell all users one wrong list of drop-outs:

- A server that tells *different users different lists* of present users can open sums over a few
  users, with any t <= k. SecAgg+ has no consistency round that could prevent it.
- A server that chooses the circle can surround a user with corrupt users.
- A server that invents users, or passes on keys of its own, needs no corrupt users. We assume that
  keys are authentic.

Sources: Bell et al., *Secure Single-Server Aggregation with (Poly)Logarithmic Overhead*, CCS 2020,
section 3, has the conditions for a server that keeps to the protocol. The proof is in
docs/proofs/circle.md.
"""

from bisect import bisect_left
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb, inf, log2
from typing import Literal, get_args

import attrs

from protocols import checks

DropLaw = Literal["rate", "bound"]
Server = Literal["curious", "lying"]
LARGEST = 1000  # the search ends at this degree
MOST_USERS = 10**18  # numbers with more digits make the exact laws slow


@attrs.frozen
class Demands:
    """What SecAgg+ must withstand.

    `users` is n >= 3. `corrupt` is C, the largest number of users who give the server all that they
    see, 0 <= C < n. `drop_outs` is δ, 0 <= δ < 1: with the `drop_law` `rate` every user drops out
    with probability δ, independently of the others; with `bound` at most δn users drop out. The
    `server` is `curious` if it keeps to the protocol, and `lying` if it may tell all users one
    wrong list of those who dropped out. The probability that somebody learns too much is at most
    2^-`security_bits`, and the probability that drop-outs abort the run is at most
    2^-`correctness_bits`.

    Raises `ValueError` for values out of range.

    >>> Demands(users=1000, corrupt=100, drop_outs=0.1).dropped
    100
    """

    users: int
    corrupt: int
    drop_outs: float | Fraction
    drop_law: DropLaw = "rate"
    server: Server = "curious"
    security_bits: int = 40
    correctness_bits: int = 30

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 3, MOST_USERS)
        checks.whole("corrupt", self.corrupt, 0, self.users - 1)
        checks.chance("drop_outs", self.drop_outs)
        if self.drop_outs == 1:
            raise ValueError("the rate or share of drop-outs is below 1: somebody must be left")
        checks.one_of("drop_law", self.drop_law, get_args(DropLaw))
        checks.one_of("server", self.server, get_args(Server))
        checks.whole("security_bits", self.security_bits, 1, 1000)
        checks.whole("correctness_bits", self.correctness_bits, 1, 1000)

    @property
    def share(self) -> Fraction:
        """δ as an exact fraction; a float is taken as it is written, so 0.1 is 1/10."""
        return Fraction(str(self.drop_outs))

    @property
    def dropped(self) -> int:
        """The largest whole number of users that is at most δn."""
        return int(self.share * self.users)


@attrs.frozen
class Failures:
    """Upper bounds on the probabilities of what may go wrong.

    `corrupt_neighbours` bounds the probability that both secrets of some honest user can be opened.
    `cut` bounds the probability that sums over two groups of users can be opened, and
    `too_few_helpers` the probability that the run is aborted.
    """

    corrupt_neighbours: Fraction
    cut: Fraction
    too_few_helpers: Fraction

    def meet(self, demands: Demands) -> bool:
        """Return whether these bounds meet the demands."""
        return max(self.corrupt_neighbours, self.cut) <= Fraction(
            1, 2 << demands.security_bits
        ) and self.too_few_helpers <= Fraction(1, 1 << demands.correctness_bits)


@attrs.frozen
class Degree:
    """A degree k and a threshold t for SecAgg+, with what they achieve.

    `smallest_sum` is a lower bound on the number of honest users in every sum that a lying server
    can open, unless `failures` happen; a server that keeps to the protocol opens the sum over all
    users whose vectors came, and `smallest_sum` is then None.
    """

    degree: int
    threshold: int
    failures: Failures
    smallest_sum: int | None


def smallest_degree(demands: Demands, largest: int = LARGEST) -> Degree:
    """Return the smallest even degree k for which the bounds of some threshold t meet the
    demands, and the smallest such t.

    Raises `ValueError` if there is no such degree below n, up to `largest`. If n is small, use
    `SecAgg`, in which all users are neighbours.

    >>> found = smallest_degree(Demands(users=10_000, corrupt=1_000, drop_outs=0.1))
    >>> found.degree, found.threshold
    (60, 32)
    >>> found = smallest_degree(Demands(10_000, 1_000, 0.1, server="lying"))
    >>> found.degree, found.threshold, found.smallest_sum
    (158, 110, 1050)
    """
    checks.whole("largest", largest, 2)
    most = min(demands.users - 1, largest) // 2 * 2
    for degree in range(2, most + 1, 2):
        circle = _Circle(demands, degree)
        threshold = circle.safe_threshold()
        if threshold is not None and circle.finishes(threshold):
            return _described(circle, threshold)
    untried = "; larger degrees were not tried" if most + 2 < demands.users else ""
    raise ValueError(
        f"no degree up to {most} is proved to withstand corrupt={demands.corrupt:,} and a drop-out "
        f"{demands.drop_law} of {float(demands.share):g} among {demands.users:,} users with a "
        f"{demands.server} server{untried}: "
        "demand less, or try SecAgg, in which all users are neighbours"
    )


def judge_degree(demands: Demands, degree: int, threshold: int) -> Degree:
    """Return what this degree and threshold achieve, whether or not they meet the demands.

    Raises `ValueError` unless the degree k is even and from 2 to n - 1, and the threshold is from 2
    to k + 1.

    >>> demands = Demands(users=10_000, corrupt=1_000, drop_outs=0.1, server="lying")
    >>> judge_degree(demands, degree=146, threshold=99).failures.meet(demands)
    False
    """
    checks.whole("degree", degree, 2, demands.users - 1)
    if degree % 2:
        raise ValueError(f"the degree must be even, got {degree}")
    checks.whole("threshold", threshold, 2, degree + 1)
    return _described(_Circle(demands, degree), threshold)


def _described(circle: "_Circle", threshold: int) -> Degree:
    demands, k = circle.demands, circle.degree
    failures = Failures(
        Fraction(*circle.corrupt_neighbours(threshold)),
        Fraction(*circle.cut(threshold)),
        Fraction(*circle.too_few_helpers(threshold)),
    )
    smallest = None
    if demands.server == "lying":
        smallest = max(1, demands.users // (3 * k + 1)) * max(1, k + 2 - threshold)
    return Degree(k, threshold, failures, smallest)


Odds = tuple[int, int]  # a number as numerator and denominator, which may have common factors


class _Circle:
    """The laws of corrupt users and of drop-outs near one user, exactly."""

    def __init__(self, demands: Demands, degree: int) -> None:
        self.demands, self.degree, self.half = demands, degree, degree // 2
        n, C = demands.users, demands.corrupt  # noqa: N806  # as papers do
        self._neighbours = _hypergeometric(n - 1, C, degree)
        self._gap = _hypergeometric(n, C, self.half)
        # Unordered pairs of gaps, with at least one place between them on either side. The product
        # is even, since k is.
        self._pairs = n * (n - degree - 1) // 2
        if demands.drop_law == "rate":
            self._gone = _binomial(degree + 1, demands.share)
        else:
            self._gone = _hypergeometric(n, demands.dropped, degree + 1)

    def safe_threshold(self) -> int | None:
        thresholds = range(2, self.degree + 2)
        # The bounds fall with the threshold.
        place = bisect_left(thresholds, True, key=self.is_secure)
        return thresholds[place] if place < len(thresholds) else None

    def is_secure(self, threshold: int) -> bool:
        bits = self.demands.security_bits + 1
        return _is_rare(self.cut(threshold), bits) and _is_rare(
            self.corrupt_neighbours(threshold), bits
        )

    def finishes(self, threshold: int) -> bool:
        return _is_rare(self.too_few_helpers(threshold), self.demands.correctness_bits)

    def corrupt_neighbours(self, t: int) -> Odds:
        honest = self.demands.users - self.demands.corrupt
        # c >= t for a curious server; k + 1 + c >= 2t for a lying one, which implies c >= t - 1
        least = t if self.demands.server == "curious" else 2 * t - self.degree - 1
        ways, total = self._neighbours.at_least(least)
        return honest * ways, total

    def cut(self, t: int) -> Odds:
        if self.demands.server == "curious":
            ways, total = self._all_gone
        else:
            # If one gap has many corrupt users, fewer are left for the other one. So the
            # probability that both have many is at most the product.
            ways, total = (number**2 for number in self._gap.at_least(t - 1 - self.half))
        return self._pairs * ways, total

    def too_few_helpers(self, t: int) -> Odds:
        """The holders are k + 1 users in a row: the user, who may drop out, and its neighbours."""
        ways, total = self._gone.at_least(self.degree + 2 - t)
        return self.demands.users * ways, total

    @cached_property
    def _all_gone(self) -> Odds:
        """An upper bound on the probability that k given places hold corrupt and dropped users
        alone.
        """
        n, C, k = self.demands.users, self.demands.corrupt, self.degree  # noqa: N806
        if self.demands.drop_law == "bound":
            return comb(min(n, C + self.demands.dropped), k), comb(n, k)
        gone, base = self.demands.share.numerator, self.demands.share.denominator
        corrupt = _hypergeometric(n, C, k)
        ways, power = 0, 1
        for c in range(k + 1):  # sum of P[c are corrupt] (gone / base)^(k - c)
            ways, power = ways * gone + corrupt.exactly(c) * power, power * base
        return ways, corrupt.total * (power // base)


@attrs.frozen
class _Law:
    """The law of a number in 0..m, in whole numbers. In `tails[x]` of `total` equally likely cases,
    the number is at least x.
    """

    tails: list[int]
    total: int

    @classmethod
    def of(cls, ways: list[int]) -> "_Law":
        tails = list(accumulate(reversed(ways)))[::-1]
        return cls(tails, tails[0])

    def at_least(self, x: int) -> Odds:
        if x <= 0:
            return self.total, self.total
        return (self.tails[x] if x < len(self.tails) else 0), self.total

    def exactly(self, x: int) -> int:
        return self.tails[x] - (self.tails[x + 1] if x + 1 < len(self.tails) else 0)


def _hypergeometric(total: int, marked: int, drawn: int) -> _Law:
    ways = [0] * (drawn + 1)
    least, most = max(0, drawn - (total - marked)), min(drawn, marked)
    count = comb(marked, least) * comb(total - marked, drawn - least)
    for x in range(least, most + 1):
        ways[x] = count
        rest = total - marked - drawn + x + 1
        count = count * (marked - x) * (drawn - x) // ((x + 1) * rest)
    return _Law.of(ways)


def _binomial(trials: int, chance: Fraction) -> _Law:
    yes, no = chance.numerator, chance.denominator - chance.numerator
    powers = [1] * (trials + 1)  # of `no`
    for x in range(trials):
        powers[x + 1] = powers[x] * no
    ways, power, choices = [], 1, 1
    for x in range(trials + 1):
        ways.append(choices * power * powers[trials - x])
        power, choices = power * yes, choices * (trials - x) // (x + 1)
    return _Law.of(ways)


def _is_rare(odds: Odds, bits: int) -> bool:
    ways, total = odds
    return ways << bits <= total


def bits_of(probability: Fraction) -> float:
    """Return -log2 of a number that may be too small for a float; inf for 0.

    >>> bits_of(Fraction(1, 2**2000))
    2000.0
    """
    if not probability:
        return inf
    return log2(probability.denominator) - log2(probability.numerator)
