"""Statements on Fig. 4 to 8 of Wang et al., and the names of methods in the figures.

Trials that differ only in the method collect from the same people, so methods are compared trial
by trial.
"""

from collections.abc import Callable, Sequence
from functools import partial

import attrs

from scenarios.wang.people import CORRECTED, STAND_INS, title
from scenarios.wang.trials import CATEGORICAL, METHODS
from simnet.studies.paired import paired_share
from simnet.studies.quote import STATED, Counterpart, Quote
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
CLOSE = "At some points the errors are too close to each other."
AGAINST_CORRECTED = (
    "At some points the statement fails against the corrected mechanism, which is ε-LDP. The "
    "paper's rival is the printed mechanism, whose actual ε is too large for an even number of "
    "numeric attributes."
)


def ours_alone(word: str) -> str:
    """Return why a row is disputed whose verdict depends on our threshold for a word."""
    return f"We chose the threshold of '{word}', and with another one the verdict may change."


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
    table: Table,
    ours: Sequence[str],
    rivals: Sequence[str],
    place: Sequence[str],
    least: float = 0.0,
) -> Counterpart:
    """Return the share of places, which are values of the axes `place`, at which all methods of
    `ours` have smaller errors than all `rivals`, smaller by at least the share `least`.
    """

    def holds(numbers: MeasureByAxis) -> bool:
        largest = max(numbers.values())
        return largest < 1 and largest <= 1 - least

    categories = ours == CATEGORICAL[:1]  # then the mechanisms for numbers have no part
    return paired_share(
        table,
        [(one, other) for one in ours for other in rivals],
        place,
        holds,
        shown=place if categories else ["method", *place],
    )


def of_kind(table: Table, kind: str) -> Table:
    """Return the rows about estimates of a kind, `Numeric` or `Categorical`."""
    rows = [row for row in table.rows if row["estimates"].endswith(kind)]
    return attrs.evolve(table, rows=rows)


def outperforms(
    source: str,
    what: str,
    place: Sequence[str],
    word: str,
    ours: Sequence[str],
    rivals: Sequence[str],
    kind: str,
    why: str,
) -> list[Quote]:
    """Return two quotes. The first says that the methods `ours` have smaller errors than the
    `rivals` everywhere. The second says that their errors are smaller by at least the threshold
    for a word of the text, such as "significantly".
    """

    def below(least: Callable[[Table], float], table: Table) -> Counterpart:
        return all_below(of_kind(table, kind), ours, rivals, place, least(table))

    return [
        Quote(
            source,
            what,
            STATED,
            partial(below, lambda _: 0.0),
            why=why,
            under=f"any smaller error counts; another row judges '{word}'",
        ),
        Quote(
            source,
            f"{what}: {word}",
            STATED,
            partial(below, lambda table: table.word(word)),
            why=why,
            under=f"the error is smaller by at least the threshold of '{word}'",
            # These errors are much closer to each other than those to Laplace's mechanism.
            disputed=ours_alone(word) if "duchi" in rivals else "",
        ),
    ]


def alike(
    source: str,
    what: str,
    place: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    word: str,
    *,
    under: str = "",
    disputed: str = "",
) -> Quote:
    """Return the quote that the means of the two methods of each pair have similar errors
    everywhere.

    Errors are similar if the larger one exceeds the smaller one by at most a share of the smaller
    one. This share is the threshold for `word`.
    """

    def reading(table: Table) -> Counterpart:
        most = 1 + table.word(word)

        def holds(numbers: MeasureByAxis) -> bool:
            return all(1 / most <= quotient <= most for quotient in numbers.values())

        return paired_share(of_kind(table, "Numeric"), pairs, place, holds)

    return Quote(
        source,
        what,
        STATED,
        reading,
        why="The two errors differ by more than the threshold.",
        under=under,
        disputed=disputed,
    )
