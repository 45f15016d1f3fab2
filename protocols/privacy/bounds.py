"""Closed forms that bound the exact profiles of sampled counts from above, for every ε.

R1 and R2 also hold where Theorems 3.1 and 3.2 of Yang et al. fail. R1 is Chernoff's bound on the
probability that the likelihood ratio exceeds e^ε, for the removal of a user. R2 is Hoeffding's
bound, for the replacement of a user's item. R3 (removal) and R4 (replacement) are sharper: the
exact δ is a factor times an expected shortfall, E[max(0, u)] for some u, and max(0, u) <= e^(λu -
1) / λ. Each bound is itself a profile, so apart from rounding it never rises with ε; where a
formula gives no bound below 1, the bound is 1. docs/proofs/sampling-bounds.md proves all four.

Example. One of Π = 33 holders of an item is removed at p = 1 - e^-0.5 = 0.393. Then δ(0.5) is
2.05e-4, R3 gives 6.8e-4 and R1 2.2e-2, while Theorem 3.1 claims 3.8e-26 for 1,000 users and 30 such
items.

The bounds are computed with 60 digits and more, and rounded up, so that rounding never makes a
bound too small: in the divergence, logarithms of nearly equal numbers cancel.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from functools import wraps
from math import ceil, exp, expm1, inf, log, log1p, log10, nextafter
from typing import Any

import attrs

from protocols.privacy.profile import Profile, Worst
from protocols.privacy.root import root
from protocols.privacy.sampled_counts import Relation, neighbours

FAR = 100.0  # at counts up to 10^9, e^100 exceeds every finite ratio of probabilities
# For a larger ε we use the bound at this ε: a bound at a smaller ε holds for every larger one.
FARTHEST = 10_000.0
# The digits of the arithmetic, and a bound on its error in a logarithm at counts up to 10^9.
DIGITS, SLACK = 60, Decimal("1e-35")


def outward(exponent: Callable[[Any, float], Decimal]) -> Callable[[Any, float], float]:
    """Turn a method that computes a bound's logarithm with many digits into a method that returns a
    double not below the exact logarithm, and at most 0.
    """

    @wraps(exponent)
    def rounded(bound: Any, epsilon: float) -> float:
        near = min(epsilon, FARTHEST)
        # added to 1, a small ε or p loses as many digits as it has leading zeros
        zeros = sum(-log10(small) for small in (near, bound.participation) if 0 < small < 1)
        with localcontext(prec=DIGITS + ceil(zeros), Emin=MIN_EMIN, Emax=MAX_EMAX):
            value = exponent(bound, near)
            if value == -inf:
                return -inf
            return min(nextafter(float(value + SLACK * (1 + abs(value))), inf), 0.0)

    return rounded


def divergence(a: Decimal, p: Decimal) -> Decimal:
    """Return KL(a ‖ p) of two Bernoulli probabilities, for 0 <= a <= 1 and 0 < p < 1."""
    return (a * (a / p).ln() if a > 0 else ZERO) + (
        (1 - a) * ((1 - a) / (1 - p)).ln() if a < 1 else ZERO
    )


ZERO = Decimal(0)


@attrs.frozen
class R1:
    """Removal: exp(-Π KL(1 - (1 - p) e^-ε ‖ p)), for p <= 1 - e^-ε. For a larger p the bound is 1.

    For p <= 1 - e^-ε only the direction from the count with the user to the count without the user
    has a positive δ.
    """

    count: int  # Π >= 1
    participation: float

    @property
    def log_limit(self) -> float:
        """The logarithm of the bound as ε goes to infinity."""
        return self.log_delta(FARTHEST)

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of the bound on δ(ε)."""
        # rounding may take a p that is meant to be 1 - e^-ε above it
        if self.participation == 1 or self.participation > -expm1(-epsilon) * (1 + 1e-12):
            return 0.0
        return self._closed(epsilon)

    @outward
    def _closed(self, epsilon: float) -> Decimal:
        p = Decimal(self.participation)
        return -self.count * divergence(1 - (1 - p) * (-Decimal(epsilon)).exp(), p)


@attrs.frozen
class R2:
    """Replacement: exp(-2μ² / (e^2ε / Π_a + Π_b / (Π_b + 1)²)), the larger of both directions.

    μ = (1 - p)(e^ε - 1) - p / (Π_b + 1); if μ is not positive, the bound is 1.
    """

    origin: int  # Π_a >= 1
    target: int  # Π_b >= 0
    participation: float

    @property
    def log_limit(self) -> float:
        """The logarithm of the bound as ε goes to infinity."""
        return self.log_delta(FARTHEST)

    @outward
    def log_delta(self, epsilon: float) -> Decimal:
        """Return the logarithm of the bound on δ(ε)."""
        shrunk = (-Decimal(epsilon)).exp()
        return max(self._one_way(a, b, shrunk) for a, b in _both_ways(self.origin, self.target))

    def _one_way(self, a: int, b: int, shrunk: Decimal) -> Decimal:
        p = Decimal(self.participation)
        mean = (1 - p) * (1 - shrunk) - p * shrunk / (b + 1)  # μ e^-ε
        return -2 * mean**2 / (Decimal(1) / a + b * (shrunk / (b + 1)) ** 2) if mean > 0 else ZERO


@attrs.frozen
class R3:
    """Removal: a bound for each direction; the larger one counts. Where R1 is smaller, R1 is used.

    *With the user against without.* The number of idle users among Π is Bin(Π, 1 - p). δ is the
    expected shortfall of this number below Π (1 - p) e^-ε, times e^ε / (Π (1 - p)). The bound is
    the formula of R1 times e^(ε - 1) / (Π (1 - p) ln(1 + (e^ε - 1) / p)). It falls up to some ε and
    rises from there. δ never rises, so the bound's least value is used for every larger ε.

    *Without the user against with.* δ is the expected shortfall of the number of active users below
    Π r, with r = 1 - (1 - p) e^ε, divided by Π (1 - p). The bound is exp(-Π KL(r ‖ p) - 1) / (Π (1
    - p) ln(p e^ε / r)), or 0 if r is not positive.
    """

    count: int  # Π >= 1
    participation: float

    @property
    def log_limit(self) -> float:
        """The logarithm of the bound as ε goes to infinity."""
        return R1(self.count, self.participation).log_limit

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of the bound on δ(ε)."""
        if self.participation == 1 or epsilon == 0:
            return 0.0
        sharp = max(
            self._with_to_without(self._until_least(epsilon)), self._without_to_with(epsilon)
        )
        return min(sharp, R1(self.count, self.participation).log_delta(epsilon))

    @outward
    def _with_to_without(self, epsilon: float) -> Decimal:
        p, e = Decimal(self.participation), Decimal(epsilon)
        shrunk = (-e).exp()
        # λ = ln(1 + (e^ε - 1) / p), where e^ε may be huge
        tilt = e + (shrunk + (1 - shrunk) / p).ln()
        exponent = -self.count * divergence(1 - (1 - p) * shrunk, p)
        return exponent + e - 1 - (self.count * (1 - p)).ln() - tilt.ln()

    @outward
    def _without_to_with(self, epsilon: float) -> Decimal:
        p, e = Decimal(self.participation), Decimal(epsilon)
        rest = 1 - (1 - p) * e.exp()
        if rest <= 0:
            return Decimal("-inf")
        tilt = (p * e.exp() / rest).ln()
        exponent = -self.count * divergence(rest, p)
        return exponent - 1 - (self.count * (1 - p)).ln() - tilt.ln()

    def _tilt(self, epsilon: float) -> float:
        p = self.participation
        if epsilon < 1:
            return log1p(expm1(epsilon) / p)
        return epsilon + log1p(-exp(-epsilon) * (1 - p)) - log(p)

    def _until_least(self, epsilon: float) -> float:
        """Return ε, or the ε at which the bound is least if this other ε is smaller."""
        if self._rise(epsilon) <= 0:
            return epsilon
        low = epsilon / 2
        while self._rise(low) > 0:
            low /= 2
        return root(self._rise, low, 2 * low)

    def _rise(self, epsilon: float) -> float:
        """Return the derivative of the bound's logarithm: not positive up to some ε, then
        positive.
        """
        p, tilt, shrunk = self.participation, self._tilt(epsilon), exp(-epsilon)
        # dλ/dε = 1 / (1 - (1 - p) e^-ε)
        return 1 - self.count * (1 - p) * shrunk * tilt - 1 / tilt / (p * shrunk - expm1(-epsilon))


@attrs.frozen
class R4:
    """Replacement: e^(ε - 1) / (λ Π_a (1 - p)) E[e^(λ (c J - I))], for a λ that is nearly the best.

    The larger value of both directions counts. Where R2 is smaller, R2 is used. I ~ Bin(Π_a, 1 - p)
    and J ~ Bin(Π_b + 1, 1 - p) are the idle holders of the two items, and c = Π_a e^-ε / (Π_b + 1).
    δ is E[max(0, c J - I)] times e^ε / (Π_a (1 - p)).
    """

    origin: int  # Π_a >= 1
    target: int  # Π_b >= 0
    participation: float

    @property
    def log_limit(self) -> float:
        """The logarithm of the bound as ε goes to infinity."""
        return self.log_delta(FARTHEST)

    def log_delta(self, epsilon: float) -> float:
        """Return the logarithm of the bound on δ(ε)."""
        if self.participation == 1:
            return 0.0
        # At ε = `FAR` only outcomes in which none of the first item's holders is idle contribute to
        # δ, because c J is below 1. So δ is the same for larger ε.
        sharp = self._of_tilts(min(epsilon, FAR))
        return min(sharp, R2(self.origin, self.target, self.participation).log_delta(epsilon))

    @outward
    def _of_tilts(self, epsilon: float) -> Decimal:
        return max(
            self._at(a, b, epsilon, Decimal(exp(self._log_tilt(a, b, epsilon))))
            for a, b in _both_ways(self.origin, self.target)
        )

    def _at(self, a: int, b: int, epsilon: float, tilt: Decimal) -> Decimal:
        """Return the logarithm of the bound for one λ; every λ gives a true bound."""
        p, e = Decimal(self.participation), Decimal(epsilon)
        c = a * (-e).exp() / (b + 1)
        moments = (b + 1) * (p + (1 - p) * (tilt * c).exp()).ln()
        moments += a * (p + (1 - p) * (-tilt).exp()).ln()
        return moments + e - 1 - tilt.ln() - (a * (1 - p)).ln()

    def _log_tilt(self, a: int, b: int, epsilon: float) -> float:
        """Return the logarithm of a λ at which the bound is nearly least."""
        from scipy.optimize import minimize_scalar  # imported only here: scipy loads slowly

        log_c = log(a / (b + 1)) - epsilon

        def bound(log_tilt: float) -> float:
            moments = (b + 1) * self._log_moment(exp(log_tilt + log_c)) + a * self._log_moment(
                -exp(log_tilt)
            )
            return moments + epsilon - 1 - log_tilt - log(a * (1 - self.participation))

        return float(minimize_scalar(bound, bounds=(-25, 25 + epsilon), method="bounded").x)

    def _log_moment(self, tilt: float) -> float:
        """Return the logarithm of E[e^(tilt I)] for one user who is idle with probability 1 - p."""
        if tilt > 500:
            return tilt + log1p(-self.participation)
        if tilt < -1:  # the sum is near p, which may be far below the rounding of 1
            return log(self.participation + (1 - self.participation) * exp(tilt))
        return log1p((1 - self.participation) * expm1(tilt))


def _both_ways(origin: int, target: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return (origin, target), (target + 1, origin - 1)


BOUNDS: Mapping[str, Callable[..., Profile]] = {"remove": R1, "replace": R2}
SHARPER_BOUNDS: Mapping[str, Callable[..., Profile]] = {"remove": R3, "replace": R4}


def bound(
    counts: Sequence[int], participation: float, relation: Relation, *, sharper: bool = False
) -> Profile:
    """Return the bound R1 or R2 for the worst pair of neighbouring populations; R3 or R4 if
    `sharper`.

    R1 and R3 are for the relation `remove`, and R2 and R4 for `replace`. Raises the errors of
    `sampled_counts.profile`.

    >>> from protocols import delta_at
    >>> closed = bound([33, 40], participation=0.393, relation="remove")
    >>> f"{delta_at(closed, epsilon=0.5):.1e}"
    '2.2e-02'
    """
    pairs = neighbours(counts, participation, relation)
    kind = (SHARPER_BOUNDS if sharper else BOUNDS)[relation]
    return Worst(tuple(kind(*pair, participation) for pair in pairs))
