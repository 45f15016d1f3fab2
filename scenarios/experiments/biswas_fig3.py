"""Fig. 3 of Biswas, Cormode and Maple: distance from the data, and communication, by sampling
chance.
"""

from scenarios.biswas.drawing import trade_off
from scenarios.biswas.people import CHOICES, USERS
from scenarios.biswas.trials import NORMALISED, RAW, REPORTS, SQUARED, collected
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.statements import Numbers, everywhere, falls
from simnet.studies.table import NoSuchPoint, Table

SECTION = "Biswas et al., section 4"
LEAST, MOST = 0.1, 0.9
DRASTIC = 2.0  # what is taken for "drastically"


def communication(table: Table) -> Counterpart:
    """How many times as many reports come with the largest as with the smallest of the paper's
    chances.
    """
    epsilon = next(iter(table.values("epsilon")), None)
    if epsilon is None:
        raise NoSuchPoint("nothing was run")
    most, least = (table.at("reports", sampling=one, epsilon=epsilon) for one in (MOST, LEAST))
    return quotient(most, least)


def not_drastic(numbers: Numbers) -> bool:
    """Whether a tenth of the users does not double the distance that all have."""
    return numbers[LEAST] < DRASTIC * numbers[1.0]


def falling(numbers: Numbers) -> bool:
    """Whether more users make a smaller distance, at chances so far apart that the runs tell them
    apart.
    """
    return falls({sampling: numbers[sampling] for sampling in (LEAST, 0.5, MOST)})


EXPERIMENT = Experiment(
    summary="Distance from the data and communication, by sampling chance",
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
                "share of the ε at which the distance of raw estimates falls with π, from 0.1 "
                "to 0.5 and 0.9"
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
                        "it is three times as large, or four, at each of these ε; the text has "
                        "no number"
                    ),
                ),
                (
                    "normalised_tv",
                    "clipped and scaled",
                    "at ε = 1 alone, where clipping hides most of the noise; the "
                    "text states neither ε nor clipping",
                ),
            )
        ),
    ],
    figure=trade_off,
    cost=lambda _: 0.004,
)
