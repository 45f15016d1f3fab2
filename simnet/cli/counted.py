"""What coalitions of a large run learn, as tables on a terminal, as JSON and as certificates."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.adversary.coalitions.by_count import ByCount, CountedPart, CountedStanding, Kind
    from simnet.adversary.coalitions.grown_sets import OneOfEach
    from simnet.adversary.coalitions.staircase import Counts, Staircase
    from simnet.contract import Protocol
    from simnet.scenario.large_coalitions import Counted, Grown, OneRun

PARTS_SHOWN = 3
STEPS_SHOWN = 6  # so many vectors of a list are shown
MEMBERS_SHOWN = 6
NOT_SEARCHED = (
    "Not searched: which coalitions learn more than their output. If somebody joins such a "
    "coalition, the larger one may learn only its output, so counts alone do not decide. `simnet "
    "verify` judges a single coalition."
)


def large_coalitions(
    out: "Console",
    asked: "OneRun",
    made: "Protocol",
    users: Sequence[str],
    certificates: Path | None,
    json: str | None,
) -> None:
    """Judge the coalitions of a large run; print what they learn, and write what is wanted."""
    from simnet.adversary.coalitions.grown_sets import most_verdicts
    from simnet.cli.long_work import SECONDS_A_JUDGED_ELEMENT, announced
    from simnet.cli.output import print_note, remarks, write_json
    from simnet.cli.progress import progress_bar
    from simnet.scenario.drops import outcome_in_words
    from simnet.scenario.judging import MOST_ALIKE_ELEMENTS, MOST_MESSAGES
    from simnet.scenario.large_coalitions import Counted, judge_large
    from simnet.scenario.plain import guessed_inputs_in_words

    about = asked.scenario.described(made)
    work = about.workload
    messages, elements = (0, 0) if work is None else (work.messages, work.elements)
    is_by_symmetry = not asked.drop and asked.network is None
    is_refused = elements > MOST_ALIKE_ELEMENTS if is_by_symmetry else messages > MOST_MESSAGES
    seconds = 0.0 if is_refused else elements * SECONDS_A_JUDGED_ELEMENT
    verdicts = 2 * most_verdicts(len(made.parties())) * max(1, len(users))
    with (
        announced("coalitions", seconds),
        progress_bar("coalitions", verdicts) as progress,
    ):
        judged = judge_large(asked, about, users, progress)
    outcome = outcome_in_words(judged.run, about)
    for sentence in outcome:
        out.print(sentence, style="yellow")
    if isinstance(judged, Counted):
        print_counted(out, judged, users)
    else:
        print_grown(out, judged)
    guess = guessed_inputs_in_words(asked.scenario, made, has_option=False)
    print_note(out, guess)
    if certificates is not None:
        write_certificates(out, judged, certificates)
    found = counted_as_json(judged) if isinstance(judged, Counted) else grown_as_json(judged)
    write_json({**found, "remarks": remarks(*outcome, guess)}, json)


def print_counted(out: "Console", counted: "Counted", users: Sequence[str] = ()) -> None:
    """Print the kinds of parties and the staircases of the first parts of a run, and what they rest
    on. A *part* has the messages and secrets that relations join (see
    `simnet.adversary.coalitions.by_count`).

    With `users`, only the staircases of their kinds are printed, of parts that have such kinds.
    """
    found = counted.found
    out.print(
        f"{found.parties:,} parties (seed {counted.run.seed}). A coalition is given by its numbers "
        "of members of each kind. The tables say whom it exposes and touches by secret shares; the "
        "party itself is never a member."
    )
    parts = [(part, standings) for part in found.parts if (standings := _shown(part, users))]
    for part, standings in parts[:PARTS_SHOWN]:
        out.print()
        _print_part(out, part, standings)
    hidden = len(found.parts) - len(parts[:PARTS_SHOWN])
    out.print()
    if hidden > 0:
        out.print(f"parts of the run that are not shown: {hidden:,}; --json writes all parts")
    if len(found.parts) > 1:
        out.print(
            "A coalition exposes or touches a party if it does so in some part. Parties that a "
            "part does not name make no difference there."
        )
    if found.untouched:
        out.print(
            f"no coalition exposes or touches {_some(found.untouched)}: the messages tell nothing "
            "about their secrets"
        )
    _print_scope(out, found)


def _print_scope(out: "Console", found: "ByCount") -> None:
    if found.is_complete:
        out.print(
            f"The lists are complete: they decide for every coalition whom it exposes and touches. "
            f"{_verdicts_found(found.judged)} for them."
        )
    else:
        reasons = "; ".join(found.unsearched())
        out.print(
            f"The lists are not complete, because the search ended early: {reasons}. What is in "
            "the lists was proved, but they do not decide about every coalition. "
            f"{_verdicts_found(found.judged)}.",
            style="yellow",
        )
    for sentence in found.rests_on:
        out.print(f"  {sentence}")
    out.print(NOT_SEARCHED)


def _shown(part: "CountedPart", users: Sequence[str]) -> "list[CountedStanding]":
    kinds = {kind.name for kind in part.kinds if not users or set(users) & set(kind.members)}
    return [standing for standing in part.standings if standing.kind in kinds]


def _print_part(
    out: "Console", part: "CountedPart", standings: "Sequence[CountedStanding]"
) -> None:
    from rich.text import Text

    from simnet.cli.grid import Grid

    out.print(Text(f"{'; '.join(part.secrets)} (messages: {', '.join(part.labels)})", "bold"))
    kinds = Grid("kind", "parties", "in this part", "who")
    for kind in part.kinds:
        kinds.add_row(kind.name, f"{len(kind.members):,}", _role(kind), _some(kind.members))
    out.print(kinds)
    out.print()
    table = Grid("party", "is", *(kind.name for kind in part.kinds))
    for standing in standings:
        for what, stairs in (("exposed", standing.exposing), ("touched", standing.touching)):
            rows = [*_steps(f"{what} by at least", stairs.minimal, part, standing, stairs)]
            rows += _steps(f"not {what} by at most", stairs.maximal, part, standing, stairs)
            for row in rows:
                table.add_row(_party(part, standing) if row is rows[0] else "", *row)
    out.print(table)


def _party(part: "CountedPart", standing: "CountedStanding") -> str:
    (size,) = (len(kind.members) for kind in part.kinds if kind.name == standing.kind)
    return standing.kind if size == 1 else f"each {standing.kind}"


def _steps(
    what: str,
    vectors: "Sequence[Counts]",
    part: "CountedPart",
    standing: "CountedStanding",
    stairs: "Staircase",
) -> Iterator[list[str]]:
    blank = [""] * (len(part.kinds) - 1)
    if not vectors:
        yield [what, "none found" if stairs.unsearched else "no coalition", *blank]
    for place, counts in enumerate(vectors[:STEPS_SHOWN]):
        yield [
            "" if place else what,
            *map(_count, counts, part.kinds, [standing.kind] * len(counts)),
        ]
    hidden = len(vectors) - STEPS_SHOWN
    if hidden > 0:
        yield ["", f"and {hidden:,} more", *blank]


def _count(count: int, kind: "Kind", own: str) -> str:
    others = len(kind.members) - (kind.name == own)
    return f"all {count:,}" if count == others > 1 else f"{count:,}"


def _role(kind: "Kind") -> str:
    words = ["has a secret"] if kind.has_secret else []
    if kind.receives:
        words.append(f"receives {', '.join(kind.receives)}")
    return "; ".join(words) or "sends"


def _verdicts_found(count: int) -> str:
    return "1 verdict was found" if count == 1 else f"{count:,} verdicts were found"


def _some(names: Sequence[str]) -> str:
    hidden = len(names) - MEMBERS_SHOWN
    more = f" and {hidden:,} more" if hidden > 0 else ""
    return ", ".join(names[:MEMBERS_SHOWN]) + more


def print_grown(out: "Console", grown: "Grown") -> None:
    """Print, for some parties, one coalition that exposes the party, one that does not, and the
    same for touching.
    """
    from simnet.cli.grid import Grid

    out.print(
        f"{len(grown.run.roster):,} parties: the coalitions of this run cannot be judged by counts "
        f"(seed {grown.run.seed})"
    )
    for reason in grown.reasons:
        out.print(f"  why: {reason}")
    table = Grid(
        "party",
        "minimal: exposed by",
        "maximal: not exposed by",
        "minimal: touched by",
        "maximal: not touched by",
    )
    for each in grown.sets:
        table.add_row(
            each.party,
            *(
                cell
                for found in (each.exposing, each.touching)
                for cell in _one_of_each(grown, each.party, found)
            ),
        )
    out.print(table)
    out.print(
        "Not complete: this is one coalition of each sort. Others may exist, except where the "
        f'table says "nobody, whoever colludes". {_verdicts_found(grown.judged)}. --user chooses '
        "the parties.",
        style="yellow",
    )
    out.print(NOT_SEARCHED)


def _one_of_each(grown: "Grown", party: str, found: "OneOfEach") -> Iterator[str]:
    names = [name for name in grown.run.roster.names if name != party]

    def shown(members: Sequence[str] | None) -> str:
        if members is None:
            return found.unsearched or "undecided"
        missing = [name for name in names if name not in members]
        if len(missing) <= MEMBERS_SHOWN < len(members):
            return f"all others but {', '.join(missing)}" if missing else "all others together"
        return _some(members) if members else "none"

    yield "nobody, whoever colludes" if found.nobody else shown(found.minimal)
    yield shown(found.maximal)


def counted_as_json(counted: "Counted") -> dict[str, object]:
    """Return the result as an object for JSON."""
    found = counted.found
    return {
        "seed": counted.run.seed,
        "parties": found.parties,
        "complete": found.is_complete,
        "judged": found.judged,
        "parts": [
            {
                "secrets": list(part.secrets),
                "messages": list(part.labels),
                "kinds": [
                    {
                        "name": kind.name,
                        "members": list(kind.members),
                        "has_secret": kind.has_secret,
                        "receives": list(kind.receives),
                    }
                    for kind in part.kinds
                ],
                "standings": [
                    {
                        "kind": standing.kind,
                        "exposing": _stairs(standing.exposing),
                        "touching": _stairs(standing.touching),
                    }
                    for standing in part.standings
                ],
            }
            for part in found.parts
        ],
        "untouched": list(found.untouched),
        "rests_on": list(found.rests_on),
        "not_searched": NOT_SEARCHED,
    }


def _stairs(stairs: "Staircase") -> dict[str, object]:
    return {
        "minimal": [list(counts) for counts in stairs.minimal],
        "maximal": [list(counts) for counts in stairs.maximal],
        "unsearched": stairs.unsearched,
    }


def grown_as_json(grown: "Grown") -> dict[str, object]:
    """Return the result as an object for JSON."""

    def sort(found: "OneOfEach") -> dict[str, object]:
        return {
            "minimal": None if found.minimal is None else list(found.minimal),
            "maximal": None if found.maximal is None else list(found.maximal),
            "nobody": found.nobody,
            "unsearched": found.unsearched,
        }

    return {
        "seed": grown.run.seed,
        "parties": len(grown.run.roster),
        "complete": False,
        "judged": grown.judged,
        "not_counted": list(grown.reasons),
        "sets": [
            {"party": each.party, "exposing": sort(each.exposing), "touching": sort(each.touching)}
            for each in grown.sets
        ],
        "not_searched": NOT_SEARCHED,
    }


def write_certificates(out: "Console", judged: "Counted | Grown", folder: Path) -> None:
    """Write certificates of the listed coalitions into numbered files."""
    from simnet.files import write_whole

    coalitions = [each for each in dict.fromkeys(_listed(judged)) if each]
    texts = [text for each in coalitions if (text := judged.certify(each)) is not None]
    for number, text in enumerate(texts, 1):
        write_whole(folder / f"{number:0{len(str(len(texts)))}}.json", text)
    out.print(f"certificates written to {folder}: {len(texts):,}")


def _listed(judged: "Counted | Grown") -> Iterator[tuple[str, ...]]:
    from simnet.scenario.large_coalitions import Counted

    if isinstance(judged, Counted):
        for part, standing, counts in judged.found.corners():
            yield part.coalition(standing, counts)
        return
    for grown in judged.sets:
        for found in (grown.exposing, grown.touching):
            yield from (each for each in (found.minimal, found.maximal) if each is not None)
