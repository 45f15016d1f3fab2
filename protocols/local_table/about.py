"""What is stated about collections of tables: cost, error and privacy."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from protocols.local_table.script import TableCollection
from protocols.reports.accuracy import lost_by_sampling, score_interval
from protocols.reports.collection import users_counted
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
    """Return the record of statements about a collection of tables."""
    users, mechanism = protocol.users, protocol.mechanism

    def expected_bill(run: Run) -> Sequence[Expectation]:
        return one_report_each(run, protocol, *mechanism.form)

    def privacy(
        _run: Run, _totals: Totals, epsilon: float | None, _delta: float | None
    ) -> Sequence[PrivacyStatement]:
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
    """Compare the estimates with the true means and shares; `totals` are sums and supports.

    Intervals use the exact variance for shares, and the worst variance for means, because the
    server does not know the values. Squared errors are those of numbers scaled to [-1, 1] and of
    shares, as in the paper. The deviation of the squared error treats the estimates as normal and
    uncorrelated.

    With drop-outs, the truth is still about all users, and the counted users are treated as a
    random sample of all users.
    """
    counted = users_counted(protocol, run.happened)
    rows = np.concatenate([np.atleast_2d(values) for values in run.inputs.values()])
    estimate, units = run.outputs["server"], protocol.units
    variance = variances(protocol, rows, counted)
    low, high, estimated = _intervals(protocol, estimate, counted, confidence)
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


def variances(protocol: TableCollection, rows: Floats, counted: int) -> Floats:
    """Return the exact variance of each estimate, in the square of its unit. The users hold these
    rows, and `counted` of them, drawn at random, are counted.
    """
    users, mechanism = protocol.users, protocol.mechanism
    lost = lost_by_sampling(counted, users)
    numbers, items = protocol.scaled(rows)
    means = [
        mechanism.variance(column).sum() / (users * counted) + column.var() * lost
        for column in numbers.T
    ]
    domains = zip(items.T, mechanism.attributes.domains, strict=True)
    shares = [np.bincount(column, minlength=size + 1)[1:] / users for column, size in domains]
    frequencies = [
        mechanism.frequency_variance(share, counted) + share * (1 - share) * lost
        for share in shares
    ]
    return np.asarray(np.concatenate([means, *frequencies]) * protocol.units**2)


def _intervals(
    protocol: TableCollection, estimate: Floats, counted: int, confidence: float
) -> tuple[Floats, Floats, Floats]:
    """Return both ends of the intervals, and the variances that the server can estimate from the
    reports of `counted` users. The server does not know the variance of the users' numbers; it
    takes the largest one, which is 1 on the scale from -1 to 1.
    """
    from scipy.special import ndtri  # imported only here: scipy loads slowly

    mechanism, first = protocol.mechanism, len(protocol.ranges)
    lost = lost_by_sampling(counted, protocol.users)
    scale = protocol.units[:first] ** 2
    worst = (mechanism.worst_variance / counted + lost) * scale if first else np.empty(0)
    margin = float(ndtri((1 + confidence) / 2)) * np.sqrt(worst)
    means, shares = estimate[:first], estimate[first:]
    low, high = score_interval(mechanism.frequency_variance, shares, counted, confidence, lost)
    nearest = np.minimum(np.maximum(shares, 0), 1)
    missing = nearest * (1 - nearest) * lost
    estimated = np.concatenate([worst, mechanism.frequency_variance(nearest, counted) + missing])
    return np.concatenate([means - margin, low]), np.concatenate([means + margin, high]), estimated
