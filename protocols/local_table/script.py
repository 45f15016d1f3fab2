"""Means and frequencies of a whole table from locally perturbed reports, under one budget a user.

Each user holds a row of numbers and categories. It reports on a few columns, chosen blindly, with a
large share of the budget each (`Tuples`), or on all of them with a small one (`Split`). Learns: the
server, one report of each user, which is ε-locally private as a whole; users, nothing. Source: Wang
et al., *Collecting and Analyzing Multidimensional Data with Local Differential Privacy*, Algorithm
4 and Section VI.
"""

from collections.abc import Collection, Mapping
from math import sqrt
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import one_of
from protocols.mechanisms.attributes import Attributes, Estimates
from protocols.mechanisms.reader import reader_of_reports
from protocols.mechanisms.split import JOINT, SINGLE, Split
from protocols.mechanisms.tuples import INNER, Tuples, optimal_k
from protocols.mechanisms.value_range import ValueRange
from protocols.reports import collection
from protocols.reports.accuracy import score_interval
from protocols.reports.collection import REPORT, SEATINGS, Seating
from simnet.kernel.party import Party
from simnet.kernel.run import Run
from simnet.roster import Seat
from simnet.scenario.schema import Schema
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement

Floats = npt.NDArray[np.float64]


@attrs.frozen
class TableCollection:
    """What every party knows.

    An input is a row: a number of each range, then an item, from 1, of each domain.
    """

    users: int  # n >= 1
    schema: Schema
    mechanism: Tuples | Split
    population: Seating = "actors"
    ranges: tuple[ValueRange, ...] = attrs.field(
        init=False, repr=False
    )  # the declared ones, of the columns of numbers

    name = "local_table"
    estimator = "server"

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
        return np.array([one.unit for one in self.ranges] + [1.0] * shares)

    def parties(self) -> Mapping[str, Seat]:
        """The users, on one seat or on many, and the server."""
        return collection.seated(self.population, self.users, self.user, self.server)

    async def user(self, me: Party, held: Any) -> None:
        """Scale and perturb the row, or those of a crowd, and send the report, or each of them."""
        reports = self.mechanism.perturb(*self.scaled(np.atleast_2d(held)), me.coins)
        await me.send_rows(REPORT, to="server", rows=self.mechanism.payload(reports))

    async def server(self, me: Party) -> Floats:
        """Means in their own units, then shares, in the order of the schema's labels; not
        clipped.
        """
        rows = await me.gather_rows(REPORT, me.all("user"))
        pieces = rows if isinstance(rows, tuple) else (rows,)
        return self.unscaled(self.mechanism.estimate(self.mechanism.received(pieces)))

    def scaled(self, rows: Floats) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Numbers in [-1, 1], shape (n, d_n), and items, shape (n, d_c).

        Raises `ValueError` for rows of another length, numbers out of range and items that are no
        whole numbers.
        """
        held, numeric = (
            checks.shaped("rows", rows, (None, len(self.schema.names))),
            len(self.ranges),
        )
        numbers = [
            one.scaled(column) for one, column in zip(self.ranges, held.T[:numeric], strict=True)
        ]
        items = held[:, numeric:]
        if not (items == np.floor(items)).all():  # also refuses NaN
            raise ValueError(f"items are whole numbers, got {items[items != np.floor(items)][0]}")
        return np.array(numbers).reshape(numeric, len(held)).T, items.astype(np.int64)

    def unscaled(self, estimates: Estimates) -> Floats:
        """All estimates as one array, means in their own units."""
        means = [
            one.unscaled(mean)
            for one, mean in zip(self.ranges, estimates.means.tolist(), strict=True)
        ]
        return np.concatenate([means, *estimates.frequencies])

    def variances(self, rows: Floats) -> Floats:
        """The exact variance of each estimate for users who hold these rows, in the estimate's own
        units squared.
        """
        numbers, items = self.scaled(rows)
        means = [self.mechanism.variance(column).sum() / self.users**2 for column in numbers.T]
        domains = zip(items.T, self.mechanism.attributes.domains, strict=True)
        shares = [
            np.bincount(column, minlength=size + 1)[1:] / self.users for column, size in domains
        ]
        frequencies = [self.mechanism.frequency_variance(share, self.users) for share in shares]
        return np.asarray(np.concatenate([means, *frequencies]) * self.units**2)

    def assess(self, run: Run, totals: Floats, confidence: float = 0.95) -> Assessment:
        """Hold the estimates against the means and shares that the sums and supports in `totals`
        give.

        Expected errors are exact for what the users hold. Intervals are normal, by the exact
        variance for shares and by the worst one for means, all that the server can tell. Squared
        errors are those of numbers scaled to [-1, 1] and of shares, as in the paper; their
        deviation takes estimates for normal and uncorrelated, which they nearly are.
        """
        rows = np.concatenate([np.atleast_2d(one) for one in run.inputs.values()])
        estimate, variance, units = run.outputs["server"], self.variances(rows), self.units
        low, high, told = self._interval(estimate, confidence)
        scaled, first = variance / units**2, len(self.ranges)
        return Assessment(
            estimate=estimate,
            truth=totals / self.users,
            low=low,
            high=high,
            confidence=confidence,
            expected_squared_l2=float(scaled.sum()),
            deviation_squared_l2=sqrt(2 * float(np.sum(scaled**2))),
            variance=variance,
            estimated_variance=told,
            units=units,
            parts=self._parts(first, len(estimate)),
        )

    def _interval(self, estimate: Floats, confidence: float) -> tuple[Floats, Floats, Floats]:
        """The ends of the intervals, and what the server can tell of the variances."""
        from scipy.special import ndtri  # here, not above: it takes a while to load

        first = len(self.ranges)
        worst = (
            self.mechanism.worst_variance / self.users * self.units[:first] ** 2
            if first
            else np.empty(0)
        )
        margin = float(ndtri((1 + confidence) / 2)) * np.sqrt(worst)
        means, shares = estimate[:first], estimate[first:]
        low, high = score_interval(
            self.mechanism.frequency_variance, shares, self.users, confidence
        )
        nearest = np.minimum(np.maximum(shares, 0), 1)
        told = np.concatenate([worst, self.mechanism.frequency_variance(nearest, self.users)])
        return np.concatenate([means - margin, low]), np.concatenate([means + margin, high]), told

    def _parts(self, first: int, end: int) -> dict[str, slice]:
        parts = {"means, scaled to [-1, 1]": slice(0, first), "shares": slice(first, end)}
        return {name: where for name, where in parts.items() if where.stop > where.start}

    def workload(self) -> tuple[int, int]:
        """Messages and elements of a run."""
        return self.users, self.users * sum(map(collection.elements, self.mechanism.form))

    def expected_bill(self, run: Run) -> list[Expectation]:
        """One report a user, however users are seated."""
        del run  # no count depends on the coins
        return collection.one_report_each(self.users, *self.mechanism.form)

    def disclosure(self, tags: Collection[str]) -> Disclosure | None:
        """What a view tells of a user: its report, up to the mechanism's ε."""
        return collection.disclosure(tags, self.mechanism.exact_epsilon, self.mechanism.continuous)

    def privacy(
        self, run: Run, totals: Floats, epsilon: float | None, delta: float | None
    ) -> list[PrivacyStatement]:
        """The exact ε of a whole report, for each user by itself."""
        del run, totals, delta
        return [reader_of_reports(self.mechanism.exact_epsilon, self.mechanism.continuous, epsilon)]


def attributes_of(schema: Schema) -> Attributes:
    """The attributes that the columns are."""
    return Attributes(len(schema.numeric), [len(column.labels) for column in schema.categorical])


def local_table(
    *,
    users: int,
    schema: Schema,
    method: str = "hm",
    epsilon: float = 1.0,
    k: int | str | None = None,
    population: Seating = "crowd",
) -> TableCollection:
    """A collection by sampling columns (method pm or hm), or by splitting the budget (duchi,
    laplace and so on).

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
