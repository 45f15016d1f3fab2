"""The scenario `tss_robust`: TSS on Shamir's sharing, in a variant in which users may drop out."""

from protocols.sharing.coalitions import CLAIMS_OF_TWO_STAGES, refuse_threshold
from protocols.sharing.encoding import Participation
from protocols.sharing.schemes import SharingByName
from protocols.tss.prime import Alpha, Reported, items_reported
from protocols.tss.robust import RobustTSS
from protocols.tss.robust_about import about
from protocols.tss.script import Gamma
from simnet.scenario.scenario import Scenario


def robust(
    users: int,
    items: int,
    participation: Participation,
    reported: Reported,
    alpha: Alpha,
    gamma: Gamma,
    sharing: SharingByName,
) -> RobustTSS:
    """Return the protocol."""
    k = items_reported(items, reported, alpha)
    return RobustTSS(users, items, participation, k, gamma, sharing)


SCENARIO = Scenario(
    summary="TSS on Shamir's sharing with an agreement on who is counted; users may drop out",
    protocol=robust,
    about=about,
    parameters={
        "participation": 0.5,
        "reported": None,
        "alpha": None,
        "gamma": None,
        "sharing": "shamir:60%",
    },
    users=200,
    items=12,
    refuse=refuse_threshold,
    claims=CLAIMS_OF_TWO_STAGES,
)
