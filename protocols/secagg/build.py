"""Build secure aggregation from plain settings, as scenarios and sweeps give them.

The setting `left` gives the threshold as a share of the users who hold shares of a secret, so that
it fits every number of users.
"""

from fractions import Fraction
from math import floor
from typing import Annotated, Any, Literal, get_args

from protocols import checks
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.privacy.statement import positive_epsilon
from protocols.secagg.script import SecAgg, SecAggPlus
from protocols.sharing.encoding import Participation

Answer = Literal["dpds", "dpdg"]
Left = Annotated[
    float,
    "so large a share of a secret's holders cannot open it: with h holders (n, or k + 1 in "
    "SecAgg+) the threshold is t = floor(left * h) + 1, but at least 2, and 0 <= left < 1",
]
Epsilon = Annotated[
    float,
    (
        "the ε for which the noise of DPDG is calibrated, above 0, and at most 1 if users send "
        "answers of DPDG"
    ),
]
Delta = Annotated[float, "the δ for which the noise of DPDG is calibrated, 0 < δ < 1"]
WhichAnswer = Annotated[Answer, "what users send: the answers of DPDS or of DPDG"]


def secagg(
    *,
    users: int,
    items: int,
    answer: WhichAnswer = "dpds",
    participation: Participation = 0.5,
    epsilon: Epsilon = 0.5,
    delta: Delta = 1e-5,
    left: Left = 0.5,
    active: Annotated[
        bool, "whether users sign their keys and the list of users, against a server that lies"
    ] = False,
) -> SecAgg:
    """Return secure aggregation among all users.

    Raises `ValueError` for a parameter out of range, also if this `answer` does not use it.

    >>> secagg(users=100, items=30).threshold
    51
    """
    asked = _question(users, items, answer, participation, epsilon, delta)
    return SecAgg(asked, _threshold(left, users), active)


def secagg_plus(
    *,
    users: int,
    items: int,
    answer: WhichAnswer = "dpds",
    participation: Participation = 0.5,
    epsilon: Epsilon = 0.5,
    delta: Delta = 1e-5,
    degree: Annotated[
        int, "k, the even number of neighbours of a user; with few users, as many as possible"
    ] = 20,
    left: Left = 0.5,
) -> SecAggPlus:
    """Return secure aggregation among neighbours.

    Users on a circle have at most n - 1 neighbours, or n - 2 if n is even; a larger `degree` is
    lowered to this number. Raises `ValueError` for a parameter out of range, also if this `answer`
    does not use it.

    >>> secagg_plus(users=100, items=30).threshold
    11
    """
    asked = _question(users, items, answer, participation, epsilon, delta)
    checks.whole("users", users, 3)
    degree = min(degree, 2 * ((users - 1) // 2))
    return SecAggPlus(asked, _threshold(left, degree + 1), degree=degree)


def _threshold(left: float, holders: int) -> int:
    if not 0 <= left < 1:
        raise ValueError(f"left is a share from 0 to below 1, got left={left}")
    share = Fraction(str(left))  # as it was written: in doubles, 0.29 * 100 is less than 29
    return max(2, floor(share * holders) + 1)


def _question(
    users: int, items: int, answer: Answer, participation: float, epsilon: float, delta: float
) -> DPDS | DPDG:
    checks.one_of("answer", answer, get_args(Answer))
    checks.positive_chance("participation", participation)
    positive_epsilon(epsilon)
    checks.delta(delta)
    if answer == "dpds":
        return DPDS(users=users, items=items, participation=participation)
    if epsilon > 1:
        raise ValueError(
            "with answer=dpdg epsilon is at most 1, because the noise has the classic calibration: "
            f"got {epsilon:g}"
        )
    common: dict[str, Any] = {"users": users, "items": items}
    return DPDG(**common, epsilon=epsilon, delta=delta)
