"""Replays with other inputs, which check that the functions of doors have no side effects.

Theory of operation. A script cannot look at its input, and the function of a door must be pure.
Python cannot enforce purity: a function may append to a list that the script reads later. The
symbolic reading may notice this if the script uses the list in the given run. But it misses a
script that uses the list with other inputs only. So we play the run again, in numbers, with other
inputs. All doors call their functions with these inputs, but give the script the recorded values.
So if the behaviour of a script changes, a function may have a side effect, or the script draws
random numbers of its own. An error then names the party.

Example. `me.secret(lambda v: seen.append(v) or [v], vote, ...)` and `if 1 in seen: await
me.send(...)`. In the symbolic reading, the function is not called, so the list is empty and the
script sends nothing. If the vote was 2, the run sent nothing either. But in the replay with vote 1
the script sends a message, so the script is refused.

The first replays change the inputs of all parties at once. If functions of different parties share
nothing, this finds as much as changing one input after another: the doors give recorded values, so
no party can notice another party's input. If functions share something, this may be visible only if
the inputs of some parties change and the inputs of others do not. So further replays change the
input of one party, and then of two. We do not try all joint inputs. Of a large run we make only
some replays: see `MOST_MESSAGES`.

A replay misses what is left behind in the same way in every run, such as a number in a global set
that is there from the first run on. So we also compare what a function uses before and after a call
(`simnet.doors.side_effects`): in the first calls of an ordinary run, in all calls of the run that
is recorded, and in replays. The page "What a verdict says" lists the changes that this does not
show. A cache of `functools` is one of them. If the function of a door uses one, and the script
contains the name `cache_info`, the script is refused.

All readings of a script come after the run that is judged. A script that leaks in its first run
only, because it counts its runs, would do nothing wrong in them. So a run also compares what its
scripts use before and after it, and a verdict refuses a script that has changed some of it.

We also compare the results of the functions. A function that is called twice with the same values
and the same coins must return the same value. If it does not, it may read something that a call of
a function has changed, or random numbers. Example: one user's function puts its input into a list,
and another user's function discloses what is in this list. All replays send the same messages, and
the disclosed value would be judged as if the list did not depend on any input.
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
from simnet.doors.call import DoorCall, called, handed_out, value_of
from simnet.doors.plain_keys import Itself, NoKey, key_of
from simnet.doors.record import DoorRecord
from simnet.errors import ScriptError
from simnet.kernel.reading import Sampled
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run, run
from simnet.values.meter import Meter
from simnet.values.residues import Residues
from simnet.values.sealed import Input, Made

# The largest number of messages in all replays of one run together; the first replay may have more.
MOST_MESSAGES = 5_000
# At least this many replays are made, even if fewer would try every item, as far as there are other
# inputs and `MOST_MESSAGES` allows.
MOST_REPLAYS = 16
# The most replays if not every item can be tried.
MOST_OF_MANY = 200

PURE = (
    "perhaps the function of a door has a side effect, although it may only return a value, or the "
    "script draws random numbers outside me.coins"
)
IMPURE = (
    "the function returns another value when it is called again with the same arguments: its "
    "result may depend only on its arguments and coins, so the function may draw no other random "
    "numbers, read no clock, and use nothing that changes from call to call"
)


@attrs.frozen
class Replays:
    """The number of replays that were made on other inputs, and the number that is needed so that
    every input becomes every item.

    In `needed` replays each input becomes each of the other items, and then, if several people have
    inputs, all become the same item, unless all have this item in the run. `needed` is None if the
    possible inputs are not known, and if an input is not one of the items.
    """

    made: int
    needed: int | None

    @property
    def is_complete(self) -> bool:
        """Whether at least `needed` replays were made; False if `needed` is None."""
        return self.needed is not None and self.made >= self.needed


def replayed_on_other_inputs(
    done: Run, record: DoorRecord, most_messages: int = MOST_MESSAGES
) -> Replays:
    """Play a run again on other inputs, while the doors give recorded values.

    `most_messages` is the largest number of messages in all replays together; the first replay may
    have more.

    Raises `ScriptError` if the script then behaves differently, if a function returns another
    value when it is called again with the same arguments, and if a function was seen to change
    something that it uses.
    """
    needed = _count_of_others(done)
    most = max(1, most_messages // max(done.ledger.total().messages, 1))
    answers = _Answers()
    made = 0
    # On the run's own inputs, functions must return the same values as before.
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
            fates=done.fates,
            network=done.same_deadlines,
            message_fates=done.message_fates,
        )
        try:
            compare_runs(done, again)
        except ScriptError as error:
            if other is done.inputs:
                raise  # the run fails even with its own inputs, so other inputs are not the reason
            raise ScriptError(
                f"{str(error).partition(' when the run')[0]} when parties hold other inputs, "
                f"although every door gives what it gave before: {PURE}"
            ) from None
    refuse_side_effects(record)
    return Replays(made, needed if _are_items(done) else None)


def refuse_side_effects(record: DoorRecord) -> None:
    """Raise `ScriptError` if a function of a door, or a script, was seen to leave something
    behind.
    """
    if record.side_effects:
        raise ScriptError(record.side_effects[0])


def compare_recorded_runs(first: Run, second: Run, record: DoorRecord) -> None:
    """Raise `ScriptError` if two runs differ (`compare_runs`). `record` has the doors of `second`.

    If the runs differ, the functions of doors are called again. The error names a door whose
    function then returns another value, or else it is the error of `compare_runs`.
    """
    try:
        compare_runs(first, second)
    except ScriptError:
        _check_doors(record, first.seed)
        raise


def replays_in_words(replays: Sequence[Replays], refuses_some: bool = False) -> str:
    """What the checks of the runs that were judged together have shown, as a sentence.
    `refuses_some` says whether the function of a door refuses some inputs.
    """
    made = sum(each.made for each in replays)
    if all(each.needed == 0 for each in replays):
        return "the script sends the same messages when read without inputs"
    if not made:
        return (
            "the script sends the same messages when read without inputs; it was not replayed on "
            "other inputs"
        )
    count = f"{made:,} replay{'s' if made != 1 else ''}"
    is_complete = all(each.is_complete for each in replays)
    covered = ", so that every input took every value" if is_complete and not refuses_some else ""
    return (
        "the script sends the same messages when read without inputs and in "
        f"{count} on other inputs{covered}"
    )


def other_inputs(done: Run) -> Iterator[Mapping[str, Any]]:
    """Yield other inputs for all parties at once.

    If the protocol has items and the inputs are numbers, each moves on by 1, 2, ... items (item 1
    follows the last one). Then, if several people have inputs, all of them become item 1, then all
    item 2, and so on, without an item that all of them have. Without such items, parties get the
    inputs of other parties; nothing is yielded if all parties have the same input.
    """
    items = _items(done)
    if items is not None:
        for step in range(1, items):
            yield {name: _shifted(value, step, items) for name, value in done.inputs.items()}
        # The functions of several people may share a side effect, which may be visible only
        # if two people have the same input.
        for item in _items_for_all(done, items):
            yield {name: _all_hold(value, item) for name, value in done.inputs.items()}
        return
    if len(_different_values(done)) < 2:
        return
    names = list(done.inputs)
    values = [done.inputs[name] for name in names]
    keys = list(map(_key, values))
    for step in range(1, len(names)):
        if [*keys[step:], *keys[:step]] != keys:
            yield dict(zip(names, [*values[step:], *values[:step]], strict=True))


def _different_values(done: Run) -> Mapping[Hashable, Any]:
    """The different inputs of the parties, by key."""
    return {_key(value): value for value in done.inputs.values()}


def _key(value: object) -> Hashable:
    """A key of an input. An input that cannot be compared has a key of its own."""
    try:
        return key_of(value)
    except NoKey:
        return Itself(value)


def _count_of_others(done: Run) -> int:
    items = _items(done)
    if items is None:
        return max(len(done.inputs) - 1, 0)
    return items - 1 + len(_items_for_all(done, items))


def _items_for_all(done: Run, items: int) -> Sequence[int]:
    """The items that all people get in turn: none for a single person, and not an item that all
    people have in the run.
    """
    if _people(done) < 2:
        return ()
    held = {item for value in done.inputs.values() for item in np.unique(value).tolist()}
    return [item for item in range(1, items + 1) if held != {item}]


def _items(done: Run) -> int | None:
    """The number of items, if the protocol has items, and there are inputs, which all are numbers
    or arrays of numbers; otherwise None.
    """
    protocol, inputs = done.protocol, done.inputs
    if isinstance(protocol, OverItems) and inputs and all(map(_is_number, inputs.values())):
        return protocol.items
    return None


def _are_items(done: Run) -> bool:
    """Whether each input is one of the items; an array is the input of a crowd, with an item for
    each member.
    """
    items = _items(done)
    if items is None:
        return not done.inputs
    seats = dict(zip(done.roster.names, done.roster.seats, strict=True))
    for name, value in done.inputs.items():
        numbers = np.asarray(value)
        if isinstance(value, np.ndarray) != (seats[name].members is not None) or not np.all(
            (numbers >= 1) & (numbers <= items) & (numbers == np.rint(numbers.astype(float)))
        ):
            return False
    return True


def _is_number(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return isinstance(value, int | float | np.number)


def _people(done: Run) -> int:
    """The number of people who have an input; a crowd counts with all its members."""
    return sum(value.size if isinstance(value, np.ndarray) else 1 for value in done.inputs.values())


def few_changed(done: Run) -> Iterator[Mapping[str, Any]]:
    """Yield inputs in which one party's input is replaced, and then inputs in which the inputs of
    two parties are replaced; nothing if fewer than two parties have an input.

    Without items (`_items`), an input is replaced by the other inputs that occur in the run.
    """
    items, held = _items(done), done.inputs
    if len(held) < 2:
        return
    values = _different_values(done)
    others = len(values) - 1 if items is None else items - 1

    def other(name: str, number: int) -> Any:
        if items is not None:
            return _shifted(held[name], number + 1, items)
        own = _key(held[name])
        return [value for key, value in values.items() if key != own][number]

    for number in range(others):
        for name in held:
            yield {**held, name: other(name, number)}
    for number in range(others**2):
        for first, second in itertools.combinations(held, 2):
            numbers = divmod(number, others)
            yield {**held, first: other(first, numbers[0]), second: other(second, numbers[1])}


def _all_hold(value: Any, item: int) -> Any:
    return np.full_like(value, item) if isinstance(value, np.ndarray) else item


def _shifted(value: Any, step: int, items: int) -> Any:
    """The item `step` places further, for a party or for every member of a crowd; item 1 follows
    the last item.
    """
    shifted = (np.asarray(value) - 1 + step) % items + 1
    return shifted if isinstance(value, np.ndarray) else shifted.item()


class _Answers:
    def __init__(self) -> None:
        self._known: dict[Hashable, Hashable] = {}

    def check(self, call: DoorCall, values: Sequence[object], answer: object) -> None:
        """Raise `ScriptError` if the function returned another value for the same arguments
        before.
        """
        if isinstance(answer, Residues):
            answer = answer.numbers()
        try:
            given, key = tuple(map(key_of, values)), key_of(answer)
        except NoKey:  # values of this type cannot be compared
            return
        if self._known.setdefault((call.party, call.kind, call.number, given), key) != key:
            raise ScriptError(f"{call.party} (me.{call.kind} of {call.name}): {IMPURE}")


def _check_doors(record: DoorRecord, seed: int) -> None:
    """Call the functions of doors again, and raise `ScriptError` if one returns another value."""
    answers = _Answers()
    for call in itertools.chain.from_iterable(record.calls.values()):
        if not _came_to_an_end(call):
            continue
        values = [value_of(each) for each in call.arguments]
        if not call.takes_coins:
            answers.check(call, values, call.result)
        try:
            # With coins, two new calls are compared, each with the same new coins.
            again = [called(call, values, _door_coins(call, seed)) for _ in range(2)]
        except Exception:  # an error is not another value
            continue
        for answer in again:
            answers.check(call, values, answer)


def _door_coins(call: DoorCall, seed: int) -> Coins | None:
    if not call.takes_coins:
        return None
    purpose = f"other inputs {call.kind} {call.number} "
    return SampledCoins(seed, call.party, purpose=purpose).for_doors


class _OtherInputs(Sampled):
    def __init__(
        self, record: DoorRecord, inputs: Mapping[str, Any], seed: int, answers: _Answers
    ) -> None:
        self._record = record
        self._inputs = inputs
        self._seed = seed
        self._answers = answers

    def door(self, call: DoorCall, coins: Coins | None, meter: Meter) -> Any:
        """Call the function on the other inputs, but return the value that was recorded.

        `call.alternative` becomes the value on the other inputs, or None if the function
        raises an error.
        """
        recorded = self._record.played(call, coins, meter)
        if not call.takes_coins and _came_to_an_end(recorded):
            values = [value_of(each) for each in recorded.arguments]
            self._answers.check(call, values, recorded.result)
        call.alternative = self._answer(call)
        call.result, call.error = recorded.result, recorded.error
        return handed_out(call)

    def _answer(self, call: DoorCall) -> Any:
        values = self._values(call)
        before = call.state
        try:
            answer = called(call, values, _door_coins(call, self._seed))
        except Exception:  # a function may refuse inputs that did not occur in the run
            return None
        finally:
            self._record.note_change(call, before)
        self._answers.check(call, values, answer)
        return answer

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
    """Whether the function, and the functions that made its arguments, raised no error."""
    made = [each.call for each in call.arguments if isinstance(each, Made)]
    return call.error is None and all(map(_came_to_an_end, made))
