"""Messages between parties while a protocol is explored: sent, waiting, delivered.

A `Network` is the joint part of a state. It holds the messages that wait for their recipients, all
messages that were sent, each with its round, and how deep each party stands: a message's round is
one more than the depth of its sender, and a party that takes a message is at least as deep as the
message's round. So rounds are the causal depth that a run bills.

Example. "a" (party 0) sends to "b" (party 1), who answers. The first message is posted in round 1;
"b" takes it and is 1 deep; its answer is posted in round 2.

A network also remembers which messages stand behind the *forms* that a party received. The party's
own tree knows them only as its received unknowns, number 0, 1, 2, ...; `sources` says what these
are in this joint history.
"""

from collections.abc import Sequence
from typing import NamedTuple

from simnet.exhaustive.outbox import Request, SentMessage
from simnet.record.message import Key

Channel = tuple[int, str, Key, bool]  # recipient, tag, key, whether the tag is summed
Summands = tuple[SentMessage, ...]  # the messages of one sum, or a single message


class Posting(NamedTuple):
    """A message with the round in which it travels."""

    round: int
    message: SentMessage


class Network:
    """What has been sent and what waits, in one joint history."""

    def __init__(self, parties: int) -> None:
        self.waiting: dict[Channel, tuple[Posting, ...]] = {}
        self.sent: list[Posting] = []
        self.depths = [0] * parties
        self.sources: dict[int, tuple[Summands, ...]] = {}  # by recipient, one a form received
        self.started = 0  # parties 0..started-1 have started

    def copy(self) -> "Network":
        """An equal network, to go on from in another direction."""
        twin = Network(0)
        twin.waiting, twin.sent, twin.started = dict(self.waiting), list(self.sent), self.started
        twin.depths, twin.sources = list(self.depths), dict(self.sources)
        return twin

    def post(self, party: int, messages: Sequence[SentMessage]) -> None:
        """A party sends messages. One to itself is not traffic, and takes no round."""
        round_ = self.depths[party] + 1
        for message in messages:
            posting = Posting(round_ - (message.recipient == party), message)
            channel = _channel(message)
            self.waiting[channel] = (*self.waiting.get(channel, ()), posting)
            self.sent.append(posting)

    def deliver(self, party: int, groups: Sequence[Sequence[Posting]]) -> None:
        """A party takes messages: for each thing it asked for one, or the summands of a sum."""
        for group in groups:
            for posting in group:
                channel = _channel(posting.message)
                self.waiting[channel] = tuple(
                    other for other in self.waiting[channel] if other is not posting
                )
                if posting.message.sender != party:
                    self.depths[party] = max(self.depths[party], posting.round)
        summands = [tuple(posting.message for posting in group) for group in groups]
        sources = [group for group in summands for _ in group[0].forms]
        if sources:
            self.sources[party] = (*self.sources.get(party, ()), *sources)

    def available(self, party: int, request: Request) -> list[list[Posting]] | None:
        """What meets a request, for each thing asked for; None while it is not all there."""
        if request.kind == "sum":
            return self._sums(party, request)
        waiting = list(self.waiting.get((party, request.tag, None, False), ()))
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
        """For each key the first message of each sender: of those named, or of whoever has sent."""
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


def _channel(message: SentMessage) -> Channel:
    return message.recipient, message.tag, message.key, message.is_summed
