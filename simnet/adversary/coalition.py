"""Collusion sets: who pools what they know, written so that a set keeps its meaning when a run has
more users.
"""

import re
from collections.abc import Iterable

import attrs

from simnet.errors import BadInput
from simnet.roster import Roster

NETWORK = "network"
WAYS = (
    "'u3', 'u1..u5', 'all users', 'all users but one', 'all users but 3', 'half of the users', "
    "'everyone', 'network'"
)

_COUNTED = re.compile(r"(all|half of the) (\S+)(?: but (one|\d+))?")


@attrs.frozen
class Coalition:
    """The corrupt parties in the order of the roster; `network` sees sender, recipient, bytes and
    round of all.
    """

    parties: tuple[str, ...]
    network: bool = False

    def __str__(self) -> str:
        names = [*_runs(self.parties), *[NETWORK] * self.network]
        return ", ".join(names)


def coalition_of(given: str | Iterable[str] | Coalition, roster: Roster) -> Coalition:
    """The set that a text such as `u1..u5, server`, or several of them, describes.

    Raises `BadInput` for one that is empty or names nobody.
    """
    if isinstance(given, Coalition):
        given = [*given.parties, *[NETWORK] * given.network]
    texts = [given] if isinstance(given, str) else list(given)
    parts = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    if not parts:
        raise BadInput(f"a collusion set names at least one party, such as {WAYS}")
    chosen: set[int] = set()
    for part in parts:
        if part != NETWORK:
            chosen.update(_members(part, roster))
    return Coalition(tuple(roster.names[number] for number in sorted(chosen)), NETWORK in parts)


def _members(part: str, roster: Roster) -> Iterable[int]:
    """The parties that one part of a text stands for."""
    if part in roster.number:
        return [roster.number[part]]
    if part == "everyone":
        return range(len(roster))
    if match := _COUNTED.fullmatch(part):
        return _counted(part, match[1], match[2], match[3], roster)
    first, dots, last = part.partition("..")
    if dots and first in roster.number and last in roster.number:
        low, high = roster.number[first], roster.number[last]
        if low <= high:
            return range(low, high + 1)
        raise BadInput(
            f"the collusion set names {part!r}, which runs backwards: write {last}..{first}"
        )
    raise BadInput(
        f"the collusion set names {part!r}, which is no party of this run ({roster.describe()}); "
        f"a set is written {WAYS}"
    )


def _counted(part: str, how_many: str, word: str, but: str | None, roster: Roster) -> list[int]:
    """The first members of a role, named in the plural or not: all, all but some, or half of them,
    rounded down.
    """
    role = word if word in roster.roles else word.removesuffix("s")
    if role not in roster.roles:
        raise BadInput(
            f"the collusion set {part!r} speaks of a role that nobody plays: "
            f"{', '.join(roster.roles)}"
        )
    members: list[int] = roster.role(role).numbers.tolist()
    spared = 0 if but is None else 1 if but == "one" else int(but)
    kept = (len(members) // 2 if how_many != "all" else len(members)) - spared
    if kept < 1:
        raise BadInput(f"the collusion set {part!r} is empty: {len(members)} play {role}")
    return members[:kept]


def _runs(names: Iterable[str]) -> list[str]:
    """Names with those that count on, such as u1, u2, u3, drawn together."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _next(runs[-1][-1]) == name:
            runs[-1].append(name)
        else:
            runs.append([name])
    return [part for run in runs for part in ([f"{run[0]}..{run[-1]}"] if len(run) > 2 else run)]


def _next(name: str) -> str | None:
    match = re.fullmatch(r"(.*?)(\d+)", name)
    return None if match is None else f"{match[1]}{int(match[2]) + 1}"
