"""What is stated about RobustTSS: its cost, its error, and what views tell."""

from collections.abc import Collection, Sequence

import attrs
import numpy as np

from protocols.sharing.accuracy import assess_sampled
from protocols.sharing.disclosure import reporting_sets
from protocols.tss import about as tss
from protocols.tss.privacy import tss_run
from protocols.tss.robust import AGREED, COUNTED, HEARD, PARTIAL, REPORTERS, RobustTSS
from protocols.tss.script import ELECTED, SET, SHARE
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import EntryDirection, Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement

OWN_TAGS = {
    TRAFFIC,
    *(tag.name for tag in (SET, ELECTED, REPORTERS, SHARE, HEARD, COUNTED, AGREED, PARTIAL)),
}
NOT_CUT = "; for a user who is counted and did not drop out before it had sent its shares"


def about(protocol: RobustTSS) -> About:
    """Return the record of statements about RobustTSS with these parameters."""
    n, N, k, p = protocol.users, protocol.items, protocol.reported, protocol.participation  # noqa: N806  # as papers do
    chance = float(protocol.chance)

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        """With drop-outs, the counted users are treated as a random sample of all users. Items
        without an estimate have NaN. If there are such items, the squared error is summed over the
        other items, and its standard deviation is unknown.
        """
        counted = len(protocol.counted(run.happened))
        estimate = run.outputs["S2"]
        lost = np.isnan(estimate)
        found = assess_sampled(
            np.where(lost, 0.0, estimate), support, chance * counted / n, n, confidence
        )
        shares = support / n
        spread = shares * (1 - shares) / counted * (n - counted) / max(n - 1, 1)
        expected = shares * (1 - chance) / (chance * counted) + spread
        return attrs.evolve(
            found,
            estimate=estimate,
            low=np.where(lost, np.nan, found.low),
            high=np.where(lost, np.nan, found.high),
            variance=np.where(lost, np.nan, found.variance),
            estimated_variance=np.where(lost, np.nan, found.estimated_variance),
            expected_squared_l2=float(expected[~lost].sum()),
            deviation_squared_l2=np.nan if lost.any() else found.deviation_squared_l2,
        )

    def privacy(
        run: Run, support: Ints, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        """S2 sees the counts among the users who are counted, and how many these are. Whether a
        user that dropped out before it had sent all its shares is counted depends on its reporting
        set. So we leave such users out of the counts, as if they had told S2 everything.
        """
        held = [
            int(run.inputs[name])
            for name in protocol.counted(run.happened)
            if not _is_cut_off(run, name)
        ]
        counts = np.bincount(held, minlength=len(support) + 1)[1:].tolist()
        statements = tss_run(counts, p, k, protocol.gamma, epsilon, delta)
        if not run.gone:
            return statements
        return [
            *(
                attrs.evolve(statement, assumption=statement.assumption + NOT_CUT)
                for statement in statements[:-1]
            ),
            statements[-1],  # S1's statement holds for each user separately
        ]

    def disclosure(tags: Collection[str]) -> Disclosure | None:
        return reporting_sets(k, N, p, protocol.gamma) if set(tags) <= OWN_TAGS else None

    reporters = k * n // N + 1
    shares = N * reporters * (reporters + 1)
    return About(
        name="tss_robust",
        estimator="S2",
        workload=Workload(
            messages=shares + N * (n + 1) + 4 * n,
            elements=shares + 3 * n * N * reporters,
            element_bits=protocol.field.modulus.bit_length(),
        ),
        expected_squared_l2=tss.expected_squared_l2(protocol),
        expected_bill=lambda run: expected_bill(protocol, run),
        assess=assess,
        privacy=privacy,
        disclosure=disclosure,
        public=tss.public,
    )


def expected_bill(protocol: RobustTSS, run: Run) -> Sequence[Expectation]:
    """Return what users and S1 send, and the field elements that S2 receives, given who dropped out
    and what S1 knows.

    Shares to oneself are no messages. The result is empty if S1 did not finish.
    """
    if "S1" not in run.outputs:
        return []
    n, N = protocol.users, protocol.items  # noqa: N806  # as papers do
    sets, elected = run.outputs["S1"]
    names = list(run.inputs)
    alive = len(run.happened.heard("S1", SET.name))
    duties = {name: sum(place in group for group in elected) for place, name in enumerate(names)}
    told = n * sum(duties.values())  # marks: one for each user, for each duty
    answered = n * sum(duties[name] for name in run.happened.heard("S1", HEARD.name))
    sums = sum(len(came) for came in run.happened.came["S2", PARTIAL.name])
    shares = sum(
        _shares_sent(run, name, [names[v] for j in np.flatnonzero(sets[place]) for v in elected[j]])
        for place, name in enumerate(names)
    )
    all_elected = sum(duties.values())
    return [
        _elements("user", "bd", "sent", N * alive + answered),
        _elements("user", "qd", "sent", shares + sums),
        _elements("user", "Nd", "sent", shares + sums),
        _elements("S1", "nd", "sent", (alive + 1) * all_elected + 1),
        _elements("S1", "Nd", "sent", (alive + 1) * N),
        _elements("S1", "bd", "sent", told + answered + all_elected + N),
        _elements("S2", "qd", "received", sums),
    ]


def _is_cut_off(run: Run, name: str) -> bool:
    fate = run.fates.get(name) if name in run.gone else None
    return fate is not None and (
        fate.tag == SET.name or (fate.tag == SHARE.name and fate.reached is not None)
    )


def _shares_sent(run: Run, name: str, recipients: Sequence[str]) -> int:
    reached: Sequence[str] = recipients
    if _is_cut_off(run, name):
        fate = run.fates[name]
        if fate.tag == SET.name:
            reached = ()
        elif isinstance(fate.reached, int):
            reached = recipients[: fate.reached]
        elif fate.reached is not None:
            reached = [one for one in recipients if one in fate.reached]
    return sum(one != name for one in reached)


def _elements(role: str, kind: str, direction: EntryDirection, exact: float) -> Expectation:
    return Expectation(role, "communication", kind, direction, "total", "wire", exact, exact)
