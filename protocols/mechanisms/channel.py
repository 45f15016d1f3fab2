"""The privacy of a finite channel: the exact ε and δ between the rows of a probability matrix.

Each row is the law of the output for one input. Two rows P and Q satisfy (ε, δ) if P[S] <= e^ε Q[S]
+ δ and Q[S] <= e^ε P[S] + δ for every set S of outputs. A float counts as the exact binary
fraction. Sums and ratios of fractions are exact. For δ, e^ε is a fraction that is correct to about
forty digits.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from protocols.checks import Chance
from protocols.mechanisms.odds import exp, log
from simnet.arrays import Floats

LARGEST_EPSILON = 1_000_000  # beyond it e^ε takes long to compute
LawRow = Sequence[Chance] | Floats


def epsilon_of(rows: Sequence[LawRow]) -> float:
    """Return the least ε with δ = 0: the largest log ratio of two entries of a column.

    `rows` are the laws of the output, one for each input. The result is infinite if a column holds
    both a zero and a positive entry. Raises `ValueError` for rows that are not laws on the same
    outputs.

    >>> round(epsilon_of([(0.75, 0.25), (0.25, 0.75)]), 6)  # randomised response with ln 3
    1.098612
    """
    return log(worst_ratio(rows))


def worst_ratio(rows: Sequence[LawRow]) -> Fraction | float:
    """Return the largest ratio of two entries of a column, which is e^ε: a fraction, or inf.

    Columns of zeros are skipped. Raises `ValueError` for rows that are not laws on the same
    outputs.
    """
    worst: Fraction | float = Fraction(1)
    for column in zip(*_laws(rows), strict=True):
        least, largest = min(column), max(column)
        if largest > 0:
            worst = max(worst, Fraction(largest) / Fraction(least) if least > 0 else math.inf)
    return worst


def delta_of(p: LawRow, q: LawRow, epsilon: Chance) -> Fraction | float:
    """Return the least δ at ε: the larger of the two sums Σ max(0, p - e^ε q) and
    Σ max(0, q - e^ε p) over the outputs.

    The result is a fraction if all probabilities are fractions or integers. Raises `ValueError` for
    rows that are not laws on the same outputs, and for an ε that is negative, not a number, or
    above 10^6 and finite.

    >>> delta_of((0.75, 0.25), (0.25, 0.75), epsilon=0)
    0.5
    """
    first, second = _laws((p, q))
    if not epsilon >= 0:
        raise ValueError(f"delta is computed for an epsilon of at least 0, got {epsilon}")
    if LARGEST_EPSILON < epsilon < math.inf:
        raise ValueError(
            f"delta is computed for an epsilon up to {LARGEST_EPSILON:,} or inf, got {epsilon}"
        )
    factor: Fraction | float = math.inf if epsilon == math.inf else exp(epsilon)
    delta = max(_excess(first, second, factor), _excess(second, first, factor))
    return float(delta) if any(isinstance(chance, float) for chance in first + second) else delta


def _excess(p: Sequence[Chance], q: Sequence[Chance], factor: Fraction | float) -> Fraction | float:
    excess: Fraction | float = Fraction(0)
    for p_chance, q_chance in zip(p, q, strict=True):
        scaled = factor * Fraction(q_chance) if q_chance else Fraction(0)
        if scaled != math.inf:  # at an infinite ε only outputs that are impossible under q count
            excess += max(Fraction(p_chance) - scaled, Fraction(0))
    return excess


def _laws(rows: Sequence[LawRow]) -> list[list[Chance]]:
    """Return the rows as plain numbers.

    Raises `ValueError` unless they are laws on the same outputs.
    """
    laws: list[list[Chance]] = [
        row.tolist() if isinstance(row, np.ndarray) else list(row) for row in rows
    ]
    if len({len(law) for law in laws}) != 1:
        raise ValueError(
            "a channel has one or more rows of the same length, got lengths "
            f"{sorted({len(law) for law in laws})}"
        )
    for law in laws:
        is_positive = all(chance >= 0 for chance in law)  # also refuses NaN
        if not (is_positive and -1e-9 <= sum(law, Fraction(0)) - 1 <= 1e-9):
            raise ValueError(
                f"a row of a channel holds probabilities that add up to 1, got "
                f"{[float(chance) for chance in law]}"
            )
    return laws
