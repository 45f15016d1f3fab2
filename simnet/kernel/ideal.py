"""The ideal world: what a protocol's functionality hands to whom, computed beside the real run."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from simnet.coins.coins import Coins
from simnet.contract import Ideal, Protocol
from simnet.doors.call import DoorKind, door_call
from simnet.errors import SimnetError
from simnet.kernel.reading import Reading, Sampled
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.sealed import Input, Sealed


class IdealHolder:
    """A party that hands its values to a trusted one: its coins and what its doors give are those
    of the run.
    """

    def __init__(self, party: str, seed: int, reading: Reading) -> None:
        self.name = party
        self._reading = reading
        self._meter = Meter()
        self._coins: Coins = reading.coins(seed, party, self._meter)
        self._doors_opened: Counter[str] = Counter()

    def secret(
        self,
        function: Callable[..., Any],
        *arguments: object,
        field: Field,
        shape: tuple[int, ...] | int,
    ) -> FieldArray:
        """What stands for the party's next secret."""
        elements: FieldArray = self._through("secret", function, arguments, field, shape)
        return elements

    def disclose(self, function: Callable[..., Any], *arguments: object) -> Any:
        """What the party discloses next."""
        return self._through("disclose", function, arguments)

    def _through(
        self,
        kind: DoorKind,
        function: Callable[..., Any],
        arguments: Sequence[object],
        field: Field | None = None,
        shape: tuple[int, ...] | int = (),
    ) -> Any:
        number = self._doors_opened[kind]
        self._doors_opened[kind] = number + 1
        call = door_call(kind, self.name, number, function, arguments, None, field, shape)
        coins = self._coins.for_doors if call.takes_coins else None
        return self._reading.door(call, coins, self._meter)


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
    played_by = reading or Sampled()
    sealed = [Sealed(Input(name, played_by.input(name, value))) for name, value in inputs.items()]
    handed: Any = protocol.functionality(sealed, holders(inputs, seed, played_by))
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
