"""Fig. 4 to 7 of Joy and Gerla: errors for groups of patients, alone and among 10,000 owners."""

from collections.abc import Iterator

from scenarios.joy.drawing import bounds
from scenarios.joy.people import CANCER, CHOICES, ENLARGED, GROUPS, PATIENTS
from scenarios.joy.trials import BOUND, RESPONSE, SAMPLING, cancer, cost
from simnet.studies.experiment import Experiment, Product
from simnet.studies.quote import Quote
from simnet.studies.readings import counted
from simnet.studies.statements import always_less
from simnet.studies.table import NoSuchPoint, Table
from simnet.studies.verdict_table import ORIGINAL

SOURCE = "Joy and Gerla, section 5.1"
IN_WORDS = {"age": "age", "tumor_size": "size of the tumour"}


def figure_of(number: int, by: str, owners: int) -> Experiment:
    """Return the experiment of one figure: patients grouped `by` age or tumor_size, among `owners`
    owners.
    """
    groups: Product = {"by": [by], "group": list(GROUPS[by]), "owners": [owners]}
    title = f"Breast cancer: {owners:,} owners by {IN_WORDS[by]} (patients)"
    return Experiment(
        summary=(
            f"Errors of sampling and of randomised response, {owners:,} owners by {IN_WORDS[by]}"
        ),
        source=f"Joy and Gerla, Fig. {number}",
        trial=cancer,
        grid=[{**groups, **RESPONSE}, {**groups, **SAMPLING}],
        measures=[BOUND],
        trials=10,
        quick={"sampling": [0.45]},
        quick_trials=2,
        files=[CANCER],
        data=ORIGINAL,
        choices=(*CHOICES, "π_s = 0.25 besides the paper's 0.45"),
        quotes=list(_quotes(by, owners)),
        figure=lambda table: bounds(table, "group", "owners", {owners: title}),
        cost=cost,
    )


def _quotes(by: str, owners: int) -> Iterator[Quote]:
    if owners == ENLARGED:
        yield always_less(
            SOURCE,
            f"share of groups by {IN_WORDS[by]} where sampling errs less, 10,000 owners",
            lambda mechanism: mechanism == "sampling",
            "mechanism",
            ["group"],
            "for some group randomised response has the smaller error",
        )
        yield Quote(
            SOURCE,
            f"owners who are no patients, by {IN_WORDS[by]}",
            "9714",
            lambda table: counted(owners - _patients(table, by)),
        )
    else:
        yield Quote(
            SOURCE,
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
        raise NoSuchPoint(f"the table lacks groups by {by}, or patients")
    return sum(held.values())


FIG4 = figure_of(4, "tumor_size", PATIENTS)
FIG5 = figure_of(5, "age", PATIENTS)
FIG6 = figure_of(6, "tumor_size", ENLARGED)
FIG7 = figure_of(7, "age", ENLARGED)
