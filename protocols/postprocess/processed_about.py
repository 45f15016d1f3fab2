"""What is stated about a collection whose estimates are post-processed.

Cost and privacy are those of the collection; the estimate and its accuracy change.
"""

import math
from collections.abc import Callable
from typing import Any

import attrs

from protocols.postprocess.calibrate import Calibrate
from protocols.postprocess.expected import STEPS, moments_of_errors
from protocols.postprocess.heavy_hitters import Detection, heavy_hitters
from protocols.postprocess.processed import Processed
from protocols.reports.collection import users_counted
from simnet.arrays import Floats, Numbers
from simnet.contract import OverItems
from simnet.kernel.run import Run
from simnet.stated.about import About, Describe
from simnet.stated.assessment import Assessment, Scores

MANY_POINTS = 4000  # the points of the quadrature for steps that are not smooth
SOME_POINTS = 1000  # the points for posterior means under a prior that may have gaps

RATES: dict[str, Callable[[Detection], float]] = {
    "precision": lambda detection: detection.precision,
    "recall": lambda detection: detection.recall,
    "f-score": lambda detection: detection.f_score,
}


def about(protocol: Processed, collection: About) -> About:
    """Return the record of statements about a collection with processed estimates.

    `collection` is the record of the same collection without post-processing.
    """
    parameters: dict[str, Any] = {"users": protocol.users}
    if protocol.is_over_items:
        parameters["items"] = protocol.items
    if isinstance(protocol.postprocess, Calibrate):
        parameters["postprocess"] = protocol.postprocess.method
    if "epsilon" in collection.parameters:
        parameters["epsilon"] = collection.parameters["epsilon"]

    def assess_processed(run: Run, totals: Numbers) -> Assessment:
        assert collection.assess is not None  # every collection of shares can be assessed
        return assess(protocol, run, totals, collection.assess(inside(protocol, run), totals))

    def expected_bill(run: Run) -> Any:
        return () if collection.expected_bill is None else collection.expected_bill(run)

    return attrs.evolve(
        collection,
        parameters=parameters,
        expected_squared_l2=None,  # if it is known, the assessment states it
        expected_bill=expected_bill,
        assess=assess_processed,
    )


def about_either(describe: Describe) -> Describe:
    """Extend a function `about` to collections whose estimates may be processed."""

    def about_protocol(protocol: Any) -> About:
        if isinstance(protocol, Processed):
            return about(protocol, describe(protocol.collection))
        return describe(protocol)

    return about_protocol


def inside(protocol: Processed, run: Run) -> Run:
    """Return the run of the collection alone."""
    return attrs.evolve(
        run,
        protocol=protocol.collection,
        outputs={**run.outputs, "server": run.outputs["server"][0]},
    )


def assess(protocol: Processed, run: Run, totals: Numbers, collected: Assessment) -> Assessment:
    """Compare the processed estimates with the truth, given the assessment of the raw ones.

    Intervals are those of the raw estimates; they need not contain the processed ones, which are
    biased. Expected errors are over normal noise of each item; they are NaN for a method that looks
    at all shares together. The deviation of the squared error is computed only if the noise of
    different items is independent, as in unary reports; otherwise it is NaN. For tables, and if
    users dropped out, the expected errors of the shares are NaN. The scores of a collection of
    items say how well heavy hitters are found.
    """
    raw, processed = run.outputs["server"]
    counted = users_counted(protocol.collection, run.happened)
    assessment = attrs.evolve(
        collected,
        estimate=processed,
        raw=raw,
        scores=scores(protocol.among(counted), collected.truth, raw, processed),
    )
    if protocol.step is None or counted < protocol.users:
        return _without_expectation(protocol, assessment)
    expected = moments_of_errors(totals, protocol.noise, protocol.step, _points(protocol))
    square = protocol.users**2
    deviation = math.sqrt(float(expected.mse_variance.sum())) / square
    return attrs.evolve(
        assessment,
        expected_squared_l2=float(expected.mse.sum()) / square,
        deviation_squared_l2=deviation if protocol.collection.has_independent_items else math.nan,
        variance=expected.variance / square,
    )


def scores(protocol: Processed, truth: Floats, raw: Floats, processed: Floats) -> Scores | None:
    """Return how well heavy hitters are found.

    A heavy hitter is an item that more than a certain share of the users hold, which is `heavy` or
    follows from the significance threshold. None for tables, and if neither `heavy` nor the noise
    is known.
    """
    cut = protocol.heavy
    if not isinstance(protocol.collection, OverItems):
        return None
    if cut is None:
        if protocol.known_noise is None:
            return None
        cut = protocol.noise.threshold(protocol.items, protocol.beta) / protocol.users
    detections = {
        "raw": heavy_hitters(truth, raw, cut),
        "processed": heavy_hitters(truth, processed, cut),
    }
    rates = {
        f"{rate}, {name}": float(of(hitters))
        for rate, of in RATES.items()
        for name, hitters in detections.items()
    }
    above = int((truth > cut).sum())
    source = "the threshold of significance" if protocol.heavy is None else "heavy"
    return Scores(
        target=f"heavy hitters, held by more than {cut:.4g} of the users ({source})",
        measure="how well they are found",
        judges=f"{above:,} of {len(truth):,} items",
        errors=rates,
    )


def _points(protocol: Processed) -> int:
    method = protocol.postprocess
    if isinstance(method, Calibrate):
        return STEPS if method.known is None else SOME_POINTS
    return STEPS if method == "calibrate-total" else MANY_POINTS


def _without_expectation(protocol: Processed, assessment: Assessment) -> Assessment:
    variance = assessment.variance.copy()
    for where in protocol.collection.columns:
        variance[where] = math.nan
    return attrs.evolve(
        assessment, expected_squared_l2=math.nan, deviation_squared_l2=math.nan, variance=variance
    )
