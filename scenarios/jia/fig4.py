"""Fig. 4 of Jia and Gong: the noise of the items in one collection, and the Gaussian fitted to it.

The paper shows OUE on Kosarak. Section III-B calls the noise of all pure protocols a Gaussian, so
we draw basic RAPPOR and k-RR beside OUE, and the data set Retail beside Kosarak. The
paper's numbers belong to the size of the whole of Kosarak. For a mechanism and an ε, the variance,
averaged over the items, depends on the population only through the numbers of users and items. So
a made-up population of this size has the paper's variance.
"""

from collections.abc import Iterator
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from protocols.mechanisms.unary import OUE
from protocols.postprocess.noise import Noise
from scenarios.jia.noise import (
    BOUNDS,
    FALSE_ALARM,
    MECHANISMS,
    gaussian_density,
    noise,
    noise_cost,
    pooled_distance,
)
from scenarios.jia.noise import TITLES as NAMES
from scenarios.jia.people import CHOICES, DATA, FILES, PARTIAL, SIZES, TITLES
from scenarios.jia.trials import RUNS
from simnet.drawing import ESTIMATE, INK, TRUTH, blank_figure
from simnet.studies.curves import note
from simnet.studies.data import NONE_NEEDED
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.statements import Outcome, share_of
from simnet.studies.table import Measure, NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SOURCE = "section IV-B, Fig. 4"
WHOLE: dict[str, Any] = {"population": "all of kosarak", "mechanism": "oue", "epsilon": 1.0}
# A distance is far below the distance from which on the test rejects if it is at most this share of
# it. The test then rejects at the rate of false alarms.
NEAR = 0.01  # how near a distribution function is to be to a Gaussian's


def fitted_deviation(table: Table) -> Counterpart:
    """Return the standard deviation of the noise; the paper fitted it to one collection."""
    users, items = SIZES[WHOLE["population"]]
    known = Noise.of(OUE(WHOLE["epsilon"], items), users)
    found = table.at("variance", **WHOLE)
    measured, low, high = (sqrt(max(one, 0.0)) for one in (found.mean, found.low, found.high))
    expected = sqrt(float(known.variance(users / items)))
    return Counterpart(expected, measured, low, high, 1 / sqrt(2 * items), trials=found.trials)


def gaussian(table: Table, mechanism: str) -> Counterpart:
    """Return whether the distribution function of the noise differs nowhere from the Gaussian's by
    more than `NEAR`, on Retail at ε = 1.
    """
    rows = table.where(population="retail", mechanism=mechanism, epsilon=1.0).rows
    if not rows:
        raise NoSuchPoint(f"no trial looked at the noise of {mechanism}")
    distance, arm = pooled_distance(rows)
    outcome = Outcome(distance <= NEAR, distance + arm <= NEAR, distance - arm <= NEAR)
    law = 1.0 if rows[0]["most_distance"] <= NEAR else 0.0
    return attrs.evolve(share_of([outcome], law), trials=len(rows))


def mixture(table: Table) -> Counterpart:
    """Return whether Eq. 21 gives the distribution of the estimates up to `NEAR`."""
    rows = table.where(population="retail", mechanism="oue", epsilon=1.0).rows
    if not rows:
        raise NoSuchPoint("no trial looked at the estimates of OUE")
    return Counterpart(float(rows[0]["mixture_distance"] <= NEAR), share=True)


def claims() -> Iterator[PaperClaim]:
    """Yield the claims of this figure."""
    users, items = SIZES[WHOLE["population"]]
    yield PaperClaim(
        "Fig. 4, fitted mean",
        SOURCE,
        "The fitted mean of the noise of OUE on Kosarak is -3.2; its square, at ε = 1",
        "10.24",
        runs=lambda table: Counterpart.of(table.at("offset", **WHOLE), 1),
        data=NONE_NEEDED,
    )
    yield PaperClaim(
        "Fig. 4, variance",
        SOURCE,
        "The variance of the noise of OUE on Kosarak by theory, at ε = 1",
        "5434",
        lambda: Noise.of(OUE(1.0, items), users).floor,
        correction="The number is the standard deviation.",
        why="As a variance it would belong to an ε of about 8.7, where the printed mean, -3.2, "
        "would be over 8 standard errors off.",
        check="by hand: √(4 e n)/(e - 1) = 5434 for n = 8,019,015",
        top="Fig. 4: the variance 5434 is the standard deviation.",
    )
    yield PaperClaim(
        "Fig. 4, fitted",
        SOURCE,
        "The fitted variance of the noise of OUE on Kosarak; read as the standard deviation",
        "5405",
        runs=fitted_deviation,
        data=NONE_NEEDED,
    )
    for mechanism in ("oue", "rappor"):
        yield PaperClaim(
            f"p_s, {NAMES[mechanism]}",
            "section III-B",
            f"The noise p_s of one collection by {NAMES[mechanism]} is a Gaussian with the moments "
            "of Eq. 13 and 14 (Retail, ε = 1)",
            runs=partial(gaussian, mechanism=mechanism),
            data=DATA["retail"],
            why="The distribution functions differ by less than 1 %.",
        )
    yield PaperClaim(
        "Eq. 21",
        "section III-C, Eq. 21",
        "The estimates of OUE have the distribution of the true counts plus Gaussian noise "
        "(Retail)",
        runs=mixture,
        data=DATA["retail"],
        why="The distribution functions differ by less than 1 %.",
    )


def notes(epsilon: float) -> list[str]:
    """Return what the figure says below its panels."""
    return [
        f"One collection, ε = {epsilon:g}; mean and deviation are those of the fitted Gaussian. p: "
        "the p-value of Kolmogorov's test against the Gaussian of Eq. 13 and 14.",
        "The histogram of k-RR is uneven, as its estimates lie on a lattice with few points "
        "in a standard deviation. The paper shows OUE on the whole of Kosarak.",
    ]


def draw(table: Table) -> "Figure":
    """Draw the noise of the first collection by each mechanism on Retail and on Kosarak, with the
    fitted Gaussian and the Gaussian of Eq. 13 and 14.
    """
    populations = [one for one in table.values("population") if one in FILES]
    epsilon = table.values("epsilon")[0]
    shown = table.where(epsilon=epsilon)
    mechanisms = table.values("mechanism")
    rows = {
        (row["population"], row["mechanism"]): row for row in reversed(shown.rows)
    }  # the first of each kind
    figure: Figure = blank_figure()(figsize=(7.0, 1.0 + 2.0 * len(populations)))
    figure.set_layout_engine("constrained")
    grid = figure.subplots(len(populations), len(mechanisms), squeeze=False, sharey=True)
    for line, population in zip(grid, populations, strict=True):
        for axes, mechanism in zip(line, mechanisms, strict=True):
            if (population, mechanism) in rows:
                _histogram(axes, rows[population, mechanism])
            people = (
                f"made-up, {population.title()}'s size" if table.synthetic else TITLES[population]
            )
            axes.set_title(f"{NAMES[mechanism]}, {people}", fontsize=7.5, color=INK)
    for axes in grid[:, 0]:
        axes.set_ylabel("density, per √(Eq. 14)", fontsize=7.5)
    for axes in grid[-1]:
        axes.set_xlabel("noise of an item (users)", fontsize=7.5)
    note(figure, table, notes(epsilon))
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3, fontsize=7.5, frameon=False)
    return figure


def _histogram(axes: "Axes", row: Any) -> None:
    unit = sqrt(row["eq_14"])
    below = np.array([row[f"below_{place:02d}"] for place in range(len(BOUNDS))])
    heights = np.diff(below) / np.diff(BOUNDS)
    axes.stairs(
        heights,
        BOUNDS * unit,
        fill=True,
        facecolor=TRUTH,
        edgecolor=INK,
        linewidth=0.4,
        label="items of one collection",
    )
    at = np.linspace(BOUNDS[0], BOUNDS[-1], 200) * unit
    fitted = gaussian_density(at, row["fitted_mean"], row["fitted_deviation"]) * unit
    axes.plot(at, fitted, "-", color=INK, linewidth=1.2, label="Gaussian fitted to them")
    theory = gaussian_density(at, 0.0, unit) * unit
    axes.plot(at, theory, "--", color=ESTIMATE, linewidth=1.2, label="Gaussian of Eq. 13 and 14")
    p_value = row["p_value"]
    words = f"{p_value:.2f}" if p_value >= FALSE_ALARM else f"{p_value:.0e}"
    mean = round(row["fitted_mean"], 1) + 0.0  # no minus zero
    axes.annotate(
        f"mean {mean:,}\ndeviation\n{row['fitted_deviation']:,.0f}\n\nKolmogorov:\np = {words}",
        (0.02, 0.97),
        xycoords="axes fraction",
        va="top",
        fontsize=7,
        color=INK,
    )
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


EXPERIMENT = Experiment(
    summary="The noise of one collection and its Gaussian",
    source="Jia and Gong, Fig. 4",
    trial=noise,
    grid=[
        {"population": list(FILES), "mechanism": list(MECHANISMS), "epsilon": [1.0]},
        {key: [value] for key, value in WHOLE.items()},
    ],
    measures=[
        Measure("variance", "variance of the noise", "expected_variance", "deviation_variance"),
        Measure("offset", "square of the mean of the noise", "expected_offset", "deviation_offset"),
        Measure("skewness", "skewness of the noise", "expected_skewness"),
        Measure("rejected", "share of collections that Kolmogorov's test rejects"),
    ],
    trials=RUNS,
    quick={"population": list(FILES)},
    files=list(FILES.values()),
    data=PARTIAL,
    choices=(
        *CHOICES,
        "The text does not state ε. We take ε = 1, at which the standard deviation is 5434.",
        (
            "The printed numbers are about the whole of Kosarak, which we do not have. We take "
            "made-up counts with as many users and items. They have the same mean variance, "
            "because for given ε it depends on the numbers of users and items only."
        ),
        (
            "Kolmogorov's test compares the noise of a collection with the Gaussian of Eq. 13 and "
            f"14. If the noise were this Gaussian, the test would reject about "
            f"{100 * FALSE_ALARM:g} % of the collections."
        ),
    ),
    claims=list(claims()),
    figure=draw,
    cost=noise_cost,
)
