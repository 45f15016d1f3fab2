"""Runs that are read again: a script that remembers its first reading, and a script that does not
use its doors.
"""

from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from simnet import Field, Party, Run, Sealed, Seat, Tag, constant, run
from simnet.adversary.reading_again import read_blind, recorded
from simnet.adversary.symbolic import Symbolic
from simnet.errors import ScriptError

NOTE = Tag("note")
FIELD = Field(101)


@attrs.frozen
class Remembers:
    """Party `a` sends how often its script has been run, and `b` returns this number."""

    runs: list[None] = attrs.field(factory=list)

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party) -> None:
        self.runs.append(None)
        await me.send(NOTE, to="b", payload=constant(FIELD, len(self.runs)))

    async def b(self, me: Party) -> Any:
        return (await me.receive(NOTE, "a")).open()


def read_again(done: Run, observe: list[str]) -> Run:
    sampled, record = recorded(done, observe)
    return read_blind(sampled, observe, Symbolic(record))


def test_the_sender_is_blamed_where_both_runs_observed_a_party() -> None:
    done = run(Remembers(), observe=["b"])
    with pytest.raises(ScriptError, match=r'a in round 1 .tag "note".: its message to b differs'):
        read_again(done, ["b"])


def test_messages_that_were_not_compared_are_not_called_the_same() -> None:
    done = run(Remembers())
    with pytest.raises(
        ScriptError, match=r"^b: what it returns differs when the run is read again"
    ):
        read_again(done, [])


@attrs.frozen
class Smuggles:
    """Party `a` looks at a value that its door's function has left behind."""

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party, vote: Sealed) -> None:
        seen: list[int] = []
        me.secret(lambda value: seen.append(value) or [value], vote, field=FIELD, shape=(1,))  # type: ignore[func-returns-value]
        if seen == [1]:
            await me.send(NOTE, to="b", payload=constant(FIELD, 1))

    async def b(self, me: Party) -> None:
        del me


def test_a_script_that_goes_past_its_doors_differs_when_it_is_read_blind() -> None:
    done = run(Smuggles(), [1], observe=["b"])
    with pytest.raises(
        ScriptError, match=r"a in round 1 .tag \"note\".: .*in only one of the two runs"
    ):
        read_again(done, ["b"])


def test_a_script_that_comes_to_another_door_is_named() -> None:
    @attrs.frozen
    class OtherDoor(Smuggles):
        async def a(self, me: Party, vote: Sealed) -> None:
            seen: list[int] = []
            me.disclose(lambda value: bool(seen.append(value)), vote)  # type: ignore[func-returns-value]
            if seen == [1]:
                me.disclose(lambda value: value, vote)
            else:
                me.secret(lambda value: [value], vote, field=FIELD, shape=(1,))

    with pytest.raises(ScriptError, match=r"a calls another door .me\.secret of a lambda."):
        read_again(run(OtherDoor(), [1]), [])


@pytest.mark.parametrize("vote", [1, 2])
def test_no_door_function_is_called_before_the_scripts_have_ended(vote: int) -> None:
    """Calls with trial numbers, which ask whether a value determines them, come later: they would
    fill the list, and give the script a 0 to send.
    """
    small = Field(2)

    @attrs.frozen
    class Notes(Smuggles):
        async def a(self, me: Party, vote: Sealed) -> None:
            seen: list[int] = []
            mine = me.secret(lambda value: [value - 1], vote, field=small, shape=(1,))
            mask = me.coins.field(small, (1,))
            me.disclose(lambda value, _: bool(seen.append(int(value[0]))), mine, mask)  # type: ignore[func-returns-value]
            await me.send(NOTE, to="b", payload=constant(FIELD, seen[0]))

        async def b(self, me: Party) -> None:
            await me.receive(NOTE, "a", shape=())

    with pytest.raises(ScriptError, match=r"a in round 1: IndexError"):
        read_again(run(Notes(), [vote]), ["b"])
