"""Field arrays of numbers: residues mod q, in the narrowest numpy type that q allows.

Theory of operation. Protocols draw, add and send many residues, and the time that this takes
depends on how many bytes are moved. So an array is stored in the narrowest unsigned type that holds
the sum of *two* residues (`Field.dtype`). One addition then never wraps around, and `_reduced`
brings its result below q without a division. To add many rows, we first add small groups of rows in
the narrow type, where they cannot wrap around. Then we add the groups' sums in 64 bits. Products
are computed in 64 bits where this cannot wrap around.

Example. For q = 101 the type is one byte, because 2 * 100 <= 255. `headroom` is 255 // 100 = 2: two
rows can be added in bytes. The sum of [60, 70], [80, 90] and [50, 1] is computed as follows::

    60 + 80 = 140, 70 + 90 = 160    in bytes
    140 + 50 = 190, 160 + 1 = 161   in 64 bits; mod 101 this is [89, 60]

Residues are immutable. So a message can carry its sender's array without a copy. Each party that
receives an array wraps it again (`metered`), and arithmetic is billed to the party whose meter the
wrapper has.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
import numpy.typing as npt

from simnet.arrays import Indices, Ints, Numbers
from simnet.values.field import Field, FieldArray, is_start_of_sum, no_field_elements
from simnet.values.meter import Meter, Operation
from simnet.values.metered import Metered
from simnet.values.sealed import (
    BRANCHES,
    COMPARES,
    ONLY_DOORS,
    READS_NUMBERS,
    Opened,
    SealBroken,
    Sealed,
)
from simnet.values.wire import WireType

# The largest number of rows that are added in the narrow type. With larger groups, numpy's inner
# loop would be too short to be fast.
_NARROW_FOLD = 16
_METHODS = (
    "use their operators and methods, such as `type(array).join([array, other])`, "
    "`type(array).stack([array, other])`, `array.sum()` and `array.reshape(2, -1)`"
)
# By numpy's function: what the operator between numpy's array and field elements calls.
_REFLECTED = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "matmul": "__rmatmul__",
    "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__",
    "remainder": "__rmod__",
    "power": "__rpow__",
}


class NotNumbers:
    """Field elements are no numbers: operators, functions of numpy and attributes that only numbers
    have raise `TypeError` (`AttributeError` for an attribute), whose text says what to write.
    """

    __slots__ = ()

    def __array_function__(self, function: Any, *_: object) -> NoReturn:
        """Raise `TypeError`; its message names the methods to use instead."""
        raise TypeError(
            f"numpy's function `{function.__name__}` does not take field elements: {_METHODS}"
        )

    def __abs__(self, *_: object) -> NoReturn:
        """Raise `TypeError`: field elements have no sizes, bits or digits."""
        raise self._no_number("uses field elements as if they were numbers")

    __pos__ = __invert__ = __round__ = __trunc__ = __floor__ = __ceil__ = __complex__ = __abs__
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __abs__
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __abs__

    def __mod__(self, other: object) -> NoReturn:
        """Raise `TypeError`: remainders, quotients and comparisons by size are not possible."""
        raise self._no_number(
            "calculates a remainder or a quotient of field elements, or compares their sizes"
        )

    __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = __rdivmod__ = __mod__
    __lt__ = __le__ = __gt__ = __ge__ = __mod__

    def __truediv__(self, other: object) -> NoReturn:
        """Raise `TypeError`; its message says how to divide in a field."""
        raise self._no_number(
            "divides field elements as if they were numbers; in the field, multiply by an inverse, "
            "such as `array * constant(array.field, 2).inverse()`"
        )

    __rtruediv__ = __truediv__

    def __pow__(self, *_: object) -> NoReturn:
        """Raise `TypeError`; its message says how to write a power."""
        raise TypeError("field elements have no operator **: multiply them, as in `array * array`")

    __rpow__ = __pow__

    def __len__(self) -> int:
        """Raise `TypeError`; its message says how to get the length."""
        raise TypeError("field elements have no len(): `array.shape[0]` is the length")

    if TYPE_CHECKING:  # a type checker then refuses what the methods below refuse
        __array_ufunc__ = None
    else:

        def __array_ufunc__(
            self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any
        ) -> Any:
            """Leave an operator between numpy's array and field elements to the field elements, and
            refuse other functions.
            """
            own = getattr(self, _REFLECTED.get(ufunc.__name__, ""), None)
            is_operator = method == "__call__" and not options and len(inputs) == 2
            if own is not None and is_operator and not isinstance(inputs[0], NotNumbers):
                return own(inputs[0])
            return self.__array_function__(ufunc)  # which raises

        def __array__(self, *_: object, **__: object) -> NoReturn:
            """Raise `TypeError`; its message says how to get numbers."""
            raise self._no_number("turns field elements into an array of numbers")

        def __int__(self) -> int:
            """Raise `TypeError`; its message says how to get a number."""
            raise self._no_number("turns field elements into a number")

        __float__ = __index__ = __int__

        def __getattr__(self, name: str) -> NoReturn:
            raise AttributeError(
                f"field elements have no attribute {name!r}: {_METHODS}", name=name, obj=self
            )

    def _no_number(self, deed: str) -> TypeError:
        raise NotImplementedError


class Residues(NotNumbers):
    """An immutable array of numbers mod q."""

    __slots__ = ("_room", "_values", "field", "meter")

    def __init__(
        self, field: Field, values: Numbers, meter: Meter | None = None, room: Numbers | None = None
    ) -> None:
        """Wrap `values` and make them read-only. The values must be below q and have the field's
        dtype.

        `room` is an array with one more row, whose first rows are `values`: the first `append`
        writes its row there, instead of copying the array.
        """
        values.flags.writeable = False
        self.field = field
        self._values = values
        self.meter = meter
        self._room = room

    @property
    def wire(self) -> WireType:
        """The wire type of one element."""
        return self.field.wire

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as in numpy."""
        return self._values.shape

    def metered(self, meter: Meter | None) -> "Residues":
        """See `FieldArray.metered`."""
        # This runs for every message, so we avoid the cost of calling `__init__`.
        twin = Residues.__new__(Residues)
        twin.field, twin._values, twin.meter, twin._room = self.field, self._values, meter, None
        return twin

    def numbers(self, signed: bool = False) -> Numbers:
        """Return the residues as numbers in `0..q-1` or, with `signed`, as those nearest to zero.

        Raises `SealBroken` during a run if a party holds the array: a script must use a door.
        """
        if signed or (self.meter is not None and self.meter.in_script):
            return self.as_integers(signed).plain
        return self._values

    def open(self, signed: bool = False) -> Sealed:
        """See `FieldArray.open`."""
        return Sealed(Opened(self, signed))

    def as_integers(self, signed: bool = False) -> Metered:
        """Return the elements as int64 numbers, whose arithmetic is billed to the array's holder.

        Raises `SealBroken` during a run if a party holds the array.
        """
        if self.meter is not None and self.meter.in_script:
            raise SealBroken(READS_NUMBERS)
        values = self._values.astype(np.int64)
        if signed:
            values[values > self.field.modulus // 2] -= self.field.modulus
        return Metered.of(values, self.meter)

    def is_same_as(self, other: Any) -> bool:
        """Return whether the other array has the same field, shape and numbers.

        While scripts run, raises `SealBroken` if a party holds one of the arrays, or if the other
        array consists of linear forms.
        """
        for array in (self, other):
            if isinstance(array, Residues) and array.meter is not None and array.meter.in_script:
                raise SealBroken(COMPARES)
        if hasattr(other, "is_same_as") and not isinstance(other, Residues):
            return bool(other.is_same_as(self))
        return self._is_same(other)

    def _is_same(self, other: Any) -> bool:
        return (
            isinstance(other, Residues)
            and self.field == other.field
            and np.array_equal(self._values, other._values)
        )

    def __add__(self, other: FieldArray) -> "Residues":
        if not isinstance(other, Residues):
            refuse_numbers(other)
            return NotImplemented
        self._same_field(other)
        return self._billed("FA", self._reduced(np.add(self._values, other._values)), other)

    def __sub__(self, other: FieldArray) -> "Residues":
        if not isinstance(other, Residues):
            refuse_numbers(other)
            return NotImplemented
        self._same_field(other)
        difference = np.add(self._values, np.subtract(self._modulus, other._values))
        return self._billed("FA", self._reduced(difference), other)

    def __radd__(self, zero: object) -> "Residues":
        if is_start_of_sum(zero):
            return self
        raise TypeError(no_field_elements(zero))

    def __rsub__(self, other: object) -> NoReturn:
        raise TypeError(no_field_elements(other))

    def __neg__(self) -> "Residues":
        return self._billed("FA", self._reduced(np.subtract(self._modulus, self._values)), self)

    def __mul__(self, factor: int | FieldArray) -> "Residues":
        if isinstance(factor, int | np.integer):
            return self._times(
                np.asarray(int(factor) % self.field.modulus, dtype=self.field.dtype), self
            )
        if not isinstance(factor, Residues):
            refuse_numbers(factor)
            return NotImplemented
        self._same_field(factor)
        return self._times(factor._values, factor)

    __rmul__ = __mul__

    def __matmul__(self, other: "FieldArray | Ints") -> "Residues":
        factor = public_matrix(other, self.field)
        refuse_numbers(factor)
        return self._matrix_product(factor) if isinstance(factor, Residues) else NotImplemented

    def __rmatmul__(self, other: Ints) -> "Residues":
        factor = public_matrix(other, self.field)
        refuse_numbers(factor)
        return factor._matrix_product(self) if isinstance(factor, Residues) else NotImplemented

    def _matrix_product(self, other: "Residues") -> "Residues":
        """Return the product of two matrices or vectors, as numpy defines it.

        An element that adds up m >= 1 products is billed as m multiplications and m - 1 additions.
        Raises `ValueError` if the shapes do not fit.
        """
        self._same_field(other)
        axes = len(self.shape), len(other.shape)
        if not {1, 2}.issuperset(axes) or self.shape[-1] != other.shape[0]:
            raise ValueError(
                f"cannot multiply shapes {self.shape} and {other.shape}: expected vectors or "
                "matrices, with the last axis on the left as long as the first axis on the right"
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
        """See `FieldArray.inverse`. Raises `ValueError` if an element is 0."""
        modulus = self.field.modulus
        if not self._values.all():
            raise ValueError(f"0 has no inverse in F_{modulus}")
        inverses = [pow(number, -1, modulus) for number in self._values.reshape(-1).tolist()]
        if self.meter is not None:
            self.meter.bill("FM", len(inverses))
        values = np.array(inverses, dtype=self.field.dtype).reshape(self.shape)
        return Residues(self.field, values, self.meter)

    def reshape(self, *shape: int) -> "Residues":
        """See `FieldArray.reshape`."""
        return Residues(self.field, self._values.reshape(*shape), self.meter)

    def __getitem__(self, where: Any) -> "Residues":
        return Residues(self.field, np.asarray(self._values[where]), self.meter)

    def __eq__(self, other: object) -> bool:
        if self.meter is not None and self.meter.in_script:
            raise SealBroken(COMPARES)
        if not isinstance(other, Residues):
            return NotImplemented
        return self.field == other.field and np.array_equal(self._values, other._values)

    def __bool__(self) -> bool:
        if self.meter is not None and self.meter.in_script:
            raise SealBroken(BRANCHES)
        return True

    __hash__ = None  # type: ignore[assignment]  # compared by value, so not usable as a key

    def _no_number(self, deed: str) -> TypeError:
        if self.meter is not None and self.meter.in_script:
            return SealBroken(f"{deed}: {ONLY_DOORS}")
        return TypeError(f"this {deed}: `array.numbers()` gives the numbers outside a script")

    def __repr__(self) -> str:
        if self.meter is not None and self.meter.in_script:
            return f"Residues(F_{self.field.modulus}, shape {self.shape})"
        return f"Residues(F_{self.field.modulus}, {self._values.tolist()})"

    @staticmethod
    def stack(rows: Sequence[Any]) -> Any:
        """See `FieldArray.stack`."""
        if other := _other_kind(rows):
            return other.stack(rows)
        _refuse_mixed(rows)
        return Residues(rows[0].field, np.stack([row._values for row in rows]), holder_of(rows))

    @staticmethod
    def join(parts: Sequence[Any]) -> Any:
        """See `FieldArray.join`."""
        if other := _other_kind(parts):
            return other.join(parts)
        _refuse_mixed(parts)
        return Residues(
            parts[0].field, np.concatenate([part._values for part in parts]), holder_of(parts)
        )

    def sum(self) -> "Residues":
        """Return the sum over the first axis. The sum of zero rows is zero."""
        rows = self.shape[0]
        if self._is_one_zero:
            total = np.zeros(self.shape[1:], dtype=self.field.dtype)
        else:
            total = column_sums(self._values, self.field)
        if self.meter is not None:
            self.meter.bill("FA", max(rows - 1, 0) * total.size)
        return Residues(self.field, total, self.meter)

    def append(self, row: FieldArray) -> Any:
        """See `FieldArray.append`. Raises `ValueError` for a row of another shape."""
        if not isinstance(row, Residues):
            if not hasattr(row, "field"):
                raise TypeError(f"a row of field elements is expected, got {type(row).__name__}")
            return type(row).join([self, row[np.newaxis]])
        self._same_field(row)
        if row.shape != self.shape[1:]:
            raise ValueError(f"rows have shape {self.shape[1:]}, got one of shape {row.shape}")
        room, self._room = self._room, None
        if room is None and self._is_one_zero:
            room = np.zeros((self.shape[0] + 1, *row.shape), dtype=self.field.dtype)
        elif room is None:
            room = np.concatenate([self._values, row._values[np.newaxis]])
        room[-1] = row._values
        return Residues(self.field, room, self.meter or row.meter)

    def close(self, totals: FieldArray, sizes: Sequence[int]) -> Any:
        """See `FieldArray.close`.

        Raises `ValueError` unless the sizes add up to the number of elements, with one total for
        each size.
        """
        # The totals have another class, so convert this array to that class.
        if not isinstance(totals, Residues):
            return type(totals).join([self, totals])[: self.shape[0]].close(totals, sizes)
        lengths = np.asarray(sizes, dtype=np.intp)
        if lengths.sum() != self.shape[0] or totals.shape != lengths.shape:
            raise ValueError(
                f"elements of shape {self.shape} and totals of shape {totals.shape} do not fit "
                f"groups of sizes {list(sizes)}"
            )
        self._same_field(totals)
        holder = holder_of([self, totals])
        if holder is not None:
            # A group of m elements takes m - 1 additions for its sum, and 1 for the subtraction.
            holder.bill("FA", int(lengths.sum()))
        if self._is_one_zero:
            values = np.zeros(self.shape[0] + len(lengths), dtype=self.field.dtype)
            values[lengths.cumsum() + np.arange(len(lengths))] = totals._values
            return Residues(self.field, values, holder)
        runs = Residues(self.field, _run_sums(self._values, lengths, self.field))
        rests = (totals.metered(None) - runs)._values
        pieces, start = [], 0
        for place, length in enumerate(lengths.tolist()):
            pieces += [self._values[start : start + length], rests[place : place + 1]]
            start += length
        return Residues(self.field, np.concatenate(pieces) if pieces else self._values, holder)

    def combine(self, weights: Ints) -> "Residues":
        """See `FieldArray.combine`."""
        rows = self.shape[0]
        modulus = self.field.modulus
        flat = self._values.reshape(rows, math.prod(self.shape[1:]))
        combined = products(np.asarray(weights) % modulus, flat, modulus)
        values = combined.astype(self.field.dtype).reshape(len(weights), *self.shape[1:])
        if self.meter is not None:
            self.meter.bill("FM", values.size * rows)
            self.meter.bill("FA", values.size * max(rows - 1, 0))
        return Residues(self.field, values, self.meter)

    @property
    def _is_one_zero(self) -> bool:
        """Whether memory holds a single 0 for several elements, as in a reading without numbers."""
        values = self._values
        return values.size > 1 and not any(values.strides) and not values[(0,) * values.ndim]

    @property
    def _modulus(self) -> np.generic:
        modulus: np.generic = self.field.dtype.type(self.field.modulus)
        return modulus

    def _reduced(self, below_twice: Numbers) -> Numbers:
        # In unsigned arithmetic, x - q wraps around to a huge number if x < q. So the smaller one
        # of x and x - q is x mod q.
        return np.asarray(np.minimum(below_twice, np.subtract(below_twice, self._modulus)))

    def _same_field(self, other: Self) -> None:
        mine, others = self.meter, other.meter
        if mine is not others and mine is not None and others is not None and mine.in_script:
            raise TypeError(
                "mixes field elements of two parties: before a party uses elements that another "
                "party holds, it must receive them in a message"
            )
        if self.field is not other.field and self.field != other.field:
            raise TypeError(
                f"cannot combine elements of F_{self.field.modulus} with elements of "
                f"F_{other.field.modulus}: expected one field"
            )

    def _times(self, factor: Numbers, other: "Residues") -> "Residues":
        # We use 64 bits if no product can wrap around, else Python's integers.
        wide: Any = np.uint64 if self.field.modulus <= 1 << 32 else object
        product = np.asarray(self._values.astype(wide) * factor.astype(wide) % self.field.modulus)
        return self._billed("FM", product.astype(self.field.dtype), other)

    def _billed(self, operation: Operation, values: Numbers, other: "Residues") -> "Residues":
        meter = self.meter if self.meter is not None else other.meter
        if meter is not None:
            meter.bill(operation, values.size)
        return Residues(self.field, values, meter)


def products(weights: Numbers, values: Numbers, modulus: int) -> Numbers:
    """Return the matrix product of residues, mod q. `weights` have shape (m, rows), and `values`
    have shape (rows, count).
    """
    # We use 64 bits if no sum of products can wrap around. For residues of up to 32 bits in fewer
    # than 2^15 rows, we split the values into halves of 16 bits, so that the sums of the halves
    # cannot wrap around. Otherwise we use Python's integers.
    rows = len(values)
    if rows * (modulus - 1) ** 2 < 1 << 63:
        return np.asarray(weights.astype(np.int64) @ values.astype(np.int64) % modulus)
    if modulus <= 1 << 32 and rows < 1 << 15:
        wide = weights.astype(np.int64)
        high, low = np.divmod(values.astype(np.int64), 1 << 16)
        return np.asarray(((wide @ high % modulus << 16) + wide @ low) % modulus)
    return np.asarray(weights.astype(object) @ values.astype(object) % modulus)


# The first number of at least q that `constant` has got in this process, and its q. A constant may
# be made before a run, so it belongs to no run.
reduced_constants: list[tuple[int, int]] = []


def first_reduced(field: Field, integers: Numbers) -> int | None:
    """Return the first of the integers that is at least q, if there is one."""
    if not integers.size or integers.max() < field.modulus:
        return None
    return int(integers[integers >= field.modulus].flat[0])


def constant(field: Field, values: npt.ArrayLike, *, reduce: bool = False) -> Residues:
    """Return public integers, of either sign, as elements of the field. The integers are copied and
    reduced mod q. Booleans count as 0 and 1.

    Commands such as `simnet run` print a line about a number of at least q, because it may be a
    mistake; with `reduce` they do not.

    Raises `TypeError` for other values that numpy does not store as integers of at most 64 bits.

    >>> from simnet import Field
    >>> constant(Field(7), [3, 8, -1])
    Residues(F_7, [3, 1, 6])
    """
    integers = np.asarray(values)
    if not integers.size and not isinstance(values, np.ndarray):
        integers = integers.astype(np.int64)  # numpy takes an empty list for reals
    if integers.dtype.kind not in "bui":
        raise TypeError(
            f"field elements are made from integers of at most 64 bits, got {integers.dtype} values"
        )
    if not reduce and not reduced_constants:
        number = first_reduced(field, integers)
        reduced_constants.extend([] if number is None else [(number, field.modulus)])
    wide = integers.astype(np.int64 if integers.dtype.kind == "i" else np.uint64)
    return Residues(field, np.asarray(wide % wide.dtype.type(field.modulus)).astype(field.dtype))


def public_matrix(factor: Any, field: Field) -> Any:
    """Return a numpy array of integers as elements of the field, and any other value unchanged."""
    return constant(field, factor, reduce=True) if isinstance(factor, np.ndarray) else factor


def holder_of(arrays: Sequence[Any]) -> Meter | None:
    """Return the meter of the first array that some party holds; None if no party holds any."""
    return next((array.meter for array in arrays if array.meter is not None), None)


def residues_of(array: Residues) -> Numbers:
    """Return the residues, read-only. Scripts must not call this function."""
    return array._values


def _refuse_mixed(arrays: Sequence[Any]) -> None:
    # An array without a holder may be combined with any other array. So we compare all arrays with
    # the first one that has a holder.
    first = next((array for array in arrays if array.meter is not None), arrays[0])
    for array in arrays:
        first._same_field(array)


def refuse_numbers(other: object) -> None:
    """Raise `TypeError` for plain numbers: they must be made into field elements first."""
    if isinstance(other, int | float | complex | np.generic | np.ndarray | list | tuple):
        raise TypeError(no_field_elements(other))


def _other_kind(arrays: Sequence[Any]) -> Any:
    """Return the class of the first array that is not `Residues`, else None. That class can also
    handle residues.
    """
    return next((type(array) for array in arrays if not isinstance(array, Residues)), None)


def column_sums(values: Numbers, field: Field) -> Numbers:
    """Return the sums over the first axis mod q, with shape `values.shape[1:]` and the field's
    dtype.
    """
    rows = values.shape[0]
    narrow = min(field.headroom, _NARROW_FOLD)
    tall = rows // narrow
    largest = (field.modulus - 1) * narrow
    # The remaining rows are fewer than `headroom`, so their sum cannot wrap around.
    rest = np.add.reduce(values[tall * narrow :], axis=0, dtype=np.uint64)
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
    """Return the sum mod q of each group of consecutive elements; the k-th group has `lengths[k]`
    elements.
    """
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
    else:  # for an empty group, `reduceat` would return the next element instead of 0
        sums = np.zeros(lengths.size, dtype=np.uint64)
        sums[lengths > 0] = np.add.reduceat(values, starts[lengths > 0], dtype=np.uint64)
    return np.asarray(sums % np.uint64(field.modulus)).astype(field.dtype)


def _tall_sum(values: Numbers) -> Numbers:
    """Return the sums over the first axis in 64 bits.

    numpy is slow at adding many short rows. So we treat several short rows as one long row, add
    the long rows, and add up the pieces of the result.
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
