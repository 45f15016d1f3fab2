"""Messages of a crowd: rows of its members or, in place of the rows, counts."""

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from simnet.arrays import Ints
from simnet.checks import integer
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.typed import Typed, joined
from simnet.values.wire import Manifest, WireType, manifest_of


@attrs.frozen(eq=False)
class Tally:
    """Counts that stand in place of many messages, for a recipient that needs only these counts.

    A count says how many of the messages name one place, such as an item, or have a 1 at this
    place. `messages` is the number of messages, and `wire` and `shape` are the wire type and the
    shape of each message. The function `tally` makes a `Tally`.
    """

    counts: Ints
    messages: int
    wire: WireType
    shape: tuple[int, ...]
    meter: Meter | None = None

    def metered(self, meter: Meter | None) -> "Tally":
        """Return the same counts, held by the party that `meter` counts for."""
        return attrs.evolve(self, meter=meter)

    def numbers(self) -> Ints:
        """Return the counts, read-only."""
        return self.counts


def tally(counts: npt.ArrayLike, messages: int, like: Typed) -> Tally:
    """Return a `Tally`: counts of `messages` messages, each of the wire type and shape of a row of
    `like`.

    `like` may have no rows; only its wire type and the shape of a row are used. Raises `TypeError`
    unless `counts` and `messages` are integers, and `ValueError` for a negative number of messages
    and unless the counts lie in 0..messages: a message adds 0 or 1 to each count.

    >>> from simnet import bits
    >>> counts = tally([40, 60], messages=100, like=bits([[0, 0]]))
    >>> counts.counts.tolist(), counts.messages
    ([40, 60], 100)
    """
    messages = integer("the number of messages", messages)
    if messages < 0:
        raise ValueError(f"a tally is of 0 or more messages, got messages={messages}")
    numbers = np.asarray(counts)
    expected = f"with messages={messages}, a tally needs integers from 0 to {messages}"
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{expected}, got {numbers}")
    if numbers.size and not (numbers.min() >= 0 and numbers.max() <= messages):
        raise ValueError(f"{expected}, got {numbers}")
    whole = numbers.astype(np.int64)
    whole.flags.writeable = False
    return Tally(whole, messages, like.wire, like.shape[1:])


@attrs.frozen(eq=False)
class Rows:
    """Arrays side by side. Row k is row k of the only array, or the tuple of the k-th rows of all
    arrays.
    """

    pieces: tuple[Typed, ...]

    @classmethod
    def of(cls, rows: Typed | tuple[Typed, ...]) -> "Rows":
        """Return an array, or a tuple of arrays, as `Rows`.

        Raises `TypeError` for anything but arrays of plain values, for a single plain value, and
        for arrays with different numbers of rows.
        """
        pieces = rows if isinstance(rows, tuple) else (rows,)
        if not pieces or not all(isinstance(piece, Typed) and piece.shape for piece in pieces):
            kinds = ", ".join(map(_kind_of, pieces)) or "nothing"
            raise TypeError(
                f"send_rows takes bits(...), index(...) or reals(...) with a row for each message, "
                f"got {kinds}"
            )
        lengths = {piece.shape[0] for piece in pieces}
        if len(lengths) != 1:
            raise TypeError(
                f"arrays in one tuple need equal numbers of rows, got {sorted(lengths)}"
            )
        return cls(pieces)

    def __len__(self) -> int:
        return self.pieces[0].shape[0]

    def __getitem__(self, place: int) -> Any:
        rows = tuple(piece[place] for piece in self.pieces)
        return rows if len(rows) > 1 else rows[0]

    @property
    def whole(self) -> Any:
        """The only array, or the tuple of all arrays."""
        return self.pieces if len(self.pieces) > 1 else self.pieces[0]


def _kind_of(piece: object) -> str:
    if isinstance(piece, Typed):
        return "an array with rows" if piece.shape else "a single value"
    return type(piece).__name__


def manifest_of_each(block: Rows | Tally) -> Manifest:
    """Return the manifest of one message of a block."""
    if isinstance(block, Tally):
        return manifest_of((block.wire, block.shape))
    return manifest_of(*((piece.wire, piece.shape[1:]) for piece in block.pieces))


def stacked(blocks: Sequence[Any]) -> Any:
    """Return the rows of several blocks, one after another, as one array or as a tuple of
    arrays.
    """
    if isinstance(blocks[0], tuple):
        return tuple(joined(pieces) for pieces in zip(*blocks, strict=True))
    return joined(blocks)


def added_up(tallies: Sequence[Tally]) -> Metered:
    """Return the sum of several tallies, held by the party that holds the first tally."""
    return Metered.of(np.sum([part.counts for part in tallies], axis=0), tallies[0].meter)
