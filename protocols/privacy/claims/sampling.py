"""Claims on the privacy of sampled counts: Theorems 3.1 and 3.2 of Yang et al., and what holds in
their place.

All speak of DPCS, and so of DPDS, where every item has at least βn holders.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import exp, expm1, log, log1p, pi

from protocols.privacy.bounds import bound
from protocols.privacy.claims.claim import DeltaClaim, Setting, capped
from protocols.privacy.profile import log_delta_at
from protocols.privacy.sampling import Relation, profile

PAPER = "Yang et al."


def theorem_3_1(setting: Setting) -> float:
    """Log of the δ that Theorem 3.1 allows: the least that its inequality (2) on β admits."""
    e, n, N = setting.epsilon, setting.users, setting.items  # noqa: N806  # the paper's letter
    x = log(2 * pi * n * setting.beta) - e + log(-expm1(-e))  # 2πnβ (e^-ε - e^-2ε)
    return capped(max(log(2 * pi) - (N + 1) / 2 * x, -N / 2 * x))


def theorem_3_2(setting: Setting) -> float | None:
    """Log of the δ that Theorem 3.2 allows; None without z, or where z is above its limit."""
    e, n, N, z = setting.epsilon, setting.users, setting.items, setting.z  # noqa: N806  # the paper's letter
    if z is None or z > log(max(1 + n * (1 - setting.beta * (N - 1)) * -expm1(-e / 2), 1e-300)):
        return None
    x = log(2 * pi * n * setting.beta) + 2 * log(-expm1(-e / 2)) - z - e
    inner = x + 2 * log1p(exp(-e / 2))
    return capped(max(log(2 * pi) - (N + 1) / 2 * inner, log(4 * pi) - N / 2 * x))


def least_counts(setting: Setting) -> list[int]:
    """The counts that β allows at worst: of the two rarest items, or of the only one."""
    return [setting.rarest] * min(setting.items, 2)


def _exact(setting: Setting, relation: Relation, participation: float) -> float | None:
    if relation == "replace" and setting.items == 1:
        return None  # there is nothing to replace the item by
    return _log_delta(tuple(least_counts(setting)), participation, relation, setting.epsilon)


@lru_cache(
    maxsize=4096
)  # several claims speak of one δ, and it is the same for any number of items from two
def _log_delta(
    counts: tuple[int, ...], participation: float, relation: Relation, epsilon: float
) -> float:
    return log_delta_at(profile(counts, participation, relation), epsilon)


def _first(setting: Setting, relation: Relation) -> float | None:
    return _exact(setting, relation, -expm1(-setting.epsilon))


def _second(setting: Setting, relation: Relation) -> float | None:
    return (
        None
        if setting.z is None
        else _exact(setting, relation, -expm1(-setting.epsilon - setting.z))
    )


def _sound(name: str, relation: Relation, sharper: bool, words: str) -> DeltaClaim:
    def claimed(setting: Setting) -> float | None:
        if relation == "replace" and setting.items == 1:
            return None
        closed = bound(least_counts(setting), -expm1(-setting.epsilon), relation, sharper=sharper)
        return closed.log_delta(setting.epsilon)

    return DeltaClaim(name, words, "proved here", claimed, _first, (relation,))


def claimed_by_the_paper(
    counts: Sequence[int], participation: float, epsilon: float
) -> tuple[str, float | None]:
    """The theorem of the paper that speaks of DPCS with this p at this ε, and ln δ as it claims it,
    if it does.

    Theorem 3.1 where ε is -ln(1 - p) or above, with its own δ; Theorem 3.2 below, with z = -ln(1 -
    p) - ε.
    """
    own = -log1p(-participation) if participation < 1 else float("inf")
    named = "Theorem 3.1" if epsilon >= own * (1 - 1e-9) else "Theorem 3.2"
    if own == float("inf") or min(counts) == 0 or sum(counts) < 2:
        return named, None
    beta = min(counts) / sum(counts)
    setting = Setting(
        sum(counts),
        len(counts),
        beta,
        min(epsilon, own),
        None if named[-1] == "1" else own - epsilon,
    )
    return named, theorem_3_1(setting) if named == "Theorem 3.1" else theorem_3_2(setting)


SAMPLING_CLAIMS = (
    DeltaClaim(
        "Theorem 3.1",
        "DPCS with p = 1 - e^-ε is (ε, δ)-DP for β above (2)",
        f"{PAPER}, Theorem 3.1",
        theorem_3_1,
        _first,
    ),
    DeltaClaim(
        "Theorem 3.2",
        "DPCS with p = 1 - e^-(z+ε) is (ε, δ)-DP for β and z in bounds",
        f"{PAPER}, Theorem 3.2",
        theorem_3_2,
        _second,
    ),
    _sound("R1", "remove", False, "δ <= exp(-Π KL(1 - (1-p) e^-ε ‖ p)), p = 1 - e^-ε"),
    _sound("R2", "replace", False, "δ <= exp(-2μ² / (e^2ε / Π + Π / (Π+1)²)), p = 1 - e^-ε"),
    _sound("R3", "remove", True, "R1 times e^(2ε-1) / (Π ln(1 + e^ε)), where that is below 1"),
    _sound("R4", "replace", True, "δ <= e^(2ε-1) / (λΠ) E[e^(λ(cJ - I))], the least over λ"),
)
