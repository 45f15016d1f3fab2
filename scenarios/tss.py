"""The scenario `tss`: a thousand users report on two fifths of thirty items each, and the shares of
each item go to elected users.
"""

from protocols.sharing.coalitions import CLAIMS_OF_TWO_STAGES, refuse_threshold
from protocols.tss.about import about
from protocols.tss.prime import tss
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="TSS: two-stage sampling, shares of an item only among users elected for it",
    protocol=tss,
    about=about,
    parameters={
        "participation": 0.5,
        "reported": None,
        "alpha": None,
        "gamma": None,
        "sharing": "additive",
    },
    users=1000,
    items=30,
    refuse=refuse_threshold,
    claims=CLAIMS_OF_TWO_STAGES,
)
