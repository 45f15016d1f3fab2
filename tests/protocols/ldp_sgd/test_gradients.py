"""Losses agree with finite differences. Perturbed gradients are unbiased, and have the stated
variance, ε and bits on the wire.
"""

import re
from math import exp, inf, log, log1p
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from protocols.ldp_sgd.losses import LOSSES, Loss
from protocols.ldp_sgd.perturbation import MECHANISMS, clip, gradient_mechanism
from protocols.ldp_sgd.schedule import SCHEDULES, usual_group_size
from simnet.coins.sampled import SampledCoins
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each

PRIVATE = sorted(set(MECHANISMS) - {"none"})
FLOATS = st.floats(-1, 1, allow_subnormal=False)


def people(loss: Loss, users: int, attributes: int, seed: int) -> Any:
    coins = SampledCoins(seed, "people")
    features = 2 * coins.uniform(users * attributes).plain.reshape(users, attributes) - 1
    labels = 2 * coins.uniform(users).plain - 1
    return features, np.where(labels > 0, 1.0, -1.0) if loss.of_classes else labels


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES.keys())
@given(
    model=arrays(np.float64, 4, elements=st.floats(-3, 3, allow_subnormal=False)),
    seed=st.integers(0, 999),
)
@cases(30)
def test_gradients_are_those_of_finite_differences(loss: Loss, model: Any, seed: int) -> None:
    features, labels = people(loss, 5, 4, seed)
    step, at_kink = 1e-6, np.abs(1 - labels * (features @ model)) < 1e-4
    for j, unit in enumerate(np.eye(4)):
        above, below = (
            loss.value(features @ (model + sign * step * unit), labels) for sign in (1, -1)
        )
        mine = loss.gradients(model, features, labels)[:, j]
        keep = ~at_kink if loss.name == "hinge" else np.ones(5, dtype=bool)
        np.testing.assert_allclose(mine[keep], ((above - below) / (2 * step))[keep], atol=1e-5)


def test_losses_at_known_places() -> None:
    one, score = np.array([1.0]), np.array([0.5])
    assert LOSSES["squared"].value(score, one) == 0.25
    assert LOSSES["logistic"].value(score, one) == pytest.approx(log1p(exp(-0.5)))
    assert LOSSES["hinge"].value(score, one) == 0.5
    assert LOSSES["hinge"].slope(np.array([1.0]), one) == 0  # at the kink nothing is moved
    assert LOSSES["logistic"].slope(np.array([-1e9, 1e9]), np.array([1.0, 1.0])).tolist() == [-1, 0]
    assert LOSSES["logistic"].value(np.array([-1e9]), one) == 1e9


@given(st.integers(0, 999), arrays(np.float64, 4, elements=st.floats(-50, 50)))
def test_gradients_of_classes_need_no_clipping_and_those_of_squares_do(
    seed: int, model: Any
) -> None:
    for name in ("logistic", "hinge"):
        gradients = LOSSES[name].gradients(model, *people(LOSSES[name], 6, 4, seed))
        assert clip(gradients).tolist() == gradients.tolist()
    far = LOSSES["squared"].gradients(np.ones(4), np.ones((1, 4)), np.array([-1.0]))
    assert far.tolist() == [[10.0] * 4]
    assert clip(far).tolist() == [[1.0] * 4]


@pytest.mark.parametrize("name", ["logistic", "hinge"])
def test_labels_0_and_1_are_refused(name: str) -> None:
    """With the paper's labels the loss of a user labelled 0 has no slope: nothing is learnt from
    it.
    """
    loss, features = LOSSES[name], np.zeros((2, 3))
    with pytest.raises(
        ValueError, match=rf"labels of the {name} loss are -1 or \+1, .*, got 0.0: map your labels"
    ):
        loss.checked(features, [0, 1])
    with pytest.raises(ValueError, match=r"got 0\.99999999: "):
        loss.checked(features, [0.99999999, 1])
    assert loss.checked(features, [-1, 1])[1].tolist() == [-1, 1]
    assert loss.slope(np.array([0.3]), np.array([0.0])).tolist() == [0]


@pytest.mark.parametrize(
    ("features", "labels", "wrong"),
    [
        ([[1.1]], [0.0], "a value lies in [-1, 1], got 1.1"),
        ([[float("nan")]], [0.0], "got nan"),
        ([[1.0]], [1.5], "labels of the squared loss lie in [-1, 1], got 1.5"),
        ([[1.0]], [float("nan")], "lie in [-1, 1], got nan"),
        ([[1.0]], [0.0, 1.0], "labels have shape (1,), got (2,)"),
        ([1.0], [0.0], "features have shape (n, d), got (1,)"),
    ],
)
def test_what_no_user_can_hold_is_refused(features: Any, labels: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=re.escape(wrong)):
        LOSSES["squared"].checked(features, labels)


def test_errors_of_a_model() -> None:
    features, labels = np.array([[1.0], [1.0], [-1.0]]), np.array([1.0, -1.0, -1.0])
    assert LOSSES["hinge"].error(np.array([2.0]), features, labels) == pytest.approx(1 / 3)
    assert LOSSES["squared"].error(np.array([2.0]), features, labels) == pytest.approx(
        (1 + 9 + 1) / 3
    )


# Perturbed gradients


@for_each("name", MECHANISMS)
@for_each("attributes", [1, 4, 5])
@for_each("epsilon", [0.7, 6.0])
def test_the_mean_perturbed_gradient_is_unbiased_and_has_the_stated_variance(
    name: str, attributes: int, epsilon: float
) -> None:
    """Means within 5 standard errors and variances within 6: false alarms of 6e-7 and 1e-8 or so
    for each entry.
    """
    users = 20_000
    mechanism = gradient_mechanism(name, epsilon, attributes)
    gradient = np.linspace(-1, 0.8, attributes)
    reports = mechanism.perturb(np.tile(gradient, (users, 1)), None, SampledCoins(5, "u1")).numbers
    variance = mechanism.variance(gradient)
    assert np.all(np.abs(reports.mean(axis=0) - gradient) <= 5 * np.sqrt(variance / users) + 1e-12)
    squares = (reports - gradient) ** 2
    slack = 6 * squares.std(axis=0) / np.sqrt(users)
    assert np.all(np.abs(squares.mean(axis=0) - variance) <= slack + 1e-9)


def test_a_report_without_its_factor_would_be_found_biased() -> None:
    mechanism = gradient_mechanism("hm", 1.0, 4)
    reports = mechanism.perturb(np.full((40_000, 4), 0.8), None, SampledCoins(5, "u1")).numbers / 4
    assert np.all(
        np.abs(reports.mean(axis=0) - 0.8) > 5 * np.sqrt(mechanism.variance(0.8) / 40_000)
    )


@pytest.mark.parametrize("name", MECHANISMS)
@given(
    seed=st.integers(0, 99), attributes=st.integers(1, 7), epsilon=st.sampled_from([0.5, 6.0, 12.0])
)
@cases(30)
def test_reports_arrive_as_they_were_sent(
    name: str, seed: int, attributes: int, epsilon: float
) -> None:
    mechanism = gradient_mechanism(name, epsilon, attributes)
    gradients = 2 * SampledCoins(seed, "g").uniform(5 * attributes).plain.reshape(5, attributes) - 1
    reports = mechanism.perturb(gradients, None, SampledCoins(seed, "u1"))
    sent = mechanism.payload(reports)
    np.testing.assert_array_equal(mechanism.received(sent).numbers, reports.numbers)
    assert [(one.wire, one.shape[1:]) for one in sent] == [
        (one.wire, one.shape[1:]) for one in mechanism.form
    ]


@given(st.floats(0.05, 20), st.integers(1, 9))
def test_the_exact_epsilon_is_the_one_asked_for_but_as_printed(
    epsilon: float, attributes: int
) -> None:
    """As printed, an even number of entries makes it ln(1 + e^ε): errata 1."""
    for name in set(PRIVATE) - {"duchi-as-printed"}:
        assert gradient_mechanism(name, epsilon, attributes).exact_epsilon == pytest.approx(
            epsilon, rel=1e-9
        )
    printed = gradient_mechanism("duchi-as-printed", epsilon, attributes)
    expected = epsilon if attributes % 2 else log(1 + exp(epsilon))
    assert printed.exact_epsilon == pytest.approx(expected, rel=1e-9)
    assert gradient_mechanism("none", epsilon, attributes).exact_epsilon == inf


@pytest.mark.parametrize("name", MECHANISMS)
def test_gradients_that_were_not_clipped_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"a value lies in \[-1, 1\], got 1.01"):
        gradient_mechanism(name, 1.0, 2).perturb([[0.0, 1.01]], None, SampledCoins(0, "u1"))


@for_each("name", PRIVATE)
@for_each("epsilon", [0.0, inf, float("nan"), -1.0])
def test_an_epsilon_that_makes_no_sense_is_refused(name: str, epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon is positive"):
        gradient_mechanism(name, epsilon, 3)


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_gradient_has_an_entry_at_least(name: str) -> None:
    with pytest.raises(ValueError, match="attributes is at least 1"):
        gradient_mechanism(name, 1.0, 0)


# Groups and steps


@given(st.integers(1, 10**6), st.integers(1, 200), st.floats(1e-3, 20))
def test_usual_groups_leave_ten_steps_and_are_large_enough_if_users_are(
    users: int, d: int, epsilon: float
) -> None:
    size = usual_group_size(users, d, epsilon)
    assert 1 <= size <= users
    assert users // size >= min(10, users)
    wanted = max(50, d * log(d + 1) / epsilon**2)
    assert size >= min(wanted, max(1, users // 10))
    assert size < wanted + 1


def test_usual_groups_at_known_places() -> None:
    assert usual_group_size(100_000, 94, 0.5) == 1713  # 94 ln 95 / 0.25 = 1712.2...
    assert usual_group_size(100_000, 94, inf) == 50
    assert usual_group_size(10_000, 94, 1e-150) == 1000
    assert SCHEDULES["inverse-root"](4) == 0.5
    assert SCHEDULES["inverse"](4) == 0.25
    assert SCHEDULES["constant"](4) == 1
