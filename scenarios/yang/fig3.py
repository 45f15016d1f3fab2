"""Fig. 3 of Yang et al.: two-stage sampling with uniform (US) and adaptive (AS) reporting sets."""

from collections.abc import Mapping
from math import exp
from typing import Any

from protocols.tss.about import expected_squared_l2
from protocols.tss.script import TSS
from scenarios.yang.people import CHOICES, DATA, FILES, notes_on_data, titles
from scenarios.yang.trials import RUNS, items_of, two_stage, two_stage_cost
from simnet.studies.curves import curves
from simnet.studies.data import NONE_NEEDED
from simnet.studies.experiment import Experiment, Product
from simnet.studies.paper_claim import PaperClaim
from simnet.studies.statements import always_less, everywhere, falls
from simnet.studies.trial import SQUARED_L2

POPULATIONS = ["gowalla", "census", "synthetic"]
PARTICIPATIONS = [0.1, 0.3, 0.5, 0.7, 0.9]
SOURCE = "section 4.2.3, Fig. 3"
COMMON: Product = {
    "population": POPULATIONS,
    "users": [1000],
    "alpha": [0.4],
    "participation": PARTICIPATIONS,
}


def law(at: Mapping[str, Any]) -> float:
    """Return the expected squared L2 error at a point (Theorem 3.5)."""
    star, items = at.get("epsilon_star"), items_of(at["population"])
    gamma = None if star is None else exp(star)
    reported = round(at["alpha"] * items)
    return expected_squared_l2(TSS(at["users"], items, at["participation"], reported, gamma))


EXPERIMENT = Experiment(
    summary="TSS with uniform and adaptive reporting sets",
    source="Yang et al., Fig. 3",
    trial=two_stage,
    takes_network=True,
    grid=[{**COMMON, "law": ["US"]}, {**COMMON, "law": ["AS"], "epsilon_star": [0.5, 1.0, 2.0]}],
    measures=[SQUARED_L2],
    trials=RUNS,
    quick={"population": ["gowalla"], "participation": [0.1, 0.9], "epsilon_star": [2.0]},
    files=FILES,
    data=DATA,
    choices=(
        *CHOICES,
        "With α = 0.4 a user would report on 4.8 of 12 items, or on 6.8 of 17. We take 5 of 12, "
        "and 7 of 17.",
        "ε* = log γ is 0.5, 1 and 2, and p is 0.1, 0.3, ..., 0.9; the text names no values.",
    ),
    claims=[
        PaperClaim(
            "Fig. 3, AS",
            SOURCE,
            "Adaptive sets (AS) err less than uniform sets (US), in every setting",
            runs=always_less(lambda law: law == "AS", "law", ["population", "participation"]),
            data=NONE_NEEDED,
        ),
        PaperClaim(
            "Fig. 3, ε*",
            SOURCE,
            "The larger ε*, the smaller the error of adaptive sets",
            runs=everywhere(
                "squared_l2", "epsilon_star", ["population", "participation", "law"], falls
            ),
            data=NONE_NEEDED,
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
        law=law,
        notes=notes_on_data(table),
    ),
    cost=two_stage_cost,
)
