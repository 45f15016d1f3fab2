"""The number e^ε as a fraction, from which a mechanism's probabilities are computed.

A mechanism with finitely many reports can compute its probabilities from e^ε as a fraction that is
correct to about forty digits. Coins with such probabilities are drawn exactly. So the reports have
the ε of the formulas, also if the double nearest to a probability is 0 or 1.
"""

import functools
import math
from decimal import Context, Decimal
from fractions import Fraction

DIGITS = 40


@functools.lru_cache(maxsize=256)
def exp(epsilon: float | Fraction) -> Fraction:
    """Return e^ε as a fraction.

    The relative errors of the result and of the result minus 1 are below 2e-39 times the larger of
    1 and |ε|.
    """
    exact = Fraction(epsilon)
    context = Context(
        prec=DIGITS + max(0, -math.floor(math.log10(abs(exact)))) if exact else DIGITS
    )
    power = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return Fraction(context.exp(power))


def log(ratio: float | Fraction) -> float:
    """Return the natural logarithm of a positive fraction of any size; inf for inf.

    The result also has full precision for fractions near 1.
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
    """Return the nearest double, or an infinity for a fraction beyond all doubles."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
