"""Recipients of several shares each: rows of a summed message that are several combinations."""

from collections.abc import Mapping
from typing import Literal

import attrs
import numpy as np
import pytest

from simnet import Field, Party, Seat, Summed, Tag, run, seats, verdict
from simnet.values.field import FieldArray

F, SHARE, PARTIAL = Field(7), Summed("share"), Tag("partial")
WEIGHTS = np.array([[1, 0], [2, 0], [1, 1], [1, 2]])  # c, 2c, c + x, c + 2x


@attrs.frozen
class SeveralShares:
    """Each of two users makes four shares c, 2c, c + x and c + 2x of its secret x, and sends two
    of them to each of two recipients. If it splits rows, it shares a secret of four equal elements
    with the shares c and c + x, and sends half a share to each of four recipients.
    """

    way: Literal["reshape", "stack", "split", "written out"]

    def parties(self) -> Mapping[str, Seat]:
        count = 4 if self.way == "split" else 2
        return {
            **seats("u", self.user, 2),
            **seats("r", self.recipient, count),
            "server": Seat(self.server),
        }

    async def user(self, me: Party, number: int) -> None:
        wide = 4 if self.way == "split" else 1
        mine = me.secret(lambda x: [x] * wide, number, field=F, shape=(wide,))
        both = me.coins.field(F, (1, wide)).append(mine)
        shares = both.combine(WEIGHTS[::2] if self.way == "split" else WEIGHTS)
        await me.scatter(SHARE, to=me.all("recipient"), rows=self.rows(shares))

    def rows(self, shares: FieldArray) -> FieldArray:
        if self.way == "stack":
            return type(shares).stack([shares[:2], shares[2:]])
        if self.way == "split":
            return shares.reshape(4, 2)
        return (shares + shares * 0 if self.way == "written out" else shares).reshape(2, 2)

    async def recipient(self, me: Party) -> None:
        total = await me.gather_sum(SHARE, senders=me.all("user"))
        await me.send(PARTIAL, to="server", payload=total)

    async def server(self, me: Party) -> None:
        await me.gather(PARTIAL, senders=me.all("recipient"))


@pytest.mark.parametrize("way", ["reshape", "stack", "split", "written out"])
def test_a_server_that_is_sent_all_sums_learns_the_sum(
    way: Literal["reshape", "stack", "split", "written out"],
) -> None:
    """All sums are sent to the server, so it can compute C and C + X, whatever the shape in which
    the shares were sent.
    """
    found = verdict(run(SeveralShares(way), [1, 2], seed=1), "server")
    assert found.finding == "leaks"
    for function in found.functions:
        assert {secret.party for secret, _ in function.terms} == {"u1", "u2"}
        assert function.value == function.true == 3
