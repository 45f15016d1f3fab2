"""A local collection whose server post-processes the estimated shares of items.

The server learns the same as in the collection without post-processing. Post-processing reads
estimates and no reports, so it costs no privacy.

If users drop out, the server estimates and processes as if the users who were counted were all
users.

Source: see each method, in `consistency`, `calibrate` and `likelihood`. `processed_about.py` states
the error.
"""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import attrs
import numpy as np

from protocols import checks
from protocols.checks import one_of
from protocols.postprocess import calibrate, consistency, likelihood
from protocols.postprocess.calibrate import FIXED, Calibrate, Step, significance, with_options
from protocols.postprocess.noise import BETA, Noise
from protocols.postprocess.prior_file import read_prior
from protocols.postprocess.priors import FinitePrior
from protocols.reports.collection import SharesCollection
from simnet.arrays import Floats
from simnet.contract import OverItems
from simnet.errors import Abort
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
    default, items above the significance threshold. `beta` is β of this threshold (Eq. 22 of Jia
    and Gong). The output of the server has two rows, shape (2, N): the N estimates of the
    collection, then the processed ones.

    Raises `ValueError` for a method that is unknown or does not fit the estimates of the
    collection, for `heavy` with a table, and for a `heavy` or a `beta` out of range. For a table
    only the method `zero` checks `beta`, and if the noise of counts is not known, nothing does.

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
    heavy: float | None = None  # a share of the users, 0 <= heavy <= 1
    beta: float = BETA  # of the significance threshold, 0 < beta < N / 2

    def __attrs_post_init__(self) -> None:
        if isinstance(self.postprocess, str):
            one_of("postprocess", self.postprocess, tuple(name for name in METHODS if name != RAW))
        if self.postprocess == likelihood.NAME:
            if self.collection.single_item_chances is None:
                raise ValueError(
                    f"{likelihood.NAME} needs a collection in which every user reports one item "
                    "by grr or warner, such as local_frequency with mechanism=grr; for other "
                    "reports, use the iterative Bayesian update in "
                    "protocols.postprocess.likelihood"
                )
        elif self.known_noise is None and self.postprocess not in consistency.METHODS:
            others = " or ".join(name for name in consistency.METHODS if name != RAW)
            method = self.postprocess if isinstance(self.postprocess, str) else "Calibrate"
            raise ValueError(
                f"{method} needs unbiased counts whose noise depends only on the number of "
                f"holders, and the counts of this collection are not such counts: use {others}"
            )
        if self.heavy is not None:
            checks.chance("heavy", self.heavy)
            if not self.is_over_items:
                raise ValueError(
                    "heavy hitters are items of one column: leave out heavy, or use a collection "
                    "in which every user holds one item"
                )
        if self._fixed_step is not None:
            for where in self.collection.columns:
                self._fixed_step(
                    self.noise, where.stop - where.start
                )  # raises an error if it does not fit
        if self.is_over_items and self.known_noise is not None:
            self.noise.threshold(self.items, self.beta)  # raises an error if beta is out of range

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
            raise AttributeError(
                "a table has no single number of items: `collection.columns` has its columns"
            )
        return self.collection.items

    @property
    def known_noise(self) -> Noise | None:
        """The noise of the estimated counts.

        None if the noise depends on more than the number of holders, or if the estimate is biased.
        """
        variance = self.collection.count_variance
        return None if variance is None else Noise(self.users, *variance)

    @property
    def noise(self) -> Noise:
        """The noise of the estimated counts. Raises `ValueError` if the noise is not known."""
        if self.known_noise is None:
            raise ValueError(
                "the estimated counts of this collection are biased, or their noise depends on "
                "more than the number of holders"
            )
        return self.known_noise

    @property
    def step(self) -> Step | None:
        """The function that processes each estimated count by itself.

        None if the method has no such function, or if the function depends on the estimates. Also
        None for a table, and if the noise of counts is not known (see `known_noise`).
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
        if isinstance(self.postprocess, Calibrate):
            return self.postprocess.step if self.postprocess.is_fixed else None
        if self.postprocess == "zero":
            return functools.partial(significance, beta=self.beta)
        return FIXED.get(self.postprocess)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties of the collection; its server also processes the estimates."""
        return {**self.collection.parties(), "server": Seat(self.server)}

    async def server(self, me: Party) -> Floats:
        """Estimate and process; shape (2, N), first the raw estimates, then the processed ones.

        Raises `Abort` for too few reports, also if they are too few for this method alone.
        """
        raw, counted = await self.collection.estimated(me)
        try:
            left = self.among(counted)
        except ValueError as error:
            raise Abort(f"too few reports to process estimates, {counted}: {error}") from error
        return np.stack([raw, left.process(raw)])

    def among(self, users: int) -> "Processed":
        """Return this collection for the users who are left; `users` is their number.

        Raises `ValueError` if these are too few for the method.
        """
        if users == self.users:
            return self
        collection: Any = self.collection
        return attrs.evolve(
            self, collection=attrs.evolve(collection, users=users, fewest_reports=None)
        )

    def process(self, raw: Floats) -> Floats:
        """Return the processed estimates for the raw ones; shapes (N,)."""
        if self.postprocess == likelihood.NAME:
            assert self.collection.single_item_chances is not None
            return likelihood.likeliest_shares(raw, *self.collection.single_item_chances)
        result = raw.copy()
        for where in self.collection.columns:
            result[where] = self._processed_column(raw[where])
        return result

    def _processed_column(self, raw: Floats) -> Floats:
        if isinstance(self.postprocess, str) and self.postprocess in consistency.METHODS:
            return consistency.apply(self.postprocess, raw)
        if self.postprocess == "zero":  # with the β of this collection
            return significance(self.noise, raw.size, self.beta)(raw * self.users) / self.users
        return calibrate.apply(self.postprocess, raw, self.noise)


def postprocessed(
    make: Callable[..., SharesCollection],
) -> Callable[..., Any]:
    """Add settings to a function that makes collections: what the server does with its estimates.

    `postprocess` is a method, or `raw` for none; `heavy` is a share of the users; the other
    settings choose how a method works. The new function raises `ValueError` for a method that does
    not fit the estimates of the collection, for any of these settings without a method, and for
    `fit`, `support`, `at_zero` or `prior` with a method that does not use it. It raises `BadInput`
    for a file of `prior` that cannot be used.
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
        beta: Annotated[
            float | None,
            "β of the threshold of significance: if nobody holds any item, one or more items "
            f"exceed it with at most about this probability; by default {BETA}",
        ] = None,
        fit: Annotated[
            str | None,
            "how calibrate fits its prior: mean, or likelihood (maximum likelihood)",
        ] = None,
        support: Annotated[
            str | None,
            "the largest count of calibrate's power law: users (n), largest (the largest "
            "estimate) or infinite",
        ] = None,
        at_zero: Annotated[
            float | None,
            "the known share of items that nobody holds, 0 or more and below 1, beside calibrate's "
            "power law",
        ] = None,
        prior: Annotated[
            str | None,
            "a file with the columns count and probability: your own prior for calibrate",
        ] = None,
        **settings: Any,
    ) -> SharesCollection | Processed:
        collection = make(**settings)
        if postprocess != RAW:
            own = None if prior is None else read_prior(Path(prior))
            method = _with_options(postprocess, fit, support, at_zero, own)
            return Processed(collection, method, heavy, BETA if beta is None else beta)
        if heavy is not None:
            raise ValueError(
                "heavy hitters are searched among processed estimates: give postprocess as well"
            )
        chosen = {"beta": beta, "fit": fit, "support": support, "at_zero": at_zero, "prior": prior}
        for name, value in chosen.items():
            if value is not None:
                raise ValueError(
                    f"{name} chooses how estimates are processed: give postprocess as well"
                )
        return collection

    return collection_or_processed


def _with_options(
    method: str | Calibrate,
    fit: str | None,
    support: str | None,
    at_zero: float | None,
    prior: FinitePrior | None,
) -> str | Calibrate:
    if isinstance(method, str):
        one_of("postprocess", method, METHODS)
        return with_options(method, fit, support, at_zero, prior)
    if (fit, support, at_zero, prior) != (None, None, None, None):
        raise ValueError(
            "a Calibrate has its own fit, support, at_zero and prior: leave out these settings"
        )
    return method
