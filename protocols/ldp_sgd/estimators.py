"""LDP-SGD as scikit-learn estimators, for its pipelines, cross-validation and searches.

`fit` plays the protocol on the kernel: every row is a user, who is asked at most once and sends one
ε-locally private report. `fit` takes features in [-1, 1]; `predict` and `score` take any. Scale
them from ranges that are declared, say by `FunctionTransformer(MinMaxScaler((-1, 1)).fit([lows,
highs]).transform)`: in a pipeline a scaler by itself is fitted to what users hold, and tells of it.
Labels of the two classes may be anything, as scikit-learn has it: users hold -1 for the class that
sorts first and +1 for the other. What searches and cross-validation do with scores is not private:
they read held-out rows in the clear, and each fit asks its users anew, so that losses of several
fits add up.

scikit-learn is an optional dependency: `pip install 'simnet-workbench[learning]'`.
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

# here, and not in a function: estimators are subclasses, and nothing that starts up imports this
# module
try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(extra_missing("this module", "scikit-learn", "learning")) from error


class _LinearModel(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What the three estimators share: the settings of `ldp_sgd`, the run and the scores.

    `random_state` is the seed of all coins; from a `RandomState`, or numpy's own for None, a seed
    is drawn. With `fit_intercept` a constant feature is added, one entry more of each gradient.
    After `fit`: `coef_`, `intercept_`, `n_features_in_`; `epsilon_`, the exact ε of each user of
    the run; `group_size_`, `steps_`; `messages_` and `payload_bytes_` of the whole run.
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
        """Play the protocol on rows that were checked.

        Shape (d,), the weights without the intercept.
        """
        # Refused here, not in the name of a party
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
    """The seed itself, or one that is drawn, as scikit-learn has it."""
    if isinstance(random_state, int | np.integer) and not isinstance(random_state, bool):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


class LDPLinearRegression(RegressorMixin, _LinearModel):  # type: ignore[misc]
    """Linear regression of numbers in [-1, 1] by the squared loss; `score` is R².

    Other targets are scaled with scikit-learn's `TransformedTargetRegressor`, from a declared
    range. Clipping biases what is learnt, because gradients of the squared loss leave [-1, 1].
    """

    loss = "squared"

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> "LDPLinearRegression":  # noqa: N803
        """Learn from rows of features, shape (n, d), and targets, shape (n,).

        Raises `ValueError` for values outside [-1, 1].
        """
        features, targets = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        self.coef_ = self._learn(features, targets)
        return self

    def predict(self, X: npt.ArrayLike) -> Floats:  # noqa: N803
        """The targets that the model expects; shape (n,)."""
        return self._scores(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # On the few hundred rows of scikit-learn's checks, noise prevails
        tags.regressor_tags.poor_score = True
        return tags


class _LinearClassifier(ClassifierMixin, _LinearModel):  # type: ignore[misc]
    """Two classes by the sign of a linear score.

    `score` is the share of rows that are classified right.
    """

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Any:  # noqa: N803
        """Learn from rows of features, shape (n, d), and labels of two classes, shape (n,).

        Raises `ValueError` for features outside [-1, 1] and for another number of classes.
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
        """The scores, positive for the second class; shape (n,)."""
        return self._scores(X)

    def predict(self, X: npt.ArrayLike) -> Numbers:  # noqa: N803
        """The classes; shape (n,)."""
        scores = self._scores(X)
        return np.asarray(self.classes_[(scores > 0).astype(np.intp)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class LDPLogisticRegression(_LinearClassifier):
    """Logistic regression of two classes."""

    loss = "logistic"

    def predict_proba(self, X: npt.ArrayLike) -> Floats:  # noqa: N803
        """The chances of both classes; shape (n, 2)."""
        scores = self._scores(X)
        return np.exp(-np.logaddexp(0, np.column_stack([scores, -scores])))


class LDPSVM(_LinearClassifier):
    """A linear support vector machine for two classes, by the hinge loss."""

    loss = "hinge"
