"""A local collection whose server post-processes the shares that it estimates.

The server learns what it learns in the collection. Post-processing reads only estimates, so it
costs no privacy. The output keeps the unbiased estimates beside the processed ones.

Source: see each method, in `consistency` and `calibrate`. `processed_about.py` states the error.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

import attrs
import numpy as np

from protocols import checks
from protocols.checks import one_of
from protocols.postprocess import calibrate, consistency, likelihood
from protocols.postprocess.calibrate import FIXED, Calibrate, Step
from protocols.postprocess.noise import Noise
from protocols.reports.collection import SharesCollection
from simnet.arrays import Floats
from simnet.contract import OverItems
from simnet.kernel.party import Party
from simnet.roster import Seat
from simnet.scenario.settings import hands_settings_to

RAW = "raw"  # no processing
METHODS = (*calibrate.METHODS, likelihood.NAME)


@attrs.frozen
class Processed:
    """A collection with post-processing: `collection`, and a method by name or a `Calibrate`.

    In a table, the shares of each categorical column are processed separately, and means stay
    unchanged. `heavy` defines heavy hitters: items that more than this share of the users hold; by
    default, items above the significance threshold. The output of the server has shape (2, N): the
    unbiased estimates, then the processed ones.

    Raises `ValueError` for a method that the collection's estimates do not have.

    >>> from protocols import OUE, FrequencyCollection
    >>> from simnet import run
    >>> collection = FrequencyCollection(users=50, mechanism=OUE(epsilon=1.0, items=3))
    >>> done = run(Processed(collection, "project"), [1, 2] * 25, seed=7)
    >>> raw, processed = done.outputs["server"]
    >>> bool(abs(processed.sum() - 1) < 1e-9)
    True
    """

    collection: SharesCollection
    postprocess: str | Calibrate
    heavy: float | None = None  # a share of the users, 0 < heavy < 1

    def __attrs_post_init__(self) -> None:
        if isinstance(self.postprocess, str):
            one_of("postprocess", self.postprocess, tuple(name for name in METHODS if name != RAW))
        if self.postprocess == likelihood.NAME:
            if self.collection.single_item_chances is None:
                raise ValueError(
                    f"{likelihood.NAME} goes by how many reports name each item: it needs a "
                    "collection in which every user reports one item, such as local_frequency with "
                    "mechanism=grr; of other reports protocols.postprocess.likelihood has the "
                    "iterative Bayesian update"
                )
        elif self.known_noise is None and self.postprocess not in consistency.METHODS:
            others = " or ".join(name for name in consistency.METHODS if name != RAW)
            raise ValueError(
                f"{self.postprocess} needs the noise of a count, which must depend "
                f"only on the number of holders, but in this collection it depends on more: "
                f"postprocess is {others}"
            )
        if self.heavy is not None:
            checks.chance("heavy", self.heavy)
            if not self.is_over_items:
                raise ValueError(
                    "heavy hitters are items of one column: use a collection of frequencies"
                )
        if self._fixed_step is not None:
            for where in self.collection.columns:
                self._fixed_step(self.noise, where.stop - where.start)  # raises if it does not fit

    @property
    def is_over_items(self) -> bool:
        """Whether users hold items, rather than rows of a table."""
        return isinstance(self.collection, OverItems)

    @property
    def users(self) -> int:
        """The number of users."""
        return self.collection.users

    @property
    def items(self) -> int:
        """The number of items.

        Raises `AttributeError` for a table, which has several columns of items.
        """
        if not isinstance(self.collection, OverItems):
            raise AttributeError("a table has no items, but columns")
        return self.collection.items

    @property
    def known_noise(self) -> Noise | None:
        """The noise of the estimated counts; None if it depends on more than the count."""
        variance = self.collection.count_variance
        return None if variance is None else Noise(self.users, *variance)

    @property
    def noise(self) -> Noise:
        """The noise of the estimated counts. Raises `ValueError` if it is not known."""
        if self.known_noise is None:
            raise ValueError("the noise of a count depends on more than how many hold the item")
        return self.known_noise

    @property
    def step(self) -> Step | None:
        """The function that processes each estimated count by itself.

        None if the method has no such function, or if the function depends on the estimates.
        """
        if not self.is_over_items or self.known_noise is None:
            return None
        if self._fixed_step is not None:
            return self._fixed_step(self.noise, self.items)
        if self.postprocess == "clip":
            return lambda counts: consistency.clip(counts / self.users) * self.users
        return None

    @property
    def _fixed_step(self) -> Callable[[Noise, int], Step] | None:
        return FIXED.get(self.postprocess) if isinstance(self.postprocess, str) else None

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties of the collection; its server also processes the estimates."""
        return {**self.collection.parties(), "server": Seat(self.server)}

    async def server(self, me: Party) -> Floats:
        """Estimate and process; shape (2, N), first the unbiased estimates, then the processed
        ones.
        """
        raw = await self.collection.server(me)
        return np.stack([raw, self.process(raw)])

    def process(self, raw: Floats) -> Floats:
        """Return the processed estimates for the unbiased ones; shapes (N,)."""
        if self.postprocess == likelihood.NAME:
            assert self.collection.single_item_chances is not None
            return likelihood.likeliest_shares(raw, *self.collection.single_item_chances)
        result = raw.copy()
        for where in self.collection.columns:
            simple = isinstance(self.postprocess, str) and self.postprocess in consistency.METHODS
            result[where] = (
                consistency.apply(str(self.postprocess), raw[where])
                if simple
                else calibrate.apply(self.postprocess, raw[where], self.noise)
            )
        return result


def postprocessed(
    make: Callable[..., SharesCollection],
) -> Callable[..., Any]:
    """Give a function that makes collections two more settings: `postprocess` and `heavy`.

    `postprocess` is a method, or `raw` for none; `heavy` is a share of the users. The new function
    raises `ValueError` for a method that the collection's estimates do not have, and for `heavy`
    without a method.
    """

    @hands_settings_to(make)
    def collection_or_processed(
        *,
        postprocess: Annotated[
            str | Calibrate,
            f"what the server does with its estimates: {', '.join(METHODS)}",
        ] = RAW,
        heavy: Annotated[
            float | None,
            "heavy hitters are items that more than this share of the users hold, 0 to 1; by "
            "default, items above the threshold of significance",
        ] = None,
        **settings: Any,
    ) -> SharesCollection | Processed:
        collection = make(**settings)
        if postprocess != RAW:
            return Processed(collection, postprocess, heavy)
        if heavy is not None:
            raise ValueError(
                "heavy hitters are searched among processed estimates: give postprocess as well"
            )
        return collection

    return collection_or_processed
