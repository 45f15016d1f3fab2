"""Real views against simulated ones: the definition of security, with exact laws on both sides.

A protocol's `leaked(inputs, holders, corrupt)` says what a simulator is given, and
`simulated(corrupt, leaked)` is the protocol that the simulator plays with the corrupt parties: its
honest parties use no inputs.
"""

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from typing import Any

from simnet.exhaustive.law import Law, Views
from simnet.exhaustive.tape import Choice, FieldCoins, Tape, TapeCoins, Undecided
from simnet.exhaustive.worlds import Worlds
from simnet.values.field import FieldArray

# What honest parties hold in a simulation: a script that looks at it gives itself away
PLACEHOLDER = 1


class _TapeHolder:
    """A party of the ideal world whose coins play a tape."""

    def __init__(self, name: str, tape: Tape) -> None:
        self.name = name
        self.coins = TapeCoins(tape, FieldCoins(), lambda _, rows: rows)

    def secret(self, value: FieldArray) -> FieldArray:
        """The value itself."""
        return value


def law_of(draw: Callable[[Tape], Hashable]) -> Law:
    """The exact law of a function of coins, by every tape that they can play."""
    law: dict[Hashable, Fraction] = {}
    stack: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
    while stack:
        outcomes, probability = stack.pop()
        try:
            result = draw(Tape(outcomes))
        except Undecided as pause:
            choice: Choice = pause.choice
            stack += [
                ((*outcomes, outcome), probability * chance) for outcome, chance in choice.outcomes
            ]
        else:
            law[result] = law.get(result, Fraction(0)) + probability
    return law


def leaked_law(protocol: Any, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """The exact law of what a simulator is given."""
    names = list(Worlds(protocol).named(inputs))

    def draw(tape: Tape) -> Hashable:
        told: Hashable = protocol.leaked(
            inputs, [_TapeHolder(name, tape) for name in names], corrupt
        )
        return told

    return law_of(draw)


def simulated_law(protocol: Any, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """The exact law of the view that the simulator makes; honest inputs enter through what it is
    given alone.
    """
    law: dict[Hashable, Fraction] = {}
    named = Worlds(protocol).named(inputs)
    blank = [held if name in corrupt else PLACEHOLDER for name, held in named.items()]
    for leaked, chance in leaked_law(protocol, inputs, corrupt).items():
        simulator = protocol.simulated(corrupt, leaked)
        for view, probability in Views(Worlds(simulator), list(corrupt)).law(blank).items():
            law[view] = law.get(view, Fraction(0)) + chance * probability
    return law


def real_law(protocol: Any, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """The exact law of the real view."""
    return Views(Worlds(protocol), list(corrupt)).law(inputs)
