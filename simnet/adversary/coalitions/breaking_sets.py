"""Which users would have to collude to read another user's secret: the smallest breaking sets.

Theory of operation
-------------------

The run is read symbolically. A user then sends *elements*, linear forms of its coins and secrets::

    u1 shares s additively:      to u2: c1       to u3: c2      to u4: s - c1 - c2

A set of users *breaks* u1 if some combination of the elements that they receive contains secrets of
u1, and no coin or other secret. We also say that the users *read* something. They may read an
element of the secret, or for example the sum of two elements. A large run has too many sets of
users to try all of them, so we use the structure of the elements that u1 sends.
docs/proofs/breaking-sets.md proves the rules.

1. *Groups.* The elements that u1 sends to users of its own role form groups that share no coin. For
   example, if every element of a secret is shared with coins of its own, and users of this role get
   all the shares, the shares of each element are a group. Each group is searched by itself: a
   combination without coins is a sum of combinations without coins, one for each group. If the sum
   is not 0, one of these is not 0.

2. *If each coin occurs in at most two elements* (additive sharing), a combination without coins
   uses all elements of the group or none. So a set of users must receive the whole group to read
   anything. In the example {u2, u3, u4} reads s, and no smaller set reads anything. We compute
   whether the whole group tells anything.

3. *Otherwise* the protocol may state how many recipients are enough (`Thresholds`). If the protocol
   states the number k, we check three things: the elements are Shamir's shares of one secret
   element, one for each recipient; the first k recipients other than u1 (if there are k of them)
   read something; and the first k - 1 read nothing. The result then holds for every set of k
   recipients other than u1. If the protocol states nothing, or if a check fails, sets of recipients
   are tried by size, up to `max_size`. If more than `max_size` users, without u1, receive elements
   of such a group, the search is incomplete.

4. *Three more things make a search incomplete.* Elements of u1 may contain values that other
   parties know. Elements of other parties may contain coins or secrets of u1. And linear
   forms may not show all that field elements tell, for example if there are products or boxes.

The example above, as a run:

>>> from simnet import Field, Tag, constant, run, seats
>>> F, SHARE = Field(101), Tag("share")
>>> class Additive:
...     def parties(self):
...         return seats("u", self.user, 4)
...     async def user(self, me, number):
...         mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
...         if me.name == "u1":
...             first, second = me.coins.field(F, (1,)), me.coins.field(F, (1,))
...             await me.send(SHARE, "u2", first)
...             await me.send(SHARE, "u3", second)
...             await me.send(SHARE, "u4", mine - first - second)
...         else:
...             await me.receive(SHARE, "u1", shape=(1,))
>>> found = smallest_breaking_sets(run(Additive(), [5, 0, 0, 0], seed=1), "u1")
>>> found.sets, found.complete
((BreakingSet(users=('u2', 'u3', 'u4'), values={1: 5}, identifies_input=True),), True)
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs
import numpy as np

from simnet.adversary.coalitions.nonlinear import nonlinear_reason
from simnet.adversary.coalitions.shares_by_count import NotShared, check_points
from simnet.adversary.reading_again import read_blind, recorded
from simnet.adversary.symbolic import Symbolic
from simnet.contract import Identification, Thresholds
from simnet.errors import BadInput
from simnet.kernel.run import Run
from simnet.linear.forms import Forms
from simnet.linear.span import Span
from simnet.linear.terms import refine
from simnet.linear.unknowns import ONE, PLACES, UnknownKind, Unknowns
from simnet.linear.vectors import Vector, add_to
from simnet.record.message import Block

MAX_SIZE = 3
# If there are more parties of other roles than this, they are not listed one by one.
OTHERS_NAMED = 4

ADDITIVE_NOTE = "shares whose coins occur in at most two elements: sets of any size were searched"
THRESHOLD_NOTE = (
    "the shares are values of polynomials, and the protocol states how many are enough to read a "
    "secret: a set of recipients stands for all sets of equally many recipients"
)
FORWARDING_REASON = (
    "the user forwards values that it received, or sends values that others know, and what "
    "these values tell was not searched"
)
FORWARDED_REASON = (
    "other parties forward values that contain the user's coins or secrets, and what the forwarded "
    "values tell was not searched"
)

Users = tuple[int, ...]  # a set of users: their numbers in ascending order


@attrs.frozen
class BreakingSet:
    """Users who together can compute a function of another user's secret alone.

    `values` has the single elements that they can compute, by number: the elements of all secrets
    of the other user are numbered from 1. There may be none: users who can compute the sum of two
    elements may know neither. `identifies_input` says whether these elements identify the input
    behind the secrets: by the protocol's `Identification` or, without it, if they are all elements.
    """

    users: tuple[str, ...]
    values: Mapping[int, int]
    identifies_input: bool = False


@attrs.frozen
class BreakingSets:
    """The minimal breaking sets that were found for a user, smallest first.

    If the search is not `complete`, breaking sets of more than `searched` users may exist; for a
    complete search, `searched` is None. If the search relied on the protocol's threshold k, one set
    of k recipients of shares stands for all sets of k recipients, and `note` says so. `unsearched`
    says which coalitions the search ignores. `overlooked` says why even small sets of users may
    have been missed. These two texts are empty if there is nothing to say.
    """

    user: str
    sets: tuple[BreakingSet, ...]
    complete: bool
    searched: int | None
    note: str
    unsearched: str = ""
    overlooked: str = ""

    @property
    def smallest(self) -> int | None:
        """The size of the smallest breaking set that was found; None if no set was found."""
        return min((len(breaking.users) for breaking in self.sets), default=None)


@attrs.frozen(eq=False)
class Element:
    """One field element of a message: the number of its recipient, and its linear form."""

    recipient: int
    form: Vector


@attrs.frozen(eq=False)
class ElementGroup:
    """Elements over one field that one user sends."""

    modulus: int
    elements: Sequence[Element]

    @property
    def recipients(self) -> set[int]:
        """The numbers of all parties that receive an element of the group."""
        return {element.recipient for element in self.elements}

    @property
    def unknowns(self) -> set[int]:
        """All unknowns that occur in elements of the group."""
        return {unknown for element in self.elements for unknown in element.form}

    def received_by(self, users: Iterable[int]) -> "ElementGroup":
        """The elements of the group that these users receive."""
        members = frozenset(users)
        received = [element for element in self.elements if element.recipient in members]
        return ElementGroup(self.modulus, received)


@attrs.frozen
class GroupSearch:
    """The breaking sets of one group, how they were found, and whether the search was complete."""

    sets: frozenset[Users]
    note: str
    complete: bool


def smallest_breaking_sets(done: Run, user: str, max_size: int = MAX_SIZE) -> BreakingSets:
    """Return minimal sets of other users that can compute a function of this user's secret alone.

    Only sets of parties of the user's own role are searched. If sets must be tried by size, the
    search ends with sets of `max_size` users. Raises `BadInput` for a name that no party has and
    for a party that declares no secret. Raises `ScriptError` if the script is seen to behave
    differently when it is read again, or computes something for which verdicts have no rule.
    """
    return BreakingSearch(done).search(user, max_size)


class BreakingSearch:
    """Searches one run, which it reads symbolically, for the breaking sets of its users."""

    def __init__(self, done: Run) -> None:
        """Read the run again, with all its parties observed.

        Raises `ScriptError` if the script is seen to behave differently when it is read again, or
        computes something for which verdicts have no rule.
        """
        sampled, record = recorded(done, done.roster.names)
        reading = Symbolic(record)
        self._run = read_blind(sampled, done.roster.names, reading)
        self._unknowns: Unknowns = reading.unknowns
        self._nonlinear_reason = nonlinear_reason(reading)
        # Whether the rows of a matrix are those of Shamir's shares, by modulus, shape and content.
        self._shamirs: dict[tuple[int, tuple[int, ...], bytes], bool] = {}
        self._kinds: list[UnknownKind] = [family.kind for family in self._unknowns.families]
        self._secrets = reading.declared
        # The item of the first element of each secret. The items of a user's secrets are numbered
        # one after another, from 1.
        self._first_items: dict[int, int] = {}
        for declared in self._secrets.values():
            item = 1
            for forms in declared:
                if forms.terms.unknowns.size:
                    self._first_items[int(forms.terms.unknowns[0]) // PLACES] = item
                item += forms.terms.rows * forms.terms.lanes
        # The elements that each user sends to users of its role, by sender and modulus.
        self._elements: dict[tuple[int, int], list[Element]] = defaultdict(list)
        # Every form that a user receives, with the number of its sender.
        self._forms: list[tuple[int, Vector]] = []
        seats = self._run.roster.seats
        roles = {seats[self._run.roster.find(name)].role for name in self._secrets}
        # A party may receive parts of a secret although it declares no secret itself.
        users = frozenset(number for number, seat in enumerate(seats) if seat.role in roles)
        for block in self._run.transcript.blocks:
            self._read_block(block, users)

    def users(self) -> list[str]:
        """The names of the parties that have declared a secret."""
        return list(self._secrets)

    def search(self, user: str, max_size: int = MAX_SIZE) -> BreakingSets:
        """Return what `smallest_breaking_sets` returns, for a user of this run.

        Raises `BadInput` for a name that no party has and for a party that declares no secret.
        """
        # This call raises an error for a name that no party has.
        number = self._run.roster.find(user)
        if user not in self._secrets:
            raise BadInput(f"{user} has declared no secret in this run")
        groups = self._groups(number)
        found = [self._search_group(number, group, max_size) for group in groups]
        sets = {users for searched in found for users in searched.sets}
        notes = [searched.note for searched in found]
        complete = all(searched.complete for searched in found)
        reason = self._unsearched_reason(number, groups)
        if reason:
            complete, notes = False, [*notes, reason]
        breaking = tuple(self._breaking_set(user, users, groups) for users in _minimal(sets))
        note = "; ".join(filter(None, dict.fromkeys(notes)))
        return BreakingSets(
            user=user,
            sets=breaking,
            complete=complete,
            searched=None if complete else max_size,
            note=note,
            unsearched=self._unsearched(number),
            overlooked=reason,
        )

    # Elements and groups.

    def _read_block(self, block: Block, users: frozenset[int]) -> None:
        seats = self._run.roster.seats
        for message in block.messages():
            if message.recipient not in users:
                continue
            same_role = seats[message.recipient].role == seats[message.sender].role
            for piece in message.pieces:
                if not isinstance(piece, Forms):
                    continue
                forms = [
                    # A public number hides nothing and tells nothing.
                    {unknown: value for unknown, value in form.items() if unknown != ONE}
                    for form in refine(piece.terms, 1).vectors()
                ]
                self._forms += [(message.sender, form) for form in forms]
                if same_role:
                    elements = self._elements[message.sender, piece.field.modulus]
                    elements += [Element(message.recipient, form) for form in forms]

    def _groups(self, number: int) -> list[ElementGroup]:
        return [
            ElementGroup(modulus, [elements[place] for place in places])
            for (sender, modulus), elements in self._elements.items()
            if sender == number
            for places in _connected([self._coins(element.form) for element in elements])
        ]

    def _coins(self, form: Vector) -> list[int]:
        return [unknown for unknown in form if self._is(unknown, "coin")]

    def _is(self, unknown: int, kind: UnknownKind) -> bool:
        return self._kinds[unknown // PLACES] == kind

    # Sets that break one group.

    def _search_group(self, number: int, group: ElementGroup, max_size: int) -> GroupSearch:
        holders = Counter(coin for element in group.elements for coin in self._coins(element.form))
        if all(count <= 2 for count in holders.values()):
            return GroupSearch(self._full_recipient_set(number, group), ADDITIVE_NOTE, True)
        by_threshold = self._search_by_threshold(number, group)
        return by_threshold or self._search_by_size(number, group, max_size)

    def _full_recipient_set(self, number: int, group: ElementGroup) -> frozenset[Users]:
        """Return the set of users that receives the whole group, if this set reads something.

        Return no set if the user itself is one of the recipients.
        """
        recipients = group.recipients
        if number in recipients or not self._reads(number, group):
            return frozenset()
        return frozenset({tuple(sorted(recipients))})

    def _search_by_threshold(self, number: int, group: ElementGroup) -> GroupSearch | None:
        """Search by the protocol's own threshold.

        Return None if the protocol states no threshold, if its threshold turns out to be wrong for
        this group, or if the elements are not Shamir's shares.
        """
        protocol = self._run.protocol
        if not isinstance(protocol, Thresholds):
            return None
        if not self._are_shamirs_shares(number, group):
            return None
        others = sorted(group.recipients - {number})
        size = protocol.enough_shares(len(group.recipients))
        # If fewer users receive shares than are enough, all of them together are too few.
        if self._reads(number, group.received_by(others[: size - 1])):
            return None
        if size > len(others):
            return GroupSearch(frozenset(), THRESHOLD_NOTE, True)
        if not self._reads(number, group.received_by(others[:size])):
            return None
        return GroupSearch(frozenset({tuple(others[:size])}), THRESHOLD_NOTE, True)

    def _are_shamirs_shares(self, number: int, group: ElementGroup) -> bool:
        """Whether the elements are Shamir's shares of one element of the user's secrets, one share
        for each recipient.
        """
        own = [unknown for unknown in group.unknowns if self._is_secret_of(number, unknown)]
        coins = sorted(group.unknowns - set(own))
        if len(own) != 1 or len(group.recipients) != len(group.elements):
            return False
        weights = np.array(
            [
                [element.form.get(unknown, 0) for unknown in (*own, *coins)]
                for element in group.elements
            ]
        )
        key = group.modulus, weights.shape, weights.tobytes()
        if key not in self._shamirs:
            try:
                check_points(weights, group.modulus)
            except NotShared:
                self._shamirs[key] = False
            else:
                self._shamirs[key] = True
        return self._shamirs[key]

    def _search_by_size(self, number: int, group: ElementGroup, max_size: int) -> GroupSearch:
        others = sorted(group.recipients - {number})
        largest = min(max_size, len(others))
        found: set[Users] = set()
        for size in range(1, largest + 1):
            for users in itertools.combinations(others, size):
                contains_smaller = any(set(smaller) <= set(users) for smaller in found)
                if not contains_smaller and self._reads(number, group.received_by(users)):
                    found.add(users)
        note = (
            "shares whose coins occur in more than two elements: sets of up to "
            f"{largest} user{'s' if largest != 1 else ''} were tried"
        )
        return GroupSearch(frozenset(found), note, largest == len(others))

    def _reads(self, number: int, group: ElementGroup) -> bool:
        return bool(self._functions_read(number, group))

    def _functions_read(self, number: int, group: ElementGroup) -> list[Vector]:
        """A basis of the functions of a user's secrets alone that a group's elements determine."""
        coins = Span(group.modulus)
        # Other unknowns than the user's secrets become pivots first. So a row whose pivot is one of
        # the user's secrets contains nothing else.
        secrets = Span(
            group.modulus, order=lambda unknown: (self._is_secret_of(number, unknown), unknown)
        )
        for place, element in enumerate(group.elements):
            coin_part = {unknown: element.form[unknown] for unknown in self._coins(element.form)}
            rest, weights = coins.reduce(coin_part, {place: 1})
            if rest:
                coins.add(coin_part, {place: 1})
                continue
            combination: Vector = {}
            for used, weight in weights.items():
                add_to(combination, self._without_coins(group, used), weight, group.modulus)
            secrets.add(combination)
        return [
            vector
            for vector, _ in secrets.basis()
            if all(self._is_secret_of(number, unknown) for unknown in vector)
        ]

    def _is_secret_of(self, number: int, unknown: int) -> bool:
        holders = self._unknowns.families[unknown // PLACES].holders
        return self._is(unknown, "secret") and self._run.roster.names[number] in holders

    def _without_coins(self, group: ElementGroup, place: int) -> Vector:
        form = group.elements[place].form
        return {unknown: value for unknown, value in form.items() if not self._is(unknown, "coin")}

    # What the search does not cover.

    def _unsearched(self, number: int) -> str:
        seats, names = self._run.roster.seats, self._run.roster.names
        others = [
            name for name, seat in zip(names, seats, strict=True) if seat.role != seats[number].role
        ]
        if not others:
            return ""
        named = ", ".join(others) if len(others) <= OTHERS_NAMED else f"{others[0]}..{others[-1]}"
        return f"coalitions with parties of another role ({named})"

    def _unsearched_reason(self, number: int, groups: Sequence[ElementGroup]) -> str:
        """Say why the groups may not show all breaking sets; empty if they show all of them."""
        if self._nonlinear_reason:
            return self._nonlinear_reason
        name = self._run.roster.names[number]
        holders = [family.holders for family in self._unknowns.families]
        for group in groups:
            if any(holders[unknown // PLACES] != {name} for unknown in group.unknowns):
                return FORWARDING_REASON
        is_own = [name in each for each in holders]
        for sender, form in self._forms:
            if sender != number and any(is_own[unknown // PLACES] for unknown in form):
                return FORWARDED_REASON
        return ""

    def _breaking_set(self, user: str, users: Users, groups: Sequence[ElementGroup]) -> BreakingSet:
        number = self._run.roster.find(user)
        spans: dict[int, Span] = {}
        for group in groups:
            span = spans.setdefault(group.modulus, Span(group.modulus))
            for function in self._functions_read(number, group.received_by(users)):
                span.add(function)
        values = {
            self._first_items[unknown // PLACES] + unknown % PLACES: int(
                self._unknowns.values(unknown)[0]
            )
            for span in spans.values()
            for vector, _ in span.basis()
            if len(vector) == 1
            for unknown in vector
        }
        names = tuple(self._run.roster.names[each] for each in users)
        return BreakingSet(names, dict(sorted(values.items())), self._identifies(user, values))

    def _identifies(self, user: str, values: Mapping[int, int]) -> bool:
        protocol = self._run.protocol
        if isinstance(protocol, Identification):
            return protocol.identifies_input(values)
        elements = sum(forms.terms.rows * forms.terms.lanes for forms in self._secrets[user])
        return len(values) == elements


def _connected(coins: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield groups of elements, as lists of their places.

    Two elements are in one group if a chain of shared coins connects them. `coins[k]` are the coins
    that occur in element k.
    """
    places: dict[int, list[int]] = defaultdict(list)  # the elements that contain each coin
    for place, own_coins in enumerate(coins):
        for coin in own_coins:
            places[coin].append(place)
    grouped: set[int] = set()
    for place in reversed(range(len(coins))):
        if place not in grouped:
            group = _reachable(place, coins, places)
            grouped |= group
            yield sorted(group)


def _reachable(
    place: int, coins: Sequence[Sequence[int]], places: dict[int, list[int]]
) -> set[int]:
    """The places of all elements that chains of shared coins connect to the element at `place`. The
    coins of these chains are removed from `places`.
    """
    reached, pending = {place}, [place]
    while pending:
        for coin in coins[pending.pop()]:
            neighbours = set(places.pop(coin, ())) - reached
            reached |= neighbours
            pending += neighbours
    return reached


def _minimal(sets: set[Users]) -> list[Users]:
    """The sets that contain no other of the sets, smaller sets first."""
    minimal = [users for users in sets if not any(set(other) < set(users) for other in sets)]
    return sorted(minimal, key=lambda users: (len(users), users))
