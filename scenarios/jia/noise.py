"""The noise of one collection, and its law (Fig. 4 and section III-B of Jia and Gong).

The paper calls p_s the distribution of the noise of all items in one collection, and says that it
is a Gaussian with mean 0 and the variance of Eq. 14, σ². We check this at the bounds -4 σ, -3.75 σ,
..., 4 σ. The *distance* is the largest difference, over the bounds, between the share of items
whose noise is at most the bound and the probability that the Gaussian is at most the bound. For the
exact law, the largest difference over all values is at least this distance. By the triangle
inequality this largest difference is at most the mean, over the items, of the largest difference
between one item's exact distribution function and that of the Gaussian.

The exact law of an item's noise is known. The number of reports that support an item with f holders
is Bin(f, p) + Bin(n - f, q), whose probabilities are a Fourier transform of its characteristic
function. The shares of several collections are averages of independent or negatively associated
indicators, so Hoeffding's inequality bounds how far they are from their expectations.
"""

from collections.abc import Callable, Sequence
from math import ceil, floor, log, log2, sqrt
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE, SUE, UnaryReports
from protocols.postprocess.noise import Noise
from scenarios.jia.people import holders
from scenarios.jia.trials import estimated_counts
from simnet.arrays import Floats, Ints
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.remembered import remembered
from simnet.studies.table import TrialRow

Mechanism = GRR | UnaryReports
MECHANISMS: dict[str, Callable[[float, int], Mechanism]] = {"oue": OUE, "rappor": SUE, "k-rr": GRR}
TITLES = {"oue": "OUE", "rappor": "basic RAPPOR", "k-rr": "k-RR"}
BOUNDS = np.arange(-16, 17) / 4  # the bounds, in standard deviations
FALSE_ALARM = 0.01  # of the tests
WINDOW = 16.0  # beyond so many standard deviations, the law of a support is negligible


@attrs.frozen(kw_only=True)
class NoisePoint:
    """A population, a mechanism and an ε, whose noise is looked at."""

    population: str
    mechanism: str
    epsilon: float


def mechanism_of(name: str, epsilon: float, items: int) -> Mechanism:
    """Return the mechanism with this name. Raises `BadInput` for an unknown name."""
    if name not in MECHANISMS:
        raise BadInput(f"mechanism is one of {', '.join(MECHANISMS)}, got {name!r}")
    return MECHANISMS[name](epsilon, items)


@typed(NoisePoint)
def noise(point: NoisePoint, seed: int, data: Path | None) -> Measurements:
    """Run one collection; return the mean, variance and shape of the items' noise.

    `fitted_mean` and `fitted_deviation` are the mean and the standard deviation of the Gaussian
    that is fitted to the noise, and `below_00` to `below_32` are the shares of items with noise of
    at most each bound. `p_value` is the p-value of Kolmogorov's test against the Gaussian with mean
    0 and the variance of Eq. 14.
    """
    # Scipy loads slowly, so we import it only where it is needed.
    from scipy.special import kolmogorov

    counts, source = holders(point.population, data)
    items = len(counts)
    mechanism = mechanism_of(point.mechanism, point.epsilon, items)
    known = Noise.of(mechanism, int(counts.sum()))
    off = estimated_counts(mechanism, counts, SampledCoins(seed, "collection")) - counts
    ordered = np.sort(off / known.deviation)
    gaussian = normal(ordered)
    distance = max(
        float((np.arange(1, items + 1) / items - gaussian).max()),
        float((gaussian - np.arange(items) / items).max()),
    )
    p_value = float(kolmogorov(sqrt(items) * distance))
    variance = float(known.variance(known.users / items))  # the mean of the variance over all items
    law = _law(point.population, point.mechanism, point.epsilon, data)
    shares = np.searchsorted(ordered, BOUNDS, side="right") / items
    independent: dict[str, float] = {
        "offset": float(off.mean()) ** 2,
        "expected_offset": variance / items,
        "deviation_offset": sqrt(2) * variance / items,
    }
    return {
        "variance": float(off.var()),
        "expected_variance": variance,
        "deviation_variance": variance * sqrt(2 / items),
        "skewness": float(((off - off.mean()) ** 3).mean() / off.var() ** 1.5),
        "p_value": p_value,
        "rejected": int(p_value < FALSE_ALARM),
        "fitted_mean": float(off.mean()),
        "fitted_deviation": float(off.std()),
        "eq_14": known.floor,
        "items": items,
        **law,
        # the estimates of k-RR add up to the number of users, so that their noise has mean 0
        **(independent if isinstance(mechanism, UnaryReports) else {}),
        **{f"below_{place:02d}": float(share) for place, share in enumerate(shares)},
        "people": source,
    }


@remembered
def _law(population: str, mechanism: str, epsilon: float, data: Path | None) -> dict[str, float]:
    counts, _ = holders(population, data)
    return exact_shape(mechanism_of(mechanism, epsilon, len(counts)), counts)


def exact_shape(mechanism: Mechanism, counts: Ints) -> dict[str, float]:
    """Return what is known of the noise of a random item, given the numbers of holders, shape (N,).

    `expected_distance` is the distance of the noise from the Gaussian, and `mixture_distance` is
    the distance of the estimates from the law that Eq. 21 gives for the true counts, at the same
    bounds. `most_distance` is an upper bound on both distances, even if they are taken over all
    values instead of the bounds.
    """
    users = int(counts.sum())
    known = Noise.of(mechanism, users)
    p, q = mechanism.support_chances
    held, times = np.unique(counts, return_counts=True)
    shares = times / len(counts)
    third = held * p * (1 - p) * (1 - 2 * p) + (users - held) * q * (1 - q) * (1 - 2 * q)
    variance = known.variance(held)
    bounds = BOUNDS * known.deviation
    below, mixture, by_eq_21 = (np.zeros(len(BOUNDS)) for _ in range(3))
    most = 0.0
    for holder, share in zip(held.tolist(), shares.tolist(), strict=True):
        law = NoiseLaw.of(p, q, users, holder)
        below += share * law.below(bounds)
        mixture += share * law.below(bounds - holder)
        by_eq_21 += share * normal((bounds - holder) / known.deviation)
        most += share * law.distance(known.deviation)
    return {
        "expected_skewness": float(
            (shares * third).sum() / (p - q) ** 3 / (shares * variance).sum() ** 1.5
        ),
        "expected_distance": float(np.abs(below - normal(BOUNDS)).max()),
        "mixture_distance": float(np.abs(mixture - by_eq_21).max()),
        "most_distance": most,
    }


@attrs.frozen(eq=False)
class NoiseLaw:
    """The law of an item's noise: noise number k is `first + k * step`."""

    first: float
    step: float
    cumulated: Floats  # the probability of noise of at most each number

    @classmethod
    def of(cls, p: float, q: float, users: int, holders: int) -> "NoiseLaw":
        """Return the law for an item with this number of holders among the users."""
        mean = holders * p + (users - holders) * q
        spread = sqrt(holders * p * (1 - p) + (users - holders) * q * (1 - q))
        size = 2 ** max(ceil(log2(min(WINDOW * spread + WINDOW**2, users + 1))), 3)
        first = max(floor(mean) - size // 2, 0)
        angles = -2 * np.pi * np.arange(size // 2 + 1) / size
        steps = np.exp(1j * angles)
        # (1 - p + p z)^f (1 - q + q z)^(n - f) z^(-first): powers of numbers of modulus at most 1
        logs = holders * _log(1 - p + p * steps) + (users - holders) * _log(1 - q + q * steps)
        chances = np.fft.irfft(np.exp(logs - 1j * angles * first), size)
        cumulated = np.cumsum(np.maximum(chances, 0))
        return cls((first - mean) / (p - q), 1 / (p - q), cumulated / cumulated[-1])

    def below(self, bounds: Floats) -> Floats:
        """Return the probability of noise of at most each bound; shapes (m,)."""
        # a bound that is a number of the lattice up to rounding counts as reached
        places = np.floor((bounds - self.first) / self.step + 1e-9).astype(np.int64)
        padded = np.concatenate([[0.0], self.cumulated])
        return np.asarray(padded[np.clip(places + 1, 0, len(self.cumulated))])

    def distance(self, deviation: float) -> float:
        """Return the largest difference, over all values, of the distribution function from that of
        a Gaussian with mean 0 and this standard deviation.
        """
        values: Floats = self.first + self.step * np.arange(len(self.cumulated), dtype=np.float64)
        gaussian = normal(values / deviation)
        before = np.concatenate([[0.0], self.cumulated[:-1]])
        return float(max((self.cumulated - gaussian).max(), (gaussian - before).max()))


def _log(values: npt.NDArray[np.complex128]) -> npt.NDArray[np.complex128]:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values))


def normal(values: Floats) -> Floats:
    """Return the probabilities that a standard Gaussian is at most each value; shapes (m,)."""
    from scipy.special import ndtr  # scipy loads slowly, so we import it only where it is needed

    return np.asarray(ndtr(values))


def pooled_distance(rows: Sequence[TrialRow]) -> tuple[float, float]:
    """Return the distance from the Gaussian over all collections, and how far it may be off.

    The distance is off by more than the second number with a probability of at most `FALSE_ALARM`,
    by Hoeffding's inequality at every bound.
    """
    names = [f"below_{place:02d}" for place in range(len(BOUNDS))]
    shares = np.array([[float(row[name]) for name in names] for row in rows]).mean(axis=0)
    total = sum(int(row["items"]) for row in rows)
    arm = sqrt(log(2 * len(BOUNDS) / FALSE_ALARM) / (2 * total))
    return float(np.abs(shares - normal(BOUNDS)).max()), arm


def false_alarm(mechanism: Mechanism, users: int, items: int, threshold: float) -> float:
    """Return the exact probability that the estimates of one or more of `items` items that nobody
    holds reach a threshold, if the items are independent.
    """
    from scipy.special import bdtrc  # scipy loads slowly, so we import it only where it is needed

    p, q = mechanism.support_chances
    least = ceil(threshold * (p - q) + users * q)
    return float(-np.expm1(items * np.log1p(-float(bdtrc(least - 1, users, q)))))


def gaussian_density(at: Floats, mean: float, deviation: float) -> Floats:
    """Return the density of a Gaussian; shapes (m,)."""
    return np.asarray(np.exp(-(((at - mean) / deviation) ** 2) / 2) / deviation / sqrt(2 * np.pi))


@typed(NoisePoint)
def noise_cost(point: NoisePoint) -> float:
    """Return about how many seconds a collection takes."""
    return 0.5 if point.population == "all of kosarak" else 0.15
