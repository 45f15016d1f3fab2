"""What is stated about TSS and TSS′: their cost, their error, and what views tell."""

from collections.abc import Collection, Sequence

import numpy as np

from protocols.sharing import table1
from protocols.sharing.accuracy import assess_sampled
from protocols.sharing.disclosure import reporting_sets
from protocols.tss.prime import TSSPrime
from protocols.tss.privacy import tss_run
from protocols.tss.script import ELECTED, SET, SHARE, TSS
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Listed, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement


def about(protocol: TSS) -> About:
    """Return the record of statements about TSS, or about TSS′, with these parameters."""
    is_prime = isinstance(protocol, TSSPrime)
    users, items, k, p = protocol.users, protocol.items, protocol.reported, protocol.participation
    chance = float(protocol.chance)
    own_tags = {SET.name, ELECTED.name, SHARE.name, protocol.sharing.partial.name}

    def expected_bill(run: Run) -> Sequence[Expectation]:
        if "S1" not in run.outputs:  # S1 dropped out after its last message
            return []
        support = np.bincount(np.array(list(run.inputs.values())) - 1, minlength=items)
        elections = table1.tally(*run.outputs["S1"])
        return table1.tss(protocol, elections, support, publishes_reporters=is_prime)

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        return assess_sampled(run.outputs["S2"], support, chance, users, confidence)

    def privacy(
        _: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        return tss_run(support.tolist(), p, k, protocol.gamma, epsilon, delta)

    def disclosure(tags: Collection[str]) -> Disclosure | None:
        if not set(tags) <= {*own_tags, TRAFFIC}:
            return None
        return reporting_sets(k, items, p, protocol.gamma)

    return About(
        name="tss_prime" if is_prime else "tss",
        estimator="S2",
        workload=workload(protocol),
        expected_squared_l2=expected_squared_l2(protocol),
        expected_bill=expected_bill,
        assess=assess,
        privacy=privacy,
        disclosure=disclosure,
        public=public,
    )


def expected_squared_l2(protocol: TSS) -> float:
    """The expected squared L2 error, (1 - q_χ) / (q_χ n), whatever the inputs (Theorem 3.5)."""
    return float((1 - protocol.chance) / (protocol.chance * protocol.users))


def workload(protocol: TSS) -> Workload:
    """Estimate how much a run sends, as if every item had ⌊kn/N⌋ + 1 reporters."""
    users, items = protocol.users, protocol.items
    reporters = protocol.reported * users // items + 1
    shares = items * protocol.group_size(reporters) * (reporters + 1)
    messages = shares + items * (users + 1) + users
    return Workload(messages=messages, elements=shares, element_bits=users.bit_length())


def public(run: Run) -> Listed:
    """Return the reporting sets, and the users elected for each item; both are sent in the clear.

    Items are counted from 1. Nothing is listed if S1 dropped out or could not finish.
    """
    if "S1" not in run.outputs:
        return {}
    sets, elected = run.outputs["S1"]
    users = list(run.inputs)
    return {
        "reporting_sets": {
            name: [str(item + 1) for item in np.flatnonzero(row)]
            for name, row in zip(users, sets, strict=True)
        },
        "elected": {
            str(item + 1): [users[user] for user in group] for item, group in enumerate(elected)
        },
    }
