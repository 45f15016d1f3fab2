"""The tree of all states that one party can reach with one input.

A party's *history* consists of the outcomes of its coins so far, the numbers of the field elements
that it opened, and the messages that it received. Apart from its history a script is deterministic,
so the history determines the party's state: the messages that it has sent, and its next action
(toss a coin, open field elements, wait, or end). The states form a tree. A state has a branch for
every outcome of a coin, for every list of opened numbers, and for every delivery of messages that
the party can distinguish from other deliveries.

Example. A script that answers a question falsely with probability 1/4, and its tree::

    async def a(me, bit):
        question = await me.receive(ASK, "b")
        lies = me.coins.bernoulli(Fraction(1, 4))
        answer = me.disclose(lambda bit: bit ^ lies, bit)
        await me.send(ANSWER, "b", bits([answer]))

    waits for b -- question 1 --> tosses 1/4 -- True  --> sends 1 - bit, ends
                                             -- False --> sends bit, ends
                -- question 2 --> (as above)

To reach a state, we play the script from the beginning with the state's history, or resume a script
that is still suspended at the state before. States are kept, because one history of the *party* may
be part of many joint histories of all parties.

A delivery of forms becomes *received unknowns*, which are numbered for each party. Two deliveries
that differ only in the values of forms are one branch.
"""

import copy
from collections.abc import Coroutine, Hashable, Mapping, Sequence
from typing import Any, cast

import attrs

from simnet.coins.tape import Choice, Outcome, Tape, TapeEnd
from simnet.doors.call import Caller
from simnet.errors import Abort, BadInput, ScriptError
from simnet.exhaustive.network import Summands
from simnet.exhaustive.outbox import (
    AstrayOutbox,
    CutOutbox,
    Outbox,
    Request,
    SentMessage,
    pieces_of,
)
from simnet.exhaustive.reading import Ask, LocalReading, RowsAsked
from simnet.kernel.actor import Actor
from simnet.kernel.blame import blamed, foreign_wait, in_script, waiting_line
from simnet.kernel.link import Link, Payload
from simnet.kernel.party import Party
from simnet.kernel.replay import RULE
from simnet.kernel.turns import close_at_once
from simnet.linear.forms import Forms
from simnet.record.fate import Fate, MessageFate
from simnet.record.ledger import Receipts
from simnet.roster import Roster
from simnet.values.field import FieldArray
from simnet.values.meter import Meter
from simnet.values.residues import Residues
from simnet.values.sealed import Input, Sealed

Pause = (
    Choice | Ask | Request | None
)  # what a suspended script waits for; None if the script has ended


@attrs.frozen(eq=False, kw_only=True)
class Delivery:
    """The payloads that met a request: one for each thing asked for, or the summands of a sum.

    `first_form` is the number of the first array of received unknowns in the delivery. `mark` is
    what the party can tell about the delivery. `silent` are the senders that the party does not
    wait for any longer.
    """

    request: Request
    sender: int | None  # the sender, for a script that asked for a message from any party
    payloads: tuple[tuple[Payload, ...], ...]
    first_form: int
    mark: Hashable
    silent: frozenset[int] = frozenset()

    @property
    def came(self) -> list[int]:
        """The senders that were not silent, in the order in which the request names them."""
        return [number for number in self.request.senders or () if number not in self.silent]

    @property
    def forms(self) -> int:
        """The number of arrays of unknowns that the party receives by this delivery."""
        if self.request.kind == "sum":
            return len(self.payloads) if isinstance(self.payloads[0][0], Forms) else 0
        return sum(
            isinstance(piece, Forms) for (payload,) in self.payloads for piece in pieces_of(payload)
        )


@attrs.frozen(eq=False)
class History:
    """What a party has met: the outcomes of its coins, and the deliveries to it.

    The outcomes include the numbers of opened rows: all numbers that were asked for at once are one
    tuple.
    """

    outcomes: tuple[Outcome, ...] = ()
    deliveries: tuple[Delivery, ...] = ()

    @property
    def mark(self) -> Hashable:
        """The history as the party itself can distinguish it from others."""
        return self.outcomes, tuple(delivery.mark for delivery in self.deliveries)


@attrs.define(eq=False, kw_only=True)
class PartyState:
    """The state of a party after a history.

    `structure` is a number for everything that the party has sent and asked for so far. Forms count
    with their coefficients, and not with the values of secrets. The joint order of events depends
    on structures alone (see `model.ScheduleNode`).
    """

    party: int
    history: History
    messages: list[SentMessage]  # sent since the state before
    secrets: dict[int, int]  # the values that the party has declared, by unknown
    structure: int
    forms_received: int
    sent_before: int  # messages sent before this state's own
    pause: Pause
    is_gone: bool  # whether the party has dropped out
    aborted: str | None  # why the party ended its part in the run, if it did
    came: Mapping[str, tuple[tuple[str, ...], ...]]  # who was heard, by tag and call
    missed: Mapping[str, tuple[tuple[str, ...], ...]]  # who was waited for in vain
    children: dict[Hashable, "PartyState"] = attrs.field(factory=dict)
    execution: "Execution | None" = (
        None  # the execution suspended at this state, which can be resumed once
    )


class Execution:
    """A script that is being played on the outcomes of a tape."""

    def __init__(self, tree: "PartyTree", outcomes: Sequence[Outcome]) -> None:
        self._tape = Tape(outcomes)
        self.outbox = Outbox(tree.roster, self._tape)
        self.reading = LocalReading(tree.party, self._tape, tree.enumerate_field)
        name, seat = tree.roster.names[tree.party], tree.roster.seats[tree.party]
        self.actor = Actor(tree.party, name, seat.role, Meter(), Receipts())
        self.outbox.turn.actor = self.actor  # there is no other party
        self.outbox.turn.vault = tree.vault
        self.aborted: str | None = None
        link: Link = self.outbox
        if tree.astray:
            link = AstrayOutbox(self.outbox, tree.astray, tree.roster)
        if tree.fate is not None:
            link = CutOutbox(link, tree.fate, self.actor, tree.roster, self._tape)
        party = Party(self.actor, tree.roster, link, self.reading, 0)
        # A copy: a script is played many times, and a function of a door may change its
        # arguments. A script awaits only its party, so it yields only requests.
        inputs = [Sealed(Input(name, copy.deepcopy(value))) for value in tree.inputs]
        self._coroutine = cast(Coroutine[Request, object, object], seat.script(party, *inputs))

    def resume(self, answer: object) -> Pause:
        """Go on with the answer to the script's request, until the script pauses again.

        The first call starts the script and passes None. Raises `ScriptError` for an error of the
        script other than `Abort` and `BadInput`. Raises `BadInput` for a step that cannot be played
        out, even if the script caught the error.
        """
        request: object = None
        raised: BaseException | None = None
        aborted: Abort | None = None
        self.actor.meter.in_script = True
        try:
            request = self._coroutine.send(answer)
        except StopIteration:
            pass
        except Abort as abort:
            aborted = abort
        except BaseException as left:
            raised = left
        finally:
            self.actor.meter.in_script = False
        stop, failure = self._tape.stop, self.outbox.turn.failure
        if self.actor.is_gone and failure is None:  # whatever the script did when it was stopped
            close_at_once(self._coroutine)
            return None
        if failure is None and isinstance(stop, TapeEnd):
            return stop.choice
        if failure is None and isinstance(stop, RowsAsked):
            return stop.ask
        cause = failure or stop or raised
        if cause is None:
            self.aborted = None if aborted is None else str(aborted)
            return self._checked(request)
        if isinstance(cause, ScriptError | BadInput) or not isinstance(cause, Exception):
            raise cause
        raise blamed(self.actor, cause) from cause

    def _checked(self, request: object) -> Request | None:
        if isinstance(request, Request | None):
            return request
        raise in_script(self.actor, foreign_wait(request), waiting_line(self._coroutine))

    def answer(self, delivery: Delivery) -> object:
        """The value that the script gets for a delivery."""
        if delivery.request.kind == "sum":
            return self._sums(delivery)
        if delivery.request.kind == "heard":
            return delivery.came
        payloads, number = [], delivery.first_form
        for (payload,) in delivery.payloads:
            pieces = []
            for piece in pieces_of(payload):
                received = piece
                if isinstance(piece, Forms):
                    received = self.reading.received(piece.field, piece.shape, number)
                    number += 1
                pieces.append(received.metered(self.actor.meter))
            payloads.append(tuple(pieces) if isinstance(payload, tuple) else pieces[0])
        if delivery.request.kind == "some":
            return dict(zip(delivery.came, payloads, strict=True))
        return (delivery.sender, payloads[0]) if delivery.request.kind == "any" else payloads

    def _sums(self, delivery: Delivery) -> FieldArray:
        sums: list[Forms | Residues] = []
        for number, summands in enumerate(delivery.payloads, start=delivery.first_form):
            first = summands[0]
            if isinstance(first, Forms):
                sums.append(self.reading.received(first.field, first.shape, number))
            else:
                sums.append(Residues.stack(summands).sum())
        return type(sums[0]).stack(sums)


class PartyTree:
    """All states of one party with one input, made when they are reached."""

    def __init__(
        self,
        roster: Roster,
        party: int,
        inputs: tuple[Any, ...],
        enumerate_field: bool,
        structures: dict[Hashable, int],
        fate: Fate | None = None,
        astray: Sequence[MessageFate] = (),
        vault: Caller | None = None,
    ) -> None:
        """`inputs` is empty or the party's one input. `fate` says where the party drops out, and
        `astray` which of its messages go astray. `vault` calls the functions of doors.

        `structures` maps structures to their numbers. All trees of a protocol share this
        dictionary, for all inputs, so that equal structures have equal numbers.
        """
        self.roster = roster
        self.party = party
        self.inputs = inputs
        self.enumerate_field = enumerate_field
        self.fate = fate
        self.astray = astray
        self.vault = vault
        self._structures = structures
        self.root = self._state(Execution(self, ()), None, History(), None)

    def toss(self, state: PartyState, outcome: Outcome) -> PartyState:
        """The state after a coin has this outcome."""
        child = state.children.get(outcome)
        if child is None:
            history = attrs.evolve(state.history, outcomes=(*state.history.outcomes, outcome))
            child = state.children[outcome] = self._replayed(history, state)
        return child

    def deliver(
        self,
        state: PartyState,
        mark: Hashable,
        groups: Sequence[Summands],
        silent: frozenset[int] = frozenset(),
    ) -> PartyState:
        """The state after the party's request is met by one message, or by summands, for each part.

        `silent` are senders that the party stops waiting for. Deliveries with equal `mark` lead to
        one state.
        """
        child = state.children.get(mark)
        if child is not None:
            return child
        assert isinstance(state.pause, Request)
        delivery = Delivery(
            request=state.pause,
            sender=groups[0][0].sender if state.pause.kind == "any" else None,
            payloads=tuple(tuple(message.payload for message in group) for group in groups),
            first_form=state.forms_received,
            mark=mark,
            silent=silent,
        )
        history = attrs.evolve(state.history, deliveries=(*state.history.deliveries, delivery))
        execution, state.execution = state.execution, None
        if execution is None:  # the execution has gone on to a sibling of this state
            child = self._replayed(history, state)
        else:
            child = self._state(execution, execution.answer(delivery), history, state)
        state.children[mark] = child
        return child

    def _replayed(self, history: History, parent: PartyState) -> PartyState:
        execution = Execution(self, history.outcomes)
        answer: object = None
        for delivery in history.deliveries:
            if execution.resume(answer) != delivery.request:
                raise in_script(
                    execution.actor, f"does something else when its script is played again: {RULE}"
                )
            answer = execution.answer(delivery)
        return self._state(execution, answer, history, parent)

    def _state(
        self, execution: Execution, answer: object, history: History, parent: PartyState | None
    ) -> PartyState:
        pause = execution.resume(answer)
        sent_before = parent.sent_before + len(parent.messages) if parent else 0
        messages = execution.outbox.sent[sent_before:]
        request = pause if isinstance(pause, Request) else None
        shape = (
            parent.structure if parent else -1 - self.party,
            pause.structure if isinstance(pause, Ask) else request or type(pause),
            (execution.actor.is_gone, execution.aborted is not None),
            tuple(message.structure for message in messages),
        )
        return PartyState(
            party=self.party,
            history=history,
            messages=messages,
            secrets=execution.reading.secrets,
            structure=self._structures.setdefault(shape, len(self._structures)),
            forms_received=sum(delivery.forms for delivery in history.deliveries),
            sent_before=sent_before,
            pause=pause,
            is_gone=execution.actor.is_gone,
            aborted=execution.aborted,
            came={tag: tuple(calls) for tag, calls in execution.actor.came.items()},
            missed={tag: tuple(calls) for tag, calls in execution.actor.missed.items()},
            execution=execution if request else None,
        )
