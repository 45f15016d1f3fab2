"""The claims of the five papers with their verdicts.

The laws of claims are computed when they are asked for. What runs measured stands in
`measured.json` beside a paper's claims; `python -m scenarios.papers.pages` writes it.
"""

import json
from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from typing import Any

from simnet.installed import object_at
from simnet.studies.data import Data
from simnet.studies.experiment import Experiment
from simnet.studies.paper_claim import Counterpart, Judged, PaperClaim

PAPERS = {
    "yang": "Yang et al.",
    "wang": "Wang et al.",
    "jia": "Jia and Gong",
    "joy": "Joy and Gerla",
    "biswas": "Biswas et al.",
}


def experiments(paper: str) -> Mapping[str, Experiment]:
    """Return the experiments of a paper by name."""
    places: Mapping[str, str] = import_module(f"scenarios.{paper}").EXPERIMENTS
    return {name: object_at(place) for name, place in places.items()}


def claims_of(paper: str) -> list[PaperClaim]:
    """Return the claims of a paper: those of its text, then those of its figures and tables.

    Raises `ValueError` for an unknown paper.
    """
    if paper not in PAPERS:
        raise ValueError(f"there is no paper {paper!r}: the papers are {', '.join(PAPERS)}")
    own = import_module(f"scenarios.{paper}.claims").CLAIMS
    return [*own, *(claim for one in experiments(paper).values() for claim in one.claims)]


def measured(paper: str) -> Mapping[str, Mapping[str, Any]]:
    """Return what runs measured, by the names of claims."""
    found: dict[str, Mapping[str, Any]] = json.loads(
        files(f"scenarios.{paper}").joinpath("measured.json").read_text(encoding="utf-8")
    )
    return found


def judged(paper: str, name: str = "") -> list[Judged]:
    """Return the claims of a paper with their verdicts; with a name, only the claims called so.

    Raises `ValueError` for an unknown paper, and for a name that no claim has.
    """
    known = claims_of(paper)
    kept = measured(paper)
    chosen = [one for one in known if not name or one.name.casefold() == name.casefold()]
    if not chosen:
        names = ", ".join(one.name for one in known)
        raise ValueError(f"no claim of {PAPERS[paper]} is called {name!r}: there are {names}")
    return [_judged(one, kept.get(one.name)) for one in chosen]


def _judged(claim: PaperClaim, kept: Mapping[str, Any] | None) -> Judged:
    if kept is None or claim.runs is None:
        return claim.judge(data=claim.data or Data("none needed"))
    numbers = {name: value for name, value in kept.items() if name != "data"}
    return claim.judge(Counterpart(**numbers), Data(*kept["data"]))
