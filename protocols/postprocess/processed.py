"""A local collection whose server processes the shares that it estimates.

Learns: the server, what it learns in the collection; processing reads estimates only and costs no
privacy. The unbiased estimates stay beside what becomes of them. Source: as of each method, in
`consistency` and `calibrate`.
"""

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from protocols import checks
from protocols.checks import ROUNDING, one_of
from protocols.local_table.script import TableCollection
from protocols.mechanisms.pure import Pure
from protocols.mechanisms.response import JoyGerla
from protocols.mechanisms.unary import UnaryReports
from protocols.postprocess import calibrate, consistency
from protocols.postprocess.calibrate import FIXED, Calibrate, Step
from protocols.postprocess.expected import STEPS, moments_of_errors
from protocols.postprocess.heavy_hitters import heavy_hitters
from protocols.postprocess.noise import Noise
from protocols.sampled_frequency.estimators import Linear
from protocols.sampled_frequency.script import SampledCollection
from simnet.kernel.party import Party
from simnet.kernel.run import Run
from simnet.roster import Seat
from simnet.stated.assessment import Assessment, Scores
from simnet.stated.bill import Expectation
from simnet.stated.disclosure import Disclosure
from simnet.stated.privacy import PrivacyStatement

Floats = npt.NDArray[np.float64]
Totals = npt.NDArray[Any]

RAW = "raw"  # no processing
POINTS = {"calibrate-total": STEPS}  # of an average over noise
MANY_POINTS = 4000  # where the step jumps or bends


@attrs.frozen
class Processed:
    """What every party knows: a collection of frequencies or of a table, and a method by name or a
    `Calibrate`.

    Of a table the shares of each column of categories are processed by themselves; means stay as
    they are. Items that more than `heavy` of the users hold are heavy hitters; where it is left
    out, those above the threshold of significance.
    """

    collection: Any
    postprocess: str | Calibrate
    heavy: float | None = None  # a share of the users, 0 < heavy < 1

    def __attrs_post_init__(self) -> None:
        if isinstance(self.postprocess, str):
            one_of(
                "postprocess",
                self.postprocess,
                tuple(name for name in calibrate.METHODS if name != RAW),
            )
        if self.known_noise is None and self.postprocess not in consistency.METHODS:
            others = " or ".join(name for name in consistency.METHODS if name != RAW)
            raise ValueError(
                f"{self.postprocess} needs to know the noise of a count, which must depend "
                f"on how many hold the item "
                f"alone, and in this collection does not: postprocess is {others}"
            )
        if self.heavy is not None:
            checks.chance("heavy", self.heavy)
            if isinstance(self.collection, TableCollection):
                raise ValueError(
                    "heavy hitters are items of one column: take a collection of frequencies"
                )
        if self._fixed is not None:
            for where in self._groups:
                self._fixed(self.noise, where.stop - where.start)  # refuses what does not fit

    @property
    def _fixed(self) -> Callable[[Noise, int], Step] | None:
        return FIXED.get(self.postprocess) if isinstance(self.postprocess, str) else None

    @property
    def known_noise(self) -> Noise | None:
        """Of the estimated counts; None where it depends on more than how many hold an item, or
        there is a bias.
        """
        match self.collection:
            case TableCollection(mechanism=rows):
                return Noise.of_shares(
                    lambda share: rows.frequency_variance(share, self.users), self.users
                )
            case SampledCollection(estimates=Linear() as linear):
                alike = (linear.sample.sampling == linear.sample.sampling[0]).all()
                unbiased = abs(linear.mean(0.0)) <= ROUNDING
                return Noise.of_shares(linear.variance, self.users) if alike and unbiased else None
        mechanism = self.collection.mechanism
        if not isinstance(mechanism, Pure) or isinstance(mechanism, JoyGerla):
            return None
        return Noise.of(mechanism, self.users)

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
        """The same where there is one. Raises `ValueError` where there is none."""
        if self.known_noise is None:
            raise ValueError("the noise of a count depends on more than how many hold the item")
        return self.known_noise

    @property
    def step(self) -> Step | None:
        """What becomes of estimated counts, if each is treated by itself and the step is known
        beforehand.
        """
        if isinstance(self.collection, TableCollection) or self.known_noise is None:
            return None
        if self._fixed is not None:
            return self._fixed(self.noise, self.items)
        if self.postprocess == "clip":
            return lambda counts: consistency.clip(counts / self.users) * self.users
        return None

    def parties(self) -> Mapping[str, Seat]:
        """Those of the collection, whose server processes its estimates."""
        return {**self.collection.parties(), "server": Seat(self.server)}

    async def server(self, me: Party) -> Floats:
        """Estimate and process; shape (2, N), the unbiased estimates above what becomes of them."""
        raw = await self.collection.server(me)
        return np.stack([raw, self.processed(raw)])

    def processed(self, raw: Floats) -> Floats:
        """What becomes of the unbiased estimates, shapes (N,)."""
        result = raw.copy()
        for where in self._groups:
            simple = isinstance(self.postprocess, str) and self.postprocess in consistency.METHODS
            result[where] = (
                consistency.apply(str(self.postprocess), raw[where])
                if simple
                else calibrate.apply(self.postprocess, raw[where], self.noise)
            )
        return result

    @property
    def _groups(self) -> list[slice]:
        """Where the shares of one column are."""
        if not isinstance(self.collection, TableCollection):
            return [slice(0, self.items)]
        return [
            where
            for _, where in self.collection.schema.groups[len(self.collection.schema.numeric) :]
        ]

    def assess(self, run: Run, totals: Totals, confidence: float = 0.95) -> Assessment:
        """Hold the processed estimates against the truth that the totals give.

        Intervals are of the unbiased estimates, and need not hold the processed ones, which are
        biased. Errors are expected over normal noise of each item; NaN where a method looks at all
        shares together. The deviation of the squared error is that of independent items, such as
        unary reports have; a report of a single item makes the errors of all items depend on each
        other, and then it is NaN. Of tables nothing is expected of shares. Scores are those of
        heavy hitters among items.
        """
        raw, processed = run.outputs["server"]
        unbiased: Assessment = self.collection.assess(self._inside(run), totals, confidence)
        found = attrs.evolve(
            unbiased,
            estimate=processed,
            raw=raw,
            scores=self._scores(unbiased.truth, raw, processed),
        )
        if self.step is None:
            return self._unforeseen(found)
        expected = moments_of_errors(
            totals, self.noise, self.step, POINTS.get(str(self.postprocess), MANY_POINTS)
        )
        square = self.users**2
        independent = isinstance(self.collection.mechanism, UnaryReports)
        return attrs.evolve(
            found,
            expected_squared_l2=float(expected.mse.sum()) / square,
            deviation_squared_l2=math.sqrt(float(expected.mse_variance.sum())) / square
            if independent
            else math.nan,
            variance=expected.variance / square,
        )

    def _scores(self, truth: Floats, raw: Floats, processed: Floats) -> Scores | None:
        """How well heavy hitters are found; None of tables, and where neither a cut nor the noise
        is known.
        """
        cut = self.heavy
        if isinstance(self.collection, TableCollection) or (
            cut is None and self.known_noise is None
        ):
            return None
        if cut is None:
            cut = self.noise.threshold(self.items) / self.users
        found = {
            "raw": heavy_hitters(truth, raw, cut),
            "processed": heavy_hitters(truth, processed, cut),
        }
        rates = {
            f"{rate.replace('_', '-')}, {name}": float(getattr(one, rate))
            for rate in ("precision", "recall", "f_score")
            for name, one in found.items()
        }
        above = int((truth > cut).sum())
        said = "the threshold of significance" if self.heavy is None else "heavy"
        return Scores(
            target=f"heavy hitters, held by more than {cut:.4g} of the users ({said})",
            measure="how well they are found",
            judges=f"{above:,} of {len(truth):,} items",
            errors=rates,
        )

    def _unforeseen(self, found: Assessment) -> Assessment:
        """The same without what is expected of shares, which nobody has worked out."""
        variance = found.variance.copy()
        for where in self._groups:
            variance[where] = math.nan
        return attrs.evolve(
            found, expected_squared_l2=math.nan, deviation_squared_l2=math.nan, variance=variance
        )

    def _inside(self, run: Run) -> Run:
        """The run of the collection alone."""
        return attrs.evolve(
            run,
            protocol=self.collection,
            outputs={**run.outputs, "server": run.outputs["server"][0]},
        )

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

    def privacy(
        self, run: Run, totals: Any, epsilon: float | None, delta: float | None
    ) -> list[PrivacyStatement]:
        """That of the collection."""
        return list(self.collection.privacy(self._inside(run), totals, epsilon, delta))


def postprocessed(make: Callable[..., Any]) -> Callable[..., Any]:
    """What makes collections, with two more settings: `postprocess`, a method or `raw` for none,
    and `heavy`, a share.

    It raises `ValueError` for a method that the collection's estimates do not have, and for
    `heavy` without a method.
    """

    def made(
        *, postprocess: str | Calibrate = RAW, heavy: float | None = None, **given: Any
    ) -> Any:
        collection = make(**given)
        if postprocess != RAW:
            return Processed(collection, postprocess, heavy)
        if heavy is not None:
            raise ValueError(
                "heavy hitters are looked for beside processed estimates: give postprocess as well"
            )
        return collection

    return made
