"""The people of a run: the users' inputs, and the names of the items.

The input of a user is an item, a number in a declared range, a whole number, or a row of a table.
The module `synthetic` makes people up, and `from_columns` reads them from columns of data.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import attrs
import numpy as np

from simnet.arrays import Floats, Ints
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.schema import Schema


class _Drawn(ABC):
    """Users of whom some can be drawn."""

    inputs: Any
    source: str

    @abstractmethod
    def picked(self, places: Ints, source: str) -> Self:
        """Return the population of the users at these places, counted from 0, in this order."""

    def sample(self, users: int, seed: int) -> Self:
        """Return a population of `users` of these users, drawn without replacement.

        Raises `BadInput` if `users` is below 1 or above the number of these users.
        """
        everybody = len(self.inputs)
        if not 1 <= users <= everybody:
            raise BadInput(
                f"from 1 to {everybody} users can be drawn from {self.source}, got {users}"
            )
        chosen = SampledCoins(seed, "population").subset(users, everybody).plain
        return self.picked(chosen, f"{self.source}, drawn from its {everybody:,} users")


@attrs.frozen(eq=False)
class ItemPopulation(_Drawn):
    """Users with items: `items[i]` in 1..N is the input of user i + 1.

    `labels[j - 1]` is the name of item j.
    """

    items: Ints
    labels: tuple[str, ...]
    source: str

    @property
    def inputs(self) -> Ints:
        """The users' items; shape (n,)."""
        return self.items

    @property
    def support(self) -> Ints:
        """The number of users who hold each item; shape (N,)."""
        return np.bincount(self.items - 1, minlength=len(self.labels)).astype(np.int64)

    @property
    def totals(self) -> Ints:
        """The true counts, in the labels' order."""
        return self.support

    @property
    def frequencies(self) -> Floats:
        """The share of the users who hold each item; shape (N,)."""
        return self.support / len(self.items)

    def picked(self, places: Ints, source: str) -> "ItemPopulation":
        """Return the population of the users at these places, counted from 0, in this order."""
        return attrs.evolve(self, items=self.items[places], source=source)


@attrs.frozen(eq=False)
class NumberPopulation(_Drawn):
    """Users with numbers: `inputs[i]`, in the declared range `low..high`, belongs to user i + 1."""

    inputs: Floats
    low: float
    high: float
    source: str

    labels: ClassVar[tuple[str, ...]] = ("mean",)  # the names of what is estimated

    @property
    def totals(self) -> Floats:
        """The true sum, to compare with the estimate times the number of users; shape (1,)."""
        return np.array([self.inputs.sum()])

    def picked(self, places: Ints, source: str) -> "NumberPopulation":
        """Return the population of the users at these places, counted from 0, in this order."""
        return attrs.evolve(self, inputs=self.inputs[places], source=source)


@attrs.frozen(eq=False)
class IntegerPopulation(_Drawn):
    """Users with whole numbers: `inputs[i]` belongs to user i + 1, for a protocol that does not say
    which inputs are possible.
    """

    inputs: Ints
    source: str

    labels: ClassVar[tuple[str, ...]] = ()  # nothing is estimated

    @property
    def totals(self) -> Ints:
        """The sum of all numbers; shape (1,)."""
        return np.array([self.inputs.sum()])

    def picked(self, places: Ints, source: str) -> "IntegerPopulation":
        """Return the population of the users at these places, counted from 0, in this order."""
        return attrs.evolve(self, inputs=self.inputs[places], source=source)


@attrs.frozen(eq=False)
class TablePopulation(_Drawn):
    """Users with rows of a table: `inputs[i]` is the row of user i + 1.

    In a row, the schema's numbers come first, then its categories as items from 1. `inputs` has
    shape (n, d).
    """

    inputs: Floats
    schema: Schema
    source: str

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of what is estimated: means of numbers, and shares of categories."""
        return self.schema.labels

    @property
    def totals(self) -> Floats:
        """The true sums and counts, in the labels' order."""
        first = len(self.schema.numeric)
        columns = zip(self.schema.categorical, self.inputs.T[first:], strict=True)
        supports = [
            np.bincount(items.astype(int), minlength=len(column.labels) + 1)[1:]
            for column, items in columns
        ]
        return np.concatenate([self.inputs[:, :first].sum(axis=0), *supports])

    def picked(self, places: Ints, source: str) -> "TablePopulation":
        """Return the population of the users at these places, counted from 0, in this order."""
        return attrs.evolve(self, inputs=self.inputs[places], source=source)


Population = ItemPopulation | NumberPopulation | IntegerPopulation | TablePopulation


def in_chance_order(population: Population, seed: int) -> Population:
    """Return the same users in a random order, drawn from the seed."""
    order = np.argsort(
        SampledCoins(seed, "order").uniform(len(population.inputs)).plain, kind="stable"
    )
    return population.picked(order, population.source)
