"""The people of the experiments of Jia and Gong (section IV-A1), and our choices where the text is
open.

Every purchase or click counts as a user with one item. Retail is the whole data set. Of Kosarak
only the first sessions are among the data. Without a folder of data, made-up counts by Zipf's law,
of the same sizes, stand in for both. The population "all of kosarak" is made up in the same way,
with as many users and items as the whole of Kosarak.
"""

from pathlib import Path

import numpy as np

from protocols import checks
from simnet.arrays import Ints
from simnet.errors import BadInput
from simnet.scenario.columns import read_column, whole_numbers
from simnet.studies.data import NONE_NEEDED, ORIGINAL, partial
from simnet.studies.remembered import remembered
from simnet.studies.table import Table

RETAIL, KOSARAK = "retail_counts.csv.gz", "kosarak_first_sessions_counts.csv.gz"
FILES = {"retail": RETAIL, "kosarak": KOSARAK}
SIZES = {
    "retail": (908_576, 16_470),
    "kosarak": (294_009, 17_034),
    "all of kosarak": (8_019_015, 41_270),
}  # users, items
PARTIAL = partial("Kosarak's first sessions: 294,009 of 8,019,015 clicks, 3.7 %")
DATA = {"retail": ORIGINAL, "kosarak": PARTIAL, "all of kosarak": NONE_NEEDED}
TITLES = {
    "retail": "Retail",
    "kosarak": "Kosarak (first sessions)",
    "all of kosarak": "Zipf's law, Kosarak's size",
}
CHOICES = (
    ("With --data, Retail is the whole data set: 908,576 purchases of 16,470 products."),
    (
        "With --data, Kosarak is the first 36,682 of its 990,002 sessions: 294,009 clicks on "
        "17,034 pages, not 8,019,015 on 41,270."
    ),
    (
        "Every click or purchase is a user, as in the paper: ε protects one click or purchase, "
        "not one person."
    ),
)


def titles(table: Table) -> dict[str, str]:
    """The titles of Retail and Kosarak. A title says if made-up people stand in for real ones."""
    return {
        name: f"{title}: made-up people" if table.synthetic else title
        for name, title in TITLES.items()
        if name in FILES
    }


def zipf_benchmark(users: int, items: int) -> Ints:
    """Return counts in proportion to 1, 1/2, 1/3, ...; shape (N,).

    Counts are rounded down. The users who are then left over go to the first items, one to each.

    >>> zipf_benchmark(users=10, items=3)
    array([6, 3, 1])
    """
    checks.whole("items", items, 2)
    checks.whole("users", users, items)
    shares = 1 / np.arange(1, items + 1)
    counts: Ints = np.floor(users * shares / shares.sum()).astype(np.int64)
    counts[: users - int(counts.sum())] += 1
    return counts


@remembered
def holders(population: str, data: Path | None) -> tuple[Ints, str]:
    """Return how many users hold each item, shape (N,), and the source of these counts.

    Raises `BadInput` for an unknown population.
    """
    if population not in SIZES:
        raise BadInput(f"population is one of {', '.join(SIZES)}, got {population!r}")
    if data is None or population not in FILES:
        users, items = SIZES[population]
        return zipf_benchmark(
            users, items
        ), f"synthetic, {users:,} users on {items:,} items by Zipf's law"
    column = read_column(data / FILES[population], "count")
    return np.array(whole_numbers(column), dtype=np.int64), column.source
