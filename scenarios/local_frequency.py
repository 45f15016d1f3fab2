"""Frequencies of thirty items from a million users, each of whom sends one locally private report."""

from protocols.local.frequency import local_frequency
from simnet.study.claims import SeesNoShares
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="Local frequencies: every user perturbs its item and sends one report",
    protocol=local_frequency,
    parameters={"mechanism": "oue", "epsilon": 1.0, "population": "aggregate"},
    users=1_000_000,
    items=30,
    claims=(SeesNoShares("server"), SeesNoShares("network")),
)
