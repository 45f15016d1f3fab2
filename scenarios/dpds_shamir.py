"""DPDS on Shamir's sharing: three users together learn what every other user holds."""

from protocols.secure.coalitions import ENOUGH_USERS, SERVER_AND_TOO_FEW, TOO_FEW_USERS
from protocols.secure.dpds import DPDS
from simnet.study.claims import Exposes, LearnsNothing, LearnsOnlyOutput
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="DPDS on Shamir's sharing: any three users can open every share",
    protocol=DPDS,
    parameters={"participation": 0.5, "sharing": "shamir:3"},
    users=200,
    items=12,
    claims=(
        LearnsNothing("u1"),
        LearnsNothing(TOO_FEW_USERS),
        Exposes(ENOUGH_USERS),
        LearnsOnlyOutput("server"),
        LearnsOnlyOutput(SERVER_AND_TOO_FEW),
        Exposes("server, all users but one"),
        LearnsNothing("network"),
    ),
)
