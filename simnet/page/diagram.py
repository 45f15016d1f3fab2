"""A sequence diagram of a run: as text for a terminal, and as SVG for a paper.

Theory of operation. Every party is a vertical line, time runs downwards, and every message to
another party is an arrow between two lines. A run with more parties or messages than fit, or with a
crowd, is drawn role by role: one line for each role, and one arrow for all messages of one round,
tag, size and pair of roles.

>>> from simnet import perform
>>> print(diagram_text(perform("dpds", users=2, items=2, seed=1).run))
              u1          u2        server
round 1        │           │           │
               ├───share──>│           │
               │<──share───┤           │
round 2        │           │           │
               ├────────partial───────>│
               │           ├──partial─>│
"""

from collections.abc import Sequence
from itertools import groupby

import attrs

from simnet.adversary.reading_again import played_again
from simnet.kernel.reading import Sampled
from simnet.kernel.run import Run
from simnet.markup import escaped
from simnet.page.keeping import Keeping
from simnet.page.traffic import flows_json, messages_json

WITHOUT_NUMBERS = Keeping(numbers=True)  # a diagram shows no contents
MOST_PARTIES = 10
MOST_ARROWS = 80
LEFT = 9  # letters before the first line
LANE = 12  # letters from one line to the next
FOLDED_LANE = 20  # the same if roles are lines, because numbers of messages need room
SVG_LEFT, SVG_LANE, SVG_ROW, SVG_TOP = 70, 130, 26, 40


@attrs.frozen
class Arrow:
    """An arrow between two lines, by their places; `target` is None if it is not known."""

    round: int
    source: int
    target: int | None
    label: str


@attrs.frozen
class Diagram:
    """The names of the lines, and the arrows in order."""

    lines: Sequence[str]
    arrows: Sequence[Arrow]
    is_folded: bool


def diagram_of(done: Run) -> Diagram:
    """Return the diagram of a run: message by message, or role by role if the run is large or has a
    crowd.
    """
    roster = done.roster
    messages = done.ledger.total().messages
    if len(roster) <= MOST_PARTIES and messages <= MOST_ARROWS and not roster.crowds:
        found = messages_json(played_again(done, roster.names, Sampled()), WITHOUT_NUMBERS)
        columns = (found["round"], found["from"], found["to"], found["tag"])
        arrows = [
            Arrow(round_, source, target, found["tags"][tag])
            for round_, source, target, tag in zip(*columns, strict=True)
        ]
        return Diagram(roster.names, arrows, is_folded=False)
    flows = flows_json(done, WITHOUT_NUMBERS)
    names = [
        f"{role} ×{roster.role(role).size:,}" if roster.role(role).size > 1 else role
        for role in roster.roles
    ]
    return Diagram(
        names,
        [
            Arrow(
                round_,
                source,
                None if target < 0 else target,
                f"{flows['tags'][tag]} ×{count:,}" if count > 1 else flows["tags"][tag],
            )
            for round_, tag, _, source, target, count in flows["flows"]
            if count
        ],
        is_folded=True,
    )


def diagram_text(done: Run) -> str:
    """Return the messages of a run as a sequence diagram for a terminal.

    >>> from simnet import perform
    >>> print(diagram_text(perform("dpds", users=300, items=2, seed=1).run))
                  user ×300             server
    round 1            │                   │
                       ├─ share ×89,700 among them
    round 2            │                   │
                       ├────partial ×300──>│
    """
    diagram = diagram_of(done)
    lane = FOLDED_LANE if diagram.is_folded else LANE
    middles = [LEFT + place * lane + lane // 2 for place in range(len(diagram.lines))]
    heads = "".join(_short(name, lane - 1).center(lane) for name in diagram.lines)
    rows = [" " * LEFT + heads]
    for number, arrows in groupby(diagram.arrows, key=lambda arrow: arrow.round):
        rows.append(_lines(f"round {number}", middles))
        rows += [_arrow_row(arrow, middles) for arrow in arrows]
    return "\n".join(row.rstrip() for row in rows)


def _lines(start: str, middles: Sequence[int]) -> str:
    row = list(start.ljust(middles[-1] + 1))
    for middle in middles:
        row[middle] = "│"
    return "".join(row)


def _arrow_row(arrow: Arrow, middles: Sequence[int]) -> str:
    row = list(_lines("", middles))
    source = middles[arrow.source]
    if arrow.target is None or arrow.target == arrow.source:
        among = " among them" if arrow.target is not None else " to unknown roles"
        text = f"├─ {arrow.label}{among} "
        return "".join(row[:source]) + text + "".join(row[source + len(text) :])
    target = middles[arrow.target]
    low, high = sorted((source, target))
    label = _short(arrow.label, high - low - 3)
    row[low + 1 : high] = label.center(high - low - 1, "─")
    row[source] = "├" if source < target else "┤"
    if source < target:
        row[target - 1] = ">"
    else:
        row[target + 1] = "<"
    return "".join(row)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def diagram_svg(done: Run) -> str:
    """Return the messages of a run as a sequence diagram in SVG.

    >>> from simnet import perform
    >>> svg = diagram_svg(perform("dpds", users=2, items=2, seed=1).run)
    >>> svg.startswith("<svg"), svg.count("<polygon")
    (True, 4)
    """
    diagram = diagram_of(done)
    middles = [SVG_LEFT + SVG_LANE * place + SVG_LANE // 2 for place in range(len(diagram.lines))]
    parts: list[str] = []
    y, number = SVG_TOP, None
    for arrow in diagram.arrows:
        if arrow.round != number:
            number = arrow.round
            y += SVG_ROW
            parts.append(f'<text x="4" y="{y + 4}">round {number}</text>')
        y += SVG_ROW
        parts += _arrow_svg(arrow, middles, y)
    height, width = y + SVG_ROW, SVG_LEFT + SVG_LANE * len(diagram.lines) + 40
    lines = [
        f'<line x1="{x}" x2="{x}" y1="{SVG_TOP}" y2="{height - 8}" stroke="#999"/>'
        f'<text x="{x}" y="{SVG_TOP - 14}" text-anchor="middle" font-weight="bold">'
        f"{escaped(name)}</text>"
        for x, name in zip(middles, diagram.lines, strict=True)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="12">'
        f"<title>Messages of a run</title>"
        f'<rect width="100%" height="100%" fill="white"/>{"".join(lines + parts)}</svg>\n'
    )


def _arrow_svg(arrow: Arrow, middles: Sequence[int], y: int) -> list[str]:
    source, label = middles[arrow.source], escaped(arrow.label)
    if arrow.target is None or arrow.target == arrow.source:
        among = "" if arrow.target is not None else " to unknown roles"
        return [
            f'<path d="M{source} {y - 8}h26v8h-26" fill="none" stroke="black"/>'
            f'<polygon points="{source},{y} {source + 8},{y - 4} {source + 8},{y + 4}"/>'
            f'<text x="{source + 32}" y="{y}">{label}{among}</text>'
        ]
    target = middles[arrow.target]
    back = target - 8 if target > source else target + 8
    return [
        f'<line x1="{source}" x2="{target}" y1="{y}" y2="{y}" stroke="black"/>'
        f'<polygon points="{target},{y} {back},{y - 4} {back},{y + 4}"/>'
        f'<text x="{(source + target) / 2:g}" y="{y - 5}" text-anchor="middle">{label}</text>'
    ]
