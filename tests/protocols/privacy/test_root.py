"""Roots of functions whose roots are known."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.privacy.root import root

FUNCTIONS = {
    "line": lambda x: x,
    "steep": lambda x: math.expm1(40 * x),
    "bent": lambda x: math.copysign(math.sqrt(abs(x)), x),
    "saturated": lambda x: math.tanh(1e3 * x),
    "falling": lambda x: -x - x**3,
    "step": lambda x: 1.0 if x > 0 else -1.0,
}


@given(st.sampled_from(sorted(FUNCTIONS)), st.floats(1e-9, 0.999), st.floats(1e-3, 1e3))
def test_a_root_is_found_within_its_bound(name: str, share: float, width: float) -> None:
    at = share * width
    found = root(lambda x: FUNCTIONS[name]((x - at) / width), 0.0, width)
    assert found == pytest.approx(at, rel=2e-11, abs=2e-14)


@pytest.mark.parametrize("scale", [1.0, -1.0, 1e-200])  # the square of 1e-200 is 0 in doubles
def test_a_function_of_one_sign_has_no_root_to_find(scale: float) -> None:
    with pytest.raises(ValueError, match="same sign"):
        root(lambda x: scale * math.exp(x), 0.0, 1.0)
