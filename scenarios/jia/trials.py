"""Trials for Fig. 5 to 9 of Jia and Gong: collections by OUE, drawn item by item, and their
post-processing. The trial for Fig. 3 draws nothing.
"""

from collections.abc import Callable, Mapping
from math import inf, sqrt
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE, UnaryReports
from protocols.postprocess.calibrate import Calibrate, Step
from protocols.postprocess.fits import CountMoments, power_law_of_mean
from protocols.postprocess.heavy_hitters import heavy_hitters
from protocols.postprocess.noise import BETA, Noise, zeroed
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.priors import FinitePrior, PowerLaw, Prior
from scenarios.jia.expected import Means, averaged, means_with_weights, mse_above
from scenarios.jia.people import SIZES, holders
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.remembered import remembered
from simnet.studies.table import Measure

RUNS = 24  # the paper says "dozens" of runs
# Our trials at each point: more than `RUNS`, so that our means scatter less than the paper's.
TRIALS = 60
FINE = 20  # the number of points for each standard deviation, in the table of a post-processing
FAR, FEW = 40.0, 400  # beyond so many standard deviations, few points are enough
CALIBRATED: Mapping[str, Calibrate] = {
    "calibrate": Calibrate(),
    "known": Calibrate(mean_source="known_total"),
    "infinite": Calibrate(support="infinite"),
    "likelihood": Calibrate(fit="likelihood"),
}
WORDS = {
    "oue": "OUE",
    "zero": "OUE-Zero",
    "calibrate": "Calibrate",
    "again": "Calibrate, then OUE-Zero's cut",
    "known": "Calibrate, known mean n / d",
    "infinite": "Calibrate, infinite support",
    "likelihood": "Calibrate, likeliest exponent",
    "ideal": "Calibrate, true distribution as prior",
}
EXACT = tuple(name for name in WORDS if name != "likelihood")  # methods with a law of the error
FOUND = ("oue", "zero", "calibrate")  # methods in the figures of heavy hitters
RATES = ("precision", "recall", "f_score")
ERRORS = [
    Measure(
        name,
        f"squared error per item, {WORDS[name]}",
        *((f"expected_{name}", f"deviation_{name}") if name in EXACT else ()),
    )
    for name in WORDS
]


@attrs.frozen(kw_only=True)
class ErrorsPoint:
    """One collection from a population, and β, the level of OUE-Zero's test."""

    population: str
    epsilon: float
    beta: float


@typed(ErrorsPoint)
def errors(point: ErrorsPoint, seed: int, data: Path | None) -> Measurements:
    """Run one collection; return the squared error, averaged over the items, of each method (Fig.
    7).

    A method for which no prior can be fitted is left out.
    """
    counts, source = holders(point.population, data)
    coins = SampledCoins(seed, "collection")
    made = estimates_by_method(point.epsilon, counts, coins, beta=point.beta)
    threshold = _threshold(point.epsilon, counts, point.beta)
    if "calibrate" in made:
        made["again"] = zeroed(made["calibrate"], threshold)
    noise = Noise.of(OUE(point.epsilon, len(counts)), int(counts.sum()))
    made["ideal"] = posterior_mean(made["oue"], FinitePrior.empirical(counts), noise.alike)
    known = _expected(point.population, point.epsilon, point.beta, data)
    return {
        **{name: mse(counts, estimates) for name, estimates in made.items()},
        **known,
        "people": source,
    }


def estimated_counts(mechanism: GRR | UnaryReports, counts: Ints, coins: Coins) -> Floats:
    """Draw the raw estimated counts of one collection; shapes (N,)."""
    users = int(np.sum(counts))
    return mechanism.estimate(mechanism.draw_supports(counts, coins), users) * users


def estimates_by_method(
    epsilon: float,
    counts: Ints,
    coins: Coins,
    methods: Mapping[str, Calibrate] = CALIBRATED,
    beta: float = BETA,
) -> dict[str, Floats]:
    """Return the counts of one collection by OUE, by OUE-Zero and by each way to calibrate; shapes
    (N,).

    A way to calibrate that finds no prior is left out; for example, no power law has a mean of 1 or
    less.
    """
    mechanism = OUE(epsilon, len(counts))
    noise = Noise.of(mechanism, int(np.sum(counts)))
    raw = estimated_counts(mechanism, counts, coins)
    found = {"oue": raw, "zero": zeroed(raw, noise.threshold(len(counts), beta))}
    for name, how in methods.items():
        try:
            found[name] = how.counts(raw, noise)
        except ValueError:
            continue
    return found


def mse(truth: npt.ArrayLike, estimates: npt.ArrayLike) -> float:
    """The squared error, averaged over items. Raises `ValueError` for shapes that differ."""
    counts = np.asarray(truth, dtype=np.float64)
    return float(np.mean((counts - checks.shaped("estimates", estimates, counts.shape)) ** 2))


def _threshold(epsilon: float, counts: Ints, beta: float) -> float:
    noise = Noise.of(OUE(epsilon, len(counts)), int(counts.sum()))
    return noise.threshold(len(counts), beta)


@remembered
def _expected(population: str, epsilon: float, beta: float, data: Path | None) -> dict[str, float]:
    """The means and standard deviations of the errors, over normal noise."""
    counts, _ = holders(population, data)
    items = len(counts)
    noise = Noise.of(OUE(epsilon, items), int(counts.sum()))
    threshold = noise.threshold(items, beta)
    mean = noise.users / items
    # A prior that is fitted to the mean of the estimates depends on all of them, but only through
    # that mean, to which a single item contributes next to nothing. So we compute the moments of
    # the error at several means, and average them by the normal law of the mean.
    fitted = means_with_weights(mean, sqrt(float(noise.variance(mean)) / items))

    def calibrated(support: float, cut: float, means: Means) -> tuple[float, float]:
        parts = []
        for moment, _ in means:
            prior = power_law_of_mean(CountMoments(moment, 0.0), support)
            step, reaches = _looked_up(prior, noise, counts.max())
            parts.append(mse_above(counts, noise, step, reaches(cut)))
        return averaged(parts, [weight for _, weight in means])

    exactly = [(mean, 1.0)]
    ideal, _ = _looked_up(FinitePrior.empirical(counts), noise, counts.max())
    moments = {
        "oue": mse_above(counts, noise, lambda given: given, -inf),
        "zero": mse_above(counts, noise, lambda given: given, threshold),
        "calibrate": calibrated(noise.users, -inf, fitted),
        "again": calibrated(noise.users, threshold, fitted),
        "known": calibrated(noise.users, -inf, exactly),
        "infinite": calibrated(inf, -inf, fitted),
        "ideal": mse_above(counts, noise, ideal, -inf),
    }
    return {
        f"{kind}_{name}": value
        for name, both in moments.items()
        for kind, value in zip(("expected", "deviation"), both, strict=True)
    }


def _looked_up(prior: Prior, noise: Noise, largest: float) -> tuple[Step, Callable[[float], float]]:
    """Return the posterior mean as a function of the estimate, and the inverse of this function.

    Both are tables with linear interpolation.
    """
    reach = 10 * sqrt(float(noise.variance(largest)))
    far = FAR * noise.deviation if isinstance(prior, PowerLaw) else largest + reach
    at = np.arange(-reach, min(far, largest + reach), noise.deviation / FINE)
    if far < largest + reach:
        at = np.append(at, np.geomspace(far, largest + reach, FEW))
    values = posterior_mean(at, prior, noise.alike)

    def estimate_of(count: float) -> float:
        return count if count == -inf else float(np.interp(count, values, at))

    return lambda given: np.interp(given, at, values), estimate_of


@attrs.frozen(kw_only=True)
class HittersPoint:
    """A search for heavy hitters: items with more than `cut` holders.

    Without a given cut, the cut is the significance threshold.
    """

    population: str
    epsilon: float
    cut: float | None = None


@typed(HittersPoint)
def hitters(point: HittersPoint, seed: int, data: Path | None) -> Measurements:
    """Run one collection; return precision, recall and F-score of OUE, OUE-Zero and Calibrate (Fig.
    5, 6, 8, 9).

    Calibrate is left out if no power law has the mean of the estimates.
    """
    counts, source = holders(point.population, data)
    threshold = _threshold(point.epsilon, counts, BETA)
    cut = threshold if point.cut is None else point.cut
    numbers: dict[str, float | str] = {
        "threshold": threshold,
        "above": int((counts > cut).sum()),
        "lowered": _lowered(point.population, point.epsilon, cut, data),
        "people": source,
    }
    coins = SampledCoins(seed, "collection")
    methods = {"calibrate": CALIBRATED["calibrate"]}
    made = estimates_by_method(point.epsilon, counts, coins, methods)
    for name, estimates in made.items():
        found = heavy_hitters(counts, estimates, cut)
        numbers |= {
            f"precision_{name}": found.precision,
            f"recall_{name}": found.recall,
            f"f_score_{name}": found.f_score,
            f"right_{name}": found.right,
            f"wrong_{name}": found.wrong,
        }
    # whether OUE-Zero names the items that it names at half the cut
    return numbers


@remembered
def _lowered(population: str, epsilon: float, cut: float, data: Path | None) -> int:
    """Return 1 if Calibrate turns an estimate that equals the cut into less than the cut, whatever
    the mean of the estimates is (but for means that hardly ever occur); otherwise 0.
    """
    counts, _ = holders(population, data)
    noise = Noise.of(OUE(epsilon, len(counts)), int(counts.sum()))
    mean = noise.users / len(counts)
    # The posterior mean grows continuously with the estimate, so if the result is 1, Calibrate also
    # turns every smaller estimate and some larger ones into less than the cut. It also grows with
    # the mean of the prior, so we take a mean that the mean of the estimates hardly ever exceeds.
    highest = mean + 6 * sqrt(float(noise.variance(mean)) / len(counts))
    prior = power_law_of_mean(CountMoments(highest, 0.0), noise.users)
    return int(posterior_mean([cut], prior, noise.alike)[0] < cut)


@attrs.frozen(kw_only=True)
class CountsPoint:
    """The items whose count is at least `count` and below twice `count`."""

    population: str
    count: int


@typed(CountsPoint)
def law(point: CountsPoint, seed: int, data: Path | None) -> Measurements:
    """Return the share of items per count, averaged over the counts of the point, and the numbers
    of items and users (Fig. 3).
    """
    del seed  # this trial draws nothing
    counts, source = holders(point.population, data)
    here = int(((counts >= point.count) & (counts < 2 * point.count)).sum())
    return {
        "density": here / len(counts) / point.count,
        "items": len(counts),
        "users": int(counts.sum()),
        "people": source,
    }


@typed(HittersPoint)
def hitters_cost(point: HittersPoint) -> float:
    """Return about how many seconds a collection and its post-processing take."""
    return _collection_cost(point.population)


@typed(ErrorsPoint)
def errors_cost(point: ErrorsPoint) -> float:
    """Return about how many seconds a collection with every way to calibrate takes."""
    items = SIZES[point.population][1]
    return _collection_cost(point.population) + items * 6e-5


def _collection_cost(population: str) -> float:
    users, items = SIZES[population]
    return items * (5e-6 + 1e-12 * users)
