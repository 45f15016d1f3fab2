"""Checks of the types of numbers that callers give.

Python takes `True` for 1, and compares 2.5 with a count without an error. So a wrong number would
often be noticed late, in another place or never. Integers and reals of numpy are accepted.
"""

from fractions import Fraction
from typing import TypeGuard

import numpy as np

Real = float | Fraction


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer of Python or numpy, and no bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: object) -> bool:
    """Return whether a value is an integer or float of Python or numpy, or a fraction; no bool."""
    return is_integer(value) or isinstance(value, float | Fraction | np.floating)


def integer(what: str, value: int) -> int:
    """Return the value as an `int`. Raises `TypeError` for a bool, and for a value that is not an
    integer, such as 2.0.

    >>> integer("members", 3)
    3
    >>> integer("members", 2.5)
    Traceback (most recent call last):
        ...
    TypeError: members must be a whole number, such as 3, got 2.5
    """
    if type(value) is int:  # the usual case, fast
        return value
    if not is_integer(value):
        _refuse_sealed(value)
        raise TypeError(f"{what} must be a whole number, such as 3, got {value!r}")
    return int(value)


def real(what: str, value: Real) -> Real:
    """Return an integer or a float of Python or numpy, or a fraction, as an `int`, a `float` or a
    `Fraction`. Raises `TypeError` for any other value. NaN and infinity are left to the caller.

    >>> real("slowness", 1.5)
    1.5
    >>> real("slowness", 1j)
    Traceback (most recent call last):
        ...
    TypeError: slowness must be a real number, such as 0.5, got 1j
    """
    if type(value) is float or type(value) is int or type(value) is Fraction:  # the usual cases
        return value
    if not is_real(value):
        _refuse_sealed(value)
        raise TypeError(f"{what} must be a real number, such as 0.5, got {value!r}")
    if is_integer(value):
        return int(value)
    return value if isinstance(value, Fraction) else float(value)


def _refuse_sealed(value: object) -> None:
    """Compare the value with a number: a sealed value refuses this by an error of its own, which
    says what a script has to do.
    """
    try:
        value < 0  # type: ignore[operator]  # noqa: B015  # any object may come here
    except TypeError as error:
        if type(error) is not TypeError:
            raise
