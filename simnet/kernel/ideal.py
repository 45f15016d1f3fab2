"""The ideal world: what a protocol's functionality gives to each party."""

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from simnet.coins.coins import Coins
from simnet.contract import Ideal, Protocol
from simnet.doors.call import Caller, DoorKind, door_call
from simnet.errors import SimnetError
from simnet.kernel.blame import in_protocol
from simnet.kernel.reading import Reading, Sampled
from simnet.kernel.seating import seated
from simnet.nearest import did_you_mean
from simnet.record.fate import Happened
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.sealed import Input, Sealed


class IdealHolder:
    """A party of the ideal world: it gives its values to a trusted party. A reading gives the party
    its coins, and opens its doors. `vault` calls the functions of doors.
    """

    def __init__(
        self, party: str, seed: int, reading: Reading, vault: Caller | None = None
    ) -> None:
        self.name = party
        self._reading = reading
        self._vault = vault
        self._meter = Meter()
        self._coins: Coins = reading.coins(seed, party, self._meter)
        self._doors_opened: Counter[str] = Counter()

    def secret(
        self,
        function: Callable[..., Any],
        *arguments: object,
        field: Field,
        shape: tuple[int, ...] | int,
        reduce: bool = False,
    ) -> FieldArray:
        """See `Holder.secret`."""
        elements: FieldArray = self._through("secret", function, arguments, field, shape, reduce)
        return elements

    def disclose(self, function: Callable[..., Any], *arguments: object) -> Any:
        """See `Holder.disclose`."""
        return self._through("disclose", function, arguments)

    def _through(
        self,
        kind: DoorKind,
        function: Callable[..., Any],
        arguments: Sequence[object],
        field: Field | None = None,
        shape: tuple[int, ...] | int = (),
        reduce: bool = False,
    ) -> Any:
        number = self._doors_opened[kind]
        self._doors_opened[kind] = number + 1
        call = door_call(kind, self.name, number, function, arguments, None, field, shape, reduce)
        call.vault = self._vault
        coins = self._coins.for_doors if call.takes_coins else None
        return self._reading.door(call, coins, self._meter)


def holders(
    parties: Iterable[str],
    seed: int,
    reading: Reading | None = None,
    vault: Caller | None = None,
) -> Sequence[IdealHolder]:
    """Return the named parties of the ideal world, with the coins that the reading makes. `vault`
    calls the functions of doors.
    """
    return [IdealHolder(party, seed, reading or Sampled(), vault) for party in parties]


def _check_names(handed: object, protocol: Ideal) -> None:
    if not isinstance(handed, Mapping):
        got = "field elements" if hasattr(handed, "field") else type(handed).__name__
        raise SimnetError(
            f"a functionality must return a mapping from the names of parties to field arrays, got "
            f'{got}: return, for example, {{"server": total}} with a field array `total`'
        )
    roster = seated(protocol)
    for name in handed:
        if name not in roster.number:
            meant = did_you_mean(str(name), roster.names)
            raise SimnetError(
                f"the functionality gives a value to {name!r}, which is no party of this run"
                f"{meant}: {roster.describe()}"
            )


def takes_happened(protocol: Ideal) -> bool:
    """Return whether the functionality has a third parameter, for what happened in the run."""
    positional = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = inspect.signature(protocol.functionality).parameters.values()
    return len([one for one in parameters if one.kind in positional]) > 2


def ideal_world(
    protocol: Protocol,
    inputs: Mapping[str, Any],
    seed: int,
    reading: Reading | None = None,
    happened: Happened | None = None,
    vault: Caller | None = None,
) -> Mapping[str, FieldArray]:
    """Return what the functionality gives to each party, by name; an empty mapping if the protocol
    has no functionality.

    `inputs` maps the name of each party that brings an input to this input. If `happened` is given,
    a functionality with a third parameter is told who dropped out of the run, and who was heard.
    `vault` calls the functions of doors; without it, they are called in this process. Raises
    `SimnetError` for a functionality that fails, or returns something else than field elements by
    the names of parties.
    """
    if not isinstance(protocol, Ideal):
        return {}
    played_by = reading or Sampled()
    sealed = [Sealed(Input(name, played_by.input(name, value))) for name, value in inputs.items()]
    told = (happened,) if happened is not None and takes_happened(protocol) else ()
    users = holders(inputs, seed, played_by, vault)
    try:
        handed: Mapping[str, Any] = protocol.functionality(sealed, users, *told)
    except SimnetError:
        raise
    except Exception as error:
        raise in_protocol("functionality", error) from error
    _check_names(handed, protocol)
    for name, arrays in handed.items():
        if not all(
            hasattr(array, "field")
            for array in (arrays if isinstance(arrays, list | tuple) else [arrays])
        ):
            raise SimnetError(f"the functionality must give {name} field arrays only")
    return handed
