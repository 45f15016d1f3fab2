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
    """Return the verdict on every claim for these parameters.

    >>> from scenarios.theorems.claim import Setting
    >>> CLAIMS[0].name, CLAIMS[0].holds(Setting(users=1000, items=30, beta=0.033, epsilon=0.5))
    ('Theorem 3.1', False)
    """
    return [claim.judge(setting) for claim in CLAIMS]
