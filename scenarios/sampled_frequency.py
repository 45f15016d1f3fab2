"""The scenario `sampled_frequency`: each of a million users has one of thirty items and sends a
randomised response with probability 0.1.
"""

from protocols.postprocess.processed import postprocessed
from protocols.postprocess.processed_about import about_either
from protocols.sampled_frequency.about import about
from protocols.sampled_frequency.script import sampled_frequency
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary=(
        "Sampled local frequencies: some users perturb their item and send a report, the others "
        "nothing"
    ),
    protocol=postprocessed(sampled_frequency),
    about=about_either(about),
    parameters={
        "mechanism": "grr",
        "epsilon": 2.0,
        "sampling": "0.1",
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
