"""`simnet reproduce`."""

import time
from pathlib import Path
from typing import TYPE_CHECKING

from simnet.cli.options import JsonFile
from simnet.cli.studying import Studying

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from rich.console import Console

    from simnet.study.quote import Verdict
    from simnet.study.report import Report
    from simnet.study.store import Store
    from simnet.study.sweep import Study
    from simnet.study.table import Table

SHOWN = ("mean", "low", "high", "expected", "holds", "trials")


def reproduce(
    *names: str,
    how: Studying | None = None,
    out: Path = Path("reproduced"),
    json: JsonFile = None,
) -> int:
    """Reproduce figures and tables of the papers: tables, figures, and a verdict on every number quoted.

    Runs what the store lacks, says beforehand how long that takes, and can be stopped and repeated at any time. Exit
    status 1 when a trial fails, or an expected value lies outside its interval.

    Examples: `simnet reproduce fig2 --data DIR`, `simnet reproduce all --quick`.

    Parameters
    ----------
    names
        Experiments by name (see `simnet list`) or file; `all` for all that are registered.
    how
        How they are run.
    out
        The folder for figures (PNG, SVG) and tables (CSV, Parquet).
    json
        Write JSON to this file; `-` for standard output.

    """
    from simnet.cli.output import console, write_json
    from simnet.cli.studying import run_study
    from simnet.errors import BadInput
    from simnet.study.find import EXPERIMENTS
    from simnet.study.find import names as registered
    from simnet.study.report import report

    if not names:
        raise BadInput("reproduce what? Experiments by name (`simnet list` shows them), or all")
    how, screen, began = how or Studying(), console(json), time.monotonic()
    chosen = list(registered(EXPERIMENTS)) if "all" in names else list(dict.fromkeys(names))
    studies = [how.study(name) for name in chosen]
    told, failed = [], 0
    with how.open_store() as store, how.executor(studies) as (executor, slots):
        _announce(studies, store, slots, screen)
        for study in studies:
            tally = run_study(study, store, executor, slots)
            found = report(study, store)
            files = found.write(out)
            _print_report(found, screen)
            told.append({**found.as_json(), **tally.as_json(), "files": [str(path) for path in files]})
            failed += tally.failed + (not found.holds)
    screen.print(f"figures and tables are in {out}, results in {store.path}", soft_wrap=True)
    write_json({"experiments": told, "store": str(store.path), "seconds": time.monotonic() - began}, json)
    return 1 if failed else 0


def _announce(studies: "Sequence[Study]", store: "Store", slots: int, screen: "Console") -> None:
    """How much there is to run, and about how long it takes."""
    from simnet.study.report import remaining

    total = 0.0
    for study in studies:
        trials, seconds = remaining(study, store)
        total += seconds / slots
        screen.print(f"{study.name}: {study.experiment.summary} ({study.experiment.source}); {trials:,} trials to run")
    screen.print(f"this takes about {duration(total)} with {slots} trials at once\n")


def duration(seconds: float) -> str:
    """A time in words."""
    if seconds < 90:
        return f"{max(round(seconds), 1)} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _print_report(found: "Report", screen: "Console") -> None:
    from simnet.cli.grid import print_rows

    experiment = found.study.experiment
    screen.print(f"{found.study.name}: {experiment.summary} ({experiment.source})", style="bold")
    if found.table.synthetic:
        screen.print("Synthetic people stand in for real data: --data DIR names a folder with the data")
    for choice in experiment.choices:
        screen.print(f"chosen: {choice}")
    print_rows(_lines(found.table), screen)
    if found.verdicts:
        print_verdicts(found.verdicts, screen)
    screen.print()


def _lines(table: "Table") -> "list[dict[str, Any]]":
    """The points with their measures, without the axes that have one value."""
    lines = table.summary()
    names = [*table.axes, "measure", *SHOWN]
    kept = [name for name in names if name in SHOWN or len({line.get(name) for line in lines}) > 1]
    return [
        {"low..high" if name == "low" else name: _cell(line, name) for name in kept if name != "high"} for line in lines
    ]


def _cell(line: "Mapping[str, Any]", name: str) -> "Any":
    return f"{line['low']:.3g}..{line['high']:.3g}" if name == "low" else line.get(name)


def print_verdicts(verdicts: "Sequence[Verdict]", screen: "Console") -> None:
    """For each quoted number what was found, and the correction, or why it cannot be reproduced."""
    from rich.padding import Padding
    from rich.text import Text

    from simnet.cli.grid import in_words

    for one in verdicts:
        sign = {"at least": "at least ", "at most": "at most ", "": ""}[one.bound]
        measured = "" if one.measured is None else f", measured {in_words(one.measured)}"
        interval = "" if one.low is None else f" ({in_words(one.low)}..{in_words(one.high)})"
        numbers = f"printed {sign}{in_words(one.printed)}, expected {in_words(one.expected)}{measured}{interval}: "
        screen.print(Text(f"{one.what}"))
        screen.print(Padding(Text(numbers).append(one.verdict, "bold"), (0, 0, 0, 4)))
        if one.note:
            screen.print(Padding(Text(one.note), (0, 0, 0, 4)))
