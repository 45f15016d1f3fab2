"""What is stated about DPCS and DPCS*: cost, error and privacy.

The error and the privacy against the server are those of DPDS, because the server learns the same.
The paper gives no costs of DPCS, so the bill has no printed numbers.
"""

from collections.abc import Collection, Sequence

from protocols.dpds.central import COUNTED, COUNTS, DPCS, ITEM, DPCSStar
from protocols.privacy.count_statements import sampled_run
from protocols.sharing.accuracy import assess_sampled
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.record.ledger import Counting
from simnet.stated.about import About, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import EntryDirection, EntryScope, Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement

OWN_TAGS = {TRAFFIC, ITEM.name, COUNTED.name, COUNTS.name}


def about(protocol: DPCS) -> About:
    """Return the record of statements about DPCS or DPCS* with these parameters."""
    n, N, p = protocol.users, protocol.items, protocol.participation  # noqa: N806  # as papers do
    released = n * N if isinstance(protocol, DPCSStar) else N

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        return assess_sampled(run.outputs["server"], support, p, n, confidence)

    def privacy(
        _: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        return sampled_run(support.tolist(), p, epsilon, delta)

    return About(
        name="dpcs",
        estimator="server",
        workload=Workload(
            messages=2 * n + 1, elements=n * N + released, element_bits=n.bit_length()
        ),
        expected_squared_l2=(1 - p) / (p * n),
        expected_bill=lambda run: expected_bill(protocol, run),
        assess=assess,
        privacy=privacy,
        disclosure=disclosure,
    )


def expected_bill(protocol: DPCS, run: Run) -> Sequence[Expectation]:
    """Return what each role computes, sends and receives; only the number of additions depends on
    the sample. The result is empty if the trusted party, who knows the sample, has no output.
    """
    if "trusted" not in run.outputs:
        return []
    n, N, p = protocol.users, protocol.items, protocol.participation  # noqa: N806  # as papers do
    is_shared = isinstance(protocol, DPCSStar)
    split = (n - 1) * N if is_shared else 0
    released = n * N if is_shared else N
    added = max(int(run.outputs["trusted"].sum()) - 1, 0) * N
    # E[max(A - 1, 0)] for A users in the sample, of binomial law
    expected = (n * p - 1 + (1 - p) ** n) * N
    return [
        _work("user", "BS", "per-user", 1),
        _work("trusted", "FA", "total", added + split, expected + split),
        *([_work("trusted", "FS", "total", split)] if is_shared else []),
        _work("server", "FA", "total", split),
        _work("server", "RM", "total", N),
        _elements("user", "qd", "sent", "per-user", N),
        _elements("user", "bd", "sent", "per-user", 1),
        _elements("trusted", "qd", "received", "total", n * N),
        _elements("trusted", "bd", "received", "total", n),
        _elements("trusted", "qd", "sent", "total", released),
        _elements("server", "qd", "received", "total", released),
        _elements("server", "qd", "sent", "total", 0),
    ]


def disclosure(tags: Collection[str]) -> Disclosure | None:
    """State that all parts of a view but its field elements are independent of the inputs. Return
    None for a view with a tag that is neither one of these protocols' nor `TRAFFIC`, which stands
    for a view of the network.
    """
    if not set(tags) <= OWN_TAGS:
        return None
    argument = (
        "the bits of the sample are drawn independently of the items, and who sends how much to "
        "whom depends on no input"
    )
    return Disclosure(independent=True, epsilon=0.0, bound=0.0, tier="proved", argument=argument)


def _work(
    role: str, operation: str, scope: EntryScope, exact: float, expected: float | None = None
) -> Expectation:
    mean = exact if expected is None else expected
    return Expectation(role, "computation", operation, "none", scope, "wire", exact, mean)


def _elements(
    role: str, kind: str, direction: EntryDirection, scope: EntryScope, exact: float
) -> Expectation:
    counting: Counting = "wire"
    return Expectation(role, "communication", kind, direction, scope, counting, exact, exact)
