"""Who takes part: seats, the roster of a run, and groups of its parties."""

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping

import attrs
import numpy as np

from simnet.arrays import Indices, Ints, Words
from simnet.errors import BadInput

Script = Callable[..., Awaitable[object]]


@attrs.frozen
class Seat:
    """What a party plays: a script, and the party's place among those who play it, from 1.

    `script` is an async method of the protocol, called as `script(party)` or, when its parties hold
    an input, as `script(party, input)`. The role is called like the method, unless `role` says
    otherwise. A seat with `members` is a crowd's: one script stands for so many parties who do the
    same, each with an input and coins of its own, and is billed as many. Raises `TypeError` for
    what is no async function, `ValueError` for a crowd without members.
    """

    script: Script
    index: int = 1
    members: int | None = None
    role: str = attrs.field(kw_only=True)

    @role.default
    def _name_of_script(self) -> str:
        return str(getattr(self.script, "__name__", ""))

    def __attrs_post_init__(self) -> None:
        if not inspect.iscoroutinefunction(self.script):
            raise TypeError(
                f"a seat holds an async method of the protocol, such as Seat(self.server), "
                f"got {self.script!r}"
            )
        if self.members is not None and self.members < 1:
            raise ValueError(f"a crowd has at least 1 member, got members={self.members}")

    @property
    def takes_input(self) -> bool:
        """Whether the script asks for an input besides its party."""
        return len(inspect.signature(self.script).parameters) > 1

    @property
    def size(self) -> int:
        """How many parties the seat stands for."""
        return 1 if self.members is None else self.members


def seats(prefix: str, script: Script, count: int) -> dict[str, Seat]:
    """Seats of `count` parties `prefix1`…, all playing the same script."""
    return {f"{prefix}{index}": Seat(script, index) for index in range(1, count + 1)}


class Group:
    """Some parties of a run, without repetition, in a fixed order.

    Groups are compared by identity: keep one and use it again.
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
        """Where a party stands in the group, from 0; None when it is no member."""
        if self.run is not None:
            place = number - self.run.start
            return place if 0 <= place < len(self) else None
        return self._places.get(number)

    def pick(self, places: Ints) -> "Group":
        """The members at these places, from 0.

        It is the same group for the same array, so that all who hold the array share one group.
        """
        known = self._picked.get(id(places))
        if known is None:
            group = Group(self._roster, self.numbers[places])
            known = self._picked[id(places)] = (
                places,
                group,
            )  # the array is kept, so that its identity stays its own
        return known[1]

    @functools.cached_property
    def _picked(self) -> dict[int, tuple[Ints, "Group"]]:
        return {}

    @functools.cached_property
    def run(self) -> slice | None:
        """The members' numbers as a slice, when they follow one another."""
        if not len(self) or np.any(np.diff(self.numbers) != 1):
            return None
        return slice(int(self.numbers[0]), int(self.numbers[-1]) + 1)

    @functools.cached_property
    def size(self) -> int:
        """How many parties the group stands for, every member of a crowd counted."""
        return sum(self._roster.seats[number].size for number in self.numbers.tolist())

    @functools.cached_property
    def fingerprint(self) -> int:
        """The sum of the members' tokens mod 2**64."""
        return int(self._roster.tokens[self.numbers].sum())

    @functools.cached_property
    def address(self) -> int:
        """The sum of the members' numbers, by which a bill tells groups apart."""
        return int(self.numbers.sum())

    @functools.cached_property
    def _places(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.numbers.tolist())}


class Roster:
    """The parties of one run, numbered from 0 in the order in which the protocol names them."""

    def __init__(self, parties: Mapping[str, Seat]) -> None:
        _check(parties)
        if not parties:
            raise BadInput("a protocol without parties cannot run: its `parties()` is empty")
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
                raise BadInput(f"{name} plays {seat.role!r} by another script than others do")
        self.with_input = frozenset(
            role for role, script in self.scripts.items() if Seat(script).takes_input
        )
        self.tokens = _tokens(len(self.names))
        self._singles: dict[str, Group] = {}
        self._groups: dict[str | tuple[str, ...], Group] = {}

    def __len__(self) -> int:
        return len(self.names)

    def role(self, role: str) -> Group:
        """Everyone who plays `role`, in order; the same group each time."""
        if role not in self._groups:
            if role not in self.roles:
                raise BadInput(
                    f"nobody plays {role!r} in this run: the roles are {', '.join(self.roles)}"
                )
            members = [number for number, seat in enumerate(self.seats) if seat.role == role]
            self._groups[role] = Group(self, np.array(members, dtype=np.intp))
        return self._groups[role]

    def single(self, name: str) -> Group:
        """One party as a group, the same group each time.

        Raises `BadInput` for a name that nobody bears.
        """
        group = self._singles.get(name)
        if group is None:
            group = self._singles[name] = Group(self, np.array([self.find(name)], dtype=np.intp))
        return group

    def group(self, names: "str | Group | Iterable[str]") -> Group:
        """The named parties as a group, the same group each time.

        Raises `BadInput` for unknown or repeated names.
        """
        if isinstance(names, Group):
            return names
        if isinstance(names, str):
            return self.single(names)
        listed = tuple(names)
        if listed not in self._groups:
            numbers = np.array([self.find(name) for name in listed], dtype=np.intp)
            if len(set(listed)) != len(listed):
                raise BadInput(f"a group names a party twice: {', '.join(listed)}")
            self._groups[listed] = Group(self, numbers)
        return self._groups[listed]

    def find(self, name: str) -> int:
        """The number of a party. Raises `BadInput` for a name that nobody bears."""
        if name not in self.number:
            raise BadInput(f"no party of this run is called {name!r}: {self.describe()}")
        return self.number[name]

    def describe(self) -> str:
        """The parties in one line, role by role."""
        parts = []
        for role in self.roles:
            group = self.role(role)
            names = list(group)
            crowd = (
                f" ({group.size:,} in a crowd)"
                if self.crowds.intersection(group.numbers.tolist())
                else ""
            )
            parts.append(
                (f"{role}: {names[0]}" if len(names) == 1 else f"{role}s: {names[0]}..{names[-1]}")
                + crowd
            )
        return ", ".join(parts)


def _check(parties: object) -> None:
    """Raise `BadInput` unless this maps names to seats: anybody's `parties()` may return it."""
    if not isinstance(parties, Mapping):
        raise BadInput(
            f"parties() returns a mapping from names to seats, such as "
            f'{{"server": Seat(self.server)}}, got {type(parties).__name__}'
        )
    for name, seat in parties.items():
        if not isinstance(name, str) or not isinstance(seat, Seat):
            raise BadInput(
                f"parties() maps names to seats, such as "
                f'"server" to Seat(self.server), got {name!r} to {seat!r}'
            )


def _tokens(count: int) -> Words:
    """A number for each party such that a sum of tokens tells whose they are.

    The low 24 bits hold a 1, so that they count; above are 40 bits of SplitMix64. Two different
    sets of as many parties agree with chance 2**-40.
    """
    state = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (state ^ (state >> np.uint64(31))) << np.uint64(24) | np.uint64(1)


COUNT_MASK = np.uint64((1 << 24) - 1)
