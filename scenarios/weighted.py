"""The scenario `weighted`: four groups of users, each group with its own budget ε, run DPDS or
another protocol, and a server combines their estimates.
"""

from protocols.weighted.about import about
from protocols.weighted.groups import weighted
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="Weighted aggregation: groups with budgets of their own, one estimate",
    protocol=weighted,
    about=about,
    parameters={
        "epsilons": "0.1,0.4,0.7,1",
        "method": "vwa",
        "target": "distribution",
        "protocol": "dpds",
        "delta": 1e-5,
        "reported": None,
        "alpha": None,
        "gamma": None,
        "population": "aggregate",
        "group_users": None,
    },
    users=1000,
    items=30,
    in_chance_order=True,
)
