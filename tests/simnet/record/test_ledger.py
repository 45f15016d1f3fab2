"""The bill: counts by every axis agree, sent equals received, rounds are causal depth."""

import itertools
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import BadInput, Party, Seat, Shuffled, Tag, bits, index, run
from simnet.kernel.run import Run
from simnet.record.ledger import Axis, Traffic
from simnet.values.frames import HEADER_BYTES
from tests.harness.networks import completion
from tests.harness.scripts import NOTE, SHARE, Crowd, elements, play

AXES: tuple[Axis, ...] = ("party", "role", "round", "tag", "phase")


@st.composite
def traffic(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int]]]:
    """A number of users, and messages as (sender, recipient, width)."""
    n = draw(st.integers(1, 5))
    party = st.integers(1, n)
    return n, draw(st.lists(st.tuples(party, party, st.integers(0, 9)), max_size=20))


def deliver(n: int, messages: list[tuple[int, int, int]], seed: int = 0) -> Run:
    async def user(me: Party) -> None:
        for sender, recipient, width in messages:
            if sender == me.index:
                await me.send(NOTE, f"u{recipient}", (elements(*range(width)), bits([1] * width)))
        for sender, recipient, _ in messages:
            if recipient == me.index:
                await me.receive(NOTE, f"u{sender}")

    return run(Crowd(n, user), schedule=Shuffled(seed), observe=[f"u{k}" for k in range(1, n + 1)])


@given(traffic(), st.integers(0, 9))
def test_every_message_is_billed_once_at_both_ends(
    case: tuple[int, list[tuple[int, int, int]]], seed: int
) -> None:
    n, messages = case
    ledger = deliver(n, messages, seed).ledger
    assert ledger.messages == ledger.total().messages
    for counting in ("logical", "wire"):
        counted = [m for m in messages if counting == "logical" or m[0] != m[1]]
        size = sum(
            -(-8 * width // 8) for *_, width in counted
        )  # 7 bits an element of F_101 and one more: a byte
        expected = (len(counted), size, size + HEADER_BYTES * len(counted))
        for direction in ("sent", "received"):
            total = ledger.total(direction, counting)
            assert (total.messages, total.payload_bytes, total.frame_bytes) == expected
            assert (
                total.elements.get("qd", 0)
                == total.elements.get("bd", 0)
                == sum(width for *_, width in counted)
            )
            for axis in AXES:
                assert sum(ledger.by(axis, direction, counting).values(), Traffic()) == total
        links = ledger.by("link", "sent", counting)
        assert sum(links.values(), Traffic()) == ledger.total("sent", counting)
        assert {name: link.messages for name, link in links.items()} == Counter(
            f"u{s}→u{r}" for s, r, _ in counted
        )
        sent, received = (
            ledger.by("party", "sent", counting),
            ledger.by("party", "received", counting),
        )
        assert {name: one.messages for name, one in sent.items()} == Counter(
            f"u{s}" for s, _, _ in counted
        )
        assert {name: one.messages for name, one in received.items()} == Counter(
            f"u{r}" for _, r, _ in counted
        )


@given(traffic())
def test_the_transcript_of_all_parties_agrees_with_the_ledger(
    case: tuple[int, list[tuple[int, int, int]]],
) -> None:
    done = deliver(*case)
    seen = Counter(
        (m.sender + 1, m.recipient + 1, m.payload[0].shape[0]) for m in done.transcript.messages
    )
    assert seen == Counter(case[1])
    assert [m.place for m in done.transcript.messages] == sorted(
        m.place for m in done.transcript.messages
    )


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(0, 9))
def test_rounds_are_the_longest_chain_of_messages(path: list[int], seed: int) -> None:
    """A token goes along a path of users.

    Steps from a user to itself are no message and make no round.
    """

    async def user(me: Party) -> None:
        for place, holder in enumerate(path):
            if holder == me.index:
                if place:
                    await me.receive(Tag(f"step {place}"), f"u{path[place - 1]}")
                if place + 1 < len(path):
                    await me.send(Tag(f"step {place + 1}"), f"u{path[place + 1]}", elements(1))

    done = run(Crowd(4, user), schedule=Shuffled(seed))
    hops = sum(here != there for here, there in itertools.pairwise(path))
    assert done.ledger.rounds == hops
    assert completion(done) == hops


def test_a_share_that_a_party_keeps_takes_no_round_and_no_time() -> None:
    async def alone(me: Party) -> None:
        for _ in range(3):
            await me.scatter(SHARE, ["a"], elements(1))
            await me.gather_sum(SHARE, senders=["a"])
            await me.scatter(NOTE, ["a"], elements(1))
            await me.receive(NOTE, "a")

    done = play(a=alone)
    assert (done.ledger.rounds, completion(done), done.ledger.total().messages) == (0, 0.0, 0)
    assert done.ledger.total(counting="logical").messages == 6


def test_operations_are_billed_by_the_arrays_of_the_party_that_holds_them() -> None:
    async def a(me: Party) -> None:
        drawn = me.coins.field(elements().field, (4, 3))
        await me.send(NOTE, "b", drawn.sum() + drawn[0])
        me.coins.bernoulli(0.5)
        me.coins.integers(7, 5)

    async def b(me: Party) -> None:
        received = await me.receive(NOTE, "a")
        total = received + received
        assert total.shape == (3,)
        me.output(lambda opened: (opened + 1) * 0.5, total)

    operations = play(a=a, b=b).ledger.operations("party")
    assert operations["a"] == {"FS": 12, "FA": 9 + 3, "BS": 1, "nS": 5}
    assert operations["b"] == {"FA": 3, "nA": 3, "RM": 3}


def test_kinds_are_counted_apart() -> None:
    async def a(me: Party) -> None:
        await me.send(
            NOTE,
            "b",
            (index([1, 2], below=9), index(3, below=30, kind="Nd"), bits([1]), elements(5)),
        )

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    total = play(a=a, b=b).ledger.total()
    assert total.elements == {"nd": 2, "Nd": 1, "bd": 1, "qd": 1}
    assert total.payload_bytes == -(-(2 * 4 + 5 + 1 + 7) // 8)


@given(st.text(), st.sampled_from(["axis", "direction", "counting"]))
def test_what_a_ledger_does_not_have_is_refused(word: str, place: str) -> None:
    ledger = deliver(2, [(1, 2, 3)]).ledger
    known = {"axis": "tag", "direction": "sent", "counting": "wire"}
    arguments: Any = {**known, place: f"{word}?"}
    with pytest.raises(BadInput, match=f"a ledger has no {place} "):
        ledger.by(**arguments)


def test_links_need_somebody_who_observes() -> None:
    async def user(me: Party) -> None:
        await me.send(NOTE, "u1" if me.index == 2 else "u2", elements(1))
        await me.receive(NOTE, "u1" if me.index == 2 else "u2")

    with pytest.raises(BadInput, match="no party was observed"):
        run(Crowd(2, user)).ledger.by("link", "sent")
    with pytest.raises(BadInput, match="use 'sent'"):
        run(Crowd(2, user), observe=["u1"]).ledger.by("link", "received")


@pytest.mark.parametrize("phases", [("first", "second"), ("first", None), ("first", "first")])
def test_a_phase_is_a_label_of_the_record_alone(phases: tuple[str, str | None]) -> None:
    def played(named: tuple[str | None, ...]) -> Run:
        tags = [Tag(f"t{place}", phase=phase) for place, phase in enumerate(named)]

        async def user(me: Party) -> None:
            for tag in tags:
                await me.send(tag, "u1", elements(1, 2))
                if me.index == 1:
                    await me.gather(tag, me.all("user"))

        return run(Crowd(3, user), observe=["u1"])

    named, plain = played(phases), played((None, None))
    assert named.trace_hash == plain.trace_hash
    assert plain.ledger.by("phase", "sent").keys() == {"no phase"}
    by_tag = named.ledger.by("tag", "sent")
    for phase, traffic in named.ledger.by("phase", "sent").items():
        tags = [f"t{place}" for place, one in enumerate(phases) if (one or "no phase") == phase]
        assert traffic == sum((by_tag[tag] for tag in tags), Traffic())


def test_a_tag_has_one_phase() -> None:
    async def user(me: Party) -> None:
        tag = Tag("t", phase=me.name)
        await me.send(tag, "u1", elements(1))
        if me.index == 1:
            await me.gather(tag, me.all("user"))

    with pytest.raises(BadInput, match="tag 't' has two phases, 'u1' and 'u2'"):
        run(Crowd(2, user)).ledger.by("phase", "sent")


def test_a_tag_of_a_part_does_not_name_the_phase_of_a_tag_outside() -> None:
    class Whole:
        def parties(self) -> dict[str, Seat]:
            return {"part.a": Seat(self.sender), "part.b": Seat(self.reader)}

        async def sender(self, me: Party) -> None:
            await me.within("part.").send(Tag("t", phase="first"), "b", bits([1]))
            await me.send(Tag("t"), "part.b", bits([1]))
            await me.send(Tag("t"), "part.b", bits([1]))

        async def reader(self, me: Party) -> None:
            await me.within("part.").receive(Tag("t", phase="first"), "a")
            await me.receive_each(Tag("t"), "part.a", 2)

    sent = run(Whole()).ledger.by("phase", "sent")
    assert {phase: traffic.messages for phase, traffic in sent.items()} == {
        "first": 1,
        "no phase": 2,
    }


def test_words_for_one_message_are_in_the_singular() -> None:
    one, two = (deliver(2, [(1, 2, 1)] * count).ledger for count in (1, 2))
    assert (one.messages_in_words, one.payload_in_words) == ("1 message", "1 payload byte")
    assert (two.messages_in_words, two.payload_in_words) == ("2 messages", "2 payload bytes")
