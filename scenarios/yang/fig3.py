"""Fig. 3 of Yang et al.: two-stage sampling with uniform (US) and adaptive (AS) reporting sets."""

from scenarios.yang.people import CHOICES, CHOICES_IN_SHORT, DATA, FILES, titles
from scenarios.yang.trials import RUNS, two_stage, two_stage_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment, Product
from simnet.studies.statements import always_less
from simnet.studies.trial import SQUARED_L2

POPULATIONS = ["gowalla", "census", "synthetic"]
PARTICIPATIONS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
COMMON: Product = {
    "population": POPULATIONS,
    "users": [1000],
    "alpha": [0.4],
    "participation": PARTICIPATIONS,
}

EXPERIMENT = Experiment(
    summary="TSS with uniform and adaptive reporting sets",
    source="Yang et al., Fig. 3",
    trial=two_stage,
    grid=[{**COMMON, "law": ["US"]}, {**COMMON, "law": ["AS"], "epsilon_star": [0.5, 1.0, 2.0]}],
    measures=[SQUARED_L2],
    trials=RUNS,
    quick={"population": ["gowalla"], "participation": [0.2, 0.8], "epsilon_star": [1.0]},
    quick_trials=3,
    files=FILES,
    data=DATA,
    choices=(
        *CHOICES,
        "α = 0.4 of 12 items is 4.8: users report on 5, and on 7 of 17",
        "ε* = log γ of 0.5, 1 and 2, and p from 0.1 to 0.9: the text names no values",
    ),
    quotes=[
        always_less(
            "Yang et al., section 4.2.3",
            "share of settings at which AS errs less than US",
            lambda law: law == "AS",
            "law",
            ["population", "participation"],
            "with uniform sets the error is smaller at some setting",
        ),
    ],
    figure=lambda table: curves(
        table,
        "participation",
        panel="population",
        line=["law", "epsilon_star"],
        words=lambda law, star: law + ("" if star is None else f", ε*={star:g}"),
        titles=titles(table),
        x_label="p",
        notes=CHOICES_IN_SHORT,
    ),
    cost=two_stage_cost,
)
