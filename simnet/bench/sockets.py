"""One process of `simnet.bench.reality`: a party that does what a log says, or the hub.

Every message is a header of 12 bytes (recipient, post, length) and random bytes, together as long
as the frame in the run. A party has one connection to the hub. The hub passes each piece of a
message on when the latency has passed, and writes the sender and the length (8 bytes) before the
piece, because pieces of several senders may alternate.
"""

import contextlib
import heapq
import json
import os
import struct
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import trio

from simnet.bench.reality import address
from simnet.network.recorded import RecordedRun, load
from simnet.record.log import SEND, TAKE, WORK

HEADER = struct.Struct("<iii")
PIECE_HEADER = struct.Struct("<ii")
PORT = 7700
PIECE = 1 << 16


class Player:
    """A party: sends what the log says, and waits for what the log says."""

    def __init__(self, log: RecordedRun, plan: Mapping[str, Any]) -> None:
        self.log = log
        self.party = int(plan["party"])
        self.begin = float(plan["begin"])
        prices = plan["prices"]
        self.seconds = [
            plan["slowness"][self.party]
            * sum(prices.get(kind, 0.0) * times for kind, times in work.items())
            for work in log.works
        ]
        self.came: set[int] = set()
        self.news = trio.Event()

    async def play(self) -> None:
        """Play the party, and write the time at which it ended. Messages may then be under way, so
        the process goes on until it is ended.
        """
        stream = await _connected(address(self.party, 1))
        outgoing, queue = trio.open_memory_channel[bytes](1 << 20)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._read, stream)
            nursery.start_soon(_write, stream, queue)
            await trio.sleep(self.begin - time.monotonic())
            await self._act(outgoing)
            os.write(1, f"{time.monotonic()}\n".encode())

    async def _act(self, outgoing: "trio.MemorySendChannel[bytes]") -> None:
        parties, kinds, values = self.log.events
        mine = parties == self.party
        for kind, value in zip(kinds[mine].tolist(), values[mine].tolist(), strict=True):
            if kind == WORK:
                await trio.sleep(self.seconds[value])
            elif kind == SEND:
                await self._send(value, outgoing)
            else:
                posts = [value] if kind == TAKE else self.log.lists[value].tolist()
                await self._wait({post for post in posts if self.log.sender(post) != self.party})

    async def _send(self, post: int, outgoing: "trio.MemorySendChannel[bytes]") -> None:
        if post in self.log.deferred:
            await trio.sleep(self.seconds[self.log.deferred[post]])
        line = self.log.lines[int(self.log.post_line[post])]
        to = int(self.log.post_to[post])
        recipients = [to] if to >= 0 else self.log.groups[-1 - to].tolist()
        body = os.urandom(max(line.frame_bytes - HEADER.size, 0))
        for recipient in recipients:
            if recipient != self.party:
                outgoing.send_nowait(HEADER.pack(recipient, post, len(body)) + body)

    async def _wait(self, posts: set[int]) -> None:
        while not posts <= self.came:
            self.news = trio.Event()
            await self.news.wait()

    async def _read(self, stream: trio.SocketStream) -> None:
        buffer = bytearray()
        by_sender: dict[int, bytearray] = {}
        while piece := await stream.receive_some(PIECE):
            buffer += piece
            while len(buffer) >= PIECE_HEADER.size:
                sender, length = PIECE_HEADER.unpack_from(buffer)
                if len(buffer) < PIECE_HEADER.size + length:
                    break
                from_sender = by_sender.setdefault(sender, bytearray())
                from_sender += buffer[PIECE_HEADER.size : PIECE_HEADER.size + length]
                del buffer[: PIECE_HEADER.size + length]
                self._note_whole(from_sender)

    def _note_whole(self, buffer: bytearray) -> None:
        while len(buffer) >= HEADER.size:
            _, post, length = HEADER.unpack_from(buffer)
            if len(buffer) < HEADER.size + length:
                return
            del buffer[: HEADER.size + length]
            self.came.add(post)
            self.news.set()


async def _connected(host: str) -> trio.SocketStream:
    while True:
        try:
            stream = await trio.open_tcp_stream(host, PORT)
        except OSError:
            await trio.sleep(0.02)
        else:
            stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
            return stream


async def _write(stream: trio.SocketStream, queue: "trio.MemoryReceiveChannel[bytes]") -> None:
    async for message in queue:
        messages = [message]
        with contextlib.suppress(trio.WouldBlock):
            while len(messages) < 100:
                messages.append(queue.receive_nowait())
        await stream.send_all(b"".join(messages))


class Hub:
    """Passes messages on, each piece after the latency between its sender and its recipient."""

    def __init__(self, latencies: Sequence[Sequence[float]]) -> None:
        self._latencies = latencies
        self._streams: dict[int, trio.SocketStream] = {}
        # By recipient: pieces with the time at which they leave.
        self._held: list[list[tuple[float, int, bytes]]] = [[] for _ in latencies]
        self._news = [trio.Event() for _ in latencies]
        self._number = 0

    async def serve(self) -> None:
        """Serve all parties until the process is ended."""
        async with trio.open_nursery() as nursery:
            for party in range(len(self._latencies)):
                listeners = await trio.open_tcp_listeners(PORT, host=address(party, 1))
                nursery.start_soon(self._accept, party, listeners[0], nursery)

    async def _accept(
        self, party: int, listener: trio.SocketListener, nursery: trio.Nursery
    ) -> None:
        stream = await listener.accept()
        stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
        nursery.start_soon(self._deliver, party, stream)
        head, left, recipient = b"", 0, -1
        while piece := await stream.receive_some(PIECE):
            while piece:
                if not left:  # a new message begins
                    wanted = HEADER.size - len(head)
                    head, piece = head + piece[:wanted], piece[wanted:]
                    if len(head) < HEADER.size:
                        break
                    recipient, _, left = HEADER.unpack(head)
                    self._hold(party, recipient, head)
                    head = b""
                part, piece = piece[:left], piece[left:]
                left -= len(part)
                if part:
                    self._hold(party, recipient, part)

    def _hold(self, sender: int, recipient: int, part: bytes) -> None:
        self._number += 1
        leaves = time.monotonic() + self._latencies[sender][recipient]
        entry = leaves, self._number, PIECE_HEADER.pack(sender, len(part)) + part
        heapq.heappush(self._held[recipient], entry)
        self._news[recipient].set()

    async def _deliver(self, party: int, stream: trio.SocketStream) -> None:
        held = self._held[party]
        while True:
            if not held:
                self._news[party] = trio.Event()
                await self._news[party].wait()
            wait = held[0][0] - time.monotonic()
            if wait > 0:
                self._news[party] = trio.Event()
                with trio.move_on_after(wait):
                    await self._news[party].wait()
                continue
            now, due = time.monotonic(), []
            while held and held[0][0] <= now:
                due.append(heapq.heappop(held)[2])
            await stream.send_all(b"".join(due))


def main() -> None:
    """Play the party that the plan on the command line names."""
    plan = json.loads(sys.argv[1])
    log = load(Path(plan["log"]))
    if plan["party"] == len(log.names):
        trio.run(Hub(plan["latencies"]).serve)
    else:
        trio.run(Player(log, plan).play)


if __name__ == "__main__":
    main()
