"""Closed forms that bound the exact profiles of sampled counts from above, everywhere.

R1 and R2 stand where Theorems 3.1 and 3.2 of Yang et al. fail. R1 is Chernoff's bound on the chance of a ratio above
e^ε, R2 Hoeffding's. R3 and R4 are sharper: both profiles are expected shortfalls, and max(0, u) <= e^(λu - 1) / λ.
All return ln δ, 0 where they say nothing.
"""

from collections.abc import Callable
from math import exp, expm1, inf, log, log1p


def divergence(a: float, p: float) -> float:
    """KL(a ‖ p) of two Bernoulli chances, for 0 <= a <= 1 and 0 < p < 1."""
    return (a * log(a / p) if a > 0 else 0.0) + ((1 - a) * log((1 - a) / (1 - p)) if a < 1 else 0.0)


def r1(count: int, participation: float, epsilon: float) -> float:
    """R1, removal: exp(-Π KL(1 - (1 - p) e^-ε ‖ p)) where p <= 1 - e^-ε, so that only one direction has any δ."""
    if participation == 1 or participation > -expm1(-epsilon):
        return 0.0
    return -count * divergence(1 - (1 - participation) * exp(-epsilon), participation)


def r2(origin: int, target: int, participation: float, epsilon: float) -> float:
    """R2, replacement: exp(-2μ² / (e^2ε / Π_a + Π_b / (Π_b + 1)²)), the larger of both directions."""
    return _both_directions(_r2, origin, target, participation, epsilon)


def _r2(a: int, b: int, participation: float, epsilon: float) -> float:
    if epsilon > 300:  # e^2ε overflows; what the bound tends to
        return -2 * a * (1 - participation) ** 2
    mean = (1 - participation) * expm1(epsilon) - participation / (b + 1)
    if mean <= 0:
        return 0.0
    return -2 * mean**2 / (exp(2 * epsilon) / a + b / (b + 1) ** 2)


def r3(count: int, participation: float, epsilon: float) -> float:
    """R3, removal: R1 times e^(ε - 1) / (Π (1 - p) ln(1 + (e^ε - 1) / p)), and likewise for the other direction.

    The idle ones of Π users are Bin(Π, 1 - p); δ is the expected shortfall of their number below Π (1 - p) e^-ε, times
    e^ε / (Π (1 - p)), or of the active ones below Π (1 - (1 - p) e^ε), over Π (1 - p).
    """
    if participation == 1 or epsilon == 0:
        return 0.0
    p, idle = participation, 1 - participation
    tilt = epsilon + log1p(-exp(-epsilon) * idle) - log(p)  # ln(1 + (e^ε - 1) / p)
    there = -count * divergence(1 - idle * exp(-epsilon), p) + epsilon - 1 - log(count * idle * tilt)
    rest = 1 - idle * exp(epsilon) if epsilon < -log(idle) else 0.0
    if rest <= 0:
        return min(there, 0.0)
    back = -count * divergence(rest, p) - 1 - log(count * idle * (log(p) + epsilon - log(rest)))
    return min(max(there, back), 0.0)


def r4(origin: int, target: int, participation: float, epsilon: float) -> float:
    """R4, replacement: the least over λ of e^(ε - 1) / (λ Π_a (1 - p)) E[e^(λ (c J - I))], in both directions.

    I ~ Bin(Π_a, 1 - p) and J ~ Bin(Π_b + 1, 1 - p) are the idle holders of the two items, c = Π_a e^-ε / (Π_b + 1);
    δ is E[max(0, c J - I)] times e^ε / (Π_a (1 - p)).
    """
    return _both_directions(_r4, origin, target, participation, epsilon)


def _r4(a: int, b: int, participation: float, epsilon: float) -> float:
    from scipy.optimize import minimize_scalar  # here, not above: it takes a while to load

    if participation == 1:
        return 0.0
    ratio = a * exp(-epsilon) / (b + 1)

    def bound(log_tilt: float) -> float:
        tilt = exp(log_tilt)
        moments = (b + 1) * _log_moment(tilt * ratio, participation) + a * _log_moment(-tilt, participation)
        return moments + epsilon - 1 - log_tilt - log(a * (1 - participation))

    return min(float(minimize_scalar(bound, bounds=(-25, 25), method="bounded").fun), 0.0)


def _log_moment(tilt: float, participation: float) -> float:
    """Log of E[e^(tilt I)] for one user who is idle with chance 1 - p."""
    if tilt > 500:
        return tilt + log1p(-participation)
    return log1p((1 - participation) * expm1(tilt))


def _both_directions(
    bound: Callable[[int, int, float, float], float], origin: int, target: int, participation: float, epsilon: float
) -> float:
    there = bound(origin, target, participation, epsilon)
    return max(there, bound(target + 1, origin - 1, participation, epsilon)) if origin > 0 else -inf
