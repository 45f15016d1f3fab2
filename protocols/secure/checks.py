"""Parameters that protocols refuse, each with what was given and what was expected."""

from collections.abc import Sequence
from fractions import Fraction


def users_and_items(users: int, items: int) -> None:
    """Raise `ValueError` unless there are two users and one item at least, `TypeError` for what is no whole number."""
    for name, value in (("users", users), ("items", items)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} is a whole number, got {value!r}")
    if users < 2:
        raise ValueError(f"sharing needs at least 2 users, got users={users}: one user has nobody to share with")
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
    if gamma is not None and not (isinstance(gamma, int | float | Fraction) and 1 < gamma < float("inf")):
        raise ValueError(f"gamma is above 1 for adaptive reporting sets and left out for uniform ones, got {gamma!r}")


def reporter_bound(bound: int, users: int) -> None:
    """Raise `ValueError` unless 0 <= φ < n, so that φ + 1 users can be elected; `TypeError` for no whole number."""
    if not isinstance(bound, int) or isinstance(bound, bool):
        raise TypeError(f"bound is a whole number of users, got {bound!r}")
    if not 0 <= bound < users:
        raise ValueError(f"bound + 1 users are elected for an item, so bound lies in 0..{users - 1}, got {bound}")


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
