"""One call of a door: the function, its arguments, and its result.

Theory of operation. A script can use its input, and the numbers behind field elements, only through
a *door*, one of three methods of `Party`. A door takes a function and arguments, and calls the
function with the values of these arguments::

    me.secret(function, *arguments, field=F, shape=(N,))    field elements, to be protected
    me.disclose(function, *arguments)                       a plain value, for everybody
    me.output(function, *arguments)                         a sealed value, to be returned

    argument                            the value that the function receives
    a sealed input                      the input
    an array of field elements, or      the numbers of its elements, an array of int64
    the result of its method `open`
    a result of `me.output`             the value that the function of `me.output` returned
    any other value                     the value itself; it must contain nothing sealed, and no
                                        array of field elements

Example. A user has a sealed `item`, a number from 0 to 3. The user declares a row with a 1 at the
item's place as a secret, and discloses whether the item is at least 2::

    row = me.secret(lambda item: np.eye(4, dtype=int)[item], item, field=F, shape=(4,))
    is_large = me.disclose(lambda item: item >= 2, item)

The function of `secret` or `disclose` receives discrete coins as one more argument if it has a
parameter for coins behind the others, as in `lambda item, coins: ...`. This is a parameter without
a default value, or one with the name `coins`.

The function of a door must be pure: its result depends only on its arguments and coins. So an
instrument can note the results of the doors, and read the run again without calling a function. An
instrument can also call a function again, for example with another input.
"""

import copy
import inspect
import operator
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from types import CodeType, MethodType
from typing import Any, Literal, Protocol

import attrs
import numpy as np

from simnet.coins.coins import Coins
from simnet.doors.captured import is_of_library, knowledge_of, with_fixed_variables
from simnet.doors.plain_keys import slots_of
from simnet.doors.plain_values import encode
from simnet.values.field import HELD_BY_ANOTHER, Field, FieldArray
from simnet.values.meter import Meter
from simnet.values.metered import Metered
from simnet.values.residues import Residues, constant, first_reduced
from simnet.values.sealed import Input, Made, Opened, SealBroken, Sealed, source_of

DoorKind = Literal["secret", "disclose", "output"]
Function = Callable[..., Any]


@attrs.frozen(eq=False)
class Plain:
    """An argument that is neither sealed nor an array of field elements."""

    value: Any


# The attribute of an error with the lines (file and number) in another process that it came from.
LINES_ELSEWHERE = "lines_elsewhere"

Argument = Input | Opened | Made | Plain


@attrs.define(eq=False, kw_only=True)
class DoorCall:
    """One call of a door.

    `number` is the number of the party's earlier calls of this kind of door. `result` is the result
    of the function: the field elements of a secret, the disclosed value, or the value of an output.
    If the function of an output raised an error, `error` is this error. `reduced` is the first
    number of at least q that the function of a secret gave, unless the call has `reduce`.
    """

    kind: DoorKind
    party: str
    number: int
    function: Function
    arguments: tuple[Argument, ...]
    takes_coins: bool
    field: Field | None = None
    shape: tuple[int, ...] = ()
    result: Any = None
    error: Exception | None = None
    reduce: bool = False
    reduced: int | None = None
    # What the function and the plain arguments were when the door was opened: see `captured`.
    knowledge: Hashable = None
    # Who calls the function, if it is not called in this process, and the function and the plain
    # arguments as they were when the door was opened.
    vault: "Caller | None" = None
    packed: bytes | None = None

    def fix(self) -> None:
        """Fix the variables around the function, and note what the function and the plain arguments
        are now: see `captured`.
        """
        if self.vault is not None:
            self.packed = self.vault.pack(self)
        self.function = with_fixed_variables(self.function)
        self.knowledge = self._knowledge()

    @property
    def has_changed(self) -> bool:
        """Whether the function, or a plain argument, has visibly changed since `fix` was called.
        False if another process calls the function as it was.
        """
        is_fixed = self.knowledge is not None and self.packed is None
        return is_fixed and self.knowledge != self._knowledge()

    def _knowledge(self) -> Hashable:
        plain = [each.value for each in self.arguments if isinstance(each, Plain)]
        return knowledge_of(self.function), tuple(map(knowledge_of, plain))

    @property
    def name(self) -> str:
        """The function's name, for messages to people."""
        name = str(getattr(self.function, "__name__", type(self.function).__name__))
        return "a lambda" if name == "<lambda>" else name

    @property
    def title(self) -> str:
        """A description of the call for messages: the function's name; for a class or a function of
        a library also the arguments that are not plain, as in `int(opened numbers)`.
        """
        if not is_of_library(self.function):
            return self.name
        given = [
            each.call.title
            if isinstance(each, Made)
            else "opened numbers"
            if isinstance(each, Opened)
            else "its input"
            for each in self.arguments
            if not isinstance(each, Plain)
        ]
        return f"{self.name}({', '.join(given)})"

    @property
    def rows(self) -> list[FieldArray]:
        """The field arrays whose numbers the function gets, directly or through an output that was
        made from them.
        """
        return [source.array for source in self.sources if isinstance(source, Opened)]

    @property
    def has_input(self) -> bool:
        """Whether the function gets an input, directly or through an output made from it."""
        return any(isinstance(source, Input) for source in self.sources)

    @property
    def sources(self) -> list[Input | Opened]:
        """The inputs and the field arrays among the arguments; each output is replaced by those
        that it was made of.
        """
        found: list[Input | Opened] = []
        pending = list(self.arguments)
        while pending:
            argument = pending.pop()
            if isinstance(argument, Made):
                pending += argument.call.arguments
            elif isinstance(argument, Input | Opened):
                found.append(argument)
        return found[::-1]


def door_call(
    kind: DoorKind,
    party: str,
    number: int,
    function: object,
    arguments: Sequence[object],
    meter: Meter | None,
    field: Field | None = None,
    shape: tuple[int, ...] | int = (),
    reduce: bool = False,
) -> DoorCall:
    """Return the call that a script asks for, checked without calling the function.

    Raises `TypeError` if `function` is not a function or takes another number of arguments, for a
    secret without a field or with a wrong kind of shape, for arguments that another party holds,
    and for a tuple, list or dictionary that contains a sealed value or a field array.
    """
    if isinstance(function, Sealed) or not callable(function):
        if isinstance(function, Sealed) or hasattr(function, "field"):
            raise TypeError(f"me.{kind} needs a function: write me.{kind}(function, value, ...)")
        raise TypeError(
            f"me.{kind} needs a function as its first argument, got {type(function).__name__}"
        )
    if kind == "secret" and not isinstance(field, Field):
        raise TypeError(
            "me.secret needs the field and the shape of the secret: "
            "write me.secret(function, value, field=F, shape=(N,))"
        )
    return DoorCall(
        kind=kind,
        party=party,
        number=number,
        function=function,
        arguments=tuple([_argument(kind, value, party, meter) for value in arguments]),
        takes_coins=_takes_coins(kind, function, len(arguments)),
        field=field,
        shape=_declared_shape(shape),
        reduce=reduce,
    )


def _declared_shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, tuple) and all(type(size) is int for size in shape):  # the usual case
        return shape
    try:
        sizes = shape if isinstance(shape, tuple | list) else (shape,)
        return tuple(map(operator.index, sizes))
    except SealBroken:
        raise
    except TypeError as error:
        raise TypeError(
            f"the shape of a secret consists of whole numbers, such as shape=(N,), or shape=() for "
            f"a single number, got shape={shape!r}"
        ) from error


def _argument(kind: DoorKind, value: object, party: str, meter: Meter | None) -> Argument:
    if type(value) is Sealed:
        source = source_of(value)
        if isinstance(source, Opened):
            _check_holder(source.array, meter)
            return source
        _check_owner(source, party, "uses")
        return source
    if hasattr(value, "is_same_as"):
        array: Any = value
        _check_holder(array, meter)
        return Opened(array)
    if type(value) in (tuple, list, dict) and not _is_plain(value):
        raise TypeError(
            f"a door takes each sealed value and each field array as an argument of its own, not "
            f"in a {type(value).__name__}: write me.{kind}(function, *values)"
        )
    return Plain(value)


def _check_owner(source: Input | Made, party: str, deed: str) -> None:
    owner = source.party if isinstance(source, Input) else source.call.party
    if owner != party:
        raise TypeError(f"{deed} {source}, which is sealed for {owner} alone")


def _check_holder(array: Any, meter: Meter | None, deed: str = "opens") -> None:
    if meter is not None and array.meter is not None and array.meter is not meter:
        raise TypeError(f"{deed} {HELD_BY_ANOTHER}")


def _is_plain(value: Any) -> bool:
    if isinstance(value, Sealed):
        return False
    if isinstance(value, tuple | list | set | frozenset):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value)) and all(map(_is_plain, value.values()))
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject or all(map(_is_plain, value.flat))
    return not hasattr(value, "is_same_as")


def _takes_coins(kind: DoorKind, function: Function, given: int) -> bool:
    is_bound = type(function) is MethodType
    # `inspect.signature` takes a hundred times as long as this look-up. So we call it only once for
    # each function.
    code = getattr(function, "__code__", None)
    place = (code, is_bound, kind, given)
    answer = None if code is None else _ANSWERS.get(place)
    if answer is None:
        answer = _has_place_for_coins(kind, function, given)
        if code is not None:
            _ANSWERS[place] = answer
    return answer


_ANSWERS: dict[tuple[CodeType | None, bool, DoorKind, int], bool] = {}
ANY_NUMBER = 1 << 30


def _has_place_for_coins(kind: DoorKind, function: Function, given: int) -> bool:
    least, most, names = _places(function)
    if kind != "output" and (
        least == given + 1 or (most > given and names[given : given + 1] == ("coins",))
    ):
        return True
    if not least <= given <= most:
        name = str(getattr(function, "__name__", "the function")).replace("<lambda>", "the lambda")
        and_coins = "" if kind == "output" else f", or {given + 1} to draw coins"
        expected = f"{least} or more" if most == ANY_NUMBER else f"{least} to {most}"
        expected = f"{least}" if least == most else expected
        noun = "argument" if expected == "1" else "arguments"
        raise TypeError(
            f"{name} takes {expected} {noun}, but me.{kind} calls it with {given}{and_coins}"
        )
    return False


def _places(function: Function) -> tuple[int, int, tuple[str, ...]]:
    """Return how many positional arguments a function needs, how many it takes, and their names."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some functions written in C have no signature
        return 0, ANY_NUMBER, ()
    positional = [
        each
        for each in parameters
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]
    needed = sum(each.default is each.empty for each in positional)
    takes_any = any(each.kind == each.VAR_POSITIONAL for each in parameters)
    most = ANY_NUMBER if takes_any else len(positional)
    return needed, most, tuple(each.name for each in positional)


def value_of(argument: Argument, meter: Meter | None = None) -> Any:
    """Return what a function gets for an argument. Operations on opened numbers are billed to
    `meter`.

    Raises the error of an output's function, if this function has failed.
    """
    if isinstance(argument, Plain):
        return argument.value
    if isinstance(argument, Input):
        return argument.value
    if isinstance(argument, Made):
        if argument.call.error is not None:
            raise argument.call.error
        return argument.call.result
    array: Any = argument.array
    integers = array.metered(None).as_integers(argument.signed)
    integers.meter = meter
    return integers


class Caller(Protocol):
    """Calls functions of doors in other processes."""

    def pack(self, call: "DoorCall") -> bytes:
        """Return the function and the plain arguments of a call as they are now."""
        ...

    def called(
        self,
        call: "DoorCall",
        values: Sequence[object],
        coins: Coins | None,
        meter: Meter | None,
    ) -> Any:
        """Return what the function `called` returns, and raise what it raises."""
        ...

    def check_again(self) -> None:
        """Make calls once more in another order, if they may have depended on each other. Raises
        `ScriptError` if one has another result.
        """
        ...


def called(
    call: DoorCall, values: Sequence[object], coins: Coins | None, meter: Meter | None = None
) -> Any:
    """Call the function, check its result, and return the result as `DoorCall.result` has it.

    If another process calls the function, what it does with opened numbers is billed to `meter`.
    Raises `TypeError` or `ValueError` for a result that the door does not accept, and every error
    that the function raises.
    """
    if call.vault is not None:
        return call.vault.called(call, values, coins, meter)
    result = call.function(*values, coins) if call.takes_coins else call.function(*values)
    if inspect.iscoroutine(result):
        result.close()
        raise TypeError(
            f"{call.name} is async: the function of a door must be a function without `async`"
        )
    if call.kind == "secret":
        return _elements(call, result)
    if call.kind == "disclose":
        return _disclosed(call, result)
    # Otherwise a captured value of another party could get into the output.
    if not _is_plain(result):
        raise TypeError(_returns_no_values(call, result))
    return result


def comes_from_a_door(error: BaseException) -> bool:
    """Return whether an error left the function of a door, or the check of its result."""
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code is called.__code__:
            return True
        traceback = traceback.tb_next
    return False


def _disclosed(call: DoorCall, result: Any) -> Any:
    try:
        encode(result)
    except TypeError:
        raise TypeError(_returns_no_values(call, result)) from None
    return copy.deepcopy(_without_meters(result))


def _returns_no_values(call: DoorCall, result: object) -> str:
    kind = type(result).__name__
    inside = " with other things inside" if isinstance(result, _CONTAINERS) else ""
    return (
        f"{call.name} returns a {kind}{inside}: the function of a door may return numbers, texts, "
        "arrays, None, and tuples, lists, sets and dictionaries of these"
    )


def _elements(call: DoorCall, result: Any) -> Residues:
    assert call.field is not None  # checked when the call was made
    if isinstance(result, Sealed) or hasattr(result, "field"):
        raise TypeError(
            f"{call.name} returns {type(result).__name__}: return whole numbers, which the door "
            "turns into field elements"
        )
    if type(result) is np.ndarray and result.dtype == np.int64:  # the usual case, faster
        field, integers = call.field, result
        residues = np.asarray(result % field.modulus)  # numpy returns a scalar for shape ()
        elements = Residues(field, residues.astype(field.dtype))
    else:
        elements = _whole_numbers(call, call.field, result)
        integers = np.asarray(result)
    if not call.reduce:
        call.reduced = first_reduced(call.field, integers)
    if elements.shape != call.shape:
        raise ValueError(
            f"{call.name} returns numbers of shape {elements.shape}, but the secret was declared "
            f"with shape={call.shape}"
        )
    return elements


def _whole_numbers(call: DoorCall, field: Field, result: Any) -> Residues:
    try:
        return constant(field, result, reduce=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise TypeError(
            f"{call.name} returns {_kind_of_numbers(result)}: the function of me.secret must "
            f"return whole numbers of at most 64 bits, of shape {call.shape}"
        ) from error


def _kind_of_numbers(result: Any) -> str:
    if isinstance(result, np.ndarray | np.generic):
        return f"numbers of {result.dtype}"
    if isinstance(result, list | tuple) and result:
        kinds = dict.fromkeys(type(each).__name__ for each in result)
        return f"{type(result).__name__} of {', '.join(kinds)}"
    return "None" if result is None else f"{type(result).__name__} {result!r}"


_CONTAINERS = (tuple, list, dict, set, frozenset, np.ndarray)


def open_door(call: DoorCall, coins: Coins | None, meter: Meter | None) -> Any:
    """Call the function with the values behind its arguments, and note its result.

    Raises the errors of `value_of` and `called`; for an output, the error is noted as `call.error`
    instead.
    """
    try:
        values = [value_of(argument, meter) for argument in call.arguments]
        call.result = called(call, values, coins, meter)
    except Exception as error:
        if call.kind != "output":
            raise
        call.error = error
    return call.result


def handed_out(call: DoorCall) -> Any:
    """Return what a script gets from an opened door. A disclosed value is copied, so that the
    script cannot change the record.
    """
    return copy.deepcopy(call.result) if call.kind == "disclose" else call.result


def unsealed(output: Any, party: str, meter: Meter) -> Any:
    """Return a script's result with plain values in place of sealed values, also of those inside
    tuples, lists and dictionaries.

    Raises `TypeError` for values that another party holds, and the error of an output's function,
    if this function has failed.
    """
    _check_own(output, party, meter, set())
    return _revealed(output)


def output_rows(output: Any) -> list[FieldArray]:
    """Return the field arrays that a script's result is made of, each once: those that it contains,
    and those that the functions of its outputs got.
    """
    found: dict[int, FieldArray] = {}
    pending, seen = [output], set[int]()
    while pending:
        piece = pending.pop()
        if isinstance(piece, Sealed):
            source = source_of(piece)
            rows = source.call.rows if isinstance(source, Made) else []
            pending += [source.array] if isinstance(source, Opened) else rows[::-1]
        elif hasattr(piece, "is_same_as"):
            found.setdefault(id(piece), piece)
        elif id(piece) not in seen:
            seen.add(id(piece))
            pending += [*_pieces(piece)][::-1]
    return list(found.values())


def _revealed(output: Any) -> Any:
    if isinstance(output, Sealed):
        return _without_meters(value_of(source_of(output)))
    return _mapped(output, _revealed)


def _without_meters(value: Any) -> Any:
    # A sealed value that is still inside this value belongs to another run, so it stays sealed.
    return _mapped(value, _without_meters)


def _mapped(value: Any, each: Callable[[Any], Any]) -> Any:
    """Return a tuple, list or dictionary with the result of `each` in place of every item or value.
    Return a `Metered` array as a plain array, and any other value unchanged.
    """
    if isinstance(value, Metered):
        return value.plain
    if type(value) in (tuple, list):
        return type(value)(each(piece) for piece in value)
    if type(value) is dict:
        return {key: each(piece) for key, piece in value.items()}
    return value


def _check_own(value: Any, party: str, meter: Meter, seen: set[int]) -> None:
    if isinstance(value, Sealed):
        source = source_of(value)
        if isinstance(source, Opened):
            _check_holder(source.array, meter, "returns")
        else:
            _check_owner(source, party, "returns")
    elif hasattr(value, "is_same_as"):
        _check_holder(value, meter, "returns")
    elif id(value) not in seen:
        seen.add(id(value))
        for piece in _pieces(value):
            _check_own(piece, party, meter, seen)


def _pieces(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, tuple | list | set | frozenset | deque):
        yield from value
    elif isinstance(value, np.ndarray):
        yield from value.flat if value.dtype.hasobject else ()
    elif type(value).__module__.partition(".")[0] not in ("builtins", "numpy", "simnet"):
        yield from getattr(value, "__dict__", {}).values()
        for _, contents in slots_of(value):
            yield contents
