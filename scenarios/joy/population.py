"""Errors of Joy and Gerla's mechanism as the population grows by owners who hold no.

The errors do not grow if owners keep their faces for both rounds, as in the paper.
"""

from typing import Any

import attrs

from protocols.two_rounds.estimators import VARIANTS
from scenarios.joy.drawing import growth as growth_figure
from scenarios.joy.people import CHOICES
from scenarios.joy.trials import BOUND, RESPONSE, cost, populations
from simnet.studies.experiment import Experiment, Product
from simnet.studies.paper_claim import Counterpart, PaperClaim, Stated
from simnet.studies.readings import quotient
from simnet.studies.table import NoSuchPoint, Table

YES = 85
OWNERS: Product = {"owners": [286, 1000, 10_000, 100_000, 1_000_000], "yes": [YES]}


def growth(table: Table, **ours: Any) -> Counterpart:
    """Return the error bound for the largest population divided by that for the smallest one.

    `ours` chooses the rows, such as `mechanism="response"`. Raises `NoSuchPoint` if they have less
    than two numbers of owners.
    """
    found = table.where(**ours)
    sizes = sorted(found.values("owners"))
    if len(sizes) < 2:
        raise NoSuchPoint("growth needs results for two numbers of owners")
    least, most = (found.at("bound", owners=size) for size in (sizes[0], sizes[-1]))
    return attrs.evolve(quotient(most, least), judged_at=f"{sizes[0]:,} and {sizes[-1]:,} owners")


EXPERIMENT = Experiment(
    summary=("Errors as the population grows: faces kept, faces thrown anew, or round two alone"),
    source="Joy and Gerla, sections 1 and 5.1",
    trial=populations,
    grid=[
        {**OWNERS, **RESPONSE},
        {**OWNERS, "mechanism": ["sampling"], "sampling": [0.45], "rounds": list(VARIANTS)},
    ],
    measures=[BOUND],
    trials=20,
    quick={"owners": [286, 10_000, 1_000_000]},
    choices=(
        *CHOICES[:1],
        "There are 85 owners who hold yes, whatever the population.",
        (
            'Both faces besides "sampled" are equally likely. This matters for the errors only '
            "where owners do not keep the face of round one, and where round two is used alone."
        ),
    ),
    claims=[
        PaperClaim(
            "Constant error",
            "section 1",
            "The error of sampling stays constant as owners who hold no are added, from 286 to a "
            "million: the quotient",
            Stated(1.0),
            runs=lambda table: growth(table, mechanism="sampling", rounds="kept"),
        ),
        PaperClaim(
            "Growing error",
            "section 5.1",
            "The error of randomised response quickly grows as owners who hold no are added: the "
            "quotient",
            Stated(1.0),
            runs=lambda table: growth(table, mechanism="response"),
            bound="at least",
            why="It grows with the square root of the number of owners.",
        ),
    ],
    figure=growth_figure,
    cost=cost,
)
