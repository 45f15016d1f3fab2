"""A secure sum by two servers: each user splits its value into two parts, one for each server.

Server A learns the sum of all values. Server B learns nothing. A and B together learn every value.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import attrs

from simnet import Field, FieldArray, Holder, Party, Sealed, Seat, Summed, Tag, seats

PART = Summed("part")  # a tag whose recipients only add its messages up
TOTAL = Tag("total")


@attrs.frozen
class TwoServerSum:
    """The numbers that all parties know. A user's input is a whole number in 1..items.

    Raises `ValueError` for fewer than two users, and for fewer than one item.
    """

    users: Annotated[int, "the number of users, at least 2"] = 5
    items: Annotated[int, "the largest value, at least 1"] = 3

    def __attrs_post_init__(self) -> None:
        if self.users < 2 or self.items < 1:
            raise ValueError(
                f"a sum needs at least 2 users and 1 item, got users={self.users}, "
                f"items={self.items}"
            )

    @property
    def field(self) -> Field:
        """F_q with q above the largest sum, so that the sum does not wrap."""
        return Field.above(self.users * self.items)

    def parties(self) -> Mapping[str, Seat]:
        """The users u1..un, and the servers A and B."""
        return {**seats("u", self.user, self.users), "A": Seat(self.adder), "B": Seat(self.helper)}

    async def user(self, me: Party, value: Sealed) -> None:
        """Send a uniform mask to B, and the value minus the mask to A."""
        secret = self.answer(value, me)
        mask = me.coins.field(self.field, ())
        await me.send(PART, to="A", payload=secret - mask)
        await me.send(PART, to="B", payload=mask)

    async def helper(self, me: Party) -> None:
        """Server B: add up the masks, and send the total to A."""
        masks = await me.gather_sum(PART, senders=me.all("user"))
        await me.send(TOTAL, to="A", payload=masks)

    async def adder(self, me: Party) -> Sealed:
        """Server A: add up the differences and the masks, and return the sum of all values."""
        rest = await me.gather_sum(PART, senders=me.all("user"))
        total = rest + await me.receive(TOTAL, "B")
        return me.output(int, total)

    def functionality(
        self, values: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """The ideal world: a trusted party adds the values up and hands the sum to A alone."""
        answers = [self.answer(value, user) for value, user in zip(values, users, strict=True)]
        return {"A": type(answers[0]).stack(answers).sum()}

    def answer(self, value: Sealed, user: Holder) -> FieldArray:
        """A user's secret, which messages must protect: its value as a field element."""
        return user.secret(self.checked, value, field=self.field, shape=())

    def checked(self, value: int) -> int:
        """Return the value if it lies in 1..`items`; else raise `ValueError`."""
        if not 1 <= value <= self.items:
            raise ValueError(f"a value is a whole number in 1..{self.items}, got {value}")
        return value
