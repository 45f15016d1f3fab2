"""Checks of arguments, with messages that say what was expected.

Most functions raise `ValueError` for a value out of range. Some raise `TypeError` for a value of
the wrong type, such as `True` in the place of a number.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from simnet.arrays import Floats, Ints
from simnet.checks import is_integer, is_real
from simnet.nearest import did_you_mean

Chance = float | Fraction  # a probability; a float counts as the exact binary fraction

# Within these limits variances stay below 1e300, and probabilities below 50,000 digits.
LEAST_EPSILON, LARGEST_EPSILON = 1e-100, 1e5
# The limits for laws with densities. Below the least ε the logarithms of densities are too close
# to tell apart; up to the largest ε, e^(ε/2) is a double.
LEAST_REAL_EPSILON, LARGEST_REAL_EPSILON = 1e-6, 1400
# The relative excess over a bound that counts as rounding, in a report or a scaled value.
ROUNDING = 1e-9


# Checks of ε.


def epsilon(value: float | Fraction) -> None:
    """Raise `ValueError` for an ε outside 1e-100 to 1e5."""
    _budget("epsilon", value, LEAST_EPSILON, LARGEST_EPSILON, "")


def epsilon_of_reals(value: float | Fraction, name: str = "epsilon") -> None:
    """Raise `ValueError` for an ε outside 1e-6 to 1400, the range of mechanisms that use doubles.

    The message calls it `name`.
    """
    purpose = " for a mechanism for numbers"
    _budget(name, value, LEAST_REAL_EPSILON, LARGEST_REAL_EPSILON, purpose)


def _budget(name: str, value: float | Fraction, least: float, largest: float, purpose: str) -> None:
    number(name, value)
    if not least <= value <= largest:  # also refuses NaN
        raise ValueError(f"{name} is positive, from {least:g} to {largest:g}{purpose}, got {value}")


# Checks of δ.


def delta(value: float) -> None:
    """Raise `ValueError` for a δ outside (0, 1)."""
    if not 0 < value < 1:  # also refuses NaN
        raise ValueError(f"delta lies between 0 and 1, both excluded, got {value}")


# Single numbers.


def number(name: str, value: float | Fraction) -> None:
    """Raise `TypeError` for a bool, and for a value that is no integer, float or fraction."""
    if not is_real(value):
        raise TypeError(f"{name} is a number, got {value!r}")


def integer(name: str, value: int) -> None:
    """Raise `TypeError` for a bool, and for a value that is not an integer."""
    if not is_integer(value):
        raise TypeError(f"{name} is a whole number, got {value!r}")


def whole(name: str, value: int, least: int, most: int | None = None) -> None:
    """Raise `TypeError` as `integer` does, and `ValueError` for an integer below `least` or above
    `most`.
    """
    integer(name, value)
    if value < least:
        raise ValueError(f"{name} is at least {least}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} is at most {most}, got {value}")


def chance(name: str, value: float | Fraction) -> None:
    """Raise `ValueError` for a probability outside [0, 1]."""
    number(name, value)
    if not 0 <= value <= 1:  # also refuses NaN
        raise ValueError(f"{name} is a probability from 0 to 1, got {value}")


LEAST_CHANCE = 1e-60


def positive_chance(name: str, value: float | Fraction) -> None:
    """Raise `ValueError` for a probability outside (0, 1], and for one below 1e-60, whose powers
    would leave the range of floats.
    """
    number(name, value)
    if not 0 < value <= 1:  # also refuses NaN
        raise ValueError(f"{name} is a probability above 0 and at most 1, got {value}")
    if value < LEAST_CHANCE:
        raise ValueError(f"{name} is a probability of at least {LEAST_CHANCE:g}, got {value}")


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise `ValueError` for a word that is not among the allowed words."""
    if value not in allowed:
        meant = did_you_mean(str(value), allowed)
        raise ValueError(f"{name} is {' or '.join(allowed)}, got {value!r}{meant}")


# Parameters of protocols that share counts.


def users_and_items(users: int, items: int) -> None:
    """Raise `ValueError` for fewer than two users, and for fewer than one item."""
    for name, value in (("users", users), ("items", items)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} is a whole number of type int, got {value!r}")
    if users < 2:
        raise ValueError(f"there are at least 2 users, got users={users}")
    if items < 1:
        raise ValueError(f"there is at least 1 item, got items={items}")


def number_of_users(name: str, value: int) -> None:
    """Raise `ValueError` for a negative number of users, such as the number of colluders."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is a whole number of type int, got {value!r}")
    if value < 0:
        raise ValueError(f"{name} is a number of users, at least 0, got {value}")


def reported_items(reported: int, items: int) -> None:
    """Raise `ValueError` for a k outside 1..N, where k is the number of items on which a user of
    TSS reports.
    """
    if not isinstance(reported, int) or isinstance(reported, bool):
        raise TypeError(f"reported (k = αN) is a whole number of type int, got {reported!r}")
    if not 1 <= reported <= items:
        raise ValueError(f"a user reports on 1 to {items} items, got reported={reported}")


def adaptive_weight(gamma: float | None) -> None:
    """Raise `ValueError` for a γ outside (1, ∞); None stands for uniform sets."""
    if gamma is None:
        return
    number("gamma", gamma)
    if not 1 < gamma < float("inf"):  # also refuses NaN
        raise ValueError(
            f"gamma is above 1 and finite for adaptive reporting sets, and left out for uniform "
            f"ones, got {gamma!r}"
        )


def colluder_bound(bound: int, users: int) -> None:
    """Raise `ValueError` for a φ outside 0..n - 1: at least φ + 1 of the n users are elected for an
    item.
    """
    if not isinstance(bound, int) or isinstance(bound, bool):
        raise TypeError(f"bound is a whole number of type int, got {bound!r}")
    if not 0 <= bound < users:
        raise ValueError(
            f"at least φ + 1 of {users} users are elected for an item, and bound is φ: bound lies "
            f"in 0..{users - 1}, got {bound}"
        )


# Arrays.


def as_doubles(name: str, values: npt.ArrayLike | Sequence[float | Fraction]) -> Floats:
    """Return the values as doubles, in an array of their shape.

    Raise `ValueError` for a number that exceeds the range of doubles.
    """
    try:
        return np.asarray(values, dtype=np.float64)
    except OverflowError:
        raise ValueError(f"{name}: got a number that exceeds the range of doubles") from None


def shaped(name: str, values: npt.ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """Return the values as doubles. Raise `ValueError` for another shape.

    In `shape`, None stands for any length; at most two entries may be None. Raise `ValueError` also
    as `as_doubles` does.
    """
    array = as_doubles(name, values)
    if array.ndim != len(shape) or any(
        n not in (None, m) for n, m in zip(shape, array.shape, strict=True)
    ):
        letters = iter("nd")  # of lengths that may be any
        lengths = [next(letters) if n is None else str(n) for n in shape]
        expected = ", ".join(lengths) + "," * (len(lengths) == 1)
        raise ValueError(f"{name} have shape ({expected}), got {array.shape}")
    return array


def doubles(name: str, values: npt.ArrayLike | Sequence[float | Fraction]) -> Floats:
    """Return the values as doubles, in an array of their shape.

    Raise `TypeError` as `number` does, and `ValueError` as `as_doubles` does.
    """
    if not (isinstance(values, np.ndarray) and values.dtype.kind in "iuf"):
        # checked one by one, because numpy would turn a `True` among numbers into a 1
        for value in np.asarray(values, dtype=np.object_).ravel():
            number(name, value)
    return as_doubles(name, values)


def whole_numbers(
    name: str, values: npt.ArrayLike, least: int, most: int, length: int | None = None
) -> Ints:
    """Return the values as integers of shape (n,).

    Raise `ValueError` for a value below `least` or above `most`, for another number of axes than
    one, and for another number of values than `length`; `TypeError` for values that are no
    integers.
    """
    array = np.asarray(values)
    if array.ndim != 1 or (length is not None and array.size != length):
        raise ValueError(
            f"{name} come as one row{f' of {length}' if length is not None else ''}, got "
            f"shape {array.shape}"
        )
    if array.dtype.kind not in "iu":
        integers = array.size and all(type(value) is int for value in array)
        if integers and max(map(abs, array)) >= 2**63:
            raise ValueError(
                f"{name} are whole numbers from {least} to {most}, got one that exceeds 64 bits"
            )
        if array.size:
            # numpy turned 1 into 1.0 beside 2.5, so we look at what was given
            given = values if isinstance(values, list | tuple) else array.tolist()
            other = next((each for each in given if not is_integer(each)), given[0])
            raise TypeError(f"{name} are whole numbers, got {array.dtype} such as {other!r}")
        return np.empty(0, dtype=np.int64)
    if isinstance(values, list | tuple) and any(isinstance(each, bool) for each in values):
        raise TypeError(f"{name} are whole numbers, got a bool")  # numpy took it for 0 or 1
    if array.size and not (array.min() >= least and array.max() <= most):
        wrong = array[(array < least) | (array > most)][0]
        raise ValueError(f"{name} are whole numbers from {least} to {most}, got {wrong}")
    return array.astype(np.int64, copy=False)


def sampling(chances: npt.ArrayLike, count: int) -> Floats:
    """Return the reporting probabilities, shape (count,).

    Raise `ValueError` for a probability outside (0, 1], and for another shape.
    """
    array = shaped("sampling probabilities", chances, (count,))
    wrong = array[~((array > 0) & (array <= 1))]
    if wrong.size:
        raise ValueError(
            f"sampling consists of probabilities above 0 and at most 1, got {wrong[0]}"
        )
    return array


def shares(values: npt.ArrayLike) -> Any:
    """Return shares (fractions) of the users as doubles; a single number gives a single number.

    Raise `ValueError` for a share outside [0, 1].
    """
    array = as_doubles("shares of the users", values)
    if not ((array >= 0) & (array <= 1)).all():  # also refuses NaN
        raise ValueError(f"a share of the users lies between 0 and 1, got {array}")
    return array[()]


def reports_of_reals(reports: npt.ArrayLike, shape: tuple[int | None, ...], bound: float) -> Floats:
    """Return the received reports as doubles, after a check that they are in the mechanism's range.

    `bound` is the mechanism's largest report, inf if there is none. Raises `ValueError` for another
    shape, for no reports, and for a report that is not finite or whose absolute value exceeds the
    bound by more than a rounding.
    """
    array = shaped("reports", reports, shape)
    if not array.size:
        raise ValueError("an estimate needs at least one report")
    largest = min(bound * (1 + ROUNDING), sys.float_info.max)
    if not (array.min() >= -largest and array.max() <= largest):  # a NaN makes a comparison false
        wrong = array[~(np.abs(array) <= largest)][0]
        limits = "finite" if largest == sys.float_info.max else f"between {-bound:g} and {bound:g}"
        raise ValueError(
            f"a report is {limits}, got {wrong}: no user's mechanism makes such a report"
        )
    return array


def within_one(values: npt.ArrayLike) -> Floats:
    """Return the values as doubles in [-1, 1]; shape as given.

    A value that exceeds an end by a rounding is set to that end. Raises `ValueError` for a value
    further outside, and for NaN.
    """
    array = to_the_bound(as_doubles("values", values))
    # a NaN makes a comparison false
    if array.size and not (array.min() >= -1 and array.max() <= 1):
        wrong = array[~(np.abs(array) <= 1)][0]
        raise ValueError(
            f"a value lies in [-1, 1], got {wrong}: first scale the data from their declared "
            "range to [-1, 1]"
        )
    return array


def to_the_bound(array: Floats) -> Floats:
    """Return the array with 1 or -1 in place of values that are outside [-1, 1] by a rounding."""
    if not array.size or (array.min() >= -1 and array.max() <= 1):
        return array
    distance = np.abs(array)
    return np.where((distance > 1) & (distance <= 1 + ROUNDING), np.sign(array), array)
