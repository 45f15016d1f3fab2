"""What is said about collections of frequencies: cost, error and privacy."""

from collections.abc import Sequence

from protocols.local_frequency.script import FrequencyCollection
from protocols.reports.accuracy import assess_frequencies
from protocols.reports.statements import (
    disclosure_of_report,
    one_report_each,
    one_report_workload,
    privacy_of_report,
    some_reports,
)
from simnet.arrays import Ints
from simnet.kernel.run import Run
from simnet.stated.about import About, Totals
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.privacy import PrivacyStatement


def about(protocol: FrequencyCollection) -> About:
    """What is said about a collection with this mechanism."""
    users, mechanism = protocol.users, protocol.mechanism

    def expected_bill(run: Run) -> Sequence[Expectation]:
        """One report a user, however users are seated, or of each who sends one."""
        sampling = float(mechanism.sampling)
        if sampling == 1:
            return one_report_each(users, mechanism.form)
        silent = (1 - sampling) ** users
        return some_reports(run, users, users * sampling, silent, mechanism.form)

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        """Hold the estimate against the true support, shape (N,).

        Intervals are normal, by the exact variance.
        """
        return assess_frequencies(mechanism, run.outputs["server"], support, confidence)

    def privacy(
        _run: Run, _totals: Totals, epsilon: float | None, _delta: float | None
    ) -> Sequence[PrivacyStatement]:
        """The exact ε of a report, for each user by itself."""
        return privacy_of_report(mechanism, epsilon)

    return About(
        name="local_frequency",
        estimator="server",
        parameters={"epsilon": protocol.epsilon},
        workload=one_report_workload(users, mechanism.form),
        expected_squared_l2=expected_squared_l2(protocol),
        expected_bill=expected_bill,
        assess=assess,
        privacy=privacy,
        disclosure=lambda tags: disclosure_of_report(tags, mechanism),
    )


def expected_squared_l2(protocol: FrequencyCollection) -> float | None:
    """The expected squared L2 error, the same whatever the users hold.

    That is so because an estimate's variance is linear in the share of holders, and shares add up
    to 1. None where one answer tells more than the other: there it depends on the shares.
    """
    mechanism = protocol.mechanism
    if mechanism.expected_error_depends_on_truth:
        return None
    holder, other = (float(mechanism.variance(share, protocol.users)) for share in (1.0, 0.0))
    return holder + (protocol.items - 1) * other
