"""A faulty script ends the run at once, with an error that names party, round and tag."""

import contextlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import numpy as np
import pytest

from simnet import (
    BadInput,
    Coins,
    Party,
    ScriptError,
    Seat,
    Stall,
    Tag,
    bits,
    constant,
    index,
    run,
    seats,
    tally,
)
from simnet.values.field import Field, FieldArray
from tests.harness.many_cases import for_each
from tests.harness.scripts import NOTE, SHARE, Crowd, F, elements, idle, play


def one(script: Callable[[Party], Awaitable[Any]]) -> str:
    """Return the error of a run in which party a plays a script and party b does nothing."""
    with pytest.raises(ScriptError) as caught:
        play(a=script, b=idle)
    return str(caught.value)


def test_a_forgotten_send_is_named() -> None:
    async def user(me: Party) -> None:
        if me.index != 2:
            await me.send(NOTE, "server", elements(1))

    async def server(me: Party) -> None:
        await me.gather(NOTE, me.all("user"))

    with pytest.raises(Stall) as caught:
        run(Crowd(3, user, server))
    assert str(caught.value) == (
        'the run cannot go on: server waits for u2 in round 1 (tag "note"), '
        "but u2 has finished: has its script forgotten to send to server?"
    )


def test_parties_that_all_receive_before_they_send_are_told_to_send_first() -> None:
    async def user(me: Party) -> None:
        await me.gather(NOTE, [name for name in me.all("user") if name != me.name])
        await me.publish(NOTE, me.all("user"), elements(1))

    with pytest.raises(Stall, match="they wait for each other: one of them must send before it"):
        run(Crowd(3, user))


def test_parties_that_wait_for_themselves_do_not_wait_for_each_other() -> None:
    async def user(me: Party) -> None:
        await me.publish(NOTE, [name for name in me.all("user") if name != me.name], elements(1))
        await me.gather(NOTE, me.all("user"))

    with pytest.raises(Stall, match="u2 waits for u2 in round 1") as caught:
        run(Crowd(2, user))
    assert "each other" not in str(caught.value)


def test_a_forgotten_share_is_named() -> None:
    async def user(me: Party) -> None:
        if me.index != 3:
            await me.scatter(SHARE, me.all("user"), elements(1, 2, 3))
            await me.gather_sum(SHARE, senders=me.all("user"))

    with pytest.raises(
        Stall, match=r'u1 waits for u3 in round 1 \(tag "share"\), but u3 has finished'
    ):
        run(Crowd(3, user))


def test_two_that_wait_for_each_other_are_named() -> None:
    async def a(me: Party) -> None:
        await me.receive(NOTE, "b")

    async def b(me: Party) -> None:
        await me.receive_any(NOTE)

    with pytest.raises(
        Stall, match=r'a waits for b in round 1 \(tag "note"\); b waits for anyone in round 1'
    ):
        play(a=a, b=b)


def test_a_keyed_sum_with_too_few_messages_is_named() -> None:
    async def user(me: Party) -> None:
        if me.index < 3:
            await me.scatter(
                SHARE, [me.group("u3")], elements(1), keys=index([4], below=9, kind="Nd")
            )
        else:
            await me.gather_sum(SHARE, key=4, count=3)

    with pytest.raises(Stall, match="u3 waits for 1 more of 3 messages with key 4"):
        run(Crowd(3, user))


def test_an_exception_is_named_and_chained() -> None:
    async def script(me: Party) -> None:
        await me.send(NOTE, "b", elements(1))
        raise KeyError("gone")

    with pytest.raises(
        ScriptError, match=r"a in round 1 \(tag \"note\"\): KeyError: 'gone'"
    ) as caught:
        play(a=script, b=idle)
    assert isinstance(caught.value.__cause__, KeyError)


def test_the_round_of_an_error_is_that_of_the_next_message() -> None:
    async def a(me: Party) -> None:
        await me.send(NOTE, "b", elements(1))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")
        raise ValueError("no")

    with pytest.raises(ScriptError, match=r"b in round 2 \(tag \"note\"\): no"):
        play(a=a, b=b)


@pytest.mark.parametrize("to", ["nobody", ["b", "nobody"]])
def test_an_unknown_recipient_is_named(to: Any) -> None:
    async def script(me: Party) -> None:
        if isinstance(to, str):
            await me.send(NOTE, to, elements(1))
        else:
            await me.scatter(NOTE, to, elements(1, 2))

    text = one(script)
    assert text.startswith("a in round 1 (tag \"note\"): no party of this run is called 'nobody'")


@pytest.mark.parametrize(
    "payload", [1, 1.5, "text", np.array([1]), [elements(1)], (elements(1), 3), None]
)
def test_a_payload_that_does_not_say_how_it_travels_is_refused(payload: Any) -> None:
    async def script(me: Party) -> None:
        await me.send(NOTE, "b", payload)

    assert "a payload must be field elements, bits(...)" in one(script)


def test_a_payload_is_refused_even_after_a_good_one() -> None:
    async def script(me: Party) -> None:
        await me.send(NOTE, "b", elements(1))
        await me.send(NOTE, "b", np.array([1]))

    assert "got ndarray" in one(script)


def test_a_wrong_shape_is_refused_by_the_receiver() -> None:
    async def a(me: Party) -> None:
        await me.send(NOTE, "b", elements(1, 2))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a", shape=(3,))

    with pytest.raises(
        ScriptError,
        match=r'b in round 2 \(tag "note"\): a sent a payload of shape \(2,\).* shape \(3,\)',
    ):
        play(a=a, b=b)


@pytest.mark.parametrize("bad", [elements(1), constant(Field.above(7), [1, 2])])
def test_a_sum_refuses_a_row_of_another_shape_or_field(bad: Any) -> None:
    async def user(me: Party) -> None:
        await me.send(SHARE, "server", elements(1, 2) if me.index == 1 else bad)

    async def server(me: Party) -> None:
        await me.gather_sum(SHARE, senders=me.all("user"))

    with pytest.raises(
        ScriptError, match=r'u2 in round 1 \(tag "share"\): sends a row of shape .* that u1 began'
    ):
        run(Crowd(2, user, server))


def test_a_tally_is_no_single_payload() -> None:
    row = bits([1, 0])

    async def sends_it(me: Party) -> None:
        await me.send(NOTE, "b", row)  # the next message looks like this one
        await me.send(NOTE, "b", tally([3, 2], 5, like=bits(np.ones((0, 2)))))

    async def publishes_it(me: Party) -> None:
        await me.publish(NOTE, ["b"], (row, tally([3, 2], 5, like=bits(np.ones((0, 2))))))

    for script in (sends_it, publishes_it):
        assert "Tally: use send_rows for a tally" in one(script)


def test_a_part_names_parties_as_the_whole_run_does() -> None:
    class Whole:
        def parties(self) -> Mapping[str, Seat]:
            return {"g.u": Seat(self.user), "g.s": Seat(self.server), "u": Seat(self.other)}

        async def user(self, me: Party) -> None:
            await me.within("g.").send(NOTE, "s", elements(1, 2))

        async def server(self, me: Party) -> None:
            await me.within("g.").receive(NOTE, "u", shape=(3,))

        async def other(self, me: Party) -> None:
            pass

    with pytest.raises(
        ScriptError, match=r"^g.s in round 2 .*: g.u sent a payload of shape \(2,\)"
    ):
        run(Whole())


@pytest.mark.parametrize("rows", [elements(1), elements(1, 2, 3), constant(F, 1)])
@pytest.mark.parametrize("tag", [NOTE, SHARE])
def test_as_many_rows_as_recipients_are_needed(tag: Tag, rows: Any) -> None:
    async def script(me: Party) -> None:
        await me.scatter(tag, ["a", "b"], rows)

    assert "2 recipients: each recipient needs exactly one row" in one(script)


def test_more_messages_than_named_are_no_sum() -> None:
    async def user(me: Party) -> None:
        await me.send(SHARE, "server", elements(me.index))
        await me.send(NOTE, "server", elements())

    async def server(me: Party) -> None:
        await me.gather(NOTE, me.all("user"))
        await me.gather_sum(SHARE, senders=["u1", "u2"])

    with pytest.raises(
        ScriptError, match=r"sums what the senders that it names send, but u3 also sent"
    ):
        run(Crowd(3, user, server))


def test_messages_of_others_do_not_stand_in_for_the_named() -> None:
    async def user(me: Party) -> None:
        if me.index > 1:
            await me.send(SHARE, "server", elements(me.index))

    async def server(me: Party) -> None:
        await me.gather_sum(SHARE, senders=["u1", "u2"])

    with pytest.raises(ScriptError, match="but u3 also sent"):
        run(Crowd(3, user, server))


def test_a_deferred_block_that_fails_names_its_sender() -> None:
    async def user(me: Party) -> None:
        users = me.all("user")
        rows = (len(users) + (me.index == 2), 1)
        await me.scatter(
            SHARE, users, me.coins.deferred(F, (len(users), 1), lambda coins: coins.field(F, rows))
        )
        await me.gather_sum(SHARE, senders=users)

    for threads in (1, 2):
        with pytest.raises(
            ScriptError, match=r'u2 in round . \(tag "share"\): .* announced with shape \(3, 1\)'
        ):
            run(Crowd(3, user), threads=threads)


def test_a_deferred_block_that_uses_its_party_is_refused() -> None:
    async def a(me: Party) -> None:
        block = me.coins.deferred(F, (1, 1), lambda _: me.coins.field(F, (1, 1)))
        await me.scatter(SHARE, ["b"], block)

    async def b(me: Party) -> None:
        await me.gather_sum(SHARE, ["a"])

    with pytest.raises(ScriptError, match=r"^a in round 1 .* uses its party in a deferred block"):
        play(a=a, b=b)


def test_a_deferred_block_opens_no_door_after_it_has_evaluated_another_block() -> None:
    async def a(me: Party) -> None:
        def rows(coins: Coins) -> FieldArray:
            coins.deferred(F, (1, 1), lambda own: own.field(F, (1, 1))).evaluate()
            return constant(F, [[me.disclose(lambda: 3)]])

        await me.scatter(NOTE, ["b"], me.coins.deferred(F, (1, 1), rows))

    async def b(me: Party) -> None:
        await me.receive(NOTE, "a")

    with pytest.raises(ScriptError, match=r"calls me.disclose in a deferred block"):
        play(a=a, b=b)


def test_a_script_that_catches_the_error_of_a_deferred_block_does_not_go_on() -> None:
    async def user(me: Party) -> None:
        shape = (2, 1) if me.index == 2 else (1, 1)
        for _ in range(2):
            rows = me.coins.deferred(F, (1, 1), lambda coins: coins.field(F, shape))
            await me.scatter(SHARE, ["server"], rows)

    async def server(me: Party) -> Any:
        users = me.all("user")
        with contextlib.suppress(ScriptError):
            await me.gather_sum(SHARE, senders=users)
        return (await me.gather_sum(SHARE, senders=users)).open()

    with pytest.raises(ScriptError, match=r"u2 in round 1 .* the deferred block failed"):
        run(Crowd(2, user, server))


@for_each(
    "misuse, what",
    [
        (lambda me: me.receive(SHARE, "b"), "gets only the sum of messages"),
        (lambda me: me.gather(SHARE, ["b"]), "gets only the sum of messages"),
        (lambda me: me.receive_any(SHARE), "gets only the sum of messages"),
        (lambda me: me.publish(SHARE, ["b"], elements(1)), "use scatter"),
        (lambda me: me.gather_sum(NOTE, senders=["b"]), "needs a summed tag"),
        (lambda me: me.gather_sum(SHARE), "exactly one of senders=... and count=..."),
        (
            lambda me: me.gather_sum(SHARE, senders=["b"], count=1),
            "exactly one of senders=... and count=...",
        ),
        (lambda me: me.gather_sum(SHARE, count=0), "at least one message"),
        (lambda me: me.gather_sum(SHARE, count=1.5), "must be a whole number, such as 3, got 1.5"),
        (lambda me: me.send(SHARE, "b", bits([1])), "plain numbers"),
        (
            lambda me: me.scatter(NOTE, ["b"], elements(1), keys=index([0], below=2)),
            "only a summed tag takes keys",
        ),
        (
            lambda me: me.scatter(SHARE, [["b"]], elements(1), keys=index([0, 1], below=2)),
            "each group of recipients needs one key: got 1 group, and keys of shape (2,)",
        ),
        (lambda me: me.group(["b", "b"]), "names a party twice"),
        (lambda me: me.all("clown"), "nobody plays 'clown'"),
        (lambda me: me.expand(me.coins.field(F, (4,)), F, 1, 5), "a label is a text, got int"),
        (
            lambda me: me.expand(me.coins.field(F, (1, 4)), F, 1, weights=[1.5]),
            "'float' object cannot be interpreted as an integer",
        ),
        (lambda me: me.gather_rows(NOTE, []), "gathers rows from no senders"),
        (lambda me: me.gather_tally(NOTE, [], count=sum), "gathers rows from no senders"),
        (lambda me: me.public_key([1, 2]), "a secret key is an array of field elements, got list"),
    ],
)
def test_misuse_of_the_door_is_explained(misuse: Callable[[Party], Any], what: str) -> None:
    async def script(me: Party) -> None:
        waited = misuse(me)
        if hasattr(waited, "__await__"):
            await waited

    assert what in one(script)


def test_a_shape_of_numpy_numbers_gives_the_same_elements() -> None:
    async def script(me: Party) -> None:
        seed = me.coins.field(F, (4,))
        rows = [me.expand(seed, F, shape) for shape in (3, np.int64(3), (3,), (np.int64(3),))]
        found.extend(me.disclose(lambda row: row.tolist(), row) for row in rows)

    found: list[list[int]] = []
    play(a=script, b=idle)
    assert found == [found[0]] * 4


def test_inputs_must_fit_the_parties() -> None:
    class Takes:
        def parties(self) -> Mapping[str, Seat]:
            return {**seats("u", self.user, 2), "server": Seat(idle)}

        async def user(self, me: Party, item: int) -> int:
            return item

    assert run(Takes(), [5, 6]).outputs == {"u1": 5, "u2": 6}
    assert run(Takes(), {"u2": 6, "u1": 5}).outputs == {"u1": 5, "u2": 6}
    for inputs, what in (
        ([1], "1 input was given for 2"),
        ({"u1": 1}, "u2 needs an input"),
        ({"x": 1}, "no party of this run is called 'x'"),
        ({"server": 1}, "an input was given for server, but the script of server takes no input"),
    ):
        with pytest.raises(BadInput, match=what):
            run(Takes(), inputs)


def test_a_run_without_parties_is_refused() -> None:
    with pytest.raises(BadInput, match="the protocol has no parties"):
        run(Crowd(0, idle))
