"""The scenario `multiplication`: servers multiply the numbers of pairs of users, with random
products from a dealer.
"""

from protocols.multiplication.script import Multiplication
from simnet.scenario.claims import Exposes, LearnsNothing, LearnsOnlyOutput
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="the sum of products of pairs of users, by Beaver's multiplication",
    protocol=Multiplication,
    parameters={"fresh_triples": True},
    users=4,
    items=10,
    claims=(
        LearnsNothing("s1"),
        LearnsNothing("dealer"),
        Exposes("s1, dealer"),
        LearnsOnlyOutput("reader"),
        Exposes("s1, s2"),
        LearnsNothing("all users but one"),
        LearnsNothing("network"),
    ),
)
