"""Fig. 3 of Joy and Gerla: ε by the probability of a coin or of a face, as printed and exact."""

from itertools import pairwise

from scenarios.joy.trials import leakage
from simnet.studies.curves import curves
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient, share_less
from simnet.studies.table import Measure, NoSuchPoint, Table

SOURCE = "Joy and Gerla, section 5.2"
USERS = 100_000  # so many users hold the one value, and as many hold the other
POINTS = tuple(k / 20 for k in range(1, 20))
WORDS = {
    "eq. 30": "randomised response, Eq. 30",
    "response": "randomised response, exact",
    "eq. 29": "sampling, one value by Eq. 29",
    "sampling": "sampling, all values",
}


def readings(table: Table, curve: str) -> dict[float, Counterpart]:
    """Return the points of a curve by x, in increasing order.

    Raises `NoSuchPoint` if the curve was not run.
    """
    part = table.where(curve=curve)
    if not part.rows:
        raise NoSuchPoint(f"nothing was run of {curve}")
    return {x: Counterpart.of(part.at("epsilon", x=x)) for x in sorted(part.values("x"))}


def growing(table: Table, curve: str) -> Counterpart:
    """The share of the steps of x at which a curve grows."""
    return share_less(list(pairwise(readings(table, curve).values())))


def falling(table: Table, curve: str) -> Counterpart:
    """The share of the steps of x at which a curve falls."""
    return share_less([(later, one) for one, later in pairwise(readings(table, curve).values())])


def lower(table: Table) -> Counterpart:
    """The share of x at which the ε of sampling (Eq. 29) is below the exact ε of randomised
    response.

    Only those x count for which both mechanisms exist.
    """
    ours, other = readings(table, "eq. 29"), readings(table, "response")
    return share_less([(ours[x], other[x]) for x in ours if x in other])


def ratio(table: Table) -> Counterpart:
    """The largest quotient, over x, of the exact ε of randomised response and the ε of Eq. 29."""
    xs = readings(table, "eq. 29").keys() & readings(table, "response").keys()
    pairs = [
        (table.at("epsilon", curve="response", x=x), table.at("epsilon", curve="eq. 29", x=x))
        for x in xs
    ]
    if not pairs:
        raise NoSuchPoint("nothing to compare")
    return max((quotient(*pair) for pair in pairs), key=lambda one: one.law)


ROOM = [x for x in POINTS if x < 0.55]  # the faces besides "sampled" have probability 0.55 together
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
    quick_trials=2,
    quick={"x": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]},
    choices=(
        (
            "beside the printed formulas stands the exact ε, over both answers and over all"
            " values, with equal probabilities of the other faces"
        ),
        (
            "ε is that of round two alone; an owner's two answers, or the sums of both rounds, "
            "have no finite ε"
        ),
    ),
    quotes=[
        Quote(
            SOURCE,
            "share of steps of the second coin at which randomised response leaks less",
            lambda _: 1.0,
            lambda table: falling(table, "response"),
            why=(
                "Eq. 30 looks at the answer yes only; above 1/2 the answer no tells more, and "
                "the exact ε grows again"
            ),
        ),
        Quote(
            SOURCE,
            "share of steps of the value's face at which sampling leaks more",
            lambda _: 1.0,
            lambda table: growing(table, "eq. 29"),
            why="by Eq. 29 the ε falls with every step",
        ),
        Quote(
            SOURCE,
            "share of x at which sampling leaks less, one value by Eq. 29",
            lambda _: 1.0,
            lower,
        ),
        Quote(
            "Joy and Gerla, section 6",
            "how many times less sampling leaks at the same x, by Eq. 29",
            lambda _: 4.0,
            ratio,
            bound="at least",
            why="at equal x no point of the figure gives so much, even for one value alone",
        ),
    ],
    figure=lambda table: curves(
        table,
        "x",
        panel="measure",
        line=["curve", "values"],
        words=lambda curve, values: WORDS[curve] + ("" if values is None else f", V={values}"),
        titles={"epsilon": "Privacy leakage, round two alone"},
        x_label="probability of the second coin, or of the value's face",
        notes=(
            "Points: from the answers of users, 99.9 % for all together. Lines: by formula.",
            "Both rounds together, of one owner or summed up, have no finite ε.",
        ),
        log_y=False,
    ),
    cost=lambda _: 0.002,
)
