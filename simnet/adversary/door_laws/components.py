"""Which doors are connected: components whose disclosed values have one joint law.

Two disclosed values may each tell nothing about an input, and tell it exactly when they are put
together. For example, let r be a coin and x an input: r is uniform and x + r is uniform, but their
difference is x. So we must not judge each door by itself and add up the results. We connect two
disclosing doors if they depend on the same secret, coin or product: if both are given numbers that
the coalition does not know, and this unknown occurs in the numbers, or in secrets from which these
were made. Doors that are connected, directly or through other doors, form a *component*. In one
run, given all inputs, the coins and secrets of a component are independent of the coins and secrets
of every other component. ::

    secret(response, item)  ->  answer  ->  disclose(reporting_set, answer)      one component

    coin r  ->  disclose(r)                                                      one component,
            ->  disclose(x + r), given x and r                                   with both doors

*Touched secrets.* Values outside a component may also tell something about the component's secrets.
A function that the coalition determines from shares may contain a secret of the component, or a
secret that was made from the component's secrets later. `touched` lists the families of all such
secrets, and of the coins and products that the doors are given. Suppose that no function that the
coalition determines contains a touched secret, and that the coins of the doors are independent of
those in messages (`Partition.are_apart`). Then, given the inputs, the component is independent of
what shares tell. `entangled` lists the touched families that are coins or products which the
component's doors are given, or were made from these. A secret whose door may refuse is entangled,
too, if the refusal counts as a disclosed value of its own. If a function that the coalition
determines contains an entangled secret, then no law of the component alone says what the component
and the function tell together.

Two kinds of doors tell nothing new and belong to no component: doors that are given nothing sealed,
and doors that are given only numbers which the coalition knows anyway. Here the coalition *knows*
whatever follows from its view (`surroundings`). This is the upper end of a verdict on
shares, so the coalition may in fact know less.
"""

import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import attrs

from simnet.adversary.door_laws.rows import Element, ElementReader
from simnet.adversary.door_uses import Product
from simnet.adversary.roles import Roles
from simnet.doors.call import DoorCall
from simnet.linear.forms import Forms
from simnet.linear.unknowns import KINDS, ONE, PLACES, Unknowns
from simnet.values.sealed import Input

SECRET = KINDS.index("secret")


class Surroundings(Protocol):
    """What the messages that a coalition sees say about the rows that doors are given."""

    def is_known(self, forms: Forms) -> bool:
        """Whether the coalition can compute all these elements from what it sees and knows."""
        ...

    def are_apart(self, rows: Sequence[Forms]) -> bool:
        """Whether the coins in these rows are independent of the coins in the messages.

        They are if the rank of the coins in messages and rows together is the sum of the two ranks.
        """
        ...


@attrs.frozen(eq=False, kw_only=True)
class HonestDoor:
    """A call of a door by an honest party. `run` is the number of its run, from 0, among the runs
    that are judged together.
    """

    call: DoorCall
    run: int
    input_run: (
        int  # the run that the inputs belong to: the first run, if all runs have the same inputs
    )
    number: int  # the place of the door among all honest doors
    family: int | None  # the family of the unknowns, if the door made a secret
    # If true, only the fact that the door did not refuse is disclosed.
    only_refusal: bool = False

    @property
    def inputs(self) -> list[tuple[int, str]]:
        """The inputs that the function is given, as pairs (run, party)."""
        return [
            (self.input_run, each.party) for each in self.call.sources if isinstance(each, Input)
        ]

    @property
    def rows(self) -> list[Forms]:
        """The linear forms whose numbers the door's function is given."""
        return [each for each in self.call.rows if isinstance(each, Forms)]


def honest_doors(
    runs: Iterable[Iterable[DoorCall]], corrupt: Collection[str], same_inputs: bool = False
) -> list[HonestDoor]:
    """Return the door calls of all parties that are not in the coalition, run by run.

    With `same_inputs` every party has the same input in all runs.
    """
    found: list[HonestDoor] = []
    for run, calls in enumerate(runs):
        for call in calls:
            if call.party in corrupt:
                continue
            family = None
            if call.kind == "secret" and isinstance(call.result, Forms):
                unknowns = call.result.terms.unknowns
                family = int(unknowns[0]) // PLACES if unknowns.size else None
            found.append(
                HonestDoor(
                    call=call,
                    run=run,
                    input_run=0 if same_inputs else run,
                    number=len(found),
                    family=family,
                )
            )
    return found


@attrs.frozen(eq=False, kw_only=True)
class Component:
    """Connected disclosing doors, and the secrets behind them. Each secret comes after the secrets
    that it is made from.
    """

    doors: tuple[HonestDoor, ...]
    secrets: tuple[HonestDoor, ...]
    # The families of what the component's doors are given, except for arrays that the coalition
    # knows; and all families that were made from these.
    touched: frozenset[int]
    # The touched families that are no free secrets: coins, products, and secrets whose refusal
    # counts as a disclosed value; and what was made from all these.
    entangled: frozenset[int]

    @property
    def inputs(self) -> list[tuple[int, str]]:
        """The inputs that the doors and the secrets are given, as pairs (run, party), without
        repetition.
        """
        sources = [place for door in (*self.secrets, *self.doors) for place in door.inputs]
        return list(dict.fromkeys(sources))

    @property
    def parties(self) -> list[str]:
        """The parties that call the component's disclosing doors, without repetition."""
        return list(dict.fromkeys(door.call.party for door in self.doors))


@attrs.frozen(eq=False, kw_only=True)
class Partition:
    """The disclosing doors of the runs, sorted by what they can tell."""

    public: tuple[HonestDoor, ...]  # doors whose arguments are all plain
    known: tuple[HonestDoor, ...]  # doors that are given only numbers that the coalition knows
    components: tuple[Component, ...]
    # Whether the coins in the arguments of the components' doors are independent of the coins in
    # messages. We ask this for all arguments together: if a message contains r + w, then r alone is
    # independent of the message, and w alone is too, but the pair (r, w) is not.
    are_apart: bool


class DoorGraph:
    """The honest doors of the runs that are judged together, and how they are connected."""

    def __init__(
        self,
        doors: Sequence[HonestDoor],
        products: Sequence[Product],
        unknowns: Unknowns,
        corrupt: Collection[str],
        surroundings: Surroundings | None,
        roles: Roles | None = None,
        received: Collection[int] = (),
    ) -> None:
        """`roles` says which random rows of seeds the coalition knows. `received` lists the
        families of the coalition's secrets that were made from field elements. Without
        `surroundings` the graph is for somebody who sees no messages (`alone`).
        """
        self.doors = doors
        self.reader = ElementReader(
            unknowns, corrupt, roles, received if surroundings is None else None
        )
        self.surroundings = surroundings
        self._given = unknowns, corrupt, roles, received
        # If two runs share a secret, a door of each run made the secret; we take the door of the
        # first run.
        self.makers: dict[int, HonestDoor] = {}
        for door in doors:
            if door.family is not None:
                self.makers.setdefault(door.family, door)
        self._products = products
        self._kinds = unknowns.kinds()
        self._known: dict[int, tuple[Forms, bool]] = {}

    @functools.cached_property
    def alone(self) -> "DoorGraph":
        """The same doors for somebody who has the coalition's inputs and coins, and sees the
        disclosed values but no messages.
        """
        unknowns, corrupt, roles, received = self._given
        return DoorGraph(self.doors, self._products, unknowns, corrupt, None, roles, received)

    def relies_on_messages(self, component: Component) -> bool:
        """Whether the law of a component is the law given numbers that the coalition knows from
        messages.
        """
        rows = [forms for door in (*component.secrets, *component.doors) for forms in door.rows]
        return any(
            self.is_computed(forms)
            or any(
                element.known != outside.known
                for element, outside in zip(
                    self.reader.elements(forms), self.alone.reader.elements(forms), strict=True
                )
            )
            for forms in rows
        )

    def is_known(self, forms: Forms) -> bool:
        """Whether the coalition knows the numbers of an array."""
        found = self._known.get(id(forms))
        if found is None:
            hidden = any(element.is_hidden for element in self.reader.elements(forms))
            known = not hidden or (
                self.surroundings is not None and self.surroundings.is_known(forms)
            )
            found = self._known[id(forms)] = forms, known
        return found[1]

    def is_computed(self, forms: Forms) -> bool:
        """Whether the coalition can compute an array although it does not know all unknowns of the
        array.
        """
        hidden = any(element.is_hidden for element in self.reader.elements(forms))
        return hidden and self.is_known(forms)

    def hidden_elements(self, door: HonestDoor) -> Iterator[Element]:
        """All elements of the arrays that a door is given, without arrays of which the coalition
        knows every element.
        """
        for forms in door.rows:
            if not self.is_known(forms):
                yield from self.reader.elements(forms)

    def partition(self, disclosing: Iterable[HonestDoor]) -> Partition:
        """Sort the disclosing doors by what they can tell."""
        public, known, rest = [], [], []
        for door in disclosing:
            if not door.call.sources:
                public.append(door)
            elif not door.inputs and all(map(self.is_known, door.rows)):
                known.append(door)
            else:
                rest.append(door)
        components = tuple(self._components(rest))
        doors = [door for each in components for door in (*each.secrets, *each.doors)]
        rows = {id(forms): forms for door in doors for forms in self.coin_rows(door)}
        return Partition(
            public=tuple(public),
            known=tuple(known),
            components=components,
            are_apart=not rows
            or self.surroundings is None
            or self.surroundings.are_apart(list(rows.values())),
        )

    def coin_rows(self, door: HonestDoor) -> list[Forms]:
        """The arrays that a door is given and whose numbers depend on coins unknown to the
        coalition.
        """
        return [
            forms
            for forms in door.rows
            if not self.is_known(forms)
            and any(element.coins for element in self.reader.elements(forms))
        ]

    def secrets_behind(self, doors: Iterable[HonestDoor]) -> list[HonestDoor]:
        """The doors that made the secrets in what these doors are given, except for arrays that the
        coalition knows; and the doors behind these doors in turn. Each door comes after the doors
        behind it.
        """
        ordered: dict[int, HonestDoor] = {}

        def visit(door: HonestDoor) -> None:
            for family in self._secret_families(door):
                maker = self.makers.get(family)
                if maker is not None and maker.number not in ordered:
                    visit(maker)
                    ordered[maker.number] = maker

        for door in doors:
            visit(door)
        return list(ordered.values())

    def _secret_families(self, door: HonestDoor) -> list[int]:
        families = {
            unknown // PLACES
            for element in self.hidden_elements(door)
            for unknown in element.secrets
        }
        return sorted(families)

    def _components(self, disclosing: Sequence[HonestDoor]) -> Iterator[Component]:
        groups = Groups()
        behind = {door.number: self.secrets_behind([door]) for door in disclosing}
        for door in disclosing:
            for each in [door, *behind[door.number]]:
                groups.join(("door", door.number), ("door", each.number))
                for element in self.hidden_elements(each):
                    for unknown in (*element.coins, *element.products):
                        groups.join(("door", door.number), ("unknown", unknown))
        members: dict[object, list[HonestDoor]] = defaultdict(list)
        for door in disclosing:
            members[groups.of(("door", door.number))].append(door)
        readers = self._readers_of_families()
        for group in members.values():
            secrets = self.secrets_behind(group)
            # If other doors depend on a secret, its refusal is counted together with these doors.
            made = {door.number for door in secrets}
            doors = [door for door in group if not (door.only_refusal and door.number in made)]
            rows = [forms for door in (*doors, *secrets) for forms in door.rows]
            families = {
                family for forms in rows if not self.is_known(forms) for family in _families(forms)
            }
            own = {door.family for door in secrets if door.family is not None}
            mixed = {family for family in families if self._kinds[family] != SECRET}
            # The fact that a door did not refuse says something about the secret that the door
            # made.
            mixed |= {door.family for door in doors if door.family is not None}
            yield Component(
                doors=tuple(doors),
                secrets=tuple(secrets),
                touched=_closure(families | own | mixed, readers),
                entangled=_closure(mixed, readers),
            )

    def _readers_of_families(self) -> dict[int, list[int]]:
        """Return, for each family of unknowns, the families of secrets and products that are made
        from its unknowns.
        """
        readers: dict[int, list[int]] = defaultdict(list)
        for door in self.doors:
            if door.family is not None:
                for forms in door.rows:
                    for family in _families(forms):
                        readers[family].append(door.family)
        for product in self._products:
            for forms in (product.left, product.right):
                for family in _families(forms):
                    readers[family].append(product.made.number)
        return readers


def _closure(families: Iterable[int], readers: Mapping[int, Sequence[int]]) -> frozenset[int]:
    pending, found = list(families), set[int]()
    while pending:
        family = pending.pop()
        if family not in found:
            found.add(family)
            pending += readers.get(family, ())
    return frozenset(found)


def _families(forms: Forms) -> set[int]:
    """The families of all unknowns in an array."""
    return set((forms.terms.unknowns // PLACES).tolist()) - {ONE}


class Groups:
    """Groups of members: two members are in one group if they were joined directly or
    indirectly.
    """

    def __init__(self) -> None:
        self._parent: dict[object, object] = {}

    def of(self, member: object) -> object:
        """The member that represents the group of the given member."""
        parent = self._parent.setdefault(member, member)
        while parent != (above := self._parent[parent]):
            self._parent[member] = parent = above
        return parent

    def join(self, first: object, second: object) -> None:
        """Make one group of the groups of two members."""
        self._parent[self.of(first)] = self.of(second)
