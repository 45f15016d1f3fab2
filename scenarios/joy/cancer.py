"""Fig. 4 to 7 of Joy and Gerla: errors for groups of patients, alone and among 10,000 owners."""

from collections.abc import Iterator

from scenarios.joy.drawing import bounds
from scenarios.joy.expected import SAMPLINGS, crossover
from scenarios.joy.lower import WORDS, lower_errors
from scenarios.joy.people import CANCER, CHOICES, ENLARGED, GROUPS, PATIENTS
from scenarios.joy.trials import BOUND, RESPONSE, SAMPLING, cancer, cost
from simnet.studies.experiment import Experiment, Product
from simnet.studies.quote import Quote
from simnet.studies.readings import counted
from simnet.studies.table import NoSuchPoint, Table
from simnet.studies.verdict_table import ORIGINAL

FIGURES = {("tumor_size", PATIENTS): 4, ("age", PATIENTS): 5}
FIGURES |= {("tumor_size", ENLARGED): 6, ("age", ENLARGED): 7}
SCOPE = (
    "The sentence stands in the paragraph on Gowalla. The paragraphs on the patients say only "
    "that the error of randomised response grows quickly when owners are added, and that the "
    "error of sampling does not."
)
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
        quick_trials=2,
        files=[CANCER],
        data=ORIGINAL,
        choices=(
            *CHOICES,
            "Each group has a collection of its own, with the answers yes and no. The paper has "
            "one mechanism for all groups by age or by size, whose errors have the same law.",
        ),
        words=WORDS,
        quotes=list(_quotes(by, owners)),
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


def _quotes(by: str, owners: int) -> Iterator[Quote]:
    source = f"Joy and Gerla, section 5.1 and Fig. {FIGURES[by, owners]}"
    yield from lower_errors(
        source,
        f"for every group by {IN_WORDS[by]}, {owners:,} owners",
        "group",
        f"With π_s = {SAMPLINGS[0]:g}, randomised response has the smaller error for groups of "
        f"more than {PATIENTS / crossover(SAMPLINGS[0]):.0f} of the 286 patients."
        if owners == PATIENTS
        else "For some group the error of sampling is not smaller by as much as the row asks.",
        scope="the sentence on a significantly lower error is about all data sets",
        disputed=SCOPE,
    )
    if owners == ENLARGED:
        yield Quote(
            source,
            f"owners who are no patients, by {IN_WORDS[by]}",
            "9714",
            lambda table: counted(owners - _patients(table, by)),
        )
    else:
        yield Quote(
            source,
            f"patients, by {IN_WORDS[by]}",
            "286",
            lambda table: counted(_patients(table, by)),
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
