"""What is stated about LDP-SGD, and about the model of a table's column that it learns."""

from collections.abc import Collection, Mapping, Sequence

import attrs
import numpy as np

from protocols.ldp_sgd.script import GRADIENT, LDPSGD, MODEL
from protocols.ldp_sgd.table import TableDescent, weights_of
from protocols.mechanisms.reader import reader_of_reports
from protocols.mechanisms.value_range import ValueRange
from protocols.reports.statements import elements_by_kind, report_seen
from simnet.arrays import Floats
from simnet.kernel.run import Run
from simnet.scenario.schema import Categorical, Numeric
from simnet.stated.about import About, Totals, Workload
from simnet.stated.assessment import Assessment, Scores
from simnet.stated.bill import EntryDirection, EntryScope, Expectation
from simnet.stated.disclosure import TRAFFIC, Disclosure
from simnet.stated.privacy import PrivacyStatement

PLAIN, SAME = "without noise", "the same for all"
USELESS = (
    "even without noise these steps find no model better than one answer for all users: set "
    "another first_step, or ask more users"
)


def about(protocol: LDPSGD) -> About:
    """Return the record of statements about a descent: its cost, and what reports tell."""
    perturbation, users_asked = protocol.perturbation, protocol.users_asked
    report = elements_by_kind(*perturbation.form)

    def privacy(
        _run: Run, _totals: Totals, epsilon: float | None, _delta: float | None
    ) -> Sequence[PrivacyStatement]:
        whole = reader_of_reports(perturbation.exact_epsilon, perturbation.continuous, epsilon)
        asked = "1 user is" if users_asked == 1 else f"{users_asked:,} users are"
        counts = f"{asked} asked once, {protocol.users - users_asked:,} never"
        return [attrs.evolve(whole, view=f"{whole.view}: {counts}")]

    return About(
        name="ldp_sgd",
        estimator="server",
        workload=Workload(
            messages=2 * users_asked,
            elements=users_asked * (protocol.attributes + sum(report.values())),
        ),
        expected_bill=lambda _: expected_bill(protocol),
        privacy=privacy,
        disclosure=lambda tags: disclosure(protocol, tags),
    )


def expected_bill(protocol: LDPSGD) -> Sequence[Expectation]:
    """Return the bill: a model and a report for each user that is asked, and the rounds."""

    def entry(
        role: str,
        quantity: str,
        direction: EntryDirection,
        scope: EntryScope,
        count: float,
    ) -> Expectation:
        return Expectation(role, "communication", quantity, direction, scope, "wire", count, count)

    report = elements_by_kind(*protocol.perturbation.form)
    share = protocol.users_asked / protocol.users
    models = protocol.users_asked * protocol.attributes
    return [
        entry("user", "rd", "received", "per-user", models / protocol.users),
        *(entry("user", kind, "sent", "per-user", share * each) for kind, each in report.items()),
        entry("user", "rounds", "none", "total", protocol.steps),
        entry("server", "rd", "sent", "total", models),
        *(
            entry("server", kind, "received", "total", protocol.users_asked * each)
            for kind, each in report.items()
        ),
        entry("server", "rounds", "none", "total", protocol.steps),
    ]


def disclosure(protocol: LDPSGD, tags: Collection[str]) -> Disclosure | None:
    """State that a view tells about a user at most what the user's only report tells.

    Returns None for a view with a tag that is neither one of the protocol's nor `TRAFFIC`, which
    stands for a view of the network.
    """
    if not set(tags) <= {TRAFFIC, MODEL.name, GRADIENT.name}:
        return None
    if set(tags) <= {TRAFFIC}:
        return Disclosure(
            independent=True,
            epsilon=0.0,
            tier="proved",
            argument="the view has no message contents, and who sends how many bytes to whom "
            "depends on no input",
            alone=True,
        )
    return report_seen(
        "each user reports at most once, models are made of reports, and ε is exact for a report's "
        "law",
        protocol.perturbation.exact_epsilon,
        protocol.perturbation.continuous,
    )


def about_table(protocol: TableDescent) -> About:
    """Return the record of statements about a model of a column: those of the descent, and its
    scores.
    """
    descent = protocol.descent
    return attrs.evolve(
        about(descent),
        parameters={
            "users": descent.users,
            "population": descent.population,
            "epsilon": descent.perturbation.epsilon,  # infinite without noise
            "group_size": descent.group_size,
            "first_step": descent.first_step,
        },
        assess=lambda run, _totals: assess(protocol, run),
    )


def assess(protocol: TableDescent, run: Run, confidence: float = 0.95) -> Assessment:
    """Compare the model with the model of the same steps without noise.

    Both models are tested on the users who were never asked. Neither the expected error of the
    weights nor intervals for them are known.
    """
    inputs = np.concatenate([np.atleast_2d(rows) for rows in run.inputs.values()])
    examples = protocol.examples(inputs)
    model, plain = run.outputs["server"], protocol.descent.without_noise(examples)
    unknown = np.full(len(model), np.nan)
    return Assessment(
        estimate=model,
        truth=plain,
        low=unknown,
        high=unknown,
        confidence=confidence,
        expected_squared_l2=np.nan,
        deviation_squared_l2=np.nan,
        variance=unknown,
        estimated_variance=unknown,
        labels=weights_of(protocol.features),
        scores=scores(protocol, {"this run": model, PLAIN: plain}, examples),
    )


def scores(protocol: TableDescent, models: Mapping[str, Floats], examples: Floats) -> Scores:
    """Return the errors of the models on the users who were never asked. A further model gives all
    users the same answer, which is the best one for the users who were asked.
    """
    descent, target = protocol.descent, protocol.target_column
    loss = descent.loss
    of_asked, others = examples[: descent.users_asked], examples[descent.users_asked :]
    same = np.append(np.zeros(descent.attributes - 1), of_asked[:, -1].mean())
    unit = ValueRange(target.low, target.high).unit ** 2 if isinstance(target, Numeric) else 1.0
    errors = {
        name: unit * loss.error(model, others[:, :-1], others[:, -1])
        for name, model in {**models, SAME: same}.items()
    }
    # a positive score means the second class
    second = f"={target.labels[1]}" if isinstance(target, Categorical) else ""
    return Scores(
        target=protocol.target + second,
        measure="share misclassified" if loss.of_classes else "mean squared error",
        judges=(
            "1 user who was never asked"
            if len(others) == 1
            else f"{len(others):,} users who were never asked"
        ),
        errors=errors,
        remark=USELESS if errors[PLAIN] >= errors[SAME] else "",
    )
