"""The paper's formulas on privacy and error, as printed.

The letters are the paper's. An owner holds one of the values 1 to V, or 0, which stands for "no" or
"none". Its die has the face "sampled" with probability π_s, and the face v with probability π_v. In
randomised response (Eq. 4 and 30) an owner is sampled with probability π_s, tells the truth with
probability π_1, and otherwise says yes with probability π_2.

If a formula is wrong, its function says what is wrong with it. The module
`protocols.two_rounds.privacy` has the right ε.

Source: Joy and Gerla, *Differential Privacy By Sampling*.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import inf

from protocols import checks
from protocols.checks import Chance
from protocols.mechanisms.odds import log
from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.mechanism import TwoRounds

# Why the rows on the four times lower leakage are disputed.


def equations_19_and_20(mechanism: TwoRounds) -> tuple[Chance, Chance]:
    """The printed P[0 | yes] / P[0 | no] in round two, and its inverse; the paper exchanges these
    two quotients. If π_0 = 0, the quotients are inf and 0.
    """
    zero, s = mechanism.background[0], Fraction(mechanism.sampling)
    return _ratio(zero + s, zero), zero / (zero + s)


def equation_4(response: JoyGerla, yes: int, no: int) -> Fraction:
    """The printed expected number of answers yes: π_s π_1 yes + π_s (1 - π_1) π_2 (yes + no)."""
    sampling, first, second = (
        Fraction(coin) for coin in (response.sampling, response.truthful, response.yes)
    )
    return sampling * first * yes + sampling * (1 - first) * second * (yes + no)


def equations_9_and_10(
    mechanism: TwoRounds, yes: int, no: int
) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
    """The printed expected counts of 0 and 1, in round one and in round two."""
    zero, s, total = mechanism.background[0], Fraction(mechanism.sampling), yes + no
    one = 1 - zero - s
    return (zero * total + s * total, one * total), (zero * total + s * no, one * total + s * yes)


def equations_23_and_24(mechanism: TwoRounds) -> tuple[Chance, Chance]:
    """The printed P[1 | yes] / P[1 | no] in round two, and its inverse; inf where P[1 | no] = 0."""
    zero, s = mechanism.background[0], Fraction(mechanism.sampling)
    return _ratio(1 - zero, 1 - zero - s), _ratio(1 - zero - s, 1 - zero)


def equations_27_and_28(sampling: Chance, background: Chance) -> tuple[Fraction, Fraction]:
    """The printed P[V' | V'] / P[V' | another value] in round two, and its inverse; π_V' > 0."""
    own, s = Fraction(background), Fraction(sampling)
    return (own + s) / own, own / (own + s)


def equation_21(mechanism: TwoRounds) -> float:
    """The ε of the answer 0 in round two. The ε of round two is the larger one of this number and
    Eq. 25.
    """
    zero, s = mechanism.background[0], Fraction(mechanism.sampling)
    return log(_ratio(zero + s, zero))


def equation_25(mechanism: TwoRounds) -> float:
    """The ε of the answer 1 in round two. The ε of round two is the larger one of this number and
    Eq. 21.
    """
    zero, s = mechanism.background[0], Fraction(mechanism.sampling)
    return log(_ratio(1 - zero, 1 - zero - s))


def equation_29(sampling: Chance, background: Chance) -> float:
    """The ε of one value's answer in round two, from its π_v.

    If there are two truths or more, the ε of round two is the largest over all values, and over
    "none" (π_0) if owners may hold none of them.

    Raises `ValueError` for numbers that are not probabilities, and for π_v = 0, where no ε is
    finite.
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
    return above / below if below else inf


def equation_12_last(faces: Sequence[Chance]) -> Fraction:
    """The probability of face V by the last line of Eq. 12 and 13, from π_0..π_V and π_s.

    The line subtracts the probabilities of all faces from 1. This includes π_V itself, which is
    wrong.
    """
    return 1 - sum((Fraction(chance) for chance in faces), Fraction(0))


def equation_14_zero(mechanism: TwoRounds, yes: Sequence[int], none: int) -> float:
    """The printed E[0] of round one.

    The formula forgets that owners who hold no value are sampled, too, and then answer 0.
    """
    owners = sum(yes) + none
    return float(mechanism.background[0] * owners + Fraction(mechanism.sampling) * sum(yes))


def equation_15(mechanism: TwoRounds, yes: Sequence[int], none: int, shown: int) -> list[float]:
    """The printed E[v] of round two, v = 0..V, in which only the value `shown` gains sampled
    owners.

    In fact every value gains its own sampled owners.
    """
    owners = sum(yes) + none
    gain = [
        Fraction(mechanism.sampling) * yes[v - 1] if v == shown else Fraction(0)
        for v in range(len(yes) + 1)
    ]
    return [
        float(chance * owners + more)
        for chance, more in zip(mechanism.background, gain, strict=True)
    ]
