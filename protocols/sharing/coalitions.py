"""Coalitions that depend on the sharing, and in two-stage sampling on the users that S1 elected.

The module also lists the claims about these coalitions. *Enough users* are users who together hold
enough shares to open a secret.
"""

from typing import Any

import numpy as np

from protocols.sharing.schemes import Shamir, Sharing
from simnet.kernel.run import Run
from simnet.scenario.claims import Chosen, Exposes, LearnsNothing, LearnsOnlyOutput


def refuse_threshold(protocol: Any) -> None:
    """Raise `ValueError` for a threshold above the number of users.

    A protocol such as `DPDS` accepts such a threshold, and then all shares are needed. In a
    scenario such a threshold is a mistake.
    """
    refuse_unreachable(protocol.sharing, protocol.users, "users")


def refuse_unreachable(sharing: Sharing, holders: int, noun: str) -> None:
    """Raise `ValueError` for a threshold above the number of parties that hold shares."""
    if isinstance(sharing, Shamir) and sharing.threshold > holders:
        raise ValueError(
            f"sharing={sharing} needs {sharing.threshold} shares to open a secret: the threshold "
            f"is at most the number of {noun}, {holders}"
        )


def enough_users(run: Run) -> list[str]:
    """Return the fewest users who hold enough shares of everybody's secret.

    Returns no users if all users would be needed.
    """
    users = list(run.roster.role("user"))
    needed = run.protocol.sharing.needed(len(users))
    return users[:needed] if needed < len(users) else []


def too_few_users(run: Run) -> list[str]:
    """Return users, one fewer than are needed to open a secret."""
    users = list(run.roster.role("user"))
    return users[: run.protocol.sharing.needed(len(users)) - 1]


def enough_elected(run: Run) -> list[str]:
    """Return users who can open all answers for one item: among the items on which somebody
    reports, the item with the fewest elected users.

    The function returns as few elected users as are needed. Returns no users if all reporters of
    the item are among these users, or if S1 dropped out or could not finish.
    """
    if "S1" not in run.outputs:
        return []
    sets, elected = run.outputs["S1"]
    reported = [item for item in range(len(elected)) if sets[:, item].any()]
    item = min(reported, key=lambda item: (len(elected[item]), item))
    chosen = elected[item][: run.protocol.sharing.needed(len(elected[item]))]
    outside = np.setdiff1d(np.flatnonzero(sets[:, item]), chosen)
    users = list(run.roster.role("user"))
    return [users[place] for place in chosen] if outside.size else []


ENOUGH_USERS = Chosen("users, enough to open shares", enough_users)
TOO_FEW_USERS = Chosen("users, one too few to open shares", too_few_users)
SERVER_AND_TOO_FEW = Chosen(
    "server, users, one too few to open shares", lambda run: ["server", *too_few_users(run)]
)
ENOUGH_ELECTED = Chosen("enough of an item's elected users", enough_elected)
TOO_FEW_ELECTED = Chosen(
    "elected users of an item, one too few to open shares", lambda run: enough_elected(run)[:-1]
)

CLAIMS_OF_SUMS = (
    LearnsNothing("u1"),
    LearnsNothing(TOO_FEW_USERS),
    LearnsOnlyOutput("server"),
    LearnsOnlyOutput(SERVER_AND_TOO_FEW),
    Exposes("server, all users but one"),
    LearnsNothing("network"),
)
# The users' reporting sets are disclosed values; they are reported beside these claims.
CLAIMS_OF_TWO_STAGES = (
    LearnsNothing("S1", from_shares=True),
    LearnsOnlyOutput("S2", from_shares=True),
    LearnsOnlyOutput("S1, S2", from_shares=True),
    Exposes(ENOUGH_ELECTED),
    LearnsNothing(TOO_FEW_ELECTED, from_shares=True),
    LearnsNothing("network", from_shares=True),
)
