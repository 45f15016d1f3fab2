"""Every coalition of a run with Shamir's sharing, by how many members it has of each kind.

Theory of operation
-------------------

With Shamir's sharing users cannot be exchanged: each has a point of its own. Yet equally many
shares tell the same, whichever they are. So for these runs, too, only counts matter, by a theorem
that is stated in docs/proofs/shared-and-added.md. Its assumptions are checked on the run, which is
read symbolically. Every field element that was sent must be one of these:

- a *share*. All senders of a part of the run (`by_count`) share by one matrix, whose rows are the
  powers 1, a, a², ..., of points a that are different and not 0. Row k goes to the same recipient
  for all senders. The first coefficient is a secret of the sender, and the others are its own
  coins. Each of these coins and secrets occurs in no other sharing.
- a *sum*. If sums are sent, every recipient adds up the shares that it received from all senders,
  and sends the sum to one collector, the same for all. The collector sends and receives no shares.

Let t be the number of powers. A coalition without u that receives at least t shares of each secret
exposes u. With fewer shares it exposes u if and only if it has the collector and all other senders,
and touches u if and only if it has the collector. So the staircases follow from the number of
members of each kind.

Each vector of counts that is listed, except 0, is also judged on the run by elimination, for one
coalition with these counts. If this verdict does not agree, the run is refused.
"""

import itertools
from collections.abc import Iterator, Sequence

import attrs
import numpy as np

from simnet.adversary.coalitions.by_count import (
    MONOTONE,
    ByCount,
    CountedPart,
    CountedStanding,
    Kind,
    kind_names,
    secrets_in_words,
    untouched_among,
)
from simnet.adversary.coalitions.nonlinear import nonlinear_reason
from simnet.adversary.coalitions.reach import Reach, What
from simnet.adversary.coalitions.staircase import Counts, staircase
from simnet.adversary.judge import Judge
from simnet.adversary.reading_again import read_blind, recorded
from simnet.adversary.symbolic import Symbolic
from simnet.arrays import Ints
from simnet.errors import BadInput, SimnetError
from simnet.kernel.run import Run
from simnet.linear.forms import Forms
from simnet.linear.mixtures import Mixture, TermRows, listed, written_out
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.linear.vectors import Vector, add_to
from simnet.record.message import Block
from simnet.values.typed import Typed

NOT_VALUES = (
    "some messages that a party sent together are not values, at different points other than 0, of "
    "a polynomial whose coefficients are a secret and fewer coins than these messages have "
    "recipients"
)
NO_SHARE = (
    "a message that was taken for a share is not a sum of one secret and coins of its sender, each "
    "times a factor"
)
SPREAD = (
    "the elements of one row of an array go to several recipients: send an array of shape "
    "(recipients, elements), which has a row for each recipient"
)
USED_TWICE = "a coin or a secret occurs in two sharings, or twice in one"


class NotShared(SimnetError):
    """Raised for a run that the theorem on Shamir's shares does not describe; the text says why."""


@attrs.frozen(eq=False, kw_only=True)
class _Sent:
    """Rows of forms under one tag and key: equally many for each recipient, in the order of
    `recipients`.
    """

    sender: int
    recipients: tuple[int, ...]
    label: tuple[str, int | None]
    modulus: int
    rows: TermRows


@attrs.define(eq=False, kw_only=True)
class _Sharing:
    """The sharings of all senders by one matrix among the same recipients, and the sums of the
    shares.
    """

    label: tuple[str, int | None]
    recipients: tuple[int, ...]
    weights: Ints
    modulus: int
    lanes: int
    bases: dict[int, list[Vector]] = attrs.field(factory=dict)  # by sender
    collector: int | None = None
    reports: dict[int, TermRows] = attrs.field(factory=dict)  # by recipient of shares

    @property
    def threshold(self) -> int:
        """How many shares are enough to compute the secret."""
        return int(self.weights.shape[1])

    def total(self) -> list[Vector]:
        rows: list[Vector] = [{} for _ in next(iter(self.bases.values()))]
        for base in self.bases.values():
            for row, more in zip(rows, base, strict=True):
                add_to(row, more, 1, self.modulus)
        return rows


def shares_by_count(done: Run) -> ByCount:
    """Find out which coalitions expose and touch each party, by counts.

    Raises `NotShared` for an aborted run, and for a run with drop-outs, messages that went astray,
    deadlines or crowds. For other runs, raises `BadInput` if nobody has declared a secret, and
    otherwise `NotShared` if the theorem does not describe the run: for example, if there are other
    field elements than Shamir's shares and their sums. Other errors are as for `verdict`.
    """
    names = done.roster.names
    if done.fates or done.message_fates or done.deadlines or done.aborts or done.roster.crowds:
        raise NotShared(
            "somebody dropped out, a message was lost, damaged, duplicated or late, somebody "
            "waited with a deadline, the run was aborted, or some parties are crowds"
        )
    sampled, record = recorded(done, names)
    reading = Symbolic(record)
    symbolic = read_blind(sampled, names, reading)
    if not reading.declared:
        raise BadInput("no party has declared a secret in this run")
    reason = nonlinear_reason(reading)
    if reason:
        raise NotShared(reason)
    sent = [each for block in symbolic.transcript.blocks for each in _sent(block)]
    _check_count(symbolic, sent)
    sharings = _sharings(sent, reading.unknowns, symbolic)
    reach = Reach(Judge([done], names), tuple(names))
    parts = tuple(_counted(sharing, symbolic, reading.unknowns) for sharing in sharings)
    found = ByCount(
        parties=len(names),
        parts=parts,
        untouched=untouched_among(reading.declared, parts),
        judged=0,
        rests_on=(
            "shares: it was checked that all field elements that were sent are shares and sums as "
            "the theorem on Shamir's sharing requires. So only counts matter "
            '(see the page "Secrets that are shared and added" in the documentation)',
            MONOTONE,
            "listed counts: for each line that has members, one coalition with these counts was "
            "also judged on this run by elimination, with the same result",
        ),
    )
    _confirm(found, reach)
    return attrs.evolve(found, judged=reach.judged)


# Reading the run.


def _sent(block: Block) -> Iterator[_Sent]:
    """The rows of forms of a block. Raises `NotShared` for messages that carry more than field
    elements and plain numbers.
    """
    if isinstance(block.rows, Forms):
        keys = list(dict.fromkeys(block.keys))
        for key in keys:
            places = [place for place, each in enumerate(block.keys) if each == key]
            forms = block.rows if len(keys) == 1 else block.rows[np.array(places)]
            yield _Sent(
                sender=block.sender,
                recipients=tuple(int(block.recipients[place]) for place in places),
                label=(block.tag, key),
                modulus=forms.field.modulus,
                rows=forms.rows,
            )
        return
    for message in block.messages():
        for piece in message.pieces:
            if isinstance(piece, Forms):
                yield _Sent(
                    sender=message.sender,
                    recipients=(message.recipient,),
                    label=(message.tag, message.key),
                    modulus=piece.field.modulus,
                    rows=piece.rows,
                )
            elif not isinstance(piece, Typed):
                raise NotShared("messages carry more than field elements and plain numbers")


def _check_count(done: Run, sent: Sequence[_Sent]) -> None:
    """Raise `NotShared` unless as many field elements were read as the bill counts."""
    read = 0
    for each in sent:
        elements, rest = divmod(each.rows.rows * each.rows.lanes, len(each.recipients))
        if rest:
            raise NotShared(SPREAD)
        read += elements * sum(recipient != each.sender for recipient in each.recipients)
    billed = done.ledger.total().elements.get("qd", 0)
    if read != billed:
        raise NotShared(f"{billed:,} field elements were sent, and {read:,} were read")


def _sharings(sent: Sequence[_Sent], unknowns: Unknowns, done: Run) -> list[_Sharing]:
    """All sharings of the run, with their sums. Raises `NotShared` if something else was sent."""
    found: dict[tuple[object, ...], _Sharing] = {}
    home: dict[int, _Sharing] = {}  # where each unknown occurs
    intervals: list[tuple[int, int]] = []
    sums: list[_Sent] = []
    for each in sent:
        if len(each.recipients) == 1 and not _is_own(each.rows, unknowns, done, each.sender):
            sums.append(each)
            continue
        sharing, base = _add_sharing(found, each, unknowns, done)
        for vector in base:
            (unknown,) = vector
            home[unknown] = sharing
            intervals.append((unknown, unknown + sharing.lanes))
    intervals.sort()
    if any(begin < end for (_, end), (begin, _) in itertools.pairwise(intervals)):
        raise NotShared(USED_TWICE)
    for each in sums:
        _add_report(each, home)
    for sharing in found.values():
        _check_reports(sharing)
    return list(found.values())


def _add_sharing(
    found: dict[tuple[object, ...], _Sharing], sent: _Sent, unknowns: Unknowns, done: Run
) -> tuple[_Sharing, list[Vector]]:
    rows = sent.rows
    if len(set(sent.recipients)) != len(sent.recipients):
        raise NotShared(
            "a party sends several rows with the same tag and key to the same recipient"
        )
    base, weights = _base(sent, unknowns, done.roster.names[sent.sender])
    matrix = weights.shape, weights.tobytes()
    key = sent.label, sent.recipients, sent.modulus, rows.lanes, len(base), matrix
    sharing = found.get(key)
    if sharing is None:
        check_points(weights, sent.modulus)
        sharing = found[key] = _Sharing(
            label=sent.label,
            recipients=sent.recipients,
            weights=weights,
            modulus=sent.modulus,
            lanes=rows.lanes,
        )
    if sent.sender in sharing.bases:
        raise NotShared("a party shares twice with the same tag and key")
    sharing.bases[sent.sender] = base
    return sharing, base


def _is_own(rows: TermRows, unknowns: Unknowns, done: Run, sender: int) -> bool:
    base = listed(rows)
    own = {done.roster.names[sender]}
    return all(
        unknowns.families[number].holders == own
        for number in np.unique(base.unknowns // PLACES).tolist()
    )


def _base(sent: _Sent, unknowns: Unknowns, sender: str) -> tuple[list[Vector], Ints]:
    """The base of a sharing (the secret and the coins that its shares combine), and its matrix. The
    secret stands in the first column.

    Raises `NotShared` unless each share is made of one secret and of coins of the sender.
    """
    columns = [
        dict(
            sorted(
                of_element.items(), key=lambda item: (_is_coin(item[0], unknowns, sender), item[1])
            )
        )
        for of_element in _columns(sent)
    ]
    kinds = [[_is_coin(unknown, unknowns, sender) for unknown in each] for each in columns]
    if any(each != [False, *[True] * (len(each) - 1)] for each in kinds):
        raise NotShared(NO_SHARE)
    matrices = [list(each.values()) for each in columns]
    if any(matrix != matrices[0] for matrix in matrices):
        raise NotShared("a party shares elements of a secret in different ways")
    ordered = [list(each) for each in columns]
    base: list[Vector] = [
        {unknowns_of[at]: 1} for at in range(len(ordered[0])) for unknowns_of in ordered
    ]
    return base, np.array(matrices[0], dtype=np.int64).T.copy()


def _columns(sent: _Sent) -> list[dict[int, tuple[int, ...]]]:
    """For each place in a message: the unknowns at this place, each with its coefficients in all
    messages. Raises `NotShared` if the unknowns at a place are not the same in all messages.
    """
    rows, count = sent.rows, len(sent.recipients)
    if isinstance(rows, Mixture) and rows.count == count:
        base = rows.base.vectors()
        if any(list(vector.values()) != [1] for vector in base):
            raise NotShared(NO_SHARE)
        if len({unknown for vector in base for unknown in vector}) != len(base):
            raise NotShared(USED_TWICE)
        weights = (rows.weights % rows.modulus).T.tolist()
        return [
            {
                next(iter(base[at * rows.each + place])): tuple(weights[at])
                for at in range(rows.inner)
            }
            for place in range(rows.each)
        ]
    vectors = written_out(rows).vectors()
    each = len(vectors) // count
    if each * count != len(vectors):
        raise NotShared(SPREAD)
    found = []
    for place in range(each):
        of_element = vectors[place::each]
        if any(vector.keys() != of_element[0].keys() for vector in of_element):
            raise NotShared(NOT_VALUES)
        found.append(
            {unknown: tuple(vector[unknown] for vector in of_element) for unknown in of_element[0]}
        )
    return found


def _is_coin(unknown: int, unknowns: Unknowns, sender: str) -> bool:
    """Whether an unknown of a share is a coin. Raises `NotShared` unless it is a coin or a secret
    of the sender alone.
    """
    family = unknowns.families[unknown // PLACES]
    if family.kind not in ("coin", "secret") or family.holders != {sender}:
        raise NotShared(NO_SHARE)
    return family.kind == "coin"


def check_points(weights: Ints, modulus: int) -> None:
    """Raise `NotShared` unless each row has the powers of a point, the points are different and not
    0, and there are at least as many rows as powers. The powers may stand in any order after 1.
    """
    columns = set(map(tuple, weights.T.tolist()))
    recipients, threshold = weights.shape
    if threshold > recipients or tuple([1] * recipients) != tuple(weights[:, 0].tolist()):
        raise NotShared(NOT_VALUES)
    if threshold == 1:
        return
    for points in weights.T.tolist():
        if len(set(points)) == recipients and 0 not in points:
            powers = {
                tuple(pow(point, power, modulus) for point in points) for power in range(threshold)
            }
            if powers == columns and len(columns) == threshold:
                return
    raise NotShared(NOT_VALUES)


def _add_report(sent: _Sent, home: dict[int, _Sharing]) -> None:
    rows = sent.rows
    base = listed(rows)
    sharing = home.get(int(base.unknowns[0])) if base.unknowns.size else None
    if sharing is None or sent.sender not in sharing.recipients:
        raise NotShared(
            "a party sends field elements that are neither shares of its own secret nor a sum of "
            "shares that it received"
        )
    if sharing.lanes != rows.lanes or sharing.modulus != sent.modulus:
        raise NotShared(
            "a party reports something else than the sum of the shares that it received"
        )
    (collector,) = sent.recipients
    if sharing.collector not in (None, collector) or sent.sender in sharing.reports:
        raise NotShared("a party reports twice, or sums of shares go to several parties")
    sharing.collector = collector
    sharing.reports[sent.sender] = rows


def _check_reports(sharing: _Sharing) -> None:
    """Raise `NotShared` for reports that are not the sums that the theorem is about."""
    if sharing.collector is None:
        return
    if set(sharing.reports) != set(sharing.recipients):
        raise NotShared("only some parties report the sum of the shares that they received")
    if sharing.collector in sharing.recipients or sharing.collector in sharing.bases:
        raise NotShared("the party that collects the sums also sends or receives shares")
    total = sharing.total()
    each = len(total) // sharing.threshold
    for place, recipient in enumerate(sharing.recipients):
        expected: list[Vector] = [{} for _ in range(each)]
        for at, row in enumerate(total):
            add_to(
                expected[at % each], row, int(sharing.weights[place, at // each]), sharing.modulus
            )
        if written_out(sharing.reports[recipient]).vectors() != expected:
            raise NotShared(
                "a party reports something else than the sum of the shares that it received"
            )


# Counting.


def _counted(sharing: _Sharing, done: Run, unknowns: Unknowns) -> CountedPart:
    roster = done.roster
    senders, recipients = set(sharing.bases), set(sharing.recipients)
    classes: dict[tuple[str, bool, bool], list[str]] = {}
    collectors = set() if sharing.collector is None else {sharing.collector}
    for number in sorted(senders | recipients | collectors):
        sort = roster.seats[number].role, number in senders, number in recipients
        classes.setdefault(sort, []).append(roster.names[number])
    tag, key = sharing.label
    label = tag if key is None else f"{tag} {key}"
    kinds = [
        Kind(
            name=name,
            members=tuple(members),
            has_secret=sends,
            receives=(label,) if receives else () if sends else (f"sums of {label}",),
        )
        for name, members, (_, sends, receives) in zip(
            kind_names(list(classes.values()), [role for role, _, _ in classes]),
            classes.values(),
            classes,
            strict=True,
        )
    ]
    shares = [receives for _, _, receives in classes]
    shared = [sends for _, sends, _ in classes]
    of_collector = [
        sharing.collector is not None and roster.names[sharing.collector] in kind.members
        for kind in kinds
    ]

    def count(counts: Counts, which: Sequence[bool]) -> int:
        return sum(number for number, is_counted in zip(counts, which, strict=True) if is_counted)

    def touches(counts: Counts) -> bool:
        return count(counts, shares) >= sharing.threshold or count(counts, of_collector) == 1

    def exposes(counts: Counts) -> bool:
        has_all_others = count(counts, shared) == len(senders) - 1
        return count(counts, shares) >= sharing.threshold or (
            has_all_others and count(counts, of_collector) == 1
        )

    standings = []
    for kind, sends in zip(kinds, shared, strict=True):
        if sends:
            most = [len(each.members) - (each is kind) for each in kinds]
            standings.append(
                CountedStanding(kind.name, staircase(most, exposes), staircase(most, touches))
            )
    each = len(next(iter(sharing.bases.values()))) // sharing.threshold
    places = set()
    for base in sharing.bases.values():
        for vector in base[:each]:
            (unknown,) = vector
            number = int(unknowns.families[unknown // PLACES].label.partition("/")[0])
            places.add((number, unknown % PLACES))
    return CountedPart(
        secrets=tuple(secrets_in_words(sorted(places), sharing.lanes)),
        labels=(label,),
        kinds=tuple(kinds),
        standings=tuple(standings),
    )


def _confirm(found: ByCount, reach: Reach) -> None:
    """Judge one coalition for each vector of counts that is listed, except 0.

    A verdict is about the whole run, so it is compared with what all parts of `found` say together.
    Raises `NotShared` if a verdict does not agree.
    """
    for part, standing, counts in found.corners():
        coalition = part.coalition(standing, counts)
        (kind,) = (each for each in part.kinds if each.name == standing.kind)
        party = kind.members[-1]
        whats: tuple[What, What] = ("exposes", "touches")
        for what in whats:
            expected = any(_reaches(each, what, coalition, party) for each in found.parts)
            if reach.certain(what, coalition, party) is not expected:
                raise NotShared(
                    "the verdict on one coalition does not confirm what the theorem on Shamir's "
                    "sharing says: " + ", ".join(coalition)
                )


def _reaches(part: CountedPart, what: What, coalition: Sequence[str], party: str) -> bool:
    members = set(coalition)
    counts = [len(members.intersection(kind.members)) for kind in part.kinds]
    for kind in part.kinds:
        if party in kind.members and kind.has_secret:
            (standing,) = (each for each in part.standings if each.kind == kind.name)
            stairs = standing.exposing if what == "exposes" else standing.touching
            return any(
                all(least <= count for least, count in zip(each, counts, strict=True))
                for each in stairs.minimal
            )
    return False
