"""Parameters that protocols refuse, each with what was given and what was expected."""


def users_and_items(users: int, items: int) -> None:
    """Raise `ValueError` unless there are two users and one item at least, `TypeError` for what is no whole number."""
    for name, value in (("users", users), ("items", items)):
        if not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"{name} is a whole number, got {value!r}")
    if users < 2:
        raise ValueError(f"sharing needs at least 2 users, got users={users}: one user has nobody to share with")
    if items < 1:
        raise ValueError(f"there is at least 1 item, got items={items}")


def probability(name: str, value: float) -> None:
    """Raise `ValueError` unless the value lies in (0, 1]."""
    if not 0 < value <= 1:  # also refuses NaN
        raise ValueError(f"{name} is a probability above 0 and at most 1, got {value}")
