"""Two functions are the same only if their code is the same and everything that they use is the
same.
"""

import datetime
import functools
import itertools
import random
import re
import threading
from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from pathlib import Path
from struct import Struct
from types import FunctionType, MappingProxyType, SimpleNamespace
from typing import Any, TypeVar

import attrs
import flint
import numpy as np
import pytest

from simnet import Party, Seat, run, verdict
from simnet.adversary.symbolic import SharedSecrets
from simnet.doors.call import DoorCall
from simnet.doors.captured import is_same
from simnet.errors import SimnetError
from simnet.linear.unknowns import Unknowns
from tests.harness.many_cases import for_each
from tests.harness.scripts import NOTE, F, elements, idle, in_a_list

Function = Callable[..., Any]


@attrs.define
class Record:
    """Adds a number."""

    number: Any

    def added(self, value: int) -> Any:
        return value + self.number


class Plain(Record):
    """The same with an attribute that attrs does not know of."""

    def __init__(self, number: Any) -> None:
        super().__init__(0)
        self.more = {"number": [number]}


class Private:
    """An object with a private slot."""

    __slots__ = ("__number",)

    def __init__(self, number: int) -> None:
        self.__number = number

    def added(self, value: int) -> int:
        return value + self.__number


class Unmangled(Private):
    """Its slot has a name that is not made from the present name of the class."""

    __slots__ = ("__more",)

    def __init__(self, number: int) -> None:
        super().__init__(0)
        self.__more = number

    def added(self, value: int) -> int:
        return value + self.__more


Unmangled.__name__ = "Renamed"


def using(**names: Any) -> Function:
    """A function that uses `helper` of its module, which has these names."""
    return FunctionType((lambda value: helper(value)).__code__, {"__name__": "module", **names})


def helper(value: int) -> int:  # stands for whatever a module gives this name
    return value


def capturing(number: Any) -> Function:
    return lambda value: value + number


def recursing(number: int) -> Function:
    def down(value: int) -> int:
        return down(value - 1) if value else number

    return down


def opened(function: Function) -> DoorCall:
    call = DoorCall(
        kind="secret", party="a", number=0, function=function, arguments=(), takes_coins=False
    )
    call.fix()
    return call


def same(first: DoorCall, second: DoorCall) -> bool:
    assert is_same(first.knowledge, second.knowledge) == is_same(second.knowledge, first.knowledge)
    return is_same(first.knowledge, second.knowledge)


LEFT, RIGHT = TypeVar("LEFT"), TypeVar("RIGHT")


class Labelled(np.ndarray[Any, Any]):
    pass


def labelled(label: object) -> Labelled:
    array = np.zeros(2).view(Labelled)
    array.label = label  # type: ignore[attr-defined]
    return array


# Objects of classes of Python and numpy.
OF_LIBRARIES: list[Function] = [
    slice,
    lambda n: datetime.date(2020, 1, 1 + n),
    lambda n: [Decimal(n)],
    lambda n: {Path(str(n)): re.compile(str(n))},
    lambda n: Counter([n]),
    lambda n: deque([n]),
    lambda n: array("i", [n]),
    lambda n: SimpleNamespace(limit=n),
    lambda n: np.dtype(f"i{4 + 4 * n}"),
    lambda n: random.Random(n),
    np.random.default_rng,
    lambda n: (np.random.default_rng(n),),
    lambda n: MappingProxyType({"limit": n}),
    lambda n: MappingProxyType([{1: 2}, defaultdict(int, {1: 2})][n]),
    lambda n: {n: 1}.keys(),
    lambda n: {1: n}.values(),
    lambda n: {1: n}.items(),
    lambda n: [..., NotImplemented][n],
    lambda n: [LEFT, RIGHT][n],
    lambda n: Context(prec=5 + n),
    lambda n: Struct("<iq"[: 2 + n]),
    lambda n: memoryview(b"abcd"[n:]),
    lambda n: memoryview(b"\xff\xff").cast("Bb"[n]),  # type: ignore[call-overload]
    lambda n: np.ma.MaskedArray([1, 2], mask=[n, 1]),
    lambda n: np.ma.MaskedArray([1, 2], mask=[0, 1], fill_value=n),
    lambda n: np.ma.MaskedArray([1, 2], mask=[0, 1], hard_mask=bool(n)),
    lambda n: np.rec.array([(1, n)]),
    lambda n: np.zeros(5_000 + n).view(np.recarray),
    lambda n: labelled(n),
    lambda n: np.array(["ab"[n]], dtype=np.dtypes.StringDType()),
]

MADE: list[Callable[[int], Function]] = [
    lambda n: (lambda v: (v, (1,))) if n else (lambda v: (v, (True,))),
    lambda n: (lambda v: v + 0.0) if n else (lambda v: v + -0.0),
    lambda n: (lambda v: v - 1) if n else (lambda v: 1 - v),
    lambda n: (lambda v: [w + 1 for w in v]) if n else (lambda v: [w + True for w in v]),
    capturing,
    lambda n: capturing([n, (n, {"n": np.arange(n + 3)})]),
    lambda n: capturing(np.arange(5_000) + n),
    lambda n: capturing(capturing(n)),
    lambda n: lambda value, *, by=n: value + by,
    lambda n: lambda value, by=n: value + by,
    lambda n: functools.partial(max, n),
    lambda n: functools.partial(Record(1).added, value=n),
    lambda n: functools.partial(using(), "n", 1) if n else functools.partial(using(), n=1),
    lambda n: Record(n).added,
    lambda n: Private(n).added,
    lambda n: capturing(np.array([(0,)] * 5_000, dtype=[(f"n{n}", "i8")])),
    lambda n: capturing(np.zeros((70, 70), order="CF"[n])),  # type: ignore[call-overload]
    lambda n: Unmangled(n).added,
    lambda n: Plain(n).added,
    lambda n: using(helper=capturing(n)),
    lambda n: using(helper=lambda v, n=n: using(helper=capturing(n))(v)),
    lambda n: using(helper=functools.cache(capturing(n))),
    lambda n: using(helper=[abs, len][n]),
    lambda n: using(helper=[np.mean, np.sum][n]),
    lambda n: using(helper=[np.add, np.subtract][n]),
    lambda n: [Record, Plain][n],
    lambda n: [n].count,
    recursing,
    *(lambda n, make=make: capturing(make(n)) for make in OF_LIBRARIES),
]


@for_each("made", MADE)
def test_functions_are_the_same_if_they_are_written_alike_and_know_the_same(
    made: Callable[[int], Function],
) -> None:
    for first, second in itertools.product((0, 1), repeat=2):
        assert same(opened(made(first)), opened(made(second))) == (first == second)


OPAQUE: list[Function] = [
    random.SystemRandom().random,
    capturing(iter([1])),
    capturing(object()),
    capturing(labelled(object())),
    capturing(threading.Lock()),
    iter([1]).__next__,
    capturing(flint.fmpz(3)),
    capturing(type("Integer", (flint.fmpz,), {})(3)),
    np.frompyfunc(lambda value: value, 1, 1),
]


@pytest.mark.parametrize("function", OPAQUE, ids=map(str, range(len(OPAQUE))))
def test_what_shows_nothing_of_itself_is_never_the_same(function: Function) -> None:
    call = opened(function)
    assert not call.has_changed
    assert not same(call, opened(function))
    assert not same(call, call)


class Sum:
    """A sum by a server. The function of the users' secrets is a method of the protocol."""

    items = 5

    def __init__(self, attribute: object) -> None:
        self.attribute = attribute

    def parties(self) -> Mapping[str, Seat]:
        return {"u1": Seat(self.user), "u2": Seat(self.user), "server": Seat(self.server)}

    def number(self, x: int) -> list[int]:
        return [x]

    def secret(self, user: Any, item: Any) -> Any:
        return user.secret(self.number, item, field=F, shape=(1,))

    async def user(self, me: Party, item: Any) -> None:
        await me.send(NOTE, "server", self.secret(me, item))

    async def server(self, me: Party) -> None:
        await me.gather(NOTE, ["u1", "u2"])

    def functionality(self, items: Any, users: Any) -> Any:
        return {"server": [self.secret(*each) for each in zip(users, items, strict=True)]}


@pytest.mark.parametrize("make", OF_LIBRARIES, ids=map(str, range(len(OF_LIBRARIES))))
def test_a_protocol_may_have_attributes_of_any_class_with_visible_contents(make: Function) -> None:
    assert verdict(run(Sum(make(1)), [1, 2], seed=0), "server").finding == "output-only"


def test_an_attribute_that_cannot_be_compared_is_named() -> None:
    with pytest.raises(SimnetError, match="of type lock, whose contents cannot be compared"):
        verdict(run(Sum([threading.Lock()]), [1, 2], seed=0), "server")


def test_one_function_is_not_the_same_when_what_it_uses_has_changed() -> None:
    held, table, rng, queue = Plain(1), [1], random.Random(1), deque([1])
    partial = functools.partial(max)
    partial.limit = 1  # type: ignore[attr-defined]
    module, with_limit = using(helper=lambda value: value), using()
    with_limit.limit = 1  # type: ignore[attr-defined]
    for function, change in (
        (held.added, lambda: held.more.update(number=[2])),
        (capturing(table), lambda: table.append(2)),
        (table.index, lambda: table.append(3)),
        (module, lambda: module.__globals__.update(helper=abs)),
        (with_limit, lambda: setattr(with_limit, "limit", 2)),
        (capturing(partial), lambda: setattr(partial, "limit", 2)),
        (rng.random, lambda: rng.seed(2)),
        (capturing(queue), lambda: queue.append(2)),
    ):
        before = opened(function)
        assert same(before, opened(function))
        change()
        assert before.has_changed
        assert not same(before, opened(function))


def test_a_changed_array_is_noticed_also_if_it_has_attributes() -> None:
    array = np.zeros(2).view(np.recarray)
    call = opened(capturing(array))
    array[0] = 1
    assert call.has_changed


class Sending:
    """`a` sends a secret behind a coin."""

    def __init__(self, function: Function) -> None:
        self.function = function

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(idle)}

    async def a(self, me: Party, value: Any) -> None:
        mine = me.secret(self.function, value, field=F, shape=1)
        await me.send(NOTE, "b", mine + me.coins.field(F, (1,)))


def test_secrets_of_two_modules_of_one_name_are_not_one_unknown() -> None:
    """At 1, x and x² are equal; two runs from one seed tell whether they are."""
    functions = [
        using(helper=lambda value: [value]),
        using(helper=lambda value: [value * value]),
        using(helper=lambda value: [value]),
    ]
    first, square, again = (run(Sending(function), [1], seed=3) for function in functions)
    assert verdict([first, square], "b", same_inputs=True).at_most == "leaks"
    assert verdict([first, again], "b", same_inputs=True).finding == "nothing"


def test_secrets_that_a_class_written_in_c_decides_are_not_one_unknown() -> None:
    """At 0, both functions give 0; the class `fmpz` does not show its number."""
    first, second = (
        run(Sending(using(helper=lambda v, c=c: [int(c * v)])), [0], seed=3)
        for c in (flint.fmpz(1), flint.fmpz(2))
    )
    assert verdict([first, second], "b", same_inputs=True).at_most == "leaks"


def test_nor_are_secrets_that_differ() -> None:
    """A class may keep what nobody sees; then what its doors gave tells."""
    shared, family = SharedSecrets(), Unknowns().family("secret", 1, "", "a", elements(1))
    shared.add(opened(in_a_list), "group", elements(1), family)
    assert shared.family(opened(in_a_list), "group", elements(1)) is family
    assert shared.family(opened(in_a_list), "group", elements(2)) is None
    assert shared.family(opened(in_a_list), "another", elements(1)) is None
