"""Which smallest sets of parties can compute the contents of each message of a small run.

Theory of operation. The sender and the recipient of a message know it. Other parties may be able to
compute it: if u1 sends a mask to u2, and its secret plus this mask to u3, then u2 and u3 together
know what u1 has sent. A set knows its own coins and secrets, and the messages that reach it. It can
compute a message if the message's forms are linear combinations of all this. Whoever joins the set
only adds to what it knows, so we try small sets first, and skip a set that contains one that was
found.

The list of a message is right for linear combinations. What a set may conclude from numbers that
scripts open is not searched, so a list may lack sets.
"""

import itertools
from collections.abc import Sequence

from simnet.adversary.verdict import Verdict
from simnet.linear.forms import Forms
from simnet.linear.span import Span
from simnet.linear.terms import common_lanes, refine
from simnet.linear.unknowns import PLACES
from simnet.linear.vectors import Vector

MOST_PARTIES = 8
MOST_ROWS = 1000

# A message by round, sender, recipient, tag and key.
Place = tuple[int, int, int, str, int | None]
Names = tuple[str, ...]


def smallest_readers(verdict: Verdict) -> dict[Place, list[Names]] | None:
    """Return the smallest sets that can compute each message, besides its sender and recipient.

    The verdict is about one run, all parties of which were observed. Messages without field
    elements are left out. Returns None for a run that is too large to be searched, and for one with
    seeds, keys or boxes.
    """
    done = verdict.runs[0]
    names = tuple(done.roster.names)
    if len(names) > MOST_PARTIES or verdict.unknowns.queries or done.roster.crowds:
        return None
    rows = list(_rows(verdict))
    if len(rows) > MOST_ROWS:
        return None
    moduli = sorted({modulus for _, modulus, _ in rows})
    found: dict[Place, list[Names]] = {place: [] for place, _, _ in rows}
    found_numbers: dict[Place, list[frozenset[int]]] = {place: [] for place in found}
    for size in range(1, len(names)):
        for members in map(frozenset, itertools.combinations(range(len(names)), size)):
            wanted = [
                place
                for place in found
                if not members & {place[1], place[2]}
                and not any(smaller <= members for smaller in found_numbers[place])
            ]
            if not wanted:
                continue
            readable = set(wanted)
            for modulus in moduli:
                own = [(place, row) for place, q, row in rows if q == modulus]
                readable -= _unreadable(verdict, names, members, own, readable, modulus)
            for place in readable:
                found_numbers[place].append(members)
                found[place].append(tuple(names[number] for number in sorted(members)))
    return found


def _rows(verdict: Verdict) -> list[tuple[Place, int, Vector]]:
    """The forms of all messages between different parties, each with the message and modulus."""
    pieces = [
        (
            (message.round, message.sender, message.recipient, message.tag, message.key),
            piece.field.modulus,
            piece.terms,
        )
        for block in verdict.runs[0].transcript.blocks
        for message in block.messages()
        if message.sender != message.recipient
        for piece in message.pieces
        if isinstance(piece, Forms)
    ]
    lanes = common_lanes([terms for _, _, terms in pieces]) or 1
    return [
        (place, modulus, vector)
        for place, modulus, terms in pieces
        for vector in refine(terms, lanes).vectors()
    ]


def _unreadable(
    verdict: Verdict,
    names: Names,
    members: frozenset[int],
    rows: Sequence[tuple[Place, Vector]],
    wanted: set[Place],
    modulus: int,
) -> set[Place]:
    """The wanted messages of which these members cannot compute some row over one field."""
    is_known = verdict.unknowns.held_by([names[number] for number in members])
    span = Span(modulus)

    def unknown_part(row: Vector) -> Vector:
        return {u: factor for u, factor in row.items() if not is_known[u // PLACES]}

    for place, row in rows:
        if place[2] in members and place[1] not in members:
            span.add(unknown_part(row))
    return {place for place, row in rows if place in wanted and unknown_part(row) not in span}
