"""The scenario `dpcs`: a trusted party counts the items of the users in a random sample, and tells
a server the counts.
"""

from protocols.dpds.central import DPCS
from protocols.dpds.central_about import about
from simnet.scenario.claims import Exposes, LearnsNothing, LearnsOnlyOutput
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="DPCS: item frequencies from a random sample that a trusted party counts",
    protocol=DPCS,
    about=about,
    parameters={"participation": 0.5},
    users=1000,
    items=30,
    claims=(
        LearnsNothing("all users but one"),
        LearnsOnlyOutput("server"),
        Exposes("trusted"),
        LearnsNothing("network"),
    ),
)
