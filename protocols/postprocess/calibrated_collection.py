"""A local collection of frequencies whose server calibrates what it estimates.

Learns: the server, what it learns in the collection; calibration reads estimates only and costs no privacy. Source: Jia
and Gong, *Calibrate*, Algorithm 1.
"""

import math
from collections.abc import Collection, Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local.accuracy import assess_frequencies
from protocols.local.collection import Seating
from protocols.local.frequency import FrequencyCollection, local_frequency
from protocols.postprocess.calibrate import FIXED, Step
from protocols.postprocess.expected import STEPS, moments_of_errors
from protocols.postprocess.noise import Noise
from protocols.privacy.statement import Statement
from protocols.secure.checks import one_of
from simnet.adversary.discrete import Disclosure
from simnet.kernel.party import Party
from simnet.kernel.run import Run
from simnet.record.bill import Expectation
from simnet.roster import Seat
from simnet.study.scenario import Assessment

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

POINTS = {"zero": 4000, "calibrate-total": STEPS}  # of an average over noise; many where the step jumps


@attrs.frozen
class CalibratedCollection:
    """What every party knows: the collection, and the method, one that is fixed before any report comes."""

    collection: FrequencyCollection
    method: str = "calibrate-total"

    name = "calibrated_frequency"

    def __attrs_post_init__(self) -> None:
        one_of("method", self.method, tuple(FIXED))
        _ = self.step

    @property
    def users(self) -> int:
        """The number of users."""
        return self.collection.users

    @property
    def items(self) -> int:
        """The number of items."""
        return self.collection.items

    @property
    def noise(self) -> Noise:
        """Of the collection's estimates."""
        mechanism: Any = self.collection.mechanism
        return Noise.of(mechanism, self.users)

    @property
    def step(self) -> Step:
        """What becomes of estimated counts."""
        return FIXED[self.method](self.noise, self.items)

    def parties(self) -> Mapping[str, Seat]:
        """Those of the collection."""
        return self.collection.parties()

    async def user(self, me: Party, held: Any) -> None:
        """Send a report, as in the collection."""
        await self.collection.user(me, held)

    async def server(self, me: Party) -> Floats:
        """Estimate frequencies and process them; shape (2, N), the unbiased estimates above what becomes of them."""
        raw = await self.collection.server(me)
        return np.stack([raw, self.step(raw * self.users) / self.users])

    def assess(self, run: Run, support: Ints, confidence: float = 0.95) -> Assessment:
        """Hold the processed frequencies against the true support, shape (N,).

        Intervals are of the unbiased estimates, and need not hold the processed ones, which are biased. Errors are
        expected over normal noise that is independent between items, as it nearly is.
        """
        raw, processed = run.outputs["server"]
        unbiased = assess_frequencies(self.collection.mechanism, raw, support, confidence)
        expected = moments_of_errors(support, self.noise, self.step, POINTS[self.method])
        square = self.users**2
        return attrs.evolve(
            unbiased,
            estimate=processed,
            expected_squared_l2=float(expected.mse.sum()) / square,
            deviation_squared_l2=math.sqrt(float(expected.mse_variance.sum())) / square,
            variance=expected.variance / square,
        )

    def workload(self) -> tuple[int, int]:
        """That of the collection."""
        return self.collection.workload()

    def expected_bill(self, run: Run) -> list[Expectation]:
        """That of the collection."""
        return self.collection.expected_bill(run)

    def disclosure(self, tags: Collection[str]) -> Disclosure | None:
        """That of the collection."""
        return self.collection.disclosure(tags)

    def privacy(self, run: Run, totals: Any, epsilon: float | None, delta: float | None) -> list[Statement]:
        """That of the collection."""
        return self.collection.privacy(run, totals, epsilon, delta)


def calibrated_frequency(
    *, users: int, items: int, mechanism: str = "oue", epsilon: float = 1.0, method: str = "calibrate-total",
    population: Seating = "actors",
) -> CalibratedCollection:  # fmt: skip
    """A collection with one of the mechanisms oue, sue and grr, and a step after it. `ValueError` for another name."""
    made = local_frequency(users=users, items=items, mechanism=mechanism, epsilon=epsilon, population=population)
    return CalibratedCollection(made, method)
