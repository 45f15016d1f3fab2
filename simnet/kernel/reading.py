"""How a script is read: which coins it draws, what its secrets are, how its messages add up.

A protocol is written once and read in several ways. In the *numeric* reading, which is an ordinary
run, coins are seeded and values are numbers. In the *symbolic* reading, which verdicts use, field
coins and secrets are unknowns, and field elements are linear forms. Where readings differ, the
kernel asks a `Reading`.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from simnet.arrays import Indices
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.coins.seeded import agreed_digest, expanded, expanded_sum, seed_digests
from simnet.doors.call import DoorCall, open_door
from simnet.kernel.actor import Actor
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues
from simnet.values.totals import Label, ResidueTotal, Slots


class Total(Protocol):
    """Running sums of messages under summed tags, in the rows of a table. A *slot* is the row
    number of a sum.
    """

    def reserve(self, slots: int) -> None:
        """Make room for at least `slots` rows."""
        ...

    def name(self, slots: Slots, recipients: Indices, label: Label) -> None:
        """Note the recipients of the sums at some slots. `label` says which messages go into these
        sums: it has their tag, their key, and the number of earlier sums of this tag and key.
        """
        ...

    def add(self, pieces: Sequence[Slots], block: Any) -> None:
        """Add the rows of a block, in order, to sums: the first rows to the sums at the slots of
        the first piece, the next rows to those of the second piece, and so on.
        """
        ...

    def merge(self, other: Any) -> None:
        """Add the sums of another total, slot by slot."""
        ...

    def row(self, slot: int) -> FieldArray:
        """Return the sum at one slot."""
        ...

    def rows(self, slots: Sequence[int]) -> FieldArray:
        """Return the sums at several slots; shape (slots, ...)."""
        ...


class Reading(Protocol):
    """The operations in which the readings of a script differ."""

    @property
    def lifts(self) -> bool:
        """Whether `outgoing` replaces payloads by something else."""
        ...

    @property
    def notes_sums(self) -> bool:
        """Whether the reading itself notes messages under summed tags. The transcript then does not
        have these messages.
        """
        ...

    def begin(self, actors: Sequence[Actor]) -> None:
        """Note the parties of a run that is about to start."""
        ...

    def end(self) -> None:
        """Note that the run is over."""
        ...

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """Return the coins of a party."""
        ...

    def input(self, party: str, value: Any) -> Any:
        """Return the value that is sealed as the party's input."""
        ...

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Return the result of a door: field elements for a secret, else a plain value.

        `coins` are discrete coins, or None for a function without a parameter for coins. Raises the
        error that the door's function raises, except that the error of an output is left in
        `call.error`.
        """
        ...

    def outgoing(self, party: str, payload: Any) -> Any:
        """Return what travels in place of a payload."""
        ...

    def total(self, field: Field, row_shape: tuple[int, ...]) -> Total:
        """Return an empty running total."""
        ...

    def digests(self, kind: str, seeds: FieldArray) -> list[bytes]:
        """Return a digest of each row of `seeds`, of shape (k, w), which a party uses as seeds,
        secret keys or keys of boxes: `kind` is "seed", "secret key" or "key".
        """
        ...

    def agreed(self, one: bytes, other: bytes) -> bytes:
        """Return the digest of the seed that two parties agree on, from their public keys."""
        ...

    def signed(self, signature: bytes, public_keys: Sequence[bytes]) -> None:
        """Note a signature, and the public keys that it signs, if it signs public keys."""
        ...

    def signed_keys(self, signature: bytes) -> Sequence[bytes]:
        """Return the public keys that a signature signs; no keys if this reading need not know
        them.

        Raises `ScriptError` if the reading needs to know them but does not.
        """
        ...

    def found_different(self, keys: Sequence[bytes]) -> None:
        """Note that what a script does from now on may depend on the fact that no two of these keys
        are equal.
        """
        ...

    def stretched(
        self,
        digests: Sequence[bytes],
        field: Field,
        shape: tuple[int, ...],
        label: str,
        weights: Sequence[int] | None,
    ) -> FieldArray:
        """Return the random rows of these seeds, of shape (seeds, *shape); with `weights`, their
        weighted sum, of shape `shape`.
        """
        ...


class Sampled:
    """The numeric reading: coins are seeded, and values are numbers."""

    lifts: bool = False
    notes_sums: bool = False

    def begin(self, actors: Sequence[Actor]) -> None:
        """Do nothing: numbers need no bookkeeping."""

    def end(self) -> None:
        """Do nothing: there is nothing to clean up."""

    def coins(self, seed: int, party: str, meter: Meter) -> Coins:
        """Return the coins of the streams that belong to this seed and party."""
        return SampledCoins(seed, party, meter)

    def input(self, party: str, value: Any) -> Any:  # noqa: ARG002  # the interface names the party
        """Return the input itself."""
        return value

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the door's function with the values behind its arguments."""
        return open_door(call, coins, meter)

    def outgoing(self, party: str, payload: Any) -> Any:  # noqa: ARG002  # the interface names the sender
        """Return the payload itself."""
        return payload

    def total(self, field: Field, row_shape: tuple[int, ...]) -> ResidueTotal:
        """Return an empty total of residues."""
        return ResidueTotal(field, row_shape)

    def digests(self, kind: str, seeds: FieldArray) -> list[bytes]:
        """Return the digests of the numbers."""
        assert isinstance(seeds, Residues)
        return seed_digests(kind, seeds)

    def agreed(self, one: bytes, other: bytes) -> bytes:
        """Return the digest of the seed that two parties agree on, from their public keys."""
        return agreed_digest(one, other)

    def signed(self, signature: bytes, public_keys: Sequence[bytes]) -> None:
        """Do nothing: a signature contains all that a run needs."""

    def signed_keys(self, signature: bytes) -> Sequence[bytes]:  # noqa: ARG002  # as above
        """Return no keys: only a symbolic reading needs to know them."""
        return ()

    def found_different(self, keys: Sequence[bytes]) -> None:
        """Do nothing: numbers need no bookkeeping."""

    def stretched(
        self,
        digests: Sequence[bytes],
        field: Field,
        shape: tuple[int, ...],
        label: str,
        weights: Sequence[int] | None,
    ) -> FieldArray:
        """Return the numbers of the rows or, with `weights`, their weighted sum."""
        if weights is None:
            return expanded(digests, field, shape, label)
        return expanded_sum(digests, weights, field, shape, label)
