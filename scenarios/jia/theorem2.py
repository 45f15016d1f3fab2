"""Theorem 2 of Jia and Gong: the posterior mean has the least conditional squared error.

The theorem is proved in the paper's appendix and in docs/proofs/papers.md. Here we try the theorem
with sums over all counts, against other calibrators, under the true prior.
"""

from pathlib import Path

import attrs
import numpy as np

from protocols.postprocess.noise import Noise, zeroed
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.priors import FinitePrior
from scenarios.theorems.rows import theorem_quotes
from simnet.arrays import Floats
from simnet.errors import BadInput
from simnet.printable import count_of
from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.parameters import typed
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.table import Measure, NoSuchPoint, Table, TrialRow


@attrs.frozen(kw_only=True)
class RiskPoint:
    """A prior on 0..`largest` and Gaussian noise."""

    prior: str  # power-law, uniform or two-counts
    largest: int
    deviation: float


PRIORS = ("power-law", "uniform", "two-counts")
SHIFTED = "the posterior mean ± 1 % of the noise's deviation"
ALTERNATIVES = (
    "the estimate",
    "the estimate if it is at least two standard deviations of the noise and else 0",
    "the likeliest count",
    "the median",
    SHIFTED,
)


@typed(RiskPoint)
def risk(point: RiskPoint, seed: int, data: Path | None) -> Measurements:
    """Return the least excess of other calibrators' conditional MSE over the conditional MSE of Eq.
    12, divided by the variance of the noise.

    The other calibrators return the estimate itself, the estimate or 0 if it is below two standard
    deviations of the noise, the likeliest count, the median count, and the result of Eq. 12 moved
    up or down by 1 % of that standard deviation.

    Raises `BadInput` for a `largest` below 1 and for an unknown prior.
    """
    del seed, data  # this trial draws nothing and has no people
    if point.largest < 1:
        raise BadInput(f"largest must be at least 1, got {point.largest}")
    counts = np.arange(point.largest + 1.0)
    masses = _masses(point.prior, counts)
    known = Noise(max(point.largest, 1), point.deviation**2)
    reach = 4 * point.deviation
    estimates = np.linspace(-reach, point.largest + reach, 400)
    ours = posterior_mean(estimates, FinitePrior(counts, masses), known)
    possible = masses > 0
    counts, masses = counts[possible], masses[possible]
    logs = np.log(masses) - ((estimates[:, np.newaxis] - counts) ** 2) / (2 * known.floor)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)

    def conditional(values: Floats) -> Floats:
        return np.asarray((weights * (values[:, np.newaxis] - counts) ** 2).sum(axis=1))

    others = (
        estimates,
        zeroed(estimates, 2 * point.deviation),
        counts[weights.argmax(axis=1)],
        counts[(weights.cumsum(axis=1) < 0.5).sum(axis=1)],
        ours + 0.01 * point.deviation,
        ours - 0.01 * point.deviation,
    )
    least = conditional(ours)
    # relative to the noise, since a count that is all but certain has no variance to speak of
    excess = [float(((conditional(one) - least) / known.floor).min()) for one in others]
    return {"excess": min(excess)}


def _masses(prior: str, counts: Floats) -> Floats:
    if prior == "power-law":
        masses = np.where(counts > 0, np.maximum(counts, 1.0) ** -1.5, 0.0)
    elif prior == "uniform":
        masses = np.ones_like(counts)
    elif prior == "two-counts":
        masses = np.where((counts == 0) | (counts == counts[-1]), 1.0, 0.0)
    else:
        raise BadInput(f"the prior must be one of {', '.join(PRIORS)}, got {prior!r}")
    return np.asarray(masses / masses.sum())


def optimal(table: Table) -> Counterpart:
    """Return the share of the points at which no other calibrator that was tried beats Eq. 12.

    Differences below 1e-9 of the noise's variance are rounding.
    """
    rows: list[TrialRow] = list(table.rows)
    if not rows:
        raise NoSuchPoint("no prior was tried")
    tried = count_of(len(table.points()), "triple")
    return Counterpart(
        sum(row["excess"] >= -1e-9 for row in rows) / len(rows),
        share=True,
        judged_at=f"{tried} of prior, largest count and deviation",
    )


def numbered() -> list[Quote]:
    """Return the quotes of the paper's theorem and lemma, as `simnet theorems jia` judges them."""
    return [
        quote
        for quote in theorem_quotes("jia")
        if "Theorem" in quote.source or "Lemma" in quote.source
    ]


EXPERIMENT = Experiment(
    summary="Whether another calibrator beats the posterior mean",
    source="Jia and Gong, Theorem 2",
    trial=risk,
    grid=[
        {"prior": list(PRIORS), "largest": [10, 100, 1000], "deviation": [0.5, 5.0, 50.0]},
    ],
    measures=[
        Measure(
            "excess", "least excess of another calibrator's MSE, divided by the noise's variance"
        )
    ],
    choices=(
        "Only the row on calibrators uses the parameters prior, largest and deviation. It "
        "compares the posterior mean with some other calibrators; all means are exact sums over "
        "the counts. The other rows name their own instances.",
        "A row that finds no counterexample proves nothing. The paper proves Theorem 2 in its "
        "appendix, under the name Theorem 1. We prove Theorem 2 and Lemma 3 on the page "
        '"Theorems of the papers that hold" in the documentation.',
    ),
    quotes=[
        Quote(
            "Jia and Gong, section III-A, Theorem 2",
            "no calibrator has a smaller conditional MSE than the posterior mean, under the true "
            "prior and Gaussian noise",
            STATED,
            optimal,
            points="400 estimates for each triple; the posterior mean is compared with "
            f"{', '.join(ALTERNATIVES)}",
        ),
        *numbered(),
    ],
    cost=lambda _: 0.05,
)
