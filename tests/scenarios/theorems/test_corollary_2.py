"""Each step of the proof of Wang et al.'s Corollary 2 in docs/proofs/papers.md, in numbers."""

from fractions import Fraction
from math import comb, sinh, tanh

import pytest

from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.duchi_multi import DuchiMulti
from protocols.mechanisms.hybrid import EPS_STAR, HM
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.tuples import Tuples, printed_k
from tests.harness.many_cases import for_each

BUDGETS = (0.01, 0.25, 0.6, EPS_STAR, 0.62, 1.0, 2.5, 4.999, 5.0, 7.499, 7.5, 12.499, 20.0)
DIMENSIONS = (2, 3, 4, 5, 9, 40)


def printed_c(d: int) -> Fraction:
    if d % 2:
        return Fraction(2 ** (d - 1), comb(d - 1, (d - 1) // 2))
    return Fraction(2 ** (d - 1) + comb(d, d // 2) // 2, comb(d - 1, d // 2))


def central(m: int) -> Fraction:
    return Fraction(4**m, comb(2 * m, m))


def excess(x: float) -> float:
    return sinh(x / 4) ** 2


def squares(x: float) -> tuple[float, float]:
    s = excess(x)
    return 1 + 1 / (3 * s), 1 + 1 / (4 * s * (1 + s))


def test_the_square_of_the_constant_is_at_least_four_thirds_of_the_dimension():
    for d in range(2, 200):
        m = d // 2
        assert central(m) ** 2 >= Fraction(4 * (2 * m + 1), 3)
        assert printed_c(d) == central(m) + 1 - d % 2
        assert printed_c(d) ** 2 >= Fraction(4 * d, 3)
    assert printed_c(3) ** 2 == 4


def test_the_constant_grows_by_more_than_the_induction_needs():
    for m in range(1, 200):
        growth = (central(m + 1) / central(m)) ** 2
        assert growth == Fraction((2 * m + 2) ** 2, (2 * m + 1) ** 2)
        assert growth > Fraction(2 * m + 3, 2 * m + 1)


@for_each("x", BUDGETS)
def test_the_mean_squares_of_one_report_are_those_of_the_proof(x):
    pm, duchi = squares(x)
    assert PM(x).law(1.0).second_moment == pytest.approx(pm, rel=1e-8)
    assert Duchi(x).law(1.0).second_moment == pytest.approx(duchi, rel=1e-8)
    assert 1 / tanh(x / 2) ** 2 == pytest.approx(duchi)
    assert duchi < pm
    s = excess(x)
    assert pm - duchi == pytest.approx(1 / (12 * s) + 1 / (4 * (1 + s)))
    assert duchi == pytest.approx(1 + 1 / (4 * s) - 1 / (4 * (1 + s)))


@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_worst_variances_are_those_of_the_proof_and_in_its_order(d):
    square = float(printed_c(d)) ** 2
    for epsilon in BUDGETS:
        k = printed_k(epsilon, d)
        x, rate = epsilon / k, d / k
        pm, duchi = squares(x)
        alpha = HM(x).alpha
        of_pm = rate * pm - 1
        of_hm = rate * (alpha * pm + (1 - alpha) * duchi) - 1 if x > EPS_STAR else rate * duchi
        of_duchi = square / tanh(epsilon / 2) ** 2
        found_pm, found_hm = (
            Tuples(epsilon, Attributes(numeric=d), inner).worst_variance for inner in ("pm", "hm")
        )
        assert found_pm == pytest.approx(of_pm, rel=1e-8)
        assert found_hm == pytest.approx(of_hm, rel=1e-8)
        found = DuchiMulti(epsilon, d, "as-printed").worst_variance
        assert found == pytest.approx(of_duchi, rel=1e-8)
        assert of_hm < of_pm < of_duchi
        if k == 1:
            s = excess(x)
            assert of_duchi > square / (4 * s) + 0.75 * square
            assert square / (4 * s) + 0.75 * square >= (d / (3 * s) + d) * (1 - 1e-12)
        else:
            assert x >= 2.5
            assert of_pm < 0.876 * d - 1 < square


def test_the_numbers_of_the_proof():
    assert excess(EPS_STAR) < 1 / 12
    assert (1 + 1 / (3 * excess(2.5))) / 2 < 0.876
