"""Find a root of a rising or falling function of one number.

scipy offers this too, but takes long to load.
"""

from collections.abc import Callable
from math import copysign, sqrt

MOST_STEPS = 200  # the largest number of steps


def root(
    function: Callable[[float], float],
    low: float,
    high: float,
    absolute: float = 1e-14,
    relative: float = 1e-11,
) -> float:
    """Return a root between `low` and `high`; at these ends the function has different signs.

    The error is less than twice `absolute + relative * |root|`, unless 200 steps are too few.
    Raises `ValueError` if the function has the same sign at both ends.

    Source: Chandrupatla, *A new hybrid quadratic/bisection algorithm for finding the zero of a
    nonlinear function without using derivatives*, 1997.
    """
    new, old = high, low  # the interval's ends, the newer one first
    at_new, at_old = function(new), function(old)
    if (at_new > 0 and at_old > 0) or (at_new < 0 and at_old < 0):
        raise ValueError(f"the function has the same sign at {low} and at {high}")
    share = 0.5  # the next point lies at this share of the way from `new` to `old`
    for _ in range(MOST_STEPS):
        place = new + share * (old - new)
        value = function(place)
        if copysign(1, value) == copysign(1, at_new):
            third, at_third = new, at_new
        else:
            third, at_third = old, at_old
            old, at_old = new, at_new
        new, at_new = place, value
        best, at_best = (new, at_new) if abs(at_new) < abs(at_old) else (old, at_old)
        least_share = (absolute + relative * abs(best)) / abs(old - new)
        if least_share > 0.5 or at_best == 0:
            return best
        ratio, fall = (new - old) / (third - old), (at_new - at_old) / (at_third - at_old)
        share = 0.5
        if 1 - sqrt(1 - ratio) < fall < sqrt(ratio):
            share = at_new / (at_old - at_new) * at_third / (at_old - at_third) + (third - new) / (
                old - new
            ) * at_new / (at_third - at_new) * at_old / (at_third - at_old)
        share = min(max(share, least_share), 1 - least_share)
    return best
