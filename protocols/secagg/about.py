"""What is stated about secure aggregation: its cost, its error, and what views tell.

Keys, boxes and signatures are octets; masked vectors and opened shares are field elements. A public
key has 32 octets, and a signature 64. One holder's shares of a user's two secrets have 48 octets
together, and a box has 28 more than its content.
"""

from collections.abc import Collection, Mapping, Sequence
from math import sqrt

import attrs
import numpy as np

from protocols.dpdg import about as dpdg
from protocols.dpdg.script import DPDG
from protocols.privacy.count_statements import sampled_run
from protocols.secagg.coalitions import rings
from protocols.secagg.script import (
    ALIVE,
    BOXES,
    KEY,
    KEYS,
    MASKED,
    OPENED,
    RING,
    SEED,
    SHARES,
    SIGNATURES,
    SIGNED,
    SecAgg,
    SecAggPlus,
)
from protocols.sharing.accuracy import assess_sampled_survivors
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import EntryDirection, Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement
from simnet.values.opaque import BOX_OVERHEAD_BYTES, SIGNATURE_BYTES

TAGS = (KEYS, RING, SHARES, BOXES, MASKED, ALIVE, SIGNED, SIGNATURES, OPENED)
OWN_TAGS = {TRAFFIC, *(tag.name for tag in TAGS)}
PUBLIC_KEY_BYTES = 32
WORD_BYTES = 4
SHARE_BYTES = WORD_BYTES * (SEED[0] + KEY[0])  # of both secrets of a user
BOX_BYTES = SHARE_BYTES + BOX_OVERHEAD_BYTES

WITHOUT_OVERHEAD = (
    "the paper counts 2n keys and 4(n - 1) shares, sent and received, for each user (in "
    "SecAgg+ with k + 1 in the place of n); it leaves out the "
    f"{BOX_OVERHEAD_BYTES} octets by which a box is longer than its content"
)
SHARES_OF_SEEDS = (
    "the paper counts n shares of one size for each user (in SecAgg+ k + 1). Here a share of a "
    "seed has 4 words of 32 bits, and a share of the key of a user who dropped out has 8"
)


def about(protocol: SecAgg) -> About:
    """Return the record of statements about secure aggregation with these parameters."""
    n, N = protocol.users, protocol.items  # noqa: N806  # as papers do
    question = protocol.question
    holders = (protocol.degree if isinstance(protocol, SecAggPlus) else n - 1) + 1

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        counted = len(protocol.counted(run.happened))
        estimate = run.outputs["server"]
        if isinstance(question, DPDG):
            return assess_noisy_survivors(question, estimate, support, counted, confidence)
        return assess_sampled_survivors(
            estimate, support, question.participation, counted, n, confidence
        )

    def privacy(
        run: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        """The server knows which users are counted. So with DPDS the statements are about the
        counts among these users alone, and with DPDG only the noise of these users protects them.
        """
        counted = protocol.counted(run.happened)
        if isinstance(question, DPDG):
            return dpdg.privacy(question, epsilon, delta, dropped=n - len(counted))
        items = [int(run.inputs[name]) for name in counted]
        held = np.bincount(items, minlength=len(support) + 1)[1:]
        return sampled_run(held.tolist(), question.participation, epsilon, delta)

    return About(
        name="secagg_plus" if isinstance(protocol, SecAggPlus) else "secagg",
        estimator="server",
        workload=Workload(
            messages=8 * n,
            elements=n * N + 2 * n * holders * (SHARE_BYTES + 2 * PUBLIC_KEY_BYTES),
        ),
        expected_squared_l2=(
            dpdg.expected_squared_l2(question)
            if isinstance(question, DPDG)
            else (1 - question.participation) / (question.participation * n)
        ),
        expected_bill=lambda run: expected_bill(protocol, run),
        assess=assess,
        privacy=privacy,
        disclosure=disclosure,
    )


def assess_noisy_survivors(
    question: DPDG, estimate: np.ndarray, support: Ints, counted: int, confidence: float
) -> Assessment:
    """Compare the estimate from the noisy vectors of `counted` users, a random sample of all users,
    with the true frequencies of all users; arrays have shape (N,). Intervals are Gaussian.
    """
    from scipy.special import ndtri  # imported only here: scipy loads slowly

    n = question.users
    noise = dpdg.result_variance(question) * n / counted
    missing = (n - counted) / (counted * max(n - 1, 1))
    truth = support / n
    variance = noise + truth * (1 - truth) * missing
    likely = np.clip(estimate, 0, 1)
    estimated = noise + likely * (1 - likely) * missing
    margin = float(ndtri((1 + confidence) / 2)) * np.sqrt(estimated)
    return Assessment(
        estimate=estimate,
        truth=truth,
        low=estimate - margin,
        high=estimate + margin,
        confidence=confidence,
        expected_squared_l2=float(variance.sum()),
        deviation_squared_l2=sqrt(2 * float(variance @ variance)),
        variance=variance,
        estimated_variance=estimated,
    )


def expected_bill(protocol: SecAgg, run: Run) -> Sequence[Expectation]:
    """Return what users and server send, in total, given who was heard at each step.

    If all vectors came and users sign nothing, two rows also have the number of the paper (Bonawitz
    et al., section 7; in SecAgg+ with k + 1 in the place of n). The result is empty for a run whose
    server dropped out.
    """
    if "server" in run.gone:
        return []
    t, N = protocol.threshold, protocol.items  # noqa: N806  # as papers do
    of_keys = 2 * PUBLIC_KEY_BYTES + protocol.active * SIGNATURE_BYTES
    keys, shares, masked, signed, opened = (
        # Keys of a mapping are looked up at once, where a tuple is searched from its start.
        dict.fromkeys(run.happened.heard("server", tag.name))
        for tag in (KEYS, SHARES, MASKED, SIGNED, OPENED)
    )
    ring = rings(run) if len(keys) >= t else {}
    sharers = {name: [other for other in ring[name] if other in shares] for name in shares}
    # The server aborts, and sends nothing more, if fewer than t users are left, or if some user has
    # too few neighbours left.
    begun = ring if _are_enough(ring, t) else {}
    carried = ring if len(shares) >= t and _are_enough(sharers, t) else {}
    listed = ring if len(masked) >= t else {}
    words = sum(
        (SEED if member in masked else KEY)[0]
        for name in opened
        for member in (name, *sharers[name])
    )
    up = of_keys * len(keys) + SIGNATURE_BYTES * len(signed)
    up += BOX_BYTES * sum(len(ring[name]) for name in shares)
    down = of_keys * sum(map(len, begun.values()))
    down += BOX_BYTES * sum(len(sharers[name]) for name in carried if name in shares)
    marks = sum(len(ring[name]) for name in carried if name in shares)
    marks += sum(1 + len(sharers[name]) for name in masked if name in listed)
    if len(signed) >= t:
        marks += sum(len(ring[name]) for name in signed)
        down += SIGNATURE_BYTES * sum(
            len([other for other in ring[name] if other in signed]) for name in signed
        )
    n, k = protocol.users, len(next(iter(ring.values()), []))
    is_complete = len(masked) == n
    rows = [
        _elements("user", "od", "sent", up),
        _elements("server", "od", "sent", down),
        _elements("user", "qd", "sent", N * len(masked) + words),
        _elements("server", "bd", "sent", marks),
        _elements("server", "nd", "sent", sum(map(len, begun.values()))),
    ]
    if not is_complete or protocol.active:
        return rows
    paper_octets = 2 * (k + 1) * PUBLIC_KEY_BYTES + 2 * k * SHARE_BYTES
    return [
        _elements("user", "od", "none", up + down, n * paper_octets, WITHOUT_OVERHEAD),
        *rows[:2],
        attrs.evolve(rows[2], paper=float(n * (N + (k + 1) * SEED[0])), note=SHARES_OF_SEEDS),
        *rows[3:],
    ]


def _are_enough(neighbours: Mapping[str, Collection[str]], threshold: int) -> bool:
    """Whether each user and its `neighbours` that are left hold at least `threshold` shares of the
    user's secrets.
    """
    return all(1 + len(others) >= threshold for others in neighbours.values())


def _elements(
    role: str,
    kind: str,
    direction: EntryDirection,
    exact: float,
    paper: float | None = None,
    note: str = "",
) -> Expectation:
    return Expectation(
        role, "communication", kind, direction, "total", "wire", exact, exact, paper, note
    )


def disclosure(tags: Collection[str]) -> Disclosure | None:
    """State that all parts of a view but its field elements are independent of the inputs. Return
    None for a view with a tag that is neither one of the protocol's nor `TRAFFIC`, which stands for
    a view of the network.
    """
    if not set(tags) <= OWN_TAGS:
        return None
    argument = (
        "the lists of users depend on who dropped out and on the server's coins, and not on "
        "inputs; keys, boxes and signatures are ideal, and all other messages carry field elements"
    )
    return Disclosure(independent=True, epsilon=0.0, bound=0.0, tier="proved", argument=argument)
