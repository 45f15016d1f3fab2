"""Whom the experiments of Joy and Gerla (section 5.1) ask, and the choices that its text leaves
open.

Gowalla: the locations of New York City with the most check-ins, among a million. Breast cancer: the
patients of a group by age or size of the tumour, alone or among others who have none. Without a
folder of data, made-up counts stand in.
"""

from math import comb
from pathlib import Path

from scenarios.joy.figures import GROUPS, breast_cancer, gowalla
from simnet.studies.remembered import remembered

GOWALLA, CANCER = "gowalla_nyc_locations.csv.gz", "breast_cancer_ljubljana.csv"
CHECKINS, LOCATIONS = 1_000_000, 4
PATIENTS, ENLARGED = 286, 10_000
CHOICES = (
    "a bar is 1.96 standard deviations of the estimated number; it is measured as 1.96 "
    "times the root mean square of "
    "errors, over 100 collections a trial",
    "the background faces, which the paper does not give, are all alike; the error does not "
    "depend on them",
)


@remembered
def at_locations(data: Path | None) -> tuple[dict[str, int], str]:
    """Check-ins at the four largest locations by rank from 1, and where they come from."""
    if data is None:
        counts = [2000 // rank for rank in range(1, LOCATIONS + 1)]
        return {
            str(rank): count for rank, count in enumerate(counts, 1)
        }, "synthetic, as one to its rank"
    found = gowalla(data / GOWALLA, LOCATIONS, CHECKINS)
    return {
        str(rank): one.yes for rank, one in enumerate(found, 1)
    }, f"column 'checkins' of {GOWALLA}"


@remembered
def patients(group: str, data: Path | None) -> tuple[dict[str, int], str]:
    """Patients of each group, by `age` or `tumor_size`, and where they come from."""
    if data is None:
        labels = GROUPS[group]
        shares = [
            sum(comb(len(labels) - 1, j) for j in range(k)) / 2 ** (len(labels) - 1)
            for k in range(len(labels))
        ]
        ends = [*(round(PATIENTS * share) for share in shares), PATIENTS]
        return {
            label: ends[k + 1] - ends[k] for k, label in enumerate(labels)
        }, "synthetic, as coins fall"
    found = breast_cancer(data / CANCER, group)
    return {one.label: one.yes for one in found}, f"column {group!r} of {CANCER}"
