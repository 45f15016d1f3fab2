"""Theorems 3.1 and 3.2 of Yang et al.: the δ that the paper claims for sampled counts.

Both theorems are about DPCS, and so about DPDS, with n users and N items, where every item has at
least βn holders. The theorems are not true for all parameters; R1 to R4 in `bounds` are true
bounds.
"""

from collections.abc import Sequence
from math import exp, expm1, inf, log, log1p, pi

from protocols.privacy.statement import positive_epsilon


def theorem_3_1(n: int, N: int, beta: float, epsilon: float) -> float:  # noqa: N803  # the paper's letter
    """Return the logarithm of the δ of Theorem 3.1, for participation p = 1 - e^-ε.

    This δ is the least that the paper's inequality (2) on β allows.
    """
    # δ = max(2π x^(-(N+1)/2), x^(-N/2)), with x = 2πnβ (e^-ε - e^-2ε)
    log_x = log(2 * pi * n * beta) - epsilon + log(-expm1(-epsilon))
    return min(max(log(2 * pi) - (N + 1) / 2 * log_x, -N / 2 * log_x), 0.0)


def theorem_3_2(n: int, N: int, beta: float, epsilon: float, z: float) -> float | None:  # noqa: N803
    """Return the logarithm of the δ of Theorem 3.2, for participation p = 1 - e^-(z + ε).

    Returns None if z is above the theorem's limit: there the theorem claims nothing.
    """
    # the limit: e^z <= 1 + n (1 - β(N - 1)) (1 - e^(-ε/2))
    if z > log(max(1 + n * (1 - beta * (N - 1)) * -expm1(-epsilon / 2), 1e-300)):
        return None
    # δ = max(2π (x (1 + e^(-ε/2))²)^(-(N+1)/2), 4π x^(-N/2)),
    # with x = 2πnβ (1 - e^(-ε/2))² e^(-z-ε)
    log_x = log(2 * pi * n * beta) + 2 * log(-expm1(-epsilon / 2)) - z - epsilon
    log_inner = log_x + 2 * log1p(exp(-epsilon / 2))
    return min(max(log(2 * pi) - (N + 1) / 2 * log_inner, log(4 * pi) - N / 2 * log_x), 0.0)


def claimed_by_the_paper(
    counts: Sequence[int], participation: float, epsilon: float
) -> tuple[str, float | None]:
    """Return the name of the theorem that speaks about DPCS with this p at this ε, and the ln δ
    that it claims. The ln δ is None if the theorem claims nothing, as for p = 1, for an item that
    nobody holds, and for a single user.

    If ε >= -ln(1 - p), this is Theorem 3.1 with its δ for the ε of -ln(1 - p). For smaller ε, it is
    Theorem 3.2 with z = -ln(1 - p) - ε. Raises `ValueError` for an ε that is not positive, unless
    p is 1, an item has no holder or there is a single user.
    """
    own_epsilon = -log1p(-participation) if participation < 1 else inf
    is_first = epsilon >= own_epsilon * (1 - 1e-9)
    name = "Theorem 3.1" if is_first else "Theorem 3.2"
    users, items = sum(counts), len(counts)
    if own_epsilon == inf or min(counts) == 0 or users < 2:
        return name, None
    beta = min(counts) / users
    at = min(epsilon, own_epsilon)
    positive_epsilon(at)
    if is_first:
        return name, theorem_3_1(users, items, beta, at)
    return name, theorem_3_2(users, items, beta, at, own_epsilon - epsilon)
