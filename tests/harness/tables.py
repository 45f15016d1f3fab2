"""Tables of experiments, computed in this process."""

from typing import Any

from simnet.studies.here import table_here
from simnet.studies.table import Table

table_of = table_here


def outside(table: Table) -> list[dict[str, Any]]:
    """Return the points whose expected value lies outside their interval."""
    return [line for line in table.summary() if not line["holds"]]
