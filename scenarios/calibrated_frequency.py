"""The scenario `calibrated_frequency`: frequencies of a thousand items from local reports, which
the server calibrates: it corrects its estimates with a prior of the counts.

The scenario suits purchases or clicks: `--input FILE --column ITEM --counts COUNT` reads them from
a file.
"""

from protocols.local_frequency.about import about
from protocols.local_frequency.script import local_frequency
from protocols.postprocess.processed import postprocessed
from protocols.postprocess.processed_about import about_either
from simnet.scenario.claims import SeesNoShares
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary=(
        "Calibrated local frequencies: a server improves its estimates from reports with a prior"
    ),
    protocol=postprocessed(local_frequency),
    about=about_either(about),
    parameters={
        "mechanism": "oue",
        "epsilon": 4.0,
        "postprocess": "calibrate-total",
        "heavy": None,
        "beta": None,
        "fit": None,
        "support": None,
        "at_zero": None,
        "prior": None,
        "population": "aggregate",
        "fewest_reports": None,
    },
    users=100_000,
    items=1000,
    data="Zipf items",
    claims=(SeesNoShares("server"), SeesNoShares("network")),
)
