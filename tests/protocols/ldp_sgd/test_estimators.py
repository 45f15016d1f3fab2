"""LDP-SGD as scikit-learn estimators: scikit-learn's own checks, pipelines, cross-validation,
searches, and errors.
"""

import importlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler
from sklearn.utils.estimator_checks import check_estimator

from protocols.ldp_sgd.estimators import LDPSVM, LDPLinearRegression, LDPLogisticRegression
from protocols.ldp_sgd.script import in_chance_order, ldp_sgd
from protocols.mechanisms.value_range import ValueRange
from simnet import run
from simnet.coins.sampled import SampledCoins
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but

CLASSIFIERS = (LDPLogisticRegression, LDPSVM)
ESTIMATORS = (*CLASSIFIERS, LDPLinearRegression)


def rows(users: int = 20_000) -> Any:
    features = 2 * SampledCoins(0, "people").uniform(3 * users).plain.reshape(users, 3) - 1
    return features, features @ [0.5, -0.3, 0.1] + 0.1


class Squashing:
    """Features and targets are squashed into [-1, 1], where those of scikit-learn's checks do not
    lie.
    """

    def _learn(self, features: Any, labels: Any) -> Any:
        targets = np.tanh(labels) if is_regressor(self) else labels
        return super()._learn(np.tanh(features), targets)  # type: ignore[misc]

    def _scores(self, X: Any) -> Any:
        super()._scores(X)  # type: ignore[misc]  # its checks
        return np.tanh(np.asarray(X, dtype=np.float64)) @ np.ravel(self.coef_) + self.intercept_  # type: ignore[attr-defined]


class SquashingRegression(Squashing, LDPLinearRegression): ...


class SquashingLogistic(Squashing, LDPLogisticRegression): ...


class SquashingSVM(Squashing, LDPSVM): ...


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("kind", [SquashingRegression, SquashingLogistic, SquashingSVM])
def test_scikit_learns_own_checks_pass(kind: Any) -> None:
    results = check_estimator(kind(8.0), on_fail=None)
    failed = {
        one["check_name"]: str(one["exception"]) for one in results if one["status"] == "failed"
    }
    assert not failed
    assert sum(one["status"] == "passed" for one in results) > 45


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    ("no", "yes"), long_but([(0, 1), (-1, 1), ("no", "yes"), (False, True)], ("no", "yes"))
)
def test_two_classes_of_any_name_are_learnt(kind: Any, no: Any, yes: Any) -> None:
    """At most 8% are wrong at ε = 4 with 20,000 users; the names of the classes change nothing."""
    features, scores = rows()
    named = np.array([no, yes])[(scores > 0).astype(int)]
    fitted = kind(4.0).fit(features, named)
    assert is_classifier(fitted)
    assert fitted.classes_.tolist() == sorted([no, yes])
    assert fitted.score(features, named) > 0.92
    plain = kind(4.0).fit(features, np.where(scores > 0, 1, -1))
    assert np.array_equal(fitted.coef_, plain.coef_)
    assert np.array_equal(fitted.predict(features) == yes, fitted.decision_function(features) > 0)


def test_chances_are_those_of_the_logistic_model() -> None:
    features, scores = rows(2000)
    fitted = LDPLogisticRegression(4.0).fit(features, scores > 0)
    chances = fitted.predict_proba(features)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_allclose(chances[:, 1], 1 / (1 + np.exp(-fitted.decision_function(features))))


def test_numbers_are_learnt_in_their_own_units() -> None:
    """R² above 0.9 at ε = 4 with 20,000 users, whose targets lie in a declared range of 0..20."""
    features, scores = rows()
    years = 10 + 10 * scores
    range_ = ValueRange(0, 20)
    scale = FunctionTransformer(range_.scaled, inverse_func=range_.unscaled, check_inverse=False)
    model = TransformedTargetRegressor(
        LDPLinearRegression(4.0, group_size=400, first_step=0.3), transformer=scale
    )
    fitted = model.fit(features, years)
    assert fitted.score(features, years) > 0.9
    assert abs(fitted.predict(features).mean() - years.mean()) < 1
    with pytest.raises(ValueError, match=r"labels of the squared loss lie in \[-1, 1\]"):
        LDPLinearRegression().fit(features, years)


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_are_cloned_and_set_as_scikit_learn_does(kind: Any) -> None:
    estimator = kind(2.0, "pm", chosen=2, group_size=60, random_state=5)
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert copy.set_params(epsilon=3.0).epsilon == 3
    assert estimator.epsilon == 2
    features, scores = rows(600)
    one, other = (model.fit(features, np.sign(scores)) for model in (estimator, clone(estimator)))
    assert np.array_equal(one.coef_, other.coef_)
    assert not np.array_equal(
        one.coef_, clone(estimator).set_params(random_state=6).fit(features, np.sign(scores)).coef_
    )


@pytest.mark.slow
def test_pipelines_scores_and_searches() -> None:
    features, scores = rows(3000)
    years, rich = 50 * (features + 1), np.where(scores > 0, ">50K", "<=50K")
    model = make_pipeline(FunctionTransformer(ValueRange(0, 100).scaled), LDPSVM(4.0))
    scored = cross_val_score(model, years, rich, cv=3)
    assert scored.shape == (3,)
    assert scored.mean() > 0.7
    search = GridSearchCV(model, {"ldpsvm__epsilon": [0.1, 8.0]}, cv=2).fit(years, rich)
    assert search.best_params_ == {"ldpsvm__epsilon": 8.0}


def test_a_rounding_of_a_scaler_is_no_value_out_of_range() -> None:
    """A scaler's largest value may be 1 + 2**-52.

    Held-out rows may lie well beyond, for only `fit` needs the range.
    """
    features, scores = rows(900)
    held = 0.7 * features + 5.3
    scaled = MinMaxScaler((-1, 1)).fit_transform(held)
    assert 1 < np.abs(scaled).max() < 1 + 1e-12
    scored = cross_val_score(
        make_pipeline(MinMaxScaler((-1, 1)), LDPLogisticRegression(4.0)), held, scores > 0, cv=3
    )
    assert np.isfinite(scored).all()
    targets = np.where(scores > 0, 1 + 2**-52, -1)
    assert LDPLinearRegression(4.0).fit(features, targets).predict(2 * features).shape == (900,)
    declared = MinMaxScaler((-1, 1)).fit([[4] * 3, [6.5] * 3])
    model = make_pipeline(FunctionTransformer(declared.transform), LDPLogisticRegression(4.0))
    assert np.isfinite(cross_val_score(model, held, scores > 0, cv=3)).all()


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_a_fit_is_a_run_of_the_protocol_and_says_what_it_cost(kind: Any) -> None:
    features, scores = rows(600)
    labels = np.sign(scores)
    fitted = kind(2.0, "duchi-as-printed", random_state=3).fit(features, labels)
    held = in_chance_order(
        np.column_stack([features, np.ones(600)]), labels, SampledCoins(3, "order")
    )
    protocol = ldp_sgd(
        users=600, attributes=4, loss=kind.loss, mechanism="duchi-as-printed", epsilon=2.0
    )
    done = run(protocol, held, 3)
    assert [*np.ravel(fitted.coef_), fitted.intercept_] == done.outputs["server"].tolist()
    assert fitted.epsilon_ == pytest.approx(
        np.log(1 + np.exp(2.0))
    )  # four entries: as printed it is not 2
    assert (fitted.messages_, fitted.steps_, fitted.group_size_) == (1200, 12, 50)
    assert fitted.payload_bytes_ == 600 * (4 * 8 + 1)


def test_a_seed_may_be_drawn() -> None:
    """By a generator, the same from the same state; for None by numpy's own."""
    features, scores = rows(300)
    fits = [
        LDPSVM(2.0, random_state=state).fit(features, scores > 0).coef_
        for state in (
            np.random.RandomState(4),
            np.random.RandomState(4),
            np.random.RandomState(5),
            None,
        )
    ]
    assert np.array_equal(fits[0], fits[1])
    assert not np.array_equal(fits[0], fits[2])
    assert np.isfinite(fits[3]).all()
    with pytest.raises(ValueError, match="cannot be used to seed"):
        LDPSVM(2.0, random_state="now").fit(features, scores > 0)


def test_without_an_intercept_there_is_no_constant_entry() -> None:
    features, scores = rows(600)
    fitted = LDPSVM(2.0, fit_intercept=False).fit(features, scores > 0)
    assert fitted.intercept_ == 0
    assert fitted.coef_.shape == (1, 3)


@for_each(
    "features, labels, settings, wrong",
    [
        ([[2.0], [0.0]] * 5, [0, 1] * 5, {}, r"a value lies in \[-1, 1\], got 2.0"),
        ([[1.0], [0.0]] * 5, [0] * 10, {}, "y has 1 class"),
        (
            [[1.0], [0.0]] * 6,
            [0, 1, 2] * 4,
            {},
            "Only binary classification is supported: .* y has 3 classes",
        ),
        ([[1.0], [0.0]] * 5, [0, 1] * 5, {"epsilon": -1.0}, "epsilon is positive"),
        ([[1.0], [0.0]] * 5, [0, 1] * 5, {"group_size": 11}, "group_size is at most 10"),
        ([[1.0], [0.0]] * 5, [0, 1] * 5, {"mechanism": "gauss"}, "mechanism is hm"),
    ],
)
@for_each("kind", CLASSIFIERS)
def test_what_makes_no_sense_is_refused(
    kind: Any, features: Any, labels: Any, settings: Any, wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        kind(**settings).fit(features, labels)


def test_a_missing_scikit_learn_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    monkeypatch.delitem(sys.modules, "protocols.ldp_sgd.estimators")
    with pytest.raises(
        ImportError, match=r"scikit-learn: .* -m pip install 'simnet-workbench\[learning\]'"
    ):
        importlib.import_module("protocols.ldp_sgd.estimators")


@pytest.mark.slow
def test_the_protocol_itself_needs_no_scikit_learn() -> None:
    code = "import sys, scenarios.wang.cross_validation; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
