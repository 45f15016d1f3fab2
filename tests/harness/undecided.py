"""A script of which `simnet verify` cannot decide what the party b learns."""

UNDECIDED = """
from simnet import Field, Seat, Tag, index, seats

F, HIDDEN, MASK, LARGE = Field.above(100), Tag("hidden"), Tag("mask"), Tag("large")


class Mine:
    def parties(self):
        return {"u1": Seat(self.user), "a": Seat(self.a), "b": Seat(self.b)}

    async def user(self, me, item):
        mask = me.coins.field(F, ())
        mine = me.secret(lambda item: item, item, field=F, shape=())
        await me.send(HIDDEN, "a", mine + mask)
        await me.send(MASK, "b", mask)

    async def a(self, me):
        hidden = await me.receive(HIDDEN, "u1")
        await me.send(LARGE, "b", index(me.disclose(lambda number: number % 2, hidden), 2))

    async def b(self, me):
        await me.receive(MASK, "u1")
        await me.receive(LARGE, "a")
"""
