"""The list of the theorems of all papers."""

from collections.abc import Iterable, Sequence

from scenarios.theorems import of_biswas, of_jia, of_joy, of_wang, of_yang
from scenarios.theorems.theorem import PAPERS, Theorem

THEOREMS: Sequence[Theorem] = (
    *of_yang.THEOREMS,
    *of_wang.THEOREMS,
    *of_jia.THEOREMS,
    *of_joy.THEOREMS,
    *of_biswas.THEOREMS,
)


def of_papers(papers: Iterable[str] = ()) -> list[Theorem]:
    """Return the theorems of these papers, or of all papers if none is named.

    Raises `ValueError` for a name that is not a key of `PAPERS`.
    """
    chosen = list(papers) or list(PAPERS)
    for paper in chosen:
        if paper not in PAPERS:
            raise ValueError(f"there is no paper {paper!r}: the papers are {', '.join(PAPERS)}")
    return [theorem for theorem in THEOREMS if theorem.paper in chosen]


def theorem(paper: str, name: str) -> Theorem:
    """Return one theorem by its paper and its name, such as `Theorem 3.1`.

    Its `finding` is the verdict. Raises `ValueError` if there is no such theorem.

    >>> theorem("yang", "Lemma 3.2").finding.state
    'holds'
    """
    for each in of_papers([paper]):
        if each.name == name:
            return each
    raise ValueError(f"{PAPERS[paper]} have no {name!r} among the theorems that are judged")
