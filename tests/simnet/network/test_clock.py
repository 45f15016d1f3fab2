"""The clock against a model that looks at every message on its own, again and again, until no time
changes any more.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Field, Party, Seat, Shuffled, Summed, Tag, constant, run
from simnet.network.network import Access, Latency, Network, Transport
from simnet.network.recorded import recorded
from simnet.network.timing import timed
from simnet.values.frames import HEADER_BYTES
from tests.harness.fuzz import cases

F = Field.above(250)  # an element takes one byte
NOTE, ROWS, NEWS = Tag("note"), Tag("rows"), Tag("news")
REPORT, ANSWER = Tag("report"), Tag("answer")
TAGS = {"rows": ROWS, "copies": NEWS}
PRICE = 0.5  # seconds for one addition


@attrs.frozen
class Step:
    """One action of the party `who`. A message has `size` elements."""

    what: str  # work, send, receive, rows, copies, sums, within
    who: int
    other: int = 0
    size: int = 1
    group: tuple[int, ...] = ()
    within: float = 0.0


@attrs.frozen
class Program:
    """A protocol whose parties do their steps of one list, in its order, so that it always ends."""

    count: int
    steps: tuple[Step, ...]

    def parties(self) -> Mapping[str, Seat]:
        seats = {}
        for number in range(self.count):
            script = self.client if number % 2 else self.server
            seats[f"p{number}"] = Seat(script, number + 1)
        return seats

    async def client(self, me: Party) -> list[list[str]]:
        return await self.play(me)

    async def server(self, me: Party) -> list[list[str]]:
        return await self.play(me)

    async def play(self, me: Party) -> list[list[str]]:
        number = me.index - 1
        heard: list[list[str]] = []
        for place, step in enumerate(self.steps):
            names = [f"p{member}" for member in step.group]
            rows = constant(F, np.zeros((len(names), step.size), dtype=np.int64))
            if number == step.who:
                await self.act(me, step, names, rows)
            if step.what == "sums" and number in step.group:
                await me.scatter(Summed(f"share {place}"), names, rows)
                await me.gather_sum(Summed(f"share {place}"), senders=names)
            if step.what in TAGS and number in step.group:
                await me.receive(TAGS[step.what], f"p{step.who}")
            if step.what == "within":
                await self.report(me, step, names, heard)
        return heard

    async def report(self, me: Party, step: Step, names: list[str], heard: list[list[str]]) -> None:
        """The group reports to `who`, whose answer to `other` has an element for each report that
        came in time.
        """
        if me.name in names:
            await me.send(REPORT, f"p{step.who}", constant(F, np.arange(step.size)))
        if me.index - 1 == step.who:
            came = await me.gather_some(REPORT, names, at_least=0, within=step.within)
            heard.append(list(came))
            await me.send(ANSWER, f"p{step.other}", constant(F, np.arange(1 + len(came))))
        if me.index - 1 == step.other:
            await me.receive(ANSWER, f"p{step.who}")

    async def act(self, me: Party, step: Step, names: list[str], rows: Any) -> None:
        payload = constant(F, np.arange(step.size))
        if step.what == "work":
            for _ in range(step.size):
                me.coins.field(F, (1,)) + me.coins.field(F, (1,))
        elif step.what == "send":
            await me.send(NOTE, f"p{step.other}", payload)
        elif step.what == "receive":
            await me.receive(NOTE, f"p{step.other}")
        elif step.what == "rows":
            await me.scatter(ROWS, names, rows)
        elif step.what == "copies":
            await me.publish(NEWS, names, payload)


KINDS = ["work", "send", "send", "receive", "rows", "copies", "sums"]


@st.composite
def programs(
    draw: Callable[[st.SearchStrategy[Any]], Any], kinds: Sequence[str] = KINDS
) -> Program:
    """Draw a program. Every message of a pair is received after it is sent, in order."""
    count = draw(st.integers(2, 5))
    steps: list[Step] = []
    unread: list[tuple[int, int]] = []
    for _ in range(draw(st.integers(1, 12))):
        what = draw(st.sampled_from(kinds))
        who, size = draw(st.integers(0, count - 1)), draw(st.integers(1, 40))
        group = tuple(draw(st.lists(st.integers(0, count - 1), min_size=1, unique=True)))
        other = draw(st.integers(0, count - 1))
        if what == "receive":
            if not unread:
                continue
            sender, reader = unread.pop(draw(st.integers(0, len(unread) - 1)))
            steps.append(Step("receive", reader, sender))
            continue
        if what == "send":
            unread.append((who, other))
        # No message is there exactly at a deadline.
        within = 0.01234567 + draw(TIMES) * draw(st.sampled_from([1, 5]))
        size = 1 + size % 5 if what == "work" else size
        steps.append(Step(what, who, other, size, group, within))
    return Program(count, tuple(steps))


TIMES = st.integers(0, 20).map(lambda number: number / 4)
RATES = st.one_of(st.none(), st.integers(1, 50).map(float))


@st.composite
def networks(draw: Callable[[st.SearchStrategy[Any]], Any]) -> Network:
    """Draw a network of two classes, without chances."""
    classes = {
        name: Access(up=draw(RATES), down=draw(RATES), slowness=draw(st.sampled_from([1.0, 3.0])))
        for name in ("client", "server")
    }
    return Network(
        name="drawn",
        classes=classes,
        latencies={
            (one, other): Latency(0.25 + draw(TIMES))
            for one, other in itertools.product(("client", "server"), repeat=2)
        },
        roles={"client": "client", "server": "server"},
        transport=draw(st.sampled_from([Transport(payload=10, header=3), Transport(1000, 0)])),
        prices={"FA": PRICE},
        relay=draw(st.sampled_from([None, "p0"])),
    )


@attrs.define
class Sent:
    """One message of the model: who, to whom, how many bytes. The model fills in the times.

    A message with an `upload` leaves the relay as soon as the upload is there.
    """

    sender: int
    to: int
    size: int
    upload: "Sent | None" = None
    leaves: float = 0.0
    step: float = 0.0
    there: float = 0.0


class Model:
    """All messages of the run are known from the start. Their times are computed from the times of
    the waits, and the times of the waits from those of the messages, until nothing changes.
    """

    def __init__(self, program: Program, network: Network) -> None:
        self.network = network
        self.classes = ["client" if number % 2 else "server" for number in range(program.count)]
        self.actions: list[list[tuple[str, Any]]] = [[] for _ in range(program.count)]
        self.sent: list[Sent] = []
        self.forwards: list[tuple[Sent, list[Sent]]] = []
        self.heard: dict[tuple[int, int], list[int]] = {}  # by party and place of the action
        self._unread: dict[tuple[int, int, str], list[Sent]] = {}
        for step in program.steps:
            self._add(step)

    def _add(self, step: Step) -> None:
        if step.what == "work":
            self.actions[step.who].append(("work", step.size))
        elif step.what == "send":
            self._post("note", step.who, [step.other], step.size)
        elif step.what == "receive":
            self._read("note", step.who, [step.other])
        elif step.what in TAGS:
            self._post(step.what, step.who, step.group, step.size)
            for member in step.group:
                self._read(step.what, member, [step.who])
        elif step.what == "within":
            for member in step.group:
                self._post("report", member, [step.who], step.size)
            waited = [
                (member, self._unread[member, step.who, "report"].pop(0))
                for member in step.group
                if member != step.who
            ]
            before = len(self.sent)
            wait = (step.within, step.who in step.group, waited, self.sent)
            self.actions[step.who].append(("deadline", wait))
            self._post("answer", step.who, [step.other], 1)
            self.actions[step.who][-2] = ("deadline", (*wait[:3], self.sent[before:]))
            self._read("answer", step.other, [step.who])
        else:
            for member in step.group:
                self._post("sums", member, step.group, step.size)
            for member in step.group:
                self._read("sums", member, step.group)
                self.actions[member].append(("work", (len(step.group) - 1) * step.size))

    def _post(self, tag: str, who: int, to: Sequence[int], size: int) -> None:
        frame = self.network.transport.bytes(HEADER_BYTES + size)
        block = [Sent(who, member, frame) for member in to if member != who]
        others = [member for member in to if member not in (0, who)]
        if self.network.relay is not None and who != 0 and others:
            upload = Sent(who, 0, frame * len(block))
            self.actions[who].append(("send", [upload]))
            self.sent.append(upload)
            forwarded = [Sent(0, message.to, frame, upload) for message in block if message.to]
            self.forwards.append((upload, forwarded))
            self.sent.extend(forwarded)
            block = forwarded + [upload] * any(message.to == 0 for message in block)
        else:
            self.sent.extend(block)
            self.actions[who].append(("send", block))
        for message in block:
            self._unread.setdefault((who, message.to, tag), []).append(message)

    def _read(self, tag: str, who: int, senders: Sequence[int]) -> None:
        waited = [self._unread[sender, who, tag].pop(0) for sender in senders if sender != who]
        self.actions[who].append(("wait", waited))

    def ends(self) -> list[float]:
        """Return when each party ends."""
        before: list[float] = []
        for _ in range(10_000):
            ends = [self._play(number) for number in range(len(self.actions))]
            for number in range(len(self.actions)):
                self._deliver(number)
            times = ends + [message.there for message in self.sent]
            if times == before:
                return ends
            before = times
        raise AssertionError("the model does not come to rest")

    def _play(self, number: int) -> float:
        """Return when a party ends, and note when its uplink sends each message."""
        access = self.network.classes[self.classes[number]]
        blocks: list[tuple[float, int, list[Sent]]] = []
        now = 0.0
        for place, (what, value) in enumerate(self.actions[number]):
            if what == "deadline":
                within, is_own, waited, answer = value
                came = [member for member, one in waited if one.there <= now + within]
                is_all = len(came) == len(waited)
                now = max([now, *(one.there for _, one in waited)]) if is_all else now + within
                self.heard[number, place] = [*came, *([number] if is_own else [])]
                for message in answer:
                    size = HEADER_BYTES + 1 + len(self.heard[number, place])
                    message.size = self.network.transport.bytes(size)
            elif what == "work":
                now += value * PRICE * access.slowness
            elif what == "wait":
                now = max([now, *(message.there for message in value)])
            else:
                blocks.append((now, 1000, value))  # the relay forwards first
        if number == 0:
            blocks += [(upload.there, upload.sender, block) for upload, block in self.forwards]
        free = 0.0
        for time, _, block in sorted(blocks, key=lambda entry: entry[:2]):
            for message in block:
                message.step = 0.0 if access.up is None else 8 * message.size / access.up
                message.leaves = max(time, free)
                free = message.leaves + message.step
        return now

    def _deliver(self, number: int) -> None:
        down = self.network.classes[self.classes[number]].down
        coming = []
        for message in self.sent:
            if message.to == number:
                pair = self.classes[message.sender], self.classes[number]
                first = message.leaves + self.network.latency(*pair).seconds
                origin = message if message.upload is None else message.upload
                coming.append((first + message.step, origin.sender, first, message))
        free = 0.0
        for last, _, first, message in sorted(coming, key=lambda entry: entry[:2]):
            free = max(free, first) + (0.0 if down is None else 8 * message.size / down)
            message.there = max(free, last)


@given(programs(), networks(), st.integers(0, 9))
def test_times_are_those_of_the_model(program: Program, network: Network, schedule: int) -> None:
    done = run(program, schedule=Shuffled(schedule))
    found = timed(recorded(done), network)
    assert list(found.ended.values()) == pytest.approx(Model(program, network).ends(), abs=1e-9)


@given(programs([*KINDS, "within", "within", "within"]), networks(), st.integers(0, 9))
def test_deadlines_pass_as_in_the_model(program: Program, network: Network, schedule: int) -> None:
    compare_with_model(program, network, schedule)


@pytest.mark.slow
@cases(500)
@given(programs([*KINDS, "within", "within", "within"]), networks(), st.integers(0, 9))
def test_deadlines_pass_as_in_the_model_in_many_programs(
    program: Program, network: Network, schedule: int
) -> None:
    compare_with_model(program, network, schedule)


def compare_with_model(program: Program, network: Network, schedule: int) -> None:
    """Who is heard, and when each party ends, is as in the model."""
    done = run(program, schedule=Shuffled(schedule), network=network)
    model = Model(program, network)
    ends = model.ends()
    found = timed(done, network)
    assert list(found.ended.values()) == pytest.approx(ends, abs=1e-9)
    for number in range(program.count):
        heard = [
            sorted(f"p{member}" for member in came)
            for (party, _), came in sorted(model.heard.items())
            if party == number
        ]
        assert [sorted(came) for came in done.outputs[f"p{number}"]] == heard


@given(programs([*KINDS, "within", "within"]), networks(), st.integers(0, 9), st.integers(0, 1000))
def test_deadlines_do_not_depend_on_the_schedule(
    program: Program, network: Network, schedule: int, seed: int
) -> None:
    latencies = {
        pair: attrs.evolve(latency, jitter=0.75, loss=0.2)
        for pair, latency in network.latencies.items()
    }
    varied = attrs.evolve(network, latencies=latencies)
    names = [f"p{number}" for number in range(program.count)]
    one = run(program, seed=seed, network=varied, observe=names)
    other = run(program, seed=seed, network=varied, observe=names, schedule=Shuffled(schedule))
    assert one.trace_hash == other.trace_hash
    assert (one.deadlines, one.late) == (other.deadlines, other.late)
    again = run(program, seed=seed, network=one.same_deadlines, observe=names)
    assert (again.trace_hash, again.deadlines, again.late) == (
        one.trace_hash,
        one.deadlines,
        one.late,
    )
    assert timed(one, varied).ended == pytest.approx(timed(other, varied).ended, abs=1e-9)


@given(programs(), networks(), st.integers(0, 9))
def test_without_deadlines_the_network_changes_nothing(
    program: Program, network: Network, schedule: int
) -> None:
    names = [f"p{number}" for number in range(program.count)]
    one = run(program, observe=names)
    other = run(program, observe=names, network=network, schedule=Shuffled(schedule))
    assert one.trace_hash == other.trace_hash
    assert timed(one, network).ended == pytest.approx(timed(other, network).ended, abs=1e-9)
