"""DPDS on Shamir's sharing: three users together learn what every other user holds."""

from protocols.secure.coalitions import CLAIMS_OF_SUMS, ENOUGH_USERS
from protocols.secure.dpds import DPDS
from simnet.study.claims import Exposes
from simnet.study.scenario import Scenario

SCENARIO = Scenario(
    summary="DPDS on Shamir's sharing: any three users can open every share",
    protocol=DPDS,
    parameters={"participation": 0.5, "sharing": "shamir:3"},
    users=200,
    items=12,
    claims=(*CLAIMS_OF_SUMS, Exposes(ENOUGH_USERS)),
)
