"""Cross-validated errors of LDP-SGD, by mechanism and ε: the comparison of Wang et al., Section VI,
Figures 9 to 11.

Every fold is a whole run of the protocol: users of the other folds are asked once, those of the
fold judge the model.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.ldp_sgd.script import LDPSGD, in_chance_order, ldp_sgd
from protocols.ldp_sgd.task import Task
from simnet.coins.sampled import SampledCoins
from simnet.kernel.run import run

Floats = npt.NDArray[np.float64]


@attrs.frozen
class Row:
    """A line of the table: the mean error over all folds, and how uncertain it is.

    `error` is the misclassification rate, or the mean squared error of labels in [-1, 1]. The
    standard error takes folds for independent, which they are only about: they share users.
    """

    task: str
    mechanism: str
    epsilon: float
    exact_epsilon: float
    users: int  # of whom each fold's model is learnt
    attributes: int
    group_size: int
    steps: int
    error: float
    standard_error: float
    constant_error: float  # of the best model that is the same for everybody


def folds(task: Task, count: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """The users in so many parts, drawn by chance: each time those to learn from and those to judge
    by, as inputs.
    """
    checks.whole("folds", count, 2, len(task.labels))
    parts = np.array_split(
        in_chance_order(task.features, task.labels, SampledCoins(seed, "folds")), count
    )
    for place, held_out in enumerate(parts):
        yield np.concatenate(parts[:place] + parts[place + 1 :]), held_out


def cross_validated(
    task: Task,
    mechanism: str,
    epsilon: float,
    *,
    folds_each: int = 10,
    repeats: int = 5,
    seed: int = 0,
    **settings: Any,
) -> Row:
    """Run the protocol for each fold of each repeat; `settings` are those of `ldp_sgd`."""
    checks.whole("repeats", repeats, 1)
    errors, protocol = [], None
    for repeat in range(repeats):
        first = seed + repeat * folds_each
        for place, fold in enumerate(folds(task, folds_each, first)):
            protocol, error = judged(task, fold, mechanism, epsilon, first + place, **settings)
            errors.append(error)
    assert protocol is not None
    return Row(
        task.name,
        mechanism,
        epsilon,
        protocol.perturbation.exact_epsilon,
        protocol.users,
        protocol.attributes,
        protocol.group_size,
        protocol.steps,
        float(np.mean(errors)),
        float(np.std(errors, ddof=1)) / sqrt(len(errors)),
        task.constant_error,
    )


def judged(
    task: Task,
    fold: tuple[Floats, Floats],
    mechanism: str,
    epsilon: float,
    seed: int,
    **settings: Any,
) -> tuple[LDPSGD, float]:
    """A run of the protocol by the first users of a fold, and the error of its model on the
    others.
    """
    known, held_out = fold
    attributes = task.features.shape[1]
    protocol = ldp_sgd(
        users=len(known),
        attributes=attributes,
        loss=task.loss.name,
        mechanism=mechanism,
        epsilon=epsilon,
        **settings,
    )
    model = run(protocol, known, seed, threads=1).outputs["server"]
    return protocol, task.loss.error(model, held_out[:, :-1], held_out[:, -1])


def compared(
    tasks: Sequence[Task], mechanisms: Sequence[str], epsilons: Sequence[float], **settings: Any
) -> list[Row]:
    """A row for each task, mechanism and ε.

    The unperturbed descent, whose ε is infinite, once for each task.
    """
    return [
        cross_validated(task, mechanism, epsilon, **settings)
        for task in tasks
        for mechanism in mechanisms
        for epsilon in (epsilons if mechanism != "none" else epsilons[:1])
    ]
