"""A local collection whose server processes the shares that it estimates.

Learns: the server, what it learns in the collection; processing reads estimates only and costs no privacy. The unbiased
estimates stay beside what becomes of them. Source: as of each method, in `consistency` and `calibrate`.
"""

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols.local.pure import Pure
from protocols.local.response import JoyGerla
from protocols.local.table import TableCollection
from protocols.postprocess import calibrate, consistency
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

Floats = npt.NDArray[np.float64]
Totals = npt.NDArray[Any]

RAW = "raw"  # no processing
POINTS = {"calibrate-total": STEPS}  # of an average over noise
MANY_POINTS = 4000  # where the step jumps or bends


@attrs.frozen
class Processed:
    """What every party knows: a collection of frequencies or of a table, and a method by name.

    Of a table the shares of each column of categories are processed by themselves; means stay as they are.
    """

    collection: Any
    method: str

    def __attrs_post_init__(self) -> None:
        one_of("postprocess", self.method, tuple(name for name in self._methods if name != RAW))
        if self.method in FIXED:
            _ = self.step  # refuses what does not fit

    @property
    def _methods(self) -> tuple[str, ...]:
        """Those that know the noise are for shares that all have the same."""
        mechanism = self.collection.mechanism
        alike = isinstance(mechanism, Pure) and not isinstance(mechanism, JoyGerla)
        return calibrate.METHODS if alike else tuple(consistency.METHODS)

    @property
    def name(self) -> str:
        """That of the collection."""
        return str(self.collection.name)

    @property
    def users(self) -> int:
        """The number of users."""
        return int(self.collection.users)

    @property
    def items(self) -> int:
        """The number of items; a table has none."""
        return int(self.collection.items)

    @property
    def epsilon(self) -> float:
        """The ε that the mechanism is made with."""
        return float(self.collection.epsilon)

    @property
    def noise(self) -> Noise:
        """Of the collection's estimated counts."""
        return Noise.of(self.collection.mechanism, self.users)

    @property
    def step(self) -> Step | None:
        """What becomes of estimated counts, if each is treated by itself and the step is known beforehand."""
        if self.method in FIXED:
            return FIXED[self.method](self.noise, self.items)
        if self.method == "clip":
            return lambda counts: consistency.clip(counts / self.users) * self.users
        return None

    def parties(self) -> Mapping[str, Seat]:
        """Those of the collection."""
        parties: Mapping[str, Seat] = self.collection.parties()
        return parties

    async def user(self, me: Party, held: Any) -> None:
        """Send a report, as in the collection."""
        await self.collection.user(me, held)

    async def server(self, me: Party) -> Floats:
        """Estimate and process; shape (2, N), the unbiased estimates above what becomes of them."""
        raw = await self.collection.server(me)
        return np.stack([raw, self.processed(raw)])

    def processed(self, raw: Floats) -> Floats:
        """What becomes of the unbiased estimates, shapes (N,)."""
        result = raw.copy()
        for where in self._groups:
            known = self.method not in consistency.METHODS
            result[where] = (
                calibrate.apply(self.method, raw[where], self.noise) if known
                else consistency.apply(self.method, raw[where])
            )  # fmt: skip
        return result

    @property
    def _groups(self) -> list[slice]:
        """Where the shares of one column are."""
        if not isinstance(self.collection, TableCollection):
            return [slice(None)]
        return [where for _, where in self.collection.schema.groups[len(self.collection.schema.numeric) :]]

    def assess(self, run: Run, totals: Totals, confidence: float = 0.95) -> Assessment:
        """Hold the processed estimates against the truth that the totals give.

        Intervals are of the unbiased estimates, and need not hold the processed ones, which are biased. Errors are
        expected over normal noise that is independent between items, as it nearly is; NaN where a method looks at all
        shares together.
        """
        raw, processed = run.outputs["server"]
        unbiased: Assessment = self.collection.assess(self._inside(run), totals, confidence)
        found = attrs.evolve(unbiased, estimate=processed, raw=raw)
        if self.step is None or not isinstance(self.collection.mechanism, Pure):
            return self._unforeseen(found)
        expected = moments_of_errors(totals, self.noise, self.step, POINTS.get(self.method, MANY_POINTS))
        square = self.users**2
        return attrs.evolve(
            found,
            expected_squared_l2=float(expected.mse.sum()) / square,
            deviation_squared_l2=math.sqrt(float(expected.mse_variance.sum())) / square,
            variance=expected.variance / square,
        )

    def _unforeseen(self, found: Assessment) -> Assessment:
        """The same without what is expected of shares, which nobody has worked out."""
        variance = found.variance.copy()
        for where in self._groups:
            variance[where] = math.nan
        return attrs.evolve(
            found, expected_squared_l2=math.nan, deviation_squared_l2=math.nan, variance=variance
        )  # fmt: skip

    def _inside(self, run: Run) -> Run:
        """The run of the collection alone."""
        return attrs.evolve(
            run, protocol=self.collection, outputs={**run.outputs, "server": run.outputs["server"][0]}
        )  # fmt: skip

    def workload(self) -> tuple[int, int]:
        """That of the collection."""
        messages, elements = self.collection.workload()
        return messages, elements

    def expected_bill(self, run: Run) -> list[Expectation]:
        """That of the collection."""
        return list(self.collection.expected_bill(self._inside(run)))

    def disclosure(self, tags: Collection[str]) -> Disclosure | None:
        """That of the collection."""
        told: Disclosure | None = self.collection.disclosure(tags)
        return told

    def privacy(self, run: Run, totals: Any, epsilon: float | None, delta: float | None) -> list[Statement]:
        """That of the collection."""
        return list(self.collection.privacy(self._inside(run), totals, epsilon, delta))


def postprocessed(make: Callable[..., Any]) -> Callable[..., Any]:
    """What makes collections, with one more setting: `postprocess`, a method by name, or `raw` for none.

    It raises `ValueError` for a method that the collection's estimates do not have.
    """

    def made(*, postprocess: str = RAW, **given: Any) -> Any:
        collection = make(**given)
        return collection if postprocess == RAW else Processed(collection, postprocess)

    return made
