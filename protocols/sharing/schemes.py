"""Secret sharing over a prime field: additive sharing and Shamir's sharing.

Both ways of sharing split a secret into m shares, one for each party. If every party adds up its
shares of several secrets, the sums are shares of the sum of the secrets.

Additive: m - 1 shares are uniform field elements, and the last share is the secret minus their sum.
All m shares are needed; any m - 1 are uniform and independent of the secret. Shamir: the shares are
the values of a random polynomial with t <= m coefficients at the points 1..m. Any t shares recover
the secret; any t - 1 are independent of the secret.

Sources: Yang et al., section 2 and Algorithm 2, line 8; Shamir, *How to share a secret*, 1979.
"""

import functools
from collections.abc import Sequence
from typing import Annotated, Any, Generic, Protocol, TypeVar

import attrs
import numpy as np

from protocols import checks
from simnet.arrays import Floats, Ints
from simnet.coins.coins import Coins, Deferred
from simnet.kernel.party import Party
from simnet.kernel.tags import Summed, Tag
from simnet.roster import Group
from simnet.values.field import Field, FieldArray
from simnet.values.typed import index

# A number of parties, or an array of such numbers.
Parties = TypeVar("Parties", int, Ints, Floats)


@attrs.frozen
class Cost(Generic[Parties]):
    """The numbers of operations to share one secret element, or to recover one sum: arrays, if the
    number of parties is an array.
    """

    draws: Parties  # FS
    additions: Parties  # FA
    products: Parties  # FM


class Sharing(Protocol):
    """How secrets are split into shares, and how a server recovers the sum of the secrets.

    Each party adds up the shares that it receives, and reports this partial sum to the server.
    """

    @property
    def partial(self) -> Tag:
        """The tag of the messages in which parties report their partial sums."""
        ...

    def needed(self, parties: Parties) -> Parties:
        """Return how many shares determine a secret that is split among this many parties.

        Fewer shares are independent of the secret.
        """
        ...

    def share_cost(self, parties: Parties) -> Cost[Parties]:
        """The cost of sharing one field element among this many parties."""
        ...

    def recovery_cost(self, parties: Parties) -> Cost[Parties]:
        """The cost of recovering one sum from this many partial sums."""
        ...

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        """Split a secret of shape (N,) into shares; shape (parties, N), one row for each party."""
        ...

    def share_each(self, secrets: FieldArray, parties: Sequence[int], coins: Coins) -> Deferred:
        """Split K secrets of one element each; the k-th gets `parties[k]` shares.

        The shares stand secret by secret in one array of shape (sum of `parties`,).
        """
        ...

    async def report(self, me: Party, partial: FieldArray, to: str) -> None:
        """Send a partial sum to the server."""
        ...

    async def report_each(
        self, me: Party, items: Sequence[int], below: int, partials: FieldArray, to: str
    ) -> None:
        """Send the server one partial sum for each item, together with the item.

        Items are counted from 0 and lie below `below`.
        """
        ...

    async def recover(self, me: Party, senders: Group) -> FieldArray:
        """Return the sum of the secrets, from the partial sums of the senders; shape (N,)."""
        ...

    async def recover_each(
        self, me: Party, items: Sequence[int], senders: Sequence[Group]
    ) -> FieldArray:
        """Return, for each of K items, the sum of the secrets, from its senders' reports.

        Shape (K,).
        """
        ...


@attrs.frozen
class Additive:
    """Additive sharing: the shares add up to the secret, and all shares are needed.

    `share(secret, parties, coins)` returns a deferred block of shares with shape (parties, N).

    >>> from simnet import Field, constant
    >>> from simnet.coins.sampled import SampledCoins
    >>> coins = SampledCoins(7, "u1")
    >>> secret = constant(Field(11), [3, 4])
    >>> shares = Additive().share(secret, 3, coins).rows(coins)
    >>> shares.shape, shares.sum().numbers().tolist()
    ((3, 2), [3, 4])
    >>> Additive().needed(3)
    3
    """

    partial = Summed("partial")

    def __str__(self) -> str:
        return "additive"

    def needed(self, parties: Parties) -> Parties:
        """Return the number of parties: all shares are needed."""
        return parties

    def share_cost(self, parties: Parties) -> Cost[Parties]:
        """The cost of sharing one element: m - 1 draws, and m - 1 additions for the last share."""
        return Cost(parties - 1, parties - 1, 0 * parties)

    def recovery_cost(self, parties: Parties) -> Cost[Parties]:
        """The cost of recovering one sum: m - 1 additions."""
        return Cost(0 * parties, parties - 1, 0 * parties)

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        """Split a secret of shape (N,) into shares.

        Shape (parties, N). Costs (parties - 1) N draws.
        """

        def rows(coins: Coins) -> FieldArray:
            masks = coins.field(secret.field, (parties - 1, *secret.shape))
            return masks.append(secret - masks.sum() if parties > 1 else secret)

        return coins.deferred(secret.field, (parties, *secret.shape), rows)

    def share_each(self, secrets: FieldArray, parties: Sequence[int], coins: Coins) -> Deferred:
        """Split K secrets of one element each. A secret with m shares costs m - 1 draws."""
        masked = [count - 1 for count in parties]

        def rows(coins: Coins) -> FieldArray:
            return coins.field(secrets.field, (sum(masked),)).close(secrets, masked)

        return coins.deferred(secrets.field, (sum(parties),), rows)

    async def report(self, me: Party, partial: FieldArray, to: str) -> None:
        """Send a partial sum to the server, which only adds up what it receives."""
        await me.send(self.partial, to=to, payload=partial)

    async def report_each(
        self, me: Party, items: Sequence[int], below: int, partials: FieldArray, to: str
    ) -> None:
        """Send the server one partial sum for each item; the item is the key of the message, so
        that the server adds up item by item.
        """
        server = me.group(to)
        await me.scatter(
            self.partial, to=[server] * len(items), rows=partials, keys=index(items, below, "Nd")
        )

    async def recover(self, me: Party, senders: Group) -> FieldArray:
        """Add up the partial sums of all senders; shape (N,)."""
        return await me.gather_sum(self.partial, senders=senders)

    async def recover_each(
        self, me: Party, items: Sequence[int], senders: Sequence[Group]
    ) -> FieldArray:
        """Add up, item by item, one partial sum of each of its senders; shape (K,)."""
        return await me.gather_sums(self.partial, items, [len(group) for group in senders])


class Polynomials:
    """What `Shamir` and `ShamirPercent` have in common: shares are values of a random polynomial.

    The polynomial has as many coefficients as shares are needed. Its value at 0 is the secret; its
    values at 1..m are the shares of m parties.
    """

    partial = Tag("partial")

    def needed(self, parties: Parties) -> Parties:
        """Return how many shares determine a secret that is split among this many parties.

        Raises `NotImplementedError`: every scheme has a method of its own.
        """
        raise NotImplementedError

    def share_cost(self, parties: Parties) -> Cost[Parties]:
        """The cost of sharing one element: t - 1 draws, and a polynomial of t terms for each
        party.
        """
        terms = self.needed(parties)
        return Cost(terms - 1, parties * (terms - 1), parties * terms)

    def recovery_cost(self, parties: Parties) -> Cost[Parties]:
        """The cost of recovering one sum: a linear combination of t partial sums."""
        terms = self.needed(parties)
        return Cost(0 * terms, terms - 1, terms)

    def share(self, secret: FieldArray, parties: int, coins: Coins) -> Deferred:
        """Split a secret of shape (N,) into shares; shape (parties, N). This takes (t - 1) N draws.

        Raises `ValueError` if the field has too few points for the parties.
        """
        powers = self._powers(parties, secret.field)

        def rows(coins: Coins) -> FieldArray:
            coefficients = coins.field(secret.field, (powers.shape[1] - 1, *secret.shape))
            return coefficients.append(secret).combine(powers)

        return coins.deferred(secret.field, (parties, *secret.shape), rows)

    def share_each(self, secrets: FieldArray, parties: Sequence[int], coins: Coins) -> Deferred:
        """Split K secrets of one element each; every secret gets a polynomial of its own."""

        def rows(coins: Coins) -> FieldArray:
            shares = [
                self.share(secrets[k], count, coins).rows(coins) for k, count in enumerate(parties)
            ]
            return type(shares[0]).join(shares)

        return coins.deferred(secrets.field, (sum(parties),), rows)

    async def report(self, me: Party, partial: FieldArray, to: str) -> None:
        """Send a partial sum to the server, which must know whose point each sum belongs to."""
        await me.send(self.partial, to=to, payload=partial)

    async def report_each(
        self, me: Party, items: Sequence[int], below: int, partials: FieldArray, to: str
    ) -> None:
        """Send the server one message for each item: the item and the partial sum."""
        for place, item in enumerate(items):
            await me.send(self.partial, to=to, payload=(index(item, below, "Nd"), partials[place]))

    async def recover(self, me: Party, senders: Group) -> FieldArray:
        """Wait for the reports of all senders, and interpolate at 0 from the first t of them;
        `senders` stand in the order of their points.
        """
        return self._opened_by_all(await me.gather(self.partial, senders))

    async def recover_each(
        self, me: Party, items: Sequence[int], senders: Sequence[Group]
    ) -> FieldArray:
        """Interpolate item by item; each sender reports its items in the order of `items`."""
        sums = []
        for item, group in zip(items, senders, strict=True):
            messages = await me.gather(self.partial, group)
            # every sender reports its items in the order of `items`
            assert all(int(of.numbers()) == item for of, _ in messages)
            sums.append(self._opened_by_all([partial for _, partial in messages]))
        return type(sums[0]).stack(sums)

    def opened(
        self, reports: Sequence[FieldArray], points: Sequence[int], parties: int
    ) -> FieldArray:
        """Return the secret that was split among `parties`, from at least t values at distinct
        points; the first t are used.

        Points are counted from 1. Raises `ValueError` for fewer than t values, and if two of the
        first t points are equal.
        """
        used = self.needed(parties)
        if len(points) < used:
            raise ValueError(f"too few shares to open a secret, {used} needed, got {len(points)}")
        weights = lagrange_at_zero(points[:used], reports[0].field.modulus)
        return type(reports[0]).stack(reports[:used]).combine(weights[np.newaxis])[0]

    def _opened_by_all(self, reports: Sequence[FieldArray]) -> FieldArray:
        return self.opened(reports, range(1, len(reports) + 1), len(reports))

    def _powers(self, parties: int, field: Field) -> Ints:
        if parties >= field.modulus:
            raise ValueError(
                f"F_{field.modulus} has fewer than {parties} points besides 0: Shamir's sharing "
                f"among {parties} parties needs a larger field"
            )
        return _powers(parties, self.needed(parties), field.modulus)


@attrs.frozen
class Shamir(Polynomials):
    """Shamir's sharing: shares are values of a random polynomial, and `threshold` shares are
    enough.

    The polynomial has `threshold` coefficients. If there are m < `threshold` parties, it has m
    coefficients and all shares are needed.

    Raises `ValueError` for a threshold below 1.

    >>> Shamir(3).needed(10), Shamir(3).needed(2)
    (3, 2)
    >>> str(Shamir(3))
    'shamir:3'
    """

    threshold: int

    def __attrs_post_init__(self) -> None:
        checks.integer("Shamir's threshold", self.threshold)
        if self.threshold < 1:
            raise ValueError(f"Shamir's threshold is at least 1, got {self.threshold}")

    def __str__(self) -> str:
        return f"shamir:{self.threshold}"

    def needed(self, parties: Parties) -> Parties:
        """Return the threshold, or the number of parties if that is smaller."""
        if isinstance(parties, int):
            return min(self.threshold, parties)
        return np.minimum(self.threshold, parties)

    def interpolate(self, reports: Sequence[FieldArray], points: Sequence[int]) -> FieldArray:
        """Return the secret from at least t values at distinct points, or from the values of all
        parties if these are fewer; the first t are used. Points are counted from 1.
        """
        return self.opened(reports, points, len(points))


@attrs.frozen
class ShamirPercent(Polynomials):
    """Shamir's sharing where `percent` of the shares, rounded up, are enough: the threshold grows
    with the number of parties.

    This suits protocols in which the number of parties that hold shares is random, as in TSS.

    Raises `ValueError` for a percentage outside 1..100.

    >>> ShamirPercent(60).needed(10), ShamirPercent(60).needed(11), ShamirPercent(60).needed(1)
    (6, 7, 1)
    >>> str(ShamirPercent(60))
    'shamir:60%'
    """

    percent: int

    def __attrs_post_init__(self) -> None:
        checks.integer("Shamir's percentage", self.percent)
        if not 1 <= self.percent <= 100:
            raise ValueError(f"Shamir's percentage is from 1 to 100, got {self.percent}")

    def __str__(self) -> str:
        return f"shamir:{self.percent}%"

    def needed(self, parties: Parties) -> Parties:
        """Return `percent` percent of the number of parties, rounded up."""
        return -(-self.percent * parties // 100)


@functools.lru_cache(maxsize=1024)
def _powers(points: int, terms: int, modulus: int) -> Ints:
    wide: Any = np.int64 if modulus < 1 << 31 else object  # exact: no product may wrap
    column = np.ones(points, dtype=wide)
    columns = [column]
    for _ in range(terms - 1):
        column = column * np.arange(1, points + 1).astype(wide) % modulus
        columns.append(column)
    return np.stack(columns[::-1], axis=1).astype(np.int64)


def lagrange_at_zero(points: Sequence[int], modulus: int) -> Ints:
    """Return the weights w with f(0) = sum of w[k] f(points[k]); shape (len(points),).

    The equation holds for every polynomial f over the field with degree below len(points).

    Raises `ValueError` for points that are not distinct in the field.
    """
    if len({point % modulus for point in points}) != len(points):
        raise ValueError(f"points must be distinct in F_{modulus}, got {list(points)}")
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
    """Return the sharing with this name: `additive`, `shamir:t` with a threshold t, or `shamir:P%`
    with a percentage P of the shares. A sharing in place of a name is returned as it is.

    Raises `ValueError` for another name, for t below 1, and for P outside 1..100.
    """
    if not isinstance(name, str):
        return name
    if name == "additive":
        return Additive()
    kind, _, threshold = name.partition(":")
    number = threshold.removesuffix("%")
    if kind == "shamir" and number.isascii() and number.isdigit():
        return Shamir(int(number)) if number == threshold else ShamirPercent(int(number))
    raise ValueError(
        f"sharing is 'additive' or 'shamir:t' with a threshold t such as 3 or 60%, got {name!r}"
    )


SharingByName = Annotated[
    Sharing,
    "how secrets are split into shares: additive, where all shares are needed, or shamir:t, where "
    "any t shares open a secret; t may be a percentage of the shares, such as 60%",
]
