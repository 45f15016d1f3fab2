"""The bar charts of Fig. 2 and Fig. 4 to 7 of Joy and Gerla."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from simnet.studies.curves import bars
from simnet.studies.table import Table

NOTES = (
    (
        "Bars: 1.96 root mean square errors, with 99.9 % intervals for all bars "
        "together. Dashes: exact."
    ),
    "The error does not depend on the background faces.",
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def way(row: Mapping[str, Any]) -> str:
    """Return in words how the owners of a row answer."""
    if row["mechanism"] == "response":
        return f"randomised response, {row['truthful']:g} and {row['coin']:g}"
    return f"sampling, π_s={row['sampling']:g}"


def named(table: Table) -> Table:
    """Return the table with one more axis, `way`: how owners answer, in words."""
    return attrs.evolve(
        table, rows=[{**row, "way": way(row)} for row in table.rows], axes=[*table.axes, "way"]
    )


def bounds(table: Table, group: str, panel: str, titles: Mapping[Any, str]) -> "Figure":
    """Draw a group of bars for each location or each group of patients."""
    found = named(table)
    return bars(
        found,
        group,
        panel=panel,
        bar="way",
        words=str,
        titles=titles,
        group_words=lambda one: _with_holders(found, group, one),
        notes=NOTES,
        log_y=False,
    )


def _with_holders(table: Table, group: str, one: Any) -> str:
    return f"{one}\n({table.where(**{group: one}).rows[0]['holders']})"
