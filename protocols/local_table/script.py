"""Means and frequencies of a whole table from locally perturbed reports, with one ε per user.

Each user has a row of numbers and categories. The user reports on k columns, drawn independently of
the row, with ε/k each (`Tuples`), or on all columns, which then share the ε (`Split`). The server
learns one report of each user, which is ε-locally private as a whole, except with
`duchi-as-printed`; users learn nothing. If users drop out, the server estimates from the reports
that came, or aborts if these are too few.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Algorithm 4 and Section VI.
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
    FewestReports,
    Population,
    Seating,
    linear_count_variance,
)
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.record.fate import Happened
from simnet.roster import Seat
from simnet.scenario.schema import Schema
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed


@attrs.frozen
class TableCollection:
    """A collection of a table: the parameters, which every party knows, and the scripts.

    `users` is n >= 1, `schema` lists the columns, and `mechanism` is `Tuples` or `Split` for the
    same columns. `population` is `actors` or `crowd`. A user's input is a row: first a number for
    each numeric column, then an item, from 1, for each categorical column. The output of the server
    is an array: means in their own units, then shares in the order of the schema's labels. Users
    who are actors may drop out, as long as at least `fewest_reports` reports come; the estimates
    are then based on the reports of the users who were counted.

    Raises `ValueError` for parameters out of range, and for a mechanism with other columns.

    >>> from protocols import Attributes, Tuples
    >>> from simnet import run
    >>> from simnet.scenario.schema import Categorical, Numeric, Schema
    >>> schema = Schema((Numeric("age", 0, 100),), (Categorical("sex", ("f", "m")),))
    >>> mechanism = Tuples(epsilon=4.0, attributes=Attributes(1, (2,)))
    >>> collection = TableCollection(users=2, schema=schema, mechanism=mechanism)
    >>> run(collection, [[30.0, 1], [40.0, 2]], seed=7).outputs["server"].shape
    (3,)
    """

    users: int  # n >= 1
    schema: Schema
    mechanism: Tuples | Split
    population: Seating = "actors"
    fewest_reports: int | None = None  # from 1 to n; None is 1
    # the declared ranges of the columns of numbers
    ranges: tuple[ValueRange, ...] = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        collection.check_fewest(self.fewest_reports, self.users)
        one_of("population", self.population, SEATINGS)
        if self.population == "aggregate":
            raise ValueError(
                "population=aggregate is for mechanisms over items: for tables use population=crowd"
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
        """The requested ε of the mechanism."""
        return self.mechanism.epsilon

    @property
    def units(self) -> Floats:
        """For each mean half the length of the column's range, which is 1 on the scale from -1 to
        1; for each share 1.
        """
        shares = sum(self.mechanism.attributes.domains)
        return np.array([interval.unit for interval in self.ranges] + [1.0] * shares)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: the users, as actors or as one crowd, and the server."""
        return collection.seats_of(self.population, self.users, self.user, self.server)

    async def user(self, me: Party, rows: Sealed) -> None:
        """Scale and perturb the row, and send the report; a crowd does so for each member."""
        await me.send_rows(REPORT, to="server", rows=me.disclose(self.reports, rows))

    async def server(self, me: Party) -> Floats:
        """Estimate means in their own units, then shares in the order of the schema's labels.

        The estimates are not clipped. Raises `Abort` for fewer reports than `least_reports`.
        """
        estimates, _ = await self.estimated(me)
        return estimates

    async def estimated(self, me: Party) -> tuple[Floats, int]:
        """Return the unbiased estimates, and the number of users on whose reports they are
        based.
        """
        rows = await me.gather_rows(REPORT, me.all("user"), at_least=self.least_reports)
        first = rows[0] if isinstance(rows, tuple) else rows
        return self.estimate(rows), len(first.numbers())

    def estimate(self, rows: Typed | tuple[Typed, ...]) -> Floats:
        """Return the unbiased estimates from these reports, means in their own units."""
        pieces = rows if isinstance(rows, tuple) else (rows,)
        return self.unscaled(self.mechanism.estimate(self.mechanism.received(pieces)))

    @property
    def least_reports(self) -> int:
        """The fewest reports with which the server goes on."""
        return self.fewest_reports or 1

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the parties whose reports are in the estimate, a crowd as one party; nobody if the
        server had too few reports.
        """
        return collection.counted(self, happened)

    def reports(self, rows: Floats, coins: Coins) -> Any:
        """Return the perturbed reports on a row, or on a crowd's rows, encoded for sending."""
        reports = self.mechanism.perturb(*self.scaled(np.atleast_2d(rows)), coins)
        return self.mechanism.payload(reports)

    @property
    def columns(self) -> Sequence[slice]:
        """For each categorical column, the slice of the estimate that holds its shares."""
        return [where for _, where in self.schema.groups[len(self.schema.numeric) :]]

    @property
    def count_variance(self) -> tuple[float, float]:
        """The pair (V₀, slope), where an estimated count has variance V₀ + slope · count."""
        return linear_count_variance(
            lambda share: self.mechanism.frequency_variance(share, self.users), self.users
        )

    @property
    def has_independent_items(self) -> bool:
        """False: all parts of a user's report are about the same row."""
        return False

    @property
    def single_item_chances(self) -> None:
        """None: a report may be about several attributes."""
        return

    def scaled(self, rows: Floats) -> tuple[Floats, Ints]:
        """Return the numbers, scaled to [-1, 1], and the items: two arrays with a row for each
        user.

        Raises `ValueError` for rows of another length, numbers out of range, and items that are not
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
        """Return all estimates as one array, means in their own units."""
        means = [
            interval.unscaled(mean)
            for interval, mean in zip(self.ranges, estimates.means.tolist(), strict=True)
        ]
        return np.concatenate([means, *estimates.frequencies])


def attributes_of(schema: Schema) -> Attributes:
    """Return the attributes of the schema's columns."""
    return Attributes(len(schema.numeric), [len(column.labels) for column in schema.categorical])


def local_table(
    *,
    users: int,
    schema: Schema,
    method: Annotated[
        str,
        f"with {', '.join(INNER)} a user reports on k columns; with "
        f"{', '.join((*JOINT, *SINGLE))} on all columns, which share ε",
    ] = "hm",
    epsilon: Annotated[float, "ε of a user's whole report, above 0"] = 1.0,
    k: Annotated[
        int | str | None,
        "the number of columns on which a user reports if columns are sampled: a whole number, or "
        "best; by default the paper's rule",
    ] = None,
    population: Population = "crowd",
    fewest_reports: FewestReports = None,
) -> TableCollection:
    """Return a collection that samples columns, or that splits ε among all columns.

    The methods pm and hm sample columns; duchi, laplace and so on split ε. `k` is the number of
    columns on which a user reports if columns are sampled: a whole number, `best` for the number
    with which the worst variance is least if all columns are numeric, or None for the paper's rule.
    Raises `ValueError` for another method, for parameters out of range, and for a k with a method
    that splits ε.
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
        return TableCollection(users, schema, tuples, population, fewest_reports)
    if k is not None:
        raise ValueError(
            f"k says on how many columns, drawn at random, a user reports: with method={method} "
            f"users report on all columns, so leave out k; got k={k}"
        )
    split = Split(epsilon, attributes, method)  # type: ignore[arg-type]
    return TableCollection(users, schema, split, population, fewest_reports)
