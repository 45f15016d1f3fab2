"""The people of a run: what each of them holds, and what the items are called.

Users hold an item, a number of a declared range, or a row of a table. `synthetic` makes people up,
`from_columns` reads them from columns of data.
"""

from typing import ClassVar

import attrs
import numpy as np

from simnet.arrays import Floats, Ints
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.schema import Schema


@attrs.frozen(eq=False)
class ItemPopulation:
    """`items[i]` in 1..N is what user i + 1 holds; `labels[j - 1]` is the name of item j."""

    items: Ints
    labels: tuple[str, ...]
    source: str

    @property
    def inputs(self) -> Ints:
        """What the users hold; shape (n,)."""
        return self.items

    @property
    def support(self) -> Ints:
        """How many users hold each item; shape (N,)."""
        return np.bincount(self.items - 1, minlength=len(self.labels)).astype(np.int64)

    @property
    def totals(self) -> Ints:
        """Sums and supports in the labels' order: the truth times the number of users."""
        return self.support

    @property
    def frequencies(self) -> Floats:
        """The share of the users that hold each item; shape (N,)."""
        return self.support / len(self.items)

    def sample(self, users: int, seed: int) -> "ItemPopulation":
        """Some of the users, drawn without replacement.

        Raises `BadInput` when there are not as many.
        """
        chosen, source = _sample_rows(users, len(self.items), self.source, seed)
        return attrs.evolve(self, items=self.items[chosen], source=source)


@attrs.frozen(eq=False)
class NumberPopulation:
    """`inputs[i]`, a number in the declared range `low..high`, is what user i + 1 holds."""

    inputs: Floats
    low: float
    high: float
    source: str

    labels: ClassVar[tuple[str, ...]] = ("mean",)  # of what is estimated

    @property
    def totals(self) -> Floats:
        """What an estimate, times the number of users, is held against: the sum; shape (1,)."""
        return np.array([self.inputs.sum()])

    def sample(self, users: int, seed: int) -> "NumberPopulation":
        """Some of the users, drawn without replacement.

        Raises `BadInput` when there are not as many.
        """
        chosen, source = _sample_rows(users, len(self.inputs), self.source, seed)
        return attrs.evolve(self, inputs=self.inputs[chosen], source=source)


@attrs.frozen(eq=False)
class TablePopulation:
    """`inputs[i]` is the row of user i + 1, as the schema orders it: numbers, then items from 1.

    Shape (n, d).
    """

    inputs: Floats
    schema: Schema
    source: str

    @property
    def labels(self) -> tuple[str, ...]:
        """What is estimated: means and shares."""
        return self.schema.labels

    @property
    def totals(self) -> Floats:
        """What an estimate, times the number of users, is held against: sums and supports, in the
        labels' order.
        """
        first = len(self.schema.numeric)
        columns = zip(self.schema.categorical, self.inputs.T[first:], strict=True)
        supports = [
            np.bincount(items.astype(int), minlength=len(column.labels) + 1)[1:]
            for column, items in columns
        ]
        return np.concatenate([self.inputs[:, :first].sum(axis=0), *supports])

    def sample(self, users: int, seed: int) -> "TablePopulation":
        """Some of the users, drawn without replacement.

        Raises `BadInput` when there are not as many.
        """
        chosen, source = _sample_rows(users, len(self.inputs), self.source, seed)
        return attrs.evolve(self, inputs=self.inputs[chosen], source=source)


Population = ItemPopulation | NumberPopulation | TablePopulation


def in_chance_order(population: Population, seed: int) -> Population:
    """The same users, every order equally likely but for ties of doubles."""
    order = np.argsort(
        SampledCoins(seed, "order").uniform(len(population.inputs)).plain, kind="stable"
    )
    if isinstance(population, ItemPopulation):
        return attrs.evolve(population, items=population.items[order])
    return attrs.evolve(population, inputs=population.inputs[order])


def _sample_rows(users: int, everybody: int, source: str, seed: int) -> tuple[Ints, str]:
    """The places of some users, and where they come from in words."""
    if not 1 <= users <= everybody:
        raise BadInput(f"users to draw are 1 to {everybody}, the rows of {source}, got {users}")
    chosen = SampledCoins(seed, "population").subset(users, everybody).plain
    return chosen, f"{users} of {everybody} rows of {source}"
