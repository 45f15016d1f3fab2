"""Field arrays whose elements are linear forms in unknowns.

Theory of operation. A script computes with field arrays, of whatever kind they are. In a sampled
run they are `Residues`, plain numbers mod q. In a symbolic or exhaustive reading they may be
`Forms`: each element is a linear form in unknowns (`terms`). In a symbolic reading, its sampled
value (`sampled`) stands beside the form. The same script then computes *which* functions of coins
and secrets its messages are.

Example. A user splits a secret s into two shares: it draws a coin c and sends c and s - c. ::

    elements         sampled (s = 4, c = 6, q = 7)     terms
    secret           4                                 1 * s
    first share      6                                 1 * c
    second share     5                                 1 * s + 6 * c
    their sum        4                                 1 * s              the terms of c cancel

Three rules make sure that a reading follows the script:

- An operation on forms is also applied to the sampled values, which do the billing and the checks
  of shapes and fields. (`inverse` leaves the sampled values to the reading, and bills by itself.)
- Without a door, a running script cannot turn forms into numbers. `open()` returns a sealed value,
  which the party can pass to its doors. Comparing forms, or branching on them, raises an error.
- The plain numbers of a script are public. So a plain number that is added to forms becomes a
  multiple of the unknown `ONE`, whose value is 1, and a form times a plain number is again a linear
  form. If a script multiplies two forms, the reading decides how to represent the product.
"""

from collections.abc import Sequence
from math import gcd, prod
from typing import Any, Protocol

import attrs
import numpy as np

from simnet.arrays import Ints, Numbers
from simnet.linear import ranges
from simnet.linear.mixtures import Mixture, TermRows, refined, written_out
from simnet.linear.ranges import Ranges
from simnet.linear.terms import Terms, accumulate, closed, join, pick, refine, shared, take
from simnet.values.field import Field, FieldArray, is_start_of_sum, no_field_elements
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.residues import (
    NotNumbers,
    Residues,
    holder_of,
    public_matrix,
    refuse_numbers,
    residues_of,
)
from simnet.values.sealed import COMPARES, READS_NUMBERS, Opened, SealBroken, Sealed
from simnet.values.wire import WireType


class FormReading(Protocol):
    """The operations that forms need from the reading that they belong to."""

    @property
    def hides_numbers(self) -> bool:
        """Whether numbers are hidden, because scripts still run or because the reading has no
        numbers.
        """
        ...

    def lifted(self, values: Residues) -> "Forms":
        """Return public numbers as forms."""
        ...

    def product(self, left: "Forms", right: "Forms", sampled: Residues) -> "Forms":
        """Return the forms that represent the product of two arrays, element by element."""
        ...

    def inverse(self, forms: "Forms") -> "Forms":
        """Return the forms that represent the inverses of an array's elements. Nothing is billed.

        Raises `TypeError` if the reading has no rule for these inverses, and `ValueError` if it
        finds an element that is 0.
        """
        ...


def lanes_of(shape: tuple[int, ...]) -> int:
    """Return the number of lanes of a new array of unknowns: the length of its last axis, or 1 if
    the array has no axis or this length is 0.
    """
    return shape[-1] if shape and shape[-1] else 1


class Forms(NotNumbers):
    """An array of linear forms over `F_q`, immutable."""

    __slots__ = ("reading", "rows", "sampled")

    def __init__(self, sampled: Residues, rows: TermRows, reading: FormReading) -> None:
        """Combine sampled values with their terms: a linear form for each element, in order."""
        assert rows.rows * rows.lanes == prod(sampled.shape)
        self.sampled = sampled
        self.rows = rows
        self.reading = reading

    @property
    def terms(self) -> Terms:
        """The terms of all elements. The terms of a `Mixture` or of `Ranges` are written out anew
        at each call.
        """
        return written_out(self.rows)

    @property
    def field(self) -> Field:
        """The field of the elements."""
        return self.sampled.field

    @property
    def wire(self) -> WireType:
        """The wire type of one element."""
        return self.sampled.wire

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as in numpy."""
        return self.sampled.shape

    @property
    def meter(self) -> Meter | None:
        """The meter of the party that holds the array."""
        return self.sampled.meter

    def metered(self, meter: Meter | None) -> "Forms":
        """Return the same forms, held by the party that `meter` counts for."""
        return Forms(self.sampled.metered(meter), self.rows, self.reading)

    def numbers(self, signed: bool = False) -> Numbers:
        """Return the numbers of the numeric run, for instruments. Raises `SealBroken` while the
        reading hides numbers.
        """
        if self.reading.hides_numbers:
            raise SealBroken(READS_NUMBERS)
        return self.sampled.numbers(signed)

    def open(self, signed: bool = False) -> Sealed:
        """Return the numbers, sealed, for the doors of the party that holds the array."""
        return Sealed(Opened(self, signed))

    def as_integers(self, signed: bool = False) -> Metered:
        """Return the numbers of the numeric run as int64; operations on them are billed to the
        party that holds the array. Raises `SealBroken` while the reading hides numbers.
        """
        if self.reading.hides_numbers:
            raise SealBroken(READS_NUMBERS)
        return self.sampled.as_integers(signed)

    def is_same_as(self, other: Any) -> bool:
        """Return whether the other array consists of the same forms. Raises `SealBroken` while the
        reading hides numbers.
        """
        if self.reading.hides_numbers:
            raise SealBroken(COMPARES)
        return self._is_same(other)

    def _is_same(self, other: Any) -> bool:
        if not isinstance(other, Forms) or self.shape != other.shape or self.field != other.field:
            return False
        lanes = gcd(self.rows.lanes, other.rows.lanes)
        first, second = refine(self.terms, lanes), refine(other.terms, lanes)
        return (
            np.array_equal(first.starts, second.starts)
            and np.array_equal(first.unknowns, second.unknowns)
            and np.array_equal(first.coefficients, second.coefficients)
        )

    def __add__(self, other: FieldArray) -> "Forms":
        return self._sum(self, other, 1)

    def __radd__(self, other: Any) -> "Forms":
        if is_start_of_sum(other):
            return self
        return self._sum(other, self, 1)

    def __sub__(self, other: FieldArray) -> "Forms":
        return self._sum(self, other, -1)

    def __rsub__(self, other: FieldArray) -> "Forms":
        return self._sum(other, self, -1)

    def __neg__(self) -> "Forms":
        return self._scaled(
            -self.sampled, np.full(self.rows.rows, self.field.modulus - 1), self.terms
        )

    def __mul__(self, factor: int | FieldArray) -> "Forms":
        if isinstance(factor, Forms):
            return self._product(factor)
        if isinstance(factor, int | np.integer):
            weight = int(factor) % self.field.modulus
            return self._scaled(self.sampled * factor, np.full(self.rows.rows, weight), self.terms)
        if not isinstance(factor, Residues):
            refuse_numbers(factor)
            return NotImplemented
        return self.times_public(factor, self.sampled * factor)

    def times_public(self, factor: Residues, product: Residues) -> "Forms":
        """Return these forms times plain numbers, element by element. `product` contains the
        sampled values of the result.
        """
        weights = np.broadcast_to(residues_of(factor), product.shape).astype(np.int64).reshape(-1)
        terms = self._broadcast(product.shape)
        blocks = weights.reshape(-1, terms.lanes)
        if not np.all(blocks == blocks[:, :1]):
            terms, blocks = refine(terms, 1), weights[:, np.newaxis]
        return self._scaled(product, blocks[:, 0], terms)

    __rmul__ = __mul__

    def _product(self, other: "Forms") -> "Forms":
        return self.reading.product(self, other, self.sampled * other.sampled)

    def __matmul__(self, other: "FieldArray | Ints") -> "Forms":
        factor = public_matrix(other, self.field)
        refuse_numbers(factor)
        if not isinstance(factor, Forms | Residues):
            return NotImplemented
        return self._matrix_product(self, factor)

    def __rmatmul__(self, other: "FieldArray | Ints") -> "Forms":
        factor = public_matrix(other, self.field)
        return (
            self._matrix_product(factor, self) if isinstance(factor, Residues) else NotImplemented
        )

    @staticmethod
    def _matrix_product(left: "Forms | Residues", right: "Forms | Residues") -> "Forms":
        """Return the product of two matrices or vectors. At least one of them must be `Forms`."""
        plain = [part if isinstance(part, Residues) else part.sampled for part in (left, right)]
        sampled = plain[0] @ plain[1]
        rows, inner, columns = prod(left.shape[:-1]), left.shape[-1], prod(right.shape[1:])
        if isinstance(left, Residues):
            assert isinstance(right, Forms)
            weights = residues_of(left).astype(np.int64).reshape(rows, inner)
            return Forms(sampled, right._combined(weights), right.reading)
        if isinstance(right, Residues):
            weights = residues_of(right).astype(np.int64).reshape(inner, columns).T
            turned = written_out(left._unbilled().reshape(rows, inner)._turned()._combined(weights))
            order = np.arange(rows)[:, np.newaxis] + rows * np.arange(columns)
            return Forms(sampled, pick(turned, order.reshape(-1)), left.reading)
        # Multiply all pairs of elements (i, k) and (k, j) at once, then add up over k.
        place, row, column = np.indices((inner, rows, columns))
        first = left._unbilled().reshape(rows, inner)[row, place]
        second = right._unbilled().reshape(inner, columns)[place, column]
        values = (first.sampled * second.sampled).metered(sampled.meter)
        terms = left.reading.product(first, second, values)._unbilled().sum().terms
        return Forms(sampled, terms, left.reading)

    def _unbilled(self) -> "Forms":
        """Return the same forms without a holder: the operations on them are billed already."""
        return self.metered(None)

    def _turned(self) -> "Forms":
        column, row = np.indices(self.shape[::-1])
        return self[row, column]

    def inverse(self) -> "Forms":
        """Return the inverse of each element. Each inverse is billed as one multiplication.

        Raises `TypeError` if the reading has no rule for these inverses, and `ValueError` if it
        finds an element that is 0.
        """
        if self.meter is not None:
            self.meter.bill("FM", prod(self.shape))
        return self.reading.inverse(self).metered(self.meter)

    def reshape(self, *shape: int) -> "Forms":
        """Return the same elements in the same order, in another shape."""
        sampled = self.sampled.reshape(*shape)
        lanes = gcd(self.rows.lanes, lanes_of(sampled.shape))
        return Forms(sampled, refined(self.rows, lanes), self.reading)

    def __getitem__(self, where: Any) -> "Forms":  # any index that numpy accepts
        sampled = self.sampled[where]
        if where is None:  # one more axis: the same elements in the same order
            return Forms(sampled, self.rows, self.reading)
        inner = prod(self.shape[1:])
        # If the index selects whole rows of the array, we take whole rows of terms, which is fast.
        # Any other index selects lanes one by one.
        if self.shape and _picks_rows(where) and inner % self.rows.lanes == 0:
            each = inner // self.rows.lanes
            chosen = np.atleast_1d(np.arange(self.shape[0])[where]).reshape(-1)
            if isinstance(self.rows, Mixture) and self.rows.each == each:
                return Forms(sampled, self.rows.take(chosen), self.reading)
            rows = (chosen[:, np.newaxis] * each + np.arange(each)).reshape(-1)
            return Forms(sampled, take(self.terms, rows), self.reading)
        elements = np.arange(prod(self.shape)).reshape(self.shape)[where]
        return Forms(sampled, pick(self.terms, np.asarray(elements).reshape(-1)), self.reading)

    @staticmethod
    def stack(rows: "Sequence[Forms | Residues]") -> "Forms":
        """Return arrays of one field and one shape as the rows of one array. The party that holds
        the arrays also holds the result.
        """
        lifted = _lifted(rows)
        sampled = Residues.stack([row.sampled for row in lifted]).metered(holder_of(rows))
        return Forms(sampled, _joined(lifted), lifted[0].reading)

    @staticmethod
    def join(parts: "Sequence[Forms | Residues]") -> "Forms":
        """Return arrays of one field, concatenated along the first axis. The party that holds the
        arrays also holds the result.
        """
        lifted = _lifted(parts)
        sampled = Residues.join([part.sampled for part in lifted]).metered(holder_of(parts))
        return Forms(sampled, _joined(lifted), lifted[0].reading)

    def sum(self) -> "Forms":
        """Return the sum over the first axis. The sum of zero rows is zero."""
        sampled = self.sampled.sum()
        if isinstance(self.rows, Ranges):
            inner = prod(self.shape[1:])
            rows = self.rows.refined(gcd(self.rows.lanes, inner))
            total = ranges.total(rows) if isinstance(rows, Ranges) and rows.lanes == inner else None
            if total is not None:
                return Forms(sampled, total, self.reading)
        fine, each = self._by_row()
        terms = accumulate(
            fine, np.arange(fine.rows) % max(each, 1), None, each, self.field.modulus
        )
        return Forms(sampled, terms, self.reading)

    def append(self, row: FieldArray) -> "Forms":
        """Return this array with one more row at the end of its first axis."""
        more = self._form(row)
        sampled = self.sampled.append(more.sampled)
        return Forms(sampled, _joined([self, more]), self.reading)

    def close(self, totals: FieldArray, sizes: Sequence[int]) -> "Forms":
        """Return this array with one more element after each group of consecutive elements.

        Both arrays have one axis. The k-th group of this array has `sizes[k]` elements. The new
        element of the k-th group is `totals[k]` minus the sum of the group.
        """
        ends = self._form(totals)
        sampled = self.sampled.close(ends.sampled, sizes)
        last, modulus = refine(ends.terms, 1), self.field.modulus
        if isinstance(self.rows, Ranges):
            short = ranges.closed(self.rows.refined(1), last, sizes, modulus)
            if short is not None:
                return Forms(sampled, short, self.reading)
        terms = closed(refine(self.terms, 1), last, sizes, modulus)
        return Forms(sampled, terms, self.reading)

    def combine(self, weights: Ints) -> "Forms":
        """Return linear combinations of the rows, with public weights.

        The weights have shape (m, rows), the result has shape (m, ...).
        """
        weights = np.asarray(weights)
        return Forms(self.sampled.combine(weights), self._combined(weights), self.reading)

    def _combined(self, weights: Ints) -> TermRows:
        modulus = self.field.modulus
        mixed = self.rows
        if isinstance(mixed, Mixture) and mixed.count == weights.shape[1]:
            mixed = mixed.combined(weights % modulus)
        else:
            fine, each = self._by_row()
            mixed = Mixture(shared((weights % modulus).astype(np.int64)), fine, each, modulus)
        # A few combinations are short when they are written out: terms may cancel.
        return mixed if mixed.count >= mixed.inner > 1 else mixed.terms

    def _by_row(self) -> tuple[Terms, int]:
        """Refine the terms so that each row of the array consists of whole rows of terms. Return
        the refined terms, and how many of their rows make up one row of the array.
        """
        inner = prod(self.shape[1:])
        fine = refine(self.terms, gcd(self.terms.lanes, inner))
        return fine, inner // fine.lanes

    def _form(self, other: FieldArray) -> "Forms":
        if isinstance(other, Forms):
            return other
        if isinstance(other, Residues):
            return self.reading.lifted(
                other if other.meter is not None else other.metered(self.meter)
            )
        raise TypeError(no_field_elements(other))

    def _sum(self, left: FieldArray, right: FieldArray, sign: int) -> "Forms":
        a, b = self._form(left), self._form(right)
        sampled = a.sampled + b.sampled if sign > 0 else a.sampled - b.sampled
        if isinstance(a.rows, Ranges) or isinstance(b.rows, Ranges):
            short = None
            if a.shape == b.shape and not (
                isinstance(a.rows, Mixture) or isinstance(b.rows, Mixture)
            ):
                short = ranges.combined(a.rows, b.rows, sign, self.field.modulus)
            if short is not None:
                return Forms(sampled, short, self.reading)
        both = join([a._broadcast(sampled.shape), b._broadcast(sampled.shape)])
        rows = both.rows // 2
        weights = np.ones(both.rows, dtype=np.int64)
        weights[rows:] = sign % self.field.modulus
        terms = accumulate(both, np.tile(np.arange(rows), 2), weights, rows, self.field.modulus)
        return Forms(sampled, terms, self.reading)

    def _broadcast(self, shape: tuple[int, ...]) -> Terms:
        if shape == self.shape:
            return self.terms
        elements = np.broadcast_to(np.arange(prod(self.shape)).reshape(self.shape), shape)
        return pick(self.terms, elements.reshape(-1))

    def _scaled(self, sampled: Residues, weights: Ints, terms: Terms) -> "Forms":
        scaled = accumulate(
            terms, np.arange(terms.rows), weights.astype(np.int64), terms.rows, self.field.modulus
        )
        return Forms(sampled, scaled, self.reading)

    def _no_number(self, deed: str) -> TypeError:
        return TypeError(
            f"{deed}: pass the array to me.disclose(function, array) or to "
            "me.output(function, array)"
        )

    def __bool__(self) -> bool:
        raise self._no_number("branches on unknown field elements")

    def __eq__(self, other: object) -> bool:
        raise self._no_number("compares unknown field elements")

    __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Forms(F_{self.field.modulus}, shape {self.shape})"


def _picks_rows(where: Any) -> bool:
    """Return whether an index surely selects along the first axis only."""
    if isinstance(where, list | np.ndarray):
        return np.ndim(where) < 2
    return isinstance(where, int | np.integer | slice)


def _joined(parts: "Sequence[Forms]") -> TermRows:
    first = parts[0].rows
    if isinstance(first, Mixture) and all(first.is_alike(part.rows) for part in parts):
        weights = [part.rows.weights for part in parts if isinstance(part.rows, Mixture)]
        return attrs.evolve(first, weights=shared(np.concatenate(weights)))
    written = [part.rows if isinstance(part.rows, Ranges) else part.terms for part in parts]
    return ranges.joined(written)


def _lifted(arrays: Sequence[FieldArray]) -> list[Forms]:
    """Return all arrays as forms. At least one of them must consist of forms already."""
    first = next(array for array in arrays if isinstance(array, Forms))
    return [first._form(array) for array in arrays]
