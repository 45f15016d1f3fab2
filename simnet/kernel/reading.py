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
from simnet.doors.call import DoorCall, open_door
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

    def input(self, party: str, value: Any) -> Any:
        """What is sealed as a party's input."""
        ...

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """What a door gives: field elements for a secret, else the value that is on record.

        `coins` are discrete, and None for a function that takes none. Raises whatever the door's
        function raises; for an output that is left in `call.error`.
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

    def input(self, party: str, value: Any) -> Any:  # noqa: ARG002  # the interface names the party
        """The input itself."""
        return value

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the door's function with the values behind its arguments."""
        return open_door(call, coins, meter)

    def outgoing(self, party: str, payload: Any) -> Any:  # noqa: ARG002  # the interface names the sender
        """The payload itself."""
        return payload

    def total(self, field: Field, row_shape: tuple[int, ...]) -> ResidueTotal:
        """A total of residues."""
        return ResidueTotal(field, row_shape)
