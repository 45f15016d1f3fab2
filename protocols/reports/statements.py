"""What is stated about local collections: the bill, and what a report tells about its user."""

import math
from collections import Counter
from collections.abc import Collection, Sequence

from protocols.mechanisms.reader import reader_of_reports
from protocols.reports.collection import REPORT, LocalCollection, Randomiser, users_counted
from simnet.kernel.run import Run
from simnet.record.ledger import Traffic
from simnet.stated.about import Workload
from simnet.stated.bill import EntryDirection, EntryScope, Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement
from simnet.values.typed import Typed

PROVED, FOR_REALS = "proved", "proved for exact reals"  # tiers


def one_report_workload(users: int, *form: Typed) -> Workload:
    """Return the workload of one report from each user."""
    return Workload(messages=users, elements=users * sum(map(elements, form)))


def privacy_of_report(mechanism: Randomiser, epsilon: float | None) -> Sequence[PrivacyStatement]:
    """State the exact ε of a report or, if `epsilon` is given and larger, that ε. The statement
    holds for each user separately. Raises `ValueError` as `reader_of_reports` does.
    """
    return [reader_of_reports(mechanism.exact_epsilon, mechanism.continuous, epsilon)]


def elements(form: Typed) -> int:
    """Return the number of values in a report of this form."""
    return math.prod(form.shape[1:])


def elements_by_kind(*form: Typed) -> Counter[str]:
    """Return the number of values of each kind in a report of this form."""
    each: Counter[str] = Counter()
    for piece in form:
        each[piece.wire.kind] += elements(piece)
    return each


def one_report_each(run: Run, protocol: LocalCollection, *form: Typed) -> list[Expectation]:
    """Return the bill of a run with a result: each user sends one report to the server, in one
    round. A user who drops out before its report sends nothing.

    The server reads the reports that are in its estimate.
    """
    each = elements_by_kind(*form)
    sent = reports_sent(run, protocol)
    read = users_counted(protocol, run.happened)
    share = sent / protocol.users

    def entry(
        role: str, quantity: str, direction: EntryDirection, scope: EntryScope, count: float
    ) -> Expectation:
        return Expectation(role, "communication", quantity, direction, scope, "wire", count, count)

    return [
        *(
            entry("user", kind, "sent", "per-user", count * share if share < 1 else count)
            for kind, count in each.items()
        ),
        entry("user", "rounds", "none", "total", min(sent, 1)),
        *(entry("server", kind, "received", "total", read * count) for kind, count in each.items()),
    ]


def reports_sent(run: Run, protocol: LocalCollection) -> int:
    """Return how many users send a report, given who drops out; a report that is sent may be lost
    on its way.
    """
    kept_back = [
        name for name in run.gone if name in run.inputs and run.fates[name].reached in (0, ())
    ]
    return protocol.users - len(kept_back)


def some_reports(
    run: Run, users: int, expected: float, silent: float, form: Typed
) -> list[Expectation]:
    """Return the bill in which some users send one report each; `expected` is the mean number of
    reports.

    `silent` is the probability that nobody reports. The entry of the users has the number of
    reports that the server received, and the entry of the server has the number that the users
    sent. So the bill checks that both numbers are equal.
    """
    ((kind, each),) = elements_by_kind(form).items()  # values in a report
    sent, received = (run.ledger.by("role", direction) for direction in ("sent", "received"))
    from_users = sent.get("user", Traffic()).messages
    at_server = received.get("server", Traffic()).messages

    def entry(
        role: str,
        quantity: str,
        direction: EntryDirection,
        scope: EntryScope,
        exact: float,
        mean: float,
    ) -> Expectation:
        return Expectation(role, "communication", quantity, direction, scope, "wire", exact, mean)

    return [
        entry("user", kind, "sent", "per-user", each * at_server / users, each * expected / users),
        entry("user", "rounds", "none", "total", min(at_server, 1), 1 - silent),
        entry("server", kind, "received", "total", each * from_users, each * expected),
    ]


def disclosure_of_report(tags: Collection[str], mechanism: Randomiser) -> Disclosure | None:
    """Return what a view tells: the report of each user, or nothing if the view has no reports.

    Returns None for a view with a tag that is neither `REPORT`'s nor `TRAFFIC`, which stands for a
    view of the network. If the law of a report has a continuous part, ε is stated for exact real
    numbers only.
    """
    if not set(tags) <= {TRAFFIC, REPORT.name}:
        return None
    if REPORT.name not in tags:
        return Disclosure(
            independent=True,
            epsilon=0.0,
            tier=PROVED,
            argument="no report is seen, and who sends how much to whom depends on no input",
            alone=True,
        )
    argument = "all that is seen of a user is one report, and ε is exact for its law"
    return report_seen(argument, mechanism.exact_epsilon, mechanism.continuous)


def report_seen(argument: str, epsilon: float, continuous: bool) -> Disclosure:
    """Return the statement that only a report with this ε tells anything about a user; `argument`
    is the reason.
    """
    if continuous:
        return Disclosure(
            independent=False,
            epsilon=epsilon,
            bound=None,
            tier=FOR_REALS,
            argument=f"{argument}; the doubles that are sent can tell more",
            alone=True,
        )
    return Disclosure(
        independent=False, epsilon=epsilon, bound=None, tier=PROVED, argument=argument, alone=True
    )
