"""The numbered statements of Wang et al., and how each is judged.

Means, variances and ε are computed from the exact laws of the reports, or from closed formulas of
the mechanisms. The lemmas with O(...) are judged with the constants of docs/proofs/papers.md, which
hold for a range of parameters. In these lemmas Z is the estimated mean, and X the mean of the
values. A user has d attributes and reports on k of them (Eq. 12). Up to ε*, about 0.61, HM is Duchi
et al.'s mechanism.
"""

from collections.abc import Iterator
from itertools import product
from math import ceil, exp, expm1, log, sqrt, tanh

from protocols.mechanisms.attributes import Attributes
from protocols.mechanisms.density import epsilon_between
from protocols.mechanisms.duchi import Duchi
from protocols.mechanisms.duchi_multi import DuchiMulti, DuchiVariant
from protocols.mechanisms.hybrid import EPS_STAR, HM
from protocols.mechanisms.piecewise import PM
from protocols.mechanisms.tuples import Inner, Tuples, printed_k
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

EPSILONS = tuple(step / 4 for step in range(1, 33))  # up to ε = 8
VALUES = tuple(step / 4 for step in range(-4, 5))
SLACK = 1e-9  # a relative tolerance above the rounding error of the variances
RANGE = "ε = 1/4, 1/2, 3/4, ..., 8"


def _near(one_number: float, other: float) -> bool:
    return abs(one_number - other) <= SLACK * max(abs(one_number), abs(other), 1.0)


def printed_variance_pm(t: float, epsilon: float) -> float:
    """Return the variance of PM by Lemma 1."""
    s = exp(epsilon / 2)
    return t * t / (s - 1) + (s + 3) / (3 * (s - 1) ** 2)


def _lemma_1() -> Finding:
    def instances() -> Iterator[Instance]:
        for epsilon in EPSILONS:
            mechanism = PM(epsilon)
            laws = [mechanism.law(value) for value in VALUES]
            private = epsilon_between(laws) <= epsilon * (1 + SLACK)
            for value, law in zip(VALUES, laws, strict=True):
                claimed = printed_variance_pm(value, epsilon)
                exact = law.second_moment - law.mean**2
                yield Instance(
                    where={"ε": epsilon, "t": value},
                    claimed=claimed,
                    exact=exact,
                    holds=private and _near(law.mean, value) and _near(claimed, exact),
                )

    over = f"{RANGE} and values t = -1, -3/4, ..., 1: ε, mean and variance of the law of a report"
    return searched(instances(), over, "claimed and exact are the variance", proof=PAGE)


# Lemmas 2 and 5. By docs/proofs/papers.md these constants are large enough for ε up to 8 and
# β up to 1/2, and in Lemma 5 for n >= d ln(2d/β).
CONSTANT_2 = 17.0
CONSTANT_5 = 33.0
BETAS = (0.5, 0.1, 1e-3, 1e-6)


def _bound_2(epsilon: float, n: int, beta: float) -> float:
    """Return the bound on |Z - X| by Hoeffding's inequality, for reports in [-C, C]."""
    return PM(epsilon).bound * sqrt(2 * log(2 / beta) / n)


def _lemma_2() -> Finding:
    def instances() -> Iterator[Instance]:
        for epsilon, n, beta in product(EPSILONS, (1, 10, 10**6), BETAS):
            claimed = CONSTANT_2 * sqrt(log(1 / beta) / n) / epsilon
            exact = _bound_2(epsilon, n, beta)
            where = {"ε": epsilon, "n": n, "β": beta}
            yield Instance(where=where, claimed=claimed, exact=exact, holds=exact <= claimed)

    over = f"{RANGE}, n = 1, 10, 10^6, β = 1/2, 0.1, 10^-3, 10^-6"
    numbers = (
        f"claimed is {CONSTANT_2:g} √ln(1/β) / (ε √n), and exact is the bound of Hoeffding's "
        "inequality"
    )
    return searched(instances(), over, numbers, proof=PAGE)


def _lemma_2_everywhere() -> Finding:
    def instances() -> Iterator[Instance]:
        for power in range(1, 13):
            epsilon = 2.0**power
            beta = exp(-epsilon / 2) / 4  # at most a quarter of the mass of both tails
            law = PM(epsilon).law(0.0)
            claimed = CONSTANT_2 * sqrt(log(1 / beta)) / epsilon
            # P[|t*| > claimed] for a user with t = 0, from the piece below -claimed by symmetry
            beyond = 2 * float(law.cdf(-claimed))
            yield Instance(
                where={"ε": epsilon, "n": 1, "t": 0, "β": beta},
                claimed=beta,
                exact=beyond,
                holds=beyond <= beta,
            )

    over = (
        f"with the constant {CONSTANT_2:g} ({PAGE} shows that other constants "
        "fail, too): n = 1 user with t = 0, ε = 2, 4, 8, ..., 4096 and β = e^(-ε/2)/4"
    )
    numbers = (
        "claimed is β, and exact is the probability that |Z - X| exceeds "
        f"{CONSTANT_2:g} √ln(1/β) / (ε √n)"
    )
    return searched(instances(), over, numbers)


ONE_CONSTANT = "The notation O() does not say for which parameters its constant is the same."
AS_PRINTED_ONLY = (
    "The paper compares with Duchi et al.'s mechanism as printed. Against this mechanism the "
    "statement holds."
)
INNER: tuple[Inner, ...] = ("pm", "hm")


def _numeric(epsilon: float, d: int, inner: Inner) -> Tuples:
    return Tuples(epsilon, Attributes(numeric=d), inner)


def _bound_5(epsilon: float, d: int, n: int, beta: float, inner: Inner) -> float:
    """Return the bound on the largest |Z - X| by Bernstein's inequality for every attribute."""
    tuples = _numeric(epsilon, d, inner)
    length = log(2 * d / beta)
    return sqrt(2 * tuples.worst_variance * length / n) + 2 * (tuples.bound + 1) * length / (3 * n)


def _lemma_5() -> Finding:
    def instances() -> Iterator[Instance]:
        for epsilon, d, beta, inner in product(EPSILONS, (1, 2, 16, 100), BETAS, INNER):
            for users in (1, 100):
                n = ceil(users * d * log(2 * d / beta))
                claimed = CONSTANT_5 * sqrt(d * log(d / beta) / n) / epsilon
                exact = _bound_5(epsilon, d, n, beta, inner)
                where = {"ε": epsilon, "d": d, "β": beta, "n": n, "inner": inner}
                yield Instance(where=where, claimed=claimed, exact=exact, holds=exact <= claimed)

    over = (
        f"{RANGE}, d = 1, 2, 16, 100, β = 1/2, 0.1, 10^-3, 10^-6, PM and HM, n = d ln(2d/β) and "
        "100 times as many"
    )
    numbers = (
        f"claimed is {CONSTANT_5:g} √(d ln(d/β)) / (ε √n), and exact is the bound of Bernstein's "
        "inequality"
    )
    return searched(instances(), over, numbers, proof=PAGE)


def _lemma_5_of_one_user() -> Finding:
    def instances() -> Iterator[Instance]:
        epsilon, beta = 1.0, 0.25
        law = PM(epsilon).law(0.0)  # k = 1: the report is d times this
        for power in range(21):
            d = 2**power
            bound = CONSTANT_5 * sqrt(d * log(d / beta)) / epsilon
            beyond = 2 * float(law.cdf(-bound / d))
            yield Instance(
                where={"d": d, "n": 1, "ε": epsilon, "values": 0},
                claimed=beta,
                exact=beyond,
                holds=beyond <= beta,
            )

    over = (
        f"with the constant {CONSTANT_5:g} ({PAGE} shows that other constants "
        "fail, too): n = 1 user whose values are 0, ε = 1, β = 1/4, PM, d = 1, 2, 4, ..., 2^20"
    )
    numbers = (
        "claimed is β, and exact is the probability that max |Z - X| exceeds "
        f"{CONSTANT_5:g} √(d ln(d/β)) / (ε √n)"
    )
    return searched(instances(), over, numbers)


def _worst_of_mixture(alpha: float, epsilon: float) -> float:
    """Return the worst variance of PM with probability α and Duchi et al.'s mechanism otherwise."""
    # Both variances are linear in t², so the worst is at t = 0 or t = 1.
    pm, duchi = PM(epsilon), Duchi(epsilon)
    return max(
        alpha * float(pm.variance(t)) + (1 - alpha) * float(duchi.variance(t)) for t in (0.0, 1.0)
    )


def _lemma_3() -> Finding:
    def instances() -> Iterator[Instance]:
        for epsilon in (*EPSILONS, EPS_STAR, EPS_STAR * 1.001):
            claimed = HM(epsilon).worst_variance
            others = [_worst_of_mixture(step / 100, epsilon) for step in range(101)]
            yield Instance(
                where={"ε": epsilon, "α": HM(epsilon).alpha},
                claimed=claimed,
                exact=min(others),
                holds=claimed <= min(others) * (1 + SLACK),
            )

    over = f"{RANGE} and near ε*"
    numbers = (
        "claimed is the worst variance with the lemma's α, and exact is the least one with α = 0, "
        "0.01, ..., 1"
    )
    return searched(instances(), over, numbers, proof=PAGE)


def _corollary_1() -> Finding:
    def instances() -> Iterator[Instance]:
        for epsilon in EPSILONS:
            hm, pm, duchi = (each(epsilon).worst_variance for each in (HM, PM, Duchi))
            ordered = hm < min(pm, duchi) if epsilon > EPS_STAR else _near(hm, duchi) and hm < pm
            yield Instance(where={"ε": epsilon}, claimed=min(pm, duchi), exact=hm, holds=ordered)

    numbers = "claimed is the smaller worst variance of PM and Duchi et al., and exact is HM's"
    return searched(instances(), RANGE, numbers, proof=PAGE)


def _lemma_4() -> Finding:
    def instances() -> Iterator[Instance]:
        for d, epsilon, inner in product(range(1, 5), EPSILONS[::2], INNER):
            tuples = _numeric(epsilon, d, inner)
            # A value is reported with probability k/d, and then times d/k: its mean stays.
            means = [tuples.mechanism.law(t).mean for t in VALUES]
            unbiased = all(map(_near, means, VALUES))
            yield Instance(
                where={"d": d, "ε": epsilon, "inner": inner},
                claimed=epsilon,
                exact=tuples.exact_epsilon,
                holds=unbiased and tuples.exact_epsilon <= epsilon * (1 + SLACK),
            )

    over = (
        "d = 1..4 attributes, ε = 1/4, 3/4, ..., 31/4, PM and HM: ε and means of the law of a "
        "report"
    )
    return searched(instances(), over, "claimed and exact are ε", proof=PAGE)


def printed_variances(d: int, epsilon: float, t: float) -> dict[str, float]:
    """Return the variances by Lemma 6: Eq. 13 for Duchi et al., 14 for PM, and 15 for HM."""
    k = printed_k(epsilon, d)
    inner, rate, s = epsilon / k, d / k, exp(epsilon / k / 2)
    if inner > EPS_STAR:
        first = (s + 3) / (3 * s * (s - 1)) + (s * s + 1) ** 2 / (s * (s * s - 1) ** 2)
    else:
        first = tanh(inner / 2) ** -2
    return {
        "Eq. 13": DuchiMulti(epsilon, d, "as-printed").bound ** 2 - t * t,
        "Eq. 14": rate * (s + 3) / (3 * expm1(inner / 2) ** 2)
        + (rate * s / expm1(inner / 2) - 1) * t * t,
        "Eq. 15": rate * first + (rate - 1) * t * t,
    }


def _exact_variances(d: int, epsilon: float, t: float) -> dict[str, float]:
    found = {}
    duchi = DuchiMulti(epsilon, d, "as-printed")
    half = 2 ** (d - 1)  # corners whose first coordinate is low; they come first
    corners = duchi.law_of_tuple([t] * d)
    mean = duchi.bound * float(sum(corners[half:]) - sum(corners[:half]))
    found["Eq. 13"] = duchi.bound**2 - mean**2
    for name, inner in (("Eq. 14", "pm"), ("Eq. 15", "hm")):
        tuples = _numeric(epsilon, d, inner)  # type: ignore[arg-type]
        found[name] = tuples.rate * tuples.mechanism.law(t).second_moment - t * t
    return found


def _lemma_6(whole: bool) -> Finding:
    """Judge Lemma 6; without `whole`, leave out Eq. 15 for ε/k up to ε*."""

    def instances() -> Iterator[Instance]:
        for d, epsilon, t in product(range(2, 6), EPSILONS, (0.0, 0.5, 1.0)):
            mixes = epsilon / printed_k(epsilon, d) > EPS_STAR
            exact = _exact_variances(d, epsilon, t)
            for name, claimed in printed_variances(d, epsilon, t).items():
                if whole or mixes or name != "Eq. 15":
                    yield Instance(
                        where={"d": d, "ε": epsilon, "t": t, "equation": name},
                        claimed=claimed,
                        exact=exact[name],
                        holds=_near(claimed, exact[name]),
                    )

    equations = "Eqs. 13, 14 and 15" if whole else "Eqs. 13, 14 and, if ε/k > ε*, 15"
    over = f"d = 2..5 attributes, {RANGE}, t = 0, 1/2 and 1, {equations}, searched in this order"
    return searched(instances(), over, proof=None if whole else PAGE)


# Budgets for Corollary 2: also small ones, and those just below a jump of k, where k fits worst
WIDE = tuple(
    sorted(
        [0.01, 0.1]
        + [step / 4 for step in range(1, 81)]
        + [2.5 * step - 0.001 for step in range(2, 9)]
    )
)


def _corollary_2(variant: DuchiVariant) -> Finding:
    def instances() -> Iterator[Instance]:
        for d in range(2, 41):
            for epsilon in WIDE:
                duchi = DuchiMulti(epsilon, d, variant).worst_variance
                pm, hm = (_numeric(epsilon, d, inner).worst_variance for inner in INNER)
                yield Instance(
                    where={"d": d, "ε": epsilon, "HM": hm},
                    claimed=duchi,
                    exact=pm,
                    holds=hm < pm < duchi,
                )

    over = (
        "d = 2..40 attributes, ε = 0.01, 0.1, 1/4, 1/2, 3/4, ..., 20, and ε just below 5, 7.5, 10, "
        "..., 20, where k jumps, searched in this order"
    )
    numbers = "claimed is the worst variance of Duchi et al., and exact is PM's"
    return searched(instances(), over, numbers, proof=PAGE if variant == "as-printed" else None)


THEOREMS = (
    definition("wang", "1", "ε-local differential privacy."),
    Theorem(
        paper="wang",
        kind="Lemma",
        number="1",
        statement=(
            "PM is ε-LDP and unbiased, with variance t² / (e^(ε/2) - 1) + (e^(ε/2) + 3) / "
            "(3 (e^(ε/2) - 1)²)."
        ),
        readings=one(_lemma_1),
        command="simnet mechanism pm --epsilon 1 --at 0.5",
    ),
    Theorem(
        paper="wang",
        kind="Lemma",
        number="2",
        statement="With probability 1 - β, PM's mean estimate has an error of O(√log(1/β) / (ε "
        "√n)).",
        readings=(
            Reading(under="one constant for ε <= 8 and β <= 1/2", judge=_lemma_2),
            Reading(
                under="one constant for every ε", judge=_lemma_2_everywhere, disputed=ONE_CONSTANT
            ),
        ),
    ),
    Theorem(
        paper="wang",
        kind="Lemma",
        number="3",
        also="Eqs. 6 and 7",
        statement="HM's worst variance is least if HM uses PM with probability α = 1 - e^(-ε/2) "
        "above ε*, and with α = 0 up to ε*.",
        readings=one(_lemma_3),
    ),
    Theorem(
        paper="wang",
        kind="Corollary",
        number="1",
        statement=(
            "HM's worst variance is below those of PM and Duchi et al. if ε > ε*; otherwise it is "
            "that of Duchi et al., which is below PM's."
        ),
        readings=one(_corollary_1),
        command="simnet reproduce wang_table1",
    ),
    Theorem(
        paper="wang",
        kind="Lemma",
        number="4",
        statement="Algorithm 4 is ε-LDP, and every attribute of its report is unbiased.",
        readings=one(_lemma_4),
    ),
    Theorem(
        paper="wang",
        kind="Lemma",
        number="5",
        statement=(
            "With probability 1 - β, the largest error of Algorithm 4's d means is "
            "O(√(d log(d/β)) / (ε √n))."
        ),
        readings=(
            Reading(under="one constant for ε <= 8, β <= 1/2 and n >= d ln(2d/β)", judge=_lemma_5),
            Reading(
                under="one constant for every n", judge=_lemma_5_of_one_user, disputed=ONE_CONSTANT
            ),
        ),
    ),
    Theorem(
        paper="wang",
        kind="Lemma",
        number="6",
        also="Eqs. 13 to 15",
        statement=(
            "The variances for d attributes of Duchi et al. (Algorithm 3 as printed), PM and HM "
            "are Eqs. 13 to 15."
        ),
        readings=(
            Reading(judge=lambda: _lemma_6(whole=True)),
            Reading(
                under="Eq. 15 only for ε/k > ε*; for smaller ε/k its last term should be -t²",
                judge=lambda: _lemma_6(whole=False),
                mends=True,
            ),
        ),
    ),
    Theorem(
        paper="wang",
        kind="Corollary",
        number="2",
        also="Eq. 16",
        statement=(
            "For every d > 1 and ε, the worst variance of HM is below PM's, and PM's is below "
            "Duchi et al.'s."
        ),
        readings=(
            Reading(
                under="Duchi et al. as printed, which is not ε-LDP for even d",
                judge=lambda: _corollary_2("as-printed"),
            ),
            Reading(
                under="Duchi et al. corrected, with ties in T- only, which is ε-LDP for every d",
                judge=lambda: _corollary_2("corrected"),
                disputed=AS_PRINTED_ONLY,
            ),
        ),
        command="simnet reproduce wang_table1",
    ),
)
