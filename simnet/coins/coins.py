"""The coins of a party: the only source of randomness that a script has.

A party draws two kinds of things, and they come from two sources:

- *discrete* draws: bits, integers, subsets, and the reals of the mechanisms: `DiscreteSource`;
- *field elements*, which hide what they are added to: `FieldSource`.

`Coins` is what a script sees. It checks arguments, bills the operation and asks one of its two
sources. A reading of a script replaces a source and leaves the other as it is:

    reading         discrete source        field source
    sampled         seeded words           seeded words
    symbolic        seeded words           an unknown for each element
    exhaustive      a tape of outcomes     an unknown for each element, or the tape

Example. `coins.bernoulli(0.5)` bills one draw (BS) and asks the discrete source; `coins.field(F,
(3,))` bills three (FS) and asks the field source.
"""

import math
import threading
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NoReturn, Protocol

import attrs

from simnet.arrays import Bools, Floats, Ints
from simnet.values.field import HELD_BY_ANOTHER, Field, FieldArray
from simnet.values.meter import Meter, Operation
from simnet.values.metered import Metered
from simnet.values.typed import Typed

Probability = float | Fraction

LARGEST_SCALE = 1 << 56  # of a discrete Laplace draw
LARGEST_VARIANCE = 10**9  # of a Skellam draw


class DiscreteSource(Protocol):
    """Where discrete outcomes come from.

    `Coins` has checked the arguments. Every draw is exact. The draws up to `categorical` have
    finitely many outcomes, so that a source can enumerate them; the others can only be sampled.
    """

    def bernoulli(self, chance: Probability) -> bool:
        """True with probability `chance`; a float counts as the binary fraction that it is."""
        ...

    def bernoullis(self, chance: Probability, count: int) -> Bools:
        """`count` independent draws of `bernoulli`."""
        ...

    def binomials(self, trials: Ints, chance: Probability) -> Ints:
        """How many of `trials[i]` draws of `bernoulli` come out true, for every i."""
        ...

    def integers(self, below: int, count: int) -> Ints:
        """`count` independent integers, uniform on `0..below-1`."""
        ...

    def subset(self, count: int, below: int, favoured: int | None, weight: Probability) -> Ints:
        """A sorted set of `count` integers of `0..below-1`.

        Sets that hold `favoured` are `weight` times as likely as others.
        """
        ...

    def categorical(self, weights: Sequence[int], count: int) -> Ints:
        """`count` independent indices of `weights`, in proportion to the weights."""
        ...

    def uniform(self, count: int) -> Floats:
        """`count` reals, uniform on the multiples of 2**-53 in [0, 1)."""
        ...

    def normal(self, count: int) -> Floats:
        """`count` standard normal reals."""
        ...

    def exponential(self, count: int) -> Floats:
        """`count` standard exponential reals."""
        ...

    def discrete_normal(self, variance: Fraction, count: int) -> Ints:
        """`count` integers of the discrete Gaussian law."""
        ...

    def discrete_laplace(self, scale: Fraction, count: int) -> Ints:
        """`count` integers of the discrete Laplace law."""
        ...

    def skellam(self, variance: Fraction, count: int) -> Ints:
        """`count` integers of the Skellam law of mean 0."""
        ...

    def block(self, number: int) -> "DiscreteSource":
        """The source of the `number`-th deferred block, from 1; it is independent of this one."""
        ...


class FieldSource(Protocol):
    """Where uniform field elements come from."""

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> FieldArray:
        """Independent uniform elements, in the hands of the party whose meter it is."""
        ...

    def lift(self, rows: FieldArray) -> FieldArray:
        """What travels in place of a deferred block of these rows."""
        ...

    def block(self, number: int) -> "FieldSource":
        """The source of the `number`-th deferred block, from 1; it is independent of this one."""
        ...


class Coins:
    """The coins of one party, or of one of its deferred blocks.

    `tossed` says whether a discrete coin with more than one outcome has been drawn outside a door.
    `check` is called before every draw with the coins, and raises where nobody may draw from them:
    a party's coins are drawn by its own script alone, in its turn.
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
        """Coins from these sources, billed to `meter`."""
        self.tossed = False
        self.check: Callable[[Coins], None] | None = None
        self._for_doors: Coins | None = None
        self._is_block = False
        self._discrete = discrete
        self._fields = fields
        self._meter = meter
        self._blocks = 0

    def bernoulli(self, chance: Probability) -> bool:
        """True with probability `chance`, in [0, 1].

        A float counts as the binary fraction that it is.
        """
        self._bill("BS", 1, tossed=_is_open(chance))
        return self._discrete.bernoulli(chance)

    def bernoullis(self, chance: Probability, count: int) -> Bools:
        """`count` independent draws of `bernoulli`."""
        self._bill("BS", count, tossed=_is_open(chance))
        return self._discrete.bernoullis(chance, count)

    def binomials(self, trials: Ints, chance: Probability) -> Metered:
        """How many of `trials[i]` draws of `bernoulli` come out true, for every i.

        Billed as that many draws.
        """
        if trials.size and trials.min() < 0:
            raise ValueError(f"a number of trials is at least 0, got {trials.min()}")
        self._bill("BS", int(trials.sum()), tossed=_is_open(chance))
        return Metered.of(self._discrete.binomials(trials, chance), self._meter)

    def integers(self, below: int, count: int) -> Metered:
        """`count` independent integers, uniform on `0..below-1`; billed as draws from `[n]`."""
        if not 1 <= below <= 1 << 63:
            raise ValueError(f"integers are drawn below a bound between 1 and 2**63, got {below}")
        self._bill("nS", count)
        return Metered.of(self._discrete.integers(below, count), self._meter)

    def subset(self, count: int, below: int) -> Metered:
        """`count` distinct integers of `0..below-1`, every set equally likely, sorted.

        Billed as `count` draws.
        """
        if not 0 <= count <= below:
            raise ValueError(f"a subset of {below} has between 0 and {below} members, not {count}")
        self._bill("nS", count)
        return Metered.of(self._discrete.subset(count, below, None, 1), self._meter)

    def weighted_subset(
        self, count: int, below: int, favoured: int | None = None, weight: Probability = 1
    ) -> Metered:
        """A sorted set of `count` integers of `0..below-1`, drawn by weight.

        A set is `weight` times as likely when it holds `favoured`; without `favoured` every set is
        equally likely. Billed as one draw of a subset (aS).
        """
        if (
            not 0 <= count <= below
            or weight <= 0
            or (favoured is not None and not 0 <= favoured < below)
        ):
            raise ValueError(f"no subset of {count} of {below} with weight {weight} for {favoured}")
        self._bill("aS", 1)
        return Metered.of(self._discrete.subset(count, below, favoured, weight), self._meter)

    def categorical(self, weights: Sequence[int], count: int) -> Metered:
        """`count` independent indices of `weights`, in proportion to the integer weights."""
        if min(weights, default=-1) < 0 or not 0 < sum(weights) < 1 << 63:
            raise ValueError(
                f"weights are integers from 0 with a positive sum below 2**63, got {list(weights)}"
            )
        self._bill("nS", count)
        return Metered.of(self._discrete.categorical(weights, count), self._meter)

    def uniform(self, count: int) -> Metered:
        """`count` reals, uniform on the multiples of 2**-53 in [0, 1)."""
        self._bill("RS", count)
        return Metered.of(self._discrete.uniform(count), self._meter)

    def normal(self, count: int) -> Metered:
        """`count` standard normal reals."""
        self._bill("RS", count)
        return Metered.of(self._discrete.normal(count), self._meter)

    def exponential(self, count: int) -> Metered:
        """`count` standard exponential reals."""
        self._bill("RS", count)
        return Metered.of(self._discrete.exponential(count), self._meter)

    def discrete_normal(self, variance: Fraction, count: int) -> Metered:
        """`count` integers of the discrete Gaussian law, x with weight exp(-x² / (2 variance)).

        Exact; billed as RS.
        """
        if variance <= 0:
            raise ValueError(f"a variance parameter is positive, got {variance}")
        self._bill("RS", count)
        return Metered.of(self._discrete.discrete_normal(variance, count), self._meter)

    def discrete_laplace(self, scale: Fraction, count: int) -> Metered:
        """`count` integers of the discrete Laplace law, x with weight exp(-|x| / scale).

        Exact; billed as RS. The scale is at most 2**56, beyond which draws leave 64 bits.
        """
        if not 0 < scale <= LARGEST_SCALE:
            raise ValueError(f"a scale is positive and at most 2**56, got {scale}")
        self._bill("RS", count)
        return Metered.of(self._discrete.discrete_laplace(Fraction(scale), count), self._meter)

    def skellam(self, variance: Fraction, count: int) -> Metered:
        """`count` integers of the Skellam law, differences of two Poisson draws of equal mean.

        Exact; billed as RS. A draw takes time in proportion to the variance, about 50 ns a unit,
        and the variance is at most 10**9.
        """
        if not 0 < variance <= LARGEST_VARIANCE:
            raise ValueError(
                f"the variance of a Skellam draw is positive and at most 10**9, got {variance}"
            )
        self._bill("RS", count)
        return Metered.of(self._discrete.skellam(Fraction(variance), count), self._meter)

    def field(self, field: Field, shape: tuple[int, ...]) -> FieldArray:
        """Independent uniform field elements."""
        self._check_draw()
        if self._meter is not None:
            self._meter.bill("FS", math.prod(shape))
        return self._fields.draw(field, shape, self._meter)

    def deferred(self, field: Field, shape: tuple[int, ...], rows: "RowMaker") -> "Deferred":
        """A block of rows that is made later, from coins of its own.

        So it does not matter when, and in which thread, it is made.
        """
        self._check_draw()
        self._blocks += 1
        discrete, fields = self._discrete.block(self._blocks), self._fields.block(self._blocks)
        own = Coins(discrete, fields, self._meter)
        own._is_block = True
        return Deferred(field, shape, lambda coins: fields.lift(rows(coins)), own)

    @property
    def meter(self) -> Meter | None:
        """The meter of the party whose coins they are."""
        return self._meter

    @property
    def for_doors(self) -> "Coins":
        """The coins that a door's function draws: the same discrete ones, and no field elements."""
        if self._for_doors is None:
            self._for_doors = Coins(self._discrete, _NO_FIELD_ELEMENTS, self._meter)
            self._for_doors.check = self.check
        return self._for_doors

    def _check_draw(self) -> None:
        """Raise where nobody may draw from these coins."""
        if self.check is not None:
            if _evaluation.goes_on:
                raise TypeError(
                    "a deferred block draws from the coins of the script: let it draw from the "
                    "coins that it is given"
                )
            self.check(self)

    def _bill(self, operation: Operation, times: int, *, tossed: bool = True) -> None:
        """Note a discrete draw. Raises `TypeError` in a deferred block."""
        if self._is_block:
            raise TypeError(
                "a deferred block draws field elements alone: draw discrete coins before it is made"
            )
        self._check_draw()
        if tossed:
            self.tossed = True
        if self._meter is not None:
            self._meter.bill(operation, times)


def discrete_of(coins: Coins) -> DiscreteSource:
    """Where discrete outcomes come from. For readings of a script; no script has a use for it."""
    return coins._discrete


class _NoFieldElements:
    """A field source that refuses."""

    def draw(self, field: Field, shape: tuple[int, ...], meter: Meter | None) -> NoReturn:
        """Refuse: what hides a secret is added to it in the script, where a verdict sees it."""
        del field, shape, meter
        raise TypeError(
            "the function of a door draws discrete coins alone: draw field elements in the script, "
            "with me.coins.field(...)"
        )

    def lift(self, rows: FieldArray) -> FieldArray:
        """Nothing to change."""
        return rows

    def block(self, number: int) -> NoReturn:
        """Refuse a deferred block."""
        del number
        raise TypeError("the function of a door makes no deferred block: make it in the script")


_NO_FIELD_ELEMENTS = _NoFieldElements()


def _is_open(chance: Probability) -> bool:
    """Whether a coin of this chance can come out both ways.

    Raises `ValueError` for what is no probability.
    """
    if not 0 <= chance <= 1:
        raise ValueError(f"a probability lies in [0, 1], got {chance}")
    return 0 < chance < 1


class _Evaluation(threading.local):
    """Whether a deferred block is being evaluated in this thread."""

    goes_on = False


_evaluation = _Evaluation()


def evaluates_block() -> bool:
    """Whether a deferred block is being evaluated in this thread: no door opens then."""
    return _evaluation.goes_on


RowMaker = Callable[[Coins], FieldArray]
RowBlock = FieldArray | Typed


@attrs.frozen(eq=False)
class Deferred:
    """A block of field elements that is evaluated when its sum is needed, once, possibly in another
    thread.

    `rows` must be a pure function of the coins it is given and of values fixed when the block was
    made.
    """

    field: Field
    shape: tuple[int, ...]
    rows: RowMaker
    coins: Coins

    @property
    def meter(self) -> Meter | None:
        """The meter of the party that has made the block."""
        return self.coins.meter

    @property
    def size(self) -> int:
        """How many field elements the block has."""
        return math.prod(self.shape)

    def evaluate(self) -> FieldArray:
        """The rows.

        Raises `ValueError` when they come out in another shape or field than announced, `TypeError`
        for rows that another party holds.
        """
        _evaluation.goes_on = True
        try:
            block = self.rows(self.coins)
        finally:
            _evaluation.goes_on = False
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
