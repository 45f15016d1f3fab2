"""Streams of raw random words: one stream for every seed, party and purpose.

Theory of operation. Each stream has a generator of its own, numpy's SFC64. We use only the raw
output of the generator: numpy keeps this output the same in all versions, but may change the
methods of its `Generator` class. The generator starts from a BLAKE2b digest of the stream's key. So
the words of a party depend on the seed, the purpose and the party's name, and not on the other
parties of the run. The words are good enough for simulations, and must not protect real secrets.

The key is the text `seed/purpose/party`. Examples::

    7/discrete/u3           the discrete coins of u3 in a run with seed 7
    7/field/u3              the field elements that u3 draws
    7/block 2 field/u3      the field elements of the second deferred block of u3
    7/schedule/             the order of a shuffled schedule
    7/discrete/population   the made-up users, or which rows of a data set take part

Different streams have different keys, because a seed and a purpose do not contain a slash. The name
of a party may contain a slash, since it is the last part of the key. The names in `OUTSIDE_RUNS`
belong to draws outside a run, so no party may have such a name.
"""

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

Words = npt.NDArray[np.uint64]


OUTSIDE_RUNS = frozenset({"order", "population"})


class _Digest(ISeedSequence):
    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
        length = n_words * np.dtype(dtype).itemsize
        return np.frombuffer(hashlib.blake2b(self._key, digest_size=length).digest(), dtype=dtype)


class Stream:
    """The stream of words for one seed, party and purpose. Raises `ValueError` for a purpose that
    contains a slash.
    """

    __slots__ = ("_behind", "_bits", "_key", "position")

    def __init__(self, seed: int, party: str, purpose: str) -> None:
        if "/" in purpose:
            raise ValueError(f"the purpose of a stream must not contain a slash, got {purpose!r}")
        self._key = f"{seed}/{purpose}/{party}"
        self.position = 0  # how many words have been handed out
        # The generator is made at the first draw, because most parties of a large run never draw.
        self._bits: np.random.SFC64 | None = None
        self._behind = 0  # how many words the generator has still to leave out

    def word(self) -> int:
        """Return the next word, 64 random bits, as an integer."""
        self.position += 1
        return int(self._source().random_raw())

    def words(self, count: int) -> Words:
        """Return the next `count` words. The caller may write to the array."""
        self.position += count
        return np.asarray(self._source().random_raw(count), dtype=np.uint64)

    def skip(self, count: int) -> None:
        """Leave out the next `count` words, as if they had been drawn."""
        self.position += count
        self._behind += count

    def lanes(self, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """Return `count` unsigned integers of `dtype`, cut from the next words, low bits first. The
        caller may write to the array.
        """
        per_word = 8 // dtype.itemsize
        words = self.words(-(-count // per_word))
        return words.astype("<u8", copy=False).view(dtype.newbyteorder("<"))[:count]

    def _source(self) -> np.random.SFC64:
        if self._bits is None:
            self._bits = np.random.SFC64(_Digest(self._key))  # type: ignore[arg-type]  # numpy accepts any ISeedSequence
        if self._behind:
            self._bits.random_raw(self._behind, output=False)
            self._behind = 0
        return self._bits
