"""The scenario `dpcs_star`: a trusted party counts the items of the users in a random sample,
splits the counts into shares, and sends all shares to a server.
"""

from protocols.dpds.central import DPCSStar
from protocols.dpds.central_about import about
from simnet.scenario.claims import Exposes, LearnsNothing, LearnsOnlyOutput
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="DPCS*: as DPCS, with the counts split into one share for each user",
    protocol=DPCSStar,
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
