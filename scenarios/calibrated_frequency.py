"""Frequencies of a thousand items, calibrated; for purchases or clicks, as by `--input --column --counts`."""

from protocols.local.frequency import local_frequency
from protocols.postprocess.processed import postprocessed
from simnet.study.claims import SeesNoShares
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="Calibrated local frequencies: a server puts prior knowledge to what it estimates from reports",
    protocol=postprocessed(local_frequency),
    parameters={
        "mechanism": "oue",
        "epsilon": 4.0,
        "postprocess": "calibrate-total",
        "heavy": None,
        "population": "aggregate",
    },
    users=100_000,
    items=1000,
    data="Zipf items",
    claims=(SeesNoShares("server"), SeesNoShares("network")),
)
