"""Prime fields `F_q` and the interface of the arrays over them.

Scripts are written against `FieldArray` alone. Numbers (`residues.Residues`) implement it; another
reading of the same script may put linear forms in their place.
"""

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self

import attrs
import numpy as np

from simnet.arrays import Ints, Numbers
from simnet.values.meter import Meter
from simnet.values.wire import WireType

if TYPE_CHECKING:
    from simnet.values.sealed import Sealed

_BASES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
HELD_BY_ANOTHER = (
    "field elements that another party holds: what another party holds comes in a message"
)

LARGEST_MODULUS = (1 << 62) - 1  # so that a sum of two residues stays far below 2**64


@attrs.frozen(cache_hash=True)
class Field:
    """The prime field of `modulus` elements.

    Raises `ValueError` unless the modulus is a prime below 2**62.
    """

    modulus: int

    def __attrs_post_init__(self) -> None:
        if not 2 <= self.modulus <= LARGEST_MODULUS or not _is_prime(self.modulus):
            raise ValueError(
                f"a field needs a prime modulus between 2 and 2**62, got {self.modulus}"
            )

    @classmethod
    def above(cls, bound: int) -> "Field":
        """The field of the smallest prime above `bound`: a count of at most `bound` never wraps."""
        return _smallest_above(bound)

    @functools.cached_property
    def wire(self) -> WireType:
        """How one element travels."""
        return WireType("qd", self.modulus)

    @functools.cached_property
    def dtype(self) -> np.dtype[Any]:
        """The narrowest unsigned numpy type that holds the sum of two residues."""
        return np.dtype(np.min_scalar_type(2 * (self.modulus - 1)))

    @functools.cached_property
    def headroom(self) -> int:
        """How many residues can be added in `dtype` without wrapping.

        Sums in 64 bits are kept below 2**62.
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
    """Miller and Rabin's test, to bases that are known to tell all primes below 2**64.

    A number n - 1 = odd * 2**twos. For a prime n and any base, base**odd is 1, or squaring it up to
    `twos` - 1 times gives n - 1.
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


class FieldArray(Protocol):
    """An array over `F_q`, immutable. Arithmetic is billed to the party that holds it."""

    @property
    def field(self) -> Field:
        """The field of the elements."""
        ...

    @property
    def wire(self) -> WireType:
        """How one element travels."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape as numpy knows it."""
        ...

    @property
    def meter(self) -> Meter | None:
        """The meter of the party that holds the array; None for public numbers."""
        ...

    def __add__(self, other: "FieldArray", /) -> "FieldArray": ...

    def __sub__(self, other: "FieldArray", /) -> "FieldArray": ...

    def __mul__(self, factor: "int | FieldArray", /) -> "FieldArray": ...

    def __matmul__(self, other: "FieldArray | Ints", /) -> "FieldArray":
        """The product of matrices or vectors, as numpy has it; a plain factor is public integers.

        Arrays have one axis or two.
        """
        ...

    def __rmatmul__(self, other: Ints, /) -> "FieldArray": ...

    def __getitem__(self, where: Any, /) -> "FieldArray": ...

    def inverse(self) -> "FieldArray":
        """The inverse of each element; billed as one multiplication each.

        Raises `ValueError` for 0, which has none. A verdict needs elements that are public: it has
        no rule for inverses of unknown ones.
        """
        ...

    def reshape(self, *shape: int) -> "FieldArray":
        """The same elements in the same order, in another shape; -1 stands for what is left."""
        ...

    @staticmethod
    def stack(rows: Sequence[Any]) -> "FieldArray":
        """Arrays of one field and shape as rows of one array.

        It is in the hands of the party that holds the first.
        """
        ...

    @staticmethod
    def join(parts: Sequence[Any]) -> "FieldArray":
        """Arrays of one field, one after another along the first axis.

        The result is in the hands of the party that holds the first.
        """
        ...

    def sum(self) -> "FieldArray":
        """The sum over the first axis."""
        ...

    def append(self, row: "FieldArray") -> "FieldArray":
        """This array with one more row at the end of its first axis."""
        ...

    def close(self, totals: "FieldArray", sizes: Sequence[int]) -> "FieldArray":
        """Add an element after each run of `sizes[k]` elements, so that all add up to `totals[k]`.

        The array has one axis.
        """
        ...

    def combine(self, weights: Ints) -> "FieldArray":
        """Linear combinations of the rows, with public weights.

        Weights of shape (m, rows) give shape (m, ...).
        """
        ...

    def open(self, signed: bool = False) -> "Sealed":
        """The numbers behind the elements: `0..q-1`, or the nearest to zero when `signed`."""
        ...

    def metered(self, meter: Meter | None) -> Self:
        """The same elements in the hands of the party that `meter` counts for."""
        ...

    def is_same_as(self, other: Any) -> bool:
        """Whether both are the same function of coins and secrets; of numbers, whether equal."""
        ...

    def numbers(self, signed: bool = False) -> Numbers:
        """The sampled values, for instruments: a script is refused them."""
        ...
