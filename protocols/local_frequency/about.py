"""What is stated about collections of frequencies: cost, error and privacy."""

from collections.abc import Sequence

from protocols.local_frequency.script import FrequencyCollection
from protocols.reports.accuracy import assess_frequencies
from protocols.reports.collection import users_counted
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
    """Return the record of statements about a collection of frequencies."""
    users, mechanism = protocol.users, protocol.mechanism

    def expected_bill(run: Run) -> Sequence[Expectation]:
        sampling = float(mechanism.sampling)
        if sampling == 1:
            return one_report_each(run, protocol, mechanism.form)
        silent = (1 - sampling) ** users
        return some_reports(run, users, users * sampling, silent, mechanism.form)

    def assess(run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        """With drop-outs, the counted users are treated as a random sample of all users."""
        counted = users_counted(protocol, run.happened)
        estimate = run.outputs["server"]
        return assess_frequencies(mechanism, estimate, support, counted, confidence)

    def privacy(
        _run: Run, _totals: Totals, epsilon: float | None, _delta: float | None
    ) -> Sequence[PrivacyStatement]:
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
    """Return the expected squared L2 error.

    An estimate's variance is linear in the share of holders, and the shares add up to 1. So the sum
    over all items does not depend on who holds what. Returns None for a mechanism whose expected
    error depends on the users' items.
    """
    mechanism = protocol.mechanism
    if mechanism.expected_error_depends_on_truth:
        return None
    holder, other = (float(mechanism.variance(share, protocol.users)) for share in (1.0, 0.0))
    return holder + (protocol.items - 1) * other
