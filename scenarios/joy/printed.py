"""What the paper prints of privacy and of error, as printed, to be held against what is exact.

Each function says what is wrong with its formula; `privacy` and `estimators` have the right ones.
Source: Joy and Gerla, *Differential Privacy By Sampling*.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf, sqrt

from protocols import checks
from protocols.checks import Chance
from protocols.mechanisms.odds import log
from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.mechanism import TwoRounds


def equations_19_and_20(mechanism: TwoRounds) -> tuple[Chance, Chance]:
    """P[0 | yes] / P[0 | no] and its inverse as printed, in round two; they are exchanged.

    Where π_0 = 0, inf and 0.
    """
    zero, s = mechanism.background[0], Fraction(mechanism.sampling)
    return _ratio(zero + s, zero), zero / (zero + s)


def equation_21(mechanism: TwoRounds) -> float:
    """The ε of the answer 0 in round two; the mechanism's is the larger of this and Eq. 25."""
    zero, s = mechanism.background[0], Fraction(mechanism.sampling)
    return log(_ratio(zero + s, zero))


def equation_25(mechanism: TwoRounds) -> float:
    """The ε of the answer 1 in round two; the mechanism's is the larger of this and Eq. 21."""
    zero, s = mechanism.background[0], Fraction(mechanism.sampling)
    return log(_ratio(1 - zero, 1 - zero - s))


def equation_29(sampling: Chance, background: Chance) -> float:
    """The ε of one value's answer in round two, from its π_v.

    The mechanism's is the largest over all values.
    """
    checks.chance("sampling", sampling)
    checks.chance("background", background)
    if background == 0:
        raise ValueError(
            "background is the chance of the value's own face, above 0, got 0: no ε is finite"
        )
    return log(1 + Fraction(sampling) / Fraction(background))


def equation_30(truthful: Chance, yes: Chance) -> float:
    """The ε of randomised response by its answer yes.

    The answer no tells more where `yes` is above 1/2.
    """
    if_yes, if_no = JoyGerla(truthful, yes).exact_chances
    return log(_ratio(if_yes, if_no))


def _ratio(above: Fraction, below: Fraction) -> Chance:
    """A likelihood ratio, inf for what is possible on one side only."""
    return above / below if below else inf


def equation_12_last(faces: Sequence[Chance]) -> Fraction:
    """The chance of face V in the last line of Eq. 12 and 13, from π_0..π_V, π_s: what all others
    leave, and less π_V.

    It must not subtract π_V itself.
    """
    return 1 - sum((Fraction(chance) for chance in faces), Fraction(0))


def equation_14_zero(mechanism: TwoRounds, yes: Sequence[int], none: int) -> float:
    """E[0] of round one as printed, where owners who hold none are not sampled into it."""
    owners = sum(yes) + none
    return float(mechanism.background[0] * owners + Fraction(mechanism.sampling) * sum(yes))


def equation_15(mechanism: TwoRounds, yes: Sequence[int], none: int, shown: int) -> list[float]:
    """E[v] of round two as printed, v = 0..V, where only the value `shown` gains by sampling."""
    owners = sum(yes) + none
    gain = [
        Fraction(mechanism.sampling) * yes[v - 1] if v == shown else Fraction(0)
        for v in range(len(yes) + 1)
    ]
    return [
        float(chance * owners + more)
        for chance, more in zip(mechanism.background, gain, strict=True)
    ]


def introduction_deviation(truthful: float, yes: float, owners: int) -> float:
    """The standard deviation that the introduction gives for the noise of randomised response: √(n
    p).

    A count has √(n p (1 - p)), and the estimate that divided by `truthful`.
    """
    return sqrt((1 - truthful) * yes * owners)
