"""Eq. 13 and 14 (section III-B) and Eq. 22 (section IV-A2) of Jia and Gong.

Eq. 14 is tried on the two ends of a population: the item that most users hold, and an item that
nobody holds. The other equations are computed, without coins.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from protocols.postprocess.noise import Noise
from scenarios.jia.noise import MECHANISMS, NoisePoint, mechanism_of
from scenarios.jia.noise import TITLES as NAMES
from scenarios.jia.people import CHOICES, DATA, FILES, PARTIAL, holders
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.parameters import typed
from simnet.studies.table import Measure, Table

SECTION = "section III-B, Eq. 14"
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
        }
    return numbers


def held(point: Mapping[str, Any], table: Table) -> Counterpart:
    """Return the variance of the most held item, divided by Eq. 14."""
    return Counterpart.of(table.at("held", **point))


def claims() -> Iterator[PaperClaim]:
    """Yield the claims on the most held item of Retail."""
    for mechanism, name in NAMES.items():
        for epsilon in (1.0, 5.0):
            point = {"population": "retail", "mechanism": mechanism, "epsilon": epsilon}
            yield PaperClaim(
                f"Eq. 14, Retail, {name}, ε = {epsilon:g}",
                SECTION,
                "The variance of the most held item's noise is approximated by Eq. 14 (within a "
                "tenth): their quotient",
                lambda: 1.0,
                runs=partial(held, point),
                tolerance=0.1,
                data=DATA["retail"],
                correction="The term (1 - p - q)/(p - q) f is missing.",
                check="`simnet reproduce jia_eq14 --data DIR`",
            )


EXPERIMENT = Experiment(
    summary="The variance of an item's noise, against Eq. 14",
    source="Jia and Gong, Eq. 14",
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
    claims=list(claims()),
    cost=lambda _: 0.05,
)
