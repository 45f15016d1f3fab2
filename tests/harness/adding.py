"""A small protocol for tests of verdicts: users add up their inputs, and the server
gets the sum.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simnet import (
    Field,
    Party,
    Run,
    Sealed,
    Seat,
    Summed,
    Tag,
    Verdict,
    bits,
    index,
    reals,
    run,
    seats,
)
from simnet.contract import Holder
from tests.harness.scripts import NOTE, SHARE, F, disclosed, elements

PARTIAL, PUBLISHED = Summed("partial"), Tag("published")
Telling = Callable[[Any, Party], Any]


def masked(secret: Any, me: Party, parties: int) -> Any:
    """Return shares that add up to a secret, one share in each row."""
    masks = me.coins.field(secret.field, (parties - 1, *secret.shape))
    return masks.append(secret - masks.sum())


class Adding:
    """Users add up their inputs through shares, over one field that does not depend on the number
    of users.

    The server gets the sum. The server calls `told` with its party and the sum, and sends the
    result to all users.
    """

    def __init__(
        self, users: int, told: Telling | None = None, field: Field = F, width: int = 1
    ) -> None:
        self.users = users
        self.told = told
        self.field = field
        self.width = width

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, held: Sealed) -> None:
        users = me.all("user")
        await me.scatter(SHARE, to=users, rows=masked(self.answer(held, me), me, self.users))
        await me.send(PARTIAL, "server", await me.gather_sum(SHARE, senders=users))
        if self.told is not None:
            await me.receive(PUBLISHED, "server")

    async def server(self, me: Party) -> None:
        total = await me.gather_sum(PARTIAL, senders=me.all("user"))
        if self.told is not None:
            await me.publish(PUBLISHED, to=me.all("user"), payload=self.told(total, me))

    def answer(self, held: Sealed, user: Holder) -> Any:
        return user.secret(self.numbers, held, field=self.field, shape=(self.width,))

    def numbers(self, held: int) -> list[int]:
        return [held + place for place in range(self.width)]

    def functionality(self, held: Sequence[Sealed], users: Sequence[Holder]) -> Mapping[str, Any]:
        answers = [self.answer(one, user) for one, user in zip(held, users, strict=True)]
        return {"server": sum(answers)}


def added(users: int, told: Telling | None = None, seed: int = 0, **more: Any) -> Run:
    return run(Adding(users, told, **more), range(1, users + 1), seed)


def secrets_of(found: Verdict) -> set[tuple[str, int]]:
    return {(one.exposes.party, one.exposes.item) for one in found.leaks if one.exposes}


# What the server may tell all users about the sum.


def as_elements(total: Any, me: Party) -> Any:
    return total


def as_index(total: Any, me: Party) -> Any:
    return index(disclosed(me, total), F.modulus)


def as_reals(total: Any, me: Party) -> Any:
    return reals(me.disclose(lambda numbers: numbers / 2, total))


def as_bits(total: Any, me: Party) -> Any:
    return bits(me.disclose(lambda numbers: numbers > 3, total))


def beside_elements(total: Any, me: Party) -> Any:
    return index(disclosed(me, total), F.modulus), elements(1)


async def hears(me: Party) -> None:
    await me.receive(NOTE, "a")
