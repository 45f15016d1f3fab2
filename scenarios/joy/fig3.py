"""Fig. 3 of Joy and Gerla: ε by the probability of a coin or of a face, as printed and exact."""

from collections.abc import Iterable
from functools import partial
from itertools import pairwise

import attrs

from protocols.mechanisms.response import JoyGerla
from scenarios.joy.drawing import leakage as leakage_figure
from scenarios.joy.expected import COMPETITOR
from scenarios.joy.printed import AS_MUCH, equation_29, equation_30
from scenarios.joy.trials import leakage
from simnet.studies.experiment import Experiment
from simnet.studies.quote import STATED, Counterpart, Quote, Stated
from simnet.studies.readings import quotient, share_less
from simnet.studies.statements import listed_in_words
from simnet.studies.table import Measure, NoSuchPoint, Table

SOURCE = "Joy and Gerla, section 5.2 and Fig. 3"
CONCLUSION = "Joy and Gerla, section 6 and Fig. 3"
FOUR = "as much as four times lower leakage than randomised response"
USERS = 100_000  # so many users hold one value, and equally many users hold the other value
POINTS = tuple(k / 20 for k in range(1, 20))


def readings(table: Table, curve: str) -> dict[float, Counterpart]:
    """Return the points of a curve by x, in increasing order.

    Raises `NoSuchPoint` if the curve was not run.
    """
    part = table.where(curve=curve)
    if not part.rows:
        raise NoSuchPoint(f"no trial of the curve {curve!r} was run")
    return {x: Counterpart.of(part.at("epsilon", x=x)) for x in sorted(part.values("x"))}


def judged(found: Counterpart, xs: Iterable[float]) -> Counterpart:
    """Return the counterpart with the x at which its statement was judged."""
    return attrs.evolve(found, judged_at=f"x {listed_in_words(list(xs))}")


def growing(table: Table, curve: str) -> Counterpart:
    """The share of the steps of x at which a curve grows."""
    found = readings(table, curve)
    return judged(share_less(list(pairwise(found.values()))), found)


def falling(table: Table, curve: str) -> Counterpart:
    """The share of the steps of x at which a curve falls."""
    found = readings(table, curve)
    return judged(share_less([(later, one) for one, later in pairwise(found.values())]), found)


def lower(table: Table, ours: str, theirs: str, values: int | None = None) -> Counterpart:
    """The share of x at which one curve is below another.

    Only those x count for which both curves were run. `values` is V of the curve `ours`, if it has
    one.
    """
    part = readings(table.where(curve=ours, values=values), ours)
    other = readings(table, theirs)
    xs = [x for x in part if x in other]
    return judged(share_less([(part[x], other[x]) for x in xs]), xs)


def ratio(table: Table) -> Counterpart:
    """Return the largest quotient, over x, of the exact ε of randomised response and the ε of
    Eq. 29.

    Raises `NoSuchPoint` if no x was run for both curves.
    """
    other = readings(table, "response")
    xs = [x for x in readings(table, "eq. 29") if x in other]
    pairs = [
        (table.at("epsilon", curve="response", x=x), table.at("epsilon", curve="eq. 29", x=x))
        for x in xs
    ]
    if not pairs:
        raise NoSuchPoint("no x was run for both curves")
    return judged(max((quotient(*pair) for pair in pairs), key=lambda one: one.law), xs)


def ratio_of_circles(table: Table) -> Counterpart:
    """Return the largest quotient of two ε: that of randomised response by Eq. 30 at the evaluated
    coin, 0.2, and that of Eq. 29 at an x of its curve.

    Raises `NoSuchPoint` if Eq. 30 was not run at 0.2, or Eq. 29 was run at no x.
    """
    evaluated = table.at("epsilon", curve="eq. 30", x=float(COMPETITOR.yes))
    xs = readings(table, "eq. 29")
    pairs = [quotient(evaluated, table.at("epsilon", curve="eq. 29", x=x)) for x in xs]
    return judged(max(pairs, key=lambda one: one.law), xs)


EXACT_LESS = (
    "The most revealing answer is that of the rarest face. For large x this is not the face of "
    "the value."
)
# The faces besides "sampled" have probability 0.55 together. If one face has all of it, the exact ε
# is infinite: we leave out this x, for Eq. 29 too.
ROOM = [x for x in POINTS if x < 0.55]
COINS = "the paper shows a curve; at x = 0 and 1 the exact ε is infinite"
FACES = (
    "at x = 0.55 and π_s = 0.45 all other faces have probability 0: the exact ε is infinite, and "
    f"Eq. 29 gives {equation_29(0.45, 0.55):.4f}"
)
BY_FORMULAS = "The text measures the leakage by its formulas, Eq. 29 and 30."

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
            "Besides the ε by the printed formulas, we compute the exact ε: the largest over both "
            'answers and all values. For it, all faces besides "sampled" and the value\'s face '
            "are equally likely."
        ),
        (
            "For sampling, ε is that of round two alone. An owner's two answers, or the sums of "
            "both rounds, have no finite ε."
        ),
    ),
    quotes=[
        *(
            Quote(
                SOURCE,
                "the leakage of randomised response falls as the second coin's probability grows",
                STATED,
                partial(falling, curve=curve),
                why=(
                    "Eq. 30 looks at the answer yes only. Above 1/2 the answer no reveals more, "
                    "and the exact ε grows again."
                ),
                under=under,
                points=COINS,
                disputed=BY_FORMULAS if curve == "response" else "",
            )
            for curve, under in (
                ("eq. 30", "ε by Eq. 30, as the paper computes it; Eq. 30 is wrong above 1/2"),
                ("response", "the exact ε: the larger of the two ε of the answers yes and no"),
            )
        ),
        Quote(
            SOURCE,
            "the leakage of sampling grows with the probability of the value's face",
            STATED,
            lambda table: growing(table, "eq. 29"),
            under="ε by Eq. 29; the face is that of the value in round one, π_V'",
            why="By Eq. 29 the ε falls with every step.",
            points=FACES,
            disputed="The text calls this probability the one 'for the truthful response'. If it "
            "is read as π_s, the ε grows with it, as in a row of joy_text.",
        ),
        *(
            Quote(
                SOURCE,
                "sampling leaks less than randomised response",
                STATED,
                partial(lower, ours=ours, theirs=theirs, values=values),
                why=EXACT_LESS,
                under=f"{under}, at the same x",
                points=FACES,
                disputed=BY_FORMULAS if values is not None else "",
            )
            for ours, theirs, values, under in (
                ("eq. 29", "eq. 30", None, "both by the paper's formulas, Eq. 29 and 30"),
                ("sampling", "response", 1, "both by the exact ε, with the values yes and no"),
                ("sampling", "response", 9, "both by the exact ε, with 9 values for sampling"),
            )
        ),
        Quote(
            CONCLUSION,
            FOUR,
            Stated(4.0),
            ratio_of_circles,
            bound="at least",
            under="by Eq. 30 at the evaluated coin, 0.2, and by Eq. 29 at the best x of our grid; "
            "the text does not say at which x sampling was evaluated",
            points=f"{FACES}, with the quotient "
            f"{equation_30(0.8, 0.2) / equation_29(0.45, 0.55):.4g}",
            disputed=AS_MUCH,
        ),
        Quote(
            CONCLUSION,
            FOUR,
            Stated(4.0),
            ratio,
            bound="at least",
            under="by Eq. 29, and by the exact ε of randomised response, at the same x",
            why="The quotient is below 4 at every point of the grid.",
            points=f"{FACES}, with the quotient "
            f"{JoyGerla(0.8, 0.55).exact_epsilon / equation_29(0.45, 0.55):.4g}",
            disputed=AS_MUCH,
        ),
    ],
    figure=leakage_figure,
    cost=lambda _: 0.002,
)
