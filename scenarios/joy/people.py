"""The owners whom the experiments of Joy and Gerla (section 5.1) ask, and our choices where the
text is open.

Gowalla: the check-ins at the four most visited locations of New York City, among a million
check-ins. Breast cancer: the patients of a group, by age or size of the tumour, alone or among
10,000 owners. Without a folder of data, made-up counts stand in for both.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from pathlib import Path

from simnet.errors import BadInput
from simnet.scenario.columns import read_column, whole_numbers
from simnet.studies.remembered import remembered

GOWALLA, CANCER = "gowalla_nyc_locations.csv.gz", "breast_cancer_ljubljana.csv"
CHECKINS, LOCATIONS = 1_000_000, 4
PATIENTS, ENLARGED = 286, 10_000
CHOICES = (
    "We take the paper's error bars as 95 % bounds: 1.96 standard deviations of the estimated "
    "number of owners who hold the value, to each side of the true number. A trial measures this "
    "bound as 1.96 times the root mean square of the errors of 100 collections.",
    (
        'The faces of the die besides "sampled", for which the paper has no probabilities, are '
        "equally likely. The error does not depend on their probabilities."
    ),
)
AGES = tuple(f"{low}-{low + 9}" for low in range(10, 100, 10))
TUMOR_SIZES = tuple(f"{low}-{low + 4}" for low in range(0, 60, 5))
GROUPS: Mapping[str, Sequence[str]] = {"age": AGES, "tumor_size": TUMOR_SIZES}


@remembered
def at_locations(data: Path | None) -> tuple[dict[str, int], str]:
    """Return the check-ins at the four most visited locations, by rank from 1, and their source.

    Raises `BadInput` for a file that cannot be used.
    """
    if data is None:
        counts = [2000 // rank for rank in range(1, LOCATIONS + 1)]
        source = "synthetic, 2,000 divided by the rank"
    else:
        column = read_column(data / GOWALLA, "checkins")
        counts = sorted(whole_numbers(column), reverse=True)[:LOCATIONS]
        source = f"column 'checkins' of {GOWALLA}"
    return {str(rank): count for rank, count in enumerate(counts, 1)}, source


@remembered
def patients(group: str, data: Path | None) -> tuple[dict[str, int], str]:
    """Return the number of patients of each group, by `age` or `tumor_size`, and their source.

    Raises `BadInput` for an unknown grouping, or a file that does not fit.
    """
    if group not in GROUPS:
        raise BadInput(f"patients are grouped by {' or '.join(GROUPS)}, got {group!r}")
    labels = GROUPS[group]
    if data is None:
        shares = [
            sum(comb(len(labels) - 1, j) for j in range(k)) / 2 ** (len(labels) - 1)
            for k in range(len(labels))
        ]
        ends = [*(round(PATIENTS * share) for share in shares), PATIENTS]
        made_up = {label: ends[k + 1] - ends[k] for k, label in enumerate(labels)}
        return made_up, "synthetic, by a binomial law"
    counts = Counter(read_column(data / CANCER, group).values)
    strange = sorted(set(counts) - set(labels))
    if strange:
        raise BadInput(
            f"{CANCER} has {strange[0]!r} as {group}, which is none of {', '.join(labels)}"
        )
    return {label: counts[label] for label in labels}, f"column {group!r} of {CANCER}"
