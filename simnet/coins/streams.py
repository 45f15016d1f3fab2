"""Streams of raw random words, one for every (seed, party, purpose).

Only the raw output of numpy's SFC64 is used: numpy keeps that stable across versions, and the
methods of its `Generator` it does not. The state is a BLAKE2b digest of the key, so a party's words
depend on the seed and on its name alone, not on who else takes part. Simulation-grade randomness:
fit for experiments, not for secrets.

The key is the text `seed/purpose/party`::

    7/discrete/u3           the discrete coins of u3 in a run with seed 7
    7/field/u3              its field elements
    7/block 2 field/u3      the field elements of its second deferred block
    7/schedule/             the order of a shuffled schedule
    7/discrete/population   which rows of a data set take part; no party of a run

Two streams have one key only if they have the same seed, purpose and party, because neither a seed
nor a purpose holds a slash; a party may, since its name comes last. What is drawn outside of a run
with the run's seed has names of its own, `OUTSIDE_RUNS`, which no party of a run may have.
"""

import hashlib
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

Words = npt.NDArray[np.uint64]


OUTSIDE_RUNS = frozenset({"order", "population"})


class _Digest(ISeedSequence):
    """The key of a stream in the form in which numpy takes a seed."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> npt.NDArray[Any]:
        """The first `n_words` words of the key's digest."""
        length = n_words * np.dtype(dtype).itemsize
        return np.frombuffer(hashlib.blake2b(self._key, digest_size=length).digest(), dtype=dtype)


class Stream:
    """The words of one (seed, party, purpose), handed out in order."""

    __slots__ = ("_bits", "_key", "position")

    def __init__(self, seed: int, party: str, purpose: str) -> None:
        if "/" in purpose:
            raise ValueError(f"the purpose of a stream holds no slash, got {purpose!r}")
        self._key = f"{seed}/{purpose}/{party}"
        self.position = 0  # how many words have been handed out
        # Made when first used: most parties of a large run never draw
        self._bits: np.random.SFC64 | None = None

    def word(self) -> int:
        """The next 64 bits as an integer."""
        self.position += 1
        return int(self._source().random_raw())

    def words(self, count: int) -> Words:
        """Return the next `count` words. The caller may write to the array."""
        self.position += count
        return np.asarray(self._source().random_raw(count), dtype=np.uint64)

    def skip(self, count: int) -> None:
        """Leave out the next `count` words, which other code has drawn."""
        if count:
            self.position += count
            self._source().random_raw(count, output=False)

    def lanes(self, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """The next words cut into `count` unsigned integers of `dtype`, low bits first;
        writable.
        """
        per_word = 8 // dtype.itemsize
        words = self.words(-(-count // per_word))
        return words.astype("<u8", copy=False).view(dtype.newbyteorder("<"))[:count]

    def _source(self) -> np.random.SFC64:
        if self._bits is None:
            self._bits = np.random.SFC64(_Digest(self._key))  # type: ignore[arg-type]  # numpy accepts any ISeedSequence
        return self._bits
