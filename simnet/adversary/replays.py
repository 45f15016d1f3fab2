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
same. Functions that do share something may show it only where some parties hold other inputs and
the rest do not, so replays follow in which one party changes its input, and then two. Joint inputs
are not all tried. Where a run is large, only some replays are made: see `MOST_MESSAGES`.

What the functions return is compared as well, with a replay on the run's own inputs. Called twice
with the same values, and with the same coins, a function returns the same, unless it reads what
another one has left behind: a user that discloses what the function of another user's door has put
into a list does the same in every replay, and would be judged as if the list were no input at all.
"""

import copy
import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins
from simnet.contract import OverItems
from simnet.doors.call import DoorCall, called, value_of
from simnet.doors.plain_keys import NoKey, key_of
from simnet.doors.record import DoorRecord
from simnet.errors import ScriptError
from simnet.kernel.reading import Sampled
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run
from simnet.values.meter import Meter
from simnet.values.residues import Residues
from simnet.values.sealed import Input, Made

# Of all replays of one run together. One replay is made of any run, however large.
MOST_MESSAGES = 5_000
MOST_REPLAYS = 16  # where more are not needed for every party to hold every item
MOST_OF_MANY = 200  # where there are too many items for every party to hold every one

PURE = "the function of a door leaves nothing behind but what it returns"


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
    needed = _count_of_others(done)
    most = max(1, most_messages // max(done.ledger.total().messages, 1))
    answers = _Answers()
    made = 0
    # On the inputs of the run, functions give what they gave.
    once_more = [done.inputs] if most > 1 and done.inputs else []
    wanted = max(needed + len(once_more), MOST_REPLAYS)
    if wanted > most:
        wanted = min(most, MOST_OF_MANY)
    for other in itertools.islice(
        itertools.chain(other_inputs(done), once_more, few_changed(done)), wanted
    ):
        made += other is not done.inputs
        again = run(
            done.protocol,
            done.inputs,
            done.seed,
            observe=[done.roster.names[number] for number in done.transcript.observed],
            reading=_OtherInputs(record, other, done.seed, answers),
            schedule=copy.deepcopy(done.schedule),
            threads=1,
        )
        try:
            compare_runs(done, again)
        except ScriptError as error:
            if other is done.inputs:
                raise  # it has nothing to do with other inputs
            raise ScriptError(
                f"{str(error).partition(' when the run')[0]} when parties hold other inputs, "
                f"although every door gives what it gave before: {PURE}"
            ) from None
    is_finite = isinstance(done.protocol, OverItems) or not done.inputs
    return Replays(made, needed if is_finite else None)


def replays_in_words(replays: Sequence[Replays]) -> str:
    """What the checks of the runs that were judged together have shown, as a sentence."""
    made = sum(each.made for each in replays)
    if all(each.needed == 0 for each in replays):
        return "the script sends the same messages when read without inputs"
    count = f"{made:,} replay{'s' if made > 1 else ''}"
    is_complete = all(each.is_complete for each in replays)
    covered = " (every party had every item)" if is_complete else ""
    return (
        "the script sends the same messages when read without inputs and in "
        f"{count} on other inputs{covered}"
    )


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


def _count_of_others(done: Run) -> int:
    """How many `other_inputs` there are: there may be far too many to make them all."""
    parties = len(done.inputs)
    if not isinstance(done.protocol, OverItems):
        return max(parties - 1, 0)
    items: int = done.protocol.items
    return items - 1 + (items if parties > 1 else 0)


def few_changed(done: Run) -> Iterator[Mapping[str, Any]]:
    """Inputs of which one party's is another, and then those of each two parties.

    All parties alone, or all pairs, are on another input once before any is on a third one.
    """
    protocol, held = done.protocol, done.inputs
    if len(held) < 2:
        return
    others = protocol.items - 1 if isinstance(protocol, OverItems) else len(held) - 1

    def other(name: str, number: int) -> Any:
        if isinstance(protocol, OverItems):
            return _shifted(held[name], number + 1, protocol.items)
        return held[[place for place in held if place != name][number]]

    for number in range(others):
        for name in held:
            yield {**held, name: other(name, number)}
    for number in range(others**2):
        for first, second in itertools.combinations(held, 2):
            numbers = divmod(number, others)
            yield {**held, first: other(first, numbers[0]), second: other(second, numbers[1])}


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


class _Answers:
    """What the functions of all doors returned in the replays of one run."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Hashable] = {}

    def check(self, call: DoorCall, values: Sequence[object], answer: object) -> None:
        """Raise `ScriptError` if the function has returned something else for the same values."""
        if isinstance(answer, Residues):
            answer = answer.numbers()
        try:
            given, key = tuple(map(key_of, values)), key_of(answer)
        except NoKey:  # of a type that cannot be compared
            return
        if self._known.setdefault((call.party, call.kind, call.number, given), key) != key:
            raise ScriptError(
                f"{call.party} (me.{call.kind} of {call.name}): the function gives something else "
                f"when it is given the same once more: {PURE}"
            )


class _OtherInputs(Sampled):
    """A run whose doors call their functions on other inputs, and give what is on record."""

    def __init__(
        self, record: DoorRecord, inputs: Mapping[str, Any], seed: int, answers: _Answers
    ) -> None:
        self._record = record
        self._inputs = inputs
        self._seed = seed
        self._answers = answers

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the function, and forget what it returns."""
        recorded = self._record.played(call, coins, meter)
        if not call.takes_coins and _came_to_an_end(recorded):
            values = [value_of(each) for each in recorded.arguments]
            self._answers.check(call, values, recorded.result)
        call.alternative = self._answer(call)
        call.result, call.error = recorded.result, recorded.error
        return call.result

    def _answer(self, call: DoorCall) -> Any:
        """What the function returns on the other inputs; None where it refuses them."""
        values = self._values(call)
        try:
            answer = called(call, values, self._coins(call))
        except Exception:  # it was not asked about this input
            return None
        self._answers.check(call, values, answer)
        return answer

    def _coins(self, call: DoorCall) -> Coins | None:
        """Coins of the door's own, equal in every replay; the run's are left as they are."""
        if not call.takes_coins:
            return None
        purpose = f"other inputs {call.kind} {call.number} "
        return SampledCoins(self._seed, call.party, purpose=purpose).for_doors

    def _values(self, call: DoorCall) -> Sequence[object]:
        return [
            self._inputs[each.party]
            if isinstance(each, Input)
            else each.call.alternative
            if isinstance(each, Made)
            else value_of(each)
            for each in call.arguments
        ]


def _came_to_an_end(call: DoorCall) -> bool:
    """Whether neither the function nor that of an output among its arguments raised an error."""
    made = [each.call for each in call.arguments if isinstance(each, Made)]
    return call.error is None and all(map(_came_to_an_end, made))
