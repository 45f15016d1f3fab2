"""What is said about collections of tables: cost, error and privacy."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from protocols.local_table.script import TableCollection
from protocols.reports.accuracy import score_interval
from protocols.reports.statements import (
    disclosure_of_report,
    one_report_each,
    one_report_workload,
    privacy_of_report,
)
from simnet.arrays import Floats
from simnet.kernel.run import Run
from simnet.stated.about import About, Totals
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.privacy import PrivacyStatement


def about(protocol: TableCollection) -> About:
    """What is said about a collection with this schema and mechanism."""
    users, mechanism = protocol.users, protocol.mechanism

    def expected_bill(_: Run) -> Sequence[Expectation]:
        """One report a user, however users are seated; no count depends on the coins."""
        return one_report_each(users, *mechanism.form)

    def privacy(
        _run: Run, _totals: Totals, epsilon: float | None, _delta: float | None
    ) -> Sequence[PrivacyStatement]:
        """The exact ε of a whole report, for each user by itself."""
        return privacy_of_report(mechanism, epsilon)

    return About(
        name="local_table",
        estimator="server",
        parameters={"epsilon": protocol.epsilon},
        workload=one_report_workload(users, *mechanism.form),
        expected_bill=expected_bill,
        assess=lambda run, totals: assess(protocol, run, totals),
        privacy=privacy,
        disclosure=lambda tags: disclosure_of_report(tags, mechanism),
    )


def assess(
    protocol: TableCollection, run: Run, totals: Floats, confidence: float = 0.95
) -> Assessment:
    """Hold the estimates against the means and shares that sums and supports in `totals` give.

    Expected errors are exact for what the users hold. Intervals are normal, by the exact variance
    for shares and by the worst one for means, all that the server can tell. Squared errors are
    those of numbers scaled to [-1, 1] and of shares, as in the paper; their deviation takes
    estimates for normal and uncorrelated, which they nearly are.
    """
    rows = np.concatenate([np.atleast_2d(values) for values in run.inputs.values()])
    estimate, variance, units = run.outputs["server"], variances(protocol, rows), protocol.units
    low, high, estimated = _intervals(protocol, estimate, confidence)
    scaled, means = variance / units**2, len(protocol.ranges)
    kinds = {
        "means, scaled to [-1, 1]": slice(0, means),
        "shares": slice(means, len(estimate)),
    }
    return Assessment(
        estimate=estimate,
        truth=totals / protocol.users,
        low=low,
        high=high,
        confidence=confidence,
        expected_squared_l2=float(scaled.sum()),
        deviation_squared_l2=sqrt(2 * float(np.sum(scaled**2))),
        variance=variance,
        estimated_variance=estimated,
        units=units,
        parts={name: where for name, where in kinds.items() if where.stop > where.start},
    )


def variances(protocol: TableCollection, rows: Floats) -> Floats:
    """The exact variance of each estimate for users who hold these rows, in units squared."""
    users, mechanism = protocol.users, protocol.mechanism
    numbers, items = protocol.scaled(rows)
    means = [mechanism.variance(column).sum() / users**2 for column in numbers.T]
    domains = zip(items.T, mechanism.attributes.domains, strict=True)
    shares = [np.bincount(column, minlength=size + 1)[1:] / users for column, size in domains]
    frequencies = [mechanism.frequency_variance(share, users) for share in shares]
    return np.asarray(np.concatenate([means, *frequencies]) * protocol.units**2)


def _intervals(
    protocol: TableCollection, estimate: Floats, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """The ends of the intervals, and what the server can tell of the variances."""
    from scipy.special import ndtri  # here, not above: it takes a while to load

    users, mechanism, first = protocol.users, protocol.mechanism, len(protocol.ranges)
    worst = mechanism.worst_variance / users * protocol.units[:first] ** 2 if first else np.empty(0)
    margin = float(ndtri((1 + confidence) / 2)) * np.sqrt(worst)
    means, shares = estimate[:first], estimate[first:]
    low, high = score_interval(mechanism.frequency_variance, shares, users, confidence)
    nearest = np.minimum(np.maximum(shares, 0), 1)
    estimated = np.concatenate([worst, mechanism.frequency_variance(nearest, users)])
    return np.concatenate([means - margin, low]), np.concatenate([means + margin, high]), estimated
