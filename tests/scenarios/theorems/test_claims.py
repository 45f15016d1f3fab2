"""The papers' claims: known numbers, where each claim holds and fails, and that the corrected
bounds hold everywhere.
"""

from math import exp, expm1, inf, isnan, log, pi
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.privacy.profile import log_delta_at
from protocols.privacy.sampled_counts import profile
from protocols.privacy.theorems import claimed_by_the_paper
from scenarios.theorems.all_claims import CLAIMS, judged
from scenarios.theorems.claim import Setting
from scenarios.theorems.sampling import exact_log_delta, worst_of_two_items
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each

BY_NAME = {claim.name: claim for claim in CLAIMS}
SOUND = (
    "R1",
    "R2",
    "R3",
    "R4",
    "Lemma 3.1",
    "Lemma 3.2",
    "Theorem 3.3",
    "Theorem 3.5",
    "Lemma 3.3",
    "Lemma 3.4",
    "DPDG",
)


@st.composite
def settings_of_claims(draw):
    items = draw(st.integers(2, 20))
    users = draw(st.integers(items * 2, 3000))
    beta = draw(st.floats(1 / users, users // items / users))  # so many holders fit the users
    return Setting(
        users,
        items,
        beta,
        draw(st.floats(0.05, 1.0)),
        draw(st.none() | st.floats(0.01, 2)),
        draw(st.floats(1e-9, 0.1)),
        draw(st.integers(1, items)),
        draw(st.floats(1.01, 20)),
    )


def numbers(name: str, setting: Setting) -> tuple[Any, ...]:
    row = BY_NAME[name].judge(setting).as_json()
    return tuple(row[key] for key in ("claimed", "exact_remove", "exact_replace", "exact", "holds"))


@pytest.mark.parametrize(
    ("name", "setting", "claimed", "remove", "replace", "holds"),
    [
        ("Theorem 3.1", Setting(1000, 30, 0.033, 0.5), "3.8e-26", "2.05e-04", "7.62e-04", False),
        ("Theorem 3.1", Setting(1000, 5, 0.2, 0.5), "6.4e-07", "7.2e-14", "3.8e-11", True),
        ("Theorem 3.2", Setting(5000, 30, 0.02, 0.5, 0.5), "2.0e-15", "5.4e-05", "3.6e-04", False),
    ],
)
def test_known_numbers_of_the_theorems_on_sampling(name, setting, claimed, remove, replace, holds):
    found = numbers(name, setting)
    for value, printed in zip(found[:3], (claimed, remove, replace), strict=True):
        assert f"{value:.{len(printed) - 6}e}" == printed
    assert found[4] is holds


TSS_EXAMPLE = {"reported": 12, "delta": 1e-5}


@pytest.mark.parametrize(
    ("name", "gamma", "claimed", "exact", "holds"),
    [
        ("Table I, TSS user qd", 2.0, 6869, 4819, False),
        ("Table I, TSS user FA", 2.0, 16624, 9590, False),
        ("saving of TSS", 2.0, 4.37, 6.23, False),
        ("Table I, TSS user qd", 10.0, 10447, 4819, False),
        ("saving of TSS", 10.0, 2.87, 6.23, False),
        ("Table I, DPDS user qd", 2.0, 60030, 60030, True),
        ("Table I, DPDS user FA", 2.0, 59940, 59940, True),
    ],
)
def test_known_numbers_of_table_1(name, gamma, claimed, exact, holds):
    found = numbers(name, Setting(1000, 30, 0.033, log(2), gamma=gamma, **TSS_EXAMPLE))
    places = 2 if claimed < 10 else 0
    assert found[0] == pytest.approx(claimed, abs=0.51 * 10**-places)
    assert found[3] == pytest.approx(exact, abs=0.51 * 10**-places)
    assert found[4] is holds


@pytest.mark.parametrize(
    ("name", "exact", "holds"),
    [
        ("s1", 1.2015e-3, True),
        ("s2", 1.268e-3, True),
        ("s3", 1.967e-3, False),
        ("s4", 9.85e-4, True),
    ],
)
def test_known_numbers_of_table_2(name, exact, holds):
    setting = Setting(1000, 30, 0.033, 0.5)
    assert BY_NAME[f"Table II, {name}, weights"].holds(setting)
    found = numbers(f"Table II, {name}, MSE", setting)
    assert found[3] == pytest.approx(
        exact, abs=1e-7 if name == "s1" else 5e-7
    )  # the first is cut, not rounded
    assert found[4] is holds


def test_the_printed_noise_share_hides_little():
    setting = Setting(1000, 30, 0.033, 0.5, delta=1e-5)
    assert round(numbers("DPDG noise share", setting)[3], 2) == 0.87
    assert numbers("DPDG noise share", setting)[4] is False
    assert numbers("DPDG", setting)[4] is True


def test_the_crossover_is_n_items_higher():
    setting = Setting(1000, 12, 0.05, 0.4, delta=0.5)
    claimed, *_, exact, holds = numbers("DPDG crossover", setting)
    assert exact == pytest.approx(12 * claimed)
    assert holds is False
    assert numbers("DPDG crossover", Setting(1000, 1, 0.5, 0.4, delta=0.5))[4] is True


@pytest.mark.slow
def test_theorem_3_4_on_the_tiny_instance():
    claimed, _, _, exact, holds = numbers("Theorem 3.4", Setting(1000, 30, 0.033, log(2)))
    assert claimed == pytest.approx(
        0.5
    )  # the worst neighbour of inputs 1, 1, 2 leaves an item without holders
    assert exact < claimed
    assert holds


@pytest.mark.slow
def test_every_claim_says_what_its_numbers_are():
    found = judged(Setting(1000, 30, 0.033, 0.5, z=0.5))
    assert all(one.quantity for one in found)
    assert {one.quantity for one in found if one.is_log} == {"δ"}
    told = {one.claim: one.as_json()["quantity"] for one in found}
    assert told["Eq. 30"] == told["Theorem 3.3"] == "ε"
    assert told["Lemma 3.1"] == told["Table II, s1, MSE"] == "squared L2"


@given(settings_of_claims())
@cases(15)
def test_what_must_hold_everywhere_does(setting):
    failing = [name for name in SOUND if BY_NAME[name].holds(setting) is False]
    assert not failing


@st.composite
def any_settings(draw):
    """Whatever a `Setting` accepts, the ends of every range included."""
    users = int(10 ** draw(st.floats(0.31, 7)))
    items = min(int(10 ** draw(st.floats(0, 6))), users)
    exponents = st.floats(-100, 2.845) | st.floats(-2, 1)
    epsilon = 10 ** draw(exponents) if draw(st.booleans()) else draw(st.sampled_from([355.0, 700]))
    return Setting(
        users,
        items,
        max(users // items - 1, 1) / users,
        epsilon,
        draw(st.none() | st.floats(1e-100, 1e300)),
        10 ** draw(st.floats(-300, -0.001)),
        draw(st.none() | st.integers(1, items)),
        1 + 10 ** draw(st.floats(-15, 2) | st.floats(2, 300)),
    )


NOT_PLAYED = [claim for claim in CLAIMS if claim.name != "Theorem 3.4"]  # it takes half a second


@pytest.mark.slow
@given(any_settings())
@cases(12)
def test_every_setting_is_judged(setting):
    """No error, no number that is none, and nothing that is sound fails for want of digits."""
    for claim in NOT_PLAYED:
        found = claim.judge(setting)
        values = [found.claimed, *found.exact.values()]
        assert not any(value is not None and isnan(value) for value in values), claim.name
        assert found.holds is not False or claim.name not in SOUND, claim.name


@pytest.mark.slow
@pytest.mark.parametrize(("epsilon", "users"), [(0.5, 10**6), (300.0, 10**7)])
def test_sums_over_the_laws_of_many_users_are_those_of_few(epsilon, users):
    """Costs a user and the squared error: a sum over all counts took a quarter of a minute."""
    few, many = (
        {
            name: BY_NAME[name].judge(Setting(n, 2, 0.4, epsilon, reported=1)).exact["value"]
            for name in ("Lemma 3.1", "Theorem 3.5", "Table I, TSS user qd")
        }
        for n in (1000, users)
    )
    for name, value in many.items():
        scale = users / 1000 if name.startswith("Table") else 1000 / users
        assert value == pytest.approx(few[name] * scale, rel=0.01)


@pytest.mark.slow
def test_every_claim_has_a_source_and_can_be_written(tmp_path):
    rows = [one.as_json() for one in judged(Setting(200, 6, 0.1, 0.5, 0.5))]
    assert len({row["claim"] for row in rows}) == len(CLAIMS)
    assert all(row["source"] and row["statement"] for row in rows)
    assert {row["holds"] for row in rows} == {True, False}


@pytest.mark.parametrize(
    ("users", "items", "beta", "epsilon", "z"),
    [(5000, 30, 0.02, 0.5, 0.5), (400, 3, 0.3, 1.0, 0.2)],
)
def test_theorem_3_2_allows_the_least_delta_of_its_inequality(users, items, beta, epsilon, z):
    """The inequality on β as it is printed holds at the claimed δ, and no longer just below it."""

    def needed(delta: float) -> float:
        first = (2 * pi / delta) ** (2 / (items + 1)) / (1 + exp(-epsilon / 2)) ** 2
        second = (4 * pi / delta) ** (2 / items)
        return (
            exp(z + epsilon) / (2 * pi * users * (1 - exp(-epsilon / 2)) ** 2) * max(first, second)
        )

    claimed = numbers("Theorem 3.2", Setting(users, items, beta, epsilon, z))[0]
    assert needed(claimed * 1.0001) <= beta < needed(claimed * 0.9999)


def test_without_z_theorem_3_2_claims_nothing():
    assert numbers("Theorem 3.2", Setting(1000, 5, 0.2, 0.5))[4] is None
    assert (
        numbers("Theorem 3.2", Setting(10, 5, 0.2, 0.5, z=50.0))[4] is None
    )  # nor with a z above its limit


def test_with_one_item_nobody_can_be_replaced():
    claimed, remove, replace, _, holds = numbers("Theorem 3.1", Setting(1000, 1, 0.5, 0.5))
    assert replace is None
    assert remove <= claimed
    assert holds
    assert numbers("R2", Setting(1000, 1, 0.5, 0.5))[4] is None


def test_the_only_item_is_held_by_all_users():
    exact = numbers("Theorem 3.1", Setting(100, 1, 0.1, 0.5))[1]
    assert exact == pytest.approx(exp(exact_log_delta((100,), -expm1(-0.5), "remove", 0.5)))


@given(st.integers(2, 40), st.data(), st.floats(0.01, 3), st.floats(0.05, 1))
def test_two_items_have_all_users(users, data, epsilon, participation):
    """Brute force over all populations in which both items have enough holders."""
    least = data.draw(st.integers(1, users // 2))
    each = [
        log_delta_at(profile([first, users - first], participation, "replace"), epsilon)
        for first in range(least, users - least + 1)
    ]
    found = worst_of_two_items(users, least, participation, epsilon)
    assert found == pytest.approx(max(each), abs=2e-9)
    assert found <= exact_log_delta((least, least), participation, "replace", epsilon) + 1e-9


def test_the_worst_of_two_items_need_not_be_the_most_unequal_counts():
    found = worst_of_two_items(101, 49, 0.8, 0.05)
    assert exact_log_delta((49, 52), 0.8, "replace", 0.05) < found - 1e-6
    assert found < exact_log_delta((49, 49), 0.8, "replace", 0.05) - 1e-6
    assert numbers("Theorem 3.1", Setting(101, 2, 49 / 101, 0.05))[2] == pytest.approx(
        exp(worst_of_two_items(101, 49, -expm1(-0.05), 0.05))
    )


@pytest.mark.parametrize(("epsilon", "is_larger"), [(0.5, False), (6.0, True)])
def test_with_one_item_the_claims_on_numbers_are_judged_as_with_more(epsilon, is_larger):
    """They speak of numbers, not of items. At ε = 6, SCDF has a smaller variance than HM."""
    one, more = Setting(1000, 1, 0.5, epsilon), Setting(1000, 30, 0.033, epsilon)
    for name, holds in (("Duchi, d even", False), ("HM at worst", not is_larger)):
        assert numbers(name, one) == numbers(name, more)
        assert numbers(name, one)[4] is holds
    # GRR and OUE need two items.
    assert numbers("Theorem 3.5 of Biswas", one)[4] is None
    assert numbers("Eq. 14", one)[4] is None


def test_the_theorem_that_speaks_of_a_run():
    p = 1 - exp(-0.5)
    assert claimed_by_the_paper([33] * 30, p, 0.5)[0] == "Theorem 3.1"
    assert claimed_by_the_paper([33] * 30, p, 0.3)[0] == "Theorem 3.2"
    assert claimed_by_the_paper([33] * 30, p, 0.9)[1] == claimed_by_the_paper([33] * 30, p, 0.5)[1]
    assert claimed_by_the_paper([33, 0], p, 0.5)[1] is None  # β is to be positive
    assert claimed_by_the_paper([33, 5], 1.0, 0.5)[1] is None


@for_each(
    "arguments, words",
    [
        ((1000, 30, 0.5, 0.5), "at most 1/30 "),
        ((3, 5, 0.2, 0.5), "each of the 5 items has at least 1 of 3 users, which would be 5 users"),
        ((1000, 30, 0.0, 0.5), "above 0"),
        ((1000, 30, 0.03, 0.0), "epsilon is positive"),
        ((1000, 30, 0.03, 0.5, -1.0), "z is positive"),
        ((1000, 30, 0.03, 0.5, None, 1.0), "delta lies"),
        ((1000, 30, 0.03, 0.5, None, 0.1, 31), "1 to 30 items"),
        ((1, 30, 0.03, 0.5), "at least 2 users"),
        ((2, 1, 1.0, 1e-300), "from 1e-100 to 700"),
        ((10**9, 2, 0.5, 0.5), "up to 100,000,000 users"),
        ((10**8, 10**7, 1e-8, 0.5), "up to 1,000,000 items"),
    ],
)
def test_settings_that_are_none_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        Setting(*arguments)


def test_beta_counts_as_it_is_written():
    assert Setting(1000, 30, 0.033, 0.5).rarest == 33
    assert Setting(1000, 20, 0.0331, 0.5).rarest == 34
    assert Setting(100, 3, 1e-9, 0.5).rarest == 1


@pytest.mark.parametrize(
    ("name", "epsilon", "claimed", "exact", "holds"),
    [
        ("Duchi, d even", 1.0, 1.0, 1.3133, False),
        ("HM at worst", 5.37, 0.0990, 0.0989, True),
        ("HM at worst", 6.0, 0.0670, 0.0704, False),
        ("HM at worst", 6.5, 0.0507, 0.0540, False),
        ("HM at worst", 8.0, 0.0258, 0.0249, True),
        ("HM at worst", 2.0, 1.6912, 1.0423, True),
        ("Eq. 30", 1.0, 1.6946, 3.7136, False),
        ("two rounds", 1.0, 1.0, inf, False),
    ],
)
def test_known_numbers_of_claims_on_local_mechanisms(name, epsilon, claimed, exact, holds):
    found = numbers(name, Setting(1000, 30, 0.03, epsilon))
    assert found[0] == pytest.approx(claimed, abs=5.1e-5)
    assert found[3] == pytest.approx(exact, abs=5.1e-5)
    assert found[4] is holds


def test_the_other_estimator_of_sampled_collections_varies_less():
    setting = Setting(50_000, 2, 0.08, 1.0)
    claimed, _, _, exact, holds = numbers("Theorem 3.5 of Biswas", setting)
    assert exact > claimed
    assert holds is False
    claimed, _, _, exact, holds = numbers("Eq. 14", setting)
    assert exact > claimed
    assert holds is False
