"""Fig. 2 of Joy and Gerla: errors at the locations with the most check-ins, among a million
owners.
"""

from collections.abc import Callable

from scenarios.joy.drawing import bounds
from scenarios.joy.expected import crossover
from scenarios.joy.lower import lower_errors
from scenarios.joy.people import CHECKINS, CHOICES, GOWALLA, LOCATIONS
from scenarios.joy.trials import BOUND, RESPONSE, SAMPLING, cost, location
from simnet.studies.data import partial
from simnet.studies.experiment import Experiment, Product
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.readings import quotient
from simnet.studies.table import NoSuchPoint, Table

SOURCE = "section 5.1 and Fig. 2"
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
    claims=[
        *(
            PaperClaim(
                f"Fig. 2, {words}",
                SOURCE,
                f"The {words} quotient of the worst-case errors of randomised response and "
                "sampling",
                printed,
                runs=factor(place),
                why=WHY,
            )
            for words, printed, place in (("smallest", "1.6", 0), ("largest", "3.5", -1))
        ),
        PaperClaim(
            "Fig. 2, lower",
            SOURCE,
            "Sampling Privacy has a significantly smaller error, at every location",
            runs=lower_errors("location"),
        ),
    ],
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
