"""Coins that play a given tape: every run of a tiny protocol can be played out, one tape after
another.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from simnet.coins.coins import Deferred, RowMaker
from simnet.kernel.reading import Sampled
from simnet.values.field import Field
from simnet.values.meter import Meter
from simnet.values.residues import Residues


class TapeCoins:
    """Coins that take field elements from a tape, in order; every `bernoulli` gives `active`."""

    def __init__(self, elements: Iterator[int], active: bool, meter: Meter | None = None) -> None:
        self._elements = elements
        self._active = active
        self.meter = meter
        self.tossed = False

    @property
    def _discrete(self) -> "TapeCoins":
        return self

    @property
    def for_doors(self) -> "TapeCoins":
        return self

    def bernoulli(self, chance: float | Fraction) -> bool:
        return self._active

    def field(self, field: Field, shape: tuple[int, ...]) -> Residues:
        drawn = [next(self._elements) for _ in range(math.prod(shape))]
        return Residues(field, np.array(drawn, dtype=field.dtype).reshape(shape))

    def deferred(self, field: Field, shape: tuple[int, ...], rows: RowMaker) -> Deferred:
        return Deferred(field, shape, rows, self)


class Tape(Sampled):
    """A reading of a script on given coins: `elements` and `active` give the coins of each
    party.
    """

    def __init__(self, elements: dict[str, tuple[int, ...]], active: dict[str, bool]) -> None:
        self._elements = elements
        self._active = active

    def coins(self, seed: int, party: str, meter: Meter) -> Any:
        tape = iter(self._elements.get(party, ()))
        return TapeCoins(tape, self._active.get(party, True), meter)


def tapes(modulus: int, users: int, draws: int) -> Iterator[dict[str, tuple[int, ...]]]:
    """Yield every way in which `users` users can draw `draws` field elements each."""
    for drawn in product(product(range(modulus), repeat=draws), repeat=users):
        yield {f"u{user}": tape for user, tape in enumerate(drawn, start=1)}
