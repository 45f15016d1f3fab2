"""Two census extracts as learning problems, in place of the censuses of Brazil and Mexico.

The paper's extracts may not be passed on. Adult and Census-Income come from the UCI Machine
Learning Repository (Becker and Kohavi, Adult; Lane and Kohavi, Census-Income). The paper learns
"total income", a number: linear regression learns the number itself, and the classifiers learn
whether it is above its mean (Wang et al., *Collecting and Analyzing Multidimensional Data with
Local Differential Privacy*, section VI-B). These files have no total income, so we learn another
number in the same way: the age (Adult), or the weeks of work (Census-Income). The class of income,
which the files do have, is not a feature. Labels of classes are -1 and +1, as in section V; section
VI-B has 0 and 1.
"""

from pathlib import Path

import attrs
import numpy as np

from protocols.ldp_sgd.features import encoded
from protocols.ldp_sgd.losses import HINGE, LOGISTIC, SQUARED
from protocols.ldp_sgd.task import Task
from simnet.scenario.columns import read_columns
from simnet.scenario.from_columns import table_of_columns
from simnet.scenario.schema import Numeric


@attrs.frozen
class Census:
    """The columns of a file that are used: numbers, categories, and which number is learnt."""

    numeric: tuple[Numeric, ...]  # with fixed ranges, which cover the files' values
    categorical: tuple[str, ...]
    target: str  # the number that is learnt

    def tasks(self, path: Path) -> list[Task]:
        """Return three tasks: logistic regression and SVM of whether the target is above its mean,
        and linear regression of the target.

        The other columns of the `Census` are features. The values of a categorical column
        are those that occur in the file.

        Raises `BadInput` for a file that cannot be read, for a missing column or value, and for a
        number outside its declared range.
        """
        names = [*(one.name for one in self.numeric), *self.categorical]
        columns = {one.name: one for one in read_columns(path, names, missing=())}
        table = table_of_columns(columns, self.numeric, dict.fromkeys(self.categorical))
        features, place = encoded(table.inputs, table.schema), names.index(self.target)
        target, others = features[:, place], np.delete(features, place, axis=1)
        above = np.where(target > target.mean(), 1.0, -1.0)
        return [
            Task("logistic regression", LOGISTIC, others, above),
            Task("SVM", HINGE, others, above),
            Task("linear regression", SQUARED, others, target),
        ]


ADULT = Census(
    numeric=(
        Numeric("age", 0, 90),
        Numeric("education_num", 1, 16),
        Numeric("capital_gain", 0, 99_999),
        Numeric("capital_loss", 0, 5000),
        Numeric("hours_per_week", 1, 99),
    ),
    categorical=(
        "workclass",
        "education",
        "marital_status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "native_country",
    ),
    target="age",
)
CENSUS_INCOME = Census(
    numeric=(
        Numeric("age", 0, 90),
        Numeric("wage_per_hour", 0, 9999),
        Numeric("capital_gains", 0, 99_999),
        Numeric("capital_losses", 0, 5000),
        Numeric("dividends_from_stocks", 0, 99_999),
        Numeric("num_persons_worked_for_employer", 0, 6),
        Numeric("weeks_worked", 0, 52),
    ),
    categorical=(
        "class_of_worker",
        "education",
        "marital_status",
        "major_industry",
        "major_occupation",
        "race",
        "sex",
        "employment_status",
        "tax_filer_status",
        "citizenship",
    ),
    target="weeks_worked",
)
