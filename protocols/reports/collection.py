"""Local collections: every user perturbs what it holds and sends one report to a server.

The server learns the reports, each of which is ε-locally private; nobody else is sent anything.
Users are seated in one of three ways, which have the same law and the same bill: as actors of their
own; as a crowd that draws every report; as a crowd that draws what the reports add up to, where
that has a law of its own.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Literal, get_args
from typing import Protocol as Interface

import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import Chance
from simnet.coins.coins import Coins
from simnet.kernel.run import Run
from simnet.kernel.tags import Tag, Voluntary
from simnet.record.ledger import Traffic
from simnet.roster import Script, Seat, seats
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.values.rows import tally
from simnet.values.typed import Typed

Ints = npt.NDArray[np.int64]

REPORT = Tag("report")
OWN_REPORT = Voluntary(REPORT.name)

Seating = Literal["actors", "crowd", "aggregate"]
SEATINGS: tuple[Seating, ...] = get_args(Seating)


class Mechanism(Interface):
    """What every collection asks of a mechanism."""

    @property
    def exact_epsilon(self) -> float:
        """The ε of a report, by its law."""
        ...

    @property
    def continuous(self) -> bool:
        """Whether reports have a density: then ε is that of exact reals."""
        ...

    @property
    def form(self) -> Typed:
        """No reports at all, as they would travel."""
        ...


def seated(population: Seating, users: int, user: Script, server: Script) -> Mapping[str, Seat]:
    """The users as `u1`..`un` or as `crowd`, and `server`."""
    people = (
        seats("u", user, users) if population == "actors" else {"crowd": Seat(user, members=users)}
    )
    return {**people, "server": Seat(server)}


def report_tag(sampling: Chance) -> Tag:
    """That of reports which users send with this chance; silence costs nothing."""
    return REPORT if sampling == 1 else OWN_REPORT


def sent(population: Seating, mechanism: Any, values: Ints, coins: Coins) -> Any:
    """What users who hold these items, shape (n,), send: the reports of those who report, or what
    these add up to.
    """
    if population != "aggregate":
        return mechanism.payload(mechanism.perturb(values, coins))
    held = checks.whole_numbers("values", values, 1, mechanism.items)
    counts = mechanism.draw_supports(np.bincount(held, minlength=mechanism.items + 1)[1:], coins)
    reports = (
        held.size if mechanism.sampling == 1 else int(counts.sum())
    )  # a report that need not be names one item
    return tally(counts, reports, like=mechanism.form)


def elements(form: Typed) -> int:
    """How many values a report of this form carries."""
    return math.prod(form.shape[1:])


def elements_by_kind(*form: Typed) -> Counter[str]:
    """How many values of each kind a report of this form carries."""
    each: Counter[str] = Counter()
    for piece in form:
        each[piece.wire.kind] += elements(piece)
    return each


def one_report_each(users: int, *form: Typed) -> list[Expectation]:
    """One report of each user to the server, in one round; no entry depends on the coins."""
    each = elements_by_kind(*form)

    def entry(role: str, quantity: str, direction: Any, scope: Any, count: int) -> Expectation:
        return Expectation(role, "communication", quantity, direction, scope, "wire", count, count)

    return [
        *(entry("user", kind, "sent", "per-user", count) for kind, count in each.items()),
        entry("user", "rounds", "none", "total", 1),
        *(
            entry("server", kind, "received", "total", users * count)
            for kind, count in each.items()
        ),
    ]


def some_reports(
    run: Run, users: int, expected: float, silent: float, form: Typed
) -> list[Expectation]:
    """One report to the server of each user who sends one, so many on average.

    `silent` is the chance of none at all. What users sent is held against what the server received,
    and the other way round.
    """
    (kind,) = elements_by_kind(form)
    sent, received = (run.ledger.by("role", direction) for direction in ("sent", "received"))
    from_users, at_server = (
        sent.get("user", Traffic()).messages,
        received.get("server", Traffic()).messages,
    )

    def entry(
        role: str, quantity: str, direction: Any, scope: Any, exact: float, mean: float
    ) -> Expectation:
        return Expectation(role, "communication", quantity, direction, scope, "wire", exact, mean)

    return [
        entry("user", kind, "sent", "per-user", at_server / users, expected / users),
        entry("user", "rounds", "none", "total", min(at_server, 1), 1 - silent),
        entry("server", kind, "received", "total", from_users, expected),
    ]


PROVED, FOR_REALS = "proved", "proved for exact reals"  # tiers


def disclosure(tags: Collection[str], epsilon: float, continuous: bool) -> Disclosure | None:
    """What a view tells: of each user its report, if any is seen.

    Of a view with other tags nothing is stated. The ε of a `continuous` law, which has a density,
    is stated for exact reals only.
    """
    if not set(tags) <= {TRAFFIC, REPORT.name}:
        return None
    if REPORT.name not in tags:
        argument = "no report is seen, and who sends how much to whom depends on no input"
        return Disclosure(
            independent=True, epsilon=0.0, bound=None, tier=PROVED, argument=argument, alone=True
        )
    return report_seen(
        "all that is seen of a user is one report, and ε is exact for its law", epsilon, continuous
    )


def report_seen(argument: str, epsilon: float, continuous: bool) -> Disclosure:
    """The statement that nothing but a report with this ε tells of a user, for the reason given."""
    if continuous:
        return Disclosure(
            independent=False,
            epsilon=epsilon,
            bound=None,
            tier=FOR_REALS,
            argument=f"{argument}; doubles tell more",
            alone=True,
        )
    return Disclosure(
        independent=False, epsilon=epsilon, bound=None, tier=PROVED, argument=argument, alone=True
    )
