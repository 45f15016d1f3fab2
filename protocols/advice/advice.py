"""Choose a protocol for a target (ε, δ) and a limit on the bytes that a user may send.

We compare error, traffic, drop-outs and trust at equal exact privacy. Every option meets the target
exactly, for the replacement of one user's item: sampling with the largest participation that meets
it, Gaussian noise with the analytic calibration, and local mechanisms with pure ε. Sampling needs a
lower bound on the number of holders of every item; noise and local mechanisms need no such
assumption. A committee and secure aggregation carry the same answers as DPDS or DPDG, so they have
the same error and privacy; they differ in traffic, in drop-outs and in whom one must trust.
"""

from collections.abc import Iterable, Iterator
from decimal import ROUND_FLOOR, Context
from functools import partial
from math import inf

import attrs
import numpy as np

from protocols import checks
from protocols.advice import traffic
from protocols.advice.choosing import largest_participation
from protocols.advice.traffic import Traffic
from protocols.committee.script import Committee
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.mechanisms.named import FREQUENCY
from protocols.secagg.degree import Demands, smallest_degree
from protocols.secagg.script import SecAgg, SecAggPlus
from protocols.tss import about as tss
from protocols.tss.script import TSS

NOT_BOTH = "the server with users"
NOT_TWO = "S1 with S2; S2 with users; all elected"
NOBODY = "nobody"
SERVERS, NEEDED = 5, 3  # of the committee: how many, and how many open the sum
BAD = 0.1  # SecAgg+: the share of users who may be corrupt, and the share who may drop out


@attrs.frozen
class Question:
    """The population, the privacy target, and the largest number of bytes that a user may send.

    Every item has at least `rarest` holders; options that sample depend on this. Raises
    `ValueError` for a `rarest` of 0, for more holders than users, and for other values out of
    range.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> question.budget
    inf
    """

    users: int
    items: int
    epsilon: float
    delta: float
    rarest: int
    budget: float = inf  # the most bytes that a user may send

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        checks.whole("rarest", self.rarest, 0)
        if self.rarest == 0:
            raise ValueError(
                "nobody holds the rarest item: sampling hides nobody who comes to hold it, so "
                "leave out items without holders"
            )
        if self.rarest * self.items > self.users:
            raise ValueError(
                f"{self.items} items with {self.rarest} holders each do not fit {self.users} users"
            )
        if not self.budget > 0:
            raise ValueError(f"a budget is a positive number of bytes, got {self.budget}")


@attrs.frozen
class Option:
    """One way to meet the target: a protocol with its parameters.

    `error` is its expected squared L2 error, and `bytes` and `messages` what a user sends, without
    frames. `server_bytes` are the payload bytes that servers send and receive. `drop_outs` says who
    may drop out, `trusts` which parties must not collude, and `fits` whether the bytes of a user
    are within the budget.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> best = advise(question)[0]
    >>> isinstance(best, Option), best.fits
    (True, True)
    """

    protocol: str
    parameters: str
    error: float
    bytes: float
    messages: float
    server_bytes: float
    drop_outs: str
    trusts: str
    epsilon: float
    delta: float
    fits: bool


def advise(question: Question) -> list[Option]:
    """Return all options: first those within the budget, the most accurate ones first.

    Raises `ValueError` for a target out of range.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> sorted(option.protocol for option in advise(question))
    ['committee', 'dpdg', 'dpds', 'grr', 'hadamard', 'olh', 'oue', 'secagg', 'secagg', \
'secagg_plus', 'secagg_plus', 'tss']
    """
    return sorted(_options(question), key=lambda option: (not option.fits, option.error))


def two_stage_options(question: Question, reported: Iterable[int]) -> list[Option]:
    """Return TSS at the target with each of these numbers of reported items.

    Raises `ValueError` for a target out of range, a number outside 1..N, or fewer than two items.
    """
    p = _participation(question)
    return [_two_stage(question, p, k) for k in reported]


def _participation(question: Question) -> float:
    """Return the largest participation that meets the target.

    In the worst case a user moves between the two rarest items.
    """
    counts = [question.rarest] * min(question.items, 2)
    return largest_participation(counts, "replace", question.epsilon, question.delta)


def _two_stage(question: Question, participation: float, k: int) -> Option:
    protocol = TSS(question.users, question.items, participation, k)
    parameters = f"p={_rounded_down(participation)}, k={k}"
    sent, error = traffic.two_stage(protocol), tss.expected_squared_l2(protocol)
    return _option(question, "tss", parameters, error, sent, NOBODY, NOT_TWO)


def _rounded_down(participation: float) -> str:
    """Return a participation with four digits, rounded down: a larger one would miss the target."""
    return f"{Context(prec=4, rounding=ROUND_FLOOR).create_decimal(participation):g}"


def _option(
    question: Question,
    protocol: str,
    parameters: str,
    error: float,
    sent: Traffic,
    drop_outs: str,
    trusts: str,
    delta: float | None = None,
) -> Option:
    return Option(
        protocol=protocol,
        parameters=parameters,
        error=error,
        bytes=sent.bytes,
        messages=sent.messages,
        server_bytes=sent.at_servers,
        drop_outs=drop_outs,
        trusts=trusts,
        epsilon=question.epsilon,
        delta=question.delta if delta is None else delta,
        fits=sent.bytes <= question.budget,
    )


def _options(question: Question) -> Iterator[Option]:
    n, N, epsilon = question.users, question.items, question.epsilon  # noqa: N806  # as papers do
    option = partial(_option, question)
    if N > 1:
        p = _participation(question)
        stated = f"p={_rounded_down(p)}"
        sampled = DPDS(n, N, p)
        sent, error = traffic.pairwise(sampled), dpds.expected_squared_l2(sampled)
        yield option("dpds", stated, error, sent, NOBODY, NOT_BOTH)
        yield _two_stage(question, p, _most_reported(question, p, sent.bytes))
        yield _with_a_committee(question, p, stated, error)
        yield from _aggregated(question, sampled, stated, error)
        for name in ("grr", "oue", "olh", "hadamard"):
            mechanism = FREQUENCY[name](epsilon, N)
            error = float(np.sum(mechanism.variance(np.full(N, 1 / N), n)))
            sent = traffic.one_report(n, mechanism.report_bits)
            yield option(name, "local", error, sent, "anybody", NOBODY, 0.0)
    noisy = DPDG(n, N, epsilon, question.delta, calibration="analytic")
    error = dpdg.expected_squared_l2(noisy)
    yield option("dpdg", "analytic", error, traffic.pairwise(noisy), NOBODY, NOT_BOTH)
    yield from _aggregated(question, noisy, "dpdg", error)


def _with_a_committee(question: Question, p: float, stated: str, error: float) -> Option:
    """Return DPDS with a few servers in the place of the users."""
    protocol = Committee(question.users, question.items, p, SERVERS, f"shamir:{NEEDED}")
    return _option(
        question,
        "committee",
        f"{stated}, {SERVERS} servers",
        error,
        traffic.committee(protocol),
        f"anybody; {SERVERS - NEEDED} servers",
        f"{NEEDED} servers",
    )


def _aggregated(
    question: Question, asked: DPDS | DPDG, stated: str, error: float
) -> Iterator[Option]:
    """Yield the answers of DPDS or DPDG by secure aggregation among all users, and among
    neighbours.
    """
    n = question.users
    most = SecAgg(asked, max(2, n // 2 + 1))
    t = most.threshold
    yield _option(
        question,
        "secagg",
        f"{stated}, t={t}",
        error,
        traffic.secure_aggregation(most, n - 1),
        f"any {n - t:,}",
        f"the server with {t:,} users",
    )
    try:
        found = smallest_degree(Demands(n, int(BAD * n), BAD))
    except ValueError:
        return  # too few users for neighbours
    plus = SecAggPlus(asked, found.threshold, degree=found.degree)
    yield _option(
        question,
        "secagg_plus",
        f"{stated}, k={found.degree}, t={found.threshold}",
        error,
        traffic.secure_aggregation(plus, found.degree),
        f"{BAD:.0%} at random",
        f"the server with {BAD:.0%} of users",
    )


def _most_reported(question: Question, participation: float, without: float) -> int:
    """Return the largest k of TSS within the budget, or else 1.

    A user may also not send more than `without`, the bytes of DPDS, which has no second stage.
    """
    low, high, most = 1, question.items, min(question.budget, without)

    def bytes_sent(k: int) -> float:
        return traffic.two_stage(TSS(question.users, question.items, participation, k)).bytes

    while low < high:  # bytes rise with k
        middle = (low + high + 1) // 2
        low, high = (middle, high) if bytes_sent(middle) <= most else (low, middle - 1)
    return low
