"""A script with a memory of its own is named when a verdict reads its run again."""

from collections.abc import Mapping
from typing import Any

import attrs
import pytest

from simnet import Field, Party, Seat, Tag, constant, run
from simnet.adversary.reading_again import read_again
from simnet.adversary.symbolic import Symbolic
from simnet.errors import ScriptError

NOTE = Tag("note")
FIELD = Field(101)


@attrs.frozen
class Remembers:
    """`a` sends how often it has been run, and `b` returns what it is sent."""

    runs: list[None] = attrs.field(factory=list)

    def parties(self) -> Mapping[str, Seat]:
        return {"a": Seat(self.a), "b": Seat(self.b)}

    async def a(self, me: Party) -> None:
        self.runs.append(None)
        await me.send(NOTE, to="b", payload=constant(FIELD, len(self.runs)))

    async def b(self, me: Party) -> Any:
        return (await me.receive(NOTE, "a")).open()


def test_the_sender_is_blamed_also_where_the_first_run_observed_nobody() -> None:
    done = run(Remembers())
    with pytest.raises(ScriptError, match=r'a in round 1 .tag "note".: its message to b differs'):
        read_again(done, ["b"], Symbolic())


def test_messages_that_were_not_compared_are_not_called_the_same() -> None:
    done = run(Remembers())
    with pytest.raises(ScriptError, match=r"b: what it returns differs .its messages were not"):
        read_again(done, [], Symbolic())
