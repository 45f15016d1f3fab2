"""Coins that are scattered in one block are read like the same coins sent one by one."""

from collections.abc import Sequence
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Field, Party, Seat, Summed, run, seats, verdict
from simnet.contract import Holder

F = Field(101)
MASK, MASKED = Summed("mask"), Summed("masked")


@attrs.frozen
class Masks:
    """User i masks its number with one coin for each user in `graph[i]`, which takes it off."""

    graph: tuple[tuple[int, ...], ...]
    scatters: bool

    def parties(self) -> dict[str, Seat]:
        return {**seats("u", self.user, len(self.graph)), "server": Seat(self.server)}

    async def user(self, me: Party, number: Any) -> None:
        own = me.index - 1
        to = [f"u{other + 1}" for other in self.graph[own]]
        givers = [f"u{other + 1}" for other, them in enumerate(self.graph) if own in them]
        mine = self.answer(number, me)
        if to:
            masks = me.coins.field(F, (len(to),))
            mine = mine + masks.sum()
            if self.scatters:
                await me.scatter(MASK, to=to, rows=masks)
            else:
                for place, name in enumerate(to):
                    await me.send(MASK, to=name, payload=masks[place])
        if givers:
            mine = mine - await me.gather_sum(MASK, senders=givers)
        await me.send(MASKED, to="server", payload=mine)

    async def server(self, me: Party) -> Any:
        return me.output(int, await me.gather_sum(MASKED, senders=me.all("user")))

    def answer(self, number: Any, user: Holder) -> Any:
        return user.secret(int, number, field=F, shape=())

    def functionality(self, numbers: Sequence[Any], users: Sequence[Holder]) -> Any:
        answers = [self.answer(*pair) for pair in zip(numbers, users, strict=True)]
        return {"server": sum(answers)}


@st.composite
def cases_of_masks(draw: Any) -> tuple[tuple[tuple[int, ...], ...], list[str]]:
    """Draw who masks for whom, and a coalition of the server and some users."""
    count = draw(st.integers(2, 4))
    graph = tuple(
        tuple(other for other in range(count) if other != own and draw(st.booleans()))
        for own in range(count)
    )
    users = [f"u{number + 1}" for number in range(count) if draw(st.booleans())]
    return graph, ["server", *users]


@pytest.mark.slow
@given(cases_of_masks())
def test_what_a_coalition_learns_does_not_depend_on_how_coins_travel(
    case: tuple[tuple[tuple[int, ...], ...], list[str]],
) -> None:
    graph, coalition = case
    numbers = list(range(3, 3 + len(graph)))
    found = []
    for scatters in (True, False):
        judged = verdict(run(Masks(graph, scatters), numbers, seed=3), coalition)
        leaks = sorted((str(leak.exposes), leak.value) for leak in judged.leaks if leak.exposes)
        found.append((judged.finding, leaks))
    assert found[0] == found[1]
