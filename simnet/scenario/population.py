"""The people of a run: the item, the number or the row that each of them holds, and what the items
are called.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

import attrs
import numpy as np
import numpy.typing as npt

from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.columns import Column
from simnet.scenario.schema import Categorical, Numeric, Schema

MOST_USERS = 100_000_000  # each takes 8 bytes

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEAST_KEPT = 0.01  # of a law that is truncated


@attrs.frozen(eq=False)
class Population:
    """`items[i]` in 1..N is what user i + 1 holds; `labels[j - 1]` is the name of item j."""

    items: Ints
    labels: tuple[str, ...]
    source: str

    @property
    def held(self) -> Ints:
        """What the users hold; shape (n,)."""
        return self.items

    @property
    def support(self) -> Ints:
        """How many users hold each item; shape (N,)."""
        return np.bincount(self.items - 1, minlength=len(self.labels)).astype(np.int64)

    @property
    def totals(self) -> Ints:
        """What an estimate, times the number of users, is held against: the support."""
        return self.support

    @property
    def frequencies(self) -> npt.NDArray[np.float64]:
        """The share of the users that hold each item; shape (N,)."""
        return self.support / len(self.items)

    def sample(self, users: int, seed: int) -> "Population":
        """Some of the users, drawn without replacement.

        Raises `BadInput` when there are not as many.
        """
        chosen, source = _some(users, len(self.items), self.source, seed)
        return attrs.evolve(self, items=self.items[chosen], source=source)


@attrs.frozen(eq=False)
class Values:
    """`held[i]`, a number in the declared range `low..high`, is what user i + 1 holds."""

    held: Floats
    low: float
    high: float
    source: str

    labels: ClassVar[tuple[str, ...]] = ("mean",)  # of what is estimated

    @property
    def totals(self) -> Floats:
        """What an estimate, times the number of users, is held against: the sum; shape (1,)."""
        return np.array([self.held.sum()])

    def sample(self, users: int, seed: int) -> "Values":
        """Some of the users, drawn without replacement.

        Raises `BadInput` when there are not as many.
        """
        chosen, source = _some(users, len(self.held), self.source, seed)
        return attrs.evolve(self, held=self.held[chosen], source=source)


@attrs.frozen(eq=False)
class Table:
    """`held[i]` is the row of user i + 1, as the schema orders it: numbers, then items from 1.

    Shape (n, d).
    """

    held: Floats
    schema: Schema
    source: str

    @property
    def labels(self) -> tuple[str, ...]:
        """What is estimated: means and shares."""
        return self.schema.labels

    @property
    def totals(self) -> Floats:
        """What an estimate, times the number of users, is held against: sums and supports, in the
        labels' order.
        """
        first = len(self.schema.numeric)
        columns = zip(self.schema.categorical, self.held.T[first:], strict=True)
        supports = [
            np.bincount(items.astype(int), minlength=len(one.labels) + 1)[1:]
            for one, items in columns
        ]
        return np.concatenate([self.held[:, :first].sum(axis=0), *supports])

    def sample(self, users: int, seed: int) -> "Table":
        """Some of the users, drawn without replacement.

        Raises `BadInput` when there are not as many.
        """
        chosen, source = _some(users, len(self.held), self.source, seed)
        return attrs.evolve(self, held=self.held[chosen], source=source)


People = Population | Values | Table


def in_chance_order(people: People, seed: int) -> People:
    """The same users, every order equally likely but for ties of doubles."""
    order = np.argsort(SampledCoins(seed, "order").uniform(len(people.held)).plain, kind="stable")
    if isinstance(people, Population):
        return attrs.evolve(people, items=people.items[order])
    return attrs.evolve(people, held=people.held[order])


def _some(users: int, everybody: int, source: str, seed: int) -> tuple[Ints, str]:
    """The places of some users, and where they come from in words."""
    if not 1 <= users <= everybody:
        raise BadInput(f"users to draw are 1 to {everybody}, the rows of {source}, got {users}")
    chosen = SampledCoins(seed, "population").subset(users, everybody).plain
    return chosen, f"{users} of {everybody} rows of {source}"


def uniform_population(users: int, items: int, seed: int) -> Population:
    """Users who hold an item uniform on `1..items`, independently.

    Raises `BadInput` for an empty one.
    """
    if users < 1 or items < 1:
        raise BadInput(
            f"a population has at least one user and one item, got users={users}, items={items}"
        )
    held = SampledCoins(seed, "population").integers(items, users).plain + 1
    return Population(
        held, tuple(str(item) for item in range(1, items + 1)), "a synthetic uniform population"
    )


def zipf_population(users: int, items: int, seed: int) -> Population:
    """Users who hold item j of `1..items` with a chance in proportion to 1/j, independently.

    `BadInput` for none.
    """
    uniform = uniform_population(users, items, seed)  # for its labels and what it refuses
    weights = np.cumsum(1 / np.arange(1, items + 1))
    drawn = SampledCoins(seed, "population").uniform(users).plain * weights[-1]
    held = (
        np.minimum(np.searchsorted(weights, drawn, side="right"), items - 1) + 1
    )  # above by rounding at most
    return attrs.evolve(uniform, items=held.astype(np.int64), source="a synthetic Zipf population")


def uniform_values(users: int, low: float, high: float, seed: int) -> Values:
    """Users who hold a number uniform on `low..high`, independently.

    Raises `BadInput` for an empty population.
    """
    if users < 1:
        raise BadInput(f"a population has at least one user, got users={users}")
    drawn = low + (high - low) * SampledCoins(seed, "population").uniform(users).plain
    held = np.minimum(drawn, high)  # above by rounding at most
    return Values(held, low, high, "a synthetic uniform population")


def uniform_table(users: int, schema: Schema, seed: int) -> Table:
    """Users who hold uniform numbers and categories, independently.

    Raises `BadInput` for an empty population.
    """
    if users < 1:
        raise BadInput(f"a population has at least one user, got users={users}")
    coins = SampledCoins(seed, "population")
    numbers = [
        one.low + (one.high - one.low) * coins.uniform(users).plain for one in schema.numeric
    ]
    items = [coins.integers(len(one.labels), users).plain + 1.0 for one in schema.categorical]
    return Table(np.column_stack([*numbers, *items]), schema, "a synthetic uniform table")


def normal_values(users: int, low: float, high: float, seed: int) -> Values:
    """Users who hold a standard normal number, independently, of the law truncated to `low..high`.

    A value out of the range could not be reported on, and moving it to an end would be a bias that
    nobody declared. Raises `BadInput` for an empty population, and for a range that hardly any of
    the law falls into.
    """
    from scipy.special import ndtr, ndtri  # here, not above: it takes a while to load

    if users < 1:
        raise BadInput(f"a population has at least one user, got users={users}")
    below, up_to = float(ndtr(low)), float(ndtr(high))
    if not up_to - below >= LEAST_KEPT:
        raise BadInput(
            f"{low:g}..{high:g} holds less than {LEAST_KEPT:.0%} of the standard normal "
            f"law: declare a wider range"
        )
    drawn = ndtri(below + (up_to - below) * SampledCoins(seed, "population").uniform(users).plain)
    source = (
        f"a synthetic standard normal population, truncated to {low:g}..{high:g} "
        f"({up_to - below:.4%} of the law)"
    )
    return Values(
        np.clip(drawn, low, high), low, high, source
    )  # rounding may lead out of the range


def column_values(
    column: Column, low: float, high: float, option: str = "--set low=... --set high=..."
) -> Values:
    """One user for each row of a column of numbers in a range that the `option` declares.

    Raises `BadInput` for a row that holds no number, or one out of the range: the data's own least
    and largest value would tell of those who hold them.
    """
    held = np.empty(len(column.values))
    for row, text in enumerate(column.values):
        try:
            held[row] = float(text)
        except ValueError:
            raise BadInput(f"{column.row(row)} holds {text!r}, which is no number") from None
    outside = np.flatnonzero(~((held >= low) & (held <= high)))  # also finds NaN
    if outside.size:
        raise BadInput(
            f"{column.row(int(outside[0]))} holds {column.values[outside[0]]}, which is "
            f"outside the declared range "
            f"{low:g}..{high:g}: declare the range that values can have with {option}"
        )
    return Values(held, low, high, column.source)


def column_table(
    columns: Mapping[str, Column],
    numeric: Sequence[Numeric],
    categorical: Mapping[str, Sequence[str] | None],
) -> Table:
    """One user for each row of some columns, by name.

    A domain of None is what occurs in the column.

    Raises `BadInput` for a row that holds no number, or what is outside the range or domain
    declared for its column.
    """
    numbers = [
        column_values(columns[one.name], one.low, one.high, f"--numeric {one.name}:LOW:HIGH").held
        for one in numeric
    ]
    held = [column_population(columns[name], domain) for name, domain in categorical.items()]
    declared = [domain is not None for domain in categorical.values()]
    domains = tuple(
        Categorical(name, one.labels, how)
        for name, one, how in zip(categorical, held, declared, strict=True)
    )
    first = next(iter(columns.values()))
    source = f"{len(columns)} columns of {first.file}"
    if first.left_out:
        gone = "1 row that lacks" if first.left_out == 1 else f"{first.left_out:,} rows that lack"
        source += f" without {gone} a value"
    return Table(
        np.column_stack([*numbers, *(one.items for one in held)]),
        Schema(tuple(numeric), domains),
        source,
    )


def column_population(column: Column, domain: Sequence[str] | None) -> Population:
    """One user for each row of a column; the domain is what occurs in it, in order, unless given.

    Raises `BadInput` for a row whose value is outside the domain.
    """
    labels = (
        tuple(domain)
        if domain is not None
        else tuple(sorted(set(column.values), key=_order(column.values)))
    )
    place = {label: item for item, label in enumerate(labels, start=1)}
    if len(place) != len(labels):
        raise BadInput(
            f"the domain names {next(label for label in labels if labels.count(label) > 1)!r} twice"
        )
    stranger = next((row for row, value in enumerate(column.values) if value not in place), None)
    if stranger is not None:
        raise BadInput(
            f"{column.row(stranger)} holds {column.values[stranger]!r}, which is outside "
            f"the domain "
            f"of {len(labels)} items ({', '.join(labels[:5])}{', ...' if len(labels) > 5 else ''})"
        )
    held = np.array([place[value] for value in column.values], dtype=np.int64)
    return Population(held, labels, column.source)


def counted_population(column: Column, counts: Column, domain: Sequence[str] | None) -> Population:
    """As many users for each row of a column as another column of the file says.

    Rows of one item add up. Each is a user of its own, and so protected by itself: who was counted
    k times loses k times as much privacy. Raises `BadInput` for what is no number of users, for
    more than a hundred million, and for none at all.
    """
    once = column_population(column, domain)
    times = [_times(counts, row) for row in range(len(counts.values))]
    if not 1 <= sum(times) <= MOST_USERS:
        raise BadInput(
            f"{counts.source} adds up to {sum(times):,} users: between 1 and {MOST_USERS:,} "
            f"are expected"
        )
    return attrs.evolve(
        once,
        items=np.repeat(once.items, times),
        source=f"{column.source}, {counts.name!r} users a row, each private by itself",
    )


def _times(counts: Column, row: int) -> int:
    text = counts.values[row]
    if not (text.isascii() and text.isdigit()):
        raise BadInput(
            f"{counts.row(row)} holds {text!r}, which is no number of users: whole numbers "
            f"are expected"
        )
    return int(text)


def _order(values: Sequence[str]) -> Callable[[str], Any]:
    """Numbers in order of size, anything else in order of text.

    Equal numbers, such as 1 and 1.0, by their text.
    """
    try:
        numbers = {value: Decimal(value) for value in set(values)}
    except InvalidOperation:
        return str
    if any(number.is_nan() for number in numbers.values()):
        return str
    return lambda value: (numbers[value], value)
