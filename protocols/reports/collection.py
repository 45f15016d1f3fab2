"""Local collections: every user perturbs what it holds and sends one report to a server.

The server learns the reports, each of which is ε-locally private; nobody else is sent anything.
Users are seated in one of three ways, which have the same law and the same bill: as actors of their
own; as a crowd that draws every report; as a crowd that draws what the reports add up to, where
that has a law of its own.
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
from simnet.roster import Script, Seat, seats
from simnet.values.rows import tally
from simnet.values.typed import Typed

REPORT = Tag("report")
OWN_REPORT = Voluntary(REPORT.name)

Seating = Literal["actors", "crowd", "aggregate"]
SEATINGS: tuple[Seating, ...] = get_args(Seating)
Population = Annotated[
    Seating,
    "how users are seated: each an actor, all a crowd that draws every report, or as the aggregate "
    "of their reports",
]


class Randomiser(Interface):
    """What is stated of every mechanism: how much a report tells."""

    @property
    def exact_epsilon(self) -> float:
        """The ε of a report, by its law."""
        ...

    @property
    def continuous(self) -> bool:
        """Whether reports have a density: then ε is that of exact reals."""
        ...


class Mechanism(Randomiser, Interface):
    """What a collection asks of a mechanism besides: how reports travel."""

    @property
    def form(self) -> Typed:
        """No reports at all, as they would travel."""
        ...


@runtime_checkable
class SharesCollection(Protocol, Interface):
    """A collection whose server estimates shares, which may be processed afterwards.

    Asked for by: `protocols.postprocess.processed`.
    """

    @property
    def users(self) -> int:
        """n, the number of users."""
        ...

    @property
    def columns(self) -> Sequence[slice]:
        """Where the shares of each column's items stand in the estimate."""
        ...

    @property
    def count_variance(self) -> tuple[float, float] | None:
        """The variance of an estimated count, V₀ + slope · count, as (V₀, slope).

        None where it depends on more than how many hold the item, or where there is a bias.
        """
        ...

    @property
    def has_independent_items(self) -> bool:
        """Whether the errors of different items are independent, given what the users hold."""
        ...

    @property
    def single_item_chances(self) -> tuple[float, float] | None:
        """The chances of reporting the own item and any other, where every user reports one item.

        None for any other kind of report.
        """
        ...

    async def server(self, me: Party) -> Floats:
        """The unbiased estimates, shape (N,)."""
        ...


def linear_count_variance(variance: Callable[[float], Any], users: int) -> tuple[float, float]:
    """(V₀, slope) of estimated counts, from the variance of an estimated share.

    `variance` must be linear in the share that is held.
    """
    nobody, everybody = (float(variance(share)) for share in (0.0, 1.0))
    return nobody * users**2, (everybody - nobody) * users


def seats_of(population: Seating, users: int, user: Script, server: Script) -> Mapping[str, Seat]:
    """The users as `u1`..`un` or as `crowd`, and `server`."""
    people = (
        seats("u", user, users) if population == "actors" else {"crowd": Seat(user, members=users)}
    )
    return {**people, "server": Seat(server)}


def report_tag(sampling: Chance) -> Tag:
    """The tag of reports that users send with this chance; silence costs nothing."""
    return REPORT if sampling == 1 else OWN_REPORT


def rows_sent(population: Seating, mechanism: Any, values: Ints, coins: Coins) -> Any:
    """What users who hold these items, shape (n,), send: each report, or what all add up to."""
    if population != "aggregate":
        return mechanism.payload(mechanism.perturb(values, coins))
    items = checks.whole_numbers("values", values, 1, mechanism.items)
    counts = mechanism.draw_supports(np.bincount(items, minlength=mechanism.items + 1)[1:], coins)
    # where some users are silent, a report names one item, and so the counts say how many report
    reports = items.size if mechanism.sampling == 1 else int(counts.sum())
    return tally(counts, reports, like=mechanism.form)
