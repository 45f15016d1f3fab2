"""The coalitions of a run with Shamir's sharing, by a theorem.

Theory of operation
-------------------

With Shamir's sharing users cannot be exchanged: each has a point of its own. Yet equally many
shares tell the same, whichever they are. So for these runs, too, only counts matter, by a theorem
that is stated in docs/proofs/shared-and-added.md. Its assumptions are checked on the run, which is
read symbolically. Every field element that was sent must be one of these:

- a *share*. All senders of a part of the run (`alike`) share by one matrix, whose rows are the
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

from simnet.adversary.coalitions.answer import (
    EVERYTHING,
    MONOTONE,
    Answer,
    Kind,
    Names,
    NoSecrets,
    Question,
    What,
    kind_names,
    part_of,
    secrets_in_words,
    untouched_among,
)
from simnet.adversary.coalitions.nonlinear import nonlinear_reason
from simnet.adversary.coalitions.one_by_one import OneByOne
from simnet.adversary.coalitions.staircase import Counts
from simnet.adversary.reading_again import read_blind, recorded
from simnet.adversary.symbolic import Symbolic
from simnet.arrays import Ints
from simnet.errors import SimnetError
from simnet.kernel.run import Run
from simnet.linear.forms import Forms
from simnet.linear.mixtures import Mixture, TermRows, listed, written_out
from simnet.linear.unknowns import PLACES, Unknowns
from simnet.record.message import Block
from simnet.roster import Roster
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
NO_SUM = "a party reports something else than the sum of the shares that it received"
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

    `bases` has, for each sender, the unknowns that its shares combine: first the elements of its
    secret, then the coins that belong to these elements, power by power.
    """

    label: tuple[str, int | None]
    recipients: tuple[int, ...]
    weights: Ints
    modulus: int
    lanes: int
    bases: dict[int, list[int]] = attrs.field(factory=dict)  # by sender
    collector: int | None = None
    reports: dict[int, TermRows] = attrs.field(factory=dict)  # by recipient of shares

    @property
    def threshold(self) -> int:
        """How many shares are enough to compute the secret."""
        return int(self.weights.shape[1])

    @property
    def elements(self) -> int:
        """The number of elements, or rows of lanes, that each sender shares."""
        return len(next(iter(self.bases.values()))) // self.threshold

    def add_report(self, sent: _Sent) -> None:
        """Note a sum of shares. Raises `NotShared` for a message that is not one."""
        if self.lanes != sent.rows.lanes or self.modulus != sent.modulus:
            raise NotShared(NO_SUM)
        (collector,) = sent.recipients
        if self.collector not in (None, collector) or sent.sender in self.reports:
            raise NotShared("a party reports twice, or sums of shares go to several parties")
        self.collector = collector
        self.reports[sent.sender] = sent.rows

    def check_reports(self) -> None:
        """Raise `NotShared` for reports that are not the sums that the theorem is about."""
        if self.collector is None:
            return
        if set(self.reports) != set(self.recipients):
            raise NotShared("only some parties report the sum of the shares that they received")
        if self.collector in self.recipients or self.collector in self.bases:
            raise NotShared("the party that collects the sums also sends or receives shares")
        for recipient, weights in zip(self.recipients, self.weights.tolist(), strict=True):
            expected = [
                {
                    base[power * self.elements + element]: weight
                    for base in self.bases.values()
                    for power, weight in enumerate(weights)
                }
                for element in range(self.elements)
            ]
            if written_out(self.reports[recipient]).vectors() != expected:
                raise NotShared(NO_SUM)


def answer_by_shares(done: Run, judge: OneByOne, question: Question = EVERYTHING) -> Answer:
    """Find out which coalitions expose and touch each party, by counts. `judge` judges the listed
    coalitions of the run.

    Raises `NotShared` for an aborted run, and for a run with drop-outs, messages that went astray,
    deadlines or crowds. For other runs, raises `NoSecrets` if nobody has declared a secret, and
    otherwise `NotShared` if the theorem does not describe the run: for example, if there are other
    field elements than Shamir's shares and their sums. Other errors are as for `verdict`.
    """
    if done.fates or done.message_fates or done.deadlines or done.aborts or done.roster.crowds:
        raise NotShared(
            "somebody dropped out, a message was lost, damaged, duplicated or late, somebody "
            "waited with a deadline, the run was aborted, or some parties are crowds"
        )
    sampled, record = recorded(done, done.roster.names)
    reading = Symbolic(record)
    symbolic = read_blind(sampled, done.roster.names, reading)
    if not reading.declared:
        raise NoSecrets
    reason = nonlinear_reason(reading)
    if reason:
        raise NotShared(reason)
    sent = [each for block in symbolic.transcript.blocks for each in _sent(block)]
    _check_count(symbolic, sent)
    sharings = _Reader(reading.unknowns, done.roster).sharings(sent)
    parts = tuple(
        part_of(_OfSharing(each, reading.unknowns, done.roster), question) for each in sharings
    )
    found = Answer(
        parties=len(done.roster),
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
    _confirm(found, judge)
    return attrs.evolve(found, judged=judge.judged)


def _confirm(found: Answer, judge: OneByOne) -> None:
    """Judge one coalition for each vector of counts that is listed, except 0.

    A verdict is about the whole run, so it is compared with what all parts of `found` say together.
    Raises `NotShared` if a verdict does not agree.
    """
    whats: tuple[What, ...] = ("exposes", "touches")
    for part, standing, counts in found.corners():
        coalition, party = part.coalition(counts), standing.kind.members[-1]
        for what in whats:
            expected = found.says(what, coalition, party)
            if not coalition or expected is None:
                continue
            if judge.reached(coalition).says(what, party) is not expected:
                raise NotShared(
                    "the verdict on one coalition does not confirm what the theorem on Shamir's "
                    "sharing says: " + ", ".join(coalition)
                )


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


class _Reader:
    """Sorts what was sent into sharings and their sums."""

    def __init__(self, unknowns: Unknowns, roster: Roster) -> None:
        self._families = unknowns.families
        self._roster = roster
        self._found: dict[tuple[object, ...], _Sharing] = {}

    def sharings(self, sent: Sequence[_Sent]) -> list[_Sharing]:
        """All sharings of the run, with their sums. Raises `NotShared` if something else was
        sent.
        """
        home: dict[int, _Sharing] = {}  # where each unknown occurs
        intervals: list[tuple[int, int]] = []
        sums: list[_Sent] = []
        for each in sent:
            if len(each.recipients) == 1 and not self._is_own(each):
                sums.append(each)
                continue
            sharing = self._sharing(each)
            for unknown in sharing.bases[each.sender]:
                home[unknown] = sharing
                intervals.append((unknown, unknown + sharing.lanes))
        intervals.sort()
        if any(begin < end for (_, end), (begin, _) in itertools.pairwise(intervals)):
            raise NotShared(USED_TWICE)
        for each in sums:
            base = listed(each.rows)
            shared = home.get(int(base.unknowns[0])) if base.unknowns.size else None
            if shared is None or each.sender not in shared.recipients:
                raise NotShared(
                    "a party sends field elements that are neither shares of its own secret nor a "
                    "sum of shares that it received"
                )
            shared.add_report(each)
        for sharing in self._found.values():
            sharing.check_reports()
        return list(self._found.values())

    def _is_own(self, sent: _Sent) -> bool:
        """Whether all unknowns in what was sent belong to the sender alone."""
        numbers = np.unique(listed(sent.rows).unknowns // PLACES).tolist()
        own = {self._roster.names[sent.sender]}
        return all(self._families[number].holders == own for number in numbers)

    def _sharing(self, sent: _Sent) -> _Sharing:
        """The sharing that messages belong to, with what they combine among its bases."""
        if len(set(sent.recipients)) != len(sent.recipients):
            raise NotShared(
                "a party sends several rows with the same tag and key to the same recipient"
            )
        base, weights = self._base(sent)
        matrix = weights.shape, weights.tobytes()
        key = sent.label, sent.recipients, sent.modulus, sent.rows.lanes, len(base), matrix
        sharing = self._found.get(key)
        if sharing is None:
            _check_points(weights, sent.modulus)
            sharing = self._found[key] = _Sharing(
                label=sent.label,
                recipients=sent.recipients,
                weights=weights,
                modulus=sent.modulus,
                lanes=sent.rows.lanes,
            )
        if sent.sender in sharing.bases:
            raise NotShared("a party shares twice with the same tag and key")
        sharing.bases[sent.sender] = base
        return sharing

    def _base(self, sent: _Sent) -> tuple[list[int], Ints]:
        """The base of a sharing (the secret and the coins that its shares combine), and its matrix.
        The secret stands in the first column.

        Raises `NotShared` unless each share is made of one secret and of coins of the sender.
        """
        columns = [
            sorted(
                (self._is_coin(unknown, sent.sender), weights, unknown) for unknown, weights in each
            )
            for each in map(dict.items, _columns(sent))
        ]
        if any(
            [is_coin for is_coin, _, _ in each] != [False, *[True] * (len(each) - 1)]
            for each in columns
        ):
            raise NotShared(NO_SHARE)
        matrices = [[weights for _, weights, _ in each] for each in columns]
        if any(matrix != matrices[0] for matrix in matrices):
            raise NotShared("a party shares elements of a secret in different ways")
        base = [unknown for power in zip(*columns, strict=True) for _, _, unknown in power]
        return base, np.array(matrices[0], dtype=np.int64).T.copy()

    def _is_coin(self, unknown: int, sender: int) -> bool:
        """Whether an unknown of a share is a coin. Raises `NotShared` unless it is a coin or a
        secret of the sender alone.
        """
        family = self._families[unknown // PLACES]
        if family.kind not in ("coin", "secret") or family.holders != {self._roster.names[sender]}:
            raise NotShared(NO_SHARE)
        return family.kind == "coin"


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


def _check_points(weights: Ints, modulus: int) -> None:
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


# Answers.


class _OfSharing:
    """Answers about the coalitions of one sharing, by the theorem."""

    def __init__(self, sharing: _Sharing, unknowns: Unknowns, roster: Roster) -> None:
        self._sharing = sharing
        tag, key = sharing.label
        self.labels: Names = (tag if key is None else f"{tag} {key}",)
        shared = {each for base in sharing.bases.values() for each in base[: sharing.elements]}
        places = {
            (int(unknowns.families[each // PLACES].label.partition("/")[0]), each % PLACES)
            for each in shared
        }
        self.secrets = tuple(secrets_in_words(sorted(places), sharing.lanes))
        collectors = set() if sharing.collector is None else {sharing.collector}
        classes: dict[tuple[str, bool, bool], list[str]] = {}
        for number in sorted({*sharing.bases, *sharing.recipients, *collectors}):
            does = number in sharing.bases, number in sharing.recipients
            classes.setdefault((roster.seats[number].role, *does), []).append(roster.names[number])
        names = kind_names(list(classes.values()), [role for role, _, _ in classes])
        self.kinds: Sequence[Kind] = [
            Kind(name, tuple(members), sends, self._received(sends, receives))
            for name, ((_, sends, receives), members) in zip(names, classes.items(), strict=True)
        ]

    def _received(self, sends: bool, receives: bool) -> tuple[str, ...]:
        return self.labels if receives else () if sends else (f"sums of {self.labels[0]}",)

    def answer(self, what: What, kind: Kind, counts: Counts) -> bool:  # noqa: ARG002  # alike
        """Whether coalitions expose or touch a sender: all senders stand alike."""
        shares = others = 0
        collects = False
        for each, count in zip(self.kinds, counts, strict=True):
            receives = each.receives == self.labels
            shares += count * receives
            others += count * each.has_secret
            collects = collects or (count > 0 and not receives and not each.has_secret)
        if what == "exposes":
            collects = collects and others == len(self._sharing.bases) - 1
        return shares >= self._sharing.threshold or collects
