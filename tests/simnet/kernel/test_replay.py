"""Every second reading of a run is compared with the first, and the error names randomness of the
script's own.
"""

import itertools
import random
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from protocols.dpds.script import DPDS
from simnet import (
    Abort,
    Fate,
    Field,
    Party,
    ScriptError,
    Sealed,
    Seat,
    Shuffled,
    Summed,
    Tag,
    constant,
    index,
    run,
    verdict,
)
from simnet.adversary.coalitions.every_coalition import every_coalition
from simnet.exhaustive.compare import Comparison
from simnet.exhaustive.model import Model
from simnet.kernel.replay import compare_runs
from simnet.kernel.run import Run
from simnet.testing import assert_learns_nothing, assert_same_view
from tests.harness.many_cases import for_each
from tests.harness.scripts import protected

F = Field.above(1 << 41)  # so large that two masks of whatever source are never equal by chance
SHARE, PARTIAL, NOTE, COIN = Summed("share"), Summed("partial"), Tag("note"), Tag("coin")

counter = itertools.count()


class Masked:
    """u1 masks its bit with whatever `mask` gives, so that sums and outputs stay the same.

    u1 sends bit + r to u2 and -r to u3; both pass on what they got, and the server adds up.
    """

    def __init__(self, mask: Callable[["Masked", Party], int] | None = None) -> None:
        self.mask = mask
        self.calls = 0

    def __repr__(self) -> str:
        return "Masked"

    def parties(self) -> Mapping[str, Seat]:
        return {
            "u1": Seat(self.dealer),
            "u2": Seat(self.helper, 1),
            "u3": Seat(self.helper, 2),
            "server": Seat(self.server),
        }

    async def dealer(self, me: Party, bit: Sealed) -> None:
        secret = protected(me, bit, F)
        own = None if self.mask is None else constant(F, [self.mask(self, me)])
        mask = me.coins.field(F, (1,)) if own is None else own
        await me.send(SHARE, "u2", secret + mask)
        await me.send(SHARE, "u3", constant(F, [0]) - mask)

    async def helper(self, me: Party) -> None:
        await me.send(PARTIAL, "server", await me.gather_sum(SHARE, senders="u1"))

    async def server(self, me: Party) -> Sealed:
        helpers = me.all("helper")
        return (await me.gather_sum(PARTIAL, senders=helpers)).open()


def from_random(protocol: Masked, me: Party) -> int:
    return random.randrange(1 << 40)


def from_numpy(protocol: Masked, me: Party) -> int:
    return int(np.random.randint(1 << 40))  # noqa: NPY002  # what a careless script does


def from_clock(protocol: Masked, me: Party) -> int:
    return time.perf_counter_ns()


def from_protocol(protocol: Masked, me: Party) -> int:
    protocol.calls += 1
    return protocol.calls


def from_module(protocol: Masked, me: Party) -> int:
    return next(counter)


SOURCES: list[tuple[Callable[[Masked, Party], int], str]] = [
    (from_random, ", and the state of `random` changed meanwhile"),
    (from_numpy, ", and the state of `numpy.random` changed meanwhile"),
    (from_clock, ""),
    (from_protocol, ""),
    (from_module, ""),
]

READERS: dict[str, Callable[[Masked], object]] = {
    "a verdict": lambda protocol: verdict(run(protocol, [1], observe=["u2"]), ["u2"]),
    "a verdict on a run that nobody observed": lambda protocol: verdict(run(protocol, [1]), ["u2"]),
    "a search for coalitions": lambda protocol: every_coalition(run(protocol, [1])),
    "an exact view": lambda protocol: Model(protocol).worlds([1]),
    "a comparison": lambda protocol: Comparison(protocol, ["u2"]).compare([0], [1]),
    "an assertion": lambda protocol: assert_learns_nothing(run(protocol, [1]), ["u2"]),
    "an exact assertion": lambda protocol: assert_same_view(protocol, [0], [1], ["u2"]),
}


@for_each("reader", READERS)
@for_each("mask, source", SOURCES)
def test_randomness_of_its_own_is_blamed_on_the_party(
    reader: str, mask: Callable[[Masked, Party], int], source: str
) -> None:
    told = 'u1 in round 1 (tag "share"): its message to u2 differs when the run is read again'
    with pytest.raises(ScriptError, match="^" + re.escape(f"{told}{source}:")):
        READERS[reader](Masked(mask))


@pytest.mark.parametrize("reader", READERS)
def test_coins_of_the_party_pass(reader: str) -> None:
    READERS[reader](Masked())


class Loose:
    """A protocol whose parties play the given scripts."""

    def __init__(self, **scripts: Any) -> None:
        self.scripts = scripts

    def parties(self) -> Mapping[str, Seat]:
        return {name: Seat(script, role=name) for name, script in self.scripts.items()}


def differing(**scripts: Any) -> str:
    protocol = Loose(**scripts)
    first, second = (run(protocol, observe=list(scripts)) for _ in range(2))
    with pytest.raises(ScriptError) as caught:
        compare_runs(first, second)
    return str(caught.value).split(" when the run")[0]


def toggling() -> Callable[[], int]:
    """Return a number that changes with every call."""
    return itertools.count().__next__


def test_the_earliest_round_is_blamed_whoever_goes_first() -> None:
    turn = toggling()

    async def a(me: Party) -> None:  # goes first and sends last: it only passes on what differs
        (heard,) = await me.gather(NOTE, "b")
        await me.send(COIN, "b", heard)

    async def b(me: Party) -> None:
        await me.send(NOTE, "a", index(turn(), below=100))
        await me.gather(COIN, "a")

    assert differing(a=a, b=b) == 'b in round 1 (tag "note"): its message to a differs'


@pytest.mark.parametrize("observe", [["a", "b"], []])
def test_a_note_to_itself_about_a_message_of_its_round_is_not_blamed(observe: list[str]) -> None:
    turn = toggling()

    async def a(me: Party) -> None:
        (heard,) = await me.gather(NOTE, "b")
        await me.send(COIN, "a", heard)
        await me.receive(COIN, "a")

    async def b(me: Party) -> None:
        await me.send(NOTE, "a", index([0] * turn(), below=100))

    protocol = Loose(a=a, b=b)
    with pytest.raises(ScriptError, match=r'^b in round 1 \(tag "note"\): '):
        compare_runs(run(protocol, observe=observe), run(protocol, observe=observe))


@pytest.mark.parametrize("times", [1, 2])
def test_messages_that_are_sent_only_once_are_told(times: int) -> None:
    turn = toggling()

    async def a(me: Party) -> None:
        for place in range(2 if turn() == times - 1 else 1):
            await me.send(NOTE, "b", index(place, below=9))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    told = 'a in round 1 (tag "note"): its message to b is sent in only one of the two runs'
    assert differing(a=a, b=b) == told


def test_another_order_is_told() -> None:
    turn = toggling()

    async def a(me: Party) -> None:
        for to in ("b", "c") if turn() else ("c", "b"):
            await me.send(NOTE, to, index(1, below=9))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    told = (
        'a in round 1 (tag "note"): instead of its message to c there is a message in round 1, '
        'to b (tag "note")'
    )
    assert differing(a=a, b=b, c=b) == told


def test_another_kind_of_the_same_number_is_told() -> None:
    turn = toggling()

    async def a(me: Party) -> None:
        await me.send(NOTE, "b", index(1, below=9 + turn()))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    assert differing(a=a, b=b) == 'a in round 1 (tag "note"): its message to b differs'


@pytest.mark.parametrize("output", [int, str, float, lambda x: {x}, lambda x: np.arange(x + 1)])
def test_another_output_is_told(output: Callable[[int], Any]) -> None:
    turn = toggling()

    async def a(me: Party) -> Any:
        return output(turn())

    assert differing(a=a) == "a: its messages are the same, but what it returns differs"


def test_without_elements_outputs_differ_by_field_and_shape_alone() -> None:

    def returning(output: Any) -> Run:
        async def a(me: Party) -> Any:
            return output

        return run(Loose(a=a))

    one, other, long = (constant(F, numbers) for numbers in ([1], [2], [1, 2]))
    compare_runs(returning([{1}, one]), returning([{1}, other]), elements=False)
    for wrap in (lambda x: x, lambda x: [x, 3], lambda x: {"sum": (x,)}):
        compare_runs(returning(wrap(one)), returning(wrap(other)), elements=False)
        with pytest.raises(ScriptError, match=r"^a: what it returns differs"):
            compare_runs(returning(wrap(one)), returning(wrap(other)))
    for another in (long, constant(Field(7), [1]), index([1], 101), None):
        with pytest.raises(ScriptError, match=r"^a: what it returns differs"):
            compare_runs(returning(one), returning(another), elements=False)


def test_what_nobody_observed_shows_in_the_bill() -> None:
    turn = toggling()

    async def a(me: Party) -> None:
        await me.send(NOTE, "b", index([1] * (1 + turn()), below=9))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    protocol = Loose(a=a, b=b)
    with pytest.raises(ScriptError, match=r'^a in round 1 \(tag "note"\): what it sends differs'):
        compare_runs(run(protocol), run(protocol))


def played(threads: int | None = None, schedule: int | None = None, observe: str = "u1") -> Run:
    chosen = None if schedule is None else Shuffled(schedule)
    protocol = DPDS(8, 3, 0.5)
    inputs = [1 + user % 3 for user in range(8)]
    return run(protocol, inputs, threads=threads, schedule=chosen, observe=[observe, "u2"])


def test_threads_schedules_and_observers_make_no_difference() -> None:
    first = played()
    for other in (played(threads=3), played(schedule=5), played(observe="u3")):
        compare_runs(first, other)


def test_objects_without_a_canonical_form_are_compared_where_they_can_be() -> None:
    async def a(me: Party) -> object:
        return {1, 2}

    async def b(me: Party) -> object:
        return object()

    async def c(me: Party) -> object:
        return [{1}, np.array([1, 2])]

    protocol = Loose(a=a, b=b, c=c)
    compare_runs(run(protocol), run(protocol))


def test_who_waits_for_other_parties_in_vain_is_blamed() -> None:
    """T waits in vain for u in both runs, and S only in the second one."""
    turn = toggling()

    async def u(me: Party) -> None:
        await me.send(NOTE, "T", index(1, below=100))

    async def S(me: Party) -> None:
        if turn():
            await me.gather_some(COIN, ["u"])

    async def T(me: Party) -> None:
        await me.gather_some(NOTE, ["u"])

    protocol = Loose(S=S, T=T, u=u)
    fates = {"u": Fate("note")}
    first, second = (run(protocol, observe=["S", "T"], fates=fates) for _ in range(2))
    with pytest.raises(
        ScriptError, match=r'S \(tag "coin"\): the parties that it waits for in vain'
    ):
        compare_runs(first, second)


def test_who_aborts_for_another_reason_is_blamed_and_nobody_else() -> None:
    turn = toggling()

    async def a(me: Party) -> None:
        raise Abort("always")

    async def b(me: Party) -> None:
        raise Abort("first" if turn() else "later")

    protocol = Loose(a=a, b=b)
    with pytest.raises(ScriptError, match=r"^b: its part in the run ends differently"):
        compare_runs(run(protocol), run(protocol))


def test_who_waits_in_vain_is_blamed_although_nobody_observed_it() -> None:
    turn = toggling()

    async def u(me: Party) -> None:
        await me.send(NOTE, "T", index(1, below=100))

    async def T(me: Party) -> None:
        await me.gather_some(NOTE, ["u", "v"] if turn() else ["u"])

    async def v(me: Party) -> None:
        pass

    protocol = Loose(T=T, u=u, v=v)
    with pytest.raises(ScriptError, match=r"^T: whom it hears differs"):
        compare_runs(run(protocol), run(protocol))
