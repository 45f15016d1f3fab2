"""TSS′: TSS with more than `bound` users elected for every item, so that so many colluding users learn nothing."""

from protocols.secure.coalitions import ENOUGH_ELECTED, TOO_FEW_ELECTED
from protocols.secure.tss import tss
from simnet.study.claims import Exposes, LearnsNothing, LearnsOnlyOutput
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="TSS': two-stage sampling with a floor under the number of elected users",
    protocol=tss,
    parameters={"participation": 0.5, "reported": None, "gamma": None, "bound": 10, "sharing": "additive"},
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
