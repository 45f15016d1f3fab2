"""Real views against simulated ones: the definition of security, with exact laws on both sides.

A `Simulator` says what it is given of the honest inputs, and which protocol it plays with the
corrupt parties: its honest parties use no inputs. See `simnet.contract`.
"""

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from simnet.contract import Protocol, Simulator
from simnet.exhaustive.law import Law, law_of
from simnet.exhaustive.model import Model
from simnet.exhaustive.tape import Tape, tape_coins
from simnet.exhaustive.views import Views
from simnet.values.field import FieldArray

# What honest parties hold in a simulation: a script that looks at it gives itself away
PLACEHOLDER = 1


class _TapeHolder:
    """A party of the ideal world whose coins play a tape."""

    def __init__(self, name: str, tape: Tape) -> None:
        self.name = name
        self.coins = tape_coins(tape)

    def secret(self, value: FieldArray) -> FieldArray:
        """The value itself."""
        return value


def leaked_law(simulator: Simulator, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """The exact law of what a simulator is given."""
    names = list(Model(simulator.protocol).named(inputs))

    def draw(tape: Tape) -> Hashable:
        return simulator.leaked(inputs, [_TapeHolder(name, tape) for name in names], corrupt)

    return law_of(draw)


def simulated_law(simulator: Simulator, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """The exact law of the view that the simulator makes; honest inputs enter through what it is
    given alone.
    """
    law: dict[Hashable, Fraction] = {}
    named = Model(simulator.protocol).named(inputs)
    blank = [held if name in corrupt else PLACEHOLDER for name, held in named.items()]
    for leaked, chance in leaked_law(simulator, inputs, corrupt).items():
        played = simulator.simulated(corrupt, leaked)
        for view, probability in Views(Model(played), list(corrupt)).law(blank).items():
            law[view] = law.get(view, Fraction(0)) + chance * probability
    return law


def real_law(protocol: Protocol, inputs: Sequence[Any], corrupt: Sequence[str]) -> Law:
    """The exact law of the real view."""
    return Views(Model(protocol), list(corrupt)).law(inputs)
