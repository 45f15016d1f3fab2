"""What a quote reads off a table: numbers counted in data, and how many times one estimate is another."""

from math import exp, hypot, inf, log, sqrt

from simnet.study.quote import Counterpart
from simnet.study.table import Estimate


def counted(number: float) -> Counterpart:
    """What was counted, or computed from what was: no law says beforehand what it should be."""
    return Counterpart(None, number, number, number)


def quotient(one: Estimate, other: Estimate, runs: int = 0) -> Counterpart:
    """How many times the first positive number is the second; the paper's are means of so many runs, or exact for none.

    Nothing is expected unless both have expected values. The interval is that of two independent numbers: on a scale of
    logarithms the square of an arm is the sum of the squares of the two arms that it comes from (Zou and Donner,
    *Construction of confidence limits about effect measures*, 2008). An arm that reaches to 0 leaves it open.
    """
    known = one.expected is not None and bool(other.expected)
    expected = (one.expected or 0.0) / (other.expected or 1.0) if known else None
    ratio, spread = one.mean / other.mean, hypot(one.spread, other.spread)
    low = ratio * exp(-hypot(_arm(one.low, one.mean), _arm(other.mean, other.high)))
    above = hypot(_arm(one.mean, one.high), _arm(other.low, other.mean))
    high = ratio * exp(above) if above < inf else inf
    return Counterpart(expected, ratio, low, high, spread / sqrt(runs) if runs else 0.0)


def _arm(low: float, high: float) -> float:
    """How far apart two numbers are on a scale of logarithms; 0 and below are infinitely far."""
    return log(high / low) if 0 < low and high < inf else inf
