"""How a script is read: which coins it draws, what its secrets are, how its messages add up.

A protocol is written once and read in several ways. In the *sampled* reading, which is every
ordinary run, coins are seeded and numbers are numbers. In the symbolic reading, of verdicts, field
coins and secrets are unknowns and messages are linear forms. The kernel plays both: whatever
differs between them is asked of a `Reading`.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.kernel.actor import Actor
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.totals import ResidueTotal, Slots


class Total(Protocol):
    """A running sum for every recipient of a summed tag, addressed by slot."""

    def reserve(self, slots: int) -> None:
        """Make room for at least so many rows."""
        ...

    def add(self, pieces: Sequence[Slots], block: Any) -> None:
        """Add a block: its rows go one after another to the rows that the pieces name."""
        ...

    def merge(self, other: Any) -> None:
        """Add another total of the same rows."""
        ...

    def row(self, slot: int) -> FieldArray:
        """The sum at one slot."""
        ...

    def rows(self, slots: Sequence[int]) -> FieldArray:
        """The sums at several slots; shape (slots, ...)."""
        ...


class Reading(Protocol):
    """The things in which readings of a script differ."""

    @property
    def lifts(self) -> bool:
        """Whether something else travels in place of payloads."""
        ...

    def begin(self, actors: Sequence[Actor]) -> None:
        """Get to know the parties of a run that is about to start."""
        ...

    def end(self) -> None:
        """The run is over."""
        ...

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """The coins that a party plays with."""
        ...

    def secret(self, party: str, number: int, value: FieldArray) -> FieldArray:
        """What stands for a declared secret in the rest of its party's script.

        It is the party's `number`-th secret, from 0.
        """
        ...

    def outgoing(self, party: str, payload: Any) -> Any:
        """What travels in place of a payload."""
        ...

    def total(self, field: Field, row_shape: tuple[int, ...]) -> Total:
        """An empty running total."""
        ...


class Sampled:
    """Seeded coins; numbers are numbers."""

    lifts: bool = False

    def begin(self, actors: Sequence[Actor]) -> None:
        """Numbers belong to nobody."""

    def end(self) -> None:
        """Nothing was kept."""

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """Coins of the streams keyed by seed and party."""
        return SampledCoins(seed, party, meter)

    def secret(self, party: str, number: int, value: FieldArray) -> FieldArray:  # noqa: ARG002  # numbers need no name
        """The value itself."""
        return value

    def outgoing(self, party: str, payload: Any) -> Any:  # noqa: ARG002  # the interface names the sender
        """The payload itself."""
        return payload

    def total(self, field: Field, row_shape: tuple[int, ...]) -> ResidueTotal:
        """A total of residues."""
        return ResidueTotal(field, row_shape)
