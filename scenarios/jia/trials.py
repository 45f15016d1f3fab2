"""The trials of Jia and Gong: collections by OUE, drawn item by item, and their post-processing."""

from collections.abc import Mapping
from math import exp, inf, sqrt
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE, UnaryReports
from protocols.postprocess.calibrate import Calibrate, Step, known_mean
from protocols.postprocess.expected import moments_of_errors
from protocols.postprocess.fits import CountMoments, power_law_of_mean
from protocols.postprocess.heavy_hitters import heavy_hitters
from protocols.postprocess.noise import Noise, zeroed
from protocols.postprocess.posterior import posterior_mean
from scenarios.jia.people import SIZES, holders
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.remembered import remembered
from simnet.studies.table import Measure

RUNS = 24  # "dozens"
STEPS = 4000  # of the quadrature for a post-processing that jumps, such as OUE-Zero
FINE = 20  # points for each standard deviation, in the table of a post-processing
CALIBRATED: Mapping[str, Calibrate] = {
    "calibrate": Calibrate(mean_source="known_total"),
    "fitted": Calibrate(),
    "infinite": Calibrate(mean_source="known_total", support="infinite"),
    "likelihood": Calibrate(fit="likelihood"),
}
WORDS = {
    "oue": "OUE",
    "zero": "OUE-Zero",
    "calibrate": "Calibrate, mean n / d",
    "again": "Calibrate, then OUE-Zero's cut",
    "fitted": "Calibrate, fitted mean",
    "infinite": "Calibrate, infinite support",
    "likelihood": "Calibrate, likeliest exponent",
}
EXACT = (
    "oue",
    "zero",
    "calibrate",
    "again",
    "infinite",
)  # methods whose errors have a known law, because nothing is fitted to the noise
JUMPS = ("zero", "again")
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
    """One collection from a population, and the level of OUE-Zero's test."""

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
    made["again"] = zeroed(made["calibrate"], _threshold(point.epsilon, counts, point.beta))
    known = _expected(point.population, point.epsilon, point.beta, data)
    return {
        **{name: mse(counts, estimates) for name, estimates in made.items()},
        **known,
        "people": source,
    }


def estimated_counts(mechanism: GRR | UnaryReports, counts: Ints, coins: Coins) -> Floats:
    """Draw the raw estimates of one collection by the law of the supports; shapes (N,).

    The support of an item is the number of reports that name it.
    """
    users = int(np.sum(counts))
    return mechanism.estimate(mechanism.draw_supports(counts, coins), users) * users


def estimates_by_method(
    epsilon: float,
    counts: Ints,
    coins: Coins,
    methods: Mapping[str, Calibrate] = CALIBRATED,
    beta: float = 0.05,
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
    """The count from which on an estimate is significant."""
    noise = Noise.of(OUE(epsilon, len(counts)), int(counts.sum()))
    return noise.threshold(len(counts), beta)


@remembered
def _expected(population: str, epsilon: float, beta: float, data: Path | None) -> dict[str, float]:
    """The means and standard deviations of the errors of those methods that treat each item
    separately.
    """
    counts, _ = holders(population, data)
    items = len(counts)
    noise = Noise.of(OUE(epsilon, items), int(counts.sum()))
    threshold = noise.threshold(items, beta)
    calibrate = known_mean(noise, items)
    endless = power_law_of_mean(CountMoments(noise.users / items, 0.0), inf)
    looked_up = _looked_up(calibrate, noise, counts.max())
    steps: dict[str, Step] = {
        "oue": lambda given: given,
        "zero": lambda given: zeroed(given, threshold),
        "calibrate": calibrate,
        "again": lambda given: zeroed(looked_up(given), threshold),
        "infinite": lambda given: posterior_mean(given, endless, noise.alike),
    }
    found = {}
    for name, step in steps.items():
        moments = moments_of_errors(counts, noise, step, STEPS if name in JUMPS else 160)
        found[f"expected_{name}"] = float(moments.mse.mean())
        found[f"deviation_{name}"] = sqrt(float(moments.mse_variance.sum())) / items
    return found


def _looked_up(step: Step, noise: Noise, largest: float) -> Step:
    """Return a smooth post-processing as a table with linear interpolation, which is faster for
    many counts.
    """
    reach = 10 * sqrt(float(noise.variance(largest)))
    at = np.arange(-reach, largest + reach, noise.deviation / FINE)
    values = step(at)
    return lambda given: np.interp(given, at, values)


@attrs.frozen(kw_only=True)
class HittersPoint:
    """A search for heavy hitters: items above `cut` times the significance threshold."""

    population: str
    epsilon: float
    cut: float


@typed(HittersPoint)
def hitters(point: HittersPoint, seed: int, data: Path | None) -> Measurements:
    """Run one collection; return precision, recall and F-score of OUE, OUE-Zero and Calibrate (Fig.
    5, 6, 8, 9).
    """
    counts, source = holders(point.population, data)
    cut = point.cut * _threshold(point.epsilon, counts, 0.05)
    numbers: dict[str, float | str] = {
        "count": cut,
        "above": int((counts > cut).sum()),
        "people": source,
    }
    coins = SampledCoins(seed, "collection")
    methods = {"calibrate": CALIBRATED["calibrate"]}
    for name, estimates in estimates_by_method(point.epsilon, counts, coins, methods).items():
        found = heavy_hitters(counts, estimates, cut)
        numbers |= {
            f"precision_{name}": found.precision,
            f"recall_{name}": found.recall,
            f"f_score_{name}": found.f_score,
            f"named_{name}": found.right + found.wrong,
        }
    return numbers


@attrs.frozen(kw_only=True)
class NoisePoint:
    """The last `items` items of a population; their noise is measured."""

    population: str
    epsilon: float
    items: int


@typed(NoisePoint)
def noise(point: NoisePoint, seed: int, data: Path | None) -> Measurements:
    """Run one collection; return standard deviation, variance and squared mean of the last items'
    errors.

    The expected values are those of independent normal errors. This is the trial of Fig. 4. Its
    people are always made up: only the numbers of users and items matter.
    """
    del data
    counts, source = holders(point.population, None)
    items = point.items
    if not 2 <= items <= len(counts):
        raise BadInput(f"there are 2 to {len(counts)} items to look at, got {items}")
    rest, looked_at = np.split(counts, [len(counts) - items])
    grouped = np.append(looked_at, rest.sum())  # the others count as one item
    mechanism = OUE(point.epsilon, len(grouped))
    off = (estimated_counts(mechanism, grouped, SampledCoins(seed, "collection")) - grouped)[:items]
    variance = float(Noise.of(mechanism, int(counts.sum())).variance(looked_at).mean())
    return {
        "deviation": float(off.std()),
        "expected_deviation": sqrt(variance),
        "deviation_deviation": sqrt(variance / (2 * items)),
        "variance": float(off.var()),
        "expected_variance": variance,
        "deviation_variance": variance * sqrt(2 / items),
        "offset": float(off.mean()) ** 2,
        "expected_offset": variance / items,
        "deviation_offset": sqrt(2) * variance / items,
        "people": source,
    }


@attrs.frozen(kw_only=True)
class CountsPoint:
    """The items whose count is at least `count` and below twice `count`."""

    population: str
    count: int


@typed(CountsPoint)
def law(point: CountsPoint, seed: int, data: Path | None) -> Measurements:
    """Return the share of items per count, averaged over the counts, and the sizes (Fig. 3)."""
    del seed  # nothing is drawn
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
    """About how many seconds a collection and its post-processing take."""
    return _collection_cost(point.population)


@typed(NoisePoint)
def noise_cost(point: NoisePoint) -> float:
    """About how many seconds the noise of some items takes."""
    return point.items * 1.9e-10 * SIZES[point.population][0] + 0.02


@typed(ErrorsPoint)
def errors_cost(point: ErrorsPoint) -> float:
    """About how many seconds a collection with every way to calibrate takes.

    The search for the likeliest exponent takes longest.
    """
    items = SIZES[point.population][1]
    return _collection_cost(point.population) + items * (6e-5 + 4e-4 * exp(-point.epsilon))


def _collection_cost(population: str) -> float:
    users, items = SIZES[population]
    return items * (2e-5 + 8e-11 * users)
