"""Made-up populations with something to learn: two columns of a table depend on the others."""

import numpy as np

from protocols.ldp_sgd.features import encoded, names_of
from protocols.mechanisms.value_range import ValueRange
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.population import TablePopulation
from simnet.scenario.schema import Schema
from simnet.scenario.synthetic import uniform_table

NOISE = 0.2  # the part of a number that its features do not determine
SLOPE = 8.0  # the slope of a class's log odds as a function of the features' signal


def dependent_table(users: int, schema: Schema, seed: int) -> TablePopulation:
    """Return users whose last numeric and last categorical column depend on the other columns.

    In the last categorical column only the first two categories occur. All other columns are
    uniform; encoded as features, they determine a signal from -1 to 1. The number in the last
    numeric column is a linear function of the signal plus uniform noise. The category follows a
    logistic law of the features and this number.

    Raises `BadInput` for an empty population, and for a schema without a numeric column, without a
    further column that has more than one value, or whose last categorical column has fewer than two
    categories.
    """
    before = Schema(schema.numeric[:-1], schema.categorical[:-1])
    has_classes = bool(schema.categorical) and len(schema.categorical[-1].labels) > 1
    if not (schema.numeric and has_classes and names_of(before)):
        raise BadInput(
            "dependent columns need a schema with a numeric column, a categorical one with two "
            "categories or more, and at least one more column with more than one value"
        )
    uniform = uniform_table(users, schema, seed)
    rows, number = uniform.inputs.copy(), len(schema.numeric) - 1
    features = encoded(np.delete(rows, [number, len(schema.names) - 1], axis=1), before)
    coins, column = SampledCoins(seed, "dependent columns"), schema.numeric[-1]
    scaled = (1 - NOISE) * _signal(features) + NOISE * (2 * coins.uniform(users).plain - 1)
    chance = 1 / (1 + np.exp(-SLOPE * _signal(np.column_stack([scaled, features]))))
    interval = ValueRange(column.low, column.high)
    numbers = interval.low + (scaled + 1) * interval.unit
    rows[:, number] = np.clip(numbers, interval.low, interval.high)  # rounding may leave the range
    rows[:, -1] = 1 + (coins.uniform(users).plain < chance)
    return TablePopulation(
        rows, schema, "a synthetic table, of which two columns depend on the others"
    )


def _signal(features: Floats) -> Floats:
    """Return the signal of features; shape (n,).

    The signal is the mean of the features with weights 1, 1/2, 1/3 and so on.
    """
    weights = 1 / np.arange(1, features.shape[1] + 1)
    return np.asarray(features @ weights / weights.sum())
