"""Claims on the privacy of sampled counts: Theorems 3.1 and 3.2 of Yang et al., and R1 to R4.

The two theorems fail in general; the bounds R1 to R4, which are proved in this project, hold in
their place. All of them are about DPCS, and so about DPDS, where every item has at least β n
holders.
"""

from functools import lru_cache
from heapq import heappop, heappush
from math import expm1

from protocols.privacy.bounds import bound
from protocols.privacy.profile import log_delta_at
from protocols.privacy.sampled_counts import Relation, profile
from protocols.privacy.theorems import theorem_3_1, theorem_3_2
from scenarios.theorems.claim import ROUNDING, DeltaClaim, Setting

PAPER = "Yang et al."
PAGE = 'the page "Bounds on sampled counts: R1 to R4" in the documentation'


def _theorem_3_1(setting: Setting) -> float:
    return theorem_3_1(setting.users, setting.items, setting.beta, setting.epsilon)


def _theorem_3_2(setting: Setting) -> float | None:
    if setting.z is None:
        return None
    return theorem_3_2(setting.users, setting.items, setting.beta, setting.epsilon, setting.z)


def least_counts(setting: Setting) -> list[int]:
    """The smallest count that β allows, for each of two items; all users for one item."""
    return [setting.users] if setting.items == 1 else [setting.rarest] * 2


def _exact(setting: Setting, relation: Relation, participation: float) -> float | None:
    if relation == "replace" and setting.items == 1:
        return None  # there is no other item that could replace the item
    if relation == "replace" and setting.items == 2:
        return worst_of_two_items(setting.users, setting.rarest, participation, setting.epsilon)
    return exact_log_delta(tuple(least_counts(setting)), participation, relation, setting.epsilon)


@lru_cache(maxsize=4096)  # several claims use the same δ
def exact_log_delta(
    counts: tuple[int, ...], participation: float, relation: Relation, epsilon: float
) -> float:
    """Return ln δ(ε) of DPCS for the worst neighbours of a population with these rarest counts."""
    return log_delta_at(profile(counts, participation, relation), epsilon)


@lru_cache(maxsize=4096)
def worst_of_two_items(users: int, least: int, participation: float, epsilon: float) -> float:
    """Return ln δ(ε) of DPCS for the worst replacement in all populations of `users` users with two
    items, each of which has at least `least` holders.

    The two counts add up to the number of users, so they cannot both be as small as β allows. We
    search by branch and bound: as δ does not rise with the counts, no population whose first count
    lies in a..b has a larger δ than the counts a and users - b.
    """

    def log_delta(first: int, second: int) -> float:
        return exact_log_delta((first, second), participation, "replace", epsilon)

    def stretch(a: int, b: int) -> list[tuple[float, int, int]]:
        return [(-log_delta(a, users - b), a, b)] if a <= b else []

    largest = log_delta(least, users - least)
    open_stretches = stretch(least + 1, users // 2)
    while open_stretches:
        bound_below, a, b = heappop(open_stretches)
        if -bound_below <= largest + ROUNDING:
            break
        middle = (a + b) // 2
        largest = max(largest, log_delta(middle, users - middle))
        for part in stretch(a, middle - 1) + stretch(middle + 1, b):
            heappush(open_stretches, part)
    return largest


def _first(setting: Setting, relation: Relation) -> float | None:
    return _exact(setting, relation, -expm1(-setting.epsilon))


def _second(setting: Setting, relation: Relation) -> float | None:
    return (
        None
        if setting.z is None
        else _exact(setting, relation, -expm1(-setting.epsilon - setting.z))
    )


def _sound(name: str, relation: Relation, sharper: bool, words: str) -> DeltaClaim:
    def claimed(setting: Setting) -> float | None:
        if relation == "replace" and setting.items == 1:
            return None
        closed = bound(least_counts(setting), -expm1(-setting.epsilon), relation, sharper=sharper)
        return closed.log_delta(setting.epsilon)

    return DeltaClaim(name, words, PAGE, claimed, _first, (relation,))


SAMPLING_CLAIMS = (
    DeltaClaim(
        "Theorem 3.1",
        "DPCS with p = 1 - e^-ε is (ε, δ)-DP if β meets bound (2)",
        f"{PAPER}, Theorem 3.1",
        _theorem_3_1,
        _first,
    ),
    DeltaClaim(
        "Theorem 3.2",
        "DPCS with p = 1 - e^-(z+ε) is (ε, δ)-DP if β and z meet their bounds",
        f"{PAPER}, Theorem 3.2",
        _theorem_3_2,
        _second,
    ),
    _sound("R1", "remove", False, "Chernoff's bound on δ for p = 1 - e^-ε, if a user is removed"),
    _sound(
        "R2", "replace", False, "Hoeffding's bound on δ for p = 1 - e^-ε, if an item is replaced"
    ),
    _sound("R3", "remove", True, "a bound on the same δ as R1, never above R1"),
    _sound("R4", "replace", True, "a bound on the same δ as R2, never above R2"),
)
