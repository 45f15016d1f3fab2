"""The clock: how long a recorded run takes on a network.

Theory of operation. The log says what every party did, in the order of its script. The clock goes
through these events and moves the time of each party: work takes as long as its operations cost, a
send takes no time of the script (the uplink works on by itself), and a wait lasts until the last of
its messages is there, or until its deadline. A message leaves when the uplink has sent everything
before it, is under way for the latency, and is there when the downlink has delivered everything up
to it.

What comes first at a downlink depends on the times of *all* senders, so the order of events
matters. The party that resumes next is the one with the earliest time (of a crowd: the earliest of
its members). A party that resumes at time t sends nothing before t, so at this moment every message
that comes before t is known. A wait that was computed too early is computed again if messages were
sent to its party in between. For the other members of a crowd, which resume later than t, the clock
does not know the messages that are sent after t.

If no script waits with a deadline, the log does not change with the network: which message a script
reads next does not depend on times. (A script that reads from anybody keeps the order of its run,
whatever comes first here.) If a party stopped waiting for messages that never come, the clock lets
it go on when nobody else can. The time is then the latest time that any party has reached, plus the
latency from that party. A real party cannot know that nobody else can go on, and needs a deadline.

Example. u1 and u2 send 1,000 bytes each, headers included, to S, which waits for both. With uplinks
of 8,000 bits per second the messages take one second, and with a latency of 0.1 seconds both come
at 1.1. A downlink of 8,000 bits per second is busy with the first message from 0.1 to 1.1, and with
the second one until 2.1, when S goes on.
"""

import heapq
import math
from collections.abc import Mapping
from typing import NamedTuple

import attrs
import numpy as np

from simnet.arrays import Ints
from simnet.errors import BadInput
from simnet.network.links import Links, Time
from simnet.network.network import Network
from simnet.network.recorded import RecordedRun
from simnet.record.log import DEADLINE, SEND, SILENCE, TAKE, WORK

FORWARD = -1  # in the place of an event: the relay sends on what it waited for
LAST = 1 << 62  # the rank of scripts among what happens at the same time
NOBODY = -1  # in the place of a post: the party was told that nobody can go on
DEADLINE_PASSED = -2  # in the place of a post: the party waited until its deadline


class Wait(NamedTuple):
    """A wait of a party: it lasted from `began` until `ended`. Usually a message ended it, which
    belongs to the post `post`. Then `came` is when the message came to the downlink, and `after` is
    the party whose uplink the message left last: the sender of the post, or the relay.

    If the party was told that nobody can go on, `after` is the party that had reached the latest
    time, and `came` is this time. If the party waited until its deadline, `after` is the party
    itself, and `came` is `began`. For a crowd each time is the latest one of its members.
    """

    party: int
    began: float
    ended: float
    post: int
    came: float
    after: int


@attrs.frozen(eq=False)
class OpenWait:
    """A wait with a deadline, after everything that a party has done so far. The party waits at
    most `within` seconds. It waits for the messages of `posts`, which maps each post to its sender,
    and for `unsent` more messages, which nobody has sent yet.
    """

    within: float
    posts: Mapping[int, int]
    unsent: int


@attrs.define(eq=False)
class Need:
    """What a party waits for: single posts, and lists of posts. The party then goes on with the
    event `next_event`. `unsent` counts the posts and the lists that are not wholly sent yet.

    `time` is when the party can go on, as computed when it had been sent `computed_at` posts.
    `last` is the post that comes last, and `came` is when this post comes to the downlink. If no
    other message comes after this post, `all_free` is when the downlink is done with this post.

    With `until`, the party goes on at this time. With `by`, everything must be there by this time.
    If the need is `open`, the party goes on as soon as everything is there, at the latest at
    `until`.
    """

    party: int
    posts: list[int]
    lists: list[int]
    next_event: int
    unsent: int = 0
    time: Time = 0.0
    last: int = NOBODY
    came: float = 0.0
    all_free: float | None = None
    computed_at: int = -1
    until: float | None = None
    by: float = math.inf
    open: OpenWait | None = None


class Clock:
    """A clock for one log on one network: `play` goes through the log.

    Afterwards `at` has the time at which each party ended, and `computing` the seconds of its work;
    for a crowd of several members these are arrays, with a number for each member. `waits` has each
    party's waits in order. `sent` has, for each post, its time and the number of waits of its
    sender before it. `forwarded` has the wait of the relay for each post that went through it.

    `open_waits` has, by party, the waits with a deadline that have not ended in the log. If there
    are any, `play(lookahead)` stops `lookahead` seconds after the first of them has ended. Then
    `ended` has, for each party whose wait has ended, the time and the senders of those of its
    `posts` that were not there.
    """

    def __init__(
        self,
        log: RecordedRun,
        network: Network,
        seed: int = 0,
        open_waits: Mapping[int, OpenWait] | None = None,
    ) -> None:
        parties, prices = len(log.names), network.prices
        self.log = log
        self.network = network
        self.links = Links(log, network, seed)
        self.at: list[Time] = [self.links.zero(number) for number in range(parties)]
        self.computing: list[Time] = [self.links.zero(number) for number in range(parties)]
        self.waits: list[list[Wait]] = [[] for _ in range(parties)]
        self.sent: dict[int, tuple[float, int]] = {}
        self.forwarded: dict[int, Wait] = {}
        self._work = [
            sum(prices.get(operation, 0.0) * times for operation, times in work.items())
            for work in log.works
        ]
        self._kinds, self._values, self._places = self._by_party()
        self._next = [0] * parties
        self._is_sent = np.zeros(len(log.post_to), dtype=np.bool_)
        self._lists = [np.sort(posts) for posts in log.lists]
        self._lists_with: dict[int, list[int]] = {}
        for number, posts in enumerate(log.lists):
            for post in posts.tolist():
                self._lists_with.setdefault(post, []).append(number)
        self._unsent = [len(posts) for posts in log.lists]
        self._waiting_for: dict[int, list[Need]] = {}
        self._waiting_for_list: dict[int, list[Need]] = {}
        self._queue: list[tuple[float, int, int, Need]] = []
        self._queued = 0
        self._now = 0.0
        self._told: list[tuple[int, int]] = []  # places in the log, and parties
        self._open = dict(open_waits or {})
        self.ended: dict[int, tuple[float, tuple[int, ...]]] = {}

    def play(self, lookahead: float = math.inf) -> None:
        """Go through all events, or until `lookahead` seconds after the first open wait ends."""
        for party in range(len(self.log.names)):
            self._go_on(party)
        horizon = math.inf
        while self._queue or self._told:
            if not self._queue:
                self._tell()
                continue
            if self._queue[0][0] >= horizon:
                return
            self._now, _, _, need = heapq.heappop(self._queue)
            self._resume(need)
            if self.ended and horizon == math.inf:
                horizon = self._now + lookahead

    def watch(self, party: int, post: int) -> None:
        """Make `play` note when a party's message of a post is there."""
        self.links.inboxes[party].watched[self._at_party(party, post)] = math.inf

    def there(self, party: int, post: int) -> float:
        """Return when a watched message is there, after `play`."""
        inbox = self.links.inboxes[party]
        inbox.note_watched(inbox.passing())
        return inbox.watched[self._at_party(party, post)]

    def _at_party(self, party: int, post: int) -> int:
        """Return the number under which a post comes to a party."""
        if party == self.links.relay and self.links.goes_through_relay(post):
            return self.links.uploaded(post)
        return post

    def _by_party(self) -> tuple[list[list[int]], ...]:
        parties, kinds, values = self.log.events
        order = np.argsort(parties, kind="stable")
        ends = np.searchsorted(parties[order], np.arange(1, len(self.log.names)))
        columns = (kinds, values, np.arange(len(parties)))
        return tuple(
            [part.tolist() for part in np.split(column[order], ends)] for column in columns
        )

    def _go_on(self, party: int) -> None:
        kinds, values = self._kinds[party], self._values[party]
        place = self._next[party]
        while place < len(kinds):
            kind, value = kinds[place], values[place]
            if kind == WORK:
                self._compute(party, value)
            elif kind == SEND and party == self.links.relay and self.at[party] > self._now:
                self._pause(party, place)
                return
            elif kind == SEND:
                self._send(party, value)
            elif kind == SILENCE:
                self._next[party] = place + 1
                self._told.append((self._places[party][place], party))
                return
            elif kind == DEADLINE and self._is_idle(value):
                pass
            else:
                self._wait(party, place)
                return
            place += 1
        self._next[party] = place
        wait = self._open.pop(party, None)
        if wait is not None:
            until = float(self.at[party]) + wait.within
            need = Need(party, list(wait.posts), [], place, wait.unsent, until=until, open=wait)
            self._expect(need)
            self._compute_wait(need)

    def _is_idle(self, value: int) -> bool:
        wait = self.log.deadlines[value]
        return not wait.has_passed and not wait.taken

    def _pause(self, party: int, place: int) -> None:
        """Let the relay's script go on only when all earlier events are done. Posts that the relay
        forwards until then leave its uplink before the messages of its own script.
        """
        self._next[party] = place
        self._queued += 1
        heapq.heappush(
            self._queue, (float(self.at[party]), LAST, self._queued, Need(party, [], [], place))
        )

    def _compute(self, party: int, work: int) -> None:
        seconds = self._work[work] * self.links.slowness(party) / self.log.sizes[party]
        self.computing[party] = self.computing[party] + seconds
        self.at[party] = self.at[party] + seconds

    def _send(self, party: int, post: int) -> None:
        work = self.log.deferred.get(post)
        if work is not None:
            self._compute(party, work)
        time = self.at[party]
        self.sent[post] = float(np.max(time)), len(self.waits[party])
        if self.links.goes_through_relay(post):
            assert self.links.relay is not None
            self.links.upload(post, time)
            uploaded = self.links.uploaded(post)
            self._compute_wait(Need(self.links.relay, [uploaded], [], FORWARD))
        else:
            self.links.leave(post, time)
            self._note_sent(post)

    def _note_sent(self, post: int) -> None:
        self._is_sent[post] = True
        ready = self._waiting_for.pop(post, [])
        for list_ in self._lists_with.get(post, ()):
            self._unsent[list_] -= 1
            if not self._unsent[list_]:
                ready += self._waiting_for_list.pop(list_, [])
        for need in ready:
            need.unsent -= 1
            if not need.unsent:
                self._compute_wait(need)

    def _wait(self, party: int, place: int) -> None:
        kinds, values = self._kinds[party], self._values[party]
        until, by = None, math.inf
        if kinds[place] == DEADLINE:
            wait = self.log.deadlines[values[place]]
            ends = float(self.at[party]) + wait.within
            if wait.has_passed and not math.isclose(ends, wait.at, rel_tol=1e-9, abs_tol=1e-9):
                raise _other_chances()
            until, by = (ends, math.inf) if wait.has_passed else (None, ends)
            place += 1
            end = place + wait.taken
        else:
            end = place
            while end < len(kinds) and kinds[end] not in (SEND, WORK, SILENCE, DEADLINE):
                end += 1
        taken = list(zip(kinds[place:end], values[place:end], strict=True))
        need = Need(
            party,
            [value for kind, value in taken if kind == TAKE],
            [value for kind, value in taken if kind != TAKE],
            end,
            until=until,
            by=by,
        )
        self._expect(need)
        if not need.unsent:
            self._compute_wait(need)

    def _expect(self, need: Need) -> None:
        for post in need.posts:
            if not self._is_sent[post]:
                self._waiting_for.setdefault(post, []).append(need)
                need.unsent += 1
        for list_ in need.lists:
            if self._unsent[list_]:
                self._waiting_for_list.setdefault(list_, []).append(need)
                need.unsent += 1

    def _compute_wait(self, need: Need) -> None:
        party = need.party
        if party in self.links.crowds:
            self._compute_wait_of_crowd(need)
        else:
            inbox = self.links.inboxes[party]
            passing = inbox.passing()
            wanted = [np.sort(np.array(need.posts, dtype=np.int64))]
            wanted += [self._lists[number] for number in need.lists]
            if party == self.links.relay and need.next_event != FORWARD:
                wanted = [self._as_at_relay(posts) for posts in wanted]
            places = np.flatnonzero(passing.where(wanted))
            need.time, need.last, need.computed_at = 0.0, NOBODY, inbox.posts
            need.all_free = None
            if len(places):  # the others are there since an earlier wait
                last = int(places[-1])
                need.time, need.last = float(passing.there[last]), int(passing.posts[last])
                need.came = float(passing.last[last])
                is_end = last == len(passing.posts) - 1
                need.all_free = float(passing.free[last]) if is_end else None
        if need.until is not None:
            self._compute_deadline(need)
        self._queued += 1
        # At the same time, the relay forwards posts in their order, and then scripts go on.
        rank = self.links.rank(need.posts[0]) if need.next_event == FORWARD else LAST
        heapq.heappush(self._queue, (float(np.min(need.time)), rank, self._queued, need))

    def _compute_deadline(self, need: Need) -> None:
        assert need.until is not None
        is_there = not need.unsent and float(need.time) <= need.until
        if need.open is None and float(need.time) > need.until * (1 + 1e-9) + 1e-9:
            raise _other_chances()
        if need.open is not None and is_there:
            need.time = max(float(need.time), float(self.at[need.party]))
            return
        need.time, need.last, need.all_free = need.until, DEADLINE_PASSED, None

    def _compute_wait_of_crowd(self, need: Need) -> None:
        wanted = set(need.posts).union(*(self.log.lists[number].tolist() for number in need.lists))
        need.time, need.last = self.links.zero(need.party), NOBODY
        mail, latest = self.links.to_crowds[need.party], 0.0
        need.computed_at = len(mail)
        for message, there in zip(mail, self.links.there_in_crowd(need.party), strict=True):
            if message.post in wanted:
                need.time = np.maximum(need.time, there)
                if there.max() >= latest:
                    latest = float(there.max())
                    need.last, need.came = message.post, float(message.last.max())

    def _resume(self, need: Need) -> None:
        """Let a party go on, or the relay forward a post, unless it has to wait longer by now."""
        party = need.party
        if need.open is not None and (party in self.ended or self._now != need.time):
            return  # decided already, or computed anew
        if not need.posts and not need.lists and need.until is None:
            self._go_on(party)
            return
        is_crowd = party in self.links.crowds
        known = len(self.links.to_crowds[party]) if is_crowd else self.links.inboxes[party].posts
        if known != need.computed_at:
            self._compute_wait(need)
            return
        if need.next_event == FORWARD:
            self._forward(need)
            return
        if need.open is not None:
            self.ended[party] = float(need.time), self._absent(need, need.open)
            return
        if float(np.max(need.time)) > need.by * (1 + 1e-9) + 1e-9:
            raise _other_chances()
        began = self.at[party]
        self.at[party] = np.maximum(began, need.time) if is_crowd else max(began, need.time)
        if need.last == DEADLINE_PASSED:
            self.waits[party].append(
                Wait(party, float(began), float(need.time), DEADLINE_PASSED, float(began), party)
            )
        elif need.last != NOBODY and np.any(need.time > began):
            self.waits[party].append(
                Wait(
                    party,
                    float(np.max(began)),
                    float(np.max(need.time)),
                    need.last % len(self.log.post_to),
                    need.came,
                    self._sender(need.last, party),
                )
            )
        if not is_crowd:
            self.links.inboxes[party].settle(float(need.time), need.all_free)
        self._next[party] = need.next_event
        self._go_on(party)

    def _absent(self, need: Need, wait: OpenWait) -> tuple[int, ...]:
        """Return the senders whose messages are not there when an open wait ends."""
        passing = self.links.inboxes[need.party].passing()
        there = dict(zip(passing.posts.tolist(), passing.there.tolist(), strict=True))
        # What the downlink does not have to deliver any more is there since an earlier wait.
        return tuple(
            sender
            for post, sender in wait.posts.items()
            if not self._is_sent[post]
            or there.get(self._at_party(need.party, post), 0.0) > float(need.time)
        )

    def _forward(self, need: Need) -> None:
        relay, uploaded = need.party, need.posts[0]
        post = uploaded - len(self.log.post_to)
        time = float(np.max(need.time))
        sender = self.log.sender(post)
        self.forwarded[post] = Wait(relay, self.sent[post][0], time, post, need.came, sender)
        self.links.leave(post, time, by=relay)
        self._note_sent(post)

    def _sender(self, post: int, recipient: int) -> int:
        """Return the party that sent a message of a post to its recipient: the sender of the post,
        or the relay.
        """
        if post in self.forwarded and recipient != self.links.relay:
            return self.forwarded[post].party
        return self.log.sender(post % len(self.log.post_to))

    def _as_at_relay(self, posts: Ints) -> Ints:
        """Return the numbers under which posts come to the relay, in order."""
        through = [self.links.goes_through_relay(post) for post in posts.tolist()]
        return np.sort(posts + np.array(through, dtype=np.int64) * len(self.log.post_to))

    def _tell(self) -> None:
        """Nobody else can go on: release the parties that the run itself released next."""
        self._told.sort()
        first, _ = self._told[0]
        released = [
            party for number, (place, party) in enumerate(self._told) if place == first + number
        ]
        del self._told[: len(released)]
        latest = max(range(len(self.at)), key=lambda party: float(np.max(self.at[party])))
        now = float(np.max(self.at[latest]))
        for party in released:
            time = now + self.links.latency(latest, party).seconds
            began = self.at[party]
            self.waits[party].append(Wait(party, float(np.max(began)), time, NOBODY, now, latest))
            self.at[party] = np.maximum(began, time) if party in self.links.crowds else time
        for party in released:
            self._go_on(party)


def _other_chances() -> BadInput:
    return BadInput(
        "the scripts of this run wait with deadlines, and with this seed other messages come in "
        "time than in the run: give the seed of the run"
    )
