"""Sampling Privacy with one trusted aggregator: owners answer in the clear, and it learns whoever is sampled."""

from protocols.sampling.coalitions import CLAIMS_IN_THE_CLEAR
from protocols.sampling.sampling_privacy import SamplingPrivacy
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="Sampling Privacy in the clear: one aggregator sees both answers of every owner",
    protocol=SamplingPrivacy,
    parameters={
        "sampling": 0.45, "faces": None, "none": True, "variant": "kept", "aggregators": 1, "sharing": "additive",
    },
    users=1000,
    items=2,
    last_none="none",
    claims=CLAIMS_IN_THE_CLEAR,
)  # fmt: skip
