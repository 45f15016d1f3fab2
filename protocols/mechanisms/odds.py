"""e^ε as a fraction: what the chances of a mechanism are made of.

A mechanism's chances are rational numbers whose ratio is e^ε to forty digits, and coins of rational
chances are drawn exactly. So the ε of what is drawn is the stated one, at 1e-6 as at 1400, where
doubles know 0 and 1 only.
"""

import functools
import math
from decimal import Context, Decimal
from fractions import Fraction

DIGITS = 40


@functools.lru_cache(maxsize=256)
def exp(epsilon: float | Fraction) -> Fraction:
    """e^ε; relative error below 1e-39 times the larger of 1 and |ε|, and e^ε - 1 just as exact."""
    exact = Fraction(epsilon)
    context = Context(
        prec=DIGITS + max(0, -math.floor(math.log10(abs(exact)))) if exact else DIGITS
    )
    power = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return Fraction(context.exp(power))


def log(ratio: float | Fraction) -> float:
    """The natural logarithm of a positive fraction of any size; inf of inf.

    It has full precision near 1 too.
    """
    if ratio == math.inf:
        return math.inf
    exact = Fraction(ratio)
    if Fraction(1, 2) < exact < 2:
        return math.log1p(real(exact - 1))
    if abs(exact.numerator.bit_length() - exact.denominator.bit_length()) < 1000:
        return math.log(real(exact))
    return math.log(exact.numerator) - math.log(exact.denominator)


def real(value: Fraction) -> float:
    """The nearest double, which is infinite for what exceeds them all."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
