"""The vault of one run: where the functions of its doors are called.

Each call is made in a process of its own, which has the definitions of the run, and the values of
this call alone. So the result of a function depends on its arguments and its coins, and on nothing
that another call has left behind. A new process takes some milliseconds. So a run of more than
`place.MOST_PARTIES` parties, and a run after its first `MOST_CALLS` calls, calls functions in two
shared processes: one for functions that get an input, and one, which has never had an input, for
all others. A verdict on such a run makes the calls once more in another order (`check_again`), and
names this limit.

Parties that are alike make the same calls, each on its own input. So if a second party makes the
call of a first one in a shared process, this call is made ahead for the next `AHEAD` parties. This
saves most of the time that the processes need to wait for each other.

Equal calls have equal results. So a call without seeded coins is made once.
"""

import hashlib
import marshal
import math
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

import attrs
import numpy as np

from simnet.coins.coins import Coins, discrete_of
from simnet.coins.sampled import SampledDiscrete
from simnet.coins.tape import Choice, Tape, TapeDiscrete
from simnet.doors.call import LINES_ELSEWHERE, DoorCall, Plain
from simnet.doors.plain_values import decode
from simnet.errors import ScriptError
from simnet.values.field import Field
from simnet.values.meter import Meter, Operation
from simnet.values.residues import Residues
from simnet.vault.chamber import Process
from simnet.vault.sending import Known, Pickled

MOST_CALLS = 1_000  # the most calls of a run that have a process of their own
AHEAD = 64
FURTHER = 1_000  # outcomes of coins that a call tosses ahead
_SHORT = 1 << 16  # answers of more bytes are not computed ahead
_HASH = "_attrs_cached_hash"
_KEPT = 10_000  # the most results that are kept for equal calls
IMPURE = (
    "the function returns another value when it is called again with the same arguments: its "
    "result may depend only on its arguments and coins, so the function may draw no other random "
    "numbers, read no clock, and use nothing that changes from call to call"
)


_last = threading.local()


class Vault:
    """Calls functions in other processes. `shared_calls` counts the calls in shared processes."""

    def __init__(
        self,
        protocol: object,
        scripts: Sequence[object],
        inputs: Mapping[str, Any],
        shares: bool,
    ) -> None:
        self.shared_calls = 0
        self._protocol = protocol
        self._scripts = [getattr(script, "__func__", script) for script in scripts]
        self._own_calls = MOST_CALLS if shares else 0
        self._shared: list[tuple[DoorCall, tuple[bytes, bytes], bytes]] = []  # answers by digest
        self._known: Known = {}
        self._definitions: list[bytes] = []
        self._starts: dict[bytes, int] = {}  # by definitions: the number of the first one
        self._count = 0
        self._modules: set[str] = set()
        self._first: Sequence[object] = ()  # the definitions that the scripts use
        self._nursery: Process | None = None
        self._chambers: dict[bool, Process] = {}  # shared: for calls with inputs, and for others
        self._inputs = inputs
        self._names = {name: place for place, name in enumerate(inputs)}
        self._reach: dict[bytes, float] = {}  # by call: the last place for which it has been made
        self._positions: dict[str, int] = {}  # of the parties' coins after the last known call
        self._ahead: dict[tuple[bytes, str, int], tuple[bytes, bytes]] = {}
        self._kept: dict[tuple[bytes, bytes], _Answer] = {}
        self._begun = self._memory()

    def has_changed(self) -> bool:
        """Return whether what scripts could remember from one run to the next is no longer what it
        was at the beginning: the attributes of the protocol, and the classes, functions and global
        variables that scripts use. False if these cannot be pickled.

        Cached properties and hashes are left out.
        """
        return self._begun is not None and self._begun != self._memory()

    def _memory(self) -> object:
        kind = type(self._protocol)
        fields = attrs.fields(kind) if attrs.has(kind) else ()
        names = {*getattr(self._protocol, "__dict__", {}), *(each.name for each in fields)} - {
            _HASH
        }
        attributes = [
            (name, getattr(self._protocol, name))
            for name in sorted(names)
            if not isinstance(getattr(kind, name, None), cached_property)
        ]
        try:
            values = self._pickled((kind, attributes, self._scripts))
            known = self._known.values()
            named: Known = {id(thing): (number, thing) for number, thing in known if number is None}
            first = self._first or tuple(each for number, each in known if number is not None)
            data = Pickled(first, named).data if self._first else self._definitions[0]
            self._first = first
            return values, data
        except Exception:
            return None

    def pack(self, call: DoorCall) -> bytes:
        """Return, pickled, the function and the plain arguments of a call as they are now.

        Raises `ScriptError` if they cannot be sent to another process.
        """
        plain = {
            place: each.value for place, each in enumerate(call.arguments) if type(each) is Plain
        }
        function: Any = call.function
        owner: tuple[object, ...] = ()
        if type(function) is MethodType:  # Python would also pickle what a method is
            function, owner = function.__func__, (function.__self__,)
        described = call.kind, function, owner, call.takes_coins, call.field, call.shape, plain
        return self._pickled(described, call)

    def called(
        self, call: DoorCall, values: Sequence[object], coins: Coins | None, meter: Meter | None
    ) -> Any:
        """Return what `doors.call.called` returns, or raise what it raises."""
        pairs = zip(call.arguments, values, strict=True)
        given = [value for argument, value in pairs if type(argument) is not Plain]
        packed = call.packed or self.pack(call)
        source = None if coins is None else discrete_of(coins)
        meter = meter or Meter()
        if isinstance(source, TapeDiscrete):
            # The child plays the first outcomes of the tape. Further coins come out as their first
            # outcome; if one of them does not, the child plays again.
            outcomes: list[Any] = []
            is_played = False
            begun = self._pickled((given, source.on(Tape(()))), call)
            while not is_played:
                values = marshal.dumps((begun, outcomes, FURTHER))
                answer = self._answer(call, packed, values)
                for choice in map(Choice, answer.choices):
                    outcomes.append(source.tape.toss(choice))
                    if outcomes[-1] != choice.outcomes[0][0]:
                        break
                else:
                    is_played = answer.kind != "end"
        else:
            key = (source.position, *source.key) if isinstance(source, SampledDiscrete) else coins
            answer = self._foreseen(call, packed, given, source) or self._answer(
                call, packed, self._values(given, key, call), source is not None
            )
        for operation, times in answer.billed.items():
            meter.bill(operation, times)
        if coins is not None:
            coins.tossed |= answer.tossed
        if isinstance(source, SampledDiscrete):
            source.skip(answer.words)
            self._positions[call.party] = source.position
        if answer.kind != "value":
            error = _rebuilt(*answer.value)
            if isinstance(source, TapeDiscrete) and answer.kind == "stopped":
                source.tape.stopped(error)
            raise error
        call.reduced = None if call.reduce else answer.reduced
        return answer.value if call.field is None else _elements(call.field, answer.value, call)

    def check_again(self) -> None:
        """Make the calls once more, in new processes and in reverse order, if some of them shared
        a process. Raises `ScriptError` if one has another result.
        """
        shared, self._shared, self._chambers = self._shared, [], {}
        for call, pieces, digest in reversed(shared):
            self._noted(call, pieces, *self._asked(call, pieces[0], pieces[1:]))
            if self._shared[-1][2] != digest:
                raise ScriptError(f"{call.party} (me.{call.kind} of {call.name}): {IMPURE}")
        self.shared_calls, self._shared = len(shared), []

    def _answer(
        self, call: DoorCall, packed: bytes, values: bytes, is_seeded: bool = False
    ) -> "_Answer":
        pieces = packed, values
        answer = None if is_seeded else self._kept.get(pieces)
        if answer is None:
            (data,) = self._asked(call, packed, [values])
            if len(data) > _SHORT:
                self._reach[packed] = math.inf
            answer = self._noted(call, pieces, data)
            if not is_seeded and len(self._kept) < _KEPT:
                self._kept[pieces] = answer
        return answer

    def _foreseen(
        self,
        call: DoorCall,
        packed: bytes,
        given: Sequence[object],
        source: object,
    ) -> "_Answer | None":
        """Return the answer to a call on the party's input that parties make one after the other.
        Make the call for the next parties, too, if this has not been done.
        """
        party, is_shared = call.party, self._own_calls >= MOST_CALLS
        is_alike = len(given) == 1 and party in self._names and given[0] is self._inputs[party]
        if not (is_shared and is_alike and isinstance(source, SampledDiscrete)):
            return None
        start, place, reach = source.position, self._names[party], self._reach.get(packed)
        if (packed, party, start) not in self._ahead:
            if reach is None or place <= reach:  # the first call, or the parties are not alike
                self._reach[packed] = place if reach is None else math.inf
                return None
            names = list(self._names)[place : place + AHEAD]
            self._reach[packed] = place + AHEAD - 1
            self._positions[party] = start
            starts = [self._positions.get(name, 0) for name in names]
            seed, _, purpose = source.key
            several = [
                self._values([self._inputs[name]], (at, seed, name, purpose), call)
                for name, at in zip(names, starts, strict=True)
            ]
            answers = self._asked(call, packed, several)
            for name, at, *pieces in zip(names, starts, several, answers, strict=True):
                self._ahead[packed, name, at] = pieces[0], pieces[1]
                self._positions[name] = at + marshal.loads(pieces[1])[3]
        values, data = self._ahead.pop((packed, party, start))
        return self._noted(call, (packed, values), data)

    def _noted(self, call: DoorCall, pieces: tuple[bytes, bytes], data: bytes) -> "_Answer":
        if self._own_calls >= MOST_CALLS:
            self.shared_calls += 1
            self._shared.append((call, pieces, hashlib.blake2b(data).digest()))
        self._own_calls += 1
        return _Answer.of(marshal.loads(data))

    def _asked(self, call: DoorCall, packed: bytes, several: Sequence[bytes]) -> list[bytes]:
        is_shared = self._own_calls >= MOST_CALLS
        try:
            nursery = self._nursery = self._nursery or self._new_nursery()
            chamber = self._chambers.get(call.has_input) if is_shared else None
            if chamber is None:
                further = self._definitions[len(nursery.definitions) :]
                chamber = Process(nursery, self._modules if further else (), further)
            further = self._definitions[len(chamber.definitions) :]
            chamber.definitions += further
            data = chamber.ask(marshal.dumps((further, packed, [*several])))
            if is_shared:
                self._chambers[call.has_input] = chamber
            else:
                chamber.end()
            answers: list[bytes] = marshal.loads(data)
            return answers
        except Exception as error:
            self._chambers.clear()
            self._nursery = _last.nursery = None
            raise ScriptError(
                f"{call.party} (me.{call.kind} of {call.name}): the process in which the function "
                f"was called {error}: the function of a door may only return a value"
            ) from None

    def _values(self, given: Sequence[object], coins: object, call: DoorCall) -> bytes:
        return marshal.dumps((self._pickled((given, coins), call), (), 0))

    def _new_nursery(self) -> Process:
        """Return a nursery: that of the last run in this thread, if it has the same definitions."""
        last: Process | None = getattr(_last, "nursery", None)
        if (
            last is None
            or last.owner != os.getpid()
            or last.definitions != self._definitions[: len(last.definitions)]
        ):
            last = _last.nursery = Process(modules=self._modules)
        return last

    def _pickled(self, thing: object, call: DoorCall | None = None) -> bytes:
        try:
            pickled = Pickled(thing, self._known)
            self._modules |= pickled.modules
            if not pickled.definitions:
                return pickled.data
            definitions = Pickled(pickled.definitions, self._known)
            self._modules |= definitions.modules
            start = self._count
            if all(map(_has_no_state, pickled.definitions)):
                # Perhaps it is known: a lambda in a script is made whenever the script is played.
                start = self._starts.setdefault(definitions.data, start)
            if start == self._count:
                self._count += len(pickled.definitions)
                self._definitions.append(definitions.data)
            numbers = enumerate(pickled.definitions, start)
            self._known |= {id(each): (number, each) for number, each in numbers}
            return Pickled(thing, self._known).data
        except Exception as error:
            if call is None:
                raise
            raise ScriptError(
                f"{call.name}, a function of me.{call.kind}, cannot be called in another process: "
                f"{type(error).__name__}: {error}"
            ) from error


def _has_no_state(thing: object) -> bool:
    if not isinstance(thing, FunctionType):
        return False
    return not (thing.__closure__ or thing.__defaults__ or thing.__kwdefaults__ or vars(thing))


@attrs.frozen
class _Answer:
    kind: str  # "value", "error", "end" of the tape, or "stopped" by an error of the tape
    value: Any
    billed: Mapping[Operation, int]
    words: int
    tossed: bool
    reduced: int | None
    choices: Sequence[Any]  # the outcomes of the coins that were tossed ahead

    @classmethod
    def of(cls, data: Any) -> "_Answer":
        kind, value, billed, words, tossed, reduced, choices = data
        plain = decode(value) if kind == "value" else value
        return cls(kind, plain, billed, words, tossed, reduced, decode(choices))


def _elements(field: Field, residues: Any, call: DoorCall) -> Residues:
    if residues.dtype != field.dtype or residues.shape != call.shape:
        raise ScriptError(f"{call.name} gives no elements of the field")
    if residues.size and int(residues.max()) >= field.modulus:
        raise ScriptError(f"{call.name} gives no elements of the field")
    return Residues(field, np.asarray(residues))


def _rebuilt(
    module: str, path: str, arguments: Sequence[Any], name: str | None, lines: Sequence[Any]
) -> BaseException:
    """Return an error of a function: of the same class if this is a class of Python or simnet."""
    is_known = module == "builtins" or module.partition(".")[0] == "simnet"
    kind = vars(sys.modules[module]).get(path) if is_known and module in sys.modules else None
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        kind = type(path.rpartition(".")[2], (Exception,), {})
    if kind in (KeyboardInterrupt, SystemExit, GeneratorExit):
        kind, arguments = ScriptError, [f"a function of a door raises {path}"]
    error: BaseException
    try:
        error = kind(*arguments)
    except TypeError:
        error = ScriptError(f"{path}: {', '.join(map(str, arguments))}")
    if isinstance(error, NameError):
        error.name = name
    setattr(error, LINES_ELSEWHERE, [tuple(line) for line in lines])
    return error
