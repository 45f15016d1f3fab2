"""The scenario `tss_prime`: TSS with at least `bound` + 1 users elected for every item, so that
no `bound` users together learn anything from additive shares.
"""

from protocols.sharing.coalitions import CLAIMS_OF_TWO_STAGES, refuse_threshold
from protocols.tss.about import about
from protocols.tss.prime import tss
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="TSS': two-stage sampling with a least number of elected users for every item",
    protocol=tss,
    about=about,
    parameters={
        "participation": 0.5,
        "reported": None,
        "alpha": None,
        "gamma": None,
        "bound": 10,
        "sharing": "additive",
    },
    users=1000,
    items=30,
    refuse=refuse_threshold,
    claims=CLAIMS_OF_TWO_STAGES,
)
