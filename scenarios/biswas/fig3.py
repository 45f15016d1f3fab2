"""Fig. 3 of Biswas, Cormode and Maple: distance and communication by sampling probability."""

from typing import TYPE_CHECKING

import numpy as np

from scenarios.biswas.people import CHOICES, USERS
from scenarios.biswas.trials import NORMALISED, RAW, REPORTS, SQUARED, collected
from simnet.scenario.figure import blank_figure
from simnet.studies.curves import COLOURS, MARKERS, dress
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.statements import MeasureByAxis, everywhere, falls
from simnet.studies.table import NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECTION = "Biswas et al., section 4"
LEAST, MOST = 0.1, 0.9
DRASTIC = 2.0  # times the distance: what we take "drastically" for


def communication(table: Table) -> Counterpart:
    """The number of reports at π = 0.9 divided by that at π = 0.1."""
    epsilon = next(iter(table.values("epsilon")), None)
    if epsilon is None:
        raise NoSuchPoint("nothing was run")
    most, least = (table.at("reports", sampling=one, epsilon=epsilon) for one in (MOST, LEAST))
    return quotient(most, least)


def not_drastic(numbers: MeasureByAxis) -> bool:
    """Whether the distance with a tenth of the users is below twice the distance with all users."""
    return numbers[LEAST] < DRASTIC * numbers[1.0]


def falling(numbers: MeasureByAxis) -> bool:
    """Whether the distance falls from π = 0.1 to 0.5 and to 0.9.

    These three are far enough apart that the runs can tell their distances apart.
    """
    return falls({sampling: numbers[sampling] for sampling in (LEAST, 0.5, MOST)})


def trade_off(table: Table) -> "Figure":
    """Draw three panels over π: the distance of raw estimates, that of normalised ones, and the
    bits sent.
    """
    figure: Figure = blank_figure()(figsize=(12, 4), layout="constrained")
    raw, normalised, sent = figure.subplots(1, 3)
    for place, epsilon in enumerate(table.values("epsilon")):
        part, style = (
            table.where(epsilon=epsilon),
            {"color": COLOURS[place], "markersize": 3.5, "linewidth": 0.7},
        )
        chances = sorted(part.values("sampling"))
        for axes, measure, line in ((raw, "raw_tv", ""), (normalised, "normalised_tv", "-")):
            means = [part.at(measure, sampling=one).mean for one in chances]
            axes.plot(chances, means, MARKERS[place] + line, label=f"ε = {epsilon:g}", **style)
        raw.plot(
            chances,
            [part.at("raw_tv", sampling=one).expected for one in chances],
            color=COLOURS[place],
            linewidth=0.7,
        )
    chances = sorted(table.values("sampling"))
    users = table.values("users")[0]
    bits = [
        np.mean([row["bits"] for row in table.where(sampling=one).rows]) / 1000 for one in chances
    ]
    sent.plot(chances, bits, "o-", color=COLOURS[0], markersize=3.5, linewidth=0.7)
    for axes, title, log_y in (
        (raw, "distance of raw estimates", True),
        (normalised, "distance, clipped and scaled", True),
        (sent, f"kbit sent by {users:,} users", False),
    ):
        dress(axes, title, "sampling probability π", log_x=False, log_y=log_y)
    raw.set_ylabel("total variation distance")
    sent.set_ylim(0, None)
    raw.legend(frameon=False, fontsize=7)
    notes = "Estimator ĉ, Binomial(100, 0.5). Lines of the first panel: expected for normal errors."
    figure.supxlabel(notes, fontsize=6.5, x=0.01, ha="left")
    return figure


EXPERIMENT = Experiment(
    summary="Distance from the data and communication, by sampling probability",
    source="Biswas et al., Fig. 3",
    trial=collected,
    grid=[
        {
            "law": ["binomial"],
            "users": [USERS],
            "estimator": ["per-report"],
            "sampling": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
            "epsilon": [1.0, 2.0, 4.0, 6.0],
        },
    ],
    measures=[SQUARED, RAW, NORMALISED, REPORTS],
    trials=100,
    quick={"sampling": [0.1, 0.5, 0.9, 1.0]},
    quick_trials=10,
    choices=(
        *CHOICES,
        "the estimator is ĉ, as the text says of this figure, though it recommends g",
    ),
    quotes=[
        Quote(
            SECTION,
            "communication at π = 0.9 over that at π = 0.1, said to go with n π",
            lambda _: MOST / LEAST,
            communication,
        ),
        everywhere(
            SECTION,
            (
                "share of the ε at which the distance of raw estimates falls with π, from 0.1 to "
                "0.5 and 0.9"
            ),
            "raw_tv",
            "sampling",
            ["epsilon"],
            falling,
        ),
        *(
            everywhere(
                "Biswas et al., section 6",
                "share of the ε at which a tenth of the users does not make the distance "
                f"drastically larger than all do: less than twice as large, {words}",
                measure,
                "sampling",
                ["epsilon"],
                not_drastic,
                why=why,
            )
            for measure, words, why in (
                (
                    "raw_tv",
                    "raw",
                    (
                        "it is three times as large, or four, at each of these ε; the text has no "
                        "number"
                    ),
                ),
                (
                    "normalised_tv",
                    "clipped and scaled",
                    "at ε = 1 alone, where clipping hides most of the noise; the text states "
                    "neither ε nor clipping",
                ),
            )
        ),
    ],
    figure=trade_off,
    cost=lambda _: 0.004,
)
