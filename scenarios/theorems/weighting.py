"""Claims on weighted aggregation: Lemmas 3.3 and 3.4 and Table II of Yang et al.

All these claims are computed for four groups of 250 users.
"""

from collections.abc import Callable
from math import exp, expm1

from protocols.privacy.sampled_counts import LARGE_EPSILON
from protocols.weighted.weights import error, weights
from scenarios.theorems.claim import Setting, ValueClaim

PAPER = "Yang et al."
SIZES = [250] * 4
# Table II as printed, in the order of its settings s1 to s4: budgets, weights, and the MSE of
# weighted aggregation
PRINTED = {
    "s1": ((0.1, 0.4, 0.7, 1.0), (0.0316, 0.1477, 0.3045, 0.5162), 1.124e-3),
    "s2": ((0.1, 0.1, 0.8, 1.0), (0.0333, 0.0333, 0.3885, 0.5448), 1.253e-3),
    "s3": ((0.1, 0.1, 0.1, 1.0), (0.0517, 0.0517, 0.0517, 0.8449), 0.952e-3),
    "s4": ((0.1, 0.8, 0.7, 1.0), (0.0259, 0.3017, 0.2495, 0.4229), 9.61e-4),
}
FOUR_DECIMALS = 0.5e-4
SAME_ERROR = (
    # A relative tolerance: the paper's mean of 20 runs has itself a standard deviation of some per
    # cent.
    0.15
)


def variances(budgets: tuple[float, ...]) -> list[float]:
    """V_j = 1 / (e^ε_j - 1) for each group: the squared error of the group by sampling, times the
    number of users of the group.

    >>> [round(one, 2) for one in variances((0.1, 1.0))]
    [9.51, 0.58]
    """
    return [exp(-budget) / -expm1(-budget) for budget in budgets]


def _budgets(setting: Setting) -> tuple[float, ...]:
    return tuple(setting.epsilon * factor for factor in (0.2, 0.5, 1.0, 2.0))


def _error(method: str, setting: Setting) -> float | None:
    """The squared error with a method's weights; None for budgets so large that V_j loses
    digits.
    """
    if max(_budgets(setting)) > LARGE_EPSILON:
        return None
    V = variances(_budgets(setting))  # noqa: N806  # the paper's letter
    return error(weights(method, SIZES, V), SIZES, V)  # type: ignore[arg-type]


def _largest_gap(name: str) -> float:
    budgets, printed, _ = PRINTED[name]
    return float(max(abs(weights("vwa", SIZES, variances(budgets)) - printed)))


def _noise(name: str) -> float:
    V = variances(PRINTED[name][0])  # noqa: N806  # the paper's letter
    return error(weights("vwa", SIZES, V), SIZES, V)


def _of(function: Callable[[str], float], name: str) -> Callable[[Setting], float]:
    return lambda _: function(name)


def _table_2(name: str) -> tuple[ValueClaim, ValueClaim]:
    budgets, _, mse = PRINTED[name]
    words = ", ".join(f"{budget:g}" for budget in budgets)
    return (
        ValueClaim(
            f"Table II, {name}, weights",
            f"largest error of the printed weights for budgets {words}",
            f"{PAPER}, Table II",
            "weight error",
            lambda _: FOUR_DECIMALS,
            _of(_largest_gap, name),
            is_bound=True,
            tolerance=1e-3,
        ),
        ValueClaim(
            f"Table II, {name}, MSE",
            f"squared error with weights 1/V for budgets {words}; equal if within 15 %",
            f"{PAPER}, Table II",
            "squared L2",
            lambda _: mse,
            _of(_noise, name),
            tolerance=SAME_ERROR,
        ),
    )


WEIGHTING_CLAIMS = (
    ValueClaim(
        "Lemma 3.3",
        "the error is least for weights in proportion to 1/V",
        f"{PAPER}, Lemma 3.3",
        "squared L2",
        lambda s: _error("vwa", s),
        lambda s: _error("owa", s),
        tolerance=1e-8,
    ),
    ValueClaim(
        "Lemma 3.4",
        "weights 1/V err no more than equal weights",
        f"{PAPER}, Lemma 3.4",
        "squared L2",
        lambda s: _error("uwa", s),
        lambda s: _error("vwa", s),
        is_bound=True,
    ),
    *(claim for name in PRINTED for claim in _table_2(name)),
)
