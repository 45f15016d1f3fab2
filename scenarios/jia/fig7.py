"""Fig. 7 of Jia and Gong: errors of OUE-Zero and Calibrate, and of other ways to calibrate.

The paper leaves OUE out of its figure, because OUE's error is much larger. Our figure leaves OUE
out, too, but the table has OUE's error.

The text says by how many per cent Calibrate improves on OUE-Zero. This can be the share of
OUE-Zero's error that is saved, or the excess of OUE-Zero's error over Calibrate's. The text names
two ways to fit the exponent of the power law: by the mean of the estimates, or by maximum
likelihood. The claims take the reading under which the printed numbers of Retail are right.
"""

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import attrs

from scenarios.jia.paired import Places, less, places_of, quotient_falls, ratio
from scenarios.jia.people import CHOICES, DATA, FILES, PARTIAL, TITLES, titles
from scenarios.jia.trials import ERRORS, RUNS, TRIALS, WORDS, errors, errors_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCE = "section IV-B, Fig. 7"
PRINTED = (
    ("kosarak", 1.0, "16"),
    ("kosarak", 5.0, "97"),
    ("retail", 1.0, "2.4"),
    ("retail", 5.0, "65"),
)


def gain(table: Table, population: str, epsilon: float) -> Counterpart:
    """Return by which share OUE-Zero's error exceeds Calibrate's with the likeliest exponent."""
    rows = table.where(population=population, epsilon=epsilon).rows
    found = ratio(rows, "zero", "likelihood", RUNS)
    if found.measured is None or found.low is None or found.high is None:
        return found
    more = found.measured - 1
    spread = found.spread * found.measured / abs(more)
    return attrs.evolve(found, measured=more, low=found.low - 1, high=found.high - 1, spread=spread)


def of_retail(table: Table) -> Places:
    """Return the trials on Retail by ε."""
    return places_of(table.where(population="retail"), "epsilon")


def claims() -> Iterator[PaperClaim]:
    """Yield the claims of this figure."""
    for population, epsilon, per_cent in PRINTED:
        digits = 3 if "." in per_cent else 2  # as many as the paper prints
        yield PaperClaim(
            f"Fig. 7, {population.title()}, ε = {epsilon:g}",
            SOURCE,
            f"A relative improvement of {per_cent} % over OUE-Zero, {TITLES[population]}, "
            f"ε = {epsilon:g}: the share by which OUE-Zero's error exceeds Calibrate's, likeliest "
            "exponent (Eq. 16)",
            f"{float(per_cent) / 100:.{digits}f}",
            runs=partial(gain, population=population, epsilon=epsilon),
            data=DATA[population],
            why="The share of OUE-Zero's error that is saved is at most 47 % at ε = 5, even with "
            "the true law of the counts as the prior. With a power law of the estimates' mean the "
            "gain is 50 % at ε = 5, and there is none at ε = 1."
            if population == "retail"
            else "",
        )
    yield PaperClaim(
        "Fig. 7, Calibrate",
        SOURCE,
        "OUE-Calibrate errs less than OUE-Zero at every ε (Retail; a power law without a largest "
        "count)",
        runs=lambda table: less(of_retail(table), "infinite", "zero"),
        data=DATA["retail"],
        why="The text does not give the support of the power law. With the support 1..n, Calibrate "
        "errs slightly more at ε = 1 by the law.",
    )
    yield PaperClaim(
        "Fig. 7, OUE-Zero",
        SOURCE,
        "OUE-Zero outperforms OUE at every ε (Retail)",
        runs=lambda table: less(of_retail(table), "zero", "oue"),
        data=DATA["retail"],
    )
    yield PaperClaim(
        "Fig. 7, gain grows",
        SOURCE,
        "The performance gain over OUE-Zero grows from each ε to the next (Retail)",
        runs=lambda table: quotient_falls(of_retail(table), "likelihood", "zero"),
        data=DATA["retail"],
    )


DRAWN = ("zero", "calibrate", "known", "infinite", "likelihood")


def draw(table: Table) -> "Figure":
    """Draw the errors of the methods in `DRAWN` over ε."""
    shown = attrs.evolve(table, measures=[one for one in table.measures if one.name in DRAWN])
    return curves(
        shown,
        "epsilon",
        panel="population",
        line=["measure"],
        words=lambda name: WORDS[name],
        titles=titles(table),
        x_label="privacy budget ε",
        share_y=False,
        notes=(
            "Without OUE, as in the paper: its error is much larger.",
            "The paper's figure has OUE-Zero and Calibrate only.",
            "The law was computed at the points only; straight lines join it.",
        ),
        y_label="squared error per item (users²)",
    )


EXPERIMENT = Experiment(
    summary="Errors of OUE, OUE-Zero and Calibrate",
    source="Jia and Gong, Fig. 7",
    trial=errors,
    grid=[{"population": list(FILES), "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0], "beta": [0.05]}],
    measures=ERRORS,
    trials=TRIALS,
    quick={"population": ["kosarak"], "epsilon": [1.0, 5.0]},
    files=list(FILES.values()),
    data=PARTIAL,
    choices=(
        *CHOICES,
        "The error is the mean, over all items, of the squared error of the count (Eq. 5).",
        (
            "Calibrate's prior is the power law on 1..n whose mean is the mean of the estimates, "
            "as in the paper (Eq. 17); the text does not give the support. Besides, we compute "
            "Calibrate's errors with four other priors: the power law with the known mean n / d, "
            "the one without a largest count, the one with the likeliest exponent (Eq. 16), and "
            "the true distribution of the counts."
        ),
        "If a method fits a power law and finds none for a collection, this collection is left "
        "out of the method's mean.",
    ),
    claims=list(claims()),
    figure=draw,
    cost=errors_cost,
)
