"""Statements on Fig. 4 to 8 of Wang et al., and the names of methods in the figures.

Trials that differ only in the method collect from the same people, so methods are compared trial
by trial.
"""

from collections.abc import Sequence

import attrs

from scenarios.wang.people import CORRECTED, STAND_INS, title
from scenarios.wang.trials import METHODS
from simnet.studies.paired import paired_share
from simnet.studies.paper_claim import Counterpart, PaperClaim
from simnet.studies.statements import MeasureByAxis
from simnet.studies.table import Table

ENCODINGS = {
    "hm": "OUE, ε/k on k attributes",
    "duchi": "OUE, ε/d on all attributes",
}  # the encodings: what the methods do with categories
DRAWN = {
    **METHODS,
    "staircase": "Staircase, ε/d each",
    **{f"{method} on categories": words for method, words in ENCODINGS.items()},
}
LINES = "Lines: by the law. Laplace and SCDF err almost alike, so their lines hide each other."
DUCHI_CHOICE = (
    f"{CORRECTED}. For even d, the probability of u = 1 and the number B follow from these "
    "sets, so that they differ from the printed ones, too."
)
K_CHOICE = "The value k = None stands for k by Eq. 12."


def with_encodings(table: Table) -> Table:
    """Return the table with other names of the methods in the rows about categories.

    In these rows the mechanism for numbers does not matter.
    """
    rows = [
        {**row, "method": f"{row['method']} on categories"}
        if row["estimates"].endswith("-Categorical")
        else row
        for row in table.rows
    ]
    return attrs.evolve(table, rows=rows)


def titles(table: Table) -> dict[str, str]:
    """The titles of the panels: what is estimated, and about whom."""
    return {
        f"{name}-{kind}": f"{kind}, {title(name, table.synthetic)}"
        for name in STAND_INS
        for kind in ("Numeric", "Categorical")
    }


def all_below(
    table: Table, ours: Sequence[str], rivals: Sequence[str], place: Sequence[str]
) -> Counterpart:
    """Return the share of places at which each error of ours is below each one of the rivals."""
    pairs = [(one, other) for one in ours for other in rivals]
    return paired_share(table, pairs, place, lambda numbers: max(numbers.values()) < 1)


def of_kind(table: Table, kind: str) -> Table:
    """Return the rows about estimates of a kind, `Numeric` or `Categorical`."""
    rows = [row for row in table.rows if row["estimates"].endswith(kind)]
    return attrs.evolve(table, rows=rows)


def outperforms(
    name: str,
    source: str,
    words: str,
    place: Sequence[str],
    ours: Sequence[str],
    rivals: Sequence[str],
    kind: str = "",
) -> PaperClaim:
    """Return the claim that the errors of our methods are smaller than those of the rivals."""
    return PaperClaim(
        name,
        source,
        words,
        runs=lambda table: all_below(of_kind(table, kind), ours, rivals, place),
    )


def alike(
    name: str, source: str, words: str, pairs: Sequence[tuple[str, str]], place: Sequence[str]
) -> PaperClaim:
    """Return the claim that two methods have errors on means within a tenth of each other."""

    def holds(numbers: MeasureByAxis) -> bool:
        return all(1 / 1.1 <= quotient <= 1.1 for quotient in numbers.values())

    return PaperClaim(
        name,
        source,
        words,
        runs=lambda table: paired_share(of_kind(table, "Numeric"), pairs, place, holds),
    )
