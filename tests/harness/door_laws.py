"""Runs read symbolically, with the doors of honest parties, for tests of what they disclose."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import attrs

from simnet.adversary.door_laws.components import DoorGraph, HonestDoor, honest_doors
from simnet.adversary.door_laws.disclosed import Disclosures, Known, disclosures
from simnet.adversary.door_laws.door_law import DoorLaws
from simnet.adversary.door_laws.seen_rows import SeenRows
from simnet.adversary.field_view import forms_received
from simnet.adversary.reading_again import read_blind, recorded
from simnet.adversary.symbolic import SharedSecrets, Symbolic
from simnet.kernel.run import Run, run
from simnet.linear.terms import refine
from simnet.linear.unknowns import KINDS, ONE, PLACES, Unknowns
from simnet.linear.vectors import Vector
from tests.harness.scripts import Scripts

Place = tuple[int, str]


@attrs.frozen(eq=False, kw_only=True)
class ReadRuns:
    """Runs with the doors of all parties but some."""

    graph: DoorGraph
    doors: list[HonestDoor]
    runs: Sequence[Run]
    items: int

    @property
    def disclosing(self) -> list[HonestDoor]:
        return [door for door in self.doors if door.call.kind == "disclose"]

    def secret(self, party: str, number: int = 0, run: int = 0) -> HonestDoor:
        return next(
            door
            for door in self.doors
            if (door.call.kind, door.call.party, door.call.number, door.run)
            == ("secret", party, number, run)
        )

    def unknown(self, party: str, number: int = 0, element: int = 0) -> int:
        """The unknown that stands for an element of a secret."""
        family = self.secret(party, number).family
        assert family is not None
        return family * PLACES + element

    def domain(self, place: Place) -> Sequence[int]:
        del place
        return range(1, self.items + 1)

    def disclosed(
        self, functions: Sequence[Collection[int]] = (), laws: DoorLaws | None = None
    ) -> Disclosures:
        identities = [(done.seed, repr(sorted(done.inputs.items()))) for done in self.runs]
        seeds = [done.seed for done in self.runs]
        return disclosures(
            self.graph,
            self.disclosing,
            self.domain,
            Known(functions=functions, runs=identities, seeds=seeds),
            laws,
        )


def read(
    runs: Run | Sequence[Run], corrupt: Collection[str], items: int, same_inputs: bool = False
) -> ReadRuns:
    """Read runs blind, as a verdict on `corrupt` does."""
    sequence = [runs] if isinstance(runs, Run) else list(runs)
    unknowns, shared = Unknowns(), SharedSecrets()
    readings: list[Symbolic] = []
    messages: dict[int, list[Vector]] = {}
    for place, done in enumerate(sequence):
        everyone = done.roster.names
        sampled, record = recorded(done, everyone)
        reading = Symbolic(
            record,
            unknowns,
            shared,
            run=id(done),
            inputs="the same" if same_inputs else None,
            place=place,
        )
        symbolic = read_blind(sampled, everyone, reading)
        readings.append(reading)
        members = frozenset(symbolic.roster.number[name] for name in corrupt)
        for part in forms_received(place, symbolic.transcript.blocks, members):
            messages.setdefault(part.field.modulus, []).extend(refine(part.terms, 1).vectors())
    held = unknowns.held_by(corrupt)
    kinds = unknowns.kinds()
    seen = SeenRows(
        messages,
        is_known=lambda unknown: unknown == ONE or bool(held[unknown // PLACES]),
        is_coin=lambda unknown: KINDS[kinds[unknown // PLACES]] == "coin",
    )
    doors = honest_doors([reading.calls for reading in readings], corrupt, same_inputs)
    products = [product for reading in readings for product in reading.products]
    graph = DoorGraph(doors, products, unknowns, corrupt, seen)
    return ReadRuns(graph=graph, doors=doors, runs=sequence, items=items)


def play_with(inputs: Sequence[Any], seed: int = 0, **scripts: Callable[..., Any]) -> Run:
    """A run of loose scripts, some of which take an input."""
    return run(Scripts(**scripts), list(inputs), seed=seed)
