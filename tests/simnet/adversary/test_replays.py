"""What a door's function leaves behind is found by playing the run on other inputs."""

import collections
import decimal
import enum
import functools
import itertools
import logging
import random
import re
import time
import types
import zoneinfo
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, ClassVar

import attrs
import numpy as np
import pytest

from protocols.dpds.script import DPDS
from protocols.local_frequency.script import local_frequency
from simnet import Field, Party, Run, Sealed, Seat, Tag, index, run, verdict
from simnet.adversary.orbits.verdict import AlikeJudge
from simnet.adversary.reading_again import recorded
from simnet.adversary.replays import (
    Replays,
    few_changed,
    other_inputs,
    replayed_on_other_inputs,
    replays_in_words,
)
from simnet.errors import ScriptError
from simnet.exhaustive.model import Model
from tests.harness.same_names import Answer

F, NOTE = Field(101), Tag("note")


class Smuggler:
    """A party whose door keeps the vote in a list, at which the script looks later."""

    items = 3

    def parties(self) -> Mapping[str, Seat]:
        return {"voter": Seat(self.voter), "reader": Seat(self.reader)}

    async def voter(self, me: Party, vote: Sealed) -> None:
        seen: list[int] = []

        def kept(value: int) -> list[int]:
            if value == 1:
                seen.append(value)
            return [value]

        secret = me.secret(kept, vote, field=F, shape=(1,))
        mask, other = me.coins.field(F, (1,)), me.coins.field(F, (1,))
        await me.send(NOTE, "reader", secret + mask)
        await me.send(NOTE, "reader", mask if seen else other)

    async def reader(self, me: Party) -> None:
        await me.receive_each(NOTE, "voter", 2)


class Pure(Smuggler):
    """The same party without the list."""

    async def voter(self, me: Party, vote: Sealed) -> None:
        secret = me.secret(lambda value: [value], vote, field=F, shape=(1,))
        mask, other = me.coins.field(F, (1,)), me.coins.field(F, (1,))
        await me.send(NOTE, "reader", secret + mask)
        await me.send(NOTE, "reader", other)


def replays_of(protocol: Any, inputs: Any, **options: int) -> Replays:
    done: Run = run(protocol, inputs, seed=1)
    sampled, record = recorded(done, done.roster.names)
    return replayed_on_other_inputs(sampled, record, **options)


@pytest.mark.parametrize("vote", [1, 2, 3])
def test_a_function_that_leaves_something_behind_is_found_on_every_input(vote: int) -> None:
    with pytest.raises(ScriptError, match=r"voter in round 1.*has a side effect"):
        replays_of(Smuggler(), [vote])


SEEN: set[int] = set()
LAST = 0


def keeps_in_a_global(value: int) -> list[int]:
    global LAST  # this is what the test is about
    LAST = max(LAST, value)
    return [value]


def keeps_in_a_set(value: int) -> list[int]:
    SEEN.add(value)
    return [value]


@functools.cache
def doubled(value: int) -> int:
    return 2 * value


def uses_a_cache(value: int) -> list[int]:
    return [doubled(value)]


class Looks(Smuggler):
    """A party whose door leaves a trace that stays after the run; the script may look at it."""

    queue: ClassVar[collections.deque[int]] = collections.deque(maxlen=1)

    def __init__(self, function: Callable[[int], list[int]] | None, look: Callable[[], bool]):
        self.function = function or self.keeps_in_a_class
        self.look = look

    def keeps_in_a_class(self, value: int) -> list[int]:
        self.queue.append(value)
        return [value]

    async def voter(self, me: Party, vote: Sealed) -> None:
        secret = me.secret(self.function, vote, field=F, shape=(1,))
        mask, other = me.coins.field(F, (1,)), me.coins.field(F, (1,))
        await me.send(NOTE, "reader", secret + mask)
        await me.send(NOTE, "reader", mask if self.look() else other)


@pytest.mark.parametrize("vote", [1, 2, 3])
@pytest.mark.parametrize(
    ("function", "look"),
    [
        (keeps_in_a_set, lambda: 2 in SEEN),
        (keeps_in_a_global, lambda: LAST > 1),
        (None, lambda: 2 in Looks.queue),
        (uses_a_cache, lambda: doubled.cache_info().currsize > 0),
    ],
)
def test_a_trace_that_stays_after_the_run_is_found(vote: int, function: Any, look: Any) -> None:
    """The run itself leaves the trace, so that all later readings may find it there already."""
    global LAST  # every case begins without a trace
    SEEN.clear()
    Looks.queue.clear()
    doubled.cache_clear()
    LAST = 0
    done = run(Looks(function, look), [vote], seed=1)
    with pytest.raises(ScriptError, match=r"may only return a value|leave out `cache_info`"):
        verdict(done, ["reader"])


class Table(list[int]):
    """A list of a class of its own."""


@attrs.frozen
class Notebook:
    """Places where a function can leave something behind, besides lists and global variables."""

    pages: ClassVar[list[int]] = []
    last: ClassVar[int] = 0
    table = Table()
    noting = np.vectorize(lambda value: SEEN.add(value) or value, otypes=[int])  # type: ignore[func-returns-value]
    space = types.SimpleNamespace(last=0)

    def in_a_list_of_the_class(self, value: int) -> list[int]:
        self.pages.append(value)
        return [value]

    def in_the_class(self, value: int) -> list[int]:
        type(self).last = value
        return [value]

    def in_an_object_of_python(self, value: int) -> list[int]:
        self.space.last = max(self.space.last, value)
        return [value]

    def in_a_derived_list(self, value: int) -> list[int]:
        self.table.append(value)
        return [value]

    def through_a_method(self, value: int) -> list[int]:
        return self.note(value)

    def in_a_vectorized_function(self, value: int) -> list[int]:
        return [int(self.noting(value))]

    def note(self, value: int) -> list[int]:
        SEEN.add(value)
        return [value]


@pytest.mark.parametrize(
    "name",
    [
        "in_a_list_of_the_class",
        "in_the_class",
        "in_an_object_of_python",
        "in_a_derived_list",
        "through_a_method",
        "in_a_vectorized_function",
    ],
)
def test_a_trace_in_any_visible_place_is_found(name: str) -> None:
    SEEN.clear()
    Notebook.last = 0
    for shared in (Notebook.pages, Notebook.table):
        shared.clear()
    Notebook.space.last = 0
    function = getattr(Notebook(), name)
    done = run(Looks(function, lambda: False), [2], seed=1)
    assert "the function changes something that it uses" in done.side_effects[0]
    with pytest.raises(ScriptError, match="may only return a value"):
        verdict(done, ["reader"])


def replaced(value: int) -> None:
    """A function in whose place another one is put."""


def replaces_a_function(value: int) -> list[int]:
    replaced(value)
    globals()["replaced"] = print
    return [value]


def replaces_the_contents_of_a_variable() -> Callable[[int], list[int]]:
    last: Any = print

    class Around:
        def noted(self, value: int) -> list[int]:
            nonlocal last
            last = value
            return [value]

    def through_a_method(value: int, around: Around = Around()) -> list[int]:  # noqa: B008
        return around.noted(value)

    return through_a_method


@pytest.mark.parametrize(
    "function", [replaces_a_function, replaces_the_contents_of_a_variable()], ids=["global", "cell"]
)
def test_what_held_a_function_at_first_is_compared_too(
    function: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a function uses is found once, and what it has there is compared at each call."""
    monkeypatch.setitem(globals(), "replaced", replaced)
    done = run(Looks(function, lambda: False), [2], seed=1)
    assert "the function changes something that it uses" in done.side_effects[0]


def test_what_python_and_installed_packages_keep_for_themselves_is_no_trace() -> None:
    zone = zoneinfo.ZoneInfo("UTC")
    halves = np.vectorize(lambda value: value // 2, otypes=[int])

    class Permission(enum.Flag):
        READ = 1
        WRITE = 2

    @functools.singledispatch
    def size(value: object) -> int:
        return len(str(value))

    def plain(value: int) -> list[int]:
        logging.getLogger("simnet.tests").debug("called")
        both = Permission.READ | Permission.WRITE
        assert zone.key == "UTC"
        return [int(halves(value)) + both.value + size(value) + decimal.Context(prec=3).prec]

    done = run(Looks(plain, lambda: False), [2], seed=1)
    assert not done.side_effects
    assert verdict(done, ["reader"]).finding == "nothing"


def test_a_cache_at_which_the_script_does_not_look_is_no_trace() -> None:
    class Cached(Pure):
        @functools.cached_property
        def offset(self) -> int:
            return 1

        async def voter(self, me: Party, vote: Sealed) -> None:
            number = me.secret(
                lambda value: [doubled(value) + self.offset], vote, field=F, shape=(1,)
            )
            mask, other = me.coins.field(F, (1,)), me.coins.field(F, (1,))
            await me.send(NOTE, "reader", number + mask)
            await me.send(NOTE, "reader", other)

    doubled.cache_clear()
    done = run(Cached(), [2], seed=1)
    assert not done.side_effects
    assert verdict(done, ["reader"]).finding == "nothing"


RUNS: list[int] = []
COUNT = itertools.count()
LATEST = np.zeros(1)


class LeaksOnce(Smuggler):
    """The vote is masked, but in its first run the script sends a mask of 0. `counted` returns how
    many runs came before.
    """

    total: ClassVar[int] = 0

    def __init__(self, counted: Callable[["LeaksOnce"], int] = lambda _: 1) -> None:
        self.counted = counted
        self.runs = 0

    async def voter(self, me: Party, vote: Sealed) -> None:
        secret = me.secret(lambda value: [value], vote, field=F, shape=(1,))
        mask = me.coins.field(F, (1,))
        await me.send(NOTE, "reader", secret + mask if self.counted(self) else secret)
        await me.send(NOTE, "reader", me.coins.field(F, (1,)))


def in_a_list(_: LeaksOnce) -> int:
    RUNS.append(1)
    return len(RUNS) - 1


def in_an_array(_: LeaksOnce) -> int:
    LATEST[0] += 1
    return int(LATEST[0]) - 1


def in_an_object(me: LeaksOnce) -> int:
    me.runs += 1
    return me.runs - 1


def in_a_class(me: LeaksOnce) -> int:
    type(me).total += 1
    return type(me).total - 1


def in_an_attribute_of_a_function(me: LeaksOnce) -> int:
    before: int = vars(in_an_attribute_of_a_function).get("runs", 0)
    vars(in_an_attribute_of_a_function)["runs"] = before + 1
    return before


def in_a_variable_around() -> Callable[[LeaksOnce], int]:
    runs = -1

    def counted(_: LeaksOnce) -> int:
        nonlocal runs
        runs += 1
        return runs

    return counted


def first_of_two() -> int:
    return 0


def later_of_two() -> int:
    return 1


def in_the_code_of_a_function(_: LeaksOnce) -> int:
    before = first_of_two()
    first_of_two.__code__ = later_of_two.__code__
    return before


def with_default(runs: int = 0) -> int:
    return runs


def in_a_default(_: LeaksOnce) -> int:
    before = with_default()
    with_default.__defaults__ = (1,)
    return before


def in_an_attribute_of_a_cached_function(_: LeaksOnce) -> int:
    before: int = vars(doubled).get("runs", 0)
    vars(doubled)["runs"] = 1
    return before


class Replaced:
    __runs__ = 0

    @staticmethod
    def before() -> int:
        return 0


def in_a_method_of_a_class(_: LeaksOnce) -> int:
    before = Replaced.before()
    Replaced.before = staticmethod(lambda: 1)  # type: ignore[method-assign]
    return before


def in_an_attribute_with_underscores(_: LeaksOnce) -> int:
    Replaced.__runs__ += 1
    return Replaced.__runs__ - 1


PACKAGE, PART = types.ModuleType("package"), types.ModuleType("package.part")
vars(PACKAGE)["part"], vars(PART)["runs"] = PART, 0


def in_a_module_of_a_package(_: LeaksOnce) -> int:
    PACKAGE.part.runs += 1
    return int(PACKAGE.part.runs) - 1


@pytest.mark.parametrize(
    "counted",
    [
        in_a_list,
        in_an_array,
        in_an_object,
        in_a_class,
        in_an_attribute_of_a_function,
        in_a_variable_around(),
        lambda _: next(COUNT),
        in_the_code_of_a_function,
        in_a_default,
        in_an_attribute_of_a_cached_function,
        in_a_method_of_a_class,
        in_an_attribute_with_underscores,
        in_a_module_of_a_package,
    ],
)
def test_a_script_that_counts_its_runs_is_refused(counted: Any) -> None:
    """The first run leaks, and no later reading does."""
    done = run(LeaksOnce(counted), [2], seed=1)
    with pytest.raises(ScriptError, match="a script changes something that outlasts the run"):
        verdict(done, ["reader"])
    with pytest.raises(ScriptError, match="a script changes something that outlasts the run"):
        AlikeJudge(done.protocol, [2], 1, same_as=done)
    assert verdict(run(LeaksOnce(), [2], seed=1), ["reader"]).finding == "nothing"
    assert verdict(run(LeaksOnce(lambda _: 0), [2], seed=1), ["reader"]).finding == "leaks"


class CountsSeats(LeaksOnce):
    """Here it is `parties()` that counts."""

    def __init__(self) -> None:
        super().__init__(lambda me: int(me.runs > 2))

    def parties(self) -> Mapping[str, Seat]:
        self.runs += 1
        return super().parties()


@functools.cache
def thirty_voters() -> list[LeaksOnce]:
    return [*(LeaksOnce() for _ in range(29)), LeaksOnce(in_an_object)]


class OneOfMany(LeaksOnce):
    """Thirty objects have a script each, and the last one counts its runs. They are the result of a
    function with a cache, so nothing but their seats shows them.
    """

    def parties(self) -> Mapping[str, Seat]:
        voters = {
            f"voter{number}": Seat(each.voter, role=f"voter{number}")
            for number, each in enumerate(thirty_voters())
        }
        return {**voters, "reader": Seat(self.reader)}

    async def reader(self, me: Party) -> None:
        for number in range(30):
            await me.receive_each(NOTE, f"voter{number}", 2)


class BesideNoise(LeaksOnce):
    """The list in which it counts stands beside an object that is described differently each
    time.
    """

    class Noise(dict[int, int]):
        def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
            return dict, (), {"time": time.perf_counter_ns()}

    def __init__(self) -> None:
        self.noise = self.Noise()
        super().__init__(in_an_object)


@pytest.mark.parametrize(
    ("protocol", "votes"), [(CountsSeats(), 1), (OneOfMany(), 30), (BesideNoise(), 1)]
)
def test_a_protocol_that_counts_its_runs_is_refused(protocol: LeaksOnce, votes: int) -> None:
    done = run(protocol, [2] * votes, seed=1)
    with pytest.raises(ScriptError, match="a script changes something that outlasts the run"):
        verdict(done, ["reader"])


def test_a_script_that_asks_a_cache_for_its_calls_is_refused() -> None:
    doubled.cache_clear()

    def counted(_: LeaksOnce) -> int:
        before = doubled.cache_info().misses
        doubled(1)
        return before

    with pytest.raises(ScriptError, match="leave out `cache_info` or the cache"):
        verdict(run(LeaksOnce(counted), [2], seed=1), ["reader"])


def test_an_observed_run_shows_a_leak_wherever_the_script_remembers_it() -> None:
    numbers = (number for number in range(9))  # a generator shows nothing of what it has done
    unseen = run(LeaksOnce(lambda _: next(numbers)), [2], seed=1)
    assert not unseen.side_effects
    numbers = (number for number in range(9))
    seen = run(LeaksOnce(lambda _: next(numbers)), [2], seed=1, observe=["reader"])
    with pytest.raises(ScriptError, match="its message to reader differs"):
        verdict(seen, ["reader"])


def test_parties_may_make_an_attribute_that_stays_the_same() -> None:
    class Fills(LeaksOnce):
        table: tuple[int, ...] = ()

        def parties(self) -> Mapping[str, Seat]:
            self.table = self.table or (1, 2)
            return super().parties()

    assert verdict(run(Fills(), [2], seed=1), ["reader"]).finding == "nothing"


def test_a_pure_script_is_replayed_on_all_other_items() -> None:
    replays = replays_of(Pure(), [2])
    assert replays == Replays(made=2, needed=2)
    assert replays.is_complete


def test_a_script_may_change_what_it_disclosed() -> None:
    class Appends(Pure):
        async def voter(self, me: Party, vote: Sealed) -> None:
            me.secret(lambda value: [value], vote, field=F, shape=(1,))
            told = me.disclose(lambda _: [5, {7, 15}], vote)
            told.append(1)
            for number in [len(told), *told[1]]:
                await me.send(NOTE, "reader", index(number, 16))

        async def reader(self, me: Party) -> None:
            await me.receive_each(NOTE, "voter", 3)

    done = run(Appends(), [2], seed=1)
    assert replays_of(Appends(), [2]).is_complete
    assert str(verdict(done, ["reader"])).startswith("{reader} learns nothing")


@pytest.mark.parametrize(
    ("function", "look"),
    [
        (Answer, lambda told: told is Answer.YES),
        (
            lambda value: Fraction(3 if value == 1 else np.int64(3), 2),
            lambda told: type(told.numerator) is int,
        ),
    ],
)
def test_what_a_script_can_tell_apart_depends_on_the_input(function: Any, look: Any) -> None:
    class Tells(Pure):
        items = 2

        async def voter(self, me: Party, vote: Sealed) -> None:
            me.secret(lambda value: [value], vote, field=F, shape=(1,))
            told = me.disclose(function, vote)
            await me.send(NOTE, "reader", index(int(look(told)), 2))

        async def reader(self, me: Party) -> Any:
            return int((await me.receive(NOTE, "voter")).values)

    done = [run(Tells(), [vote], seed=1) for vote in (1, 2)]
    assert done[0].outputs != done[1].outputs
    for each in done:
        assert "disclosed values: no" in str(verdict(each, ["reader"]))


def test_a_single_input_that_is_no_item_is_not_replaced() -> None:
    class Lists(Pure):
        async def voter(self, me: Party, vote: Sealed) -> None:
            secret = me.secret(lambda pair: pair, vote, field=F, shape=(2,))
            mask = me.coins.field(F, (2,))
            await me.send(NOTE, "reader", secret + mask)
            await me.send(NOTE, "reader", mask)

    done = run(Lists(), [[1, 2]], seed=1)
    assert list(other_inputs(done)) == []
    assert replays_of(Lists(), [[1, 2]]) == Replays(made=0, needed=None)


@pytest.mark.parametrize("vote", [7, 1.5, np.array([1, 2])], ids=str)
def test_replays_of_an_input_that_is_no_item_are_not_complete(vote: Any) -> None:
    class Sums(Pure):
        async def voter(self, me: Party, vote: Sealed) -> None:
            secret = me.secret(lambda vote: int(np.sum(vote)), vote, field=F, shape=())
            await me.send(NOTE, "reader", secret + me.coins.field(F, ()))
            await me.send(NOTE, "reader", me.coins.field(F, ()))

    replays = replays_of(Sums(), [vote])
    assert replays.made
    assert (replays.needed, replays.is_complete) == (None, False)


def test_protocols_of_the_house_do_the_same_on_other_inputs() -> None:
    assert replays_of(DPDS(4, 5, 0.5), [1, 2, 3, 5]).is_complete
    crowd = local_frequency(users=50, items=4, mechanism="grr", population="crowd")
    assert replays_of(crowd, np.array([1, 2, 3, 4, 1] * 10)).is_complete


def test_a_large_run_is_replayed_once_and_says_so() -> None:
    replays = replays_of(DPDS(4, 5, 0.5), [1, 2, 3, 5], most_messages=1)
    assert replays == Replays(made=1, needed=9)
    assert not replays.is_complete


def test_every_party_meets_every_item() -> None:
    done = run(DPDS(3, 4, 0.5), [1, 2, 4])
    met = {name: {value} for name, value in done.inputs.items()}
    for other in other_inputs(done):
        for name, value in other.items():
            met[name].add(value)
    assert all(items == {1, 2, 3, 4} for items in met.values())


def test_all_members_of_a_crowd_have_the_same_item_in_some_replay() -> None:
    crowd = local_frequency(users=5, items=3, mechanism="grr", population="crowd")
    held = np.array([1, 2, 3, 1, 2])
    replays = replays_of(crowd, held)
    assert replays == Replays(made=5, needed=5)
    alike = [other for each in other_inputs(run(crowd, held)) for other in each.values()][2:]
    assert [set(other.tolist()) for other in alike] == [{1}, {2}, {3}]


class Shared:
    """The door functions of two voters share a set, and a third message is sent if both vote
    alike.
    """

    items = 3

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.first), "b": Seat(self.second), "reader": Seat(self.reader)}

    async def first(self, me: Party, vote: Sealed) -> None:
        self.seen.clear()
        me.secret(lambda value: self.seen.add(value) or [value], vote, field=F, shape=(1,))  # type: ignore[func-returns-value]
        await me.send(NOTE, "b", me.coins.field(F, ()))

    async def second(self, me: Party, vote: Sealed) -> None:
        await me.receive(NOTE, "a")
        me.secret(lambda value: self.seen.add(value) or [value], vote, field=F, shape=(1,))  # type: ignore[func-returns-value]
        for _ in range(2 if len(self.seen) == 1 else 1):
            await me.send(NOTE, "reader", me.coins.field(F, ()))

    async def reader(self, me: Party) -> None:
        await me.receive(NOTE, "b")


def test_functions_that_share_what_they_leave_behind_are_found() -> None:
    with pytest.raises(ScriptError, match="has a side effect"):
        replays_of(Shared(), [1, 2])


class Counts(Smuggler):
    """A party whose door gives another value each time."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def kept(self, value: int) -> list[int]:
        self.calls.append(value)
        return [value + len(self.calls)]

    async def voter(self, me: Party, vote: Sealed) -> None:
        await me.send(NOTE, "reader", me.secret(self.kept, vote, field=F, shape=(1,)))

    async def reader(self, me: Party) -> Any:
        return (await me.receive(NOTE, "voter", shape=(1,))).open()


class CountsWithCoins(Counts):
    """The same party, and the function of its door gets coins."""

    def kept(self, value: int, coins: Any = None) -> list[int]:
        return [super().kept(value)[0] + 50 * coins.bernoulli(0.5)]


class CountsOutputs(Counts):
    """Here it is the function of the reader's door that gives another value each time."""

    async def voter(self, me: Party, vote: Sealed) -> None:
        await me.send(NOTE, "reader", me.secret(lambda value: [value], vote, field=F, shape=(1,)))

    async def reader(self, me: Party) -> Any:
        return me.output(self.kept, await me.receive(NOTE, "voter", shape=(1,)))


@pytest.mark.parametrize(
    ("protocol", "door"),
    [
        (Counts, "voter (me.secret of kept)"),
        (CountsWithCoins, "voter (me.secret of kept)"),
        (CountsOutputs, "reader (me.output of kept)"),
    ],
)
def test_a_door_whose_result_changes_is_named_and_not_the_party_that_uses_it(
    protocol: Callable[[], Counts], door: str
) -> None:
    done = run(protocol(), [2], seed=1)
    told = rf"^{re.escape(door)}: the function returns another value when it is called again"
    with pytest.raises(ScriptError, match=told):
        recorded(done, [])
    with pytest.raises(ScriptError, match=told):
        AlikeJudge(done.protocol, [2], 1, same_as=done)
    if protocol is not CountsOutputs:  # exact laws refuse this function while it runs
        with pytest.raises(ScriptError, match=told):
            Model(protocol()).worlds([2], 10)


def test_a_script_that_keeps_something_is_blamed_although_its_doors_are_pure() -> None:
    class Remembers(Counts):
        async def voter(self, me: Party, vote: Sealed) -> None:
            self.calls.append(1)
            secret = me.secret(lambda value: [value], vote, field=F, shape=(1,))
            await me.send(NOTE, "reader", secret * len(self.calls))

    done = run(Remembers(), [2], seed=1)
    with pytest.raises(ScriptError, match=r"^reader: what it returns differs"):
        recorded(done, [])


class Numbers:
    """Two parties with inputs whose possible values are not stated."""

    async def voter(self, me: Party, number: Sealed) -> None:
        await Pure().voter(me, number)

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.voter), "b": Seat(self.voter), "reader": Seat(self.reader)}

    async def reader(self, me: Party) -> None:
        for sender in ("a", "b"):
            await me.receive_each(NOTE, sender, 2)


def test_without_a_domain_parties_are_tried_on_the_inputs_of_others() -> None:
    # Each has the other's input: both, one of the two, and both once more as a pair.
    assert replays_of(Numbers(), [5, 9]) == Replays(made=4, needed=None)


def test_equal_inputs_of_all_parties_are_no_other_inputs() -> None:
    assert replays_of(Numbers(), [5, 5]) == Replays(made=0, needed=None)
    done = run(Numbers(), [5, 9])
    for other in (*other_inputs(done), *few_changed(done)):
        assert dict(other) != dict(done.inputs)


@pytest.mark.parametrize(("items", "needed"), [(1, 0), (2, 2), (3, 4)])
def test_an_item_that_all_have_is_no_other_input(items: int, needed: int) -> None:
    replays = replays_of(DPDS(4, items, 0.5), [1, 1, 1, 1])
    assert replays.needed == needed
    assert replays.is_complete
    done = run(DPDS(4, items, 0.5), [1, 1, 1, 1])
    assert len(list(other_inputs(done))) == needed
    for other in (*other_inputs(done), *few_changed(done)):
        assert dict(other) != dict(done.inputs)


def test_without_inputs_nothing_is_replayed() -> None:
    class Silent:
        items = 3

        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.sender), "reader": Seat(self.reader)}

        async def sender(self, me: Party) -> None:
            mine = me.secret(lambda: [1], field=F, shape=(1,))
            await me.send(NOTE, "reader", mine + me.coins.field(F, (1,)))

        async def reader(self, me: Party) -> None:
            await me.receive(NOTE, "a", shape=(1,))

    assert replays_of(Silent(), []) == Replays(made=0, needed=0)


LARGE = Field.above(1 << 30)  # two random elements are hardly ever the same


class Asking(Smuggler):
    """A party that makes a secret with the given function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    async def voter(self, me: Party, vote: Sealed) -> None:
        secret = me.secret(self.function, vote, field=LARGE, shape=())
        await me.send(NOTE, "reader", secret + me.coins.field(LARGE, ()))
        await me.send(NOTE, "reader", me.coins.field(LARGE, ()))


COUNTER, NUMBERS = itertools.count(), random.Random(1)


@pytest.mark.parametrize(
    "function",
    [
        lambda vote: vote + next(COUNTER),
        lambda vote: vote + NUMBERS.randrange(1 << 40),
        lambda vote: vote + time.perf_counter_ns() % 1_000_003,
    ],
)
def test_a_function_gives_the_same_for_the_same_values_and_coins(
    function: Callable[..., Any],
) -> None:
    assert replays_of(Asking(lambda vote: vote), [1]).is_complete
    with pytest.raises(
        ScriptError, match=r"^voter .*(again with the same arguments|when the run is)"
    ):
        replays_of(Asking(function), [1])


def test_one_party_changes_its_input_and_then_two_do() -> None:
    changed = [
        [name for name, value in other.items() if value != done.inputs[name]]
        for done in [run(DPDS(4, 2, 0.5), [1, 1, 1, 1])]
        for other in few_changed(done)
    ]
    names = ["u1", "u2", "u3", "u4"]
    assert changed == [*([name] for name in names), *map(list, itertools.combinations(names, 2))]


@pytest.mark.parametrize(
    ("replays", "end"),
    [
        (Replays(made=0, needed=0), "read without inputs"),
        (Replays(made=0, needed=None), "; it was not replayed on other inputs"),
        (Replays(made=1, needed=None), " and in 1 replay on other inputs"),
        (Replays(made=2, needed=2), "other inputs, so that every input took every value"),
    ],
)
def test_the_words_say_whether_a_run_was_replayed(replays: Replays, end: str) -> None:
    assert replays_in_words([replays]).endswith(end)


class Lengths(Pure):
    """Voters who each hold a list, although the protocol has a number of items."""

    def parties(self) -> Mapping[str, Seat]:
        return {"voter": Seat(self.voter), "reader": Seat(self.other)}

    async def voter(self, me: Party, vote: Sealed) -> None:
        secret = me.secret(lambda votes: [len(votes)], vote, field=F, shape=(1,))
        await me.send(NOTE, "reader", secret + me.coins.field(F, (1,)))

    async def other(self, me: Party, vote: Sealed) -> None:
        del vote
        await me.receive(NOTE, "voter")


@pytest.mark.parametrize("votes", [[[1, 2], [3]], [[[1], [1, 2]], [[1]]]])
def test_lists_of_items_are_exchanged_and_never_complete(votes: list[Any]) -> None:
    assert list(other_inputs(run(Lengths(), votes, seed=1))) == [
        {"voter": votes[1], "reader": votes[0]}
    ]
    replays = replays_of(Lengths(), votes)
    assert replays.made > 0
    assert not replays.is_complete
