"""Choose a protocol for a target (ε, δ) and a limit on the bytes that a user may send.

We compare error, traffic and trust at equal exact privacy. Every option meets the target exactly,
for the replacement of one user's item: sampling with the largest participation that meets it,
Gaussian noise with the analytic calibration, and local mechanisms with pure ε. Sampling needs a
lower bound on the number of holders of every item; noise and local mechanisms need no such
assumption.
"""

from collections.abc import Iterable, Iterator
from decimal import ROUND_FLOOR, Context
from functools import partial
from math import inf

import attrs
import numpy as np

from protocols import checks
from protocols.advice.choosing import largest_participation
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.mechanisms.named import FREQUENCY
from protocols.sharing import table1
from protocols.tss import about as tss
from protocols.tss.script import TSS
from simnet.values.field import Field
from simnet.values.wire import BIT, Manifest, WireType

NOT_BOTH = "the server with users"
NOT_TWO = "S1 with S2; S2 with users; all elected"
NOBODY = "nobody"


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

    `error` is its expected squared L2 error, `bytes` the payload bytes that a user sends, `trusts`
    the parties that must not collude, and `fits` whether the bytes are within the budget.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> best = advise(question)[0]
    >>> isinstance(best, Option), best.fits
    (True, True)
    """

    protocol: str
    parameters: str
    error: float
    bytes: float
    trusts: str
    epsilon: float
    delta: float
    fits: bool


def advise(question: Question) -> list[Option]:
    """Return all options: first those within the budget, the most accurate ones first.

    Raises `ValueError` for a target out of range.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> sorted(option.protocol for option in advise(question))
    ['dpdg', 'dpds', 'grr', 'hadamard', 'olh', 'oue', 'tss']
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
    sent, error = two_stage_bytes(protocol), tss.expected_squared_l2(protocol)
    return _option(
        question,
        "tss",
        f"p={_rounded_down(participation)}, k={k}",
        error,
        sent,
        NOT_TWO,
        question.delta,
    )


def _rounded_down(participation: float) -> str:
    """Return a participation with four digits, rounded down: a larger one would miss the target."""
    return f"{Context(prec=4, rounding=ROUND_FLOOR).create_decimal(participation):g}"


def _option(
    question: Question,
    protocol: str,
    parameters: str,
    error: float,
    sent: float,
    trusts: str,
    delta: float,
) -> Option:
    return Option(
        protocol, parameters, error, sent, trusts, question.epsilon, delta, sent <= question.budget
    )


def _options(question: Question) -> Iterator[Option]:
    n, N, epsilon, delta = question.users, question.items, question.epsilon, question.delta  # noqa: N806  # as papers do
    option = partial(_option, question)
    if N > 1:
        p = _participation(question)
        sampled = DPDS(n, N, p)
        error, sent = dpds.expected_squared_l2(sampled), float(pairwise_bytes(n, N, sampled.field))
        yield option("dpds", f"p={_rounded_down(p)}", error, sent, NOT_BOTH, delta)
        yield _two_stage(question, p, _most_reported(question, p, sent))
        for name in ("grr", "oue", "olh", "hadamard"):
            mechanism = FREQUENCY[name](epsilon, N)
            error = float(np.sum(mechanism.variance(np.full(N, 1 / N), n)))
            yield option(name, "local", error, -(-mechanism.report_bits // 8), NOBODY, 0.0)
    noisy = DPDG(n, N, epsilon, delta, calibration="analytic")
    yield option(
        "dpdg",
        "analytic",
        dpdg.expected_squared_l2(noisy),
        pairwise_bytes(n, N, noisy.field),
        NOT_BOTH,
        delta,
    )


def _most_reported(question: Question, participation: float, without: float) -> int:
    """Return the largest k of TSS within the budget, or else 1.

    A user may also not send more than `without`, the bytes of DPDS, which has no second stage.
    """
    low, high, most = 1, question.items, min(question.budget, without)

    def bytes_sent(k: int) -> float:
        return two_stage_bytes(TSS(question.users, question.items, participation, k))

    while low < high:  # bytes rise with k
        middle = (low + high + 1) // 2
        low, high = (middle, high) if bytes_sent(middle) <= most else (low, middle - 1)
    return low


def pairwise_bytes(users: int, items: int, field: Field) -> int:
    """Return the payload bytes that a user of DPDS or DPDG sends.

    Such a user sends one message of N field elements to every other user, and one to the server.
    """
    return users * Manifest(((WireType("qd", field.modulus), (items,)),)).payload_bytes


def two_stage_bytes(protocol: TSS) -> float:
    """Return the expected payload bytes that a user of TSS sends.

    Such a user sends its reporting set, and one message for each share and each reported sum.
    """
    users, items = protocol.users, protocol.items
    support = np.array([users // items + (place < users % items) for place in range(items)])
    rows = table1.tss_in_expectation(protocol, support)
    entry = ("user", "qd", "sent", "wire")
    messages = next(
        row.expected
        for row in rows
        if (row.role, row.quantity, row.direction, row.counting) == entry
    )
    message = Manifest(
        ((WireType("Nd", items), (1,)), (WireType("qd", protocol.field.modulus), (1,)))
    )
    return Manifest(((BIT, (items,)),)).payload_bytes + (messages or 0.0) * message.payload_bytes
