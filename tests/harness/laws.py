"""The exact law of anything drawn from finite coins: every way in which they can fall is played
out.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

from simnet.exhaustive.tape import FieldCoins, Tape, TapeCoins, Undecided


def law_of(draw: Callable[[Any], Hashable]) -> dict[Any, Fraction]:
    """The probability of each outcome of `draw(coins)`."""
    law: dict[Any, Fraction] = {}
    pending: list[tuple[tuple[Any, ...], Fraction]] = [((), Fraction(1))]
    while pending:
        tape, chance = pending.pop()
        try:
            outcome = draw(TapeCoins(Tape(tape), FieldCoins(), lambda _, rows: rows))
            law[outcome] = law.get(outcome, Fraction(0)) + chance
        except Undecided as coin:
            pending += [((*tape, next_), chance * weight) for next_, weight in coin.choice.outcomes]
    return law
