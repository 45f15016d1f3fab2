"""Rows of the page of quotes for the theorems of a paper.

Their verdicts follow from the findings that `simnet theorems` shows.
"""

from functools import partial

from scenarios.theorems.all_theorems import of_papers
from scenarios.theorems.theorem import Finding, Reading, Theorem
from simnet.studies.quote import STATED, Counterpart, Quote
from simnet.studies.table import Table


def theorem_quotes(paper: str) -> list[Quote]:
    """Return a quote for each reading of each statement of a paper that can be judged.

    Definitions that state no fact have no quote. A reading that mends the theorem has no quote, but
    is the correction in the other quotes of this theorem. The expected value is 1 if the statement
    holds and 0 if it fails; nothing is measured. Raises `ValueError` for an unknown paper.
    """
    return [
        _row(theorem, reading)
        for theorem in of_papers([paper])
        if theorem.kind != "Definition" or theorem.finding.state != "not judged"
        for reading in theorem.readings
        if not reading.mends
    ]


def _row(theorem: Theorem, reading: Reading) -> Quote:
    mended = next((one for one in theorem.readings if one.mends), None)
    return Quote(
        theorem.source,
        theorem.statement.removesuffix("."),
        STATED,
        partial(_judged, reading),
        correction=""
        if mended is None
        else f"The statement holds if it is read so: {mended.under}.",
        corrected=None if mended is None else partial(_judged, mended),
        under=reading.under,
        disputed=reading.disputed,
        why="This command shows a counterexample: simnet theorems "
        f'{theorem.paper} --show "{theorem.name}".',
    )


def _judged(reading: Reading, _: Table) -> Counterpart:
    found = reading.finding
    return Counterpart(float(found.state == "holds"), judged_at=where_judged(found))


def where_judged(found: Finding) -> str:
    """Return where a statement was judged and, if it fails, its counterexample with a note on the
    numbers.
    """
    if found.counterexample is None:
        return found.basis
    numbers = f" ({found.numbers})" if found.numbers else ""
    return f"{found.basis}. Counterexample: {found.counterexample.in_words}{numbers}"
