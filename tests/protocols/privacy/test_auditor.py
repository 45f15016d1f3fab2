"""The auditor: its bounds hold as often as stated, come close to the exact values, and refute
broken mechanisms.

False alarms: each statistical test below fails for a correct auditor with probability at most 1e-6,
and seeds are fixed.
"""

import sys
from collections.abc import Callable
from math import exp, inf, log
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from protocols.dpdg.about import result_variance
from protocols.dpdg.script import DPDG
from protocols.mechanisms.channel import delta_of
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.unary import OUE
from protocols.privacy import auditor, gaussian
from protocols.privacy.audit_events import RatioTable
from protocols.privacy.audit_rows import SampleParts, parts
from protocols.privacy.auditor import (
    Audit,
    DeltaAt,
    EpsilonAt,
    audit_delta,
    audit_epsilon,
    certified_value,
    lower,
    upper,
)
from simnet import BadInput
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but

FALSE_ALARM = 1e-6
Rows = npt.NDArray[Any]
Sampler = Callable[[int, Coins], Rows]


def coins(seed: int = 0) -> SampledCoins:
    return SampledCoins(seed, "auditor")


def held(mechanism: Any, value: float) -> Sampler:
    """Reports of users who all hold one value."""
    return lambda count, from_coins: mechanism.perturb(np.full(count, value), from_coins)


def sampled_counts(supports: tuple[int, ...], participation: float) -> Sampler:
    """The view in DPCS of items with these supports: independent binomials, drawn by how often each
    outcome comes.
    """
    laws = [stats.binom.pmf(np.arange(support + 1), support, participation) for support in supports]
    joint = np.array(laws[0])
    for law in laws[1:]:
        joint = np.outer(joint, law).ravel()
    outcomes = np.stack(
        np.unravel_index(np.arange(joint.size), [len(law) for law in laws]), axis=1
    ).astype(np.uint8)

    def sample(count: int, from_coins: Coins) -> Rows:
        generator = np.random.default_rng(int(from_coins.integers(1 << 62, 1)[0]))
        return np.repeat(outcomes, generator.multinomial(count, joint / joint.sum()), axis=0)

    return sample


def exact_delta(
    supports: tuple[int, ...], others: tuple[int, ...], participation: float, epsilon: float
) -> float:
    """δ between two views in DPCS by summation."""
    size = max(supports + others) + 1
    joints = []
    for given_supports in (supports, others):
        laws = [
            stats.binom.pmf(np.arange(size), support, participation) for support in given_supports
        ]
        joints.append(laws[0] if len(laws) == 1 else np.outer(*laws).ravel())
    one, other = joints
    excess = (np.maximum(a - exp(epsilon) * b, 0).sum() for a, b in ((one, other), (other, one)))
    return float(max(excess))


def noisy_counts(protocol: DPDG, supports: tuple[int, ...]) -> Sampler:
    """The server's estimate in DPDG, from every user's share of the noise."""

    def sample(count: int, from_coins: Coins) -> Rows:
        shape = count, protocol.users, protocol.items
        noise = (
            from_coins.normal(int(np.prod(shape))).plain.reshape(shape)
            * float(protocol.share_variance) ** 0.5
        )
        counts = (np.array(supports) << protocol.fraction_bits) + np.rint(noise).sum(axis=1)
        return np.asarray(protocol.estimate(counts))

    return sample


def audit(one: Any, other: Any, seed: int = 0, **more: Any) -> Audit:
    of = audit_delta if "epsilon" in more else audit_epsilon
    return of(one, other, coins(seed), **more)


# The limits: exact, for every binomial.


@cases(50)
@given(st.integers(1, 10**6), st.floats(0, 1), st.floats(1e-6, 0.5))
def test_limits_are_those_of_clopper_and_pearson(size: int, share: float, error: float) -> None:
    hits = round(share * size)
    interval = stats.binomtest(hits, size).proportion_ci(1 - 2 * error, method="exact")
    assert lower(np.array(hits), np.array(size), error) == pytest.approx(
        interval.low, rel=1e-6, abs=1e-12
    )
    assert upper(np.array(hits), np.array(size), error) == pytest.approx(
        interval.high, rel=1e-6, abs=1e-12
    )


def exceeding(of: Any, p: float, q: float, sizes: tuple[int, int], error: float) -> float:
    """Return the exact probability that an event's bound exceeds the value that follows from its
    true probabilities p and q.
    """
    (a, b), (m, n) = np.meshgrid(*(np.arange(size + 1) for size in sizes), indexing="ij"), sizes
    bounds = certified_value(of, (a, b), (np.array(m), np.array(n)), error)
    chances = stats.binom.pmf(a, m, p) * stats.binom.pmf(b, n, q)
    truth = of.needed(np.array(p), np.array(q))
    return float(chances[np.maximum(bounds, 0) > max(float(truth), 0) + 1e-12].sum())


chance = st.floats(0, 1)


@given(
    chance,
    chance,
    st.integers(1, 30),
    st.integers(1, 30),
    st.floats(0.001, 0.5),
    st.floats(0, 3),
    st.floats(0, 0.9),
)
def test_a_certified_bound_exceeds_the_truth_no_more_often_than_stated(
    p: float, q: float, m: int, n: int, error: float, epsilon: float, delta: float
) -> None:
    for of in (DeltaAt(epsilon), EpsilonAt(delta)):
        assert exceeding(of, p, q, (m, n), error) <= error * (1 + 1e-9)


def test_shares_without_limits_exceed_it_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lower", "upper"):
        monkeypatch.setattr(auditor, name, lambda hits, size, _: hits / size)
    assert exceeding(EpsilonAt(0), 0.5, 0.2, (30, 30), 0.05) > 0.3


# Whole audits.


def alarms(one: Any, other: Any, truth: float, audits: int, **more: Any) -> int:
    return sum(audit(one, other, seed, **more).bound > truth for seed in range(audits))


def is_refuted(wrong: int, audits: int, rate: float) -> bool:
    """Return whether this number of wrong bounds is too large for the stated rate.

    A correct auditor is refuted with probability FALSE_ALARM.
    """
    return bool(stats.binom.sf(wrong - 1, audits, rate) < FALSE_ALARM)


def all_at_once(sample: Any, samples: int | None, from_coins: Coins) -> SampleParts:
    """A wrong auditor: the rows that choose the event also certify it."""
    assert samples is not None
    rows = sample(samples, from_coins).reshape(samples, -1)
    return SampleParts(rows, rows, iter([rows]), samples)


def uniform(count: int, from_coins: Coins) -> Rows:
    return np.asarray(from_coins.integers(100, count).plain)


@pytest.mark.parametrize("mechanism", [GRR(1.0, 3), OUE(1.0, 2)])
def test_the_stated_confidence_holds_for_known_mechanisms(mechanism: Any) -> None:
    wrong = alarms(held(mechanism, 1), held(mechanism, 2), 1.0, 150, samples=2000, confidence=0.8)
    assert not is_refuted(wrong, 150, 0.2)
    assert audit(held(mechanism, 1), held(mechanism, 2), samples=2000, confidence=0.8).bound > 0.5


def test_equal_laws_give_a_bound_above_zero_no_more_often_than_stated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not is_refuted(alarms(uniform, uniform, 0.0, 60, samples=800, confidence=0.9), 60, 0.1)
    monkeypatch.setattr(auditor, "parts", all_at_once)
    assert is_refuted(alarms(uniform, uniform, 0.0, 60, samples=800, confidence=0.9), 60, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", long_but(["epsilon", "delta"], "epsilon"))
def test_the_stated_confidence_holds_over_a_thousand_audits(kind: str) -> None:
    mechanism, laws = GRR(1.0, 4), [GRR(1.0, 4).law(value) for value in (1, 2)]
    asked = {"epsilon": 0.3} if kind == "delta" else {"delta": 0.01}
    shift = log(
        (float(laws[0][0]) - 0.01) / float(laws[1][0])
    )  # the best event for a small δ is the own item
    truth = float(delta_of(laws[0], laws[1], 0.3)) if kind == "delta" else shift
    wrong = alarms(
        held(mechanism, 1), held(mechanism, 2), truth, 1000, samples=2000, confidence=0.7, **asked
    )
    assert not is_refuted(wrong, 1000, 0.3)
    assert wrong > 0  # nor is it empty: at this confidence some bounds do exceed the truth


EXACT = 1.0
MECHANISMS = {
    "GRR": (GRR(EXACT, 10), 1, 7),
    "OUE": (OUE(EXACT, 6), 2, 5),
    "OUE of 16 items": (OUE(EXACT, 16), 2, 5),
    "PM at the ends": (PM(EXACT), 1.0, -1.0),
    "PM inside": (PM(EXACT), 0.3, -0.5),
}


@pytest.mark.parametrize("name", ["GRR", "OUE", "PM inside"])
def test_a_hundred_thousand_reports_come_within_a_tenth_of_epsilon(name: str) -> None:
    mechanism, one, other = MECHANISMS[name]
    found = audit(held(mechanism, one), held(mechanism, other), samples=100_000)
    assert 0.9 * EXACT <= found.bound <= EXACT


@pytest.mark.slow
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_million_reports_come_within_a_tenth_of_epsilon(name: str) -> None:
    mechanism, one, other = MECHANISMS[name]
    found = audit(held(mechanism, one), held(mechanism, other), samples=10**6)
    assert 0.9 * EXACT <= found.bound <= EXACT
    assert found.bound <= found.estimate == pytest.approx(EXACT, rel=0.1)


# Sampled counts: δ at a stated ε. p = 1 - e^-ε, as in the theorems on DPCS.

EPSILON = 0.5
P = 1 - exp(-EPSILON)
REMOVE, REPLACE = ((33,), (32,)), ((33, 33), (32, 34))


def test_the_exact_deltas_of_sampled_counts() -> None:
    assert exact_delta(*REMOVE, P, EPSILON) == pytest.approx(2.05e-4, rel=5e-3)
    assert exact_delta(*REPLACE, P, EPSILON) == pytest.approx(7.62e-4, rel=5e-3)


@pytest.mark.parametrize(("one", "other"), [((4,), (3,)), ((4, 4), (3, 5))])
def test_delta_of_small_counts_is_bounded_within_a_tenth(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    truth = exact_delta(one, other, P, EPSILON)
    found = audit(sampled_counts(one, P), sampled_counts(other, P), epsilon=EPSILON, samples=10**6)
    assert 0.9 * truth <= found.bound <= truth
    assert found.estimate == pytest.approx(truth, rel=0.1)


def test_a_million_counts_tell_little_of_a_delta_of_two_in_ten_thousand() -> None:
    """Even the best event, known beforehand, has an estimate with a deviation of half of δ."""
    counts = np.arange(34)
    one, other = (stats.binom.pmf(counts, support, P) for support in (33, 32))
    best = one > exp(EPSILON) * other
    deviation = np.sqrt((one[best].sum() + exp(2 * EPSILON) * other[best].sum()) / 10**6)
    assert deviation / exact_delta(*REMOVE, P, EPSILON) == pytest.approx(0.5, rel=0.01)
    found = audit(*(sampled_counts(side, P) for side in REMOVE), epsilon=EPSILON, samples=10**6)
    assert found.bound <= exact_delta(*REMOVE, P, EPSILON)


@pytest.mark.long
@pytest.mark.parametrize("pair", [REMOVE, REPLACE])
def test_a_hundred_million_counts_bound_it_from_below(
    pair: tuple[tuple[int, ...], tuple[int, ...]],
) -> None:
    truth = exact_delta(*pair, P, EPSILON)
    found = audit(*(sampled_counts(side, P) for side in pair), epsilon=EPSILON, samples=10**8)
    assert 0.75 * truth <= found.bound <= truth
    assert found.estimate == pytest.approx(truth, rel=0.15)


# What is broken.


@pytest.mark.slow
@pytest.mark.parametrize("share", ["exact", "as-printed"])
def test_the_noise_share_as_printed_is_refuted(share: str) -> None:
    protocol = DPDG(users=10, items=2, epsilon=1.0, delta=1e-5, noise_share=share)
    views = noisy_counts(protocol, (5, 5)), noisy_counts(protocol, (4, 6))
    found = audit(*views, delta=1e-5, samples=60_000)
    assert (found.bound > 1.0) == (share == "as-printed")
    assert (
        gaussian.delta_of(result_variance(protocol) ** 0.5, protocol.sensitivity, found.bound)
        >= 1e-5
    )  # no more than true
    excess = audit(*views, epsilon=1.0, samples=60_000)
    assert (excess.bound > 1e-5) == (share == "as-printed")


def leaky(mechanism: OUE, bit: int, value: int) -> Sampler:
    """OUE with one bit sent as it is."""

    def sample(count: int, from_coins: Coins) -> Rows:
        reports = mechanism.perturb(np.full(count, value), from_coins)
        reports[:, bit - 1] = value == bit
        return reports

    return sample


def test_a_bit_without_noise_is_named_and_its_bound_grows_with_the_samples() -> None:
    mechanism = OUE(1.0, 8)
    pair = leaky(mechanism, 3, 3), leaky(mechanism, 3, 5)
    few, many = (audit(*pair, samples=samples) for samples in (1000, 20_000))
    assert 1.0 < few.bound < many.bound - 2
    assert many.estimate == inf
    assert "coordinate 3" in str(many.event)
    assert "coordinate 5" not in str(many.event)
    assert "bit of item 3" in str(
        audit(*pair, samples=1000, names=[f"bit of item {i}" for i in range(1, 9)]).event
    )


def signs(agree: bool) -> Sampler:
    """Two reals whose signs agree with chance 0.9 (0.1): each of them alone tells nothing."""

    def sample(count: int, from_coins: Coins) -> Rows:
        reals = from_coins.normal(2 * count).plain.reshape(count, 2)
        same = from_coins.bernoullis(0.9 if agree else 0.1, count)
        reals[:, 1] = np.abs(reals[:, 1]) * np.sign(reals[:, 0]) * np.where(same, 1, -1)
        return reals

    return sample


def test_trees_find_what_no_coordinate_shows() -> None:
    found = audit(signs(True), signs(False), samples=8000)
    assert log(9) * 0.75 <= found.bound <= log(9)
    assert "classifier" in str(found.event)
    alone = audit(
        *(lambda n, c, side=side: side(n, c)[:, 1] for side in (signs(True), signs(False))),
        samples=8000,
    )
    assert alone.bound < 0.3


# What an audit says, and what it refuses.


@pytest.mark.slow
def test_an_audit_is_a_function_of_its_coins() -> None:
    for pair in ((signs(True), signs(False)), (held(GRR(1.0, 5), 1), held(GRR(1.0, 5), 2))):
        first, second, third = (audit(*pair, seed, samples=2000) for seed in (7, 7, 8))
        assert str(first) == str(second) != str(third)


def test_exchanging_the_inputs_exchanges_the_direction() -> None:
    mechanism = PM(1.0)
    one, other = (held(mechanism, value)(40_000, coins(int(value) + 5)) for value in (1.0, -1.0))
    there, back = audit(one, other), audit(other, one)
    assert {there.direction, back.direction} <= {"P over Q", "Q over P"}
    assert there.bound == pytest.approx(back.bound, rel=0.1)
    skewed = audit(np.r_[np.ones(500), np.zeros(9500)], np.zeros(10_000))  # only P has ones
    assert (skewed.direction, skewed.hits[1]) == ("P over Q", 0)
    assert audit(np.zeros(10_000), np.r_[np.ones(500), np.zeros(9500)]).direction == "Q over P"


def test_hits_are_those_of_the_event_on_rows_that_chose_nothing() -> None:
    one, other = (held(GRR(1.0, 5), value)(1000, coins(value)) for value in (1, 2))
    found = audit(one, other)
    assert found.samples == (750, 750)
    for rows, hits in ((one, found.hits[0]), (other, found.hits[1])):
        inside = int(found.event.holds(rows[:, None]).sum())
        assert hits <= inside <= hits + 250
    shares = sorted(hits / 750 for hits in found.hits)
    assert found.estimate == pytest.approx(log(shares[1] / shares[0]))


def test_delta_at_a_huge_epsilon_is_what_only_one_input_leads_to() -> None:
    one, other = np.arange(4000) % 4 > 0, np.zeros(4000)  # P has ones with chance 3/4, Q has none
    found = audit(one, other, epsilon=1e4)
    assert found.estimate == pytest.approx(0.75, abs=0.05)
    assert found.bound == 0  # q may be above 0, and then e^ε q is huge
    assert audit(one, one, epsilon=1e4).estimate == 0


def test_the_parts_of_a_sample_are_disjoint_and_all_of_it() -> None:
    cut = parts(np.arange(1003), None, coins())
    rest = np.concatenate(list(cut.rest))
    assert len(rest) == cut.certifying == 1003 - 2 * 125
    assert sorted(np.concatenate([cut.fit, cut.choose, rest]).ravel().tolist()) == list(range(1003))
    assert np.ptp(cut.fit) > 700 < np.ptp(cut.choose)  # at random, not the first


def test_booleans_rows_and_single_numbers_are_reports() -> None:
    one, other = np.ones(1000, dtype=bool), np.zeros(1000, dtype=bool)
    bounds = {
        audit(a, b).bound
        for a, b in (
            (one, other),
            (one[:, None], other[:, None]),
            (np.float32(one), np.float32(other)),
        )
    }
    assert len(bounds) == 1
    assert str(audit(one, other, names=["the answer"]).event) == "the answer >= 0.5"


@pytest.mark.parametrize("bound", [0.0, 0.3, 1.0461579, 1e-9 / 3, 1234567.9, inf])
def test_a_printed_bound_is_never_above_the_bound(bound: float) -> None:
    shown = float(f"{auditor.rounded_down(bound):.6g}")
    assert bound * (1 - 1e-5) <= shown <= bound


@cases(20)
@given(st.lists(st.sampled_from([-1.5, 0.0, 2.0]), min_size=80, max_size=120), st.integers(0, 5))
def test_constant_and_nearly_constant_reports_are_audited(values: list[float], seed: int) -> None:
    found = audit(np.array(values), np.zeros(len(values)), seed)
    assert 0 <= found.bound < inf
    assert audit(np.zeros(100), np.zeros(100)).bound == 0


def test_an_event_says_of_which_reports_it_consists() -> None:
    cuts = np.array([0.0, 1.0])
    one = RatioTable((0,), (cuts,), np.array([-3.0, 1.0]), ["a"])
    assert [one.words(0.0, True), one.words(-4.0, False)] == ["a from 1 on", "a nowhere"]
    two = RatioTable((0, 1), (cuts, cuts), np.array([-3.0, 0.1, 0.2, 1.0]), ["a", "b"])
    cell = "of these, P and Q differ most in the cell with a from 1 and b from 1"
    assert (
        two.words(0.0, True)
        == f"a report in 3 of the 4 cells of a grid over all coordinates ({cell})"
    )


REPORTS = np.zeros(100)


@for_each(
    "one, other, more, what",
    [
        (REPORTS, REPORTS, {"delta": 1.0}, r"delta must lie in \[0, 1\), got 1"),
        (REPORTS, REPORTS, {"delta": -0.1}, "delta must lie in"),
        (REPORTS, REPORTS, {"epsilon": -1.0}, "epsilon is finite and at least 0, got -1"),
        (REPORTS, REPORTS, {"epsilon": inf}, "epsilon is finite"),
        (REPORTS, REPORTS, {"epsilon": float("nan")}, "epsilon is finite"),
        (
            REPORTS,
            REPORTS,
            {"confidence": 1.0},
            "a confidence must lie strictly between 0 and 1, got 1",
        ),
        (REPORTS[:79], REPORTS, {}, "at least 80 reports under each input, got 79"),
        (REPORTS, np.zeros((100, 2)), {}, "the same number of features, got 1 and 2"),
        (REPORTS, REPORTS, {"names": ["a", "b"]}, "got 2: a, b"),
        (REPORTS, REPORTS, {"samples": 99}, "asked for 99 reports, got 100"),
        (
            np.zeros((100, 2, 2)),
            REPORTS,
            {},
            r"shape \(m,\) or \(m, features\), got float64 of shape \(100, 2, 2\)",
        ),
        (np.zeros((100, 0)), REPORTS, {}, "numbers of shape"),
        ([[1, 2], [3]] * 50, REPORTS, {}, "got rows of different lengths"),
        (np.array(["a"] * 100), REPORTS, {}, "reports are numbers"),
        (np.full(100, np.nan), REPORTS, {}, "mark NaN and infinities by 0 or 1"),
        (REPORTS, np.full(100, inf), {}, r"numbers between -1e\+150 and 1e\+150"),
        (lambda count, _: np.zeros(count), REPORTS, {}, "needs `samples`, the number of rows"),
        (
            lambda count, _: np.zeros(count + 1),
            REPORTS,
            {"samples": 100},
            "asked for 12 reports, got 13",
        ),
    ],
)
def test_what_cannot_be_audited_is_refused(
    one: Any, other: Any, more: dict[str, Any], what: str
) -> None:
    with pytest.raises(ValueError, match=what):
        audit(one, other, **more)


def test_without_scikit_learn_only_what_needs_it_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    assert audit(held(GRR(1.0, 5), 1), held(GRR(1.0, 5), 2), samples=4000).bound > 0.5
    with pytest.raises(BadInput, match=r"pip install 'simnet-workbench\[audit\]'"):
        audit(signs(True), signs(False), samples=2000)
