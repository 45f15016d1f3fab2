"""Verdicts as a person sees them on a terminal."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from simnet.adversary.orbits.lift import Lifted
from simnet.adversary.reading_again import called_in_words
from simnet.adversary.verdict import LearnedFunction, Verdict
from simnet.adversary.whole_view import FINDINGS_IN_WORDS, disclosed_in_words
from simnet.adversary.words import (
    evidence_in_words,
    exposed_in_words,
    finding_in_words,
    function_in_words,
    seen_in_words,
    tier_in_words,
)
from simnet.cli.grid import Grid
from simnet.contract import Ideal
from simnet.scenario.claims import Adversaries
from simnet.scenario.verify import VerdictCounts

FUNCTIONS_SHOWN = 8
MESSAGES_SHOWN = 5
CLASSES_SHOWN = 8
EXPOSED_SHOWN = 5
NO_FUNCTIONALITY = (
    "the protocol has no method `functionality`, so no function counts as output. Write "
    "`def functionality(self, inputs, users)`, which returns what each party may learn: for "
    'example, {"server": total}'
)
COLOURS = {
    "nothing": "green",
    "output-only": "cyan",
    "leaks": "bold red",
    "undecided": "yellow",
    "no-shares": "cyan",
}


def print_claims(console: Console, judged: Adversaries, seed: int) -> None:
    """Print a table of a scenario's claims: coalition, what it learns, what was expected."""
    if not judged:
        return
    console.print(Text(f"What coalitions learn in this run (seed {seed})", "bold"))
    table = Grid("coalition", "learned from secret shares", "disclosed", "expected", "holds?")
    for row, (coalition, learned, disclosed, expected, holds) in zip(
        judged, judged.rows(), strict=True
    ):
        colour = "yellow" if row.not_judged is not None else ""
        if row.verdict is not None:
            colour = COLOURS[row.verdict.finding]
        table.add_row(
            Text(coalition),
            Text(learned, colour),
            disclosed,
            Text(expected),
            Text(holds, "bold red" if row.fails else "green"),
        )
    console.print(table)
    if judged.fails:
        console.print(Text(judged.failures_in_words, "bold red"))
    for note in judged.notes():
        console.print(Text(note, "yellow"))
    for row in judged:
        if row.verdict is not None and row.verdict.output_fixes.is_of_few:
            fixed = row.verdict.output_fixes.in_words
            console.print(Text(f"{row.claim.corrupt}: the output alone fixes {fixed}", "yellow"))
    console.print()


def print_verdict(console: Console, verdict: Verdict) -> None:
    """Print a verdict: what is learned, how it is computed, and what else is seen."""
    seeds = ", ".join(map(str, verdict.seeds))
    where = "this run (seed" if len(verdict.seeds) == 1 else "these runs (seeds"
    console.print(
        Text.assemble(
            (f"{{{verdict.corrupt}}} ", "bold"),
            (finding_in_words(verdict), COLOURS[verdict.finding]),
            f" in {where} {seeds}; {tier_in_words(verdict)}).",
        )
    )
    for note in [*verdict.notes, *(refused.in_words for refused in verdict.refused)]:
        console.print(Text(f"  note: {note}", "yellow"))
    for learned in verdict.functions[:FUNCTIONS_SHOWN]:
        _print_learned(console, verdict, learned)
    hidden = len(verdict.functions) - FUNCTIONS_SHOWN
    if hidden > 0:
        console.print(f"  and {_counted(hidden, 'more function')}; --json writes all of them")
    for note in missing_functionality(verdict):
        console.print(Text(f"  note: {note}", "yellow"))
    fixed = verdict.output_fixes.in_words
    if fixed is not None:
        console.print(Text(f"  the output alone fixes: {fixed}", "yellow"))
    if verdict.alike is not None:
        _print_alike(console, verdict.alike)
        if called := called_in_words(verdict.sampled_runs):
            console.print(Text(f"  note: {called.removeprefix('; ')}", "yellow"))
    else:
        _print_checked(console, verdict)
    console.print(Text(f"  disclosed: {disclosed_in_words(verdict)}"))
    if verdict.alike is None:
        _print_disclosed(console, verdict)


def _print_checked(console: Console, verdict: Verdict) -> None:
    if verdict.leaks:
        correct = sum(learned.value == learned.true for learned in verdict.leaks)
        exposed = exposed_in_words(learned.exposes for learned in verdict.leaks if learned.exposes)
        console.print(
            Text(
                f"  exposed: {exposed}; {correct} of {len(verdict.leaks)} attacks give the true "
                f"value"
            )
        )
    elif verdict.finding == "nothing" and verdict.knowledge:
        rows = sum(knowledge.view.rows for knowledge in verdict.knowledge)
        console.print(
            f"  checked: the coalition saw {_counted(rows, 'vector')} of field elements from "
            "honest parties, and learns nothing about the inputs of these parties from them"
        )
    console.print(
        "  checked: the script sends the same messages when read without inputs"
        f"{called_in_words(verdict.sampled_runs)}"
    )


def _print_disclosed(console: Console, verdict: Verdict) -> None:
    for kind in verdict.discrete.sees:
        console.print(Text(f"    {seen_in_words(kind)}"))
    stated = verdict.discrete.disclosure
    if stated is None:
        console.print(Text(f"    {verdict.discrete.reason}"))
    else:
        bound = (
            ""
            if stated.bound is None or stated.independent
            else f"; the paper's bound is {stated.bound:.4g}"
        )
        console.print(Text(f"    {stated.argument} ({stated.tier}){bound}"))


def _print_alike(console: Console, alike: Lifted) -> None:
    systems = len(alike.found)
    where = f", in the largest of {systems:,} systems of equations" if systems > 1 else ""
    for name, size in alike.classes[:CLASSES_SHOWN]:
        console.print(Text(f"  alike{where}: {name}: {size:,}"))
    if alike.exposed:
        hidden = len(alike.exposed) - EXPOSED_SHOWN
        kinds = "; ".join(words for _, words in alike.exposed[:EXPOSED_SHOWN])
        more = f"; and {hidden:,} more" if hidden > 0 else ""
        console.print(Text(f"  exposed secrets, for all parties of each kind: {kinds}{more}"))
    for sentence in alike.checked:
        console.print(Text(f"  checked, {sentence}"))


def missing_functionality(verdict: Verdict) -> list[str]:
    """A sentence if a protocol without ideal world leaks; otherwise nothing."""
    is_asked = verdict.alike is None and not isinstance(verdict.runs[0].protocol, Ideal)
    return [NO_FUNCTIONALITY] if verdict.finding == "leaks" and is_asked else []


def print_counts(console: Console, counts: VerdictCounts) -> None:
    """Print the share of each verdict among several runs."""
    summary = counts.as_json()
    table = Grid("verdict", "runs", "share", f"{summary['confidence']:.0%} interval")
    for finding, row in summary["verdicts"].items():
        low, high = row["interval"]
        share, interval = f"{row['share']:.3f}", f"{low:.3f}..{high:.3f}"
        words = Text(FINDINGS_IN_WORDS[finding], COLOURS[finding])
        table.add_row(words, str(row["count"]), share, interval)
    console.print()
    console.print(table)
    if counts.leaking_seed is not None:
        console.print(f"the smallest seed whose run leaks: {counts.leaking_seed}")


def _print_learned(console: Console, verdict: Verdict, learned: LearnedFunction) -> None:
    allowed = "" if learned.in_output else "   (beyond the output)"
    console.print(Text(f"  {function_in_words(learned)}{allowed}"))
    line = f"= {evidence_in_words(verdict, learned, MESSAGES_SHOWN)}"
    console.print(Padding(Text(line, "dim"), (0, 0, 0, 4)))


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' if count != 1 else ''}"
