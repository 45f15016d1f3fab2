"""The numbered statements of Yang et al., and how each is judged.

The coins of small populations are all played out; for Theorems 3.1 and 3.2 the search covers up to
100 users. Most probabilities are fractions, so that an equality is exact.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, log

from protocols.mechanisms.reporting import epsilon_of_set, inclusion
from protocols.privacy.sampled_counts import RELATIONS, Relation
from protocols.privacy.theorems import theorem_3_1, theorem_3_2
from scenarios.theorems.claim import ROUNDING
from scenarios.theorems.sampling import exact_log_delta
from scenarios.theorems.theorem import (
    PAGE,
    Finding,
    Instance,
    Reading,
    Theorem,
    definition,
    one,
    searched,
)

CLAIMS = "simnet privacy claims --users 1000 --items 30 --beta 0.033 --epsilon 0.5 --z 0.5"

# The search for the smallest population
MOST_USERS = 100
SHARES = [Fraction(step, 10) for step in range(9, 0, -1)]  # e^-ε, from small ε to large
STEPS = [Fraction(step, 20) for step in (19, 15, 10)]  # e^-z, from small z to large
LOGS = [(share, -log(share)) for share in SHARES]
STEP_LOGS = [(step, -log(step)) for step in STEPS]

Row = tuple[Fraction, ...]


def rarest_pairs(users: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the number of items and the counts of the two rarest, or of the only one, for
    populations of `users` users.

    Every item has a holder. The other items do not change δ. With three items and more, the worst
    population with rarest count m has a second item with m holders.

    >>> list(rarest_pairs(3))
    [(1, (3,)), (2, (1, 2)), (3, (1, 1))]
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


def _sampled(both: bool, second: bool) -> Iterator[Instance]:
    """Yield instances of Theorem 3.1 or, with `second`, of 3.2, in the order of n, N, β, ε and z.

    With `both`, β is so small that the neighbouring population has βn holders of every item too. If
    the claimed δ is 1, the theorem claims nothing, and no instance is yielded.
    """
    for users in range(1, MOST_USERS + 1):
        for items, counts in rarest_pairs(users):
            holders = counts[0] - both
            for (share, epsilon), (step, z) in product(
                LOGS if holders else (), STEP_LOGS if second else [(Fraction(1), 0.0)]
            ):
                arguments = (users, items, holders / users, epsilon)
                claimed = theorem_3_2(*arguments, z) if second else theorem_3_1(*arguments)
                if claimed is None or claimed >= 0:
                    continue
                exact = _largest_delta(counts, float(1 - share * step), epsilon)
                yield Instance(
                    where={
                        "n": users,
                        "N": items,
                        "rarest counts": counts,
                        "β": holders / users,
                        "ε": epsilon,
                        **({"z": z} if second else {}),
                    },
                    claimed=claimed,
                    exact=exact,
                    holds=exact <= claimed + ROUNDING,
                    is_log=True,
                )


@cache
def _largest_delta(counts: tuple[int, ...], chance: float, epsilon: float) -> float:
    """Return the larger ln δ of both neighbouring relations; with one item, that of removal."""
    relations: tuple[Relation, ...] = RELATIONS if len(counts) > 1 else ("remove",)
    return max(exact_log_delta(counts, chance, relation, epsilon) for relation in relations)


def _over(parameters: str, order: str) -> str:
    return (
        "an instance has a number of users n, of items N and of holders of the rarest item, "
        f"{parameters}, and is about the population with these numbers that has the largest exact "
        f"δ; all instances with n = 1..{MOST_USERS} and a claimed δ below 1, ordered by n, by N, "
        f"by the rarest count, {order}"
    )


RAREST = (
    "the rarest counts are the numbers of holders of the two rarest items; claimed is the δ of the "
    "theorem, and exact is the larger δ of removing a user and of replacing its item"
)


def _first(both: bool) -> Finding:
    over = _over("and one ε", "and by ε with e^-ε in tenths")
    return searched(_sampled(both, second=False), over, RAREST)


def _second(both: bool) -> Finding:
    over = _over(
        "and one ε and z", "by ε with e^-ε in tenths, and by z with e^-z = 19/20, 3/4, 1/2"
    )
    return searched(_sampled(both, second=True), over, RAREST)


ONE_SIDE = "the population has at least βn holders of every item; its neighbour need not"
BOTH_SIDES = "the population and its neighbour both have at least βn holders of every item"


# Processing of an output

ROWS: Sequence[Row] = [
    (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),
    (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)),
    (Fraction(1), Fraction(0), Fraction(0)),
]
POWERS = (Fraction(1), Fraction(3, 2), Fraction(3))  # e^ε


def _delta(first: Row, second: Row, power: Fraction) -> Fraction:
    """Return the exact δ of two laws at e^ε: the larger one of both directions."""
    ways = ((first, second), (second, first))
    return max(
        sum((max(p - power * q, Fraction(0)) for p, q in zip(*way, strict=True)), Fraction(0))
        for way in ways
    )


def _processed(row: Row, chances: Row) -> Row:
    """Return the law of a bit that is 1 with probability `chances[y]` for output y."""
    heads = sum((p * c for p, c in zip(row, chances, strict=True)), Fraction(0))
    return heads, 1 - heads


def _post_processing() -> Finding:
    def instances() -> Iterator[Instance]:
        halves = (Fraction(0), Fraction(1, 2), Fraction(1))
        for (first, second), power in product(combinations(ROWS, 2), POWERS):
            before = _delta(first, second, power)
            for chances in product(halves, repeat=3):
                after = _delta(_processed(first, chances), _processed(second, chances), power)
                yield Instance(
                    where={"e^ε": power, "law": first, "other law": second, "map": chances},
                    claimed=before,
                    exact=after,
                    holds=after <= before,
                )

    over = (
        "the pairs of 3 laws on 3 outputs, e^ε = 1, 3/2, 3, and maps of the outputs to a bit that "
        "is 1 with probability 0, 1/2, 1 for each output"
    )
    numbers = "claimed is the δ of the two laws, and exact is the δ of the bit"
    return searched(instances(), over, numbers, proof=PAGE)


# Additive shares


def _shares(secret: int, parties: int, q: int) -> list[tuple[int, ...]]:
    """Return every sharing of a secret, each equally likely."""
    return [(*drawn, (secret - sum(drawn)) % q) for drawn in product(range(q), repeat=parties - 1)]


SIZES = [(m, q) for m in (2, 3) for q in (2, 3, 5)]


def _sums_of_shares() -> Finding:
    def instances() -> Iterator[Instance]:
        for parties, q in SIZES:
            for a, b in product(range(q), repeat=2):
                sums = sorted(
                    tuple((x + y) % q for x, y in zip(first, second, strict=True))
                    for first, second in product(_shares(a, parties, q), _shares(b, parties, q))
                )
                fresh = sorted(_shares((a + b) % q, parties, q) * q ** (parties - 1))
                where = {"m": parties, "q": q, "a": a, "b": b}
                yield Instance(where=where, holds=sums == fresh)

    over = "all secrets a, b and all coins, for m = 2, 3 parties and q = 2, 3, 5"
    return searched(instances(), over, proof=PAGE)


def _partial_shares() -> Finding:
    def instances() -> Iterator[Instance]:
        for parties, q in SIZES:
            for left_out, secret in product(range(parties), range(q)):
                laws = [
                    sorted(row[:left_out] + row[left_out + 1 :] for row in _shares(s, parties, q))
                    for s in (0, secret)
                ]
                where = {"m": parties, "q": q, "missing share": left_out + 1, "s": secret}
                yield Instance(where=where, holds=laws[0] == laws[1])

    over = "every missing share, all secrets and all coins, for m = 2, 3 parties and q = 2, 3, 5"
    return searched(instances(), over, proof=PAGE)


def _still_uniform() -> Finding:
    """Judge whether a uniform secret is uniform given any m - 1 shares."""

    def instances() -> Iterator[Instance]:
        for parties, q in SIZES:
            for left_out in range(parties):
                seen: dict[tuple[int, ...], Counter[int]] = {}
                for secret in range(q):
                    for row in _shares(secret, parties, q):
                        others = tuple(row[:left_out] + row[left_out + 1 :])
                        seen.setdefault(others, Counter())[secret] += 1
                uniform = all(
                    len(counts) == q and len(set(counts.values())) == 1 for counts in seen.values()
                )
                where = {"m": parties, "q": q, "missing share": left_out + 1}
                yield Instance(where=where, holds=uniform)

    over = (
        "every missing share, a uniform secret and all coins, for m = 2, 3 parties and q = 2, 3, 5"
    )
    return searched(instances(), over, proof=PAGE)


# Sampling: every set of users who take part is played out

CHANCES = [Fraction(step, 7) for step in range(1, 7)]


def _populations() -> Iterator[tuple[int, ...]]:
    """Yield the items, 0 to 2, of up to 4 users, once for all orders of the users."""
    for users in range(1, 5):
        yield from combinations_with_replacement(range(3), users)


def _moments(
    held: tuple[int, ...], chance: Fraction
) -> tuple[list[Fraction], list[list[Fraction]]]:
    """Return the mean and covariance of counts / (p n), if users are counted with probability p."""
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
    return mean, [[square[i][j] - mean[i] * mean[j] for j in range(items)] for i in range(items)]


def _sampling_law(with_matrix: bool) -> Iterator[Instance]:
    for held, chance in product(_populations(), CHANCES):
        mean, spread = _moments(held, chance)
        users = len(held)
        counts = [held.count(item) for item in range(max(held) + 1)]
        unbiased = mean == [Fraction(count, users) for count in counts]
        diagonal = all(
            spread[i][j] == (i == j) * (1 - chance) / (chance * users**2) * counts[i]
            for i, j in product(range(len(counts)), repeat=2)
        )
        error = sum((spread[i][i] for i in range(len(counts))), Fraction(0))
        claimed = (1 - chance) / (chance * users)
        yield Instance(
            where={"counts": tuple(counts), "p" if with_matrix else "q_χ": chance},
            claimed=claimed,
            exact=error,
            holds=unbiased and error == claimed and (diagonal or not with_matrix),
        )


OVER_SMALL = (
    "populations of n = 1..4 users who hold items 1 to 3, up to the users' order, and "
    "probabilities 1/7, 2/7, ..., 6/7"
)


ERROR = "claimed and exact are the expected squared L2 error"


def _lemma_3_1() -> Finding:
    return searched(_sampling_law(with_matrix=True), OVER_SMALL, ERROR, proof=PAGE)


def _theorem_3_5() -> Finding:
    return searched(_sampling_law(with_matrix=False), OVER_SMALL, ERROR, proof=PAGE)


# Reporting sets: every set is counted

GAMMAS = (Fraction(1), Fraction(3, 2), Fraction(2), Fraction(10))
MOST_ITEMS = 6


def _sets(items: int, k: int, weight: Fraction) -> dict[tuple[int, ...], Fraction]:
    """Return the probability of every reporting set of a user who takes part and holds item 0."""
    total = weight * comb(items - 1, k - 1) + comb(items - 1, k)
    return {
        chosen: (weight if 0 in chosen else Fraction(1)) / total
        for chosen in combinations(range(items), k)
    }


def _all_sets() -> Iterator[tuple[int, int, Fraction, dict[tuple[int, ...], Fraction]]]:
    for items in range(2, MOST_ITEMS + 1):
        for k, weight in product(range(1, items), GAMMAS):
            yield items, k, weight, _sets(items, k, weight)


OVER_SETS = f"all sets, for N = 2..{MOST_ITEMS} items, k = 1..N-1 and γ = 1 (uniform), 3/2, 2, 10"


def _a_law() -> Finding:
    return searched(
        (
            Instance(
                where={"N": items, "k": k, "γ": weight},
                claimed=Fraction(1),
                exact=sum(law.values()),
                holds=sum(law.values()) == 1,
            )
            for items, k, weight, law in _all_sets()
        ),
        OVER_SETS,
        proof=PAGE,
    )


def _lemma_3_2() -> Finding:
    def instances() -> Iterator[Instance]:
        for items, k, weight, law in _all_sets():
            alpha = Fraction(k, items)
            claimed = alpha * weight / (alpha * weight + 1 - alpha)
            exact = sum((chance for chosen, chance in law.items() if 0 in chosen), Fraction(0))
            yield Instance(
                where={"N": items, "k": k, "γ": weight},
                claimed=claimed,
                exact=exact,
                holds=claimed == exact == inclusion(k, items, float(weight)),
            )

    return searched(instances(), OVER_SETS, proof=PAGE)


def _theorem_3_3() -> Finding:
    def instances() -> Iterator[Instance]:
        for items, k, weight, law in _all_sets():
            for p in (*CHANCES, Fraction(1)):
                idle = (1 - p) / comb(items, k)
                laws = [p * chance + idle for chance in law.values()]
                exact = max(laws) / min(laws)  # over sets of one item, and so over items of one set
                yield Instance(
                    where={"N": items, "k": k, "γ": weight, "p": p},
                    claimed=log(weight),
                    exact=epsilon_of_set(k, items, float(p), float(weight))[0],
                    holds=exact <= weight,
                )

    return searched(instances(), f"{OVER_SETS}, p = 1/7, 2/7, ..., 1", proof=PAGE)


TINY = ((2, None), (2, 2.0), (3, 2.0))  # users, and γ or None for uniform sets
EPSILONS = (0.0, 0.5, 1.0)


def _theorem_3_4() -> Finding:
    from protocols.dpds.script import DPDS
    from protocols.tss.script import TSS
    from simnet.exhaustive.compare import Comparison

    def instances() -> Iterator[Instance]:
        items = 2
        for users, gamma in TINY:
            inputs = [1] * (users - 1) + [2]
            ours = Comparison(TSS(users, items, 0.5, 1, gamma), "S2")
            other = Comparison(DPDS(users, items, 0.5), "server")
            for epsilon in EPSILONS:
                claimed, exact = (
                    each.worst(inputs, epsilon).compared.delta(epsilon) for each in (other, ours)
                )
                yield Instance(
                    where={
                        "inputs": tuple(inputs),
                        "χ": "uniform" if gamma is None else "adaptive, γ = 2",
                        "ε": epsilon,
                    },
                    claimed=claimed,
                    exact=exact,
                    holds=exact <= claimed * (1 + ROUNDING),
                )

    over = (
        "2 users with uniform sets, 2 and 3 users with adaptive ones, 2 items, k = 1, p = 1/2, "
        "ε = 0, 1/2, 1; all coins are played out"
    )
    numbers = "claimed is the δ of the server of DPDS, and exact is the δ of S2"
    return searched(instances(), over, numbers, proof=PAGE)


# Weighted aggregation


def _error(weights: Sequence[Fraction], sizes: Sequence[int], spread: Sequence[int]) -> Fraction:
    total = sum((w * n for w, n in zip(weights, sizes, strict=True)), Fraction(0))
    squares = (w * w * n * v for w, n, v in zip(weights, sizes, spread, strict=True))
    return sum(squares, Fraction(0)) / total**2


def _is_critical(weights: Sequence[int], sizes: Sequence[int], spread: Sequence[int]) -> bool:
    """Return whether the gradient of the error is zero."""
    total = sum(w * n for w, n in zip(weights, sizes, strict=True))
    squares = sum(w * w * n * v for w, n, v in zip(weights, sizes, spread, strict=True))
    return all(w * v * total == squares for w, v in zip(weights, spread, strict=True))


def _groups() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for groups in (1, 2, 3):
        yield from product(product((1, 2), repeat=groups), product((1, 2, 3), repeat=groups))


def _lemma_3_3() -> Finding:
    def instances() -> Iterator[Instance]:
        for sizes, spread in _groups():
            for weights in product(range(-3, 4), repeat=len(sizes)):
                if sum(w * n for w, n in zip(weights, sizes, strict=True)) == 0:
                    continue  # for these weights the error is not defined
                products = {w * v for w, v in zip(weights, spread, strict=True)}
                yield Instance(
                    where={"n_j": sizes, "V_j": spread, "w_j": weights},
                    holds=_is_critical(weights, sizes, spread) == (len(products) == 1),
                )

    over = "1 to 3 groups of 1 or 2 users, V_j = 1, 2, 3, whole weights from -3 to 3"
    return searched(instances(), over, proof=PAGE)


def _lemma_3_4() -> Finding:
    def instances() -> Iterator[Instance]:
        for sizes, spread in _groups():
            best = _error([Fraction(1, v) for v in spread], sizes, spread)
            equal = _error([Fraction(1)] * len(sizes), sizes, spread)
            yield Instance(
                where={"n_j": sizes, "V_j": spread},
                claimed=equal,
                exact=best,
                holds=best <= equal and (best == equal) == (len(set(spread)) == 1),
            )

    over = "1 to 3 groups of 1 or 2 users, V_j = 1, 2, 3"
    numbers = "claimed is the error with equal weights, and exact is that with weights 1/V_j"
    return searched(instances(), over, numbers, proof=PAGE)


THEOREMS = (
    definition("yang", "2.1", "(ε, δ)-differential privacy, for neighbouring data sets."),
    definition("yang", "2.2", "ε-local differential privacy."),
    Theorem(
        paper="yang",
        kind="Proposition",
        number="2.1",
        statement="A function of the output of an (ε, δ)-DP mechanism is (ε, δ)-DP.",
        readings=one(_post_processing),
    ),
    Theorem(
        paper="yang",
        kind="Definition",
        number="2.3",
        also="the text after it",
        statement="Any m - 1 of the m additive shares of a secret are independent of the secret.",
        readings=(
            Reading(under="whatever the law of the secret", judge=_partial_shares),
            Reading(
                under="'still uniform': a uniform secret is uniform given the m - 1 shares",
                judge=_still_uniform,
            ),
        ),
        command="simnet verify dpds --users 5 --items 2 --corrupt u1,u2",
    ),
    Theorem(
        paper="yang",
        kind="Proposition",
        number="2.2",
        statement="Sums of additive shares of a and b are additive shares of a + b.",
        readings=one(_sums_of_shares),
    ),
    Theorem(
        paper="yang",
        kind="Theorem",
        number="3.1",
        also="Eq. 2",
        statement=(
            "If every item has at least βn holders and β meets the bound (2), DPCS with "
            "p = 1 - e^-ε is (ε, δ)-DP."
        ),
        readings=(
            Reading(under=ONE_SIDE, judge=lambda: _first(both=False)),
            Reading(under=BOTH_SIDES, judge=lambda: _first(both=True)),
        ),
        command=CLAIMS,
    ),
    Theorem(
        paper="yang",
        kind="Theorem",
        number="3.2",
        statement=(
            "If every item has at least βn holders and β and z meet the two bounds, DPCS with "
            "p = 1 - e^-(z+ε) is (ε, δ)-DP."
        ),
        readings=(
            Reading(under=ONE_SIDE, judge=lambda: _second(both=False)),
            Reading(under=BOTH_SIDES, judge=lambda: _second(both=True)),
        ),
        command=CLAIMS,
    ),
    Theorem(
        paper="yang",
        kind="Lemma",
        number="3.1",
        statement=(
            "DPCS is unbiased, its covariance is (1 - p) / (p n²) diag(Π), where Π are the true "
            "counts, and its expected squared L2 error is (1 - p) / (p n)."
        ),
        readings=one(_lemma_3_1),
        command=CLAIMS,
    ),
    Theorem(
        paper="yang",
        kind="Definition",
        number="3.1",
        statement="The adaptive sampling probabilities ζ_A of the sets A add up to 1.",
        readings=one(_a_law),
    ),
    Theorem(
        paper="yang",
        kind="Theorem",
        number="3.3",
        statement=(
            "Against S1, TSS is 0-LDP with uniform reporting sets and log γ-LDP with adaptive ones."
        ),
        readings=one(_theorem_3_3),
        command="simnet privacy tss-s1 --items 30 --reported 12 --gamma 2 --participation 0.5",
    ),
    Theorem(
        paper="yang",
        kind="Theorem",
        number="3.4",
        statement="Against S2, TSS is at least as private as DPDS with the same p.",
        readings=one(_theorem_3_4, "S2 sees the published lists and all sums"),
        command="simnet verify tss --users 6 --items 2 --corrupt S2 --reported 1",
    ),
    Theorem(
        paper="yang",
        kind="Lemma",
        number="3.2",
        statement=(
            "A user who takes part reports on its own item with probability p_χ: α if sets are "
            "uniform, αγ / (αγ + 1 - α) if they are adaptive."
        ),
        readings=one(_lemma_3_2),
        command=CLAIMS,
    ),
    Theorem(
        paper="yang",
        kind="Theorem",
        number="3.5",
        statement=(
            "TSS is unbiased, and its expected squared L2 error, which the paper calls Var, is "
            "(1 - q_χ) / (n q_χ)."
        ),
        readings=one(_theorem_3_5, "each holder of an item is counted with probability q_χ"),
        command=CLAIMS,
    ),
    Theorem(
        paper="yang",
        kind="Lemma",
        number="3.3",
        statement="The critical points of the error of weighted aggregation are w_j = c / V_j.",
        readings=one(_lemma_3_3, "where the error is defined: the weighted sizes do not add to 0"),
        command=CLAIMS,
    ),
    Theorem(
        paper="yang",
        kind="Lemma",
        number="3.4",
        also="Eq. 4",
        statement=(
            "Weights 1/V_j err no more than equal weights, and as much only if all V_j are equal."
        ),
        readings=one(_lemma_3_4),
        command=CLAIMS,
    ),
)
