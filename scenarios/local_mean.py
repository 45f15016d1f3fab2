"""The scenario `local_mean`: a hundred thousand users send one locally private report each on its
number, and a server estimates the mean.
"""

from protocols.local_mean.about import about
from protocols.local_mean.script import local_mean
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="Local mean: every user perturbs its number and sends one report",
    protocol=local_mean,
    about=about,
    parameters={
        "mechanism": "hm",
        "epsilon": 1.0,
        "low": -1.0,
        "high": 1.0,
        "population": "crowd",
        "fewest_reports": None,
    },
    users=100_000,
    claims=(SeesNoShares("server"), SeesNoShares("network")),
    sizes=("users",),
    data="values",
)
