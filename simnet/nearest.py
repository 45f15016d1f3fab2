"""Names that were probably meant: for errors about names that nothing has."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one, upper and lower case aside; None if none is."""
    from difflib import get_close_matches  # here, not above: needed only when something is wrong

    by_lower = {word.lower(): word for word in known}
    close = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question to put behind a name that nothing has; empty where no name is like it."""
    meant = nearest(name, known)
    return "" if meant is None else f" (did you mean {meant}?)"
