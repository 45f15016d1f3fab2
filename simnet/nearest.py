"""Suggestions for misspelt names, for use in error messages."""

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return a known name that is similar to `name`, or None if no name is similar. Case does not
    matter.
    """
    # Only error messages need this module, so we import it here.
    from difflib import get_close_matches

    by_lower = {word.lower(): word for word in known}
    close = get_close_matches(name.lower(), by_lower, n=1)
    return by_lower[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question that suggests a similar known name, or "" if there is none."""
    meant = nearest(name, known)
    return "" if meant is None else f" (did you mean {meant}?)"
