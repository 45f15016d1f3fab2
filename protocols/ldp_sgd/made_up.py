"""People made up so that there is something to learn.

Two columns of a table depend on the others.
"""

import numpy as np

from protocols.ldp_sgd.features import encoded
from protocols.mechanisms.value_range import ValueRange
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from simnet.scenario.population import TablePopulation
from simnet.scenario.schema import Schema
from simnet.scenario.synthetic import uniform_table

NOISE = 0.2  # the part of a number that its features do not tell
SLOPE = 8.0  # of the log odds of a class, against what its features tell


def dependent_table(users: int, schema: Schema, seed: int) -> TablePopulation:
    """Users whose last number and last category, of two values, depend on the columns before.

    All else is uniform. Of what the features tell, from -1 to 1, the number is a line with uniform
    noise, and the category a logistic law of this and of the number. Raises `BadInput` for an empty
    population.
    """
    uniform = uniform_table(users, schema, seed)
    held, number = uniform.inputs.copy(), len(schema.numeric) - 1
    before = Schema(schema.numeric[:-1], schema.categorical[:-1])
    features = encoded(np.delete(held, [number, len(schema.names) - 1], axis=1), before)
    coins, column = SampledCoins(seed, "dependent columns"), schema.numeric[-1]
    scaled = (1 - NOISE) * _told(features) + NOISE * (2 * coins.uniform(users).plain - 1)
    chance = 1 / (1 + np.exp(-SLOPE * _told(np.column_stack([scaled, features]))))
    interval = ValueRange(column.low, column.high)
    held[:, number] = np.clip(
        interval.low + (scaled + 1) * interval.unit, interval.low, interval.high
    )  # roundings
    held[:, -1] = 1 + (coins.uniform(users).plain < chance)
    return TablePopulation(
        held, schema, "a synthetic table, of which two columns depend on the others"
    )


def _told(features: Floats) -> Floats:
    """What features in [-1, 1] tell; shape (n,).

    They have weights 1, 1/2, 1/3 and so on, divided by their sum.
    """
    weights = 1 / np.arange(1, features.shape[1] + 1)
    return np.asarray(features @ weights / weights.sum())
