"""The values that columns of a table may hold: ranges of numbers, and domains of categories."""

from collections.abc import Sequence

import attrs
import numpy as np

from simnet.arrays import Floats


@attrs.frozen
class Numeric:
    """A column of numbers from `low` to `high`. The range is declared, not read off the data."""

    name: str
    low: float
    high: float


@attrs.frozen
class Categorical:
    """A column of categories; label j is the name of item j.

    The labels are `declared`, or else read off the data; then they reveal which values occur.
    """

    name: str
    labels: tuple[str, ...]
    declared: bool = attrs.field(default=True, eq=False)

    @property
    def origin(self) -> str:
        """Where the labels come from: declared, or read off the data."""
        return "declared" if self.declared else "read off the data"


@attrs.frozen
class Schema:
    """The columns of a table.

    A row has the numbers first, and then an item, counted from 1, for each column of categories.
    """

    numeric: tuple[Numeric, ...] = ()
    categorical: tuple[Categorical, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return (
            *(column.name for column in self.numeric),
            *(column.name for column in self.categorical),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of everything that is estimated: the mean of each number, the share of each
        category.
        """
        shares = [
            f"{column.name}={label}" for column in self.categorical for label in column.labels
        ]
        return (*(column.name for column in self.numeric), *shares)

    @property
    def origins(self) -> dict[str, str]:
        """Where the domain of each column of categories comes from."""
        return {column.name: column.origin for column in self.categorical}

    @property
    def groups(self) -> tuple[tuple[str, slice], ...]:
        """The place of each column's estimates among the labels."""
        sizes = [1] * len(self.numeric) + [len(column.labels) for column in self.categorical]
        starts: Sequence[int] = [sum(sizes[:place]) for place in range(len(sizes))]
        return tuple(
            (name, slice(at, at + size))
            for name, at, size in zip(self.names, starts, sizes, strict=True)
        )

    def within(self, estimates: Floats) -> Floats:
        """Return estimates on one scale, in the order of the labels.

        A mean becomes its place in the range of its column: 0 at the lower end, 1 at the upper end.
        Shares stay as they are. An estimate with noise may lie below 0 or above 1.
        """
        first, placed = len(self.numeric), estimates.astype(np.float64)
        low, high = (
            np.array([getattr(column, end) for column in self.numeric], dtype=float)
            for end in ("low", "high")
        )
        placed[:first] = (placed[:first] - low) / (high - low)
        return placed
