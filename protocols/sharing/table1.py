"""Table I: what each role computes and sends, as the paper prints it and as it really is.

The entries are derived from the steps of the algorithms, not from the counters of a run. `exact` is
right for the reporting sets and elections of one run, `expected` is the mean of the exact value
over the coins; the paper's formulas stand beside them as printed, and some have a note. Source:
Yang et al., Table I.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Protocol

import attrs
import numpy as np

from protocols.mechanisms.reporting import inclusion
from protocols.privacy.binomial import law
from protocols.sharing.schemes import Sharing
from simnet.arrays import Floats, Ints, Numbers
from simnet.record.ledger import Counting
from simnet.stated.bill import EntryDirection, EntryScope, Expectation

SPREAD_OF_REPORTERS = (
    "the paper uses the mean number of reporters of an item as if every item had this number. "
    "For an item with m reporters the users together send m² shares, and the mean of m² is the "
    "square of the mean plus the variance of m: a user sends αN(2 - α + αn) field elements on "
    "average"
)
MEAN_REPORTERS = (
    "the paper takes p_χ n as the number of users who report on an item. The mean of this number "
    "over the items is kn/N for every law of the reporting sets. So a user's cost grows with "
    "α² nN, and TSS saves a factor of about 1/α² against DPDS, not 1/(p_χ α)"
)

# A convolution of two laws that takes this many products, or more, is done by Fourier transform.
LONG = 10**7


def pairwise(n: int, N: int, sharing: Sharing) -> list[Expectation]:  # noqa: N803  # the paper's letter
    """Return the entries that the bills of DPDS and DPDG have in common: every user shares a vector
    of N elements among all n users.
    """
    cost, recovery = sharing.share_cost(n), sharing.recovery_cost(n)
    additive = recovery.products == 0
    draws = (n - 1) * N
    paper = {"FA": 2 * draws, "FS": draws, "server FA": draws, "RM": N} if additive else {}
    user_products, server_products = cost.products * N, recovery.products * N
    products = [
        _work("user", "FM", "per-user", user_products, user_products),
        _work("server", "FM", "total", server_products, server_products),
    ]
    additions, recovered = cost.additions * N + draws, recovery.additions * N
    return [
        _work("user", "FA", "per-user", additions, additions, paper.get("FA")),
        _work("user", "FS", "per-user", cost.draws * N, cost.draws * N, paper.get("FS")),
        _work("server", "FA", "total", recovered, recovered, paper.get("server FA")),
        _work("server", "RM", "total", N, N, paper.get("RM")),
        *([] if additive else products),
        _elements("user", "qd", "sent", "per-user", "wire", n * N, n * N),
        _elements("user", "qd", "received", "per-user", "wire", draws, draws),
        _elements("user", "qd", "sent", "per-user", "logical", n * N + N, n * N + N),
        _elements("user", "qd", "received", "per-user", "logical", n * N, n * N),
        _elements(
            "user",
            "qd",
            "none",
            "per-user",
            "logical",
            2 * n * N + N,
            2 * n * N + N,
            2 * n * N + N if additive else None,
        ),
        _elements("server", "qd", "sent", "total", "wire", 0, 0, 0),
        _elements("server", "qd", "received", "total", "wire", n * N, n * N),
        _rounds("user", 2, 2, 2),
    ]


def dpds(n: int, N: int, sharing: Sharing) -> list[Expectation]:  # noqa: N803  # the paper's letter
    """Return the bill of DPDS: the entries of `pairwise`, and one Bernoulli draw per user."""
    return [_work("user", "BS", "per-user", 1, 1, 1), *pairwise(n, N, sharing)]


def dpdg(n: int, N: int, sharing: Sharing) -> list[Expectation]:  # noqa: N803  # the paper's letter
    """Return the bill of DPDG: the entries of `pairwise`, and N draws of noise per user.

    Table I has no column for DPDG, so the rows have no printed numbers.
    """
    rows = [attrs.evolve(row, paper=None, note="") for row in pairwise(n, N, sharing)]
    return [_work("user", "RS", "per-user", N, N), *rows]


class TwoStage(Protocol):
    """The parameters on which the entries of TSS and TSS′ depend."""

    @property
    def users(self) -> int:
        """The number of users, n."""
        ...

    @property
    def items(self) -> int:
        """The number of items, N."""
        ...

    @property
    def participation(self) -> float:
        """The probability p that a user takes part."""
        ...

    @property
    def reported(self) -> int:
        """The number k of items that a user reports on."""
        ...

    @property
    def gamma(self) -> float | None:
        """The weight of the adaptive law of reporting sets, or None."""
        ...

    @property
    def sharing(self) -> Sharing:
        """How secrets are shared."""
        ...

    def group_size(self, reporters: int) -> int:
        """How many users are elected for an item."""
        ...


@attrs.frozen
class ReportingCounts:
    """For each item of one run: the number m of reporters, the number m' of elected users, and the
    number of users who are both.
    """

    reporters: Ints  # shape (N,)
    elected: Ints  # shape (N,)
    both: Ints  # shape (N,)


def tss(
    protocol: TwoStage, tally: ReportingCounts, support: Ints, publishes_reporters: bool
) -> list[Expectation]:
    """Return the entries of TSS or TSS′ for the reporting sets and elections of one run.

    The expected values are means over the coins, for items with this `support`. TSS′ publishes the
    number of an item's reporters (`publishes_reporters`), TSS does not.
    """
    n, N, k = protocol.users, protocol.items, protocol.reported  # noqa: N806  # the paper's letters
    exact = _Costs.of(protocol, tally.reporters, tally.elected, tally.both)
    mean = _mean_costs(protocol, support)
    published = n + 1  # every announcement goes to all users and to S2
    more = published * N if publishes_reporters else 0
    inside = float(inclusion(k, N, protocol.gamma))
    alpha = k / N
    # Table I speaks of TSS with additive shares
    printed = not publishes_reporters and exact.products == 0
    paper: dict[str, float] = (
        {
            "FA": (inside * n - 1) * (inside + alpha) * N,
            "FS": (inside * n - 1) * k,
            "qd": k * (1 + inside * n),
            "Nd": k * (1 + inside * n),
            "S2 FA": (alpha * n - 1) * N,
            "nS": k * n,
            "nd": k * n * (n + 1),
        }
        if printed
        else {}
    )
    note = (SPREAD_OF_REPORTERS if protocol.gamma is None else MEAN_REPORTERS) if printed else ""
    products = [
        _work("user", "FM", "per-user", exact.products / n, mean.products / n),
        _work("S2", "FM", "total", exact.recovery_products, mean.recovery_products),
    ]
    # 2 if every share stays with its sender, which needs that no two users report on one item
    rounds = 3 if exact.sent - exact.own_shares > exact.reports else 2
    expected_rounds = 3 if k * n > N or protocol.group_size(1) > 1 else None
    return [
        _work(
            "user", "FA", "per-user", exact.additions / n, mean.additions / n, paper.get("FA"), note
        ),
        _work("user", "BS", "per-user", 1, 1, 1 if printed else None),
        _work("user", "aS", "per-user", 1, 1, 1 if printed else None),
        _work("user", "FS", "per-user", exact.draws / n, mean.draws / n, paper.get("FS"), note),
        _work("S1", "nA", "total", (n - 1) * N, (n - 1) * N, (n - 1) * N if printed else None),
        _work("S1", "nS", "total", exact.elected, mean.elected, paper.get("nS")),
        _work(
            "S2",
            "FA",
            "total",
            exact.recovery_additions,
            mean.recovery_additions,
            paper.get("S2 FA"),
        ),
        _work("S2", "RM", "total", N, N, N if printed else None),
        *(products if exact.products else []),
        _elements("user", "bd", "sent", "per-user", "wire", N, N, N if printed else None),
        _elements(
            "user",
            "qd",
            "sent",
            "per-user",
            "logical",
            exact.sent / n,
            mean.sent / n,
            paper.get("qd"),
            note,
        ),
        _elements(
            "user",
            "Nd",
            "sent",
            "per-user",
            "logical",
            exact.sent / n,
            mean.sent / n,
            paper.get("Nd"),
            note,
        ),
        _elements(
            "user",
            "qd",
            "sent",
            "per-user",
            "wire",
            (exact.sent - exact.own_shares) / n,
            (mean.sent - mean.own_shares) / n,
        ),
        _elements(
            "user",
            "Nd",
            "sent",
            "per-user",
            "wire",
            (exact.sent - exact.own_shares) / n,
            (mean.sent - mean.own_shares) / n,
        ),
        _elements(
            "S1",
            "nd",
            "sent",
            "total",
            "wire",
            published * exact.elected + more,
            published * mean.elected + more,
            paper.get("nd"),
        ),
        _elements(
            "S1",
            "Nd",
            "sent",
            "total",
            "wire",
            (n + 1) * N,
            (n + 1) * N,
            (n + 1) * N if printed else None,
        ),
        _elements("S2", "qd", "sent", "total", "wire", 0, 0, 0 if printed else None),
        _elements("S2", "qd", "received", "total", "wire", exact.reports, mean.reports),
        _rounds("user", rounds, expected_rounds, 3 if printed else None),
        _rounds("S1", 1, 1, 1 if printed else None),
    ]


def tss_in_expectation(protocol: TwoStage, support: Ints) -> list[Expectation]:
    """Return the bill of TSS with additive sharing without a run: as printed and in expectation;
    `exact` has no meaning here.
    """
    nobody = np.zeros(protocol.items, dtype=np.int64)
    return tss(
        protocol, ReportingCounts(nobody, nobody, nobody), support, publishes_reporters=False
    )


@attrs.frozen
class _Costs:
    """Totals over items and users. Every field is the sum, over the items, of a function of the
    three numbers of `ReportingCounts`.
    """

    draws: float
    additions: float
    products: float
    recovery_additions: float
    recovery_products: float
    elected: float
    sent: float
    reports: float
    own_shares: float  # shares that a user keeps for itself

    @classmethod
    def of(
        cls, protocol: TwoStage, reporters: Ints, elected: Ints, both: Ints | Floats
    ) -> "_Costs":
        return cls(*_per_item(protocol, reporters, elected, both).sum(axis=1).tolist())


def _per_item(protocol: TwoStage, m: Ints, elected: Ints, both: Ints | Floats) -> Floats:
    """Return the fields of `_Costs` for each item; shape (9, N).

    An item without reporters costs nothing but its election.
    """
    has_reporters = m > 0
    sizes = np.maximum(elected, 1.0)  # products of whole numbers could wrap around
    share, recover = protocol.sharing.share_cost(sizes), protocol.sharing.recovery_cost(sizes)
    return np.array(
        [
            has_reporters * m * share.draws,
            has_reporters * (m * share.additions + elected * (m - 1)),
            has_reporters * m * share.products,
            has_reporters * recover.additions,
            has_reporters * recover.products,
            elected,
            has_reporters * (m * elected + elected),
            has_reporters * elected,
            has_reporters * both,
        ],
        dtype=float,
    )


def _mean_costs(protocol: TwoStage, support: Ints) -> _Costs:
    means = np.zeros(len(attrs.fields(_Costs)))
    for count, items in zip(*np.unique(support, return_counts=True), strict=True):
        first, chances = reporters_law(protocol, int(count))
        m = np.arange(first, first + len(chances))
        elected = np.array([protocol.group_size(int(reporters)) for reporters in m])
        both = m * elected / protocol.users  # who is elected does not depend on who reports
        means += items * (_per_item(protocol, m, elected, both) @ chances)
    return _Costs(*means.tolist())


def reporters_law(protocol: TwoStage, support: int) -> tuple[int, Floats]:
    """Return the law of the number of reporters of an item that `support` users hold.

    Returns a first number, and the probabilities of it and of the numbers that follow; other
    numbers have negligible probabilities.
    """
    holder, other = chances_to_report(protocol)
    (first, holders), (more, others) = (
        law(support, float(holder)),
        law(protocol.users - support, float(other)),
    )
    return first + more, _convolved(holders, others)


def chances_to_report(protocol: TwoStage) -> tuple[Fraction, Fraction]:
    """Return the probabilities that a holder of an item, and another user, reports on the item.

    They are p p_χ + (1 - p) α for a holder, and p (k - p_χ) / (N - 1) + (1 - p) α for another user.
    """
    p, k, N = Fraction(protocol.participation), protocol.reported, protocol.items  # noqa: N806
    inside = inclusion(k, N, protocol.gamma)
    idle = (1 - p) * Fraction(k, N)
    return p * inside + idle, p * (k - inside) / (N - 1) + idle if N > 1 else Fraction(0)


def _convolved(one: Floats, other: Floats) -> Floats:
    if len(one) * len(other) <= LONG:
        return np.convolve(one, other)
    points = len(one) + len(other) - 1
    return np.asarray(np.fft.irfft(np.fft.rfft(one, points) * np.fft.rfft(other, points), points))


def tally(sets: Numbers, groups: Sequence[Ints]) -> ReportingCounts:
    """Return the counts of a run, from the reporting sets and the elected users.

    `sets` has shape (n, N), and a 1 where a user reports on an item; `groups[j]` are the users,
    from 0, elected for item j.
    """
    both = [int(sets[elected, item].sum()) for item, elected in enumerate(groups)]
    return ReportingCounts(
        sets.sum(axis=0), np.array([len(elected) for elected in groups]), np.array(both)
    )


def _work(
    role: str,
    operation: str,
    scope: EntryScope,
    exact: float,
    expected: float,
    paper: float | None = None,
    note: str = "",
) -> Expectation:
    return Expectation(
        role, "computation", operation, "none", scope, "wire", exact, expected, paper, note
    )


def _elements(
    role: str,
    kind: str,
    direction: EntryDirection,
    scope: EntryScope,
    counting: Counting,
    exact: float,
    expected: float,
    paper: float | None = None,
    note: str = "",
) -> Expectation:
    return Expectation(
        role, "communication", kind, direction, scope, counting, exact, expected, paper, note
    )


def _rounds(role: str, exact: float, expected: float | None, paper: float | None) -> Expectation:
    return Expectation(
        role, "communication", "rounds", "none", "total", "wire", exact, expected, paper
    )
