"""Runs of the corpus' examples and the verdicts on them, each computed once.

`python -m tests.harness.corpus.judged` writes the tables of scripts in MUTANTS.md; a test compares
the file with them.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

from simnet import Judge, ScriptError, SimnetError, Verdict
from simnet.adversary.whole_view import disclosed_in_words, discloses_nothing
from simnet.adversary.words import finding_in_short
from simnet.cli.page import write_part
from tests.harness.corpus.channels import CHANNELS, SOURCES
from tests.harness.corpus.example import Example, members_of
from tests.harness.corpus.scripts import RunOfExample, all_examples, played, rows_of_inputs
from tests.harness.corpus.truth import Ensemble, TruthOfSet, order

MOST_INPUTS = (
    2  # the number of inputs for which verdicts are computed; the truth is about all inputs
)
EXAMPLES: Mapping[str, Example] = {example.name: example for example in all_examples()}


@cache
def ensemble(name: str) -> Ensemble:
    """Return all worlds of an example."""
    return EXAMPLES[name].ensemble


@cache
def truth_of(name: str, coalition: str) -> TruthOfSet:
    """Return what a coalition really learns, for inputs on which at least one run ends without an
    error.
    """
    inputs = list(rows_of_inputs(EXAMPLES[name]))
    return TruthOfSet(ensemble(name), inputs, members_of(coalition))


@cache
def runs_of(name: str) -> Sequence[RunOfExample]:
    """Return the runs of an example that end without an error: on a few inputs, from each of the
    example's seeds.
    """
    example = EXAMPLES[name]
    found = []
    for inputs in islice(rows_of_inputs(example), MOST_INPUTS):
        for seed in example.seeds:
            try:
                found.append(played(example, inputs, seed))
            except ScriptError:
                assert example.may_end, f"{name} ends early on {inputs}"
    return found


@cache
def verdicts(name: str) -> Sequence[tuple[RunOfExample, Mapping[str, Verdict] | str]]:
    """Return, for every run, the verdicts by coalition, or the message of the error that prevents
    the verdicts.
    """
    example, found = EXAMPLES[name], []
    observed = {member for coalition in example.truths for member in members_of(coalition)}
    for one in runs_of(name):
        of_run: Mapping[str, Verdict] | str
        try:
            judge = Judge(one.runs, observed, same_inputs=example.same_inputs)
            of_run = {coalition: judge.verdict(coalition) for coalition in example.truths}
        except SimnetError as error:
            of_run = str(error)
        found.append((one, of_run))
    return found


def said_of(name: str) -> str:
    """Say in words what the instruments find for an example's first coalition, in the run that
    tells most.
    """
    example = EXAMPLES[name]
    if example.refused:
        return "refused"
    coalition = next(iter(example.truths))
    judged = [of_run for _, of_run in verdicts(name)]
    if any(isinstance(of_run, str) for of_run in judged):
        return "refused by the symbolic reading"
    found = [of_run[coalition] for of_run in judged if not isinstance(of_run, str)]
    ends = "the run ends" if example.ending or example.may_end else ""
    if not found:
        return ends
    worst = max(found, key=lambda verdict: (order(verdict.at_most), order(verdict.at_least)))
    said = finding_in_short(worst)
    if worst.at_least == worst.at_most:
        said = {"nothing": "nothing", "output-only": "only the output"}.get(
            worst.at_most, "more than the output"
        )
    if not discloses_nothing(worst):
        said = f"from shares: {said}; disclosed: {disclosed_in_words(worst)}"
    return f"{ends}, or {said}" if ends else said


def table() -> Iterator[str]:
    """Yield the lines of the two tables of scripts, in Markdown."""
    yield "| what escapes, and by which ways | as it is | disclosed first | mended |"
    yield "| --- | --- | --- | --- |"
    for source, *_ in SOURCES:
        rows: dict[tuple[str, ...], list[str]] = {}
        for channel in CHANNELS:
            name = f"{source} by {channel.name}"
            said = tuple(
                said_of(f"{name}, {how}") for how in ("as it is", "disclosed first", "mended")
            )
            rows.setdefault(said, []).append(channel.name)
        for said, names in rows.items():
            yield f"| {source}, by {', '.join(names)} | {' | '.join(said)} |"
    yield ""
    yield "| mistake | what escapes | by which way | with the mistake | mended |"
    yield "| --- | --- | --- | --- | --- |"
    for name, example in EXAMPLES.items():
        mended = f"{name}, mended"
        if example.is_leaking and mended in EXAMPLES:
            yield (
                f"| {name} | {example.source} | {example.channel} | {said_of(name)} | "
                f"{said_of(mended)} |"
            )


if __name__ == "__main__":
    write_part(Path(__file__).with_name("MUTANTS.md"), "scripts", table())
