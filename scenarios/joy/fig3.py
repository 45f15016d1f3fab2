"""Fig. 3 of Joy and Gerla: ε by the probability of a coin or of a face, as printed and exact."""

from collections.abc import Sequence

from protocols.mechanisms.response import JoyGerla
from protocols.two_rounds.privacy import epsilon_round_two
from scenarios.joy.claims import falling
from scenarios.joy.drawing import leakage as leakage_figure
from scenarios.joy.printed import equation_29, equation_30
from scenarios.joy.trials import die_of_value, leakage
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import STATED, PaperClaim
from simnet.studies.table import Measure

SOURCE = "section 5.2 and Fig. 3"
USERS = 100_000  # so many users hold one value, and equally many users hold the other value
POINTS = tuple(k / 20 for k in range(1, 20))


def responses() -> list[float]:
    """Return the exact ε of randomised response at the points of the figure."""
    return [JoyGerla(0.8, x).exact_epsilon for x in POINTS]


def by_equation_30() -> list[float]:
    """Return the ε of Eq. 30 at the points of the figure."""
    return [equation_30(0.8, x) for x in POINTS]


def sampled(values: int) -> list[float]:
    """Return the exact ε of round two at the points where the value's face leaves room."""
    return [epsilon_round_two(die_of_value(0.45, values, x)) for x in ROOM]


def lower(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the share of points at which sampling has the smaller ε."""
    return sum(one < other for one, other in zip(ours, theirs, strict=False)) / len(ours)


ROOM = [x for x in POINTS if x < 0.55]  # sampled takes 0.45, the other faces the rest

EXPERIMENT = Experiment(
    summary=("ε of sampling and of randomised response, by the probability of a coin or a face"),
    source="Joy and Gerla, Fig. 3",
    trial=leakage,
    grid=[
        {"curve": ["eq. 30", "response"], "x": list(POINTS), "truthful": [0.8], "users": [USERS]},
        {"curve": ["eq. 29"], "x": list(ROOM), "sampling": [0.45], "users": [USERS]},
        {
            "curve": ["sampling"],
            "x": list(ROOM),
            "sampling": [0.45],
            "values": [1, 9],
            "users": [USERS],
        },
    ],
    measures=[Measure("epsilon", "ε of one answer", "expected_epsilon", "deviation_epsilon")],
    trials=10,
    quick={"x": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]},
    choices=(
        (
            "Besides the ε by the printed formulas, we compute the exact ε: the largest over both "
            'answers and all values. For it, all faces besides "sampled" and the value\'s face '
            "are equally likely."
        ),
        (
            "For sampling, ε is that of round two alone. An owner's two answers, or the sums of "
            "both rounds, have no finite ε."
        ),
    ),
    claims=[
        PaperClaim(
            "Fig. 3, second coin",
            SOURCE,
            "The leakage of randomised response falls as the second coin's probability grows",
            STATED,
            lambda: falling(responses()),
            condition="It holds by Eq. 30, which is wrong above 1/2; the exact ε grows again "
            "there.",
            under=lambda: falling(by_equation_30()),
            check="`simnet reproduce joy_fig3`",
        ),
        PaperClaim(
            "Fig. 3, lower",
            SOURCE,
            "Sampling leaks less than randomised response at the same x",
            STATED,
            lambda: lower(sampled(9), responses()),
            condition="It holds by the paper's formulas, Eq. 29 and 30.",
            under=lambda: lower([equation_29(0.45, x) for x in ROOM], by_equation_30()),
            why="By the exact ε it does so at half of the points with 9 values, and at 90 % with "
            "yes and no: the most revealing answer is that of the rarest face.",
            check="`simnet reproduce joy_fig3`",
        ),
    ],
    figure=leakage_figure,
    cost=lambda _: 0.002,
)
