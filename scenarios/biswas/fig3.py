"""Fig. 3 of Biswas, Cormode and Maple: distance and communication by sampling probability."""

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import ESTIMATORS
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas.histograms import LEAST, MOST, only_first
from scenarios.biswas.people import CHOICES, LETTERS, TITLES, USERS, holders
from scenarios.biswas.trials import (
    NORMALISED,
    RAW,
    REPORTS,
    SQUARED,
    collected,
    expected_raw_tv,
)
from simnet.drawing import COLOURS, DASHES, INK, MARKERS, PAGE, SMALL, blank_figure, dress
from simnet.studies.curves import note
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.readings import quotient
from simnet.studies.statements import MeasureByAxis, everywhere, falls
from simnet.studies.table import NoSuchPoint, Table, estimated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SECTION, CONCLUSION = "section 4 and Fig. 3", "section 6 and Fig. 3"
LAW = "binomial"


def communication(table: Table) -> Counterpart:
    """The number of reports at π = 0.9 divided by that at π = 0.1, for the smallest ε that was run.

    Raises `NoSuchPoint` unless both values of π were run at this ε.
    """
    epsilon = min(table.values("epsilon"), default=None)
    if epsilon is None:
        raise NoSuchPoint("nothing was run")
    most, least = (table.at("reports", sampling=one, epsilon=epsilon) for one in (MOST, LEAST))
    return quotient(most, least)


def less_for_more(numbers: MeasureByAxis) -> bool:
    """Whether an additional report, on average, reduces the distance less between π = 0.5 and 0.9
    than between 0.1 and 0.5.
    """
    return numbers[0.5] - numbers[MOST] < numbers[LEAST] - numbers[0.5]


def falling(numbers: MeasureByAxis) -> bool:
    """Whether the distance falls at every step of π up to 0.9."""
    return falls({sampling: numbers[sampling] for sampling in numbers if sampling <= MOST})


def trade_off(table: Table) -> "Figure":
    """Draw three panels over π: the distance of raw estimates, the number of reports, and the
    distance of clipped and scaled estimates.
    """
    figure: Figure = blank_figure()(figsize=(PAGE, 5.6), layout="constrained")
    (raw, sent), (clipped, aside) = figure.subplots(2, 2)
    clipped.sharey(raw)
    table, left_out = only_first(table, "law", "users", "estimator")
    first = table.rows[0]
    law, users, estimator = first["law"], int(first["users"]), first["estimator"]
    grid = np.linspace(min(table.values("sampling")), 1.0, 60)
    for place, epsilon in enumerate(table.values("epsilon")):
        part, colour = table.where(epsilon=epsilon), COLOURS[place]
        for axes, measure, line in ((raw, "raw_tv", ""), (clipped, "normalised_tv", ":")):
            _marks(axes, part, measure, colour, MARKERS[place] + line, f"ε = {epsilon:g}")
        expected = [expected_distance(law, users, estimator, epsilon, float(pi)) for pi in grid]
        raw.plot(grid, expected, linestyle=DASHES[place], color=colour, linewidth=0.9)
    raw.axhline(
        1.0,
        color=INK,
        linewidth=0.9,
        linestyle="--",
        label="1, the largest distance of two distributions",
    )
    one = table.where(epsilon=table.values("epsilon")[0])
    _marks(sent, one, "reports", COLOURS[0], MARKERS[0], "")
    sent.plot(grid, users * grid, "-", color=COLOURS[0], linewidth=0.9)
    for axes, title in (
        (raw, "Distance of raw estimates"),
        (sent, f"Communication of {users:,} users"),
        (clipped, "Distance of estimates clipped and scaled"),
    ):
        dress(axes, title)
        axes.set_yscale("linear" if axes is sent else "log")
        axes.set_xlabel("sampling probability π", fontsize=8)
        axes.tick_params(labelsize=SMALL + 0.5)
        axes.set_ylabel("total variation distance", fontsize=8)
    bits = GRR(first["epsilon"], first["values"]).report_bits
    sent.set_ylabel(f"reports, of {bits} bits each", fontsize=8)
    sent.set_ylim(0, None)
    aside.axis("off")
    handles, labels = raw.get_legend_handles_labels()
    aside.legend(handles, labels, frameon=False, fontsize=8, loc="upper left")
    note(
        figure,
        table,
        [
            f"Estimator {LETTERS.get(estimator, estimator)}, values by "
            f"{' '.join(TITLES[law].split())}. Marks: measured. Bars: 95 % intervals.",
            "Lines: by the law, in the first panel for normal errors. Dotted lines connect "
            "measured means.",
            "The upper panels are the paper's; its text names no ε, and does not say whether "
            "estimates are clipped.",
            *left_out,
        ],
    )
    return figure


def expected_distance(
    law: str, users: int, estimator: str, epsilon: float, sampling: float
) -> float:
    """The mean total variation distance of raw estimates from the truth, for normal errors with
    mean 0.
    """
    held = holders(law, users)
    design = SamplingDesign(GRR(epsilon, len(held)), users, sampling)
    return expected_raw_tv(held, ESTIMATORS[estimator](design))


def _marks(axes: "Axes", table: Table, measure: str, colour: str, mark: str, words: str) -> None:
    found = next(one for one in table.measures if one.name == measure)
    xs = sorted(table.values("sampling"))
    rows = [estimated(table.where(sampling=x).rows, found, 0.05) for x in xs]
    arms = [
        (row.mean - row.low, row.high - row.mean) if isfinite(row.high - row.low) else (0.0, 0.0)
        for row in rows
    ]
    axes.errorbar(
        xs,
        [row.mean for row in rows],
        yerr=[list(side) for side in zip(*arms, strict=True)],
        fmt=mark,
        color=colour,
        markersize=3.5,
        elinewidth=1.0,
        linewidth=0.9,
        label=words,
    )


EXPERIMENT = Experiment(
    summary="Distance from the data and communication, by sampling probability",
    source="Biswas et al., Fig. 3",
    trial=collected,
    grid=[
        {
            "law": [LAW],
            "users": [USERS],
            "estimator": ["per-report"],
            "sampling": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
            "epsilon": [1.0, 2.0, 4.0, 6.0],
        },
    ],
    measures=[SQUARED, RAW, NORMALISED, REPORTS],
    trials=300,
    quick={"sampling": [0.1, 0.5, 0.9, 1.0]},
    quick_trials=10,
    choices=(
        *CHOICES,
        "The estimator is ĉ, which uses the actual number of reports. The text names ĉ for "
        "this figure, although it recommends g, which uses the expected number.",
    ),
    claims=[
        PaperClaim(
            "Fig. 3, communication",
            SECTION,
            "The communication is O(nπ): at π = 0.9 divided by that at π = 0.1",
            "9",
            runs=communication,
        ),
        PaperClaim(
            "Fig. 3, trade-off",
            SECTION,
            "The distance from the data falls as π grows, at every step from 0.1 to 0.9",
            runs=everywhere("raw_tv", "sampling", ["epsilon"], falling),
            why="The distance is that of raw estimates. That of estimates clipped at 0 and scaled "
            "is smaller at 0.9 than at 0.1, too; at single steps our runs leave its order open.",
        ),
        PaperClaim(
            "Fig. 3, after a point",
            CONCLUSION,
            "After a point the distance does not decrease significantly compared to how much the "
            "communication increases: less from π = 0.5 to 0.9 than from 0.1 to 0.5",
            runs=everywhere("raw_tv", "sampling", ["epsilon"], less_for_more),
            why="So it is for clipped estimates.",
        ),
    ],
    figure=trade_off,
    cost=lambda _: 0.004,
)
