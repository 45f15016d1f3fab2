"""Whether a door may refuse, and whether a refusal tells anything.

If the function of `me.secret` or `me.disclose` raises an error, the run ends. So a run that goes on
tells that no such door has refused. This says nothing if a refusal depends on the inputs alone,
because a verdict is about inputs that no door refuses. But if a refusal depends on coins or on
opened field elements, then it counts as a disclosed value. For example, over F_3 a door is given an
input x and a coin r, and raises an error if x and r are equal. Later r is sent: whoever receives it
knows that x is not r. `refusal` tries all values, if there are not too many.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import Literal

import attrs

from simnet.adversary.door_laws.calling import REFUSED, NotEnumerable
from simnet.adversary.door_laws.components import Component, DoorGraph, HonestDoor
from simnet.adversary.door_laws.door_law import DoorLaws, always_refuses
from simnet.adversary.door_laws.laws import ComponentStates, DomainOf, TooManyStates

SHOWN = 8  # as many parties or inputs are named in a sentence
MOST_ARGUMENTS = 20_000  # the largest number of values of a door's arguments that we try

Refusal = Literal["never", "by inputs", "telling", "not checked"]


@attrs.frozen
class RefusedInputs:
    """Inputs for which a door always raises an error. A verdict is not about these inputs."""

    parties: tuple[str, ...]  # the parties whose doors these are, and whose inputs they refuse
    function: str
    inputs: tuple[int, ...]

    @property
    def in_words(self) -> str:
        """A sentence for people."""
        hidden = len(self.inputs) - SHOWN
        inputs = ", ".join(map(str, self.inputs[:SHOWN])) + (f" and {hidden:,} more" * (hidden > 0))
        who = f"{len(self.parties):,} parties" if len(self.parties) > SHOWN else _and(self.parties)
        return (
            f"{self.function} of {who} refuses the input{'s' * (len(self.inputs) > 1)} {inputs}: "
            "the verdict is about the other inputs"
        )


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def refused_inputs(
    doors: Iterable[HonestDoor], domain_of: DomainOf, laws: DoorLaws
) -> tuple[RefusedInputs, ...]:
    """Return the possible inputs for which a door always raises an error, so that the run ends.

    Doors that are given anything sealed besides one input are left out, and so are parties with
    more than `MOST_ARGUMENTS` possible inputs or whose possible inputs are not known.
    """
    parties: dict[tuple[Hashable, tuple[int, ...]], dict[str, str]] = defaultdict(dict)
    found: dict[Hashable, tuple[int, ...]] = {}
    for door in doors:
        places = set(door.inputs)
        if door.call.rows or len(places) != 1:
            continue
        try:
            domain = domain_of(*places)
        except NotEnumerable:
            continue
        key = laws.signature(door.call), domain
        if key not in found:
            times = len(door.inputs)
            found[key] = tuple(
                value
                for value in domain[: MOST_ARGUMENTS + 1]
                if len(domain) <= MOST_ARGUMENTS and always_refuses(door.call, [value] * times)
            )
        if found[key]:
            parties[key, found[key]].setdefault(door.call.party, door.call.title)
    return tuple(
        RefusedInputs(tuple(titles), next(iter(titles.values())), inputs)
        for (_, inputs), titles in parties.items()
    )


def refusal(door: HonestDoor, graph: DoorGraph, domain_of: DomainOf, laws: DoorLaws) -> Refusal:
    """Say when a door refuses. "never": for no input. "by inputs": the inputs alone decide.
    "telling": coins or field elements decide too.

    "not checked": the possible inputs are not known, the law of a door was not found, or there are
    too many values to try all of them.
    """
    component = Component(
        doors=(door,),
        secrets=tuple(graph.secrets_behind([door])),
        touched=frozenset(),
        entangled=frozenset(),
    )
    try:
        states = ComponentStates(component, graph, domain_of, laws)
        return "not checked" if states.count > MOST_ARGUMENTS else _refusal(states, door)
    except (NotEnumerable, TooManyStates):
        return "not checked"


def _refusal(states: ComponentStates, door: HonestDoor) -> Refusal:
    refuses_some_input = False
    visited = 0
    for inputs in states.every_input():
        # For one input: contains True if some call refused, and False if some call did not refuse.
        outcomes = set()
        for context in states.every_context():
            for coins in states.every_coin():
                for secrets, _ in states.secrets(inputs, context, coins):
                    if secrets is None:  # an earlier door has refused, so this door is not reached
                        continue
                    visited += 1
                    if visited > MOST_ARGUMENTS:
                        return "not checked"
                    law = states.law(door, inputs, context, coins, secrets)
                    outcomes |= {outcome == REFUSED for outcome in law}
        if len(outcomes) > 1:
            return "telling"
        refuses_some_input |= True in outcomes
    return "by inputs" if refuses_some_input else "never"


def telling_refusals(
    doors: Iterable[HonestDoor], graph: DoorGraph, domain_of: DomainOf, laws: DoorLaws
) -> tuple[list[HonestDoor], list[HonestDoor]]:
    """Return two lists of doors that make secrets: doors whose refusals tell something, and doors
    that were not checked. The doors in the first list count as disclosing doors.

    A door whose function takes no coins and no field elements is in neither list: the inputs alone
    decide whether it refuses.
    """
    telling, unchecked = [], []
    found: dict[object, Refusal] = {}
    for door in doors:
        if door.call.kind != "secret" or not (door.call.takes_coins or door.rows):
            continue
        # Doors that are alike and are given inputs only have the same answer, so one of them is
        # checked.
        key = laws.signature(door.call) if not door.rows else door.number
        if key not in found:
            found[key] = refusal(door, graph, domain_of, laws)
        if found[key] == "telling":
            telling.append(attrs.evolve(door, only_refusal=True))
        elif found[key] == "not checked":
            unchecked.append(door)
    return telling, unchecked
