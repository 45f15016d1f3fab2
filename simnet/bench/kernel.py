"""The benchmarks of the kernel: streams, ping-pong, all to all, many parties, and the start of the
program.
"""

import subprocess
import time
from collections.abc import Mapping

import attrs
import numpy as np

from simnet.bench.benchmark import Benchmark
from simnet.contract import Protocol
from simnet.installed import PYTHON
from simnet.kernel.party import Party
from simnet.kernel.run import run
from simnet.kernel.tags import Tag
from simnet.roster import Seat, seats
from simnet.values.field import Field
from simnet.values.residues import Residues, constant

NOTE = Tag("note")
FIELD = Field.above(1000)


def _elements(count: int) -> Residues:
    return constant(FIELD, np.arange(count))


@attrs.frozen
class Stream:
    """One party sends many messages, and another receives them."""

    messages: int
    width: int

    def parties(self) -> Mapping[str, Seat]:
        """A source and a sink."""
        return {"source": Seat(self.source), "sink": Seat(self.sink)}

    async def source(self, me: Party) -> None:
        """Send."""
        payload = _elements(self.width)
        for _ in range(self.messages):
            await me.send(NOTE, "sink", payload)

    async def sink(self, me: Party) -> None:
        """Receive."""
        for _ in range(self.messages):
            await me.receive(NOTE, "source")


@attrs.frozen
class PingPong:
    """Two parties that send in turns: each waits for the other's message before it sends again."""

    exchanges: int

    def parties(self) -> Mapping[str, Seat]:
        """Two sides."""
        return {"ping": Seat(self.ping), "pong": Seat(self.pong)}

    async def ping(self, me: Party) -> None:
        """Send first."""
        payload = _elements(1)
        for _ in range(self.exchanges):
            await me.send(NOTE, "pong", payload)
            payload = await me.receive(NOTE, "pong")

    async def pong(self, me: Party) -> None:
        """Answer."""
        for _ in range(self.exchanges):
            await me.send(NOTE, "ping", await me.receive(NOTE, "ping"))


@attrs.frozen
class AllToAll:
    """Every user sends one message to every user, also to itself, one by one."""

    users: int

    def parties(self) -> Mapping[str, Seat]:
        """Users."""
        return seats("u", self.user, self.users)

    async def user(self, me: Party) -> None:
        """Send to each, then gather from all."""
        payload, users = _elements(1), me.all("user")
        for name in users:
            await me.send(NOTE, name, payload)
        await me.gather(NOTE, users)


@attrs.frozen
class ManyToOne:
    """Every user sends one message to a server."""

    users: int

    def parties(self) -> Mapping[str, Seat]:
        """Users and a server."""
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party) -> None:
        """Send."""
        await me.send(NOTE, "server", _elements(1))

    async def server(self, me: Party) -> None:
        """Gather."""
        await me.gather(NOTE, me.all("user"))


def _rate(protocol: Protocol, messages: int) -> float:
    return messages / _seconds(protocol)


def _seconds(protocol: Protocol) -> float:
    start = time.perf_counter()
    run(protocol)
    return time.perf_counter() - start


def shell(*arguments: str) -> float:
    """Return the seconds that a `simnet` command takes in a process of its own."""
    start = time.perf_counter()
    subprocess.run(
        [*PYTHON, "-m", "simnet.cli.main", *arguments], check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - start


BENCHMARKS = [
    Benchmark(
        "stream",
        "200,000 messages of 1 element",
        "/s",
        400_000,
        False,
        lambda: _rate(Stream(200_000, 1), 200_000),
    ),
    Benchmark(
        "stream-12",
        "200,000 messages of 12 elements",
        "/s",
        250_000,
        False,
        lambda: _rate(Stream(200_000, 12), 200_000),
    ),
    Benchmark(
        "ping-pong",
        "50,000 exchanges",
        "/s",
        80_000,
        False,
        lambda: _rate(PingPong(50_000), 100_000),
    ),
    Benchmark(
        "all-to-all", "500 parties", "/s", 250_000, False, lambda: _rate(AllToAll(500), 250_000)
    ),
    Benchmark(
        "many-parties",
        "20,000 parties send 1 message each",
        "s",
        1.0,
        True,
        lambda: _seconds(ManyToOne(20_000)),
    ),
    Benchmark("help", "simnet --help", "s", 0.4, True, lambda: shell("--help")),
]
