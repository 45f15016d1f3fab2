"""The people of the experiments of Wang et al. (section VI), and our choices where the text is
open.

BR and MX are extracts of the censuses of Brazil and Mexico, which may not be passed on. With a
folder of data, Adult and Census-Income stand in for these extracts; without a folder, tables of the
paper's shape are made up. In the synthetic data a user has 16 numbers with one law.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import attrs
import numpy as np

from scenarios.wang.census import ADULT, CENSUS_INCOME, Census
from simnet.arrays import Floats
from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.scenario.columns import read_columns
from simnet.scenario.from_columns import table_of_columns
from simnet.scenario.population import TablePopulation
from simnet.scenario.schema import Categorical, Numeric, Schema
from simnet.studies.data import stand_in
from simnet.studies.remembered import remembered

STAND_INS: Mapping[str, tuple[str, Census]] = {
    "BR": ("adult.csv.gz", ADULT),
    "MX": ("census_income.csv.gz", CENSUS_INCOME),
}
FILES = tuple(file for file, _ in STAND_INS.values())
CENSUSES = stand_in("Adult for BR, Census-Income for MX")
SHAPES: Mapping[
    str, tuple[int, tuple[int, ...]]
] = {  # numeric attributes, and domains of the categorical ones
    "BR": (6, (2, 2, 3, 4, 5, 6, 8, 12, 20, 33)),  # 5 + Σ(c - 1) = 90 features besides the income
    "MX": (5, (2, 2, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 15, 30)),  # 4 + Σ(c - 1) = 94
}
DEVIATION = 0.25  # the standard deviation of the normal laws
SYNTHETIC_ATTRIBUTES = 16
REAL = {"BR": "Adult", "MX": "Census-Income"}
CHOICES = (
    "The paper's censuses, BR and MX, may not be passed on. With --data, Adult (5 numbers + 8 "
    "categories) and Census-Income (7 + 10) stand in for them. Without --data we make up people "
    "with as many attributes as in BR and MX (6 + 10 and 5 + 14): numbers by the law N(0, 1/16), "
    "truncated to [-1, 1], and categories by Zipf's law.",
    "Each trial draws its users anew, fewer than the paper's 4 million; expected mean squared "
    "errors are proportional to 1/n.",
)


CORRECTED = (
    "Duchi et al. corrected is Algorithm 3 with other sets T+ and T-. Line 1 rounds the d values "
    "of a user at random to v, a vector of numbers 1 and -1. A possible report (a corner of a "
    "cube) whose signs agree with v in exactly half of the d coordinates belongs to T- only; as "
    "printed, it belongs to both T+ and T-. The corrected mechanism is ε-LDP for every d, and the "
    "printed one for odd d only"
)


def title(name: str, synthetic: bool) -> str:
    """Return in words who stands in for a census."""
    return f"{'made-up people' if synthetic else REAL[name]} in place of {name}"


def _normal(mean: float, uniforms: Floats) -> Floats:
    """Turn uniform numbers into numbers of N(mean, 1/16), truncated to [-1, 1]."""
    from scipy.special import ndtr, ndtri  # imported only here: scipy loads slowly

    low, high = ndtr((-1 - mean) / DEVIATION), ndtr((1 - mean) / DEVIATION)
    drawn_values: Floats = mean + DEVIATION * ndtri(low + (high - low) * uniforms)
    return np.clip(drawn_values, -1, 1)  # a rounding error may lead out of the range


def _uniform(uniforms: Floats) -> Floats:
    return 2 * uniforms - 1


def _power(uniforms: Floats) -> Floats:
    """Turn uniform numbers into numbers whose density is proportional to (x + 2)^-10 on [-1, 1]."""
    # A rounding error may lead out of the range.
    return np.clip((1 - uniforms * (1 - 3.0**-9)) ** (-1 / 9) - 2, -1, 1)


LAWS: Mapping[str, Callable[[Floats], Floats]] = {
    "μ=0": partial(_normal, 0.0),
    "μ=1/3": partial(_normal, 1 / 3),
    "μ=2/3": partial(_normal, 2 / 3),
    "μ=1": partial(_normal, 1.0),
    "uniform": _uniform,
    "power law": _power,
}


def drawn(
    name: str, users: int, data: Path | None, seed: int, attributes: int | None = None
) -> TablePopulation:
    """Draw `users` people of a census or of a synthetic law.

    They have `attributes` attributes; by default all of the census, or 16 of a synthetic law.

    Raises `BadInput` for an unknown name, for data that do not fit, and for a number of attributes
    out of range: at least 1 for a synthetic law, and as `narrowed` says for a census.
    """
    if name in LAWS:
        numbers = SYNTHETIC_ATTRIBUTES if attributes is None else attributes
        if numbers < 1:
            raise BadInput(f"there is at least 1 attribute to collect, got {numbers}")
        return _synthetic(LAWS[name], users, numbers, seed)
    if name not in STAND_INS:
        raise BadInput(f"people are {', '.join([*STAND_INS, *LAWS])}, got {name!r}")
    people = (
        _made_up(name, users, seed) if data is None else _census(name, data).sample(users, seed)
    )
    return people if attributes is None else narrowed(people, attributes)


def narrowed(people: TablePopulation, attributes: int) -> TablePopulation:
    """Return the same people with the first attributes of each kind only.

    Numeric and categorical attributes keep their shares of all attributes, rounded; at least one
    numeric attribute is kept.

    Raises `BadInput` for fewer than two attributes, and for more attributes than the people have.
    """
    numeric, categorical = people.schema.numeric, people.schema.categorical
    every = len(numeric) + len(categorical)
    if not 2 <= attributes <= every:
        raise BadInput(f"there are 2 to {every} attributes to collect, got {attributes}")
    first = max(1, round(attributes * len(numeric) / every))
    rest = attributes - first
    held = np.hstack(
        [people.inputs[:, :first], people.inputs[:, len(numeric) : len(numeric) + rest]]
    )
    return TablePopulation(held, Schema(numeric[:first], categorical[:rest]), people.source)


def _synthetic(
    law: Callable[[Floats], Floats], users: int, attributes: int, seed: int
) -> TablePopulation:
    uniforms = (
        SampledCoins(seed, "population")
        .uniform(users * attributes)
        .plain.reshape(users, attributes)
    )
    return TablePopulation(
        law(uniforms), Schema(_numbers(attributes)), "synthetic, as in the paper"
    )


def _numbers(count: int) -> tuple[Numeric, ...]:
    return tuple(Numeric(f"number {place}", -1, 1) for place in range(1, count + 1))


def _made_up(name: str, users: int, seed: int) -> TablePopulation:
    numeric, domains = SHAPES[name]
    coins = SampledCoins(seed, "population")
    numbers = _normal(0.0, coins.uniform(users * numeric).plain).reshape(users, numeric)
    items = [_zipf(size, coins.uniform(users).plain) for size in domains]
    labelled = tuple(
        Categorical(f"category {place}", tuple(map(str, range(1, size + 1))))
        for place, size in enumerate(domains, 1)
    )
    schema = Schema(_numbers(numeric), labelled)
    return TablePopulation(
        np.column_stack([numbers, *items]), schema, f"synthetic, in place of {name}"
    )


def _zipf(size: int, uniforms: Floats) -> Floats:
    """Turn uniform numbers into items from 1, with probabilities proportional to 1, 1/2, 1/3 and so
    on.
    """
    up_to = np.cumsum(1 / np.arange(1, size + 1))
    return np.asarray(
        np.searchsorted(up_to[:-1] / up_to[-1], uniforms, side="right") + 1, dtype=np.float64
    )


def rows_of(name: str, data: Path) -> int:
    """Return the number of users in the whole data that stand in for the census `name`."""
    return len(_census(name, data).inputs)


@remembered
def _census(name: str, data: Path) -> TablePopulation:
    file, census = STAND_INS[name]
    names = [*(one.name for one in census.numeric), *census.categorical]
    columns = read_columns(data / file, names, missing=())
    table = table_of_columns(
        {one.name: one for one in columns}, census.numeric, dict.fromkeys(census.categorical)
    )
    return attrs.evolve(table, source=f"{table.source}, in place of {name}")
