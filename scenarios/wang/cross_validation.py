"""The trial of Fig. 9 to 11: models learnt by LDP-SGD and judged on held-out users.

Source: Wang et al., section VI-B. The users are cut into ten random parts. If a part is held out,
the users of the other nine parts take part in a whole run of the protocol, in which nobody answers
twice, and the error of the model is measured on the users of the part. A trial holds out the first
parts one after another, as many as its parameter `folds` says.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
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
# The index of each loss in the list of a census's tasks.
PLACES = {"logistic": 0, "hinge": 1, "squared": 2}
METHODS = ("pm", "hm", "duchi", "duchi-as-printed", "laplace", "none")
# The standard deviation of the random part of made-up incomes; the part from the features has 1.
NOISE = 0.3


def folds(task: Task, count: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Cut the users into `count` random parts and hold out each part once.

    Yields the inputs of the users to learn from, and the inputs of the users who are held out.
    Raises `ValueError` for fewer than two parts, and for more parts than users.
    """
    checks.whole("folds", count, 2, len(task.labels))
    parts = np.array_split(
        in_chance_order(task.features, task.labels, SampledCoins(seed, "folds")), count
    )
    for place, held_out in enumerate(parts):
        yield np.concatenate(parts[:place] + parts[place + 1 :]), held_out


def judged(
    task: Task,
    fold: tuple[Floats, Floats],
    mechanism: str,
    epsilon: float,
    seed: int,
    **settings: Any,
) -> tuple[LDPSGD, float]:
    """Run the protocol on the users of a fold who are not held out; return the protocol, and the
    model's error on the users who are.
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
    """A learning problem on a census, and ε."""

    census: str
    loss: str
    users: int
    folds: int  # the number of folds, of the ten, that are run
    epsilon: float
    regularisation: float


@typed(LearningPoint)
def learnt(point: LearningPoint, seed: int, data: Path | None) -> Measurements:
    """Return the mean error of each method's models on users who were held out.

    All methods learn from the same users, in the same folds and, apart from `none`, in the same
    groups with the same steps. `none` is a descent without privacy, whose groups and steps follow
    the same rules for ε = ∞. `same_steps` is HM's descent without noise. `constant` is one answer
    for everybody: the best one for the users who are not held out.

    Raises `ValueError` for a number of folds that is not from 1 to 10, and for an unknown loss.
    """
    checks.whole("folds", point.folds, 1, FOLDS)
    checks.one_of("loss", point.loss, tuple(PLACES))
    task, source = task_of(point.census, point.loss, point.users, data, seed)
    errors: dict[str, list[float]] = {}
    for place, fold in enumerate(islice(folds(task, FOLDS, seed), point.folds)):
        known, held_out = fold
        of_fold = attrs.evolve(task, features=known[:, :-1], labels=known[:, -1])
        for method in METHODS:
            protocol, error = judged(
                task,
                fold,
                method,
                point.epsilon,
                seed + place,
                regularisation=point.regularisation,
            )
            errors.setdefault(method, []).append(error)
            if method == "hm":
                plain = task.loss.error(
                    protocol.without_noise(known), held_out[:, :-1], held_out[:, -1]
                )
                errors.setdefault("same_steps", []).append(plain)
                numbers: dict[str, float | str] = {
                    "steps": protocol.steps,
                    "group_size": protocol.group_size,
                    "first_step": protocol.first_step,
                }
        errors.setdefault("constant", []).append(of_fold.error_of_constant(held_out[:, -1]))
    means = {name: float(np.mean(found)) for name, found in errors.items()}
    return {**means, **numbers, "features": task.features.shape[1], "people": source}


@typed(LearningPoint)
def learning_cost(point: LearningPoint) -> float:
    """Return about how many seconds a trial takes."""
    return (0.3 + 0.1 * point.epsilon**2) * point.folds * point.users / 20_000


def task_of(census: str, loss: str, users: int, data: Path | None, seed: int) -> tuple[Task, str]:
    """Return a task and the source of its users: a random sample of a census or, without `data`, a
    made-up task.

    Raises `ValueError` for an unknown census.
    """
    if data is None:
        return _made_up(census, loss, users, seed)
    checks.one_of("census", census, tuple(STAND_INS))
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
    """Make up a task: features of a table of the paper's shape, and an income that partly depends
    on them.
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
