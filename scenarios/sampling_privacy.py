"""The scenario `sampling_privacy`: a thousand owners share their answers of two rounds between two
aggregators, and a reader of the sums estimates how many owners hold yes.
"""

from protocols.two_rounds.about import about
from protocols.two_rounds.coalitions import CLAIMS_OF_AGGREGATORS, refuse_threshold
from protocols.two_rounds.script import SamplingPrivacy
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="Sampling Privacy: owners share answers among aggregators, and a reader gets the sums",
    protocol=SamplingPrivacy,
    about=about,
    parameters={
        "sampling": 0.45,
        "faces": None,
        "none": True,
        "variant": "kept",
        "aggregators": 2,
        "sharing": "additive",
    },
    users=1000,
    items=2,
    refuse=refuse_threshold,
    last_none="none",
    claims=CLAIMS_OF_AGGREGATORS,
)
