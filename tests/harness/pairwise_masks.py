"""A sum behind pairwise masks, which are used twice in runs from some number of users on."""

from simnet import Field, Seat, Summed, seats

F = Field(10_007)
SHARE, REPORT = Summed("share"), Summed("report")


class PairwiseMasks:
    """Every user sends every other user a mask, and reports its number with all masks: those it
    sent added, and those it received subtracted.
    """

    def __init__(self, users, reuses_from=10**9):
        self.users, self.reuses_from = users, reuses_from

    def parties(self):
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    def secret(self, holder, number):
        return holder.secret(lambda x: [x, 1], number, field=F, shape=(2,))

    async def user(self, me, number):
        users, mine = me.all("user"), self.secret(me, number)
        masks = me.coins.field(F, (self.users, 2))
        if self.users >= self.reuses_from:
            masks = type(masks).stack([masks[0]] * self.users)
        await me.scatter(SHARE, to=users, rows=masks)
        received = await me.gather_sum(SHARE, senders=users)
        await me.send(REPORT, "server", mine + masks.sum() - received)

    async def server(self, me):
        await me.gather_sum(REPORT, senders=me.all("user"))

    def functionality(self, numbers, users):
        mine = [self.secret(user, number) for user, number in zip(users, numbers, strict=True)]
        return {"server": type(mine[0]).stack(mine).sum()}
