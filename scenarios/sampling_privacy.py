"""Sampling Privacy over shares: who holds yes, from two rounds of answers that two aggregators add up."""

from protocols.sampling.coalitions import CLAIMS_OF_AGGREGATORS
from protocols.sampling.sampling_privacy import SamplingPrivacy
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="Sampling Privacy: two rounds of shared answers, two aggregators, a reader of the sums",
    protocol=SamplingPrivacy,
    parameters={
        "sampling": 0.45, "faces": None, "none": True, "variant": "kept", "aggregators": 2, "sharing": "additive",
    },
    users=1000,
    items=2,
    last_none="none",
    claims=CLAIMS_OF_AGGREGATORS,
)  # fmt: skip
