"""The trials of Biswas, Cormode and Maple: collections from sampled users, and single items
estimated.
"""

from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from protocols.mechanisms.grr import GRR
from protocols.postprocess.consistency import apply
from protocols.sampled_frequency.estimators import ESTIMATORS
from protocols.sampled_frequency.mechanism import SampledGRR
from protocols.sampled_frequency.sampling_design import SamplingDesign
from scenarios.biswas.people import holders
from scenarios.biswas.study import expected_raw_tv, tv_distance
from simnet.coins.sampled import SampledCoins
from simnet.studies.experiment import Numbers, Parameters
from simnet.studies.table import Measure

SQUARED = Measure("squared_l2", "squared L2 error", "expected_squared_l2", "deviation_squared_l2")
RAW = Measure("raw_tv", "total variation distance, raw", "expected_raw_tv", "deviation_raw_tv")
NORMALISED = Measure("normalised_tv", "total variation distance, clipped at 0 and scaled")
REPORTS = Measure("reports", "reports", "expected_reports", "deviation_reports")


def collected(parameters: Parameters, seed: int, data: Path | None) -> Numbers:
    """One collection: how far raw and normalised estimates are from the truth, and how much was
    sent.

    `raw0`.. are the estimated shares of the values, where `histogram` asks for them.
    """
    del data
    p: Any = parameters
    held = holders(p["law"], p["users"])
    sampled = SampledGRR(p["epsilon"], len(held), p["sampling"])
    estimator: Any = ESTIMATORS[p["estimator"]](
        SamplingDesign(GRR(p["epsilon"], len(held)), p["users"], p["sampling"])
    )
    supports = sampled.draw_supports(held, SampledCoins(seed, "users"))
    raw, truth = estimator.estimate(supports), held / p["users"]
    variances = np.asarray(estimator.variance(truth))
    pictured = (
        {f"raw{value}": float(share) for value, share in enumerate(raw)}
        if p.get("histogram")
        else {}
    )
    return {
        "squared_l2": float(np.sum((raw - truth) ** 2)),
        "expected_squared_l2": float(variances.sum()),
        "deviation_squared_l2": sqrt(
            2 * float(np.sum(variances**2))
        ),  # as of normal, uncorrelated ones
        "raw_tv": tv_distance(raw, truth),
        "expected_raw_tv": expected_raw_tv(held, estimator),
        "deviation_raw_tv": sqrt((1 - 2 / pi) * float(variances.sum()))
        / 2,  # of sizes of normal numbers
        "normalised_tv": tv_distance(apply("normalise", raw), truth),
        "reports": float(supports.sum()),
        "expected_reports": p["users"] * p["sampling"],
        "deviation_reports": sqrt(p["users"] * p["sampling"] * (1 - p["sampling"])),
        "values": len(held),
        "bits": float(supports.sum()) * sampled.response.report_bits,
        **pictured,
        "people": f"synthetic, as in the paper: {p['law']}",
    }
