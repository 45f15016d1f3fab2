"""The trial of Fig. 1 to 3 of Biswas, Cormode and Maple: one collection from sampled users."""

from math import pi, sqrt
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.mechanisms.grr import GRR
from protocols.postprocess.consistency import apply
from protocols.sampled_frequency.estimators import ESTIMATORS
from protocols.sampled_frequency.mechanism import SampledGRR
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas.people import holders
from simnet.arrays import Ints
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Measurements
from simnet.studies.parameters import typed
from simnet.studies.table import Measure

SQUARED = Measure("squared_l2", "squared L2 error", "expected_squared_l2", "deviation_squared_l2")
RAW = Measure("raw_tv", "total variation distance, raw", "expected_raw_tv", "deviation_raw_tv")
NORMALISED = Measure("normalised_tv", "total variation distance, clipped at 0 and scaled")
REPORTS = Measure("reports", "reports", "expected_reports", "deviation_reports")


@attrs.frozen(kw_only=True)
class SamplePoint:
    """One collection from sampled users. With `histogram` the trial also returns the estimate of
    every value.
    """

    law: str
    users: int
    estimator: str
    sampling: float
    epsilon: float
    histogram: bool = False


@typed(SamplePoint)
def collected(point: SamplePoint, seed: int, data: Path | None) -> Measurements:
    """Run one collection; return the errors of raw estimates and of estimates clipped at 0 and
    scaled, and the numbers of reports and bits that were sent.

    With `histogram`, `raw0`, `raw1` and so on are the estimated shares of the values. Raises
    `ValueError` for an unknown law or estimator.
    """
    del data
    checks.one_of("estimator", point.estimator, tuple(ESTIMATORS))
    held, users, sampling = holders(point.law, point.users), point.users, point.sampling
    sampled = SampledGRR(point.epsilon, len(held), sampling)
    design = SamplingDesign(GRR(point.epsilon, len(held)), users, sampling)
    estimator = ESTIMATORS[point.estimator](design)
    supports = sampled.draw_supports(held, SampledCoins(seed, "users"))
    raw, truth = estimator.estimate(supports), held / users
    variances = np.asarray(estimator.variance(truth))
    values = enumerate(raw) if point.histogram else ()
    # The standard deviations of the errors are those for normal, uncorrelated errors of the shares.
    return {
        "squared_l2": float(np.sum((raw - truth) ** 2)),
        "expected_squared_l2": float(variances.sum()),
        "deviation_squared_l2": sqrt(2 * float(np.sum(variances**2))),
        "raw_tv": tv_distance(raw, truth),
        "expected_raw_tv": expected_raw_tv(held, estimator),
        "deviation_raw_tv": sqrt((1 - 2 / pi) * float(variances.sum())) / 2,
        "normalised_tv": tv_distance(apply("normalise", raw), truth),
        "reports": float(supports.sum()),
        "expected_reports": users * sampling,
        "deviation_reports": sqrt(users * sampling * (1 - sampling)),
        "values": len(held),
        "bits": float(supports.sum()) * sampled.response.report_bits,
        **{f"raw{value}": float(share) for value, share in values},
        "people": f"synthetic: {point.law}",
    }


def tv_distance(one: npt.ArrayLike, other: npt.ArrayLike) -> float:
    """The total variation distance: half the sum of |a - b|.

    The distance can be above 1 for arrays that are no distributions, such as raw estimates.

    Raises `ValueError` for arrays of different shapes.

    >>> tv_distance([0.5, 0.5], [1.0, 0.0])
    0.5
    """
    law = np.asarray(one, dtype=np.float64)
    return float(np.abs(law - checks.shaped("the other numbers", other, law.shape)).sum() / 2)


def expected_raw_tv(holders: Ints, estimator: Any) -> float:
    """The mean distance of raw estimates from the truth, for normal errors with mean 0: half the
    sum of √(2 Var_i / π), where π is the number 3.14...
    """
    shares = np.asarray(holders) / np.sum(holders)
    return float(np.sqrt(2 * estimator.variance(shares) / pi).sum() / 2)
