"""What the kernel knows of one party while a run goes on."""

import threading
from collections import deque
from collections.abc import Coroutine, Sequence
from typing import Any, cast

from simnet.coins.coins import Coins
from simnet.errors import BadInput, ScriptError
from simnet.kernel.waits import Wait
from simnet.record.ledger import Line, Lot, Receipts
from simnet.roster import Roster
from simnet.values.field import FieldArray
from simnet.values.meter import Meter

# payload, lot, arrival on the logical clock, sent to oneself, how many messages it stands for
Envelope = tuple[Any, Lot, float, bool, int]


Script = Coroutine[object, None, object]


class Turn:
    """Whose turn it is, and in which thread a run goes on; everybody in a run shares it.

    It is nobody's turn before the run, after it, and once it has failed.
    """

    __slots__ = ("actor", "door_coins", "failure", "opener", "thread")

    def __init__(self, actor: "Actor | None" = None) -> None:
        self.actor = actor
        self.opener: Actor | None = None  # whose door's function is being called,
        self.door_coins: Coins | None = None  # and which coins it is given, if any
        self.thread = threading.get_ident()
        # What a door's function has raised: the run ends with it, whether or not the script
        # catches it. So nobody goes on who could tell others what the function was given.
        self.failure: Exception | None = None


class Mailbox:
    """Messages of one tag that wait for their recipient, by sender.

    Most senders have at most one message waiting, so a queue is made only for a second one.
    """

    __slots__ = ("arrivals", "held")

    def __init__(self) -> None:
        self.held: dict[int, Envelope | deque[Envelope]] = {}
        self.arrivals: deque[int] = deque()

    def put(self, sender: int, envelope: Envelope) -> None:
        """Add a message behind those of the same sender."""
        waiting = self.held.get(sender)
        if waiting is None:
            self.held[sender] = envelope
            self.arrivals.append(sender)
        elif type(waiting) is deque:
            waiting.append(envelope)
        else:
            self.held[sender] = deque([cast(Envelope, waiting), envelope])

    def put_all(self, sender: int, envelopes: Sequence[Envelope]) -> None:
        """Add several messages behind those of the same sender."""
        if sender in self.held or len(envelopes) < 2:
            for envelope in envelopes:
                self.put(sender, envelope)
            return
        self.held[sender] = deque(envelopes)
        self.arrivals.append(sender)

    def take_up_to(self, sender: int, count: int) -> list[Envelope]:
        """Remove the first messages of a sender, as many as there are and no more than `count`."""
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
        """Remove the first message of a sender that has one."""
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

    def counts(self) -> dict[int, int]:
        """How many messages wait from each sender; those of a crowd's members count one by one."""
        counts = {}
        for sender, waiting in self.held.items():
            envelopes = waiting if type(waiting) is deque else [cast(Envelope, waiting)]
            counts[sender] = sum(envelope[-1] for envelope in envelopes)
        return counts

    def first(self) -> int:
        """The sender who has waited longest."""
        while self.arrivals[0] not in self.held:
            self.arrivals.popleft()
        return self.arrivals[0]


class Actor:
    """The state of one party. `depth` is the length of the longest chain of messages that it has
    waited for.
    """

    __slots__ = (
        "boxes",
        "burst",
        "clock",
        "coins",
        "depth",
        "door",
        "doors_opened",
        "finished",
        "is_crowd",
        "last_tag",
        "line",
        "meter",
        "name",
        "number",
        "observed",
        "output",
        "output_failure",
        "receipts",
        "role",
        "script",
        "secrets",
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
        self.doors_opened = {"secret": 0, "disclose": 0, "output": 0}
        self.door: str | None = None  # the kind of the door whose function is being called
        self.output_failure: Exception | None = None  # of an output's function, told at the end
        self.observed = False
        self.is_crowd = False
        self.finished = False
        self.script: Script | None = None  # once it has begun, and until the run ends
        self.boxes: dict[str, Mailbox] = {}
        # The last one billed on: most often it serves for the next message too
        self.line: Line | None = None
        self.wait: Wait | None = None  # what it waits for, if for anything
        self.depth = 0
        self.clock = 0.0
        self.burst = 0
        self.last_tag: str | None = None

    def box(self, tag: str) -> Mailbox:
        """The party's mailbox for a tag, made when first used."""
        box = self.boxes.get(tag)
        if box is None:
            box = self.boxes[tag] = Mailbox()
        return box

    def refuse_messages(self) -> None:
        """Raise `BadInput` for a crowd, whose members can be told apart by nothing that is sent to
        them.
        """
        if self.is_crowd:
            raise BadInput(
                f"{self.name} is a crowd: publish what all its members are to get, or seat "
                f"them one by one"
            )


def refuse(actor: Actor, tag: str | None, reason: str) -> ScriptError:
    """An error that names party, round and, if there is one, the tag."""
    about = "" if tag is None else f' (tag "{tag}")'
    return ScriptError(f"{actor.name} in round {actor.depth + 1}{about}: {reason}")


def refuse_one_for_many(actor: Actor, tag: str, roster: Roster) -> None:
    """Raise `ScriptError` when a crowd sends as if it were one party."""
    if actor.number in roster.crowds:
        size = roster.seats[actor.number].size
        raise refuse(
            actor, tag, f"stands for {size} members, each of whom sends a row: use send_rows"
        )
