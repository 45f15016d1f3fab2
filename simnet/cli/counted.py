"""What coalitions of a large run learn, as tables on a terminal and as JSON."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from simnet.adversary.coalitions.answer import Answer, CountedPart, CountedStanding, Kind
    from simnet.adversary.coalitions.staircase import Counts, Staircase
    from simnet.scenario.large_coalitions import OneRun, Searched
    from simnet.stated.about import About

PARTS_SHOWN = 3
STEPS_SHOWN = 6  # so many vectors of a list are shown
MEMBERS_SHOWN = 6
NOT_SEARCHED = (
    "Not searched: which coalitions learn more than their output. If somebody joins such a "
    "coalition, the larger one may learn only its output, so counts alone do not decide. `simnet "
    "verify` judges a single coalition."
)


def large_coalitions(
    asked: "OneRun", about: "About", parties: int, users: Sequence[str]
) -> "Searched":
    """Judge the coalitions of a large run; show how far the work is."""
    from simnet.adversary.coalitions.one_by_one import most_verdicts
    from simnet.cli.long_work import SECONDS_A_JUDGED_ELEMENT, announced
    from simnet.cli.progress import progress_bar
    from simnet.scenario.judging import MOST_ALIKE_ELEMENTS, MOST_MESSAGES
    from simnet.scenario.large_coalitions import search_coalitions

    work = about.workload
    messages, elements = (0, 0) if work is None else (work.messages, work.elements)
    is_by_symmetry = not asked.drop and asked.network is None
    is_refused = elements > MOST_ALIKE_ELEMENTS if is_by_symmetry else messages > MOST_MESSAGES
    seconds = 0.0 if is_refused else elements * SECONDS_A_JUDGED_ELEMENT
    verdicts = 2 * most_verdicts(parties) * max(1, len(users))
    with (
        announced("coalitions", seconds),
        progress_bar("coalitions", verdicts) as progress,
    ):
        return search_coalitions(asked, about, users, progress=progress)


def print_found(out: "Console", searched: "Searched", users: Sequence[str] = ()) -> None:
    """Print which coalitions of a large run expose and touch parties.

    With `users`, only the staircases of their kinds are printed, of parts that have such kinds.
    """
    if searched.found.not_counted:
        _print_single(out, searched)
    else:
        _print_counted(out, searched, users)


def _print_counted(out: "Console", searched: "Searched", users: Sequence[str]) -> None:
    """Print the kinds of parties and the staircases of the first parts of a run, and what they rest
    on. A *part* has the messages and secrets that relations join (see
    `simnet.adversary.coalitions.alike`).
    """
    found = searched.found
    out.print(
        f"{found.parties:,} parties (seed {searched.run.seed}). A coalition is given by its "
        "numbers of members of each kind. The tables say whom it exposes and touches by secret "
        "shares; the party itself is never a member."
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


def _print_scope(out: "Console", found: "Answer") -> None:
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
    return [each for each in part.standings if not users or set(users) & set(each.kind.members)]


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
        own = standing.kind
        party = own.name if len(own.members) == 1 else f"each {own.name}"
        for what, stairs in (("exposed", standing.exposing), ("touched", standing.touching)):
            rows = [*_steps(f"{what} by at least", stairs.minimal, part, own, stairs)]
            rows += _steps(f"not {what} by at most", stairs.maximal, part, own, stairs)
            for row in rows:
                table.add_row(party if row is rows[0] else "", *row)
    out.print(table)


def _steps(
    what: str,
    vectors: "Sequence[Counts]",
    part: "CountedPart",
    own: "Kind",
    stairs: "Staircase",
) -> Iterator[list[str]]:
    blank = [""] * (len(part.kinds) - 1)
    if not vectors:
        yield [what, "none found" if stairs.unsearched else "no coalition", *blank]
    for place, counts in enumerate(vectors[:STEPS_SHOWN]):
        shown = (_count(n, kind, own) for n, kind in zip(counts, part.kinds, strict=True))
        yield ["" if place else what, *shown]
    hidden = len(vectors) - STEPS_SHOWN
    if hidden > 0:
        yield ["", f"and {hidden:,} more", *blank]


def _count(count: int, kind: "Kind", own: "Kind") -> str:
    others = len(kind.members) - (kind is own)
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


def _print_single(out: "Console", searched: "Searched") -> None:
    """Print, for some parties, one coalition that exposes the party, one that does not, and the
    same for touching.
    """
    from simnet.cli.grid import Grid

    found = searched.found
    out.print(
        f"{found.parties:,} parties: the coalitions of this run cannot be judged by counts "
        f"(seed {searched.run.seed})"
    )
    for reason in found.not_counted:
        out.print(f"  why: {reason}")
    table = Grid(
        "party",
        "minimal: exposed by",
        "maximal: not exposed by",
        "minimal: touched by",
        "maximal: not touched by",
    )
    (part,) = found.parts
    for standing in part.standings:
        others = [name for name in searched.run.roster.names if name != standing.kind.name]
        row = [
            cell
            for stairs in (standing.exposing, standing.touching)
            for cell in _one_of_each(part, others, stairs)
        ]
        table.add_row(standing.kind.name, *row)
    out.print(table)
    out.print(
        "Not complete: this is one coalition of each sort. Others may exist, except where the "
        f'table says "nobody, whoever colludes". {_verdicts_found(found.judged)}. --user chooses '
        "the parties.",
        style="yellow",
    )
    out.print(NOT_SEARCHED)


def _one_of_each(part: "CountedPart", others: Sequence[str], stairs: "Staircase") -> Iterator[str]:
    if stairs.is_nowhere:
        yield "nobody, whoever colludes"
    for vectors in (stairs.minimal, stairs.maximal)[stairs.is_nowhere :]:
        members = _first(part, vectors)
        if members is None:
            yield _ended_early(stairs) or "undecided"
            continue
        missing = [name for name in others if name not in members]
        if len(missing) <= MEMBERS_SHOWN < len(members):
            yield f"all others but {', '.join(missing)}" if missing else "all others together"
        else:
            yield _some(members) if members else "none"


def _first(part: "CountedPart", vectors: "Sequence[Counts]") -> Sequence[str] | None:
    return part.coalition(vectors[0]) if vectors else None


def _ended_early(stairs: "Staircase") -> str:
    """Why a search for one coalition of each sort ended early; empty if it did not."""
    from simnet.adversary.coalitions.staircase import ONE_OF_EACH

    return "" if stairs.unsearched == ONE_OF_EACH else stairs.unsearched


def as_json(searched: "Searched") -> dict[str, object]:
    """Return the result as an object for JSON."""
    found = searched.found
    return {
        "seed": searched.run.seed,
        "parties": found.parties,
        "complete": found.is_complete and not found.not_counted,
        "judged": found.judged,
        **(_single_as_json(found) if found.not_counted else _counted_as_json(found)),
        "not_searched": NOT_SEARCHED,
    }


def _counted_as_json(found: "Answer") -> dict[str, object]:
    import attrs

    def stairs(standing: "CountedStanding") -> dict[str, object]:
        return {
            "kind": standing.kind.name,
            "exposing": attrs.asdict(standing.exposing),
            "touching": attrs.asdict(standing.touching),
        }

    return {
        "parts": [
            {
                "secrets": part.secrets,
                "messages": part.labels,
                "kinds": [attrs.asdict(kind) for kind in part.kinds],
                "standings": [stairs(standing) for standing in part.standings],
            }
            for part in found.parts
        ],
        "untouched": found.untouched,
        "rests_on": found.rests_on,
    }


def _single_as_json(found: "Answer") -> dict[str, object]:
    (part,) = found.parts

    def sort(stairs: "Staircase") -> dict[str, object]:
        return {
            "minimal": _first(part, stairs.minimal),
            "maximal": _first(part, stairs.maximal),
            "nobody": stairs.is_nowhere,
            "unsearched": _ended_early(stairs),
        }

    return {
        "not_counted": found.not_counted,
        "sets": [
            {
                "party": each.kind.name,
                "exposing": sort(each.exposing),
                "touching": sort(each.touching),
            }
            for each in part.standings
        ],
    }
