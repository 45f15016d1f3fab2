"""Users and two servers: what is run, and what some coalitions are said to learn."""

from simnet import Exposes, LearnsNothing, LearnsOnlyOutput, Scenario
from simnet.cli.starter.two_server_sum import TwoServerSum

SCENARIO = Scenario(
    summary="A secure sum by two servers",
    protocol=TwoServerSum,
    parameters={},
    users=5,
    items=3,
    claims=(
        LearnsNothing("B"),
        LearnsNothing("all users but one"),
        LearnsOnlyOutput("A"),
        Exposes("A, B"),  # shows that the judge is not blind
    ),
)
