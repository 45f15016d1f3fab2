"""The coins of a party: the only source of randomness that a script may use.

A party draws two kinds of random values from two sources:

- *discrete* draws, such as bits, integers, subsets and reals: `DiscreteSource`;
- *field elements*: `FieldSource`.

`Coins` checks the arguments of a draw, bills it and asks one of its two sources. A reading of a
script may replace one source, or both::

    reading         discrete source        field source
    numeric         seeded words           seeded words
    symbolic        seeded words           an unknown for each element
    exhaustive      a tape of outcomes     an unknown for each element, or the tape

Example. `coins.bernoulli(0.5)` bills one Bernoulli draw (BS) and asks the discrete source;
`coins.field(F, (3,))` bills three field draws (FS) and asks the field source.
"""

import math
from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from fractions import Fraction
from typing import Any, NoReturn, Protocol

import attrs
import numpy as np

from simnet.arrays import Bools, Floats, Ints
from simnet.checks import integer, real
from simnet.values.field import HELD_BY_ANOTHER, Field, FieldArray
from simnet.values.meter import Meter, Operation
from simnet.values.metered import Metered
from simnet.values.typed import Typed

Probability = float | Fraction

LARGEST_SCALE = 1 << 56  # the largest scale of a discrete Laplace draw
LARGEST_GAUSSIAN = 1 << 112  # the largest variance of a discrete Gaussian draw
LARGEST_VARIANCE = 10**9  # the largest variance of a Skellam draw


class DiscreteSource(Protocol):
    """The interface of a source of discrete outcomes.

    `Coins` checks the arguments before it calls a source. A source may enumerate the outcomes of
    the draws `bernoulli`, `bernoullis`, `binomials`, `integers`, `subset` and `categorical`, if
    these are not too many. The other draws can only be sampled. All draws have the stated law
    without approximation, except normal and exponential reals.
    """

    def bernoulli(self, chance: Probability) -> bool:
        """See `Coins.bernoulli`."""
        ...

    def bernoullis(self, chance: Probability, count: int) -> Bools:
        """See `Coins.bernoullis`."""
        ...

    def binomials(self, trials: Ints, chance: Probability) -> Ints:
        """See `Coins.binomials`."""
        ...

    def integers(self, below: int, count: int) -> Ints:
        """See `Coins.integers`."""
        ...

    def subset(self, count: int, below: int, favoured: int | None, weight: Probability) -> Ints:
        """Return a sorted set of `count` integers of `0..below-1`.

        A set that contains `favoured` is `weight` times as likely as a set without it.
        """
        ...

    def categorical(self, weights: Sequence[int], count: int) -> Ints:
        """See `Coins.categorical`."""
        ...

    def uniform(self, count: int) -> Floats:
        """See `Coins.uniform`."""
        ...

    def normal(self, count: int) -> Floats:
        """See `Coins.normal`."""
        ...

    def exponential(self, count: int) -> Floats:
        """See `Coins.exponential`."""
        ...

    def discrete_normal(self, variance: Fraction, count: int) -> Ints:
        """See `Coins.discrete_normal`."""
        ...

    def discrete_laplace(self, scale: Fraction, count: int) -> Ints:
        """See `Coins.discrete_laplace`."""
        ...

    def skellam(self, variance: Fraction, count: int) -> Ints:
        """See `Coins.skellam`."""
        ...

    def block(self, number: int) -> "DiscreteSource":
        """Return a source for the `number`-th deferred block, counted from 1."""
        ...


class FieldSource(Protocol):
    """The interface of a source of uniform field elements."""

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> FieldArray:
        """Return independent uniform elements, held by the party that `meter` counts for."""
        ...

    def lift(self, rows: FieldArray) -> FieldArray:
        """Return the array that travels in place of these rows of a deferred block."""
        ...

    def block(self, number: int) -> "FieldSource":
        """Return a source for the `number`-th deferred block, counted from 1."""
        ...


class Coins:
    """The coins of one party, of one of its deferred blocks, or of the functions of its doors. A
    script gets the coins of its party as `me.coins`.

    A draw is independent of all draws before it. Probabilities are real numbers in [0, 1]; a method
    raises `ValueError` for arguments out of range, and `TypeError` for arguments of another type,
    such as 2.5 or True for a number of draws.

    >>> from simnet.coins.sampled import SampledCoins
    >>> coins = SampledCoins(seed=7, party="u1")
    >>> coins.bernoulli(1), coins.bernoullis(0, 2).tolist()
    (True, [False, False])
    >>> sorted(coins.subset(3, below=3).tolist())
    [0, 1, 2]
    >>> from simnet import Field
    >>> coins.field(Field(101), (2, 5)).shape
    (2, 5)

    `tossed` says whether this object was asked for a discrete draw; Bernoulli draws with
    probability 0 or 1 do not count. The functions of doors draw from another object (`for_doors`).
    `check`, if it is set, is called with the coins before a draw, and raises an error if the code
    that runs now may not draw from them.
    """

    __slots__ = (
        "_blocks",
        "_discrete",
        "_fields",
        "_for_doors",
        "_is_block",
        "_meter",
        "check",
        "tossed",
    )

    def __init__(
        self, discrete: DiscreteSource, fields: FieldSource, meter: Meter | None = None
    ) -> None:
        self.tossed = False
        self.check: Callable[[Coins], None] | None = None
        self._for_doors: Coins | None = None
        self._is_block = False
        self._discrete = discrete
        self._fields = fields
        self._meter = meter
        self._blocks = 0

    def __reduce__(self) -> tuple[Any, ...]:
        return Coins, (self._discrete, self._fields, self._meter)

    def bernoulli(self, chance: Probability) -> bool:
        """Return True with probability `chance`, in [0, 1]. A float counts as the binary fraction
        that it is.
        """
        chance = real("a probability", chance)
        self._bill("BS", 1, tossed=_is_open(chance))
        return self._discrete.bernoulli(chance)

    def bernoullis(self, chance: Probability, count: int) -> Bools:
        """Return `count` independent draws of `bernoulli`, as an array of booleans."""
        chance = real("a probability", chance)
        self._bill("BS", count, tossed=_is_open(chance))
        return self._discrete.bernoullis(chance, count)

    def binomials(self, trials: Ints, chance: Probability) -> Metered:
        """Return, for every i, how many of `trials[i]` draws of `bernoulli` are True.

        Billed as `sum(trials)` Bernoulli draws.
        """
        trials = np.asarray(trials)
        if trials.size and trials.dtype.kind not in "iu":
            raise TypeError(f"numbers of trials must be whole numbers, got {trials.dtype} values")
        if trials.size and trials.min() < 0:
            raise ValueError(f"a number of trials must be at least 0, got {trials.min()}")
        chance = real("a probability", chance)
        self._bill("BS", int(trials.sum()), tossed=_is_open(chance))
        return Metered.of(self._discrete.binomials(trials, chance), self._meter)

    def integers(self, below: int, count: int) -> Metered:
        """Return `count` independent integers, uniform on `0..below-1`. Billed as whole numbers
        drawn (nS).
        """
        below = integer("below", below)
        if not 1 <= below <= 1 << 63:
            raise ValueError(f"below must be between 1 and 2**63, got below={below}")
        self._bill("nS", count)
        return Metered.of(self._discrete.integers(below, count), self._meter)

    def subset(self, count: int, below: int) -> Metered:
        """Return `count` distinct integers of `0..below-1`, sorted. Every set is equally likely.

        Billed as `count` whole numbers drawn (nS).
        """
        count, below = integer("count", count), integer("below", below)
        if not 0 <= count <= below <= 1 << 63:
            raise ValueError(
                "a subset needs count in 0..below, and below at most 2**63, got "
                f"count={count}, below={below}"
            )
        self._bill("nS", count)
        return Metered.of(self._discrete.subset(count, below, None, 1), self._meter)

    def weighted_subset(
        self, count: int, below: int, favoured: int | None = None, weight: Probability = 1
    ) -> Metered:
        """Return a sorted set of `count` integers of `0..below-1`, drawn by weight.

        A set that contains `favoured` is `weight` times as likely as a set without it. Without
        `favoured` every set is equally likely. Billed as one draw of a subset (aS).
        """
        count, below = integer("count", count), integer("below", below)
        weight = real("weight", weight)
        favoured = None if favoured is None else integer("favoured", favoured)
        if (
            not 0 <= count <= below <= 1 << 63
            or not 0 < weight < math.inf
            or (favoured is not None and not 0 <= favoured < below)
        ):
            raise ValueError(
                "a weighted subset needs count in 0..below, below at most 2**63, a positive and "
                f"finite weight, and favoured in 0..below-1, got count={count}, below={below}, "
                f"weight={weight}, favoured={favoured}"
            )
        self._bill("aS", 1)
        return Metered.of(self._discrete.subset(count, below, favoured, weight), self._meter)

    def categorical(self, weights: Sequence[int], count: int) -> Metered:
        """Return `count` independent indices of `weights`, with probabilities in proportion to the
        integer weights. Billed as whole numbers drawn (nS).
        """
        if not all(isinstance(weight, int | np.integer) for weight in weights):
            raise TypeError(f"weights must be integers, got {list(weights)}")
        if min(weights, default=-1) < 0 or not 0 < sum(weights) < 1 << 63:
            raise ValueError(
                "weights must be integers of at least 0 with a positive sum below 2**63, "
                f"got {list(weights)}"
            )
        self._bill("nS", count)
        return Metered.of(self._discrete.categorical(weights, count), self._meter)

    def uniform(self, count: int) -> Metered:
        """Return `count` reals, uniform on the multiples of 2**-53 in [0, 1)."""
        self._bill("RS", count)
        return Metered.of(self._discrete.uniform(count), self._meter)

    def normal(self, count: int) -> Metered:
        """Return `count` standard normal reals."""
        self._bill("RS", count)
        return Metered.of(self._discrete.normal(count), self._meter)

    def exponential(self, count: int) -> Metered:
        """Return `count` standard exponential reals."""
        self._bill("RS", count)
        return Metered.of(self._discrete.exponential(count), self._meter)

    def discrete_normal(self, variance: Fraction, count: int) -> Metered:
        """Return `count` integers of the discrete Gaussian law: x has weight exp(-x² / (2
        variance)).

        The law is exact. Billed as real draws (RS). The variance is at most 2**112; draws of a
        larger variance may not fit 64 bits.
        """
        number = real("variance", variance)
        if not 0 < number <= LARGEST_GAUSSIAN:
            raise ValueError(
                f"a variance parameter must be positive and at most 2**112, got {variance}"
            )
        self._bill("RS", count)
        return Metered.of(self._discrete.discrete_normal(Fraction(number), count), self._meter)

    def discrete_laplace(self, scale: Fraction, count: int) -> Metered:
        """Return `count` integers of the discrete Laplace law: x has weight exp(-|x| / scale).

        The law is exact. Billed as real draws (RS). The scale is at most 2**56; draws of a larger
        scale may not fit 64 bits.
        """
        number = real("scale", scale)
        if not 0 < number <= LARGEST_SCALE:
            raise ValueError(f"a scale must be positive and at most 2**56, got {scale}")
        self._bill("RS", count)
        return Metered.of(self._discrete.discrete_laplace(Fraction(number), count), self._meter)

    def skellam(self, variance: Fraction, count: int) -> Metered:
        """Return `count` integers of the Skellam law: differences of two independent Poisson draws,
        each of mean variance / 2.

        The law is exact. Billed as real draws (RS). The variance is at most 10**9, because the time
        of a draw grows with the variance.
        """
        number = real("variance", variance)
        if not 0 < number <= LARGEST_VARIANCE:
            raise ValueError(
                f"the variance of a Skellam draw must be positive and at most 10**9, got {variance}"
            )
        self._bill("RS", count)
        return Metered.of(self._discrete.skellam(Fraction(number), count), self._meter)

    def field(self, field: Field, shape: tuple[int, ...]) -> FieldArray:
        """Return independent uniform field elements in an array of this shape. Billed as field
        draws (FS).
        """
        if not isinstance(shape, tuple | list):
            raise TypeError(f"a shape is a tuple of whole numbers, such as (3,), got {shape!r}")
        shape = tuple([integer("each size of a shape", size) for size in shape])
        if min(shape, default=0) < 0:
            raise ValueError(f"the sizes of a shape must be at least 0, got shape {shape}")
        self._check_draw()
        if self._meter is not None:
            self._meter.bill("FS", math.prod(shape))
        return self._fields.draw(field, shape, self._meter)

    def deferred(self, field: Field, shape: tuple[int, ...], rows: "RowMaker") -> "Deferred":
        """Return a `Deferred` block of this field and shape, which has coins of its own.

        `rows` is called with these coins, perhaps later and in another thread, and returns the
        array.
        """
        self._check_draw()
        self._blocks += 1
        discrete, fields = self._discrete.block(self._blocks), self._fields.block(self._blocks)
        own = Coins(discrete, fields, self._meter)
        own._is_block = True
        return Deferred(field, shape, lambda coins: fields.lift(rows(coins)), own)

    @property
    def meter(self) -> Meter | None:
        """The meter of the party that the coins belong to; None if no draws are billed."""
        return self._meter

    @property
    def for_doors(self) -> "Coins":
        """The coins for the function of a door: the same discrete source, and no field elements."""
        if self._for_doors is None:
            self._for_doors = Coins(self._discrete, _NO_FIELD_ELEMENTS, self._meter)
            self._for_doors.check = self.check
        return self._for_doors

    def _check_draw(self) -> None:
        if self.check is not None:
            if evaluates_block():
                raise TypeError(
                    "a deferred block draws from the coins of the script: it must draw from the "
                    "coins that it gets as an argument"
                )
            self.check(self)

    def _bill(self, operation: Operation, times: int, *, tossed: bool = True) -> None:
        if self._is_block:
            raise TypeError(
                "a deferred block may draw only field elements: draw discrete coins in the script, "
                "before the block is made"
            )
        times = integer("the number of draws", times)
        if times < 0:
            raise ValueError(f"a number of draws must be at least 0, got {times}")
        self._check_draw()
        if tossed:
            self.tossed = True
        if self._meter is not None:
            self._meter.bill(operation, times)


def discrete_of(coins: Coins) -> DiscreteSource:
    """Return the source of discrete outcomes. Scripts must not call this function."""
    return coins._discrete


class _NoFieldElements:
    """A field source that refuses every draw: the field source of a door's coins."""

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> NoReturn:
        """Raise `TypeError`: a script must draw masks itself, where a verdict sees them."""
        del field, shape, meter
        raise TypeError(
            "the function of a door may draw only discrete coins: draw field elements in the "
            "script, with me.coins.field(...)"
        )

    def lift(self, rows: FieldArray) -> FieldArray:
        """Return the rows unchanged."""
        return rows

    def block(self, number: int) -> NoReturn:
        """Raise `TypeError`: a door has no deferred blocks."""
        del number
        raise TypeError(
            "the function of a door may not make a deferred block (a block whose rows are drawn "
            "later): make it in the script"
        )


_NO_FIELD_ELEMENTS = _NoFieldElements()


def _is_open(chance: Probability) -> bool:
    """Return whether a coin that is True with this probability can have both outcomes.

    Raises `ValueError` for a number that is not a probability.
    """
    if not 0 <= chance <= 1:
        raise ValueError(f"a probability must lie in [0, 1], got {chance}")
    return 0 < chance < 1


# Whether a deferred block is being evaluated. Each block sets it in a context of its own, which
# ends with the block, even if Ctrl-C comes at the last moment.
_evaluates: ContextVar[bool] = ContextVar("evaluates", default=False)


def evaluates_block() -> bool:
    """Return whether a deferred block is being evaluated in this thread."""
    return _evaluates.get()


RowMaker = Callable[[Coins], FieldArray]
RowBlock = FieldArray | Typed


@attrs.frozen(eq=False)
class Deferred:
    """A block of field elements that need not be evaluated at once.

    `Coins.deferred` makes such a block. If `Party.scatter` sends it under a `Summed` tag, `run`
    evaluates it later, perhaps in another thread. `rows` must be a pure function: it may use only
    the coins that it gets and values that do not change after the block was made. A block must be
    evaluated only once, because a second evaluation would draw other coins.

    >>> from simnet import Field
    >>> from simnet.coins.sampled import SampledCoins
    >>> F = Field(101)
    >>> block = SampledCoins(1, "u1").deferred(F, (4, 3), lambda coins: coins.field(F, (4, 3)))
    >>> block.size, block.evaluate().shape
    (12, (4, 3))
    """

    field: Field
    shape: tuple[int, ...]
    rows: RowMaker
    coins: Coins

    @property
    def meter(self) -> Meter | None:
        """The meter of the party that made the block; None if no draws are billed."""
        return self.coins.meter

    @property
    def size(self) -> int:
        """The number of field elements in the block."""
        return math.prod(self.shape)

    def evaluate(self) -> FieldArray:
        """Return the rows.

        Raises `ValueError` if the rows have another shape or field than announced, and `TypeError`
        for rows that another party holds.
        """
        context = copy_context()
        context.run(_evaluates.set, True)
        block = context.run(self.rows, self.coins)
        if block.meter is not None and block.meter is not self.meter:
            raise TypeError(f"a deferred block sends {HELD_BY_ANOTHER}")
        if block.shape != self.shape:
            raise ValueError(
                f"a deferred block was announced with shape {self.shape}, but has shape "
                f"{block.shape}"
            )
        if block.field != self.field:
            modulus = block.field.modulus
            raise ValueError(
                f"a deferred block was announced over F_{self.field.modulus}, but is over "
                f"F_{modulus}"
            )
        return block
