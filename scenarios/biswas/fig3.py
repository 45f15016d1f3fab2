"""Fig. 3 of Biswas, Cormode and Maple: distance and communication by sampling probability."""

from collections.abc import Mapping
from math import isfinite, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import ESTIMATORS
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas.histograms import LEAST, MOST, only_first, smaller_at_the_end
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
from simnet.studies.experiment import Experiment, Word
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.statements import MeasureByAxis, everywhere, falls
from simnet.studies.table import NoSuchPoint, Table, estimated

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SECTION, CONCLUSION = "Biswas et al., section 4 and Fig. 3", "Biswas et al., section 6 and Fig. 3"
LAW = "binomial"
ABSOLUTE, RELATIVE = "drastic", "drastic times"  # words
NO_STEPS = (
    "The text does not say that the distance falls at every step. At π = 0.9 the distance is "
    "smaller than at π = 0.1, as another row says."
)
NO_THRESHOLD = "the text has no number for a drastic difference"
WITHOUT_NUMBER = (
    "The text has no number for 'drastic'. A reader may find a difference drastic, or not, "
    "without one."
)


def communication(table: Table) -> Counterpart:
    """The number of reports at π = 0.9 divided by that at π = 0.1, for the smallest ε that was run.

    Raises `NoSuchPoint` unless both values of π were run at this ε.
    """
    epsilon = min(table.values("epsilon"), default=None)
    if epsilon is None:
        raise NoSuchPoint("nothing was run")
    most, least = (table.at("reports", sampling=one, epsilon=epsilon) for one in (MOST, LEAST))
    return quotient(most, least)


def distances(table: Table, measure: str) -> dict[float, tuple[float, float]]:
    """The mean distances at π = 0.1 and at π = 1, for each ε.

    Raises `NoSuchPoint` if one of these means is missing.
    """
    found = {
        epsilon: tuple(
            table.at(measure, sampling=one, epsilon=epsilon).mean for one in (LEAST, 1.0)
        )
        for epsilon in table.values("epsilon")
    }
    if not found:
        raise NoSuchPoint("nothing was run")
    return {epsilon: (few, everybody) for epsilon, (few, everybody) in found.items()}


def difference_is_small(table: Table) -> Counterpart:
    """The share of the values of ε at which the distance at π = 0.1 exceeds that at π = 1 by less
    than the threshold.

    Raises `ValueError` if no threshold is given, because the text has none.
    """
    found = distances(table, "normalised_tv")
    return _below(table, ABSOLUTE, {epsilon: few - all_ for epsilon, (few, all_) in found.items()})


def quotient_is_small(table: Table) -> Counterpart:
    """The share of the values of ε at which the distance at π = 0.1 is less than the threshold
    times that at π = 1.

    Raises `ValueError` if no threshold is given, because the text has none.
    """
    found = distances(table, "raw_tv")
    return _below(table, RELATIVE, {epsilon: few / all_ for epsilon, (few, all_) in found.items()})


def _below(table: Table, word: str, numbers: Mapping[float, float]) -> Counterpart:
    threshold = table.word(word)
    if isnan(threshold):
        listed = ", ".join(f"{number:.3g} at ε = {one:g}" for one, number in numbers.items())
        raise ValueError(
            f"{NO_THRESHOLD} (we found {listed}). The option --word '{word}=...' gives a threshold"
        )
    share = sum(number < threshold for number in numbers.values()) / len(numbers)
    return Counterpart(None, share, share, share, share=True)


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
    words={
        ABSOLUTE: Word(
            nan,
            "a difference of two total variation distances is drastic if it is at least this "
            "number",
        ),
        RELATIVE: Word(
            nan,
            "a distance is drastically larger than another if it is at least this many times as "
            "large",
        ),
    },
    quotes=[
        Quote(
            SECTION,
            "the communication at π = 0.9 divided by that at π = 0.1: it is proportional to n π",
            lambda _: MOST / LEAST,
            communication,
            under="the caption's O(nπ) means proportional to n π",
            points="the smallest ε that was run; the expected number of reports does not depend "
            "on ε",
        ),
        *(
            everywhere(
                SECTION,
                "there is a trade-off between communication and distance: the distance from the "
                "data falls as π grows",
                measure,
                "sampling",
                ["epsilon"],
                holds,
                under=f"{words}; {steps}",
                points="the figure goes from π = 0.1 to 0.9; the text names no steps between them, "
                "and no ε",
                disputed=NO_STEPS if holds is falling and measure == "normalised_tv" else "",
            )
            for holds, steps in (
                (falling, "it falls at every step of π"),
                (smaller_at_the_end, "it is smaller at π = 0.9 than at π = 0.1"),
            )
            for measure, words in (
                ("raw_tv", "the distance of raw estimates"),
                ("normalised_tv", "the distance of estimates clipped at 0 and scaled"),
            )
        ),
        *(
            everywhere(
                CONCLUSION,
                "after a point, the distance does not decrease significantly compared to how much "
                "the communication increases",
                measure,
                "sampling",
                ["epsilon"],
                less_for_more,
                under="from π = 0.5 to 0.9 the distance falls by less than from 0.1 to 0.5, "
                f"though both steps add equally many reports; {words}",
                points="the text names no point and no ε",
                disputed="The text names no point and no measure; we chose both.",
            )
            for measure, words in (
                ("raw_tv", "the distance of raw estimates"),
                ("normalised_tv", "the distance of estimates clipped at 0 and scaled"),
            )
        ),
        Quote(
            CONCLUSION,
            "a tenth of the users and all users make no drastic difference in the distance",
            STATED,
            difference_is_small,
            under="the difference of the distances of estimates clipped at 0 and scaled",
            why="With the threshold that was given, the difference is drastic at some ε.",
            disputed=WITHOUT_NUMBER,
            points="π = 0.1 and 1, as in the text; the text names no ε",
        ),
        Quote(
            CONCLUSION,
            "a tenth of the users and all users make no drastic difference in the distance",
            STATED,
            quotient_is_small,
            under="the quotient of the distances of raw estimates; such a distance can be above 1, "
            "as raw estimates need not be a distribution",
            why="With the threshold that was given, the quotient is drastic at some ε.",
            disputed=WITHOUT_NUMBER,
            points="π = 0.1 and 1, as in the text; the text names no ε",
        ),
    ],
    figure=trade_off,
    cost=lambda _: 0.004,
)
