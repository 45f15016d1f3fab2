"""Secure sum on a ring: u1 hides its value behind a mask, each user adds its own, and u1 takes the
mask off again.

Learns: everybody, the sum; and the two neighbours of a user together, what it holds, which the
ideal world hides.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from simnet import Field, FieldArray, Holder, Party, Sealed, Seat, Tag, seats

RUNNING, TOTAL = Tag("running"), Tag("total")


@attrs.frozen
class RingSum:
    """What every party knows. An input is a whole number in 1..items."""

    users: int = 5
    items: int = 3

    @property
    def field(self) -> Field:
        """Large enough for the sum not to wrap."""
        return Field.above(self.users * self.items)

    def parties(self) -> Mapping[str, Seat]:
        """u1..un stand in a ring."""
        return seats("u", self.user, self.users)

    async def user(self, me: Party, value: Sealed) -> Any:
        """Add one's value to what comes round the ring."""
        mine = self.answer(value, me)
        users = me.names("user")
        before, after = users[me.index - 2], users[me.index % self.users]
        if me.index > 1:
            running = await me.receive(RUNNING, before)
            await me.send(RUNNING, to=after, payload=running + mine)
            return (await me.receive(TOTAL, "u1")).open()
        mask = me.coins.field(self.field, ())
        await me.send(RUNNING, to=after, payload=mine + mask)
        total = await me.receive(RUNNING, before) - mask
        await me.publish(TOTAL, to=users[1:], payload=total)
        return total.open()

    def answer(self, value: Sealed, user: Holder) -> FieldArray:
        """What messages must protect."""
        return user.secret(self.checked, value, field=self.field, shape=())

    def checked(self, value: int) -> int:
        """Return the value if it is a whole number in 1..`items`; else raise `ValueError`."""
        if not 1 <= value <= self.items:
            raise ValueError(f"a value is a whole number in 1..{self.items}, got {value}")
        return value

    def functionality(
        self, values: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """The ideal world: a trusted party tells everybody the sum."""
        answers = [self.answer(value, user) for value, user in zip(values, users, strict=True)]
        return dict.fromkeys(self.parties(), sum(answers))
