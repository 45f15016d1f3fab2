"""Users who are made up: items, numbers and tables drawn from a seed."""

import attrs
import numpy as np

from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.population import ItemPopulation, NumberPopulation, TablePopulation
from simnet.scenario.schema import Schema

LEAST_KEPT = 0.01  # a truncated law must keep at least this probability


def uniform_items(users: int, items: int, seed: int) -> ItemPopulation:
    """Return users with independent items, uniform on `1..items`.

    Raises `BadInput` for fewer than one user or item.
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
    """Return users with independent items: item j of `1..items` has probability in proportion to
    1/j.

    Raises `BadInput` for fewer than one user or item.
    """
    # This call checks the arguments, and its result has the labels.
    uniform = uniform_items(users, items, seed)
    weights = np.cumsum(1 / np.arange(1, items + 1))
    drawn = SampledCoins(seed, "population").uniform(users).plain * weights[-1]
    own_items = (
        np.minimum(np.searchsorted(weights, drawn, side="right"), items - 1) + 1
    )  # only a rounding error can lead above the limit
    return attrs.evolve(
        uniform, items=own_items.astype(np.int64), source="a synthetic Zipf population"
    )


def uniform_numbers(users: int, low: float, high: float, seed: int) -> NumberPopulation:
    """Return users with independent numbers, uniform on `low..high`.

    Raises `BadInput` for fewer than one user.
    """
    if users < 1:
        raise BadInput(f"a population has at least one user, got users={users}")
    drawn = low + (high - low) * SampledCoins(seed, "population").uniform(users).plain
    values = np.minimum(drawn, high)  # only a rounding error can lead above the limit
    return NumberPopulation(values, low, high, "a synthetic uniform population")


def normal_numbers(users: int, low: float, high: float, seed: int) -> NumberPopulation:
    """Return users with independent numbers: standard normal, truncated to `low..high`.

    Raises `BadInput` for fewer than one user, and for a range that has less than 1 % of the
    standard normal law.
    """
    # Scipy loads slowly, so we import it only where it is needed.
    from scipy.special import ndtr, ndtri

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
    )  # a rounding error may lead out of the range


def uniform_table(users: int, schema: Schema, seed: int) -> TablePopulation:
    """Return users with independent uniform numbers and categories.

    Raises `BadInput` for fewer than one user.
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
