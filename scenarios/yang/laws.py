"""What follows for the protocols of Yang et al. without a run: errors, δ, and searches for
counterexamples to the theorems. A population of a search is given by the counts of its items.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations, combinations_with_replacement, product
from math import ceil, comb, exp, expm1, hypot, log, sqrt

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.reporting import epsilon_of_set, inclusion
from protocols.mechanisms.unary import OUE
from protocols.privacy.gaussian import delta_of, sigma
from protocols.privacy.profile import log_delta_at
from protocols.privacy.sampled_counts import RELATIONS, Relation, profile
from protocols.privacy.theorems import theorem_3_1, theorem_3_2
from protocols.weighted.weights import error, weights
from scenarios.yang.trials import SETTINGS
from simnet.studies.search import Instance, Search, searched

ROUNDING = 1e-9
USERS, ITEMS, BETA = 1000, 30, 0.01
KINDS = {"gowalla": 12, "census": 17, "synthetic": ITEMS}
MOST_USERS = 100
CHANCES = [Fraction(step, 7) for step in range(1, 7)]
GAMMAS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(10))
EPSILONS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def noise_of_sampling(chance: float, users: int = USERS) -> float:
    """Return the expected squared L2 error of sampling with a probability (Lemma 3.1)."""
    return (1 - chance) / (chance * users)


def error_of_dpds(epsilon: float, users: int = USERS) -> float:
    """Return the expected squared L2 error of DPDS with p = 1 - e^-ε."""
    return 1 / (users * expm1(epsilon))


def error_of_gaussian(items: int, epsilon: float, delta: float, users: int = USERS) -> float:
    """Return the expected squared L2 error of DPDG with the classic calibration."""
    return items * sigma("classic", sqrt(2) / users, epsilon, delta) ** 2


def variances(budgets: Sequence[float]) -> list[float]:
    """Return V_j, the error of DPDS with one user, for the budget ε of each group."""
    return [error_of_dpds(budget, 1) for budget in budgets]


def budgets_of(setting: str) -> list[float]:
    """Return the budgets of a setting of Table II, such as "0.1/0.4/0.7/1"."""
    return [float(budget) for budget in setting.split("/")]


@lru_cache(maxsize=4096)
def exact_log_delta(
    counts: tuple[int, ...], participation: float, relation: Relation, epsilon: float
) -> float:
    """Return the logarithm of the exact δ of the counts of a sample, for one kind of neighbour."""
    return log_delta_at(profile(counts, participation, relation), epsilon)


@lru_cache(maxsize=4096)
def worst_of_two_items(users: int, least: int, participation: float, epsilon: float) -> float:
    """Return the logarithm of the largest δ of replacing an item, over all populations with two
    items of which each has at least `least` holders.
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


def largest_log_delta(
    users: int, items: int, fewest: int, participation: float, epsilon: float
) -> float:
    """Return the logarithm of the largest exact δ of DPCS over all populations in which every item
    has at least `fewest` holders.
    """
    if items == 1:
        return exact_log_delta((users,), participation, "remove", epsilon)
    removed = exact_log_delta((fewest, fewest), participation, "remove", epsilon)
    if items == 2:
        return max(removed, worst_of_two_items(users, fewest, participation, epsilon))
    return max(removed, exact_log_delta((fewest, fewest), participation, "replace", epsilon))


def deltas(users: int, items: int, beta: float, epsilon: float) -> tuple[float, float]:
    """Return the δ that Theorem 3.1 states, and the exact one."""
    rarest = max(ceil(beta * users - 1e-9), 1)
    exact = largest_log_delta(users, items, rarest, -expm1(-epsilon), epsilon)
    return exp(theorem_3_1(users, items, beta, epsilon)), exp(exact)


def deltas_3_2(
    users: int, items: int, beta: float, epsilon: float, z: float
) -> tuple[float, float]:
    """Return the δ that Theorem 3.2 states, and the exact one. Raises `ValueError` where the
    theorem states none.
    """
    claimed = theorem_3_2(users, items, beta, epsilon, z)
    if claimed is None:
        raise ValueError("z is above the limit of Theorem 3.2, which states nothing there")
    rarest = max(ceil(beta * users - 1e-9), 1)
    exact = largest_log_delta(users, items, rarest, -expm1(-epsilon - z), epsilon)
    return exp(claimed), exp(exact)


def rarest_pairs(users: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield numbers of items, each with the counts of the two rarest items that have the largest
    exact δ.
    """
    for items in range(1, users + 1):
        for fewest in range(1, users // items + 1):
            if items == 1:
                if fewest == users:
                    yield 1, (fewest,)
            elif items == 2:
                yield 2, (fewest, users - fewest)
            else:
                yield items, (fewest, fewest)


def sampling_theorem(second: bool, both: bool = False) -> Search:
    """Search a counterexample to Theorem 3.1 or 3.2. With `both` the neighbouring population has
    βn holders of every item, too.
    """
    logs = [(Fraction(step, 10), -log(Fraction(step, 10))) for step in range(9, 0, -1)]
    steps = [Fraction(step, 20) for step in (19, 15, 10)] if second else [Fraction(1)]

    def instances() -> Iterator[Instance]:
        for users in range(1, MOST_USERS + 1):
            for items, counts in rarest_pairs(users):
                holders = counts[0] - both
                for (share, epsilon), step in product(logs if holders else (), steps):
                    z = -log(step)
                    arguments = (users, items, holders / users, epsilon)
                    claimed = theorem_3_2(*arguments, z) if second else theorem_3_1(*arguments)
                    if claimed is None or claimed >= 0:
                        continue
                    relations = RELATIONS if len(counts) > 1 else RELATIONS[:1]
                    chance = float(1 - share * step)
                    exact = max(exact_log_delta(counts, chance, r, epsilon) for r in relations)
                    where = {"n": users, "N": items, "rarest counts": counts, "ε": epsilon}
                    yield Instance(
                        where={**where, "z": z} if second else where,
                        claimed=claimed,
                        exact=exact,
                        holds=exact <= claimed + ROUNDING,
                        is_log=True,
                    )

    z_too = " and z with e^-z = 19/20, 3/4, 1/2" if second else ""
    over = f"n up to {MOST_USERS}, every N and rarest count, ε with e^-ε in tenths{z_too}"
    return searched(instances(), over, "claimed and exact are δ")


def _moments(held: tuple[int, ...], chance: Fraction) -> list[list[Fraction]]:
    """Return the means of the estimates, and below them their covariances, by playing all coins."""
    items, users = max(held) + 1, len(held)
    mean = [Fraction(0)] * items
    square = [[Fraction(0)] * items for _ in range(items)]
    for active in product((0, 1), repeat=users):
        weight = chance ** sum(active) * (1 - chance) ** (users - sum(active))
        found = [Fraction(0)] * items
        for item, counts in zip(held, active, strict=True):
            found[item] += counts / (chance * users)
        for i in range(items):
            mean[i] += weight * found[i]
            for j in range(items):
                square[i][j] += weight * found[i] * found[j]
    return [mean, *([square[i][j] - mean[i] * mean[j] for j in range(items)] for i in range(items))]


def sampling_law() -> Search:
    """Judge the mean, the covariance and the error of counts of a sample (Lemma 3.1)."""

    def instances() -> Iterator[Instance]:
        populations = [
            held for n in range(1, 5) for held in combinations_with_replacement(range(3), n)
        ]
        for held, chance in product(populations, CHANCES):
            (mean, *spread), users = _moments(held, chance), len(held)
            counts = [held.count(item) for item in range(max(held) + 1)]
            kinds = range(len(counts))
            diagonal = all(
                spread[i][j] == (i == j) * (1 - chance) / (chance * users**2) * counts[i]
                for i, j in product(kinds, kinds)
            )
            exact = sum((spread[i][i] for i in kinds), Fraction(0))
            claimed = (1 - chance) / (chance * users)
            unbiased = mean == [Fraction(count, users) for count in counts]
            yield Instance(
                where={"counts": tuple(counts), "p": chance},
                claimed=claimed,
                exact=exact,
                holds=unbiased and diagonal and exact == claimed,
            )

    return searched(instances(), "up to 4 users with items 1 to 3, probabilities 1/7, ..., 6/7")


def sets(items: int, k: int, weight: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Return the law of the reporting set of a user who holds item 0 (Definition 3.1)."""
    total = weight * comb(items - 1, k - 1) + comb(items - 1, k)
    return {
        chosen: (weight if 0 in chosen else Fraction(1)) / total
        for chosen in combinations(range(items), k)
    }


def _of_sets(judge: Callable[[int, int, Fraction], Instance]) -> Search:
    return searched(
        (
            judge(items, k, weight)
            for items in range(2, 7)
            for k, weight in product(range(1, items), GAMMAS)
        ),
        "N = 2..6 items, k = 1..N-1, γ = 1 (uniform), 3/2, 2, 10",
    )


def inclusion_law() -> Search:
    """Judge the probability with which a user reports on its own item (Lemma 3.2)."""

    def judge(items: int, k: int, weight: Fraction) -> Instance:
        alpha = Fraction(k, items)
        claimed = alpha * weight / (alpha * weight + 1 - alpha)
        exact = sum((c for chosen, c in sets(items, k, weight).items() if 0 in chosen), Fraction(0))
        where = {"N": items, "k": k, "γ": weight}
        return Instance(where=where, claimed=claimed, exact=exact, holds=claimed == exact)

    return _of_sets(judge)


def private_against_s1() -> Search:
    """Judge the ε of the reporting set (Theorem 3.3)."""

    def judge(items: int, k: int, weight: Fraction) -> Instance:
        exact = max(
            epsilon_of_set(k, items, float(p), float(weight))[0] for p in (*CHANCES, Fraction(1))
        )
        where = {"N": items, "k": k, "γ": weight}
        claimed = log(weight)
        return Instance(where=where, claimed=claimed, exact=exact, holds=exact <= claimed + 1e-12)

    return _of_sets(judge)


def private_against_s2() -> Search:
    """Compare the δ of S2's view with that of DPDS's server (Theorem 3.4), all coins played out."""
    from protocols.dpds.script import DPDS
    from protocols.tss.script import TSS
    from simnet.exhaustive.compare import Comparison

    def instances() -> Iterator[Instance]:
        for users, gamma in ((2, None), (2, 2.0), (3, 2.0)):
            inputs = [1] * (users - 1) + [2]
            ours = Comparison(TSS(users, 2, 0.5, 1, gamma), "S2")
            other = Comparison(DPDS(users, 2, 0.5), "server")
            for epsilon in (0.0, 0.5, 1.0):
                claimed, exact = (
                    each.worst(inputs, epsilon).compared.delta(epsilon) for each in (other, ours)
                )
                yield Instance(
                    where={"n": users, "γ": gamma or 1, "ε": epsilon},
                    claimed=claimed,
                    exact=exact,
                    holds=exact <= claimed * (1 + ROUNDING),
                )

    return searched(instances(), "2 and 3 users, 2 items, k = 1, p = 1/2, ε = 0, 1/2, 1")


def _groups() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for groups in (1, 2, 3):
        yield from product(product((1, 2), repeat=groups), product((1, 2, 3), repeat=groups))


def _error(made: Sequence[Fraction], sizes: Sequence[int], spread: Sequence[int]) -> Fraction:
    total = sum((w * n for w, n in zip(made, sizes, strict=True)), Fraction(0))
    squares = (w * w * n * v for w, n, v in zip(made, sizes, spread, strict=True))
    return sum(squares, Fraction(0)) / total**2


def critical_weights() -> Search:
    """Judge where the gradient of the error of weighted aggregation vanishes (Lemma 3.3)."""

    def instances() -> Iterator[Instance]:
        for sizes, spread in _groups():
            for made in product(range(-3, 4), repeat=len(sizes)):
                total = sum(w * n for w, n in zip(made, sizes, strict=True))
                if not total:
                    continue
                squares = sum(w * w * n * v for w, n, v in zip(made, sizes, spread, strict=True))
                critical = all(w * v * total == squares for w, v in zip(made, spread, strict=True))
                products = {w * v for w, v in zip(made, spread, strict=True)}
                where = {"n_j": sizes, "V_j": spread, "w_j": made}
                yield Instance(where=where, holds=critical == (len(products) == 1))

    return searched(instances(), "1 to 3 groups of 1 or 2 users, V_j = 1, 2, 3, w_j = -3..3")


def best_weights() -> Search:
    """Compare the error of the weights 1/V_j with that of equal weights (Lemma 3.4)."""

    def instances() -> Iterator[Instance]:
        for sizes, spread in _groups():
            best = _error([Fraction(1, v) for v in spread], sizes, spread)
            equal = _error([Fraction(1)] * len(sizes), sizes, spread)
            kept = best <= equal and (best == equal) == (len(set(spread)) == 1)
            where = {"n_j": sizes, "V_j": spread}
            yield Instance(where=where, claimed=equal, exact=best, holds=kept)

    return searched(instances(), "1 to 3 groups of 1 or 2 users, V_j = 1, 2, 3")


def noise_share(
    users: int = USERS, items: int = ITEMS, epsilon: float = 0.5, delta: float = 1e-5
) -> tuple[float, float]:
    """Return the δ that DPDG claims, and the one that it has with the printed share of noise."""
    del items
    sensitivity = sqrt(2) / users
    deviation = sigma("classic", sensitivity, epsilon, delta) / sqrt(users)
    return delta, delta_of(deviation, sensitivity, epsilon)


def crossover(
    users: int = USERS, items: int = ITEMS, epsilon: float = 0.5, delta: float = 1e-5
) -> tuple[float, float]:
    """Return from how many users on DPDG errs less than DPDS: by the paper, and exactly."""
    claimed = 4 * expm1(epsilon) * log(1.25 / delta) / epsilon**2
    variance = (sigma("classic", sqrt(2) / users, epsilon, delta) * users) ** 2
    return claimed, items * variance * expm1(epsilon)


def crossing(population: str = "gowalla") -> float:
    """Return the ε at which DPDS and DPDG with δ = 0.5 have the same expected error."""
    from scipy.optimize import brentq  # imported only here: scipy loads slowly

    def gap(epsilon: float) -> float:
        return log(error_of_gaussian(KINDS[population], epsilon, 0.5) / error_of_dpds(epsilon))

    return float(brentq(gap, 1e-6, 1.0))


def less_than_gaussian(level: str) -> float:
    """Return at which share of the points DPDS errs less than DPDG with the same (ε, δ): with the
    δ "by (2)", or with the exact one.
    """
    found = []
    for items in KINDS.values():
        for epsilon in EPSILONS:
            claimed, exact = deltas(USERS, items, BETA, epsilon)
            sensitivity = sqrt(2) / USERS
            deviation = (
                sigma("classic", sensitivity, epsilon, claimed)
                if level == "by (2)"
                else sigma("analytic", sensitivity, epsilon, exact)
            )
            found.append(items * deviation**2 > error_of_dpds(epsilon))
    return sum(found) / len(found)


def users_for(mechanism: Callable[[float, int], GRR | OUE], epsilon: float) -> float:
    """Return how many users a local mechanism needs for the error of DPDS with 1000 users."""
    one = ITEMS * float(mechanism(epsilon, ITEMS).variance(1 / ITEMS, 1))
    return one / error_of_dpds(epsilon)


def sensitivity() -> float:
    """Return the largest L2 distance of the counts of neighbours, over all of three users."""

    def counts(held: Sequence[int]) -> list[int]:
        return [held.count(item) for item in range(3)]

    return max(
        hypot(*(a - b for a, b in zip(counts(held), counts(changed), strict=True)))
        for held in map(list, product(range(3), repeat=3))
        for place, item in product(range(3), range(3))
        for changed in [[*held[:place], item, *held[place + 1 :]]]
    )


def included(k: int, gamma: float | None) -> float:
    """Return the probability with which a user who takes part reports on its own item."""
    return float(inclusion(k, ITEMS, gamma))


def sizes_are_worse() -> float:
    """Return at which share of settings weights by the size of a group err more than 1/V_j."""
    found = []
    for setting, sizes in product(
        SETTINGS, ((250,) * 4, (100, 200, 300, 400), (400, 300, 200, 100))
    ):
        spread = variances(budgets_of(setting))
        ours, other = (error(weights(how, sizes, spread), sizes, spread) for how in ("vwa", "uwa"))
        found.append(other > ours)
    return sum(found) / len(found)
