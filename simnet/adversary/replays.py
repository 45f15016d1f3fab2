"""Replays on other inputs: whether a door's function leaves anything behind.

Theory of operation. A script cannot look at its input, and a function of a door is supposed to be
pure. Python cannot enforce the second: a function may append to a list that the script looks at
later. The blind reading finds this where the list is used in the run at hand, and misses a script
that uses it on other inputs alone. So the run is played again, in numbers, on other inputs: the
functions of all doors are called on these, what they return is thrown away, and every door gives
what is on record. Nothing but what a function left behind can change what a script does, and if
anything changes, the script is refused by name.

Example. `me.secret(lambda v: seen.append(v) or [v], vote, ...)` and `if 1 in seen: await
me.send(...)`: read blind, nobody appends and nobody sends. If the vote was 2 in the run, that is
what happened. On vote 1 the replay sends a message, and the script is refused.

One replay changes the inputs of all parties at once: as the doors give what they gave, no party can
tell what another one holds, unless their functions share what they leave behind. A domain of N
items takes N - 1 replays until every party has held every item, and N more in which all hold the
same. Joint inputs are not all tried. Where a run is large, only some replays are made: see
`MOST_MESSAGES`.
"""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.contract import OverItems
from simnet.doors.call import DoorCall, called, value_of
from simnet.doors.record import DoorRecord
from simnet.errors import ScriptError
from simnet.kernel.reading import Sampled
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run
from simnet.values.meter import Meter
from simnet.values.sealed import Input, Made

# Of all replays of one run together. One replay is made of any run, however large.
MOST_MESSAGES = 5_000


@attrs.frozen
class Replays:
    """How many replays on other inputs were made, and how many would cover every input.

    `needed` is None where it is not known which inputs there are.
    """

    made: int
    needed: int | None

    @property
    def is_complete(self) -> bool:
        """Whether every party was tried on every input, though not all of them jointly."""
        return self.needed is not None and self.made >= self.needed


def replayed_on_other_inputs(
    done: Run, record: DoorRecord, most_messages: int = MOST_MESSAGES
) -> Replays:
    """Play a run again on other inputs, with the doors giving what is on record.

    Raises `ScriptError` for a script that does something else then.
    """
    others = list(other_inputs(done))
    is_over_items = isinstance(done.protocol, OverItems)
    needed = len(others) if is_over_items or not done.inputs else None
    most = max(1, most_messages // max(done.ledger.total().messages, 1))
    for other in others[:most]:
        again = run(
            done.protocol,
            done.inputs,
            done.seed,
            observe=[done.roster.names[number] for number in done.transcript.observed],
            reading=_OtherInputs(record, other, done.seed),
            schedule=copy.deepcopy(done.schedule),
            threads=1,
        )
        try:
            compare_runs(done, again)
        except ScriptError as error:
            raise ScriptError(
                f"{str(error).partition(' when the run')[0]} when all parties hold other inputs, "
                "although every door gives what it gave before: the function of a door leaves "
                "nothing behind but what it returns"
            ) from None
    return Replays(min(most, len(others)), needed)


def replays_in_words(replays: Sequence[Replays]) -> str:
    """What the replays of the runs that were judged together show, as a sentence."""
    made = sum(each.made for each in replays)
    if all(each.needed == 0 for each in replays):
        return "the script does the same without inputs"
    times = "once" if made == 1 else f"{made:,} times"
    covered = ", so that each held every item" if all(each.is_complete for each in replays) else ""
    return f"the script does the same without inputs, and on other inputs ({times}{covered})"


def other_inputs(done: Run) -> Iterator[Mapping[str, Any]]:
    """Other inputs for all parties at once: over items every other item, else those of others."""
    protocol = done.protocol
    if isinstance(protocol, OverItems):
        for step in range(1, protocol.items):
            yield {
                name: _shifted(value, step, protocol.items) for name, value in done.inputs.items()
            }
        # Functions of several parties may share what they leave behind, and it may show only
        # where two parties hold the same.
        for item in range(1, protocol.items + 1) if len(done.inputs) > 1 else ():
            yield {name: _all_hold(value, item) for name, value in done.inputs.items()}
        return
    names = list(done.inputs)
    values = [done.inputs[name] for name in names]
    for step in range(1, len(names)):
        yield dict(zip(names, [*values[step:], *values[:step]], strict=True))


def _all_hold(value: Any, item: int) -> Any:
    """The item, for a party or for every member of a crowd."""
    return np.full_like(value, item) if isinstance(value, np.ndarray) else item


def _shifted(value: Any, step: int, items: int) -> Any:
    """The item `step` further, of a party or of every member of a crowd."""
    try:
        shifted = (np.asarray(value) - 1 + step) % items + 1
    except TypeError:
        return value
    return shifted if isinstance(value, np.ndarray) else shifted.item()


class _OtherInputs(Sampled):
    """A run whose doors call their functions on other inputs, and give what is on record."""

    def __init__(self, record: DoorRecord, inputs: Mapping[str, Any], seed: int) -> None:
        self._record = record
        self._inputs = inputs
        self._seed = seed
        self._own_coins: dict[str, Coins] = {}  # by party; the run's coins are left as they are

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the function, and forget what it returns."""
        try:
            call.alternative = called(call, self._values(call), self._coins(call.party))
        except Exception:  # a function may refuse this input: it was not asked about it
            call.alternative = None
        recorded = self._record.played(call, coins, meter)
        call.result, call.error = recorded.result, recorded.error
        return call.result

    def _coins(self, party: str) -> Coins:
        if party not in self._own_coins:
            coins = SampledCoins(self._seed, party, purpose="other inputs ")
            self._own_coins[party] = coins.for_doors
        return self._own_coins[party]

    def _values(self, call: DoorCall) -> Sequence[object]:
        return [
            self._inputs[each.party]
            if isinstance(each, Input)
            else each.call.alternative
            if isinstance(each, Made)
            else value_of(each)
            for each in call.arguments
        ]
