"""Fig. 3 of Jia and Gong: how many items have which count."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from scenarios.jia.people import CHOICES, DATA, FILES, PARTIAL, titles
from scenarios.jia.trials import law
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.readings import counted
from simnet.studies.table import Measure, NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCE = "section IV-A1, Fig. 3"


def size(name: str, population: str) -> Callable[[Table], Counterpart]:
    """Return a function that reads the number of users or items of a population from a table."""

    def reading(table: Table) -> Counterpart:
        rows = table.where(population=population).rows
        if not rows or table.synthetic:
            raise NoSuchPoint(f"nothing was run on real counts of {population}")
        return counted(float(rows[0][name]))

    return reading


def draw(table: Table) -> "Figure":
    """Draw the share of items per count over ranges of counts; empty ranges are left out."""
    held = attrs.evolve(table, rows=[row for row in table.rows if row["density"]])
    return curves(
        held,
        "count",
        panel="population",
        line=["measure"],
        words=lambda _: "items with about this count",
        titles=titles(table),
        x_label="count (users who hold the item)",
        y_label="share of items with a count",
        log_x=True,
        notes=(
            *(() if table.synthetic else CHOICES[:2]),
            "A point is the mean share for the counts from c to below 2c; the paper has a point "
            "for each count.",
        ),
    )


EXPERIMENT = Experiment(
    summary="How many items have which count",
    source="Jia and Gong, Fig. 3",
    trial=law,
    grid=[{"population": list(FILES), "count": [2**k for k in range(19)]}],
    measures=[Measure("density", "share of items per count")],
    files=list(FILES.values()),
    data=PARTIAL,
    choices=(
        *CHOICES[:2],
        "A point of our figure stands for the counts from c to below 2c. It shows the share "
        "of the items that have one of these counts, divided by the number of these counts.",
    ),
    claims=[
        PaperClaim(
            f"Fig. 3, {title}, {name}",
            SOURCE,
            f"The number of {name}, {title}",
            printed,
            runs=size(name, population),
            data=DATA[population],
        )
        for population, title, sizes in (
            ("retail", "Retail", ("16470", "908576")),
            ("kosarak", "Kosarak", ("41270", "8019015")),
        )
        for name, printed in zip(("items", "users"), sizes, strict=True)
    ],
    figure=draw,
    cost=lambda _: 0.01,
)
