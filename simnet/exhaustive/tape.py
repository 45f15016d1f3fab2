"""Coins that play a tape of outcomes.

A tape lists how the coins of one party come out, in the order in which its script tosses them. When
a script tosses a coin that the tape no longer has an outcome for, it is stopped by `TapeEnd`, which
says what could come out. Whoever drives the script then plays it again, once for each outcome, with
that outcome appended to the tape. So all histories are found although nobody knows beforehand which
coins a script will toss.

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

Field elements are unknowns (`reading`), or, when they are enumerated too, coins like any other.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, NoReturn

import attrs
import numpy as np
import numpy.typing as npt

from simnet.coins.coins import Coins, Deferred, RowMaker
from simnet.errors import BadInput
from simnet.values.field import Field, FieldArray
from simnet.values.metered import Metered
from simnet.values.residues import constant

Outcome = Any  # a hashable value
_BLOCKS = 1000  # deferred blocks that a party, or one of its blocks, makes at most


@attrs.frozen(eq=False)
class Choice:
    """A coin: its possible outcomes with their probabilities, which add up to 1."""

    outcomes: tuple[tuple[Outcome, Fraction], ...]

    @classmethod
    def of(cls, weights: Iterable[tuple[Outcome, Fraction | int]]) -> "Choice":
        """Outcomes in proportion to their weights; those of weight 0 are left out."""
        possible = [(outcome, Fraction(weight)) for outcome, weight in weights if weight]
        total = sum((weight for _, weight in possible), Fraction(0))
        if not possible or any(weight < 0 for _, weight in possible):
            raise ValueError("a coin has outcomes with chances from 0 that do not all vanish")
        return cls(tuple((outcome, weight / total) for outcome, weight in possible))


class TapeEnd(BaseException):
    """Raised out of a script when its tape ends before a coin.

    A `BaseException`, because a script's own `except Exception` must not catch it.
    """

    def __init__(self, choice: Choice) -> None:
        super().__init__("a coin is to be tossed")
        self.choice = choice


class Tape:
    """The outcomes of one party's coins so far, to be played from the beginning."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._outcomes = outcomes
        self._at = 0

    def toss(self, choice: Choice) -> Outcome:
        """The next outcome; a coin that can come out in one way only takes none from the tape.

        Raises `TapeEnd` when the tape has no more.
        """
        if len(choice.outcomes) == 1:
            return choice.outcomes[0][0]
        if self._at == len(self._outcomes):
            raise TapeEnd(choice)
        self._at += 1
        return self._outcomes[self._at - 1]


class FieldCoins:
    """Where field elements come from: `draw` gives those from `place` of a deferred block on, of
    none for block 0.
    """

    def draw(
        self, tape: Tape, block: int, place: int, field: Field, shape: tuple[int, ...]
    ) -> FieldArray:
        """Elements as numbers, each of them a coin like any other: its tape tells it."""
        del block, place
        drawn = [tape.toss(_even(field.modulus)) for _ in range(math.prod(shape))]
        return constant(field, np.array(drawn, dtype=np.int64).reshape(shape))


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
        raise ValueError(f"the favoured element {favoured} is none of {below}")
    exact = Fraction(weight)
    subsets = itertools.combinations(range(below), count)
    return Choice.of((subset, exact if favoured in subset else 1) for subset in subsets)


class TapeCoins:
    """The coins of one party, or of one of its deferred blocks (counted from 1)."""

    def __init__(
        self, tape: Tape, fields: FieldCoins, outgoing: Callable[[str, Any], Any], block: int = 0
    ) -> None:
        """Coins that play `tape`; `outgoing` makes of a block of rows what travels in its place."""
        self._tape = tape
        self._fields = fields
        self._outgoing = outgoing
        self._block = block
        self._blocks = 0
        self._place = 0

    def bernoulli(self, chance: float | Fraction) -> bool:
        """Both outcomes."""
        return bool(self._tape.toss(_coin(chance)))

    def bernoullis(self, chance: float | Fraction, count: int) -> npt.NDArray[np.bool_]:
        """One after another."""
        return np.array([self.bernoulli(chance) for _ in range(count)], dtype=np.bool_)

    def binomials(self, trials: npt.NDArray[np.int64], chance: float | Fraction) -> Metered:
        """Every number of successes, one after another."""
        return _numbers([self._tape.toss(_binomial(int(count), chance)) for count in trials])

    def integers(self, below: int, count: int) -> Metered:
        """One after another."""
        return _numbers([self._tape.toss(_even(below)) for _ in range(count)])

    def subset(self, count: int, below: int) -> Metered:
        """Every subset."""
        return self.weighted_subset(count, below)

    def weighted_subset(
        self, count: int, below: int, favoured: int | None = None, weight: float | Fraction = 1
    ) -> Metered:
        """Every subset, with its weight."""
        return _numbers(self._tape.toss(_subsets(count, below, favoured, weight)))

    def categorical(self, weights: Sequence[int], count: int) -> Metered:
        """One after another."""
        choice = Choice.of(enumerate(weights))
        return _numbers([self._tape.toss(choice) for _ in range(count)])

    def field(self, field: Field, shape: tuple[int, ...]) -> FieldArray:
        """Unknowns or numbers."""
        drawn = self._fields.draw(self._tape, self._block, self._place, field, shape)
        self._place += math.prod(shape)
        return drawn

    def deferred(self, field: Field, shape: tuple[int, ...], rows: RowMaker) -> Deferred:
        """A block of rows with coins of its own."""
        self._blocks += 1
        own: Coins = TapeCoins(
            self._tape, self._fields, self._outgoing, self._block * _BLOCKS + self._blocks
        )
        return Deferred(field, shape, lambda coins: self._outgoing("", rows(coins)), own)

    def uniform(self, count: int) -> Metered:  # noqa: ARG002
        """Cannot be played out."""
        self._refuse("uniform")

    def normal(self, count: int) -> Metered:  # noqa: ARG002
        """Cannot be played out."""
        self._refuse("normal")

    def discrete_normal(self, variance: Fraction, count: int) -> Metered:  # noqa: ARG002
        """Cannot be played out."""
        self._refuse("discrete_normal")

    def exponential(self, count: int) -> Metered:  # noqa: ARG002
        """Cannot be played out."""
        self._refuse("exponential")

    def _refuse(self, name: str) -> NoReturn:
        raise BadInput(
            f"coins.{name} has infinitely many outcomes, and only finite coins can be played out"
        )


def _numbers(values: Sequence[int]) -> Metered:
    return Metered.of(np.array(values, dtype=np.int64), None)
