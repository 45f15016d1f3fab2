"""The experiments of Jia and Gong, *Calibrate*, section 6: errors, improvements, noise and heavy
hitters as data.

A population is given by how many users hold each item, shape (N,). Errors are of counts, squared,
averaged over items. "Expected" ones are over normal noise with the exact variance of each item, by
quadrature and without simulation, for a prior that is given and not fitted to the noise.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.grr import GRR
from protocols.mechanisms.unary import OUE, UnaryReports
from protocols.postprocess.calibrate import Calibrate
from protocols.postprocess.expected import moments_of_errors, normal_density
from protocols.postprocess.heavy_hitters import Detection, heavy_hitters
from protocols.postprocess.noise import Noise, zeroed
from protocols.postprocess.posterior import posterior_mean
from protocols.postprocess.priors import Prior
from simnet.coins.coins import Coins

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CALIBRATED: Mapping[str, Calibrate] = MappingProxyType(
    {
        "Calibrate": Calibrate(mean_source="known_total"),
        "Calibrate, fitted mean": Calibrate(),
        "Calibrate, infinite support": Calibrate(mean_source="known_total", support="infinite"),
        "Calibrate, likelihood": Calibrate(fit="likelihood"),
    }
)


def zipf_benchmark(users: int, items: int) -> Ints:
    """Counts in proportion to 1, 1/2, 1/3, ... rounded down, the rest added one each to the first;
    shape (N,).
    """
    checks.whole("items", items, 2)
    checks.whole("users", users, items)
    shares = 1 / np.arange(1, items + 1)
    counts: Ints = np.floor(users * shares / shares.sum()).astype(np.int64)
    counts[: users - int(counts.sum())] += 1
    return counts


def estimated_counts(mechanism: GRR | UnaryReports, holders: Ints, coins: Coins) -> Floats:
    """Raw estimates of one collection from all holders, by the law of the supports; shapes (N,)."""
    users = int(np.sum(holders))
    return mechanism.estimate(mechanism.draw_supports(holders, coins), users) * users


def estimates_by_method(
    epsilon: float, holders: Ints, coins: Coins, methods: Mapping[str, Calibrate] = CALIBRATED
) -> dict[str, Floats]:
    """Counts by OUE, OUE-Zero and each way to calibrate, of one collection; shapes (N,)."""
    mechanism = OUE(epsilon, len(holders))
    noise = Noise.of(mechanism, int(np.sum(holders)))
    raw = estimated_counts(mechanism, holders, coins)
    calibrated = {name: how.counts(raw, noise) for name, how in methods.items()}
    return {"OUE": raw, "OUE-Zero": zeroed(raw, noise.threshold(len(holders))), **calibrated}


def mse(truth: npt.ArrayLike, estimates: npt.ArrayLike) -> float:
    """The squared error, averaged over items. Raises `ValueError` for shapes that differ."""
    counts = np.asarray(truth, dtype=np.float64)
    return float(np.mean((counts - checks.shaped("estimates", estimates, counts.shape)) ** 2))


def errors(
    epsilon: float,
    holders: Ints,
    repetitions: int,
    coins: Coins,
    methods: Mapping[str, Calibrate] = CALIBRATED,
) -> dict[str, float]:
    """The mean squared error of each method over so many collections."""
    rows = [estimates_by_method(epsilon, holders, coins, methods) for _ in range(repetitions)]
    return {name: float(np.mean([mse(holders, row[name]) for row in rows])) for name in rows[0]}


@attrs.frozen
class Improvement:
    """How much smaller an error is than OUE-Zero's, both ways to say it: the paper does not tell
    which it means.
    """

    zero: float
    calibrated: float

    @property
    def saved(self) -> float:
        """(Zero - Calibrate) / Zero, below 1."""
        return 1 - self.calibrated / self.zero

    @property
    def excess(self) -> float:
        """Zero / Calibrate - 1, any size."""
        return self.zero / self.calibrated - 1


@attrs.frozen
class ExpectedErrors:
    """A row of the paper's comparison, in expectation: what OUE, OUE-Zero and OUE-Calibrate have to
    be held against.
    """

    epsilon: float
    threshold: float  # of significance, in counts
    raw: float
    zero: float
    calibrated: float

    @property
    def improvement(self) -> Improvement:
        """Of OUE-Calibrate over OUE-Zero."""
        return Improvement(self.zero, self.calibrated)


def expected_errors(holders: Ints, epsilons: Sequence[float], prior: Prior) -> list[ExpectedErrors]:
    """The comparison for every ε, the prior being given: by `power_law_of_mean`, or
    `Finite.empirical` for the best.
    """
    rows, items = [], len(holders)
    for epsilon in epsilons:
        noise = Noise.of(OUE(epsilon, items), int(np.sum(holders)))
        threshold = noise.threshold(items)
        errors_of = (expected_raw_mse(noise, items), expected_zero_mse(holders, noise, threshold))
        rows.append(
            ExpectedErrors(
                epsilon, threshold, *errors_of, expected_calibrated_mse(holders, noise, prior)
            )
        )
    return rows


def expected_raw_mse(noise: Noise, items: int) -> float:
    """The expected error of raw estimates: V₀ and the slope times n / N."""
    return float(noise.variance(noise.users / items))


def expected_zero_mse(holders: Ints, noise: Noise, threshold: float) -> float:
    """The expected error of OUE-Zero.

    Of an item with f holders and deviation s it is f² Φ(z) + s² (z φ(z) + 1 - Φ(z)), with z =
    (threshold - f) / s.
    """
    from scipy.special import ndtr  # here, not above: it takes a while to load

    truth = np.asarray(holders, dtype=np.float64)
    variance = noise.variance(truth)
    z = (threshold - truth) / np.sqrt(variance)
    kept = z * normal_density(z) + ndtr(-z)
    return float(np.mean(truth**2 * ndtr(z) + variance * kept))


def expected_calibrated_mse(holders: Ints, noise: Noise, prior: Prior) -> float:
    """The expected error of posterior means under a given prior, with noise alike for all items as
    in the paper.
    """
    return float(
        moments_of_errors(
            holders, noise, lambda counts: posterior_mean(counts, prior, noise.alike)
        ).mse.mean()
    )


def found_by_cut(
    holders: Ints, estimates: Mapping[str, npt.ArrayLike], cuts: Sequence[float]
) -> dict[str, list[Detection]]:
    """How well each method's estimates find the items above every cut: the paper's sweep over
    thresholds.
    """
    return {
        name: [heavy_hitters(holders, given, cut) for cut in cuts]
        for name, given in estimates.items()
    }
