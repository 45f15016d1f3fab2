"""Frequencies of a thousand items, calibrated; for purchases or clicks, as by `--input --column --counts`."""

from protocols.postprocess.calibrated_collection import calibrated_frequency
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="Calibrated local frequencies: a server puts prior knowledge to what it estimates from reports",
    protocol=calibrated_frequency,
    parameters={"mechanism": "oue", "epsilon": 4.0, "method": "calibrate-total", "population": "aggregate"},
    users=100_000,
    items=1000,
)
