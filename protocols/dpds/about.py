"""What is stated about DPDS: its cost, its error, and what views tell."""

from collections.abc import Collection, Sequence

from protocols.dpds.script import DPDS, SHARE
from protocols.privacy.count_statements import sampled_run
from protocols.sharing import table1
from protocols.sharing.accuracy import assess_sampled
from protocols.sharing.disclosure import field_elements_only
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement


def about(protocol: DPDS) -> About:
    """Return the record of statements about DPDS with these parameters."""
    n, N, p = protocol.users, protocol.items, protocol.participation  # noqa: N806  # as papers do
    own_tags = (SHARE.name, protocol.sharing.partial.name)

    def expected_bill(_: Run) -> Sequence[Expectation]:
        return table1.dpds(n, N, protocol.sharing)

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        return assess_sampled(run.outputs["server"], support, p, n, confidence)

    def privacy(
        _: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        return sampled_run(support.tolist(), p, epsilon, delta)

    def disclosure(tags: Collection[str]) -> Disclosure | None:
        return field_elements_only(tags, own_tags)

    return About(
        name="dpds",
        estimator="server",
        # each user sends a vector of N elements to every other user, and one to the server
        workload=Workload(messages=n**2, elements=n**2 * N, element_bits=n.bit_length()),
        expected_squared_l2=expected_squared_l2(protocol),
        expected_bill=expected_bill,
        assess=assess,
        privacy=privacy,
        disclosure=disclosure,
    )


def expected_squared_l2(protocol: DPDS) -> float:
    """The expected squared L2 error, (1 - p) / (p n), whatever the inputs (Lemma 3.1)."""
    return (1 - protocol.participation) / (protocol.participation * protocol.users)
