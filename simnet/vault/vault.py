"""The vault of one run: where the functions of its doors are called.

Each call is made in a process of its own, which has the definitions of the run, and the values of
this call alone. So the result of a function
depends on its arguments and its coins, and on nothing that another call has left behind. A new
process takes about a millisecond. So a run of more than `MOST_PARTIES` parties, and a run after
its first `MOST_CALLS` calls, calls functions in two shared processes: one for functions that get
an input, and one, which has never had an input, for all others. A verdict on such a run makes the
calls once more in another order (`check_again`), and names this limit.

Equal calls have equal results. So a call without seeded coins is made once.
"""

import hashlib
import marshal
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from simnet.coins.coins import Coins, discrete_of
from simnet.coins.sampled import SampledDiscrete
from simnet.coins.tape import Choice, Tape, TapeDiscrete, TapeField
from simnet.doors.call import LINES_ELSEWHERE, DoorCall, Plain
from simnet.doors.plain_values import decode
from simnet.errors import ScriptError
from simnet.values.field import Field
from simnet.values.meter import Meter, Operation
from simnet.values.residues import Residues
from simnet.vault.chamber import Chamber
from simnet.vault.sending import Definitions, Pickled

Pieces = tuple[bytes, ...]  # one call, in one pickle or two

MOST_PARTIES = 50  # in a run with more parties, calls share processes
MOST_CALLS = 1_000  # the most calls of a run that have a process of their own
_HASH = "_attrs_cached_hash"
_KEPT = 10_000  # the most results that are kept for equal calls
IMPURE = (
    "the function returns another value when it is called again with the same arguments: its "
    "result may depend only on its arguments and coins, so the function may draw no other random "
    "numbers, read no clock, and use nothing that changes from call to call"
)

# Whether runs call all functions in place because the caller of `run` says so.
in_place_by_wish: ContextVar[bool] = ContextVar("in_place_by_wish", default=False)


def vault_of(protocol: object, scripts: Iterable[object], parties: int) -> "Vault | None":
    """Return a new vault for a run; None if functions of doors are called in place: if all code of
    the protocol and its scripts comes from installed packages, or if the caller says so.
    """
    if in_place_by_wish.get() or comes_installed((protocol, *scripts)):
        return None
    return Vault(is_shared=parties > MOST_PARTIES)


@contextmanager
def said_in_place(wish: bool | None) -> Iterator[None]:
    """A context in which runs call functions in place if the caller says so; None changes
    nothing.
    """
    before = in_place_by_wish.set(in_place_by_wish.get() if wish is None else wish)
    try:
        yield
    finally:
        in_place_by_wish.reset(before)


def memory_of(protocol: object, scripts: Sequence[object]) -> bytes | None:
    """Return all that scripts could remember from one run to the next, as far as it can be pickled:
    the attributes of the protocol, and the classes, functions and global variables that scripts
    use. None if it cannot be pickled.

    Cached properties and hashes are left out.
    """
    kind = type(protocol)
    names = {*getattr(protocol, "__dict__", {}), *(each.name for each in _fields(kind))}
    attributes = [
        (name, getattr(protocol, name))
        for name in sorted(names)
        if not isinstance(getattr(kind, name, None), cached_property) and name != _HASH
    ]
    functions = [getattr(script, "__func__", script) for script in scripts]
    try:
        return Pickled((kind, attributes, functions), {}).data
    except Exception:
        return None


def _fields(kind: type) -> Sequence[Any]:
    return attrs.fields(kind) if attrs.has(kind) else ()


def comes_installed(thing: object) -> bool:
    """Return whether an object and all that it refers to comes from installed packages."""
    try:
        Pickled(thing, {}, must_be_installed=True)
    except Exception:  # what cannot be pickled cannot be judged
        return False
    return True


class Vault:
    """Calls functions in other processes. `shared_calls` counts the calls in shared processes."""

    def __init__(self, is_shared: bool) -> None:
        self.shared_calls = 0
        self._is_shared = is_shared
        self._own_calls = 0
        self._shared: list[tuple[DoorCall, Pieces, bytes]] = []  # with a digest of the answer
        self._numbers: Definitions = {}
        self._definitions: list[bytes] = []
        self._modules: set[str] = set()
        self._chambers: dict[bool, Chamber] = {}  # shared: for calls with inputs, and for others
        self._kept: dict[Pieces, _Answer] = {}

    def pack(self, call: DoorCall) -> bytes:
        """Return, pickled, the function and the plain arguments of a call as they are now.

        Raises `ScriptError` if they cannot be sent to another process.
        """
        return self._pickled(call, _described(call))

    def called(
        self, call: DoorCall, values: Sequence[object], coins: Coins | None, meter: Meter | None
    ) -> Any:
        """Return what `doors.call.called` returns, or raise what it raises."""
        given = [
            value
            for argument, value in zip(call.arguments, values, strict=True)
            if not isinstance(argument, Plain)
        ]
        source = None if coins is None else discrete_of(coins)
        meter = meter or Meter()
        if not isinstance(source, TapeDiscrete):
            answer = self._answer(call, given, coins)
        else:
            # The child plays the first outcomes of the tape. Then it says which coin comes next.
            outcomes: list[Any] = []
            while True:
                tape = Tape(outcomes)
                begun = Coins(source.on(tape), TapeField(tape), meter).for_doors
                answer = self._answer(call, given, begun)
                if answer.kind != "end":
                    break
                outcomes.append(source.tape.toss(Choice(answer.value)))
        for operation, times in answer.billed.items():
            meter.bill(operation, times)
        if coins is not None:
            coins.tossed |= answer.tossed
        if isinstance(source, SampledDiscrete):
            source.skip(answer.words)
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
            self._asked(call, pieces)
            if self._shared[-1][2] != digest:
                raise ScriptError(f"{call.party} (me.{call.kind} of {call.name}): {IMPURE}")
        self.shared_calls, self._shared = len(shared), []

    def _answer(self, call: DoorCall, given: Sequence[object], coins: Coins | None) -> "_Answer":
        values = given, coins
        if call.packed is not None:
            pieces: Pieces = call.packed, self._pickled(call, values)
        else:
            pieces = (self._pickled(call, (*_described(call), *values)),)
        is_seeded = coins is not None and isinstance(discrete_of(coins), SampledDiscrete)
        answer = None if is_seeded else self._kept.get(pieces)
        if answer is None:
            answer = self._asked(call, pieces)
            if not is_seeded and len(self._kept) < _KEPT:
                self._kept[pieces] = answer
        return answer

    def _asked(self, call: DoorCall, pieces: Pieces) -> "_Answer":
        is_shared = self._is_shared or self._own_calls >= MOST_CALLS
        self._own_calls += not is_shared
        self.shared_calls += is_shared
        try:
            chamber = self._chambers.get(call.has_input) if is_shared else None
            if chamber is None or not self._modules <= chamber.modules:
                chamber = Chamber(self._modules)
            further = self._definitions[chamber.sent :]
            chamber.sent = len(self._definitions)
            data = chamber.ask(marshal.dumps([further, pieces]))
            if is_shared:
                self._chambers[call.has_input] = chamber
                self._shared.append((call, pieces, hashlib.blake2b(data).digest()))
            else:
                chamber.end()
            return _Answer.of(marshal.loads(data))
        except Exception as error:
            self._chambers.clear()
            raise ScriptError(
                f"{call.party} (me.{call.kind} of {call.name}): the process in which the function "
                f"was called {error}: the function of a door may only return a value"
            ) from None

    def _pickled(self, call: DoorCall, thing: object) -> bytes:
        try:
            pickled = Pickled(thing, self._numbers)
            self._modules |= pickled.modules
            if not pickled.definitions:
                return pickled.data
            definitions = Pickled(pickled.definitions, self._numbers)
            self._modules |= definitions.modules
            self._definitions.append(definitions.data)
            for definition in pickled.definitions:
                self._numbers[id(definition)] = len(self._numbers), definition
            return Pickled(thing, self._numbers).data
        except Exception as error:
            raise ScriptError(
                f"{call.name}, a function of me.{call.kind}, cannot be called in another process: "
                f"{type(error).__name__}: {error}"
            ) from error


def _described(call: DoorCall) -> tuple[dict[str, Any], dict[int, Any]]:
    described = {
        "kind": call.kind,
        "party": call.party,
        "number": call.number,
        "function": call.function,
        "takes_coins": call.takes_coins,
        "field": call.field,
        "shape": call.shape,
    }
    arguments = enumerate(call.arguments)
    return described, {place: each.value for place, each in arguments if type(each) is Plain}


@attrs.frozen
class _Answer:
    kind: str  # "value", "error", "end" of the tape, or "stopped" by an error of the tape
    value: Any
    billed: Mapping[Operation, int]
    words: int
    tossed: bool
    reduced: int | None

    @classmethod
    def of(cls, data: Any) -> "_Answer":
        kind, value, billed, words, tossed, reduced = data
        plain = decode(value) if kind in ("value", "end") else value
        return cls(kind, plain, billed, words, tossed, reduced)


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
