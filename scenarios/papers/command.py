"""`simnet claims`: what the five papers claim, with a verdict on each claim."""

from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from simnet.cli.options import JsonFile, settings_of
from simnet.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.studies.paper_claim import Judged

COLOURS = {"right": "green", "wrong": "bold red", "wrong, corrected": "bold red"}


def claims(
    *papers: str,
    show: str | None = None,
    set_: Annotated[list[str] | None, Parameter(name="--set", negative=())] = None,
    json: JsonFile = None,
) -> int:
    """Show what the papers claim: right, wrong, or neither, and why.

    For example:

    - `simnet claims`
    - `simnet claims joy --show "Section 4.3"`
    - `simnet claims yang --show "Theorem 3.1" --set users=100 --set items=5 --set beta=0.1`

    Parameters
    ----------
    papers
        The papers: yang, wang, jia, joy, biswas; all by default.
    show
        Show only the claim with this name, with all that is known of it.
    set_
        With `--show`: a parameter of the claim, such as `epsilon=0.5`; not every claim has some.
    json
        Write the claims as JSON to this file; `-` writes them to standard output.
    """
    from scenarios.papers.judging import PAPERS, judged
    from simnet.cli.output import console, write_json

    chosen = papers or tuple(PAPERS)
    out, listed = console(json), []
    given = settings_of(set_)
    if given and show is None:
        raise BadInput("--set goes with --show: it changes the parameters of one claim")
    for paper in chosen:
        try:
            found = judged(paper, show or "")
        except ValueError as error:
            if show is None or len(chosen) == 1 or paper not in PAPERS:
                raise BadInput(str(error)) from error
            continue
        listed += found
        if show is None:
            _print_list(out, PAPERS[paper], found)
        else:
            for one in found:
                _print_whole(out, PAPERS[paper], one, given)
    if not listed:
        raise BadInput(f"no claim is called {show!r}: name the paper, to see its claims")
    if show is None:
        out.print('For more: simnet claims PAPER --show "NAME".', style="dim")
    write_json([one.as_json() for one in listed], json)
    return 0


def _print_list(out: "Console", paper: str, found: "list[Judged]") -> None:
    from rich.text import Text

    from simnet.cli.grid import Grid
    from simnet.studies.page import summary

    table = Grid("claim", "verdict", "statement")
    for one in found:
        table.add_row(
            one.claim.name,
            Text(one.in_words, COLOURS.get(one.verdict, "yellow")),
            one.claim.words,
        )
    out.print(Text(f"{paper}: {summary(found)}", "bold"))
    out.print(table)
    out.print()


def _print_whole(out: "Console", paper: str, one: "Judged", given: dict[str, str]) -> None:
    from rich.text import Text

    lines: dict[str, Any] = {
        "printed": one.printed_in_words,
        "exact": one.exact_in_words,
        "measured": one.measured_in_words,
        "why": one.why,
        "check": one.claim.check.replace("`", ""),
    }
    out.print(Text(f"{paper}, {one.claim.source}: {one.claim.name}", "bold"))
    out.print(Text(f"{one.claim.words}."))
    out.print(Text(one.in_words, COLOURS.get(one.verdict, "yellow")))
    for name, text in lines.items():
        if text:
            out.print(Text(f"{name}: {text}"))
    if given or one.claim.at is not None:
        out.print(Text(_at(one, given)))
    out.print()


def _at(one: "Judged", given: dict[str, str]) -> str:
    """Return the claimed and the exact number for parameters of the user's own."""
    from inspect import signature

    if one.claim.at is None:
        raise BadInput(f"{one.claim.name} has no parameters")
    names = list(signature(one.claim.at).parameters)
    if not given:
        return f"parameters: {', '.join(names)} (--set NAME=VALUE)"
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        raise BadInput(f"{one.claim.name} has no parameter {unknown!r}: it has {', '.join(names)}")
    try:
        numbers = {name: float(text) for name, text in given.items()}
        whole = {name: int(x) if x.is_integer() else x for name, x in numbers.items()}
        claimed, exact = one.claim.at(**whole)
    except (TypeError, ValueError) as error:
        raise BadInput(f"these parameters are refused: {error}") from error
    place = ", ".join(f"{name} = {text}" for name, text in given.items())
    return f"with {place}: claimed {claimed:.4g}, exact {exact:.4g}"
