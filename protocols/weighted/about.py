"""What is stated about weighted aggregation, composed of the statements about its groups."""

from collections.abc import Collection, Mapping, Sequence
from math import sqrt

import attrs
import numpy as np

from protocols.local_frequency.script import FrequencyCollection
from protocols.mechanisms.grr import GRR
from protocols.reports.accuracy import squared_trace
from protocols.reports.collection import REPORT
from protocols.weighted.script import ESTIMATE, Weighted, WeightedGroup
from simnet.arrays import Floats, Numbers
from simnet.kernel.run import Run
from simnet.stated.about import About, Listed, Totals, Workload
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement


def about(protocol: Weighted) -> About:
    """Return the record of statements about weighted aggregation over these groups."""
    works = [group.about.workload for group in protocol.groups]
    known = [work for work in works if work is not None]

    def privacy(
        run: Run, _totals: Totals, epsilon: float | None, delta: float | None
    ) -> Sequence[PrivacyStatement]:
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
    """Return each group's bill, with the group's name before the role, and what the server
    receives.
    """
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
    """Compare the estimate with its target; the intervals are Gaussian, for the groups' noise
    alone.

    Target `distribution`: the mean of the groups' true frequencies or means, with the weights of
    the estimate; the error is that of the groups alone. Target `population`: the true frequencies
    or mean of all users; the error then also includes how far this mean is from them. The deviation
    of the squared error is exact for target `distribution` if it is exact for each group; for
    target `population`, it leaves out the third moments of the noise. Raises `ValueError` for a
    group whose record does not say how an estimate is assessed.
    """
    from scipy.special import ndtri  # imported only here: scipy loads slowly

    inside = []
    for group, (part, part_totals) in zip(protocol.groups, _parts(protocol, run), strict=True):
        if group.about.assess is None:
            raise ValueError(f"{group.about.name} does not state the accuracy of its estimate")
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
        deviation_squared_l2=_deviation(protocol, inside, offset),
        variance=np.asarray(variance),
        estimated_variance=np.asarray(estimated),
    )


def _deviation(protocol: Weighted, inside: Sequence[Assessment], offset: Floats) -> float:
    """Return the standard deviation of the squared length of the error, which is the noise plus
    `offset`.

    The noise is the sum of independent centred vectors Y_j, one for each group: its weight times
    the error of its estimate. Let C_j be the covariance of Y_j, C the sum of all C_j, and b the
    offset. The squared error has the variance Σ Var |Y_j|² + 2 (tr C² - Σ tr C_j²) + 4 bᵀ C b, and
    4 Σ E[|Y_j|² b·Y_j], which is left out here; this last term is 0 without an offset.
    """
    own = 0.0
    whole: tuple[Floats, Floats] = (np.zeros_like(offset), np.zeros_like(offset))
    for share, group, part in zip(protocol.shares, protocol.groups, inside, strict=True):
        d, u = _covariance(group, share**2 * part.variance)
        own += (share**2 * part.deviation_squared_l2) ** 2 - 2 * squared_trace(d, u)
        whole = whole[0] + d, whole[1] + u
    d, u = whole
    along = d @ offset**2 + 2 * offset.sum() * (u @ offset)
    return sqrt(max(own + 2 * squared_trace(d, u) + 4 * float(along), 0.0))


def _covariance(group: WeightedGroup, variance: Floats) -> tuple[Floats, Floats]:
    """Return the vectors d and u, shapes (N,), where a group's estimates have the covariance diag d
    + u 1ᵀ + 1 uᵀ; `variance` are their variances.

    The estimates of different items are taken as uncorrelated, unless they add up to 1: with
    randomised response, and where the second of two estimates is 1 minus the first. Then each row
    of the covariance adds up to 0.
    """
    items, inner = len(variance), group.protocol
    if not isinstance(inner, FrequencyCollection) or not (
        isinstance(inner.mechanism, GRR) or inner.mechanism.answers_one_question
    ):
        return variance, np.zeros(items)
    total = -variance.sum() / (2 * items - 2)  # the sum of u
    u = -(variance + total) / (items - 2) if items > 2 else np.full(items, total / items)
    return variance - 2 * u, u


def disclosure(protocol: Weighted, tags: Collection[str]) -> Disclosure | None:
    """State what a view tells if all groups are local collections. Return None otherwise, and for a
    view with another tag than those of reports, of estimates and of the view of the network.

    A group's estimate follows from its reports. So of each user a view contains at most the user's
    report, whose ε is at most the largest ε of the groups.
    """
    reports = {ESTIMATE.name, *(scope + REPORT.name for scope, _ in protocol.scopes)}
    base_tags = {REPORT.name if tag in reports else tag for tag in tags}
    stated = [group.about.disclosure(base_tags) for group in protocol.groups]
    local = [
        part for part in stated if part is not None and part.alone and part.epsilon is not None
    ]
    if len(local) != len(protocol.groups):
        return None
    # "proved for exact reals" is the weaker statement, so one group is enough to require it
    weakest = next((part for part in local if part.tier != "proved"), local[0])
    return attrs.evolve(weakest, epsilon=max(part.epsilon or 0.0 for part in local))


def public(protocol: Weighted, run: Run) -> Listed:
    """Return what is sent in the clear in the groups; parties have the names that they have in the
    whole run, such as `g1.u2`.
    """
    tables: dict[str, dict[str, Sequence[str]]] = {}
    for scope, group in protocol.scopes:
        for title, table in group.about.public(run.within(scope)).items():
            tables.setdefault(title, {}).update(_with_scope(scope, title, table))
    return tables


def _with_scope(scope: str, title: str, table: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {
        scope + key: [scope + name if title == "elected" else name for name in listed]
        for key, listed in table.items()
    }


def _parts(protocol: Weighted, run: Run) -> list[tuple[Run, Numbers]]:
    parts = [run.within(scope) for scope, _ in protocol.scopes]
    return [(part, _totals(protocol, part)) for part in parts]


def _totals(protocol: Weighted, part: Run) -> Numbers:
    inputs = np.concatenate([np.atleast_1d(value) for value in part.inputs.values()])
    if protocol.groups[0].items is None:
        return np.array([inputs.sum()])
    return np.bincount(inputs, minlength=protocol.items + 1)[1:]
