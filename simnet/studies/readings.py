"""What a quote reads off a table: counts, quotients, orders and crossings."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from math import exp, hypot, inf, log, sqrt
from typing import Any

from simnet.studies.quote import Counterpart
from simnet.studies.statements import Outcome, share_by_law, share_of
from simnet.studies.table import Estimate, NoSuchPoint

Lines = Mapping[float, Mapping[str, Any]]  # lines of a table's summary by x > 0


def counted(number: float) -> Counterpart:
    """What was counted, or computed from what was: no law says beforehand what it should be."""
    return Counterpart(None, number, number, number)


def quotient(one: Estimate, other: Estimate, runs: int = 0) -> Counterpart:
    """How many times the first positive number is the second.

    The paper's are means of so many runs, or exact for none. Nothing is expected unless both have
    expected values. The interval is that of two independent numbers: on a scale of logarithms the
    square of an arm is the sum of the squares of the two arms that it comes from (Zou and Donner,
    *Construction of confidence limits about effect measures*, 2008). An arm that reaches to 0
    leaves it open.
    """
    known = one.expected is not None and bool(other.expected)
    expected = (one.expected or 0.0) / (other.expected or 1.0) if known else None
    ratio, spread = one.mean / other.mean, hypot(one.spread, other.spread)
    low = ratio * exp(-hypot(_arm(one.low, one.mean), _arm(other.mean, other.high)))
    above = hypot(_arm(one.mean, one.high), _arm(other.low, other.mean))
    high = ratio * exp(above) if above < inf else inf
    return Counterpart(expected, ratio, low, high, spread / sqrt(runs) if runs else 0.0)


def share_less(pairs: Sequence[tuple[Counterpart, Counterpart]]) -> Counterpart:
    """In which share of the pairs of measured numbers the first is smaller.

    Intervals that part decide it surely.

    Raises `NoSuchPoint` where there is no pair.
    """
    outcomes = [_less(*pair) for pair in pairs]
    return share_of(outcomes, share_by_law(outcomes))


def crossing_of(first: Lines, second: Lines, expected: float) -> Counterpart:
    """Where the first of two curves stops being below the second, x by x, if it does so once.

    The interval reaches from the last x up to which intervals say that it is below to the first x
    from which on they say that it is above; it holds with the confidence that all of them have
    together. The measured place is between the x where a change is most in line with the means.
    Raises `NoSuchPoint` when there is none.
    """
    xs = sorted(first.keys() & second.keys())
    gaps = [log(first[x]["mean"] / second[x]["mean"]) for x in xs]
    wrong = [
        sum(max(gap, 0.0) for gap in gaps[:k]) + sum(max(-gap, 0.0) for gap in gaps[k:])
        for k in range(len(xs) + 1)
    ]
    k = wrong.index(min(wrong))
    if not 0 < k < len(xs):
        raise NoSuchPoint("the curves do not cross between the points that were run")
    below = list(takewhile(lambda x: _surely_below(first[x], second[x]), xs))
    above = list(takewhile(lambda x: _surely_below(second[x], first[x]), reversed(xs)))
    share = gaps[k - 1] / (gaps[k - 1] - gaps[k]) if gaps[k - 1] < 0 < gaps[k] else 0.5
    place = exp((1 - share) * log(xs[k - 1]) + share * log(xs[k]))
    return Counterpart(expected, place, below[-1] if below else 0.0, above[-1] if above else inf)


def _surely_below(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether the interval of the quotient of two lines of a summary lies below 1."""
    return (
        log(one["mean"] / other["mean"])
        + hypot(_arm(one["mean"], one["high"]), _arm(other["low"], other["mean"]))
        < 0
    )


def _less(one: Counterpart, other: Counterpart) -> Outcome:
    (low, high), (others_low, others_high) = _ends(one), _ends(other)
    known = one.expected is not None and other.expected is not None
    return Outcome(
        (one.measured or 0.0) < (other.measured or 0.0),
        high < others_low,
        low < others_high,
        one.law < other.law if known else None,
    )


def _ends(one: Counterpart) -> tuple[float, float]:
    return -inf if one.low is None else one.low, inf if one.high is None else one.high


def _arm(low: float, high: float) -> float:
    """How far apart two numbers are on a scale of logarithms; 0 and below are infinitely far."""
    return log(high / low) if low > 0 and high < inf else inf
