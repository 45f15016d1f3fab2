"""Coalitions: which parties collude and pool what they know.

A coalition is written in words that keep their meaning when a run has more users::

    "u1..u5, server"            five users and the server
    "all users but one"         u1 to u(n-1)
    "half of the users"         u1 to u(n/2), rounded down
    "5000 users"                u1 to u5000
    "everyone"                  all parties
    "u3, network"               u3, who also sees who sends how much to whom
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from simnet.errors import BadInput
from simnet.roster import Roster

NETWORK = "network"
EXAMPLES = (
    "'u3', 'u1..u5', 'all users', 'all users but one', 'all users but 3', 'half of the users', "
    "'20 users', 'everyone', 'network'"
)

MOST_PIECES = 1000  # a longer list is split at every comma
_COUNTED = re.compile(r"(all|half of the) (\S+)(?: but (one|\d+))?")
_NUMBER = re.compile(r"([1-9]\d*) (\S+)")


@attrs.frozen
class Coalition:
    """The parties that collude, in the order of the roster.

    If `network` is set, the coalition also sees the sender, recipient, size and round of every
    message from one party to another.
    """

    parties: tuple[str, ...]
    network: bool = False

    def __str__(self) -> str:
        """The parties in short: three or more consecutive names are a range, `u1..u5, server`."""
        return ", ".join([*_ranges(self.parties), *[NETWORK] * self.network])


CoalitionLike = str | Iterable[str] | Coalition  # a text, names of parties, or a coalition


def coalition_of(corrupt: CoalitionLike, roster: Roster) -> Coalition:
    """Return the coalition that a text such as `u1..u5, server`, or a list of such texts,
    describes.

    Raises `BadInput` for an empty coalition, for words of an unknown form, for a name that no party
    and no role of the run has, for a range that runs backwards, and for more parties than a role
    has.
    """
    if isinstance(corrupt, Coalition):
        corrupt = [*corrupt.parties, *[NETWORK] * corrupt.network]
    texts = [corrupt] if isinstance(corrupt, str) else list(corrupt)
    parts = [part for text in texts for part in _parts(text, roster)]
    if not parts:
        raise BadInput(f"this coalition is empty: write for example {EXAMPLES}")
    numbers: set[int] = set()
    for part in parts:
        if part != NETWORK:
            numbers.update(_members(part, roster))
    return Coalition(tuple(roster.names[number] for number in sorted(numbers)), NETWORK in parts)


def _parts(text: str, roster: Roster) -> Iterator[str]:
    """Split a text at commas. The name of a party may contain commas. So we go from left to right,
    and join the largest number of pieces that together are a name. A text of more than
    `MOST_PIECES` pieces is split at every comma.
    """
    pieces = text.split(",")
    place = 0
    while place < len(pieces):
        end = len(pieces) if len(pieces) <= MOST_PIECES else place + 1
        while end > place + 1 and ",".join(pieces[place:end]).strip() not in roster.number:
            end -= 1
        part = ",".join(pieces[place:end]).strip()
        place = end
        if part:
            yield part


def _members(part: str, roster: Roster) -> Iterable[int]:
    if part in roster.number:
        return [roster.number[part]]
    if part == "everyone":
        return range(len(roster))
    if match := _COUNTED.fullmatch(part):
        return _counted_members(part, match[1], match[2], match[3], roster)
    if match := _NUMBER.fullmatch(part):
        members = _of_role(part, match[2], roster)
        if int(match[1]) > len(members):
            raise BadInput(f"the coalition {part!r} is too large: {_size(members, roster)}")
        return members[: int(match[1])]
    first, dots, last = part.partition("..")
    if dots and first in roster.number and last in roster.number:
        low, high = roster.number[first], roster.number[last]
        if low <= high:
            return range(low, high + 1)
        raise BadInput(f"the coalition names {part!r}, which runs backwards: write {last}..{first}")
    raise BadInput(
        f"the coalition names {part!r}, which is no party of this run ({roster.describe()}); "
        f"a coalition is written {EXAMPLES}"
    )


def _counted_members(
    part: str, how_many: str, word: str, but: str | None, roster: Roster
) -> list[int]:
    members = _of_role(part, word, roster)
    spared = 0 if but is None else 1 if but == "one" else int(but)
    count = (len(members) // 2 if how_many != "all" else len(members)) - spared
    if count < 1:
        raise BadInput(f"the coalition {part!r} is empty: {_size(members, roster)}")
    return members[:count]


def _size(members: Sequence[int], roster: Roster) -> str:
    parties = f"{len(members)} part{'ies' if len(members) != 1 else 'y'}"
    return f"the role {roster.seats[members[0]].role} has {parties}"


def _of_role(part: str, word: str, roster: Roster) -> list[int]:
    role = word if word in roster.roles else word.removesuffix("s")
    if role not in roster.roles:
        raise BadInput(
            f"the coalition {part!r} names a role that nobody plays: "
            f"expected {', '.join(roster.roles)}"
        )
    members: list[int] = roster.role(role).numbers.tolist()
    return members


def _ranges(names: Iterable[str]) -> list[str]:
    """The names, with three or more consecutive names, such as u1, u2, u3, written as a range
    u1..u3.
    """
    runs: list[list[str]] = []
    for name in names:
        if runs and _successor(runs[-1][-1]) == name:
            runs[-1].append(name)
        else:
            runs.append([name])
    return [part for run in runs for part in ([f"{run[0]}..{run[-1]}"] if len(run) > 2 else run)]


def _successor(name: str) -> str | None:
    match = re.fullmatch(r"(.*?)(\d+)", name)
    return None if match is None else f"{match[1]}{int(match[2]) + 1}"
