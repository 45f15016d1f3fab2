"""Claims of Yang et al., section 3.1.2, on DPDG: each user's noise, and up to how many users
sampling errs less than DPDG.
"""

from math import expm1, log, sqrt

from protocols.privacy.gaussian import delta_of, sigma
from scenarios.theorems.claim import Setting, ValueClaim

PAPER = "Yang et al."


def _sensitivity(setting: Setting) -> float:
    return sqrt(2) / setting.users


def _classic(setting: Setting) -> float | None:
    """The σ that the paper's calibration gives to a frequency; None above ε = 1, where the
    calibration does not apply.
    """
    if setting.epsilon > 1:
        return None
    return sigma("classic", _sensitivity(setting), setting.epsilon, setting.delta)


def _delta_of_noise(setting: Setting, share: float) -> float | None:
    """The exact δ at ε if the noise has `share` times the calibrated variance."""
    deviation = _classic(setting)
    return (
        None
        if deviation is None
        else delta_of(deviation * sqrt(share), _sensitivity(setting), setting.epsilon)
    )


def _target(setting: Setting) -> float | None:
    return None if setting.epsilon > 1 else setting.delta


def crossover_claimed(setting: Setting) -> float:
    """The number of users up to which sampling errs less than DPDG, by the paper's formula.

    The formula compares the Gaussian variance of one item with sampling's error of all items.
    """
    return 4 * expm1(setting.epsilon) * log(1.25 / setting.delta) / setting.epsilon**2


def crossover(setting: Setting) -> float | None:
    """The number of users up to which sampling has a smaller squared L2 error than DPDG.

    This number of users is the solution n of N V_G = 1 / (n (e^ε - 1)), where V_G, the variance of
    DPDG's noise on a frequency, depends on n.
    """
    deviation = _classic(setting)
    if deviation is None:
        return None
    variance = (
        deviation * setting.users
    ) ** 2  # the variance of a frequency times n², which does not depend on n
    return setting.items * variance * expm1(setting.epsilon)


GAUSSIAN_CLAIMS = (
    ValueClaim(
        "DPDG",
        "each user adds noise of variance n σ² to its counts: δ(ε) at most δ",
        f"{PAPER}, section 3.1.2, corrected",
        "δ",
        _target,
        lambda s: _delta_of_noise(s, 1.0),
        is_bound=True,
    ),
    ValueClaim(
        "DPDG noise share",
        "each user adds noise of variance (G_f σ_G / n)²: δ(ε) at most δ",
        f"{PAPER}, section 3.1.2",
        "δ",
        _target,
        lambda s: _delta_of_noise(s, 1 / s.users),
        is_bound=True,
    ),
    ValueClaim(
        "DPDG crossover",
        "sampling errs less than DPDG up to n = 4 (e^ε - 1) ln(1.25/δ) / ε² users",
        f"{PAPER}, section 3.1.2",
        "users",
        crossover_claimed,
        crossover,
    ),
)
