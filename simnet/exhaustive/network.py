"""Messages between parties while a protocol is explored: sent, waiting, delivered.

A `Network` is the joint part of a state. The network has the messages that wait for their
recipients, all messages that were sent, each with its round, and the depth of each party. The round
of a message to another party is one more than the depth of its sender, and a party that takes a
message is at least as deep as the message's round.

Example. "a" (party 0) sends to "b" (party 1), who answers. The first message is posted in round 1.
When "b" takes this message, the depth of "b" becomes 1, so the answer is posted in round 2.

*Steps.* A party's message to itself is no traffic, so it takes no round. But the party uses such a
message later than it has sent it. So every message also has a *step*. Steps are counted like
rounds, but messages of parties to themselves count too. In a view, the step of a message stands for
the time at which it was sent.

*Forms.* In a party's own tree the arrays of forms that it received are only unknowns, numbered 0,
1, 2, ... The dictionary `sources` gives the messages behind these unknowns in this joint history,
and `resolved` expresses a form of the party in coins and secrets.

*Silence.* If nobody can go on, some parties stop waiting for senders (`simnet.kernel.silence`). The
silence of a sender is an empty message, which arrives in a round and at a step of its own. It takes
the place of one message: if the sender sends this message later, the message is never read.

*Messages that go astray.* A lost or damaged message was sent, and counts as seen by its recipient
(`simnet.kernel.astray`). But it can never be taken, and it waits as a *hole*: whoever waits for
this message, or for a later one of the same sender, lacks it. A silence of the sender takes the
place of the hole. The second copy of a duplicated message is sent, and never waits. A late message
is like any other, because a view has no times.

*Opened rows.* If a script continues with the number of a form, each possible number is played out.
A network stores the forms of all rows opened so far. For each row the network stores whether the
number is free (every element of the field is equally likely) or follows from secrets and from rows
opened before. For example::

    rows opened        c + s     2c      d        (c, d field coins, s a secret)
    the number is      free      known   free     2c = 2 (c + s) - 2s
"""

from collections import Counter
from collections.abc import Container, Sequence
from typing import NamedTuple

import attrs

from simnet.exhaustive.outbox import Request, SentMessage
from simnet.exhaustive.reading import is_coin, received_place
from simnet.linear.span import Span
from simnet.linear.vectors import Vector, add_to
from simnet.record.message import Key

# the recipient, the tag, the key, and whether the tag is summed
Channel = tuple[int, str, Key, bool]
Summands = tuple[SentMessage, ...]  # the messages of one sum, or a single message


class Posting(NamedTuple):
    """A message with the round in which it travels, and the step at which it was sent."""

    round: int
    step: int
    message: SentMessage


class Silent(NamedTuple):
    """A party stops waiting for these senders. `round` and `step` are the round and the step of the
    senders' empty messages.
    """

    round: int
    step: int
    recipient: int
    request: Request
    senders: tuple[int, ...]


@attrs.frozen(eq=False)
class OpenedRow:
    """A form that was opened, so that the party's script continues with a number.

    The number of the row is element `place` of the `outcome`-th entry in the party's history. If
    the number is not free, it is a linear combination of secrets and of rows opened before:
    `secrets` and `rows` contain the factors, and rows are identified by their position in
    `Network.opened`. If the number is free, `secrets` is None.
    """

    party: int
    outcome: int
    place: int
    modulus: int
    form: Vector  # a form in coins, secrets and `ONE`
    secrets: Vector | None
    rows: Vector

    @property
    def is_free(self) -> bool:
        """Whether every number is equally likely."""
        return self.secrets is None


class Network:
    """The messages that were sent and the messages that wait, in one joint history."""

    def __init__(self, parties: int) -> None:
        self.waiting: dict[Channel, tuple[Posting, ...]] = {}
        self.sent: list[Posting] = []
        self.depths = [0] * parties
        self.steps = [0] * parties
        # For each recipient: the messages behind each form that it received.
        self.sources: dict[int, tuple[Summands, ...]] = {}
        self.opened: tuple[OpenedRow, ...] = ()
        self.started = 0  # parties 0..started-1 have started
        self.silences: list[Silent] = []
        # By party that was released and has not gone on yet: the senders that it lacks.
        self.released: dict[int, frozenset[int]] = {}
        # By recipient, tag, whether the tag is summed, and sender: how many of the sender's next
        # messages come too late.
        self.given_up: dict[tuple[int, str, bool, int], int] = {}
        self.heard: set[tuple[int, str]] = set()  # recipients and tags of sums that were heard

    def copy(self) -> "Network":
        """Return an equal network, from which another branch can go on."""
        twin = Network(0)
        twin.waiting, twin.sent, twin.started = dict(self.waiting), list(self.sent), self.started
        twin.depths, twin.steps = list(self.depths), list(self.steps)
        twin.sources, twin.opened = dict(self.sources), self.opened
        twin.silences, twin.released = list(self.silences), dict(self.released)
        twin.given_up, twin.heard = dict(self.given_up), set(self.heard)
        return twin

    def post(self, party: int, messages: Sequence[SentMessage]) -> None:
        """Record messages that a party sends. A message to itself is not traffic and takes no
        round.
        """
        round_, step = self.depths[party] + 1, self.steps[party] + 1
        for message in messages:
            posting = Posting(round_ - (message.recipient == party), step, message)
            self.sent += [posting] * (2 if message.astray == "duplicated" else 1)
            late = message.recipient, message.tag, message.is_summed, message.sender
            if message.key is None and self.given_up.get(late):
                self.given_up[late] -= 1
                continue
            channel = _channel(message)
            self.waiting[channel] = (*self.waiting.get(channel, ()), posting)

    def release(self, silences: Sequence[Silent]) -> None:
        """Let the recipients stop waiting for silent senders."""
        for silence in silences:
            number, request = silence.recipient, silence.request
            self.silences.append(silence)
            self.released[number] = frozenset(silence.senders)
            self.depths[number] = max(self.depths[number], silence.round)
            self.steps[number] = max(self.steps[number], silence.step)
            if request.kind == "some":
                for sender in silence.senders:
                    waiting = self.waiting.get((number, request.tag, None, False), ())
                    hole = next((one for one in waiting if one.message.sender == sender), None)
                    if hole is None:
                        self._give_up(number, request.tag, False, sender)
                    else:  # whatever else waits of a silent sender stands behind a lost message
                        self._remove(hole)

    def _give_up(self, recipient: int, tag: str, is_summed: bool, sender: int) -> None:
        late = recipient, tag, is_summed, sender
        self.given_up[late] = self.given_up.get(late, 0) + 1

    def deliver(self, party: int, groups: Sequence[Sequence[Posting]]) -> None:
        """Deliver messages to a party: for each part of its request one message, or all summands
        of a sum.
        """
        self.released.pop(party, None)
        for group in groups:
            for posting in group:
                self._remove(posting)
                self.steps[party] = max(self.steps[party], posting.step)
                if posting.message.sender != party:
                    self.depths[party] = max(self.depths[party], posting.round)
        summands = [tuple(posting.message for posting in group) for group in groups]
        sources = [group for group in summands for _ in group[0].forms]
        if sources:
            self.sources[party] = (*self.sources.get(party, ()), *sources)
        first = groups[0][0].message if groups and groups[0] else None
        if first is not None and first.is_summed and first.key is None:
            self._leave_out(party, first.tag, {message.sender for message in summands[0]})

    def _remove(self, posting: Posting) -> None:
        # Postings are made again when a network is rebuilt, so we compare their messages, which
        # stay the same objects.
        channel = _channel(posting.message)
        self.waiting[channel] = tuple(
            other for other in self.waiting[channel] if other.message is not posting.message
        )

    def _leave_out(self, party: int, tag: str, taken: Container[int]) -> None:
        """Remove the messages that a sum leaves out, if the party has asked who has sent.

        If the message of a party that is left out has not come yet, it is removed when it comes.
        """
        if (party, tag) not in self.heard:
            return
        self.heard.remove((party, tag))
        for sender in range(len(self.depths)):
            if sender in taken:
                continue
            waiting = self.waiting.get((party, tag, None, True), ())
            left = next((posting for posting in waiting if posting.message.sender == sender), None)
            if left is None:
                self._give_up(party, tag, True, sender)
            else:
                self._remove(left)

    def hear(self, party: int, tag: str, groups: Sequence[Sequence[Posting]]) -> None:
        """Note that a party knows that these messages came. The messages go on waiting."""
        self.released.pop(party, None)
        self.heard.add((party, tag))
        for group in groups:
            for posting in group:
                self.steps[party] = max(self.steps[party], posting.step)
                if posting.message.sender != party:
                    self.depths[party] = max(self.depths[party], posting.round)

    def available(
        self, party: int, request: Request, silent: Container[int] = ()
    ) -> list[list[Posting]] | None:
        """Return the messages that fulfil a request, one group for each part of the request; None
        if messages are missing.

        Messages of `silent` senders need not have come.
        """
        if request.senders is not None:
            senders = tuple(number for number in request.senders if number not in silent)
            request = attrs.evolve(request, senders=senders)
        if request.kind == "heard":
            assert request.senders is not None
            request = attrs.evolve(request, counts=(len(request.senders),))
        if request.kind in ("sum", "heard"):
            return self._sums(party, request)
        waiting = self._readable((party, request.tag, None, False))
        groups = []
        for sender in (None,) if request.senders is None else request.senders:
            place = next(
                (
                    at
                    for at, posting in enumerate(waiting)
                    if sender is None or posting.message.sender == sender
                ),
                None,
            )
            if place is None:
                return None
            groups.append([waiting.pop(place)])
        return groups

    def _sums(self, party: int, request: Request) -> list[list[Posting]] | None:
        """For each key, the first message of each sender: of the named senders, or of all senders.
        Return None if messages are missing.
        """
        groups = []
        for key, count in zip(request.keys, request.counts, strict=True):
            firsts: dict[int, Posting] = {}
            for posting in self.waiting.get((party, request.tag, key, True), ()):
                firsts.setdefault(posting.message.sender, posting)
            if request.senders is not None:
                firsts = {sender: firsts[sender] for sender in request.senders if sender in firsts}
            if len(firsts) < count:
                return None
            groups.append(list(firsts.values()))
        return groups

    def lacking(self, party: int, request: Request) -> frozenset[int] | None:
        """Return the parties whose message a waiting party lacks; None if the request
        names no senders.
        """
        if request.senders is None:
            return None
        is_summed = request.kind in ("sum", "heard")
        key = request.keys[0] if is_summed else None
        waiting = self._readable((party, request.tag, key, is_summed))
        came = Counter(posting.message.sender for posting in waiting)
        wanted = Counter(request.senders)
        return frozenset(sender for sender, count in wanted.items() if came[sender] < count)

    def waits_for_lost(self, party: int, request: Request) -> int | None:
        """Return a sender whose lost message a party waits for in vain, or None."""
        if request.kind not in ("each", "any"):
            return None
        lacks = self.lacking(party, request) or frozenset()
        holes = {
            posting.message.sender
            for posting in self.waiting.get((party, request.tag, None, False), ())
            if posting.message.is_lost
        }
        if request.kind == "any":
            return min(holes, default=None)
        return next((sender for sender in request.senders or () if sender in lacks & holes), None)

    def _readable(self, channel: Channel) -> list[Posting]:
        """Return the messages that wait in a channel and can be read: those of a sender before its
        first lost message.
        """
        readable: list[Posting] = []
        blocked: set[int] = set()
        for posting in self.waiting.get(channel, ()):
            if posting.message.is_lost:
                blocked.add(posting.message.sender)
            elif posting.message.sender not in blocked:
                readable.append(posting)
        return readable

    def reached(self, party: int, request: Request | None) -> tuple[int, int]:
        """Return the round and the step that a party has reached while it waits.

        A party that waits for several messages of one sender reads those that have come meanwhile.
        """
        depth, step = self.depths[party], self.steps[party]
        if request is None or request.kind != "each" or len(request.senders or ()) < 2:
            return depth, step
        (sender, *others) = request.senders or ()
        if any(other != sender for other in others):
            return depth, step
        for posting in self._readable((party, request.tag, None, False)):
            if posting.message.sender == sender:
                step = max(step, posting.step)
                depth = max(depth, posting.round if sender != party else 0)
        return depth, step

    def resolved(self, party: int, form: Vector, modulus: int) -> Vector:
        """A party's form in terms of its origins: received unknowns are replaced by what
        was sent.
        """
        result: Vector = {}
        for unknown, value in form.items():
            place = received_place(unknown)
            if place is None:
                add_to(result, {unknown: value}, 1, modulus)
                continue
            number, element = place
            sources = self.sources[party]
            piece = _piece(sources, number)
            for message in sources[number]:
                sent = message.vectors[piece][element]
                add_to(result, self.resolved(message.sender, sent, modulus), value, modulus)
        return result

    def opening(
        self, party: int, outcome: int, rows: Sequence[tuple[int, Vector]]
    ) -> tuple[OpenedRow, ...]:
        """The rows that a party asks to open. The opening would be the `outcome`-th entry of the
        party's history.

        A row is given by its modulus and its form.
        """
        found: list[OpenedRow] = []
        for place, (modulus, own_form) in enumerate(rows):
            form = self.resolved(party, own_form, modulus)
            before = (*self.opened, *found)
            rest, source = free_span(before, modulus).reduce(coins_of(form), {})
            secrets: Vector | None = None
            known: Vector = {}
            if not rest:
                # Minus `source` is the combination of earlier rows that has the coins of the form.
                known = {-1 - key: -factor % modulus for key, factor in source.items()}
                secrets = dict(form)
                for row, factor in known.items():
                    add_to(secrets, before[row].form, -factor, modulus)
            found.append(OpenedRow(party, outcome, place, modulus, form, secrets, known))
        return tuple(found)


def coins_of(form: Vector) -> Vector:
    """The terms of a resolved form that are field coins."""
    return {unknown: value for unknown, value in form.items() if is_coin(unknown)}


def free_span(rows: Sequence[OpenedRow], modulus: int) -> Span:
    """The span of the coins of those rows modulo `modulus` whose numbers are free. Row k has the
    origin -1 - k.
    """
    span = Span(modulus)
    for place, row in enumerate(rows):
        if row.is_free and row.modulus == modulus:
            span.add(coins_of(row.form), {-1 - place: 1})
    return span


def _piece(sources: Sequence[Summands], number: int) -> int:
    """The place in a message of the `number`-th array received.

    A message with several forms is listed several times, once for each form.
    """
    start = number
    while start and sources[start - 1] is sources[number]:
        start -= 1
    return number - start


def _channel(message: SentMessage) -> Channel:
    return message.recipient, message.tag, message.key, message.is_summed
