"""Random functions of seeds: streams of field elements, and digests of keys.

Theory of operation. A script may stretch a short seed to a long row of field elements, as real
protocols do with a pseudo-random generator. Here the row is an ideal random function of the
*query* `(kind, label, the seed, the field, the shape)`: equal queries give equal rows, and
different queries give independent rows. The numbers follow from the query by a hash and a generator
(SFC64). They are good enough for simulations, and must not protect real secrets.

A query is written as bytes without ambiguity: the seed's modulus and length, the label's length and
the shape all take part. So the seed [1, 2] over F_7 and the seed [1, 2] over F_11 are two queries.

>>> from simnet.values.field import Field
>>> from simnet.values.residues import constant
>>> keys = seed_digests("seed", constant(Field(7), [[1, 2], [1, 2], [2, 1]]))
>>> keys[0] == keys[1], keys[0] == keys[2]
(True, False)
>>> expanded(keys, Field(5), (3,), "mask").shape
(3, 3)
"""

import functools
import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

from simnet.coins.exact import uniform_below
from simnet.coins.streams import Stream
from simnet.values.field import Field
from simnet.values.residues import Residues, residues_of

DIGEST_BYTES = 32
SHORT = 64  # rows of at most so many elements are remembered
REMEMBERED = 1 << 18  # so many short rows: some 100 MB


def seed_digests(kind: str, seeds: Residues) -> list[bytes]:
    """Return a digest of each row of an array of shape (k, w): k seeds of w elements each."""
    count, length = seeds.shape
    head = f"simnet {kind} of {length} elements mod {seeds.field.modulus}:".encode()
    rows = np.ascontiguousarray(residues_of(seeds).astype("<u8"))
    return [
        hashlib.blake2b(head + rows[place].tobytes(), digest_size=DIGEST_BYTES).digest()
        for place in range(count)
    ]


def agreed_digest(one: bytes, other: bytes) -> bytes:
    """Return the digest of the seed that two holders of secret keys agree on.

    `one` and `other` are the public keys, in any order.
    """
    first, second = sorted((one, other))
    return hashlib.blake2b(b"simnet agree:" + first + second, digest_size=DIGEST_BYTES).digest()


def stream_key(digest: bytes, field: Field, shape: tuple[int, ...], label: str) -> bytes:
    """Return the key of one query's stream: the seed's digest, the label, the modulus and the
    shape.
    """
    name = label.encode()
    return b"%b %d:%b %d %b" % (digest, len(name), name, field.modulus, repr(shape).encode())


def expanded(
    digests: Sequence[bytes], field: Field, shape: tuple[int, ...], label: str
) -> Residues:
    """Return the rows of several seeds, of shape (seeds, *shape)."""
    count = math.prod(shape)
    rows = np.empty((len(digests), count), dtype=field.dtype)
    for place, digest in enumerate(digests):
        rows[place] = _row(stream_key(digest, field, shape, label), field.modulus, count)
    return Residues(field, rows.reshape(len(digests), *shape))


def expanded_sum(
    digests: Sequence[bytes],
    weights: Sequence[int],
    field: Field,
    shape: tuple[int, ...],
    label: str,
) -> Residues:
    """Return the weighted sum of the rows of several seeds, of shape `shape`."""
    modulus, count = field.modulus, math.prod(shape)
    total, bound = np.zeros(count, dtype=np.uint64), 0
    for digest, weight in zip(digests, weights, strict=True):
        row = _row(stream_key(digest, field, shape, label), modulus, count)
        factor = weight % modulus
        if factor == modulus - 1:
            row = np.subtract(row.dtype.type(modulus), row)
        elif factor != 1:
            wide: Any = np.uint64 if modulus <= 1 << 32 else object  # whether products fit 64 bits
            row = (row.astype(wide) * factor % modulus).astype(np.uint64)
        if bound + modulus >= 1 << 64:
            total, bound = total % np.uint64(modulus), modulus
        total += row
        bound += modulus
    return Residues(field, (total % np.uint64(modulus)).astype(field.dtype).reshape(shape))


def _row(key: bytes, modulus: int, count: int) -> npt.NDArray[Any]:
    """Return the elements of one query. Callers must not write to the array."""
    draw = _drawn_once if count <= SHORT else _drawn
    return draw(key, modulus, count)


def _drawn(key: bytes, modulus: int, count: int) -> npt.NDArray[Any]:
    return uniform_below(_SeededStream(key), modulus, count)


# Two parties agree on most seeds, and a verdict plays a run several times with the same seeds.
_drawn_once = functools.lru_cache(maxsize=REMEMBERED)(_drawn)


class _SeededStream(Stream):
    __slots__ = ("_query",)

    def __init__(self, query: bytes) -> None:
        self._query = query
        self.position = 0
        self._bits = None

    def _source(self) -> np.random.SFC64:
        if self._bits is None:
            self._bits = np.random.SFC64(_QueryDigest(self._query))  # type: ignore[arg-type]  # numpy accepts any ISeedSequence
        return self._bits


class _QueryDigest(ISeedSequence):
    def __init__(self, query: bytes) -> None:
        self._query = query

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
        length = n_words * np.dtype(dtype).itemsize
        return np.frombuffer(hashlib.shake_256(self._query).digest(length), dtype=dtype)
