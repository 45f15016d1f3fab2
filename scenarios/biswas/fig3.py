"""Fig. 3 of Biswas, Cormode and Maple: distance and communication by sampling probability."""

from collections.abc import Mapping
from math import isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from scenarios.biswas.people import CHOICES, USERS
from scenarios.biswas.trials import NORMALISED, RAW, REPORTS, SQUARED, collected
from simnet.scenario.figure import blank_figure
from simnet.studies.curves import COLOURS, MARKERS, dress
from simnet.studies.experiment import Experiment, Word
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.statements import MeasureByAxis, everywhere, falls
from simnet.studies.table import NoSuchPoint, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SECTION, CONCLUSION = "Biswas et al., section 4 and Fig. 3", "Biswas et al., section 6 and Fig. 3"
LEAST, MOST = 0.1, 0.9
ABSOLUTE, RELATIVE = "drastic", "drastic times"  # words
NO_THRESHOLD = "the text has no number for a drastic difference"


def communication(table: Table) -> Counterpart:
    """The number of reports at π = 0.9 divided by that at π = 0.1."""
    epsilon = next(iter(table.values("epsilon")), None)
    if epsilon is None:
        raise NoSuchPoint("nothing was run")
    most, least = (table.at("reports", sampling=one, epsilon=epsilon) for one in (MOST, LEAST))
    return quotient(most, least)


def distances(table: Table, measure: str) -> dict[float, tuple[float, float]]:
    """The mean distances with a tenth of the users and with all of them, by ε.

    Raises `NoSuchPoint` if the trials lack one of them.
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
    """The share of ε at which all users bring the distance down by less than the threshold.

    Raises `ValueError` if no threshold is given, because the text has none.
    """
    found = distances(table, "normalised_tv")
    return _below(table, ABSOLUTE, {epsilon: few - all_ for epsilon, (few, all_) in found.items()})


def quotient_is_small(table: Table) -> Counterpart:
    """The share of ε at which the distance with a tenth of the users is less than the threshold
    times that with all users.

    Raises `ValueError` if no threshold is given, because the text has none.
    """
    found = distances(table, "raw_tv")
    return _below(table, RELATIVE, {epsilon: few / all_ for epsilon, (few, all_) in found.items()})


def _below(table: Table, word: str, numbers: Mapping[float, float]) -> Counterpart:
    threshold = table.word(word)
    if isnan(threshold):
        listed = ", ".join(f"{number:.3g} at ε = {one:g}" for one, number in numbers.items())
        raise ValueError(f"{NO_THRESHOLD} (we found {listed}); --word '{word}=...' gives one")
    share = sum(number < threshold for number in numbers.values()) / len(numbers)
    return Counterpart(None, share, share, share, share=True)


def less_for_more(numbers: MeasureByAxis) -> bool:
    """Whether a further report brings the distance down less from π = 0.5 to 0.9 than from 0.1 to
    0.5.
    """
    return numbers[0.5] - numbers[MOST] < numbers[LEAST] - numbers[0.5]


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
    words={
        ABSOLUTE: Word(
            nan,
            "a difference of two total variation distances from this on is drastic; by default no "
            "number, because the text has none",
        ),
        RELATIVE: Word(
            nan,
            "a distance from this many times another on is drastically larger; by default no "
            "number, because the text has none",
        ),
    },
    quotes=[
        Quote(
            SECTION,
            "the communication at π = 0.9 divided by that at π = 0.1: it goes with n π",
            lambda _: MOST / LEAST,
            communication,
        ),
        *(
            everywhere(
                SECTION,
                "the distance from the data falls as π grows",
                measure,
                "sampling",
                ["epsilon"],
                falling,
                under=words,
                points="π = 0.1, 0.5 and 0.9, which the runs can tell apart; the text names no ε",
            )
            for measure, words in (
                ("raw_tv", "the distance of raw estimates"),
                ("normalised_tv", "the distance of estimates clipped at 0 and scaled"),
            )
        ),
        *(
            everywhere(
                CONCLUSION,
                "after a point, a further report brings the distance down less",
                measure,
                "sampling",
                ["epsilon"],
                less_for_more,
                under=words,
                points="the fall from π = 0.5 to 0.9 beside that from 0.1 to 0.5, which sends as "
                "many reports; the text names no point and no ε",
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
            why="the difference is drastic at some ε, with the threshold that was given",
            points="π = 0.1 and 1, as in the text; it names no ε",
        ),
        Quote(
            CONCLUSION,
            "a tenth of the users and all users make no drastic difference in the distance",
            STATED,
            quotient_is_small,
            under="the quotient of the distances of raw estimates, which can be above 1 and are "
            "then no distances of distributions",
            why="the quotient is drastic at some ε, with the threshold that was given",
            points="π = 0.1 and 1, as in the text; it names no ε",
        ),
    ],
    figure=trade_off,
    cost=lambda _: 0.004,
)
