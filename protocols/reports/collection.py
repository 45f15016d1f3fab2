"""Local collections: every user perturbs its input and sends one report to a server, or stays
silent by chance if the mechanism says so.

The server learns at most the reports; no other party receives a message. Users are seated in one of
three ways, with the same laws of the estimate and of the bill: as actors; as a crowd that draws
every report; or as the `aggregate`, a crowd that draws the sum of the reports directly, if the
mechanism can do that.

Users may drop out. The server then estimates from the m reports that came, as if these m users were
all users. If fewer than `fewest_reports` have come, the server aborts. A crowd cannot drop out.

Where users stay silent by chance (`sampling` below 1), a missing report may also be silence. So the
server cannot know m. The server needs all users, and a run in which a user drops out before its
report is aborted.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, get_args, runtime_checkable
from typing import Protocol as Interface

import numpy as np

from protocols import checks
from protocols.checks import Chance
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins
from simnet.contract import Protocol
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag, Voluntary
from simnet.record.fate import Happened
from simnet.roster import Script, Seat, seats
from simnet.values.rows import tally
from simnet.values.typed import Typed

REPORT = Tag("report")
OWN_REPORT = Voluntary(REPORT.name)

Seating = Literal["actors", "crowd", "aggregate"]
SEATINGS: tuple[Seating, ...] = get_args(Seating)
Population = Annotated[
    Seating,
    "how users are seated: actors (each is a party), crowd (one party draws every report), or, for "
    "reports on items, aggregate (one party draws the sum of the reports)",
]

FewestReports = Annotated[
    int | None,
    "the fewest reports with which the server goes on if users drop out, from 1 to the number of "
    "users; by default 1; without effect where users stay silent by chance",
]


class Randomiser(Interface):
    """How much a report of a mechanism tells."""

    @property
    def exact_epsilon(self) -> float:
        """The ε of a report, computed from its law."""
        ...

    @property
    def continuous(self) -> bool:
        """Whether reports have a continuous part; then ε is that of exact real numbers."""
        ...


class Mechanism(Randomiser, Interface):
    """What a collection needs of a mechanism: its privacy, and how reports travel."""

    @property
    def form(self) -> Typed:
        """An empty batch of reports, which shows their wire type and shape."""
        ...


@runtime_checkable
class LocalCollection(Protocol, Interface):
    """What the bill and the accuracy need of a local collection."""

    @property
    def users(self) -> int:
        """The number of users, n."""
        ...

    @property
    def population(self) -> Seating:
        """How the users are seated."""
        ...

    @property
    def least_reports(self) -> int | None:
        """The fewest reports with which the server goes on; None if it needs all users."""
        ...

    def counted(self, happened: Happened) -> tuple[str, ...]:
        """Return the parties that the estimate counts, a crowd as one party; nobody if the server
        had too few reports. If the server needs all users, all of them are returned, even if the
        run was aborted because a user dropped out.
        """
        ...


@runtime_checkable
class SharesCollection(LocalCollection, Interface):
    """A collection whose server estimates shares, which can be post-processed.

    Needed by: `protocols.postprocess.processed`.
    """

    @property
    def columns(self) -> Sequence[slice]:
        """For each column, the slice of the estimate that holds the shares of the column's
        items.
        """
        ...

    @property
    def count_variance(self) -> tuple[float, float] | None:
        """The pair (V₀, slope): the estimated number of holders of an item has the variance
        V₀ + slope · (true number of holders).

        None if the variance depends on more than the number of holders, or if the estimate is
        biased.
        """
        ...

    @property
    def has_independent_items(self) -> bool:
        """Whether the errors of different items are independent, for fixed inputs."""
        ...

    @property
    def single_item_chances(self) -> tuple[float, float] | None:
        """The probabilities that a report is the user's own item, and a given other item.

        None unless every report is one item.
        """
        ...

    async def server(self, me: Party) -> Floats:
        """Return the estimates, without post-processing; shape (N,)."""
        ...

    async def estimated(self, me: Party) -> tuple[Floats, int]:
        """Return the estimates, shape (N,), and the number of users whom they count."""
        ...


def linear_count_variance(variance: Callable[[float], Any], users: int) -> tuple[float, float]:
    """Return (V₀, slope) of estimated counts, from the variance of an estimated share.

    `variance` must be linear in the share of holders.
    """
    nobody, everybody = (float(variance(share)) for share in (0.0, 1.0))
    return nobody * users**2, (everybody - nobody) * users


def seats_of(population: Seating, users: int, user: Script, server: Script) -> Mapping[str, Seat]:
    """Return the parties: the users as `u1`..`un` or as `crowd`, and `server`."""
    people = (
        seats("u", user, users) if population == "actors" else {"crowd": Seat(user, members=users)}
    )
    return {**people, "server": Seat(server)}


def counted(protocol: LocalCollection, happened: Happened) -> tuple[str, ...]:
    """Return the parties that the estimate counts, a crowd as one party; nobody if the server had
    too few reports. If the server needs all users, all of them are returned, even if the run was
    aborted because a user dropped out.
    """
    if protocol.least_reports is None:
        return tuple(name for name, seat in protocol.parties().items() if seat.takes_input)
    came = happened.heard("server", REPORT.name)
    is_crowd = protocol.population != "actors"
    return came if is_crowd or len(came) >= protocol.least_reports else ()


def users_counted(protocol: LocalCollection, happened: Happened) -> int:
    """Return m, the number of users whom the estimate counts; a crowd stands for all users."""
    if protocol.least_reports is None or protocol.population != "actors":
        return protocol.users
    return len(counted(protocol, happened))


def check_fewest(fewest_reports: int | None, users: int) -> None:
    """Raise `ValueError` unless `fewest_reports` is None or in 1..`users`."""
    if fewest_reports is not None:
        checks.whole("fewest_reports", fewest_reports, 1, users)


def report_tag(sampling: Chance) -> Tag:
    """Return the tag of reports; it is voluntary if users report with a probability below 1."""
    return REPORT if sampling == 1 else OWN_REPORT


def rows_sent(population: Seating, mechanism: Any, values: Ints, coins: Coins) -> Any:
    """Return what users who hold these items, shape (n,), send: every report, or their tally."""
    if population != "aggregate":
        return mechanism.payload(mechanism.perturb(values, coins))
    items = checks.whole_numbers("values", values, 1, mechanism.items)
    counts = mechanism.draw_supports(np.bincount(items, minlength=mechanism.items + 1)[1:], coins)
    # if users can be silent, a report names one item: the number of reports is the sum of counts
    reports = items.size if mechanism.sampling == 1 else int(counts.sum())
    return tally(counts, reports, like=mechanism.form)
