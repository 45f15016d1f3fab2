"""Duchi et al.'s mechanism for d values in [-1, 1] at once: report a corner of the cube [-B, B]^d.

A user rounds its values to v in {-1, 1}^d with the values as means. The set T+ holds the corners
that agree with v in more than half of the coordinates, and the set T- holds the other corners. The
user tosses a biased coin that chooses one of the two sets, and reports a random corner of this set.
A corner of T+ is e^ε times as likely as a corner of T-. The mean of the reports is an unbiased
estimate of the mean values.

In the printed mechanism, if d is even, a corner that agrees in exactly half of the coordinates
belongs to both sets. So it can be reported whatever the coin shows, and the exact ε is ln(1 + e^ε).
In the corrected mechanism such corners belong to T- only, and the coin and B follow from the sizes
of both sets. If d is odd, the two mechanisms are the same.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Algorithm 3.
"""

from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb, prod, tanh
from operator import eq
from typing import Literal, TypeVar

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import one_of
from protocols.mechanisms import odds
from protocols.mechanisms.density import Atom, Density
from protocols.mechanisms.duchi import TwoSided
from protocols.mechanisms.subsets import subsets
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins

Value = TypeVar("Value", Fraction, float)

DuchiVariant = Literal["corrected", "as-printed"]
VARIANTS = ("corrected", "as-printed")
FEW = 8  # up to this many attributes, the law of whole reports can be listed
MOST = 100_000  # the most attributes: here the numbers of corners take a second to compute


@attrs.frozen
class DuchiMulti(TwoSided):
    """Duchi et al.'s mechanism for `attributes` = d values, 1 <= d <= 100,000.

    `variant` is `corrected` (corners that agree in half of the coordinates are in T-) or
    `as-printed` (they are in both sets). Raises `ValueError` for parameters out of range.

    >>> round(DuchiMulti(epsilon=1.0, attributes=2).exact_epsilon, 4)
    1.0
    >>> round(DuchiMulti(epsilon=1.0, attributes=2, variant="as-printed").exact_epsilon, 4)
    1.3133
    """

    epsilon: float
    attributes: int  # d >= 1
    variant: DuchiVariant = "corrected"

    continuous = False

    def __attrs_post_init__(self) -> None:
        checks.epsilon_of_reals(self.epsilon)
        checks.whole("attributes", self.attributes, 1, MOST)
        one_of("variant", self.variant, VARIANTS)

    @property
    def bound(self) -> float:
        """The absolute value of every coordinate, B, which makes reports unbiased."""
        even, coth = 1 - self.attributes % 2, 1 / tanh(self.epsilon / 2)
        ratio: float = 2 ** (self.attributes - 1) / comb(self.attributes - 1, self.attributes // 2)
        return ratio * coth - even if self.variant == "corrected" else (ratio + even) * coth

    @cached_property
    def coin(self) -> Fraction:
        """The probability that the coin chooses T+.

        This is e^ε / (1 + e^ε) in the printed variant. In the corrected variant the probability
        also depends on the sizes of T+ and T-.
        """
        ratio = odds.exp(self.epsilon)
        if self.variant == "corrected":
            ratio *= Fraction(self._corners(True), self._corners(False))
        return ratio / (1 + ratio)

    @cached_property
    def exact_chances(self) -> tuple[Fraction, ...]:
        """The probability of one corner that agrees with v in 0..d coordinates; shape (d + 1,)."""
        return self._by_agreement(*self._chances)

    @cached_property
    def _chances(self) -> tuple[Fraction, Fraction, Fraction]:
        """The probability of one corner that is in T- alone, in T+ alone, or in both sets."""
        upper, lower = self.coin / self._corners(True), (1 - self.coin) / self._corners(False)
        return lower, upper, lower + upper

    def _by_agreement(self, lower: Value, upper: Value, tie: Value) -> tuple[Value, ...]:
        below, above = self._agreements(False), self._agreements(True)
        ties = below.stop - above.start
        return (lower,) * above.start + (tie,) * ties + (upper,) * (len(above) - ties)

    @property
    def log_chances(self) -> Floats:
        """The logarithms of `exact_chances`; shape (d + 1,)."""
        return np.array(self._by_agreement(*map(odds.log, self._chances)))

    @cached_property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report.

        Values at the corners of [-1, 1]^d determine v, and their laws differ most. For
        any two numbers j and k, a report can agree with one v in j coordinates and with another v
        in k coordinates.
        """
        lower, upper, tie = self._chances
        seen = (lower, upper, tie) if self._ties else (lower, upper)
        return odds.log(max(seen) / min(seen))

    def law(self, value: float) -> Density:
        """Return the law of one coordinate of the report of a user whose value there is `value`.

        This law does not depend on the user's other values.
        """
        t, agrees = Fraction(float(checks.within_one(value))), self._agreeing_share
        high = (1 + t) / 2 * agrees + (1 - t) / 2 * (1 - agrees)
        return Density(
            atoms=(Atom(-self.bound, odds.log(1 - high)), Atom(self.bound, odds.log(high)))
        )

    def law_of_tuple(self, values: npt.ArrayLike) -> tuple[Fraction, ...]:
        """Return the probability of each of the 2**d corners for a user with these values, shape
        (d,).

        The corners are in order from (-B, ..., -B) to (B, ..., B); the last coordinate changes
        fastest. Raises `ValueError` for more than 8 attributes, for another shape, and for values
        outside [-1, 1].
        """
        if self.attributes > FEW:
            raise ValueError(
                f"the law of a whole report is listed for at most {FEW} attributes, got "
                f"{self.attributes}: exact_chances has the same information"
            )
        numbers = checks.within_one(checks.shaped("values", values, (self.attributes,))).tolist()
        corners = list(product((-1, 1), repeat=self.attributes))
        rounded = [
            prod((1 + side * Fraction(value)) / 2 for side, value in zip(v, numbers, strict=True))
            for v in corners
        ]
        pairs = [(v, chance) for v, chance in zip(corners, rounded, strict=True) if chance]
        chances = self.exact_chances
        return tuple(
            sum((chance * chances[sum(map(eq, v, y))] for v, chance in pairs), Fraction(0))
            for y in corners
        )

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Return the users' reports, row j from user j; shape (n, d).

        Raises `ValueError` for values of another shape, and for a value outside [-1, 1]; a value
        that is outside by a rounding error counts as -1 or 1.
        """
        numbers = checks.within_one(checks.shaped("values", values, (None, self.attributes)))
        uniforms = coins.uniform(numbers.size).plain.reshape(numbers.shape)
        rounded = uniforms < (1 + numbers) / 2  # v_j = 1
        agrees = subsets(self._draw_agreements(len(numbers), coins), self.attributes, coins)
        return np.where(rounded == agrees, self.bound, -self.bound)

    def _draw_agreements(self, users: int, coins: Coins) -> Ints:
        above = coins.bernoullis(self.coin, users)
        spans = self._agreements(False), self._agreements(True)
        low, high = (
            np.array([getattr(span, end) for span in spans])[above.astype(int)]
            for end in ("start", "stop")
        )
        drawn, missing = np.empty(users, dtype=np.int64), np.arange(users)
        while missing.size:  # rejection: draw corners of the cube; about half are in the set
            drawn[missing] = coins.binomials(
                np.full(missing.size, self.attributes), Fraction(1, 2)
            ).plain
            fits = (low[missing] <= drawn[missing]) & (drawn[missing] < high[missing])
            missing = missing[~fits]
        return drawn

    def _agreements(self, upper: bool) -> range:
        half = self.attributes // 2
        return range(half + 1 - self._ties, self.attributes + 1) if upper else range(half + 1)

    @property
    def _ties(self) -> bool:
        """Whether corners that agree in exactly half of the coordinates are in both sets."""
        return self.variant == "as-printed" and self.attributes % 2 == 0

    def _corners(self, upper: bool) -> int:
        d = self.attributes
        ties = comb(d, d // 2) if d % 2 == 0 else 0
        one_side: int = (2**d - ties) // 2  # corners that agree in more than half; also in less
        return one_side if upper and not self._ties else one_side + ties

    @cached_property
    def _agreeing_share(self) -> Fraction:
        """The expected share of a report's coordinates that agree with v.

        Among the corners that agree in k coordinates, comb(d - 1, k - 1) agree in a given
        coordinate.
        """
        d = self.attributes
        centre, rest = comb(d - 1, d // 2), 2 ** (d - 1)
        if d % 2:  # the other d - 1 coordinates agree in (d - 1) / 2 places or more, or in fewer
            inside, outside = (rest + centre) // 2, (rest - centre) // 2
        else:
            inside, outside = rest // 2 + centre * self._ties, rest // 2
        lower, upper, _ = self._chances
        share: Fraction = inside * upper + outside * lower
        return share

    def estimate(self, reports: npt.ArrayLike) -> Floats:
        """Return unbiased estimates of the means of the values; shape (d,).

        Raises `ValueError` for another shape than (n, d) with n > 0, and for a report that is not
        finite or whose absolute value exceeds the bound.
        """
        return np.asarray(
            np.mean(checks.reports_of_reals(reports, (None, self.attributes), self.bound), axis=0)
        )
