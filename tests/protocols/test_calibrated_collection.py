"""Calibration after a collection on the kernel: the same reports and bill, and errors as they are expected."""

from typing import Any

import numpy as np
import pytest

from protocols.postprocess.calibrate import FIXED
from protocols.postprocess.calibrate_study import expected_calibrated_mse, expected_zero_mse, zipf_benchmark
from protocols.postprocess.calibrated_collection import calibrated_frequency
from protocols.postprocess.expected import moments_of_errors
from protocols.postprocess.fits import Moments, power_law_of_mean
from protocols.postprocess.noise import Noise
from simnet import run

USERS, ITEMS = 4000, 40
HOLDERS = zipf_benchmark(USERS, ITEMS)
HELD = np.repeat(np.arange(1, ITEMS + 1), HOLDERS)


def made(method: str, seating: str = "aggregate", mechanism: str = "oue") -> Any:
    return calibrated_frequency(
        users=USERS, items=ITEMS, mechanism=mechanism, epsilon=2.0, method=method, population=seating  # type: ignore[arg-type]
    )  # fmt: skip


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("mechanism", ["oue", "sue", "grr"])
def test_the_server_keeps_what_it_calibrates(method: str, mechanism: str) -> None:
    protocol = made(method, mechanism=mechanism)
    done, plain = run(protocol, HELD, 3), run(protocol.collection, HELD, 3)
    raw, processed = done.outputs["server"]
    assert (raw == plain.outputs["server"]).all()
    np.testing.assert_allclose(processed, protocol.step(raw * USERS) / USERS)
    assert done.ledger.total("sent") == plain.ledger.total("sent")
    assert (np.diff(processed[np.argsort(raw)]) >= 0).all()
    assert protocol.disclosure(["report"]) == protocol.collection.disclosure(["report"])


@pytest.mark.parametrize("method", FIXED)
def test_errors_are_as_expected(method: str) -> None:
    """Over 40 runs, the mean of the squared errors within five standard errors of its expectation; the spread of single
    ones, a sum of few heavy terms, within a factor of two: a false alarm in 1e-5.
    """
    protocol, shares = made(method), HOLDERS / USERS
    runs = [run(protocol, HELD, seed) for seed in range(40)]
    assessed = protocol.assess(runs[0], HOLDERS)
    errors = np.array([((done.outputs["server"][1] - shares) ** 2).sum() for done in runs])
    assert abs(errors.mean() - assessed.expected_squared_l2) < 5 * assessed.deviation_squared_l2 / np.sqrt(40)
    assert 0.5 < errors.std() / assessed.deviation_squared_l2 < 2
    processed = np.array([done.outputs["server"][1] for done in runs])
    assert processed.var(axis=0).sum() == pytest.approx(assessed.variance.sum(), rel=0.5)
    assert ((assessed.low <= shares) & (shares <= assessed.high)).mean() > 0.7
    assert assessed.estimate.tolist() == runs[0].outputs["server"][1].tolist()


@pytest.mark.parametrize("method", FIXED)
def test_the_expectation_is_that_of_the_study(method: str) -> None:
    protocol = made(method)
    noise = Noise.of(protocol.collection.mechanism, USERS)
    expected = protocol.assess(run(protocol, HELD, 0), HOLDERS).expected_squared_l2 * USERS**2 / ITEMS
    if method == "zero":
        assert expected == pytest.approx(expected_zero_mse(HOLDERS, noise, noise.threshold(ITEMS)), rel=2e-3)
    else:
        prior = power_law_of_mean(Moments(USERS / ITEMS, 0.0), USERS)
        assert expected == pytest.approx(expected_calibrated_mse(HOLDERS, noise, prior), rel=1e-9)


def test_moments_of_a_step_that_changes_nothing_are_those_of_the_noise() -> None:
    noise = Noise(1000, 900.0, 1.0)
    found = moments_of_errors([5, 0, 5, 300], noise, lambda counts: counts)
    variance = noise.variance([5, 0, 5, 300])
    np.testing.assert_allclose(found.mse, variance, rtol=1e-9)
    np.testing.assert_allclose(found.variance, variance, rtol=1e-9)
    np.testing.assert_allclose(found.mse_variance, 2 * variance**2, rtol=1e-9)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"method": "calibrate"}, "method is zero or calibrate-total, got 'calibrate'"),
        ({"users": 5}, "mean between these, got 1"),
        ({"mechanism": "rappor"}, "mechanism is oue or"),
    ],
)
def test_nonsense_is_refused(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        calibrated_frequency(**{"users": 50, "items": 5, **given})
