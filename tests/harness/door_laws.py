"""Symbolic readings of runs, with the doors of honest parties, for tests of what these doors
disclose.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import attrs

from simnet.adversary.door_laws.components import DoorGraph, HonestDoor, honest_doors
from simnet.adversary.door_laws.disclosed import Disclosures, Known, disclosures
from simnet.adversary.door_laws.door_law import DoorLaws
from simnet.adversary.field_view import forms_received
from simnet.adversary.reading_again import read_blind, recorded
from simnet.adversary.symbolic import SharedSecrets, Symbolic
from simnet.kernel.run import Run, run
from simnet.linear.forms import Forms
from simnet.linear.span import Span
from simnet.linear.terms import refine
from simnet.linear.unknowns import KINDS, ONE, PLACES, Unknowns
from simnet.linear.vectors import Vector
from tests.harness.scripts import Scripts

Place = tuple[int, str]
Which = Callable[[int], bool]


class SeenRows:
    """The rows of messages, by modulus. They decide what the coalition knows of the rows that doors
    are given.

    A row is *known* if it is a combination of messages, and its coins are *apart* if no combination
    of messages has the same coins.
    """

    def __init__(
        self, messages: Mapping[int, Sequence[Mapping[int, int]]], is_known: Which, is_coin: Which
    ) -> None:
        self._is_known = is_known
        self._is_coin = is_coin
        self._span: dict[int, Span] = {}
        self._coins: dict[int, Span] = {}
        for modulus, rows in messages.items():
            span, coins = Span(modulus), Span(modulus)
            for row in rows:
                span.add(self._hidden(row))
                coins.add(self._coins_of(row))
            self._span[modulus], self._coins[modulus] = span, coins

    def _hidden(self, row: Mapping[int, int]) -> Vector:
        return {unknown: weight for unknown, weight in row.items() if not self._is_known(unknown)}

    def _coins_of(self, row: Mapping[int, int]) -> Vector:
        hidden = self._hidden(row)
        return {unknown: weight for unknown, weight in hidden.items() if self._is_coin(unknown)}

    def determines(self, modulus: int, row: Mapping[int, int]) -> bool:
        """Return whether the coalition can compute a row."""
        hidden = self._hidden(row)
        return not hidden or (modulus in self._span and hidden in self._span[modulus])

    def leave_alone(self, rows: Mapping[int, Sequence[Mapping[int, int]]]) -> bool:
        """Return whether the coins of these rows, by modulus, are apart from those of the
        messages.
        """
        for modulus, of_field in rows.items():
            alone, together = Span(modulus), Span(modulus)
            for row in of_field:
                alone.add(self._coins_of(row))
            seen = self._coins.get(modulus, Span(modulus))
            for vector, _ in [*seen.basis(), *alone.basis()]:
                together.add(vector)
            if len(together) < len(seen) + len(alone):
                return False
        return True

    def is_known(self, forms: Forms) -> bool:
        """Return whether the coalition can compute all elements of an array."""
        rows = refine(forms.terms, 1).vectors()
        return all(self.determines(forms.field.modulus, row) for row in rows)

    def are_apart(self, rows: Sequence[Forms]) -> bool:
        """Return whether the coins of these arrays are apart from those of the messages."""
        by_modulus: dict[int, list[Vector]] = defaultdict(list)
        for forms in rows:
            by_modulus[forms.field.modulus] += refine(forms.terms, 1).vectors()
        return self.leave_alone(by_modulus)


@attrs.frozen(eq=False, kw_only=True)
class ReadRuns:
    """Runs that were read symbolically, with the doors of all parties outside the coalition."""

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
        """Return the unknown that stands for an element of a secret."""
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
    """Read runs symbolically, as a verdict on the coalition `corrupt` does."""
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
    """Return a run of separate scripts, some of which take an input."""
    return run(Scripts(**scripts), list(inputs), seed=seed)
