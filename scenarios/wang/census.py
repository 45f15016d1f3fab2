"""Two census extracts as learning problems, in place of the censuses of Brazil and Mexico.

The paper's extracts may not be passed on. Both files here come from the UCI Machine Learning
Repository (Becker and Kohavi, Adult; Lane and Kohavi, Census-Income). As in Wang et al.,
*Collecting and Analyzing Multidimensional Data with Local Differential Privacy*, section VI, an
income above a threshold is a class. Labels are -1 and +1, where the paper has 0 and 1. The files
have no income in numbers, so the linear regression learns the hours or weeks of work.
"""

from pathlib import Path

import attrs
import numpy as np

from protocols.ldp_sgd.features import encoded, with_constant
from protocols.ldp_sgd.losses import HINGE, LOGISTIC, SQUARED
from protocols.ldp_sgd.task import Task
from simnet.scenario.columns import read_columns
from simnet.scenario.from_columns import table_of_columns
from simnet.scenario.schema import Numeric


@attrs.frozen
class Census:
    """The columns of a file: which are features, and which are learnt."""

    numeric: tuple[Numeric, ...]  # with the ranges that the descriptions of the files give
    categorical: tuple[str, ...]
    income: str
    high_income: str  # the value that makes the class +1
    work: str  # the column that linear regression learns

    def tasks(self, path: Path) -> list[Task]:
        """Return three tasks: logistic regression and SVM of the income, and linear regression of
        the work.

        The last feature is a constant 1. The values of a category are those that occur in the file,
        in order.

        Raises `BadInput` for a file that cannot be read, and for a number outside its declared
        range.
        """
        numbers = [one.name for one in self.numeric]
        *columns, income = read_columns(path, [*numbers, *self.categorical, self.income])
        table = table_of_columns(
            {one.name: one for one in columns}, self.numeric, dict.fromkeys(self.categorical)
        )
        features = with_constant(encoded(table.inputs, table.schema))
        rich = np.where(np.array(income.values) == self.high_income, 1.0, -1.0)
        work = numbers.index(self.work)
        return [
            Task("logistic regression", LOGISTIC, features, rich),
            Task("SVM", HINGE, features, rich),
            Task(
                "linear regression", SQUARED, np.delete(features, work, axis=1), features[:, work]
            ),
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
    income="income",
    high_income=">50K",
    work="hours_per_week",
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
    income="income_over_50k",
    high_income="1",
    work="weeks_worked",
)
