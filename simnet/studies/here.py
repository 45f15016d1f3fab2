"""Running an experiment's trials here and now, one after the other and without a store."""

import json
from pathlib import Path

from simnet.studies.experiment import Experiment
from simnet.studies.report import row
from simnet.studies.store import Result
from simnet.studies.table import Table


def table_here(experiment: Experiment, name: str, data: Path | None = None) -> Table:
    """The table of every trial; seeds follow from `name`, as in a sweep of that name."""
    rows = []
    for job in experiment.jobs(name):
        numbers = experiment.trial(json.loads(job.parameters), job.seed, data)
        rows.append(row(Result(job, numbers, seconds=0.0)))
    made_up = bool(experiment.files) and data is None
    return Table(rows, experiment.axes, experiment.measures, made_up, experiment.exact)
