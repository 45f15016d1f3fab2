"""All scripts of the corpus, and one run of an example on the kernel with what it disclosed."""

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
    """Every leaking script and every sound twin; names are unique."""
    parts = (channels, joint, people, opened, sharing)
    return [example for part in parts for example in part.examples()]


@attrs.frozen(eq=False)
class RunOfExample:
    """The runs of an example on one row of inputs; several where it is about several."""

    runs: tuple[Run, ...]
    tosses_outside: bool
    """Whether a script tossed discrete coins outside doors."""

    history: Hashable
    """What they disclosed, and their outer coins: as `history` in `truth` has it."""


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
    """The inputs on which runs of an example do not always end early."""
    return (held for held in example.inputs if held not in example.ending)


class _Watching(Sampled):
    """A run in numbers that notes outer discrete coins and disclosed values."""

    def __init__(self) -> None:
        self._histories: dict[str, list[Event]] = {}

    def of(self, party: str) -> list[Event]:
        """The history of a party so far."""
        return self._histories.setdefault(party, [])

    def coins(self, seed: int, party: str, meter: Meter) -> Any:
        """The party's coins, noted where they are tossed outside doors."""
        return _WatchedCoins(super().coins(seed, party, meter), self.of(party))

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Open the door, and note what it discloses."""
        result = super().door(call, coins, meter)
        if call.kind == "disclose":
            self.of(call.party).append(("disclosed", frozen(result)))
        return result


class _WatchedCoins:
    """Coins whose discrete outcomes are noted, as far as scripts of the corpus toss any."""

    def __init__(self, coins: Coins, history: list[Event]) -> None:
        self._coins = coins
        self._history = history

    def __getattr__(self, name: str) -> Any:
        return getattr(self._coins, name)

    def bernoulli(self, chance: float) -> bool:
        """A coin with two sides."""
        outcome = self._coins.bernoulli(chance)
        self._history.append(("coin", int(outcome)))
        return outcome

    def integers(self, below: int, count: int) -> Any:
        """Dice."""
        outcomes = self._coins.integers(below, count)
        self._history += [("coin", int(outcome)) for outcome in outcomes]
        return outcomes
