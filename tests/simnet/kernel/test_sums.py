"""Sums under summed tags: every recipient gets its own sum, whoever sends to whom and in whichever
round.
"""

from collections.abc import Mapping

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Party, ScriptError, Sealed, Seat, Shuffled, Summed, constant, index, run, seats
from tests.harness.networks import ended
from tests.harness.scripts import SHARE, F, elements, play

FIRST, SECOND = Summed("first"), Summed("second")


@attrs.frozen
class Exchange:
    """Party p sends to the parties in `targets[p]`, twice under one tag and once under another.

    A late party sends under the second tag after it has summed what came under the first, so that
    its messages belong to another round. Row k of party p's `turn`-th block has its own value.
    """

    targets: tuple[tuple[int, ...], ...]
    late: frozenset[int]
    deferred: bool

    @property
    def parties_in_all(self) -> int:
        return len(self.targets)

    def senders(self, recipient: int) -> list[int]:
        return [sender for sender, to in enumerate(self.targets) if recipient in to]

    def value(self, sender: int, recipient: int, turn: int) -> int:
        return 37 * sender + 11 * recipient + 5 * turn + 1

    def total(self, recipient: int, turn: int) -> int:
        values = [self.value(sender, recipient, turn) for sender in self.senders(recipient)]
        return sum(values) % F.modulus

    def parties(self) -> Mapping[str, Seat]:
        return seats("u", self.user, self.parties_in_all)

    async def user(self, me: Party) -> list[Sealed]:
        number = me.index - 1
        if number in self.late:
            first = await self.sums(me, number)
            await self.scatter(me, SECOND, number, 2)
        else:
            await self.scatter(me, SECOND, number, 2)
            first = await self.sums(me, number)
        senders = self.senders(number)
        if senders:
            names = [f"u{sender + 1}" for sender in senders]
            first.append((await me.gather_sum(SECOND, senders=names)).open())
        return first

    async def sums(self, me: Party, number: int) -> list[Sealed]:
        for turn in (0, 1):
            await self.scatter(me, FIRST, number, turn)
        names = [f"u{sender + 1}" for sender in self.senders(number)]
        turns = (0, 1) if names else ()
        return [(await me.gather_sum(FIRST, senders=names)).open() for _ in turns]

    async def scatter(self, me: Party, tag: Summed, number: int, turn: int) -> None:
        to = self.targets[number]
        if not to:
            return
        rows = constant(F, [[self.value(number, recipient, turn)] for recipient in to])
        block = me.coins.deferred(F, rows.shape, lambda _: rows) if self.deferred else rows
        await me.scatter(tag, [f"u{recipient + 1}" for recipient in to], block)


@st.composite
def exchanges(draw: st.DrawFn) -> Exchange:
    count = draw(st.integers(1, 6))
    everyone = tuple(range(count))
    group = st.sampled_from(everyone).flatmap(
        lambda size: st.permutations(everyone).map(lambda order: tuple(order[: size + 1]))
    )
    targets = draw(
        st.lists(st.just(everyone) | st.just(()) | group, min_size=count, max_size=count)
    )
    late = draw(st.frozensets(st.sampled_from(everyone)))
    return Exchange(tuple(targets), late, draw(st.booleans()))


@given(exchanges(), st.none() | st.integers(0, 9), st.none() | st.integers(1, 3))
def test_every_recipient_gets_its_own_sums(
    exchange: Exchange, schedule: int | None, threads: int | None
) -> None:
    names = [f"u{number + 1}" for number in range(exchange.parties_in_all)]
    done = run(
        exchange,
        observe=names,
        schedule=None if schedule is None else Shuffled(schedule),
        threads=threads,
    )
    for number, name in enumerate(names):
        turns = range(3) if exchange.senders(number) else ()
        assert done.outputs[name] == [exchange.total(number, turn) for turn in turns]
    sent = 3 * sum(len(to) for to in exchange.targets)
    assert done.ledger.total("sent", "logical").messages == sent
    assert done.ledger.total("received") == done.ledger.total("sent")
    assert done.ledger.unread() == {}
    assert len(done.transcript.messages) == sent


@given(exchanges(), st.integers(0, 9))
def test_rounds_and_times_are_those_of_the_messages(exchange: Exchange, schedule: int) -> None:
    """A recipient's clock: the latest message of another party, whatever order they came in."""
    done = run(exchange, schedule=Shuffled(schedule))
    times = ended(done)
    for number in range(exchange.parties_in_all):
        first = max([1.0 for sender in exchange.senders(number) if sender != number], default=0.0)
        depth = {
            sender: float(
                sender in exchange.late and any(s != sender for s in exchange.senders(sender))
            )
            for sender in exchange.senders(number)
        }
        second = max([1 + depth[sender] for sender in depth if sender != number], default=0.0)
        assert times[f"u{number + 1}"] == max(first, second)


class Keyed:
    """u1 and u2 send rows under keys, each key to groups of its own; sums are asked for by key."""

    def parties(self) -> Mapping[str, Seat]:
        return seats("u", self.user, 3)

    async def user(self, me: Party) -> Sealed:
        users = list(me.all("user"))
        groups = [me.group(users[:2]), me.group(users[1:]), me.group(users)]
        if me.index < 3:
            rows = constant(F, 10 * me.index + np.arange(7))[:, np.newaxis]
            await me.scatter(FIRST, groups, rows, keys=index([0, 1, 1], below=2, kind="Nd"))
        keys, counts = ([0, 1], [2, 4]) if me.index == 2 else ([1], [2 + 2 * (me.index == 3)])
        found = await me.gather_sums(FIRST, keys, counts)
        if me.index == 1:
            first = await me.gather_sum(FIRST, key=0, count=2)
            found = type(found).join([first[np.newaxis], found])
        return me.output(lambda totals: totals[:, 0].tolist(), found)


def test_one_key_may_go_to_several_groups_at_once() -> None:
    # u1's rows are 10..16 and u2's 20..26: two for the first group, two for the second, three more.
    done = run(Keyed())
    assert done.outputs == {
        "u1": [10 + 20, 14 + 24],
        "u2": [11 + 21, (12 + 22 + 15 + 25)],
        "u3": [13 + 23 + 16 + 26],
    }


def test_a_second_message_goes_into_the_next_sum_however_its_recipient_is_named() -> None:
    async def a(me: Party) -> None:
        await me.send(SHARE, "b", elements(1))
        await me.scatter(SHARE, me.all("play_b"), constant(F, [[2]]))
        await me.scatter(SHARE, ["b"], constant(F, [[3]]))

    async def b(me: Party) -> Sealed:
        sums = [await me.gather_sum(SHARE, senders="a") for _ in range(3)]
        return me.output(lambda *values: [int(value[0]) for value in values], *sums)

    assert play(a=a, b=b).outputs == {"b": [1, 2, 3]}


@pytest.mark.parametrize("deferred", [False, True])
def test_a_sum_of_more_than_was_asked_for_is_refused(deferred: bool) -> None:
    class Late(Exchange):
        async def user(self, me: Party) -> None:
            await self.scatter(me, FIRST, me.index - 1, 0)
            if me.index == 1:
                await me.gather_sum(FIRST, senders="u1")

    with pytest.raises(ScriptError, match=r"^u1 in round 1 .*, but (u2 also sent|2 were sent)"):
        run(Late(((0,), (0, 1)), frozenset(), deferred))
