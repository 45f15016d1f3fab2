"""What is said about weighted aggregation: what is said about its groups, put together."""

from collections.abc import Collection, Mapping, Sequence

import attrs
import numpy as np

from protocols.reports.collection import REPORT
from protocols.weighted.script import ESTIMATE, Weighted
from simnet.arrays import Numbers
from simnet.kernel.run import Run
from simnet.stated.about import About, Listed, Totals, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement


def about(protocol: Weighted) -> About:
    """What is said about weighted aggregation over these groups."""
    works = [group.about.workload for group in protocol.groups]
    known = [work for work in works if work is not None]

    def privacy(
        run: Run, _totals: Totals, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
        """What each group's protocol states of its own users."""
        return [
            attrs.evolve(statement, view=f"{scope.removesuffix('.')}, {statement.view}")
            for (scope, group), (part, totals) in zip(
                protocol.scopes, _parts(protocol, run), strict=True
            )
            for statement in group.about.privacy(part, totals, epsilon, delta)
        ]

    return About(
        name="weighted",
        estimator="server",
        parameters={"users": protocol.users, "items": protocol.items},
        workload=Workload(
            messages=sum(work.messages for work in known) + len(protocol.groups),
            elements=sum(work.elements for work in known),
        ),
        expected_squared_l2=protocol.expected_squared_l2,
        expected_bill=lambda run: expected_bill(protocol, run),
        assess=lambda run, totals: assess(protocol, run, totals),
        privacy=privacy,
        disclosure=lambda tags: disclosure(protocol, tags),
        public=lambda run: public(protocol, run),
    )


def expected_bill(protocol: Weighted, run: Run) -> Sequence[Expectation]:
    """Each group's bill, with the group before the role, and what the server receives."""
    received = len(protocol.groups) * protocol.items
    rows = [
        attrs.evolve(row, role=scope + row.role)
        for scope, group in protocol.scopes
        if group.about.expected_bill is not None
        for row in group.about.expected_bill(run.within(scope))
    ]
    return [
        *rows,
        Expectation(
            "server", "communication", "rd", "received", "total", "wire", received, received
        ),
    ]


def assess(protocol: Weighted, run: Run, totals: Numbers, confidence: float = 0.95) -> Assessment:
    """Hold the estimate against its target; Gaussian intervals of the groups' noise.

    `distribution`: the groups' frequencies in the estimate's own shares, which for i.i.d. users
    estimate the same distribution; its error is the noise alone. `population`: the frequencies
    among all users, to whose error it adds that the groups are composed differently.
    """
    from scipy.special import ndtri  # here, not above: it takes a while to load

    inside = []
    for group, (part, part_totals) in zip(protocol.groups, _parts(protocol, run), strict=True):
        if group.about.assess is None:
            raise ValueError(f"nothing says how good an estimate of {group.about.name} is")
        inside.append(group.about.assess(part, part_totals))
    shares = protocol.shares
    mixed = sum(share * part.truth for share, part in zip(shares, inside, strict=True))
    variance = sum(share**2 * part.variance for share, part in zip(shares, inside, strict=True))
    estimated = sum(
        share**2 * part.estimated_variance for share, part in zip(shares, inside, strict=True)
    )
    margin = float(ndtri((1 + confidence) / 2)) * np.sqrt(estimated)
    is_of_groups = protocol.target == "distribution"
    truth = np.asarray(mixed) if is_of_groups else totals / protocol.users
    offset = np.asarray(mixed) - truth
    estimate = run.outputs["server"]
    return Assessment(
        estimate=estimate,
        truth=truth,
        low=estimate - margin,
        high=estimate + margin,
        confidence=confidence,
        expected_squared_l2=float(np.sum(variance + offset**2)),
        deviation_squared_l2=float(np.sqrt(np.sum(2 * variance**2 + 4 * offset**2 * variance))),
        variance=np.asarray(variance),
        estimated_variance=np.asarray(estimated),
    )


def disclosure(protocol: Weighted, tags: Collection[str]) -> Disclosure | None:
    """What a view tells where all groups are local collections; of other groups nothing is stated.

    A group's estimate follows from its reports, so all that can be seen of a user is its report, up
    to the largest ε of any group.
    """
    reports = {ESTIMATE.name, *(scope + REPORT.name for scope, _ in protocol.scopes)}
    base_tags = {REPORT.name if tag in reports else tag for tag in tags}
    stated = [group.about.disclosure(base_tags) for group in protocol.groups]
    local = [
        part for part in stated if part is not None and part.alone and part.epsilon is not None
    ]
    if len(local) != len(protocol.groups):
        return None
    # "proved for exact reals" is the weaker statement: it stands if it is made of any group
    weakest = next((part for part in local if part.tier != "proved"), local[0])
    return attrs.evolve(weakest, epsilon=max(part.epsilon or 0.0 for part in local))


def public(protocol: Weighted, run: Run) -> Listed:
    """What travelled in clear inside the groups, with the group before every name and item."""
    tables: dict[str, dict[str, Sequence[str]]] = {}
    for scope, group in protocol.scopes:
        for title, table in group.about.public(run.within(scope)).items():
            tables.setdefault(title, {}).update(_with_scope(scope, title, table))
    return tables


def _with_scope(scope: str, title: str, table: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """A group's table with the group before names and items; listed items stay as they are."""
    return {
        scope + key: [scope + name if title == "elected" else name for name in listed]
        for key, listed in table.items()
    }


def _parts(protocol: Weighted, run: Run) -> list[tuple[Run, Numbers]]:
    """Each group's part of the run, and its totals.

    Totals are how many of its users hold each item, or the sum of their numbers.
    """
    parts = [run.within(scope) for scope, _ in protocol.scopes]
    return [(part, _totals(protocol, part)) for part in parts]


def _totals(protocol: Weighted, part: Run) -> Numbers:
    inputs = np.concatenate([np.atleast_1d(value) for value in part.inputs.values()])
    if protocol.groups[0].items is None:
        return np.array([inputs.sum()])
    return np.bincount(inputs, minlength=protocol.items + 1)[1:]
