"""Which users would have to collude to read a user's secret: the smallest sets, from the run's
linear forms.

A user's messages to others of its role fall apart into groups that share no coin. Where every coin
of a group is in at most two messages, as in additive sharing, the group is a connected graph with
messages for nodes and coins for edges: its coins cancel in the sum of all its messages and in
nothing less, so exactly those who receive all of them read what is left. In threshold sharing the
protocol's `enough_shares(recipients)` says how many suffice; that so many do and one fewer do not
is tried. Elsewhere sets of recipients are tried by size.
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import attrs

from simnet.adversary.knowledge import rows_of
from simnet.adversary.symbolic import Symbolic
from simnet.errors import BadInput
from simnet.kernel.run import Run, run
from simnet.linear.forms import Forms
from simnet.linear.pivoting import Vector, add_to
from simnet.linear.span import Span
from simnet.linear.terms import refine
from simnet.linear.unknowns import KINDS, PLACES, Unknowns

COIN, SECRET = KINDS.index("coin"), KINDS.index("secret")
MAX_SIZE = 3


@attrs.frozen
class BreakingSet:
    """Users who together read elements of another's secret: `values` by item, from 1.

    `fixes` says whether these tell all that the secret is: by the protocol's `fixes(values)`, or
    because all are read.
    """

    users: tuple[str, ...]
    values: Mapping[int, int]
    fixes: bool = False


@attrs.frozen
class Search:
    """The minimal breaking sets of a user, smallest first. When not `complete`, larger sets than
    `searched` may exist.

    Where all sets of some size break, the first stands for all of them.
    """

    user: str
    sets: tuple[BreakingSet, ...]
    complete: bool
    searched: int | None
    note: str

    @property
    def smallest(self) -> int | None:
        """The size of the smallest set; None if there is none, or none was found."""
        return min((len(one.users) for one in self.sets), default=None)


@attrs.frozen(eq=False)
class _Row:
    """One element of a message: its recipient, and its form."""

    recipient: int
    form: Vector


def smallest_breaking_sets(given: Run, user: str, max_size: int = MAX_SIZE) -> Search:
    """The minimal sets of others who play the user's role that read a part of its secret.

    Raises `BadInput` for a party that declares no secret.
    """
    return Searcher(given).search(user, max_size)


class Searcher:
    """A run read symbolically, to be searched for breaking sets of any of its users."""

    def __init__(self, given: Run) -> None:
        reading = Symbolic()
        self._run = run(
            given.protocol,
            given.inputs,
            given.seed,
            observe=given.roster.names,
            reading=reading,
            threads=1,
        )
        self._unknowns: Unknowns = reading.unknowns
        self._kinds = self._unknowns.kinds()
        self._declared = reading.declared
        self._rows: dict[tuple[int, int], list[_Row]] = defaultdict(list)
        self._others: list[tuple[int, Vector]] = []
        self._sent()

    def users(self) -> list[str]:
        """Those who have declared a secret."""
        return list(self._declared)

    def search(self, user: str, max_size: int = MAX_SIZE) -> Search:
        """The minimal sets that read a part of this user's secret."""
        if user not in self._declared:
            self._run.roster.find(user)  # a name that nobody bears is said to be
            raise BadInput(f"{user} has declared no secret in this run")
        number = self._run.roster.find(user)
        groups = list(self._groups(number))
        found: set[tuple[int, ...]] = set()
        notes: dict[str, None] = {}
        complete = True
        for modulus, group in groups:
            if all(count <= 2 for count in self._degrees(group).values()):
                notes["every coin is in at most two messages: exact at any size"] = None
                found |= self._whole(number, modulus, group)
                continue
            tried, note, settled = self._tried(number, modulus, group, max_size)
            found |= tried
            notes[note] = None
            complete = complete and settled
        doubt = self._doubt(number, groups)
        if doubt:
            complete, notes = False, {**notes, doubt: None}
        minimal = [
            chosen for chosen in found if not any(set(other) < set(chosen) for other in found)
        ]
        sets = [
            self._breaking(user, chosen, groups)
            for chosen in sorted(minimal, key=lambda one: (len(one), one))
        ]
        return Search(user, tuple(sets), complete, None if complete else max_size, "; ".join(notes))

    def _sent(self) -> None:
        """Sort what reaches users: by sender and modulus what it sends to its own role, and all
        forms by sender.
        """
        seats = self._run.roster.seats
        users = {self._run.roster.find(name) for name in self._declared}
        for block in self._run.transcript.blocks:
            for place, recipient in enumerate(block.recipients):
                if recipient not in users:
                    continue
                payload = block.rows[place]
                for piece in payload if isinstance(payload, tuple) else (payload,):
                    if not isinstance(piece, Forms):
                        continue
                    forms = rows_of(refine(piece.terms, 1))
                    self._others += [(block.sender, form) for form in forms]
                    if seats[recipient].role == seats[block.sender].role:
                        self._rows[block.sender, piece.field.modulus] += [
                            _Row(recipient, form) for form in forms
                        ]

    def _groups(self, number: int) -> Iterator[tuple[int, list[_Row]]]:
        """A user's elements in groups that share no coin of its own."""
        for (sender, modulus), rows in self._rows.items():
            if sender != number:
                continue
            by_coin: dict[int, list[int]] = defaultdict(list)
            for place, row in enumerate(rows):
                for unknown in self._coins(row):
                    by_coin[unknown].append(place)
            waiting = dict.fromkeys(range(len(rows)))
            while waiting:
                group = [waiting.popitem()[0]]
                for place in group:
                    for unknown in self._coins(rows[place]):
                        for other in by_coin.pop(unknown, ()):
                            if other in waiting:
                                del waiting[other]
                                group.append(other)
                yield modulus, [rows[place] for place in sorted(group)]

    def _coins(self, row: _Row) -> list[int]:
        return [unknown for unknown in row.form if self._kinds[unknown // PLACES] == COIN]

    def _degrees(self, group: Sequence[_Row]) -> Mapping[int, int]:
        degrees: dict[int, int] = defaultdict(int)
        for row in group:
            for unknown in self._coins(row):
                degrees[unknown] += 1
        return degrees

    def _whole(self, number: int, modulus: int, group: Sequence[_Row]) -> set[tuple[int, ...]]:
        """The set that receives a whole group, if that reads something; none if the user itself is
        needed.
        """
        recipients = {row.recipient for row in group}
        return (
            set()
            if number in recipients or not self._read(modulus, group)
            else {tuple(sorted(recipients))}
        )

    def _tried(
        self, number: int, modulus: int, group: Sequence[_Row], max_size: int
    ) -> tuple[set[tuple[int, ...]], str, bool]:
        """Sets that break, what was searched, and whether that was all there is to search."""
        recipients = {row.recipient for row in group}
        others = sorted(recipients - {number})

        def read(chosen: Sequence[int]) -> dict[int, int]:
            return self._read(modulus, [row for row in group if row.recipient in chosen])

        enough = getattr(self._run.protocol, "enough_shares", None)
        if enough is not None:
            size = enough(len(recipients))
            if size > len(others) or (read(others[:size]) and not read(others[: size - 1])):
                found = {tuple(others[:size])} if size <= len(others) else set()
                return found, "by the threshold, one set stands for all of its size", True
        broken: set[tuple[int, ...]] = set()
        largest = min(max_size, len(others))
        for size in range(1, largest + 1):
            for chosen in itertools.combinations(others, size):
                if not any(set(smaller) <= set(chosen) for smaller in broken) and read(chosen):
                    broken.add(chosen)
        how = f"coins are in many messages: sets of up to {largest} users were tried"
        return broken, how, largest == len(others)

    def _read(self, modulus: int, rows: Sequence[_Row]) -> dict[int, int]:
        """The single elements of secrets that some elements of messages determine, by item from
        1.
        """
        coins, known = Span(modulus), Span(modulus)
        for place, row in enumerate(rows):
            held = {unknown: row.form[unknown] for unknown in self._coins(row)}
            rest, origin = coins.reduce(held, {place: 1})
            if rest:
                coins.add(held, {place: 1})
                continue
            told: Vector = {}
            for used, weight in origin.items():
                others = {
                    u: v for u, v in rows[used].form.items() if self._kinds[u // PLACES] != COIN
                }
                add_to(told, others, weight, modulus)
            known.add(told)
        single = [next(iter(vector)) for vector, _ in known.basis() if len(vector) == 1]
        secret = [unknown for unknown in single if self._kinds[unknown // PLACES] == SECRET]
        return {unknown % PLACES + 1: int(self._unknowns.values(unknown)[0]) for unknown in secret}

    def _doubt(self, number: int, groups: Sequence[tuple[int, list[_Row]]]) -> str:
        """Why sets may be missing that the groups do not show, if they may."""
        name = self._run.roster.names[number]
        own = [name in stream.holders for stream in self._unknowns.streams]
        whole: set[int] = set()
        parts: set[int] = set()
        for modulus, group in groups:
            told = {unknown for row in group for unknown in row.form}
            if any(not own[unknown // PLACES] for unknown in told):
                return "the user passes on what others sent: sets that use it were not searched"
            secrets = {unknown for unknown in told if self._kinds[unknown // PLACES] == SECRET}
            if len(self._read(modulus, group)) < len(
                secrets
            ):  # a part, which another group may complete
                if secrets & (whole | parts):
                    return "one secret is in several groups of messages: they were not combined"
                parts |= secrets
            elif secrets & parts:
                return "one secret is in several groups of messages: they were not combined"
            whole |= secrets
        if any(
            own[unknown // PLACES]
            for sender, form in self._others
            if sender != number
            for unknown in form
        ):
            return (
                "others pass on what holds the user's coins or secrets: sets that use it were "
                "not searched"
            )
        return ""

    def _names(self, numbers: Sequence[int] | set[int]) -> tuple[str, ...]:
        return tuple(self._run.roster.names[number] for number in sorted(numbers))

    def _breaking(
        self, user: str, chosen: tuple[int, ...], groups: Sequence[tuple[int, list[_Row]]]
    ) -> BreakingSet:
        """A set with all that it reads, whichever group it was found for."""
        told: dict[int, int] = {}
        for modulus, group in groups:
            told.update(self._read(modulus, [row for row in group if row.recipient in chosen]))
        whole = sum(forms.terms.rows * forms.terms.lanes for forms in self._declared[user])
        fixes = getattr(self._run.protocol, "fixes", lambda values: len(values) == whole)
        return BreakingSet(self._names(chosen), dict(sorted(told.items())), fixes(told))
