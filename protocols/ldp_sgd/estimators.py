"""LDP-SGD as scikit-learn estimators, for pipelines, cross-validation and searches.

`fit` runs the protocol on the kernel: every row is a user, who is asked at most once and then sends
one report. `fit` needs features in [-1, 1]; `predict` and `score` do not. Scale the features from
declared ranges, for example with
`FunctionTransformer(MinMaxScaler((-1, 1)).fit([lows, highs]).transform)`. A scaler that a pipeline
fits to the users' data may reveal something about them. Of two classes, users hold -1 for the class
that sorts first and +1 for the other. What searches and cross-validation do with scores is not
private: they read held-out rows in the clear. Each fit asks its users anew: k fits with different
seeds to the same rows have together at most k times the ε of one fit.

scikit-learn is an optional dependency: the extra `learning` of the package `simnet-workbench`.
"""

from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from protocols.ldp_sgd.features import with_constant
from protocols.ldp_sgd.losses import LOSSES
from protocols.ldp_sgd.script import Regularise, in_chance_order, ldp_sgd
from simnet.arrays import Floats, Numbers
from simnet.coins.sampled import SampledCoins
from simnet.installed import extra_missing
from simnet.kernel.run import run

# imported here, and not in a function, because estimators are subclasses; no module that is loaded
# at the start imports this one
try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(extra_missing("this module", "scikit-learn", "learning")) from error


class _LinearModel(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the three estimators share: most settings of `ldp_sgd`, the run and the scores.

    `random_state` is the seed of all coins; for a `RandomState`, or None, a seed is drawn. With
    `fit_intercept` a constant feature is added, which adds one entry to each gradient. After `fit`
    there are the attributes `coef_`, `intercept_` and `n_features_in_`; `epsilon_`, the exact ε of
    each user who was asked; `group_size_` and `steps_`; and `messages_` and `payload_bytes_` of the
    whole run.
    """

    loss: ClassVar[Literal["squared", "logistic", "hinge"]]

    def __init__(
        self,
        epsilon: float = 1.0,
        mechanism: str = "hm",
        *,
        chosen: int | None = None,
        group_size: int | None = None,
        regularisation: float = 1e-4,
        regularise: Regularise = "user",
        first_step: float | None = None,
        schedule: str = "inverse-root",
        fit_intercept: bool = True,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.epsilon = epsilon
        self.mechanism = mechanism
        self.chosen = chosen
        self.group_size = group_size
        self.regularisation = regularisation
        self.regularise = regularise
        self.first_step = first_step
        self.schedule = schedule
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def _learn(self, features: Floats, labels: Floats) -> Floats:
        # checked here, so that the error does not name a party of the run
        features, labels = LOSSES[self.loss].checked(features, labels)
        rows = with_constant(features) if self.fit_intercept else features
        protocol = ldp_sgd(
            users=len(rows),
            attributes=rows.shape[1],
            loss=self.loss,
            mechanism=self.mechanism,
            epsilon=self.epsilon,
            chosen=self.chosen,
            group_size=self.group_size,
            regularisation=self.regularisation,
            regularise=self.regularise,
            first_step=self.first_step,
            schedule=self.schedule,
        )
        seed = _seed(self.random_state)
        done = run(protocol, in_chance_order(rows, labels, SampledCoins(seed, "order")), seed)
        self.epsilon_ = protocol.perturbation.exact_epsilon
        self.group_size_, self.steps_ = protocol.group_size, protocol.steps
        total = done.ledger.total()
        self.messages_, self.payload_bytes_ = total.messages, total.payload_bytes
        model: Floats = done.outputs["server"]
        self.intercept_ = float(model[-1]) if self.fit_intercept else 0.0
        return model[:-1] if self.fit_intercept else model

    def _scores(self, X: npt.ArrayLike) -> Floats:  # noqa: N803  # scikit-learn's name
        check_is_fitted(self)
        features = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(features @ np.ravel(self.coef_) + self.intercept_)


def _seed(random_state: Any) -> int:
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


class LDPLinearRegression(RegressorMixin, _LinearModel):  # type: ignore[misc]
    """Linear regression of targets in [-1, 1] with the squared loss; `score` is R².

    Scale other targets with scikit-learn's `TransformedTargetRegressor`, from a declared range.
    Clipping may bias the model, because gradients of the squared loss may leave [-1, 1].

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 2000)[:, np.newaxis]
    >>> model = LDPLinearRegression(epsilon=4.0).fit(x, 0.5 * x[:, 0])
    >>> bool(model.coef_[0] > 0), model.n_features_in_
    (True, 1)
    """

    loss = "squared"

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> "LDPLinearRegression":  # noqa: N803
        """Learn from rows of features, shape (n, d), and targets, shape (n,).

        Raises `ValueError` for values outside [-1, 1] and for parameters out of range.
        """
        features, targets = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self.coef_ = self._learn(features, targets)
        return self

    def predict(self, X: npt.ArrayLike) -> Floats:  # noqa: N803
        """Return the predicted targets; shape (n,)."""
        return self._scores(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # scikit-learn's checks use a few hundred rows, where the noise is larger than the signal
        tags.regressor_tags.poor_score = True
        return tags


class _LinearClassifier(ClassifierMixin, _LinearModel):  # type: ignore[misc]
    """A classifier that tells two classes apart by the sign of a linear score."""

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Any:  # noqa: N803
        """Learn from rows of features, shape (n, d), and labels of two classes, shape (n,).

        Raises `ValueError` for features outside [-1, 1], for another number of classes, and for
        parameters out of range.
        """
        features, labels = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(labels)
        self.classes_, places = np.unique(labels, return_inverse=True)
        if len(self.classes_) != 2:
            classes = f"{len(self.classes_)} class" + ("" if len(self.classes_) == 1 else "es")
            raise ValueError(
                f"Only binary classification is supported: two classes are told apart, and "
                f"y has {classes}"
            )
        self.coef_ = self._learn(features, np.where(places == 1, 1.0, -1.0))[np.newaxis]
        return self

    def decision_function(self, X: npt.ArrayLike) -> Floats:  # noqa: N803
        """Return the scores, positive for the second class; shape (n,)."""
        return self._scores(X)

    def predict(self, X: npt.ArrayLike) -> Numbers:  # noqa: N803
        """Return the predicted classes; shape (n,)."""
        scores = self._scores(X)
        return np.asarray(self.classes_[(scores > 0).astype(np.intp)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LDPLogisticRegression(_LinearClassifier):
    """Logistic regression of two classes.

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 2000)[:, np.newaxis]
    >>> model = LDPLogisticRegression(epsilon=4.0).fit(x, x[:, 0] > 0)
    >>> bool(model.score(x, x[:, 0] > 0) > 0.8), round(model.epsilon_, 9)
    (True, 4.0)
    """

    loss = "logistic"

    def predict_proba(self, X: npt.ArrayLike) -> Floats:  # noqa: N803
        """Return the probabilities of both classes; shape (n, 2)."""
        scores = self._scores(X)
        return np.exp(-np.logaddexp(0, np.column_stack([scores, -scores])))


class LDPSVM(_LinearClassifier):
    """A linear support vector machine for two classes, with the hinge loss.

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 2000)[:, np.newaxis]
    >>> model = LDPSVM(epsilon=4.0).fit(x, np.where(x[:, 0] > 0, "up", "down"))
    >>> [str(name) for name in model.predict([[-0.9], [0.9]])]
    ['down', 'up']
    """

    loss = "hinge"
