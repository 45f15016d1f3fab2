"""Coins that play a tape of outcomes.

A tape lists how coins come out, in the order in which they are tossed. When a script tosses a coin
for which the tape has no outcome left, `TapeEnd` stops the script, and says which outcomes the coin
can have. The caller then plays the script again, once for each outcome, with this outcome appended
to the tape. So all tapes are found although nobody knows beforehand which coins a script will toss.

Example. A tape of one outcome, and a script that tosses twice:

>>> coin = Choice.of([("heads", 1), ("tails", 1)])
>>> tape = Tape(["heads"])
>>> tape.toss(coin)
'heads'
>>> try:
...     tape.toss(coin)
... except TapeEnd as end:
...     print([outcome for outcome, _ in end.choice.outcomes])
['heads', 'tails']

Field elements are mostly unknowns (`simnet.exhaustive.reading`). If they are enumerated, too, each
is a coin with q outcomes.
"""

import functools
import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import attrs
import numpy as np

from simnet.arrays import Bools, Floats, Ints
from simnet.coins.coins import Coins, Probability
from simnet.errors import BadInput
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import constant

# An outcome of a coin: a number, a truth value or a tuple of numbers, which is always hashable. The
# draw that asked for the coin knows which of these the outcome is; the type cannot say it.
Outcome = Any

MOST_OUTCOMES = 1_000_000  # the most outcomes of one coin


@attrs.frozen(eq=False)
class Choice:
    """A coin: its possible outcomes with their probabilities, which add up to 1."""

    outcomes: tuple[tuple[Outcome, Fraction], ...]

    @classmethod
    def of(cls, weights: Iterable[tuple[Outcome, Fraction | int]]) -> "Choice":
        """Return a choice with probabilities proportional to the weights. Outcomes of weight 0 are
        left out. Raises `ValueError` for a negative weight, and if all weights are 0.
        """
        possible = [(outcome, Fraction(weight)) for outcome, weight in weights if weight]
        total = sum((weight for _, weight in possible), Fraction(0))
        if not possible or any(weight < 0 for _, weight in possible):
            raise ValueError("a coin needs weights of at least 0 that are not all 0")
        return cls(tuple((outcome, weight / total) for outcome, weight in possible))


class TapeEnd(BaseException):
    """Raised out of a script when its tape ends before a coin.

    `TapeEnd` is a `BaseException`, so that `except Exception` in a script does not catch it.
    """

    def __init__(self, choice: Choice) -> None:
        super().__init__("the tape ends before this coin")
        self.choice = choice


class Tape:
    """The outcomes of coins so far, to be played from the beginning.

    `stop` is the error that ended the play: the tape had no entry left, or the script did something
    that cannot be played out. `stop` is None before. It is kept, because a script may catch this
    error.

    After its entries, the tape goes on with the first outcome of each coin, until these coins have
    more than `further` outcomes together. `choices` are these coins, and the one at which the tape
    ended.
    """

    def __init__(self, outcomes: Sequence[Outcome], further: int = 0) -> None:
        self.stop: BaseException | None = None
        self.choices: list[Choice] = []
        self._further = further
        self._outcomes = outcomes
        self._at = 0

    def toss(self, choice: Choice) -> Outcome:
        """Return the outcome of this coin: the next entry of the tape. A coin with a single
        possible outcome takes no entry from the tape.

        Raises `TapeEnd` if the tape has no more entries.
        """
        if len(choice.outcomes) == 1:
            return choice.outcomes[0][0]
        if self._at == len(self._outcomes):
            self._further -= len(choice.outcomes)
            if self.stop is None:
                self.choices.append(choice)
            if self.stop is not None or self._further < 0:
                raise self.stopped(TapeEnd(choice))
            return choice.outcomes[0][0]
        self._at += 1
        return self._outcomes[self._at - 1]

    def answer(self, otherwise: BaseException) -> Outcome:
        """Return the next entry, which answers a question that is not about a coin, such as which
        numbers a door gets.

        Raises `otherwise` if the tape has no more entries.
        """
        if self._at == len(self._outcomes):
            raise self.stopped(otherwise)
        self._at += 1
        return self._outcomes[self._at - 1]

    def stopped(self, stop: BaseException) -> BaseException:
        """Note the error that stops the play, and return it."""
        if self.stop is None:
            self.stop = stop
        return stop


class TapeField:
    """A field source that plays a tape: each element is a coin with q outcomes."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> FieldArray:
        """Toss one coin for each element."""
        _refuse_many(self._tape, field.modulus, f"a field element mod {field.modulus:,}")
        drawn = [self._tape.toss(_even(field.modulus)) for _ in range(math.prod(shape))]
        return constant(field, np.array(drawn, dtype=np.int64).reshape(shape)).metered(meter)

    def lift(self, rows: FieldArray) -> FieldArray:
        """Return the rows unchanged."""
        return rows

    def block(self, number: int) -> "TapeField":
        """Return this source: here a deferred block is evaluated at once, so its coins come in
        order.
        """
        del number
        return self


def _refuse_many(tape: Tape, outcomes: int, coin: str) -> None:
    if outcomes > MOST_OUTCOMES:
        raise tape.stopped(
            BadInput(
                f"{coin} has {outcomes:,} outcomes, and more than {MOST_OUTCOMES:,} cannot be "
                "played out: take smaller numbers"
            )
        )


@functools.lru_cache(maxsize=1024)
def _coin(chance: float | Fraction) -> Choice:
    exact = Fraction(chance)
    return Choice.of([(True, exact), (False, 1 - exact)])


@functools.lru_cache(maxsize=1024)
def _binomial(trials: int, chance: float | Fraction) -> Choice:
    p = Fraction(chance)
    return Choice.of(
        (hits, math.comb(trials, hits) * p**hits * (1 - p) ** (trials - hits))
        for hits in range(trials + 1)
    )


@functools.lru_cache(maxsize=1024)
def _even(below: int) -> Choice:
    return Choice.of([(value, 1) for value in range(below)])


@functools.lru_cache(maxsize=1024)
def _subsets(count: int, below: int, favoured: int | None, weight: float | Fraction) -> Choice:
    if favoured is not None and not 0 <= favoured < below:
        raise ValueError(f"the favoured element must be in 0..{below - 1}, got {favoured}")
    exact = Fraction(weight)
    subsets = itertools.combinations(range(below), count)
    return Choice.of((subset, exact if favoured in subset else 1) for subset in subsets)


class TapeDiscrete:
    """A discrete source that plays a tape.

    Each number or truth value that a call returns is a coin of its own. A subset is a single coin,
    because its members depend on each other.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def on(self, tape: Tape) -> "TapeDiscrete":
        """Return a source of the same kind that plays another tape."""
        return type(self)(tape)

    def bernoulli(self, chance: Probability) -> bool:
        """Toss a coin with two outcomes, or with one outcome if `chance` is 0 or 1."""
        return bool(self.tape.toss(_coin(chance)))

    def bernoullis(self, chance: Probability, count: int) -> Bools:
        """Toss `count` coins, one after another."""
        return np.array([self.bernoulli(chance) for _ in range(count)], dtype=np.bool_)

    def binomials(self, trials: Ints, chance: Probability) -> Ints:
        """Toss one coin for each entry of `trials`: its outcomes are the numbers of successes."""
        most = int(max(trials, default=0)) if 0 < chance < 1 else 0
        _refuse_many(self.tape, most + 1, f"the number of successes in {most:,} trials")
        return _numbers([self.tape.toss(_binomial(int(count), chance)) for count in trials])

    def integers(self, below: int, count: int) -> Ints:
        """Toss `count` coins with `below` outcomes each, one after another."""
        _refuse_many(self.tape, below, f"an integer below {below:,}")
        return _numbers([self.tape.toss(_even(below)) for _ in range(count)])

    def subset(self, count: int, below: int, favoured: int | None, weight: Probability) -> Ints:
        """Toss one coin whose outcomes are all subsets, by their weights."""
        subsets = math.comb(below, count)
        _refuse_many(self.tape, subsets, f"a subset of {count:,} of {below:,}")
        return _numbers(self.tape.toss(_subsets(count, below, favoured, weight)))

    def categorical(self, weights: Sequence[int], count: int) -> Ints:
        """Toss `count` weighted coins, one after another."""
        possible = sum(weight != 0 for weight in weights)
        _refuse_many(self.tape, possible, f"an index of {len(weights):,} weights")
        choice = Choice.of(enumerate(weights))
        return _numbers([self.tape.toss(choice) for _ in range(count)])

    def uniform(self, count: int) -> Floats:  # noqa: ARG002
        """Raise `BadInput`, because a real number has too many outcomes."""
        self._refuse("uniform")

    def normal(self, count: int) -> Floats:  # noqa: ARG002
        """Raise `BadInput`, because a real number has too many outcomes."""
        self._refuse("normal")

    def exponential(self, count: int) -> Floats:  # noqa: ARG002
        """Raise `BadInput`, because a real number has too many outcomes."""
        self._refuse("exponential")

    def discrete_normal(self, variance: Fraction, count: int) -> Ints:  # noqa: ARG002
        """Raise `BadInput`, because this draw has infinitely many outcomes."""
        self._refuse("discrete_normal")

    def discrete_laplace(self, scale: Fraction, count: int) -> Ints:  # noqa: ARG002
        """Raise `BadInput`, because this draw has infinitely many outcomes."""
        self._refuse("discrete_laplace")

    def skellam(self, variance: Fraction, count: int) -> Ints:  # noqa: ARG002
        """Raise `BadInput`, because this draw has infinitely many outcomes."""
        self._refuse("skellam")

    def block(self, number: int) -> "TapeDiscrete":
        """Return this source. A deferred block draws no discrete coins."""
        del number
        return self

    def _refuse(self, name: str) -> NoReturn:
        raise self.tape.stopped(
            BadInput(
                f"coins.{name} has too many outcomes to be played out: draws that can be played "
                "out are bernoulli, bernoullis, binomials, integers, subset, weighted_subset and "
                "categorical"
            )
        )


def tape_coins(tape: Tape) -> Coins:
    """Return coins that play a tape, including their field elements."""
    return Coins(TapeDiscrete(tape), TapeField(tape))


def _numbers(values: Sequence[int]) -> Ints:
    return np.array(values, dtype=np.int64)
