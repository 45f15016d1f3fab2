"""Tables of experiments, computed in this process."""

from typing import Any

from simnet.studies.experiment import Experiment
from simnet.studies.here import table_here
from simnet.studies.quote import Ruling
from simnet.studies.table import Table

table_of = table_here


def verdicts(experiment: Experiment, table: Table) -> dict[str, Ruling]:
    """Return the verdicts on an experiment's quotes, by the subject of the quote."""
    judged = [quote.judge(table) for quote in experiment.quotes]
    return {one.what: one for one in judged if one.verdict != "not run"}


def outside(table: Table) -> list[dict[str, Any]]:
    """Return the points whose expected value lies outside their interval."""
    return [line for line in table.summary() if not line["holds"]]
