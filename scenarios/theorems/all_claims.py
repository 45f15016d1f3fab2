"""The list of all claims, and their verdicts for given parameters."""

from collections.abc import Sequence

from scenarios.theorems.claim import JudgedClaim, PaperClaim, Setting
from scenarios.theorems.costs import COST_CLAIMS
from scenarios.theorems.gaussian import GAUSSIAN_CLAIMS
from scenarios.theorems.local import LOCAL_CLAIMS
from scenarios.theorems.sampling import SAMPLING_CLAIMS
from scenarios.theorems.two_stage import TWO_STAGE_CLAIMS
from scenarios.theorems.weighting import WEIGHTING_CLAIMS

CLAIMS: Sequence[PaperClaim] = (
    *SAMPLING_CLAIMS,
    *TWO_STAGE_CLAIMS,
    *GAUSSIAN_CLAIMS,
    *COST_CLAIMS,
    *WEIGHTING_CLAIMS,
    *LOCAL_CLAIMS,
)


def judged(setting: Setting) -> list[JudgedClaim]:
    """Return the verdict on every claim for these parameters."""
    return [claim.judge(setting) for claim in CLAIMS]
