"""The Gaussian mechanism: calibrations are compared with formulas that are evaluated separately, at
high precision.
"""

from math import exp, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from protocols.privacy.gaussian import CALIBRATIONS, GaussianProfile, delta_of, sigma
from tests.harness.many_cases import for_each

EPSILONS = [1e-3, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0]
DELTAS = [1e-12, 1e-9, 1e-5, 0.01, 0.3, 0.9]
SENSITIVITIES = [1.0, sqrt(2) / 1000]

epsilons = for_each("epsilon", EPSILONS)
deltas = for_each("delta", DELTAS)
sensitivities = for_each("sensitivity", SENSITIVITIES)


def precise_delta(deviation: float, sensitivity: float, epsilon: float) -> float:
    return exp(precise_log_delta(deviation, sensitivity, epsilon))


def precise_log_delta(deviation: float, sensitivity: float, epsilon: float) -> float:
    """Balle and Wang, Theorem 8, in 1500 bits: δ = φ(x) (m(x) - m(x + 2h)), where x = εσ/Δ - h,
    h = Δ/2σ, and m(y) = Φ(-y)/φ(y).
    """
    before, ctx.prec = ctx.prec, 1500
    try:
        half = arb(sensitivity) / arb(deviation) / 2
        x = arb(epsilon) / (2 * half) - half
        delta = _mills(x) - _mills(x + 2 * half)
        return float(delta.log() - x**2 / 2 - (2 * arb.pi()).log() / 2)
    finally:
        ctx.prec = before


def _mills(y: Any) -> Any:
    if y > 4:
        return (y**2 / 2).hypgeom_u(arb(1) / 2, arb(1) / 2) / arb(2).sqrt()
    return (y / arb(2).sqrt()).erfc() * (y**2 / 2).exp() * (arb.pi() / 2).sqrt()


@epsilons
@deltas
@sensitivities
def test_the_analytic_noise_gives_delta_exactly(
    epsilon: float, delta: float, sensitivity: float
) -> None:
    found = sigma("analytic", sensitivity, epsilon, delta)
    assert delta_of(found, sensitivity, epsilon) == pytest.approx(delta, rel=1e-9)
    assert precise_delta(found, sensitivity, epsilon) == pytest.approx(delta, rel=1e-9)


@given(st.floats(0.05, 20), st.floats(1e-3, 1e3), st.floats(1e-3, 10))
def test_delta_is_that_of_the_formula(
    deviations: float, sensitivity: float, epsilon: float
) -> None:
    deviation = deviations * sensitivity
    found = delta_of(deviation, sensitivity, epsilon)
    half, shift = sensitivity / (2 * deviation), epsilon * deviation / sensitivity
    assert found == pytest.approx(
        norm.cdf(half - shift) - exp(epsilon) * norm.cdf(-half - shift), rel=1e-6, abs=1e-14
    )
    assert found == pytest.approx(
        precise_delta(deviation, sensitivity, epsilon), rel=1e-9, abs=1e-13
    )


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0])
def test_delta_is_the_mass_beyond_the_ratio(epsilon: float) -> None:
    """The definition: the integral of max(0, f(x - Δ) - e^ε f(x)) for a noise density f, summed on
    a fine grid.
    """
    deviation, sensitivity = 1.7, 1.0
    x, step = np.linspace(-20, 22, 420_001, retstep=True)
    excess = norm.pdf(x - sensitivity, scale=deviation) - exp(epsilon) * norm.pdf(
        x, scale=deviation
    )
    assert delta_of(deviation, sensitivity, epsilon) == pytest.approx(
        np.maximum(excess, 0).sum() * step, rel=1e-6
    )


@for_each("epsilon", [1e-3, 0.01, 0.1, 0.5, 1.0])
@deltas
@sensitivities
def test_the_classic_noise_is_at_least_the_analytic(
    epsilon: float, delta: float, sensitivity: float
) -> None:
    classic = sigma("classic", sensitivity, epsilon, delta)
    assert classic == pytest.approx(sensitivity * sqrt(2 * log(1.25 / delta)) / epsilon)
    assert sigma("analytic", sensitivity, epsilon, delta) <= classic
    assert delta_of(classic, sensitivity, epsilon) <= delta


@for_each("calibration", CALIBRATIONS)
@for_each(
    "epsilon, delta, what",
    [
        (0.0, 1e-5, "epsilon is positive"),
        (-1.0, 1e-5, "epsilon is positive"),
        (float("nan"), 1e-5, "epsilon is positive"),
        (float("inf"), 1e-5, "epsilon is positive and finite"),
        (0.5, 0.0, "delta lies between 0 and 1"),
        (0.5, 1.0, "delta lies between 0 and 1"),
        (0.5, -0.1, "delta lies between 0 and 1"),
        (0.5, float("nan"), "delta lies between 0 and 1"),
    ],
)
def test_bad_budgets_are_refused(calibration: Any, epsilon: float, delta: float, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        sigma(calibration, 1.0, epsilon, delta)


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("sensitivity", [0.0, -1.0, float("inf"), float("nan")])
def test_bad_sensitivities_are_refused(calibration: Any, sensitivity: float) -> None:
    with pytest.raises(ValueError, match="sensitivity is positive and finite"):
        sigma(calibration, sensitivity, 1.0, 1e-5)
    with pytest.raises(ValueError, match="sensitivity is positive and finite"):
        GaussianProfile(1.0, sensitivity)
    with pytest.raises(ValueError, match="sigma is positive and finite"):
        GaussianProfile(sensitivity, 1.0)


def test_another_calibration_is_refused() -> None:
    other: Any = "exact"
    with pytest.raises(ValueError, match="calibration is classic or analytic, got 'exact'"):
        sigma(other, 1.0, 1.0, 1e-5)


def test_the_classic_calibration_is_refused_above_one() -> None:
    with pytest.raises(ValueError, match=r"holds for epsilon up to 1, got 1\.0000001; the cal"):
        sigma("classic", 1.0, 1.0000001, 1e-5)
    assert sigma("classic", 1.0, 1.0, 1e-5) > 0
    assert sigma("analytic", 1.0, 1.01, 1e-5) > 0


@for_each("epsilon", [1e2, 1e4, 1e6, 1e8, 1e10, 1e12])
@deltas
def test_noise_for_a_huge_epsilon_has_its_delta(epsilon: float, delta: float) -> None:
    found = sigma("analytic", 1.0, epsilon, delta)
    assert precise_delta(found, 1.0, epsilon) == pytest.approx(delta, rel=1e-6, abs=0)


@pytest.mark.parametrize("epsilon", [-1.0, float("inf"), float("nan")])
@pytest.mark.parametrize("deviation", [1e-4, 1.0])
def test_a_delta_at_an_epsilon_out_of_range_is_refused(deviation: float, epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon is finite and at least 0"):
        delta_of(deviation, 1.0, epsilon)


def test_an_epsilon_whose_noise_cannot_be_computed_is_refused() -> None:
    with pytest.raises(ValueError, match=r"epsilon must be at most 1e\+12, got 10000000000000"):
        sigma("analytic", 1.0, 1e13, 1e-6)
    for sensitivity, epsilon in ((1.0, 1e-300), (1e308, 1e-9)):
        with pytest.raises(ValueError, match=r"the noise for epsilon .* is too large to compute"):
            sigma("analytic", sensitivity, epsilon, 1e-300)


@for_each("scale", [1e-150, 1.0, 1e150])
@for_each("ratio", [1e-100, 1e-8, 1e-3, 1.0, 1e3, 1e100])
@for_each("x", [-13.0, -3.0, 0.0, 5.0, 1e3, 1e11, 1e13])
def test_delta_is_right_where_products_overflow_or_cancel(
    scale: float, ratio: float, x: float
) -> None:
    deviation, half = ratio * scale, 1 / (2 * ratio)
    epsilon = max(x + half, 0.0) / ratio
    found = GaussianProfile(deviation, scale).log_delta(epsilon)
    exact = precise_log_delta(deviation, scale, epsilon)
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("deviation", "sensitivity", "epsilon", "log_delta"),
    [
        (1e250, 1.0, 1e-240, -5e19),
        (1e200, 1.0, 0.0, log(0.5e-200 * 0.7978845608028654)),
        (1e200, 1.0, 1.0, -inf),
        (1.0, 1.0, 1e300, -inf),
        (1e-250, 1.0, 1.0, 0.0),
        (1e-100, 1.0, 1e200, -1.25e199),
        (1e308, 1e307, 0.0, log(0.03987761167674497)),
    ],
)
def test_delta_of_extreme_noise(
    deviation: float, sensitivity: float, epsilon: float, log_delta: float
) -> None:
    found = GaussianProfile(deviation, sensitivity).log_delta(epsilon)
    assert found == pytest.approx(log_delta, rel=1e-9)


def test_noise_too_far_from_the_sensitivity_is_refused() -> None:
    words = r"sigma and sensitivity must not differ by a factor of more than 1e\+250"
    for deviation, sensitivity in [(1e251, 1.0), (1e-251, 1.0), (1e-200, 1e200), (1e200, 1e-200)]:
        with pytest.raises(ValueError, match=words):
            delta_of(deviation, sensitivity, 1.0)
