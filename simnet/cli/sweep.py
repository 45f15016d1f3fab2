"""`simnet sweep`."""

import sys
from typing import TYPE_CHECKING

from simnet.cli.options import JsonFile
from simnet.cli.studying import StudyOptions

if TYPE_CHECKING:
    from simnet.studies.store import Store
    from simnet.studies.sweep import Study


def sweep(experiment: str, *, how: StudyOptions | None = None, json: JsonFile = None) -> int:
    """Run the trials of an experiment that the store lacks.

    You can stop the command at any time; the same command goes on where it stopped. The results do
    not depend on the number of workers or on the order of the trials. The exit status is 1 when a
    trial fails.

    For example:

    - `simnet sweep fig2 --set users=1000,10000 --trials 100`
    - `simnet sweep fig2 --cluster tcp://host:8786`

    Parameters
    ----------
    experiment
        The name of an experiment (see `simnet list`) or the path of its file.
    how
        How the experiment is run.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from simnet.cli.output import console, write_json
    from simnet.cli.reproduce import counted
    from simnet.cli.studying import run_study

    how = how or StudyOptions()
    (study,) = how.studies([experiment])
    with how.open_store() as store, how.executor([study]) as (executor, slots):
        _say_if_long(study, store, slots)
        tally = run_study(study, store, executor, slots)
    aborted = f" ({tally.aborted:,} of them aborted)" if tally.aborted else ""
    console(json).print(
        f"{study.name}: {counted(tally.done)} done{aborted}, {tally.skipped:,} already in the "
        f"store, {tally.failed:,} failed; the results are in {store.path}",
        soft_wrap=True,
    )
    write_json({"experiment": study.name, **tally.as_json(), "store": str(store.path)}, json)
    return 1 if tally.failed else 0


def _say_if_long(study: "Study", store: "Store", slots: int) -> None:
    from simnet.cli.long_work import LONG
    from simnet.cli.reproduce import counted, duration
    from simnet.cli.tell import tell
    from simnet.studies.report import remaining

    trials, seconds = remaining(study, store)
    if seconds / slots >= LONG and not sys.stderr.isatty():
        tell(f"{study.name}: {counted(trials)} to run, about {duration(seconds / slots)}")
