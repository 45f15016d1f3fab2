"""`simnet verify --by symmetry`: verdicts on runs in which many parties are alike."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simnet.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.adversary.orbits.verdict import AlikeVerdict
    from simnet.adversary.whole_view import Expectation
    from simnet.cli.certificates import Written
    from simnet.scenario.population import Population
    from simnet.scenario.scenario import Scenario

CLASSES_SHOWN = 8
EXPOSED_SHOWN = 5


def judge_alike(
    written: "Written",
    scenario: "Scenario",
    corrupt: str,
    seed: int,
    people: "Sequence[int] | Population | None",
    expect: "Expectation | None",
    json: str | None,
) -> int:
    """Give a verdict on one run; return the exit status of `verify`.

    Raises `BadInput` as `verify_alike` does, for a run that cannot be judged by symmetry, and for
    an undecided verdict if a certificate is wanted.
    """
    from simnet.adversary.orbits.rows import NotAlike
    from simnet.adversary.whole_view import meets
    from simnet.cli.long_work import SECONDS_A_JUDGED_ELEMENT, announced
    from simnet.cli.output import console, print_numbering, write_json
    from simnet.scenario.judging import MOST_ALIKE_ELEMENTS
    from simnet.scenario.numbered import numbering_of
    from simnet.scenario.perform import plain_parameters
    from simnet.scenario.population import Population
    from simnet.scenario.verify import verify_alike

    fitted = scenario.fitted(people) if isinstance(people, Population) else scenario
    work = fitted.described(fitted.build(fitted.users, fitted.items)).workload
    elements = 0 if work is None else work.elements
    is_judged = elements <= MOST_ALIKE_ELEMENTS  # a run with more elements is refused
    try:
        with announced("verify", elements * SECONDS_A_JUDGED_ELEMENT * is_judged):
            verified = verify_alike(scenario, corrupt, seed, people)
    except NotAlike as error:
        raise BadInput(
            f"this run cannot be judged by symmetry: {error}. Judge it by elimination, with fewer "
            "users if the run has more than ten million messages"
        ) from error
    if written.is_refused(verified):
        raise BadInput("an undecided verdict has no certificate: it is a bound, not a proof")
    given_away = [f"{written.file} gives away: {each}" for each in written.write(verified)]
    out = console(json)
    met = expect is None or meets(verified.verdict, expect)
    numbering = numbering_of(verified.about, people)
    settled = verified.scenario.settings()
    write_json(
        {
            "protocol": verified.about.name,
            "parameters": plain_parameters(settled, verified.protocol, verified.about),
            "seed": seed,
            **verified.verdict.as_json(),
            "public": verified.public,
            **({} if numbering is None else {"numbering": numbering}),
            **({} if expect is None else {"expected": expect, "met": met}),
            "remarks": given_away,
        },
        json,
    )
    print_numbering(out, numbering)
    for sentence in given_away:
        out.print(sentence, style="yellow")
    print_alike(out, verified.verdict)
    if not met:
        out.print(f"expected: {expect}", style="bold red")
        return 1
    return 0


def print_alike(out: "Console", verdict: "AlikeVerdict") -> None:
    """Print a verdict and what it rests on."""
    from rich.text import Text

    from simnet.adversary.whole_view import FINDINGS_IN_WORDS, disclosed_in_words
    from simnet.cli.verdicts import COLOURS

    least, most = (FINDINGS_IN_WORDS[end] for end in (verdict.at_least, verdict.at_most))
    what = f"learns {least}" if least == most else f"learns at least {least} and at most {most}"
    out.print(
        Text.assemble(
            (f"{{{verdict.corrupt}}} ", "bold"),
            (what, COLOURS[verdict.finding]),
            f" from secret shares in this run (seed {verdict.seed}; {verdict.tier} for parties who "
            f"are alike, by {verdict.theorem}).",
        )
    )
    for note in [*verdict.notes, *(refused.in_words for refused in verdict.refused)]:
        out.print(Text(f"  note: {note}", "yellow"))
    systems = len(verdict.lifted.found)
    where = f", in the largest of {systems:,} systems of equations" if systems > 1 else ""
    for name, size in verdict.classes[:CLASSES_SHOWN]:
        out.print(Text(f"  alike{where}: {name}: {size:,}"))
    if verdict.exposed:
        hidden = len(verdict.exposed) - EXPOSED_SHOWN
        kinds = "; ".join(verdict.exposed[:EXPOSED_SHOWN])
        more = f"; and {hidden:,} more" if hidden > 0 else ""
        out.print(Text(f"  exposed secrets, for all parties of each kind: {kinds}{more}"))
    for sentence in verdict.checked:
        out.print(Text(f"  checked, {sentence}"))
    out.print(Text(f"  disclosed: {disclosed_in_words(verdict)}"))
