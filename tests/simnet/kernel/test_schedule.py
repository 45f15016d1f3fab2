"""A run is a function of protocol, inputs and seed: no schedule and no thread changes
it.
"""

import threading
import time

from hypothesis import given
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from simnet import Party, Sealed, Seat, Tag, bits, index, run
from simnet.kernel.run import Run
from tests.harness.scripts import SHARE, Crowd, F, elements

PING = Tag("ping")


class Drawn:
    """A schedule in which hypothesis draws every decision."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def party(self, ready: list[str]) -> int:
        return self._data.draw(st.integers(0, len(ready) - 1))

    def message(self, tag: str, senders: list[str]) -> int:
        return self._data.draw(st.integers(0, len(senders) - 1))


async def busy(me: Party) -> list[Sealed]:
    """A script with every way of sending and receiving, in three rounds."""
    users = me.all("user")
    n = len(users)
    await me.scatter(
        SHARE, users, me.coins.deferred(F, (n, 2), lambda coins: coins.field(F, (n, 2)))
    )
    first = await me.gather_sum(SHARE, senders=users)
    await me.scatter(PING, users, [first] * n)
    second = await me.gather(PING, users)
    keys = index([0, 1], below=2, kind="Nd")
    await me.scatter(SHARE, [users, users], elements(*range(2 * n)), keys=keys)
    third = [await me.gather_sum(SHARE, key=key, count=n) for key in (1, 0)]
    return [part.open() for part in [first, *second, *third]]


@given(st.data())
def test_every_schedule_gives_the_same_transcript(data: st.DataObject) -> None:
    n, seed = data.draw(st.integers(1, 5)), data.draw(st.integers(0, 3))
    observe = [f"u{k}" for k in range(1, n + 1)]
    fixed = run(Crowd(n, busy), seed=seed, observe=observe)
    assert (
        run(Crowd(n, busy), seed=seed, observe=observe, schedule=Drawn(data)).trace_hash
        == fixed.trace_hash
    )


class LateBlock:
    """s sends a deferred block and then a plain block to a. The schedule decides whether b's sum,
    for which the deferred block is made, comes before the plain block.
    """

    def parties(self) -> dict[str, Seat]:
        scripts = {"s": self.s, "a": self.a, "b": self.b, "x": self.x, "z": self.z}
        return {name: Seat(script) for name, script in scripts.items()}

    async def s(self, me: Party) -> None:
        await me.receive(PING, "x")
        late = me.coins.deferred(F, (1, 1), lambda coins: coins.field(F, (1, 1)))
        await me.scatter(SHARE, ["a"], late)
        await me.receive(PING, "z")
        await me.scatter(SHARE, ["a"], me.coins.field(F, (1, 1)))

    async def a(self, me: Party) -> list[Sealed]:
        return [(await me.gather_sum(SHARE, senders=["s"])).open() for _ in range(2)]

    async def b(self, me: Party) -> None:
        await me.gather_sum(SHARE, senders=["x"])

    async def x(self, me: Party) -> None:
        await me.send(PING, "s", bits(1))
        await me.send(SHARE, "b", elements(1))

    async def z(self, me: Party) -> None:
        await me.send(PING, "s", bits(1))


@given(st.data())
def test_blocks_stand_in_the_order_of_sending_whenever_they_are_made(data: st.DataObject) -> None:
    done = run(LateBlock(), seed=3, observe=["a"], schedule=Drawn(data))
    sent = [int(message.payload.numbers()[0]) for message in done.transcript.messages]
    assert sent == [int(numbers[0]) for numbers in done.outputs["a"]]


@given(st.integers(2, 12), st.integers(1, 4), st.integers(0, 100), st.integers(1, 5))
def test_threads_change_nothing(n: int, items: int, seed: int, threads: int) -> None:
    def trace(count: int | None) -> str:
        inputs = [1 + user % items for user in range(n)]
        return run(
            DPDS(n, items, 0.5), inputs, seed, threads=count, observe=["u1", "server"]
        ).trace_hash

    assert trace(threads) == trace(None)


def dpds(seed: int, users: int = 8) -> Run:
    return run(DPDS(users, 3, 0.5), [1 + user % 3 for user in range(users)], seed, observe=["u1"])


def test_two_seeds_differ_and_one_does_not() -> None:
    assert dpds(1).trace_hash == dpds(1).trace_hash != dpds(2).trace_hash


def test_a_trace_hash_notices_another_payload() -> None:
    def trace(value: int) -> str:
        async def user(me: Party) -> None:
            await me.send(PING, "server", elements(value))

        async def server(me: Party) -> None:
            await me.gather(PING, me.all("user"))

        return run(Crowd(2, user, server), observe=["server"]).trace_hash

    assert trace(1) != trace(2)


def test_a_party_keeps_its_coins_when_others_join_or_change_places() -> None:
    async def draw(me: Party) -> Sealed:
        integers = me.coins.integers(1000, 5).tolist()
        return me.output(lambda drawn: [*integers, *drawn.tolist()], me.coins.field(F, (5,)))

    class Named(Crowd):
        def __init__(self, names: list[str]) -> None:
            super().__init__(len(names), draw)
            self.names = names

        def parties(self):
            seats = list(super().parties().values())
            return dict(zip(self.names, seats, strict=True))

    few, many, turned = (
        run(Named(names)).outputs for names in (["u1", "u2"], ["u1", "u2", "u3"], ["u2", "u1"])
    )
    assert few["u1"] == many["u1"] == turned["u1"]
    assert few["u2"] == many["u2"] == turned["u2"]
    assert len({tuple(coins) for coins in many.values()}) == 3


def test_a_worker_thread_still_computing_is_no_stall() -> None:
    async def user(me: Party) -> Sealed:
        def slow(coins):
            time.sleep(0.02)
            assert threading.current_thread() is not threading.main_thread()
            return coins.field(F, (4, 1))

        await me.scatter(SHARE, me.all("user"), me.coins.deferred(F, (4, 1), slow))
        return (await me.gather_sum(SHARE, senders=me.all("user"))).open()

    assert len(run(Crowd(4, user), threads=2).outputs) == 4
