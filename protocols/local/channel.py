"""The privacy of a finite channel: the exact ε and δ between the rows of a matrix of probabilities.

A row is the law of the output for one input; fractions give exact answers, floats those of floats. Two rows have
P[S] <= e^ε Q[S] + δ for every set S of outputs, in either direction.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from protocols.local.odds import exp, log

Chance = float | Fraction
Row = Sequence[Chance]


def epsilon_of(rows: Sequence[Row]) -> float:
    """The least ε with δ = 0: the largest ln of a ratio within a column; inf where a zero meets a positive entry.

    Raises `ValueError` for rows that are no laws on the same outputs.
    """
    return log(worst_ratio(rows))


def worst_ratio(rows: Sequence[Row]) -> Any:
    """The largest ratio of two entries of a column, a fraction when the rows are; a column of zeros has none.

    This is e^ε. Raises `ValueError` for rows that are no laws on the same outputs.
    """
    _check(rows)
    worst: Any = 1
    for column in zip(*rows, strict=True):
        least, largest = min(column), max(column)
        if largest > 0:
            worst = max(worst, largest / least if least > 0 else math.inf)
    return worst


def delta_of(p: Row, q: Row, epsilon: Chance) -> Any:
    """The least δ at ε: the larger, over both directions, of Σ max(0, p - e^ε q); a fraction when the rows are.

    Raises `ValueError` for rows that are no laws on the same outputs, and for a negative or undefined ε.
    """
    _check((p, q))
    if not epsilon >= 0:
        raise ValueError(f"delta belongs to an epsilon from 0 on, got {epsilon}")
    return max(_excess(p, q, epsilon), _excess(q, p, epsilon))


def _excess(p: Row, q: Row, epsilon: Chance) -> Any:
    """Σ max(0, p - e^ε q)."""
    inexact = any(isinstance(chance, float) for chance in (*p, *q))
    shrink: Any = math.exp(-epsilon) if inexact or epsilon == math.inf else 1 / exp(epsilon)
    if not shrink:  # e^ε exceeds every double: what q has at all outweighs p
        return sum(one for one, other in zip(p, q, strict=True) if not other)
    return sum(max(one - other / shrink, 0) for one, other in zip(p, q, strict=True))


def _check(rows: Sequence[Row]) -> None:
    """Raise `ValueError` unless there are rows, of one length, each of chances that add up to 1."""
    if len({len(row) for row in rows}) != 1:
        raise ValueError(f"the rows of a channel have one length, got {sorted({len(row) for row in rows})}")
    for row in rows:
        if not (row and min(row) >= 0 and abs(sum(row) - 1) <= 1e-9):  # also refuses NaN
            raise ValueError(f"a row of a channel holds chances that add up to 1, got {list(map(float, row))}")
