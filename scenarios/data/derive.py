"""The rows of files for `--data`, made from the public originals.

Each public function takes the lines of the originals and returns rows of text, the first of which
is the header.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

Rows = list[list[str]]
Texts = Sequence[Iterable[str]]  # the lines of each original file

CENSUS = {
    0: "age",
    1: "class_of_worker",
    4: "education",
    5: "wage_per_hour",
    7: "marital_status",
    8: "major_industry",
    9: "major_occupation",
    10: "race",
    12: "sex",
    15: "employment_status",
    16: "capital_gains",
    17: "capital_losses",
    18: "dividends_from_stocks",
    19: "tax_filer_status",
    24: "instance_weight",
    30: "num_persons_worked_for_employer",
    35: "citizenship",
    36: "own_business_or_self_employed",
    38: "veterans_benefits",
    39: "weeks_worked",
    40: "year",
}
ADULT = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education_num",
    "marital_status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital_gain",
    "capital_loss",
    "hours_per_week",
    "native_country",
    "income",
    "split",
)
PATIENT = (
    "class",
    "age",
    "menopause",
    "tumor_size",
    "inv_nodes",
    "node_caps",
    "deg_malig",
    "breast",
    "breast_quad",
    "irradiat",
)
SESSIONS = 36_682  # the number of complete sessions in our part of Kosarak
SOUTH, WEST, SIDE, ACROSS, UP = (
    30.0,
    -100.0,
    5.0,
    4,
    3,
)  # the grid of Gowalla's cells: its corner and side in degrees, and its size in cells
FULL = 5000  # the three parts have the whole history of the users 0..4999


def census(texts: Texts) -> Rows:
    """Return the rows of Census-Income: 21 of its fields, and whether the income is above
    50,000.
    """
    rows = [[*CENSUS.values(), "income_over_50k"]]
    for line in texts[0]:
        fields = [field.strip() for field in line.split(",")]
        if len(fields) > max(CENSUS):
            rows.append([*(fields[place] for place in CENSUS), str(int(fields[41] == "50000+."))])
    return rows


def adult(texts: Texts) -> Rows:
    """Return the rows of Adult: the training part, then the test part."""
    rows = [list(ADULT)]
    for text, split in zip(texts, ("train", "test"), strict=True):
        for line in text:
            fields = [field.strip() for field in line.split(",")]
            if len(fields) == len(ADULT) - 1:
                rows.append([*fields[:-1], fields[-1].removesuffix("."), split])
    return rows


def item_counts(texts: Texts) -> Rows:
    """Return how often each item occurs in baskets, one basket a line.

    >>> item_counts([["1 2", "2 3"]])
    [['item', 'count'], ['1', '1'], ['2', '2'], ['3', '1']]
    """
    counts = Counter(int(item) for line in texts[0] for item in line.split())
    return [["item", "count"], *([str(item), str(count)] for item, count in sorted(counts.items()))]


def first_sessions(texts: Texts) -> Rows:
    """Return how often each item occurs in the first `SESSIONS` lines of the file."""
    return item_counts([list(texts[0])[:SESSIONS]])


def breast_cancer(texts: Texts) -> Rows:
    """Return the patients unchanged, under a header."""
    return [list(PATIENT), *(line.split(",") for line in texts[0] if line)]


def gowalla_cells(texts: Texts) -> Rows:
    """Return for each user the cell with the most check-ins, and the lowest such cell for a tie.

    Users without a check-in in the grid have no row. The column `history` says whether the parts
    have the whole history of the user (`full`) or not (`last30`). The texts are the places, the
    tuning part, the test part and the training part. The training part is used for the first `FULL`
    users only: it numbers the later users differently.
    """
    places, *parts = texts
    cells = {
        place: _cell(float(latitude), float(longitude))
        for place, latitude, longitude in map(str.split, places)
    }
    found: dict[int, Counter[int]] = {}
    for kind, part in enumerate(parts):
        for user, place, count in map(str.split, part):
            cell = cells.get(place)
            if cell is not None and (kind < 2 or int(user) < FULL):
                found.setdefault(int(user), Counter())[cell] += int(count)
    rows = [["user", "cell", "count", "history"]]
    for number, counts in sorted(found.items()):
        most = min(counts, key=lambda one: (-counts[one], one))
        rows.append(
            [str(number), str(most), str(counts[most]), "full" if number < FULL else "last30"]
        )
    return rows


def _cell(latitude: float, longitude: float) -> int | None:
    up, across = (latitude - SOUTH) // SIDE, (longitude - WEST) // SIDE
    return int(ACROSS * up + across) if 0 <= up < UP and 0 <= across < ACROSS else None
