"""Fig. 4 of Jia and Gong: the noise of the items in one collection, and the Gaussian fitted to it.

The paper shows OUE on Kosarak. Section III-B calls the noise of all pure protocols a Gaussian, so
we draw basic RAPPOR and k-RR beside OUE, and the data set Retail beside Kosarak. The
paper's numbers belong to the size of the whole of Kosarak. For a mechanism and an ε, the variance,
averaged over the items, depends on the population only through the numbers of users and items. So
a made-up population of this size has the paper's variance.
"""

from collections.abc import Callable, Iterator
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
from simnet.studies.experiment import Experiment, Word
from simnet.studies.quote import INFORMATIVE, STATED, Counterpart, Quote
from simnet.studies.statements import Outcome, share_of
from simnet.studies.table import Measure, NoSuchPoint, Table, TrialRow
from simnet.studies.verdict_table import NONE_NEEDED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SOURCE = "Jia and Gong, section IV-B, Fig. 4"
WHOLE: dict[str, Any] = {"population": "all of kosarak", "mechanism": "oue", "epsilon": 1.0}
# A distance is far below the distance from which on the test rejects if it is at most this share of
# it. The test then rejects at the rate of false alarms.
FAR_BELOW = 0.1
STANDARD = (
    "The number is the standard deviation, at ε = 1. As a variance it would belong to an ε of "
    "about 8.7, where the printed mean, -3.2, would be over 8 standard errors off."
)
EPSILON = "the text states no ε here; we take ε = 1, where 5434 is the standard deviation"
OF_WHOLE = "of OUE on Kosarak"
PLACES = "-4, -3.75, ..., 4 standard deviations"  # `BOUNDS` in words
GAUSSIAN = (
    "The estimates lie on a lattice, and their law is skewed. By k-RR, few reports support an "
    "item, so that a standard deviation has few points of the lattice."
)


def offset(table: Table) -> Counterpart:
    """Return the square of a collection's mean noise, averaged over our collections; the paper has
    one collection.
    """
    return Counterpart.of(table.at("offset", **WHOLE), 1)


def noise_of(table: Table, power: int, fitted: bool) -> Counterpart:
    """Return the standard deviation (`power` 1) or the variance (2) of the noise.

    Without `fitted`, the number follows from Eq. 14 alone. With `fitted`, the paper fitted it to
    one collection, so it is random, and our runs measure it.
    """
    users, items = SIZES[WHOLE["population"]]
    known = Noise.of(OUE(WHOLE["epsilon"], items), users)
    variance = float(known.variance(users / items)) if fitted else known.floor
    expected = variance if power == 2 else sqrt(variance)
    if not fitted:
        return Counterpart(expected)
    # The relative scatter of a number that is fitted to normal noise.
    spread = power / sqrt(2 * items)
    try:
        found = table.at("variance", **WHOLE)
    except NoSuchPoint:
        return Counterpart(expected, spread=spread)
    numbers = (found.mean, found.low, found.high)
    measured, low, high = numbers if power == 2 else (sqrt(max(one, 0.0)) for one in numbers)
    return Counterpart(expected, measured, low, high, spread, trials=found.trials)


def gaussian(table: Table, population: str, mechanism: str) -> Counterpart:
    """Return whether the noise is the Gaussian of Eq. 13 and 14, up to the threshold of the word
    "Gaussian".
    """
    rows = table.where(population=population, mechanism=mechanism, epsilon=1.0).rows
    if not rows:
        raise NoSuchPoint(f"no trial looked at the noise of {mechanism} on {population} at ε = 1")
    limit, (distance, arm) = table.word("Gaussian"), pooled_distance(rows)
    outcome = Outcome(distance <= limit, distance + arm <= limit, distance - arm <= limit)
    words = (
        f"ε = 1; the distance is {_between(rows[0])} by the exact law, and {distance:.2g} ± "
        f"{arm:.1g} measured at {PLACES}"
    )
    law = _within(rows[0], limit)
    return attrs.evolve(share_of([outcome], law), trials=len(rows), judged_at=words)


def _between(row: TrialRow, least: str = "expected_distance") -> str:
    return f"between {row[least]:.2g} and {row['most_distance']:.2g}"


def _within(row: TrialRow, limit: float, least: str = "expected_distance") -> float | None:
    return 1.0 if row["most_distance"] <= limit else 0.0 if row[least] > limit else None


def tested(table: Table, population: str, mechanism: str) -> Counterpart:
    """Return whether Kolmogorov's test rejects the Gaussian only as often as false alarms explain.

    False alarms do not explain a number of rejections if false alarms alone would reach or exceed
    this number with a probability below 1/100.
    """
    # Scipy loads slowly, so we import it only where it is needed.
    from scipy.special import bdtrc, bdtri, kolmogi

    rows = table.where(population=population, mechanism=mechanism, epsilon=1.0).rows
    if not rows:
        raise NoSuchPoint(f"no trial looked at the noise of {mechanism} on {population} at ε = 1")
    rejected, count = sum(int(row["rejected"]) for row in rows), len(rows)
    chance = float(bdtrc(rejected - 1, count, FALSE_ALARM)) if rejected else 1.0
    possible = chance >= FALSE_ALARM
    least, most = (float(rows[0][name]) for name in ("expected_distance", "most_distance"))
    sees = float(kolmogi(FALSE_ALARM)) / sqrt(rows[0]["items"])
    words = (
        f"ε = 1; collections that the test rejected: {rejected} of {count}; it rejects a "
        f"collection with a distance of {sees:.2g} or more, and by the exact law the distance is "
        f"{_between(rows[0])}"
    )
    # By the law, the test rejects at the rate of false alarms if the distance is far below the
    # distance from which on the test rejects, and more often if the distance is above it.
    expected = 1.0 if most <= FAR_BELOW * sees else 0.0 if least >= sees else None
    # To show that it does not reject more often, the upper bound of its rate of rejections (Clopper
    # and Pearson, one-sided, 99 %) must be close to the rate of false alarms.
    rate = float(bdtri(rejected, count, FALSE_ALARM)) if rejected < count else 1.0
    surely = rate <= FALSE_ALARM * (1 + INFORMATIVE)
    found = share_of([Outcome(possible, surely, possible)], expected)
    return attrs.evolve(found, trials=count, judged_at=words)


def mixture(table: Table, population: str) -> Counterpart:
    """Return whether Eq. 21 gives the law of the estimates of OUE, by the exact laws and up to the
    threshold of the word "Gaussian".
    """
    rows = table.where(population=population, mechanism="oue", epsilon=1.0).rows
    if not rows:
        raise NoSuchPoint(f"no trial looked at the estimates of oue on {population} at ε = 1")
    words = f"ε = 1; the distance is {_between(rows[0], 'mixture_distance')} by the exact law"
    law = _within(rows[0], table.word("Gaussian"), "mixture_distance")
    return Counterpart(law, share=True, judged_at=words)


def quotes() -> Iterator[Quote]:
    """Yield the quotes of this figure, of the noise in section III-B, and of Eq. 21."""
    yield Quote(
        SOURCE,
        f"square of the fitted mean of the noise {OF_WHOLE} (printed: -3.2)",
        "10.24",
        offset,
        data=NONE_NEEDED,
        points=EPSILON,
    )
    for what, printed, fitted in (
        (f"variance of the noise {OF_WHOLE} by theory", "5434", False),
        (f"fitted variance of the noise {OF_WHOLE}", "5405", True),
    ):
        yield Quote(
            SOURCE,
            what,
            printed,
            partial(noise_of, power=2, fitted=fitted),
            STANDARD,
            partial(noise_of, power=1, fitted=fitted),
            data=NONE_NEEDED,
            points=EPSILON,
        )
    for population in FILES:
        for mechanism, name in NAMES.items():
            shown = mechanism == "oue" and population == "kosarak"
            yield _stated(
                SOURCE if shown else "Jia and Gong, section III-B",
                f"the noise p_s of one collection by {name} on {TITLES[population]} is a Gaussian "
                "with mean 0 and the variance of Eq. 14",
                partial(gaussian, population=population, mechanism=mechanism),
                population,
                "its distribution function differs nowhere from the Gaussian's by more than "
                "the threshold of the word Gaussian",
                "The text has no measure, and we chose the threshold."
                if mechanism == "k-rr"
                else "",
            )
            yield _stated(
                SOURCE if shown else "Jia and Gong, section III-B",
                f"the noise p_s of one collection by {name} on {TITLES[population]} is a Gaussian "
                "with mean 0 and the variance of Eq. 14",
                partial(tested, population=population, mechanism=mechanism),
                population,
                "Kolmogorov's test rejects the Gaussian no more often than false alarms explain, "
                f"which come in {100 * FALSE_ALARM:g} % of the collections",
                unresolved="The distance is so small that the test rejects almost as rarely as by "
                "false alarm. No number of trials that we can run tells the two rates apart.",
                disputed="The text has no measure, and we chose the test."
                if mechanism == "k-rr"
                else "",
            )
        yield _stated(
            "Jia and Gong, section III-C, Eq. 21",
            f"the estimates of OUE on {TITLES[population]} have the distribution that follows "
            "from the true counts and Gaussian noise",
            partial(mixture, population=population),
            population,
            "their distribution function differs nowhere from this distribution's by more "
            "than the threshold of the word Gaussian",
        )


def _stated(
    source: str,
    what: str,
    reading: Callable[[Table], Counterpart],
    population: str,
    under: str,
    disputed: str = "",
    unresolved: str = "",
) -> Quote:
    return Quote(
        source,
        what,
        STATED,
        reading,
        under=under,
        why=GAUSSIAN,
        data=DATA[population],
        disputed=disputed,
        unresolved=unresolved,
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
    quick_trials=2,
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
    words={
        "Gaussian": Word(
            0.01,
            "a law counts as Gaussian if its distribution function differs nowhere from "
            "the Gaussian's by more than this",
        )
    },
    quotes=list(quotes()),
    figure=draw,
    cost=noise_cost,
)
