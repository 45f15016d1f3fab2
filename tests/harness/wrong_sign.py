"""A protocol that hides the users' numbers, and returns a wrong sum: both users of each pair add
their mask.
"""

from collections.abc import Mapping, Sequence

import attrs

from simnet import Field, FieldArray, Holder, Party, Sealed, Seat, Summed, Tag, seats

MASK, MASKED, FIELD = Tag("mask"), Summed("masked"), Field(2**31 - 1)


@attrs.frozen
class WrongSign:
    users: int = 4
    items: int = 9

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, number: Sealed) -> None:
        users, masked = me.names("user"), self.answer(number, me)
        for other in users[me.index :]:
            mask = me.coins.field(FIELD, ())
            await me.send(MASK, to=other, payload=mask)
            masked = masked + mask
        for other in users[: me.index - 1]:
            masked = masked + await me.receive(MASK, other)  # should be minus
        await me.send(MASKED, to="server", payload=masked)

    async def server(self, me: Party) -> Sealed:
        return me.output(int, await me.gather_sum(MASKED, senders=me.all("user")))

    def answer(self, number: Sealed, user: Holder) -> FieldArray:
        return user.secret(int, number, field=FIELD, shape=())

    def functionality(
        self, numbers: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        answers = [self.answer(each, user) for each, user in zip(numbers, users, strict=True)]
        return {"server": type(answers[0]).stack(answers).sum()}
