"""What is stated about collections from sampled users: cost, error and privacy."""

from collections.abc import Sequence
from math import prod

import attrs
import numpy as np

from protocols.reports.statements import (
    disclosure_of_report,
    one_report_workload,
    privacy_of_report,
    some_reports,
)
from protocols.sampled_frequency.accuracy import assess_sampled
from protocols.sampled_frequency.script import SampledCollection
from simnet.kernel.run import Run
from simnet.stated.about import About, Totals
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Expectation
from simnet.stated.privacy import PrivacyStatement

INDEPENDENT = "no user's probability of reporting depends on its item"


def about(protocol: SampledCollection) -> About:
    """Return the record of statements about a collection from sampled users."""
    users, mechanism, estimator = protocol.users, protocol.mechanism, protocol.estimates
    sample = estimator.sample

    def expected_bill(run: Run) -> Sequence[Expectation]:
        groups = zip(sample.sampling.tolist(), protocol.members, strict=True)
        silent = prod((1 - pi) ** size for pi, size in groups)
        return some_reports(run, users, sample.budget, silent, mechanism.form)

    def assess(run: Run, _support: Totals, confidence: float = 0.95) -> Assessment:
        """The errors depend on which group holds which item, so we count holders by group."""
        values = np.concatenate([np.atleast_1d(items) for items in run.inputs.values()])
        return assess_sampled(
            estimator, run.outputs["server"], sample.holder_shares(values), confidence
        )

    def privacy(
        _run: Run, _totals: Totals, epsilon: float | None, _delta: float | None
    ) -> Sequence[PrivacyStatement]:
        return [
            attrs.evolve(statement, assumption=INDEPENDENT)
            for statement in privacy_of_report(mechanism, epsilon)
        ]

    return About(
        name="sampled_frequency",
        estimator="server",
        parameters={
            "users": users,
            "items": protocol.items,
            "epsilon": protocol.epsilon,
            "sampling": protocol.sampling,
        },
        workload=one_report_workload(users, mechanism.form),  # if every user reports
        expected_bill=expected_bill,
        assess=assess,
        privacy=privacy,
        disclosure=lambda tags: disclosure_of_report(tags, mechanism),
    )
