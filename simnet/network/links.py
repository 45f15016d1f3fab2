"""The links of all parties: when a message leaves its sender, and when it comes to its recipient.

Every party has an uplink and a downlink, and a crowd has one of each for every member. The uplink
sends one message after another; the messages of a post leave in the order of the group.
`simnet.network.inbox` describes what a downlink does.
"""

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simnet.arrays import Floats, Indices, Ints
from simnet.errors import BadInput
from simnet.network.chances import extra_seconds, message_words
from simnet.network.inbox import Arriving, GroupPosts, Inbox
from simnet.network.network import Latency, Network
from simnet.network.recorded import RecordedRun

Time = float | Floats  # of a crowd: the times of all members


class ToCrowd(NamedTuple):
    """A message to every member of a crowd: when its first and last bits come, member by member,
    and the seconds on a downlink.
    """

    post: int
    first: Floats
    last: Floats
    service: float


class Links:
    """The links of all parties on one network.

    `sending` says for how many seconds each uplink was busy. `left` has, for each post, when its
    first message began to leave (for a post of a crowd: the message of the last member), and the
    seconds on the uplink for each message. A post that goes through a relay leaves twice: from its
    sender as one message, under the number `uploaded(post)`, and then from the relay.
    """

    def __init__(self, log: RecordedRun, network: Network, seed: int) -> None:
        self._log = log
        self._network = network
        self._class_of = [
            network.class_of(role, brings)
            for role, brings in zip(log.roles, log.brings_input, strict=True)
        ]
        self._class_names = list(network.classes)
        self._class_numbers = np.array([self._class_names.index(name) for name in self._class_of])
        access = [network.classes[name] for name in self._class_of]
        self._up = [0.0 if one.up is None else 8 / one.up for one in access]  # seconds per byte
        self._down = [0.0 if one.down is None else 8 / one.down for one in access]
        self.relay = None if network.relay is None else _relay(log, network.relay)
        self.crowds = frozenset(number for number, size in enumerate(log.sizes) if size > 1)
        self._bytes = [network.transport.bytes(line.frame_bytes) for line in log.lines]
        self._sizes = np.array(log.sizes, dtype=np.int64)
        self._packets = [network.transport.packets(line.frame_bytes) for line in log.lines]
        self._uplink_free: list[Time] = [self.zero(number) for number in range(len(log.names))]
        self.sending: list[Time] = [self.zero(number) for number in range(len(log.names))]
        self.left: dict[int, tuple[float, float]] = {}
        # For a post from or to a crowd: the member whose message comes last.
        self._slowest: dict[tuple[int, int], int] = {}
        # The sender of each post, and its number among the posts of this sender. At the same time,
        # messages of the first party come first, each party's in its order.
        senders = np.array([line.sender for line in log.lines], dtype=np.int64)[log.post_line]
        order = np.argsort(senders, kind="stable")
        firsts = np.searchsorted(senders[order], senders[order])
        ranks = np.empty(len(senders), dtype=np.int64)
        ranks[order] = (senders[order] << 32) + np.arange(len(senders)) - firsts
        ranks = np.concatenate([ranks, ranks])  # the second half: posts on their way to the relay
        self._ranks = ranks
        # Of what the coins of each message are made; only networks with chances need it.
        has_chances = any(one.jitter or one.loss for one in network.latencies.values())
        self._words = (
            message_words(seed, ranks) if has_chances else np.zeros(len(ranks), dtype=np.uint64)
        )
        self.inboxes = [Inbox(self._arrivals_of(number), ranks) for number in range(len(log.names))]
        self.to_crowds: dict[int, list[ToCrowd]] = {number: [] for number in self.crowds}
        self._groups: list[GroupPosts | None] = [None] * len(log.groups)
        self.bytes_up = np.zeros(len(log.names))  # with packets that are sent again, on average
        self.bytes_down = np.zeros(len(log.names), dtype=np.int64)

    def zero(self, party: int) -> Time:
        """Return the time 0: one number, or for a crowd of several members an array with a number
        for each member.
        """
        size = self._log.sizes[party]
        return 0.0 if size == 1 else np.zeros(size)

    def latency(self, sender: int, recipient: int) -> Latency:
        """Return the latency between two parties."""
        return self._network.latency(self._class_of[sender], self._class_of[recipient])

    def slowness(self, party: int) -> float:
        """Return the factor by which the prices are multiplied for a party."""
        return self._network.classes[self._class_of[party]].slowness

    def goes_through_relay(self, post: int) -> bool:
        """Return whether a post is uploaded to the relay, which then sends it on."""
        sender, to = self._log.sender(post), int(self._log.post_to[post])
        if self.relay is None or sender == self.relay or not self._log.members.get(post, 1):
            return False
        members = [to] if to >= 0 else self._log.groups[-1 - to].tolist()
        return any(member not in (sender, self.relay) for member in members)

    def upload(self, post: int, time: Time) -> None:
        """Send all messages of a post to the relay, as one message. The post comes to the inbox of
        the relay under the number `uploaded(post)`. Raises `BadInput` for a post of a crowd.
        """
        assert self.relay is not None
        sender = self._log.sender(post)
        if sender in self.crowds:
            raise BadInput(
                f"{self._log.names[sender]} is a crowd, and messages of a crowd cannot go through "
                f"the relay {self._log.names[self.relay]}: seat its members one by one"
            )
        size, packets = self._upload_of(post)
        self._send_one(self.uploaded(post), sender, self.relay, time, size, packets)

    def _upload_of(self, post: int) -> tuple[int, int]:
        size = self._log.recipients_of(post) * self._bytes[int(self._log.post_line[post])]
        return size, -(-size // self._network.transport.payload)

    def rank(self, post: int) -> int:
        """Return the rank of a post: of posts that come at the same time, the one with the lowest
        rank is delivered first.
        """
        return int(self._ranks[post])

    def uploaded(self, post: int) -> int:
        """Return the number under which a post comes to the relay."""
        return len(self._log.post_to) + post

    def leave(self, post: int, time: Time, by: int | None = None) -> None:
        """Send the messages of a post at this time, from their sender or from the relay `by`."""
        sender = self._log.sender(post)
        line, to = int(self._log.post_line[post]), int(self._log.post_to[post])
        link = sender if by is None else by
        if (
            to < 0
            and self.relay is not None
            and link not in (self.relay, by)
            and self.relay in self._log.groups[-1 - to].tolist()
        ):
            # The group has no other members than the sender and the relay: a post to any other
            # party would go through the relay, and would not be sent here.
            to = self.relay
        if to < 0:
            self._leave_to_group(post, -1 - to, sender, link, time)
        elif to in self.crowds:
            self._leave_to_crowd(post, to, link, time)
        elif to != sender:
            self._send_one(post, link, to, time, self._bytes[line], self._packets[line])

    def seconds_under_way(self, number: int, recipient: int, sender: int) -> float:
        """Return how long the last bit of a message was under way between two parties; for a crowd,
        the message that came last. `number` is the number of its post or, on the way to the
        relay, `uploaded(post)`.
        """
        latency = self.latency(sender, recipient)
        post = number % len(self._log.post_to)
        delay = self._log.delays.get((post, recipient), 0.0)
        line = int(self._log.post_line[post])
        extra = extra_seconds(
            latency,
            self._packets[line] if number == post else self._upload_of(post)[1],
            self._words[[post]],
            recipient,
            np.array([self._slowest.get((number, recipient), 0)]),
        )
        return latency.seconds + float(np.max(extra)) + delay

    def there_in_crowd(self, crowd: int) -> list[Floats]:
        """Return when the members of a crowd have each message that was sent to them."""
        mail = self.to_crowds[crowd]
        if not mail:
            return []
        first, last = (
            np.stack(times) for times in zip(*((m.first, m.last) for m in mail), strict=True)
        )
        service = np.array([message.service for message in mail])
        # The messages may come to two members in two orders: column k has the order of member k.
        by_rank = np.argsort([self.rank(message.post) for message in mail])
        order = by_rank[np.argsort(last[by_rank], axis=0, kind="stable")]
        free, there = np.zeros(last.shape[1]), np.empty_like(last)
        members = np.arange(last.shape[1])
        for places in order:
            free = np.maximum(free, first[places, members]) + service[places]
            there[places, members] = np.maximum(free, last[places, members])
        return list(there)

    def _occupy(self, link: int, time: Time, seconds: Time) -> Time:
        free = self._uplink_free[link]
        begin: Time = np.maximum(time, free) if link in self.crowds else max(time, free)
        self._uplink_free[link] = begin + seconds
        self.sending[link] = self.sending[link] + seconds
        return begin

    def _send_one(
        self,
        post: int,
        link: int,
        to: int,
        time: Time,
        size: int,
        packets: int,
    ) -> None:
        sent = self._log.members.get(post, self._log.sizes[link])
        if not sent:  # under a voluntary tag nobody may have sent anything
            return
        latency = self.latency(link, to)
        resent = 1 / (1 - latency.loss)
        step = size * self._up[link] * resent
        if link in self.crowds:
            seconds = np.full(self._log.sizes[link], step)
            seconds[sent:] = 0.0  # these members are silent
            begin = np.asarray(self._occupy(link, time, seconds))[:sent]
        else:
            begin = np.array([self._occupy(link, time, step)])
        posts = np.full(len(begin), post, dtype=np.int64)
        members = np.arange(len(begin))
        first = begin + latency.seconds
        first = first + extra_seconds(latency, packets, self._words[posts], to, members)
        first = first + self._log.delays.get((post % len(self._log.post_to), to), 0.0)
        service = np.full(len(begin), size * self._down[to])
        if link in self.crowds:
            self._slowest[post, to] = int(np.argmax(first))
        self.inboxes[to].put((posts, first, first + step, service))
        self.left[post] = float(begin[-1]), step
        self._count(link, np.array([to]), size, len(begin), resent)

    def _leave_to_group(self, post: int, number: int, sender: int, link: int, time: Time) -> None:
        group = self._groups[number]
        if group is None:
            group = self._groups[number] = self._joined_group(self._log.groups[number])
        numbers = self._log.groups[number]
        size = self._bytes[int(self._log.post_line[post])]
        own = group.offset_of.get(sender, -1)
        own_size = self._log.sizes[sender] if own >= 0 and sender != self.relay else 0
        messages = group.messages - own_size
        resent = group.resent[self._class_of[link]]
        step = size * self._up[link] * resent
        begin = float(np.max(self._occupy(link, time, messages * step)))
        group.columns.add(post, link, begin, step, size, own, own_size)
        self.left[post] = begin, step
        self._count(link, numbers, size, messages, resent)
        if own >= 0:
            self.bytes_down[sender] -= size * own_size
        for crowd in group.crowds:
            shift = group.offset_of[crowd] - (own_size if 0 <= own < group.offset_of[crowd] else 0)
            self._put_to_crowd(post, crowd, link, begin + shift * step, step)

    def _leave_to_crowd(self, post: int, crowd: int, link: int, time: Time) -> None:
        size = self._bytes[int(self._log.post_line[post])]
        members = self._log.sizes[crowd]
        resent = 1 / (1 - self.latency(link, crowd).loss)
        step = size * self._up[link] * resent
        begin = float(np.max(self._occupy(link, time, members * step)))
        self.left[post] = begin, step
        self._count(link, np.array([crowd]), size, members, resent)
        self._put_to_crowd(post, crowd, link, begin, step)

    def _put_to_crowd(self, post: int, crowd: int, link: int, begin: float, step: float) -> None:
        line = int(self._log.post_line[post])
        members = np.arange(self._log.sizes[crowd])
        latency = self.latency(link, crowd)
        first = begin + members * step + latency.seconds
        first = first + extra_seconds(
            latency, self._packets[line], self._words[[post]], crowd, members
        )
        self._slowest[post, crowd] = int(np.argmax(first))
        service = self._bytes[line] * self._down[crowd]
        self.to_crowds[crowd].append(ToCrowd(post, first, first + step, service))

    def _count(self, link: int, to: Indices, size: int, messages: int, resent: float) -> None:
        """Count the bytes on the uplink, which sends a packet `resent` times on average, and on the
        downlinks.
        """
        self.bytes_up[link] += size * messages * resent
        self.bytes_down[to] += size * self._sizes[to]

    def _joined_group(self, numbers: Indices) -> GroupPosts:
        """Return an empty record of the posts to a group, which the inboxes of its members read.

        Crowds and the relay do not read it: they get their messages in other ways.
        """
        sizes = [
            0 if number == self.relay else self._log.sizes[number] for number in numbers.tolist()
        ]
        offsets = np.cumsum([0, *sizes]).tolist()
        classes = Counter[str]()
        for number, size in zip(numbers.tolist(), sizes, strict=True):
            classes[self._class_of[number]] += size
        group = GroupPosts(
            dict(zip(numbers.tolist(), offsets, strict=False)),
            offsets[-1],
            [number for number in numbers.tolist() if number in self.crowds],
            {
                sender: sum(
                    count / (1 - self._network.latency(sender, one).loss)
                    for one, count in classes.items()
                )
                / max(1, offsets[-1])
                for sender in self._class_names
            },
        )
        for number, offset in group.offset_of.items():
            if number not in self.crowds and number != self.relay:
                self.inboxes[number].join(group, offset)
        return group

    def _arrivals_of(self, party: int) -> Callable[[Floats, int], Arriving]:
        """Return the function that computes when messages to a party come from the columns of a
        group.
        """
        down = self._down[party]
        latencies = [self._network.latency(one, self._class_of[party]) for one in self._class_names]
        seconds = np.array([latency.seconds for latency in latencies])
        delays = {post: delay for (post, to), delay in self._log.delays.items() if to == party}
        varies = any(latency.jitter or latency.loss for latency in latencies)

        def arrived(columns: Floats, offset: int) -> Arriving:
            posts, links, begin, step, size, own, own_size = columns
            after_own = (own >= 0) & (own < offset)
            classes = self._class_numbers[links.astype(np.intp)]
            first = begin + (offset - after_own * own_size) * step + seconds[classes]
            numbers = posts.astype(np.int64)
            if varies:
                first = first + self._extra(numbers, classes, size, party, latencies)
            if delays:
                first = first + np.array([delays.get(post, 0.0) for post in numbers.tolist()])
            arriving = numbers, first, first + step, size * down
            from_itself = (own == offset) & (own_size > 0)
            if from_itself.any():
                numbers, first, last, service = (
                    np.delete(column, np.flatnonzero(from_itself)) for column in arriving
                )
                return numbers, first, last, service
            return arriving

        return arrived

    def _extra(
        self, posts: Ints, classes: Indices, size: Floats, party: int, latencies: list[Latency]
    ) -> Floats:
        extra = np.zeros(len(posts))
        if not len(posts):
            return extra
        kinds = classes * (int(size.max()) + 1) + size.astype(np.int64)
        is_one = kinds.min() == kinds.max()
        for kind in [int(kinds[0])] if is_one else np.unique(kinds).tolist():
            chosen: slice | Indices = slice(None) if is_one else np.flatnonzero(kinds == kind)
            first = 0 if isinstance(chosen, slice) else int(chosen[0])
            line = int(self._log.post_line[int(posts[first])])
            extra[chosen] = extra_seconds(
                latencies[int(classes[first])],
                self._packets[line],
                self._words[posts[chosen]],
                party,
                np.zeros(1, dtype=np.int64),
            )
        return extra


def _relay(log: RecordedRun, name: str) -> int:
    if name not in log.names:
        raise BadInput(
            f"the run has no party {name!r} that could be the relay: name one of "
            f"{', '.join(log.names[:5])}{', ...' if len(log.names) > 5 else ''}"
        )
    return log.names.index(name)
