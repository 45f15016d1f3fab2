"""Who takes part in a run: seats, the roster of all parties, and groups of parties."""

import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence

import attrs
import numpy as np

from simnet.arrays import Indices, Ints, Words
from simnet.checks import integer
from simnet.errors import BadInput

Script = Callable[..., Awaitable[object]]


def _place(index: int) -> int:
    return integer("the index of a seat", index)


def _count(members: int | None) -> int | None:
    return None if members is None else integer("the number of members", members)


@attrs.frozen
class Seat:
    """What one party plays: a script, and the party's place among the parties that play this
    script.

    `script` is an async method of the protocol. `index` is the place, from 1. Unless `role` is
    given, the role has the name of the method.

    A seat with `members` belongs to a crowd: one script plays that many alike parties. Each member
    is billed like one party and, if the script takes an input, has its own input.

    Raises `TypeError` if `script` is not an async function, and for an index or a number of members
    that is not a whole number. Raises `ValueError` for an index below 1 and for a crowd without
    members.

    >>> async def server(me): ...
    >>> Seat(server).role, Seat(server).takes_input, Seat(server, members=500).size
    ('server', False, 500)
    """

    script: Script
    index: int = attrs.field(default=1, converter=_place)
    members: int | None = attrs.field(default=None, converter=_count)
    role: str = attrs.field(kw_only=True)

    @role.default
    def _name_of_script(self) -> str:
        return str(getattr(self.script, "__name__", ""))

    def __attrs_post_init__(self) -> None:
        if not inspect.iscoroutinefunction(self.script):
            raise TypeError(
                f"a seat needs an async method of the protocol, such as Seat(self.server), "
                f"got {self.script!r}"
            )
        if self.index < 1:
            raise ValueError(f"the index of a seat counts from 1, got index={self.index}")
        if self.members is not None and self.members < 1:
            raise ValueError(f"a crowd needs at least 1 member, got members={self.members}")

    @property
    def takes_input(self) -> bool:
        """Whether the script takes an input besides its party."""
        return len(inspect.signature(self.script).parameters) > 1

    @property
    def size(self) -> int:
        """The number of parties that the seat stands for: 1, or the members of the crowd."""
        return 1 if self.members is None else self.members


def seats(prefix: str, script: Script, count: int) -> dict[str, Seat]:
    """Return seats for `count` parties that all play `script`. The names of the parties are
    `prefix` with 1, 2, ... behind it.

    Raises `TypeError` for a count that is not a whole number, and `ValueError` for a negative
    count.

    >>> async def user(me, item): ...
    >>> list(seats("u", user, 3))
    ['u1', 'u2', 'u3']
    """
    count = integer("the number of parties", count)
    if count < 0:
        raise ValueError(f"the number of parties must be at least 0, got {count}")
    return {f"{prefix}{index}": Seat(script, index) for index in range(1, count + 1)}


class Group:
    """Some parties of a run in a fixed order.

    A script gets a group from `Party.all` or `Party.group`. Two groups are equal only if they are
    the same object.

    >>> async def user(me): ...
    >>> users = Roster(seats("u", user, 3)).role("user")
    >>> len(users), list(users), "u4" in users
    (3, ['u1', 'u2', 'u3'], False)
    """

    __slots__ = ("__dict__", "_roster", "numbers")

    def __init__(self, roster: "Roster", numbers: Indices) -> None:
        self._roster = roster
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[str]:
        names = self._roster.names
        return (names[number] for number in self.numbers.tolist())

    def __contains__(self, name: object) -> bool:
        return (
            name in self._roster.number
            and self.position(self._roster.number[str(name)]) is not None
        )

    def position(self, number: int) -> int | None:
        """Return the place in the group, from 0, of the party with this number in the roster, or
        None if the party is not in the group.
        """
        if self.run is not None:
            place = number - self.run.start
            return place if 0 <= place < len(self) else None
        return self._places.get(number)

    def pick(self, places: Ints) -> "Group":
        """Return the parties at these places of the group, from 0, as a group.

        The same array object gives the same group object, if the array is read-only.
        """
        if places.flags.writeable:  # it may contain other places at the next call
            return Group(self._roster, self.numbers[places])
        known = self._picked.get(id(places))
        if known is None:
            group = Group(self._roster, self.numbers[places])
            # Keep the array, too: while it lives, no other array can get the same id.
            known = self._picked[id(places)] = (places, group)
        return known[1]

    @functools.cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the parties, in order."""
        return tuple(self)

    @functools.cached_property
    def _picked(self) -> dict[int, tuple[Ints, "Group"]]:
        return {}

    @functools.cached_property
    def run(self) -> slice | None:
        """The numbers of the parties as a slice, if there are parties and their numbers ascend by
        1; else None.
        """
        if not len(self) or np.any(np.diff(self.numbers) != 1):
            return None
        return slice(int(self.numbers[0]), int(self.numbers[-1]) + 1)

    @functools.cached_property
    def size(self) -> int:
        """The number of parties that the group stands for; every member of a crowd counts."""
        return sum(self._roster.seats[number].size for number in self.numbers.tolist())

    @functools.cached_property
    def fingerprint(self) -> int:
        """The sum of the parties' tokens (see `_tokens`) mod 2**64."""
        return int(self._roster.tokens[self.numbers].sum())

    @functools.cached_property
    def address(self) -> int:
        """The sum of the parties' numbers."""
        return int(self.numbers.sum())

    @functools.cached_property
    def _places(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.listed)}

    @functools.cached_property
    def listed(self) -> tuple[int, ...]:
        """The numbers of the parties as Python numbers."""
        return tuple(self.numbers.tolist())


class Roster:
    """The parties of one run, numbered from 0 in the order in which the protocol names them.

    Raises `BadInput` if `parties` is not a mapping of names to seats, if it is empty, or if one
    role has two scripts.
    """

    def __init__(self, parties: Mapping[str, Seat]) -> None:
        _check(parties)
        if not parties:
            raise BadInput("the protocol has no parties: its `parties()` returns an empty mapping")
        self.names: list[str] = list(parties)
        self.seats: list[Seat] = list(parties.values())
        self.number: dict[str, int] = {name: number for number, name in enumerate(self.names)}
        self.roles: list[str] = list(dict.fromkeys(seat.role for seat in self.seats))
        self.crowds = frozenset(
            number for number, seat in enumerate(self.seats) if seat.members is not None
        )
        self.scripts: dict[str, Script] = {}
        for name, seat in parties.items():
            if self.scripts.setdefault(seat.role, seat.script) != seat.script:
                raise BadInput(
                    f"{name} plays the role {seat.role!r} with another script than the parties "
                    "before it: give one of the two scripts another role name"
                )
        self.with_input = frozenset(
            role for role, script in self.scripts.items() if Seat(script).takes_input
        )
        self.tokens = _tokens(len(self.names))
        self._singles: dict[str, Group] = {}
        self._groups: dict[str | tuple[str, ...], Group] = {}
        self._by_members: dict[tuple[int, ...], Group] = {}

    def __len__(self) -> int:
        return len(self.names)

    def role(self, role: str) -> Group:
        """Return the parties that play `role`, in order.

        Raises `BadInput` if no party plays `role`.
        """
        if role not in self._groups:
            if role not in self.roles:
                raise BadInput(
                    f"nobody plays {role!r} in this run, which has these roles: "
                    f"{', '.join(self.roles)}"
                )
            members = [number for number, seat in enumerate(self.seats) if seat.role == role]
            self._groups[role] = self._group_of(members)
        return self._groups[role]

    def single(self, name: str) -> Group:
        """Return the group that contains one party only.

        Raises `BadInput` if no party has this name.
        """
        group = self._singles.get(name)
        if group is None:
            group = self._singles[name] = self._group_of([self.find(name)])
        return group

    def group(self, names: "str | Group | Iterable[str]") -> Group:
        """Return the named parties as a group.

        Raises `BadInput` for unknown or repeated names.
        """
        if isinstance(names, Group):
            return names
        if isinstance(names, str):
            return self.single(names)
        listed = tuple(names)
        if listed not in self._groups:
            numbers = [self.find(name) for name in listed]
            if len(set(listed)) != len(listed):
                raise BadInput(f"a group names a party twice: {', '.join(listed)}")
            self._groups[listed] = self._group_of(numbers)
        return self._groups[listed]

    def _group_of(self, numbers: Sequence[int]) -> Group:
        """Return one object for the same parties in the same order: sums tell groups apart by
        identity.
        """
        members = tuple(numbers)
        group = self._by_members.get(members)
        if group is None:
            group = self._by_members[members] = Group(self, np.array(members, dtype=np.intp))
        return group

    def find(self, name: str) -> int:
        """Return the number of a party. Raises `BadInput` if no party has this name."""
        if name not in self.number:
            raise BadInput(f"no party of this run is called {name!r}: {self.describe()}")
        return self.number[name]

    def describe(self) -> str:
        """Return one line that lists the parties, role by role; long lists are shortened."""
        parts = []
        for role in self.roles:
            group = self.role(role)
            names = list(group)
            in_crowds = sum(
                self.seats[number].size for number in self.crowds.intersection(group.listed)
            )
            crowd = f" ({in_crowds:,} in a crowd)" if in_crowds else ""
            several = "" if len(names) == 1 else "s"
            parts.append(f"{role}{several}: {_listed(names)}{crowd}")
        return ", ".join(parts)


def _listed(names: Sequence[str]) -> str:
    first = re.fullmatch(r"(.*?)(\d+)", names[0])
    if first is not None and len(names) > 1:
        low = int(first[2])
        if all(name == f"{first[1]}{low + place}" for place, name in enumerate(names)):
            return f"{names[0]}..{names[-1]}"
    if len(names) > NAMES_LISTED:
        return f"{', '.join(names[: NAMES_LISTED - 1])}, ..., {names[-1]}"
    return ", ".join(names)


def _check(parties: object) -> None:
    if not isinstance(parties, Mapping):
        raise BadInput(
            f"parties() must return a mapping from names to seats, such as "
            f'{{"server": Seat(self.server)}}, got {type(parties).__name__}'
        )
    for name, seat in parties.items():
        if not isinstance(name, str) or not isinstance(seat, Seat):
            raise BadInput(
                f"parties() must map names to seats, such as "
                f'"server" to Seat(self.server), but it maps {name!r} to {seat!r}'
            )


def _tokens(count: int) -> Words:
    """Return a token for each party. The sum of several tokens serves as a fingerprint of the
    parties.

    The low 24 bits of a token hold the number 1, so the low bits of a sum count its tokens. The
    other 40 bits come from SplitMix64.
    """
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (state ^ (state >> np.uint64(31))) << np.uint64(24) | np.uint64(1)


COUNT_MASK = np.uint64((1 << 24) - 1)
# The most names that a message lists for a role whose parties are not numbered consecutively.
NAMES_LISTED = 6
