"""Parties that drop out: every run ends, in one way whatever the schedule, and by the rules."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import (
    Abort,
    BadInput,
    Fate,
    Field,
    Party,
    Schedule,
    ScriptError,
    Seat,
    Shuffled,
    Stall,
    Summed,
    Tag,
    bits,
    drawn_fates,
    index,
    load,
    replay,
    run,
    save,
    seats,
    sends,
)
from simnet.testing import fates as fate_strategy
from tests.harness.fate_programs import Played, as_fates, compared, random_program, reference

F = Field(101)
MASKED, ANSWER, SHARE, LIST = Tag("masked"), Tag("answer"), Summed("share"), Tag("list")


def check(seed: int) -> str:
    """Compare one random program under three schedules with the reference; return its outcome."""
    program, cuts = random_program(random.Random(seed))
    expected, fates = reference(program, cuts), as_fates(program, cuts)
    hashes = set()
    for schedule in (None, Shuffled(1), Shuffled(2)):
        try:
            done = run(
                Played(program), fates=fates, schedule=schedule, observe=Played(program).parties()
            )
        except Stall:
            assert expected.stalls
            continue
        assert not expected.stalls
        assert compared(done) == (expected.outputs, expected.gone, expected.endings)
        hashes.add(done.trace_hash)
    assert len(hashes) == (0 if expected.stalls else 1)
    return "stall" if expected.stalls else "aborted" if expected.endings else "result"


@given(st.integers(0, 10**9))
def test_runs_end_by_the_rules_whatever_the_schedule(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("programs", [150, pytest.param(2000, marks=pytest.mark.long)])
def test_many_programs_end_by_the_rules(programs: int) -> None:
    outcomes = [check(seed) for seed in range(programs)]
    counts = {kind: outcomes.count(kind) for kind in ("result", "aborted", "stall")}
    assert min(counts.values()) > programs / 20


class Agreeing:
    """Users share among themselves, and add up the shares of those whom everybody has heard."""

    def __init__(self, users: int, least: int) -> None:
        self.users, self.least = users, least

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, self.users)

    async def user(self, me, number):
        users = me.all("user")
        value = me.secret(lambda n: [n], number, field=F, shape=(1,))

        def rows(coins):
            drawn = coins.field(F, (self.users - 1, 1))
            return type(drawn).stack([*drawn, value - drawn.sum()])

        await me.scatter(SHARE, users, me.coins.deferred(F, (self.users, 1), rows))
        heard = await me.heard(SHARE, users, at_least=self.least)
        await me.publish(LIST, users, bits([name in heard for name in users]))
        lists = await me.gather_some(LIST, users, at_least=self.least)
        agreed = [
            name
            for place, name in enumerate(users)
            if all(entry.numbers()[place] for entry in lists.values())
        ]
        total = await me.gather_sum(SHARE, senders=agreed)
        return me.output(lambda values: int(values[0]), total), tuple(agreed)


@given(data=st.data(), users=st.integers(2, 4))
def test_sums_leave_out_exactly_whom_the_recipients_leave_out(data, users) -> None:
    protocol, numbers = Agreeing(users, 1), list(range(3, 3 + users))
    fates = data.draw(fate_strategy(sends(protocol, numbers), most=users - 1))
    everybody = protocol.parties()
    done = run(protocol, numbers, fates=fates, observe=everybody)
    again = run(protocol, numbers, fates=fates, observe=everybody, schedule=Shuffled(5))
    assert done.trace_hash == again.trace_hash
    rows = {
        (message.sender, message.recipient): int(message.payload.numbers()[0])
        for message in done.transcript.messages
        if message.tag == "share"
    }
    for name, (total, agreed) in done.outputs.items():
        own, place = done.roster.number, done.roster.number[name]
        assert total == sum(rows[own[sender], place] for sender in agreed) % 101
    assert set(done.gone) == set(fates)


class Answering:
    """Users send a number to a server, which answers those that have sent."""

    def __init__(self, users: int, least: int) -> None:
        self.users, self.least = users, least

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me, number):
        await me.send(MASKED, "server", me.secret(lambda n: [n], number, field=F, shape=(1,)))
        await me.receive(ANSWER, "server")
        return "answered"

    async def server(self, me):
        came = await me.gather_some(MASKED, me.all("user"), at_least=self.least)
        await me.publish(ANSWER, list(came), bits([1]))
        return tuple(came)


def test_an_abort_names_who_why_and_when() -> None:
    done = run(Answering(3, 2), [1, 2, 3], fates={"u1": Fate("masked"), "u3": Fate("masked")})
    assert done.outcome == "aborted"
    assert not done.outputs
    assert list(map(str, done.aborts)) == [
        'u2 in round 1: waits for "answer" for ever; server aborted',
        'server in round 2: messages "masked" came from only 1 of 3 senders, and 2 or more '
        "are needed",
    ]


def test_the_ideal_world_hears_of_whom_the_server_had_a_message() -> None:
    done = run(Answering(3, 2), [1, 2, 3], fates={"u3": Fate("masked")})
    assert done.outcome == "result"
    assert done.happened.heard("server", "masked") == ("u1", "u2") == done.outputs["server"]
    assert done.happened.heard("server", "masked", call=2) == ()
    assert done.happened.heard("server", "masked", call=0) == ()


def test_a_saved_run_with_fates_is_replayed(tmp_path) -> None:
    fates = {"u3": Fate("masked", reached=None), "u1": Fate("masked")}
    done = run(Answering(3, 1), [1, 2, 3], fates=fates, observe=["server"])
    save(done.transcript, tmp_path / "run.transcript")
    loaded = load(tmp_path / "run.transcript")
    assert (loaded.fates, loaded.silences) == (fates, done.transcript.silences)
    assert replay(loaded, Answering(3, 1)).trace_hash == done.trace_hash


def test_a_script_cannot_survive_its_fate() -> None:
    class Stubborn(Answering):
        async def user(self, me, number):
            for _ in range(3):
                try:
                    await me.send(
                        MASKED, "server", me.secret(lambda n: [n], number, field=F, shape=(1,))
                    )
                except BaseException:
                    continue
            return "still here"

    done = run(Stubborn(2, 0), [1, 2], fates={"u1": Fate("masked"), "u2": Fate("masked")})
    assert done.gone == ("u1", "u2")
    assert done.outputs == {"server": ()}


def test_a_sum_that_leaves_senders_out_has_one_message_from_each() -> None:
    class Twice:
        def parties(self) -> dict[str, Seat]:
            return {**seats("u", self.user, 2), "s": Seat(self.s), "t": Seat(self.t)}

        async def user(self, me):
            await me.send(SHARE, "s", me.coins.field(F, (1,)))
            await me.scatter(SHARE, ["s", "t"], me.coins.field(F, (2, 1)))

        async def s(self, me):
            await me.heard(SHARE, me.all("user"))
            await me.gather_sum(SHARE, senders=["u2"])

        async def t(self, me):
            await me.gather_sum(SHARE, senders=me.all("user"))

    with pytest.raises(ScriptError, match="sent twice"):
        run(Twice(), fates={"u1": Fate("other")})


def test_an_error_of_the_last_send_is_an_error_of_the_script() -> None:
    class Wrong(Answering):
        async def user(self, me, number):
            await me.send(MASKED, "server", number)

    with pytest.raises(ScriptError, match="sealed"):
        run(Wrong(1, 0), [1], fates={"u1": Fate("masked", reached=None)})


@pytest.mark.parametrize("reached", [None, 0, 2, (), ("3",), ("u1", "3")])
def test_a_saved_fate_is_the_same_fate(tmp_path, reached) -> None:
    class Named:
        def parties(self) -> dict[str, Seat]:
            return {"u1": Seat(self.sender), "3": Seat(self.reader)}

        async def sender(self, me):
            await me.publish(Tag("x:1#2"), ["3", "u1"], bits([1]))

        async def reader(self, me):
            await me.gather_some(Tag("x:1#2"), ["u1"], at_least=0)

    done = run(Named(), fates={"u1": Fate("x:1#2", reached=reached)}, observe=["u1", "3"])
    save(done.transcript, tmp_path / "run")
    assert load(tmp_path / "run").fates == done.fates
    assert replay(load(tmp_path / "run"), Named()).trace_hash == done.trace_hash


def test_a_script_that_tries_for_ever_is_stopped() -> None:
    class Endless(Answering):
        async def user(self, me, number):
            mine = me.secret(lambda n: [n], number, field=F, shape=(1,))
            while True:
                try:
                    await me.send(MASKED, "server", mine)
                except BaseException:
                    continue

    done = run(Endless(1, 0), [1], fates={"u1": Fate("masked")})
    assert (done.gone, done.outputs) == (("u1",), {"server": ()})


def test_parties_that_wait_for_each_other_are_released_once() -> None:
    class Both:
        def parties(self) -> dict[str, Seat]:
            return seats("u", self.user, 2)

        async def user(self, me):
            other = "u2" if me.name == "u1" else "u1"
            heard = await me.heard(SHARE, [other], at_least=0)
            await me.send(SHARE, other, me.coins.field(F, (1,)))
            return len(heard)

    for schedule in (None, Shuffled(1), Shuffled(2)):
        assert run(Both(), schedule=schedule).outputs == {"u1": 0, "u2": 0}


@pytest.mark.parametrize("schedule", [None, Shuffled(1), Shuffled(2)])
def test_after_heard_a_sum_has_named_senders(schedule: Schedule | None) -> None:
    """Otherwise the sum would depend on how many messages were there by then."""

    class Counting:
        def parties(self) -> dict[str, Seat]:
            return {**seats("u", self.user, 3), "s": Seat(self.server)}

        async def user(self, me):
            rows = me.coins.field(F, (1, 1))
            await me.scatter(SHARE, [["s"]], rows, keys=index([1], below=3))

        async def server(self, me):
            heard = await me.heard(SHARE, ["u1", "u2"], key=1)
            await me.gather_sums(SHARE, [1], [len(heard)])

    with pytest.raises(ScriptError, match=r"after `heard`, use gather_sum\(\.\.\., senders"):
        run(Counting(), schedule=schedule)


def test_whoever_waits_after_a_drop_out_is_part_of_an_aborted_run() -> None:
    class Told(Answering):
        """The server tells u1 how many have sent; u1 ends quietly if somebody is missing."""

        async def user(self, me, number):
            mine = me.secret(lambda n: [n], number, field=F, shape=(1,))
            await me.send(MASKED, "server", mine)
            if me.name == "u1":
                told = await me.receive(ANSWER, "server")
                if told.numbers()[0]:
                    await me.publish(LIST, ["u2"], bits([1]))
            elif me.name == "u2":
                await me.receive(LIST, "u1")

        async def server(self, me):
            came = await me.gather_some(MASKED, me.all("user"))
            await me.send(ANSWER, "u1", bits([len(came) == self.users]))

    done = run(Told(3, 1), [1, 2, 3], fates={"u3": Fate("masked")})
    assert [ending.party for ending in done.aborts] == ["u2"]

    class Counting(Answering):
        async def user(self, me, number):
            await me.send(SHARE, "server", me.coins.field(F, (1,)))

        async def server(self, me):
            return await me.gather_sum(SHARE, count=self.users)

    assert run(Counting(3, 1), [1, 2, 3], fates={"u3": Fate("share")}).outcome == "aborted"


@pytest.mark.parametrize(
    "text", ["masked", "share#2", "share:2", "share:after", "share#3:u1+u4", "g2.share:after"]
)
def test_fates_are_written_as_they_are_read(text: str) -> None:
    assert str(Fate.parse(text)) == text


def test_a_fate_that_reaches_nobody_by_name_has_a_text() -> None:
    assert Fate.parse(str(Fate("share", 2, reached=()))) == Fate("share", 2)


@pytest.mark.parametrize(
    "text", ["", "#2", "share#", "share#x", "share:", "share:u1+", "share#0", "share:u1+u1"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        Fate.parse(text)


def test_drawn_fates_drop_each_party_with_the_given_probability() -> None:
    sent = sends(Answering(400, 0), [1] * 400)
    del sent["server"]
    gone = sum(len(drawn_fates(sent, 0.1, seed)) for seed in range(10))
    assert abs(gone - 400) < 115  # six standard deviations: fails once in 5e8 seeds
    assert drawn_fates(sent, 0.1, 3) == drawn_fates(sent, 0.1, 3)
    assert drawn_fates(sent, 0, 3) == {}
    assert drawn_fates(sent, 1, 3).keys() == sent.keys()


def test_fates_name_parties_of_the_run() -> None:
    with pytest.raises(BadInput, match="u9"):
        run(Answering(3, 1), [1, 2, 3], fates={"u9": Fate("masked")})
    with pytest.raises(BadInput, match="u9"):
        run(Answering(3, 1), [1, 2, 3], fates={"u1": Fate("masked", reached=("u9",))})


def test_scripts_may_abort() -> None:
    class Careful(Answering):
        async def server(self, me):
            await me.gather_some(MASKED, me.all("user"))
            raise Abort("the moon is full")

    done = run(Careful(1, 1), [1])
    assert [ending.reason for ending in done.aborts if ending.party == "server"] == [
        "the moon is full"
    ]


@pytest.mark.parametrize("fate", [lambda value: Fate("note", value), "note", None])
def test_a_fate_that_is_not_chosen_before_the_run_is_refused(fate: Any) -> None:
    async def sender(me: Party) -> None:
        await me.send(ANSWER, "b", bits([1]))

    async def reader(me: Party) -> None:
        await me.receive(ANSWER, "a")

    class Two:
        def parties(self) -> dict[str, Seat]:
            return {"a": Seat(sender), "b": Seat(reader)}

    with pytest.raises(
        BadInput, match=r"the fate of a must be a simnet\.Fate, got .*before the run"
    ):
        run(Two(), fates={"a": fate})
