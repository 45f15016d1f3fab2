"""Results for small populations, from all throws of the dice or from the exact laws of answers."""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from math import prod

import numpy as np

from protocols.mechanisms.channel import delta_of, worst_ratio
from protocols.two_rounds.mechanism import TwoRounds

Counts = tuple[list[Fraction], list[Fraction]]


def mean_counts(mechanism: TwoRounds, truths: Sequence[int]) -> Counts:
    """Return the expected number of each answer in rounds one and two, for owners who hold these
    truths.
    """
    chances = (*mechanism.background, Fraction(mechanism.sampling))
    means: Counts = ([Fraction(0)] * (mechanism.values + 1), [Fraction(0)] * (mechanism.values + 1))
    for faces in itertools.product(range(len(chances)), repeat=len(truths)):
        chance = prod(chances[face] for face in faces)
        for mean, answers in zip(
            means, (mechanism.round_one(faces), mechanism.round_two(faces, truths)), strict=True
        ):
            for answer in answers.tolist():
                mean[answer] += chance
    return means


def ratio_of_sums(mechanism: TwoRounds, yes: int, no: int) -> Fraction:
    """Return the exact e^ε of the number of ones in round two, for neighbours that differ in one
    owner.

    One of the `yes` owners who hold yes comes to hold no instead.
    """
    return Fraction(worst_ratio([_ones(mechanism, yes, no), _ones(mechanism, yes - 1, no + 1)]))


def delta_of_sums(mechanism: TwoRounds, epsilon: float, yes: int, no: int) -> float:
    """Return the δ at ε of the number of ones in round two, for neighbours that differ in one
    owner.

    In the neighbouring population, one of the `yes` owners who hold yes holds no instead.
    """
    one, other = (_float_ones(mechanism, *held) for held in ((yes, no), (yes - 1, no + 1)))
    return float(delta_of(one, other, epsilon))


def _float_ones(mechanism: TwoRounds, yes: int, no: int) -> list[float]:
    chances = [float(mechanism.round_two_law(truth)[1]) for truth in [1] * yes + [0] * no]
    law = np.ones(1)
    for chance in chances:
        law = np.convolve(law, [1 - chance, chance])
    return [float(one) for one in law]


def _ones(mechanism: TwoRounds, yes: int, no: int) -> list[Fraction]:
    laws = [mechanism.round_two_law(1)] * yes + [mechanism.round_two_law(0)] * no
    return reduce(_convolved, (list(law) for law in laws))


def _convolved(one: Sequence[Fraction], other: Sequence[Fraction]) -> list[Fraction]:
    both = [Fraction(0)] * (len(one) + len(other) - 1)
    for place, chance in enumerate(one):
        for more, rest in enumerate(other):
            both[place + more] += chance * rest
    return both
