"""What the columns of a table may hold: declared ranges of numbers, and domains of categories."""

from collections.abc import Sequence

import attrs
import numpy as np

from simnet.arrays import Floats


@attrs.frozen
class Numeric:
    """A column of numbers from `low` to `high`, declared before anything is known of them."""

    name: str
    low: float
    high: float


@attrs.frozen
class Categorical:
    """A column of categories; the j-th label is the name of item j.

    The labels are `declared`, as ranges of numbers are, before anything is known, or else they are
    read off the data, which tells what occurs there.
    """

    name: str
    labels: tuple[str, ...]
    declared: bool = attrs.field(default=True, eq=False)

    @property
    def origin(self) -> str:
        """Where the labels come from."""
        return "declared" if self.declared else "read off the data"


@attrs.frozen
class Schema:
    """The columns of a table.

    A row holds the numbers first, and then of each category its item, from 1.
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
        """Of all that can be estimated: the mean of each number, the share of each category."""
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
        """Where the labels of each column are."""
        sizes = [1] * len(self.numeric) + [len(column.labels) for column in self.categorical]
        starts: Sequence[int] = [sum(sizes[:place]) for place in range(len(sizes))]
        return tuple(
            (name, slice(at, at + size))
            for name, at, size in zip(self.names, starts, sizes, strict=True)
        )

    def within(self, estimates: Floats) -> Floats:
        """Estimates in the labels' order on one scale: means as places in their range, 0 to 1.

        Shares as they are.
        """
        first, placed = len(self.numeric), estimates.astype(np.float64)
        low, high = (
            np.array([getattr(column, end) for column in self.numeric], dtype=float)
            for end in ("low", "high")
        )
        placed[:first] = (placed[:first] - low) / (high - low)
        return placed
