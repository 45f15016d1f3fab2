"""Beaver's multiplication: a reader learns the sum of products of pairs of users, and no more.

Users are paired: u1 with u2, u3 with u4, and so on. Each user splits its number into two shares,
one for each of the servers s1 and s2. A dealer draws random numbers a and b for each pair, and
shares the *triple* a, b and c = ab among the servers. For a pair with the numbers x and y the
servers open d = x - a and e = y - b to each other, and compute shares of xy = c + d·b + e·a + d·e.
They send the sums of their shares to the reader.

The reader learns the sum of all products. A server, or the dealer, learns nothing. A server that
pools its view with the dealer's learns all numbers, and so do both servers together.

With `fresh_triples=False` the dealer deals a single triple for all pairs. This is a mistake: then a
server learns the difference of any two numbers that are masked with the same coin.

Source: Beaver, *Efficient Multiparty Protocols Using Circuit Randomization*, CRYPTO 1991.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated

import attrs

from simnet.contract import Holder
from simnet.kernel.party import Party
from simnet.kernel.tags import Tag
from simnet.roster import Seat, seats
from simnet.values.field import Field, FieldArray
from simnet.values.sealed import Sealed

SHARE, TRIPLE, OPENED, PRODUCT = (Tag(name) for name in ("share", "triple", "opened", "product"))


@attrs.frozen
class Multiplication:
    """The parameters of Beaver's multiplication, and the scripts of its roles.

    `users` is an even number n >= 2, and `items` is N >= 1: a user's number is an item from 1 to N.
    The output of the reader is the sum of the products.

    Raises `ValueError` for parameters outside these ranges.

    >>> from simnet import run
    >>> run(Multiplication(users=4, items=9), [2, 3, 5, 7], seed=1).outputs["reader"]
    41
    """

    users: int  # n >= 2, even
    items: int  # N >= 1
    fresh_triples: Annotated[
        bool, "whether each pair of users gets a triple of its own; one for all is a mistake"
    ] = True

    def __attrs_post_init__(self) -> None:
        if self.users < 2 or self.users % 2:
            raise ValueError(f"users must be an even number of at least 2, got {self.users}")
        if self.items < 1:
            raise ValueError(f"items must be at least 1, got {self.items}")

    @property
    def pairs(self) -> int:
        """The number of pairs, n/2."""
        return self.users // 2

    @property
    def field(self) -> Field:
        """The field F_q; q is the smallest prime above the largest possible sum of products."""
        return Field.above(self.pairs * self.items**2)

    def parties(self) -> Mapping[str, Seat]:
        """Return the parties: u1 to un, the dealer, the servers s1 and s2, and the reader."""
        return {
            **seats("u", self.user, self.users),
            "dealer": Seat(self.dealer),
            **seats("s", self.server, 2),
            "reader": Seat(self.reader),
        }

    async def user(self, me: Party, item: Sealed) -> None:
        """Send a share of the number to each server."""
        await self._share(me, SHARE, self.answer(item, me))

    async def dealer(self, me: Party) -> None:
        """Deal a triple for each pair."""
        for pair in range(self.pairs):
            if self.fresh_triples or pair == 0:
                a, b = me.coins.field(self.field, ()), me.coins.field(self.field, ())
            for number in (a, b, a * b):
                await self._share(me, TRIPLE, number)

    async def server(self, me: Party) -> None:
        """Multiply the numbers of each pair, and send the sum of the shares to the reader."""
        other = "s2" if me.name == "s1" else "s1"
        shares = await me.gather(SHARE, me.all("user"))
        total = shares[0] * 0
        for x, y in zip(shares[::2], shares[1::2], strict=True):
            a, b, c = [await me.receive(TRIPLE, "dealer") for _ in range(3)]
            for own in (x - a, y - b):
                await me.send(OPENED, other, own)
            d = x - a + await me.receive(OPENED, other)
            e = y - b + await me.receive(OPENED, other)
            total = total + c + d * b + e * a
            if me.name == "s1":
                total = total + d * e
        await me.send(PRODUCT, "reader", total)

    async def reader(self, me: Party) -> Sealed:
        """Add up the shares of the servers."""
        first, second = await me.gather(PRODUCT, me.all("server"))
        return me.output(int, first + second)

    async def _share(self, me: Party, tag: Tag, number: FieldArray) -> None:
        mask = me.coins.field(self.field, ())
        await me.send(tag, "s1", mask)
        await me.send(tag, "s2", number - mask)

    def answer(self, item: Sealed, user: Holder) -> FieldArray:
        """Return the user's number as a secret."""
        return user.secret(int, item, field=self.field, shape=())

    def functionality(
        self, items: Sequence[Sealed], users: Sequence[Holder]
    ) -> Mapping[str, FieldArray]:
        """Return the ideal world's output: the reader gets the sum of the products."""
        numbers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        products = [x * y for x, y in zip(numbers[::2], numbers[1::2], strict=True)]
        return {"reader": sum(products[1:], products[0])}
