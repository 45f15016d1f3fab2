"""DPDS on a thousand users who hold one of thirty items, uniformly, or on a column of data."""

from protocols.secure.coalitions import SERVER_AND_TOO_FEW, TOO_FEW_USERS
from protocols.secure.dpds import DPDS
from simnet.study.claims import Exposes, LearnsNothing, LearnsOnlyOutput
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="DPDS: item frequencies from a secret-shared random sample of the users",
    protocol=DPDS,
    parameters={"participation": 0.5, "sharing": "additive"},
    users=1000,
    items=30,
    claims=(
        LearnsNothing("u1"),
        LearnsNothing(TOO_FEW_USERS),
        LearnsOnlyOutput("server"),
        LearnsOnlyOutput(SERVER_AND_TOO_FEW),
        Exposes("server, all users but one"),
        LearnsNothing("network"),
    ),
)
