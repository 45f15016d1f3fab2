"""The people of a run: what each of them holds, and what the items are called."""

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.study.columns import Column

Ints = npt.NDArray[np.int64]


@attrs.frozen(eq=False)
class Population:
    """`items[i]` in 1..N is what user i + 1 holds; `labels[j - 1]` is the name of item j."""

    items: Ints
    labels: tuple[str, ...]
    source: str

    @property
    def support(self) -> Ints:
        """How many users hold each item; shape (N,)."""
        return np.bincount(self.items - 1, minlength=len(self.labels)).astype(np.int64)

    @property
    def frequencies(self) -> npt.NDArray[np.float64]:
        """The share of the users that hold each item; shape (N,)."""
        return self.support / len(self.items)

    def sample(self, users: int, seed: int) -> "Population":
        """Some of the users, drawn without replacement. Raises `BadInput` when there are not as many."""
        if not 1 <= users <= len(self.items):
            raise BadInput(f"users to draw are 1 to {len(self.items)}, the rows of {self.source}, got {users}")
        chosen = SampledCoins(seed, "population").subset(users, len(self.items)).plain
        return attrs.evolve(
            self, items=self.items[chosen], source=f"{users} of {len(self.items)} rows of {self.source}"
        )


def uniform_population(users: int, items: int, seed: int) -> Population:
    """Users who hold an item uniform on `1..items`, independently. Raises `BadInput` for an empty one."""
    if users < 1 or items < 1:
        raise BadInput(f"a population has at least one user and one item, got users={users}, items={items}")
    held = SampledCoins(seed, "population").integers(items, users).plain + 1
    return Population(held, tuple(str(item) for item in range(1, items + 1)), "a synthetic uniform population")


def column_population(column: Column, domain: Sequence[str] | None) -> Population:
    """One user for each row of a column; the domain is what occurs in it, in order, unless given.

    Raises `BadInput` for a row whose value is outside the domain.
    """
    labels = tuple(domain) if domain is not None else tuple(sorted(set(column.values), key=_order(column.values)))
    place = {label: item for item, label in enumerate(labels, start=1)}
    if len(place) != len(labels):
        raise BadInput(f"the domain names {next(label for label in labels if labels.count(label) > 1)!r} twice")
    stranger = next((row for row, value in enumerate(column.values) if value not in place), None)
    if stranger is not None:
        raise BadInput(
            f"{column.row(stranger)} holds {column.values[stranger]!r}, which is outside the domain "
            f"of {len(labels)} items ({', '.join(labels[:5])}{', ...' if len(labels) > 5 else ''})"
        )
    held = np.array([place[value] for value in column.values], dtype=np.int64)
    return Population(held, labels, column.source)


def _order(values: Sequence[str]) -> Callable[[str], Any]:
    """Numbers in order of size, anything else in order of text; equal numbers, such as 1 and 1.0, by their text."""
    try:
        numbers = {value: Decimal(value) for value in set(values)}
    except InvalidOperation:
        return str
    if any(number.is_nan() for number in numbers.values()):
        return str
    return lambda value: (numbers[value], value)
