"""Figures and tables of Wang et al.: the expected values, and the verdicts on the quotes."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from protocols.mechanisms.additive import SCDF, Staircase
from protocols.mechanisms.duchi_multi import DuchiMulti
from scenarios.wang import (
    claims,
    cross_validation,
    fig1,
    fig3,
    fig4,
    learning,
    people,
    table1,
    trials,
)
from scenarios.wang.cross_validation import task_of
from scenarios.wang.orders import worst_variances
from simnet import BadInput
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Experiment
from simnet.studies.table import Table
from tests.harness.experiments import played
from tests.harness.shell import simnet

REPRODUCED, CORRECTED, NOT = (
    "agrees",
    "with correction",
    "disagrees",
)
MOMENTS = {
    "μ=0": 0.062433,
    "μ=1/3": 0.169798,
    "μ=2/3": 0.431748,
    "μ=1": 0.663558,
    "uniform": 1 / 3,
    "power law": 0.785649,
}
ERRORS = {  # n times the mean squared error of a mean, d = 16
    ("μ=0", 0.5): (287.68, 266.67, 391.63, 618.66, 8192, 8191.7),
    ("μ=0", 1.0): (61.39, 69.56, 100.32, 173.73, 2048, 2047.7),
    ("μ=1", 4.0): (12.97, 13.46, 17.67, 39.27, 128, 127.7),
    ("power law", 1.0): (90.08, 80.41, 99.60, 173.01, 2048, 2047.7),
}


@pytest.mark.parametrize("law", MOMENTS)
def test_synthetic_numbers_have_the_moments_of_their_laws(law: str) -> None:
    """Six standard errors of the mean of 160,000 squares in [0, 1], whose deviation is at most
    1/2.
    """
    held = people.drawn(law, 10_000, None, 1).inputs
    assert held.shape == (10_000, 16)
    assert np.abs(held).max() <= 1
    assert np.mean(held**2) == pytest.approx(MOMENTS[law], abs=6 * 0.5 / 400)


@pytest.mark.parametrize(("law", "epsilon"), ERRORS)
def test_expected_errors_are_the_known_ones(law: str, epsilon: float) -> None:
    for method, known in zip(trials.NUMERIC, ERRORS[law, epsilon], strict=True):
        users = 3000
        numbers: Any = trials.collected(
            {
                "estimates": law,
                "users": users,
                "attributes": 16,
                "method": method,
                "epsilon": epsilon,
                "k": None,
            },
            1,
            None,
        )
        assert users * numbers["expected_mse"] == pytest.approx(known, rel=0.02)
        assert abs(numbers["mse"] - numbers["expected_mse"]) < 6 * numbers["deviation_mse"]


@pytest.mark.parametrize(("census", "features"), [("BR", 90), ("MX", 94)])
def test_made_up_censuses_have_the_shape_of_the_paper(census: str, features: int) -> None:
    table = people.drawn(census, 300, None, 1)
    numeric, categorical = table.schema.numeric, table.schema.categorical
    assert (len(numeric), len(categorical)) == {"BR": (6, 10), "MX": (5, 14)}[census]
    assert len(numeric) - 1 + sum(len(one.labels) - 1 for one in categorical) == features
    task, source = cross_validation.task_of(census, "hinge", 300, None, 1)
    assert task.features.shape == (300, features)
    assert "synthetic" in source


def test_fewer_attributes_keep_the_proportion_of_the_kinds() -> None:
    few = people.drawn("MX", 50, None, 1, 7)
    assert (len(few.schema.numeric), len(few.schema.categorical)) == (2, 5)
    assert few.inputs.shape == (50, 7)
    every = people.drawn("MX", 50, None, 1)
    assert np.array_equal(few.inputs[:, 2:], every.inputs[:, 5:10])
    with pytest.raises(BadInput, match="there are 2 to 19 attributes to collect, got 20"):
        people.drawn("MX", 50, None, 1, 20)
    with pytest.raises(BadInput, match="there is at least 1 attribute to collect, got 0"):
        people.drawn("uniform", 50, None, 1, 0)
    with pytest.raises(BadInput, match=r"people are BR, MX, .* got 'FR'"):
        people.drawn("FR", 50, None, 1)


@pytest.mark.parametrize(
    ("experiment", "changed", "words"),
    [
        (fig1.EXPERIMENT, {"value": "0.5"}, "value is worst, got '0.5'"),
        (fig4.EXPERIMENT, {"estimates": "BR"}, r"estimates is .*BR-Numeric or .*, got 'BR'"),
        (learning.FIG9, {"folds": 0}, "folds is at least 1, got 0"),
        (learning.FIG9, {"folds": 11}, "folds is at most 10, got 11"),
        (fig1.EXPERIMENT, {"mechanism": "x"}, "mechanism is laplace or .*, got 'x'"),
        (learning.FIG9, {"loss": "x"}, "loss is logistic or .*, got 'x'"),
        (table1.EXPERIMENT, {"setting": "x"}, "setting is d > 1 or .*, got 'x'"),
        (table1.EXPERIMENT, {"setting": "d > 1", "attributes": 1}, "d > 1' is at least 2, got 1"),
    ],
)
def test_a_trial_refuses_what_it_would_not_do(
    experiment: Experiment, changed: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        experiment.trial({**experiment.points()[0], **changed}, 1, None)


def test_a_census_that_no_file_stands_in_for_is_refused(tmp_path: Path) -> None:
    for data in (None, tmp_path):
        with pytest.raises(ValueError, match=r"BR.*, got 'FR'"):
            task_of("FR", "logistic", 50, data, 1)


@pytest.mark.parametrize(
    ("ours", "low", "high", "two_from", "last"),
    [("HM", 5.38, 7.72, 4.41, 18), ("PM", 4.77, 7.88, 4.35, 32)],
)
def test_rivals_with_a_smaller_worst_variance_are_where_the_claims_say(
    ours: str, low: float, high: float, two_from: float, last: int
) -> None:
    """SCDF in a range of ε/d and, for d = 2, up to ε = 5, and Duchi et al. corrected for some even
    d.
    """

    def beats(d: int, share: float) -> bool:
        return SCDF(share).worst_variance < worst_variances(d * share, d)[ours]

    for d in (2, 3, 7):
        assert [beats(d, low + step) for step in (-0.01, 0.01)] == [False, True]
        assert [beats(d, high + step) for step in (-0.01, 0.01)] == [True, False]
    around = (two_from - 0.01, two_from + 0.01, 4.7, 4.999, 5.0)
    assert [beats(2, epsilon / 2) for epsilon in around] == [False, True, True, True, False]

    def is_best(d: int) -> bool:
        at = [worst_variances(epsilon, d) for epsilon in table1.EPSILONS if epsilon < 8]
        return all(worst[ours] < worst["Duchi"] for worst in at)

    assert [is_best(d) for d in (2, last, last + 2, 3)] == [False, False, True, True]


@pytest.mark.long
def test_a_figure_without_any_of_the_points_is_refused_in_one_line(tmp_path: Path) -> None:
    """The figure of Table I is about d > 1."""
    done = simnet(
        *("reproduce", "wang_table1", "--set", "attributes=1", "--workers", "1"),
        *("--store", tmp_path / "results.jsonl", "--out", tmp_path),
    )
    assert done.status == 1
    assert done.err.splitlines()[-1] == (
        "simnet: the tables of wang_table1 are written, but its figure cannot be drawn: the figure "
        "shows none of these points"
    )
    assert (tmp_path / "wang_table1_points.csv").exists()
    assert not list(tmp_path.glob("*.png"))


def test_a_best_effort_with_the_printed_mechanism_has_more_epsilon() -> None:
    assert claims.best_effort("as printed") == pytest.approx(1.5231, abs=1e-4)
    assert claims.best_effort("corrected") == pytest.approx(1)
    assert claims.bias_of_frequencies() == pytest.approx(0.269, abs=1e-3)


@pytest.mark.slow
def test_all_methods_of_a_trial_are_judged_on_the_same_held_out_users() -> None:
    parameters: dict[str, Any] = {
        "census": "BR",
        "loss": "logistic",
        "users": 2000,
        "regularisation": 1e-4,
        "epsilon": 1.0,
        "folds": 1,
    }
    numbers: Any = cross_validation.learnt(parameters, 1, None)
    whole: Any = cross_validation.learnt({**parameters, "folds": 2}, 1, None)
    assert whole["none"] != numbers["none"]
    assert all(0 < numbers[name] <= 1 for name in learning.METHODS)
    assert numbers["none"] < numbers["constant"]
    assert numbers == cross_validation.learnt(parameters, 1, None)
    loose: Any = cross_validation.learnt({**parameters, "epsilon": 2.0}, 1, None)
    assert loose["constant"] == numbers["constant"]  # the folds follow from the seed alone
    assert (numbers["features"], numbers["first_step"]) == (90, pytest.approx(5 / 180))


def of_learning(errors: dict[tuple[float, str], list[float]]) -> Table:
    """Return trials of Fig. 10 on BR with these errors, by ε and method; others err by 0.3."""
    epsilons = sorted({epsilon for epsilon, _ in errors})
    rows = [
        {
            "census": "BR",
            "epsilon": epsilon,
            "features": 90,
            "people": "",
            **{name: errors.get((epsilon, name), [0.3] * 6)[trial] for name in learning.METHODS},
        }
        for epsilon in epsilons
        for trial in range(6)
    ]
    return learning.FIG10.table(rows, synthetic=False)


@pytest.mark.slow
@pytest.mark.parametrize("module", [fig1, fig3, table1])
def test_figures_are_drawn(module: Any) -> None:
    experiment, name = module.EXPERIMENT, module.__name__.rpartition(".")[2]
    few: dict[str, Any] = {"epsilon": [1.0, 2.0], "attributes": [2, 5]}
    kept = {axis: values for axis, values in few.items() if axis in experiment.axes}
    assert experiment.figure(played(experiment, name, kept)).axes


def test_k_by_the_rule_is_not_the_best_one() -> None:
    """The excess at ε = 4.9 and d = 20, from the mechanisms themselves."""
    rows: Any = fig3.relative(
        {"epsilon": 4.9, "attributes": 20, "mechanism": "pm", "variant": "corrected"}, 1, None
    )
    assert rows["excess"] == pytest.approx(21.756 / 16.853, abs=1e-3)
    assert (rows["k"], rows["best_k"]) == (1, 2)


@pytest.mark.slow
def test_panels_that_are_compared_have_one_scale_and_a_line_where_methods_are_alike() -> None:
    experiment = fig3.EXPERIMENT
    points = {"epsilon": [0.5, 1.0, 5.0], "attributes": [5, 10]}
    assert experiment.figure is not None
    drawn = experiment.figure(played(experiment, "wang_fig3", points))
    assert len({axes.get_ylim() for axes in drawn.axes}) == 1
    levels = [
        {float(y) for line in axes.lines for y in np.asarray(line.get_ydata())}
        for axes in drawn.axes
    ]
    assert all({1.0, 0.77} <= found for found in levels)


def test_pieces_of_pm_and_tails_of_additive_noise() -> None:
    """At ε = 2 ln 2, C = (e^{ε/2} + 1) / (e^{ε/2} - 1) = 3, and p = (4 - 2) / (2 · 2 + 2) = 1/3."""
    pieces = claims.pieces(2 * np.log(2), 0.0)
    assert [length for length, _ in pieces] == pytest.approx([2, 2, 2])
    assert [height for _, height in pieces] == pytest.approx([1 / 12, 1 / 3, 1 / 12])
    assert len(claims.pieces(1.0, 1.0)) == 2  # no rightmost piece


def test_absolute_noise_is_that_of_drawn_reports() -> None:
    """Within five standard errors of the mean of 100,000 reports on the value 0."""
    for make in (SCDF, Staircase):
        noise = np.abs(make(1.0).perturb(np.zeros(100_000), SampledCoins(1, "users")))
        arm = 5 * noise.std() / np.sqrt(len(noise))
        assert claims.absolute_noise(make(1.0)) == pytest.approx(noise.mean(), abs=arm)


def test_a_biased_report_is_told() -> None:
    halved = SimpleNamespace(law=lambda value: SimpleNamespace(mean=value / 2))
    assert not claims.unbiased(halved)


@pytest.mark.parametrize("d", [2, 3, 8])
def test_the_mean_of_the_largest_error_is_below_the_bound_of_eq_11(d: int) -> None:
    """20 users, 300 collections. The bound is not far off, so the test can fail."""
    mechanism, users, collections = DuchiMulti(1.0, d, "as-printed"), 20, 300
    values = np.tile(np.linspace(-0.9, 0.6, d), (users, 1))
    coins = SampledCoins(1, "users")
    errors = [
        abs(mechanism.estimate(mechanism.perturb(values, coins)) - values[0]).max()
        for _ in range(collections)
    ]
    bound = claims.largest_error(1.0, d) * np.sqrt(d * np.log(d) / users)
    assert 0.4 * bound < np.mean(errors) < bound
