"""Exact laws of values that are drawn from finite coins, found by playing every outcome of the
coins.
"""

import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from protocols.mechanisms.grr import GRR
from simnet import ScriptError, run
from simnet.coins import law
from simnet.coins.coins import Coins
from simnet.coins.law import Law
from simnet.coins.tape import Tape, TapeEnd, tape_coins
from simnet.kernel.ideal import ideal_world
from simnet.kernel.reading import Sampled
from simnet.record.fate import Fates
from simnet.values.meter import Meter

Set = tuple[int, ...]
Outputs = Callable[[Any, Any], Mapping[str, Any]]
SEATINGS = ("actors", "crowd", "aggregate")
HELD = [1, 2, 1]


def law_of(draw: Callable[[Any], Hashable]) -> dict[Any, Fraction]:
    """Return the probability of each outcome of `draw(coins)`."""

    def outcome(tape: Tape) -> Hashable:
        return draw(tape_coins(tape))

    return dict(law.law_of(outcome))


class Unplayed(Exception):
    def __init__(self, bound: int) -> None:
        self.bound = bound


def law_of_choices(draw: Callable[[Callable[[Any, int], int]], Any]) -> dict[Any, Fraction]:
    """Return the exact law of a draw that chooses by `integer_below`, by playing every sequence of
    choices.
    """
    outcomes: dict[Any, Fraction] = {}
    pending: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while pending:
        choices, chance = pending.pop()
        played = iter(choices)

        def choose(_: Any, bound: int, played: Iterator[int] = played) -> int:
            choice = next(played, None)
            if choice is None:
                raise Unplayed(bound)
            return choice

        try:
            outcome = draw(choose)
            outcomes[outcome] = outcomes.get(outcome, Fraction(0)) + chance
        except Unplayed as more:
            pending += [((*choices, choice), chance / more.bound) for choice in range(more.bound)]
    return outcomes


class Taped(Sampled):
    """A reading in which all parties toss the coins of one tape, one after another."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        return tape_coins(self._tape)


def output_law(protocol: Any, held: Any, fates: Fates | None = None) -> Law:
    """Return the exact law of the server's estimate, by a whole run on the kernel for every outcome
    of every coin; `fates` says who drops out.
    """

    def draw(tape: Tape) -> Hashable:
        try:
            estimate = run(protocol, held, reading=Taped(tape), fates=fates).outputs["server"]
        except ScriptError as error:  # the run blames the script for whatever leaves it
            if isinstance(error.__cause__, TapeEnd):
                raise error.__cause__ from None
            raise
        return tuple(np.round(np.atleast_1d(estimate), 12).tolist())

    return law.law_of(draw)


def report_vectors(
    response: GRR, values: list[int], sampling: list[float]
) -> list[tuple[float, tuple[int, ...]]]:
    """Yield every vector of reports with its probability."""
    rows = [
        [1 - chance, *(chance * float(x) for x in response.law(value))]
        for value, chance in zip(values, sampling, strict=True)
    ]
    return [
        (math.prod(row[report] for row, report in zip(rows, reports, strict=True)), reports)
        for reports in itertools.product(range(response.items + 1), repeat=len(values))
    ]


def law_of_definition(
    k: int, items: int, held: int | None, gamma: float | None
) -> dict[Set, Fraction]:
    """Return the law of a user's reporting set by Definition 3.1 of Yang et al., set by set."""
    sets = list(itertools.combinations(range(items), k))
    if held is None or gamma is None:
        return dict.fromkeys(sets, Fraction(1, len(sets)))
    weight = Fraction(gamma)
    total = weight * math.comb(items - 1, k - 1) + math.comb(items - 1, k)
    return {one: (weight if held in one else 1) / total for one in sets}


def estimate_law(protocol: Any, held: Any, outputs: Outputs | None) -> Law:
    """Return the exact law of the estimate.

    If `outputs` says how the estimate follows from what the ideal world hands out, the law is
    computed in the ideal world; otherwise by whole runs.
    """
    if outputs is None:
        return output_law(protocol, held)
    names = [name for name, seat in protocol.parties().items() if seat.takes_input]
    inputs = dict(zip(names, held, strict=True))

    def draw(tape: Tape) -> Hashable:
        handed = ideal_world(protocol, inputs, 0, Taped(tape))
        (estimate,) = outputs(protocol, handed).values()
        return tuple(np.round(estimate, 12).tolist())

    return law.law_of(draw)
