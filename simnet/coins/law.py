"""Exact laws (probability distributions over finitely many outcomes), and how far two are apart.

A law maps outcomes to their probabilities, which are fractions and add up to 1. `law_of` finds the
law of anything that is computed from finite coins, by playing every tape of outcomes.

Example. The number of heads in two tosses of a coin that shows heads with probability 1/3:

>>> from simnet.coins.tape import Choice
>>> coin = Choice.of([(1, 1), (0, 2)])
>>> law = law_of(lambda tape: tape.toss(coin) + tape.toss(coin))
>>> {heads: str(chance) for heads, chance in sorted(law.items())}
{0: '4/9', 1: '4/9', 2: '1/9'}
>>> fair = {0: Fraction(1, 4), 1: Fraction(1, 2), 2: Fraction(1, 4)}
>>> print(delta(law, fair))
7/36
>>> print(round(epsilon(law, fair), 4), round(math.log(9 / 4), 4))
0.8109 0.8109
"""

import math
from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction

from simnet.coins.tape import Outcome, Tape, TapeEnd

Law = Mapping[Hashable, Fraction]


def law_of(draw: Callable[[Tape], Hashable]) -> Law:
    """Return the exact law of a function of coins, by playing every tape of outcomes.

    `draw` is first called with the empty tape. Whenever a tape ends before a coin, `draw` is called
    with this tape extended by each outcome of the coin.
    """
    law: dict[Hashable, Fraction] = {}
    stack: list[tuple[tuple[Outcome, ...], Fraction]] = [((), Fraction(1))]
    while stack:
        outcomes, probability = stack.pop()
        try:
            result = draw(Tape(outcomes))
        except TapeEnd as end:
            stack += [
                ((*outcomes, outcome), probability * chance)
                for outcome, chance in end.choice.outcomes
            ]
        else:
            law[result] = law.get(result, Fraction(0)) + probability
    return law


def epsilon(first: Law, second: Law) -> float:
    """Return the largest log-ratio of the two laws' probabilities of one outcome, in either
    direction.

    The ratio is infinite if an outcome is possible under only one of the laws.
    """
    if set(first) != set(second):
        return math.inf
    worst = max(
        max(first[outcome] / second[outcome], second[outcome] / first[outcome]) for outcome in first
    )
    return math.log(worst)


def delta(first: Law, second: Law, epsilon: float = 0) -> Fraction | float:
    """Return δ(ε) for two laws P and Q: the larger of Σ max(0, P - e^ε Q) and Σ max(0, Q - e^ε P).
    For ε = 0 the result is an exact fraction. An ε above 700 counts as 700.
    """
    factor = Fraction(1) if epsilon == 0 else math.exp(min(epsilon, 700.0))
    return max(_excess(first, second, factor), _excess(second, first, factor))


def _excess(first: Law, second: Law, factor: Fraction | float) -> Fraction | float:
    nothing = Fraction(0)
    return sum(
        (
            max(nothing, chance - factor * second.get(outcome, nothing))
            for outcome, chance in first.items()
        ),
        nothing,
    )
