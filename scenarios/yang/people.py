"""The people of the experiments of Yang et al. (section 4.1.1), and our choices where the text is
open.

- Gowalla: a user's item is one of 12 cells of 5 by 5 degrees.
- Census-Income: a user's item is an interval of 100 cents of the wage per hour. Users without a
  wage, who are most users, are left out, and so are intervals with less than 1 % of the remaining
  users.
- Synthetic and Uniform: 30 items, uniform.
- Normal: a user's item is the one of 30 equal intervals of -4..4 that a standard normal number,
  truncated to this range, falls into.

Without a folder of data, people with uniform items stand in for the two real data sets.
"""

from collections import Counter
from collections.abc import Sequence
from math import ceil
from pathlib import Path

import attrs
import numpy as np

from simnet.coins.sampled import SampledCoins
from simnet.errors import BadInput
from simnet.printable import count_of
from simnet.scenario.columns import read_column, whole_numbers
from simnet.scenario.population import ItemPopulation
from simnet.scenario.synthetic import normal_numbers, uniform_items
from simnet.studies.data import partial
from simnet.studies.remembered import remembered
from simnet.studies.table import Table

CELLS = tuple(str(cell) for cell in range(12))
GOWALLA, CENSUS = "gowalla_cells.csv.gz", "census_income.csv.gz"
FILES = (GOWALLA, CENSUS)
INCOME, WIDTH, LEAST_SHARE = "wage_per_hour", 100, 0.01
STAND_IN = {"gowalla": 12, "census": 17}  # the number of items of each real data set
SYNTHETIC_ITEMS = 30
NORMAL_RANGE = 4.0  # normal numbers are truncated to -4..4
DATA = partial(
    "8,569 users of Gowalla with 5 % of its check-ins; the users of Census-Income with a wage"
)
TITLES = {
    "gowalla": "Gowalla",
    "census": "Census-Income",
    "synthetic": "Synthetic",
    "normal": "Normal",
    "uniform": "Uniform",
}
CHOICES = (
    "Of Gowalla we have a part of the users only, in gowalla_cells.csv.gz. A user's item is one "
    "of 12 cells: the cell with the most of its check-ins or, in a tie, the one of these cells "
    "with the lowest number.",
    "Of Census-Income, only the users with a wage_per_hour above 0 are taken. The items are the "
    "intervals of 100 cents that hold at least 1 % of these users (17 items).",
    "Each trial draws its users anew: real users without replacement, and synthetic ones by "
    "their law.",
)
OF_DATA = {
    "gowalla": "Gowalla: a part of its users. A user's item is the cell with the most of its "
    "check-ins; in a tie, it is the one of these cells with the lowest number.",
    "census": "Census-Income: a user's item is an interval of 100 cents of the wage per hour; "
    "intervals with less than 1 % of the users with a wage are left out.",
}


def titles(table: Table) -> dict[str, str]:
    """The titles of the populations. A title says if made-up people stand in for real ones."""
    made_up = STAND_IN if table.synthetic else ()
    return {
        name: f"{title}: synthetic stand-in" if name in made_up else title
        for name, title in TITLES.items()
    }


def notes_on_data(table: Table) -> list[str]:
    """Return a list with one note on what we chose about the real data sets of a table. The list is
    empty for made-up people, and for a table without these data sets.
    """
    shown = (
        [] if table.synthetic else [OF_DATA.get(name, "") for name in table.values("population")]
    )
    return [" ".join(filter(None, shown))] if any(shown) else []


def drawn(population: str, users: int, data: Path | None, seed: int) -> ItemPopulation:
    """Draw `users` people of the named population.

    Raises `BadInput` for an unknown name, or for data that do not fit.
    """
    if population in ("synthetic", "uniform"):
        return uniform_items(users, SYNTHETIC_ITEMS, seed)
    if population == "normal":
        return _normal(users, seed)
    if population not in STAND_IN:
        raise BadInput(f"population is one of {', '.join(TITLES)}, got {population!r}")
    if data is None:
        people = uniform_items(users, STAND_IN[population], seed)
        return attrs.evolve(people, source=f"synthetic, uniform, in place of {TITLES[population]}")
    return (_gowalla if population == "gowalla" else _census)(data).sample(users, seed)


def drawn_with_least(
    population: str, users: int, data: Path | None, seed: int, beta: float
) -> ItemPopulation:
    """Draw `users` people of the named population, of whom at least β n hold each item.

    Raises `BadInput` for an unknown name, if the data have too few users or too few holders of an
    item, and if β n holders of every item are more than n users.
    """
    made_up = drawn(population, users, None, seed)
    items, least = len(made_up.labels), ceil(beta * users - 1e-9)
    if items * least > users:
        raise BadInput(
            f"with β = {beta} each of the {items} items has at least {least} of {users} users, "
            f"which would be {items * least} users"
        )
    if data is None or population not in STAND_IN:
        forced = np.repeat(np.arange(1, items + 1), least)
        held = np.concatenate([forced, made_up.inputs[: users - len(forced)]])
        return attrs.evolve(made_up, items=held, source=f"{made_up.source}, {least} of each item")
    everybody = (_gowalla if population == "gowalla" else _census)(data)
    if users > (rows := len(everybody.inputs)):
        raise BadInput(f"up to {rows} users can be drawn from {everybody.source}, got {users}")
    coins, chosen = SampledCoins(seed, "holders"), np.zeros(len(everybody.inputs), dtype=bool)
    for item, label in enumerate(everybody.labels, start=1):
        holders = np.flatnonzero(everybody.inputs == item)
        if len(holders) < least:
            raise BadInput(
                f"item {label} has {count_of(len(holders), 'holder')} in the data, and {least} are "
                "needed: take a smaller β or fewer users"
            )
        chosen[holders[coins.subset(least, len(holders)).plain]] = True
    others = np.flatnonzero(~chosen)
    wanted = users - int(chosen.sum())
    chosen[others[coins.subset(wanted, len(others)).plain]] = True
    source = f"{users} rows of {everybody.source}, {least} of each item at least"
    return attrs.evolve(everybody, items=everybody.inputs[chosen], source=source)


def _normal(users: int, seed: int) -> ItemPopulation:
    values = normal_numbers(users, -NORMAL_RANGE, NORMAL_RANGE, seed)
    places = np.floor((values.inputs + NORMAL_RANGE) / (2 * NORMAL_RANGE) * SYNTHETIC_ITEMS).astype(
        np.int64
    )
    items = (
        np.minimum(places, SYNTHETIC_ITEMS - 1) + 1
    )  # the upper end of the range belongs to the last interval
    labels = tuple(str(item) for item in range(1, SYNTHETIC_ITEMS + 1))
    return ItemPopulation(items, labels, f"{values.source}, in {SYNTHETIC_ITEMS} equal intervals")


@remembered
def _gowalla(data: Path) -> ItemPopulation:
    cells = whole_numbers(read_column(data / GOWALLA, "cell"), 0, len(CELLS) - 1)
    return _population([str(cell) for cell in cells], CELLS, f"column 'cell' of {GOWALLA}")


@remembered
def _census(data: Path) -> ItemPopulation:
    wages = whole_numbers(read_column(data / CENSUS, INCOME))
    bins = [wage // WIDTH for wage in wages if wage > 0]
    counts = Counter(bins)
    kept = sorted(one for one, count in counts.items() if count >= LEAST_SHARE * len(bins))
    labels = [f"{one * WIDTH}-{(one + 1) * WIDTH - 1}" for one in kept]
    held = [labels[kept.index(one)] for one in bins if one in set(kept)]
    return _population(held, labels, f"column {INCOME!r} of {CENSUS}, in intervals of {WIDTH}")


def _population(held: Sequence[str], labels: Sequence[str], source: str) -> ItemPopulation:
    place = {label: item for item, label in enumerate(labels, start=1)}
    return ItemPopulation(
        np.array([place[one] for one in held], dtype=np.int64), tuple(labels), source
    )
