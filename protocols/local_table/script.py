"""Means and frequencies of a whole table from locally perturbed reports, under one budget a user.

Each user holds a row of numbers and categories. It reports on a few columns, chosen blindly, with a
large share of the budget each (`Tuples`), or on all of them with a small one (`Split`). Learns: the
server, one report of each user, which is ε-locally private as a whole; users, nothing. Source: Wang
et al., *Collecting and Analyzing Multidimensional Data with Local Differential Privacy*, Algorithm
4 and Section VI.
What is said about these collections stands in `about.py`.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import attrs
import numpy as np

from protocols import checks
from protocols.checks import one_of
from protocols.mechanisms.attributes import Attributes, Estimates
from protocols.mechanisms.split import JOINT, SINGLE, Split
from protocols.mechanisms.tuples import INNER, Tuples, optimal_k
from protocols.mechanisms.value_range import ValueRange
from protocols.reports import collection
from protocols.reports.collection import (
    REPORT,
    SEATINGS,
    Population,
    Seating,
    linear_count_variance,
)
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.roster import Seat
from simnet.scenario.schema import Schema
from simnet.values.sealed import Sealed


@attrs.frozen
class TableCollection:
    """What every party knows.

    An input is a row: a number of each range, then an item, from 1, of each domain.
    """

    users: int  # n >= 1
    schema: Schema
    mechanism: Tuples | Split
    population: Seating = "actors"
    # the declared ranges of the columns of numbers
    ranges: tuple[ValueRange, ...] = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        one_of("population", self.population, SEATINGS)
        if self.population == "aggregate":
            raise ValueError(
                "the sum of reports on tables has no law that is drawn at once: use "
                "population=crowd"
            )
        if self.mechanism.attributes != attributes_of(self.schema):
            raise ValueError(
                f"the mechanism is for {self.mechanism.attributes}, not for "
                f"{attributes_of(self.schema)}"
            )

    @ranges.default
    def _ranges(self) -> tuple[ValueRange, ...]:
        return tuple(ValueRange(column.low, column.high) for column in self.schema.numeric)

    @property
    def epsilon(self) -> float:
        """The ε that the mechanism is made with."""
        return self.mechanism.epsilon

    @property
    def units(self) -> Floats:
        """How much 1 in [-1, 1] is in the units of each estimate; 1 for shares."""
        shares = sum(self.mechanism.attributes.domains)
        return np.array([interval.unit for interval in self.ranges] + [1.0] * shares)

    def parties(self) -> Mapping[str, Seat]:
        """The users, on one seat or on many, and the server."""
        return collection.seats_of(self.population, self.users, self.user, self.server)

    async def user(self, me: Party, rows: Sealed) -> None:
        """Scale and perturb the row, or those of a crowd, and send the report, or each of them."""
        await me.send_rows(REPORT, to="server", rows=me.disclose(self.reports, rows))

    async def server(self, me: Party) -> Floats:
        """Estimate means in their own units, then shares in the order of the schema's labels.

        The estimates are not clipped.
        """
        rows = await me.gather_rows(REPORT, me.all("user"))
        pieces = rows if isinstance(rows, tuple) else (rows,)
        return self.unscaled(self.mechanism.estimate(self.mechanism.received(pieces)))

    def reports(self, rows: Floats, coins: Coins) -> Any:
        """The perturbed reports on a row, or on those of a crowd, as they travel."""
        reports = self.mechanism.perturb(*self.scaled(np.atleast_2d(rows)), coins)
        return self.mechanism.payload(reports)

    @property
    def columns(self) -> Sequence[slice]:
        """Where the shares of each column of categories stand in the estimate."""
        return [where for _, where in self.schema.groups[len(self.schema.numeric) :]]

    @property
    def count_variance(self) -> tuple[float, float]:
        """The variance of an estimated count, V₀ + slope · count, as (V₀, slope)."""
        return linear_count_variance(
            lambda share: self.mechanism.frequency_variance(share, self.users), self.users
        )

    @property
    def has_independent_items(self) -> bool:
        """No: all reports of a user are about the same row."""
        return False

    @property
    def single_item_chances(self) -> None:
        """None: a report is about several attributes."""
        return

    def scaled(self, rows: Floats) -> tuple[Floats, Ints]:
        """Numbers in [-1, 1], shape (n, d_n), and items, shape (n, d_c).

        Raises `ValueError` for rows of another length, numbers out of range and items that are no
        whole numbers.
        """
        table = checks.shaped("rows", rows, (None, len(self.schema.names)))
        numeric = len(self.ranges)
        numbers = [
            interval.scaled(column)
            for interval, column in zip(self.ranges, table.T[:numeric], strict=True)
        ]
        items = table[:, numeric:]
        if not (items == np.floor(items)).all():  # also refuses NaN
            raise ValueError(f"items are whole numbers, got {items[items != np.floor(items)][0]}")
        return np.array(numbers).reshape(numeric, len(table)).T, items.astype(np.int64)

    def unscaled(self, estimates: Estimates) -> Floats:
        """All estimates as one array, means in their own units."""
        means = [
            interval.unscaled(mean)
            for interval, mean in zip(self.ranges, estimates.means.tolist(), strict=True)
        ]
        return np.concatenate([means, *estimates.frequencies])


def attributes_of(schema: Schema) -> Attributes:
    """The attributes that the columns are."""
    return Attributes(len(schema.numeric), [len(column.labels) for column in schema.categorical])


def local_table(
    *,
    users: int,
    schema: Schema,
    method: Annotated[
        str,
        f"{', '.join(INNER)} report on a few columns each; {', '.join((*JOINT, *SINGLE))} on all "
        "of them with less budget each",
    ] = "hm",
    epsilon: Annotated[float, "ε of a user's whole report, above 0"] = 1.0,
    k: Annotated[
        int | str | None,
        "on how many columns a user reports where they are sampled: a number, or best; the "
        "paper's rule unless set",
    ] = None,
    population: Population = "crowd",
) -> TableCollection:
    """A collection that samples columns, or splits the budget among all of them.

    The methods pm and hm sample columns; duchi, laplace and so on split the budget.

    `k` is how many columns a user reports on when they are sampled: a number, `best` for the least
    worst variance of a mean, or None for the paper's rule. Raises `ValueError` for another method,
    and for a k that does not belong.
    """
    one_of("method", method, (*INNER, *JOINT, *SINGLE))
    attributes = attributes_of(schema)
    if isinstance(k, str) and k != "best":
        raise TypeError(f"k is a whole number, best or none, got {k!r}")
    if k is not None and k != "best":
        checks.whole("k", k, 1, attributes.count)  # type: ignore[arg-type]
    if method in INNER:
        chosen: Any = optimal_k(epsilon, attributes.count, method) if k == "best" else k  # type: ignore[arg-type]
        tuples = Tuples(epsilon, attributes, method, chosen)  # type: ignore[arg-type]
        return TableCollection(users, schema, tuples, population)
    if k is not None:
        raise ValueError(
            f"k is for sampled columns: with method={method} users report on all of them, got k={k}"
        )
    return TableCollection(users, schema, Split(epsilon, attributes, method), population)  # type: ignore[arg-type]
