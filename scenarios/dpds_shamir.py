"""The scenario `dpds_shamir`: DPDS on Shamir's sharing. Any three users together learn the answer
of every other user: its item, or that it is not in the sample.
"""

from protocols.dpds.about import about
from protocols.dpds.script import DPDS
from protocols.sharing.coalitions import CLAIMS_OF_SUMS, ENOUGH_USERS, refuse_threshold
from simnet.scenario.claims import Exposes
from simnet.scenario.scenario import Scenario

SCENARIO = Scenario(
    summary="DPDS on Shamir's sharing: enough users together can open every secret",
    protocol=DPDS,
    about=about,
    parameters={"participation": 0.5, "sharing": "shamir:3"},
    users=200,
    items=12,
    refuse=refuse_threshold,
    claims=(*CLAIMS_OF_SUMS, Exposes(ENOUGH_USERS)),
)
