"""Tables of experiments, run here and now."""

from typing import Any

from simnet.studies.experiment import Experiment
from simnet.studies.here import table_here
from simnet.studies.quote import Ruling
from simnet.studies.table import Table

table_of = table_here


def verdicts(experiment: Experiment, table: Table) -> dict[str, Ruling]:
    """The verdicts on an experiment's quotes by what they are about."""
    judged = [quote.judge(table) for quote in experiment.quotes]
    return {one.what: one for one in judged if one.verdict != "not run"}


def outside(table: Table) -> list[dict[str, Any]]:
    """The points whose expected value lies outside their interval."""
    return [line for line in table.summary() if not line["holds"]]
