"""Fig. 2 of Joy and Gerla: errors at the locations with the most check-ins, among a million
owners.
"""

from collections.abc import Callable

from scenarios.joy.drawing import bounds
from scenarios.joy.expected import crossover
from scenarios.joy.lower import WORDS, lower_errors
from scenarios.joy.people import CHECKINS, CHOICES, GOWALLA, LOCATIONS
from scenarios.joy.trials import BOUND, RESPONSE, SAMPLING, cost, location
from simnet.studies.experiment import Experiment, Product
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.table import NoSuchPoint, Table
from simnet.studies.verdict_table import partial

SOURCE = "Joy and Gerla, section 5.1 and Fig. 2"
PLACES: Product = {
    "location": [str(rank) for rank in range(1, LOCATIONS + 1)],
    "owners": [CHECKINS],
}
WHY = (
    "The text does not say which locations are shown. With π_s = 0.45 and "
    f"0.25, the factor 1.6 belongs to {CHECKINS / crossover(0.45, 1.6):,.0f} and "
    f"{CHECKINS / crossover(0.25, 1.6):,.0f} check-ins, and the factor 3.5 to "
    f"{CHECKINS / crossover(0.45, 3.5):,.0f} and {CHECKINS / crossover(0.25, 3.5):,.0f}."
)


RUNS_OR_FORMULA = (
    "The text does not say whether its error bounds follow from a formula, as we assume, or from "
    "runs. If they follow from runs, we know neither the number of runs nor their scatter, and "
    "the row would be undecided."
)


def factor(place: int) -> Callable[[Table], Counterpart]:
    """Return a function that reads a factor: the error bound of randomised response divided by the
    error bound of sampling.

    `place` chooses among the sorted factors: 0 for the smallest, -1 for the largest.
    """

    def reading(table: Table) -> Counterpart:
        pairs = [
            quotient(
                table.at("bound", location=spot, mechanism="response"),
                table.at("bound", location=spot, sampling=s),
            )
            for spot in table.values("location")
            for s in table.values("sampling")
        ]
        if not pairs:
            raise NoSuchPoint("at no location were both randomised response and sampling run")
        return sorted(pairs, key=lambda one: one.law)[place]

    return reading


EXPERIMENT = Experiment(
    summary="Errors of sampling and of randomised response, check-ins at a location",
    source="Joy and Gerla, Fig. 2",
    trial=location,
    grid=[{**PLACES, **RESPONSE}, {**PLACES, **SAMPLING}],
    measures=[BOUND],
    trials=20,
    quick_trials=2,
    files=[GOWALLA],
    data=partial(
        "the 2,000 locations of New York City with the most check-ins, with 73,188 check-ins; the "
        "paper counts a million check-ins over all locations, and we take a million owners"
    ),
    choices=(
        *CHOICES,
        "We take the four locations with the most check-ins in our data; the text does not name "
        "the locations of Fig. 2.",
    ),
    quotes=[
        Quote(
            SOURCE,
            "smallest quotient of the worst-case error of randomised response and that of sampling",
            "1.6",
            factor(0),
            why=WHY,
            disputed=RUNS_OR_FORMULA,
        ),
        Quote(
            SOURCE,
            "largest quotient of the worst-case error of randomised response and that of sampling",
            "3.5",
            factor(-1),
            why=WHY,
            disputed=RUNS_OR_FORMULA,
        ),
        *lower_errors(
            SOURCE,
            "at every location",
            "location",
            "At some location the error of sampling is not smaller by as much as the row asks.",
        ),
    ],
    words=WORDS,
    figure=lambda table: bounds(
        table,
        "location",
        "location of Gowalla, by the rank of its check-ins",
        "check-ins",
        "Check-ins by location",
        "The paper does not name its four locations; these are the ones with the most check-ins.",
    ),
    cost=cost,
)
