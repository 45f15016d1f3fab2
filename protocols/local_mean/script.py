"""The mean of numbers from locally perturbed reports.

The collector of the numbers declares their range before anything is known about them. Each user
scales its value from this range to [-1, 1], perturbs it and sends one ε-locally private report to
the server. The server learns the reports; users learn nothing. If users drop out, the server
estimates from the reports that came, or aborts if these are too few.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section III.
"""

from collections.abc import Mapping
from typing import Annotated
from typing import Protocol as Interface

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import one_of
from protocols.mechanisms.named import NUMERIC as MECHANISMS
from protocols.mechanisms.value_range import ValueRange
from protocols.reports import collection
from protocols.reports.collection import (
    REPORT,
    SEATINGS,
    FewestReports,
    Mechanism,
    Population,
    Seating,
)
from simnet.arrays import Floats
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.record.fate import Happened
from simnet.roster import Seat
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed


class NumericMechanism(Mechanism, Interface):
    """What a collection needs of a mechanism over [-1, 1]."""

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report."""
        ...

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """Return one report for each user; shape (n,)."""
        ...

    def payload(self, reports: Floats) -> Typed:
        """Return the reports, encoded for sending; row k is the k-th report."""
        ...

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Return the reports that the received numbers stand for."""
        ...

    def estimate(self, reports: npt.ArrayLike) -> float:
        """Return an unbiased estimate of the mean of the values."""
        ...

    def variance(self, values: npt.ArrayLike) -> Floats:
        """Return the variance of the report on each value."""
        ...


@attrs.frozen
class MeanCollection:
    """A collection of numbers: the parameters, which every party knows, and the scripts.

    `users` is n >= 1, `mechanism` perturbs values in [-1, 1], such as `HM(epsilon)`, and `low` and
    `high` are the declared range. `population` is `actors` or `crowd`. A user's input is a number
    in the range; the output of the server is the estimated mean. Users who are actors may drop out,
    as long as at least `fewest_reports` reports come; the mean is then estimated from the reports
    of the users who were counted.

    Raises `ValueError` for parameters out of range.

    >>> from protocols import Duchi
    >>> from simnet import run
    >>> collection = MeanCollection(users=3, mechanism=Duchi(epsilon=1400.0), low=0, high=10)
    >>> run(collection, [0.0, 10.0, 10.0], seed=7).outputs["server"]  # doctest: +ELLIPSIS
    6.66...

    >>> from simnet import Fate
    >>> done = run(collection, [0.0, 10.0, 10.0], seed=7, fates={"u1": Fate("report")})
    >>> collection.counted(done.happened), done.outputs["server"]
    (('u2', 'u3'), 10.0)
    """

    users: int  # n >= 1
    mechanism: NumericMechanism
    low: float = -1.0
    high: float = 1.0
    population: Seating = "actors"
    fewest_reports: int | None = None  # from 1 to n; None is 1

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        collection.check_fewest(self.fewest_reports, self.users)
        ValueRange(self.low, self.high)  # raises if the range is empty or infinite
        one_of("population", self.population, SEATINGS)
        if self.population == "aggregate":
            raise ValueError(
                "population=aggregate is for mechanisms over items: "
                "for numbers use population=crowd"
            )

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: the users, as actors or as one crowd, and the server."""
        return collection.seats_of(self.population, self.users, self.user, self.server)

    async def user(self, me: Party, values: Sealed) -> None:
        """Scale and perturb the value, and send the report; a crowd does so for each member."""
        await me.send_rows(REPORT, to="server", rows=me.disclose(self.reports, values))

    async def server(self, me: Party) -> float:
        """Return the mean of the reports, scaled back to the declared range.

        Raises `Abort` for fewer reports than `least_reports`.
        """
        rows = await me.gather_rows(REPORT, me.all("user"), at_least=self.least_reports)
        return self.estimate(rows)

    def estimate(self, rows: Typed) -> float:
        """Return the mean of these reports, scaled back to the declared range."""
        return self.interval.unscaled(
            self.mechanism.estimate(self.mechanism.received(rows.numbers()))
        )

    @property
    def least_reports(self) -> int:
        """The fewest reports with which the server goes on."""
        return self.fewest_reports or 1

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the parties whose reports are in the estimate, a crowd as one party; nobody if the
        server had too few reports.
        """
        return collection.counted(self, happened)

    def reports(self, values: float | Floats, coins: Coins) -> Typed:
        """Return the perturbed reports on a value, or on a crowd's values, encoded for sending."""
        scaled = self.interval.scaled(np.atleast_1d(values))
        return self.mechanism.payload(self.mechanism.perturb(scaled, coins))

    @property
    def interval(self) -> ValueRange:
        """The declared range."""
        return ValueRange(self.low, self.high)


def local_mean(
    *,
    users: int,
    mechanism: Annotated[str, f"how a user perturbs its number: {', '.join(MECHANISMS)}"] = "hm",
    epsilon: Annotated[float, "ε of a report, above 0"] = 1.0,
    low: Annotated[float, "the least number that a user can hold, declared beforehand"] = -1.0,
    high: Annotated[float, "the largest number that a user can hold, declared beforehand"] = 1.0,
    population: Population = "actors",
    fewest_reports: FewestReports = None,
) -> MeanCollection:
    """Return a collection with the mechanism of this name: hm, pm, duchi and so on.

    Raises `ValueError` for another name and for parameters out of range.
    """
    one_of("mechanism", mechanism, tuple(MECHANISMS))
    return MeanCollection(
        users, MECHANISMS[mechanism](epsilon), low, high, population, fewest_reports
    )
