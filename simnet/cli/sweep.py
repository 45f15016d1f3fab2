"""`simnet sweep`."""

from simnet.cli.options import JsonFile
from simnet.cli.studying import StudyOptions


def sweep(experiment: str, *, how: StudyOptions | None = None, json: JsonFile = None) -> int:
    """Run the trials of an experiment that the store lacks.

    Stop it at any time, and the same command goes on. Results do not depend on the workers, their
    number or the order. Exit status 1 when a trial fails.

    Examples: `simnet sweep fig2 --set users=1000,10000 --trials 100`, `simnet sweep fig2 --cluster
    tcp://host:8786`.

    Parameters
    ----------
    experiment
        An experiment's name (see `simnet list`) or the path of an experiment file.
    how
        How it is run.
    json
        Write JSON to this file; `-` for standard output.
    """
    from simnet.cli.output import console, write_json
    from simnet.cli.studying import run_study

    how = how or StudyOptions()
    (study,) = how.studies([experiment])
    with how.open_store() as store, how.executor([study]) as (executor, slots):
        tally = run_study(study, store, executor, slots)
    console(json).print(
        f"{study.name}: {tally.done:,} trials done, {tally.skipped:,} were there, "
        f"{tally.failed:,} failed; "
        f"kept in {store.path}",
        soft_wrap=True,
    )
    write_json({"experiment": study.name, **tally.as_json(), "store": str(store.path)}, json)
    return 1 if tally.failed else 0
