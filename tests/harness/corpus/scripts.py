"""All scripts of the corpus, and the run of one example on the kernel, with the values that the run
disclosed.
"""

import functools
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import attrs

from simnet import Run, run
from simnet.coins.coins import Coins
from simnet.doors.call import DoorCall
from simnet.kernel.reading import Sampled
from simnet.values.meter import Meter
from tests.harness.corpus import channels, joint, opened, people, sharing
from tests.harness.corpus.example import Example
from tests.harness.corpus.plain_world import frozen
from tests.harness.corpus.truth import Held

Event = tuple[str, Hashable]  # a coin that was tossed, or a value that was disclosed


@functools.cache
def all_examples() -> Sequence[Example]:
    """Return every leaking script and every sound twin; their names are unique."""
    parts = (channels, joint, people, opened, sharing)
    return [example for part in parts for example in part.examples()]


@attrs.frozen(eq=False)
class RunOfExample:
    """The run of an example on one row of inputs, or its several runs if it is about several."""

    runs: tuple[Run, ...]
    tosses_outside: bool
    """Whether a script tossed discrete coins outside doors."""

    history: Hashable
    """The values that the runs disclosed, and their coins outside doors, in the form that
    `truth.history` returns."""


def played(example: Example, inputs: Held, seed: int) -> RunOfExample:
    """Run an example.

    Raises `ScriptError` where a run ends early, as it does if the script breaks a seal.
    """
    by_run = [inputs] if len(example.protocols) == 1 else inputs
    runs, histories, tosses_outside = [], [], False
    for place, (protocol, held) in enumerate(zip(example.protocols, by_run, strict=True)):
        watching = _Watching()
        own_seed = seed if example.one_seed else seed + place
        runs.append(run(protocol, list(held), own_seed, reading=watching))
        events = [tuple(watching.of(name)) for name in protocol.parties()]
        histories.append((tuple(events), False))
        tosses_outside |= any(kind == "coin" for of_party in events for kind, _ in of_party)
    return RunOfExample(tuple(runs), tosses_outside, tuple(histories))


def rows_of_inputs(example: Example) -> Iterator[Held]:
    """Yield the inputs on which at least one run of the example does not end early."""
    return (held for held in example.inputs if held not in example.ending)


class _Watching(Sampled):
    """A numeric run that notes disclosed values, and the discrete coins outside doors."""

    def __init__(self) -> None:
        self._histories: dict[str, list[Event]] = {}

    def of(self, party: str) -> list[Event]:
        """Return the history of a party so far."""
        return self._histories.setdefault(party, [])

    def coins(self, seed: int, party: str, meter: Meter) -> Any:
        """Return the party's coins, which note each coin that is tossed outside doors."""
        return _WatchedCoins(super().coins(seed, party, meter), self.of(party))

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Open the door, and note the value if the door discloses it."""
        result = super().door(call, coins, meter)
        if call.kind == "disclose":
            self.of(call.party).append(("disclosed", frozen(result)))
        return result


class _WatchedCoins:
    """Coins that note their discrete outcomes; only the draws that scripts of the corpus use are
    noted.
    """

    def __init__(self, coins: Coins, history: list[Event]) -> None:
        self._coins = coins
        self._history = history

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coins, name)

    def bernoulli(self, chance: float) -> bool:
        """Toss a biased coin, and note the outcome."""
        outcome = self._coins.bernoulli(chance)
        self._history.append(("coin", int(outcome)))
        return outcome

    def integers(self, below: int, count: int) -> Any:
        """Throw dice, and note the outcomes."""
        outcomes = self._coins.integers(below, count)
        self._history += [("coin", int(outcome)) for outcome in outcomes]
        return outcomes
