"""The coins of a party: the only source of randomness that a script has.

`Coins` is an interface: a sampled run draws from seeded streams (`sampled.SampledCoins`); another
reading of the same script may play every outcome of the finite coins, or put an unknown in the
place of a field element.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Protocol

import attrs
import numpy as np
import numpy.typing as npt

from simnet.values.field import Field, FieldArray
from simnet.values.metered import Metered
from simnet.values.typed import Typed


class Coins(Protocol):
    """Every draw is exact.

    Finite coins can be enumerated; `uniform`, `normal`, `exponential` can only be sampled.
    """

    def bernoulli(self, chance: float | Fraction) -> bool:
        """True with probability `chance`, in [0, 1].

        A float counts as the binary fraction that it is.
        """
        ...

    def bernoullis(self, chance: float | Fraction, count: int) -> npt.NDArray[np.bool_]:
        """`count` independent draws of `bernoulli`."""
        ...

    def binomials(self, trials: npt.NDArray[np.int64], chance: float | Fraction) -> Metered:
        """How many of `trials[i]` draws of `bernoulli` come out true, for every i.

        Billed as that many draws.
        """
        ...

    def integers(self, below: int, count: int) -> Metered:
        """`count` independent integers, uniform on `0..below-1`; billed as draws from `[n]`."""
        ...

    def subset(self, count: int, below: int) -> Metered:
        """`count` distinct integers of `0..below-1`, every set equally likely, sorted.

        Billed as `count` draws.
        """
        ...

    def weighted_subset(
        self, count: int, below: int, favoured: int | None = None, weight: float | Fraction = 1
    ) -> Metered:
        """A set of `count` integers of `0..below-1`, `weight` times as likely when it holds
        `favoured`; sorted.

        Without `favoured` every set is equally likely. Billed as one draw of a subset (aS).
        """
        ...

    def categorical(self, weights: Sequence[int], count: int) -> Metered:
        """`count` independent indices of `weights`, each with probability in proportion to its
        integer weight.
        """
        ...

    def field(self, field: Field, shape: tuple[int, ...]) -> FieldArray:
        """Independent uniform field elements."""
        ...

    def deferred(self, field: Field, shape: tuple[int, ...], rows: "RowMaker") -> "Deferred":
        """A block of rows that is made later, from coins of its own, so that when it is made
        changes nothing.
        """
        ...

    def uniform(self, count: int) -> Metered:
        """`count` reals, uniform on the multiples of 2**-53 in [0, 1)."""
        ...

    def normal(self, count: int) -> Metered:
        """`count` standard normal reals."""
        ...

    def discrete_normal(self, variance: Fraction, count: int) -> Metered:
        """`count` integers of the discrete Gaussian law, x with weight exp(-x² / (2 variance)).

        Exact; billed as RS.
        """
        ...

    def exponential(self, count: int) -> Metered:
        """`count` standard exponential reals."""
        ...


RowMaker = Callable[[Coins], FieldArray]
Block = FieldArray | Typed


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
    def size(self) -> int:
        """How many field elements the block has."""
        return math.prod(self.shape)

    def evaluate(self) -> FieldArray:
        """The rows.

        Raises `ValueError` when they come out in another shape or field than announced.
        """
        block = self.rows(self.coins)
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
