"""The noise that Calibrate must know of a collection, collections without known noise, and how well
heavy hitters are found.
"""

import json
from typing import Any

import numpy as np
import pytest

from protocols.catalogue import about
from protocols.local_frequency.script import local_frequency
from protocols.local_table.script import local_table
from protocols.postprocess import calibrate
from protocols.postprocess.calibrate import FITTED, FIXED, Calibrate
from protocols.postprocess.fits import likeliest_power_law
from protocols.postprocess.heavy_hitters import heavy_hitters
from protocols.postprocess.noise import Noise
from protocols.postprocess.processed import postprocessed
from protocols.sampled_frequency.script import sampled_frequency
from scenarios.jia.people import zipf_benchmark
from simnet import run
from simnet.cli.main import main
from simnet.coins.sampled import SampledCoins
from simnet.scenario.schema import Categorical, Numeric, Schema
from simnet.scenario.synthetic import uniform_table
from tests.harness.many_cases import for_each

USERS, ITEMS = 6000, 30
HOLDERS = zipf_benchmark(USERS, ITEMS)
HELD = np.repeat(np.arange(1, ITEMS + 1), HOLDERS)
POWERS = np.ceil(1 / (1 - (np.arange(200) + 0.5) / 200)).astype(
    np.int64
)  # a power law's counts, exponent 2
TABLE = Schema(
    (Numeric("age", 0, 100),),
    (Categorical("sex", ("f", "m")), Categorical("dish", ("a", "b", "c"))),
)


def sampled(method: Any, **given: Any) -> Any:
    settings = {
        "users": USERS,
        "items": ITEMS,
        "epsilon": 3.0,
        "sampling": 0.4,
        "population": "aggregate",
        **given,
    }
    return postprocessed(sampled_frequency)(postprocess=method, **settings)


@pytest.mark.parametrize("formula", ["horvitz-thompson", "per-report", "centred", "pooled"])
def test_the_noise_of_sampled_users_is_that_of_their_estimator(formula: str) -> None:
    protocol = sampled("zero", formula=formula)
    for share in (0.0, 0.01, 0.4, 1.0):
        exact = protocol.collection.estimates.variance(share) * USERS**2
        assert protocol.noise.variance(share * USERS) == pytest.approx(exact, rel=1e-12)


def test_where_everybody_reports_the_noise_is_that_of_the_mechanism() -> None:
    protocol = sampled("zero", sampling=1.0)
    plain = Noise.of(protocol.collection.mechanism.response, USERS)
    assert (protocol.noise.floor, protocol.noise.slope) == pytest.approx((plain.floor, plain.slope))


@pytest.mark.parametrize("method", ["hm", "duchi"])
def test_the_noise_of_a_table_is_that_of_its_columns(method: str) -> None:
    protocol = postprocessed(local_table)(users=90, schema=TABLE, method=method, postprocess="zero")
    for share in (0.0, 0.3, 1.0):
        exact = protocol.collection.mechanism.frequency_variance(share, 90) * 90**2
        assert protocol.noise.variance(share * 90) == pytest.approx(exact, rel=1e-12)
    people = uniform_table(90, TABLE, 1)
    done = run(protocol, people.inputs, 2)
    raw, processed = done.outputs["server"]
    assert raw[0] == processed[0]
    for where in (slice(1, 3), slice(3, 6)):
        np.testing.assert_array_equal(
            processed[where], calibrate.apply("zero", raw[where], protocol.noise)
        )
    assessed = about(protocol).assess(done, people.totals)
    assert np.isnan(assessed.variance[1:]).all()
    assert assessed.scores is None


@pytest.mark.slow
@pytest.mark.parametrize("method", ["clip", *FIXED])
def test_errors_of_sampled_users_are_as_expected(method: str) -> None:
    """Over 40 runs, the mean of the squared errors within five standard errors of its
    expectation.
    """
    protocol, shares = sampled(method), HOLDERS / USERS
    errors = np.array(
        [
            ((run(protocol, HELD, seed).outputs["server"][1] - shares) ** 2).sum()
            for seed in range(40)
        ]
    )
    assessed = about(protocol).assess(run(protocol, HELD, 0), HOLDERS)
    assert abs(errors.mean() - assessed.expected_squared_l2) < 5 * errors.std() / np.sqrt(40)
    assert np.isnan(assessed.deviation_squared_l2)


@for_each(
    "make, settings",
    [
        (sampled_frequency, {"sampling": "0.1,0.5"}),
        (sampled_frequency, {"formula": "ratio"}),
        (sampled_frequency, {"formula": "direct"}),
        (local_frequency, {"items": 2, "mechanism": "joy-gerla", "truthful": 0.5, "yes": 0.3}),
    ],
)
@for_each("method", ["zero", "calibrate", Calibrate("gaussian")])
def test_a_noise_that_is_not_known_is_refused(make: Any, settings: Any, method: Any) -> None:
    with pytest.raises(
        ValueError,
        match=r"needs unbiased counts whose noise .* use clip or normalise or",
    ):
        postprocessed(make)(**{"users": 50, "items": 5, **settings}, postprocess=method)
    made = postprocessed(make)(**{"users": 50, "items": 5, **settings}, postprocess="project")
    assert made.step is None


@pytest.mark.parametrize("name", FITTED)
def test_a_calibration_may_be_given_itself(name: str) -> None:
    held = np.repeat(np.arange(1, 201), POWERS)
    given = {"users": len(held), "items": 200, "epsilon": 8.0, "sampling": 0.8}
    outputs = [
        run(sampled(method, **given), held, 3).outputs["server"] for method in (name, FITTED[name])
    ]
    assert np.array_equal(*outputs)


# Heavy hitters


@pytest.mark.parametrize("heavy", [None, 0.05])
def test_heavy_hitters_are_scored_in_raw_and_processed_estimates(heavy: float | None) -> None:
    protocol = sampled("calibrate", heavy=heavy)
    done = run(protocol, HELD, 3)
    cut = protocol.noise.threshold(ITEMS) / USERS if heavy is None else heavy
    scores = about(protocol).assess(done, HOLDERS).scores
    for name, estimates in zip(("raw", "processed"), done.outputs["server"], strict=True):
        found = heavy_hitters(HOLDERS / USERS, estimates, cut)
        said = [scores.errors[f"{rate}, {name}"] for rate in ("precision", "recall", "f-score")]
        assert said == [found.precision, found.recall, found.f_score]
    assert scores.judges == f"{(cut * USERS < HOLDERS).sum()} of {ITEMS} items"
    assert f"{cut:.4g}" in scores.target


def test_without_noise_a_cut_must_be_given() -> None:
    settings = {
        "items": 2,
        "users": 900,
        "mechanism": "joy-gerla",
        "truthful": 0.5,
        "yes": 0.3,
        "postprocess": "clip",
    }
    for heavy in (None, 0.2):
        protocol = postprocessed(local_frequency)(**settings, population="aggregate", heavy=heavy)
        assessed = about(protocol).assess(
            run(protocol, [1] * 300 + [2] * 600, 0), np.array([300, 600])
        )
        assert (assessed.scores is None) == (heavy is None)


def test_the_command_prints_scores_and_writes_them(capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "run",
        "local_frequency",
        "--users",
        "900",
        "--postprocess",
        "zero",
        "--set",
        "heavy=0.1",
        "--no-claims",
    ]
    printed = []
    for more in ([], ["--json", "-"]):
        with pytest.raises(SystemExit):
            main([*command, *more])
        printed.append(capsys.readouterr().out)
    assert "heavy hitters, held by more than 0.1 of the users (heavy)" in " ".join(
        printed[0].split()
    )
    scores = json.loads(printed[1])["scores"]["errors"]
    assert [
        f"{name} {rate:.4g}" in " ".join(printed[0].split()) for name, rate in scores.items()
    ] == [True] * 6


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: sampled("clip", heavy=1.5), "heavy is a probability from 0 to 1"),
        (lambda: sampled("raw", heavy=0.1), "give postprocess as well"),
        (
            lambda: postprocessed(local_table)(
                users=9, schema=TABLE, postprocess="clip", heavy=0.1
            ),
            "of one column",
        ),
        (
            lambda: Calibrate(fit="likelihood", mean_source="known_total"),
            "does not use the known mean",
        ),
    ],
)
def test_nonsense_is_refused(make: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        make()


def test_the_likeliest_prior_is_fitted_to_the_noise_that_is_used() -> None:
    noise = Noise(USERS, 9.0, 1.0)
    counts = POWERS + np.sqrt(noise.variance(POWERS)) * SampledCoins(1, "noise").normal(200).plain
    for own in (False, True):
        used = noise if own else noise.alike
        found = Calibrate(fit="likelihood", own_noise=own).prior(counts, noise)
        assert found == likeliest_power_law(counts, used, USERS)
    assert likeliest_power_law(counts, noise, USERS) != likeliest_power_law(
        counts, noise.alike, USERS
    )
