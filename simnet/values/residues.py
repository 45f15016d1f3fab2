"""Field arrays of numbers: residues mod q, as narrow in memory as q allows.

Theory of operation. The bulk of a protocol's work is drawing, adding and sending residues, and the
time of all three is the time that memory takes. So residues are kept in the narrowest unsigned type
that holds the sum of *two* of them (`Field.dtype`): one addition never wraps, and `_reduced` brings
its result back below q without a division. Where many residues are added, as many rows as cannot
wrap are first added in the narrow type, and their sums in 64 bits. Products take 64 bits or, above
q = 2**32, Python's integers: they are rare.

Example. For q = 101 the type is one byte, for 2 * 100 <= 255. `headroom` is 255 // 100 = 2: two
rows can be added in bytes. The sum of [60, 70], [80, 90] and [50, 1] is

    60 + 80 = 140, 70 + 90 = 160    in bytes
    140 + 50 = 190, 160 + 1 = 161   in 64 bits, mod 101 is [89, 60]

Residues never change once they are made. So a message carries the very array that its sender holds,
5,000 recipients of one array share it, and a view needs no copy. Each party that gets hold of an
array wraps it anew (`metered`), and arithmetic is billed to the party whose meter the wrapper has.
"""

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from simnet.arrays import Indices, Ints, Numbers
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter, Operation
from simnet.values.metered import Metered
from simnet.values.sealed import BRANCHES, COMPARES, READS_NUMBERS, Opened, SealBroken, Sealed
from simnet.values.wire import WireType

_NARROW_FOLD = (
    16  # rows added in the narrow type at most: longer folds leave too short an inner loop
)


class Residues:
    """Numbers mod q. Immutable, so that a message may carry it without a copy."""

    __slots__ = ("_room", "_values", "field", "meter")
    __array_ufunc__ = None  # numpy's numbers leave arithmetic with residues to the residues

    def __init__(
        self, field: Field, values: Numbers, meter: Meter | None = None, room: Numbers | None = None
    ) -> None:
        """Wrap `values`, already reduced and of the field's dtype, and make them read-only.

        `room` is the same array with one more row behind it, for the first `append` to use.
        """
        values.flags.writeable = False
        self.field = field
        self._values = values
        self.meter = meter
        self._room = room

    @property
    def wire(self) -> WireType:
        """How one element travels."""
        return self.field.wire

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape as numpy knows it."""
        return self._values.shape

    def metered(self, meter: Meter | None) -> "Residues":
        """The same elements in the hands of the party that `meter` counts for."""
        twin = Residues.__new__(
            Residues
        )  # past __init__, which has nothing to add: this is done for every message
        twin.field, twin._values, twin.meter, twin._room = self.field, self._values, meter, None
        return twin

    def numbers(self, signed: bool = False) -> Numbers:
        """The residues, read-only: `0..q-1`, or the nearest to zero when `signed`.

        For instruments. Raises `SealBroken` in a script, which has its doors for that.
        """
        if signed or (self.meter is not None and self.meter.in_script):
            return self.as_integers(signed).plain
        return self._values

    def open(self, signed: bool = False) -> Sealed:
        """The numbers, for the doors of the party that holds the array, or to be returned."""
        return Sealed(Opened(self, signed))

    def as_integers(self, signed: bool = False) -> Metered:
        """The elements as int64, billed to who holds them: what a door's function is given.

        Raises `SealBroken` in a script, and in the function of a door that has captured the array.
        """
        if self.meter is not None and self.meter.in_script:
            raise SealBroken(READS_NUMBERS)
        values = self._values.astype(np.int64)
        if signed:
            values[values > self.field.modulus // 2] -= self.field.modulus
        return Metered.of(values, self.meter)

    def is_same_as(self, other: Any) -> bool:
        """Whether the other array holds the same numbers."""
        return (
            isinstance(other, Residues)
            and self.field == other.field
            and np.array_equal(self._values, other._values)
        )

    def __add__(self, other: FieldArray) -> "Residues":
        if not isinstance(other, Residues):
            return NotImplemented
        self._same_field(other)
        return self._billed("FA", self._reduced(np.add(self._values, other._values)), other)

    def __sub__(self, other: FieldArray) -> "Residues":
        if not isinstance(other, Residues):
            return NotImplemented
        self._same_field(other)
        difference = np.add(self._values, np.subtract(self._modulus, other._values))
        return self._billed("FA", self._reduced(difference), other)

    def __neg__(self) -> "Residues":
        return Residues(
            self.field, self._reduced(np.subtract(self._modulus, self._values)), self.meter
        )

    def __mul__(self, factor: int | FieldArray) -> "Residues":
        if isinstance(factor, int | np.integer):
            return self._times(
                np.asarray(int(factor) % self.field.modulus, dtype=self.field.dtype), self
            )
        if not isinstance(factor, Residues):
            return NotImplemented
        self._same_field(factor)
        return self._times(factor._values, factor)

    __rmul__ = __mul__

    def __matmul__(self, other: "FieldArray | Ints") -> "Residues":
        factor = public_matrix(other, self.field)
        return self._matrix_product(factor) if isinstance(factor, Residues) else NotImplemented

    def __rmatmul__(self, other: Ints) -> "Residues":
        factor = public_matrix(other, self.field)
        return factor._matrix_product(self) if isinstance(factor, Residues) else NotImplemented

    def _matrix_product(self, other: "Residues") -> "Residues":
        """The product as numpy has it.

        Billed as one multiplication for each pair of elements that meet, and one addition less for
        each element of the result.
        """
        self._same_field(other)
        axes = len(self.shape), len(other.shape)
        if not {1, 2}.issuperset(axes) or self.shape[-1] != other.shape[0]:
            raise ValueError(
                f"matrices and vectors of shapes {self.shape} and {other.shape} have no product"
            )
        modulus, inner = self.field.modulus, self.shape[-1]
        wide: Any = np.int64 if inner * (modulus - 1) ** 2 < 1 << 63 else object
        if inner:
            product = self._values.astype(wide) @ other._values.astype(wide) % modulus
        else:
            product = np.zeros((*self.shape[:-1], *other.shape[1:]), dtype=np.int64)
        values = np.asarray(product).astype(self.field.dtype)
        meter = self.meter if self.meter is not None else other.meter
        if meter is not None:
            meter.bill("FM", values.size * inner)
            meter.bill("FA", values.size * max(inner - 1, 0))
        return Residues(self.field, values, meter)

    def inverse(self) -> "Residues":
        """The inverse of each element; billed as one multiplication each.

        Raises `ValueError` for 0, which has none.
        """
        modulus = self.field.modulus
        if not self._values.all():
            raise ValueError(f"0 has no inverse in F_{modulus}")
        inverses = [pow(number, -1, modulus) for number in self._values.reshape(-1).tolist()]
        if self.meter is not None:
            self.meter.bill("FM", len(inverses))
        values = np.array(inverses, dtype=self.field.dtype).reshape(self.shape)
        return Residues(self.field, values, self.meter)

    def reshape(self, *shape: int) -> "Residues":
        """The same elements in the same order, in another shape; -1 stands for what is left."""
        return Residues(self.field, self._values.reshape(*shape), self.meter)

    def __getitem__(self, where: Any) -> "Residues":
        return Residues(self.field, np.asarray(self._values[where]), self.meter)

    def __eq__(self, other: object) -> bool:
        """Equal field, shape and elements. Raises `SealBroken` in a script."""
        if self.meter is not None and self.meter.in_script:
            raise SealBroken(COMPARES)
        if not isinstance(other, Residues):
            return NotImplemented
        return self.field == other.field and np.array_equal(self._values, other._values)

    def __bool__(self) -> bool:
        """Raises `SealBroken` in a script."""
        if self.meter is not None and self.meter.in_script:
            raise SealBroken(BRANCHES)
        return True

    __hash__ = None  # type: ignore[assignment]  # arrays compare by value and make no dictionary keys

    def __repr__(self) -> str:
        if self.meter is not None and self.meter.in_script:
            return f"Residues(F_{self.field.modulus}, shape {self.shape})"
        return f"Residues(F_{self.field.modulus}, {self._values.tolist()})"

    @staticmethod
    def stack(rows: Sequence[Any]) -> Any:
        """Arrays of one field and shape as rows of one array, in the hands of who holds them."""
        if other := _other_kind(rows):
            return other.stack(rows)
        _refuse_mixed(rows)
        return Residues(rows[0].field, np.stack([row._values for row in rows]), holder_of(rows))

    @staticmethod
    def join(parts: Sequence[Any]) -> Any:
        """Arrays of one field, one after another along the first axis.

        The result is in the hands of who holds them.
        """
        if other := _other_kind(parts):
            return other.join(parts)
        _refuse_mixed(parts)
        return Residues(
            parts[0].field, np.concatenate([part._values for part in parts]), holder_of(parts)
        )

    def sum(self) -> "Residues":
        """The sum over the first axis; zero rows add to zero."""
        rows = self.shape[0]
        total = column_sums(self._values, self.field)
        if self.meter is not None:
            self.meter.bill("FA", max(rows - 1, 0) * total.size)
        return Residues(self.field, total, self.meter)

    def append(self, row: FieldArray) -> Any:
        """This array with one more row at the end of its first axis."""
        if not isinstance(row, Residues):
            if not hasattr(row, "field"):
                raise TypeError(f"a row of field elements is expected, got {type(row).__name__}")
            return type(row).join([self, row[np.newaxis]])
        self._same_field(row)
        if row.shape != self.shape[1:]:
            raise ValueError(f"rows have shape {self.shape[1:]}, got one of shape {row.shape}")
        room, self._room = self._room, None
        if room is None:
            room = np.concatenate([self._values, row._values[np.newaxis]])
        room[-1] = row._values
        return Residues(self.field, room, self.meter or row.meter)

    def close(self, totals: FieldArray, sizes: Sequence[int]) -> Any:
        """Add an element after each run of `sizes[k]` elements, so that all add up to `totals[k]`.

        The array has one axis.
        """
        if not isinstance(totals, Residues):  # which know how to take residues in
            return type(totals).join([self, totals])[: self.shape[0]].close(totals, sizes)
        lengths = np.asarray(sizes, dtype=np.intp)
        if lengths.sum() != self.shape[0] or totals.shape != lengths.shape:
            raise ValueError(
                f"{self.shape[0]} elements and {totals.shape[0]} totals do not make runs of "
                f"{list(sizes)}"
            )
        self._same_field(totals)
        runs = Residues(self.field, _run_sums(self._values, lengths, self.field))
        rests = (totals.metered(None) - runs)._values
        pieces, start = [], 0
        for place, length in enumerate(lengths.tolist()):
            pieces += [self._values[start : start + length], rests[place : place + 1]]
            start += length
        holder = holder_of([self, totals])
        if holder is not None:
            # a run of m elements: m - 1 to add it up, 1 to subtract it
            holder.bill("FA", int(lengths.sum()))
        return Residues(self.field, np.concatenate(pieces) if pieces else self._values, holder)

    def combine(self, weights: Ints) -> "Residues":
        """Linear combinations of the rows, with public weights.

        Weights of shape (m, rows) give shape (m, ...).
        """
        rows = self.shape[0]
        modulus = self.field.modulus
        wide: Any = (
            np.int64 if rows * (modulus - 1) ** 2 < 1 << 63 else object
        )  # exact: no sum of products may wrap
        flat = self._values.reshape(rows, math.prod(self.shape[1:])).astype(wide)
        combined = (np.asarray(weights) % modulus).astype(wide) @ flat % modulus
        values = combined.astype(self.field.dtype).reshape(len(weights), *self.shape[1:])
        if self.meter is not None:
            self.meter.bill("FM", values.size * rows)
            self.meter.bill("FA", values.size * max(rows - 1, 0))
        return Residues(self.field, values, self.meter)

    @property
    def _modulus(self) -> np.generic:
        modulus: np.generic = self.field.dtype.type(self.field.modulus)
        return modulus

    def _reduced(self, below_twice: Numbers) -> Numbers:
        # In unsigned arithmetic x - q wraps to something huge unless x >= q: the smaller of the two
        # is x mod q.
        return np.asarray(np.minimum(below_twice, np.subtract(below_twice, self._modulus)))

    def _same_field(self, other: Self) -> None:
        mine, others = self.meter, other.meter
        if mine is not others and mine is not None and others is not None and mine.in_script:
            raise TypeError(
                "mixes field elements in the hands of two parties: what another party holds comes "
                "in a message"
            )
        if self.field is not other.field and self.field != other.field:
            raise TypeError(
                f"F_{self.field.modulus} and F_{other.field.modulus} elements do not mix"
            )

    def _times(self, factor: Numbers, other: "Residues") -> "Residues":
        wide: Any = (
            np.uint64 if self.field.modulus <= 1 << 32 else object
        )  # exact: no product may wrap
        product = np.asarray(self._values.astype(wide) * factor.astype(wide) % self.field.modulus)
        return self._billed("FM", product.astype(self.field.dtype), other)

    def _billed(self, operation: Operation, values: Numbers, other: "Residues") -> "Residues":
        meter = self.meter if self.meter is not None else other.meter
        if meter is not None:
            meter.bill(operation, values.size)
        return Residues(self.field, values, meter)


def constant(field: Field, values: npt.ArrayLike) -> Residues:
    """Return public integers, of either sign, as elements of the field. The integers are copied and
    reduced mod q.

    Raises `TypeError` for values that are not integers.

    >>> from simnet import Field
    >>> constant(Field(7), [3, 8, -1])
    Residues(F_7, [3, 1, 6])
    """
    integers = np.asarray(values)
    if integers.dtype.kind not in "bui":
        raise TypeError(f"field elements are made from integers, got {integers.dtype} values")
    wide = integers.astype(np.int64 if integers.dtype.kind == "i" else np.uint64)
    return Residues(field, np.asarray(wide % wide.dtype.type(field.modulus)).astype(field.dtype))


def public_matrix(factor: Any, field: Field) -> Any:
    """An array of integers as elements of the field; anything else as it is."""
    return constant(field, factor) if isinstance(factor, np.ndarray) else factor


def holder_of(arrays: Sequence[Any]) -> Meter | None:
    """The meter of the party that holds the first array which anybody holds."""
    return next((array.meter for array in arrays if array.meter is not None), None)


def residues_of(array: Residues) -> Numbers:
    """The residues, read-only. For the kernel and for instruments; no script has a use for it."""
    return array._values


def _refuse_mixed(arrays: Sequence[Any]) -> None:
    """Raise `TypeError` for arrays of several fields, or in the hands of several parties."""
    # An array that nobody holds goes with any other: so it is not enough to compare with the first.
    first = next((array for array in arrays if array.meter is not None), arrays[0])
    for array in arrays:
        first._same_field(array)


def _other_kind(arrays: Sequence[Any]) -> Any:
    """The class of those that are no residues: it knows how to take residues in."""
    return next((type(array) for array in arrays if not isinstance(array, Residues)), None)


def column_sums(values: Numbers, field: Field) -> Numbers:
    """The sums over the first axis mod q, shape `values.shape[1:]`, in the field's dtype.

    A few rows at a time are first added in their own narrow type, as many as cannot wrap; the rest
    is added in 64 bits.
    """
    rows = values.shape[0]
    narrow = min(field.headroom, _NARROW_FOLD)
    tall = rows // narrow
    largest = (field.modulus - 1) * narrow
    rest = np.add.reduce(
        values[tall * narrow :], axis=0, dtype=np.uint64
    )  # fewer rows than `headroom`: cannot wrap
    if tall:
        folded = np.add.reduce(
            values[: tall * narrow].reshape(narrow, tall, *values.shape[1:]),
            axis=0,
            dtype=values.dtype,
        )
        at_once = ((1 << 63) - 1) // largest
        for start in range(0, tall, at_once):
            rest = rest % np.uint64(field.modulus) + _tall_sum(folded[start : start + at_once])
    return np.asarray(rest % np.uint64(field.modulus)).astype(field.dtype)


def _run_sums(values: Numbers, lengths: Indices, field: Field) -> Numbers:
    """The sum of each of the runs that follow one another in an array, in the field's dtype."""
    if not lengths.size or not values.size:
        return np.zeros(lengths.size, dtype=field.dtype)
    starts = lengths.cumsum() - lengths
    if int(lengths.max()) * (field.modulus - 1) >= 1 << 64:
        runs = [
            values[start : start + length] for start, length in zip(starts, lengths, strict=True)
        ]
        return np.array([column_sums(run, field) for run in runs], dtype=field.dtype)
    if lengths.min() > 0:
        sums = np.add.reduceat(values, starts, dtype=np.uint64)
    else:  # of an empty run `reduceat` would give the element that follows
        sums = np.zeros(lengths.size, dtype=np.uint64)
        sums[lengths > 0] = np.add.reduceat(values, starts[lengths > 0], dtype=np.uint64)
    return np.asarray(sums % np.uint64(field.modulus)).astype(field.dtype)


def _tall_sum(values: Numbers) -> Numbers:
    """The sums over the first axis in 64 bits.

    numpy adds a tall array of short rows slowly, so several short rows are first added as one long
    row.
    """
    rows, width = values.shape[0], values[:1].size
    fold = max(2048 // max(width, 1), 1)
    tall = rows // fold
    if tall < 2 or not width:
        return _wide_sum(values)
    long_rows = values[: tall * fold].reshape(tall, fold * width)
    folded = _wide_sum(long_rows).reshape(fold, *values.shape[1:])
    return _wide_sum(folded) + _wide_sum(values[tall * fold :])


def _wide_sum(values: Numbers) -> Numbers:
    return np.asarray(np.add.reduce(values, axis=0, dtype=np.uint64))
