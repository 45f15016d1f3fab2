"""Eq. 13 and 14 (section III-B) and Eq. 22 (section IV-A2) of Jia and Gong.

Eq. 14 is tried on the two ends of a population: the item that most users hold, and an item that
nobody holds. The other equations are computed, without coins.
"""

from collections.abc import Iterator
from functools import partial
from math import isclose, sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from protocols.mechanisms.unary import OUE
from protocols.postprocess.noise import BETA, Noise
from scenarios.jia.noise import MECHANISMS, NoisePoint, false_alarm, mechanism_of
from scenarios.jia.noise import TITLES as NAMES
from scenarios.jia.people import CHOICES, DATA, FILES, PARTIAL, SIZES, TITLES, holders
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Experiment, Measurements, Word
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.statements import Outcome, exact, share_by_law, share_of
from simnet.studies.table import Measure, NoSuchPoint, Table

SECTION = "Jia and Gong, section III-B"
DRAWS = 400  # in one trial, the number of draws of an item's number of supports


@typed(NoisePoint)
def variances(point: NoisePoint, seed: int, data: Path | None) -> Measurements:
    """Draw the noise of the most held item, and of an item that nobody holds, many times.

    For each of the two items, returns the mean of the squared noise divided by the variance of Eq.
    14, this quotient by the law, and the exact mean of the noise.
    """
    counts, source = holders(point.population, data)
    users, most = int(counts.sum()), int(counts.max())
    mechanism = mechanism_of(point.mechanism, point.epsilon, len(counts))
    (p, q), known = mechanism.exact_chances, Noise.of(mechanism, users)
    coins = SampledCoins(seed, "supports")
    numbers: dict[str, float | str] = {"people": source}
    for name, held in (("held", most), ("unheld", 0)):
        supports = (
            coins.binomials(np.full(DRAWS, held), p).plain
            + coins.binomials(np.full(DRAWS, users - held), q).plain
        )
        off = (supports - users * float(q)) / float(p - q) - held
        expected = float(known.variance(held)) / known.floor
        numbers |= {
            name: float((off**2).mean()) / known.floor,
            f"expected_{name}": expected,
            f"deviation_{name}": expected * sqrt(2 / DRAWS),
            # the variance of a sum of two binomial numbers
            f"direct_{name}": float(
                (held * p * (1 - p) + (users - held) * q * (1 - q)) / (p - q) ** 2
            )
            / known.floor,
            # E(supports) = f p + (n - f) q, in exact fractions
            f"mean_{name}": float((held * p + (users - held) * q - users * q) / (p - q) - held),
        }
    return numbers


def as_eq_14(table: Table, **point: Any) -> Counterpart:
    """Return the share of two items whose variance differs from the variance of Eq. 14 by at most
    the threshold of 'approximately'.
    """
    change, outcomes = table.word("approximately"), []
    for name in ("held", "unheld"):
        found = table.at(name, **point)
        within = [_near(one, change) for one in (found.low, found.high)]
        inside = found.low <= 1 <= found.high
        outcomes.append(
            Outcome(
                _near(found.mean, change),
                all(within),
                any(within) or inside,
                _near(found.expected or 0.0, change),
            )
        )
    return _of_two_items(outcomes, table, point)


def as_equality(table: Table, **point: Any) -> Counterpart:
    """Return the share of two items whose variance equals the variance of Eq. 14."""
    outcomes = []
    for name in ("held", "unheld"):
        found = table.at(name, **point)
        inside, narrow = found.low <= 1 <= found.high, found.high - found.low <= found.mean / 2
        equal = isclose(found.expected or 0.0, 1, rel_tol=1e-9)
        outcomes.append(Outcome(inside, inside and narrow, inside, equal))
    return _of_two_items(outcomes, table, point)


def _of_two_items(outcomes: list[Outcome], table: Table, point: dict[str, Any]) -> Counterpart:
    held = table.at("held", **point).expected or 0.0
    words = (
        f"the most held item, with {held:.4g} times this variance by the law, and an unheld item"
    )
    shares = share_of(outcomes, share_by_law(outcomes))
    return attrs.evolve(shares, trials=len(table.where(**point).rows), judged_at=words)


def _near(ratio: float, change: float) -> bool:
    return abs(ratio - 1) <= change


def as_exact(table: Table, **point: Any) -> Counterpart:
    """Return the share of two items (one held, one not) whose variance agrees with the exact
    formula, which has a second term that Eq. 14 leaves out.
    """
    outcomes = []
    for name in ("held", "unheld"):
        found = table.at(name, **point)
        narrow = found.high - found.low <= found.mean / 2
        row = table.where(**point).rows[0]
        same = isclose(row[f"direct_{name}"], row[f"expected_{name}"], rel_tol=1e-9)
        outcomes.append(Outcome(found.holds, found.holds and narrow, found.holds, same))
    return _of_two_items(outcomes, table, point)


def mean_noise(table: Table, **point: Any) -> Counterpart:
    """Return the larger absolute mean of the noise of the two items, by exact fractions."""
    rows = table.where(**point).rows
    if not rows:
        where = ", ".join(f"{name} = {value}" for name, value in point.items())
        raise NoSuchPoint(f"no noise was drawn at {where}")
    return exact(max(abs(float(rows[0][f"mean_{name}"])) for name in ("held", "unheld")))


APPROXIMATELY = "approximately, as the sentence before Eq. 14 says"
EQUALITY = "an equality, as Eq. 14 is printed"
READINGS = {APPROXIMATELY: as_eq_14, EQUALITY: as_equality}
THRESHOLD = "Our threshold of 'approximately' decides. Another threshold may give another verdict."
DISPUTED = {
    APPROXIMATELY: THRESHOLD,
    EQUALITY: "The sentence before Eq. 14 says that the variance 'is approximated as' this. "
    "Another row reads Eq. 14 as an approximation; there the verdict depends on the threshold that "
    "we chose.",
}


def variance_quotes() -> Iterator[Quote]:
    """Yield the quotes of Eq. 13 and 14."""
    for population in FILES:
        for mechanism, name in NAMES.items():
            for epsilon in (1.0, 5.0):
                point: dict[str, Any] = {
                    "population": population,
                    "mechanism": mechanism,
                    "epsilon": epsilon,
                }
                of = f"by {name} on {TITLES[population]}, ε = {epsilon:g}"
                for under, reading in READINGS.items():
                    close = epsilon == 1.0 and mechanism != "rappor"
                    yield Quote(
                        f"{SECTION}, Eq. 14",
                        f"the variance of every item's noise is n q (1 - q) / (p - q)², {of}",
                        STATED,
                        partial(reading, **point),
                        "The variance of an item with f holders also has the term (1 - p - q) / "
                        "(p - q) f.",
                        partial(as_exact, **point),
                        data=DATA[population],
                        under=under,
                        disputed=DISPUTED[under] if close else "",
                    )
            yield Quote(
                f"{SECTION}, Eq. 13",
                f"the mean of every item's noise by {name} on {TITLES[population]}",
                "0",
                partial(mean_noise, population=population, mechanism=mechanism, epsilon=1.0),
                data=DATA[population],
                points="ε = 1; the most held item and an item that nobody holds, computed in "
                "exact fractions",
            )


EQ14 = Experiment(
    summary="The variance of an item's noise, against Eq. 14",
    source="Jia and Gong, Eq. 13 and 14",
    trial=variances,
    grid=[
        {"population": list(FILES), "mechanism": list(MECHANISMS), "epsilon": [1.0, 5.0]},
    ],
    measures=[
        Measure(
            "held",
            "variance of the most held item's noise, divided by that of Eq. 14",
            "expected_held",
            "deviation_held",
        ),
        Measure(
            "unheld",
            "variance of an unheld item's noise, divided by that of Eq. 14",
            "expected_unheld",
            "deviation_unheld",
        ),
    ],
    trials=60,
    quick_trials=10,
    files=list(FILES.values()),
    data=PARTIAL,
    choices=(
        *CHOICES,
        "Two items stand for every item: the most held one, and an item that nobody holds. By the "
        "law, the variance of every other item is between theirs.",
        f"A trial draws each item's number of supports {DRAWS} times.",
    ),
    words={
        "approximately": Word(
            0.1,
            "a variance is 'approximately' that of Eq. 14 if it differs from it by at "
            "most this share of it",
        )
    },
    quotes=list(variance_quotes()),
    cost=lambda _: 0.05,
)


@attrs.frozen(kw_only=True)
class LevelPoint:
    """The significance threshold of OUE on a population, for the β of Eq. 22."""

    population: str
    epsilon: float
    beta: float


@typed(LevelPoint)
def level(point: LevelPoint, seed: int, data: Path | None) -> Measurements:
    """Return the exact probability that at least one item counts as significant although nobody
    holds any item (Eq. 22). The numbers of users and items are those of the population.
    """
    del seed  # this trial draws nothing
    counts, source = holders(point.population, data)
    users, items = int(counts.sum()), len(counts)
    mechanism = OUE(point.epsilon, items)
    threshold = Noise.of(mechanism, users).threshold(items, point.beta)
    found = false_alarm(mechanism, users, items, threshold)
    return {"false_alarm": found, "threshold": threshold, "people": source}


def false_alarm_at(table: Table, population: str, epsilon: float) -> Counterpart:
    """Return the exact probability of a false alarm at one ε."""
    return exact(table.at("false_alarm", population=population, epsilon=epsilon, beta=BETA).mean)


# Of the data, only the numbers of users and items matter for false alarms.
WHERE = {name: f"on {TITLES[name]}" for name in FILES} | {
    "all of kosarak": "with as many users and items as in the whole of Kosarak"
}


def level_quotes() -> Iterator[Quote]:
    """Yield the quotes of Eq. 22."""
    for population in SIZES:
        for epsilon in (1.0, 3.0, 5.0):
            yield Quote(
                "Jia and Gong, section IV-A2, Eq. 22",
                f"β of the significance threshold of OUE {WHERE[population]}, ε = {epsilon:g}",
                f"{BETA}",
                partial(false_alarm_at, population=population, epsilon=epsilon),
                under="the probability that one or more of d items that nobody holds reach the "
                "threshold",
                why="The number of supports is binomial, and its upper tail is heavier than the "
                "Gaussian's for large ε.",
                disputed="The text sets β = 0.05 and does not say of which event β is the "
                "probability. Eq. 22 divides β by d, as one does for the false alarms of d items.",
                data=DATA[population],
            )


EQ22 = Experiment(
    summary="How often the significance threshold raises a false alarm",
    source="Jia and Gong, Eq. 22",
    trial=level,
    grid=[{"population": list(SIZES), "epsilon": [1.0, 2.0, 3.0, 4.0, 5.0], "beta": [BETA]}],
    measures=[
        Measure(
            "false_alarm", "probability that one or more items that nobody holds are significant"
        )
    ],
    quick={"epsilon": [1.0, 3.0, 5.0]},
    files=list(FILES.values()),
    data=PARTIAL,
    choices=(*CHOICES[:2], "Of the data, only the numbers of users and items matter."),
    quotes=list(level_quotes()),
    cost=lambda _: 0.05,
)
