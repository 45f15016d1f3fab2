"""The people of a column, in the form in which runs read them."""

from collections.abc import Sequence

from simnet.scenario.columns import Column
from simnet.scenario.from_columns import items_of_column
from simnet.scenario.population import ItemPopulation


def people(values: Sequence[str], domain: Sequence[str] | None = None) -> ItemPopulation:
    return items_of_column(Column.of("city", "x.csv", tuple(values)), domain)
