"""Claims of Yang et al. on two-stage sampling and on the error of sampling.

The claims are Lemmas 3.1 and 3.2 and Theorems 3.3 to 3.5.
"""

from fractions import Fraction
from math import comb, exp, expm1, log

import numpy as np

from protocols.mechanisms.reporting import epsilon_of_set, inclusion
from protocols.privacy.binomial import law
from scenarios.theorems.claim import Setting, ValueClaim
from simnet.contract import Protocol

PAPER = "Yang et al."
# For more items, reporting sets are not counted, because the counts have hundreds of digits.
COUNTED_ITEMS = 1000
ENUMERATED_USERS, ENUMERATED_ITEMS = 3, 2  # Theorem 3.4: every coin is played out


def _participation(setting: Setting) -> float:
    return -expm1(-setting.epsilon)


def _counted(setting: Setting) -> tuple[float, float]:
    """The probabilities that a user is counted in TSS, and that the user is not counted."""
    # Both are computed separately, so that a tiny probability keeps its digits.
    inside = inclusion(setting.k, setting.items, setting.gamma)
    idle = float(1 - inside) + float(inside) * exp(-setting.epsilon)
    return float(inside) * _participation(setting), idle


def _active(setting: Setting) -> tuple[float, float]:
    return _participation(setting), exp(-setting.epsilon)


def _inclusion_by_counting(setting: Setting) -> float | None:
    """The total weight of the reporting sets with the user's item, divided by the total weight of
    all reporting sets (Definition 3.1); None for more items than `COUNTED_ITEMS`.
    """
    if setting.items > COUNTED_ITEMS:
        return None
    inside = Fraction(setting.gamma) * comb(setting.items - 1, setting.k - 1)
    return float(inside / (inside + comb(setting.items - 1, setting.k)))


def squared_error_by_summation(setting: Setting, chances: tuple[float, float]) -> float:
    """The expected squared L2 error of count / (p n), for `chances` p and 1 - p.

    The error is summed over the exact laws of all counts of a uniform population.
    """
    n, N = setting.users, setting.items  # noqa: N806  # the paper's letters
    chance, rare = chances[0], min(chances)
    total = 0.0
    for support, items in ((n // N + 1, n % N), (n // N, N - n % N)):
        first, masses = law(support, rare)
        # The sum runs over the rarer of counted and uncounted users; both deviate by the same
        # number.
        far = first + np.arange(len(masses)) - support * rare
        total += items * float(masses @ far**2)
    return total / chance / n / chance / n


def _error_formula(setting: Setting, chances: tuple[float, float]) -> float:
    chance, rest = chances
    return rest / (setting.users * chance)


def _worst_delta(protocol: Protocol, corrupt: str) -> float:
    """The largest total variation distance of a coalition's views, over the neighbours of inputs 1,
    1, 2.
    """
    from simnet.exhaustive.compare import Comparison

    return float(Comparison(protocol, corrupt).worst([1, 1, 2]).compared.delta())


def _s2_of_tiny_tss(setting: Setting) -> float:
    from protocols.tss.script import TSS

    return _worst_delta(
        TSS(ENUMERATED_USERS, ENUMERATED_ITEMS, _participation(setting), 1, setting.gamma), "S2"
    )


def _server_of_tiny_dpds(setting: Setting) -> float:
    from protocols.dpds.script import DPDS

    return _worst_delta(DPDS(ENUMERATED_USERS, ENUMERATED_ITEMS, _participation(setting)), "server")


TWO_STAGE_CLAIMS = (
    ValueClaim(
        "Lemma 3.1",
        "E‖ψ̂ - ψ‖² = (1 - p) / (p n), p = 1 - e^-ε",
        f"{PAPER}, Lemma 3.1",
        "squared L2",
        lambda s: _error_formula(s, _active(s)),
        lambda s: squared_error_by_summation(s, _active(s)),
    ),
    ValueClaim(
        "Lemma 3.2",
        "a user who takes part reports on its item with probability αγ / (αγ + 1 - α)",
        f"{PAPER}, Lemma 3.2",
        "probability",
        lambda s: float(inclusion(s.k, s.items, s.gamma)),
        _inclusion_by_counting,
    ),
    ValueClaim(
        "Theorem 3.3",
        "S1: the reporting set is log γ-LDP in the item",
        f"{PAPER}, Theorem 3.3",
        "ε",
        lambda s: log(s.gamma),
        lambda s: epsilon_of_set(s.k, s.items, _participation(s), s.gamma)[0],
        is_bound=True,
    ),
    ValueClaim(
        "Theorem 3.4",
        "the server S2 of TSS learns no more than DPDS's server: δ(0), n=3, N=2, k=1",
        f"{PAPER}, Theorem 3.4",
        "δ at ε = 0",
        _server_of_tiny_dpds,
        _s2_of_tiny_tss,
        is_bound=True,
    ),
    ValueClaim(
        "Theorem 3.5",
        "TSS: E‖ψ̂ - ψ‖² = (1 - q_χ) / (q_χ n), which the paper calls Var",
        f"{PAPER}, Theorem 3.5",
        "squared L2",
        lambda s: _error_formula(s, _counted(s)),
        lambda s: squared_error_by_summation(s, _counted(s)),
    ),
)
