"""Census extracts as learning problems: stand-ins for the censuses of Brazil and Mexico, which may not be passed on.

Both are of the UCI Machine Learning Repository (Becker and Kohavi, Adult; Lane and Kohavi, Census-Income). As Wang et
al., *Collecting and Analyzing Multidimensional Data with Local Differential Privacy*, Section VI, do, incomes above a
threshold are a class; labels are -1 and +1, where the paper has 0 and 1. The files hold no income in numbers: what is
regressed on are hours or weeks of work.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs
import numpy as np

from protocols.learning.features import Category, Feature, Floats, Numeric, encoded, with_constant
from protocols.learning.losses import HINGE, LOGISTIC, SQUARED
from protocols.learning.task import Task
from protocols.local.ranges import Range
from simnet.study.columns import read_columns


@attrs.frozen
class Census:
    """Which columns of a file are features, and which are learnt."""

    numbers: Mapping[str, Range]  # ranges by the files' descriptions
    categories: tuple[str, ...]
    income: str
    high_income: str  # the value that is the class +1
    work: str  # the number that is regressed on

    def tasks(self, path: Path) -> list[Task]:
        """Logistic regression and SVM of the income, linear regression of the work; features end with a constant 1.

        Values of categories are those that occur, in order: those of the code book. Raises `BadInput` for a file that
        cannot be read, `ValueError` for a number out of its declared range.
        """
        names = [*self.numbers, *self.categories, self.income]
        table = {column.name: column.values for column in read_columns(path, names)}
        features = {name: Numeric(name, range_) for name, range_ in self.numbers.items()}
        others = [Category(name, tuple(sorted(set(table[name])))) for name in self.categories]
        rich = np.where(np.array(table[self.income]) == self.high_income, 1.0, -1.0)
        work = features[self.work].encoded(table[self.work])[:, 0]
        every = _rows(table, [*features.values(), *others])
        but_work = _rows(table, [*(one for name, one in features.items() if name != self.work), *others])
        return [
            Task("logistic regression", LOGISTIC, every, rich),
            Task("SVM", HINGE, every, rich),
            Task("linear regression", SQUARED, but_work, work),
        ]


def _rows(table: Mapping[str, Sequence[str]], features: Sequence[Feature]) -> Floats:
    return with_constant(encoded(table, features))


ADULT = Census(
    numbers={
        "age": Range(0, 90), "education_num": Range(1, 16), "capital_gain": Range(0, 99_999),
        "capital_loss": Range(0, 5000), "hours_per_week": Range(1, 99),
    },
    categories=(
        "workclass", "education", "marital_status", "occupation", "relationship", "race", "sex", "native_country",
    ),
    income="income", high_income=">50K", work="hours_per_week",
)  # fmt: skip
CENSUS_INCOME = Census(
    numbers={
        "age": Range(0, 90), "wage_per_hour": Range(0, 9999), "capital_gains": Range(0, 99_999),
        "capital_losses": Range(0, 5000), "dividends_from_stocks": Range(0, 99_999),
        "num_persons_worked_for_employer": Range(0, 6), "weeks_worked": Range(0, 52),
    },
    categories=(
        "class_of_worker", "education", "marital_status", "major_industry", "major_occupation", "race", "sex",
        "employment_status", "tax_filer_status", "citizenship",
    ),
    income="income_over_50k", high_income="1", work="weeks_worked",
)  # fmt: skip
