"""Features from columns, census extracts as tasks, cross-validated tables."""

from collections import Counter
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.ldp_sgd.features import encoded, with_constant
from protocols.ldp_sgd.losses import HINGE, LOGISTIC, SQUARED
from protocols.ldp_sgd.script import LDPSGD
from protocols.ldp_sgd.task import Task
from scenarios.wang.census import ADULT, CENSUS_INCOME, Census
from scenarios.wang.cross_validation import FOLDS, folds, judged, learnt
from scenarios.wang.learning import METHODS
from simnet import BadInput
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from simnet.scenario.schema import Categorical, Numeric, Schema
from tests.harness.data import DATA

CSV = "age,town,sex,hours\n20,Rome,F,10\n40,Bonn,M,20\n72,Paris,F,40\n"
PEOPLE = Census((Numeric("age", 0, 80), Numeric("hours", 0, 40)), ("town", "sex"), target="age")


@attrs.frozen(eq=False)
class CrossValidation:
    """The errors of the models of the folds that were run, and the protocol of the first fold.

    An error is the misclassification rate, or the mean squared error of labels in [-1, 1].
    """

    protocol: LDPSGD
    errors: Floats  # shape (folds,)

    @property
    def error(self) -> float:
        """The mean error."""
        return float(np.mean(self.errors))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean of two or more folds, as if folds were independent."""
        return float(np.std(self.errors, ddof=1)) / sqrt(len(self.errors))


def cross_validated(
    task: Task,
    mechanism: str,
    epsilon: float,
    *,
    seed: int = 0,
    count: int = FOLDS,
    only: int | None = None,
    **settings: Any,
) -> CrossValidation:
    """Run the protocol for each of `count` folds, or for the first `only` of them.

    `settings` are further settings of `ldp_sgd`.
    """
    runs = [
        judged(task, fold, mechanism, epsilon, seed + place, **settings)
        for place, fold in enumerate(islice(folds(task, count, seed), only))
    ]
    return CrossValidation(runs[0][0], np.array([error for _, error in runs]))


def test_numbers_are_scaled_and_categories_have_a_column_less_than_values() -> None:
    schema = Schema((Numeric("age", 0, 80),), (Categorical("town", ("Bonn", "Paris", "Rome")),))
    rows = encoded(np.array([[20.0, 3], [40, 1], [80, 2]]), schema)
    assert rows.tolist() == [[-0.5, 0, 0], [0, 1, 0], [1, 0, 1]]  # Rome is the last town
    assert with_constant(rows)[:, -1].tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match=r"values lie in the declared range 0\.\.80, got 81"):
        encoded(np.array([[81.0, 1]]), schema)


@given(st.lists(st.integers(1, 4), min_size=1))
def test_every_value_has_a_code_of_its_own(held: list[int]) -> None:
    rows = encoded(
        np.array(held, dtype=float)[:, np.newaxis],
        Schema((), (Categorical("letter", tuple("abcd")),)),
    )
    assert rows.shape == (len(held), 3)
    codes = {value: tuple(row) for value, row in zip(held, rows.tolist(), strict=True)}
    assert len(set(codes.values())) == len(codes)
    assert set(np.ravel(rows)) <= {0, 1}
    assert all(row.sum() == (value != 4) for value, row in zip(held, rows, strict=True))


def test_a_census_makes_three_tasks(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text(CSV)
    logistic, svm, linear = PEOPLE.tasks(file)
    features = [[-0.5, 0, 0, 1], [0, 1, 0, 0], [1, 0, 1, 1]]  # hours, Bonn, Paris, F
    assert all(task.features.tolist() == features for task in (logistic, svm, linear))
    assert logistic.labels.tolist() == svm.labels.tolist() == [-1, -1, 1]  # above the mean, 44
    assert linear.labels.tolist() == pytest.approx([-0.5, 0, 0.8])
    assert logistic.constant_error == pytest.approx(1 / 3)
    assert logistic.error_of_constant(np.array([1.0, -1.0])) == 0.5
    assert linear.error_of_constant(np.array([0.1])) == pytest.approx(0)
    with pytest.raises(BadInput, match="there is no file"):
        PEOPLE.tasks(tmp_path / "none.csv")
    file.write_text(CSV.replace("72", "90"))
    with pytest.raises(
        BadInput, match=r"row 3 of column 'age' .* holds 90, which is outside the declared range"
    ):
        PEOPLE.tasks(file)


def easy(users: int = 3000, classes: bool = True) -> Task:
    features = 2 * SampledCoins(0, "people").uniform(3 * users).plain.reshape(users, 3) - 1
    scores = features @ [0.6, -0.3, 0.1]
    if classes:
        return Task("easy", LOGISTIC, features, np.where(scores > 0, 1.0, -1.0))
    return Task("easy", SQUARED, features, scores)


@given(st.integers(2, 12), st.integers(12, 40), st.integers(0, 99))
def test_folds_judge_every_user_once_by_models_of_the_others(
    count: int, users: int, seed: int
) -> None:
    task = Task("t", SQUARED, np.zeros((users, 1)), np.linspace(-1, 1, users))
    judged: Counter[float] = Counter()
    for known, held_out in folds(task, count, seed):
        assert users // count <= len(held_out) <= users // count + 1
        assert sorted([*known[:, 1], *held_out[:, 1]]) == task.labels.tolist()
        judged.update(held_out[:, 1].tolist())
    assert judged == Counter(task.labels.tolist())


@pytest.mark.slow
def test_models_of_little_privacy_err_less_and_errors_follow_from_the_seed() -> None:
    settings: dict[str, Any] = {"count": 3, "first_step": 1.0}
    strict, loose, bare = (
        cross_validated(easy(), mechanism, epsilon, **settings)
        for mechanism, epsilon in (("hm", 0.1), ("hm", 8.0), ("none", 0.1))
    )
    assert bare.error < loose.error < strict.error
    assert bare.protocol.perturbation.exact_epsilon == np.inf
    assert loose.protocol.perturbation.exact_epsilon == pytest.approx(8)
    for found in (strict, loose, bare, cross_validated(easy(classes=False), "hm", 8.0, **settings)):
        assert found.protocol.users == 2000
        assert found.protocol.steps == 2000 // found.protocol.group_size
        assert found.errors.shape == (3,)
        assert found.standard_error > 0
    again = cross_validated(easy(), "hm", 8.0, **settings)
    assert again.errors.tolist() == loose.errors.tolist()
    first = cross_validated(easy(), "hm", 8.0, only=1, **settings)
    assert first.errors.tolist() == loose.errors[:1].tolist()


def test_lines_through_many_features_are_found_by_default_and_lost_by_a_long_first_step() -> None:
    """6000 users with 90 features, most of them rare categories, at ε = 4."""
    users, count = 6000, 90
    drawn = SampledCoins(1, "people").uniform(users * count).plain.reshape(users, count)
    features = np.where(drawn < np.linspace(0.05, 0.5, count), 1.0, 0.0)
    features[:, -1] = 1.0
    labels = np.clip(
        0.5 * features[:, 80] - 0.5 * features[:, 85] + 0.3 * features[:, 70] + 0.1, -1, 1
    )
    task = Task("line", SQUARED, features, labels)
    settings: dict[str, Any] = {"count": 2}
    usual = cross_validated(task, "hm", 4.0, **settings)
    assert usual.error < task.constant_error
    assert (
        cross_validated(task, "hm", 4.0, first_step=1.0, **settings).error > 2 * task.constant_error
    )


@pytest.mark.parametrize(
    ("settings", "wrong"),
    [
        ({"count": 1}, "folds is at least 2"),
        ({"count": 99}, "folds is at most 20"),
        ({"schedule": "fast"}, "schedule is inverse-root"),
    ],
)
def test_studies_that_make_no_sense_are_refused(settings: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        cross_validated(easy(20), "hm", 1.0, **settings)


@pytest.mark.parametrize(
    ("features", "labels", "wrong"),
    [
        (np.zeros((3, 2)), np.ones(2), r"labels have shape \(3,\), got \(2,\)"),
        (np.zeros((2, 2)), np.array([0.0, 1.0]), "labels of the hinge loss are -1 or \\+1"),
        (np.full((2, 2), 3.0), np.ones(2), "got 3"),
    ],
)
def test_tasks_that_make_no_sense_are_refused(features: Any, labels: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        Task("t", HINGE, features, labels)


@pytest.mark.slow
@pytest.mark.data("adult.csv.gz")
def test_dimensions_and_classes_are_like_those_of_the_paper() -> None:
    """The paper has 90 and 94 features; above its mean are 46 % of the ages."""
    tasks = ADULT.tasks(DATA / "adult.csv.gz")
    assert [task.features.shape for task in tasks] == [(48_842, 98)] * 3
    assert tasks[0].constant_error == pytest.approx(22_604 / 48_842)
    assert np.all(np.abs(tasks[0].features) <= 1)


@pytest.mark.data("census_income.csv.gz")
@pytest.mark.long
def test_the_other_extract_has_the_stated_classes() -> None:
    tasks = CENSUS_INCOME.tasks(DATA / "census_income.csv.gz")
    assert [task.features.shape[1] for task in tasks] == [94] * 3
    assert tasks[1].constant_error == pytest.approx(91_816 / 199_523)


@pytest.mark.data("adult.csv.gz")
@pytest.mark.long
def test_models_of_little_privacy_beat_a_constant_answer_on_the_census() -> None:
    """SVM at ε = 4, the mean of four trials."""
    point: dict[str, Any] = {
        "census": "BR",
        "loss": "hinge",
        "users": 20_000,
        "folds": 1,
        "epsilon": 4.0,
        "regularisation": 1e-4,
    }
    rows: list[Any] = [learnt(point, seed, DATA) for seed in range(4)]
    errors = {name: float(np.mean([row[name] for row in rows])) for name in METHODS}
    assert max(errors["pm"], errors["hm"]) < errors["duchi"] < errors["laplace"]
    assert max(errors["pm"], errors["hm"]) < errors["constant"] - 0.05
    assert errors["none"] < min(errors["pm"], errors["hm"])
