"""Tables of experiments, computed in this process."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from simnet.studies.experiment import Experiment, Value
from simnet.studies.report import row
from simnet.studies.store import Result
from simnet.studies.table import Table


def played(
    experiment: Experiment,
    name: str,
    only: Mapping[str, Sequence[Value]],
    trials: int = 1,
    data: Path | None = None,
) -> Table:
    """Return the trials at those points of the experiment whose parameters are among the given
    values.
    """
    jobs = [
        job
        for job in experiment.with_trials(trials).jobs(name)
        if _kept(json.loads(job.parameters), only)
    ]
    results = [
        Result(job, experiment.trial(json.loads(job.parameters), job.seed, data), 0.0)
        for job in jobs
    ]
    made_up = bool(experiment.files) and data is None
    return experiment.table([row(one) for one in results], made_up)


def _kept(parameters: Mapping[str, Any], only: Mapping[str, Sequence[Value]]) -> bool:
    return all(parameters.get(name) in values for name, values in only.items())
