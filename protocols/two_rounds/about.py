"""What is stated about Sampling Privacy: its cost, its error, and what views tell."""

from collections.abc import Collection, Sequence

from protocols.two_rounds import accuracy
from protocols.two_rounds.costs import costs
from protocols.two_rounds.privacy import epsilon_joint, epsilon_round_two
from protocols.two_rounds.script import ROUND_ONE, SamplingPrivacy
from protocols.two_rounds.statements import statements
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement


def about(protocol: SamplingPrivacy) -> About:
    """Return the record of statements about Sampling Privacy with these parameters."""
    users, aggregators, rounds = protocol.users, protocol.aggregators, len(protocol.rounds)
    symbols = protocol.mechanism.values + 1
    # in each round every aggregator receives a vector from each user, and sends one
    messages = (users + 1) * aggregators * rounds

    def expected_bill(_: Run) -> Sequence[Expectation]:
        return costs(users, aggregators, symbols, rounds, protocol.sharing)

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        return accuracy.assess(
            protocol.mechanism, protocol.variant, run.outputs["reader"], support, confidence
        )

    def privacy(
        _: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        holders = support.tolist()
        return statements(protocol.mechanism, protocol.variant, holders, epsilon, delta)

    return About(
        name="sampling_privacy",
        estimator="reader",
        workload=Workload(
            messages=messages, elements=messages * symbols, element_bits=int(users).bit_length()
        ),
        expected_bill=expected_bill,
        assess=assess,
        privacy=privacy,
        disclosure=lambda tags: disclosure(protocol, tags),
    )


def in_the_clear(protocol: SamplingPrivacy) -> bool:
    """Return whether a single aggregator can read what owners send."""
    return protocol.sharing.needed(protocol.aggregators) == 1


def disclosure(protocol: SamplingPrivacy, tags: Collection[str]) -> Disclosure | None:
    """State what a view tells in addition to shares: nothing, unless answers are sent in the clear.

    No ε is stated for shares, because with enough shares of both rounds it may be infinite. Return
    None for a view with a tag that is neither one of the protocol's nor `TRAFFIC`, which stands for
    a view of the network.
    """
    rounds_seen = set(tags) & {tag.name for tag in protocol.rounds}
    if not set(tags) <= {TRAFFIC, protocol.sharing.partial.name, *rounds_seen}:
        return None
    if not in_the_clear(protocol) or not rounds_seen:
        argument = (
            "messages carry field elements alone, and who sends how much to whom depends on "
            "no input"
        )
        return Disclosure(
            independent=True, epsilon=None, bound=None, tier="proved", argument=argument
        )
    if rounds_seen == {ROUND_ONE.name}:
        return Disclosure(
            independent=True,
            epsilon=0.0,
            bound=0.0,
            tier="proved",
            argument="an answer in round one has the same law for every truth",
        )
    if protocol.variant == "kept" and ROUND_ONE.name in rounds_seen:
        argument = (
            "answers are in the clear, and if an owner's two answers differ, the second one is the "
            "truth"
        )
        return Disclosure(
            independent=False,
            epsilon=epsilon_joint(protocol.mechanism),
            bound=None,
            tier="proved",
            argument=argument,
        )
    epsilon = epsilon_round_two(protocol.mechanism)
    argument = (
        "answers are in the clear, and of an owner's answers only that of round two depends "
        "on its truth"
    )
    return Disclosure(
        independent=epsilon == 0,
        epsilon=epsilon,
        bound=epsilon,
        tier="proved",
        argument=argument,
    )
