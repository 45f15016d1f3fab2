"""Prime fields `F_q`, and the interface of arrays over these fields.

Scripts use the interface `FieldArray`. In a numeric run the arrays hold numbers
(`residues.Residues`); another reading of the same script may use linear forms instead.
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import attrs
import numpy as np

from simnet.arrays import Ints, Numbers
from simnet.checks import integer
from simnet.values.meter import Meter
from simnet.values.wire import WireType

if TYPE_CHECKING:
    from simnet.values.sealed import Sealed

_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
HELD_BY_ANOTHER = (
    "values that another party holds: a script may use them only after it receives them in a "
    "message"
)

LARGEST_MODULUS = (1 << 62) - 1  # so that a sum of two residues stays far below 2**64


def _whole(modulus: int) -> int:
    return integer("the modulus of a field", modulus)  # an integer of numpy could overflow


@attrs.frozen(cache_hash=True)
class Field:
    """The prime field with `modulus` elements.

    Raises `TypeError` for a modulus that is not a whole number, and `ValueError` unless it is a
    prime below 2**62.

    >>> Field(101).modulus, Field.above(100).modulus
    (101, 101)
    >>> Field(6)
    Traceback (most recent call last):
        ...
    ValueError: a field needs a prime modulus between 2 and 2**62, got 6
    """

    modulus: int = attrs.field(converter=_whole)

    def __attrs_post_init__(self) -> None:
        if not 2 <= self.modulus <= LARGEST_MODULUS or not _is_prime(self.modulus):
            raise ValueError(
                f"a field needs a prime modulus between 2 and 2**62, got {self.modulus}"
            )

    @classmethod
    def above(cls, bound: int) -> "Field":
        """Return the field of the smallest prime above `bound`. A count of at most `bound` does not
        wrap around in it.

        Raises `TypeError` for a bound that is not a whole number, and `ValueError` if this prime is
        not below 2**62.
        """
        return _smallest_above(integer("the bound of a field", bound))

    @functools.cached_property
    def wire(self) -> WireType:
        """The wire type of one element."""
        return WireType("qd", self.modulus)

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """The narrowest unsigned numpy type that holds the sum of two residues."""
        return np.dtype(np.min_scalar_type(2 * (self.modulus - 1)))

    @functools.cached_property
    def headroom(self) -> int:
        """A number of residues that can be added in `dtype` without wrapping around. If `dtype`
        has 64 bits, the number is smaller than it could be: the sum of this number of residues is
        at most 2**62.
        """
        return min(int(np.iinfo(self.dtype).max), 1 << 62) // (self.modulus - 1)


@functools.lru_cache(maxsize=256)
def _smallest_above(bound: int) -> Field:
    candidate = max(bound + 1, 2)
    while candidate <= LARGEST_MODULUS and not _is_prime(candidate):
        candidate += 1
    return Field(candidate)


@functools.lru_cache(maxsize=4096)
def _is_prime(number: int) -> bool:
    """Return whether a number below 2**64 is prime: Miller and Rabin's test.

    The bases find every composite number below 2**64. Let n - 1 = odd * 2**twos. For a prime n and
    a base that n does not divide, base**odd is 1 mod n, or squaring it up to `twos` - 1 times gives
    n - 1 mod n.
    """
    if number in _BASES:
        return True
    if number < 2 or any(number % base == 0 for base in _BASES):
        return False
    twos = (number - 1 & 1 - number).bit_length() - 1
    for base in _BASES:
        power = pow(base, number - 1 >> twos, number)
        if power == 1:
            continue
        for _ in range(twos - 1):
            if power == number - 1:
                break
            power = power * power % number
        if power != number - 1:
            return False
    return True


def no_field_elements(other: object) -> str:
    """Return the text of the error that combining `other` with field elements raises."""
    name = type(other).__name__
    return (
        f"field elements and a value of type {name} cannot be combined: make "
        "field elements of numbers with simnet.constant(field, numbers)"
    )


def is_start_of_sum(value: object) -> bool:
    """Return whether this is the number 0, with which Python's `sum` begins."""
    return type(value) is int and value == 0


class FieldArray(Protocol):
    """An immutable array over `F_q`. Arithmetic is billed to the party that holds the array.

    Arrays have the operators `+`, `-`, `*` and `@`, indexing and the methods below; shapes and
    indices work as in numpy. A script can compute with an array, but cannot read the numbers of an
    array that a party holds: it passes the array to a door.

    >>> from simnet import Field, constant
    >>> a = constant(Field(7), [[1, 2], [3, 4]])
    >>> a.sum() + a[0] * 3
    Residues(F_7, [0, 5])
    >>> a.shape, a.reshape(4).shape
    ((2, 2), (4,))
    """

    @property
    def field(self) -> Field:
        """The field of the elements."""
        ...

    @property
    def wire(self) -> WireType:
        """The wire type of one element."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as in numpy."""
        ...

    @property
    def meter(self) -> Meter | None:
        """The meter of the party that holds the array, or None if no party holds it."""
        ...

    def __add__(self, other: "FieldArray", /) -> "FieldArray": ...

    def __radd__(self, zero: int, /) -> "FieldArray":
        """Return this array, so that Python's `sum`, which begins with 0, adds up arrays. Raises
        `TypeError` for any other number.
        """
        ...

    def __sub__(self, other: "FieldArray", /) -> "FieldArray": ...

    def __mul__(self, factor: "int | FieldArray", /) -> "FieldArray": ...

    def __matmul__(self, other: "FieldArray | Ints", /) -> "FieldArray":
        """Return the product of matrices or vectors, as in numpy. A factor that is a numpy array
        holds public integers.

        Both factors have one or two axes.
        """
        ...

    def __rmatmul__(self, other: Ints, /) -> "FieldArray": ...

    def __getitem__(self, where: Any, /) -> "FieldArray": ...

    def inverse(self) -> "FieldArray":
        """Return the inverse of each element; each is billed as one multiplication.

        Raises `ValueError` for 0, which has no inverse. Verdicts have no rule for the inverse of an
        element that is not public.
        """
        ...

    def reshape(self, *shape: int) -> "FieldArray":
        """Return the same elements in the same order, in another shape. A size of -1 stands for the
        remaining size.
        """
        ...

    @staticmethod
    def stack(rows: Sequence[Any]) -> "FieldArray":
        """Return arrays of one field and shape as the rows of one array.

        The party that holds the arrays also holds the result.
        """
        ...

    @staticmethod
    def join(parts: Sequence[Any]) -> "FieldArray":
        """Return arrays of one field, one after another along the first axis, as one array.

        The party that holds the arrays also holds the result.
        """
        ...

    def sum(self) -> "FieldArray":
        """Return the sum over the first axis."""
        ...

    def append(self, row: "FieldArray") -> "FieldArray":
        """Return this array with one more row at the end of its first axis."""
        ...

    def close(self, totals: "FieldArray", sizes: Sequence[int]) -> "FieldArray":
        """Return an array that has one more element after each group of `sizes[k]` elements of this
        array.

        The added element makes these `sizes[k] + 1` elements add up to `totals[k]`. This array has
        one axis. For example, additive shares of a secret are random elements and one added
        element: together they add up to the secret.
        """
        ...

    def combine(self, weights: Ints) -> "FieldArray":
        """Return linear combinations of the rows, with public weights.

        Weights of shape (m, rows) give a result of shape (m, ...).
        """
        ...

    def open(self, signed: bool = False) -> "Sealed":
        """Return the numbers behind the elements, sealed: `0..q-1` or, with `signed`, the numbers
        nearest to zero.
        """
        ...

    def metered(self, meter: Meter | None) -> Self:
        """Return the same elements, held by the party that `meter` counts for."""
        ...

    def is_same_as(self, other: Any) -> bool:
        """Return whether both arrays are the same function of coins and secrets. For numbers:
        whether they are equal. Scripts must not call this method.
        """
        ...

    def numbers(self, signed: bool = False) -> Numbers:
        """Return the numbers of the numeric run. For instruments only: a script gets an error for
        an array that its party holds.
        """
        ...
