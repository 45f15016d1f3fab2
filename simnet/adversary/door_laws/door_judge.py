"""The doors of the runs that a judge has read, and what their laws tell.

A `DoorJudge` can serve several verdicts on the same runs. These verdicts then share the laws that
were found.
"""

import functools
from collections.abc import Callable, Collection, Hashable, Sequence

import attrs

from simnet.adversary.door_laws.calling import NotEnumerable
from simnet.adversary.door_laws.components import DoorGraph, HonestDoor, honest_doors
from simnet.adversary.door_laws.disclosed import Disclosures, Known, disclosures
from simnet.adversary.door_laws.door_law import DoorLaws
from simnet.adversary.door_laws.laws import Place, recorded_outcome
from simnet.adversary.door_laws.refusals import (
    RefusedInputs,
    refusal,
    refused_inputs,
    telling_refusals,
)
from simnet.adversary.door_laws.surroundings import ViewSurroundings, WidestView
from simnet.adversary.door_laws.witness import SecretFunction, has_witness
from simnet.adversary.door_uses import DoorUse
from simnet.adversary.knowledge import Knowledge
from simnet.adversary.output_fixes import SecretKey, SecretValues
from simnet.adversary.symbolic import Symbolic
from simnet.coins.law import Law
from simnet.contract import OverItems
from simnet.kernel.run import Run
from simnet.linear.unknowns import Unknowns


class DoorJudge:
    """Says what the doors of the given runs tell a coalition."""

    def __init__(
        self,
        runs: Sequence[Run],
        readings: Sequence[Symbolic],
        unknowns: Unknowns,
        identities: Callable[[], list[Hashable]],
        same_inputs: bool,
    ) -> None:
        """`identities` returns a key of each run. Two keys are equal only if the same run is given
        twice.

        With `same_inputs` every party has the same input in all runs.
        """
        self._runs = runs
        self._readings = readings
        self._unknowns = unknowns
        self._find_identities = identities
        self._same_inputs = same_inputs
        self._laws = DoorLaws()

    @functools.cached_property
    def _identities(self) -> list[Hashable]:
        return self._find_identities()

    @property
    def independent_runs(self) -> int | None:
        """The number of different runs: a run that is given twice counts once. None if two
        different runs have one seed, and so share their coins.
        """
        different = {
            identity: done.seed for identity, done in zip(self._identities, self._runs, strict=True)
        }
        seeds = set(different.values())
        return len(seeds) if len(seeds) == len(different) else None

    def disclosures(self, corrupt: Collection[str], view: WidestView | None) -> Disclosures:
        """Return what honest parties disclose to a coalition with this view of field elements.

        If the view is None, the coalition may know anything about field elements. Perhaps it could
        not be tried for some doors of secrets whether coins or field elements decide if the door
        refuses. Then the `condition` of the result names these doors, unless its `epsilon` is None.
        """
        graph = self._graph(corrupt, view)
        disclosing = [door for door in graph.doors if door.call.kind == "disclose"]
        telling, unchecked = telling_refusals(graph.doors, graph, self._domain_of, self._laws)
        families = {door.family for door in graph.doors if door.family is not None}
        functions = [frozenset(families)] if view is None else view.families
        known = Known(
            functions=functions,
            runs=self._identities,
            seeds=[done.seed for done in self._runs],
        )
        found = disclosures(graph, [*disclosing, *telling], self._domain_of, known, self._laws)
        if not unchecked or found.epsilon is None:
            return found
        titles = ", ".join(dict.fromkeys(door.call.title for door in unchecked))
        condition = f"if no coin and no field element decides whether {titles} raises an error"
        return attrs.evolve(found, argument=f"{found.argument}, {condition}", condition=condition)

    def secret_values(self, corrupt: Collection[str]) -> dict[SecretKey, SecretValues]:
        """The possible values of each honest party's secrets, by the party's input.

        A secret is listed only if its door was given exactly one input and no field elements other
        than public numbers, if the possible inputs and the door's law at each of them can be found,
        and if the value in the run is possible for one of these inputs.
        """
        laws = DoorLaws()  # a separate budget, so that these calls do not use up a verdict's budget
        found: dict[SecretKey, SecretValues] = {}
        alike: dict[Hashable, SecretValues] = {}
        for door in honest_doors([reading.calls for reading in self._readings], corrupt):
            if door.family is None or door.rows or len(door.inputs) != 1:
                continue
            signature = laws.signature(door.call), door.input_run
            try:
                if signature not in alike:
                    domain = self._domain_of(door.inputs[0])
                    alike[signature] = SecretValues(
                        {value: _values(laws.law(door.call, [value], [])) for value in domain}
                    )
                recorded = recorded_outcome(door)
            except NotEnumerable:
                continue
            if any(recorded in values for values in alike[signature].by_input.values()):
                found[door.call.party, door.call.number] = alike[signature]
        return found

    @functools.cached_property
    def refused_inputs(self) -> tuple[RefusedInputs, ...]:
        """The possible inputs for which a door of these runs always raises an error, whoever calls
        the door.
        """
        doors = honest_doors([reading.calls for reading in self._readings], (), self._same_inputs)
        return refused_inputs(doors, self._domain_of, self._laws)

    def refuses_by_inputs_alone(self, use: DoorUse) -> bool:
        """Whether the inputs alone decide if the door's function raises an error; False if we do
        not know.
        """
        graph = self._graph((), None)
        place = use.run, use.kind, use.party, use.number
        for door in graph.doors:
            call = door.call
            if (door.run, call.kind, call.party, call.number) == place:
                return refusal(door, graph, self._domain_of, self._laws) in ("never", "by inputs")
        return False

    def has_witness(self, corrupt: Collection[str], knowledge: Sequence[Knowledge]) -> bool:
        """Whether two inputs were found that show that the coalition's knowledge exceeds the
        output.
        """
        graph = self._graph(corrupt, None)
        beyond = [
            SecretFunction(modulus=each.modulus, terms=function.terms, lanes=each.view.lanes)
            for each in knowledge
            for function in each.functions
            if not function.in_output
        ]
        ideal = [
            SecretFunction(modulus=each.modulus, terms=vector, lanes=each.view.lanes)
            for each in knowledge
            for vector, _ in each.ideal.basis()
        ]
        disclosing = [door for door in graph.doors if door.call.kind == "disclose"]
        return bool(has_witness(beyond, ideal, disclosing, graph, self._examples_of, self._laws))

    def _graph(self, corrupt: Collection[str], view: WidestView | None) -> DoorGraph:
        calls = [reading.calls for reading in self._readings]
        doors: list[HonestDoor] = honest_doors(calls, corrupt, self._same_inputs)
        products = [product for reading in self._readings for product in reading.products]
        surroundings = ViewSurroundings(view)
        roles = None if view is None else view.roles
        received = {
            door.family
            for door in honest_doors(calls, ())
            if door.family is not None and door.rows and door.call.party in corrupt
        }
        return DoorGraph(doors, products, self._unknowns, corrupt, surroundings, roles, received)

    def _examples_of(self, place: Place) -> Sequence[int]:
        """Inputs that a party might have: all possible inputs, if they are known, and otherwise the
        inputs of the run's parties.

        Some of the possible inputs are enough: a witness is valid even if other inputs were not
        tried. Raises `NotEnumerable` if the possible inputs are not known and an input of the run
        is not of the type `int`.
        """
        try:
            return self._domain_of(place)
        except NotEnumerable:
            held = list(self._runs[place[0]].inputs.values())
            if not all(type(value) is int for value in held):
                raise
            return sorted(set(held))

    def _domain_of(self, place: Place) -> Sequence[int]:
        """The inputs that a party may have in a run. Raises `NotEnumerable` if they are not
        known.
        """
        number, party = place
        done = self._runs[number]
        seat = done.roster.seats[done.roster.number[party]]
        if seat.members is not None:
            raise NotEnumerable(
                "the members of a crowd share one call of the door: their inputs are not separate"
            )
        if not isinstance(done.protocol, OverItems) or not isinstance(done.protocol.items, int):
            raise NotEnumerable(
                "the protocol has no integer `items`, so the possible inputs are unknown"
            )
        return range(1, done.protocol.items + 1)


def _values(law: Law) -> frozenset[tuple[int, ...]]:
    """The possible values of a secret. The outcome in which the door refuses is left out."""
    return frozenset(numbers for numbers in law if isinstance(numbers, tuple))
