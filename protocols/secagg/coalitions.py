"""Coalitions of users and the server, and the claims about them."""

from protocols.secagg.script import KEYS, SecAgg, SecAggPlus
from simnet.coins.sampled import SampledCoins
from simnet.kernel.run import Run
from simnet.scenario.claims import Chosen, Exposes, LearnsNothing, LearnsOnlyOutput


def rings(run: Run) -> dict[str, list[str]]:
    """Return, for each user whose keys reached the server, the neighbours that the server chose for
    it in this run. Users whose keys did not come are left out as neighbours, too.
    """
    protocol: SecAgg = run.protocol
    coins = SampledCoins(run.seed, "server")
    return dict(protocol.rings(list(run.happened.heard("server", KEYS.name)), coins))


def too_few(run: Run) -> list[str]:
    """Return t - 1 users: one user fewer than are needed to open a secret."""
    return list(run.roster.role("user"))[: run.protocol.threshold - 1]


def enough(run: Run) -> list[str]:
    """Return t users who hold shares of the secrets of one other user, whose vector came.

    The vectors of the t users came, too. Returns nobody if there are no such users.
    """
    t, came = run.protocol.threshold, run.protocol.counted(run.happened)
    of_those_who_came = (ring for name, ring in rings(run).items() if name in came)
    holders = ([name for name in ring if name in came] for ring in of_those_who_came)
    return next((found[:t] for found in holders if len(found) >= t), [])


def _with_the_server(users: list[str]) -> list[str]:
    return ["server", *users] if users else []


def refuse_degree(protocol: SecAgg) -> None:
    """Raise `ValueError` if users of SecAgg+ have so few neighbours that nobody may drop out."""
    if isinstance(protocol, SecAggPlus) and protocol.threshold > protocol.degree:
        raise ValueError(
            f"with threshold {protocol.threshold} and {protocol.degree} neighbours nobody may drop "
            "out: use a smaller left"
        )


CLAIMS = (
    LearnsNothing("u1"),
    LearnsNothing("all users but one"),
    LearnsOnlyOutput("server"),
    LearnsOnlyOutput(
        Chosen(
            "server, users, one too few to open a secret",
            lambda run: _with_the_server(too_few(run)),
        )
    ),
    Exposes(
        Chosen("server, users, enough to open a secret", lambda run: _with_the_server(enough(run)))
    ),
    LearnsNothing("network"),
)
