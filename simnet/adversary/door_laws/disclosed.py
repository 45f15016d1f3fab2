"""What honest parties disclose in the given runs: the law of each component, and all laws together.

Theory of operation. We sort the disclosing doors into components (`components`), and judge their
values by what the doors are given::

    what the doors are given               their values are
    nothing sealed                         coins, or public                independent, proved
    numbers that count as known            counted with the shares         independent, proved
    numbers that are uniform, whatever     coins to everybody              independent, proved
    the secrets and the messages are
    anything else                          enumerated, bounded, or not judged

*Together.* Given all inputs, judged components are independent, but shares may tell something about
the secrets behind several components. Components, and functions of secrets that the coalition
determines, are put into one *block* if they depend on a common secret. In a block that contains
functions, each component counts with its `strong_epsilon`, and the block's loss is the sum over its
components. A block without functions is a single component, and the block's loss is the component's
`epsilon`. A party's loss is the sum of the losses of all blocks that depend on the party's input.
We report the largest loss of any party.

*Alone.* The laws above are laws given the numbers that the coalition knows from messages. These
numbers may depend on inputs. So we sort and judge the doors once more for somebody who sees no
messages (`DoorGraph.alone`), to say what the disclosed values tell by themselves.

Example. A party with input x makes a secret n from coins alone, and a secret t = x + n. The
functionality hands t to the coalition, and the party discloses n. By itself n says nothing about x,
so its `epsilon` is 0. But n and t are in one block, and the `strong_epsilon` of n is infinite:
together n and t tell x.

If several runs are judged together, a run that is given twice counts once. Different runs with one
seed share their discrete coins. Then a component is not judged if the function of one of its doors,
or of a door that made a secret behind them, takes coins in such a run.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Literal

import attrs
import numpy as np

from simnet.adversary.door_laws.calling import NotEnumerable
from simnet.adversary.door_laws.components import (
    Component,
    DoorGraph,
    Groups,
    HonestDoor,
    Partition,
)
from simnet.adversary.door_laws.door_law import DoorLaws
from simnet.adversary.door_laws.laws import ComponentLaw, DomainOf, law_of_component
from simnet.doors.call import Plain
from simnet.linear.elimination import Elimination
from simnet.linear.forms import Forms
from simnet.linear.terms import Terms
from simnet.linear.unknowns import PLACES

Tier = Literal["proved", "enumerated", "bound", "not judged"]
# All tiers, the most certain tier first.
TIERS: tuple[Tier, ...] = ("proved", "enumerated", "bound", "not judged")

NAMES_SHOWN = 3


@attrs.frozen(kw_only=True)
class DisclosedDoors:
    """Disclosing doors that are reported together, in one line.

    `epsilon` bounds what the disclosed values tell about one party's input to somebody who learns
    nothing else: who has the coalition's inputs and coins, but sees no messages. `strong_epsilon`
    bounds what the values of connected doors tell in addition, to somebody who may know anything
    else about the secrets behind the doors. Each is None if it was not found.
    """

    parties: tuple[str, ...]  # the parties that call the doors
    functions: tuple[str, ...]  # the names of the functions of all connected doors
    calls: int
    tier: Tier
    epsilon: float | None
    strong_epsilon: float | None
    argument: str  # why the law holds, or why the doors were not judged

    @property
    def independent(self) -> bool:
        """Whether the disclosed values have the same law for all inputs and all secrets behind the
        doors. False, too, if `strong_epsilon` is None.
        """
        return self.strong_epsilon == 0


@attrs.frozen(kw_only=True)
class Disclosures:
    """All that honest parties disclose, and what this tells about one party's input."""

    doors: tuple[DisclosedDoors, ...]
    independent: bool
    # The loss in addition to what shares tell. None if some doors were not judged, or if we do not
    # know what shares and disclosed values tell together.
    epsilon: float | None
    by_itself: float | None  # the loss of the disclosed values alone; None if it is not known
    tier: Tier
    argument: str
    has_secrets: bool  # whether honest parties made any secrets
    # What the argument assumes because it could not be tried: a clause that begins with "if".
    condition: str | None = None


@attrs.frozen(eq=False, kw_only=True)
class _Judged:
    component: Component
    law: ComponentLaw | None
    tier: Tier
    argument: str


@attrs.frozen(eq=False)
class Known:
    """What a coalition determines from shares, and which runs it has seen."""

    # for each function that the coalition determines, the families of its unknowns
    functions: Sequence[Collection[int]]
    runs: Sequence[Hashable]  # the keys of the runs: equal if one run is given twice
    seeds: Sequence[int]  # of each run


def disclosures(
    graph: DoorGraph,
    disclosing: Iterable[HonestDoor],
    domain_of: DomainOf,
    known: Known,
    laws: DoorLaws | None = None,
) -> Disclosures:
    """Return what the disclosing doors of honest parties tell.

    The result has one record for each group of doors that are reported together, and the loss of
    all doors together. `domain_of` gives the inputs that a party may have in a run.
    """
    first_of_run = {place: known.runs.index(run) for place, run in enumerate(known.runs)}
    once = [door for door in disclosing if first_of_run[door.run] == door.run]
    laws = laws or DoorLaws()
    partition = graph.partition(once)
    judge = _ComponentJudge(graph, partition, domain_of, known, laws)
    judged = [judge.judged(component) for component in partition.components]

    def alone(doors: Iterable[HonestDoor]) -> float | None:
        """The loss of these doors' values to somebody who sees nothing else."""
        outside = graph.alone.partition(doors)
        outside_judge = _ComponentJudge(graph.alone, outside, domain_of, known, laws)
        return _losses(
            ([outside_judge.judged(each)], {name for _, name in each.inputs}, False)
            for each in outside.components
        )

    records = [
        *_records_of(partition.public, "no argument of the function is sealed", alone),
        *_records_of(
            partition.known,
            "the upper bound for shares assumes that the coalition knows the numbers that the "
            "function is given",
            alone,
        ),
        *_grouped(judged, judge.signature, alone),
    ]
    return _together(records, judged, graph, known, alone(once))


_FoundLaw = tuple[ComponentLaw | None, Tier, str]
UNIFORM: _FoundLaw = (
    ComponentLaw(epsilon=0.0, strong_epsilon=0.0, is_exact=True),
    "proved",
    "the numbers that the function gets are uniform because of coins, whatever the secrets are",
)


class _ComponentJudge:
    """Finds the laws of components. Components that are alike share one law, which is found
    once.
    """

    def __init__(
        self,
        graph: DoorGraph,
        partition: Partition,
        domain_of: DomainOf,
        known: Known,
        laws: DoorLaws,
    ) -> None:
        self._graph = graph
        self._are_apart = partition.are_apart
        self._domain_of = domain_of
        self._laws = laws
        self._found: dict[Hashable, _FoundLaw] = laws.components
        self._shared_seeds = {
            seed
            for place, seed in enumerate(known.seeds)
            if any(
                other == seed and known.runs[at] != known.runs[place]
                for at, other in enumerate(known.seeds)
            )
        }
        self._seeds = known.seeds

    def judged(self, component: Component) -> _Judged:
        law, tier, argument = self._law(component)
        return _Judged(component=component, law=law, tier=tier, argument=argument)

    def _law(self, component: Component) -> _FoundLaw:
        doors = (*component.secrets, *component.doors)
        if any(door.call.takes_coins and self._is_shared(door) for door in doors):
            return (
                None,
                "not judged",
                "two of the runs have the same seed, so they share coins from which the value was "
                "computed",
            )
        depends_on_coins = any(map(self._graph.coin_rows, doors))
        if depends_on_coins and not self._are_apart:
            return (
                None,
                "not judged",
                "messages to the coalition may tell something about coins in the field elements "
                "that the function is given",
            )
        signature = self.signature(component)
        try:
            domains = tuple(map(self._domain_of, component.inputs))
        except NotEnumerable as error:
            if self._is_uniform(component):
                return UNIFORM
            return None, "not judged", str(error)
        if (signature, domains) not in self._found:
            self._found[signature, domains] = self._found_law(component)
        return self._found[signature, domains]

    def _found_law(self, component: Component) -> _FoundLaw:
        if self._is_uniform(component):
            return UNIFORM
        try:
            law = law_of_component(component, self._graph, self._domain_of, self._laws)
        except NotEnumerable as error:
            return None, "not judged", str(error)
        # A loss of 0 is exact, because it cannot be smaller.
        tier: Tier = "enumerated" if law.is_exact or law.strong_epsilon == 0 else "bound"
        return law, tier, _law_in_words(law, component, self._graph.relies_on_messages(component))

    def _is_shared(self, door: HonestDoor) -> bool:
        return self._seeds[door.run] in self._shared_seeds

    def _is_uniform(self, component: Component) -> bool:
        """Whether the doors are certainly given only field elements that tell nothing about any
        secret, because coins hide the secrets in them.
        """
        graph = self._graph
        if any(door.inputs for door in component.doors):
            return False
        if any(map(graph.coin_rows, component.secrets)):
            return False  # a secret made from coins may depend on the elements
        elements = [element for door in component.doors for element in graph.hidden_elements(door)]
        if any(element.products or not element.coins for element in elements):
            return False
        for modulus in {element.modulus for element in elements}:
            rows = [
                {**element.secrets, **element.coins}
                for element in elements
                if element.modulus == modulus
            ]
            coins = {
                unknown
                for element in elements
                if element.modulus == modulus
                for unknown in element.coins
            }
            terms = Terms.of_vectors(rows)
            is_coin = np.isin(terms.unknowns, np.array(sorted(coins), dtype=np.int64))
            if any(
                each.targets for each in Elimination(terms, is_coin, ~is_coin, modulus).remnants
            ):
                return False
        return True

    def signature(self, component: Component) -> Hashable:
        """Return a key of a component. Components with equal keys, and the same possible inputs,
        have the same law.
        """
        doors = (*component.secrets, *component.doors)
        inputs = {place: number for number, place in enumerate(component.inputs)}
        # Families and unknowns are numbered in the order in which they occur.
        names: dict[int, int] = {}
        for door in component.secrets:
            if door.family is not None:
                names[-1 - door.family] = len(names)
        return tuple(
            (
                self._laws.signature(door.call),
                tuple(inputs[place] for place in door.inputs),
                tuple(self._array_signature(forms, names) for forms in door.rows),
            )
            for door in doors
        )

    def _array_signature(self, forms: Forms, names: dict[int, int]) -> Hashable:
        if self._graph.is_computed(forms):
            return "known", names.setdefault(-PLACES - id(forms), len(names))
        elements = []
        for element in self._graph.reader.elements(forms):
            secrets = tuple(
                (names[-1 - unknown // PLACES], unknown % PLACES, weight)
                for unknown, weight in element.secrets.items()
            )
            others = tuple(
                (names.setdefault(unknown, len(names)), weight)
                for part in (element.coins, element.known, element.products)
                for unknown, weight in part.items()
            )
            lengths = len(element.coins), len(element.known)
            elements.append((element.number, secrets, others, lengths))
        return tuple(elements)


def _law_in_words(law: ComponentLaw, component: Component, relies_on_messages: bool) -> str:
    if law.strong_epsilon == 0:
        found = "the value has the same law for every input and for all secrets behind the value"
    elif law.epsilon == 0:
        found = (
            "the value has the same law for every input, as long as nothing else tells "
            "anything about the secrets behind the value"
        )
    elif law.epsilon == math.inf and law.is_exact:
        found = "some value or refusal is possible with one input and impossible with another"
    elif law.epsilon == math.inf:
        found = "no finite bound on ε was found for the value's law given the input"
    else:
        found = f"ε is {'exact' if law.is_exact else 'a bound'} for the value's law given the input"
    conditions = []
    if relies_on_messages:
        conditions.append("given the numbers behind the value that the coalition knows")
    if any(isinstance(each, Plain) for door in component.doors for each in door.call.arguments):
        conditions.append("with the plain arguments of this run")
    if law.refused:
        conditions.append(
            f"without the inputs that are always refused ({law.refused:,} of {law.assignments:,})"
        )
    return ", ".join([found, *conditions])


# Returns the loss of the values of some doors to somebody who sees nothing else.
_Alone = Callable[[Iterable[HonestDoor]], float | None]


def _records_of(doors: Sequence[HonestDoor], argument: str, alone: _Alone) -> list[DisclosedDoors]:
    by_name: dict[str, list[HonestDoor]] = defaultdict(list)
    for door in doors:
        by_name[door.call.title].append(door)
    return [
        DisclosedDoors(
            parties=tuple(dict.fromkeys(door.call.party for door in alike)),
            functions=(name,),
            calls=len(alike),
            tier="proved",
            epsilon=alone(alike),
            strong_epsilon=0.0,
            argument=argument,
        )
        for name, alike in by_name.items()
    ]


def _grouped(
    judged: Sequence[_Judged], signature: Callable[[Component], Hashable], alone: _Alone
) -> list[DisclosedDoors]:
    groups: dict[Hashable, list[_Judged]] = defaultdict(list)
    for each in judged:
        groups[signature(each.component), each.tier, each.argument].append(each)
    records = []
    for alike in groups.values():
        first = alike[0]
        parties = dict.fromkeys(party for each in alike for party in each.component.parties)
        records.append(
            DisclosedDoors(
                parties=tuple(parties),
                functions=tuple(dict.fromkeys(door.call.title for door in first.component.doors)),
                calls=sum(len(each.component.doors) for each in alike),
                tier=first.tier,
                epsilon=alone(door for each in alike for door in each.component.doors),
                strong_epsilon=None if first.law is None else first.law.strong_epsilon,
                argument=first.argument,
            )
        )
    return records


# Together.


def _together(
    records: Sequence[DisclosedDoors],
    judged: Sequence[_Judged],
    graph: DoorGraph,
    known: Known,
    by_itself: float | None,
) -> Disclosures:
    if not records:
        return Disclosures(
            doors=(),
            independent=True,
            epsilon=0.0,
            by_itself=0.0,
            tier="proved",
            argument="honest parties disclose nothing",
            has_secrets=bool(graph.makers),
        )
    total = _losses(_blocks(judged, graph, known))
    tier = max((record.tier for record in records), key=TIERS.index)
    unjudged = [record for record in records if record.tier == "not judged"]
    if unjudged:
        argument = _arguments(unjudged)
    elif total is None:
        tier = "not judged"
        argument = (
            "shares also tell something about the secrets behind disclosed values, and what both "
            "tell together was not found"
        )
    else:
        telling = [record for record in records if record.strong_epsilon != 0] or records
        argument = _arguments(telling)
    return Disclosures(
        doors=tuple(records),
        independent=total == 0,
        epsilon=total,
        by_itself=by_itself,
        tier=tier,
        argument=argument,
        has_secrets=bool(graph.makers),
    )


# Components, the parties whose inputs they depend on, and whether shares tell something about the
# secrets of these components.
_Block = tuple[Sequence[_Judged], Collection[str], bool]


def _losses(blocks: Iterable[_Block]) -> float | None:
    """The largest loss of any party, added up over blocks; None if a loss that is needed is not
    known.
    """
    losses: dict[str, float] = defaultdict(float)
    for members, parties, is_shared in blocks:
        for each in members:
            if each.law is None:
                return None
            loss = each.law.strong_epsilon if is_shared else each.law.epsilon
            if loss is None:
                return None
            for party in parties:
                losses[party] += loss
    return max(losses.values(), default=0.0)


def _blocks(judged: Sequence[_Judged], graph: DoorGraph, known: Known) -> Iterable[_Block]:
    """The blocks: components, each together with the functions of their secrets that the coalition
    determines.
    """
    groups = Groups()
    held = {family for families in known.functions for family in families}
    for number, families in enumerate(known.functions):
        for family in families:
            groups.join(("function", number), ("family", family))
    for number, each in enumerate(judged):
        for family in each.component.touched & held:
            groups.join(("component", number), ("family", family))
    members: dict[object, list[_Judged]] = defaultdict(list)
    for number, each in enumerate(judged):
        members[groups.of(("component", number))].append(each)
    parties: dict[object, set[str]] = defaultdict(set)
    for family in held:
        maker = graph.makers.get(family)
        if maker is not None:
            doors = [maker, *graph.secrets_behind([maker])]
            names = {name for door in doors for _, name in door.inputs}
            parties[groups.of(("family", family))] |= names
    for group, components in members.items():
        names = {name for each in components for _, name in each.component.inputs}
        is_shared = any(each.component.touched & held for each in components)
        entangled = any(each.component.entangled & held for each in components)
        # no law of the component alone says what the component and these functions tell together
        if entangled:
            components = [attrs.evolve(each, law=None) for each in components]
        yield components, names | parties[group], is_shared


def _arguments(records: Sequence[DisclosedDoors]) -> str:
    about: dict[str, list[DisclosedDoors]] = defaultdict(list)
    for record in records:
        about[record.argument].append(record)
    return "; ".join(f"{_named(alike)}: {argument}" for argument, alike in about.items())


def _named(records: Sequence[DisclosedDoors]) -> str:
    names = ", ".join(dict.fromkeys(name for record in records for name in record.functions))
    parties = list(dict.fromkeys(name for record in records for name in record.parties))
    if len(parties) > NAMES_SHOWN:
        return f"{names} of {len(parties):,} parties"
    return f"{names} of {', '.join(parties)}"
