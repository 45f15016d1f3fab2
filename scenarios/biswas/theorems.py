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
    """A mean or a variance of an estimator in a case."""
    return lambda table: Counterpart.of(table.at(measure, case=case, estimator=estimator, **at))


def direct_mean(sampling: float) -> float:
    """Eq. 4 as printed: the mean of c."""
    known, f = sample(CROWD, sampling), CASES[CROWD].share
    _, q, gap = known.chances
    return known.users * f * sampling - known.users * q * (1 - sampling) / gap


def direct_quote(sampling: float) -> Quote:
    """The mean of c, by Eq. 4."""
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
    """What c estimates when nobody reports, which is what happens as π goes to 0."""
    known = sample(CROWD, SMALL)
    return (
        float(direct(known).estimate(np.zeros(CASES[CROWD].items, dtype=np.int64))[0]) * known.users
    )


def reversed_ratio(table: Table) -> Counterpart:
    """The variance of ĉ over that of g, among four users."""
    ours, other = (table.at("variance", case=FEW, estimator=name) for name in ("ĉ", "g"))
    return quotient(ours, other)


def mean_of_c_in_example() -> float:
    """The mean of c where that of g is 10: 1 % of 1000 users, a tenth sampled, 100 items."""
    return float(direct(SamplingDesign(GRR(EPSILON, 100), 1000, 0.1)).mean(0.01)) * 1000


def source(theorem: str) -> str:
    """The name of a place in the paper."""
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
        "ε = 1; 8 % of 50,000 users and 101 items; users who hold 0, 0, 1, 2 of 3 items, π = 0.4, "
        "or chances of 0.9, 0.8, 0.2 and 0.1 of their own; the text has formulas only",
        "data fixed, not drawn",
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
            correction="f p² + (1 - f) q² in place of its (f p + (1 - f) q)²",
            instead=lambda _: corrected_variance_g(FEW, FEW_CHANCE),
        ),
        Quote(
            source("Theorem 3.3"),
            "power of 1/π that the normalised variance of g goes with",
            "3",
            lambda _: exact(order_in_sampling()),
            correction="g estimates n f already: the variance of g / n goes with 1 / (π n)",
            instead=lambda _: 1.0,
        ),
        Quote(
            source("Theorem 3.5, proof"),
            "variance of ĉ, 2 of 4 users",
            lambda _: printed_variance_c_hat(FEW, FEW_CHANCE),
            measured("variance", FEW, "ĉ"),
            correction="less 2 q Cov(N_i, S), which it forgets",
            instead=lambda _: corrected_variance_c_hat(FEW, FEW_CHANCE),
        ),
        Quote(
            source("Theorem 3.5"),
            "variance of ĉ over that of g, 2 of 4 users",
            lambda _: 1.0,
            reversed_ratio,
            bound="at least",
            why="the other way round: ĉ has the smaller variance for every π < 1",
        ),
        Quote(
            source("Theorem 3.6"),
            "mean of c, 1 % of 1000 users, 100 items, π=0.1, where that of g is in 0..n",
            lambda _: 0.0,
            lambda _: exact(mean_of_c_in_example()),
            bound="at least",
            why="the means of c and g are on the same side of 0 for π = 1 only",
        ),
        Quote(
            source("Theorem 5.1"),
            "mean of T, 2 of 4 users, own chances",
            lambda _: OWN_HOLDERS,
            measured("estimate", OWN, "T"),
            correction="weighing reports by 1/π_j (Horvitz and Thompson): T is biased where "
            "chances go with values",
            corrected=measured("estimate", OWN, "Horvitz-Thompson"),
        ),
        Quote(
            source("Theorem 5.1"),
            "Var*(T), 4 users, own chances",
            lambda _: approximate_variance_t(),
            lambda _: exact(pooled(personal()).approximate_variance * personal().users ** 2),
        ),
        Quote(
            source("section 6, i"),
            "ε where chances depend on values, 3 items, ε=1, chances 0.9, 0.1, 0.5",
            lambda _: EPSILON,
            lambda _: exact(channel_epsilon(EPSILON, 3, (0.9, 0.1, 0.5))),
            bound="at most",
            why="silence then tells of the value: it is ε + ln 9",
        ),
    ],
    cost=lambda _: 0.02,
)
