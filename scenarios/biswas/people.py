"""The data of Biswas, Cormode and Maple (section 4), and our choices where the text leaves
something open.
"""

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from protocols import checks
from simnet.arrays import Floats, Ints

USERS = 50_000


def binomial_law(trials: int, chance: float) -> Floats:
    """The probabilities of 0..trials successes; shape (trials + 1,)."""
    checks.whole("trials", trials, 1)
    checks.chance("chance", chance)
    law = np.ones(1)
    for _ in range(trials):
        law = np.convolve(law, [1 - chance, chance])
    return law


def one_hump() -> Floats:
    """The paper's first data set: Binomial(100, 1/2); shape (101,)."""
    return binomial_law(100, 0.5)


def sum_of_two() -> Floats:
    """The paper's second data set, with "+" read as a sum; shape (101,)."""
    return np.convolve(binomial_law(50, 0.6), binomial_law(50, 0.4))


def mixture_of_two() -> Floats:
    """The paper's second data set, with "+" read as a mixture in equal parts; shape (101,)."""
    halves = (binomial_law(50, 0.6) + binomial_law(50, 0.4)) / 2
    return np.append(halves, np.zeros(50))


def apportioned(law: npt.ArrayLike, users: int) -> Ints:
    """Return how many of `users` users hold each value of a law, by the method of the largest
    remainder.

    >>> apportioned([0.5, 0.3, 0.2], users=4)
    array([2, 1, 1])
    """
    checks.whole("users", users, 1)
    quotas = np.asarray(law, dtype=np.float64) * users
    counts = np.floor(quotas).astype(np.int64)
    order = np.argsort(counts - quotas, kind="stable")
    counts[order[: users - int(counts.sum())]] += 1
    return counts


LAWS: Mapping[str, Callable[[], Floats]] = {
    "binomial": one_hump,
    "sum": sum_of_two,
    "mixture": mixture_of_two,
}
TITLES = {
    "binomial": "Binomial(100, 0.5)",
    "sum": "Binomial(50, 0.6)\nplus Binomial(50, 0.4)",
    "mixture": "half Binomial(50, 0.6),\nhalf Binomial(50, 0.4)",
}
LETTERS = {"direct": "c", "centred": "g", "per-report": "ĉ", "pooled": "T"}  # of estimators
CHOICES = (
    "ε is 1, 2, 4 and 6; the text names none.",
    (
        "The items are the numbers 0 to 100; these are 101 items, and the paper says 100. Of the "
        "50,000 users, as many hold an item as are expected by the law of the data, rounded up or "
        "down to a whole number."
    ),
    (
        "One distance is that of the raw estimates. The other one is that of estimates clipped at "
        "0 and scaled to add up to 1."
    ),
)


def holders(law: str, users: int) -> Ints:
    """Return how many users hold each of the values 0 to 100; shape (101,).

    Raises `ValueError` for an unknown law.
    """
    checks.one_of("law", law, tuple(LAWS))
    return apportioned(LAWS[law](), users)
