"""Every claim that can be computed."""

from collections.abc import Sequence

from protocols.privacy.claims.claim import Claim, Judged, Setting
from protocols.privacy.claims.costs import COST_CLAIMS
from protocols.privacy.claims.gaussian import GAUSSIAN_CLAIMS
from protocols.privacy.claims.local import LOCAL_CLAIMS
from protocols.privacy.claims.sampling import SAMPLING_CLAIMS
from protocols.privacy.claims.two_stage import TWO_STAGE_CLAIMS
from protocols.privacy.claims.weighting import WEIGHTING_CLAIMS

CLAIMS: Sequence[Claim] = (
    *SAMPLING_CLAIMS,
    *TWO_STAGE_CLAIMS,
    *GAUSSIAN_CLAIMS,
    *COST_CLAIMS,
    *WEIGHTING_CLAIMS,
    *LOCAL_CLAIMS,
)


def judged(setting: Setting) -> list[Judged]:
    """All of them at a point of the parameter plane."""
    return [claim.judge(setting) for claim in CLAIMS]
