"""Claims of Yang et al. on two-stage sampling and on the utility of sampling.

Lemmas 3.1, 3.2, Theorems 3.3 to 3.5.
"""

from math import comb, expm1, log

import numpy as np

from protocols.mechanisms.reporting import epsilon_of_set, inclusion
from protocols.privacy.binomial import log_pmf
from scenarios.theorems.claim import Setting, ValueClaim
from simnet.contract import Protocol

PAPER = "Yang et al."
ENUMERATED_USERS, ENUMERATED_ITEMS = 3, 2  # the instance on which Theorem 3.4 is played out


def _participation(setting: Setting) -> float:
    return -expm1(-setting.epsilon)


def _inclusion(setting: Setting) -> float:
    return float(inclusion(setting.k, setting.items, setting.gamma))


def _inclusion_by_counting(setting: Setting) -> float:
    """The weight of the sets with an item among all sets' weights, by Definition 3.1."""
    inside = setting.gamma * comb(setting.items - 1, setting.k - 1)
    return inside / (inside + comb(setting.items - 1, setting.k))


def squared_error_by_summation(setting: Setting, chance: float) -> float:
    """The expected squared L2 error of count / (chance n).

    Summed over the laws of all counts of a uniform population.
    """
    n, N = setting.users, setting.items  # noqa: N806  # the paper's letters
    total = 0.0
    for support in (n // N + (place < n % N) for place in range(N)):
        k = np.arange(support + 1)
        law = (
            np.exp(log_pmf(k, support, chance)) if support and chance < 1 else (k == support) * 1.0
        )
        total += float(np.sum(law * (k / (chance * n) - support / n) ** 2))
    return total


def _error_formula(setting: Setting, chance: float) -> float:
    return (1 - chance) / (setting.users * chance)


def _worst_delta(protocol: Protocol, corrupt: str) -> float:
    """The largest total variation between neighbours of inputs 1, 1, 2 in a set's eyes.

    Every coin is played out.
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
        lambda s: _error_formula(s, _participation(s)),
        lambda s: squared_error_by_summation(s, _participation(s)),
    ),
    ValueClaim(
        "Lemma 3.2",
        "a holder reports on its item with chance p_χ = αγ / (αγ + 1 - α)",
        f"{PAPER}, Lemma 3.2",
        _inclusion,
        _inclusion_by_counting,
    ),
    ValueClaim(
        "Theorem 3.3",
        "S1: the reporting set is log γ-LDP in the item",
        f"{PAPER}, Theorem 3.3",
        lambda s: log(s.gamma),
        lambda s: epsilon_of_set(s.k, s.items, _participation(s), s.gamma)[0],
        is_bound=True,
    ),
    ValueClaim(
        "Theorem 3.4",
        "S2 of TSS learns no more than DPDS's server: δ(0), n=3, N=2, k=1",
        f"{PAPER}, Theorem 3.4",
        _server_of_tiny_dpds,
        _s2_of_tiny_tss,
        is_bound=True,
    ),
    ValueClaim(
        "Theorem 3.5",
        "TSS: E‖ψ̂ - ψ‖² = (1 - q_χ) / (q_χ n), called its Var",
        f"{PAPER}, Theorem 3.5",
        lambda s: _error_formula(s, _participation(s) * _inclusion(s)),
        lambda s: squared_error_by_summation(s, _participation(s) * _inclusion(s)),
    ),
)
