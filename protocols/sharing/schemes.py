"""Secret sharing over a prime field: additive, and Shamir's.

Both split a secret into m shares, one a party; shares of several secrets add up, party by party, to
shares of their sum. Additive: m - 1 uniform elements and what is left; all m are needed, any m - 1
are uniform and independent of the secret. Shamir: values of a random polynomial at the points 1..m;
any t recover the secret, any t - 1 say nothing. Source: Yang et al., section 2 and Algorithm 2,
line 8; Shamir, *How to share a secret*, 1979.
"""

import functools
from collections.abc import Sequence
from typing import Annotated, Any, Protocol

import attrs
import numpy as np

from simnet.arrays import Ints
from simnet.coins.coins import Coins, Deferred
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed, Tag
from simnet.roster import Group
from simnet.values.field import Field, FieldArray
from simnet.values.typed import index


@attrs.frozen
class Cost:
    """Operations for one secret element, or for one recovered sum."""

    draws: int  # FS
    additions: int  # FA
    products: int  # FM


class Sharing(Protocol):
    """How secrets are split into shares, and how a server recovers their sum.

    Parties add up the shares that they receive, and report these partial sums to the server.
    """

    @property
    def partial(self) -> Tag:
        """The tag of the reports."""
        ...

    def needed(self, parties: int) -> int:
        """How many of so many shares determine the secret; fewer say nothing."""
        ...

    def share_cost(self, parties: int) -> Cost:
        """What it costs to share one element among so many."""
        ...

    def recovery_cost(self, parties: int) -> Cost:
        """What it costs to recover one sum from so many partial sums."""
        ...

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        """Shares of a secret of shape (N,); shape (parties, N), row j for party j."""
        ...

    def share_each(self, secrets: FieldArray, parties: Sequence[int], coins: Coins) -> Deferred:
        """Shares of K secrets of one element, `parties[k]` of the k-th.

        Shape (sum of `parties`,), secret by secret.
        """
        ...

    async def report(self, me: Party, partial: FieldArray, to: str) -> None:
        """Send a partial sum to the server."""
        ...

    async def report_each(
        self, me: Party, items: Sequence[int], below: int, partials: FieldArray, to: str
    ) -> None:
        """Send one partial sum an item, with the item, counted from 0 below `below`."""
        ...

    async def recover(self, me: Party, senders: Group) -> FieldArray:
        """The sum of the secrets, from what the senders report; shape (N,)."""
        ...

    async def recover_each(
        self, me: Party, items: Sequence[int], senders: Sequence[Group]
    ) -> FieldArray:
        """The sum of the secrets for each item, from what its senders report; shape (K,)."""
        ...


@attrs.frozen
class Additive:
    """Shares that add up to the secret."""

    partial = Summed("partial")

    def __str__(self) -> str:
        return "additive"

    def needed(self, parties: int) -> int:
        """All of them."""
        return parties

    def share_cost(self, parties: int) -> Cost:
        """It takes m - 1 draws, and as many additions for the last share."""
        return Cost(parties - 1, parties - 1, 0)

    def recovery_cost(self, parties: int) -> Cost:
        """It takes m - 1 additions."""
        return Cost(0, parties - 1, 0)

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        """Shares of a secret of shape (N,); shape (parties, N). Costs (parties - 1) N draws."""

        def rows(coins: Coins) -> FieldArray:
            masks = coins.field(secret.field, (parties - 1, *secret.shape))
            return masks.append(secret - masks.sum() if parties > 1 else secret)

        return coins.deferred(secret.field, (parties, *secret.shape), rows)

    def share_each(self, secrets: FieldArray, parties: Sequence[int], coins: Coins) -> Deferred:
        """Shares of K secrets of one element. Costs one draw less than shares for each."""
        masked = [count - 1 for count in parties]

        def rows(coins: Coins) -> FieldArray:
            return coins.field(secrets.field, (sum(masked),)).close(secrets, masked)

        return coins.deferred(secrets.field, (sum(parties),), rows)

    async def report(self, me: Party, partial: FieldArray, to: str) -> None:
        """Send a partial sum to the server, which only adds it up."""
        await me.send(self.partial, to=to, payload=partial)

    async def report_each(
        self, me: Party, items: Sequence[int], below: int, partials: FieldArray, to: str
    ) -> None:
        """Send one partial sum an item, keyed by the item."""
        server = me.group(to)
        await me.scatter(
            self.partial, to=[server] * len(items), rows=partials, keys=index(items, below, "Nd")
        )

    async def recover(self, me: Party, senders: Group) -> FieldArray:
        """Add up the partial sums of all senders."""
        return await me.gather_sum(self.partial, senders=senders)

    async def recover_each(
        self, me: Party, items: Sequence[int], senders: Sequence[Group]
    ) -> FieldArray:
        """Add up, item by item, as many partial sums as there are senders."""
        return await me.gather_sums(self.partial, items, [len(group) for group in senders])


@attrs.frozen
class Shamir:
    """Values at 1..m of a polynomial of degree `threshold` - 1 whose value at 0 is the secret.

    With fewer than `threshold` parties the polynomial has as many coefficients as there are
    parties.
    """

    threshold: int
    partial = Tag("partial")

    def __attrs_post_init__(self) -> None:
        if self.threshold < 1:
            raise ValueError(f"Shamir's threshold is at least 1, got {self.threshold}")

    def __str__(self) -> str:
        return f"shamir:{self.threshold}"

    def needed(self, parties: int) -> int:
        """The threshold."""
        return min(self.threshold, parties)

    def share_cost(self, parties: int) -> Cost:
        """It takes t - 1 coefficients, and a polynomial of t terms for each party."""
        terms = min(self.threshold, parties)
        return Cost(terms - 1, parties * (terms - 1), parties * terms)

    def recovery_cost(self, parties: int) -> Cost:
        """A combination of t partial sums."""
        terms = min(self.threshold, parties)
        return Cost(0, terms - 1, terms)

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        """Shares of a secret of shape (N,); shape (parties, N). Costs (t - 1) N draws.

        Raises `ValueError` when the field has no point for every party.
        """
        powers = self._powers(parties, secret.field)

        def rows(coins: Coins) -> FieldArray:
            coefficients = coins.field(secret.field, (powers.shape[1] - 1, *secret.shape))
            return coefficients.append(secret).combine(powers)

        return coins.deferred(secret.field, (parties, *secret.shape), rows)

    def share_each(self, secrets: FieldArray, parties: Sequence[int], coins: Coins) -> Deferred:
        """Shares of K secrets of one element, each with a polynomial of its own."""

        def rows(coins: Coins) -> FieldArray:
            shares = [
                self.share(secrets[k], count, coins).rows(coins) for k, count in enumerate(parties)
            ]
            return type(shares[0]).join(shares)

        return coins.deferred(secrets.field, (sum(parties),), rows)

    async def report(self, me: Party, partial: FieldArray, to: str) -> None:
        """Send a partial sum to the server, which must tell the senders' points apart."""
        await me.send(self.partial, to=to, payload=partial)

    async def report_each(
        self, me: Party, items: Sequence[int], below: int, partials: FieldArray, to: str
    ) -> None:
        """Send one message an item: the item and the partial sum."""
        for place, item in enumerate(items):
            await me.send(self.partial, to=to, payload=(index(item, below, "Nd"), partials[place]))

    async def recover(self, me: Party, senders: Group) -> FieldArray:
        """Interpolate at 0 from the first t reports; `senders` in the order of their points."""
        reports = await me.gather(self.partial, senders)
        return self.interpolate(reports, range(1, len(senders) + 1))

    async def recover_each(
        self, me: Party, items: Sequence[int], senders: Sequence[Group]
    ) -> FieldArray:
        """Interpolate item by item; senders report their items in the order of `items`."""
        sums = []
        for item, group in zip(items, senders, strict=True):
            messages = await me.gather(self.partial, group)
            # Every sender reports in the order of items
            assert all(int(of.numbers()) == item for of, _ in messages)
            reports = [partial for _, partial in messages]
            sums.append(self.interpolate(reports, range(1, len(group) + 1)))
        return type(sums[0]).stack(sums)

    def interpolate(self, reports: Sequence[FieldArray], points: Sequence[int]) -> FieldArray:
        """The secret from at least t values at distinct points from 1; the first t are used.

        It follows from Lagrange's formula at 0.
        """
        used = min(self.threshold, len(points))
        field = reports[0].field
        weights = lagrange_at_zero(points[:used], field.modulus)
        return type(reports[0]).stack(reports[:used]).combine(weights[np.newaxis])[0]

    def _powers(self, parties: int, field: Field) -> Ints:
        """The powers of the points, highest first and 1 last; shape (parties, coefficients)."""
        if parties >= field.modulus:
            raise ValueError(
                f"F_{field.modulus} has no {parties} points besides 0: Shamir's sharing "
                f"needs a larger field"
            )
        return _powers(parties, min(self.threshold, parties), field.modulus)


@functools.lru_cache(maxsize=1024)
def _powers(points: int, terms: int, modulus: int) -> Ints:
    """Powers `terms - 1` down to 0 of 1..points mod q; shape (points, terms)."""
    wide: Any = np.int64 if modulus < 1 << 31 else object  # exact: no product may wrap
    column = np.ones(points, dtype=wide)
    columns = [column]
    for _ in range(terms - 1):
        column = column * np.arange(1, points + 1).astype(wide) % modulus
        columns.append(column)
    return np.stack(columns[::-1], axis=1).astype(np.int64)


def lagrange_at_zero(points: Sequence[int], modulus: int) -> Ints:
    """The weights of f(points[k]) that add up to f(0), for a polynomial f over the field.

    They do so for every polynomial of degree below len(points).

    Raises `ValueError` for points that are not distinct in the field.
    """
    if len({point % modulus for point in points}) != len(points):
        raise ValueError(f"interpolation needs distinct points, got {list(points)} in F_{modulus}")
    weights = []
    for x in points:
        numerator = denominator = 1
        for other in points:
            if other != x:
                numerator = numerator * other % modulus
                denominator = denominator * (other - x) % modulus
        weights.append(numerator * pow(denominator, -1, modulus) % modulus)
    return np.array(weights, dtype=np.int64)


def sharing_named(name: "str | Sharing") -> Sharing:
    """`additive`, or `shamir:t` with a threshold. Raises `ValueError` for another name."""
    if not isinstance(name, str):
        return name
    kind, _, threshold = name.partition(":")
    if kind == "additive" and not threshold:
        return Additive()
    if kind == "shamir" and threshold.isascii() and threshold.isdigit():
        return Shamir(int(threshold))
    raise ValueError(f"sharing is 'additive' or 'shamir:t' with a threshold t, got {name!r}")


SharingByName = Annotated[
    Sharing,
    "how secrets are split into shares: additive, where all shares are needed, or shamir:t, where "
    "any t of them open a secret",
]
