"""Deadlines: waits that end at a time.

Theory of operation. `gather_some(..., within=s)` waits for s seconds at most, and so does
`gather_rows(..., at_least=m, within=s)`. So what a party reads depends on times, and times depend
on a network. Yet the order in which the kernel lets parties go on must not matter. This works as
follows:

- Every party goes on as far as it can. A party that waits with a deadline stays where it is, even
  if everything that it waits for has been sent. All other waits, except those of `receive_any`, are
  for messages of named senders or for sums. So, without `receive_any`, the state in which nobody
  can go on any more does not depend on the order.
- Then a *timekeeper* looks at everything that has been sent so far, and finds the wait that ends
  first: when all messages that the party waits for are there, or when the deadline passes.
  (`simnet.network.deadlines` plays the log of the run on its network for this.) It also finds waits
  that end so soon afterwards that no message sent from now on could come before their end. The
  parties of all these waits go on.
- A sender whose message is not there when the deadline passes counts as silent. Its message is
  never read, even if it has been sent already: the silence takes the place of the message.
- A party that may stop waiting, but has no deadline, may be told of silence only when no party
  waits with a deadline (`simnet.kernel.silence`).

Links need a latency above 0: a message that is sent at the moment when a deadline passes must come
after this moment.

*Rounds.* Messages share links, so whether a message comes in time may depend on everything that has
been sent. So the end of a wait with a deadline may tell something about what any party has done so
far. The round of this end is therefore 1 + the largest depth of all parties, or 2 + this depth if a
silent sender itself waits. (The depth of a party is the largest round of all that it has got.)

Example. u1 and u2 send to the server, which waits with a deadline of 1 second. The parties first go
on until nobody can: both messages have been sent. The timekeeper finds that u1's message comes at
0.3 seconds and u2's message at 2.3 seconds. The server goes on at 1 second with u1's message alone,
and u2's message is noted as 1.3 seconds late.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import attrs

from simnet.errors import ScriptError
from simnet.kernel.actor import Actor
from simnet.kernel.waits import FromSome
from simnet.record.fate import Deadline, Late, Silence
from simnet.record.log import Log
from simnet.roster import Roster


class Open(NamedTuple):
    """A wait that has a deadline and has not ended yet.

    `sent` has, for each sender whose message is in the mailbox, the number of the message's post,
    which is its place in the log.
    `unsent` has the senders whose message is not there. If the party has sent a message to itself,
    the party is in neither of the two.
    """

    party: int
    within: float
    sent: Mapping[int, int]
    unsent: frozenset[int]


class Ended(NamedTuple):
    """The end of a wait with a deadline: the party, the time, and the silent senders, whose
    messages are not there at this time.
    """

    party: int
    at: float
    silent: tuple[int, ...]


class TooLate(NamedTuple):
    """A message that had not come at the time `due`; `post` is the number of its post."""

    recipient: int
    tag: str
    sender: int
    due: float
    post: int


class Timekeeper(Protocol):
    """Decides which waits with a deadline end next."""

    def decide(self, waits: Sequence[Open]) -> Sequence[Ended]:
        """Return the waits that end next, at least one."""
        ...

    def late(self, messages: Sequence[TooLate]) -> Sequence[Late]:
        """Return by how many seconds each of these messages was late."""
        ...


class Clocked(Protocol):
    """A network, which makes a timekeeper for a run.

    `brings_input` says which parties bring an input, and `log` and `seed` are those of the run.
    """

    def timekeeper(
        self, roster: Roster, brings_input: Sequence[bool], log: Log, seed: int
    ) -> Timekeeper:
        """Return a timekeeper for one run."""
        ...


@attrs.frozen
class Repeated:
    """The deadlines of an earlier run, in the place of a network, so that the run can be
    repeated.
    """

    deadlines: tuple[Deadline, ...]
    late: tuple[Late, ...] = ()

    def timekeeper(
        self, roster: Roster, brings_input: Sequence[bool], log: Log, seed: int
    ) -> Timekeeper:
        """Return a timekeeper that decides as in the earlier run."""
        del roster, brings_input, log, seed
        return _Repeating(self.deadlines, self.late)


class _Repeating:
    def __init__(self, deadlines: Iterable[Deadline], late: Sequence[Late]) -> None:
        self._late = late
        self._steps: list[list[Ended]] = []
        for deadline in deadlines:
            if deadline.step == len(self._steps):
                self._steps.append([])
            self._steps[deadline.step].append(
                Ended(deadline.recipient, deadline.at, deadline.silent)
            )
        self._steps.reverse()

    def decide(self, waits: Sequence[Open]) -> Sequence[Ended]:
        """Return the waits that ended next in the earlier run.

        Raises `ScriptError` if no further wait ended in the earlier run, or if the waits that ended
        next do not fit the waits of this run.
        """
        ended = self._steps.pop() if self._steps else []
        waiting = {wait.party: wait for wait in waits}
        for end in ended:
            wait = waiting.get(end.party)
            if wait is None or not wait.unsent <= {*end.silent} <= wait.unsent | {*wait.sent}:
                ended = []
        if not ended:
            raise ScriptError(
                "the waits with deadlines differ from those of the recorded run: a script must "
                "draw every random number from me.coins, read no clock and keep nothing from one "
                "run to the next"
            )
        return ended

    def late(self, messages: Sequence[TooLate]) -> Sequence[Late]:
        del messages
        return self._late


def open_waits(actors: Iterable[Actor]) -> list[Open]:
    """Return the waits with a deadline, in order of the parties."""
    waits = []
    for actor in actors:
        wait = actor.wait
        if not isinstance(wait, FromSome) or wait.within is None:
            continue
        box = actor.box(wait.tag)
        others = [number for number in wait.senders if number != actor.number]
        sent = {number: box.first_post(number) for number in others if number in box.held}
        unsent = frozenset(number for number in wait.senders if number not in box.held)
        waits.append(Open(actor.number, wait.within, sent, unsent))
    return waits


def pass_deadlines(actors: Sequence[Actor], ended: Sequence[Ended], step: int) -> list[Deadline]:
    """End these waits of the parties, and return how each wait ended. `step` counts the earlier
    decisions of the timekeeper in this run.
    """
    waiting = {actor.number for actor in actors if actor.wait is not None}
    deepest = max(actor.depth for actor in actors)
    passed = []
    for end in sorted(ended):
        actor = actors[end.party]
        assert isinstance(actor.wait, FromSome)
        round_ = deepest + (2 if waiting.intersection(end.silent) else 1)
        passed.append(Deadline(step, round_, end.party, actor.wait.tag, end.at, end.silent))
    for deadline in passed:
        actor = actors[deadline.recipient]
        assert isinstance(actor.wait, FromSome)
        actor.wait.at = deadline.at
        actor.silent = frozenset(deadline.silent)
        actor.depth = max(actor.depth, deadline.round)
        if deadline.silent:
            actor.give_up(deadline.tag, deadline.silent, deadline.at)
        actor.wait = None
    return passed


def silence_of(deadline: Deadline) -> Silence:
    """Return, as a silence, which senders a party had not heard when a deadline passed."""
    return Silence(deadline.round, deadline.recipient, deadline.tag, deadline.silent)
