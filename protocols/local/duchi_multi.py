"""Duchi et al.'s mechanism for d values in [-1, 1] at once: report a corner of the cube [-B, B]^d.

A user rounds its values to v in {-1, 1}^d with the values as means, and reports a corner; corners y that agree with v
in more than half of the coordinates, the set T+, are e^ε times as likely as the others, T-. The mean of the reports is
an unbiased mean of the values. Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local
Differential Privacy*, Algorithm 3.

As printed, a corner that agrees in exactly half (d even) belongs to both sets, which makes its probability the same
whatever the coin: the exact ε is then ln(1 + e^ε). The corrected mechanism has ties in T- only.
"""

from functools import cached_property
from math import comb, exp, inf, log, log1p, tanh
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local import checks
from protocols.local.density import Atom, Density
from protocols.local.subsets import subsets
from protocols.secure.checks import one_of
from simnet.coins.coins import Coins
from simnet.values.typed import Typed, bits

Floats = npt.NDArray[np.float64]

Variant = Literal["corrected", "as-printed"]
VARIANTS = ("corrected", "as-printed")


@attrs.frozen
class DuchiMulti:
    """What every user knows; `variant` says where ties belong."""

    epsilon: float
    attributes: int  # d >= 1
    variant: Variant = "corrected"

    def __attrs_post_init__(self) -> None:
        checks.epsilon(self.epsilon, checks.LARGEST_REAL_EPSILON)
        checks.whole("attributes", self.attributes, 1)
        one_of("variant", self.variant, VARIANTS)

    @property
    def bound(self) -> float:
        """B, for which reports are unbiased: the size of every coordinate."""
        even, coth = 1 - self.attributes % 2, 1 / tanh(self.epsilon / 2)
        ratio: float = 2 ** (self.attributes - 1) / comb(self.attributes - 1, self.attributes // 2)
        return ratio * coth - even if self.variant == "corrected" else (ratio + even) * coth

    @cached_property
    def log_chances(self) -> Floats:
        """Log of the probability of one corner that agrees with v in 0..d coordinates; shape (d + 1,)."""
        upper = np.full(self.attributes + 1, -inf)
        upper[self._agreements(True)] = self._log_coin(True) - log(self._corners(True))
        lower = np.full(self.attributes + 1, -inf)
        lower[self._agreements(False)] = self._log_coin(False) - log(self._corners(False))
        return np.asarray(np.logaddexp(upper, lower))

    @property
    def exact_epsilon(self) -> float:
        """The ε of the law of a report.

        Values at the corners of [-1, 1]^d fix v and have the most different laws, and a report agrees with one v in as
        many coordinates as one likes and with another in as many as one likes.
        """
        return float(self.log_chances.max() - self.log_chances.min())

    def law(self, value: float) -> Density:
        """The law of one coordinate of the report of a user that holds `value` there, whatever it holds elsewhere.

        A coordinate agrees with the rounded value with the mean share of the agreeing ones.
        """
        d, held = self.attributes, float(checks.within_one(value))
        shares = [exp(log(comb(d, k)) + chance) for k, chance in enumerate(self.log_chances.tolist())]
        agrees = sum(k / d * share for k, share in enumerate(shares))
        differs = sum((d - k) / d * share for k, share in enumerate(shares))  # not 1 - agrees: it may be tiny
        masses = [(-self.bound, (1 - held) * agrees + (1 + held) * differs)]
        masses.append((self.bound, (1 + held) * agrees + (1 - held) * differs))
        return Density(atoms=tuple(Atom(at, log(twice / 2) if twice else -inf) for at, twice in masses))

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Reports of the users, row j from user j; shapes (n, d). Raises `ValueError` for a value outside [-1, 1]."""
        held = checks.within_one(checks.shaped("values", values, (None, self.attributes)))
        rounded = coins.uniform(held.size).plain.reshape(held.shape) < (1 + held) / 2  # v_j = 1
        agrees = subsets(self._draw_agreements(len(held), coins), self.attributes, coins)
        return np.where(rounded == agrees, self.bound, -self.bound)

    def _draw_agreements(self, users: int, coins: Coins) -> npt.NDArray[np.int64]:
        """In how many coordinates each report agrees with v; shape (n,)."""
        above = coins.bernoullis(exp(self._log_coin(True)), users)
        uniforms = coins.uniform(users).plain
        drawn = np.empty(users, dtype=np.int64)
        for upper, mine in ((True, above), (False, ~above)):
            steps = np.searchsorted(self._cumulated(upper), uniforms[mine], side="right")
            drawn[mine] = self._agreements(upper).start + steps
        return drawn

    def _agreements(self, upper: bool) -> slice:
        """The numbers of agreeing coordinates in T+ or T-."""
        half = self.attributes // 2
        ties_above = self.variant == "as-printed" and self.attributes % 2 == 0
        return slice(half + 1 - ties_above, self.attributes + 1) if upper else slice(0, half + 1)

    def _weights(self, upper: bool) -> list[int]:
        """How many corners there are of each of these numbers."""
        span = self._agreements(upper)
        return [comb(self.attributes, agreeing) for agreeing in range(span.start, span.stop)]

    def _corners(self, upper: bool) -> int:
        return sum(self._weights(upper))

    def _cumulated(self, upper: bool) -> Floats:
        """The distribution function of the number of agreements, but for its last 1; integers divided exactly."""
        total, sums = self._corners(upper), np.cumsum(np.array(self._weights(upper), dtype=object))
        return np.array([part / total for part in sums[:-1]], dtype=np.float64)

    def _log_coin(self, upper: bool) -> float:
        """Log of the probability of T+ or T-: their sizes weigh unless the printed coin is used."""
        if self.variant == "as-printed":
            return -log1p(exp(-self.epsilon)) - (0.0 if upper else self.epsilon)
        lower_share = self._corners(False) / self._corners(True) * exp(-self.epsilon)
        above = -log1p(lower_share)
        return above if upper else above - self.epsilon + log(self._corners(False)) - log(self._corners(True))

    def estimate(self, reports: npt.ArrayLike) -> Floats:
        """The means of the values, unbiased; shape (d,)."""
        return np.asarray(np.mean(checks.shaped("reports", reports, (None, self.attributes)), axis=0))

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Variance of a report's coordinate with this value, B² - t²; shape as given."""
        held = checks.within_one(values)
        return np.asarray(self.bound**2 - held * held)

    @property
    def worst_variance(self) -> float:
        """The largest variance of a coordinate: that of the value 0."""
        return float(self.variance(0.0))

    def payload(self, reports: Floats) -> Typed:
        """Reports as they travel: one bit a coordinate, 1 for B."""
        return bits(reports > 0)

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Reports from the bits that arrived."""
        return np.where(np.asarray(numbers) == 1, self.bound, -self.bound)
