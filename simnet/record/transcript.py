"""The transcript: every message of the observed parties, in an order of its own.

The rest is in the ledger.
"""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.errors import BadInput
from simnet.record.message import Block, Message
from simnet.record.view import View


class Recorder:
    """Collects messages while a run goes on; threads may add to it."""

    def __init__(self, observed: frozenset[int], parties: int) -> None:
        self.observed = observed
        self.mask = np.zeros(parties, dtype=np.bool_)
        self.mask[list(observed)] = True
        self._blocks: list[Block] = []

    def add(self, message: Message) -> None:
        """Keep a message."""
        self._blocks.append(Block.of(message))

    def add_block(self, block: Block) -> None:
        """Keep messages that were sent at once."""
        self._blocks.append(block)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What was kept so far, in whatever order."""
        return tuple(self._blocks)

    def transcript(
        self, seed: int, names: Sequence[str], inputs: Mapping[str, Any]
    ) -> "Transcript":
        """The transcript of the run."""
        return Transcript(seed, tuple(names), inputs, self.observed, self.blocks)


@attrs.frozen(eq=False)
class Transcript:
    """What was observed of one run; `observed` and the parties of a message are places in `names`.

    `blocks` are the messages as they were sent, in whatever order; `messages` are all of them,
    ordered.
    """

    seed: int
    names: tuple[str, ...]
    inputs: Mapping[str, Any]
    observed: frozenset[int]
    blocks: tuple[Block, ...]

    @functools.cached_property
    def messages(self) -> tuple[Message, ...]:
        """Every message by round, sender, recipient, tag and key.

        Those alike in all of these as they were sent.
        """
        return tuple(
            sorted((m for block in self.blocks for m in block.messages()), key=lambda m: m.place)
        )

    def view(self, coalition: Iterable[str]) -> View:
        """What the named parties know together.

        Raises `BadInput` unless all of them were observed.
        """
        parties = sorted(self._number(name) for name in coalition)
        if not parties:
            raise BadInput("a coalition names at least one party")
        members = frozenset(parties)
        unseen = [self.names[number] for number in parties if number not in self.observed]
        if unseen:
            raise BadInput(f"{unseen[0]} was not observed in this run: name it in `observe`")
        return View(
            tuple(self.names[number] for number in parties),
            {
                name: value
                for name, value in self.inputs.items()
                if name in {self.names[number] for number in parties}
            },
            tuple(m for m in self.messages if m.recipient in members and m.sender not in members),
            tuple(m for m in self.messages if m.sender in members),
        )

    def _number(self, name: str) -> int:
        if name not in self.names:
            raise BadInput(
                f"coalition names {name!r}, which is no party of this run: "
                f"{self.names[0]}..{self.names[-1]}"
            )
        return self.names.index(name)
