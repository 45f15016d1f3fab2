"""Claims over planes of settings: the sign says whether a claim holds, the size how loose it is."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.theorems.all_claims import CLAIMS
from scenarios.theorems.claim import DeltaClaim, Setting
from scenarios.theorems.plane import claimed_over_exact, evenly_held
from tests.harness.fuzz import cases

BY_NAME = {claim.name: claim for claim in CLAIMS if isinstance(claim, DeltaClaim)}
FIRST = BY_NAME["Theorem 3.1"]


@pytest.mark.slow
@given(st.integers(2, 30_000), st.integers(1, 3000))
def test_evenly_held_items_have_just_so_many_holders(holders, items):
    assert evenly_held(holders, items, 0.5).rarest == holders


@given(st.integers(2, 10**7), st.data())
def test_a_share_of_the_users_that_is_a_count_over_n_is_that_count(users, data):
    holders = data.draw(st.integers(1, users))
    assert Setting(users, 1, holders / users, 0.5).rarest == holders


@given(
    st.sampled_from(sorted(BY_NAME)),
    st.integers(1, 300),
    st.integers(2, 40),
    st.floats(0.05, 1.5),
    st.floats(0.1, 3),
)
@cases(60)
def test_the_sign_tells_whether_a_claim_holds(name, holders, items, epsilon, z):
    setting = evenly_held(holders, items, epsilon, z=z)
    value = claimed_over_exact(BY_NAME[name], [[setting]])[0, 0]
    holds = BY_NAME[name].holds(setting)
    assert np.isnan(value) if holds is None else (value >= 0) == holds


def test_known_powers_of_ten():
    plane = [[Setting(1000, 30, 0.033, 0.5), Setting(1000, 5, 0.2, 0.5)]]
    found = claimed_over_exact(FIRST, plane)
    assert found.shape == (1, 2)
    assert found[0] == pytest.approx(
        [np.log10(3.83e-26 / 7.62e-4), np.log10(6.4e-7 / 3.8e-11)], abs=0.01
    )


def test_what_is_proved_holds_over_a_plane_and_the_theorem_does_not():
    plane = [
        [evenly_held(holders, 10, epsilon) for holders in (3, 30, 300)]
        for epsilon in (0.1, 0.5, 2.0)
    ]
    for name in ("R1", "R2", "R3", "R4"):
        assert (claimed_over_exact(BY_NAME[name], plane) >= 0).all()
    assert (
        claimed_over_exact(BY_NAME["R3"], plane) <= claimed_over_exact(BY_NAME["R1"], plane)
    ).all()
    assert (claimed_over_exact(FIRST, plane) < 0).any()


def test_a_theorem_that_is_silent_has_no_value():
    plane = [
        [
            evenly_held(30, 10, 0.5),
            evenly_held(30, 10, 0.5, z=50.0),
            evenly_held(30, 10, 0.5, z=0.5),
        ]
    ]
    assert np.isnan(claimed_over_exact(BY_NAME["Theorem 3.2"], plane)).tolist() == [
        [True, True, False]
    ]
    assert (
        BY_NAME["Theorem 3.2"].judge(plane[0][0]).exact == {}
    )  # without z there is no p to be exact about


def test_a_claim_below_the_exact_by_a_rounding_counts_as_equal():
    def claims(below):
        return DeltaClaim("c", "", "", lambda _: log(0.1) - below, lambda *_: log(0.1))

    plane = [[evenly_held(30, 10, 0.5)]]
    assert claimed_over_exact(claims(1e-12), plane)[0, 0] == 0
    assert claimed_over_exact(claims(1e-3), plane)[0, 0] < 0


def test_an_epsilon_whose_power_is_no_float_is_refused():
    with pytest.raises(ValueError, match="to 700"):
        evenly_held(30, 10, 800.0)


def test_no_items_are_refused():
    with pytest.raises(ValueError, match="at least 2 users"):
        evenly_held(5, 0, 0.5)
