"""Claims of papers on local mechanisms, each compared with an exact value.

Sources: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*; Joy and Gerla, *Differential Privacy By Sampling*; Biswas, Cormode, Maple, *Impact of
Sampling on Locally Differentially Private Data Collection*; Jia and Gong, *Calibrate*.
"""

from math import inf

from protocols.checks import LARGEST_REAL_EPSILON, LEAST_REAL_EPSILON
from protocols.mechanisms.additive import SCDF
from protocols.mechanisms.duchi_multi import DuchiMulti
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.hybrid import HM
from protocols.mechanisms.response import JoyGerla
from protocols.mechanisms.unary import OUE
from protocols.sampled_frequency.estimators import centred, per_report
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.joy.printed import equation_30
from scenarios.theorems.claim import Setting, ValueClaim

NUMERIC_ATTRIBUTES = 6  # of Wang et al.'s data from Brazil
FLIPS = (
    0.8,
    0.9,
)  # of randomised response in Joy and Gerla: probability of the truth, and of yes otherwise
SAMPLING = 0.1  # π, the sampling probability of Biswas et al.


def _is_for_numbers(setting: Setting) -> bool:
    """Whether mechanisms for numbers take this ε. They need no items."""
    return LEAST_REAL_EPSILON <= setting.epsilon <= LARGEST_REAL_EPSILON


def _is_for_items(setting: Setting) -> bool:
    """Whether the variances of GRR and OUE are computed: for two items or more, and for an ε that
    mechanisms for numbers take.
    """
    return _is_for_numbers(setting) and setting.items > 1


def _duchi(setting: Setting) -> float | None:
    if not _is_for_numbers(setting):
        return None
    return DuchiMulti(setting.epsilon, NUMERIC_ATTRIBUTES, "as-printed").exact_epsilon


def _sample(setting: Setting) -> SamplingDesign | None:
    if not _is_for_items(setting):
        return None
    return SamplingDesign(GRR(setting.epsilon, setting.items), setting.users, SAMPLING)


def _centred(setting: Setting) -> float | None:
    sample = _sample(setting)
    return None if sample is None else float(centred(sample).variance(setting.beta))


def _per_report(setting: Setting) -> float | None:
    sample = _sample(setting)
    return None if sample is None else float(per_report(sample).variance(setting.beta))


def _oue(setting: Setting, share: float) -> float | None:
    if not _is_for_items(setting):
        return None
    return float(OUE(setting.epsilon, setting.items).variance(share, setting.users))


LOCAL_CLAIMS = (
    ValueClaim(
        "Duchi, d even",
        f"Algorithm 3 for d = {NUMERIC_ATTRIBUTES} attributes is ε-LDP",
        "Wang et al., Algorithm 3",
        "ε",
        lambda s: s.epsilon,
        _duchi,
        is_bound=True,
    ),
    ValueClaim(
        "HM at worst",
        "HM's worst variance is no larger than SCDF's, if SCDF is an existing solution",
        "Wang et al., abstract",
        "variance",
        lambda s: SCDF(s.epsilon).worst_variance if _is_for_numbers(s) else None,
        lambda s: HM(s.epsilon).worst_variance if _is_for_numbers(s) else None,
        is_bound=True,
    ),
    ValueClaim(
        "Eq. 30",
        f"ε of randomised response with π_1 = {FLIPS[0]} and π_2 = {FLIPS[1]}",
        "Joy and Gerla, Eq. 30",
        "ε",
        lambda _: equation_30(*FLIPS),
        lambda _: JoyGerla(*FLIPS).exact_epsilon,
    ),
    ValueClaim(
        "two rounds",
        "both answers of one owner have at most the ε of the second answer",
        "Joy and Gerla, section 4",
        "ε",
        lambda s: s.epsilon,
        lambda _: inf,
        is_bound=True,
    ),
    ValueClaim(
        "Theorem 3.5 of Biswas",
        f"the estimator g varies no more than ĉ, π = {SAMPLING}",
        "Biswas et al., Theorem 3.5",
        "variance",
        _per_report,
        _centred,
        is_bound=True,
    ),
    ValueClaim(
        "Eq. 14",
        "OUE's estimates of items with the shares 0 and β have the same variance",
        "Jia and Gong, Eq. 14",
        "variance",
        lambda s: _oue(s, 0.0),
        lambda s: _oue(s, s.beta),
    ),
)
