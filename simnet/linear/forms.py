"""Field arrays whose elements are linear forms in unknowns, with their sampled values beside them.

Scripts cannot tell them from numbers (`residues.Residues`), except that a number has to be asked
for: `open()` gives it and is noted. Comparing, branching or multiplying two of them is refused. The
sampled values do all billing, checking of shapes and of fields.
"""

from collections.abc import Sequence
from math import gcd, prod
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from simnet.linear.modular import Ints
from simnet.linear.terms import Terms, accumulate, join, pick, refine, take
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.residues import Residues
from simnet.values.wire import WireType


class Desk(Protocol):
    """Where forms turn when numbers and forms meet."""

    def lifted(self, values: Residues) -> "Forms":
        """Plain numbers as opaque unknowns of the party in whose hands they are."""
        ...

    def opened(self, forms: "Forms") -> None:
        """Note that a party has asked for the numbers."""
        ...

    def scaled(self, forms: "Forms") -> None:
        """Note that a party multiplies by plain numbers, which may be anything it knows."""
        ...


def lanes_of(shape: tuple[int, ...]) -> int:
    """How many lanes an array of unknowns begins with: its last axis is one vector."""
    return shape[-1] if shape and shape[-1] else 1


class Forms:
    """An array of linear forms over `F_q`, immutable."""

    __slots__ = ("desk", "sampled", "terms")
    __array_ufunc__ = None  # numbers of numpy leave arithmetic with forms to them

    desk: Desk

    def __init__(self, sampled: Residues, terms: Terms, desk: Desk) -> None:
        """Forms with their sampled values; as many as elements, in the order of the elements."""
        self.sampled = sampled
        self.terms = terms
        self.desk = desk

    @property
    def field(self) -> Field:
        """The field of the elements."""
        return self.sampled.field

    @property
    def wire(self) -> WireType:
        """How one element travels."""
        return self.sampled.wire

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape as numpy knows it."""
        return self.sampled.shape

    @property
    def meter(self) -> Meter | None:
        """The meter of the party in whose hands the array is."""
        return self.sampled.meter

    def metered(self, meter: Meter | None) -> "Forms":
        """The same forms in the hands of the party that `meter` counts for."""
        return Forms(self.sampled.metered(meter), self.terms, self.desk)

    def numbers(self) -> npt.NDArray[Any]:
        """The sampled values; asking for them opens the forms."""
        self.desk.opened(self)
        return self.sampled.numbers()

    def open(self, signed: bool = False) -> Metered:
        """The sampled values as integers `0..q-1`, or as the nearest to zero; the opening is
        noted.
        """
        self.desk.opened(self)
        return self.sampled.open(signed)

    def __add__(self, other: FieldArray) -> "Forms":
        return self._sum(self, other, 1)

    def __radd__(self, other: FieldArray) -> "Forms":
        return self._sum(other, self, 1)

    def __sub__(self, other: FieldArray) -> "Forms":
        return self._sum(self, other, -1)

    def __rsub__(self, other: FieldArray) -> "Forms":
        return self._sum(other, self, -1)

    def __neg__(self) -> "Forms":
        return self._scaled(
            -self.sampled, np.full(self.terms.rows, self.field.modulus - 1), self.terms
        )

    def __mul__(self, factor: int | FieldArray) -> "Forms":
        if isinstance(factor, Forms):
            self._refuse("multiplies two arrays of unknowns")
        self.desk.scaled(self)
        if isinstance(factor, int | np.integer):
            weight = int(factor) % self.field.modulus
            return self._scaled(self.sampled * factor, np.full(self.terms.rows, weight), self.terms)
        if not isinstance(factor, Residues):
            return NotImplemented
        product = self.sampled * factor
        weights = np.broadcast_to(factor.numbers(), product.shape).astype(np.int64).reshape(-1)
        terms = self._broadcast(product.shape)
        blocks = weights.reshape(-1, terms.lanes)
        if not np.all(blocks == blocks[:, :1]):
            terms, blocks = refine(terms, 1), weights[:, np.newaxis]
        return self._scaled(product, blocks[:, 0], terms)

    __rmul__ = __mul__

    def __getitem__(self, where: Any) -> "Forms":
        sampled = self.sampled[where]
        inner = prod(self.shape[1:])
        if self.shape and _picks_rows(where) and inner % self.terms.lanes == 0:
            each = inner // self.terms.lanes
            chosen = np.atleast_1d(np.arange(self.shape[0])[where]).reshape(-1, 1)
            rows = (chosen * each + np.arange(each)).reshape(-1)
            return Forms(sampled, take(self.terms, rows), self.desk)
        elements = np.arange(prod(self.shape)).reshape(self.shape)[where]
        return Forms(sampled, pick(self.terms, np.asarray(elements).reshape(-1)), self.desk)

    @staticmethod
    def stack(rows: Sequence[Any]) -> "Forms":
        """Arrays of one field and shape as rows of one array, in the hands of the party that holds
        the first.
        """
        lifted = _lifted(rows)
        sampled = Residues.stack([row.sampled for row in lifted]).metered(rows[0].meter)
        return Forms(sampled, join([row.terms for row in lifted]), lifted[0].desk)

    @staticmethod
    def join(parts: Sequence[Any]) -> "Forms":
        """Arrays of one field, one after another along the first axis, in the hands of who holds
        the first.
        """
        lifted = _lifted(parts)
        sampled = Residues.join([part.sampled for part in lifted]).metered(parts[0].meter)
        return Forms(sampled, join([part.terms for part in lifted]), lifted[0].desk)

    def sum(self) -> "Forms":
        """The sum over the first axis; zero rows add to zero."""
        sampled = self.sampled.sum()
        fine, each = self._by_row()
        terms = accumulate(
            fine, np.arange(fine.rows) % max(each, 1), None, each, self.field.modulus
        )
        return Forms(sampled, terms, self.desk)

    def append(self, row: FieldArray) -> "Forms":
        """This array with one more row at the end of its first axis."""
        more = self._form(row)
        return Forms(self.sampled.append(more.sampled), join([self.terms, more.terms]), self.desk)

    def close(self, totals: FieldArray, sizes: Sequence[int]) -> "Forms":
        """After each run of `sizes[k]` elements one more, so that run and rest add up to
        `totals[k]`; one axis.
        """
        ends = self._form(totals)
        sampled = self.sampled.close(ends.sampled, sizes)
        lengths = np.asarray(sizes, dtype=np.int64)
        run = np.repeat(np.arange(len(lengths)), lengths)
        rests = lengths.cumsum() + np.arange(len(lengths))
        elements = np.arange(len(run)) + run
        ones = np.ones(len(run), dtype=np.int64)
        terms = accumulate(
            join([refine(self.terms, 1), refine(ends.terms, 1), refine(self.terms, 1)]),
            np.concatenate([elements, rests, rests[run]]),
            np.concatenate(
                [ones, np.ones(len(lengths), dtype=np.int64), ones * (self.field.modulus - 1)]
            ),
            len(run) + len(lengths),
            self.field.modulus,
        )
        return Forms(sampled, terms, self.desk)

    def combine(self, weights: npt.NDArray[np.int64]) -> "Forms":
        """Linear combinations of the rows with public weights of shape (m, rows); shape (m,
        ...).
        """
        weights = np.asarray(weights)
        sampled = self.sampled.combine(weights)
        fine, each = self._by_row()
        made, rows = weights.shape
        tiled = take(fine, np.tile(np.arange(fine.rows), made))
        into = np.repeat(np.arange(made), rows * each) * each + np.tile(
            np.arange(each), made * rows
        )
        factors = np.repeat((weights % self.field.modulus).reshape(-1), each)
        return Forms(
            sampled, accumulate(tiled, into, factors, made * each, self.field.modulus), self.desk
        )

    def _by_row(self) -> tuple[Terms, int]:
        """The terms in such lanes that every row of the array has a whole number of theirs, and
        that number.
        """
        inner = prod(self.shape[1:])
        fine = refine(self.terms, gcd(self.terms.lanes, inner))
        return fine, inner // fine.lanes

    def _form(self, other: FieldArray) -> "Forms":
        if isinstance(other, Forms):
            return other
        if isinstance(other, Residues):
            return self.desk.lifted(other if other.meter is not None else other.metered(self.meter))
        raise TypeError(f"field elements are expected, got {type(other).__name__}")

    def _sum(self, left: FieldArray, right: FieldArray, sign: int) -> "Forms":
        a, b = self._form(left), self._form(right)
        sampled = a.sampled + b.sampled if sign > 0 else a.sampled - b.sampled
        both = join([a._broadcast(sampled.shape), b._broadcast(sampled.shape)])
        rows = both.rows // 2
        weights = np.ones(both.rows, dtype=np.int64)
        weights[rows:] = sign % self.field.modulus
        terms = accumulate(both, np.tile(np.arange(rows), 2), weights, rows, self.field.modulus)
        return Forms(sampled, terms, self.desk)

    def _broadcast(self, shape: tuple[int, ...]) -> Terms:
        if shape == self.shape:
            return self.terms
        elements = np.broadcast_to(np.arange(prod(self.shape)).reshape(self.shape), shape)
        return pick(self.terms, elements.reshape(-1))

    def _scaled(self, sampled: Residues, weights: Ints, terms: Terms) -> "Forms":
        scaled = accumulate(
            terms, np.arange(terms.rows), weights.astype(np.int64), terms.rows, self.field.modulus
        )
        return Forms(sampled, scaled, self.desk)

    def _refuse(self, what: str) -> NoReturn:
        raise TypeError(
            f"{what}: use open() to get the numbers, which says that they are no longer protected"
        )

    def __bool__(self) -> bool:
        self._refuse("branches on unknown field elements")

    def __eq__(self, other: object) -> bool:
        self._refuse("compares unknown field elements")

    __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__
    __hash__ = None  # type: ignore[assignment]

    def __int__(self) -> int:
        self._refuse("takes unknown field elements for numbers")

    __float__ = __index__ = __int__

    def __array__(self, *_: Any, **__: Any) -> npt.NDArray[Any]:
        self._refuse("takes unknown field elements for numbers")

    def __repr__(self) -> str:
        return f"Forms(F_{self.field.modulus}, shape {self.shape})"


def _picks_rows(where: Any) -> bool:
    """Whether an index is about the first axis alone."""
    if isinstance(where, list | np.ndarray):
        return np.ndim(where) < 2
    return where is None or isinstance(where, int | np.integer | slice)


def _lifted(arrays: Sequence[Any]) -> list[Forms]:
    """The arrays as forms; at least one is."""
    first = next(array for array in arrays if isinstance(array, Forms))
    return [first._form(array) for array in arrays]
