"""The mean of numbers from locally perturbed reports.

Learns: the server, one ε-locally private report of each user; users, nothing. The range of the
values is declared by whoever collects, before anything is known of them, and each user scales its
value from there to [-1, 1]. Source: Wang et al., *Collecting and Analyzing Multidimensional Data
with Local Differential Privacy*, Section III.
What is said about these collections stands in `about.py`.
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
from protocols.reports.collection import REPORT, SEATINGS, Mechanism, Population, Seating
from simnet.arrays import Floats
from simnet.coins.coins import Coins
from simnet.kernel.party import Party
from simnet.roster import Seat
from simnet.values.sealed import Sealed
from simnet.values.typed import Typed


class NumericMechanism(Mechanism, Interface):
    """What a collection asks of a mechanism over [-1, 1].

    The mechanism draws reports, says how they travel, and estimates the mean.
    """

    @property
    def worst_variance(self) -> float:
        """The largest variance of a report."""
        ...

    def perturb(self, values: npt.ArrayLike, coins: Coins) -> Floats:
        """One report a user; shape (n,)."""
        ...

    def payload(self, reports: Floats) -> Typed:
        """Reports as they travel, row k the k-th."""
        ...

    def received(self, numbers: npt.ArrayLike) -> Floats:
        """Reports from the numbers that arrived."""
        ...

    def estimate(self, reports: npt.ArrayLike) -> float:
        """The mean of the values, unbiased."""
        ...

    def variance(self, values: npt.ArrayLike) -> Floats:
        """The variance of the report on each value."""
        ...


@attrs.frozen
class MeanCollection:
    """What every party knows. An input is a number in the declared range."""

    users: int  # n >= 1
    mechanism: NumericMechanism
    low: float = -1.0
    high: float = 1.0
    population: Seating = "actors"

    def __attrs_post_init__(self) -> None:
        checks.whole("users", self.users, 1)
        ValueRange(self.low, self.high)  # refuses what is no range
        one_of("population", self.population, SEATINGS)
        if self.population == "aggregate":
            raise ValueError(
                "the sum of reports of reals has no law that is drawn at once: use population=crowd"
            )

    def parties(self) -> Mapping[str, Seat]:
        """The users, on one seat or on many, and the server."""
        return collection.seats_of(self.population, self.users, self.user, self.server)

    async def user(self, me: Party, values: Sealed) -> None:
        """Scale and perturb the value, and send the report.

        A crowd does so for each of its members.
        """
        await me.send_rows(REPORT, to="server", rows=me.disclose(self.reports, values))

    async def server(self, me: Party) -> float:
        """The mean of the reports, scaled back."""
        rows = await me.gather_rows(REPORT, me.all("user"))
        return self.interval.unscaled(
            self.mechanism.estimate(self.mechanism.received(rows.numbers()))
        )

    def reports(self, values: float | Floats, coins: Coins) -> Typed:
        """The perturbed reports on a value, or on those of a crowd, as they travel."""
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
) -> MeanCollection:
    """A collection with a mechanism by name: hm, pm, duchi and so on.

    Raises `ValueError` for another.
    """
    one_of("mechanism", mechanism, tuple(MECHANISMS))
    return MeanCollection(users, MECHANISMS[mechanism](epsilon), low, high, population)
