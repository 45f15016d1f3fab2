"""Fig. 4 to 7 of Joy and Gerla: errors for groups of patients, alone and among 10,000 owners."""

from collections.abc import Iterator

from scenarios.joy.drawing import bounds
from scenarios.joy.expected import SAMPLINGS, crossover
from scenarios.joy.lower import lower_errors
from scenarios.joy.people import CANCER, CHOICES, ENLARGED, GROUPS, PATIENTS
from scenarios.joy.trials import BOUND, RESPONSE, SAMPLING, cancer, cost
from simnet.studies.data import ORIGINAL
from simnet.studies.experiment import Experiment, Product
from simnet.studies.paper_claim import PaperClaim
from simnet.studies.readings import counted
from simnet.studies.table import NoSuchPoint, Table

FIGURES = {("tumor_size", PATIENTS): 4, ("age", PATIENTS): 5}
FIGURES |= {("tumor_size", ENLARGED): 6, ("age", ENLARGED): 7}
IN_WORDS = {"age": "age", "tumor_size": "size of the tumour"}


def figure_of(number: int, by: str, owners: int) -> Experiment:
    """Return the experiment of one figure: patients grouped `by` age or tumor_size, among `owners`
    owners.
    """
    groups: Product = {"by": [by], "group": list(GROUPS[by]), "owners": [owners]}
    return Experiment(
        summary=(
            f"Errors of sampling and of randomised response, {owners:,} owners by {IN_WORDS[by]}"
        ),
        source=f"Joy and Gerla, Fig. {number}",
        trial=cancer,
        grid=[{**groups, **RESPONSE}, {**groups, **SAMPLING, "sampling": [SAMPLINGS[0]]}],
        measures=[BOUND],
        trials=10,
        quick={"group": list(GROUPS[by])[::3]},
        files=[CANCER],
        data=ORIGINAL,
        choices=(
            *CHOICES,
            "Each group has a collection of its own, with the answers yes and no. The paper has "
            "one mechanism for all groups by age or by size, whose errors have the same law.",
        ),
        claims=list(_claims(by, owners)),
        figure=lambda table: bounds(
            table,
            "group",
            {"age": "age, years", "tumor_size": "size of the tumour, mm"}[by],
            "patients",
            f"Patients with breast cancer by {IN_WORDS[by]}",
            "Each group has a collection of its own; the paper has one collection for all groups.",
        ),
        cost=cost,
    )


def _claims(by: str, owners: int) -> Iterator[PaperClaim]:
    figure, few = f"Fig. {FIGURES[by, owners]}", owners == PATIENTS
    least = PATIENTS / crossover(SAMPLINGS[0])  # holders from which on sampling errs more
    yield PaperClaim(
        f"{figure}, lower",
        f"section 5.1 and {figure}",
        f"Sampling Privacy has a significantly smaller error, for every group by {IN_WORDS[by]}, "
        f"{owners:,} owners",
        runs=lower_errors("group"),
        condition=f"It holds for groups of at most {least:.0f} of the 286 patients." if few else "",
        under=(lambda: 1.0) if few else None,
        why="The sentence stands in the paragraph on Gowalla." if few else "",
    )
    yield PaperClaim(
        f"{figure}, owners",
        f"section 5.1 and {figure}",
        f"The number of {'patients' if few else 'owners who are no patients'}, by {IN_WORDS[by]}",
        "286" if few else "9714",
        runs=lambda table: counted(_patients(table, by) if few else owners - _patients(table, by)),
    )


def _patients(table: Table, by: str) -> float:
    """The number of patients in all groups together.

    Raises `NoSuchPoint` if a group or the real data is missing.
    """
    held = {row["group"]: float(row["holders"]) for row in table.rows}
    if set(held) != set(GROUPS[by]) or table.synthetic:
        raise NoSuchPoint(f"the table lacks groups by {by}, or its patients are made up")
    return sum(held.values())


FIG4 = figure_of(4, "tumor_size", PATIENTS)
FIG5 = figure_of(5, "age", PATIENTS)
FIG6 = figure_of(6, "tumor_size", ENLARGED)
FIG7 = figure_of(7, "age", ENLARGED)
