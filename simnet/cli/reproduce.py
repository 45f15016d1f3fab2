"""`simnet reproduce`."""

import itertools
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import attrs
from cyclopts import Parameter

from simnet.cli.options import JsonFile, Words, settings_of
from simnet.cli.studying import StudyOptions
from simnet.cli.tell import tell
from simnet.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Future
    from typing import Any

    from rich.console import Console

    from simnet.studies.paper_claim import Judged
    from simnet.studies.report import Report
    from simnet.studies.store import Store
    from simnet.studies.sweep import Study
    from simnet.studies.table import Table


@Parameter(name="*")
@attrs.frozen
class JudgedOptions(StudyOptions):
    """The options of an experiment, with those that say how a paper's statements are judged."""

    words: Words = None
    (
        "Replace the threshold of a word of a paper: `--word slightly=0.2`. Without it "
        "our own thresholds stand."
    )

    def study(self, origin: str) -> "Study":
        """Return the experiment with this name or file, changed as the options say.

        Raises `BadInput` as `StudyOptions.study` does, and for a threshold that is no number.
        """
        study = super().study(origin)
        experiment = study.experiment.with_words(settings_of(self.words, "--word"))
        return attrs.evolve(study, experiment=experiment)


def reproduce(
    *names: str,
    how: JudgedOptions | None = None,
    out: Path = Path("reproduced"),
    json: JsonFile = None,
) -> int:
    """Reproduce the papers' figures and tables, and judge what the papers claim.

    The command runs the trials that the store lacks, and says first about how long they take. You
    can stop it at any time; the same command goes on where it stopped.

    The exit status is 1 when a trial fails, when a figure cannot be drawn, or when an expected
    value lies outside the interval of what was measured.

    For example:

    - `simnet reproduce fig2 --data DIR`
    - `simnet reproduce all --quick`

    Parameters
    ----------
    names
        The names (see `simnet list`) or files of experiments; `all` means all that have a name.
    how
        How the experiments are run.
    out
        The folder for the figures (PNG, SVG, PDF), the tables (CSV, Parquet, Markdown, LaTeX) and
        verdicts.md, which has the verdicts of all experiments in the folder. The command makes the
        folder if it does not exist.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from concurrent.futures import ThreadPoolExecutor

    from simnet.cli.output import console, write_json
    from simnet.cli.studying import run_study
    from simnet.files import make_folder
    from simnet.studies.find import names as all_experiments
    from simnet.studies.report import report

    if not names:
        raise BadInput(
            "name the experiments to reproduce (`simnet list` shows them), or write `all`"
        )
    how, screen, began = how or JudgedOptions(), console(json), time.monotonic()
    expanded = (all_experiments() if name == "all" else [name] for name in names)
    chosen = list(dict.fromkeys(itertools.chain.from_iterable(expanded)))
    studies = how.studies(chosen)
    _refuse_unknown_words(how, chosen)
    _refuse_unwritable(out, studies)
    reports, tallies = [], []
    files: list[Future[_Written]] = []
    # Files are written in a thread, while worker processes run the trials of the next experiment.
    with (
        how.open_store() as store,
        how.executor(studies) as (executor, slots),
        ThreadPoolExecutor(1) as writer,
    ):
        _announce(studies, store, slots, screen)
        for study in studies:
            tallies.append(run_study(study, store, executor, slots))
            reports.append(report(study, store))
            _print_report(reports[-1], screen)
            if files:
                files[-1].result()  # a folder that cannot be written ends the command here
            files.append(writer.submit(_write, reports[-1], out))
    written = [one.result() for one in files]
    listed = [
        {**one.as_json(), **tally.as_json(), "files": [str(path) for path in there.files]}
        for one, tally, there in zip(reports, tallies, written, strict=True)
    ]
    failed = (
        sum(tally.failed for tally in tallies)
        + sum(not one.holds for one in reports)
        + sum(not there.is_drawn for there in written)
    )
    make_folder(out)
    _write_verdicts(out)
    paths = [str(path) for there in written for path in there.files]
    screen.print(f"{files_in_words(paths)} in {out}, the results in {store.path}", soft_wrap=True)
    write_json(
        {"experiments": listed, "store": str(store.path), "seconds": time.monotonic() - began}, json
    )
    return 1 if failed else 0


class _Written(NamedTuple):
    files: "list[Path]"
    is_drawn: bool


def _write(reported: "Report", out: Path) -> _Written:
    """Write the files of a report. If the report has no trials, write nothing, so that the files of
    an earlier run stay unchanged.
    """
    from simnet.studies.report import Undrawn

    if not reported.table.rows:
        return _Written([], is_drawn=True)
    try:
        return _Written(reported.write(out), is_drawn=True)
    except Undrawn as error:  # the other experiments go on
        tell(str(error))
        return _Written(error.written, is_drawn=False)


def _refuse_unwritable(out: Path, studies: "Sequence[Study]") -> None:
    from simnet.files import refuse_unwritable
    from simnet.installed import extra_missing
    from simnet.scenario.figure import blank_figure
    from simnet.studies.table import has_pyarrow

    around = (out, *out.absolute().parents)
    there = next(folder for folder in around if folder.exists() or folder.is_symlink())
    if not there.is_dir():
        raise BadInput(f"{out} cannot be a folder of results: {there} is no folder")
    refuse_unwritable(there / "verdicts.md")
    if any(study.experiment.figure is not None for study in studies):
        blank_figure()
    if not has_pyarrow():
        tell(f"no table is written as Parquet: {extra_missing('that', 'pyarrow', 'data')}")


def _refuse_unknown_words(how: JudgedOptions, chosen: "Sequence[str]") -> None:
    from simnet.studies.find import find_experiment

    experiments = [find_experiment(origin)[1] for origin in chosen]
    words = sorted({word for one in experiments for word in one.words})
    for word in settings_of(how.words, "--word"):
        if word not in words:
            others = f"they have one for {', '.join(words)}" if words else "they have none at all"
            raise BadInput(f"these experiments have no threshold for the word {word!r}: {others}")


def _write_verdicts(out: Path) -> None:
    """Write verdicts.md: the tables of verdicts of all experiments in the folder."""
    from simnet.files import write_whole

    ending = "_verdicts.md"
    parts = [
        f"## {path.name.removesuffix(ending)}\n\n{path.read_text(encoding='utf-8')}"
        for path in sorted(out.glob(f"*{ending}"))
    ]
    write_whole(out / "verdicts.md", "\n".join(["# Verdicts\n", *parts]))


def files_in_words(paths: "Iterable[str]") -> str:
    """Return words for what a folder of results has: figures and tables, if there are any, and
    verdicts.md.

    >>> files_in_words(["out/error.csv", "out/error_points.md"])
    'the tables and verdicts.md are'
    """
    endings = {Path(path).suffix for path in paths}
    kinds = [
        kind for kind, ending in (("figures", ".png"), ("tables", ".csv")) if ending in endings
    ]
    return f"the {', '.join(kinds)} and verdicts.md are" if kinds else "verdicts.md is"


def _announce(studies: "Sequence[Study]", store: "Store", slots: int, screen: "Console") -> None:
    from simnet.studies.report import remaining

    total, missing = 0.0, 0
    for study in studies:
        trials, seconds = remaining(study, store)
        total, missing = total + seconds / slots, missing + trials
        screen.print(
            f"{study.name}: {study.experiment.summary} ({study.experiment.source}); "
            f"{counted(trials)} to run"
        )
    if missing:
        screen.print(f"this takes about {duration(total)}, with {counted(slots)} at once")
    screen.print()


def counted(trials: int) -> str:
    """Return a number of trials in words, such as `1 trial` or `1,200 trials`."""
    return f"{trials:,} trial{'' if trials == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in words, such as `75 s`, `12 min` or `2.5 h`."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _print_report(reported: "Report", screen: "Console") -> None:
    from simnet.cli.grid import print_rows
    from simnet.studies.table import CONFIDENCE

    experiment = reported.study.experiment
    screen.print(f"{reported.study.name}: {experiment.summary} ({experiment.source})", style="bold")
    if reported.table.synthetic:
        screen.print(
            "The people are synthetic, not real data; --data DIR names a folder that has the data"
        )
    if experiment.choices:
        screen.print("What the experiment chooses by default:")
    for choice in experiment.choices:
        screen.print(f"- {choice}")
    screen.print(
        f"{counted(experiment.trials)} at each point; all intervals of the table together hold "
        f"with confidence {CONFIDENCE:.1%}"
    )
    print_rows(_lines(reported.table), screen)
    for judged in reported.verdicts:
        _print_verdict(judged, screen)
    screen.print()


def _lines(table: "Table") -> "list[dict[str, Any]]":
    from simnet.cli.grid import in_words
    from simnet.studies.report import interval_in_words

    lines = table.summary()
    names = [*table.axes, "measure"]
    shown = [
        name
        for name in names
        if len({line[name] for line in lines if line.get(name) is not None}) > 1
    ]
    return [
        {
            **{name: line.get(name) for name in shown},
            "mean": line["mean"],
            "interval": interval_in_words(line["low"], line["high"], 3),
            "expected": in_words(line["expected"]) + ("" if line["holds"] else " (outside)"),
        }
        for line in lines
    ]


def _print_verdict(judged: "Judged", screen: "Console") -> None:
    from rich.padding import Padding
    from rich.text import Text

    numbers = [
        f"{word} {text}"
        for word, text in (
            ("printed", judged.printed_in_words),
            ("exact", judged.exact_in_words),
            ("measured", judged.measured_in_words),
        )
        if text
    ]
    text = Text(f"{judged.claim.words}: {', '.join(numbers)}{': ' if numbers else ''}")
    screen.print(text.append(judged.in_words, "bold"))
    for note in (judged.found.judged_at and f"judged at: {judged.found.judged_at}", judged.why):
        if note:
            screen.print(Padding(Text(note), (0, 0, 0, 4)))
