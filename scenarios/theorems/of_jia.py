"""The numbered statements of Jia and Gong, and how each is judged.

The appendix proves Theorem 2 under the name Theorem 1; there is no other Theorem 1.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import exp

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.pure import Pure
from protocols.mechanisms.unary import OUE, SUE
from protocols.postprocess.fits import CountMoments, power_law_of_mean
from protocols.postprocess.noise import Noise
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.priors import FinitePrior
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

SLACK = 1e-9
EXPERIMENTS = "simnet reproduce jia_eq14"


def _weights(prior: FinitePrior, estimate: float, deviation: float) -> list[float]:
    logs = [-((estimate - count) ** 2) / (2 * deviation**2) for count in prior.counts.tolist()]
    raw = [
        mass * exp(value - max(logs))
        for mass, value in zip(prior.masses.tolist(), logs, strict=True)
    ]
    return [weight / sum(raw) for weight in raw]


def _squared_error(prior: FinitePrior, estimate: float, deviation: float, answer: float) -> float:
    """Return E((f' - f)² | f̂), the expected squared error of the answer f' to an estimate f̂ of the
    count f.
    """
    weights = _weights(prior, estimate, deviation)
    return float(
        sum(
            weight * (answer - count) ** 2
            for weight, count in zip(weights, prior.counts.tolist(), strict=True)
        )
    )


def _theorem_2() -> Finding:
    def instances() -> Iterator[Instance]:
        masses = [(a, b, 4 - a - b) for a, b in product(range(5), repeat=2) if a + b <= 4]
        for quarters, deviation, estimate in product(masses, (0.5, 2.0), (-2.0, 0.5, 1.0, 5.0)):
            prior = FinitePrior.of([part / 4 for part in quarters])
            ours = float(posterior_mean([estimate], prior, Noise(users=2, floor=deviation**2))[0])
            errors = [
                _squared_error(prior, estimate, deviation, step / 20) for step in range(-20, 61)
            ]
            exact = _squared_error(prior, estimate, deviation, ours)
            yield Instance(
                where={"masses of 0, 1, 2 in quarters": quarters, "σ": deviation, "f̂": estimate},
                claimed=min(errors),
                exact=exact,
                holds=exact <= min(errors) * (1 + SLACK) + SLACK,
            )

    over = "all laws of f on 0, 1, 2 with masses in quarters, σ = 1/2, 2, f̂ = -2, 1/2, 1, 5"
    numbers = (
        "claimed is the least error of f' = -1, -0.95, ..., 3, and exact is that of the posterior "
        "mean"
    )
    return searched(instances(), over, numbers, proof=PAGE)


def _theorem_2_fitted() -> Finding:
    """Judge Theorem 2 with a power law of the true mean in the place of the prior."""

    def instances() -> Iterator[Instance]:
        for users in range(3, 9):
            noise = Noise.of(OUE(1.0, 2), users).alike
            fitted = power_law_of_mean(CountMoments(users / 2, 0.0), users)
            for fewest in range(1, users // 2 + 1):  # a power law on 1..n has no unheld items
                counts = (fewest, users - fewest)
                true = FinitePrior.empirical(counts)
                for estimate in range(1, users + 1):
                    best, ours = (
                        float(posterior_mean([float(estimate)], prior, noise)[0])
                        for prior in (true, fitted)
                    )
                    claimed, exact = (
                        _squared_error(true, estimate, noise.deviation, each)
                        for each in (best, ours)
                    )
                    yield Instance(
                        where={"n": users, "d": 2, "counts": counts, "ε": 1.0, "f̂": estimate},
                        claimed=claimed,
                        exact=exact,
                        holds=exact <= claimed * (1 + SLACK) + SLACK,
                    )

    over = (
        "n = 3..8 users, d = 2 items, the rarer item held by 1..n/2 users, normal noise with the "
        "deviation of OUE's for ε = 1, and f̂ = 1..n, searched in this order"
    )
    numbers = (
        "claimed is the least expected squared error, and exact is that with a power law on 1..n "
        "of the true mean n/d"
    )
    return searched(instances(), over, numbers)


def _lemma_3() -> Finding:
    def instances() -> Iterator[Instance]:
        for masses in product(range(4), repeat=3):
            total = sum(masses)
            if not total:
                continue
            law = [Fraction(mass, total) for mass in masses]
            mean = sum((x * mass for x, mass in enumerate(law)), Fraction(0))

            def error(t: Fraction, law: list[Fraction] = law) -> Fraction:
                return sum((mass * (x - t) ** 2 for x, mass in enumerate(law)), Fraction(0))

            least = min(error(Fraction(step, 10)) for step in range(-10, 31))
            yield Instance(
                where={"weights of 0, 1, 2": masses},
                claimed=least,
                exact=error(mean),
                holds=error(mean) <= least,
            )

    numbers = (
        "claimed is the least E(X - t)² for t = -1, -0.9, ..., 3, and exact is E(X - t)² for "
        "t = E(X)"
    )
    return searched(instances(), "all laws on 0, 1, 2 with weights 0..3", numbers, proof=PAGE)


MECHANISMS: Mapping[str, Callable[[float, int], Pure]] = {"OUE": OUE, "SUE": SUE, "k-RR": GRR}
CASES = tuple(product((1, 2, 3, 10), (2, 5), (0.5, 1.0, 4.0)))
OVER = (
    "n = 1, 2, 3, 10 users, d = 2, 5 items, ε = 1/2, 1, 4, OUE, SUE, k-RR, f_i = 0..n, in this "
    "order"
)


def _moments() -> Iterator[tuple[dict[str, object], Fraction, Fraction, Fraction]]:
    """Yield parameters, and the mean and variance of the noise of an item, and Eq. 14's value."""
    for (users, items, epsilon), (name, make) in product(CASES, MECHANISMS.items()):
        p, q = make(epsilon, items).exact_chances
        for holders in range(users + 1):
            where: dict[str, object] = {"n": users, "d": items, "ε": epsilon}
            where |= {"mechanism": name, "f_i": holders}
            mean = (holders * p + (users - holders) * q - users * q) / (p - q) - holders
            exact = (holders * p * (1 - p) + (users - holders) * q * (1 - q)) / (p - q) ** 2
            yield where, mean, exact, users * q * (1 - q) / (p - q) ** 2


def _equation_13() -> Finding:
    return searched(
        (
            Instance(where=where, claimed=Fraction(0), exact=mean, holds=mean == 0)
            for where, mean, _, _ in _moments()
        ),
        OVER,
        proof=PAGE,
    )


def _equation_14(held: bool) -> Finding:
    return searched(
        (
            Instance(where=where, claimed=claimed, exact=exact, holds=claimed == exact)
            for where, _, exact, claimed in _moments()
            if held or where["f_i"] == 0
        ),
        OVER if held else OVER.replace("f_i = 0..n", "f_i = 0"),
        proof=None if held else PAGE,
    )


THEOREMS = (
    definition(
        "jia",
        "1",
        "Pure local differential privacy: a report supports its item with probability p*, and "
        "every other item with probability q*.",
        f"{NO_FACT}; this definition bounds no ε: publishing the item has p* = 1 and q* = 0",
    ),
    Theorem(
        paper="jia",
        kind="Theorem",
        number="2",
        also="Eq. 12",
        statement=(
            "Given an estimate, the conditional expectation of the count has the least expected "
            "squared error."
        ),
        readings=(
            Reading(under="p_f is the true law of the counts", judge=_theorem_2),
            Reading(
                under="p_f is a power law fitted to the mean, as Calibrate uses it",
                judge=_theorem_2_fitted,
                disputed="The theorem is about the true law of the counts. Another part of the "
                "paper says that Calibrate uses a fitted law.",
            ),
        ),
        command="simnet reproduce jia_theorem2",
    ),
    Theorem(
        paper="jia",
        kind="Lemma",
        number="3",
        statement="E(X - t)² is least for t = E(X).",
        readings=one(_lemma_3),
    ),
    Theorem(
        paper="jia",
        kind="Equation",
        number="13",
        statement="The noise of an estimated count has mean 0.",
        readings=one(_equation_13),
        command=EXPERIMENTS,
    ),
    Theorem(
        paper="jia",
        kind="Equation",
        number="14",
        statement="The noise of every item has variance n q (1 - q) / (p - q)².",
        readings=(
            Reading(judge=lambda: _equation_14(held=True)),
            Reading(under="items that nobody holds", judge=lambda: _equation_14(held=False)),
        ),
        command=EXPERIMENTS,
    ),
)
