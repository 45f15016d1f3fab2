"""Seeded coins: what a sampled run plays with."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from simnet.coins import exact
from simnet.coins.coins import Deferred, RowMaker
from simnet.coins.discrete import discrete_gaussian
from simnet.coins.streams import Stream
from simnet.values.field import Field
from simnet.values.meter import Meter, Operation
from simnet.values.metered import Metered
from simnet.values.residues import Residues


class SampledCoins:
    """Coins from two streams, one for discrete draws and one for field elements, keyed by seed and
    party.

    Each deferred block has a field stream of its own, numbered in the order in which the party made
    them.
    """

    __slots__ = ("_blocks", "_discrete", "_field", "_meter", "_party", "_purpose", "_seed")

    def __init__(
        self, seed: int, party: str, meter: Meter | None = None, purpose: str = ""
    ) -> None:
        """Coins of `party`, billed to `meter`.

        `purpose` sets streams apart that must not share words.
        """
        self._seed = seed
        self._party = party
        self._meter = meter
        self._purpose = purpose
        self._blocks = 0
        self._discrete = Stream(seed, party, f"{purpose}discrete")
        self._field = Stream(seed, party, f"{purpose}field")

    @property
    def key(self) -> tuple[int, str, str]:
        """Seed, party and purpose: coins with equal keys are equal."""
        return self._seed, self._party, self._purpose

    def bernoulli(self, chance: float | Fraction) -> bool:
        """True with probability `chance`."""
        self._bill("BS", 1)
        return exact.bernoulli(self._discrete, _probability(chance))

    def bernoullis(self, chance: float | Fraction, count: int) -> npt.NDArray[np.bool_]:
        """`count` independent draws of `bernoulli`."""
        self._bill("BS", count)
        return exact.bernoullis(self._discrete, _probability(chance), count)

    def binomials(self, trials: npt.NDArray[np.int64], chance: float | Fraction) -> Metered:
        """How many of `trials[i]` draws of `bernoulli` come out true."""
        if trials.size and trials.min() < 0:
            raise ValueError(f"a number of trials is at least 0, got {trials.min()}")
        self._bill("BS", int(trials.sum()))
        return Metered.of(
            exact.binomials(self._discrete, trials, _probability(chance)), self._meter
        )

    def integers(self, below: int, count: int) -> Metered:
        """`count` independent integers, uniform on `0..below-1`."""
        if not 1 <= below <= 1 << 63:
            raise ValueError(f"integers are drawn below a bound between 1 and 2**63, got {below}")
        self._bill("nS", count)
        return Metered.of(
            exact.uniform_below(self._discrete, below, count).astype(np.int64), self._meter
        )

    def subset(self, count: int, below: int) -> Metered:
        """`count` distinct integers of `0..below-1`, sorted."""
        if not 0 <= count <= below:
            raise ValueError(f"a subset of {below} has between 0 and {below} members, not {count}")
        self._bill("nS", count)
        return Metered.of(exact.subset(self._discrete, count, below), self._meter)

    def weighted_subset(
        self, count: int, below: int, favoured: int | None = None, weight: float | Fraction = 1
    ) -> Metered:
        """A set of `count` integers of `0..below-1`, `weight` times as likely when it holds
        `favoured`; sorted.
        """
        if (
            not 0 <= count <= below
            or weight <= 0
            or (favoured is not None and not 0 <= favoured < below)
        ):
            raise ValueError(f"no subset of {count} of {below} with weight {weight} for {favoured}")
        self._bill("aS", 1)
        if favoured is None:
            return Metered.of(exact.subset(self._discrete, count, below), self._meter)
        drawn = exact.weighted_subset(self._discrete, count, below, favoured, Fraction(weight))
        return Metered.of(drawn, self._meter)

    def categorical(self, weights: Sequence[int], count: int) -> Metered:
        """`count` independent indices of `weights`."""
        if min(weights, default=-1) < 0 or not 0 < sum(weights) < 1 << 63:
            raise ValueError(
                f"weights are integers from 0 with a positive sum below 2**63, got {list(weights)}"
            )
        self._bill("nS", count)
        return Metered.of(exact.categorical(self._discrete, weights, count), self._meter)

    def field(self, field: Field, shape: tuple[int, ...]) -> Residues:
        """Independent uniform field elements."""
        count = math.prod(shape)
        self._bill("FS", count)
        row = math.prod(shape[1:])
        drawn = exact.uniform_below(self._field, field.modulus, count, spare=row).astype(
            field.dtype, copy=False
        )
        room = drawn.reshape(-1, *shape[1:]) if shape and row else None
        return Residues(field, drawn[:count].reshape(shape), self._meter, room)

    def deferred(self, field: Field, shape: tuple[int, ...], rows: RowMaker) -> Deferred:
        """A block of rows with coins of its own."""
        self._blocks += 1
        own = SampledCoins(
            self._seed, self._party, self._meter, f"{self._purpose}block {self._blocks} "
        )
        return Deferred(field, shape, rows, own)

    def uniform(self, count: int) -> Metered:
        """`count` multiples of 2**-53, uniform on [0, 1)."""
        self._bill("RS", count)
        words = self._discrete.words(count)
        words >>= np.uint64(11)
        return Metered.of(
            words.view(np.int64) * 2.0**-53, self._meter
        )  # signed ones become doubles faster

    def normal(self, count: int) -> Metered:
        """`count` standard normal reals: a sign, and inversion at the midpoints of a grid of 2**-53
        below one half.
        """
        from scipy.special import (
            ndtri,  # here, not above: most runs draw none, and scipy takes long to load
        )

        self._bill("RS", count)
        words = self._discrete.words(count)
        tails = ndtri(((words >> np.uint64(12)) + 0.5) * 2.0**-53)
        return Metered.of(np.where(words & np.uint64(1), tails, -tails), self._meter)

    def discrete_normal(self, variance: Fraction, count: int) -> Metered:
        """`count` integers of the discrete Gaussian law, x with weight exp(-x² / (2 variance))."""
        if variance <= 0:
            raise ValueError(f"a variance parameter is positive, got {variance}")
        self._bill("RS", count)
        drawn = [discrete_gaussian(self._discrete, variance) for _ in range(count)]
        return Metered.of(np.array(drawn, dtype=np.int64), self._meter)

    def exponential(self, count: int) -> Metered:
        """`count` standard exponential reals, by inversion."""
        return Metered.of(-np.log1p(-self.uniform(count).plain), self._meter)

    def _bill(self, operation: Operation, times: int) -> None:
        if self._meter is not None:
            self._meter.bill(operation, times)


def _probability(chance: float | Fraction) -> float | Fraction:
    if not 0 <= chance <= 1:
        raise ValueError(f"a probability lies in [0, 1], got {chance}")
    return chance
