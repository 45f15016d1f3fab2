"""Messages in the exhaustive reading: what arrives is what a run delivers."""

from collections.abc import Mapping

import numpy as np
import pytest

from simnet import Party, ScriptError, Seat, Tag, constant, index, run
from simnet.exhaustive.compare import Comparison
from simnet.values.sealed import Sealed
from tests.harness.scripts import NOTE, SHARE, Script, Scripts
from tests.harness.tiny import KEYED, READINGS, G, joined, law, small, sums

BACK = Tag("back")


def outcome(enumerated: bool, sampled: bool = True, **scripts: Script) -> list[int]:
    """The elements that party `z`, who gets one note from `y`, sees in the only world.

    Held against a run.
    """
    ((view, chance),) = law("z", enumerated, **scripts).items()
    assert chance == 1
    values: list[int]
    if enumerated:
        ((*_, content),) = view[0][1]  # type: ignore[index]
        values = np.frombuffer(content[-1], dtype=G.dtype).tolist()
    else:
        values = list(view[-1])  # type: ignore[index]
    if sampled:
        assert run(Scripts(**scripts)).outputs["z"].tolist() == values
    return values


async def z(me: Party) -> Sealed:
    opened: Sealed = (await me.receive(NOTE, "y")).open()
    return opened


def says(*values: int, to: str = "y") -> Script:
    async def script(me: Party) -> None:
        for value in values:
            await me.send(NOTE, to, small(value))

    return script


@READINGS
def test_receive_takes_one_message_after_the_other_from_the_sender_named(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        late, first, second = [await me.receive(NOTE, name) for name in ("b", "a", "a")]
        await me.send(NOTE, "z", joined(late, first, second))

    assert outcome(enumerated, a=says(1, 2), b=says(0), y=y, z=z) == [0, 1, 2]


@READINGS
def test_receive_each_takes_several_of_one_sender_in_order(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        await me.send(NOTE, "z", joined(*await me.receive_each(NOTE, "a", 3)))

    assert outcome(enumerated, a=says(2, 0, 1), y=y, z=z) == [2, 0, 1]


@READINGS
def test_receive_any_takes_every_message_once_and_names_its_sender(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        got = dict([await me.receive_any(NOTE) for _ in range(3)])
        await me.send(NOTE, "z", joined(got["a"], got["b"], got["y"]))

    async def own(me: Party) -> None:
        await me.send(NOTE, "y", small(0))
        await y(me)

    assert outcome(enumerated, a=says(2), b=says(1), y=own, z=z) == [2, 1, 0]


@READINGS
def test_the_order_of_messages_does_not_tell_who_tossed_a_coin(enumerated: bool) -> None:
    class Tosses:
        def parties(self) -> Mapping[str, Seat]:
            return {"a": Seat(self.a), "b": Seat(self.b), "y": Seat(self.y)}

        async def a(self, me: Party, held: Sealed) -> None:
            if me.disclose(lambda item: item == 2, held):
                me.coins.bernoulli(0.5)
            await me.send(NOTE, "y", small(0))

        async def b(self, me: Party) -> None:
            await me.send(NOTE, "y", small(0))

        async def y(self, me: Party) -> list[str]:
            return [(await me.receive_any(NOTE))[0] for _ in range(2)]

    assert [run(Tosses(), [held]).outputs["y"] for held in (1, 2)] == [["a", "b"], ["a", "b"]]
    assert Comparison(Tosses(), "y", enumerated).compare([1], [2]).same


@READINGS
def test_gather_takes_one_message_of_each_in_the_order_named(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        await me.send(
            NOTE,
            "z",
            joined(*await me.gather(NOTE, ["b", "a"]), *await me.gather(NOTE, ["a", "b"])),
        )

    assert outcome(enumerated, a=says(1, 0), b=says(2, 1), y=y, z=z) == [2, 1, 0, 1]


@READINGS
def test_gather_sum_by_senders_adds_one_message_of_each_in_every_epoch(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        got = [await me.gather_sum(SHARE, senders=["a", "b"]) for _ in range(3)]
        await me.send(NOTE, "z", joined(*got))

    assert outcome(enumerated, a=sums(1, 2, 0), b=sums(1, 0, 0), y=y, z=z) == [2, 2, 0]


@READINGS
def test_gather_sum_by_key_adds_the_messages_with_the_key(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        late = await me.gather_sum(KEYED, key=7, count=2)
        early = await me.gather_sum(KEYED, key=0, count=1)
        await me.send(NOTE, "z", joined(early, late))

    assert outcome(enumerated, a=sums(1, 2, keys=[0, 7]), b=sums(2, keys=[7]), y=y, z=z) == [1, 1]


@READINGS
def test_gather_sums_adds_key_by_key(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        got = await me.gather_sums(KEYED, [5, 1], [1, 2])
        await me.send(NOTE, "z", joined(got[0], got[1]))

    assert outcome(enumerated, a=sums(1, 2, keys=[1, 5]), b=sums(1, keys=[1]), y=y, z=z) == [2, 2]


@READINGS
def test_publish_gives_everybody_the_same(enumerated: bool) -> None:
    async def a(me: Party) -> None:
        await me.publish(NOTE, ["x", "y"], small(2, 1))

    async def x(me: Party) -> None:
        await me.send(BACK, "y", await me.receive(NOTE, "a"))

    async def y(me: Party) -> None:
        await me.send(NOTE, "z", joined(await me.receive(NOTE, "a"), await me.receive(BACK, "x")))

    assert outcome(enumerated, a=a, x=x, y=y, z=z) == [2, 1, 2, 1]


@READINGS
def test_scatter_gives_each_its_row_own_row_included(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        await me.scatter(NOTE, to=["x", "y", "w"], rows=constant(G, [[1, 1], [2, 0], [0, 2]]))
        back = [
            await me.receive(BACK, "w"),
            await me.receive(BACK, "x"),
            await me.receive(NOTE, "y"),
        ]
        await me.send(NOTE, "z", joined(*back))

    async def returns(me: Party) -> None:
        await me.send(BACK, "y", await me.receive(NOTE, "y"))

    assert outcome(enumerated, w=returns, x=returns, y=y, z=z) == [0, 2, 1, 1, 2, 0]


@READINGS
def test_scatter_of_a_summed_tag_gives_each_the_sum_of_its_rows(enumerated: bool) -> None:
    async def deals(me: Party) -> None:
        await me.scatter(SHARE, to=["x", "y"], rows=constant(G, [[1], [2]]))

    async def x(me: Party) -> None:
        await me.send(BACK, "y", await me.gather_sum(SHARE, senders=["a", "b", "y"]))

    async def y(me: Party) -> None:
        await deals(me)
        mine = await me.gather_sum(SHARE, senders=["y", "a", "b"])
        await me.send(NOTE, "z", joined(mine, await me.receive(BACK, "x")))

    assert outcome(enumerated, a=deals, b=deals, x=x, y=y, z=z) == [0, 0]


@READINGS
def test_scatter_with_keys_gives_each_group_the_rows_of_its_key(enumerated: bool) -> None:
    async def a(me: Party) -> None:
        groups = [me.group(["x", "y"]), me.group(["y"])]
        await me.scatter(KEYED, to=groups, rows=constant(G, [[0], [1], [2]]), keys=index([3, 4], 9))

    async def x(me: Party) -> None:
        await me.send(BACK, "y", await me.gather_sum(KEYED, key=3, count=1))

    async def y(me: Party) -> None:
        got = await me.gather_sums(KEYED, [4, 3], [1, 1])
        await me.send(NOTE, "z", joined(got[0], got[1], await me.receive(BACK, "x")))

    assert outcome(enumerated, a=a, x=x, y=y, z=z) == [2, 1, 0]


@READINGS
def test_several_epochs_of_one_key_take_each_sender_s_messages_in_turn(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        got = [await me.gather_sum(KEYED, key=4, count=2) for _ in range(2)]
        await me.send(NOTE, "z", joined(*got))

    assert outcome(enumerated, a=sums(1, 0, keys=[4, 4]), b=sums(1, 1, keys=[4, 4]), y=y, z=z) == [
        2,
        1,
    ]


@READINGS
def test_a_message_to_oneself_is_nobody_else_s(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        await me.send(NOTE, "y", small(2))
        await me.send(NOTE, "z", await me.receive(NOTE, "y"))

    assert outcome(enumerated, y=y, z=z) == [2]
    ((view, _),) = law("network", enumerated, y=y, z=z).items()
    crossing = view[0][1][1]  # type: ignore[index]
    assert [(sender, to) for _, sender, to, _ in crossing] == [(0, 1)]


@READINGS
def test_after_heard_gather_sums_is_refused(enumerated: bool) -> None:
    async def y(me: Party) -> None:
        await me.heard(KEYED, ["a"], key=4)
        await me.gather_sums(KEYED, [4], [1])

    with pytest.raises(ScriptError, match="after `heard`, use gather_sum"):
        outcome(enumerated, sampled=False, a=sums(1, keys=[4]), y=y, z=z)
