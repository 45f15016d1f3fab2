"""The numbered statements of Biswas, Cormode and Maple, and how each is judged.

The users' items are constants unless a reading says otherwise. A user reports with probability π,
and a report is a randomised response on m items with p = w / (w + m - 1) and q = 1 / (w + m - 1),
where w = e^ε is a fraction. N_i is the number of reports that name item i, and S the number of all
reports. Means and variances are computed exactly, in fractions.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import inf, log

from scenarios.theorems.theorem import (
    NO_FACT,
    PAGE,
    Finding,
    Instance,
    Reading,
    Theorem,
    definition,
    one,
    searched,
)

POWERS = (Fraction(3, 2), Fraction(2), Fraction(3))  # e^ε
SAMPLING = tuple(Fraction(step, 4) for step in (1, 2, 3))  # π below 1
EXPERIMENT = "simnet reproduce biswas_theorems"

Estimator = Callable[["Case", int, int], Fraction]  # from N_i, the reports of item i, and S, all


class Case:
    """A few users with constant items, and the probabilities with which they report.

    The item that is estimated is item 0.
    """

    def __init__(
        self, items: int, power: Fraction, held: Sequence[int], sampling: Sequence[Fraction]
    ) -> None:
        self.held, self.sampling, self.power, self.items = held, sampling, power, items
        self.p, self.q = power / (power + items - 1), 1 / (power + items - 1)
        self.n = len(held)
        self.holders = sum(item == 0 for item in held)

    @property
    def where(self) -> dict[str, object]:
        """The parameters, to show."""
        common = len(set(self.sampling)) == 1
        return {
            "n": self.n,
            "m": self.items,
            "π": self.sampling[0] if common else tuple(self.sampling),
            "e^ε": self.power,
            "holders": self.holders,
            **({} if common else {"items": tuple(self.held)}),
        }

    def named(self, user: int) -> Fraction:
        """The probability that a report of this user names item 0."""
        return self.p if self.held[user] == 0 else self.q

    def law(self) -> dict[tuple[int, int], Fraction]:
        """The joint law of N_0 and S."""
        law = {(0, 0): Fraction(1)}
        for user in range(self.n):
            sent, named = self.sampling[user], self.named(user)
            parts = {(0, 0): 1 - sent, (0, 1): sent * (1 - named), (1, 1): sent * named}
            after: dict[tuple[int, int], Fraction] = {}
            for (a, b), chance in law.items():
                for (da, db), more in parts.items():
                    place = (a + da, b + db)
                    after[place] = after.get(place, Fraction(0)) + chance * more
            law = after
        return law

    def moments(self, estimator: Estimator) -> tuple[Fraction, Fraction]:
        """The mean and the variance of an estimator."""
        values = [(estimator(self, *place), chance) for place, chance in self.law().items()]
        mean = sum((value * chance for value, chance in values), Fraction(0))
        square = sum((value * value * chance for value, chance in values), Fraction(0))
        return mean, square - mean * mean


def direct(case: Case, named: int, _: int) -> Fraction:
    """Return c = (N_i - n q) / (p - q)."""
    return (named - case.n * case.q) / (case.p - case.q)


def centred(case: Case, named: int, sent: int) -> Fraction:
    """Return g by Eq. 5."""
    pi, gap = case.sampling[0], case.p - case.q
    return direct(case, named, sent) / pi + case.n * case.q * (1 - pi) / (gap * pi)


def per_report(case: Case, named: int, sent: int) -> Fraction:
    """Return ĉ = (N_i - S q) / (π (p - q))."""
    return (named - sent * case.q) / (case.sampling[0] * (case.p - case.q))


def pooled(case: Case, named: int, sent: int) -> Fraction:
    """Return T of Theorem 5.1, with `direct` for the h of its formula."""
    budget, gap = sum(case.sampling, Fraction(0)), case.p - case.q
    rest = case.n * case.q * (case.n - budget) / (budget * gap)
    return case.n * direct(case, named, sent) / budget + rest


def populations(sampling: Sequence[Fraction] = SAMPLING) -> Iterator[Case]:
    """Yield cases with one probability for all, by n, m, π, ε and number of holders."""
    for n, m, pi, power in product((1, 2, 3), (2, 3), sampling, POWERS):
        for holders in range(n + 1):
            yield Case(m, power, [0] * holders + [1] * (n - holders), [pi] * n)


def over(holders: str = "every number of holders", sampling: str = "1/4, 1/2, 3/4") -> str:
    """A text on the instances in which all users report with the same probability."""
    return (
        f"n = 1..3 users, m = 2, 3 items, π = {sampling}, e^ε = 3/2, 2, 3 and {holders}, in this "
        "order; all reports are played out in fractions"
    )


OVER = over()
MEAN = "claimed is the number of holders, and exact is the mean of the estimate"
# Var* is the limit for a share of holders that goes to 0.
OVER_UNHELD = over("no holder")
OVER_UNHELD_TO_1 = over("no holder", "1/4, 1/2, 3/4, 1")


def _means(estimator: Estimator, biased: bool) -> Iterator[Instance]:
    for case in populations():
        mean, _ = case.moments(estimator)
        yield Instance(
            where=case.where,
            claimed=Fraction(case.holders),
            exact=mean,
            holds=(mean != case.holders) == biased,
        )


def _direct_is_biased() -> Finding:
    numbers = "claimed is the number of holders, and exact is the mean of c, which differs from it"
    return searched(_means(direct, biased=True), OVER, numbers, proof=PAGE)


def _centred_is_unbiased() -> Finding:
    return searched(_means(centred, biased=False), OVER, MEAN, proof=PAGE)


def _per_report_is_unbiased() -> Finding:
    return searched(_means(per_report, biased=False), OVER, MEAN, proof=PAGE)


def _approximate(case: Case) -> Fraction:
    """Var*(g) by Theorem 3.2."""
    pi = case.sampling[0]
    return case.n * (case.q - case.q**2 * pi) / ((case.p - case.q) ** 2 * pi)


def _theorem_3_2() -> Finding:
    def instances() -> Iterator[Instance]:
        for case in populations((*SAMPLING, Fraction(1))):
            if case.holders:
                continue  # Var* is the limit for a share of holders that goes to 0
            exact = case.moments(centred)[1]
            scaled = case.moments(direct)[1] / case.sampling[0] ** 2
            claimed = _approximate(case)
            yield Instance(
                where=case.where, claimed=claimed, exact=exact, holds=claimed == exact == scaled
            )

    return searched(instances(), OVER_UNHELD_TO_1, proof=PAGE)


def _normalised(by_mean: bool) -> Finding:
    """Judge Theorem 3.3 with the constant q / (p - q)², which the proof gives.

    With `by_mean`, Var*(g) is divided by E(g), as Definition 3.1 says; otherwise by E(S)², as in
    the proof.
    """

    def instances() -> Iterator[Instance]:
        for case in populations():
            if case.holders:
                continue
            pi, spread = case.sampling[0], case.moments(centred)[1]
            claimed = case.q / ((case.p - case.q) ** 2 * pi**3 * case.n)
            mean = case.moments(centred)[0]  # the mean is 0, because nobody holds the item
            by = mean if by_mean else (case.n * pi) ** 2
            exact: Fraction | float = spread / by if by else inf
            yield Instance(where=case.where, claimed=claimed, exact=exact, holds=exact <= claimed)

    numbers = (
        "claimed is q / ((p - q)² π³ n), the bound with the constant of the proof, and exact is "
        f"Var*(g) / {'E(g)' if by_mean else 'E(S)²'}"
    )
    return searched(instances(), OVER_UNHELD, numbers, proof=None if by_mean else PAGE)


def _theorem_3_5() -> Finding:
    def instances() -> Iterator[Instance]:
        for case in populations():
            claimed, exact = (case.moments(each)[1] for each in (centred, per_report))
            yield Instance(where=case.where, claimed=claimed, exact=exact, holds=exact >= claimed)

    return searched(instances(), OVER, "claimed is Var(g), the lower bound, and exact is Var(ĉ)")


def _theorem_3_6(sampled: bool) -> Finding:
    """Judge Theorem 3.6 with c from the reports of all n users or, if `sampled`, from the reports
    that g gets.
    """

    def instances() -> Iterator[Instance]:
        for case in populations():
            whole = Case(case.items, case.power, case.held, [Fraction(1)] * case.n)
            ours, other = (
                case.moments(centred)[0],
                (case if sampled else whole).moments(direct)[0],
            )
            agree = (0 <= ours <= case.n) == (0 <= other <= case.n)
            yield Instance(where=case.where, claimed=ours, exact=other, holds=agree)

    numbers = f"claimed is E(g), and exact is E(c) of {'sampled' if sampled else 'all'} users"
    return searched(instances(), OVER, numbers, proof=None if sampled else PAGE)


def _own_chances() -> Iterator[Case]:
    for n, m, power in product((1, 2, 3), (2, 3), POWERS):
        for held in combinations_with_replacement((0, 1), n):
            for sampling in product(SAMPLING, repeat=n):
                yield Case(m, power, held, sampling)


def over_own(holders: str) -> str:
    """The instances in which users have probabilities of their own, in words."""
    return (
        f"n = 1..3 users, m = 2, 3 items, e^ε = 3/2, 2, 3, {holders} and all π_j of 1/4, 1/2, 3/4, "
        "searched in this order; all reports are played out in fractions"
    )


def _pooled_mean() -> Finding:
    return searched(
        (
            Instance(
                where=case.where,
                claimed=Fraction(case.holders),
                exact=case.moments(pooled)[0],
                holds=case.moments(pooled)[0] == case.holders,
            )
            for case in _own_chances()
        ),
        over_own("every number of holders, from n to 0,"),
        MEAN,
    )


def _pooled_mean_of_drawn_items() -> Finding:
    """Judge the mean of T if each user holds the item independently with probability f."""

    def instances() -> Iterator[Instance]:
        for n, m, power, f in product((1, 2, 3), (2, 3), POWERS, SAMPLING[:2]):
            for sampling in combinations_with_replacement(SAMPLING, n):
                mean = Fraction(0)
                for held in product((0, 1), repeat=n):
                    case = Case(m, power, held, sampling)
                    chance = f**case.holders * (1 - f) ** (n - case.holders)
                    mean += chance * case.moments(pooled)[0]
                where = {"n": n, "m": m, "e^ε": power, "π_j": sampling, "f": f}
                yield Instance(where=where, claimed=n * f, exact=mean, holds=mean == n * f)

    drawn = (
        "n = 1..3 users, m = 2, 3 items, e^ε = 3/2, 2, 3, f of 1/4, 1/2, and π_j of 1/4, 1/2, "
        "3/4; all choices of holders and all reports are played out in fractions"
    )
    numbers = "claimed is n f, the expected number of holders, and exact is the mean of T"
    return searched(instances(), drawn, numbers, proof=PAGE)


def _approximate_pooled(case: Case) -> Fraction:
    """Var*(T) by Theorem 5.1."""
    budget = sum(case.sampling, Fraction(0))
    terms = sum((case.q * pi * (1 - case.q * pi) for pi in case.sampling), Fraction(0))
    return case.n**2 * terms / (budget**2 * (case.p - case.q) ** 2)


def _pooled_variance() -> Finding:
    def instances() -> Iterator[Instance]:
        for case in _own_chances():
            if not case.holders:
                claimed, exact = _approximate_pooled(case), case.moments(pooled)[1]
                yield Instance(
                    where=case.where, claimed=claimed, exact=exact, holds=claimed == exact
                )

    return searched(instances(), over_own("no holder"), proof=PAGE)


def _remark_2() -> Finding:
    def instances() -> Iterator[Instance]:
        for case in populations((*SAMPLING, Fraction(1))):
            if not case.holders:
                claimed, exact = _approximate(case), _approximate_pooled(case)
                alone = case.moments(direct)[1] if case.sampling[0] == 1 else claimed
                yield Instance(
                    where=case.where,
                    claimed=claimed,
                    exact=exact,
                    holds=claimed == exact == alone,
                )

    return searched(instances(), OVER_UNHELD_TO_1, proof=PAGE)


RESPONSES = tuple(product((2, 3, 4, 5), POWERS))
OVER_RESPONSES = "m = 2..5 values and e^ε = 3/2, 2, 3"


def _rows(m: int, power: Fraction) -> list[list[Fraction]]:
    c = 1 / (power + m - 1)
    return [[c * power if x == y else c for y in range(m)] for x in range(m)]


def _definition_2_3() -> Finding:
    def instances() -> Iterator[Instance]:
        for m, power in RESPONSES:
            possible = sum(chance > 0 for chance in _rows(m, power)[0])
            yield Instance(
                where={"m": m, "e^ε": power},
                claimed=Fraction(1),
                exact=Fraction(possible),
                holds=possible == 1,
            )

    numbers = (
        "claimed is the number of outputs that support x, and exact is the number of outputs y "
        "with P[R(x) = y] > 0"
    )
    return searched(instances(), f"direct encoding with {OVER_RESPONSES}", numbers)


def _definition_2_4() -> Finding:
    def instances() -> Iterator[Instance]:
        for m, power in RESPONSES:
            rows = _rows(m, power)
            ratio = max(max(column) / min(column) for column in zip(*rows, strict=True))
            yield Instance(
                where={"d": m, "e^ε": power},
                claimed=log(power),
                exact=log(ratio),
                holds=ratio <= power and all(sum(row) == 1 for row in rows),
            )

    return searched(instances(), OVER_RESPONSES.replace("m =", "d ="), proof=PAGE)


def _remark_1() -> Finding:
    def instances() -> Iterator[Instance]:
        for m, power in RESPONSES:
            rows = _rows(m, power)
            own = {rows[x][x] for x in range(m)}
            other = {rows[x][y] for x in range(m) for y in range(m) if x != y}
            pure = len(own) == len(other) == 1 and min(own) > max(other)
            yield Instance(where={"m": m, "e^ε": power}, holds=pure)

    return searched(instances(), OVER_RESPONSES, proof=PAGE)


THEOREMS = (
    definition("biswas", "2.1", "ε-differential privacy, for neighbouring data sets."),
    definition("biswas", "2.2", "ε-local differential privacy."),
    Theorem(
        paper="biswas",
        kind="Definition",
        number="2.3",
        also="Eq. 1",
        statement=(
            "The outputs that support x are those with P[R(x) = y] > 0; direct encoding has "
            "Support(i) = {i}."
        ),
        readings=one(_definition_2_3),
    ),
    Theorem(
        paper="biswas",
        kind="Definition",
        number="2.4",
        statement="Direct encoding of d values with c = 1 / (e^ε + d - 1) is a law, and it is "
        "ε-LDP.",
        readings=one(_definition_2_4),
        command="simnet mechanism grr --epsilon 1 --items 3",
    ),
    Theorem(
        paper="biswas",
        kind="Remark",
        number="1",
        statement="With Support(i) = {i}, p* = p and q* = q, direct encoding is a pure protocol.",
        readings=one(_remark_1),
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="2.1",
        also="Eq. 4",
        statement="If users report with a probability π < 1, the estimator c is biased.",
        readings=one(_direct_is_biased),
        command=EXPERIMENT,
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="3.1",
        also="Eq. 5",
        statement="If users report with a common probability π, the estimator g is unbiased.",
        readings=one(_centred_is_unbiased),
        command=EXPERIMENT,
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="3.2",
        statement=(
            "For a share of holders that goes to 0, Var(g) = Var(c) / π² = n (q - q² π) / "
            "((p - q)² π)."
        ),
        readings=one(_theorem_3_2),
        command=EXPERIMENT,
    ),
    definition(
        "biswas",
        "3.1",
        "The normalised variance of X is Var(X) / E(X).",
        f"{NO_FACT}; the proof of Theorem 3.3 divides by E(S)² instead",
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="3.3",
        also="Definition 3.1",
        statement="The normalised approximate variance of g is O(1 / (π³ n)).",
        readings=(
            Reading(
                under="normalised by E(g), as Definition 3.1 says; E(g) goes to 0 with the share",
                judge=lambda: _normalised(by_mean=True),
            ),
            Reading(
                under="normalised by E(S)² = (n π)², as the proof does",
                judge=lambda: _normalised(by_mean=False),
            ),
        ),
        command=EXPERIMENT,
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="3.4",
        statement="If users report with a common probability π, the estimator ĉ is unbiased.",
        readings=one(_per_report_is_unbiased),
        command=EXPERIMENT,
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="3.5",
        statement="Var(ĉ) >= Var(g): g gives the better estimate.",
        readings=one(_theorem_3_5),
        command=EXPERIMENT,
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="3.6",
        statement="On average, 0 <= g(i) <= n if and only if 0 <= c(i) <= n.",
        readings=(
            Reading(
                under="c is the estimator of Wang et al. from all n users, as in Eq. 3",
                judge=lambda: _theorem_3_6(sampled=False),
            ),
            Reading(
                under="c gets the same sampled reports as g, as in Eq. 4 and Theorem 2.1",
                judge=lambda: _theorem_3_6(sampled=True),
            ),
        ),
        command=EXPERIMENT,
    ),
    Theorem(
        paper="biswas",
        kind="Theorem",
        number="5.1",
        statement=(
            "If user j reports with probability π_j, T is unbiased with Var*(T) = n² Σ q π_j "
            "(1 - q π_j) / ((Σ π_j)² (p - q)²)."
        ),
        readings=(
            Reading(under="unbiased, where the users' items are constants", judge=_pooled_mean),
            Reading(
                under="unbiased, where all users' items are drawn from one law",
                judge=_pooled_mean_of_drawn_items,
            ),
            Reading(under="the formula for Var*(T) alone", judge=_pooled_variance),
        ),
        command=EXPERIMENT,
    ),
    Theorem(
        paper="biswas",
        kind="Remark",
        number="2",
        statement="For equal π_j, Var*(T) is Var*(g), and for π_j = 1 it is Var*(c).",
        readings=one(_remark_2),
    ),
)
