"""Witnesses: two inputs that a coalition tells apart although it should not.

Theory of operation. Shares determine a function L of honest secrets, and the functionality hands
the coalition another function, F. If L does not lie in the span of F, L seems to tell more than F.
But secrets may be related. For example, x and x² are two secrets and one number. Or one bit is
shared over two fields, and the coalition is handed the copy over the other field. So we prove that
L tells more than F by an example. We call the doors, and look for two inputs of one honest party,
or of two parties, for which

- the values that were disclosed in the run are possible,
- F has the same law, and
- L has another law, given F.

For example, F = x1 + x2 and L = x1. Two inputs of u1 alone are no witness, because they give
different values of F. But the inputs (1, 2) and (2, 1) of u1 and u2 give the same F and different
L: they are a witness.

*The other parties.* The inputs of all other parties stay as they are. If their secrets take no
coins, their contribution to L and F is a constant, and nothing has to be shown. Otherwise their
contribution is random and unknown, but this contribution is *added* to the contribution of the
chosen parties. If the largest sums stay below half the modulus, so that nothing wraps, then the
laws of two sums differ if the laws of one summand differ. (A law on the integers with finitely many
outcomes can be written as a polynomial. To add an independent number multiplies the polynomials,
and the product of polynomials that are not zero is not zero.)
"""

import itertools
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

import attrs

from simnet.adversary.door_laws.calling import NotEnumerable
from simnet.adversary.door_laws.components import Component, DoorGraph, HonestDoor
from simnet.adversary.door_laws.door_law import DoorLaws
from simnet.adversary.door_laws.laws import (
    ComponentStates,
    DomainOf,
    Inputs,
    Numbers,
    Place,
    TooManyStates,
    recorded_outcome,
)
from simnet.linear.unknowns import PLACES

MOST_INPUTS = 20_000  # the largest number of joint inputs of one or two parties that we try
PARTIES_TRIED = 6


@attrs.frozen(eq=False, kw_only=True)
class SecretFunction:
    """A linear function of honest secrets. In lane l, the numbers of its unknowns are l higher than
    in lane 0.
    """

    modulus: int
    terms: Mapping[int, int]
    lanes: int = 1

    @property
    def families(self) -> frozenset[int]:
        """The families of the function's unknowns."""
        return frozenset(unknown // PLACES for unknown in self.terms)


def has_witness(
    beyond: Sequence[SecretFunction],
    ideal: Sequence[SecretFunction],
    disclosing: Sequence[HonestDoor],
    graph: DoorGraph,
    domain_of: DomainOf,
    laws: DoorLaws,
) -> bool | None:
    """Whether some inputs show that `beyond` tells more than `ideal`.

    Return False if the search went through all inputs that `domain_of` gives, of one party and of
    two parties, and found no witness. Return None if the search was not possible or not complete.
    """
    try:
        return _Search(beyond, ideal, disclosing, graph, domain_of, laws).result()
    except _NotSearched:
        return None


class _NotSearched(Exception):
    """Raised if the search for a witness is not possible."""


# The joint law of F and L: `law[f][l]` is the probability that F is f and L is l.
_JointLaw = dict[Hashable, dict[Hashable, Fraction]]


class _Search:
    def __init__(
        self,
        beyond: Sequence[SecretFunction],
        ideal: Sequence[SecretFunction],
        disclosing: Sequence[HonestDoor],
        graph: DoorGraph,
        domain_of: DomainOf,
        laws: DoorLaws,
    ) -> None:
        self._beyond = beyond
        self._ideal = ideal
        self._graph = graph
        self._domain_of = domain_of
        self._laws = laws
        families = {family for each in (*beyond, *ideal) for family in each.families}
        self._secrets = self._with_secrets_behind(families)
        self._disclosing = [door for door in disclosing if door.call.sources]
        self._check_sorts()

    def _with_secrets_behind(self, families: Iterable[int]) -> list[HonestDoor]:
        makers = [self._graph.makers.get(family) for family in sorted(families)]
        found: dict[int, HonestDoor] = {}
        for maker in makers:
            if maker is None:  # for example, a family of products
                raise _NotSearched
            for door in (*self._graph.secrets_behind([maker]), maker):
                found[door.number] = door
        return list(found.values())

    def _inputs_behind(self, door: HonestDoor) -> frozenset[Place]:
        doors = [door, *self._graph.secrets_behind([door])]
        return frozenset(place for each in doors for place in each.inputs)

    def _check_sorts(self) -> None:
        """Raise `_NotSearched` if a secret was made from field elements that contain more than
        honest secrets, for example coins. The law of such a secret may depend on what messages tell
        about the coins.
        """
        if any(door.rows and not self._has_secret_rows(door) for door in self._secrets):
            raise _NotSearched

    def _has_secret_rows(self, door: HonestDoor) -> bool:
        return all(
            not (element.coins or element.products or element.known)
            for forms in door.rows
            for element in self._graph.reader.elements(forms)
        )

    def result(self) -> bool | None:
        in_beyond = {family for each in self._beyond for family in each.families}
        first = self._places_of(in_beyond)
        both = self._places_of(in_beyond | {f for each in self._ideal for f in each.families})
        complete = len(first) <= PARTIES_TRIED and len(both) <= PARTIES_TRIED
        first, both = first[:PARTIES_TRIED], both[:PARTIES_TRIED]
        pairs = [(one, two) for one in first for two in both if one != two]
        for places in [*((place,) for place in first), *pairs]:
            try:
                if self._is_witness_among(places):
                    return True
            except (_NotSearched, NotEnumerable, TooManyStates):
                complete = False
        return False if complete else None

    def _places_of(self, families: Iterable[int]) -> list[Place]:
        makers = [self._graph.makers[family] for family in sorted(families)]
        return list(
            dict.fromkeys(place for door in makers for place in sorted(self._inputs_behind(door)))
        )

    def _is_witness_among(self, places: Sequence[Place]) -> bool:
        secrets, disclosing = self._block_of(set(places))
        rest = [door for door in self._secrets if door not in secrets]
        if not self._is_rest_harmless(rest, secrets):
            raise _NotSearched
        states = ComponentStates(
            Component(
                doors=tuple(disclosing),
                secrets=tuple(secrets),
                touched=frozenset(),
                entangled=frozenset(),
            ),
            self._graph,
            self._domain_of,
            self._laws,
        )
        if states.context_moduli or states.coin_moduli or states.count > MOST_INPUTS:
            raise _NotSearched
        return self._differs(self._joint_law(states, inputs) for inputs in states.every_input())

    def _block_of(self, places: set[Place]) -> tuple[list[HonestDoor], list[HonestDoor]]:
        """The secrets made from these inputs, and the disclosing doors that depend on these secrets
        or inputs, directly or through other secrets.

        Raises `_NotSearched` if some of these doors also depend on inputs of other parties.
        """
        graph = self._graph
        doors = [*self._secrets, *self._disclosing]
        behind = {door.number: graph.secrets_behind([door]) for door in doors}
        block = [door for door in doors if self._inputs_behind(door) & places]
        size = 0
        while len(block) != size:
            size = len(block)
            made = {each.number for door in block for each in (door, *behind[door.number])}
            block = [
                door
                for door in doors
                if self._inputs_behind(door) & places
                or any(each.number in made for each in (door, *behind[door.number]))
            ]
        if any(self._inputs_behind(door) - places for door in block):
            raise _NotSearched
        disclosing = [door for door in block if door in self._disclosing]
        own = [door for door in block if door not in disclosing]
        earlier = graph.secrets_behind(block)
        return [*earlier, *(door for door in own if door not in earlier)], disclosing

    # What follows is about the parties whose inputs do not change.

    def _is_rest_harmless(self, rest: Sequence[HonestDoor], own: Sequence[HonestDoor]) -> bool:
        """Whether it is certain that different laws stay different after the other parties'
        contributions are added.
        """
        if not any(door.call.takes_coins for door in rest):
            return True
        largest = {door.family: self._largest(door) for door in (*rest, *own)}
        for function in (*self._beyond, *self._ideal):
            reach = sum(
                abs(_signed(weight, function.modulus)) * largest[unknown // PLACES]
                for unknown, weight in function.terms.items()
            )
            if 2 * reach >= function.modulus:
                return False
        return True

    def _largest(self, door: HonestDoor) -> int:
        if door.rows or door.call.field is None:
            raise _NotSearched
        modulus = door.call.field.modulus
        places = list(dict.fromkeys(door.inputs))
        largest = 0
        for values in itertools.product(*map(self._domain_of, places)):
            at = dict(zip(places, values, strict=True))
            law = self._laws.law(door.call, [at[place] for place in door.inputs], [])
            for outcome in law:
                if isinstance(outcome, tuple):
                    largest = max(largest, *(abs(_signed(each, modulus)) for each in outcome), 0)
        return largest

    # What follows computes the joint law of L and F.

    def _joint_law(self, states: ComponentStates, inputs: Inputs) -> _JointLaw | None:
        """The joint law of L and F, given the disclosed values; None if these values are
        impossible.
        """
        law: _JointLaw = defaultdict(dict)
        total = Fraction(0)
        recorded = [recorded_outcome(door) for door in states.component.doors]
        for coins in states.every_coin():
            for secrets, chance in states.secrets(inputs, (), coins):
                if secrets is None:
                    continue
                weight = chance
                for door, key in zip(states.component.doors, recorded, strict=True):
                    found = states.law(door, inputs, (), coins, secrets)
                    weight *= found.get(key, Fraction(0))
                if weight:
                    total += weight
                    entry = law[self._values(self._ideal, secrets)]
                    told = self._values(self._beyond, secrets)
                    entry[told] = entry.get(told, Fraction(0)) + weight
        if not total:
            return None
        return {
            handed: {told: chance / total for told, chance in entry.items()}
            for handed, entry in law.items()
        }

    def _values(
        self, functions: Sequence[SecretFunction], secrets: Mapping[int, Numbers]
    ) -> Hashable:
        """The sums that these secrets contribute to the functions' values."""
        return tuple(
            sum(
                weight * secrets[number][unknown % PLACES + lane]
                for unknown, weight in function.terms.items()
                if (number := self._graph.makers[unknown // PLACES].number) in secrets
            )
            % function.modulus
            for function in functions
            for lane in range(function.lanes)
        )

    def _differs(self, laws: Iterator[_JointLaw | None]) -> bool:
        seen: dict[Hashable, _JointLaw] = {}
        for law in laws:
            if law is None:
                continue
            handed = frozenset(
                (value, sum(entry.values(), Fraction(0))) for value, entry in law.items()
            )
            if seen.setdefault(handed, law) != law:
                return True
        return False


def _signed(number: int, modulus: int) -> int:
    return number - modulus if number > modulus // 2 else number
