"""The scenario `weighted_mean`: four groups of users with standard normal numbers, truncated to
-4..4, send local reports, each group with its own budget ε, and a server combines their means.
"""

from protocols.weighted.about import about
from protocols.weighted.groups import weighted_mean
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="Weighted aggregation of means: groups with budgets of their own, one estimate",
    protocol=weighted_mean,
    about=about,
    parameters={
        "epsilons": "0.1,0.4,0.7,1",
        "method": "vwa",
        "target": "distribution",
        "protocol": "pm",
        "low": -4.0,
        "high": 4.0,
        "population": "crowd",
        "group_users": None,
    },
    users=10_000,
    claims=(SeesNoShares("server"), SeesNoShares("network")),
    sizes=("users",),
    data="normal values",
    in_chance_order=True,
)
