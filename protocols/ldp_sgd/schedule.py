"""How fast a descent goes, and over how many users each of its gradients is averaged.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section V: groups of order d log d / ε², steps of order 1/√t. The constants are not in the
paper, nor is the first step.
"""

from collections.abc import Callable, Mapping
from math import ceil, isfinite, log, sqrt

from protocols import checks
from protocols.ldp_sgd.losses import Loss

LEAST_GROUP = 50  # users over whom a gradient is averaged even when there is little noise
LEAST_STEPS = 10  # that a descent of few users has, though its gradients are the noisier for it
# Of gradients that are never longer than the features, when there is little noise
LARGEST_STEP = 3.0

SCHEDULES: Mapping[str, Callable[[int], float]] = {
    "inverse-root": lambda step: 1 / sqrt(step),  # the paper's
    "inverse": lambda step: 1 / step,
    "constant": lambda _: 1.0,
}


def usual_group_size(users: int, attributes: int, epsilon: float) -> int:
    """The users of a step: d ln(d + 1) / ε², at least 50.

    Where these are too many for 10 steps, a tenth of the users; ε may be infinite.
    """
    noise = attributes * log(attributes + 1) / epsilon / epsilon
    return max(1, min(users // LEAST_STEPS, max(LEAST_GROUP, ceil(min(noise, users)))))


def usual_first_step(loss: Loss, attributes: int, epsilon: float) -> float:
    """The first step γ_1: 5 ε² / (2 d), at most 3, for losses of classes.

    1 / (2 d) where gradients grow with scores. The more noise, the shorter. Features in [-1, 1]^d
    give the squared loss a curvature of 2 d at most, and steps above twice its inverse may diverge.
    The rule for classes comes from the table of DECISIONS.md; ε may be infinite.
    """
    return (
        min(LARGEST_STEP, 5 * epsilon * epsilon / (2 * attributes))
        if loss.of_classes
        else 1 / (2 * attributes)
    )


def positive(name: str, value: float) -> None:
    """Raise `ValueError` unless the value is positive and finite."""
    checks.number(name, value)
    if not (value > 0 and isfinite(value)):
        raise ValueError(f"{name} is positive and finite, got {value}")
