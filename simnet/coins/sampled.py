"""Seeded coins: the coins of a numeric run.

A party has two streams of words, one for discrete draws and one for field elements. A deferred
block has two streams of its own, which are named by its number among the blocks of the party. So
its draws do not depend on when the block is evaluated. See `simnet.coins.streams` for the key of a
stream.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from simnet.arrays import Bools, Floats, Ints
from simnet.checks import integer
from simnet.coins import exact
from simnet.coins.coins import Coins, Probability
from simnet.coins.discrete import discrete_gaussian, discrete_laplace, skellams
from simnet.coins.streams import Stream
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues


class SampledCoins(Coins):
    """The coins of a party, drawn from streams that follow from a seed and the party's name.

    A script gets its coins as `me.coins`. Make coins of your own to draw from a mechanism without a
    run:

    >>> from protocols import GRR
    >>> from simnet import SampledCoins
    >>> reports = GRR(epsilon=1.0, items=3).perturb([1, 2, 2, 3], SampledCoins(7, "u1"))
    >>> len(reports)
    4
    """

    __slots__ = ()

    def __init__(
        self, seed: int, party: str, meter: Meter | None = None, purpose: str = ""
    ) -> None:
        """Make coins of `party`, billed to `meter`.

        `purpose` separates streams that must not share words. Raises `TypeError` for a seed that is
        not a whole number, and `ValueError` for a purpose that contains a slash, or the word
        "block", which the streams of deferred blocks use.
        """
        if "/" in purpose or "block" in purpose:
            raise ValueError(
                f'a purpose may not contain a slash or the word "block", got {purpose!r}'
            )
        seed = integer("a seed", seed)
        super().__init__(
            SampledDiscrete(seed, party, purpose), SampledField(seed, party, purpose), meter
        )


class SeededSource:
    """A source with one stream of a party. `kind` separates this stream from the party's other
    streams.
    """

    __slots__ = ("_party", "_purpose", "_seed", "_stream")
    kind: ClassVar[str]

    def __init__(self, seed: int, party: str, purpose: str = "") -> None:
        self._seed = seed
        self._party = party
        self._purpose = purpose
        self._stream = Stream(seed, party, f"{purpose}{self.kind}")

    @property
    def key(self) -> tuple[int, str, str]:
        """Seed, party and purpose."""
        return self._seed, self._party, self._purpose

    @property
    def position(self) -> int:
        """The number of words drawn so far."""
        return self._stream.position

    def skip(self, count: int) -> None:
        """Leave out the next `count` words, as if they had been drawn."""
        self._stream.skip(count)

    def _block_key(self, number: int) -> tuple[int, str, str]:
        return self._seed, self._party, f"{self._purpose}block {number} "


class SampledDiscrete(SeededSource):
    """Discrete draws from a stream of words."""

    __slots__ = ()
    kind = "discrete"

    def bernoulli(self, chance: Probability) -> bool:
        """See `Coins.bernoulli`."""
        return exact.bernoulli(self._stream, chance)

    def bernoullis(self, chance: Probability, count: int) -> Bools:
        """See `Coins.bernoullis`."""
        return exact.bernoullis(self._stream, chance, count)

    def binomials(self, trials: Ints, chance: Probability) -> Ints:
        """See `Coins.binomials`."""
        return exact.binomials(self._stream, trials, chance)

    def integers(self, below: int, count: int) -> Ints:
        """See `Coins.integers`."""
        return exact.uniform_below(self._stream, below, count).astype(np.int64)

    def subset(self, count: int, below: int, favoured: int | None, weight: Probability) -> Ints:
        """See `DiscreteSource.subset`."""
        if favoured is None:
            return exact.subset(self._stream, count, below)
        return exact.weighted_subset(self._stream, count, below, favoured, Fraction(weight))

    def categorical(self, weights: Sequence[int], count: int) -> Ints:
        """See `Coins.categorical`."""
        return exact.categorical(self._stream, weights, count)

    def uniform(self, count: int) -> Floats:
        """See `Coins.uniform`."""
        words = self._stream.words(count)
        words >>= np.uint64(11)
        # Signed integers become doubles faster than unsigned ones.
        uniform: Floats = words.view(np.int64) * np.float64(2.0**-53)
        return uniform

    def normal(self, count: int) -> Floats:
        """Return standard normal reals.

        Each is the value of the inverse distribution function at u, times a random sign. All odd
        multiples of 2**-54 between 0 and 1/2 are equally likely for u.
        """
        # imported only here: most runs draw no normal reals, and scipy takes long to load
        from scipy.special import ndtri

        words = self._stream.words(count)
        tails: Floats = ndtri(((words >> np.uint64(12)) + 0.5) * 2.0**-53)
        return np.where(words & np.uint64(1), tails, -tails)

    def exponential(self, count: int) -> Floats:
        """Return exponential reals, computed by the inverse distribution function."""
        exponential: Floats = -np.log1p(-self.uniform(count))
        return exponential

    def discrete_normal(self, variance: Fraction, count: int) -> Ints:
        """See `Coins.discrete_normal`."""
        drawn = [discrete_gaussian(self._stream, variance) for _ in range(count)]
        return np.array(drawn, dtype=np.int64)

    def discrete_laplace(self, scale: Fraction, count: int) -> Ints:
        """See `Coins.discrete_laplace`."""
        drawn = [discrete_laplace(self._stream, scale) for _ in range(count)]
        return np.array(drawn, dtype=np.int64)

    def skellam(self, variance: Fraction, count: int) -> Ints:
        """See `Coins.skellam`."""
        return skellams(self._stream, variance, count)

    def block(self, number: int) -> "SampledDiscrete":
        """Return the source of the deferred block with this number."""
        return SampledDiscrete(*self._block_key(number))


class SampledField(SeededSource):
    """A source of field elements that come from a stream of words."""

    __slots__ = ()
    kind = "field"

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> Residues:
        """Return elements that are exactly uniform: numbers in `0..q-1`."""
        count = math.prod(shape)
        row = math.prod(shape[1:])
        drawn = exact.uniform_below(self._stream, field.modulus, count, spare=row).astype(
            field.dtype, copy=False
        )
        room = drawn.reshape(-1, *shape[1:]) if shape and row else None
        return Residues(field, drawn[:count].reshape(shape), meter, room)

    def lift(self, rows: FieldArray) -> FieldArray:
        """Return the rows unchanged: numbers are not written as unknowns."""
        return rows

    def block(self, number: int) -> "SampledField":
        """Return the source of the deferred block with this number."""
        return SampledField(*self._block_key(number))
