"""Exact privacy of sampled counts, compared with arithmetic of many digits, with known numbers and
with the laws of profiles.
"""

from decimal import Decimal
from math import comb, exp, expm1, inf, log, log10, nextafter

import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import assume, example, given
from hypothesis import strategies as st

from protocols.privacy.binomial import Binomial, log_pmf
from protocols.privacy.bounds import R1, R2, R3, R4
from protocols.privacy.profile import delta_at, epsilon_at, log_delta_at
from protocols.privacy.sampled_counts import ERROR, RELATIONS, Removal, Replacement, profile
from tests.harness.fuzz import cases

chances = st.floats(1e-4, 1 - 1e-4)
budgets = st.floats(1e-4, 8)
relations = st.sampled_from(RELATIONS)


@pytest.fixture(autouse=True)
def digits():
    before, ctx.prec = ctx.prec, 400
    yield
    ctx.prec = before


def law(count: int, chance: float) -> list[arb]:
    p = arb(chance)
    return [comb(count, k) * p**k * (1 - p) ** (count - k) for k in range(count + 1)] + [arb(0)]


def log_of_excess(pairs: list[tuple[arb, arb]], epsilon: float) -> float:
    """Log of the larger of Σ max(0, P - e^ε Q) and Σ max(0, Q - e^ε P), in big numbers."""
    factor = arb(epsilon).exp()
    sums = [arb(0), arb(0)]
    for p, q in pairs:
        for way, gap in enumerate((p - factor * q, q - factor * p)):
            if gap > 0:
                sums[way] += gap
    return max(float(total.log()) if total > 0 else -inf for total in sums)


def brute_removal(count: int, chance: float, epsilon: float) -> float:
    return log_of_excess(
        list(zip(law(count, chance), [*law(count - 1, chance), arb(0)], strict=False)), epsilon
    )


def brute_replacement(origin: int, target: int, chance: float, epsilon: float) -> float:
    a, a1, b, b1 = (law(count, chance) for count in (origin, origin - 1, target, target + 1))
    pairs = [(a[x] * b[y], a1[x] * b1[y]) for x in range(origin + 1) for y in range(target + 2)]
    return log_of_excess(pairs, epsilon)


@pytest.mark.parametrize(
    ("n", "p"), [(10**7, 0.39346934), (10**7, 1e-6), (10**4, 0.999), (40, 0.3), (2, 0.5), (1, 0.3)]
)
def test_binomial_probabilities_agree_with_big_numbers(n, p):
    spread = (n * p * (1 - p)) ** 0.5
    places = {0, 1, n - 1, n, *(round(n * p + far * spread) for far in (-36, -3, 0, 3, 36))}
    for k in (k for k in places if 0 <= k <= n):
        chosen = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
        exact = float(chosen + arb(p).log() * k + (1 - arb(p)).log() * (n - k))
        assert float(log_pmf(np.array([k]), n, p)[0]) == pytest.approx(exact, rel=1e-13, abs=2e-11)


@given(st.integers(1, 40), chances, budgets)
@cases(60)
def test_removal_agrees_with_the_sum_over_all_counts(count, chance, epsilon):
    assert log_delta_at(Removal(count, chance), epsilon) == pytest.approx(
        brute_removal(count, chance, epsilon), rel=1e-11, abs=1e-10
    )


@given(st.integers(1, 9), st.integers(0, 9), chances, budgets)
@cases(40)
def test_replacement_agrees_with_the_sum_over_all_pairs_of_counts(origin, target, chance, epsilon):
    assert log_delta_at(Replacement(origin, target, chance), epsilon) == pytest.approx(
        brute_replacement(origin, target, chance, epsilon), rel=1e-11, abs=1e-10
    )


extremes = chances | st.floats(-289, -1).map(lambda power: 10**power)
extremes |= st.floats(-15.9, -1).map(lambda power: 1 - 10**power)
far_budgets = st.floats(-18, 3).map(lambda power: 10**power)


@given(st.integers(1, 12), st.integers(0, 6), extremes, far_budgets)
@cases(35)
def test_exact_profiles_and_their_bounds_hold_at_the_ends_of_every_range(
    count, target, chance, epsilon
):
    """Exact within the stated error, and no bound below the truth by as much as a rounding."""
    ctx.prec = 4000
    origin = min(count, 6)
    for found, truth, bounds in (
        (
            Removal(count, chance),
            brute_removal(count, chance, epsilon),
            (R1(count, chance), R3(count, chance)),
        ),
        (
            Replacement(origin, target, chance),
            brute_replacement(origin, target, chance, epsilon),
            (R2(origin, target, chance), R4(origin, target, chance)),
        ),
    ):
        assert log_delta_at(found, epsilon) == pytest.approx(truth, rel=ERROR, abs=ERROR)
        assert all(bound.log_delta(epsilon) >= truth for bound in bounds)


def kink(origin: int, target: int, idle: int, counted: int, ulps: int) -> float:
    """A float near an ε at which an outcome begins to count: the logarithm of its ratio."""
    idle, counted = 1 + idle % origin, counted % (target + 1)
    epsilon = abs(log(origin * (target + 1 - counted) / ((target + 1) * idle)))
    for _ in range(abs(ulps)):
        epsilon = nextafter(epsilon, inf if ulps > 0 else 0.0)
    return epsilon


places = st.integers(0, 5)


@given(st.integers(1, 6), st.integers(0, 6), extremes, places, places, st.integers(-2, 2))
@example(2, 2, 1e-20, 0, 0, 0)
@example(2, 2, 3.2582941978042596e-93, 0, 0, 0)
@example(2, 1, 1e-100, 1, 1, 0)
@cases(40)
def test_delta_is_exact_where_an_outcome_begins_to_count(
    origin, target, chance, idle, counted, ulps
):
    ctx.prec = 4000
    epsilon = kink(origin, target, idle, counted, ulps)
    for found, truth in (
        (Replacement(origin, target, chance), brute_replacement(origin, target, chance, epsilon)),
        (Removal(origin, chance), brute_removal(origin, chance, epsilon)),
    ):
        assert log_delta_at(found, epsilon) == pytest.approx(truth, rel=ERROR, abs=ERROR)


def test_a_delta_that_is_nearly_one_is_not_below_the_truth():
    """Its threshold is a subnormal number, which as a double has lost its digits."""
    chance = 1 - 2**-53
    truth = float(7 * arb(chance).log())  # δ is the chance that all take part
    assert Removal(7, chance).log_delta(700.0) == pytest.approx(truth, rel=1e-15, abs=0)


@pytest.mark.parametrize("holders", [10**7, 10**8, pytest.param(10**9, marks=pytest.mark.slow)])
def test_the_epsilon_of_huge_counts_is_nearly_that_of_normal_laws(holders):
    from protocols.privacy.gaussian import GaussianProfile

    normal = GaussianProfile((holders / 4) ** 0.5, 0.5 * 2**0.5)
    found = epsilon_at(profile([holders, holders], 0.5, "replace"), 1e-6)
    assert found == pytest.approx(epsilon_at(normal, 1e-6), rel=20 / holders**0.5)


def logs_of(k, count: int, chance: float):
    return log_pmf(k, count, chance) if count else k * 0.0


def whole_grid(origin: int, target: int, chance: float, epsilon: float) -> float:
    """The larger direction of a replacement by summing P - e^ε Q over all pairs of counts, in
    doubles.
    """
    logs = []
    for a, b in ((origin, target), (target + 1, origin - 1)):
        x, y = np.arange(a + 1)[:, None], np.arange(b + 1)[None, :]
        with np.errstate(divide="ignore"):
            loss = (
                np.log(a) + np.log(b + 1 - y) - np.log(a - x) - np.log(b + 1)
            )  # ln P/Q: the chances cancel
        inside = np.where(loss > epsilon, logs_of(x, a, chance) + logs_of(y, b, chance), -inf)
        logs.append(
            np.logaddexp.reduce(
                (inside + np.log(-np.expm1(np.minimum(epsilon - loss, -1e-300)))).ravel()
            )
        )
    return float(max(logs))


@pytest.mark.parametrize(
    ("origin", "target", "chance", "epsilon"),
    [
        (700, 700, 0.3, 1.0),
        (700, 700, 0.3, 4.0),
        (900, 60, 0.1, 2.0),
        (60, 900, 0.7, 0.3),
        (800, 5, 0.02, 3.0),
        (400, 401, 0.95, 0.7),
        (500, 500, 0.5, 0.01),
        (1, 1000, 0.3, 1.5),
        (1000, 0, 0.3, 1.5),
    ],
)
def test_replacement_far_in_the_tails_agrees_with_the_whole_grid(origin, target, chance, epsilon):
    expected = whole_grid(origin, target, chance, epsilon)
    assert log_delta_at(Replacement(origin, target, chance), epsilon) == pytest.approx(
        expected, rel=1e-9, abs=1e-8
    )


@pytest.mark.parametrize("epsilon", [0.0005, 0.01, 1.0, 6.0])
def test_counts_of_hundreds_of_millions_take_no_longer(epsilon):
    from protocols.privacy.bounds import R4

    bound = R4(3 * 10**8, 2 * 10**8, 0.3).log_delta(epsilon)
    exact = log_delta_at(Replacement(3 * 10**8, 2 * 10**8, 0.3), epsilon)
    assert bound - 12 - 1e-6 * abs(bound) <= exact <= bound + 1e-9 * abs(bound)


@pytest.mark.slow
def test_replacement_by_a_table_of_excesses_agrees_with_term_by_term_sums(monkeypatch):
    cases = [
        (5000, 4000, 0.3, 0.05),
        (30_000, 300, 0.6, 0.02),
        (300, 30_000, 0.1, 0.4),
        (3000, 3000, 0.01, 3.0),
    ]
    table = [log_delta_at(Replacement(*case[:3]), case[3]) for case in cases]
    monkeypatch.setattr("protocols.privacy.binomial.WIDE", -1)
    term_by_term = [log_delta_at(Replacement(*case[:3]), case[3]) for case in cases]
    assert table == pytest.approx(term_by_term, rel=1e-12, abs=1e-10)


@given(st.integers(1, 10**7), chances, st.floats(-5, 2))
@cases(40)
def test_expected_shortfalls_agree_with_their_table(n, p, far):
    law_ = Binomial.of(n, p)
    centre = law_.mean + far * (n * p * (1 - p)) ** 0.5
    many = np.unique(np.clip(centre + np.arange(5) * 0.75, 0.25, n))[::-1]
    one_by_one = [law_.log_shortfall(Decimal(float(s))) for s in many]
    whole = np.ceil(many) - 1
    assert law_.log_shortfalls(whole.astype(np.int64), many - whole) == pytest.approx(
        one_by_one, rel=1e-11, abs=1e-9
    )


P = -expm1(-0.5)


@pytest.mark.parametrize(
    ("counts", "participation", "remove", "replace", "digits"),
    [
        ([33] * 30, P, 2.05e-4, 7.62e-4, 3),
        ([200] * 5, P, 7.2e-14, 3.8e-11, 2),
        ([100] * 30, -expm1(-1.0), 5.4e-5, 3.6e-4, 2),
        ([400] * 2, P, 2.25e-24, 4.59e-19, 3),
    ],
)
def test_known_numbers(counts, participation, remove, replace, digits):
    for relation, expected in (("remove", remove), ("replace", replace)):
        found = delta_at(profile(counts, participation, relation), 0.5)
        assert float(f"{found:.{digits - 1}e}") == expected


def test_total_variation_of_the_tiny_example():
    assert delta_at(Replacement(2, 1, 0.5), 0.0) == pytest.approx(3 / 8, rel=1e-14)
    assert delta_at(Replacement(2, 1, 0.25), 0.0) == pytest.approx(13 / 64, rel=1e-14)


@pytest.mark.parametrize("count", [10**6, 10**7])
@pytest.mark.parametrize("relation", RELATIONS)
def test_large_counts_against_their_gaussian_limit(count, relation):
    """At the edge of the bulk the binomial is Gaussian up to a relative error of a few deviations
    over the spread.
    """
    from protocols.privacy.gaussian import delta_of

    p, epsilon = 0.4, 1 / count**0.5
    steps = 1 if relation == "remove" else 2**0.5
    limit = delta_of((count * p * (1 - p)) ** 0.5, p * steps, epsilon)
    assert delta_at(profile([count, count], p, relation), epsilon) == pytest.approx(
        limit, rel=20 / count**0.5
    )


@pytest.mark.slow
@given(
    st.lists(st.integers(0, 3000), min_size=2, max_size=5),
    chances,
    budgets,
    st.floats(0, 1),
    relations,
)
@cases(25)
def test_delta_falls_with_epsilon_and_rises_with_participation(
    counts, chance, epsilon, more, relation
):
    assume(max(counts) > 0)
    here = log_delta_at(profile(counts, chance, relation), epsilon)
    assert log_delta_at(
        profile(counts, chance, relation), epsilon + more
    ) <= here + 1e-9 + 1e-12 * abs(here)
    larger = min(chance * (1 + more), 1.0)
    there = log_delta_at(profile(counts, larger, relation), epsilon)
    assert there >= here - 1e-9 - 1e-12 * abs(here)


@pytest.mark.slow
@given(st.integers(1, 2000), st.integers(0, 2000), chances, budgets)
@cases(25)
def test_delta_falls_as_counts_rise(origin, target, chance, epsilon):
    here = log_delta_at(Replacement(origin, target, chance), epsilon)
    slack = 1e-9 + 1e-12 * abs(here)
    assert log_delta_at(Replacement(origin + 1, target, chance), epsilon) <= here + slack
    assert log_delta_at(Replacement(origin, target + 1, chance), epsilon) <= here + slack
    removal = log_delta_at(Removal(origin, chance), epsilon)
    assert log_delta_at(Removal(origin + 1, chance), epsilon) <= removal + slack


@given(st.lists(st.integers(0, 40), min_size=2, max_size=4), chances, budgets)
@cases(25)
def test_the_worst_neighbours_are_found(counts, chance, epsilon):
    assume(max(counts) > 0)
    pairs = [(a, b) for i, a in enumerate(counts) for j, b in enumerate(counts) if i != j and a > 0]
    worst = max(log_delta_at(Replacement(a, b, chance), epsilon) for a, b in pairs)
    assert log_delta_at(profile(counts, chance, "replace"), epsilon) == pytest.approx(
        worst, rel=1e-12, abs=1e-12
    )
    alone = max(log_delta_at(Removal(a, chance), epsilon) for a in counts if a > 0)
    assert log_delta_at(profile(counts, chance, "remove"), epsilon) == pytest.approx(
        alone, rel=1e-12, abs=1e-12
    )


@given(chances, budgets)
@cases(40)
def test_lone_holders_and_empty_items_are_told_honestly(chance, epsilon):
    assert delta_at(profile([1, 50], chance, "remove"), epsilon) >= chance * (1 - 1e-12)
    assert delta_at(profile([0, 50], chance, "replace"), epsilon) >= chance * (1 - 1e-12)
    assert epsilon_at(profile([0, 50], chance, "replace"), chance / 2) == inf


@given(st.lists(st.integers(1, 100), min_size=2, max_size=4), budgets, relations)
def test_counting_everybody_hides_nobody(counts, epsilon, relation):
    assert delta_at(profile(counts, 1.0, relation), epsilon) == 1


@given(
    st.lists(st.integers(1, 2000), min_size=2, max_size=4),
    st.floats(0.01, 0.99),
    st.floats(-30, -0.1),
    relations,
)
@cases(40)
def test_epsilon_inverts_delta(counts, chance, log10_delta, relation):
    found = profile(counts, chance, relation)
    epsilon = epsilon_at(found, 10**log10_delta)
    if epsilon == inf:
        assert log_delta_at(found, 600.0) > log10_delta * log(10)
    elif epsilon > 0:
        just_below = log_delta_at(found, epsilon * (1 - 1e-9))
        assert just_below >= log10_delta * log(10) - 1e-6
        assert log_delta_at(found, epsilon * (1 + 1e-9)) <= log10_delta * log(10) + 1e-6


def test_far_below_the_smallest_float_the_logarithm_still_tells():
    found = profile([10**7, 10**7], 0.39, "remove")
    assert delta_at(found, 0.5) == 0
    # x successes of Π, at the threshold: the exponent of Chernoff's bound, which is right to the
    # leading order
    a = 1 - 0.61 * exp(-0.5)
    exponent = 10**7 * (a * log(a / 0.39) + (1 - a) * log((1 - a) / 0.61)) / log(10)
    assert log_delta_at(found, 0.5) / log(10) == pytest.approx(-exponent, rel=1e-4)
    assert -exponent < -5e5
    assert log10(1e-300) > log_delta_at(profile([10**7, 10**7], 0.39, "remove"), 0.01) / log(10)


@pytest.mark.parametrize(
    ("counts", "participation", "relation", "words"),
    [
        ([], 0.5, "remove", "no item has a holder"),
        (np.array([0, 0]), 0.5, "remove", "no item has a holder"),
        ([0, 0], 0.5, "remove", "no item has a holder"),
        ([3, -1], 0.5, "remove", "counts lie in"),
        ([3], 0.5, "replace", "two items"),
        ([3, 4], 0.0, "remove", "participation is a probability"),
        ([3, 4], 1.5, "remove", "participation is a probability"),
        ([3, 4], float("nan"), "remove", "participation is a probability"),
        ([3, 4], 0.5, "swap", "remove or replace"),
    ],
)
def test_nonsense_is_refused(counts, participation, relation, words):
    with pytest.raises(ValueError, match=words):
        profile(counts, participation, relation)


def test_counts_are_whole_numbers():
    with pytest.raises(TypeError, match="whole numbers"):
        profile([3.5, 4], 0.5, "remove")  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"counts are whole numbers, got 1\.5"):
        profile([1] * 10 + [1.5], 0.5, "remove")  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("ask", "value"), [(delta_at, -0.1), (delta_at, inf), (epsilon_at, 0.0), (epsilon_at, 1.0)]
)
def test_profiles_refuse_what_is_no_budget(ask, value):
    with pytest.raises(ValueError, match=r"epsilon is finite|delta lies"):
        ask(profile([3, 4], 0.5, "remove"), value)
