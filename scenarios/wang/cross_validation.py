"""The trial of Fig. 9 to 11: models learnt by LDP-SGD and judged by cross-validation.

Source: Wang et al., section VI-B. The users are cut into ten random parts. Each part is held out
once: the users of the other nine parts answer once each, in a whole run of the protocol, and the
error of the model is measured on the users of the part.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols import checks
from protocols.ldp_sgd.features import encoded
from protocols.ldp_sgd.losses import LOSSES
from protocols.ldp_sgd.script import LDPSGD, in_chance_order, ldp_sgd
from protocols.ldp_sgd.task import Task
from scenarios.wang.people import STAND_INS, drawn
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from simnet.kernel.run import run
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.remembered import remembered

FOLDS = 10
EPSILONS = (0.5, 1.0, 2.0, 4.0)
PLACES = {"logistic": 0, "hinge": 1, "squared": 2}  # index in the list of a census's tasks
NOISE = 0.3  # standard deviation of made-up incomes around what the features say, which has 1


def folds(task: Task, count: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Cut the users into `count` random parts and hold out each part once.

    Yields the inputs of the users to learn from, and those of the users who are held out.
    """
    checks.whole("folds", count, 2, len(task.labels))
    parts = np.array_split(
        in_chance_order(task.features, task.labels, SampledCoins(seed, "folds")), count
    )
    for place, held_out in enumerate(parts):
        yield np.concatenate(parts[:place] + parts[place + 1 :]), held_out


@attrs.frozen(eq=False)
class CrossValidation:
    """The errors of the models of several folds, and the protocol of the first fold.

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
        """The standard error of the mean, computed as if folds were independent.

        They are only roughly independent, because they share users.
        """
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

    `settings` are the settings of `ldp_sgd`.
    """
    runs = [
        _judged(task, fold, mechanism, epsilon, seed + place, **settings)
        for place, fold in enumerate(islice(folds(task, count, seed), only))
    ]
    return CrossValidation(runs[0][0], np.array([error for _, error in runs]))


def _judged(
    task: Task,
    fold: tuple[Floats, Floats],
    mechanism: str,
    epsilon: float,
    seed: int,
    **settings: Any,
) -> tuple[LDPSGD, float]:
    """Run the protocol on the users of a fold; return it with the model's error on those who were
    held out.
    """
    known, held_out = fold
    protocol = ldp_sgd(
        users=len(known),
        attributes=task.features.shape[1],
        loss=task.loss.name,
        mechanism=mechanism,
        epsilon=epsilon,
        **settings,
    )
    model = run(protocol, known, seed, threads=1).outputs["server"]
    return protocol, task.loss.error(model, held_out[:, :-1], held_out[:, -1])


@attrs.frozen(kw_only=True)
class LearningPoint:
    """A learning problem on a census, and how it is solved."""

    census: str
    loss: str
    users: int
    folds: int  # number of folds that are run, at most ten
    method: str
    epsilon: float = EPSILONS[0]  # has no effect on a descent without privacy
    first_step: float
    regularisation: float


@typed(LearningPoint)
def learnt(point: LearningPoint, seed: int, data: Path | None) -> Measurements:
    """Return the mean error of the models on users who were held out, and that of the best constant
    answer.
    """
    task, source = task_of(point.census, point.loss, point.users, data, seed)
    found = cross_validated(
        task,
        point.method,
        point.epsilon,
        seed=seed,
        only=point.folds,
        first_step=point.first_step,
        regularisation=point.regularisation,
    )
    return {
        "error": found.error,
        "constant_error": task.constant_error,
        "features": task.features.shape[1],
        "steps": found.protocol.steps,
        "group_size": found.protocol.group_size,
        "people": source,
    }


@typed(LearningPoint)
def learning_cost(point: LearningPoint) -> float:
    """About how many seconds a run takes."""
    return 0.2 * point.folds * point.users / 20_000


def task_of(census: str, loss: str, users: int, data: Path | None, seed: int) -> tuple[Task, str]:
    """Return a random sample of a census as a task, or a made-up task without data; and
    its source.
    """
    if data is None:
        return _made_up(census, loss, users, seed)
    every = _census(census, data)[PLACES[loss]]
    checks.whole("users", users, FOLDS, len(every.labels))
    chosen = SampledCoins(seed, "population").subset(users, len(every.labels)).plain
    sample = attrs.evolve(every, features=every.features[chosen], labels=every.labels[chosen])
    rows = f"{users} of {len(every.labels)} rows"
    return sample, f"{rows} of {STAND_INS[census][0]}, in place of {census}"


@remembered
def _census(people: str, data: Path) -> Sequence[Task]:
    file, census = STAND_INS[people]
    return census.tasks(data / file)


def _made_up(people: str, loss: str, users: int, seed: int) -> tuple[Task, str]:
    """Make up features of a table of the paper's shape, and an income that partly depends on them.

    The first number of the table is left out.
    """
    table = drawn(people, users, None, seed)
    features = encoded(table.inputs, table.schema)[:, 1:]
    weights = (
        2 * SampledCoins(0, people).uniform(features.shape[1]).plain - 1
    )  # the same weights in every run
    told, coins = features @ weights, SampledCoins(seed, "income")
    income = (told - told.mean()) / told.std() + NOISE * coins.normal(users).plain
    if not LOSSES[loss].of_classes:
        return Task("income", LOSSES[loss], features, income / np.abs(income).max()), table.source
    return Task(
        "income", LOSSES[loss], features, np.where(income > income.mean(), 1.0, -1.0)
    ), table.source
