"""The scenario `sampled_personal`: a million users in four groups. Each group has its own
probability with which each of its users reports.
"""

from protocols.postprocess.processed import postprocessed
from protocols.postprocess.processed_about import about_either
from protocols.sampled_frequency.about import about
from protocols.sampled_frequency.script import sampled_frequency
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary=("Sampled local frequencies: each group of users has its own probability to report"),
    protocol=postprocessed(sampled_frequency),
    about=about_either(about),
    parameters={
        "mechanism": "grr",
        "epsilon": 2.0,
        "sampling": "0.05,0.1,0.4,0.8",
        "formula": "horvitz-thompson",
        "postprocess": "raw",
        "heavy": None,
        "population": "aggregate",
    },
    users=1_000_000,
    items=30,
    in_chance_order=True,
    claims=(SeesNoShares("server"), SeesNoShares("network")),
)
