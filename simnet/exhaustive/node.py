"""Everything that one party can do: a tree with a branch for each outcome of a coin and for each
thing received.

Every node is reached by playing the script from the beginning with the coins and messages on its
path, or by letting the performance of its parent go on. So a script is played once for each of the
party's own histories, however many joint histories of all parties these are part of.
"""

from collections.abc import Generator, Hashable, Sequence
from typing import Any

import attrs

from simnet.errors import BadInput, ScriptError
from simnet.exhaustive.local import Ask, Outbox, Sent
from simnet.exhaustive.reading import LocalReading
from simnet.exhaustive.tape import Choice, Outcome, Tape, Undecided
from simnet.kernel.actor import Actor, refuse
from simnet.kernel.party import Party
from simnet.linear.forms import Forms
from simnet.linear.terms import refine
from simnet.linear.vectors import Vector
from simnet.record.ledger import Receipts
from simnet.record.message import Message
from simnet.roster import Roster
from simnet.values.field import FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues


def key_of(payload: Any) -> Hashable:
    """What a recipient can tell of a payload: plain content, and of forms field and shape."""
    if isinstance(payload, tuple):
        return tuple(key_of(piece) for piece in payload)
    if isinstance(payload, Forms):
        return payload.field.modulus, payload.shape
    return payload.wire.kind, payload.wire.below, payload.shape, payload.numbers().tobytes()


def forms_in(payload: Any) -> list[Forms]:
    """The forms of a payload, in order."""
    pieces = payload if isinstance(payload, tuple) else (payload,)
    return [piece for piece in pieces if isinstance(piece, Forms)]


@attrs.define(eq=False)
class Letter:
    """A message of a node: what was sent, what its recipient can tell of it, and its forms element
    by element.
    """

    sender: int
    sent: Sent
    key: Hashable
    structure: Hashable
    forms: int
    _rows: list[list[Vector]] | None = None

    @classmethod
    def of(cls, sender: int, sent: Sent) -> "Letter":
        """A letter for what a script has sent."""
        forms = forms_in(sent.payload)
        shapes = [
            (f.terms.starts.tobytes(), f.terms.unknowns.tobytes(), f.terms.coefficients.tobytes())
            for f in forms
        ]
        key = key_of(sent.payload)
        return cls(sender, sent, key, (sent.tag, sent.to, sent.key, key, tuple(shapes)), len(forms))

    @property
    def frame_bytes(self) -> int:
        """What the message takes on a channel."""
        sent = self.sent
        return Message(
            0, self.sender, sent.to, sent.tag, sent.key, sent.payload, sent.key_wire
        ).frame_bytes

    @property
    def moduli(self) -> list[int]:
        """The field of each piece that is a form."""
        return [forms.field.modulus for forms in forms_in(self.sent.payload)]

    @property
    def rows(self) -> list[list[Vector]]:
        """For each piece that is a form, its elements as vectors in the sender's unknowns."""
        if self._rows is None:
            self._rows = [refine(forms.terms, 1).vectors() for forms in forms_in(self.sent.payload)]
        return self._rows


@attrs.frozen(eq=False)
class Given:
    """What a party waited for, and what came: for each thing the payload, or those of a sum, and
    who sent the first.

    `first` counts the forms received before, `key` is what the party can tell of it.
    """

    event: Ask
    senders: tuple[int, ...]
    things: tuple[tuple[Any, ...], ...]
    first: int
    key: Hashable

    @property
    def forms(self) -> int:
        """How many forms there are among the things."""
        if self.event.kind == "sum":
            return len(self.things) if isinstance(self.things[0][0], Forms) else 0
        return sum(len(forms_in(payload)) for (payload,) in self.things)


@attrs.frozen(eq=False)
class History:
    """The outcomes of a party's coins, and what it was given."""

    outcomes: tuple[Outcome, ...] = ()
    given: tuple[Given, ...] = ()

    @property
    def mark(self) -> Hashable:
        """The history as the party itself can tell it from others."""
        return self.outcomes, tuple(one.key for one in self.given)


@attrs.define(eq=False)
class Node:
    """Where a party stands: what it has sent since the node before, and what it waits for, if for
    anything.

    `structure` numbers what the party has sent and been sent so far but for the values of secrets;
    `received` counts the forms that it has received.
    """

    party: int
    letters: list[Letter]
    secrets: dict[int, int]
    structure: int
    received: int
    event: Choice | Ask | None
    history: "History"
    posted: int
    children: dict[Hashable, "Node"] = attrs.field(factory=dict)
    moves: dict[int, "Node"] = attrs.field(
        factory=dict
    )  # the same by the identity of what led there
    going_on: "Performance | None" = None


class Performance:
    """A script under way."""

    def __init__(self, tree: "Tree", outcomes: Sequence[Outcome]) -> None:
        self.reading = reading = LocalReading(tree.party, Tape(outcomes), tree.numbers)
        self.outbox = Outbox(tree.roster, lambda: reading.opened_any)
        name, seat = tree.roster.names[tree.party], tree.roster.seats[tree.party]
        self.actor = Actor(tree.party, name, seat.role, Meter(), Receipts())
        party = Party(self.actor, tree.roster, self.outbox, self.reading, 0)
        script: Any = seat.script
        self.coroutine: Generator[Ask, Any, Any] = script(party, *tree.held)

    def go_on(self, given: Any) -> Choice | Ask | None:
        """Play on with what was waited for, until the next coin or message is; None when the script
        has ended.
        """
        try:
            return self.coroutine.send(given)
        except StopIteration:
            return None
        except Undecided as pause:
            return pause.choice
        except (ScriptError, BadInput):
            raise
        except Exception as error:
            raise refuse(
                self.actor, self.actor.last_tag or "none yet", f"{type(error).__name__}: {error}"
            ) from error


class Tree:
    """All nodes of one party that holds one input."""

    def __init__(
        self,
        protocol: Any,
        roster: Roster,
        party: int,
        held: tuple[Any, ...],
        numbers: bool,
        structures: dict[Hashable, int],
    ) -> None:
        """`structures` numbers those of all trees of a protocol alike, whatever the inputs."""
        self.protocol = protocol
        self.roster = roster
        self.party = party
        self.held = held
        self.numbers = numbers
        self._structures = structures
        self.root = self._node(Performance(self, ()), None, History(), None)

    def toss(self, node: Node, outcome: Outcome) -> Node:
        """The node after a coin came out so."""
        child = node.children.get(outcome)
        if child is None:
            history = attrs.evolve(node.history, outcomes=(*node.history.outcomes, outcome))
            child = node.children[outcome] = self._replayed(history, node)
        return child

    def give(self, node: Node, key: Hashable, letters: Sequence[Sequence[Letter]]) -> Node:
        """The node after what it waits for has come: for each thing one letter, or those of a
        sum.
        """
        child = node.children.get(key)
        if child is not None:
            return child
        assert isinstance(node.event, Ask)
        things = tuple(tuple(letter.sent.payload for letter in group) for group in letters)
        given = Given(
            node.event, tuple(group[0].sender for group in letters), things, node.received, key
        )
        history = attrs.evolve(node.history, given=(*node.history.given, given))
        performance, node.going_on = node.going_on, None
        if performance is None:
            child = self._replayed(history, node)
        else:
            child = self._node(performance, self._made(performance, given), history, node)
        node.children[key] = child
        return child

    def _replayed(self, history: History, parent: Node) -> Node:
        performance = Performance(self, history.outcomes)
        value = None
        for given in history.given:
            performance.go_on(value)
            value = self._made(performance, given)
        return self._node(performance, value, history, parent)

    def _node(
        self, performance: Performance, value: Any, history: History, parent: Node | None
    ) -> Node:
        event = performance.go_on(value)
        sent = performance.outbox.sent
        letters = [Letter.of(self.party, one) for one in sent[parent.posted if parent else 0 :]]
        asks = event if isinstance(event, Ask) else None
        shape = (
            parent.structure if parent else -1 - self.party,
            asks or type(event),
            tuple(letter.structure for letter in letters),
        )
        structure = self._structures.setdefault(shape, len(self._structures))
        received = sum(one.forms for one in history.given)
        node = Node(
            self.party,
            letters,
            performance.reading.secrets,
            structure,
            received,
            event,
            history,
            len(sent),
        )
        node.going_on = performance if asks else None
        return node

    def _made(self, performance: Performance, given: Given) -> Any:
        """What a script is handed for what has come."""
        if given.event.kind == "sum":
            return self._sums(performance, given)
        payloads, place = [], given.first
        for (payload,) in given.things:
            pieces = []
            for piece in payload if isinstance(payload, tuple) else (payload,):
                if isinstance(piece, Forms):
                    piece, place = (
                        performance.reading.received(piece.field, piece.shape, place),
                        place + 1,
                    )
                pieces.append(piece.metered(performance.actor.meter))
            payloads.append(tuple(pieces) if isinstance(payload, tuple) else pieces[0])
        return (given.senders[0], payloads[0]) if given.event.kind == "any" else payloads

    def _sums(self, performance: Performance, given: Given) -> FieldArray:
        sums: list[Any] = []
        for place, group in enumerate(given.things, start=given.first):
            if isinstance(group[0], Forms):
                sums.append(performance.reading.received(group[0].field, group[0].shape, place))
            else:
                sums.append(Residues.stack(group).sum())
        stacked: FieldArray = type(sums[0]).stack(sums)
        return stacked
