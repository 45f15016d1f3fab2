"""Maximum likelihood: no distribution makes the reports likelier. Also tests the threshold of
Base-Cut.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from protocols.local_frequency.script import local_frequency
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.hadamard import Hadamard
from protocols.mechanisms.hashing import OLH
from protocols.mechanisms.unary import OUE
from protocols.postprocess import calibrate
from protocols.postprocess.likelihood import iterative_bayes, likeliest_shares
from protocols.postprocess.noise import Noise
from protocols.postprocess.processed import postprocessed
from simnet import run
from tests.harness.fuzz import cases


def laws(mechanism: Any) -> Any:
    return np.array(
        [[float(x) for x in mechanism.law(value)] for value in range(1, mechanism.items + 1)]
    )


def mean_log_likelihood(rows: Any, counts: Any, frequencies: Any) -> float:
    came = counts > 0
    return float(counts[came] @ np.log(frequencies @ rows[:, came]) / counts.sum())


@cases(40)
@given(
    st.sampled_from([GRR(0.8, 4), OUE(1.0, 3), OLH(1.0, 5), Hadamard(0.7, 6)]),
    st.integers(0, 2**32),
    st.integers(1, 200),
)
def test_no_other_distribution_is_likelier(mechanism: Any, seed: int, users: int) -> None:
    rows, random = laws(mechanism), np.random.default_rng(seed)
    held = random.dirichlet(np.full(mechanism.items, 0.5))
    counts = random.multinomial(users, held @ rows)
    found = iterative_bayes(rows, counts, 1e-6)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()
    best = mean_log_likelihood(rows, counts, found)
    others = [*random.dirichlet(np.ones(mechanism.items), 30), held, *np.eye(mechanism.items)]
    others += [0.99 * found + 0.01 * other for other in others]
    assert all(mean_log_likelihood(rows, counts, other) <= best + 1e-6 for other in others)


@cases(60)
@given(st.floats(0.3, 4), st.lists(st.integers(0, 50), min_size=2, max_size=8))
def test_the_update_ends_where_the_closed_form_says(epsilon: float, counts: list[int]) -> None:
    counts[0] += 1
    mechanism, reports = GRR(epsilon, len(counts)), np.array(counts)
    estimates = mechanism.estimate(reports, reports.sum())
    closed = likeliest_shares(estimates, *mechanism.support_chances)
    assert closed.sum() == pytest.approx(1)
    rows = laws(mechanism)
    climbed = iterative_bayes(rows, reports, 1e-7, 20_000)
    assert mean_log_likelihood(rows, reports, closed) == pytest.approx(
        mean_log_likelihood(rows, reports, climbed), abs=1e-6
    )
    # the Kuhn-Tucker conditions
    gains = rows @ (reports / reports.sum() / (closed @ rows))
    assert gains.max() == pytest.approx(1, abs=1e-9)
    assert gains[closed > 1e-9].min() == pytest.approx(1, abs=1e-6)
    if estimates.min() >= 0:  # a distribution is the likeliest one
        np.testing.assert_allclose(closed, estimates, atol=1e-12)


@pytest.mark.parametrize(
    ("rows", "counts", "wrong"),
    [
        ([[0.5, 0.6]], [1, 1], "add up to 1"),
        ([0.5, 0.5], [1, 1], "rows of probabilities"),
        ([[-0.5, 1.5]], [1, 1], "probabilities that add up to 1"),
        ([[0.5, 0.5]], [1], "counts has one finite number for each of 2 possible reports"),
        ([[0.5, 0.5]], [0, 0], "not all 0"),
        ([[1.0, 0.0]], [1, 1], "no item can lead to"),
        ([[0.5, 0.5]], [1, 10**400], "counts: got a number that exceeds the range of doubles"),
    ],
)
def test_what_is_no_channel_or_no_count_is_refused(rows: Any, counts: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        iterative_bayes(rows, counts)


def test_a_collection_is_processed_to_its_likeliest_frequencies() -> None:
    protocol = postprocessed(local_frequency)(
        users=300, items=12, mechanism="grr", postprocess="maximum-likelihood"
    )
    raw, processed = run(protocol, np.arange(300) % 5 + 1, 4).outputs["server"]
    mechanism = protocol.collection.mechanism
    p, q = mechanism.support_chances
    counts = np.round((raw * (p - q) + q) * 300)
    assert raw.min() < 0 <= processed.min()
    np.testing.assert_allclose(processed, iterative_bayes(laws(mechanism), counts), atol=2e-3)


@pytest.mark.parametrize("items", [2, 4, 5, 1000])
def test_base_cut_keeps_two_items_that_nobody_holds_on_average(items: int) -> None:
    noise = Noise(10**6, 400.0**2)
    step = calibrate.FIXED["base-cut"](noise, items)
    threshold = max(400 * norm.isf(2 / items), 0.0) if items > 4 else 0.0
    counts = np.array([threshold - 0.01, threshold + 0.01, -1.0, 10**5])
    assert step(counts).tolist() == [0, threshold + 0.01, 0, 10**5]
    if items > 4:
        assert items * norm.sf(threshold / noise.deviation) == pytest.approx(2)
        assert threshold < noise.threshold(items)
