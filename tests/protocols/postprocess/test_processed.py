"""Processing after a collection on the kernel: reports and bill do not change, and errors are as
expected.
"""

import json
import re
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest

from protocols.catalogue import about
from protocols.local_frequency.script import local_frequency
from protocols.local_table.script import local_table
from protocols.postprocess import calibrate, consistency
from protocols.postprocess.calibrate import FIXED, Calibrate
from protocols.postprocess.expected import moments_of_errors
from protocols.postprocess.fits import CountMoments, power_law_of_mean
from protocols.postprocess.noise import Noise
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.prior_file import read_prior
from protocols.postprocess.priors import FinitePrior
from protocols.postprocess.processed import METHODS, Processed, postprocessed
from scenarios.jia.expected import expected_calibrated_mse, expected_zero_mse
from scenarios.jia.people import zipf_benchmark
from simnet import run
from simnet.errors import BadInput
from simnet.scenario.schema import Categorical, Numeric, Schema
from simnet.scenario.synthetic import uniform_table
from tests.harness.many_cases import for_each
from tests.harness.shell import simnet

USERS, ITEMS = 4000, 40
HOLDERS = zipf_benchmark(USERS, ITEMS)
HELD = np.repeat(np.arange(1, ITEMS + 1), HOLDERS)


def made(method: str, seating: str = "aggregate", mechanism: str = "oue") -> Any:
    return postprocessed(local_frequency)(
        users=USERS,
        items=ITEMS,
        mechanism=mechanism,
        epsilon=2.0,
        postprocess=method,
        population=seating,
    )


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
    assert about(protocol).disclosure(["report"]) == about(protocol.collection).disclosure(
        ["report"]
    )


@pytest.mark.parametrize("method", FIXED)
def test_errors_are_as_expected(method: str) -> None:
    """Over 40 runs, the mean of the squared errors within five standard errors of its expectation.

    The spread of single ones, a sum of few heavy terms, within a factor of two: a false alarm in
    1e-5.
    """
    protocol, shares = made(method), HOLDERS / USERS
    runs = [run(protocol, HELD, seed) for seed in range(40)]
    assessed = about(protocol).assess(runs[0], HOLDERS)
    errors = np.array([((done.outputs["server"][1] - shares) ** 2).sum() for done in runs])
    assert abs(
        errors.mean() - assessed.expected_squared_l2
    ) < 5 * assessed.deviation_squared_l2 / np.sqrt(40)
    assert 0.5 < errors.std() / assessed.deviation_squared_l2 < 2
    processed = np.array([done.outputs["server"][1] for done in runs])
    assert processed.var(axis=0).sum() == pytest.approx(assessed.variance.sum(), rel=0.5)
    assert ((assessed.low <= shares) & (shares <= assessed.high)).mean() > 0.7
    assert assessed.estimate.tolist() == runs[0].outputs["server"][1].tolist()


@pytest.mark.parametrize("method", ["clip", *FIXED])
def test_no_deviation_is_stated_where_errors_of_items_go_together(method: str) -> None:
    protocol = made(method, mechanism="grr")
    assessed = about(protocol).assess(run(protocol, HELD, 0), HOLDERS)
    assert np.isnan([assessed.deviation_squared_l2, assessed.deviations]).all()
    assert np.isfinite(assessed.expected_squared_l2)


@pytest.mark.parametrize("method", FIXED)
def test_the_expectation_is_that_of_the_study(method: str) -> None:
    protocol = made(method)
    noise = Noise.of(protocol.collection.mechanism, USERS)
    expected = (
        about(protocol).assess(run(protocol, HELD, 0), HOLDERS).expected_squared_l2
        * USERS**2
        / ITEMS
    )
    if method in ("zero", "base-cut"):
        threshold = noise.threshold(ITEMS, 0.05 if method == "zero" else 2)
        assert expected == pytest.approx(expected_zero_mse(HOLDERS, noise, threshold), rel=2e-3)
    else:
        prior = power_law_of_mean(CountMoments(USERS / ITEMS, 0.0), USERS)
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
        (
            {"postprocess": "rappor"},
            "postprocess is raw or clip or normalise or .* or maximum-likelihood, got 'rappor'",
        ),
        (
            {"users": 5, "postprocess": "calibrate-total"},
            "more users than items that somebody holds, got 5 and 5",
        ),
        ({"mechanism": "rappor"}, "mechanism is oue or"),
        ({"postprocess": "maximum-likelihood"}, "in which every user reports one item"),
    ],
)
def test_nonsense_is_refused(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        postprocessed(local_frequency)(**{"users": 50, "items": 5, **given})


PRIOR = "count,probability\n0,0.25\n50,0.5\n800,0.25\n"


@pytest.mark.slow
def test_a_prior_of_ones_own_is_read_from_a_file(tmp_path: Path) -> None:
    """The prior of the file is used, and its expected error is known, as nothing is fitted."""
    file = tmp_path / "prior.csv"
    file.write_text(PRIOR)
    protocol = postprocessed(local_frequency)(
        users=USERS, items=ITEMS, postprocess="calibrate", prior=str(file)
    )
    prior = FinitePrior(np.array([0.0, 50.0, 800.0]), np.array([0.25, 0.5, 0.25]))
    raw = np.linspace(-0.1, 0.4, ITEMS)
    expected = posterior_mean(raw * USERS, prior, protocol.noise.alike) / USERS
    np.testing.assert_allclose(protocol.process(raw), expected)
    assessed = about(protocol).assess(run(protocol, HELD, 0), HOLDERS)
    assert assessed.expected_squared_l2 == pytest.approx(
        expected_calibrated_mse(HOLDERS, protocol.noise, prior) * ITEMS / USERS**2, rel=1e-3
    )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("count,probability\n0,0.25\n", "add up to 0.25: probabilities add up to 1"),
        ("count,probability\n0,0.5\n0,0.5\n", "has the count 0 in two rows"),
        ("count,probability\n0,half\n", "holds 'half', which is no number"),
        ("count,probability\n0,1.5\n", "has '1.5', where a probability from 0 to 1"),
        ("count,probability\n-1,1\n", "where a whole number from 0"),
        ("count,share\n1,1\n", "probability"),
    ],
)
def test_a_file_that_is_no_prior_is_refused(tmp_path: Path, text: str, wrong: str) -> None:
    file = tmp_path / "prior.csv"
    file.write_text(text)
    with pytest.raises(BadInput, match=wrong):
        read_prior(file)


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"postprocess": "raw", "beta": 0.1}, "beta chooses how estimates are processed"),
        ({"postprocess": "clip", "at_zero": 0.1}, "clip does not calibrate, so it has no at_zero"),
        ({"postprocess": "calibrate-infinite", "support": "users"}, "is infinite, got"),
        ({"postprocess": "calibrate-total", "fit": "likelihood"}, "does not use the known mean"),
        ({"postprocess": "calibrate-likelihood", "fit": "mean"}, "has fit=likelihood"),
        ({"postprocess": "calibrate-gaussian", "support": "users"}, "those of the power law"),
        ({"postprocess": "calibrate-poisson", "at_zero": 0.0}, "those of the power law"),
        ({"postprocess": "calibrate", "support": "all"}, "support is users or largest"),
        ({"postprocess": "calibratee", "fit": "mean"}, "did you mean calibrate"),
        ({"postprocess": "zero", "beta": 30.0}, "beta lies between 0 and half the number"),
        ({"postprocess": Calibrate(), "fit": "mean"}, "has its own fit"),
    ],
)
def test_choices_that_a_method_does_not_have_are_refused(given: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        postprocessed(local_frequency)(users=50, items=5, **given)


def test_the_level_of_significance_is_a_choice() -> None:
    """A larger β lowers the threshold of `zero` and the default cut of heavy hitters."""
    strict, loose = (
        postprocessed(local_frequency)(users=USERS, items=ITEMS, postprocess="zero", beta=beta)
        for beta in (0.01, 2.0)
    )
    between = (strict.noise.threshold(ITEMS, 0.01) + strict.noise.threshold(ITEMS, 2.0)) / 2
    raw = np.full(ITEMS, between / USERS)
    assert (strict.process(raw) == 0).all()
    assert (loose.process(raw) == raw).all()
    assert loose.step(np.array([between])) == between


# consistency, and the command

TABLE = Schema(
    (Numeric("age", 0, 100),),
    (Categorical("sex", ("f", "m")), Categorical("dish", ("a", "b", "c"))),
)


@for_each("method", [name for name in calibrate.METHODS if name != "raw"])
def test_raw_estimates_stay_beside_processed_ones(method: str) -> None:
    protocol = made(method)
    done = run(protocol, HELD, 3)
    raw, processed = done.outputs["server"]
    noise = Noise.of(protocol.collection.mechanism, USERS)
    np.testing.assert_array_equal(processed, calibrate.apply(method, raw, noise))
    assessed = about(protocol).assess(done, HOLDERS)
    np.testing.assert_array_equal(assessed.raw, raw)
    assert assessed.raw_squared_l2 == pytest.approx(
        about(protocol.collection).assess(plain(done), HOLDERS).squared_l2
    )
    assert (assessed.low <= raw).all()
    known = method in ("clip", *FIXED)
    assert np.isnan([assessed.expected_squared_l2, assessed.deviations]).all() == (not known)


def plain(done: Any) -> Any:
    """The run without its processing."""
    return attrs.evolve(done, outputs={"server": done.outputs["server"][0]})


@pytest.mark.slow
def test_clipping_has_the_error_that_is_expected() -> None:
    """Over 60 runs, within five standard errors: a false alarm in a million."""
    protocol = made("clip")
    runs = [about(protocol).assess(run(protocol, HELD, seed), HOLDERS) for seed in range(60)]
    errors = np.array([one.squared_l2 for one in runs])
    assert abs(errors.mean() - runs[0].expected_squared_l2) < 5 * runs[
        0
    ].deviation_squared_l2 / np.sqrt(60)
    assert runs[0].expected_squared_l2 < about(protocol.collection).expected_squared_l2


@pytest.mark.parametrize("method", ["clip", "normalise", "norm-sub", "project"])
def test_shares_of_each_column_of_a_table_are_processed_and_means_are_not(method: str) -> None:
    people = uniform_table(60, TABLE, 1)
    protocol = postprocessed(local_table)(users=60, schema=TABLE, epsilon=0.5, postprocess=method)
    done = run(protocol, people.inputs, 2)
    raw, processed = done.outputs["server"]
    assert raw[0] == processed[0]
    for where in (slice(1, 3), slice(3, 6)):
        np.testing.assert_array_equal(processed[where], consistency.apply(method, raw[where]))
        assert (processed[where] >= 0).all()
    assert (raw[1:] != processed[1:]).any()
    assessed = about(protocol).assess(done, people.totals)
    assert np.isfinite(assessed.variance[0])
    assert np.isnan(assessed.variance[1:]).all()
    with pytest.raises(ValueError, match="postprocess is clip or normalise"):
        Processed(protocol.collection, "best")


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["local_frequency", "sampled_frequency", "local_table"])
def test_the_command_processes(scenario: str) -> None:
    found = {}
    for method in ("raw", "project"):
        options = ["--users", "500", "--postprocess", method, "--no-claims", "--json", "-"]
        status, out, _ = simnet("run", scenario, *options)
        found[method] = json.loads(out)
        assert status == 0
    assert "raw" not in found["raw"]
    assert found["project"]["raw"] == found["raw"]["estimate"]
    assert found["project"]["expected_squared_l2"] is None
    assert found["project"]["raw_squared_l2"] == pytest.approx(found["raw"]["squared_l2"])
    shares = [
        value
        for name, value in found["project"]["estimate"].items()
        if scenario != "local_table" or "sex" in name
    ]
    assert min(shares) >= 0
    assert sum(shares) == pytest.approx(1)


def test_the_command_prints_what_is_known_and_names_the_choices() -> None:
    for method, known in (("norm-sub", False), ("zero", True)):
        _, out, _ = simnet("run", "local_frequency", "--postprocess", method, "--no-claims")
        lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
        assert ("expected" in lines["squared"]) == known
        assert "before post-processing; the intervals are those" in lines["raw"]
    options = ["--formula", "direct", "--postprocess", "clip", "--users", "400", "--no-claims"]
    _, out, _ = simnet("run", "sampled_frequency", *options)
    assert "those of this estimate without the bias of its formula" in " ".join(out.split())
    _, out, _ = simnet("list", "local_frequency", "--json", "-")
    (meaning,) = (
        one["meaning"] for one in json.loads(out)["settings"] if one["name"] == "postprocess"
    )
    assert set(METHODS) <= set(re.split("[ ,:]+", meaning))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("local_frequency", "--postprocess", "best"), "postprocess is raw or clip or normalise"),
        (
            ("sampled_personal", "--postprocess", "zero"),
            ("zero needs unbiased counts whose noise depends only on the number of holders"),
        ),
        (("dpds", "--postprocess", "clip"), "run dpds has no option --postprocess"),
        (
            ("local_frequency", "--postprocess", "clip", "--set", "postprocess=raw"),
            "postprocess is given twice: raw and clip",
        ),
    ],
)
def test_the_command_refuses_what_there_is_not(arguments: tuple[str, ...], wrong: str) -> None:
    status, _, err = simnet("run", *arguments)
    assert (status, wrong in err) == (2, True)
