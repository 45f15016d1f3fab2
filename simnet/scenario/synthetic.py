"""People who are made up: items, numbers and tables drawn from a seed."""

import attrs
import numpy as np

from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.population import ItemPopulation, NumberPopulation, TablePopulation
from simnet.scenario.schema import Schema

LEAST_KEPT = 0.01  # of a law that is truncated


def uniform_items(users: int, items: int, seed: int) -> ItemPopulation:
    """Users who hold an item uniform on `1..items`, independently.

    Raises `BadInput` for an empty one.
    """
    if users < 1 or items < 1:
        raise BadInput(
            f"a population has at least one user and one item, got users={users}, items={items}"
        )
    own_items = SampledCoins(seed, "population").integers(items, users).plain + 1
    return ItemPopulation(
        own_items,
        tuple(str(item) for item in range(1, items + 1)),
        "a synthetic uniform population",
    )


def zipf_items(users: int, items: int, seed: int) -> ItemPopulation:
    """Users who hold item j of `1..items` with a chance in proportion to 1/j, independently.

    Raises `BadInput` for an empty one.
    """
    uniform = uniform_items(users, items, seed)  # for its labels and what it refuses
    weights = np.cumsum(1 / np.arange(1, items + 1))
    drawn = SampledCoins(seed, "population").uniform(users).plain * weights[-1]
    own_items = (
        np.minimum(np.searchsorted(weights, drawn, side="right"), items - 1) + 1
    )  # above by rounding at most
    return attrs.evolve(
        uniform, items=own_items.astype(np.int64), source="a synthetic Zipf population"
    )


def uniform_numbers(users: int, low: float, high: float, seed: int) -> NumberPopulation:
    """Users who hold a number uniform on `low..high`, independently.

    Raises `BadInput` for an empty population.
    """
    if users < 1:
        raise BadInput(f"a population has at least one user, got users={users}")
    drawn = low + (high - low) * SampledCoins(seed, "population").uniform(users).plain
    values = np.minimum(drawn, high)  # above by rounding at most
    return NumberPopulation(values, low, high, "a synthetic uniform population")


def normal_numbers(users: int, low: float, high: float, seed: int) -> NumberPopulation:
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
    return NumberPopulation(
        np.clip(drawn, low, high), low, high, source
    )  # rounding may lead out of the range


def uniform_table(users: int, schema: Schema, seed: int) -> TablePopulation:
    """Users who hold uniform numbers and categories, independently.

    Raises `BadInput` for an empty population.
    """
    if users < 1:
        raise BadInput(f"a population has at least one user, got users={users}")
    coins = SampledCoins(seed, "population")
    numbers = [
        column.low + (column.high - column.low) * coins.uniform(users).plain
        for column in schema.numeric
    ]
    items = [coins.integers(len(column.labels), users).plain + 1.0 for column in schema.categorical]
    return TablePopulation(np.column_stack([*numbers, *items]), schema, "a synthetic uniform table")
