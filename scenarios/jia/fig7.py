"""Fig. 7 of Jia and Gong: errors of OUE, OUE-Zero and several ways to calibrate.

The text says by how many per cent Calibrate improves on OUE-Zero. This can be the share of
OUE-Zero's error that is saved, or the excess of OUE-Zero's error over Calibrate's. Both readings
are tried.
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from scenarios.jia.people import CHOICES, FILES, PARTIAL, TITLES
from scenarios.jia.trials import ERRORS, RUNS, WORDS, errors, errors_cost
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient, share_less
from simnet.studies.table import NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SOURCE = "Jia and Gong, section 4.2"
PRINTED = {
    ("kosarak", 1.0): 16.0,
    ("kosarak", 5.0): 97.0,
    ("retail", 1.0): 2.4,
    ("retail", 5.0): 65.0,
}  # per cent
MANY = 100.0  # times the error: what we take "orders of magnitude" for
NEGLIGIBLE = 1.1  # times the error: the largest change that we take for "negligible"
EXCESS = (
    "the gain is OUE-Zero's error divided by Calibrate's, minus 1, with the "
    "likeliest exponent (Eq. 16)"
)

WHY = {
    "kosarak": (
        "on the first sessions of Kosarak the gain differs in both readings; the whole "
        "data set is not at hand, and the text does not give the support of the power "
        "law"
    ),
    "retail": (
        "the gain differs in both readings; the text does not give the support of the power law"
    ),
}


def ratio(table: Table, above: str, below: str, population: str, epsilon: float) -> Counterpart:
    """The error of one method (`above`) divided by that of another (`below`).

    The spread is that of the paper's number, an average of dozens of runs.
    """
    one, other = (table.at(name, population=population, epsilon=epsilon) for name in (above, below))
    return quotient(one, other, RUNS)


def gain(population: str, epsilon: float) -> Quote:
    """The quote of a printed improvement, in both readings of it.

    It is the share of the error that is saved, or the excess of OUE-Zero's error.
    """
    per_cent = PRINTED[population, epsilon]
    another: dict[str, Any] = (
        {}
        if population == "kosarak"
        else {  # the paper has other people here, so no correction is tried
            "correction": EXCESS,
            "instead": lambda _: 1 / (1 + per_cent / 100),
            "corrected": partial(
                ratio, above="likelihood", below="zero", population=population, epsilon=epsilon
            ),
        }
    )
    rest = f"{1 - per_cent / 100:.{3 if per_cent < 10 else 2}f}"  # as many digits as printed
    return Quote(
        SOURCE,
        f"error of Calibrate by OUE-Zero's, {TITLES[population]}, ε={epsilon:g} (printed "
        f"{per_cent:g} % less)",
        rest,
        partial(ratio, above="calibrate", below="zero", population=population, epsilon=epsilon),
        why=WHY[population],
        **another,
    )


def ratios(table: Table, above: str, below: str, population: str) -> list[Counterpart]:
    """The error of one method divided by that of another, for every ε in increasing order.

    Raises `NoSuchPoint` if nothing was run on the population.
    """
    epsilons = sorted(table.where(population=population).values("epsilon"))
    if not epsilons:
        raise NoSuchPoint(f"nothing was run on {population}")
    return [ratio(table, above, below, population, epsilon) for epsilon in epsilons]


def limited(table: Table, above: str, below: str, population: str, limit: float) -> Counterpart:
    """The share of the values of ε at which one method's error is below `limit` times another's."""
    fixed = Counterpart(limit, limit, limit, limit)
    return share_less([(one, fixed) for one in ratios(table, above, below, population)])


def growth(table: Table, population: str) -> Counterpart:
    """The share of steps of ε at which the gain of Calibrate over OUE-Zero grows."""
    found = ratios(table, "calibrate", "zero", population)
    if len(found) < 2:
        raise NoSuchPoint("one ε makes no step")
    return share_less([(b, a) for a, b in pairwise(found)])


def statements(population: str) -> Iterator[Quote]:
    """The quotes of what the text says about the errors on a population without giving a number."""
    title = TITLES[population]
    for what, above, below, limit, why in (
        (
            "Calibrate errs less than OUE-Zero",
            "calibrate",
            "zero",
            1.0,
            "Theorem 2 is for the true prior; a fitted power law loses to OUE-Zero at ε = 1",
        ),
        (
            "OUE-Zero errs by orders of magnitude less than OUE: a hundredth at most",
            "zero",
            "oue",
            1 / MANY,
            ("for large ε the error of OUE is only a few times as large; the text has no number"),
        ),
        (
            "zeroing what Calibrate makes of counts below the threshold is negligible: a tenth "
            "more error at most",
            "again",
            "calibrate",
            NEGLIGIBLE,
            (
                "for large ε Calibrate's estimates of those counts reduce the error; the text "
                "has no number"
            ),
        ),
    ):
        yield Quote(
            SOURCE,
            f"share of ε at which {what}, {title}",
            lambda _: 1.0,
            partial(limited, above=above, below=below, population=population, limit=limit),
            why=why,
        )
    yield Quote(
        SOURCE,
        f"share of steps of ε at which the gain grows, {title}",
        lambda _: 1.0,
        partial(growth, population=population),
    )


def quotes() -> Iterator[Quote]:
    """The quotes of this figure."""
    for population, epsilon in PRINTED:
        yield gain(population, epsilon)
    for population in ("retail", "kosarak"):
        yield from statements(population)


def draw(table: Table) -> "Figure":
    """Draw the errors over ε, with the axis fitted to the means."""
    figure = curves(
        table,
        "epsilon",
        panel="population",
        line=["measure"],
        words=lambda name: WORDS[name],
        titles=TITLES,
        x_label="ε",
        notes=("Points: means with intervals that hold together at 99.9 %. Lines: expected.",),
        y_label="squared error per item",
    )
    for axes, population in zip(figure.axes, table.values("population"), strict=True):
        means = [line["mean"] for line in table.where(population=population).summary()]
        axes.set_ylim(min(means) / 1.5, max(means) * 1.5)
    return figure


EXPERIMENT = Experiment(
    summary="Errors of OUE, OUE-Zero and Calibrate",
    source="Jia and Gong, Fig. 7",
    trial=errors,
    grid=[{"population": list(FILES), "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0], "beta": [0.05]}],
    measures=ERRORS,
    trials=RUNS,
    quick={"epsilon": [1.0, 5.0]},
    files=list(FILES.values()),
    data=PARTIAL,
    choices=(
        *CHOICES,
        (
            "the prior is a power law on 1..n, a support that the text does not give, with "
            "the known mean n / d; the paper fits the mean of the estimates, for which "
            "there may be no power law. Beside it: fitted mean, infinite support, likeliest"
            " exponent"
        ),
    ),
    quotes=list(quotes()),
    figure=draw,
    cost=errors_cost,
)
