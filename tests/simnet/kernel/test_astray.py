"""Messages that are lost, damaged, duplicated or late: what the recipient reads, what the bill and
the views have, and that no result is presented that is not right.
"""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.dpds.script import DPDS
from protocols.secagg.script import SecAgg
from simnet import (
    BadInput,
    Fate,
    Field,
    MessageFate,
    Party,
    ScriptError,
    Seat,
    Shuffled,
    Tag,
    Voluntary,
    bits,
    certificate_of,
    constant,
    load,
    replay,
    run,
    save,
    seats,
    sends,
    timed,
    verdict,
)
from simnet.adversary.certificate import certificate_text
from simnet.adversary.check import BadCertificate, Certificate
from simnet.scenario.drops import fates_of
from simnet.scenario.perform import bill
from simnet.testing import message_fates
from simnet.values.sealed import Sealed
from tests.harness.marks import slow_but

F = Field.above(250)
NOTE, HIDDEN = Tag("note"), Tag("hidden")


@attrs.frozen
class Twice:
    """Users send 1 and then 2; the server asks twice who has sent."""

    waits_for_all: bool = False

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, 3), "server": Seat(self.server)}

    async def user(self, me: Party) -> None:
        await me.send(NOTE, "server", constant(F, [1]))
        await me.send(NOTE, "server", constant(F, [2]))

    async def server(self, me: Party) -> list[dict[str, int]]:
        found = []
        for _ in range(2):
            if self.waits_for_all:
                came = dict(
                    zip(me.names("user"), await me.gather(NOTE, me.all("user")), strict=True)
                )
            else:
                came = await me.gather_some(NOTE, me.all("user"))
            found.append(
                {name: me.disclose(lambda x: int(x[0]), one) for name, one in came.items()}
            )
        return found


@pytest.mark.parametrize(("what", "place"), list(itertools.product(["lost", "damaged"], [1, 2])))
def test_the_next_message_is_not_read_in_the_place_of_a_lost_one(what: str, place: int) -> None:
    fates = MessageFate.parse(f"u2@note#{place}:{what}:server")
    done = run(Twice(), message_fates=fates)
    expected = [{f"u{user}": number for user in (1, 2, 3)} for number in (1, 2)]
    del expected[place - 1]["u2"]
    assert done.outputs["server"] == expected
    assert done.ledger.total() == run(Twice()).ledger.total()
    assert [str(one) for one in done.unread] == ['1 message "note" from u2 to server']


def test_whoever_waits_for_a_lost_message_waits_for_ever() -> None:
    done = run(Twice(waits_for_all=True), message_fates=[MessageFate("u2", "server", "note")])
    assert done.outcome == "aborted"
    reason = 'server in round 1: waits for "note" for ever, because the message of u2 was lost'
    assert [str(ending) for ending in done.aborts] == [reason]


def test_a_duplicate_is_billed_twice_and_read_once() -> None:
    fates = MessageFate.parse("u2@note:duplicated:server")
    done, plain = run(Twice(), message_fates=fates, observe=["u2"]), run(Twice(), observe=["u2"])
    assert done.outputs == plain.outputs
    assert done.ledger.total().messages == plain.ledger.total().messages + 1
    links = [each.ledger.by("link", "sent")["u2→server"].messages for each in (done, plain)]
    assert links == [3, 2]


@pytest.mark.parametrize("what", ["duplicated", "late=1"])
def test_a_bill_leaves_second_copies_out(what: str) -> None:
    fates = MessageFate.parse(f"u2@masked:{what}:server") + MessageFate.parse(
        f"server@alive#3:{what}:u3"
    )
    done, plain = (run(SECAGG, ITEMS, seed=7, message_fates=each) for each in (fates, ()))
    rows = bill(about(SECAGG), done)
    assert rows == bill(about(SECAGG), plain)
    assert all(row.holds for row in rows)
    copies = {role: each.messages for role, each in done.ledger.copies().items()}
    assert copies == ({"user": 1, "server": 1} if what == "duplicated" else {})
    sent = [each.ledger.total().messages for each in (done, plain)]
    assert sent == [each.ledger.messages for each in (done, plain)]
    assert sent[0] - sent[1] == sum(copies.values())


@pytest.mark.parametrize("what", ["lost", "damaged", "duplicated"])
def test_nothing_goes_astray_if_a_party_stays_silent(what: str) -> None:
    answer = Voluntary("answer")

    class Silent:
        def parties(self) -> Mapping[str, Seat]:
            return {"u": Seat(self.user), "server": Seat(self.server)}

        async def user(self, me: Party) -> None:
            await me.send_rows(answer, "server", bits(np.zeros((0, 2), dtype=bool)))

        async def server(self, me: Party) -> int:
            rows = await me.gather_rows(answer, ["u"])
            return int(rows.shape[0])

    done = run(Silent(), message_fates=MessageFate.parse(f"u@answer:{what}:server"))
    assert done.outputs == {"server": 0}
    assert (done.unread, done.ledger.total().messages) == ((), 0)


@pytest.mark.parametrize("seconds", [2, 2.5, np.float64(1), np.int64(3)])
def test_a_file_keeps_the_seconds_of_a_late_message(seconds: Any, tmp_path: Path) -> None:
    fate = MessageFate("u2", "server", "note", what="late", seconds=seconds)
    done = run(Twice(), message_fates=[fate], observe=["server"])
    save(done.transcript, tmp_path / "run")
    assert load(tmp_path / "run").message_fates == (fate,)


@pytest.mark.parametrize("gone", [{}, {"u": Fate("note", 1, 1)}, {"u": Fate("note", 2, 1)}])
def test_a_send_that_fails_counts_as_a_send(gone: Mapping[str, Fate]) -> None:
    class Clumsy:
        def parties(self) -> Mapping[str, Seat]:
            return {"u": Seat(self.user), "server": Seat(self.server)}

        async def user(self, me: Party) -> None:
            with pytest.raises(TypeError):
                await me.send(NOTE, "server", 5)
            await me.send(NOTE, "server", constant(F, [1]))

        async def server(self, me: Party) -> list[str]:
            return list(await me.gather_some(NOTE, ["u"], at_least=0))

    for place, came in ((1, ["u"]), (2, [])):
        fate = MessageFate("u", "server", "note", place)
        assert run(Clumsy(), fates=gone, message_fates=[fate]).outputs == {"server": came}


def test_a_message_that_comes_later_changes_the_time_alone() -> None:
    done = run(Twice(), message_fates=MessageFate.parse("u2@note:late=2.5:server"))
    assert done.outputs == run(Twice()).outputs
    assert timed(done, "rounds").ended["server"] == 3.5


USERS = 4
SECAGG = SecAgg(DPDS(users=USERS, items=3, participation=1.0), threshold=3)
ITEMS = [1, 3, 3, 2]
SENT = sends(SECAGG, ITEMS, seed=7)


@given(message_fates(SENT), st.integers(0, 9), st.sampled_from([None, "u2"]))
def test_a_result_is_right_whatever_goes_astray(
    astray: list[MessageFate], schedule: int, gone: str | None
) -> None:
    fates = {} if gone is None else {gone: Fate("masked")}
    names = list(SENT)
    done = run(SECAGG, ITEMS, seed=7, fates=fates, message_fates=astray, observe=names)
    other = run(
        SECAGG,
        ITEMS,
        seed=7,
        fates=fates,
        message_fates=astray,
        observe=names,
        schedule=Shuffled(schedule),
    )
    assert done.trace_hash == other.trace_hash
    if "server" in done.outputs:
        counted = SECAGG.counted(done.happened)
        held = [ITEMS[int(name[1:]) - 1] for name in counted]
        expected = [held.count(item) / len(held) for item in (1, 2, 3)]
        assert done.outputs["server"] == pytest.approx(expected)
    else:
        assert done.outcome == "aborted"


@attrs.frozen
class Tell:
    """u1 sends its number in clear to the server, and masked to a keeper."""

    def parties(self) -> Mapping[str, Seat]:
        return {
            "u1": Seat(self.user),
            "server": Seat(self.reader),
            "keeper": Seat(self.keeper),
        }

    async def user(self, me: Party, number: Sealed) -> None:
        mine = me.secret(lambda x: [x], number, field=F, shape=(1,))
        await me.send(NOTE, "server", mine)
        await me.send(HIDDEN, "keeper", mine + me.coins.field(F, (1,)))

    async def reader(self, me: Party) -> None:
        await me.gather_some(NOTE, ["u1"], at_least=0)

    async def keeper(self, me: Party) -> None:
        await me.gather_some(HIDDEN, ["u1"], at_least=0)


@pytest.mark.slow
@pytest.mark.parametrize("what", slow_but(["lost", "damaged", "duplicated", "late=3"], "lost"))
def test_what_goes_astray_stays_in_the_view(what: str, tmp_path: Path) -> None:
    texts = [f"u1@note:{what}:server", f"u1@hidden:{what}:keeper"]
    fates = [fate for text in texts for fate in MessageFate.parse(text)]
    done = run(Tell(), [5], message_fates=fates, observe=["server"])
    assert verdict(done, "server").attack("u1", 1) == 5
    assert verdict(done, "keeper").finding == "nothing"
    for name, finding in (("server", "leaks"), ("keeper", "nothing")):
        certificate = certificate_of(verdict(done, name))
        assert certificate["statement"] == finding
        assert certificate["runs"][0]["message_fates"] == texts
        Certificate(certificate_text(certificate)).checked()
    certificate["runs"][0]["message_fates"] = []
    with pytest.raises(BadCertificate, match="an empty list must be left out"):
        Certificate(certificate_text(certificate)).checked()
    save(done.transcript, tmp_path / "run")
    assert replay(load(tmp_path / "run"), Tell()).trace_hash == done.trace_hash


def test_fates_that_cannot_be_exact_are_refused() -> None:
    dpds = DPDS(users=2, items=2, participation=1.0)
    with pytest.raises(ScriptError, match="belongs to a sum as soon as it is sent"):
        run(dpds, [1, 2], message_fates=[MessageFate("u1", "server", "partial")])
    for fate, reason in [
        (MessageFate("u9", "server", "note"), "u9"),
        (MessageFate("u1", "u1", "note"), "keeps its own messages"),
    ]:
        with pytest.raises(BadInput, match=reason):
            run(Tell(), [1], message_fates=[fate])
    twice = [MessageFate("u1", "server", "note"), MessageFate("u1", "server", "note", 1, "damaged")]
    with pytest.raises(BadInput, match="a message has one fate"):
        run(Tell(), [1], message_fates=twice)


@pytest.mark.parametrize(
    "text",
    ["u1@note:lost:server", "u1@note#2:late=0.5:u2", "a@b:damaged:c", "a@b:duplicated:c"],
)
def test_a_text_is_read_as_it_is_written(text: str) -> None:
    assert [str(fate) for fate in MessageFate.parse(text)] == [text]


@pytest.mark.parametrize("seconds", [2, 1e-7, 0.1234567, 1234567.5, 1e22])
def test_the_text_of_a_late_message_keeps_its_seconds(seconds: float) -> None:
    fate = MessageFate("u1", "server", "note", what="late", seconds=seconds)
    assert MessageFate.parse(str(fate)) == (fate,)


@pytest.mark.parametrize(
    "text",
    [
        "u1:lost:server",
        "u1@note:lost:",
        "u1@note#x:lost:u2",
        "u1@note:torn:u2",
        "u1@note:late:u2",
        "u1@note:lost=2:u2",
        "u1@note:lost=0:u2",
        "u1@note#0:lost:u2",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BadInput):
        MessageFate.parse(text)


def test_drop_takes_fates_of_messages() -> None:
    fates, messages = fates_of(["u1@note:lost:server", "u1@hidden"], Tell(), [1], 0)
    assert fates == {"u1": Fate("hidden")}
    assert messages == [MessageFate("u1", "server", "note")]
    for text, reason in [
        ("u1@note:lost:keeper", "no recipient"),
        ("u2@note:lost:server", "no party is called"),
        ("u1@other:lost:server", "does not send"),
    ]:
        with pytest.raises(BadInput, match=reason):
            fates_of([text], Tell(), [1], 0)
