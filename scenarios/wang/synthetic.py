"""Fig. 5 and Fig. 6 of Wang et al.: means of 16 synthetic numbers, by six methods."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scenarios.wang.compared import DUCHI_CHOICE, K_CHOICE, outperforms
from scenarios.wang.law import expected_error
from scenarios.wang.trials import (
    EPSILON_CHOICE,
    EPSILONS,
    METHODS,
    MSE,
    NUMERIC,
    RUNS,
    USERS,
    collected,
    collected_cost,
)
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.paired import paired_share
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.statements import MeasureByAxis, exact
from simnet.studies.table import NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = ["estimates", "epsilon"]


def gap_grows(table: Table) -> Counterpart:
    """Return the share of laws for which Duchi et al.'s error, divided by PM's and by HM's, is
    larger at the largest ε than at the least one.
    """

    def holds(numbers: MeasureByAxis) -> bool:
        epsilons = sorted({key[2] for key in numbers})
        if len(epsilons) < 2:
            raise KeyError("at least two values of ε are needed")
        return all(
            numbers["duchi-as-printed", method, epsilons[0]]
            < numbers["duchi-as-printed", method, epsilons[-1]]
            for method in ("pm", "hm")
        )

    pairs = [("duchi-as-printed", method) for method in ("pm", "hm")]
    return paired_share(table, pairs, ["estimates"], holds, along=["epsilon"])


def better_differs(table: Table) -> Counterpart:
    """Return whether by the law PM errs less than HM in some settings, and more in others."""
    places: dict[tuple[str, float], dict[str, float]] = {}
    for line in table.summary():
        place = places.setdefault((line["estimates"], line["epsilon"]), {})
        place[line["method"]] = line["expected"]
    signs = {place["pm"] < place["hm"] for place in places.values() if {"pm", "hm"} <= set(place)}
    if len(places) < 2:
        raise NoSuchPoint("at least two pairs of a law and an ε are needed")
    return exact(float(len(signs) == 2))


def claims(figure: str, rivals: Sequence[str]) -> Iterator[PaperClaim]:
    """Yield the claims of Fig. 5 or 6."""
    source = f"section VI-A, {figure}"
    yield outperforms(
        f"{figure}, rivals",
        source,
        f"PM and HM err less than {', '.join(METHODS[rival] for rival in rivals)}",
        PLACE,
        ("pm", "hm"),
        rivals,
    )
    yield PaperClaim(
        f"{figure}, gap",
        source,
        "The gap of PM and HM to Duchi et al. (as printed) slightly expands with ε: the quotient "
        "of their errors, least and largest ε",
        runs=gap_grows,
        why="The text has no number for 'slightly'; for some laws the quotient grows by more than "
        "half. The difference of the errors shrinks.",
    )
    yield PaperClaim(
        f"{figure}, which is better",
        source,
        "PM errs less than HM in some settings, and more in others",
        runs=better_differs,
    )


def drawn_means(table: Table) -> "Figure":
    """Draw the errors over ε, a panel for each law."""
    users, attributes = (
        ", ".join(f"{one:,}" for one in table.values(axis)) for axis in ("users", "attributes")
    )
    return curves(
        table,
        "epsilon",
        panel="estimates",
        line=["method"],
        words=METHODS.__getitem__,
        titles={},
        x_label="ε",
        law=expected_error(table),
        notes=[
            f"n = {users}, d = {attributes}. Lines: by the law; they hide each other where two "
            "methods err alike (Laplace and SCDF). Duchi et al. as printed is not ε-LDP for even d."
        ],
    )


def experiment(summary: str, source: str, laws: Sequence[str], rivals: Sequence[str]) -> Experiment:
    """Return the experiment on numbers that follow these laws.

    `rivals` are the methods that PM and HM are compared with.
    """
    return Experiment(
        summary=summary,
        source=source,
        trial=collected,
        grid=[
            {
                "estimates": list(laws),
                "users": [USERS],
                "attributes": [16],
                "epsilon": list(EPSILONS),
                "method": list(NUMERIC),
                "k": [None],
            },
        ],
        measures=[MSE],
        trials=RUNS,
        quick={"epsilon": [0.5, 1.0, 4.0]},
        paired=("method",),
        choices=(
            f"We take n = {USERS:,}; the text does not say how many users there are. Expected mean "
            "squared errors are proportional to 1/n.",
            EPSILON_CHOICE,
            K_CHOICE,
            DUCHI_CHOICE,
        ),
        claims=list(claims(source.removeprefix("Wang et al., "), rivals)),
        figure=drawn_means,
        cost=collected_cost,
    )


FIG5 = experiment(
    "Means of 16 numbers of truncated normal laws",
    "Wang et al., Fig. 5",
    ("μ=0", "μ=1/3", "μ=2/3", "μ=1"),
    ("duchi", "duchi-as-printed"),
)
FIG6 = experiment(
    "Means of 16 numbers of a uniform and of a power law",
    "Wang et al., Fig. 6",
    ("uniform", "power law"),
    ("duchi", "duchi-as-printed", "laplace", "scdf"),
)
