"""Every message arrives once, in order and unchanged, at the party to which it was sent."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Party, Shuffled, Summed, Tag, bits, constant, index, reals, run
from tests.harness.scripts import NOTE, SHARE, Crowd, F, disclosed, elements, idle, play

OTHER = Tag("other")


def test_messages_of_one_sender_arrive_in_order_and_by_tag() -> None:
    async def a(me: Party) -> None:
        for value in (1, 2, 3):
            await me.send(NOTE, "b", elements(value))
        await me.send(OTHER, "b", elements(9))

    async def b(me: Party) -> list[int]:
        other = await me.receive(OTHER, "a")
        return [int(disclosed(me, other)[0])] + [
            int(disclosed(me, await me.receive(NOTE, "a"))[0]) for _ in range(3)
        ]

    assert play(a=a, b=b).outputs["b"] == [9, 1, 2, 3]


@given(st.integers(2, 9), st.integers(0, 50))
def test_gather_returns_one_payload_from_each_in_the_order_named(n: int, seed: int) -> None:
    async def user(me: Party) -> None:
        await me.send(NOTE, "server", elements(me.index))

    async def server(me: Party) -> list[int]:
        names = list(me.all("user"))[::-1]
        return [int(disclosed(me, payload)[0]) for payload in await me.gather(NOTE, names)]

    assert run(Crowd(n, user, server), schedule=Shuffled(seed)).outputs["server"] == list(
        range(n, 0, -1)
    )


@pytest.mark.parametrize("how", ["array", "list", "send"])
def test_scatter_gives_row_k_to_recipient_k(how: str) -> None:
    async def user(me: Party) -> list[list[int]]:
        users = me.all("user")
        rows = constant(F, np.arange(6).reshape(3, 2) + 10 * me.index)
        if how == "send":
            for place, name in enumerate(users):
                await me.send(NOTE, name, rows[place])
        else:
            await me.scatter(NOTE, users, rows if how == "array" else [rows[k] for k in range(3)])
        return [disclosed(me, payload).tolist() for payload in await me.gather(NOTE, users)]

    done = run(Crowd(3, user))
    for k in range(3):
        assert done.outputs[f"u{k + 1}"] == [
            [10 * i + 2 * k, 10 * i + 2 * k + 1] for i in (1, 2, 3)
        ]
    assert done.ledger.total().messages == 6
    assert done.ledger.total(counting="logical").messages == 9


def test_publish_gives_everyone_the_same() -> None:
    async def server(me: Party) -> None:
        await me.publish(NOTE, me.all("user"), (index(3, below=8), bits([1, 0])))

    async def user(me: Party) -> Any:
        number, flags = await me.receive(NOTE, "server")
        return int(number.values), flags.values.tolist()

    done = run(Crowd(4, user, server))
    assert [done.outputs[f"u{k}"] for k in range(1, 5)] == [(3, [1, 0])] * 4
    assert done.ledger.total().payload_bytes == 4  # 3 bits and 2 bits, four times


def test_what_a_sender_does_to_its_array_afterwards_changes_nothing() -> None:
    async def a(me: Party) -> None:
        numbers, flags, levels = np.array([1, 2, 3]), np.array([0, 1]), np.array([0.5])
        await me.send(NOTE, "b", (constant(F, numbers), bits(flags), reals(levels)))
        numbers[:], flags[:], levels[:] = 7, 1, 9

    async def b(me: Party) -> Any:
        return await me.receive(NOTE, "a")

    received = play(a=a, b=b).outputs["b"]
    assert [part.numbers().tolist() for part in received] == [[1, 2, 3], [0, 1], [0.5]]


def test_a_received_payload_cannot_be_written_to() -> None:
    async def a(me: Party) -> None:
        await me.send(NOTE, "b", elements(1))

    async def b(me: Party) -> Any:
        return await me.receive(NOTE, "a")

    with pytest.raises(ValueError, match="read-only"):
        play(a=a, b=b).outputs["b"].numbers()[0] = 5


@given(st.integers(1, 6), st.integers(0, 30))
def test_receive_any_takes_every_message_once_whatever_the_schedule(n: int, seed: int) -> None:
    async def user(me: Party) -> None:
        await me.send(NOTE, "server", elements(me.index))
        await me.send(NOTE, "server", elements(me.index + 50))

    async def server(me: Party) -> list[tuple[str, int]]:
        taken = []
        for _ in range(2 * n):
            sender, payload = await me.receive_any(NOTE)
            taken.append((sender, int(disclosed(me, payload)[0])))
        return taken

    taken = run(Crowd(n, user, server), schedule=Shuffled(seed)).outputs["server"]
    assert sorted(taken) == sorted((f"u{k}", k + more) for k in range(1, n + 1) for more in (0, 50))
    for k in range(1, n + 1):  # the order of one sender's messages is kept
        assert [value for sender, value in taken if sender == f"u{k}"] == [k, k + 50]


def test_a_schedule_decides_which_waiting_message_comes_first() -> None:
    async def user(me: Party) -> None:
        await me.send(NOTE, "server", elements(me.index))
        await me.send(OTHER, "server", elements())

    async def server(me: Party) -> tuple[str, ...]:
        await me.gather(OTHER, me.all("user"))  # by now all notes wait
        return tuple([(await me.receive_any(NOTE))[0] for _ in range(3)])

    orders = {
        run(Crowd(3, user, server), schedule=Shuffled(seed)).outputs["server"] for seed in range(60)
    }
    assert (
        len(orders) == 6
    )  # one order is missed with probability at most 6 (5/6)^60 < 2e-4; seeds are fixed


def test_empty_payloads_and_zero_width_indices_are_messages_too() -> None:
    async def a(me: Party) -> None:
        await me.send(NOTE, "b", ())
        await me.send(NOTE, "b", index([0, 0], below=1))
        await me.send(NOTE, "b", elements())

    async def b(me: Party) -> Any:
        return [await me.receive(NOTE, "a") for _ in range(3)]

    done = play(a=a, b=b)
    assert done.outputs["b"][0] == ()
    total = done.ledger.total()
    assert (total.messages, total.payload_bytes, total.frame_bytes) == (3, 0, 42)


def test_messages_that_nobody_receives_are_named() -> None:
    async def a(me: Party) -> None:
        await me.send(NOTE, "b", elements(1))

    assert play(a=a, b=idle).ledger.unread() == {"note": 1}


# --- summed tags


@given(
    st.integers(2, 8),
    st.integers(1, 4),
    st.sampled_from(["all", "others", "each"]),
    st.integers(0, 20),
)
def test_sums_are_right_whatever_the_groups(n: int, width: int, how: str, seed: int) -> None:
    async def user(me: Party) -> list[int]:
        users = list(me.all("user"))
        others = [name for name in users if name != me.name]
        to = users if how == "all" else others
        rows = constant(F, np.array([[100 * me.index + int(name[1:])] * width for name in to]))
        if how == "each":
            for place, name in enumerate(to):
                await me.send(SHARE, name, rows[place])
        else:
            await me.scatter(SHARE, to, rows)
        return disclosed(me, await me.gather_sum(SHARE, senders=to)).tolist()

    done = run(Crowd(n, user), schedule=Shuffled(seed))
    for k in range(1, n + 1):
        senders = [i for i in range(1, n + 1) if how == "all" or i != k]
        assert done.outputs[f"u{k}"] == [sum(100 * i + k for i in senders) % F.modulus] * width
    assert done.ledger.total().messages == n * (n - 1)
    assert done.ledger.total("received") == done.ledger.total("sent")
    assert done.ledger.operations()["user"]["FA"] == sum(
        width * (n - 1 - (how != "all")) for _ in range(n)
    )
    assert done.ledger.rounds == 1
    assert not done.ledger.unread()


@given(st.data())
def test_keyed_ragged_blocks_are_summed_by_key(data: st.DataObject) -> None:
    n, keys = data.draw(st.integers(2, 6)), data.draw(st.integers(1, 4))
    names = [f"u{k}" for k in range(1, n + 1)]
    holders = [
        data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True), label=f"key {j}")
        for j in range(keys)
    ]
    senders = [
        data.draw(st.sets(st.sampled_from(names), min_size=1), label=f"senders {j}")
        for j in range(keys)
    ]
    value = {
        (i, j, h): data.draw(st.integers(0, F.modulus - 1))
        for i in names
        for j in range(keys)
        for h in names
    }

    async def user(me: Party) -> dict[int, Any]:
        groups = [me.group(holders[j]) for j in range(keys)]
        mine = [j for j in range(keys) if me.name in senders[j]]
        rows = elements(*[value[me.name, j, h] for j in mine for h in holders[j]])
        await me.scatter(
            SHARE, [groups[j] for j in mine], rows, keys=index(mine, below=keys, kind="Nd")
        )
        sums = {}
        for j in range(keys):
            if me.name in holders[j]:
                sums[j] = await me.gather_sum(SHARE, key=j, count=len(senders[j]))
        return {j: of_key.open() for j, of_key in sums.items()}

    done = run(Crowd(n, user), schedule=Shuffled(data.draw(st.integers(0, 20))))
    for h in names:
        expected = {
            j: sum(value[i, j, h] for i in senders[j]) % F.modulus
            for j in range(keys)
            if h in holders[j]
        }
        assert done.outputs[h] == expected
    logical = sum(len(senders[j]) * len(holders[j]) for j in range(keys))
    assert done.ledger.total(counting="logical").messages == logical
    assert done.ledger.total(counting="logical").elements.get("Nd", 0) == logical
    assert done.ledger.total("received") == done.ledger.total("sent")


def test_a_tag_may_be_summed_again_and_again() -> None:
    async def user(me: Party) -> list[int]:
        users, sums = me.all("user"), []
        for again in range(3):
            await me.scatter(SHARE, users, elements(*[me.index + again] * 3))
            sums.append(disclosed(me, await me.gather_sum(SHARE, senders=users)).item())
        return sums

    done = run(Crowd(3, user))
    assert all(output == [6, 9, 12] for output in done.outputs.values())
    assert done.ledger.rounds == 3


def test_many_sums_of_the_largest_element_do_not_wrap() -> None:
    async def user(me: Party) -> None:
        await me.send(SHARE, "server", elements(F.modulus - 1))

    async def server(me: Party) -> int:
        return disclosed(me, await me.gather_sum(SHARE, senders=me.all("user")))[0]

    assert run(Crowd(700, user, server)).outputs["server"] == -700 % F.modulus


def test_two_servers_may_sum_the_same_tag() -> None:
    async def user(me: Party) -> None:
        for place, to in enumerate(("s1", "s2")):
            await me.send(SHARE, to, elements(int(me.name[1:]) + 10 * place))

    async def server(me: Party) -> int:
        return disclosed(me, await me.gather_sum(SHARE, senders=["u1", "u2"])).item()

    done = play(u1=user, u2=user, s1=server, s2=server)
    assert (done.outputs["s1"], done.outputs["s2"]) == (3, 23)


def test_a_summed_tag_is_equal_to_itself_and_not_to_a_plain_one() -> None:
    assert Summed("share") == SHARE
    assert Summed("share") != Tag("share")
