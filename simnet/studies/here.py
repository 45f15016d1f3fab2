"""Run an experiment from Python: in this process, or into a store that keeps the results."""

import json
from pathlib import Path
from typing import Any

import attrs

from simnet.studies.executors import local_processes
from simnet.studies.experiment import Experiment
from simnet.studies.report import Report, report, rows_of
from simnet.studies.store import Result, Store
from simnet.studies.sweep import Study, SweepCounts, sweep
from simnet.studies.table import COMPLETED, Table
from simnet.studies.trial import Aborted


def reproduce(
    name: str,
    /,
    *,
    quick: bool = False,
    trials: int | None = None,
    data: str | Path | None = None,
    store: str | Path | None = None,
    processes: int | None = None,
    **settings: Any,
) -> Report:
    """Run the trials of an experiment and return its report: a table, a figure, and verdicts.

    Parameters
    ----------
    name
        The name of an experiment (`simnet list` shows them), or the path of a file with one.
    quick
        Run only the points and the trials that the experiment chooses for a quick run.
    trials
        How many trials each point has; by default as many as the experiment says.
    data
        The folder of the real data. Without it, an experiment that could read data makes people
        up, and the report says so.
    store
        A file that keeps the results of trials. Trials whose results it has are not run again.
        Without a store the trials run one after the other, in this process.
    processes
        How many processes run trials for the store; by default one for each processor.
    settings
        Values of the experiment's parameters, in place of those in its grid: a value, a list of
        values, or text with commas between them.

    Raises `BadInput` for an unknown name or setting. Without a store, an error of a trial is raised
    again, unless it says that the run was aborted.

    >>> report = reproduce("biswas_fig1", quick=True)
    >>> report.holds, len(report.table.rows) == report.counts.done
    (True, True)
    """
    found = Study.of(name, None if data is None else Path(data))
    experiment = found.experiment.quickly() if quick else found.experiment
    texts = {key: _as_text(value) for key, value in settings.items()}
    study = attrs.evolve(found, experiment=experiment.with_settings(texts).with_trials(trials))
    if store is not None:
        with Store(Path(store)) as kept, local_processes(processes) as (executor, slots):
            counts = sweep(study, kept, executor, slots)
            return attrs.evolve(report(study, kept), counts=counts)
    table = table_here(study.experiment, study.name, study.data)
    verdicts = tuple(claim.of_table(table) for claim in study.experiment.claims)
    aborted = sum(1 for row in table.rows if not row.get(COMPLETED.name, 1.0))
    return Report(study, table, verdicts, SweepCounts(done=len(table.rows), aborted=aborted))


def table_here(experiment: Experiment, name: str, data: Path | None = None) -> Table:
    """Run every trial, and return the table. Seeds follow from `name`, as in a sweep of `name`."""
    results = []
    for job in experiment.jobs(name):
        try:
            numbers = experiment.trial(json.loads(job.parameters), job.seed, data)
        except Aborted as aborted:
            results.append(Result(job, {}, seconds=0.0, aborts=aborted.endings))
        else:
            results.append(Result(job, numbers, seconds=0.0))
    made_up = bool(experiment.files) and data is None
    return experiment.table(rows_of(results), made_up)


def _as_text(value: Any) -> str:
    several = isinstance(value, list | tuple | range)
    return ",".join(map(str, value)) if several else str(value)
