"""The trials of Jia and Gong: collections by OUE, drawn item by item by their law, and what is made
of them.
"""

from math import exp, inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from protocols.mechanisms.unary import OUE
from protocols.postprocess.calibrate import Calibrate, Step, known_mean
from protocols.postprocess.expected import moments_of_errors
from protocols.postprocess.fits import CountMoments, power_law_of_mean
from protocols.postprocess.heavy_hitters import heavy_hitters
from protocols.postprocess.noise import Noise, zeroed
from protocols.postprocess.posterior import posterior_mean
from scenarios.jia.people import SIZES, holders
from scenarios.jia.study import CALIBRATED, estimated_counts, estimates_by_method, mse
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.studies.experiment import Numbers, Parameters
from simnet.studies.remembered import remembered
from simnet.studies.table import Measure

RUNS = 24  # "dozens"
STEPS = 4000  # of the quadrature where a step jumps
FINE = 20  # points a deviation of a step that is looked up
KEYS = {
    "OUE": "oue",
    "OUE-Zero": "zero",
    "Calibrate": "calibrate",
    "Calibrate, fitted mean": "fitted",
    "Calibrate, infinite support": "infinite",
    "Calibrate, likelihood": "likelihood",
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
)  # whose errors have a known law: no fit sees the noise
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


def errors(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """Squared errors of one collection, averaged over items, by method (Fig. 7).

    A method whose prior does not fit is left out.
    """
    p: Any = parameters
    counts, source = holders(p["population"], data)
    noise = Noise.of(OUE(p["epsilon"], len(counts)), int(counts.sum()))
    coins = SampledCoins(seed, "collection")
    raw = estimated_counts(OUE(p["epsilon"], len(counts)), counts, coins)
    threshold = noise.threshold(len(counts), p["beta"])
    made = {"oue": raw, "zero": zeroed(raw, threshold), **_calibrated(raw, noise)}
    made["again"] = zeroed(made["calibrate"], threshold)
    known = _expected(p["population"], p["epsilon"], p["beta"], data)
    return {**{name: mse(counts, given) for name, given in made.items()}, **known, "people": source}


def _calibrated(raw: Any, noise: Noise) -> dict[str, Any]:
    """Counts by every way to calibrate that finds a prior."""
    made = {}
    for name, how in CALIBRATED.items():
        try:
            made[KEYS[name]] = how.counts(raw, noise)
        except ValueError:  # a fitted mean of at most 1, or no likeliest exponent
            continue
    return made


@remembered
def _expected(population: str, epsilon: float, beta: float, data: Path | None) -> dict[str, float]:
    """Mean and standard deviation of the errors of the methods that treat items by themselves."""
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
    """A smooth step by a table of it, for very many counts."""
    reach = 10 * sqrt(float(noise.variance(largest)))
    at = np.arange(-reach, largest + reach, noise.deviation / FINE)
    values = step(at)
    return lambda given: np.interp(given, at, values)


def found(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """Precision, recall and F-score of OUE, OUE-Zero and Calibrate on one collection (Fig. 5, 6, 8
    and 9).

    The cut is `cut` times the significance threshold.
    """
    p: Any = parameters
    counts, source = holders(p["population"], data)
    noise = Noise.of(OUE(p["epsilon"], len(counts)), int(counts.sum()))
    threshold = noise.threshold(len(counts))
    how = {"Calibrate": Calibrate(mean_source="known_total")}
    made = estimates_by_method(p["epsilon"], counts, SampledCoins(seed, "collection"), how)
    cut = p["cut"] * threshold
    numbers: dict[str, float | str] = {
        "count": cut,
        "above": int((counts > cut).sum()),
        "people": source,
    }
    for name, given in made.items():
        hitters = heavy_hitters(counts, given, cut)
        numbers |= {f"{rate}_{KEYS[name]}": getattr(hitters, rate) for rate in RATES}
        numbers[f"named_{KEYS[name]}"] = hitters.right + hitters.wrong
    return numbers


def noise(parameters: Parameters, seed: int, data: Path | None) -> Numbers:  # noqa: ARG001  # sizes are all it takes
    """The errors of the last `items` items in one collection: deviation, variance, square of the
    mean (Fig. 4).

    The expected values are those of independent normal errors.
    """
    p: Any = parameters
    counts, source = holders(p["population"], None)
    items = p["items"]
    if not 2 <= items <= len(counts):
        raise BadInput(f"there are 2 to {len(counts)} items to look at, got {items}")
    rest, looked_at = np.split(counts, [len(counts) - items])
    grouped = np.append(looked_at, rest.sum())  # the others are as one item, which is left out
    mechanism = OUE(p["epsilon"], len(grouped))
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


def law(parameters: Parameters, seed: int, data: Path | None) -> Numbers:  # noqa: ARG001  # nothing is drawn
    """The share of items per count, over counts from `count` to below twice that, and sizes (Fig.
    3).
    """
    p: Any = parameters
    counts, source = holders(p["population"], data)
    here = int(((counts >= p["count"]) & (counts < 2 * p["count"])).sum())
    return {
        "density": here / len(counts) / p["count"],
        "items": len(counts),
        "users": int(counts.sum()),
        "people": source,
    }


def cost(parameters: Parameters) -> float:
    """About how many seconds a collection takes, with what is made of it."""
    users, items = SIZES[str(parameters["population"])]
    return items * (2e-5 + 8e-11 * users)


def noise_cost(parameters: Parameters) -> float:
    """About how many seconds the noise of some items takes."""
    p: Any = parameters
    return float(p["items"] * 1.9e-10 * SIZES[p["population"]][0] + 0.02)


def errors_cost(parameters: Parameters) -> float:
    """The same with every way to calibrate, of which the likeliest exponent takes longest."""
    items = SIZES[str(parameters["population"])][1]
    return cost(parameters) + items * (6e-5 + 4e-4 * exp(-float(parameters["epsilon"] or 0)))
