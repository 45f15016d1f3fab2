"""Parameters and values that protocols and mechanisms refuse, each with what was given and what was
expected.
"""

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEAST_EPSILON, LARGEST_EPSILON = (
    1e-100,
    1e5,
)  # variances stay below 1e300, chances below 50,000 digits
LEAST_REAL_EPSILON, LARGEST_REAL_EPSILON = (
    1e-6,
    1400,
)  # below, logs of densities are too close; e^(ε/2) is a double
# relative: by as much may a report or a scaled value exceed its bound, one of which is rounded
ROUNDING = 1e-9


def epsilon(value: float | Fraction) -> None:
    """Raise `ValueError` unless ε lies from 1e-100 to 1e5; `TypeError` for what is no number."""
    _between(value, LEAST_EPSILON, LARGEST_EPSILON, "")


def epsilon_of_reals(value: float | Fraction) -> None:
    """Raise `ValueError` unless ε lies from 1e-6 to 1400; `TypeError` for what is no number.

    For mechanisms over [-1, 1], whose chances and densities are doubles.
    """
    _between(value, LEAST_REAL_EPSILON, LARGEST_REAL_EPSILON, " for numbers")


def _between(value: float | Fraction, least: float, largest: float, whose: str) -> None:
    number("epsilon", value)
    if not least <= value <= largest:  # also refuses NaN
        raise ValueError(f"epsilon is positive, from {least:g} to {largest:g}{whose}, got {value}")


def number(name: str, value: float | Fraction) -> None:
    """Raise `TypeError` unless the value is a real number; `True` and `False` are none."""
    if isinstance(value, bool | np.bool_) or not isinstance(
        value, int | float | Fraction | np.integer | np.floating
    ):
        raise TypeError(f"{name} is a number, got {value!r}")


def doubles(name: str, given: npt.ArrayLike | Sequence[float | Fraction]) -> Floats:
    """The numbers as doubles, shape as given.

    Raises `TypeError` for what is none, be it `True` among numbers.
    """
    if not (isinstance(given, np.ndarray) and given.dtype.kind in "iuf"):
        for value in np.asarray(given, dtype=np.object_).ravel():
            number(name, value)
    return np.asarray(given, dtype=np.float64)


def whole(name: str, value: int, least: int, most: int | None = None) -> None:
    """Raise `ValueError` for an integer below `least` or above `most`, `TypeError` for what is no
    integer.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} is a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} is at least {least}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} is at most {most}, got {value}")


def chance(name: str, value: float | Fraction) -> None:
    """Raise `ValueError` unless 0 <= value <= 1, `TypeError` for what is no number."""
    number(name, value)
    if not 0 <= value <= 1:  # also refuses NaN
        raise ValueError(f"{name} is a probability from 0 to 1, got {value}")


def sampling(given: npt.ArrayLike, count: int) -> Floats:
    """The chances to report, shape (count,).

    Raises `ValueError` unless there are so many, each in (0, 1].
    """
    chances = shaped("sampling chances", given, (count,))
    wrong = chances[~((chances > 0) & (chances <= 1))]
    if wrong.size:
        raise ValueError(
            f"sampling chances are probabilities above 0 and at most 1, got {wrong[0]}"
        )
    return chances


def shares(given: npt.ArrayLike) -> Any:
    """Shares of the users, array in, array out. Raises `ValueError` for one outside [0, 1]."""
    array = np.asarray(given, dtype=np.float64)
    if not ((array >= 0) & (array <= 1)).all():  # also refuses NaN
        raise ValueError(f"a share of the users lies between 0 and 1, got {array}")
    return array[()]


def whole_numbers(
    name: str, given: npt.ArrayLike, least: int, most: int, length: int | None = None
) -> Ints:
    """The given as integers, shape (n,).

    Raises `TypeError` for other numbers, `ValueError` for others in range.
    """
    array = np.asarray(given)
    if array.ndim != 1 or (length is not None and array.size != length):
        raise ValueError(
            f"{name} come as one row{f' of {length}' if length is not None else ''}, got "
            f"{array.shape}"
        )
    if array.dtype.kind not in "iu":
        if array.size:
            raise TypeError(f"{name} are whole numbers, got {array.dtype} such as {array[0]!r}")
        return np.empty(0, dtype=np.int64)
    if array.size and not (array.min() >= least and array.max() <= most):
        wrong = array[(array < least) | (array > most)][0]
        raise ValueError(f"{name} are whole numbers from {least} to {most}, got {wrong}")
    return array.astype(np.int64, copy=False)


def shaped(name: str, values: npt.ArrayLike, shape: tuple[int | None, ...]) -> Floats:
    """The values as doubles.

    Raises `ValueError` for another shape, in which None stands for any length.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != len(shape) or any(
        n not in (None, m) for n, m in zip(shape, array.shape, strict=True)
    ):
        expected = ", ".join("n" if length is None else str(length) for length in shape)
        raise ValueError(f"{name} have shape ({expected}), got {array.shape}")
    return array


def reports_of_reals(reports: npt.ArrayLike, shape: tuple[int | None, ...], bound: float) -> Floats:
    """Reports that came, as doubles: what a mechanism with this largest report, inf if there is
    none, can have made.

    Raises `ValueError` for another shape, for none at all, and for one that is not finite or
    exceeds the bound.
    """
    given = shaped("reports", reports, shape)
    if not given.size:
        raise ValueError("an estimate needs at least one report")
    largest = min(bound * (1 + ROUNDING), sys.float_info.max)
    if not (given.min() >= -largest and given.max() <= largest):  # a NaN makes a comparison false
        wrong = given[~(np.abs(given) <= largest)][0]
        limits = "finite" if largest == sys.float_info.max else f"between {-bound:g} and {bound:g}"
        raise ValueError(f"a report is {limits}, got {wrong}: no user's mechanism makes it")
    return given


def within_one(values: npt.ArrayLike) -> Floats:
    """The values as doubles, shape as given; one that a rounding took beyond 1 or -1 is 1 or -1.

    Raises `ValueError` for one that lies outside [-1, 1] by more than 1e-9, and for NaN.
    """
    array = to_the_bound(np.asarray(values, dtype=np.float64))
    if array.size and not (
        array.min() >= -1 and array.max() <= 1
    ):  # a NaN makes a comparison false
        wrong = array[~(np.abs(array) <= 1)][0]
        raise ValueError(
            f"a value lies in [-1, 1], got {wrong}: scale data from the range that they can have"
        )
    return array


def to_the_bound(array: Floats) -> Floats:
    """The same, with 1 or -1 for what exceeds them by a rounding, as scaled ends of a range may;
    others stay.
    """
    if not array.size or (array.min() >= -1 and array.max() <= 1):
        return array
    distance = np.abs(array)
    return np.where((distance > 1) & (distance <= 1 + ROUNDING), np.sign(array), array)


def users_and_items(users: int, items: int) -> None:
    """Raise `ValueError` unless there are two users and one item at least, `TypeError` for what is
    no whole number.
    """
    for name, value in (("users", users), ("items", items)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} is a whole number, got {value!r}")
    if users < 2:
        raise ValueError(
            f"sharing needs at least 2 users, got users={users}: one user has nobody to share with"
        )
    if items < 1:
        raise ValueError(f"there is at least 1 item, got items={items}")


def probability(name: str, value: float | Fraction) -> None:
    """Raise `ValueError` unless the value lies in (0, 1], `TypeError` for what is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise TypeError(f"{name} is a number, got {value!r}")
    if not 0 < value <= 1:  # also refuses NaN
        raise ValueError(f"{name} is a probability above 0 and at most 1, got {value}")


def reported_items(reported: int, items: int) -> None:
    """Raise `ValueError` unless 1 <= k <= N, `TypeError` unless k is a whole number."""
    if not isinstance(reported, int) or isinstance(reported, bool):
        raise TypeError(f"reported is a whole number of items (k = αN), got {reported!r}")
    if not 1 <= reported <= items:
        raise ValueError(f"a user reports on 1 to {items} items, got reported={reported}")


def favour(gamma: float | None) -> None:
    """Raise `ValueError` unless γ is None (uniform reporting sets) or a finite number above 1."""
    if gamma is not None and not (
        isinstance(gamma, int | float | Fraction) and 1 < gamma < float("inf")
    ):
        raise ValueError(
            f"gamma is above 1 for adaptive reporting sets and left out for uniform ones, "
            f"got {gamma!r}"
        )


def reporter_bound(bound: int, users: int) -> None:
    """Raise `ValueError` unless 0 <= φ < n, so that φ + 1 users can be elected.

    Raise `TypeError` for no whole number.
    """
    if not isinstance(bound, int) or isinstance(bound, bool):
        raise TypeError(f"bound is a whole number of users, got {bound!r}")
    if not 0 <= bound < users:
        raise ValueError(
            f"bound + 1 users are elected for an item, so bound lies in 0..{users - 1}, got {bound}"
        )


def one_of(name: str, value: str, allowed: Sequence[str]) -> None:
    """Raise `ValueError` unless the value is among those allowed."""
    if value not in allowed:
        raise ValueError(f"{name} is {' or '.join(allowed)}, got {value!r}")


def count_of_users(name: str, value: int) -> None:
    """Raise `ValueError` for a number of users below 0, `TypeError` for no whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} is a whole number of users, got {value!r}")
    if value < 0:
        raise ValueError(f"{name} is a number of users from 0, got {value}")
