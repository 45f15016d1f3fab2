"""What is on its way to one party, and when its downlink has delivered it.

Theory of operation. A downlink carries one message after another, in the order in which their last
bits come out of the network. It may begin a message as soon as the first bit is there. Let message
i need the downlink for s_i seconds, and let its first and last bits come at f_i and a_i. With the
messages in the order of a_i, the downlink is done with message i at

    F_i = max(F_{i-1}, f_i) + s_i,    and the message is there at max(F_i, a_i).

So a message that meets no other takes no longer on an uplink and an equally fast downlink together
than on one of them, because it travels in packets. With the running sums S_i = s_1 + ... + s_i,
the formula becomes

    F_i = S_i + max over j <= i of (f_j - S_{j-1}),

and one `maximum.accumulate` can compute it for all messages of a recipient.

The posts to a group are kept once for the group, as columns of numbers, and not once for each
recipient: `GroupPosts`. A recipient computes its own times from the columns when it waits.
"""

from collections.abc import Callable, Mapping, Sequence

import attrs
import numpy as np

from simnet.arrays import Bools, Floats, Indices, Ints

# Posts, when the first and the last bits of their messages come, and the seconds on the downlink.
Arriving = tuple[Ints, Floats, Floats, Floats]

_PASSED_IN_PYTHON = 24  # so few messages are sorted faster without numpy


class Columns:
    """Rows of numbers that are added one by one and read as arrays."""

    def __init__(self, columns: int) -> None:
        self.count = 0
        self._table = np.empty((columns, 8))

    def add(self, *row: float) -> None:
        """Add a row."""
        if self.count == self._table.shape[1]:
            self._table = np.concatenate([self._table, np.empty_like(self._table)], axis=1)
        self._table[:, self.count] = row
        self.count += 1

    def read(self, start: int = 0) -> Floats:
        """Return the rows from `start` on as an array of shape (columns, rows)."""
        rows: Floats = self._table[:, start : self.count]
        return rows


@attrs.frozen(eq=False)
class GroupPosts:
    """The posts to one group, in the order in which the clock came to them.

    The columns are the post, the party whose uplink it leaves, when its first message begins to
    leave, the seconds that a message takes on the uplink, the bytes of a message, the offset of its
    sender in the group, and the size of its sender in the group. If the sender is outside the
    group, these two are -1 and 0. Then a post has `messages` messages, and the *offset* of a member
    is the number of those before its own. `crowds` are the crowds in the group. `resent` says, by
    the class of the sender, how often a packet is sent on average until it comes.
    """

    offset_of: Mapping[int, int]
    messages: int
    crowds: Sequence[int]
    resent: Mapping[str, float]
    columns: Columns = attrs.field(factory=lambda: Columns(7))


@attrs.frozen(eq=False)
class Passing:
    """Messages to one party, in the order in which they come.

    For each message, `posts` is the number of its post, `first` and `last` are the times at which
    its first and its last bit come, `service` is the number of seconds that it needs on the
    downlink, `there` is the time at which the party has it, and `free` the time at which the
    downlink is done with it.
    """

    posts: Ints
    first: Floats
    last: Floats
    service: Floats
    there: Floats
    free: Floats

    def where(self, wanted: Sequence[Ints]) -> Bools:
        """Return, for each message, whether its post is in one of the lists `wanted`, which must be
        sorted.
        """
        chosen = np.zeros(len(self.posts), dtype=np.bool_)
        for posts in wanted:
            if not len(posts):
                continue
            if (np.diff(posts) == 1).all():
                chosen |= (self.posts >= posts[0]) & (self.posts <= posts[-1])
            else:
                places = np.minimum(np.searchsorted(posts, self.posts), len(posts) - 1)
                chosen |= posts[places] == self.posts
        return chosen

    def after(self, start: int) -> "Passing":
        """Return the messages without the first `start`."""
        return Passing(
            self.posts[start:],
            self.first[start:],
            self.last[start:],
            self.service[start:],
            self.there[start:],
            self.free[start:],
        )


def passed(
    posts: Ints, first: Floats, last: Floats, service: Floats, free: float, ranks: Ints
) -> Passing:
    """Return when a downlink that is free from `free` on delivers these messages.

    Messages that come at the same time are delivered in the order of their ranks; `ranks` has the
    rank of each post.
    """
    order = _order(posts, last, ranks)
    if order is not None:
        posts, first, last, service = posts[order], first[order], last[order], service[order]
    if len(posts) <= _PASSED_IN_PYTHON:
        done = []
        for begin, seconds in zip(first.tolist(), service.tolist(), strict=True):
            free = max(free, begin) + seconds
            done.append(free)
        finished = np.array(done)
    else:
        total = np.cumsum(service)
        finished = total + np.maximum(np.maximum.accumulate(first - (total - service)), free)
    return Passing(posts, first, last, service, np.maximum(finished, last), finished)


def _order(posts: Ints, last: Floats, ranks: Ints) -> Indices | None:
    """Return the order in which messages come; None says that they stand in this order already."""
    if len(posts) < 2:
        return None
    later = np.diff(last)
    if later.min() > 0:
        return None
    are_in_order_of_ranks = np.diff(ranks[posts]).min() > 0
    if are_in_order_of_ranks and later.min() == 0:
        return None
    order = np.argsort(last)  # much faster than a stable order, and the same if all times differ
    if np.diff(last[order]).all():
        return order
    if are_in_order_of_ranks:  # a stable order leaves messages of one time as they are
        return np.argsort(last, kind="stable")
    return np.lexsort((ranks[posts], last))


class Inbox:
    """The messages that are on their way to one party.

    `arrived` takes columns of posts to a group, and the offset of the party in the group. It
    returns the posts, the times at which the first and the last bit of the party's messages come,
    and the seconds that each message needs on the party's downlink. `ranks` says in which order
    messages are delivered that come at the same time.
    """

    def __init__(self, arrived: Callable[[Floats, int], Arriving], ranks: Ints) -> None:
        self._arrived = arrived
        self._ranks = ranks
        self._singles: list[Arriving] = []
        self._single_posts = 0
        self._groups: list[tuple[GroupPosts, int]] = []
        self._passed: list[int] = []  # of each group, how many posts were read from its columns
        self._left: Passing | None = None  # messages that were read, and are not there yet
        self._free = 0.0
        self.watched: dict[int, float] = {}  # posts, and when their message is there

    @property
    def posts(self) -> int:
        """The number of posts to the party so far."""
        return self._single_posts + sum(group.columns.count for group, _ in self._groups)

    def put(self, arriving: Arriving) -> None:
        """Note messages that go to this party alone."""
        self._singles.append(arriving)
        self._single_posts += 1

    def join(self, group: GroupPosts, offset: int) -> None:
        """Note that posts to a group come to this party too."""
        self._groups.append((group, offset))
        self._passed.append(0)

    def passing(self) -> Passing:
        """Return the messages that the downlink still has to deliver."""
        parts = list(self._singles)
        for (group, offset), done in zip(self._groups, self._passed, strict=True):
            if done < group.columns.count:
                parts.append(self._arrived(group.columns.read(done), offset))
        if self._left is not None:
            left = self._left
            parts.append((left.posts, left.first, left.last, left.service))
        if len(parts) == 1:
            return passed(*parts[0], self._free, self._ranks)
        if not parts:
            nothing = np.zeros(0)
            return passed(
                nothing.astype(np.int64), nothing, nothing, nothing, self._free, self._ranks
            )
        posts, first, last, service = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        return passed(posts, first, last, service, self._free, self._ranks)

    def note_watched(self, passing: Passing) -> None:
        """Note when watched messages are there, as far as is known."""
        for post, there in zip(passing.posts.tolist(), passing.there.tolist(), strict=True):
            if post in self.watched:
                self.watched[post] = there

    def settle(self, now: float, all_free: float | None) -> None:
        """Forget the messages that are there by now. If these are all messages, `all_free` is when
        the downlink is done with the last one.
        """
        if self.watched:
            self.note_watched(self.passing())
        if all_free is not None:
            self._singles.clear()
            self._passed = [group.columns.count for group, _ in self._groups]
            self._left, self._free = None, all_free
            return
        passing = self.passing()
        self._singles.clear()
        self._passed = [group.columns.count for group, _ in self._groups]
        ready = int(np.searchsorted(passing.there, now, side="right"))
        if ready:
            self._free = float(passing.free[ready - 1])
        self._left = None if ready == len(passing.posts) else passing.after(ready)
