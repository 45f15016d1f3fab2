"""Frequencies of a thousand items, calibrated.

For purchases or clicks, as by `--input --column --counts`.
"""

from protocols.local_frequency.about import about
from protocols.local_frequency.script import local_frequency
from protocols.postprocess.processed import postprocessed
from protocols.postprocess.processed_about import about_either
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary=(
        "Calibrated local frequencies: a server puts prior knowledge to what it estimates from "
        "reports"
    ),
    protocol=postprocessed(local_frequency),
    about=about_either(about),
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
