"""The ideal world: what a protocol's functionality hands to whom, computed beside the real run."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simnet.coins.coins import Coins
from simnet.contract import Ideal, Protocol
from simnet.errors import SimnetError
from simnet.kernel.reading import Reading, Sampled
from simnet.values.field import FieldArray
from simnet.values.meter import Meter


class IdealHolder:
    """A party that hands its value to a trusted one: its coins and its declared secrets are those
    of the run.
    """

    def __init__(self, party: str, seed: int, reading: Reading) -> None:
        self.name = party
        self._reading = reading
        self._secrets = 0
        self.coins: Coins = reading.coins(seed, party, Meter())

    def secret(self, value: FieldArray) -> FieldArray:
        """What stands for the party's next declared secret."""
        self._secrets += 1
        return self._reading.secret(self.name, self._secrets - 1, value)


def holders(
    parties: Iterable[str], seed: int, reading: Reading | None = None
) -> Sequence[IdealHolder]:
    """The named parties as the ideal world sees them, with the coins of the run of this seed."""
    return [IdealHolder(party, seed, reading or Sampled()) for party in parties]


def ideal_world(
    protocol: Protocol, inputs: Mapping[str, Any], seed: int, reading: Reading | None = None
) -> Mapping[str, FieldArray]:
    """What the functionality hands to each party, given every input by name; empty for a protocol
    without one.
    """
    if not isinstance(protocol, Ideal):
        return {}
    handed: Any = protocol.functionality(list(inputs.values()), holders(inputs, seed, reading))
    if not isinstance(handed, Mapping) or not set(handed) <= set(protocol.parties()):
        raise SimnetError(
            "a functionality returns what is handed to whom: field arrays by the names of parties"
        )
    for name, arrays in handed.items():
        if not all(
            hasattr(array, "field")
            for array in (arrays if isinstance(arrays, list | tuple) else [arrays])
        ):
            raise SimnetError(f"the functionality hands {name} something else than field arrays")
    return handed
