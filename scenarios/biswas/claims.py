"""What Biswas et al. claim on means and variances of estimators of one item.

Where nothing else is said, the users' items are fixed. *Few* is a population of 4 users, of whom 2
hold the item, with 3 items, ε = 1 and π = 0.4; *own* are the same users with π_j of 0.9, 0.8 (the
holders), 0.2 and 0.1; *crowd* are 50,000 users, of whom 8 % hold the item, with 101 items.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from math import isclose, log

import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import Linear, centred, direct, per_report, pooled
from protocols.sampled_frequency.sampling_design import SamplingDesign
from simnet.studies.paper_claim import STATED, PaperClaim, Stated
from simnet.studies.search import Instance, Search, searched

USERS = 1000
EPSILONS, SIZES = (0.5, 1.0, 2.0, 4.0), (3, 101)
SHARES, SAMPLINGS = (0.0, 0.01, 0.08, 0.5, 1.0), (0.05, 0.1, 0.4, 0.9)
FEW, FEW_SHARE = SamplingDesign(GRR(1.0, 3), 4, 0.4), 0.5
OWN_CHANCES = (0.9, 0.8, 0.2, 0.1)
OWN = SamplingDesign.of_each(GRR(1.0, 3), np.array(OWN_CHANCES))
CROWD_SHARE = 0.08
POWERS, QUARTERS = (1.5, 2.0, 3.0), (0.25, 0.5, 0.75)
CLOSE = 1e-9
AT_FEW = "2 of 4 users hold the item, 3 items, ε = 1, π = 0.4"
AT_CROWD = "8 % of 50,000 users hold the item, 101 items, ε = 1"


def crowd(sampling: float) -> SamplingDesign:
    """Return the collection from the crowd."""
    return SamplingDesign(GRR(1.0, 101), 50_000, sampling)


def on_grid(
    holds: Callable[[SamplingDesign, float], bool], samplings: Sequence[float] = SAMPLINGS
) -> Callable[[], float]:
    """Return the law that computes at which share of a grid of ε, items, shares of holders and π a
    statement holds.
    """

    def share() -> float:
        found = [
            holds(SamplingDesign(GRR(epsilon, items), USERS, pi), f)
            for epsilon, items, f, pi in product(EPSILONS, SIZES, SHARES, samplings)
        ]
        return sum(found) / len(found)

    return share


def small_populations() -> Iterator[tuple[dict[str, object], SamplingDesign, float]]:
    """Yield up to 3 users with 2 or 3 items, in this order: n, m, π, e^ε, holders."""
    for n, m, pi, power in product((1, 2, 3), (2, 3), QUARTERS, POWERS):
        for holders in range(n + 1):
            where: dict[str, object] = {"n": n, "m": m, "π": pi}
            where |= {"e^ε": power, "holders": holders}
            yield where, SamplingDesign(GRR(log(power), m), n, pi), holders / n


OVER = "n = 1..3 users, m = 2, 3 items, π = 1/4, 1/2, 3/4, e^ε = 3/2, 2, 3, every number of holders"


def mean_of(made: Callable[[SamplingDesign], Linear], unbiased: bool = True) -> Search:
    """Judge whether an estimator is unbiased, or biased, in all small populations."""

    def instances() -> Iterator[Instance]:
        for where, known, f in small_populations():
            mean, n = float(made(known).mean(f)), known.users
            same = isclose(mean, f, rel_tol=CLOSE, abs_tol=1e-12)
            yield Instance(where=where, claimed=n * f, exact=n * mean, holds=same == unbiased)

    return searched(instances(), OVER, "claimed is the number of holders, exact the mean")


def per_report_varies_more() -> Search:
    """Compare the variance of ĉ with that of g (Theorem 3.5)."""

    def instances() -> Iterator[Instance]:
        for where, known, f in small_populations():
            square = known.users**2
            claimed, exact = (
                float(made(known).variance(f)) * square for made in (centred, per_report)
            )
            holds = exact >= claimed * (1 - CLOSE)
            yield Instance(where=where, claimed=claimed, exact=exact, holds=holds)

    return searched(instances(), OVER, "claimed is Var(g), the lower bound, and exact is Var(ĉ)")


def in_range_together(everybody: bool) -> Search:
    """Judge whether the means of g and c lie between 0 and n together (Theorem 3.6)."""

    def instances() -> Iterator[Instance]:
        for where, known, f in small_populations():
            whole = SamplingDesign(known.response, known.users, 1.0)
            one, other = centred(known), direct(whole if everybody else known)
            ours, theirs = (float(made.mean(f)) * known.users for made in (one, other))
            inside = [-1e-9 <= mean <= known.users + 1e-9 for mean in (ours, theirs)]
            yield Instance(where=where, claimed=ours, exact=theirs, holds=inside[0] == inside[1])

    return searched(instances(), OVER, "claimed is the mean of g, and exact that of c")


def approximate(known: SamplingDesign) -> float:
    """Return Var*(g) as printed: n (q - q² π) / ((p - q)² π)."""
    _, q, gap = known.chances
    return known.users * (q - q**2 * known.common) / (gap**2 * known.common)


def approximate_pooled(epsilon: float, items: int, sampling: Sequence[float]) -> float:
    """Return Var*(T) as printed: n² Σ q π_j (1 - q π_j) / ((Σ π_j)² (p - q)²)."""
    p, q = (float(chance) for chance in GRR(epsilon, items).exact_chances)
    chances = np.asarray(sampling, dtype=np.float64)
    terms = q * chances * (1 - q * chances)
    return float(len(chances) ** 2 * terms.sum() / (chances.sum() * (p - q)) ** 2)


def printed_variance_g() -> float:
    """Return Var(g) for the few users, as in the proof of Theorem 3.2."""
    (p, q, gap), pi, f = FEW.chances, FEW.common, FEW_SHARE
    noise, mean = f * p * (1 - p) + (1 - f) * q * (1 - q), f * p + (1 - f) * q
    return float(FEW.users * (noise + mean**2 * (1 - pi)) / (pi * gap**2))


def corrected_variance_g() -> float:
    """Return Var(g) for the few users, with f p² + (1 - f) q² in place of the squared mean."""
    (p, q, gap), pi, f = FEW.chances, FEW.common, FEW_SHARE
    noise, square = f * p * (1 - p) + (1 - f) * q * (1 - q), f * p**2 + (1 - f) * q**2
    return float(FEW.users * (noise + square * (1 - pi)) / (pi * gap**2))


def variance(made: Callable[[SamplingDesign], Linear], known: SamplingDesign) -> float:
    """Return the exact variance of an estimated count of half of the users."""
    return float(made(known).variance(FEW_SHARE)) * known.users**2


def printed_variance_c_hat() -> float:
    """Return Var(ĉ) for the few users, as in the proof of Theorem 3.5."""
    (_, q, gap), pi = FEW.chances, FEW.common
    return variance(centred, FEW) + FEW.users * (1 - pi) * q**2 / (pi * gap**2)


def corrected_variance_c_hat() -> float:
    """Return Var(ĉ) for the few users, with the covariance that the proof forgets."""
    (p, q, gap), pi, f = FEW.chances, FEW.common, FEW_SHARE
    covariance = FEW.users * pi * (1 - pi) * (f * p + (1 - f) * q)
    return float(printed_variance_c_hat() - 2 * q * covariance / (pi * gap) ** 2)


def printed_variance_t() -> float:
    """Return Var(T) for the users with their own π_j, as in the proof of Theorem 5.1, with its
    bracket corrected and π_j in place of π.
    """
    (p, q, gap), pi, f = OWN.chances, OWN.sampling, FEW_SHARE
    noise, mean = f * p * (1 - p) + (1 - f) * q * (1 - q), f * p + (1 - f) * q
    terms = pi * (1 - pi) * (noise + mean**2) + pi**2 * noise
    return float(OWN.users**2 * terms.sum() / (OWN.budget * gap) ** 2)


def corrected_variance_t() -> float:
    """Return Var(T) for these users: n² Σ π_j m_j (1 - π_j m_j) / ((Σ π_j)² (p - q)²), where m_j is
    p for a holder and q for others.
    """
    (p, q, gap), pi = OWN.chances, OWN.sampling
    named = np.array([p, p, q, q])
    return float(OWN.users**2 * np.sum(pi * named * (1 - pi * named)) / (OWN.budget * gap) ** 2)


def mean_of_direct(sampling: float) -> float:
    """Return the mean of c for the crowd by the last line of Eq. 4."""
    known = crowd(sampling)
    _, q, gap = known.chances
    return known.users * (CROWD_SHARE * sampling - q * (1 - sampling) / gap)


def third_line(sampling: float) -> float:
    """Return the mean of c for the crowd by the third line of Eq. 4, as printed."""
    known, f = crowd(sampling), CROWD_SHARE
    p, q, gap = known.chances
    return known.budget * (f * p + (1 - f) * q - known.users * q) / gap


def exact_mean_of_direct(sampling: float) -> float:
    """Return the exact mean of c for the crowd."""
    return float(direct(crowd(sampling)).mean(CROWD_SHARE)) * 50_000


def limit_of_direct() -> float:
    """Return n q / (p - q) for the crowd."""
    _, q, gap = crowd(0.5).chances
    return 50_000 * q / gap


def order_of(normalised: Callable[[float], float]) -> float:
    """Return the power of 1/π with which a function grows as π goes to 0."""
    return float(np.log(normalised(1e-7) / normalised(1e-6)) / np.log(10))


def by_reports(sampling: float) -> float:
    """Return Var*(g / E[S]), as the proof of Theorem 3.3 normalises."""
    return centred(crowd(sampling)).approximate_variance / sampling**2


def by_mean(sampling: float) -> float:
    """Return Var(g) / E[g], as Definition 3.1 normalises, up to a constant factor."""
    made = centred(crowd(sampling))
    return float(made.variance(CROWD_SHARE) / made.mean(CROWD_SHARE))


def falls_with_epsilon(personal: bool) -> Callable[[SamplingDesign, float], bool]:
    """Return the statement that 2 ε makes smaller variances than ε, approximate and exact."""

    def made(epsilon: float, items: int, pi: float) -> Linear:
        if not personal:
            return direct(SamplingDesign(GRR(epsilon, items), USERS, pi))
        return pooled(SamplingDesign(GRR(epsilon, items), [USERS // 2] * 2, [pi, 1.0]))

    def falls(known: SamplingDesign, f: float) -> bool:
        response = known.response
        assert isinstance(response, GRR)
        one, two = (
            made(times * response.epsilon, response.items, known.common) for times in (1, 2)
        )
        smaller = two.approximate_variance < one.approximate_variance
        return bool(smaller and two.variance(f) < one.variance(f))

    return falls


CLAIMS: Sequence[PaperClaim] = (
    PaperClaim(
        "Remark 1",
        "Definitions 2.3 and 2.4, Remark 1",
        "Direct encoding is ε-LDP, and with Support(i) = {i} it is pure with p* = p; ε = 1, 3 "
        "items",
        "0.5761",
        lambda: float(GRR(1.0, 3).exact_chances[0]),
        why="If Definition 2.3 is read so that all possible outputs support an item, p* = q* = 1.",
    ),
    *(
        PaperClaim(
            f"Eq. 4, π = {pi:g}",
            "Eq. 4, last line",
            f"Mean of c, {AT_CROWD}",
            partial(mean_of_direct, pi),
            partial(exact_mean_of_direct, pi),
        )
        for pi in (0.1, 0.9)
    ),
    PaperClaim(
        "Eq. 4, third line",
        "Eq. 4, third line",
        f"Mean of c, {AT_CROWD}, π = 0.1",
        partial(third_line, 0.1),
        partial(exact_mean_of_direct, 0.1),
        correction="The term n q stands outside the product, as in the fourth line.",
        instead=partial(mean_of_direct, 0.1),
        check="by hand: the third line has n π (… - n q), the fourth n π (…) - n q",
    ),
    PaperClaim(
        "Theorem 2.1",
        "Theorem 2.1, Eq. 4",
        "If users report with a probability π < 1, the estimator c is biased; for π = 1 it is not",
        law=lambda: mean_of(direct, unbiased=False),
        proved=True,
    ),
    PaperClaim(
        "Limit of c",
        "section 3, below Theorem 3.3",
        f"The limit of c as π goes to 0, {AT_CROWD}: n q / (p - q)",
        limit_of_direct,
        lambda: -limit_of_direct(),
        correction="The limit is -n q / (p - q); the text itself calls it negative.",
        instead=lambda: -limit_of_direct(),
        check="by hand: with no report, c = (0 - n q) / (p - q)",
    ),
    *(
        PaperClaim(
            theorem,
            theorem,
            f"If users report with a common probability π, {name} is unbiased",
            law=partial(mean_of, made),
            proved=True,
        )
        for theorem, name, made in (("Theorem 3.1", "g", centred), ("Theorem 3.4", "ĉ", per_report))
    ),
    PaperClaim(
        "Theorem 3.2",
        "Theorem 3.2",
        f"Var*(g) = n (q - q² π) / ((p - q)² π), {AT_CROWD}, π = 0.1",
        lambda: approximate(crowd(0.1)),
        lambda: centred(crowd(0.1)).approximate_variance * 50_000**2,
        why="The sentence before the formula speaks of c; Var*(c) is π² times this number.",
        proved=True,
    ),
    PaperClaim(
        "Theorem 3.2, quotient",
        "Theorem 3.2, proof",
        "The variance of g is that of c divided by π²",
        law=on_grid(
            lambda known, f: isclose(
                float(centred(known).variance(f)),
                float(direct(known).variance(f)) / known.common**2,
                rel_tol=CLOSE,
            )
        ),
    ),
    PaperClaim(
        "Theorem 3.2, proof",
        "Theorem 3.2, proof",
        f"The variance of g, {AT_FEW}",
        printed_variance_g,
        lambda: variance(centred, FEW),
        correction="It has f p² + (1 - f) q² in place of (f p + (1 - f) q)².",
        instead=corrected_variance_g,
        why="If each user's item is drawn independently, it is 25.03.",
        check="by hand: the 4 reports are independent; holders name the item with probability π p",
    ),
    PaperClaim(
        "Var*(g) and Var*(c)",
        "section 3, below Theorem 3.2",
        "Var*(g) is larger than Var*(c) for every π < 1, and equal for π = 1",
        law=on_grid(
            lambda known, _: (
                centred(known).approximate_variance > direct(known).approximate_variance
            )
        ),
    ),
    PaperClaim(
        "g, low π",
        "section 3, below Theorem 3.3",
        "With a lower sampling probability g has a greater variance",
        law=on_grid(
            lambda known, f: bool(
                centred(known).variance(f)
                > centred(
                    SamplingDesign(known.response, known.users, min(2 * known.common, 1.0))
                ).variance(f)
            )
        ),
    ),
    PaperClaim(
        "c, negative",
        "section 3, below Theorem 3.3",
        "For a small sampling probability c is always a negative estimate, on average; π = 0.05",
        STATED,
        on_grid(lambda known, f: float(direct(known).mean(f)) < 0, (0.05,)),
        condition="It holds for still smaller π: up to 0.018 at these ε, items and shares f.",
        under=on_grid(lambda known, f: float(direct(known).mean(f)) < 0, (0.018,)),
        why="With a large ε and a large f, n f π is larger than the noise that c subtracts.",
    ),
    PaperClaim(
        "Theorem 3.3",
        "Theorem 3.3, Definition 3.1",
        "The normalised approximate variance of g grows like 1/π³ as π goes to 0: the power",
        "3",
        lambda: order_of(by_mean),
        condition="It holds if g is divided by E(S) = n π, as in the proof.",
        under=lambda: order_of(by_reports),
        why="Definition 3.1 divides Var(g) by E(g) = n f, which has no π in it: then the power "
        "is 1, and the quotient does not fall as n grows.",
        check="by hand: E(g) = n f (Theorem 3.1)",
        top="Theorem 3.3 needs another normalisation than its Definition 3.1.",
    ),
    PaperClaim(
        "Theorem 3.5",
        "Theorem 3.5",
        "Var(ĉ) is at least Var(g): g gives the better estimate",
        law=per_report_varies_more,
        why="The reverse is true: Var(ĉ) < Var(g) for every π < 1. The proof forgets that the "
        "count of an item and the number of reports are correlated.",
        check="by hand: p = 0.6, q = 0.4; Var(ĉ) = π q (1 - q)/(π (p - q))², and Var(g) = "
        "π q (1 - π q)/(π (p - q))²",
        top="Theorem 3.5 is false, and its reverse is true: ĉ varies less than g.",
    ),
    PaperClaim(
        "Theorem 3.5, proof",
        "Theorem 3.5, proof",
        f"The variance of ĉ, {AT_FEW}, with the exact Var(g)",
        printed_variance_c_hat,
        lambda: float(per_report(FEW).variance(FEW_SHARE)) * 16,
        correction="The term 2 q Cov(N_i, S) / (π (p - q))² is to be subtracted.",
        instead=corrected_variance_c_hat,
        check="by hand: Var(A - q S) = Var(A) + q² Var(S) - 2 q Cov(A, S)",
    ),
    PaperClaim(
        "Theorem 3.6",
        "Theorem 3.6",
        "On average, 0 <= g(i) <= n if and only if 0 <= c(i) <= n",
        law=lambda: in_range_together(everybody=False),
        condition="It holds if c is computed from the reports of all n users, as in the proof.",
        under=lambda: in_range_together(everybody=True),
        why="From the sampled reports, as in Eq. 4, c subtracts the noise of silent users: with "
        "1 % of 1000 users, 100 items, ε = 1 and π = 0.1, g has the mean 10 and c -522.8.",
        check="by hand: p = 0.6, q = 0.4; c = (A - n q)/(p - q) has the mean (π q - q)/(p - q)",
        top="Theorem 3.6 fails for c from sampled reports, which the paper calls c elsewhere.",
    ),
    PaperClaim(
        "Theorem 5.1",
        "Theorem 5.1",
        "T is unbiased: the mean for 2 holders of 4, with π_j of 0.9, 0.8, 0.2, 0.1",
        Stated(2.0),
        lambda: float(pooled(OWN).mean([[1.0], [1.0], [0.0], [0.0]])[0]) * 4,
        condition="It holds if the π_j have nothing to do with the items, such as for drawn items.",
        under=lambda: float(pooled(OWN).mean(FEW_SHARE)) * 4,
        why="T counts users who report often more than others. With the weight 1/π_j for each "
        "report (Horvitz and Thompson) the estimate is unbiased.",
        check="by hand: the mean of T is n Σ_holders π_j / Σ π_j = 4 · (0.9 + 0.8)/2",
        top="Theorem 5.1: T is biased where the π_j are related to the items (3.4 for 2 holders).",
    ),
    PaperClaim(
        "Theorem 5.1, Var*",
        "Theorem 5.1",
        "Var*(T), 4 users with these π_j, 3 items, ε = 1",
        lambda: approximate_pooled(1.0, 3, OWN_CHANCES),
        lambda: pooled(OWN).approximate_variance * 16,
        proved=True,
    ),
    PaperClaim(
        "Theorem 5.1, proof",
        "Theorem 5.1, proof",
        "The variance of T, 2 holders of 4 with these π_j, 3 items, ε = 1; π_j in place of π",
        printed_variance_t,
        lambda: float(pooled(OWN).variance([[1.0], [1.0], [0.0], [0.0]])[0]) * 16,
        correction="It has Σ π_j m_j (1 - π_j m_j), where m_j is p for a holder and q for others.",
        instead=corrected_variance_t,
        why="If each user's item is drawn independently, it is 16.74. In print the brackets leave "
        "the third term out.",
        check="by hand: the reports are independent, and user j names the item with π_j m_j",
    ),
    PaperClaim(
        "Remark 2",
        "Remark 2",
        "For equal π_j, Var*(T) is Var*(g), and for π_j = 1 that of Wang et al.: the quotients",
        Stated(1.0),
        lambda: max(
            approximate_pooled(1.0, 3, [0.4] * 4) / (centred(FEW).approximate_variance * 16),
            approximate_pooled(1.0, 3, [1.0] * 4) / (GRR(1.0, 3).variance(0.0, 4) * 16),
        ),
    ),
    *(
        PaperClaim(
            f"Higher ε, {name}",
            "section 6, ii",
            f"A higher ε makes a better variance bound of {name}: 2 ε compared with ε",
            law=on_grid(falls_with_epsilon(personal)),
        )
        for name, personal in (("c", False), ("T", True))
    ),
)
