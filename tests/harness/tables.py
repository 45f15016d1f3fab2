"""Tables of experiments, run here and now."""

import json
from pathlib import Path
from typing import Any

from simnet.studies.experiment import Experiment
from simnet.studies.quote import NOT_RUN, Ruling
from simnet.studies.table import Table


def table_of(experiment: Experiment, name: str, data: Path | None = None) -> Table:
    """Every trial of an experiment of that name, without a store."""
    rows = [
        {
            **json.loads(job.parameters),
            "trial": job.trial,
            "seed": job.seed,
            **experiment.trial(json.loads(job.parameters), job.seed, data),
        }
        for job in experiment.jobs(name)
    ]
    made_up = bool(experiment.files) and data is None
    return Table(rows, experiment.axes, experiment.measures, made_up, experiment.exact)


def verdicts(experiment: Experiment, table: Table) -> dict[str, Ruling]:
    """The verdicts on an experiment's quotes by what they are about."""
    judged = [quote.judge(table) for quote in experiment.quotes]
    return {one.what: one for one in judged if one.verdict != NOT_RUN}


def outside(table: Table) -> list[dict[str, Any]]:
    """The points whose expected value lies outside their interval."""
    return [line for line in table.summary() if not line["holds"]]
