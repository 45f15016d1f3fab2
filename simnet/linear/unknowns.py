"""Unknowns: what a form is about. Every uniform field coin, every declared secret, every opaque
number is one.

An unknown's number is that of its stream, times 2**36, and its place in the stream. A stream is
what is drawn or declared at once. Equal draws give equal unknowns, whoever draws them: a run that
is read twice speaks of the same ones.
"""

import itertools
import threading
from collections.abc import Hashable, Iterable, Iterator
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt

from simnet.linear.modular import Ints
from simnet.values.residues import Residues

Kind = Literal["coin", "secret", "opaque"]

PLACES = 1 << 36  # unknowns of one stream at most
KINDS: tuple[Kind, ...] = ("coin", "secret", "opaque")


@attrs.define(eq=False)
class Stream:
    """Unknowns of one kind that were drawn or declared at once, with their sampled values.

    `holders` are the parties that know them; `label` tells a party's streams apart.
    """

    kind: Kind
    label: str
    number: int
    values: npt.NDArray[np.integer]
    holders: set[str] = attrs.field(factory=set)

    @property
    def first(self) -> int:
        """The number of its first unknown."""
        return self.number * PLACES


@attrs.frozen
class Name:
    """An unknown in words: its kind, who holds it, the label of its stream and its place there,
    from 0.
    """

    kind: Kind
    holders: tuple[str, ...]
    label: str
    place: int


class Unknowns:
    """All unknowns of one run, or of several that are judged together."""

    def __init__(self) -> None:
        self.streams: list[Stream] = []
        self._known: dict[Hashable, Stream] = {}
        self._drawn: dict[Hashable, str] = {}
        self._lock = threading.Lock()

    def stream(
        self, kind: Kind, key: Hashable, label: str, holder: str, values: Residues
    ) -> Stream:
        """The stream of that kind and key, made when first asked for, with one more holder."""
        with self._lock:  # deferred blocks may be evaluated in threads
            stream = self._known.get((kind, key))
            if stream is None:
                numbers = values.numbers().reshape(-1)
                stream = self._known[kind, key] = Stream(kind, label, len(self.streams), numbers)
                self.streams.append(stream)
            stream.holders.add(holder)
        return stream

    def agree(self, place: Hashable, digest: str) -> bool:
        """Whether what was drawn up to some place of a source of coins is the same for all that
        draw from it.
        """
        return self._drawn.setdefault(place, digest) == digest

    def kinds(self) -> Ints:
        """For each stream the place of its kind in `KINDS`."""
        return np.array([KINDS.index(stream.kind) for stream in self.streams], dtype=np.int64)

    def held_by(self, parties: Iterable[str]) -> npt.NDArray[np.bool_]:
        """For each stream whether one of these parties holds it."""
        members = frozenset(parties)
        return np.array(
            [not members.isdisjoint(stream.holders) for stream in self.streams], dtype=np.bool_
        )

    def name(self, unknown: int) -> Name:
        """An unknown in words."""
        stream = self.streams[unknown // PLACES]
        return Name(stream.kind, tuple(sorted(stream.holders)), stream.label, unknown % PLACES)

    def values(self, unknown: int, lanes: int = 1) -> Ints:
        """The sampled values of an unknown and of those that follow it, `lanes` in all."""
        return next(table[0] for _, table in self.tables(np.array([unknown]), lanes))

    def tables(self, unknowns: Ints, lanes: int) -> Iterator[tuple[Ints, Ints]]:
        """The sampled values of many, a stream at a time: their places in `unknowns`, and a row for
        each.
        """
        order = np.argsort(unknowns, kind="stable")
        streams, places = unknowns[order] // PLACES, unknowns[order] % PLACES
        for begin, end in itertools.pairwise(
            [*np.flatnonzero(np.diff(streams, prepend=-1)).tolist(), len(order)]
        ):
            wanted = places[begin:end, np.newaxis] + np.arange(lanes)
            yield (
                order[begin:end],
                self.streams[int(streams[begin])].values[wanted].astype(np.int64),
            )
