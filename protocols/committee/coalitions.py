"""Coalitions of users, committee members and the server, and the claims about them."""

from protocols.committee.script import Committee
from protocols.sharing.coalitions import refuse_unreachable
from simnet.kernel.run import Run
from simnet.scenario.claims import Chosen, Exposes, LearnsNothing, LearnsOnlyOutput


def refuse_threshold(protocol: Committee) -> None:
    """Raise `ValueError` for a threshold above the number of parties that hold shares."""
    refuse_unreachable(protocol.sharing, protocol.holders, "parties with shares")


def enough(run: Run, role: str) -> list[str]:
    """Return the fewest parties of a role who can open a shared secret together; nobody if these
    are all users.
    """
    names = list(run.roster.role(role))
    needed = run.protocol.sharing.needed(run.protocol.holders)
    return [] if role == "user" and needed >= len(names) else names[:needed]


def too_few(run: Run, role: str) -> list[str]:
    """Return parties of a role: one fewer than are needed to open a secret together."""
    names = list(run.roster.role(role))
    return names[: run.protocol.sharing.needed(run.protocol.holders) - 1]


CLAIMS_OF_A_COMMITTEE = (
    LearnsNothing("u1"),
    LearnsNothing(
        Chosen("members, one too few to open shares", lambda run: too_few(run, "member"))
    ),
    LearnsOnlyOutput("server"),
    LearnsOnlyOutput(
        Chosen(
            "server, members, one too few to open shares",
            lambda run: ["server", *too_few(run, "member")],
        )
    ),
    Exposes(Chosen("members, enough to open shares", lambda run: enough(run, "member"))),
    LearnsNothing("network"),
)
CLAIMS_OF_USERS = (
    LearnsNothing("u1"),
    LearnsNothing(Chosen("users, one too few to open shares", lambda run: too_few(run, "user"))),
    LearnsOnlyOutput("server"),
    LearnsOnlyOutput(
        Chosen(
            "server, users, one too few to open shares",
            lambda run: ["server", *too_few(run, "user")],
        )
    ),
    Exposes(Chosen("users, enough to open shares", lambda run: enough(run, "user"))),
    LearnsNothing("network"),
)
