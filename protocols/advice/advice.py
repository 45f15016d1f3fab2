"""Choose a protocol for a target (ε, δ) and a limit on the bytes that a user may send.

Every option meets the target against each server alone, if one user's item is replaced. Options
that sample the users have the largest participation whose exact δ meets the target; in TSS this δ
is a bound. Gaussian noise has the analytic calibration, and local mechanisms meet ε with δ = 0.
Sampling needs a lower bound on the number of holders of every item; noise and local mechanisms need
no such assumption. A committee adds up the answers of DPDS, and secure aggregation those of DPDS or
DPDG; traffic, drop-outs and whom one must trust differ.

In these three, each user may drop out with probability `BAD`, whatever its item is, and the server
sees who is left. So δ is the mean of the δ of those who are left. It is at most the δ with m
holders (or m shares of noise), plus the probability that fewer than m are left. We choose m so that
this probability is at most a tenth of δ, and calibrate sampling and noise for m and the rest of δ.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from decimal import ROUND_FLOOR, Context
from functools import partial
from math import inf, log, sqrt
from typing import Any

import attrs

from protocols import checks
from protocols.advice import traffic
from protocols.advice.choosing import largest_participation
from protocols.advice.traffic import Traffic
from protocols.committee.script import Committee
from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.dpds import about as dpds
from protocols.dpds.script import DPDS
from protocols.local_frequency.script import FrequencyCollection
from protocols.mechanisms.named import FREQUENCY
from protocols.privacy.binomial import Binomial
from protocols.privacy.gaussian import delta_of, sigma
from protocols.secagg.degree import Demands, smallest_degree
from protocols.secagg.script import SecAgg, SecAggPlus
from protocols.tss import about as tss
from protocols.tss.script import TSS
from simnet.contract import Protocol
from simnet.kernel.limits import refuse_above
from simnet.printable import count_of, rounded

NOBODY = "nobody"
WITH_USERS = "the server with users"
WITH_ALL_USERS = "the server with all other users"
# The heads of the columns on trust, in the order of `Option.of_trust`.
OF_TRUST = ("may drop out", "read answers together", "exceed ε together")
LISTING = ("secagg", "secagg_plus", "committee")  # the server says who is left
SERVERS, NEEDED = 5, 3  # of the committee: how many, and how many open the sum
QUANTILE = 1.959964  # of a 95 % interval by the normal law
# The probability that a user drops out; in SecAgg+ also the share of users who may be corrupt.
BAD = 0.1
AT_RANDOM = f"{BAD:.0%} at random"
LEAST_DELTA = 1e-50
# What the expected traffic of TSS takes: as long as so many elements of messages, for each number
# of reporters that an item may have (about WIDTH times the root of the number of users); and so
# much memory for each item.
ELEMENTS_A_NUMBER, WIDTH, BYTES_AN_ITEM = 5000, 12, 220


@attrs.frozen
class Question:
    """The population, the privacy target, and the largest number of bytes that a user may send.

    Every item has at least `rarest` holders. If `rarest` is None, there may be items without
    holders, so only options that add noise and local mechanisms are possible. Raises `ValueError`
    for a `rarest` below 1, for too few users for N items with `rarest` holders each, for fewer than
    two users, for fewer than one item, for a δ between 0 and 1e-50, and for a budget that is not
    positive.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> question.budget
    inf
    """

    users: int
    items: int
    epsilon: float
    delta: float
    rarest: int | None
    budget: float = inf  # the most bytes that a user may send on average

    def __attrs_post_init__(self) -> None:
        checks.users_and_items(self.users, self.items)
        if 0 < self.delta < LEAST_DELTA:
            raise ValueError(f"delta is at least {LEAST_DELTA:g} here, got {self.delta}")
        if self.rarest is not None:
            _check_rarest(self.rarest, self.items, self.users)
        if not self.budget > 0:
            raise ValueError(f"a budget is a positive number of bytes, got {self.budget}")


def _check_rarest(rarest: int, items: int, users: int) -> None:
    checks.whole("rarest", rarest, 0)
    if rarest == 0:
        raise ValueError(
            "nobody holds the rarest item: sampling could not hide a user who comes to "
            "hold it, so leave out items without holders"
        )
    if rarest * items > users:
        holders = count_of(rarest, "holder")
        many = (
            f"1 item with {holders} does" if items == 1 else f"{items} items with {holders} each do"
        )
        raise ValueError(f"{many} not fit {count_of(users, 'user')}")


@attrs.frozen
class Option:
    """One way to meet the target: a protocol with its parameters.

    `error` is the expected squared L2 error of the protocol's estimates. The variance of one
    estimated frequency is `floor` plus `slope` times the true frequency. A user sends on average
    `messages` messages, whose payloads have `bytes` bytes together; headers are not counted.
    `server_bytes` are the payload bytes of all messages that a server sends or receives.
    `drop_outs` says who may drop out so that a result is likely and ε and δ hold; the error is that
    of a run in which nobody does. `fits` says whether the bytes of a user are within the budget.
    `answer_readers` and `epsilon_breakers` say who must not collude: `trust_in_words` explains the
    difference.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> best = advise(question)[0]
    >>> isinstance(best, Option), best.fits
    (True, True)
    """

    protocol: str
    answer: str  # what secure aggregation adds up: dpds or dpdg; else empty
    parameters: str
    error: float
    floor: float
    slope: float
    bytes: float
    messages: float
    server_bytes: float
    drop_outs: str
    answer_readers: str
    epsilon_breakers: str
    epsilon: float
    delta: float
    fits: bool
    script: Protocol

    def as_json(self) -> dict[str, Any]:
        """Return the numbers and words of the option for JSON; later versions keep these keys."""
        words = attrs.asdict(self, filter=lambda field, _: field.name != "script")
        return {**words, "trusts": self.trusts}

    @property
    def of_trust(self) -> tuple[str, str, str]:
        """The cells of the columns `OF_TRUST`."""
        return self.drop_outs, self.answer_readers, self.epsilon_breakers

    @property
    def trusts(self) -> str:
        """Who must not collude so that answers stay hidden, and so that ε holds, in one text."""
        return f"answers: {self.answer_readers}; ε: {self.epsilon_breakers}"

    @property
    def label(self) -> str:
        """The protocol's name, then `with noise` for secure aggregation of DPDG's answers."""
        return f"{self.protocol} with noise" if self.answer == "dpdg" else self.protocol

    def margin(self, frequency: float) -> float:
        """Half the width of a 95 % interval for an item with this true frequency."""
        return QUANTILE * sqrt(self.floor + self.slope * frequency)


def advise(question: Question) -> list[Option]:
    """Return the options: first those within the budget, then the others; in both parts, the option
    with the smallest error comes first.

    Raises `ValueError` for a target that is out of range or that a protocol cannot meet, and, if
    there are several items, for a `rarest` of None. Raises `BadInput` if this would take more than
    the limit of work allows.

    >>> question = Question(users=10_000, items=10, epsilon=1.0, delta=1e-6, rarest=500)
    >>> sorted(option.protocol for option in advise(question))
    ['committee', 'dpdg', 'dpds', 'grr', 'hadamard', 'olh', 'oue', 'secagg', 'secagg', \
'secagg_plus', 'secagg_plus', 'tss']
    """
    options = [option for name in NAMES for option in options_of(name, question)]
    return sorted(options, key=lambda option: (not option.fits, option.error))


def options_of(name: str, question: Question) -> Iterator[Option]:
    """Yield the options of the protocol with this name, one of `NAMES`.

    Secure aggregation has two options: it adds up answers without noise, or answers with noise.
    If there is a single item, options without Gaussian noise are left out; if `rarest` is None,
    secure aggregation without noise is left out. If there are too few users for SecAgg+, or for the
    noise of those who are left if others drop out, the option is left out.

    Raises `ValueError` for a target that is out of range or that the protocol cannot meet; with
    several items and a `rarest` of None, dpds, tss and the committee cannot meet any target. Raises
    `BadInput` as `advise` does.
    """
    is_noisy = name == "dpdg" or name in AGGREGATED
    if question.items > 1 or is_noisy:
        yield from _BUILDERS[name](question)


def two_stage_options(question: Question, reported: Iterable[int]) -> list[Option]:
    """Return TSS at the target with each of these numbers of reported items.

    Raises `ValueError` for a target that is out of range or that no participation meets, for a
    `rarest` of None, and for a number outside 1..N.
    """
    p = _participation(question)
    return [_two_stage(question, p, k) for k in reported]


def _participation(question: Question, drop_outs: str = NOBODY) -> float:
    if question.rarest is None:
        raise ValueError("the privacy of sampling needs a number of users who hold the rarest item")
    left, delta = _left(question, question.rarest, drop_outs)
    # In the worst case a user moves between the two rarest items. One holder is left in any case:
    # the user itself, for a user who drops out tells nothing.
    counts = [max(left, 1), left][: question.items]
    return largest_participation(counts, "replace", question.epsilon, delta)


def _left(question: Question, users: int, drop_outs: str) -> tuple[int, float]:
    """Return how many of `users` users are left at least, and the δ for which this number must do;
    the rest of δ bounds the probability that fewer are left, in one of two items.
    """
    if drop_outs == NOBODY:
        return users, question.delta
    law, log_few = Binomial.of(users, 1 - BAD), log(question.delta / 20)
    # Chernoff's bound
    left = bisect_right(range(users), log_few, key=lambda k: law.log_at_most(k, below=True))
    return left, 0.9 * question.delta


def _two_stage(question: Question, participation: float, k: int) -> Option:
    protocol = TSS(question.users, question.items, participation, k)
    parameters = f"p={_rounded_down(participation)}, k={k}"
    sent, law = traffic.two_stage(protocol), (0.0, tss.expected_squared_l2(protocol))
    return _option(
        question,
        protocol,
        "tss",
        parameters,
        law,
        sent,
        NOBODY,
        "all users elected for an item",
        "S1 with S2; S2 with users",
    )


def _rounded_down(chance: float) -> str:
    """Return a participation or a δ with four significant digits, rounded down so that it still
    meets the target.
    """
    return f"{float(Context(prec=4, rounding=ROUND_FLOOR).create_decimal(chance)):.4g}"


def _option(
    question: Question,
    script: Protocol,
    protocol: str,
    parameters: str,
    law: tuple[float, float],  # floor and slope of the variance of a frequency
    sent: Traffic,
    drop_outs: str,
    answer_readers: str,
    epsilon_breakers: str,
    delta: float | None = None,
    answer: str = "",
) -> Option:
    floor, slope = law
    return Option(
        protocol=protocol,
        answer=answer,
        parameters=parameters,
        error=question.items * floor + slope,
        floor=floor,
        slope=slope,
        bytes=sent.bytes,
        messages=sent.messages,
        server_bytes=sent.at_servers,
        drop_outs=drop_outs,
        answer_readers=answer_readers,
        epsilon_breakers=epsilon_breakers,
        epsilon=question.epsilon,
        delta=question.delta if delta is None else delta,
        fits=sent.bytes <= question.budget,
        script=script,
    )


def _sampled(question: Question, drop_outs: str = NOBODY) -> tuple[DPDS, str, tuple[float, float]]:
    p = _participation(question, drop_outs)
    protocol = DPDS(question.users, question.items, p)
    return protocol, f"p={_rounded_down(p)}", (0.0, dpds.expected_squared_l2(protocol))


class _TooMuchNoise(Exception):
    """So few users may be left that the noise of each cannot be computed."""


def _noise(question: Question, drop_outs: str = NOBODY) -> tuple[DPDG, str, tuple[float, float]]:
    n, N, epsilon = question.users, question.items, question.epsilon  # noqa: N806  # as papers do
    left, delta = _left(question, n, drop_outs)
    stated = "analytic"
    if left < n:
        needed = sigma("analytic", sqrt(2), epsilon, delta) * sqrt(n / max(left, 1))
        text = _rounded_down(delta_of(needed, sqrt(2), epsilon))
        delta, stated = float(text), f"dpdg at δ={text}"
        if delta < LEAST_DELTA:
            raise _TooMuchNoise
    protocol = DPDG(n, N, epsilon, delta, calibration="analytic")
    return protocol, stated, (dpdg.result_variance(protocol), 0.0)


def _pairwise(question: Question) -> Iterator[Option]:
    protocol, stated, law = _sampled(question)
    sent = traffic.pairwise(protocol)
    yield _option(question, protocol, "dpds", stated, law, sent, NOBODY, WITH_ALL_USERS, WITH_USERS)


def _noisy(question: Question) -> Iterator[Option]:
    protocol, stated, law = _noise(question)
    sent = traffic.pairwise(protocol)
    yield _option(question, protocol, "dpdg", stated, law, sent, NOBODY, WITH_ALL_USERS, WITH_USERS)


def _in_two_stages(question: Question) -> Iterator[Option]:
    n, N = question.users, question.items  # noqa: N806  # as papers do
    refuse_above(
        f"the traffic of TSS with {rounded(n)} users and {rounded(N)} items",
        # The search tries about log2(N) numbers k, and items have one of two numbers of holders.
        elements=ELEMENTS_A_NUMBER * WIDTH * sqrt(n) * 2 * N.bit_length(),
        memory=BYTES_AN_ITEM * N,
    )
    protocol, _, _ = _sampled(question)
    p, most = protocol.participation, traffic.pairwise(protocol).bytes
    yield _two_stage(question, p, _most_reported(question, p, most))


def _local(name: str, question: Question) -> Iterator[Option]:
    mechanism = FREQUENCY[name](question.epsilon, question.items)
    none, all_ = (float(mechanism.variance(share, question.users)) for share in (0.0, 1.0))
    sent = traffic.one_report(question.users, mechanism.report_bits)
    law = none, all_ - none  # the variance is linear in the share of holders
    script = FrequencyCollection(question.users, mechanism, "crowd")
    yield _option(
        question,
        script,
        name,
        "local",
        law,
        sent,
        "anybody",
        "the server alone (noisy ones)",
        NOBODY,
        delta=0.0,
    )


def _with_a_committee(question: Question) -> Iterator[Option]:
    sampled, stated, law = _sampled(question, AT_RANDOM)
    p = sampled.participation
    protocol = Committee(question.users, question.items, p, SERVERS, f"shamir:{NEEDED}")
    yield _option(
        question,
        protocol,
        "committee",
        f"{stated}, {SERVERS} servers",
        law,
        traffic.committee(protocol),
        f"{AT_RANDOM}; {SERVERS - NEEDED} servers",
        f"{NEEDED} servers",
        WITH_USERS,
    )


def _aggregated(name: str, question: Question) -> Iterator[Option]:
    answers: list[tuple[DPDS | DPDG, str, tuple[float, float]]] = []
    if question.items > 1 and question.rarest is not None:
        answers.append(_sampled(question, AT_RANDOM))
    with suppress(_TooMuchNoise):
        answers.append(_noise(question, AT_RANDOM))
    make = _among_all if name == "secagg" else _among_neighbours
    for asked, stated, law in answers:
        yield from make(question, asked, stated, law)


def _among_all(
    question: Question, asked: DPDS | DPDG, stated: str, law: tuple[float, float]
) -> Iterator[Option]:
    n = question.users
    protocol = SecAgg(asked, max(2, n // 2 + 1))
    t = protocol.threshold
    yield _option(
        question,
        protocol,
        "secagg",
        f"{stated}, t={t}",
        law,
        traffic.secure_aggregation(protocol, n - 1),
        AT_RANDOM,
        f"the server with {t:,} users",
        WITH_USERS,
        answer="dpds" if isinstance(asked, DPDS) else "dpdg",
    )


def _among_neighbours(
    question: Question, asked: DPDS | DPDG, stated: str, law: tuple[float, float]
) -> Iterator[Option]:
    n = question.users
    try:
        found = smallest_degree(Demands(n, int(BAD * n), BAD))
    except ValueError:
        return  # too few users for neighbours
    protocol = SecAggPlus(asked, found.threshold, degree=found.degree)
    yield _option(
        question,
        protocol,
        "secagg_plus",
        f"{stated}, k={found.degree}, t={found.threshold}",
        law,
        traffic.secure_aggregation(protocol, found.degree),
        AT_RANDOM,
        f"the server with over {BAD:.0%} of users",
        WITH_USERS,
        answer="dpds" if isinstance(asked, DPDS) else "dpdg",
    )


def trust_in_words(protocols: Collection[str]) -> list[str]:
    """Sentences on what the last two columns of `OF_TRUST` mean for these protocols.

    >>> len(trust_in_words(["dpds"])), len(trust_in_words(["dpds", "oue", "tss", "secagg"]))
    (1, 4)
    """
    said = [
        "The last two columns say who must not collude. Parties that read answers together can "
        "compute the answers of single users. A server that exceeds ε together with users learns "
        "sums alone, but it can subtract the answers and the noise of these users from a sum. So "
        "the sum hides the other users less well than ε and δ say, and each further colluding user "
        "can make ε larger (simnet privacy dpds and simnet privacy dpdg have --colluders)."
    ]
    if any(name in LOCAL for name in protocols):
        said.append(
            "In local mechanisms the server reads every answer. But each answer is noisy by "
            "itself, so that ε holds against everybody."
        )
    if any(name in LISTING for name in protocols):
        said.append(
            "In secagg, secagg_plus and the committee, the server says who is left. The columns "
            "are for a server that tells the truth; a server that lies can learn sums over fewer "
            f"users. {AT_RANDOM} means that each user drops out with probability {BAD:.0%}, "
            "whatever its item is. If more users drop out, a run may still give a result; then ε "
            "and δ are larger."
        )
    if "secagg_plus" in protocols:
        said.append(
            f"In secagg_plus the server with {BAD:.0%} of the users reads no answers, except with "
            "probability 2^-40. With more users it may read some."
        )
    if "tss" in protocols:
        said.append(
            "In tss, S1 with S2, or S2 with a few users, learn only the output from the shares. "
            "But these coalitions may know who reports on an item. So one user hides among fewer "
            "others, and the stated δ does not hold against these coalitions. All users elected "
            "for an item together read the answers of its reporters."
        )
    return said


def _most_reported(question: Question, participation: float, without: float) -> int:
    """Return the largest k of TSS with which users send on average at most the budget, and at most
    the bytes that they would send in DPDS (`without`); or 1 if there is no such k.
    """
    low, high, most = 1, question.items, min(question.budget, without)

    def bytes_sent(k: int) -> float:
        return traffic.two_stage(TSS(question.users, question.items, participation, k)).bytes

    while low < high:  # bytes rise with k
        middle = (low + high + 1) // 2
        low, high = (middle, high) if bytes_sent(middle) <= most else (low, middle - 1)
    return low


LOCAL, AGGREGATED = ("grr", "oue", "olh", "hadamard"), ("secagg", "secagg_plus")
_BUILDERS: Mapping[str, Callable[[Question], Iterator[Option]]] = {
    "dpds": _pairwise,
    "tss": _in_two_stages,
    "committee": _with_a_committee,
    **{name: partial(_aggregated, name) for name in AGGREGATED},
    **{name: partial(_local, name) for name in LOCAL},
    "dpdg": _noisy,
}
NAMES = tuple(_BUILDERS)
SAMPLING = ("dpds", "tss", "committee")  # they need holders of every item
