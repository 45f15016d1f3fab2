"""The table of an experiment: one row for each trial, and estimates for each point of the grid.

A row has the parameters, `trial`, `seed`, the numbers that the trial returned, and perhaps
`people`, which says where the trial's people came from.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import inf, isnan, nan, sqrt
from pathlib import Path
from typing import Any

import attrs

from simnet.errors import BadInput
from simnet.files import whole_file, write_whole
from simnet.installed import extra_missing
from simnet.studies.data import NONE_NEEDED, Data
from simnet.studies.typeset import csv_table

ALIKE = 5  # so many equal numbers have an interval, which is the number itself
CONFIDENCE = 0.999  # the probability that all intervals of a table contain their expected values
TrialRow = Mapping[str, Any]


@attrs.frozen
class Measure:
    """A number that trials return, and that an experiment shows.

    - `name` is the name under which a trial returns the number, and `what` describes the number in
      words.
    - `expected` and `deviation` are the names under which a trial returns the number's expected
      value and its standard deviation in one trial; a value that is not known is NaN. If both are
      known and above 0, the number is taken to have a gamma law.
    - `exact` says that the number does not depend on coins.

    >>> Measure("mse", what="mean squared error").words
    'mean squared error'
    """

    name: str
    what: str = ""
    expected: str | None = None
    deviation: str | None = None
    exact: bool = False

    @property
    def words(self) -> str:
        """The measure in words."""
        return self.what or self.name


# Of runs in which parties drop out: 1 for a run with a result, 0 for an aborted run.
COMPLETED = Measure("completed", "share of completed runs")


@attrs.frozen
class Estimate:
    """A measure at a point of the grid: its mean, an interval, and its expected value.

    `spread` is the standard deviation of one trial, relative to the expected value if a law gives
    the deviation, and relative to the mean otherwise. `spread` is NaN, and the interval is
    unbounded, if no deviation is known and the trials do not show it: for a single random trial, or
    for a few trials with equal numbers. The share of completed runs always has an interval.
    """

    mean: float
    low: float
    high: float
    expected: float | None
    spread: float
    trials: int
    exact: bool = False

    def scaled(self, factor: float) -> "Estimate":
        """Return the estimate of the measure times a positive factor."""
        expected = None if self.expected is None else self.expected * factor
        return attrs.evolve(
            self,
            mean=self.mean * factor,
            low=self.low * factor,
            high=self.high * factor,
            expected=expected,
        )

    @property
    def holds(self) -> bool:
        """Whether the interval contains the expected value; true if the expected value is
        unknown.
        """
        # Two ways to compute an exact number may give different last digits.
        slack = 1e-9 * abs(self.mean)
        return self.expected is None or self.low - slack <= self.expected <= self.high + slack


class NoSuchPoint(LookupError):
    """A table does not have what is asked for, such as a trial at a point.

    A function that reads a number from the table, such as the `runs` of a claim, may raise this
    error: the claim then has no measured number.
    """


@attrs.frozen(eq=False)
class Table:
    """The trials of an experiment in the order of its grid.

    `axes` are the experiment's parameters, `data` says where its people come from, and `words`
    has the thresholds of words such as "slightly".
    """

    rows: Sequence[TrialRow]
    axes: Sequence[str]
    measures: Sequence[Measure]
    synthetic: bool = False  # whether people were made up although the experiment can read data
    exact: bool = False  # whether trials toss no coins
    data: Data = NONE_NEEDED
    words: Mapping[str, float] = attrs.field(factory=dict)

    def word(self, name: str) -> float:
        """Return the threshold of a word that the paper gives no number for.

        Raises `KeyError` if the experiment has no such word.
        """
        return self.words[name]

    def where(self, **fixed: Any) -> "Table":
        """Return the rows with these parameters; None asks for rows without the parameter.

        Raises `BadInput` for a parameter that is no axis and occurs in no row.
        """
        self._refuse_unknown(fixed)
        kept = [
            row for row in self.rows if all(row.get(name) == value for name, value in fixed.items())
        ]
        return attrs.evolve(self, rows=kept)

    def values(self, axis: str) -> list[Any]:
        """Return the values of a parameter that occur, in order of occurrence.

        Raises `BadInput` for a parameter that is no axis and occurs in no row.
        """
        self._refuse_unknown([axis])
        return list(dict.fromkeys(row[axis] for row in self.rows if row.get(axis) is not None))

    def _refuse_unknown(self, names: Iterable[str]) -> None:
        for name in names:
            if self.rows and name not in self.axes and not any(name in row for row in self.rows):
                raise BadInput(f"this table has no parameter {name!r}: {', '.join(self.axes)}")

    def points(self) -> dict[tuple[Any, ...], "Table"]:
        """Return the rows of each point of the grid, by the values of its axes."""
        found: dict[tuple[Any, ...], list[TrialRow]] = {}
        for row in self.rows:
            found.setdefault(tuple(row.get(axis) for axis in self.axes), []).append(row)
        return {point: attrs.evolve(self, rows=rows) for point, rows in found.items()}

    def at(self, measure: str | Measure, **fixed: Any) -> Estimate:
        """Return the estimate of a measure at one point.

        `measure` is a measure, the name of a measure of the table, or the name of any number that
        the trials returned. Trials without this number, such as aborted runs, do not count.

        Raises `NoSuchPoint` if no row fits, or if the rows of several points fit.
        """
        found, name = self.where(**fixed), measure if isinstance(measure, str) else measure.name
        rows = [row for row in found.rows if name in row]  # aborted runs have no numbers
        points = attrs.evolve(found, rows=rows).points()
        if len(points) != 1:
            place = ", ".join(f"{axis} = {value}" for axis, value in fixed.items()) or "any place"
            were = f"{len(points)} points, not one," if points else "no point"
            raise NoSuchPoint(f"{were} with {name!r} at {place} {'were' if points else 'was'} run")
        if isinstance(measure, str):
            measure = next((one for one in self.shown_measures if one.name == name), Measure(name))
        return estimated(rows, measure, 1 - CONFIDENCE, self.exact)

    @property
    def shown_measures(self) -> Sequence[Measure]:
        """The measures; also the share of completed runs, if some runs were aborted."""
        has_aborted = any(COMPLETED.name in row for row in self.rows)
        return (*self.measures, COMPLETED) if has_aborted else self.measures

    def summary(self, alone: float | None = None) -> list[dict[str, Any]]:
        """Return a row for each point and measured number, with mean, interval and expected value.

        All intervals together have the confidence `CONFIDENCE`, by Bonferroni's inequality. With
        `alone`, each interval has this confidence by itself.
        """
        points, measures = self.points(), self.shown_measures
        pairs = [
            (point, measure, [row for row in part.rows if measure.name in row])
            for point, part in points.items()
            for measure in measures
        ]
        measured = [(point, measure, rows) for point, measure, rows in pairs if rows]
        error = (1 - CONFIDENCE) / max(len(measured), 1) if alone is None else 1 - alone
        lines = []
        for point, measure, rows in measured:
            found = estimated(rows, measure, error, self.exact)
            lines.append(
                {
                    **{
                        axis: value
                        for axis, value in zip(self.axes, point, strict=True)
                        if value is not None
                    },
                    "measure": measure.name,
                    "mean": found.mean,
                    "low": found.low,
                    "high": found.high,
                    "expected": found.expected,
                    "holds": found.holds,
                    "trials": found.trials,
                    "people": " and ".join(sorted({str(row.get("people", "")) for row in rows})),
                }
            )
        return lines


def estimated(
    rows: Sequence[TrialRow], measure: Measure, error: float, exact: bool = False
) -> Estimate:
    """Return the mean of a measure over trials, with an interval of confidence 1 - `error`.

    If the relative standard deviation of one trial is known, the interval follows from a gamma law
    with this deviation. The interval of the share of completed runs is that of Clopper and Pearson.
    Otherwise it is Student's interval, which has no bounds if there is one trial, or if there are
    fewer than `ALIKE` trials and all agree. For `exact` trials the ends of the interval are the
    smallest and the largest value.
    """
    values = [float(row[measure.name]) for row in rows]
    mean, count = sum(values) / len(values), len(values)
    expected = (
        None
        if measure.expected is None
        else sum(float(row[measure.expected]) for row in rows) / count
    )
    if expected is not None and isnan(expected):  # the law of some errors is not known
        expected = None
    if exact or measure.exact:
        # Rounding may move the mean of equal numbers away from these numbers.
        low, high = min(values), max(values)
        return Estimate(min(max(mean, low), high), low, high, expected, 0.0, count, exact=True)
    if measure == COMPLETED:
        from simnet.scenario.verify import clopper_pearson  # imported only here: it loads slowly

        low, high = clopper_pearson(round(sum(values)), count, error)
        return Estimate(mean, low, high, expected, sqrt((1 - mean) / mean) if mean else 0.0, count)
    if measure.deviation is not None:
        scale = sqrt(sum(_square(float(row[measure.deviation])) for row in rows) / count)
        # A deviation without an expected value above 0 says nothing about the relative deviation.
        if scale == 0 or (not isnan(scale) and expected is not None and expected > 0):
            spread = scale / expected if expected else 0.0
            low, high = gamma_interval(mean, spread, count, error)
            return Estimate(mean, low, high, expected, spread, count)
    if count == 1:
        return Estimate(mean, -inf, inf, expected, nan, count)
    deviation = sqrt(sum(_square(value - mean) for value in values) / (count - 1))
    if not deviation and count < ALIKE:  # a few numbers may be equal by chance, which says little
        return Estimate(mean, -inf, inf, expected, nan, count)
    margin = student(count, error) * deviation / sqrt(count) if deviation else 0.0
    return Estimate(
        mean, mean - margin, mean + margin, expected, deviation / abs(mean) if mean else 0.0, count
    )


def gamma_interval(mean: float, spread: float, count: int, error: float) -> tuple[float, float]:
    """Return a confidence interval for the mean of positive numbers with known relative deviation.

    The interval is computed from the mean of `count` numbers. The sum of the numbers is taken to
    have a gamma law with shape count / spread².
    """
    from scipy.special import gammaincinv  # imported only here: scipy loads slowly

    if not _square(spread):
        return mean, mean
    shape = count / _square(spread)
    least, most = float(gammaincinv(shape, error / 2)), float(gammaincinv(shape, 1 - error / 2))
    if not most:  # the spread is so large that nothing is known
        return 0.0, inf
    return mean * shape / most, mean * shape / least if least else inf


def _square(value: float) -> float:
    """Return the square of a number; infinity where `value**2` raises OverflowError."""
    return value * value


def student(count: int, error: float) -> float:
    """Return Student's quantile for the mean of `count` numbers, exceeded on either side with
    probability `error` in all.
    """
    from scipy.special import stdtrit  # imported only here: scipy loads slowly

    return float(stdtrit(count - 1, 1 - error / 2))


def columns(rows: Sequence[TrialRow]) -> list[str]:
    """Return the names that occur in some row, in order of occurrence."""
    return list(dict.fromkeys(name for row in rows for name in row))


def write_csv(rows: Sequence[TrialRow], path: Path) -> None:
    """Write rows as CSV. If a row has no value in a column, its cell is empty. Only
    its owner may read a new file, which may hold seeds.

    Raises `BadInput` when the file cannot be written.
    """
    write_whole(path, csv_table(columns(rows), rows), private=True)


def has_pyarrow() -> bool:
    """Return whether pyarrow is installed, which writes tables as Parquet."""
    try:
        import pyarrow.parquet  # noqa: F401  # only here: an extra, and slow to load
    except ImportError:
        return False
    return True


def refuse_without_pyarrow() -> None:
    """Raise `BadInput` if pyarrow is missing; the message says what to install."""
    if not has_pyarrow():
        raise BadInput(extra_missing("writing Parquet", "pyarrow", "data"))


def write_parquet(rows: Sequence[TrialRow], path: Path) -> None:
    """Write rows as Parquet. Only its owner may read a new file, which may hold seeds.

    Raises `BadInput` if pyarrow is missing or the file cannot be written.
    """
    refuse_without_pyarrow()
    import pyarrow
    import pyarrow.parquet

    try:
        table = pyarrow.table(
            {name: _column([row.get(name) for row in rows]) for name in columns(rows)}
        )
        with whole_file(path, private=True) as file:
            pyarrow.parquet.write_table(table, file)
    except (pyarrow.ArrowException, OverflowError, UnicodeError) as error:
        raise BadInput(
            f"{path} cannot be written as Parquet: {' '.join(str(error).split())}"
        ) from error


def _column(values: list[Any]) -> list[Any]:
    """Return the values of a column as values of one type. Whole numbers mixed with fractions
    become floats. Anything mixed with text becomes text.
    """
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2:
        return values
    kind = float if kinds <= {int, float, bool} else str
    return [None if value is None else kind(value) for value in values]
