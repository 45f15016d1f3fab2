"""A crowd is one party that stands for many users: the bill, the views and the messages are those
of the many users.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import (
    BadInput,
    Fate,
    Party,
    ScriptError,
    Seat,
    Shuffled,
    Tag,
    Voluntary,
    bits,
    index,
    load,
    reals,
    replay,
    run,
    save,
    seats,
    tally,
    verdict,
)
from simnet.exhaustive.compare import Comparison
from simnet.exhaustive.model import Model
from tests.harness.networks import completion
from tests.harness.scripts import SHARE, disclosed, elements, idle

NOTE = Tag("note")
WIRES = ("bits", "index", "reals", "pair")


class Reports:
    """Each of n users sends a row made of its input.

    The users are seated alone, as one crowd, or partly in each way.
    """

    def __init__(
        self, wire: str = "bits", crowds: tuple[int, ...] = (3,), alone: int = 0, rows: Any = None
    ) -> None:
        self.wire = wire
        self.crowds = crowds
        self.alone = alone
        self.rows = rows

    def parties(self) -> Mapping[str, Seat]:
        crowds = {
            f"c{k}": Seat(self.user, self.alone + k, members=m)
            for k, m in enumerate(self.crowds, start=1)
        }
        return {**seats("u", self.user, self.alone), **crowds, "server": Seat(self.server)}

    def made(self, held: Any) -> Any:
        values = np.atleast_1d(held)
        if self.rows is not None:
            return self.rows(values)
        flags = np.column_stack([values == 1, values == 2, values == 3])
        made = {"bits": bits(flags), "index": index(values, 9, "Nd"), "reals": reals(values * 1.5)}
        return (made["index"], made["reals"]) if self.wire == "pair" else made[self.wire]

    async def user(self, me: Party, held: Any) -> None:
        await me.send_rows(NOTE, "server", self.made(disclosed(me, held)))

    async def server(self, me: Party) -> Any:
        rows = await me.gather_rows(NOTE, me.all("user"))
        return [piece.numbers() for piece in rows] if isinstance(rows, tuple) else rows.numbers()


@given(st.sampled_from(WIRES), st.lists(st.integers(1, 3), min_size=4, max_size=9), st.data())
def test_however_people_are_seated_the_server_receives_the_same_rows_at_the_same_bill(
    wire: str, held: list[int], data: st.DataObject
) -> None:
    alone = data.draw(st.integers(0, len(held) - 1))
    first = data.draw(st.integers(1, len(held) - alone))
    crowds = tuple(size for size in (first, len(held) - alone - first) if size)
    schedule = Shuffled(data.draw(st.integers(0, 99)))
    one = run(Reports(wire, crowds=(), alone=len(held)), held)
    other = run(Reports(wire, crowds, alone), held, schedule=schedule)
    for mine, theirs in zip(one.outputs["server"], other.outputs["server"], strict=True):
        np.testing.assert_array_equal(mine, theirs)
    for axis in ("role", "round", "tag"):
        for direction in ("sent", "received"):
            assert one.ledger.by(axis, direction) == other.ledger.by(axis, direction)
    assert other.ledger.total("sent") == other.ledger.total("received")
    assert not other.ledger.unread()
    assert completion(one, "mobile") == pytest.approx(completion(other, "mobile"))
    assert other.trace_hash == run(Reports(wire, crowds, alone), held).trace_hash


def test_a_row_is_billed_as_a_message_of_its_own() -> None:
    """Three bits take a byte in each of five messages, not two bytes in one."""
    total = run(Reports(crowds=(5,)), [1, 2, 3, 3, 3]).ledger.total()
    assert (total.messages, total.payload_bytes, total.elements) == (5, 5, {"bd": 15})


def test_an_observer_sees_every_message_of_a_crowd(tmp_path: Any) -> None:
    protocol = Reports("pair", crowds=(3,))
    done = run(protocol, [3, 1, 2], observe=["server"])
    received = done.view(["server"]).received
    assert [
        (int(item.values), float(real.values)) for item, real in (m.payload for m in received)
    ] == [
        (3, 4.5),
        (1, 1.5),
        (2, 3.0),
    ]
    assert sum(message.frame_bytes for message in received) == done.ledger.total().frame_bytes
    save(done.transcript, tmp_path / "t")
    assert replay(load(tmp_path / "t"), protocol).trace_hash == done.trace_hash


def test_inputs_go_seat_by_seat_or_by_name() -> None:
    protocol = Reports("index", crowds=(2,), alone=1)
    in_order = run(protocol, np.array([1, 2, 3]))
    assert in_order.inputs["u1"] == 1
    assert type(in_order.inputs["u1"]) is int
    assert in_order.inputs["c1"].tolist() == [2, 3]
    by_name = run(protocol, {"u1": 1, "c1": [2, 3]})
    assert in_order.trace_hash == by_name.trace_hash
    with pytest.raises(ValueError, match="read-only"):
        in_order.inputs["c1"][0] = 9


def test_inputs_that_do_not_fit_are_refused() -> None:
    protocol = Reports(crowds=(3,), alone=1)
    with pytest.raises(
        BadInput,
        match=r"3 inputs were given for 4 parties that take an input; parties: users: u1..c1 \(3",
    ):
        run(protocol, [1, 2, 3])
    with pytest.raises(
        BadInput, match=r"c1 is a crowd of 3 and needs an input for each member, got shape \(2,\)"
    ):
        run(protocol, {"u1": 1, "c1": [1, 2]})
    with pytest.raises(BadInput, match="the inputs of the crowd c1 do not make an array"):
        run(protocol, {"u1": 1, "c1": [[1], [1, 2], 3]})
    for lone in (5, None, np.array(5)):
        with pytest.raises(BadInput, match="are a list or an array with one input for each party"):
            run(protocol, lone)
    with pytest.raises(ValueError, match="a crowd needs at least 1 member, got members=0"):
        Seat(idle, members=0)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        (
            lambda _: bits(np.ones((2, 3), dtype=int)),
            "2 messages for 3 parties: each party sends exactly one",
        ),
        (lambda _: bits(1), "a row for each message"),
        (lambda _: elements(1, 2, 3), "a row for each message, got Residues"),
        (lambda held: (bits(held == 1), bits([1])), r"equal numbers of rows, got \[1, 3\]"),
        (lambda _: tally([1], 4, like=bits(np.ones((0, 1)))), "4 messages for 3 parties"),
    ],
)
def test_rows_that_are_not_one_of_each_member_are_refused(rows: Any, wrong: str) -> None:
    with pytest.raises(ScriptError, match=rf'c1 in round 1 \(tag "note"\).*{wrong}'):
        run(Reports(rows=rows), [1, 2, 3])


class Misuse(Reports):
    """A crowd of three whose script misuses something."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    async def user(self, me: Party, held: Any) -> None:
        match self.how:
            case "send":
                await me.send(NOTE, "server", bits(1))
            case "scatter":
                await me.scatter(NOTE, ["server"], bits([1]))
            case "publish":
                await me.publish(NOTE, "server", bits(1))
            case "sum":
                await me.send(SHARE, "server", elements(1))
            case "summed rows":
                await me.send_rows(SHARE, "server", bits(me.disclose(lambda held: held == 1, held)))
            case "itself":
                await me.send_rows(NOTE, me.name, bits(me.disclose(lambda held: held == 1, held)))

    async def server(self, me: Party) -> None:
        match self.how:
            case "to a crowd":
                await me.send(NOTE, "c1", bits(1))
            case "scattered":
                await me.scatter(NOTE, me.all("user"), bits([1]))
            case "after a publication":
                await me.publish(NOTE, me.all("user"), bits(1))
                await me.send(NOTE, "c1", bits(1))
            case "summed":
                await me.scatter(SHARE, me.all("user"), elements(1)[np.newaxis])


@pytest.mark.parametrize("how", ["send", "scatter", "publish", "sum"])
def test_a_crowd_does_not_send_as_if_it_were_one(how: str) -> None:
    with pytest.raises(
        ScriptError, match="is a crowd, and each of its members sends a row: use send_rows"
    ):
        run(Misuse(how), [1, 2, 3])


@pytest.mark.parametrize("how", ["to a crowd", "scattered", "after a publication", "summed"])
def test_a_crowd_is_sent_nothing_but_what_all_its_members_get(how: str) -> None:
    with pytest.raises(
        ScriptError, match=r"server .* c1 is a crowd, which cannot receive a message"
    ):
        run(Misuse(how), [1, 2, 3])


def test_rows_take_no_summed_tag_and_go_to_others() -> None:
    with pytest.raises(ScriptError, match="send_rows cannot use a summed tag: declare the tag"):
        run(Misuse("summed rows"), [1, 2, 3])
    with pytest.raises(ScriptError, match="may not send rows to itself"):
        run(Misuse("itself"), [1, 2, 3])


def test_sealed_rows_are_refused_as_every_sealed_payload_is() -> None:
    class Sends(Reports):
        async def user(self, me: Party, held: Any) -> None:
            await me.send_rows(NOTE, "server", held)

    with pytest.raises(
        ScriptError, match=r'c1 in round 1 \(tag "note"\): sends .*, which is sealed'
    ):
        run(Sends(), [1, 2, 3])


class Asked(Reports):
    """The server sends a question before the users answer: each user adds the question's number to
    its input.
    """

    async def user(self, me: Party, held: Any) -> None:
        told = await me.receive(NOTE, "server")
        await me.send_rows(
            NOTE, "server", reals(np.atleast_1d(disclosed(me, held)) + told.values.plain)
        )

    async def server(self, me: Party) -> Any:
        await me.publish(NOTE, me.all("user"), reals(0.5))
        return await super().server(me)


@given(st.lists(st.integers(1, 3), min_size=2, max_size=7), st.data())
def test_what_is_published_to_a_crowd_is_billed_and_seen_as_a_copy_for_each_member(
    held: list[int], data: st.DataObject
) -> None:
    alone = data.draw(st.integers(0, len(held) - 1))
    one = run(Asked(crowds=(), alone=len(held)), held, observe=["server"])
    other = run(
        Asked(crowds=(len(held) - alone,), alone=alone),
        held,
        observe=["server"],
        schedule=Shuffled(alone),
    )
    assert one.outputs["server"].tolist() == other.outputs["server"].tolist()
    for axis in ("role", "round", "tag"):
        for direction in ("sent", "received"):
            assert one.ledger.by(axis, direction) == other.ledger.by(axis, direction)
    assert other.ledger.rounds == completion(other) == 2
    assert not other.ledger.unread()
    sent, received = (
        len(part) for part in (other.view(["server"]).sent, other.view(["server"]).received)
    )
    assert (sent, received) == (len(held), len(held))


class Counted(Reports):
    """The server only counts reports; a crowd may send the counts (a tally) instead of single
    reports.
    """

    def __init__(self, tallied: bool, crowds: tuple[int, ...] = (5,), alone: int = 0) -> None:
        super().__init__(crowds=crowds, alone=alone)
        self.tallied = tallied

    async def user(self, me: Party, held: Any) -> None:
        values = disclosed(me, held)
        rows = self.made(values)
        if self.tallied and np.ndim(values):
            rows = tally(rows.numbers().sum(axis=0), len(values), like=rows)
        await me.send_rows(NOTE, "server", rows)

    async def server(self, me: Party) -> Any:
        return await me.gather_tally(NOTE, me.all("user"), lambda rows: rows.values.sum(axis=0))


def test_a_tally_is_billed_as_the_messages_it_stands_for() -> None:
    held = [1, 2, 3, 3, 3]
    made, tallied = (run(Counted(tallies), held, observe=["server"]) for tallies in (False, True))
    assert made.outputs["server"].tolist() == tallied.outputs["server"].tolist() == [1, 1, 3]
    assert made.ledger.by("party", "sent") == tallied.ledger.by("party", "sent")
    links = made.ledger.by("link", "sent")
    assert links == tallied.ledger.by("link", "sent")
    assert sum(link.messages for link in links.values()) == made.ledger.total().messages == 5
    assert made.ledger.by("party", "received") == tallied.ledger.by("party", "received")
    assert not tallied.ledger.unread()
    assert run(Counted(True, crowds=(2, 3)), held).outputs["server"].tolist() == [1, 1, 3]
    (seen,) = tallied.view(["server"]).received
    assert seen.payload.messages == 5


def test_what_only_a_tally_tells_is_not_made_up(tmp_path: Any) -> None:
    with pytest.raises(TypeError, match='messages with tag "note" cannot be saved'):
        save(run(Counted(True), [1] * 5, observe=["server"]).transcript, tmp_path / "t")
    with pytest.raises(ScriptError, match="some senders have sent rows and others tallies"):
        run(Counted(True, crowds=(2,), alone=1), [1, 2, 3])

    class Reader(Counted):
        server = Reports.server

    with pytest.raises(ScriptError, match="and no rows: use gather_tally"):
        run(Reader(True), [1] * 5)


def test_rows_that_are_not_alike_are_not_put_together() -> None:
    def one_each(*payloads: Any) -> Any:
        class Unlike(Reports):
            async def user(self, me: Party, held: Any) -> None:
                await me.send(NOTE, "server", payloads[me.index - 1])

        return Unlike(crowds=(), alone=len(payloads))

    with pytest.raises(
        ScriptError, match="only rows of one wire type and shape can be joined, got"
    ):
        run(one_each(bits([1, 0]), bits([1])), [1, 2])
    with pytest.raises(ScriptError, match="indices of kind Nd below 5 of shape"):
        run(one_each(index([1], below=5), index([1], below=5, kind="Nd")), [1, 2])
    with pytest.raises(
        ScriptError, match="only plain values can be joined as rows, got field elements: use gather"
    ):
        run(one_each(bits([1]), elements(1)), [1, 2])


class SomeReports(Reports):
    """The server goes on with the rows of the parties that have sent."""

    def __init__(self, least: int, tag: Tag = NOTE) -> None:
        super().__init__("index", crowds=(3,), alone=2)
        self.least = least
        self.tag = tag

    async def user(self, me: Party, held: Any) -> None:
        await me.send_rows(self.tag, "server", self.made(disclosed(me, held)))

    async def server(self, me: Party) -> Any:
        rows = await me.gather_rows(self.tag, me.all("user"), at_least=self.least)
        return rows.numbers()


@pytest.mark.parametrize("least", [1, 4, 5])
@pytest.mark.parametrize("gone", [(), ("u2",), ("u1", "u2")])
def test_rows_of_the_parties_that_have_sent_are_joined_if_they_are_enough(
    least: int, gone: tuple[str, ...]
) -> None:
    """Each member of the crowd counts."""
    held = {"u1": [1], "u2": [2], "c1": [3, 1, 3]}
    inputs = [1, 2, 3, 1, 3]
    done = run(SomeReports(least), inputs, fates={name: Fate(NOTE.name) for name in gone})
    left = [name for name in held if name not in gone]
    rows = [value for name in left for value in held[name]]
    assert done.happened.heard("server", NOTE.name) == tuple(left)
    if len(rows) < least:
        (ending,) = done.aborts
        assert f"came from only {len(rows)} of 5 senders" in ending.reason
    else:
        assert done.outputs["server"].tolist() == rows


@pytest.mark.parametrize(
    ("least", "tag", "wrong"),
    [
        (0, NOTE, "at_least is a number from 1, got 0"),
        (1, Voluntary(NOTE.name), "a silent party and one that has dropped out look alike"),
    ],
)
def test_rows_of_some_parties_need_a_number_and_a_tag_without_silence(
    least: int, tag: Tag, wrong: str
) -> None:
    with pytest.raises(ScriptError, match=wrong):
        run(SomeReports(least, tag), [1, 2, 3, 1, 3])


def test_a_crowd_inside_a_part_of_a_protocol_is_a_crowd_there() -> None:
    inner = Reports("index", crowds=(3,), alone=1)

    class Parts:
        def parties(self) -> Mapping[str, Seat]:
            scripts = {"user": self.user, "server": self.server}
            return {
                f"g.{name}": attrs.evolve(seat, script=scripts[seat.role], role=f"g.{seat.role}")
                for name, seat in inner.parties().items()
            }

        async def user(self, me: Party, held: Any) -> None:
            await inner.user(me.within("g."), held)

        async def server(self, me: Party) -> Any:
            return await inner.server(me.within("g."))

    done = run(Parts(), [3, 1, 2, 1])
    assert done.outputs["g.server"].tolist() == [3, 1, 2, 1]
    assert done.ledger.total().messages == 4
    assert done.within("g.").people == done.people == 4


@pytest.mark.parametrize(
    ("counts", "kind"), [([4, 0], ValueError), ([-1, 0], ValueError), ([0.5, 0], TypeError)]
)
def test_a_tally_counts_every_message_once_or_not(
    counts: list[float], kind: type[Exception]
) -> None:
    with pytest.raises(kind, match="with messages=3, a tally needs integers from 0 to 3"):
        tally(counts, 3, like=bits(np.ones((0, 2))))


def test_a_tally_of_fewer_than_no_messages_is_refused() -> None:
    assert tally([0], 0, like=bits(np.ones((0, 1)))).messages == 0
    with pytest.raises(ValueError, match="a tally is of 0 or more messages, got messages=-1"):
        tally([0], -1, like=bits(np.ones((0, 1))))


def test_single_parties_are_played_out_and_crowds_refused_by_name() -> None:
    assert len(Model(Reports(crowds=(), alone=3)).worlds([1, 2, 3])) == 1
    with pytest.raises(
        BadInput, match="c1 is a crowd of 3, and only single parties can be played out"
    ):
        Model(Reports())


OWN = Voluntary("note")


class Volunteers(Reports):
    """Users who hold a 3 stay silent."""

    async def user(self, me: Party, held: Any) -> None:
        values = np.atleast_1d(disclosed(me, held))
        await me.send_rows(
            OWN,
            "server",
            self.made(values[values != 3]) if self.rows is None else self.made(values),
        )

    async def server(self, me: Party) -> Any:
        rows = await me.gather_rows(OWN, me.all("user"))
        return [piece.numbers() for piece in rows] if isinstance(rows, tuple) else rows.numbers()


@given(st.sampled_from(WIRES), st.lists(st.integers(1, 3), min_size=1, max_size=9))
def test_silence_is_no_message_however_people_are_seated(wire: str, held: list[int]) -> None:
    speaking = [value for value in held if value != 3]
    runs = [
        run(Volunteers(wire, crowds=(), alone=len(held)), held),
        run(Volunteers(wire, crowds=(len(held),)), held),
    ]
    told = (
        run(Reports(wire, crowds=(len(speaking),)), speaking).outputs["server"]
        if speaking
        else None
    )
    for done in runs:
        assert done.ledger.total("sent") == done.ledger.total("received")
        assert done.ledger.total().messages == len(speaking)
        assert not done.ledger.unread()
        for mine, theirs in zip(
            done.outputs["server"], told if speaking else (), strict=bool(speaking)
        ):
            np.testing.assert_array_equal(mine, theirs)
    for axis in ("role", "round", "tag"):
        assert runs[0].ledger.by(axis, "sent") == runs[1].ledger.by(axis, "sent")
    assert completion(runs[0]) == completion(runs[1])


def test_an_observer_of_volunteers_sees_those_who_spoke(tmp_path: Any) -> None:
    protocol = Volunteers("index", crowds=(2,), alone=2)
    done = run(protocol, [3, 1, 2, 3], observe=["server"])
    assert [int(np.asarray(m.payload.values).item()) for m in done.view(["server"]).received] == [
        1,
        2,
    ]
    save(done.transcript, tmp_path / "t")
    assert replay(load(tmp_path / "t"), protocol).trace_hash == done.trace_hash


def test_a_volunteer_sends_no_more_than_a_row() -> None:
    with pytest.raises(ScriptError, match="4 messages for 3 parties: each party sends at most one"):
        run(Volunteers(rows=lambda _: bits(np.ones((4, 3), dtype=int))), [1, 2, 3])


def test_silence_is_told_apart_when_all_is_played_out() -> None:
    assert not Comparison(Volunteers(crowds=(), alone=2), "server").compare([3, 1], [1, 1]).same
    assert Comparison(Volunteers(crowds=(), alone=2), "u2").compare([3, 1], [1, 1]).same


@pytest.mark.parametrize("speaking", [1, 3, 8])
def test_a_verdict_counts_the_members_who_spoke(speaking: int) -> None:
    done = run(Volunteers("index", crowds=(8,)), [1] * speaking + [3] * (8 - speaking))
    (seen,) = verdict(done, "server").discrete.sees
    assert (seen["messages"], seen["senders"]) == (speaking, speaking)
    assert "most_senders" not in seen
