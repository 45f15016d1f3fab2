"""The length of a descent's steps, and the number of users per step.

Source: Wang et al., *Collecting and Analyzing Multidimensional Data with Local Differential
Privacy*, Section V: groups of order d log d / ε², steps of order 1/√t. The paper gives neither the
constants nor the first step.
"""

from collections.abc import Callable, Mapping
from math import ceil, isfinite, log, sqrt

from protocols import checks
from protocols.ldp_sgd.losses import Loss

LEAST_GROUP = 50  # users per step if there is little noise, and users enough for 10 steps
LEAST_STEPS = 10  # a descent with few users still has 10 steps, with noisier gradients
# the longest first step, for losses whose gradients are never longer than the features
LARGEST_STEP = 3.0

SCHEDULES: Mapping[str, Callable[[int], float]] = {
    "inverse-root": lambda step: 1 / sqrt(step),  # the paper's
    "inverse": lambda step: 1 / step,
    "constant": lambda _: 1.0,
}


def usual_group_size(users: int, attributes: int, epsilon: float) -> int:
    """Return the number of users per step: d ln(d + 1) / ε², rounded up, and at least 50.

    If this number leaves fewer than 10 steps, a group has a tenth of the users, rounded down, and
    at least one user. ε may be infinite.
    """
    noise = attributes * log(attributes + 1) / epsilon / epsilon
    return max(1, min(users // LEAST_STEPS, max(LEAST_GROUP, ceil(min(noise, users)))))


def usual_first_step(loss: Loss, attributes: int, epsilon: float) -> float:
    """Return the first step γ_1: min(3, 5 ε² / (2 d)) for losses of two classes, else 1 / (2 d).

    The rule for two classes comes from the section "LDP-SGD: the first step depends on the noise"
    of DECISIONS.md. For features in [-1, 1]^d the squared loss has a curvature of at most 2 d. A
    descent may diverge if its steps are longer than 2 divided by the curvature. ε may be infinite.
    """
    return (
        min(LARGEST_STEP, 5 * epsilon * epsilon / (2 * attributes))
        if loss.of_classes
        else 1 / (2 * attributes)
    )


def positive(name: str, value: float) -> None:
    """Raise `ValueError` for a number that is not positive and finite."""
    checks.number(name, value)
    if not (value > 0 and isfinite(value)):
        raise ValueError(f"{name} is positive and finite, got {value}")
