"""The settings of a scenario: the type, meaning and default of each, in words.

The words are written once, beside the type of the parameter::

    participation: Annotated[float, "p, the probability that a user takes part, 0 < p <= 1"]

`--help`, `simnet list` and error messages read them from there. A class or a function makes the
protocol of a scenario. A function may pass settings on to another function, as `**settings`. Such a
function names the other function with `hands_settings_to`, and we read the words of the settings
there.
"""

import types
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs

Make = TypeVar("Make", bound=Callable[..., Any])
SIZES = {"users": "n, the number of users", "items": "N, the number of items"}
KINDS = {bool: "true or false", int: "a whole number", float: "a number"}


@attrs.frozen
class Required:
    """A mark in the place of a default value, for a parameter that has none; `kind` is the
    parameter's type.
    """

    kind: Any


@attrs.frozen
class Setting:
    """One setting: its default, the type of its parameter, and its meaning."""

    name: str
    default: Any
    annotation: Any
    meaning: str

    @property
    def option(self) -> str:
        """The command-line option for the setting."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def type_in_words(self) -> str:
        """The values that the setting takes, in words."""
        choices = [value for value in get_args(self.annotation) if isinstance(value, str)]
        if get_origin(self.annotation) is Literal and choices:
            *others, last = choices
            return f"{', '.join(others)} or {last}" if others else last
        return KINDS.get(plain_kind(self.annotation, self.default), "text")

    @property
    def default_in_words(self) -> str:
        """The value of the setting when nobody sets it, in words."""
        if isinstance(self.default, Required):
            return "no default"
        if isinstance(self.default, bool):
            return f"default: {str(self.default).lower()}"
        return "not set by default" if self.default is None else f"default: {self.default}"

    @property
    def in_words(self) -> str:
        """Meaning, type and default of the setting."""
        about = f"{self.type_in_words}; {self.default_in_words}"
        return f"{self.meaning} ({about})" if self.meaning else about


def settings_in_words(make: Callable[..., Any], defaults: Mapping[str, Any]) -> list[Setting]:
    """Return the settings of the protocols that `make` makes, with their defaults."""
    annotations = _annotations(make)
    settings = []
    for name, default in defaults.items():
        annotation, meaning = annotations.get(name, (None, ""))
        settings.append(Setting(name, default, annotation, meaning or SIZES.get(name, "")))
    return settings


def hands_settings_to(other: Callable[..., Any]) -> Callable[[Make], Make]:
    """Return a decorator for a function that passes its settings on to the function `other`. The
    settings are then described by the words of `other`.
    """

    def noted(make: Make) -> Make:
        vars(make)["settings_from"] = other
        return make

    return noted


def plain_kind(annotation: Any, default: Any) -> Any:
    """Return the type that the text of a setting becomes (bool, int, float or str), or None if
    unknown.
    """
    members = [
        member
        for member in _members(annotation)
        if member not in (None, types.NoneType, Fraction, Any)
    ]
    if len(members) == 1 and members[0] in (bool, int, float, str):
        return members[0]
    kind = default.kind if isinstance(default, Required) else type(default)
    return kind if kind in (bool, int, float, str) else None


def _members(annotation: Any) -> tuple[Any, ...]:
    is_union = get_origin(annotation) in (Union, types.UnionType)
    return get_args(annotation) if is_union else (annotation,)


def _annotations(make: Callable[..., Any]) -> dict[str, tuple[Any, str]]:
    handed_on = getattr(make, "settings_from", None)
    found = {} if handed_on is None else _annotations(handed_on)
    try:
        hints = get_type_hints(make, include_extras=True)
    # An annotation that is meant for type checkers alone cannot be evaluated.
    except (NameError, TypeError):
        hints = {}
    for name, hint in hints.items():
        annotation, meaning = stripped(hint)
        found[name] = annotation, meaning or found.get(name, (None, ""))[1]
    return found


def stripped(hint: Any) -> tuple[Any, str]:
    """Return a type without its annotations, and the first text among these annotations."""
    if get_origin(hint) is not Annotated:
        return hint, ""
    kind, *said = get_args(hint)
    return kind, next((text for text in said if isinstance(text, str)), "")
