"""Theorems of Biswas, Cormode and Maple: means and variances, as printed and exact."""

from collections.abc import Callable
from typing import Any

import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.sampled_frequency.estimators import centred, direct, pooled
from protocols.sampled_frequency.mechanism import channel_epsilon
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas.estimators import (
    CASES,
    CROWD,
    EPSILON,
    FEW,
    OWN,
    PERSONAL,
    SHARED,
    approximate_variance_g,
    approximate_variance_t,
    corrected_variance_c_hat,
    corrected_variance_g,
    estimated,
    order_in_sampling,
    personal,
    printed_variance_c_hat,
    printed_variance_g,
    sample,
)
from simnet.studies.experiment import Experiment
from simnet.studies.quote import Counterpart, Quote
from simnet.studies.readings import quotient
from simnet.studies.statements import exact
from simnet.studies.table import Measure, Table

FEW_CHANCE, SMALL = 0.4, 1e-12


def measured(measure: str, case: str, estimator: str, **at: Any) -> Callable[[Table], Counterpart]:
    """Return a function that reads a mean or a variance of an estimator in a case from a table."""
    return lambda table: Counterpart.of(table.at(measure, case=case, estimator=estimator, **at))


def direct_mean(sampling: float) -> float:
    """Eq. 4 as printed: the mean of c."""
    known, f = sample(CROWD, sampling), CASES[CROWD].share
    _, q, gap = known.chances
    return known.users * f * sampling - known.users * q * (1 - sampling) / gap


def direct_quote(sampling: float) -> Quote:
    """The quote of Eq. 4: the mean of c."""
    return Quote(
        source("Eq. 4"),
        f"mean of c, 8 % of 50,000 users, π={sampling:g}",
        lambda _: direct_mean(sampling),
        measured("estimate", CROWD, "c", sampling=sampling),
    )


def limit_of_direct() -> float:
    """The limit of c as π goes to 0, as printed."""
    known = sample(CROWD, SMALL)
    _, q, gap = known.chances
    return known.users * q / gap


def without_reports() -> float:
    """The estimate of c when no user reports, which becomes certain as π goes to 0."""
    known = sample(CROWD, SMALL)
    return (
        float(direct(known).estimate(np.zeros(CASES[CROWD].items, dtype=np.int64))[0]) * known.users
    )


def reversed_ratio(table: Table) -> Counterpart:
    """The variance of ĉ divided by that of g, for the case of four users."""
    ours, other = (table.at("variance", case=FEW, estimator=name) for name in ("ĉ", "g"))
    return quotient(ours, other)


def mean_of_c_in_example() -> float:
    """The mean of c when 1 % of 1000 users hold the item, a tenth is sampled, and there are 100
    items.

    The mean of g is 10 there.
    """
    return float(direct(SamplingDesign(GRR(EPSILON, 100), 1000, 0.1)).mean(0.01)) * 1000


def source(theorem: str) -> str:
    """Return the heading for the quotes of a theorem or section."""
    return f"Biswas et al., {theorem}"


HOLDERS = CASES[CROWD].share * len(CASES[CROWD].held)
OWN_HOLDERS = CASES[OWN].share * len(CASES[OWN].held)

EXPERIMENT = Experiment(
    summary="Means and variances of estimators of one item, as printed and exact",
    source="Biswas et al., sections 2, 3 and 5",
    trial=estimated,
    grid=[
        {"case": [CROWD], "sampling": [0.1, 0.9], "estimator": list(SHARED)},
        {"case": [FEW], "sampling": [FEW_CHANCE], "estimator": list(SHARED)},
        {"case": [OWN], "estimator": list(PERSONAL)},
    ],
    measures=[
        Measure("estimate", "estimated count", "expected_estimate"),
        Measure("variance", "variance", "expected_variance", "deviation_variance"),
    ],
    trials=20,
    quick_trials=10,
    choices=(
        (
            "ε = 1; 8 % of 50,000 users and 101 items; four users who hold the items 1, 1, "
            "2 and 3 of 3 items, all with π = 0.4, or with the probabilities 0.9, 0.8, 0.2 "
            "and 0.1; the text has formulas only"
        ),
        "the users' items are fixed, not drawn",
    ),
    quotes=[
        *(direct_quote(sampling) for sampling in (0.1, 0.9)),
        Quote(
            source("section 3"),
            "limit of c as π goes to 0, 8 % of 50,000 users",
            lambda _: limit_of_direct(),
            lambda _: exact(without_reports()),
            correction="-n q / (p - q): negative, as the text says and its formula does not",
            instead=lambda _: -limit_of_direct(),
        ),
        *(
            Quote(
                source(theorem),
                f"mean of {name}, 8 % of 50,000 users, π=0.1",
                lambda _: HOLDERS,
                measured("estimate", CROWD, name, sampling=0.1),
            )
            for theorem, name in (("Theorem 3.1", "g"), ("Theorem 3.4", "ĉ"))
        ),
        Quote(
            source("Theorem 3.2"),
            "Var*(g), 50,000 users, π=0.1",
            lambda _: approximate_variance_g(CROWD, 0.1),
            lambda _: exact(
                centred(sample(CROWD, 0.1)).approximate_variance * len(CASES[CROWD].held) ** 2
            ),
        ),
        Quote(
            source("Theorem 3.2, proof"),
            "variance of g, 2 of 4 users",
            lambda _: printed_variance_g(FEW, FEW_CHANCE),
            measured("variance", FEW, "g"),
            correction="f p² + (1 - f) q² in place of the proof's (f p + (1 - f) q)²",
            instead=lambda _: corrected_variance_g(FEW, FEW_CHANCE),
        ),
        Quote(
            source("Theorem 3.3"),
            "power of 1/π that the normalised variance of g goes with",
            "3",
            lambda _: exact(order_in_sampling()),
            correction="g already estimates n f: the variance of g / n goes with 1 / (π n)",
            instead=lambda _: 1.0,
        ),
        Quote(
            source("Theorem 3.5, proof"),
            "variance of ĉ, 2 of 4 users",
            lambda _: printed_variance_c_hat(FEW, FEW_CHANCE),
            measured("variance", FEW, "ĉ"),
            correction="minus the term with 2 q Cov(N_i, S), which the proof forgets",
            instead=lambda _: corrected_variance_c_hat(FEW, FEW_CHANCE),
        ),
        Quote(
            source("Theorem 3.5"),
            "variance of ĉ over that of g, 2 of 4 users",
            lambda _: 1.0,
            reversed_ratio,
            bound="at least",
            why="it is the other way round: ĉ has the smaller variance for every π < 1",
        ),
        Quote(
            source("Theorem 3.6"),
            "mean of c, 1 % of 1000 users, 100 items, π=0.1, where that of g is in 0..n",
            lambda _: 0.0,
            lambda _: exact(mean_of_c_in_example()),
            bound="at least",
            why="the mean of g is 10 there, and that of c is negative",
        ),
        Quote(
            source("Theorem 5.1"),
            "mean of T, 2 of 4 users, each with its own π_j",
            lambda _: OWN_HOLDERS,
            measured("estimate", OWN, "T"),
            correction=(
                "with each report weighted by 1/π_j (Horvitz and Thompson); T is biased where "
                "the π_j depend on the values"
            ),
            corrected=measured("estimate", OWN, "Horvitz-Thompson"),
        ),
        Quote(
            source("Theorem 5.1"),
            "Var*(T), 4 users, each with its own π_j",
            lambda _: approximate_variance_t(),
            lambda _: exact(pooled(personal()).approximate_variance * personal().users ** 2),
        ),
        Quote(
            source("section 6, i"),
            ("ε where the π_j depend on the values, 3 items, ε=1, probabilities 0.9, 0.1, 0.5"),
            lambda _: EPSILON,
            lambda _: exact(channel_epsilon(EPSILON, 3, (0.9, 0.1, 0.5))),
            bound="at most",
            why="silence then depends on the value: the actual ε is ε + ln 9",
        ),
    ],
    cost=lambda _: 0.02,
)
