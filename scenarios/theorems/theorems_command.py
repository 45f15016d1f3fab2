"""The command `simnet theorems`: statements of the papers, each with its verdict."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simnet.cli.options import JsonFile
from simnet.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from scenarios.theorems.theorem import Finding, Theorem

COLOURS = {"holds": "green", "fails": "bold red", "not judged": "yellow"}


def theorems(*papers: str, show: str | None = None, json: JsonFile = None) -> int:
    """Judge statements of the papers: theorems, lemmas, corollaries, propositions, definitions,
    remarks, equations and the claim of a section. A statement holds, fails, or is not judged.

    The column `how` says what a verdict rests on. `proved`: the page "Theorems of the papers
    that hold" in the documentation proves it. `searched`: no counterexample was found among the
    instances that `--show` names, which is no proof. `counterexample`: the first one found. The
    exit status is 0 whatever the verdicts are.

    For example:

    - `simnet theorems`
    - `simnet theorems yang wang`
    - `simnet theorems yang --show 3.1`

    Parameters
    ----------
    papers
        The papers: yang, wang, jia, joy, biswas. By default all of them.
    show
        Show more about the statements with this number or name, such as 3.1 or "Lemma 3.1":
        every reading of the text, the range of the search, and some of the instances judged.
    json
        Write the result as JSON to this file; `-` writes it to standard output.
    """
    from scenarios.theorems.all_theorems import of_papers
    from simnet.cli.output import console, write_json

    try:
        chosen = of_papers(papers)
    except ValueError as error:
        raise BadInput(str(error)) from error
    if show is not None:
        chosen = _named(chosen, show)
    out = console(json)
    if show is None:
        _print_list(out, chosen)
    else:
        for theorem in chosen:
            _print_whole(out, theorem)
    write_json([_as_json(theorem, show is not None) for theorem in chosen], json)
    return 0


def _named(chosen: Sequence["Theorem"], name: str) -> list["Theorem"]:
    """Return the statements with this number or name, in small or capital letters.

    Raises `BadInput` if there are none.
    """
    found = [
        theorem
        for theorem in chosen
        if name.strip().lower() in (theorem.number, theorem.name.lower())
    ]
    if not found:
        names = ", ".join(dict.fromkeys(theorem.name for theorem in chosen))
        raise BadInput(f"no statement is called {name!r}: there are {names}")
    return found


def _as_json(theorem: "Theorem", whole: bool) -> dict[str, Any]:
    found = theorem.as_json()
    if whole:
        for entry, reading in zip(found["readings"], theorem.readings, strict=True):
            entry["instances"] = [instance.as_json() for instance in reading.finding.sample]
    return found


def _state(finding: "Finding") -> "Text":
    from rich.text import Text

    return Text(finding.state, COLOURS[finding.state])


def _print_list(out: "Console", chosen: Sequence["Theorem"]) -> None:
    from rich.text import Text

    from scenarios.theorems.theorem import PAPERS
    from simnet.cli.grid import Grid

    for paper, citation in PAPERS.items():
        of_paper = [theorem for theorem in chosen if theorem.paper == paper]
        if not of_paper:
            continue
        table = Grid("name", "verdict", "how", "statement")
        for theorem in of_paper:
            found = theorem.finding
            lines = [theorem.statement, *_reasons(theorem)]
            table.add_row(theorem.name, _state(found), found.how, "\n".join(lines))
        out.print(Text(f"{citation}: {_summary(of_paper)}", "bold"))
        out.print(table)
        out.print()
    out.print(Text('For more: simnet theorems PAPER --show "NAME".', "dim"))


def _summary(theorems: Sequence["Theorem"]) -> str:
    counts: Counter[str] = Counter(theorem.finding.state for theorem in theorems)
    words = {"holds": "hold", "fails": "fail", "not judged": "not judged"}
    return ", ".join(f"{counts[state]} {word}" for state, word in words.items() if counts[state])


def _reasons(theorem: "Theorem") -> list[str]:
    found = theorem.finding
    lines = []
    if found.counterexample is not None:
        lines.append(f"Counterexample: {found.counterexample.in_words}.")
        if found.numbers:
            lines.append(f"Here {found.numbers}.")
    elif found.state == "not judged":
        lines.append(f"Not judged: {found.basis}.")
    lines += [
        f"Read otherwise ({reading.under}): {reading.finding.state}."
        for reading in theorem.readings[1:]
        if reading.finding.state != found.state
    ]
    return lines


def _print_whole(out: "Console", theorem: "Theorem") -> None:
    from rich.text import Text

    from simnet.cli.grid import Grid

    out.print(Text(theorem.source, "bold"))
    out.print(theorem.statement)
    for reading in theorem.readings:
        found = reading.finding
        out.print()
        if reading.under:
            out.print(f"Reading: {reading.under}.")
        out.print(Text.assemble(_state(found), f" ({found.how})" if found.how else ""))
        judged = "Not judged" if found.state == "not judged" else "Judged"
        out.print(f"{judged}: {found.basis}.")
        if found.counterexample is not None:
            out.print(f"Counterexample: {found.counterexample.in_words}.")
        if found.numbers:
            out.print(f"Here {found.numbers}.")
        if found.sample:
            table = Grid("instance", "claimed", "exact", "holds?")
            for instance in found.sample:
                verdict = "holds" if instance.holds else "fails"
                table.add_row(instance.place, *instance.numbers, Text(verdict, COLOURS[verdict]))
            out.print(table)
    if theorem.command:
        out.print(f"\nMore numbers: {theorem.command}")
    out.print()
