"""Estimates from the counts of two rounds, and their exact variances.

Beside the mechanism, two variants for contrast. `kept` is the mechanism: one throw for both rounds,
and the difference of two counts is exactly Bin(yes, π_s), whatever the others hold. `fresh` throws
again for the second round, `round-two` asks once and knows the number of owners; their errors grow
with the population. Source: Joy and Gerla, Eq. 11 and 16; the variants show where the accuracy
comes from.
"""

from fractions import Fraction
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.two_rounds.mechanism import TwoRounds
from simnet.arrays import Floats, Ints

Variant = Literal["kept", "fresh", "round-two"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


def kept_estimate(
    mechanism: TwoRounds, first_counts: npt.ArrayLike, second_counts: npt.ArrayLike
) -> Floats:
    """How many owners hold each value, from the counts of both rounds, shapes (V + 1,).

    Unbiased; shape (V,).

    Raises `ValueError` for counts that no owners who keep their faces and answer in both rounds can
    give.
    """
    first, second = _rounds(mechanism, first_counts, second_counts)
    fallen = np.flatnonzero(second[1:] < first[1:]) + 1
    if fallen.size:
        value = int(fallen[0])
        raise ValueError(
            f"the count of value {value} falls from {first[value]} in round one to {second[value]} "
            "in round two, which it cannot when owners keep their faces: the protocol was "
            "violated, ask both rounds anew"
        )
    return np.asarray((second - first)[1:] / float(mechanism.sampling))


def fresh_estimate(
    mechanism: TwoRounds, first_counts: npt.ArrayLike, second_counts: npt.ArrayLike
) -> Floats:
    """How many owners hold each value, if owners throw anew for round two; shape (V,).

    Unbiased, and negative at times.
    """
    first, second = _rounds(mechanism, first_counts, second_counts)
    return np.asarray((second - first)[1:] / float(mechanism.sampling))


def round_two_estimate(mechanism: TwoRounds, second_counts: npt.ArrayLike, owners: int) -> Floats:
    """How many owners hold each value, from round two alone; shape (V,).

    The number of owners is known.

    Raises `ValueError` for counts that do not add up to the owners.
    """
    checks.whole("owners", owners, 0)
    counts = _counts(mechanism, second_counts)
    all_answered(counts, owners)
    background = np.array(mechanism.background, dtype=np.float64)
    return np.asarray((counts - background * owners)[1:] / float(mechanism.sampling))


def all_answered(counts: Ints, owners: int) -> None:
    """Raise `ValueError` unless the counts of a round are those of so many owners.

    Each answers once.
    """
    if counts.sum() != owners:
        raise ValueError(
            f"{counts.sum():,} answers came from {owners:,} owners, and each answers once in a "
            "round: an owner that is missing or counted twice biases the estimate, ask anew"
        )


def _rounds(
    mechanism: TwoRounds, first_counts: npt.ArrayLike, second_counts: npt.ArrayLike
) -> tuple[Ints, Ints]:
    first, second = _counts(mechanism, first_counts), _counts(mechanism, second_counts)
    if first.sum() != second.sum():
        raise ValueError(
            f"{first.sum()} owners answered in round one and {second.sum()} in round two: the "
            "estimate needs the same owners in both, ask both rounds anew"
        )
    return first, second


def _counts(mechanism: TwoRounds, counts: npt.ArrayLike) -> Ints:
    return checks.whole_numbers("counts", counts, 0, np.iinfo(np.int64).max, mechanism.values + 1)


def covariance(
    mechanism: TwoRounds, yes: npt.ArrayLike, none: int = 0, variant: Variant = "kept"
) -> Floats:
    """The exact covariances of the estimates, for owners whose truths are fixed; shape (V, V).

    `yes[v - 1]` owners hold value v and `none` hold no value.
    """
    return covariance_with_none(mechanism, yes, none, variant)[1:, 1:]


def covariance_with_none(
    mechanism: TwoRounds, yes: npt.ArrayLike, none: int = 0, variant: Variant = "kept"
) -> Floats:
    """The exact covariances of the estimates of who holds none and each value.

    Shape (V + 1, V + 1). That of who holds none is what the others leave of all owners.
    """
    holders = mechanism.holders(yes, none)
    if variant == "kept":  # differences are independent binomials
        sampling = Fraction(mechanism.sampling)
        variances = holders[1:] * float((1 - sampling) / sampling)
        spread = np.diag(np.append(variances.sum(), variances))
        spread[0, 1:] = spread[1:, 0] = -variances
        return np.asarray(spread)
    s = float(mechanism.sampling)
    background = np.array(mechanism.background, dtype=np.float64)
    laws = background + s * np.eye(len(holders))
    spread = _of_counts(laws, holders)
    if variant == "fresh":  # in round one everybody answers as who holds none
        spread += _of_counts(laws[:1], holders.sum(keepdims=True))
    return np.asarray(spread / s / s)  # s² may be below the doubles that keep all digits


def _of_counts(laws: Floats, holders: Ints) -> Floats:
    """The covariances of the counts of symbols.

    `holders[t]` owners answer by the law in row t. A variance Σ h p (1 - p) is taken from the
    covariances with the other counts, whose chances make up 1 - p: nothing cancels.
    """
    among = -(laws.T @ (holders[:, np.newaxis] * laws))
    np.fill_diagonal(among, 0.0)
    return np.asarray(among - np.diag(among.sum(axis=1)))


def variance(
    mechanism: TwoRounds, yes: npt.ArrayLike, none: int = 0, variant: Variant = "kept"
) -> Floats:
    """The exact variance of each value's estimate; shape (V,).

    For `kept` it is yes (1 - π_s) / π_s.
    """
    return np.diag(covariance(mechanism, yes, none, variant)).copy()
