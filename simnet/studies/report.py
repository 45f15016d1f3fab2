"""The result of a study: its table and the verdicts on the claims, to show and to write."""

import json
from collections.abc import Sequence
from math import isinf
from pathlib import Path
from typing import Any

import attrs

from simnet import markup
from simnet.errors import BadInput
from simnet.files import make_folder, write_whole
from simnet.printable import count_of
from simnet.scenario.figure import blank_figure, write_figure
from simnet.studies.experiment import OF_ABORTS
from simnet.studies.page import claims_table
from simnet.studies.paper_claim import Judged
from simnet.studies.store import Result, Store
from simnet.studies.sweep import Study, SweepCounts
from simnet.studies.table import COMPLETED, Table, has_pyarrow, write_csv, write_parquet
from simnet.studies.typeset import latex_table, markdown_table

ROWS_SHOWN = 24  # of a table; a longer one is folded


class Undrawn(BadInput):
    """The tables of a report are written, but its figure cannot be drawn.

    `written` are the files of the tables.
    """

    def __init__(self, text: str, written: Sequence[Path]) -> None:
        super().__init__(text)
        self.written = list(written)


@attrs.frozen(eq=False, repr=False)
class Report:
    """The result of `reproduce`: an experiment's table, with a verdict on every claim.

    >>> from simnet import reproduce
    >>> report = reproduce("biswas_fig1", quick=True)
    >>> [one.verdict for one in report.verdicts]
    ['right']
    """

    study: Study
    table: Table
    verdicts: tuple[Judged, ...]
    counts: SweepCounts = attrs.field(factory=SweepCounts)  # the trials run for this report

    def plot(self) -> Any:
        """Return the experiment's matplotlib figure of the table.

        Raises `BadInput` for an experiment that has no figure, for a table without numbers (all
        runs may have been aborted), and if matplotlib is not installed.
        """
        draw = self.study.experiment.figure
        if draw is None or not self._has_numbers:
            lacking = "figure" if draw is None else "completed trial"
            raise BadInput(f"{self.study.name} has no {lacking} to draw")
        blank_figure()  # is matplotlib there?
        return draw(self.table)

    @property
    def _has_numbers(self) -> bool:
        return any(OF_ABORTS[0] not in row for row in self.table.rows)

    @property
    def _heading(self) -> str:
        experiment = self.study.experiment
        people = "; synthetic people" if self.table.synthetic else ""
        count = len(self.table.rows)
        trials = count_of(count, "trial")
        return f"{self.study.name}: {experiment.summary} ({experiment.source}); {trials}{people}"

    def __repr__(self) -> str:
        lines = [" ".join(cells) for cells in self._cells()[1]]
        ruled = [f"{one.claim.words}: {one.in_words}" for one in self.verdicts]
        return "\n".join([self._heading, *lines, *ruled])

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        lines = self.table.summary()
        names = [
            name
            for name in (*self.table.axes, "measure")
            if len({line[name] for line in lines if line.get(name) is not None}) > 1
        ]
        rows = []
        for line in lines:
            expected = "" if line["expected"] is None else f"{line['expected']:.4g}"
            interval = interval_in_words(line["low"], line["high"], 3)
            point = ["" if line.get(name) is None else str(line[name]) for name in names]
            rows.append([*point, f"{line['mean']:.4g}", interval, expected])
        return [*names, "mean", "interval", "expected"], rows

    def _repr_html_(self) -> str:
        heads, rows = self._cells()
        shown = markup.table(heads, rows, numbers=[len(heads) - 3, len(heads) - 1])
        if len(rows) > ROWS_SHOWN:
            shown = markup.folded(f"{len(rows)} rows", shown)
        parts = [markup.paragraph(self._heading, bold=True), shown]
        if self.verdicts:
            judged = [
                [
                    one.claim.words,
                    one.printed_in_words,
                    one.exact_in_words,
                    one.measured_in_words,
                    one.in_words,
                ]
                for one in self.verdicts
            ]
            heads = ["claim", "printed", "exact", "measured", "verdict"]
            title = f"Verdicts on claims of the paper: {len(judged)}"
            parts.append(markup.folded(title, markup.table(heads, judged)))
        return "".join(parts)

    @property
    def holds(self) -> bool:
        """Whether every measured interval contains its expected value, in the table and in the
        verdicts.
        """
        return all(line["holds"] for line in self.table.summary()) and all(
            one.holds for one in self.verdicts
        )

    def as_json(self) -> dict[str, Any]:
        """Return the report for JSON."""
        experiment = self.study.experiment
        return {
            "experiment": self.study.name,
            "source": experiment.source,
            "synthetic": self.table.synthetic,
            "choices": list(experiment.choices),
            "rows": self.table.summary(),
            "verdicts": [one.as_json() for one in self.verdicts],
        }

    def write(self, folder: Path) -> list[Path]:
        """Write the figure (PNG, SVG and PDF), the trials (CSV and Parquet), the table of points
        (CSV, Markdown and LaTeX) and the verdicts (CSV and Markdown), and return the files.

        Without pyarrow no Parquet is written. An experiment without a figure, or without a
        completed trial, has no figure to write; without claims, it has no verdicts.

        Raises `BadInput` when the folder cannot be written, or when there is a figure and
        matplotlib is missing; and `Undrawn` when the tables are written and the figure cannot be
        drawn.
        """
        make_folder(folder)
        stem = str(folder / self.study.name)
        written = [Path(f"{stem}.csv"), Path(f"{stem}_points.csv")]
        write_csv(self.table.rows, written[0])
        write_csv(self.table.summary(), written[1])
        heads, cells = self._cells()
        for ending, typeset in (("md", markdown_table), ("tex", latex_table)):
            written.append(Path(f"{stem}_points.{ending}"))
            write_whole(written[-1], typeset(heads, cells) + "\n")
        if has_pyarrow():
            written.append(Path(f"{stem}.parquet"))
            write_parquet(self.table.rows, written[-1])
        if self.verdicts:
            written.append(Path(f"{stem}_verdicts.csv"))
            write_csv([one.as_json() for one in self.verdicts], written[-1])
            written.append(Path(f"{stem}_verdicts.md"))
            write_whole(written[-1], claims_table(self.verdicts) + "\n")
        return written + self._draw(stem, written)

    def _draw(self, stem: str, tables: Sequence[Path]) -> list[Path]:
        draw = self.study.experiment.figure
        if draw is None or not self._has_numbers:
            return []
        blank_figure()  # is matplotlib there?
        written = [Path(f"{stem}.{form}") for form in ("png", "svg", "pdf")]
        undrawn = f"the tables of {self.study.name} are written, but its figure cannot be drawn: "
        try:
            figure = draw(self.table)
        except BadInput as error:
            raise Undrawn(f"{undrawn}{error}", tables) from error
        # The experiment's own function may raise any error.
        except Exception as error:
            raise Undrawn(f"{undrawn}{type(error).__name__}: {error}", tables) from error
        try:
            figure.draw_without_rendering()  # lays out the figure, once for all formats
            figure.set_layout_engine("none")
            for path in written:
                write_figure(figure, path)
        except BadInput:
            raise
        # Numbers may have any size, which matplotlib notices only when it draws.
        except Exception as error:
            raise Undrawn(f"{undrawn}{type(error).__name__}: {error}", tables) from error
        return written


def report(study: Study, store: Store) -> Report:
    """Return the report on a study. It uses those results in the store that belong to the present
    code and data.
    """
    table = table_of(study, store)
    return Report(study, table, tuple(claim.of_table(table) for claim in study.experiment.claims))


def table_of(study: Study, store: Store) -> Table:
    """Return the study's trials that the store has, in the order of the grid."""
    experiment = study.experiment
    found = {
        (one.result.job.parameters, one.result.job.trial): one.result
        for one in store.kept(study.name, study.versions)
    }
    wanted = [found.get((job.parameters, job.trial)) for job in experiment.jobs(study.name)]
    made_up = bool(experiment.files) and study.data is None
    return experiment.table(rows_of([one for one in wanted if one is not None]), made_up)


def rows_of(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return trials as rows. If runs were aborted, every row has `completed`, which is 0 or 1."""
    rows = [row(result) for result in results]
    if any(result.aborts for result in results):
        for line, result in zip(rows, results, strict=True):
            line[COMPLETED.name] = 0.0 if result.aborts else 1.0
    return rows


def row(result: Result) -> dict[str, Any]:
    """Return a trial as a row: its parameters, `trial`, `seed`, and its numbers. A trial whose run
    was aborted has the party, the round and the reason of the first abort in place of numbers.
    """
    job = result.job
    found = {**json.loads(job.parameters), "trial": job.trial, "seed": job.seed, **result.numbers}
    if result.aborts:
        first = result.aborts[0]
        found |= dict(zip(OF_ABORTS, (first.party, first.round, first.reason), strict=True))
    return found


def remaining(study: Study, store: Store) -> tuple[int, float]:
    """Return how many trials the store does not have, and about how many seconds they take on one
    core.
    """
    missing = store.lacks(study.name, study.versions, study.experiment.jobs(study.name))
    return len(missing), sum(study.experiment.cost(json.loads(job.parameters)) for job in missing)


def interval_in_words(low: float, high: float, digits: int) -> str:
    """Return an interval as text: `exact` if both ends are equal, `unknown` if it has no bounds."""
    if isinf(low) and isinf(high):
        return "unknown"
    return "exact" if low == high else f"{low:.{digits}g} to {high:.{digits}g}"
