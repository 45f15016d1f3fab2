"""The privacy of a finite channel: the exact ε and δ between the rows of a matrix of probabilities.

A row is the law of the output for one input. Two rows have P[S] <= e^ε Q[S] + δ for every set S of
outputs, in either direction. A float counts as the binary fraction that it is; nothing is rounded
before the end.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from protocols.checks import Chance
from protocols.mechanisms.odds import exp, log
from simnet.arrays import Floats

LawRow = Sequence[Chance] | Floats


def epsilon_of(rows: Sequence[LawRow]) -> float:
    """The least ε with δ = 0: the largest ln of a ratio within a column.

    It is infinite where a zero meets a positive entry.

    Raises `ValueError` for rows that are no laws on the same outputs.
    """
    return log(worst_ratio(rows))


def worst_ratio(rows: Sequence[LawRow]) -> Fraction | float:
    """The largest ratio of two entries of a column, which is e^ε: a fraction, or inf.

    A column of zeros has none.

    Raises `ValueError` for rows that are no laws on the same outputs.
    """
    worst: Fraction | float = Fraction(1)
    for column in zip(*_laws(rows), strict=True):
        least, largest = min(column), max(column)
        if largest > 0:
            worst = max(worst, Fraction(largest) / Fraction(least) if least > 0 else math.inf)
    return worst


def delta_of(p: LawRow, q: LawRow, epsilon: Chance) -> Fraction | float:
    """The least δ at ε: the larger, over both directions, of Σ max(0, p - e^ε q).

    A fraction when all chances are.

    Raises `ValueError` for rows that are no laws on the same outputs, and for a negative or
    undefined ε.
    """
    first, second = _laws((p, q))
    if not epsilon >= 0:
        raise ValueError(f"delta belongs to an epsilon from 0 on, got {epsilon}")
    factor: Fraction | float = math.inf if epsilon == math.inf else exp(epsilon)
    delta = max(_excess(first, second, factor), _excess(second, first, factor))
    return float(delta) if any(isinstance(chance, float) for chance in first + second) else delta


def _excess(p: Sequence[Chance], q: Sequence[Chance], factor: Fraction | float) -> Fraction | float:
    """Σ max(0, p - factor q)."""
    excess: Fraction | float = Fraction(0)
    for p_chance, q_chance in zip(p, q, strict=True):
        scaled = factor * Fraction(q_chance) if q_chance else Fraction(0)
        if scaled != math.inf:  # an infinite ε leaves only the outputs that q does not have
            excess += max(Fraction(p_chance) - scaled, Fraction(0))
    return excess


def _laws(rows: Sequence[LawRow]) -> list[list[Chance]]:
    """The rows as plain numbers, refused unless they are laws on the same outputs."""
    laws: list[list[Chance]] = [
        row.tolist() if isinstance(row, np.ndarray) else list(row) for row in rows
    ]
    if len({len(law) for law in laws}) != 1:
        raise ValueError(
            f"the rows of a channel have one length, got {sorted({len(law) for law in laws})}"
        )
    for law in laws:
        is_positive = all(chance >= 0 for chance in law)  # also refuses NaN
        if not (is_positive and -1e-9 <= sum(law, Fraction(0)) - 1 <= 1e-9):
            raise ValueError(
                f"a row of a channel holds chances that add up to 1, got "
                f"{[float(chance) for chance in law]}"
            )
    return laws
