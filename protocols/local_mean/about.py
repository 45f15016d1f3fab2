"""What is stated about collections of numbers: cost, error and privacy."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from protocols.local_mean.script import MeanCollection
from protocols.reports.accuracy import lost_by_sampling
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


def about(protocol: MeanCollection) -> About:
    """Return the record of statements about a collection of numbers."""
    users, mechanism, interval = protocol.users, protocol.mechanism, protocol.interval
    # the largest expected squared error over all inputs, in the values' own units
    worst = mechanism.worst_variance * interval.unit**2 / users

    def expected_bill(run: Run) -> Sequence[Expectation]:
        return one_report_each(run, protocol, mechanism.form)

    def assess(run: Run, total: Floats, confidence: float = 0.95) -> Assessment:
        """The interval is normal and uses the worst variance, because the server does not know the
        inputs.

        With drop-outs, the truth is still the mean of all users, and the counted users are treated
        as a random sample of all users. The server does not know the variance of the users' values;
        it takes the largest one, which is 1 on the scale from -1 to 1.
        """
        from scipy.special import ndtri  # imported only here: scipy loads slowly

        values = np.concatenate([np.atleast_1d(value) for value in run.inputs.values()])
        scaled = interval.scaled(values)
        counted = users_counted(protocol, run.happened)
        lost = lost_by_sampling(counted, users) * interval.unit**2
        noise = float(np.sum(mechanism.variance(scaled))) * (interval.unit / users) ** 2
        variance = noise * (users / counted) + float(scaled.var()) * lost
        largest = worst * (users / counted) + lost
        estimate = np.array([run.outputs["server"]])
        margin = float(ndtri((1 + confidence) / 2)) * sqrt(largest)
        return Assessment(
            estimate=estimate,
            truth=total / users,
            low=estimate - margin,
            high=estimate + margin,
            confidence=confidence,
            expected_squared_l2=variance,
            deviation_squared_l2=sqrt(2) * variance,
            variance=np.array([variance]),
            estimated_variance=np.array([largest]),
        )

    def privacy(
        _run: Run, _totals: Totals, epsilon: float | None, _delta: float | None
    ) -> Sequence[PrivacyStatement]:
        return privacy_of_report(mechanism, epsilon)

    return About(
        name="local_mean",
        estimator="server",
        workload=one_report_workload(users, mechanism.form),
        expected_squared_l2=worst,
        expected_bill=expected_bill,
        assess=assess,
        privacy=privacy,
        disclosure=lambda tags: disclosure_of_report(tags, mechanism),
    )
