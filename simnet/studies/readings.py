"""How a quote reads its value from a table: counts, quotients, orders and crossings."""

from collections.abc import Mapping, Sequence
from itertools import takewhile
from math import exp, hypot, inf, log, nan, sqrt
from typing import Any

import attrs

from simnet.studies.paper_claim import Counterpart
from simnet.studies.statements import Outcome, share_by_law, share_of
from simnet.studies.table import ALIKE, CONFIDENCE, Estimate, NoSuchPoint, TrialRow, student

Lines = Mapping[float, Mapping[str, Any]]  # lines of a table's summary by x > 0


def counted(number: float) -> Counterpart:
    """Return the counterpart for a counted value, or for a value computed from counts. No law gives
    an expected value.
    """
    return Counterpart(None, number, number, number)


def quotient(one: Estimate, other: Estimate, runs: int = 0) -> Counterpart:
    """Return the first of two positive numbers divided by the second.

    `runs` says over how many runs the paper's numbers are means; 0 says that they are exact. The
    expected quotient is known only if both expected values are known. The interval treats the two
    numbers as independent. Its *arms* are the distances from the number to the ends of the
    interval, on a logarithmic scale. The square of an arm is the sum of the squares of two arms of
    the numbers (Zou and Donner, *Construction of confidence limits about effect measures*, 2008).
    If an arm is infinite, the interval begins at 0 or ends at infinity.
    """
    known = one.expected is not None and bool(other.expected)
    expected = (one.expected or 0.0) / (other.expected or 1.0) if known else None
    ratio, spread = one.mean / other.mean, hypot(one.spread, other.spread)
    low = ratio * exp(-hypot(_arm(one.low, one.mean), _arm(other.mean, other.high)))
    above = hypot(_arm(one.mean, one.high), _arm(other.low, other.mean))
    high = ratio * exp(above) if above < inf else inf
    return Counterpart(
        expected,
        ratio,
        low,
        high,
        spread / sqrt(runs) if runs else 0.0,
        trials=min(one.trials, other.trials),
    )


def paired_quotient(
    rows: Sequence[TrialRow],
    one: str,
    other: str,
    *,
    expected: float | None = None,
    runs: int = 0,
) -> Counterpart:
    """Return the mean of one number divided by the mean of another, from trials that have both.

    The two numbers of a trial may rise and fall together; then their quotient scatters less than
    the quotient of independent numbers. The interval is Student's, on a logarithmic scale; the
    variance of the logarithm is computed to first order (the delta method). The interval has no
    bounds for one trial, and for fewer than `ALIKE` trials with equal quotients. `expected` is the
    quotient by law, if it is known, and `runs` says over how many runs the paper's numbers are
    means (0: they are exact).

    Raises `NoSuchPoint` if no trial has both numbers.
    """
    pairs = [(float(row[one]), float(row[other])) for row in rows if one in row and other in row]
    if not pairs:
        raise NoSuchPoint(f"no trial has both {one!r} and {other!r}")
    count = len(pairs)
    means = [sum(numbers) / count for numbers in zip(*pairs, strict=True)]
    ratio = means[0] / means[1]
    scatter = sqrt(
        sum((first / means[0] - second / means[1]) ** 2 for first, second in pairs)
        / max(count - 1, 1)
    )
    if count == 1 or (not scatter and count < ALIKE):
        return Counterpart(expected, ratio, -inf, inf, nan if runs else 0.0, trials=count)
    arm = student(count, 1 - CONFIDENCE) * scatter / sqrt(count) if scatter else 0.0
    return Counterpart(
        expected,
        ratio,
        ratio * exp(-arm),
        ratio * exp(arm),
        scatter / sqrt(runs) if runs else 0.0,
        trials=count,
    )


def share_less(pairs: Sequence[tuple[Counterpart, Counterpart]]) -> Counterpart:
    """Return the share of pairs of measured numbers in which the first number is smaller.

    A pair is decided if its two intervals are disjoint. The interval of the share allows both
    answers for every other pair.

    Raises `NoSuchPoint` if there is no pair.
    """
    outcomes = [_less(*pair) for pair in pairs]
    found = share_of(outcomes, share_by_law(outcomes))
    trials = [one.trials for pair in pairs for one in pair if one.trials is not None]
    return attrs.evolve(found, trials=min(trials, default=None))


def crossing_of(first: Lines, second: Lines, expected: float) -> Counterpart:
    """Return the x at which the first of two curves stops being below the second curve.

    At the points up to the left end of the interval of this x, the confidence intervals of the
    curves show the first curve below the second; at the points from its right end on, they show it
    above. The interval begins at 0, or ends at infinity, if there is no such point. The measured
    value lies between two neighbouring points: those for which the means agree best with the
    statement that the order changes there.

    Raises `NoSuchPoint` if the curves do not cross between the points that were run.
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
    return Counterpart(
        expected,
        place,
        below[-1] if below else 0.0,
        above[-1] if above else inf,
        trials=min(line["trials"] for curve in (first, second) for line in curve.values()),
    )


def _surely_below(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
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
    """Return the distance of two numbers on a logarithmic scale; infinity if `low` is not above 0,
    or if `high` is infinite.
    """
    return log(high / low) if low > 0 and high < inf else inf
