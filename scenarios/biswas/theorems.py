"""Theorems of Biswas, Cormode and Maple: means and variances, as printed and exact.

The module `estimators` explains the letters.
"""

import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import exp, isclose
from typing import Any

import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import Linear, centred, direct, per_report, pooled
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas.estimators import (
    CASES,
    CROWD,
    DRAWN,
    EPSILON,
    FEW,
    OWN,
    PERSONAL,
    SHARED,
    approximate_variance_g,
    approximate_variance_t,
    corrected_variance_c_hat,
    corrected_variance_g,
    corrected_variance_t,
    drawn_variance_g,
    estimated,
    normalised_by_mean,
    normalised_by_reports,
    order_of,
    personal,
    printed_estimate_t,
    printed_variance_c_hat,
    printed_variance_g,
    printed_variance_t,
    sample,
)
from simnet.studies.experiment import Experiment
from simnet.studies.quote import STATED, Counterpart, Quote, Stated
from simnet.studies.readings import quotient
from simnet.studies.statements import exact
from simnet.studies.table import Measure, Table

FEW_CHANCE, SMALL = 0.4, 1e-12
FIXED, INDEPENDENT = "the users' items are fixed", "each user's item is drawn independently"
EPSILONS, SIZES = (0.5, 1.0, 2.0, 4.0), (3, 101)
SHARES, SAMPLINGS = (0.0, 0.01, 0.08, 0.5, 1.0), (0.05, 0.1, 0.4, 0.9)
USERS = 1000


def grid(samplings: Sequence[float]) -> str:
    """The grid with these sampling probabilities, in words."""
    return (
        f"computed at every combination of ε {', '.join(map(str, EPSILONS))}; "
        f"{' and '.join(map(str, SIZES))} items; f {', '.join(map(str, SHARES))}; "
        f"π {', '.join(map(str, samplings))}; {USERS} users. The paper names no points"
    )


GRID = grid(SAMPLINGS)
# The largest π, in steps of 0.001, up to which the mean of c is negative at all points of the grid.
NEGATIVE_UP_TO = 0.018


def everywhere_on_grid(holds: Callable[[SamplingDesign, float], bool]) -> Callable[[Table], Any]:
    """Return a function that gives the share of the points of a grid at which a statement holds.

    `holds` is given what the server knows, and the share f of the users who hold the item. At
    points that the statement is not about, `holds` raises `KeyError`; these points are left out.
    """

    def read(_: Table) -> Counterpart:
        outcomes = []
        for epsilon, items, f, pi in itertools.product(EPSILONS, SIZES, SHARES, SAMPLINGS):
            with suppress(KeyError):
                outcomes.append(holds(SamplingDesign(GRR(epsilon, items), USERS, pi), f))
        return Counterpart(sum(outcomes) / len(outcomes), share=True)

    return read


def is_biased_downwards(known: SamplingDesign, f: float) -> bool:
    """Whether Theorem 2.1 and its proof hold: E[c] ≤ n f π and E[c] < n f."""
    mean = float(direct(known).mean(f))
    return mean <= f * known.common + 1e-12 and mean < f


def is_unbiased(
    made: Callable[[SamplingDesign], Linear],
) -> Callable[[SamplingDesign, float], bool]:
    """Return a function that tells whether the mean of an estimated share is the share f."""
    return lambda known, f: isclose(float(made(known).mean(f)), f, rel_tol=1e-9, abs_tol=1e-12)


def g_is_c_over_pi(known: SamplingDesign, f: float) -> bool:
    """Whether Var(g) = Var(c) / π²."""
    of_c = float(direct(known).variance(f))
    return isclose(float(centred(known).variance(f)), of_c / known.common**2, rel_tol=1e-9)


def g_varies_more(known: SamplingDesign, _: float) -> bool:
    """Whether Var*(g) > Var*(c), which the text says of every π < 1."""
    return centred(known).approximate_variance > direct(known).approximate_variance


def c_hat_varies_at_least_as_much(known: SamplingDesign, f: float) -> bool:
    """Whether Theorem 3.5 holds: Var(ĉ) >= Var(g)."""
    return bool(per_report(known).variance(f) >= centred(known).variance(f))


def in_range_together(made: Linear, other: Linear, f: float) -> bool:
    """Whether the means of two estimates are both between 0 and 1, or both are not."""
    one, two = (-1e-12 <= float(estimator.mean(f)) <= 1 + 1e-12 for estimator in (made, other))
    return one == two


def alike_without_sampling(known: SamplingDesign, _: float) -> bool:
    """Whether Var*(g) = Var*(c) for π = 1."""
    every = with_all_users(known)
    ours = centred(SamplingDesign(known.response, known.users, 1.0))
    return isclose(every.approximate_variance, ours.approximate_variance)


def mean_is_negative(known: SamplingDesign, f: float) -> bool:
    """Whether E[c] < 0 for the smallest π. Raises `KeyError` for a larger π."""
    if known.common > SAMPLINGS[0]:
        raise KeyError("another π")
    return float(direct(known).mean(f)) < 0


def falls_with_sampling(known: SamplingDesign, f: float) -> bool:
    """Whether the variance of g is smaller if the sampling probability is doubled, to at most 1."""
    twice = SamplingDesign(known.response, known.users, min(2 * known.common, 1.0))
    return bool(centred(twice).variance(f) < centred(known).variance(f))


def own_chances(epsilon: float, items: int, pi: float) -> SamplingDesign:
    """Return the design of users of whom half report with probability π, and the others always."""
    return SamplingDesign(GRR(epsilon, items), [USERS // 2, USERS // 2], [pi, 1.0])


def falls_with_epsilon(
    variance: Callable[[Linear, float], float], personal: bool
) -> Callable[..., bool]:
    """Return a function that tells whether a variance is smaller with twice the ε: that of T where
    users have probabilities of their own, if `personal`, and that of c otherwise.
    """

    def falls(known: SamplingDesign, f: float) -> bool:
        response, pi = known.response, known.common
        assert isinstance(response, GRR)
        smaller, larger = (
            pooled(own_chances(epsilon, response.items, pi))
            if personal
            else direct(SamplingDesign(GRR(epsilon, response.items), known.users, pi))
            for epsilon in (2 * response.epsilon, response.epsilon)
        )
        return bool(variance(smaller, f) < variance(larger, f))

    return falls


def pooled_is_centred(known: SamplingDesign, _: float) -> bool:
    """Whether T as printed equals g, if 0, 333 or 1000 reports name the item."""
    _, q, gap = known.chances
    return all(
        isclose(
            printed_estimate_t(known, named),
            (named - known.users * known.common * q) / (known.common * gap),
            rel_tol=1e-9,
            abs_tol=1e-6,
        )
        for named in (0, USERS // 3, USERS)
    )


def with_all_users(known: SamplingDesign) -> Linear:
    """The estimator c of Wang et al., if all users report."""
    return direct(SamplingDesign(known.response, known.users, 1.0))


def printed_third_line(sampling: float) -> float:
    """The third line of Eq. 4 as printed: n q is multiplied by the expected number of reports."""
    known, f = sample(CROWD, sampling), CASES[CROWD].share
    p, q, gap = known.chances
    return known.budget * (f * p + (1 - f) * q - known.users * q) / gap


def supported(all_possible: bool) -> float:
    """The probability p* that a report supports the user's own item, by direct encoding.

    With `all_possible`, the outputs that support an item are all outputs of non-zero probability,
    as the last words of Definition 2.3 say; otherwise an item is supported by itself alone.
    """
    law = GRR(EPSILON, 3).law(1)
    return float(sum(chance for chance in law if chance > 0) if all_possible else law[0])


def direct_encoding_p() -> float:
    """p of Definition 2.4, as printed, for 3 items."""
    return exp(EPSILON) / (exp(EPSILON) + 3 - 1)


def lagrange(budget: int) -> Callable[[Table], Counterpart]:
    """Return a function that gives Var*(T) with equal π_j that add up to `budget`, divided by
    Var*(T) if `budget` of the users always report and the others never.
    """
    equal, few = [budget / ASKED] * ASKED, [1.0] * budget + [0.0] * (ASKED - budget)
    parts = [approximate_variance_t(EPSILON, 5, sampling) for sampling in (equal, few)]
    return lambda _: exact(parts[0] / parts[1])


ASKED = 10  # users, for open question iii


def measured(measure: str, case: str, estimator: str, **at: Any) -> Callable[[Table], Counterpart]:
    """Return a function that reads a mean or a variance of an estimator in a case from a table."""
    return lambda table: Counterpart.of(table.at(measure, case=case, estimator=estimator, **at))


def direct_mean(sampling: float) -> float:
    """The last line of Eq. 4 as printed: the mean of c."""
    known, f = sample(CROWD, sampling), CASES[CROWD].share
    _, q, gap = known.chances
    return known.users * f * sampling - known.users * q * (1 - sampling) / gap


def direct_quote(sampling: float) -> Quote:
    """Return the quote of the last line of Eq. 4: the mean of c."""
    return Quote(
        source("Eq. 4, last line"),
        f"mean of c, 8 % of 50,000 users hold the item, 101 items, ε = 1, π = {sampling:g}",
        lambda _: direct_mean(sampling),
        measured("estimate", CROWD, "c", sampling=sampling),
    )


def limit_of_direct() -> float:
    """The limit of c as π goes to 0, as printed."""
    known = sample(CROWD, SMALL)
    _, q, gap = known.chances
    return known.users * q / gap


def without_reports() -> float:
    """The estimate c if no user reports. As π goes to 0, this case becomes certain."""
    known = sample(CROWD, SMALL)
    return (
        float(direct(known).estimate(np.zeros(CASES[CROWD].items, dtype=np.int64))[0]) * known.users
    )


def reversed_ratio(table: Table) -> Counterpart:
    """The variance of ĉ divided by that of g, for four users with fixed items and π = 0.4."""
    ours, other = (
        table.at("variance", case=FEW, estimator=name, sampling=FEW_CHANCE) for name in ("ĉ", "g")
    )
    return quotient(ours, other)


def mean_of_c_in_example(everybody: bool = False) -> float:
    """The mean of c when 1 % of 1000 users hold the item, a tenth of the users is sampled, and
    there are 100 items.

    With `everybody`, c is computed from the reports of all users.
    """
    known = SamplingDesign(GRR(EPSILON, 100), 1000, 0.1)
    made = with_all_users(known) if everybody else direct(known)
    return float(made.mean(0.01)) * 1000


def drawn_ratio() -> float:
    """The variance of ĉ divided by the variance of g, for 4 users whose items are drawn."""
    known, share = sample(FEW, FEW_CHANCE), CASES[FEW].share
    return float(per_report(known).drawn_variance(share) / centred(known).drawn_variance(share))


def source(theorem: str) -> str:
    """Return where a quote stands: the paper, and its theorem or section."""
    return f"Biswas et al., {theorem}"


HOLDERS = CASES[CROWD].share * len(CASES[CROWD].held)
OWN_HOLDERS = CASES[OWN].share * len(CASES[OWN].held)

P_STAR = "p* of direct encoding with ε = 1 and 3 items, which Remark 1 says is p"
PROOF_OF_ALL = (
    "The proof computes c from the reports of all n users. With this c, the theorem holds."
)
WRONG_WAY = (
    "The reverse is true: ĉ has the smaller variance for every π < 1. The proof forgets that the "
    "count of an item and the number of reports are correlated."
)
QUOTES = (
    Quote(
        source("Definition 2.3 and Remark 1"),
        P_STAR,
        lambda _: direct_encoding_p(),
        lambda _: exact(supported(all_possible=False)),
        under="a report supports no item but the one that it names, as Remark 1 sets",
    ),
    Quote(
        source("Definition 2.3 and Remark 1"),
        P_STAR,
        lambda _: direct_encoding_p(),
        lambda _: exact(supported(all_possible=True)),
        correction=(
            "The support of an item is {i}, as the text says below Definition 2.4. Definition 2.3 "
            "takes all outputs of non-zero probability; then p* = q* = 1."
        ),
        corrected=lambda _: exact(supported(all_possible=False)),
        under="all outputs of non-zero probability support an item, as Definition 2.3 says",
        disputed="In Remark 1 only the output i supports the item i. With this support p* is p, "
        "as another row says.",
    ),
    Quote(
        source("Definition 2.4"),
        "ε of direct encoding with ε = 1 and 3 items: it is ε-LDP",
        Stated(1.0),
        lambda _: exact(GRR(EPSILON, 3).exact_epsilon),
    ),
    *(direct_quote(sampling) for sampling in (0.1, 0.9)),
    Quote(
        source("Eq. 4, below"),
        "mean of c, 8 % of 50,000 users hold the item, 101 items, ε = 1, π = 1: as in Wang et "
        "al., unbiased",
        lambda _: HOLDERS,
        lambda _: exact(float(direct(sample(CROWD, 1.0)).mean(CASES[CROWD].share)) * 50_000),
    ),
    Quote(
        source("Eq. 4, third line"),
        "mean of c, 8 % of 50,000 users hold the item, 101 items, ε = 1, π = 0.1",
        lambda _: printed_third_line(0.1),
        lambda _: exact(float(direct(sample(CROWD, 0.1)).mean(CASES[CROWD].share)) * 50_000),
        correction="The term n q stands outside the product, as in the fourth line.",
        instead=lambda _: direct_mean(0.1),
    ),
    Quote(
        source("Theorem 2.1 and its proof"),
        "for π < 1 the mean of c is at most n f π, and it is not n f",
        STATED,
        everywhere_on_grid(is_biased_downwards),
        points=GRID,
    ),
    Quote(
        source("section 3, below Theorem 3.3"),
        "limit of c as π goes to 0, 8 % of 50,000 users hold the item, 101 items, ε = 1",
        lambda _: limit_of_direct(),
        lambda _: exact(without_reports()),
        correction="The limit is -n q / (p - q). It is negative, as the text says, but the "
        "printed formula is positive.",
        instead=lambda _: -limit_of_direct(),
    ),
    *(
        Quote(
            source(theorem),
            f"mean of {name}, 8 % of 50,000 users hold the item, 101 items, ε = 1, π = 0.1: the "
            "estimator is unbiased",
            Stated(HOLDERS),
            measured("estimate", CROWD, name, sampling=0.1),
        )
        for theorem, name in (("Theorem 3.1", "g"), ("Theorem 3.4", "ĉ"))
    ),
    *(
        Quote(
            source(theorem),
            f"{name} is unbiased",
            STATED,
            everywhere_on_grid(is_unbiased(made)),
            points=GRID,
        )
        for theorem, name, made in (
            ("Theorem 3.1", "g", centred),
            ("Theorem 3.4", "ĉ", per_report),
        )
    ),
    Quote(
        source("Theorem 3.2"),
        "approximate variance, 50,000 users, 101 items, ε = 1, π = 0.1",
        lambda _: approximate_variance_g(CROWD, 0.1),
        lambda _: exact(
            centred(sample(CROWD, 0.1)).approximate_variance * len(CASES[CROWD].held) ** 2
        ),
        under="the approximate variance is that of g, as the left-hand side of the formula says",
    ),
    Quote(
        source("Theorem 3.2"),
        "approximate variance, 50,000 users, 101 items, ε = 1, π = 0.1",
        lambda _: approximate_variance_g(CROWD, 0.1),
        lambda _: exact(
            direct(sample(CROWD, 0.1)).approximate_variance * len(CASES[CROWD].held) ** 2
        ),
        correction="The right formula is π² times the printed one: Var*(c) = π² Var*(g).",
        instead=lambda _: 0.1**2 * approximate_variance_g(CROWD, 0.1),
        under="the approximate variance is that of c, as the sentence before the formula says",
    ),
    Quote(
        source("Theorem 3.2, proof"),
        "the variance of g is that of c divided by π²",
        STATED,
        everywhere_on_grid(g_is_c_over_pi),
        under="the exact variances, fixed items",
        points=GRID,
    ),
    Quote(
        source("Theorem 3.2, proof"),
        "variance of g, 2 of 4 users hold the item, 3 items, ε = 1, π = 0.4",
        lambda _: printed_variance_g(FEW, FEW_CHANCE),
        measured("variance", FEW, "g", sampling=FEW_CHANCE),
        correction=(
            "The expected number is that of the corrected formula, which has f p² + (1 - f) q² in "
            "place of the proof's (f p + (1 - f) q)²."
        ),
        instead=lambda _: corrected_variance_g(FEW, FEW_CHANCE),
        under=FIXED,
    ),
    Quote(
        source("Theorem 3.2, proof"),
        "variance of g, each of 4 users holds the item with probability 1/2, 3 items, ε = 1, "
        "π = 0.4",
        lambda _: printed_variance_g(FEW, FEW_CHANCE),
        lambda _: exact(
            float(centred(sample(FEW, FEW_CHANCE)).drawn_variance(CASES[FEW].share)) * 4**2
        ),
        correction=(
            "The right formula has μ (1 - μ) in place of f p (1 - p) + (1 - f) q (1 - q), with μ "
            "= f p + (1 - f) q."
        ),
        instead=lambda _: drawn_variance_g(FEW, FEW_CHANCE),
        under=INDEPENDENT,
    ),
    Quote(
        source("section 3, below Theorem 3.2"),
        "Var*(g) is larger than Var*(c) for every π < 1",
        STATED,
        everywhere_on_grid(g_varies_more),
        points=GRID,
    ),
    Quote(
        source("section 3, below Theorem 3.2"),
        "Var*(g) equals Var*(c) for π = 1",
        STATED,
        everywhere_on_grid(alike_without_sampling),
        points=grid([1]),
    ),
    Quote(
        source("section 3, below Theorem 3.3"),
        "with a lower sampling probability g has a greater variance: π compared with 2 π, or "
        "with 1 if 2 π is above 1",
        STATED,
        everywhere_on_grid(falls_with_sampling),
        under="the exact variance, fixed items",
        points=GRID,
    ),
    Quote(
        source("section 3, below Theorem 3.3"),
        "for a small sampling probability c is always a negative estimate",
        STATED,
        everywhere_on_grid(mean_is_negative),
        under=f"the mean of c; small: π = {SAMPLINGS[0]:g}",
        why="With a large ε and a large f, n f π is larger than the noise that c subtracts, "
        "because q is small.",
        points=GRID.replace(f"π {', '.join(map(str, SAMPLINGS))}", f"π {SAMPLINGS[0]:g}"),
        disputed=(
            "The text does not say how small π must be, and goes on with the limit for π to 0. "
            f"For π up to {NEGATIVE_UP_TO:g}, the mean of c is negative at all these ε, items and "
            "f."
        ),
    ),
    Quote(
        source("Theorem 3.3"),
        "power of 1/π with which the normalised approximate variance of g grows as π goes to 0",
        "3",
        lambda _: exact(order_of(normalised_by_reports)),
        under="Var*(g / E[S]), with E[S] = n π, as in the proof",
    ),
    Quote(
        source("Theorem 3.3"),
        "power of 1/π with which the normalised approximate variance of g grows as π goes to 0",
        "3",
        lambda _: exact(order_of(normalised_by_mean)),
        under="Var(g) / E[g], as in Definition 3.1",
        why=(
            "The mean of g is n f and does not depend on π, so the power is 1. O(1/(π³ n)) is not "
            "even an upper bound, because this quotient does not fall as n grows. The quotient "
            "also grows without bound as f goes to 0, and Var* is the variance at f = 0."
        ),
        disputed="The proof divides g by the expected number of reports instead, as another row "
        "does.",
    ),
    Quote(
        source("Theorem 3.5, proof"),
        "variance of ĉ, 2 of 4 users hold the item, 3 items, ε = 1, π = 0.4",
        lambda _: printed_variance_c_hat(FEW, FEW_CHANCE),
        measured("variance", FEW, "ĉ", sampling=FEW_CHANCE),
        correction=(
            "The expected number is that of the corrected formula, which subtracts the term with "
            "2 q Cov(N_i, S). The proof forgets this term."
        ),
        instead=lambda _: corrected_variance_c_hat(FEW, FEW_CHANCE),
        under=f"{FIXED}; the exact variance of g stands for Var(g) in the printed formula",
    ),
    Quote(
        source("Theorem 3.5"),
        "variance of ĉ divided by that of g, 2 of 4 users hold the item, 3 items, ε = 1, π = 0.4",
        Stated(1.0),
        reversed_ratio,
        bound="at least",
        why=WRONG_WAY,
        under=FIXED,
    ),
    Quote(
        source("Theorem 3.5"),
        "variance of ĉ divided by that of g, each of 4 users holds the item with probability 1/2, "
        "3 items, ε = 1, "
        "π = 0.4",
        Stated(1.0),
        lambda _: exact(drawn_ratio()),
        bound="at least",
        why=WRONG_WAY,
        under=INDEPENDENT,
    ),
    Quote(
        source("Theorem 3.5"),
        "ĉ has at least the variance of g",
        STATED,
        everywhere_on_grid(c_hat_varies_at_least_as_much),
        under="the exact variances, fixed items",
        why=WRONG_WAY,
        points=GRID,
    ),
    Quote(
        source("Theorem 3.6"),
        f"mean of c where the mean of g is 10: 1 % of 1000 users hold the item, 100 items, ε = "
        f"{EPSILON:g}, π = 0.1",
        Stated(0.0),
        lambda _: exact(mean_of_c_in_example()),
        bound="at least",
        under="the estimate c from the reports of the sampled users, as in Eq. 4",
        why=(
            "The mean of g is always n f, which lies between 0 and n. The mean of c is negative "
            "if f is below q (1 - π) / (π (p - q)), as here. Otherwise neither mean is negative, "
            "as in the row on Eq. 4 with π = 0.9."
        ),
        disputed=PROOF_OF_ALL,
    ),
    Quote(
        source("Theorem 3.6"),
        f"mean of c where the mean of g is 10: 1 % of 1000 users hold the item, 100 items, ε = "
        f"{EPSILON:g}, π = 0.1",
        Stated(0.0),
        lambda _: exact(mean_of_c_in_example(everybody=True)),
        bound="at least",
        under="the estimate c from the reports of all n users, as in Eq. 7 and 10 of the proof",
    ),
    *(
        Quote(
            source("Theorem 3.6"),
            "the means of g and of c both lie between 0 and n, or both do not",
            STATED,
            everywhere_on_grid(holds),
            under=under,
            why="As in the row on the mean of c where the mean of g is 10, c subtracts the noise "
            "of users who stayed silent.",
            points=GRID,
            disputed=disputed,
        )
        for under, holds, disputed in (
            (
                "the estimate c from the reports of the sampled users, as in Eq. 4",
                lambda known, f: in_range_together(centred(known), direct(known), f),
                PROOF_OF_ALL,
            ),
            (
                "the estimate c from the reports of all n users, as in Eq. 7 and 10 of the proof",
                lambda known, f: in_range_together(centred(known), with_all_users(known), f),
                "",
            ),
        )
    ),
    Quote(
        source("Theorem 5.1"),
        "mean of T, each of 4 users holds the item with probability 1/2 (3 items, ε = 1), and has "
        "its own π_j",
        Stated(OWN_HOLDERS),
        measured("estimate", DRAWN, "T"),
        under=f"{INDEPENDENT}, so that the π_j have nothing to do with the items",
    ),
    Quote(
        source("Theorem 5.1"),
        "mean of T, 2 of 4 users hold the item (3 items, ε = 1), and have the largest π_j",
        Stated(OWN_HOLDERS),
        measured("estimate", OWN, "T"),
        under=FIXED,
        why=(
            "T counts a user who reports often more than a user who rarely reports, so it is "
            "biased where the π_j are related to the items. If each report has the weight 1/π_j "
            "(Horvitz and Thompson), the estimate is unbiased."
        ),
        disputed="The text does not say whether the π_j may depend on the items. If they do not, "
        "T is unbiased, as another row says.",
    ),
    Quote(
        source("Theorem 5.1"),
        "Var*(T), 4 users, each with its own π_j, 3 items, ε = 1",
        lambda _: approximate_variance_t(EPSILON, 3, CASES[OWN].chances or ()),
        lambda _: exact(pooled(personal()).approximate_variance * personal().users ** 2),
    ),
    *(
        Quote(
            source("Theorem 5.1, proof"),
            f"variance of T, {holders} (3 items, ε = 1), each has its own π_j, which we put in "
            "place of the proof's π",
            lambda _: printed_variance_t(),
            measured("variance", case, "T"),
            correction="The expected number is that of the corrected formula, which has "
            f"{correction}.",
            instead=corrected,
            under=f"{under}; all three terms of the printed formula stand over its denominator, "
            "although its brackets leave the third term out",
        )
        for case, holders, corrected, under, correction in (
            (
                OWN,
                "half of 4 users hold the item",
                lambda _: corrected_variance_t(drawn=False),
                FIXED,
                "Σ π_j m_j (1 - π_j m_j) in place of the printed sum, where m_j is p for a user "
                "who holds the item and q for another user",
            ),
            (
                DRAWN,
                "4 users, of whom each holds the item with probability 1/2",
                lambda _: corrected_variance_t(drawn=True),
                INDEPENDENT,
                "μ (1 - μ) in place of f p (1 - p) + (1 - f) q (1 - q), with μ = f p + (1 - f) q",
            ),
        )
    ),
    Quote(
        source("Remark 2"),
        "Var*(T) divided by Var*(g), all π_j = 0.4, 4 users, 3 items, ε = 1",
        Stated(1.0),
        lambda _: exact(
            approximate_variance_t(EPSILON, 3, [FEW_CHANCE] * 4)
            / (centred(sample(FEW, FEW_CHANCE)).approximate_variance * 4**2)
        ),
    ),
    Quote(
        source("Remark 2"),
        "Var*(T) divided by the Var*(c) of Wang et al., where all users report, 4 users, 3 items, "
        "ε = 1",
        Stated(1.0),
        lambda _: exact(
            approximate_variance_t(EPSILON, 3, [1.0] * 4)
            / (GRR(EPSILON, 3).variance(0.0, 4) * 4**2)
        ),
    ),
    Quote(
        source("Theorem 5.1, proof"),
        "T is g where all π_j are equal",
        STATED,
        everywhere_on_grid(pooled_is_centred),
        points=f"{GRID}; none, a third and all of {USERS} reports name the item",
    ),
    *(
        Quote(
            source("section 6, ii"),
            f"a higher ε makes a better variance bound of {name}: 2 ε compared with ε",
            STATED,
            everywhere_on_grid(falls_with_epsilon(variance, personal)),
            under=under,
            points=f"{GRID}; half of the users have this π, and the others report always"
            if personal
            else GRID,
        )
        for name, personal in (("c", False), ("T", True))
        for under, variance in (
            (f"better: a smaller Var*({name})", lambda made, _: made.approximate_variance),
            (
                f"better: a smaller exact variance of {name}, fixed items",
                lambda made, f: float(made.variance(f)),
            ),
        )
    ),
    *(
        Quote(
            source("section 6, iii"),
            "Var*(T) at the stationary point of Lagrange's method, where all π_j are equal, "
            f"divided by Var*(T) where {budget} of {ASKED} users always report and the others "
            "never; 5 items, ε = 1",
            Stated(1.0),
            lagrange(budget),
            bound="at most",
            under=under,
            why=(
                "The text asks an open question, and says that this approach 'would enable us to "
                "find' the minimum. The stationary point is the maximum, because Var*(T) falls as "
                "Σ π_j² grows. At the minimum the same users are always asked. Then T is biased, "
                "unless the same share of them holds the item as of all users; Var* does not show "
                "this."
            ),
            disputed="The text only asks whether techniques like Lagrange's could find the "
            "minimum.",
        )
        for budget, under in (
            (1, "the π_j add up to 1, as a probability distribution"),
            (4, "the π_j add up to the expected number of reports, here 4"),
        )
    ),
)

EXPERIMENT = Experiment(
    summary="Means and variances of estimators of one item, as printed and exact",
    source="Biswas et al., sections 2, 3, 5 and 6",
    trial=estimated,
    grid=[
        {"case": [CROWD], "sampling": [0.1, 0.9], "estimator": list(SHARED)},
        {"case": [FEW], "sampling": [FEW_CHANCE], "estimator": list(SHARED)},
        {"case": [OWN, DRAWN], "estimator": list(PERSONAL)},
    ],
    measures=[
        Measure("estimate", "estimated count", "expected_estimate"),
        Measure("variance", "variance", "expected_variance", "deviation_variance"),
    ],
    trials=100,
    quick_trials=10,
    choices=(
        (
            "The text has formulas only, so the numbers are ours. Where a row names no other ε, ε "
            "is 1. The trials have two populations: 50,000 users, of whom 8 % hold the item, with "
            "101 items; and four users with 3 items, who hold the items 1, 1, 2 and 3. The four "
            "users all have π = 0.4, or they have the probabilities 0.9, 0.8, 0.2 and 0.1. Other "
            "populations are only computed."
        ),
        f"A trial repeats the collection {CASES[CROWD].repetitions} times for the 50,000 users and "
        f"{CASES[FEW].repetitions} times for four users, and averages.",
        f"A small sampling probability is π = {SAMPLINGS[0]:g}.",
        "The users' items are fixed in most rows. Where a row says that each of 4 users holds the "
        "item with probability 1/2, their items are drawn anew for each collection: item 1 with "
        "probability 1/2, items 2 and 3 with 1/4 each.",
    ),
    quotes=QUOTES,
    cost=lambda _: 0.02,
)
