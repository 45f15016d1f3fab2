"""How far apart two laws are."""

import math
from fractions import Fraction

import pytest

from simnet.coins.law import Law, delta, epsilon
from tests.harness.tiny import HALF


def test_laws_are_compared_in_both_directions() -> None:
    one: Law = {"x": HALF, "y": HALF}
    other: Law = {"x": Fraction(3, 4), "y": Fraction(1, 4)}
    assert epsilon(one, other) == epsilon(other, one) == math.log(2)
    assert delta(one, other) == delta(other, one) == Fraction(1, 4)
    assert delta(one, other, math.log(2)) == pytest.approx(0, abs=1e-15)
    assert epsilon(one, {"x": Fraction(1)}) == math.inf
    assert delta(one, {"x": Fraction(1)}, 5.0) == HALF
