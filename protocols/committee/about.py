"""What is stated about DPDS with a committee: its cost, its error, and what views tell."""

from collections.abc import Collection, Sequence

import numpy as np

from protocols.committee.script import AGREED, HEARD, PARTIAL, SHARE, Committee, RobustDPDS
from protocols.privacy.count_statements import sampled_run
from protocols.sharing.accuracy import assess_sampled_survivors
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import EntryDirection, Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement

OWN_TAGS = {TRAFFIC, SHARE.name, HEARD.name, AGREED.name, PARTIAL.name}


def about(protocol: Committee) -> About:
    """Return the record of statements about DPDS with a committee, with these parameters."""
    n, N, p = protocol.users, protocol.items, protocol.participation  # noqa: N806  # as papers do
    k = protocol.holders

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        counted = len(protocol.counted(run.happened))
        return assess_sampled_survivors(run.outputs["server"], support, p, counted, n, confidence)

    def privacy(
        run: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        """The server knows which users are counted, so the statements are about the counts among
        these users alone.
        """
        items = [int(run.inputs[name]) for name in protocol.counted(run.happened)]
        held = np.bincount(items, minlength=len(support) + 1)[1:]
        return sampled_run(held.tolist(), p, epsilon, delta)

    return About(
        name="dpds_robust" if isinstance(protocol, RobustDPDS) else "committee",
        estimator="server",
        workload=Workload(
            messages=n * k + 3 * k,
            elements=(n + 1) * k * N + 2 * n * k,
            element_bits=protocol.field.modulus.bit_length(),
        ),
        expected_squared_l2=(1 - p) / (p * n),
        expected_bill=lambda run: expected_bill(protocol, run),
        assess=assess,
        privacy=privacy,
        disclosure=disclosure,
    )


def expected_bill(protocol: Committee, run: Run) -> Sequence[Expectation]:
    """Return what each role sends, and the field elements that the server receives, in a run with a
    result, given who dropped out. Shares to oneself are no messages.
    """
    n, N = protocol.users, protocol.items  # noqa: N806  # as papers do
    is_robust = isinstance(protocol, RobustDPDS)
    holder = "user" if is_robust else "member"
    holders = list(run.roster.role(holder))
    shares = sum(
        len([one for one in _reached(run, name, holders) if one != name])
        for name in run.roster.role("user")
    )
    answering = len(run.happened.heard("server", HEARD.name))
    reporting = len(run.happened.heard("server", PARTIAL.name))
    reports = _elements(holder, "qd", "sent", N * (reporting + shares * is_robust))
    return [
        *([] if is_robust else [_elements("user", "qd", "sent", N * shares)]),
        reports,
        _elements(holder, "bd", "sent", n * answering),
        _elements("server", "bd", "sent", n * answering),
        _elements("server", "qd", "received", N * reporting),
    ]


def _reached(run: Run, name: str, holders: Sequence[str]) -> Sequence[str]:
    fate = run.fates.get(name) if name in run.gone else None
    if fate is None or fate.tag != SHARE.name or fate.reached is None:
        return holders
    if isinstance(fate.reached, int):
        return holders[: fate.reached]
    return [holder for holder in holders if holder in fate.reached]


def _elements(role: str, kind: str, direction: EntryDirection, exact: float) -> Expectation:
    return Expectation(role, "communication", kind, direction, "total", "wire", exact, exact)


def disclosure(tags: Collection[str]) -> Disclosure | None:
    """State that all parts of a view but its field elements are independent of the inputs. Return
    None for a view with a tag that is neither one of the protocol's nor `TRAFFIC`, which stands for
    a view of the network.
    """
    if not set(tags) <= OWN_TAGS:
        return None
    argument = (
        "the lists of users who were heard depend on who dropped out, and not on inputs; all other "
        "messages carry field elements"
    )
    return Disclosure(independent=True, epsilon=0.0, bound=0.0, tier="proved", argument=argument)
