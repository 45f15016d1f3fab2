"""The scenario `dpdg`: a thousand users with uniform items. Each user adds a part of the Gaussian
noise.
"""

from protocols.dpdg.about import about
from protocols.dpdg.script import DPDG
from protocols.sharing.coalitions import CLAIMS_OF_SUMS, refuse_threshold
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary=("DPDG: counts of all users' items, with Gaussian noise that no single party knows"),
    protocol=DPDG,
    about=about,
    parameters={
        "epsilon": 0.5,
        "delta": 1e-5,
        "fraction_bits": 16,
        "noise": "rounded-gaussian",
        "calibration": "classic",
        "noise_share": "exact",
        "sharing": "additive",
    },
    users=1000,
    items=30,
    refuse=refuse_threshold,
    claims=CLAIMS_OF_SUMS,
)
