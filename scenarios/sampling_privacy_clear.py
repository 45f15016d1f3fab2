"""The scenario `sampling_privacy_clear`: a thousand owners answer one aggregator in the clear. The
aggregator learns which owners were sampled and hold yes.
"""

from protocols.two_rounds.about import about
from protocols.two_rounds.coalitions import CLAIMS_IN_THE_CLEAR, refuse_threshold
from protocols.two_rounds.script import SamplingPrivacy
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="Sampling Privacy in the clear: a single aggregator sees all answers of every owner",
    protocol=SamplingPrivacy,
    about=about,
    parameters={
        "sampling": 0.45,
        "faces": None,
        "none": True,
        "variant": "kept",
        "aggregators": 1,
        "sharing": "additive",
    },
    users=1000,
    items=2,
    refuse=refuse_threshold,
    last_none="none",
    claims=CLAIMS_IN_THE_CLEAR,
)
