"""Estimates from the counts of two rounds, and their exact variances.

Besides the mechanism, there are two variants for comparison. `kept` is the mechanism: one roll for
both rounds; if h owners hold a value, the difference of the value's two counts has exactly the law
Bin(h, π_s), whatever other owners hold. With `fresh`, owners roll again for the second round. With
`round-two`, owners answer once, and their number is known. In general the errors of `fresh` and
`round-two` grow with the number of all owners.

Source: Joy and Gerla, Eq. 11 and 16.
"""

from fractions import Fraction
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.two_rounds.mechanism import TwoRounds
from simnet.arrays import Floats, Ints
from simnet.printable import count_of

Variant = Literal["kept", "fresh", "round-two"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


def kept_estimate(
    mechanism: TwoRounds, first_counts: npt.ArrayLike, second_counts: npt.ArrayLike
) -> Floats:
    """Return unbiased estimates of the numbers of owners who hold each value, from the counts of
    both rounds.

    Each count array has shape (V + 1,), the result has shape (V,). Raises `ValueError` for other
    shapes, for negative counts, for counts that add up to different numbers of owners, and if the
    count of a value falls from round one to round two.
    """
    first, second = _rounds(mechanism, first_counts, second_counts)
    fallen = np.flatnonzero(second[1:] < first[1:]) + 1
    if fallen.size:
        value = int(fallen[0])
        raise ValueError(
            f"the count of value {value} falls from {first[value]} in round one to {second[value]} "
            "in round two, which is impossible if owners keep their faces and answer in both "
            "rounds: repeat both rounds"
        )
    return np.asarray((second - first)[1:] / float(mechanism.sampling))


def fresh_estimate(
    mechanism: TwoRounds, first_counts: npt.ArrayLike, second_counts: npt.ArrayLike
) -> Floats:
    """Return estimates of the numbers of owners who hold each value, if owners roll again for round
    two.

    Shape (V,). The estimates are unbiased and can be negative. Raises `ValueError` for counts of
    other shapes, for negative counts, and for counts that add up to different numbers of owners.
    """
    first, second = _rounds(mechanism, first_counts, second_counts)
    return np.asarray((second - first)[1:] / float(mechanism.sampling))


def round_two_estimate(mechanism: TwoRounds, second_counts: npt.ArrayLike, owners: int) -> Floats:
    """Return unbiased estimates of the numbers of owners who hold each value, from round two alone.

    Shape (V,). The number of owners is known. Raises `ValueError` for counts of another shape, and
    for counts that are negative or do not add up to this number.
    """
    checks.whole("owners", owners, 0)
    counts = _counts(mechanism, second_counts)
    all_answered(counts, owners)
    background = np.array(mechanism.background, dtype=np.float64)
    return np.asarray((counts - background * owners)[1:] / float(mechanism.sampling))


def all_answered(counts: Ints, owners: int) -> None:
    """Raise `ValueError` unless the counts of a round add up to the number of owners."""
    if counts.sum() != owners:
        raise ValueError(
            f"in a round every owner answers once, but {count_of(int(counts.sum()), 'answer')} "
            f"came from {count_of(owners, 'owner')}: an owner that is missing or counted twice "
            "biases the estimate, so repeat the collection"
        )


def _rounds(
    mechanism: TwoRounds, first_counts: npt.ArrayLike, second_counts: npt.ArrayLike
) -> tuple[Ints, Ints]:
    first, second = _counts(mechanism, first_counts), _counts(mechanism, second_counts)
    if first.sum() != second.sum():
        raise ValueError(
            f"{count_of(int(first.sum()), 'owner')} answered in round one and "
            f"{count_of(int(second.sum()), 'owner')} in round two: the estimate needs the same "
            "owners in both, so repeat both rounds"
        )
    return first, second


def _counts(mechanism: TwoRounds, counts: npt.ArrayLike) -> Ints:
    return checks.whole_numbers("counts", counts, 0, np.iinfo(np.int64).max, mechanism.values + 1)


def covariance(
    mechanism: TwoRounds, yes: npt.ArrayLike, none: int = 0, variant: Variant = "kept"
) -> Floats:
    """Return the exact covariances of the estimates, for owners with fixed truths; shape (V, V).

    `yes[v - 1]` owners hold value v, and `none` owners hold no value.
    """
    return covariance_with_none(mechanism, yes, none, variant)[1:, 1:]


def covariance_with_none(
    mechanism: TwoRounds, yes: npt.ArrayLike, none: int = 0, variant: Variant = "kept"
) -> Floats:
    """Return the exact covariances of the estimated numbers of owners without a value and with each
    value.

    Shape (V + 1, V + 1). The estimate for "no value" is the number of owners minus the other
    estimates. Raises `ValueError` for an unknown variant.
    """
    checks.one_of("variant", variant, VARIANTS)
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
    if variant == "fresh":  # in round one every owner answers like an owner without a value
        spread += _of_counts(laws[:1], holders.sum(keepdims=True))
    # We divide twice, because s² may be so small that a double loses digits.
    return np.asarray(spread / s / s)


def _of_counts(laws: Floats, holders: Ints) -> Floats:
    """Return the covariances of the counts of symbols, where `holders[t]` owners answer with the
    probabilities `laws[t]`.

    We compute a variance Σ h p (1 - p) from the covariances with the other counts, whose
    probabilities sum to 1 - p, so that nothing cancels.
    """
    among = -(laws.T @ (holders[:, np.newaxis] * laws))
    np.fill_diagonal(among, 0.0)
    return np.asarray(among - np.diag(among.sum(axis=1)))


def variance(
    mechanism: TwoRounds, yes: npt.ArrayLike, none: int = 0, variant: Variant = "kept"
) -> Floats:
    """Return the exact variance of each value's estimate; shape (V,).

    `yes` has the number of holders of each value. For the variant `kept` the variance is
    yes (1 - π_s) / π_s.
    """
    return np.diag(covariance(mechanism, yes, none, variant)).copy()
