"""The scenario `local_frequency`: a million users send one locally private report each on one of
thirty items.
"""

from protocols.local_frequency.about import about
from protocols.local_frequency.script import local_frequency
from protocols.postprocess.processed import postprocessed
from protocols.postprocess.processed_about import about_either
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="Local frequencies: users perturb their items, and each sends at most one report",
    protocol=postprocessed(local_frequency),
    about=about_either(about),
    parameters={
        "mechanism": "oue",
        "epsilon": None,
        "truthful": None,
        "yes": None,
        "sampling": None,
        "postprocess": "raw",
        "heavy": None,
        "beta": None,
        "fit": None,
        "support": None,
        "at_zero": None,
        "prior": None,
        "population": "aggregate",
        "fewest_reports": None,
    },
    users=1_000_000,
    items=30,
    claims=(SeesNoShares("server"), SeesNoShares("network")),
)
