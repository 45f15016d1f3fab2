"""The scenario `dpds_robust`: DPDS on Shamir's sharing, in a variant in which users may
drop out.
"""

from protocols.committee.about import about
from protocols.committee.coalitions import CLAIMS_OF_USERS, refuse_threshold
from protocols.committee.script import RobustDPDS
from protocols.sharing.encoding import Participation
from protocols.sharing.schemes import SharingByName
from simnet.scenario.scenario import Scenario


def robust(
    users: int, items: int, participation: Participation, sharing: SharingByName
) -> RobustDPDS:
    """Return the protocol."""
    return RobustDPDS(users=users, items=items, participation=participation, sharing=sharing)


SCENARIO = Scenario(
    summary="DPDS on Shamir's sharing with an agreement on who is counted; users may drop out",
    protocol=robust,
    about=about,
    parameters={"participation": 0.5, "sharing": "shamir:3"},
    users=200,
    items=12,
    refuse=refuse_threshold,
    claims=CLAIMS_OF_USERS,
)
