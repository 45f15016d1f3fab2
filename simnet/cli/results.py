"""`simnet results`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from simnet.cli.options import JsonFile, OutputFile, ParquetFile
from simnet.cli.tell import tell

if TYPE_CHECKING:
    from simnet.studies.store import StoredTrial

Where = Annotated[list[str] | None, Parameter(name="--where", negative=())]
SHOWN, WIDE = 40, 10  # the most rows and columns on a terminal; a file gets all rows and columns


def results(
    experiment: str | None = None,
    /,
    *,
    where: Where = None,
    all_versions: bool = False,
    mend: bool = False,
    store: Path | None = None,
    csv: OutputFile = None,
    parquet: ParquetFile = None,
    json: JsonFile = None,
) -> int:
    """Show and export the results in the store.

    Without `--all-versions`, the rows of an experiment are those of the version of code and data
    that was stored last. The rows of damaged lines are left out. The exit status is 1 when lines of
    the store are damaged and `--mend` is not given.

    For example:

    - `simnet results`
    - `simnet results fig2 --where epsilon=0.2 --csv fig2.csv`
    - `simnet results --mend`

    Parameters
    ----------
    experiment
        The name of an experiment. Without a name, the command shows a summary of the store or, with
        `--where`, `--csv` or `--parquet`, the rows of all experiments.
    where
        Keep only the rows with this value: `--where users=1000`. You can give this option several
        times.
    all_versions
        Show the rows of every version of code and data, with the digests of these versions.
    mend
        Check the store and take damaged lines out. A later sweep runs their trials again.
    store
        The file that keeps the results.
    csv
        Write the rows to this CSV file.
    parquet
        Write the rows to this Parquet file (needs pyarrow).
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.cli.grid import print_rows
    from simnet.cli.output import console, write_json
    from simnet.cli.studying import damage_in_words
    from simnet.errors import BadInput
    from simnet.studies.store import Store, default_store
    from simnet.studies.table import columns, write_csv, write_parquet

    path = store or default_store()
    if not path.is_file():
        raise BadInput(f"there is no store of results {path}: `simnet sweep` makes one")
    with Store(path, reading=not mend) as opened:
        kept = opened.kept(experiment)
        damaged = opened.damaged
    if damaged:
        tell(
            f"{damage_in_words(opened)}, and {'taken' if mend else 'left'} out: a sweep of "
            "their experiment runs the lost trials again"
        )
    elif mend:
        tell(f"no line of {path} is damaged")
    if experiment is not None and not kept:
        raise BadInput(
            f"{path} has no results of {experiment!r}: without a name, the command lists the "
            "experiments in the store"
        )
    trials = sorted(kept if all_versions else _latest(kept), key=_place)
    one_by_one = experiment or csv or parquet or where
    rows = _matching(trials, where) if one_by_one else _contents(trials)
    if csv is not None:
        write_csv(rows, csv)
    if parquet is not None:
        write_parquet(rows, parquet)
    write_json(rows, json)
    out = console(json)
    shown = rows if all_versions or experiment is None else _telling(rows)
    print_rows(shown[:SHOWN], out)
    left = len(rows) - SHOWN
    hidden = len(columns(rows)) - len(columns(shown))
    for what, count in (("row", left), ("column", hidden)):
        if count > 0:
            files = "--csv, --parquet or --json write" if one_by_one else "--json writes"
            out.print(f"and {count:,} more {what}{'' if count == 1 else 's'}: {files} them all")
    return 1 if damaged and not mend else 0


def _telling(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    from simnet.studies.experiment import OF_ABORTS
    from simnet.studies.table import columns

    left_out = ("seed", "code", "data", *OF_ABORTS)
    names = [name for name in columns(rows) if name not in left_out]
    if len(rows) > 1:
        names = [name for name in names if len({str(row.get(name)) for row in rows}) > 1]
    names = [*names[:WIDE], *OF_ABORTS]
    return [{name: row[name] for name in names if name in row} for row in rows]


def _latest(kept: list["StoredTrial"]) -> list["StoredTrial"]:
    last = {one.experiment: one.versions for one in kept}
    return [one for one in kept if one.versions == last[one.experiment]]


def _place(one: "StoredTrial") -> tuple[str, str, str, str, int]:
    job, versions = one.result.job, one.versions
    return one.experiment, versions.code, versions.data, job.parameters, job.trial


def _contents(kept: list["StoredTrial"]) -> list[dict[str, Any]]:
    found: dict[tuple[str, str, str], int] = {}
    for one in kept:
        key = (one.experiment, one.versions.code, one.versions.data)
        found[key] = found.get(key, 0) + 1
    return [
        {"experiment": name, "code": code, "data": data, "trials": count}
        for (name, code, data), count in found.items()
    ]


def _matching(kept: list["StoredTrial"], where: list[str] | None) -> list[dict[str, Any]]:
    from simnet.cli.options import settings_of
    from simnet.errors import BadInput
    from simnet.studies.report import row

    wanted = settings_of(where, "--where")
    rows = [
        {
            "experiment": one.experiment,
            **row(one.result),
            "code": one.versions.code,
            "data": one.versions.data,
        }
        for one in kept
    ]
    unknown = next((name for name in wanted if not any(name in row for row in rows)), None)
    if rows and unknown is not None:
        raise BadInput(
            f"no row has a column {unknown!r}: the columns are "
            f"{', '.join(dict.fromkeys(n for row in rows for n in row))}"
        )
    return [row for row in rows if all(_same(row.get(name), text) for name, text in wanted.items())]


def _same(value: Any, text: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return float(text) == value
        except ValueError:
            return False
    return str(value) == text
