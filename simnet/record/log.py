"""The log of a run: what every party sent, waited for and computed, in the order of its script.

Theory of operation. How long a run takes on a network depends on who sent how many bytes to whom,
who waited for which message, and what was computed in between. The log holds these things and no
payload. It is written in every run, so a run without deadlines can be timed on many networks
afterwards (see `simnet.network`).

A run may have millions of messages, and many of them may belong to blocks: for example, one party
scatters 5,000 rows in one send. So one *post* of the log can stand for many messages that are sent
together. A post refers to a line of the bill; the line gives the sender, the tag, the round and the
bytes of a frame. A post goes to one party, or to the parties of a group in the group's order. If a
recipient takes the messages of many posts out at once, as in a sum, the log refers to the list that
the sum keeps.

The events of all parties stand in one array, in the order in which the run made them. An event is
one whole number: its subject, its kind, and a value. The subject is a party, or for a post the
line. The number of a post is the place of its event. The value is

- of a post: its recipient, or -1 - k for the k-th group, plus `TO_ZERO`, which makes it positive;
- of a taken message: the number of its post;
- of messages that are taken out at once: the number of their list;
- of work: the place of its operations in `works`;
- of a silence: 0;
- of a wait with a deadline: its place in `deadlines`. The next messages that the party takes are
  those that came in time.

Example. u1 scatters a block to u1 and u2; u2 does the same; each adds up what it got, with one
addition. u1 must wait for the block of u2, so u2 has its sum first::

    place 0: line 0 (of u1) SEND to group 0       place 3: u1 TAKE_ALL list 0
    place 1: line 1 (of u2) SEND to group 0       place 4: u1 WORK 0
    place 2: u2 TAKE_ALL list 0                   place 5: u2 WORK 0

Group 0 is (u1, u2), list 0 has the posts 0 and 1, and the operations at place 0 of `works` are one
addition. Work is noted at the party's next send or wait or, as here, at the end of the run.
"""

import threading
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from simnet.record.ledger import Line
from simnet.roster import Group
from simnet.values.meter import Meter, Operation

SEND, TAKE, TAKE_ALL, WORK, SILENCE, DEADLINE = range(6)
KIND_BITS, VALUE_BITS = 3, 32
TO_ZERO = 1 << 31
VALUE_MASK, KIND_MASK = (1 << VALUE_BITS) - 1, (1 << KIND_BITS) - 1
_SUBJECT = KIND_BITS + VALUE_BITS


class EndedWait(NamedTuple):
    """The end of a wait that had a deadline.

    The wait could last `within` seconds, and ended at the time `at`, in seconds. The party then
    takes `taken` messages of other parties. `has_passed` says whether the deadline has passed, so
    that some senders count as silent.
    """

    within: float
    has_passed: bool
    at: float
    taken: int


class Log:
    """The log of one run, while the run writes it. `simnet.network.recorded` reads it."""

    def __init__(self, meters: Sequence[Meter]) -> None:
        self.events = array("q")
        self.lines: list[Line] = []
        self.groups: list[Group] = []
        self.lists: list[Mapping[int, int]] = []  # posts that are taken out at once, by sender
        self.works: list[Mapping[Operation, int]] = []
        # For each item of `works`: those of its operations that the functions of doors did. They
        # are counted only if the run has a network.
        self.in_doors: list[Mapping[Operation, int]] = []
        self.deadlines: list[EndedWait] = []
        self.has_deadlines = False
        # By post and recipient: the seconds by which a message comes later.
        self.delays: dict[tuple[int, int], float] = {}
        self.members: dict[int, int] = {}  # of a post of `send_rows`: the number of messages
        # The work that made the rows of a post, if they were made after the post.
        self.deferred: dict[int, int] = {}
        self._meters = meters
        self._lock = threading.Lock()  # deferred blocks are made in several threads
        self._counted: dict[int, Counter[Operation]] = {}
        self._line_numbers: dict[int, int] = {}  # by identity, as for groups and lists
        self._group_numbers: dict[int, int] = {}
        self._list_numbers: dict[int, int] = {}
        self._work_numbers: dict[tuple[tuple[tuple[Operation, int], ...], ...], int] = {}

    def send(self, line: Line, to: int) -> int:
        """Note a message to one party. Return the number of the post."""
        sender = line.sender
        if self._meters[sender].changed:
            self._note_work(sender)
        number = line.number
        if number < 0:
            number = line.number = len(self.lines)
            self.lines.append(line)
        events = self.events
        events.append(number << _SUBJECT | to + TO_ZERO)  # the kind SEND is 0
        return len(events) - 1

    def send_all(self, line: Line, group: Group) -> int:
        """Note one message to each member of a group, in order. Return the number of the post."""
        return self.send(line, -1 - _number(group, self.groups, self._group_numbers))

    def send_rows(self, line: Line, to: int, members: int) -> int:
        """Note one message from each of `members` members of a crowd, or of a single party, to one
        party. Return the number of the post.
        """
        post = self.send(line, to)
        self.members[post] = members
        return post

    def take(self, party: int, post: int) -> None:
        """Note that a party waited for its message of a post."""
        if self._meters[party].changed:
            self._note_work(party)
        self.events.append(party << _SUBJECT | TAKE << VALUE_BITS | post)

    def take_all(self, party: int, posts: Mapping[int, int]) -> None:
        """Note that a party waited for its messages of several posts, which are given by sender.

        The log keeps the mapping, so do not change it afterwards.
        """
        if self._meters[party].changed:
            self._note_work(party)
        number = _number(posts, self.lists, self._list_numbers)
        self.events.append(party << _SUBJECT | TAKE_ALL << VALUE_BITS | number)

    def silence(self, party: int) -> None:
        """Note that a party stopped waiting, because nobody could go on."""
        self.events.append(party << _SUBJECT | SILENCE << VALUE_BITS)

    def posts_since(self, start: int) -> list[tuple[int, Line]]:
        """Return the posts from a place of the log on, each with its line."""
        return [
            (place, self.lines[event >> _SUBJECT])
            for place, event in enumerate(self.events[start:], start)
            if event >> VALUE_BITS & KIND_MASK == SEND
        ]

    def begin_wait(self, party: int) -> None:
        """Note that a party begins to wait with a deadline, and what it has computed before."""
        self.has_deadlines = True
        if self._meters[party].changed:
            self._note_work(party)

    def deadline(self, party: int, wait: EndedWait) -> None:
        """Note that a wait with a deadline has ended."""
        number = len(self.deadlines)
        self.deadlines.append(wait)
        self.events.append(party << _SUBJECT | DEADLINE << VALUE_BITS | number)

    def begin_deferred(self, party: int) -> None:
        """Note what the party has computed before it makes the rows of an earlier post."""
        if self._meters[party].changed:
            with self._lock:
                self._note_work(party)

    def note_deferred(self, post: int, party: int) -> None:
        """Note what the party has computed since `begin_deferred`, as work on the rows of the
        earlier post with number `post`.
        """
        with self._lock:
            work = self._new_work(party)
            if work is not None:
                self.deferred[post] = work

    def finish(self) -> None:
        """Note what the parties computed after their last send and wait."""
        for party, meter in enumerate(self._meters):
            if meter.changed:
                self._note_work(party)

    def _note_work(self, party: int) -> None:
        work = self._new_work(party)
        if work is not None:
            self.events.append(party << _SUBJECT | WORK << VALUE_BITS | work)

    def _new_work(self, party: int) -> int | None:
        """Return the place in `works` of what the party's meter has counted since the last call, or
        None if it has counted nothing.
        """
        meter = self._meters[party]
        meter.changed = False
        counted = self._counted.get(party)
        new = meter.counts if counted is None else meter.counts - counted
        work = tuple(sorted((operation, times) for operation, times in new.items() if times))
        if not work:
            return None
        self._counted[party] = meter.counts.copy()
        in_doors: tuple[tuple[Operation, int], ...] = ()
        if meter.in_doors:
            in_doors = tuple(sorted(meter.in_doors.items()))
            meter.in_doors.clear()
        number = self._work_numbers.get((work, in_doors))
        if number is None:
            number = self._work_numbers[work, in_doors] = len(self.works)
            self.works.append(dict(work))
            self.in_doors.append(dict(in_doors))
        return number


def _number(item: Any, items: list[Any], numbers: dict[int, int]) -> int:
    number = numbers.get(id(item))
    if number is None:
        number = numbers[id(item)] = len(items)
        items.append(item)
    return number
