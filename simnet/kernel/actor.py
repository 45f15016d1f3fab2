"""The state of one party during a run."""

import threading
from collections import Counter, deque
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, cast

from simnet.coins.coins import Coins
from simnet.doors.call import Caller, DoorCall
from simnet.doors.record import Toss
from simnet.errors import BadInput, ScriptError
from simnet.kernel.waits import Wait
from simnet.record.ledger import Line, Lot, Receipts
from simnet.roster import Roster
from simnet.values.field import FieldArray
from simnet.values.meter import Meter

# An envelope consists of a payload, its lot, the number of its post in the log, whether the sender
# is the recipient, and the number of messages that the envelope stands for.
Envelope = tuple[Any, Lot, int, bool, int]


Script = Coroutine[object, None, object]


class Turn:
    """The party whose turn it is, and the thread of the run. All parties of a run share this
    object.

    No party has the turn while no script is being executed (before the run, between two turns and
    after the run), while the function of a door is running, and after an interrupt.
    """

    __slots__ = ("actor", "door_coins", "failure", "opener", "thread", "vault")

    def __init__(self, actor: "Actor | None" = None) -> None:
        self.actor = actor
        self.opener: Actor | None = None  # the party whose door's function is running
        self.door_coins: Coins | None = None  # the coins that this function gets, if any
        self.thread = threading.get_ident()
        self.vault: Caller | None = None  # who calls functions of doors; None: this process
        # The error of a door's function. The run ends with it even if the script catches it, so
        # that no script can go on and reveal the values behind its sealed arguments.
        self.failure: Exception | None = None


class Mailbox:
    """The messages of one tag that a party was sent and has not taken out yet, by sender."""

    __slots__ = ("arrivals", "held")

    def __init__(self) -> None:
        self.held: dict[int, Envelope | deque[Envelope]] = {}
        self.arrivals: deque[int] = deque()

    def put(self, sender: int, envelope: Envelope) -> None:
        """Add a message behind the waiting messages of the same sender."""
        waiting = self.held.get(sender)
        if waiting is None:
            self.held[sender] = envelope
            self.arrivals.append(sender)
        elif type(waiting) is deque:
            waiting.append(envelope)
        else:
            self.held[sender] = deque([cast(Envelope, waiting), envelope])

    def put_all(self, sender: int, envelopes: Sequence[Envelope]) -> None:
        """Add several messages behind the waiting messages of the same sender."""
        if sender in self.held or len(envelopes) < 2:
            for envelope in envelopes:
                self.put(sender, envelope)
            return
        self.held[sender] = deque(envelopes)
        self.arrivals.append(sender)

    def take_up_to(self, sender: int, count: int) -> list[Envelope]:
        """Remove and return the first waiting messages of a sender, at most `count`."""
        waiting = self.held.get(sender)
        if type(waiting) is not deque or len(waiting) > count:
            envelopes: list[Envelope] = []
            while len(envelopes) < count and sender in self.held:
                envelopes.append(self.take(sender))
            return envelopes
        del self.held[sender]
        if not self.held:
            self.arrivals.clear()
        return list(waiting)

    def take(self, sender: int) -> Envelope:
        """Remove and return the first waiting message of a sender, which must have one."""
        waiting = self.held[sender]
        if type(waiting) is deque:
            envelope: Envelope = waiting.popleft()
            if waiting:
                return envelope
        else:
            envelope = cast(Envelope, waiting)
        del self.held[sender]
        if not self.held:
            self.arrivals.clear()
        return envelope

    def first_post(self, sender: int) -> int:
        """Return the number of the post, in the log, of the first waiting message of a sender."""
        waiting = self.held[sender]
        first: Envelope = waiting[0] if type(waiting) is deque else cast(Envelope, waiting)
        return first[2]

    def counts(self) -> dict[int, int]:
        """Return how many messages wait from each sender. A block counts as many messages as it
        stands for.
        """
        counts = {}
        for sender, waiting in self.held.items():
            envelopes = waiting if type(waiting) is deque else [cast(Envelope, waiting)]
            counts[sender] = sum(envelope[-1] for envelope in envelopes)
        return counts

    def first(self) -> int:
        """Return a sender that has a waiting message. The mailbox must have such a message."""
        while self.arrivals[0] not in self.held:
            self.arrivals.popleft()
        return self.arrivals[0]


class LateMailbox(Mailbox):
    """A mailbox some of whose messages may be late, lost or duplicated.

    If the owner stops waiting for a message that has not come in time, this counts as a *silence*
    of the sender. A silence takes the place of one message: this message is not read if it comes
    later, and the sender's message after it is read as usual. `given_up` counts, by sender, the
    silences whose message has not come yet. `due` has, by sender and for each silence, the time of
    the deadline that passed, or None if there was no deadline. `late` has, by sender and in the
    order of the silences, the messages that came all the same; None stands for a message that was
    lost.

    A lost message leaves a hole: the sender's next message is not read in the place of the lost
    one. `behind` has, by sender, what was put after the first hole; None stands for a further hole.
    If no message of the sender waits, a silence takes the place of the first hole. While `swallows`
    is set, every message that comes is lost. `unread` counts, by sender, lost messages and second
    copies of duplicated messages.
    """

    __slots__ = ("behind", "due", "given_up", "late", "swallows", "unread")

    def __init__(self, box: Mailbox) -> None:
        self.held, self.arrivals = box.held, box.arrivals
        self.given_up = Counter[int]()
        self.due: dict[int, list[float | None]] = {}
        self.late: dict[int, list[Envelope | None]] = {}
        self.behind: dict[int, list[Envelope | None]] = {}
        self.swallows = False
        self.unread = Counter[int]()

    def give_up(self, sender: int, due: float | None) -> None:
        """Stop waiting for the next message of a sender."""
        self.due.setdefault(sender, []).append(due)
        if sender in self.held:
            self.late.setdefault(sender, []).append(self.take(sender))
        elif sender in self.behind:
            self.late.setdefault(sender, []).append(None)
            for envelope in self.behind.pop(sender):
                self._add(sender, envelope)
        else:
            self.given_up[sender] += 1

    def put(self, sender: int, envelope: Envelope) -> None:
        """Add a message behind the waiting messages of the same sender, or keep it apart if it
        comes too late.
        """
        if self.swallows:
            self.unread[sender] += envelope[-1]
        lost = None if self.swallows else envelope
        if self.given_up[sender]:
            self.given_up[sender] -= 1
            self.late.setdefault(sender, []).append(lost)
        else:
            self._add(sender, lost)

    def _add(self, sender: int, envelope: Envelope | None) -> None:
        if sender in self.behind:
            self.behind[sender].append(envelope)
        elif envelope is None:
            self.behind[sender] = []
        else:
            super().put(sender, envelope)

    def put_all(self, sender: int, envelopes: Sequence[Envelope]) -> None:
        """Add several messages of one sender."""
        for envelope in envelopes:
            self.put(sender, envelope)

    def counts(self) -> dict[int, int]:
        """Return how many messages of each sender are unread: they wait, came too late, were lost,
        or are second copies.
        """
        counts = Counter(super().counts()) + self.unread
        for came in (self.late, self.behind):
            for sender, envelopes in came.items():
                counts[sender] += sum(one[-1] for one in envelopes if one is not None)
        return dict(counts)


class Actor:
    """The state of one party. `depth` is the largest round of all that the party has got so far:
    messages of others, silences, and ends of waits with a deadline. At first it is 0.
    """

    __slots__ = (
        "aborted",
        "boxes",
        "burst",
        "came",
        "coins",
        "depth",
        "door",
        "doors_opened",
        "finished",
        "is_crowd",
        "is_gone",
        "last_tag",
        "line",
        "meter",
        "missed",
        "name",
        "number",
        "observed",
        "output",
        "output_failure",
        "receipts",
        "reduced",
        "role",
        "script",
        "secrets",
        "silent",
        "tosses",
        "wait",
    )

    def __init__(self, number: int, name: str, role: str, meter: Meter, receipts: Receipts) -> None:
        self.number = number
        self.name = name
        self.role = role
        self.meter = meter
        self.receipts = receipts
        self.coins: Coins | None = None  # made when first asked for
        self.output: Any = None
        self.secrets: list[FieldArray] = []
        self.reduced: DoorCall | None = None  # the first secret with a number of at least q
        self.tosses: list[Toss] = []  # the calls of doors with coins
        self.doors_opened = {"secret": 0, "disclose": 0, "output": 0}
        self.door: str | None = None  # the kind of the door whose function is being called
        self.output_failure: Exception | None = None  # an output door's error, raised at the end
        self.observed = False
        self.is_crowd = False
        self.finished = False
        self.script: Script | None = None  # set while the script runs
        self.boxes: dict[str, Mailbox] = {}
        # The last line that a message was billed on; the next message usually fits it, too.
        self.line: Line | None = None
        self.is_gone = False  # whether the party has dropped out
        self.aborted: str | None = None  # why the party ended its part in the run, if it did
        # Who was heard in each call of `gather_some`, `heard` or `gather_rows(..., at_least=...)`,
        # by tag.
        self.came: dict[str, list[tuple[str, ...]]] = {}
        # Who was waited for in vain in each of these calls, by tag.
        self.missed: dict[str, list[tuple[str, ...]]] = {}
        self.silent: frozenset[int] = frozenset()  # the silent senders of the wait that just ended
        self.wait: Wait | None = None  # what the party waits for; None while it does not wait
        self.depth = 0
        self.burst = 0
        self.last_tag: str | None = None

    def box(self, tag: str) -> Mailbox:
        """Return the party's mailbox for a tag."""
        box = self.boxes.get(tag)
        if box is None:
            box = self.boxes[tag] = Mailbox()
        return box

    def give_up(self, tag: str, senders: Iterable[int], due: float | None = None) -> None:
        """Stop waiting, for each of these senders, for its next message under a tag. `due` is the
        time of the deadline, if one has passed.
        """
        box = self.late_box(tag)
        for sender in senders:
            box.give_up(sender, due)

    def late_box(self, tag: str) -> LateMailbox:
        """Return the party's mailbox for a tag, as a `LateMailbox`."""
        box = self.box(tag)
        if not isinstance(box, LateMailbox):
            box = self.boxes[tag] = LateMailbox(box)
        return box

    def came_late(self) -> Iterable[tuple[str, int, float, int]]:
        """Yield the messages that came after a deadline: the tag, the number of the sender, the
        time of the deadline, and the number of the post in the log.
        """
        for tag, box in sorted(self.boxes.items()):
            if isinstance(box, LateMailbox):
                for sender, late in sorted(box.late.items()):
                    for due, envelope in zip(box.due[sender], late, strict=False):
                        if due is not None and envelope is not None:
                            yield tag, sender, due, envelope[2]

    def refuse_messages(self) -> None:
        """Raise `BadInput` if the party is a crowd, which cannot receive a message for one
        member.
        """
        if self.is_crowd:
            raise BadInput(
                f"{self.name} is a crowd, which cannot receive a message for one member: publish "
                f"one payload to all members, under a tag that is not summed, or give each member "
                f"a seat of its own"
            )


def refuse(actor: Actor, tag: str | None, reason: str) -> ScriptError:
    """Return an error that names the party, its present round and, if there is one, the tag."""
    about = "" if tag is None else f' (tag "{tag}")'
    return ScriptError(f"{actor.name} in round {actor.depth + 1}{about}: {reason}")


def refuse_one_for_many(actor: Actor, tag: str, roster: Roster) -> None:
    """Raise `ScriptError` when a crowd sends as if it were one party."""
    if actor.number in roster.crowds:
        raise refuse(
            actor,
            tag,
            "is a crowd, and each of its members sends a row: use send_rows, with plain values and "
            "a tag that is not summed",
        )
