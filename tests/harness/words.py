"""Streams that play given words, and a test of how often each outcome of a draw occurs."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import stats

from simnet.coins.streams import Stream, Words

Array = np.ndarray[Any, np.dtype[Any]]

FALSE_ALARM = 1e-6  # the probability that a correct sampler fails a test of `fits`


class WordTape(Stream):
    """A stream that plays the given words, and notes the dtypes of the lanes that were asked
    for.
    """

    __slots__ = ("asked", "left")

    def __init__(self, words: Iterable[int] | Words) -> None:
        super().__init__(0, "", "")
        self.left = np.array(
            words if isinstance(words, np.ndarray) else list(words), dtype=np.uint64
        )
        self.asked: list[np.dtype[Any]] = []

    def word(self) -> int:
        return int(self.words(1)[0])

    def words(self, count: int) -> Words:
        assert count <= self.left.size, "the tape is too short"
        played, self.left = self.left[:count].copy(), self.left[count:]
        return played

    def lanes(self, count: int, dtype: np.dtype[Any]) -> Array:
        self.asked.append(dtype)
        return super().lanes(count, dtype)


def fits(counts: Array, expected: Array) -> bool:
    return bool(stats.chisquare(counts, expected).pvalue > FALSE_ALARM)
