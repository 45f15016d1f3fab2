"""What a crowd sends: a row for each member or, in place of the rows, what they add up to."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from simnet.arrays import Ints
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.typed import Typed, joined
from simnet.values.wire import Manifest, WireType, manifest_of


@attrs.frozen(eq=False)
class Tally:
    """What `messages` messages add up to for a recipient who only counts, in their place.

    Made by `tally`. `wire` and `shape` are those of each message.
    """

    counts: Ints
    messages: int
    wire: WireType
    shape: tuple[int, ...]
    meter: Meter | None = None

    def metered(self, meter: Meter | None) -> "Tally":
        """The same in the hands of the party that `meter` counts for."""
        return attrs.evolve(self, meter=meter)

    def numbers(self) -> Ints:
        """The counts, read-only."""
        return self.counts


def tally(counts: npt.ArrayLike, messages: int, like: Typed) -> Tally:
    """What so many messages add up to, each of the form of a row of `like`.

    `like` need not have any row. Raises `ValueError` for anything but whole numbers in 0..messages:
    a message counts once or not at all.
    """
    numbers = np.asarray(counts)
    if numbers.dtype.kind not in "iu" or (
        numbers.size and not (numbers.min() >= 0 and numbers.max() <= messages)
    ):
        raise ValueError(
            f"a tally of {messages} messages has whole numbers from 0 to {messages}, got {numbers}"
        )
    whole = numbers.astype(np.int64)
    whole.flags.writeable = False
    return Tally(whole, messages, like.wire, like.shape[1:])


@attrs.frozen(eq=False)
class Rows:
    """Arrays side by side: row k is row k of the only array, or a tuple of those of all arrays."""

    pieces: tuple[Typed, ...]

    @classmethod
    def of(cls, rows: Typed | tuple[Typed, ...]) -> "Rows":
        """An array, or a tuple of arrays.

        Raises `TypeError` for anything else than plain values in rows.
        """
        pieces = rows if isinstance(rows, tuple) else (rows,)
        if not pieces or not all(isinstance(piece, Typed) and piece.shape for piece in pieces):
            kinds = ", ".join(type(piece).__name__ for piece in pieces) or "nothing"
            raise TypeError(
                f"rows are bits(...), index(...) or reals(...) with a row for each message, "
                f"got {kinds}"
            )
        lengths = {piece.shape[0] for piece in pieces}
        if len(lengths) != 1:
            raise TypeError(
                f"arrays that are sent side by side have as many rows each, got {sorted(lengths)}"
            )
        return cls(pieces)

    def __len__(self) -> int:
        return self.pieces[0].shape[0]

    def __getitem__(self, place: int) -> Any:
        rows = tuple(piece[place] for piece in self.pieces)
        return rows if len(rows) > 1 else rows[0]

    @property
    def whole(self) -> Any:
        """The array, or the tuple of arrays."""
        return self.pieces if len(self.pieces) > 1 else self.pieces[0]


def manifest_of_each(block: Rows | Tally) -> Manifest:
    """What one message of a block consists of."""
    if isinstance(block, Tally):
        return manifest_of((block.wire, block.shape))
    return manifest_of(*((piece.wire, piece.shape[1:]) for piece in block.pieces))


def stacked(blocks: Sequence[Any]) -> Any:
    """The rows of several blocks, one after another, as one array or as a tuple of arrays."""
    if isinstance(blocks[0], tuple):
        return tuple(joined(pieces) for pieces in zip(*blocks, strict=True))
    return joined(blocks)


def added_up(tallies: Sequence[Tally]) -> Metered:
    """The sum of several tallies, in the hands of the party that holds the first."""
    return Metered.of(np.sum([part.counts for part in tallies], axis=0), tallies[0].meter)
