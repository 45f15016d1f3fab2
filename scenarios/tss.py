"""TSS: users report on two fifths of the items, and the shares of each item go to a few elected users."""

from protocols.secure.coalitions import ENOUGH_ELECTED, TOO_FEW_ELECTED
from protocols.secure.tss import tss
from simnet.study.claims import Exposes, LearnsNothing, LearnsOnlyOutput
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="TSS: two-stage sampling, shares of an item only among users elected for it",
    protocol=tss,
    parameters={"participation": 0.5, "reported": None, "gamma": None, "sharing": "additive"},
    users=1000,
    items=30,
    claims=(
        LearnsNothing("S1"),
        LearnsOnlyOutput("S2"),
        LearnsOnlyOutput("S1, S2"),
        Exposes(ENOUGH_ELECTED),
        LearnsNothing(TOO_FEW_ELECTED),
        LearnsNothing("network"),
    ),
)
