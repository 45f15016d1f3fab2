"""`run`: play a protocol once, and return what happened.

A `_Stage` holds what belongs to one run, such as the state of the parties, the ledger, the turns,
and the link that carries messages. Every party is a task of its own, and the turns let only one
party go on at a time. Without an error, a run is over when all parties have finished, or when no
party can go on.
"""

import contextlib
import copy
import functools
import gc
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs
import numpy as np

from simnet import markup
from simnet.checks import integer
from simnet.coins.streams import OUTSIDE_RUNS
from simnet.contract import Protocol
from simnet.doors.call import DoorCall, output_rows, unsealed
from simnet.doors.record import Toss
from simnet.errors import BadInput, ScriptError
from simnet.installed import object_at
from simnet.kernel.actor import Actor, Script
from simnet.kernel.astray import AstrayMail, checked_message_fates, waits_for_lost
from simnet.kernel.blame import blamed, in_script
from simnet.kernel.deadlines import (
    Clocked,
    Open,
    Repeated,
    Timekeeper,
    TooLate,
    open_waits,
    pass_deadlines,
    silence_of,
)
from simnet.kernel.drawn import Draw, DrawsNoted
from simnet.kernel.fates import CutLink, NotingLink, Send, checked_fates
from simnet.kernel.inputs import Inputs, inputs_by_name
from simnet.kernel.link import Link
from simnet.kernel.mail import Mail
from simnet.kernel.party import Party
from simnet.kernel.reading import Reading, Sampled
from simnet.kernel.schedule import Schedule
from simnet.kernel.seating import seated
from simnet.kernel.silence import lacking, release, stuck_for_ever, why_for_ever
from simnet.kernel.stall import stall
from simnet.kernel.summing import Summing
from simnet.kernel.turns import Turns
from simnet.presses import Pressed
from simnet.record.fate import Deadline, Ending, Fates, Happened, Late, MessageFate
from simnet.record.ledger import Ledger
from simnet.record.log import Log
from simnet.record.trace import NoCanonicalForm, Trace, trace_hash
from simnet.record.transcript import Recorder, Transcript
from simnet.record.view import View
from simnet.roster import Roster
from simnet.values.field import FieldArray
from simnet.values.sealed import Input, Sealed
from simnet.vault.installed_code import comes_installed
from simnet.vault.place import MOST_PARTIES, in_place_by_wish, said_in_place, vault_of

LASTING = (
    "a script changes something that outlasts the run, such as a global list, a counter or an "
    "attribute of the protocol, so another run with the same seed and inputs may do something "
    "else: a script may only change its own variables, and a table is filled before the run"
)


@attrs.frozen
class Unread:
    """Messages that no party received. For a summed tag, `sender` and `recipient` are None."""

    tag: str
    messages: int
    sender: str | None = None
    recipient: str | None = None

    def __str__(self) -> str:
        number = "1 message" if self.messages == 1 else f"{self.messages:,} messages"
        link = "" if self.sender is None else f" from {self.sender} to {self.recipient}"
        return f'{number} "{self.tag}"{link}'


@attrs.frozen(eq=False)
class DoorNotes:
    """What a run notes about its doors, by party: the field arrays that outputs are made of, and
    the calls of doors with coins. `tossing` has the parties that drew discrete coins outside doors,
    and `reduced` the first call of each party that made a secret of a number of at least q.
    """

    returned: Mapping[str, Sequence[FieldArray]] = attrs.field(factory=dict)
    tosses: Mapping[str, Sequence[Toss]] = attrs.field(factory=dict)
    tossing: tuple[str, ...] = ()
    reduced: tuple[DoorCall, ...] = ()


@attrs.frozen(eq=False, repr=False)
class Run:
    """The record of one run of a protocol; `run` returns it.

    `outputs` maps the name of a party to the value that its script returned; it leaves out parties
    whose script returned nothing. `secrets` maps the name of a party to the values that it declared
    with `me.secret`. `ledger` holds the bill, `transcript` the observed messages, and `log` what
    every party sent and waited for. `seconds` is wall time. `fates` are the fates that the run was
    told, and `happened` says who dropped out and who was heard. `aborts` lists the parties that
    neither finished nor dropped out, in the order of rounds and names: each of them aborted, or
    waits for ever. `network` is the network that the run was told, or None. If scripts wait with
    deadlines, `late` lists the messages that came too late. `message_fates` are the fates of
    messages that the run was told.

    >>> from simnet import Seat, run
    >>> class Double:
    ...     def parties(self):
    ...         return {"server": Seat(self.server)}
    ...     async def server(self, me, number):
    ...         return me.output(lambda n: 2 * n, number)
    >>> done = run(Double(), {"server": 21})
    >>> done.outputs, done.people, done.unread
    ({'server': 42}, 1, ())
    """

    protocol: Any  # code that reads the parameters knows the class of the protocol
    seed: int
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    secrets: Mapping[str, tuple[FieldArray, ...]]
    ledger: Ledger
    transcript: Transcript
    log: Log = attrs.field(repr=False)
    seconds: float
    roster: Roster = attrs.field(repr=False)
    unread_mail: tuple[Unread, ...] = attrs.field(default=(), repr=False)
    fates: Fates = attrs.field(factory=dict, repr=False)
    happened: Happened = attrs.field(factory=Happened, repr=False)
    aborts: tuple[Ending, ...] = attrs.field(default=(), repr=False)
    network: Clocked | None = attrs.field(default=None, repr=False)
    late: tuple[Late, ...] = attrs.field(default=(), repr=False)
    message_fates: tuple[MessageFate, ...] = attrs.field(default=(), repr=False)
    # A copy of the schedule as it was before the run.
    schedule: Schedule | None = attrs.field(default=None, repr=False)
    # Global generators (`random`, `numpy.random`) whose state changed during the run. If a script
    # drew from them, this explains why a second run differs from the first.
    foreign_randomness: tuple[str, ...] = attrs.field(default=(), repr=False)
    # Whether a script was seen to change something that outlasts the run.
    is_remembered: bool = attrs.field(default=False, repr=False)
    # Whether functions of doors were called in this process because the caller of `run` said so.
    in_place: bool = attrs.field(default=False, repr=False)
    # How many calls of functions of doors shared a process with other calls.
    shared_calls: int = attrs.field(default=0, repr=False)
    door_notes: DoorNotes = attrs.field(factory=DoorNotes, repr=False)

    @functools.cached_property
    def unread(self) -> tuple[Unread, ...]:
        """The messages that were sent and never received. They are often a sign of a mistake."""
        mail = Counter[str]()
        for left in self.unread_mail:
            mail[left.tag] += left.messages
        sums = [
            Unread(tag, messages - mail[tag])
            for tag, messages in self.ledger.unread().items()
            if messages > mail[tag]
        ]
        return (*self.unread_mail, *sums)

    @property
    def deadlines(self) -> tuple[Deadline, ...]:
        """How each wait with a deadline ended."""
        return self.transcript.deadlines

    @property
    def same_deadlines(self) -> Repeated | None:
        """An object for `run(..., network=...)` with which every wait with a deadline ends as in
        this run, or None if no script waited with a deadline.
        """
        return Repeated(self.deadlines, self.late) if self.deadlines else None

    @property
    def gone(self) -> tuple[str, ...]:
        """The names of the parties that dropped out."""
        return self.happened.gone

    @property
    def outcome(self) -> Literal["result", "aborted"]:
        """How the run ended: "result" if every party that did not drop out has finished, else
        "aborted".
        """
        return "aborted" if self.aborts else "result"

    @property
    def people(self) -> int:
        """The number of parties that bring an input; every member of a crowd counts."""
        return sum(seat.size for seat in self.roster.seats if seat.role in self.roster.with_input)

    @property
    def _heading(self) -> str:
        ledger = self.ledger
        return (
            f"a run of {self.protocol!r} with seed {self.seed}: {ledger.messages_in_words}, "
            f"{ledger.payload_in_words}, {ledger.rounds_in_words}"
        )

    def __repr__(self) -> str:
        return self._heading

    def _repr_html_(self) -> str:
        sent, received = (self.ledger.by("role", way) for way in ("sent", "received"))
        rows = [
            [
                role,
                f"{sent[role].messages if role in sent else 0:,}",
                f"{sent[role].payload_bytes if role in sent else 0:,}",
                f"{received[role].messages if role in received else 0:,}",
                f"{received[role].payload_bytes if role in received else 0:,}",
            ]
            for role in self.roster.roles
        ]
        heads = ["role", "messages sent", "bytes sent", "messages received", "bytes received"]
        return markup.paragraph(self._heading, bold=True) + markup.table(heads, rows, range(1, 5))

    def show(self) -> Any:
        """Return a page that shows the run: who sends messages to whom, and in a small run what
        coalitions learn.

        A notebook displays the page, and the page's method `save` writes it into a file.
        """
        # The page stands above this module, so it is found by its name.
        return object_at("simnet.page.notebook:shown")(self)

    def coins(self, party: str) -> tuple[Draw, ...]:
        """Return the value, the law and the place of every draw of the party, in the order in which
        they were made.

        The draws of a deferred block come at the point at which the block was evaluated. The run is
        played once more to find the draws. Raises `BadInput` for the name of an unknown party, and
        `ScriptError` if the `trace` of the second run differs.
        """
        self.roster.find(party)
        noting = DrawsNoted(party)
        observed = [self.roster.names[number] for number in self.transcript.observed]
        again = run(
            self.protocol,
            self.inputs,
            self.seed,
            observe=observed,
            schedule=copy.deepcopy(self.schedule),
            threads=1,
            reading=noting,
            fates=self.fates,
            network=self.same_deadlines,
            message_fates=self.message_fates,
            in_place=self.in_place,
        )
        if again.trace != self.trace:
            raise ScriptError(
                f"the run was repeated to list the coins of {party}, and the second run differs "
                "from the first: a script must draw every random number from me.coins, read no "
                "clock and keep nothing from one run to the next"
            )
        return tuple(noting.draws)

    def within(self, scope: str) -> "Run":
        """Return the run with only the inputs, outputs, secrets and fates of the parties whose
        names begin with `scope`, and with what happened among them.

        The keys of `inputs`, `outputs`, `secrets` and `fates`, and the names in `happened`, are
        without `scope`. All other fields, such as the ledger and the transcript, remain those of
        the whole run. Raises `BadInput` if no party's name begins with `scope`.
        """
        if not any(name.startswith(scope) for name in self.roster.names):
            raise BadInput(f"no party's name begins with {scope!r}: {self.roster.describe()}")

        def inside(values: Mapping[str, Any]) -> dict[str, Any]:
            return {
                name.removeprefix(scope): value
                for name, value in values.items()
                if name.startswith(scope)
            }

        return attrs.evolve(
            self,
            inputs=inside(self.inputs),
            outputs=inside(self.outputs),
            secrets=inside(self.secrets),
            fates=inside(self.fates),
            happened=self.happened.within(scope),
        )

    def view(self, coalition: Iterable[str]) -> View:
        """Return the view of the coalition: the inputs of its parties and all messages that they
        sent or that were sent to them. A text is the name of one party.

        Raises `BadInput` for a coalition without parties, and unless every party of the coalition
        was observed in the run.
        """
        return self.transcript.view(coalition)

    @functools.cached_property
    def trace_hash(self) -> str:
        """A digest of the bill, the outputs, the observed messages, how parties ended, and from
        whom observed parties waited for a message in vain.

        Raises `NoCanonicalForm`, which names the party, if an output cannot be hashed, such as a
        set.
        """
        return trace_hash(self.ledger, self.outputs, self.transcript.messages, self._endings)

    @property
    def _endings(self) -> tuple[object, ...]:
        gone = (("gone", self.gone),) if self.gone else ()
        return (*gone, *self.aborts, *self.transcript.silences)

    @property
    def trace(self) -> Trace:
        """The trace hash. If an output cannot be hashed, the trace leaves out the outputs, and says
        why.
        """
        try:
            return Trace(self.trace_hash)
        except NoCanonicalForm as error:
            hash_ = trace_hash(self.ledger, {}, self.transcript.messages, self._endings)
            return Trace(hash_, str(error))


def run(
    protocol: Protocol,
    inputs: Inputs = (),
    seed: int = 0,
    *,
    observe: Iterable[str] = (),
    schedule: Schedule | None = None,
    threads: int | None = None,
    reading: Reading | None = None,
    progress: Callable[[int], None] | None = None,
    fates: Fates | None = None,
    network: Clocked | str | None = None,
    message_fates: Sequence[MessageFate] = (),
    in_place: bool | None = None,
) -> Run:
    """Play a protocol once, and return what happened.

    `inputs` go to the parties whose role takes an input, by name or in order. A crowd takes one
    input for each member, and its script gets the inputs as an array. The transcript contains every
    message from or to a party that is named in `observe`; a `reading` may note messages under
    summed tags itself, and then the transcript does not have these. `schedule` chooses the order of
    events, which must not change the result. `threads` is the largest number of threads that
    evaluate deferred blocks (default: one for each processor if a block is large, else 1). With
    `reading`, scripts are executed in this reading, for example the symbolic one. `progress` is
    called whenever a block has been added to sums, with the number of field elements of this block.
    `fates` says which parties drop out, and where: see `Fate`. `network` decides when deadlines
    pass: a `Network`, the name of a network, or the name of a TOML file. If no script waits with a
    deadline, the network does not change the result. `message_fates` says which messages go astray:
    see `MessageFate`. `in_place` says that functions of doors are called in this process, also if
    not all code of the protocol comes from installed packages (see `simnet.vault`). This is faster,
    and verdicts then assume that a function leaves nothing behind that a script reads. By default,
    False, or what pytest's option `--in-place` says.

    Raises `BadInput` for a faulty `parties()`, for a seed that is not of type `int`, for fewer than
    one thread, if inputs, observed names, fates or a network do not fit the parties, and if a
    script waits with a deadline on a network with a latency of 0. Raises `ScriptError` if a script
    breaks a rule or raises an error other than `Abort`, and `Stall` if the run cannot go on (see
    `Party.receive`). In the main thread, an interrupt (Ctrl-C) ends the run; if a script catches it
    and goes on computing, a second one ends the process. If the program has its own handler of
    SIGINT, this handler stays in place.

    >>> from simnet import Field, Seat, Tag, run
    >>> F, NOTE = Field(101), Tag("note")
    >>> class Send:
    ...     def parties(self):
    ...         return {"a": Seat(self.sender), "b": Seat(self.reader)}
    ...     async def sender(self, me, number):
    ...         await me.send(NOTE, "b", me.secret(lambda n: [n], number, field=F, shape=(1,)))
    ...     async def reader(self, me):
    ...         await me.receive(NOTE, "a")
    >>> done = run(Send(), [7], seed=1, observe=["b"])
    >>> [(message.round, message.tag) for message in done.transcript.messages]
    [(1, 'note')]
    >>> done.ledger.total().messages
    1
    """
    if threads is not None and integer("the number of threads", threads) < 1:
        raise BadInput(f"a run needs at least 1 thread for deferred blocks, got threads={threads}")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise BadInput(f"a seed is a whole number of type int, got {seed!r}")
    observe = [observe] if isinstance(observe, str) else observe
    unused = copy.deepcopy(schedule)
    before = _global_generators()
    with seldom_collected, said_in_place(in_place), Pressed():
        # At its first call, `parties()` may make attributes that stay the same later.
        seated(protocol)
        stage = _Stage(
            protocol,
            inputs,
            seed,
            frozenset(observe),
            schedule,
            threads,
            reading or Sampled(),
            progress,
            fates or {},
            network=_network(network),
            message_fates=message_fates,
        )
        vault, scripts = stage.vault, tuple(stage.roster.scripts.values())
        with _without_arguments(vault is not None):
            done = stage.play()
        is_wished = in_place_by_wish.get()
        is_remembered = vault is not None and vault.has_changed()
        del stage  # what is freed may drop a press, which the block hears
    after = _global_generators()
    drawn_from = tuple(name for name in before if before[name] != after[name])
    return attrs.evolve(
        done,
        schedule=unused,
        foreign_randomness=drawn_from,
        is_remembered=is_remembered,
        in_place=is_wished and not comes_installed((protocol, *scripts)),
        shared_calls=0 if vault is None else vault.shared_calls,
    )


@contextlib.contextmanager
def _without_arguments(is_cut: bool) -> Iterator[None]:
    """While scripts run, cut the arguments of the command, which may name their inputs."""
    arguments = sys.argv, sys.orig_argv
    if is_cut:
        sys.argv, sys.orig_argv = sys.argv[:1], sys.orig_argv[:1]
    try:
        yield
    finally:
        sys.argv, sys.orig_argv = arguments


def sends(
    protocol: Protocol,
    inputs: Inputs = (),
    seed: int = 0,
    network: Clocked | str | None = None,
) -> dict[str, tuple[Send, ...]]:
    """Play a protocol once, and return what each party sends: the points at which it could drop
    out. Scripts with deadlines need a `network`.

    If parties drop out, a party that accepts their silence, as in `gather_some`, may send other
    messages afterwards. So the list holds for the run in which nobody drops out. Raises errors as
    `run` does.

    >>> from simnet import Field, Seat, Tag, run
    >>> class Send:
    ...     def parties(self):
    ...         return {"a": Seat(self.sender), "b": Seat(self.reader)}
    ...     async def sender(self, me):
    ...         await me.send(Tag("note"), "b", me.coins.field(Field(101), (2,)))
    ...     async def reader(self, me):
    ...         await me.receive(Tag("note"), "a")
    >>> sends(Send())
    {'a': (Send(tag='note', place=1, recipients=('b',)),), 'b': ()}
    """
    stage = _Stage(
        protocol,
        inputs,
        seed,
        frozenset(),
        None,
        None,
        Sampled(),
        None,
        fates={},
        keeps_blocks=True,  # as in the runs with fates that the answer is for
        network=_network(network),
    )
    stage.notes_sends = True
    with seldom_collected:
        stage.play()
    return {name: tuple(link.sends) for name, link in stage.noting.items()}


class _Stage:
    def __init__(
        self,
        protocol: Protocol,
        inputs: Inputs,
        seed: int,
        observe: frozenset[str],
        schedule: Schedule | None,
        threads: int | None,
        reading: Reading,
        progress: Callable[[int], None] | None,
        fates: Fates,
        keeps_blocks: bool = False,
        network: Clocked | None = None,
        message_fates: Sequence[MessageFate] = (),
    ) -> None:
        self.protocol = protocol
        self.seed = seed
        self.roster = seated(protocol)
        for name in sorted(OUTSIDE_RUNS.intersection(self.roster.names)):
            raise BadInput(
                f"a party may not be called {name!r}: its coins would be the same as coins that "
                "are drawn outside the run; give the party another name"
            )
        self.inputs = inputs_by_name(inputs, self.roster)
        self.fates = dict(fates)
        self.fates_by_number = checked_fates(fates, self.roster)
        self.message_fates = tuple(message_fates)
        self.astray = checked_message_fates(message_fates, self.roster)
        self.recorder = Recorder(
            frozenset(self.roster.find(name) for name in observe),
            len(self.roster),
            keeps_sums=not reading.notes_sums,
        )
        self.ledger = Ledger(self.roster, self.recorder)
        self.log = Log(self.ledger.meters)
        self.network = network
        self.timekeeper: Timekeeper | None = None
        if network is not None:
            brings_input = [name in self.inputs for name in self.roster.names]
            self.timekeeper = network.timekeeper(self.roster, brings_input, self.log, seed)
            for meter in self.ledger.meters:
                meter.in_doors = Counter()
        self.deadlines: list[Deadline] = []
        self.steps = 0  # how often deadlines were decided
        self.actors = [self._actor(number) for number in range(len(self.roster))]
        reading.begin(self.actors)
        self.turns = Turns(schedule, self._start, lambda: self.ledger.messages, self._quiet)
        self.vault = vault_of(
            protocol,
            [*self.roster.scripts.values()],
            self.inputs,
            shares=len(self.roster) > MOST_PARTIES,
        )
        self.turns.turn.vault = self.vault
        self.aborts: tuple[Ending, ...] = ()
        self.notes_sends = False
        self.noting: dict[str, NotingLink] = {}
        roster, actors, ledger, recorder, turns = (
            self.roster,
            self.actors,
            self.ledger,
            self.recorder,
            self.turns,
        )
        self.summing = Summing(
            roster,
            actors,
            ledger,
            recorder,
            turns,
            reading,
            threads,
            progress or (lambda _: None),
            keeps_blocks=keeps_blocks or bool(fates),
            log=self.log,
        )
        self.mail = Mail(
            roster,
            actors,
            ledger,
            recorder,
            turns,
            self.summing,
            schedule,
            self.log,
            has_clock=network is not None,
        )
        self.reading = reading

    def play(self) -> Run:
        start = time.perf_counter()
        for actor in self.actors:
            actor.meter.in_script = True
        try:
            self.turns.play(self.actors)
            self._end_waiting()
            self._refuse_failed_outputs()
            self.summing.finish()
            self.reading.end()
            self.log.finish()
            return self._result(start)
        # These objects refer to each other. Without the references they are freed at once, and
        # not by a later garbage collection.
        finally:
            for actor in self.actors:
                actor.meter.in_script = False
                actor.coins = actor.wait = None
            del self.turns, self.mail, self.summing, self.actors

    def _result(self, start: float) -> Run:
        by_name = {actor.name: actor for actor in self.actors}
        for actor in self.actors:
            actor.meter.in_script = False
        return Run(
            self.protocol,
            self.seed,
            self.inputs,
            {
                name: self._output(actor)
                for name, actor in by_name.items()
                if actor.output is not None
            },
            {name: tuple(actor.secrets) for name, actor in by_name.items() if actor.secrets},
            self.ledger,
            self.recorder.transcript(
                self.seed,
                self.roster.names,
                self.inputs,
                self.fates,
                tuple(self.deadlines),
                self.message_fates,
            ),
            self.log,
            time.perf_counter() - start,
            self.roster,
            unread_mail=tuple(self._unread_mail()),
            fates=self.fates,
            happened=Happened(
                tuple(actor.name for actor in self.actors if actor.is_gone),
                _calls({actor.name: actor.came for actor in self.actors}),
                _calls({actor.name: actor.missed for actor in self.actors}),
            ),
            aborts=self.aborts,
            network=self.network,
            late=self._late(),
            message_fates=self.message_fates,
            door_notes=DoorNotes(
                {
                    name: rows
                    for name, actor in by_name.items()
                    if actor.output is not None and (rows := output_rows(actor.output))
                },
                {name: actor.tosses for name, actor in by_name.items() if actor.tosses},
                tuple(
                    name
                    for name, actor in by_name.items()
                    if actor.coins is not None and actor.coins.tossed
                ),
                tuple(actor.reduced for actor in by_name.values() if actor.reduced is not None),
            ),
        )

    def _late(self) -> tuple[Late, ...]:
        if self.timekeeper is None or not self.deadlines:
            return ()
        late = self.timekeeper.late(
            [
                TooLate(actor.number, tag, sender, due, post)
                for actor in self.actors
                for tag, sender, due, post in actor.came_late()
            ]
        )
        return tuple(sorted(late, key=lambda each: (each.recipient, each.tag, each.sender)))

    def _output(self, actor: Actor) -> Any:
        try:
            return unsealed(actor.output, actor.name, actor.meter)
        except TypeError as error:
            raise blamed(actor, error) from error
        except RecursionError as error:
            what = "the result is nested too deeply, or contains itself"
            raise in_script(actor, what) from error

    def _unread_mail(self) -> Iterator[Unread]:
        names = self.roster.names
        for actor in self.actors:
            for tag, box in sorted(actor.boxes.items()):
                for sender, messages in sorted(box.counts().items()):
                    if messages:
                        yield Unread(tag, messages, names[sender], actor.name)

    def _actor(self, number: int) -> Actor:
        name = self.roster.names[number]
        meter = self.ledger.meters[number]
        actor = Actor(
            number, name, self.roster.seats[number].role, meter, self.ledger.receipts[number]
        )
        actor.observed = number in self.recorder.observed
        actor.is_crowd = number in self.roster.crowds
        return actor

    def _start(self, actor: Actor) -> Script:
        party = Party(actor, self.roster, self._link(actor), self.reading, self.seed)
        script: Any = self.roster.scripts[actor.role]
        coroutine: Script = (
            script(party, self._sealed_input(actor)) if actor.name in self.inputs else script(party)
        )
        return coroutine

    def _link(self, actor: Actor) -> Link:
        fate = self.fates_by_number.get(actor.number)
        if self.notes_sends:
            self.noting[actor.name] = NotingLink(self.mail, actor, self.roster)
            return self.noting[actor.name]
        link: Link = self.mail
        if actor.number in self.astray:
            link = AstrayMail(
                link,
                self.astray[actor.number],
                self.actors,
                self.roster,
                self.log,
                self.ledger,
                self.recorder,
            )
        return link if fate is None else CutLink(link, fate, actor, self.roster)

    def _sealed_input(self, actor: Actor) -> Sealed:
        value = self.reading.input(actor.name, self.inputs[actor.name])
        return Sealed(Input(actor.name, value))

    def _refuse_failed_outputs(self) -> None:
        for actor in self.actors:
            if actor.output_failure is not None:
                raise blamed(actor, actor.output_failure) from actor.output_failure

    def _quiet(self) -> list[Actor]:
        """When nobody can go on: release the parties that need not wait any longer, and return
        them.
        """
        waits = [] if self.timekeeper is None else open_waits(self.actors)
        if waits:
            return self._pass_deadlines(waits)
        silences = release(self.actors)
        self.recorder.silences += silences
        for silence in silences:
            self.log.silence(silence.recipient)
        return [self.actors[silence.recipient] for silence in silences]

    def _pass_deadlines(self, waits: Sequence[Open]) -> list[Actor]:
        assert self.timekeeper is not None
        self.summing.evaluate_all()  # what rows cost is known when they are made
        ended = self.timekeeper.decide(waits)
        passed = pass_deadlines(self.actors, ended, self.steps)
        self.steps += 1
        self.deadlines += passed
        self.recorder.silences += [silence_of(deadline) for deadline in passed if deadline.silent]
        return [self.actors[deadline.recipient] for deadline in passed]

    def _end_waiting(self) -> None:
        endings = [
            Ending(actor.name, actor.depth + 1, actor.aborted)
            for actor in self.actors
            if actor.aborted is not None
        ]
        waiting = [actor for actor in self.actors if not actor.finished]
        if waiting:
            self.summing.refuse_late()
            misses = {
                actor.number: sender
                for actor in waiting
                if self.astray and (sender := waits_for_lost(actor)) is not None
            }
            silenced = {silence.recipient for silence in self.recorder.silences}
            lost = silenced.union(misses).union(
                actor.number for actor in self.actors if actor.is_gone or actor.aborted is not None
            )
            if not lost:
                raise stall(self.actors)
            lacks = {actor.number: lacking(actor) for actor in waiting if actor.wait}
            for number, other in stuck_for_ever(lacks, len(self.actors), lost):
                other = misses.get(number, other)
                actor, fault = self.actors[number], None if other is None else self.actors[other]
                assert actor.wait is not None
                reason = why_for_ever(
                    actor.wait.tag,
                    None if fault is None else fault.name,
                    is_gone=fault is not None and fault.is_gone,
                    is_aborted=fault is not None and fault.aborted is not None,
                    is_lost=number in misses,
                    waits_for_lost=fault is not None and fault.number in misses,
                )
                endings.append(Ending(actor.name, actor.depth + 1, reason))
        self.aborts = tuple(sorted(endings, key=lambda ending: (ending.round, ending.party)))


def _network(network: Clocked | str | None) -> Clocked | None:
    if not isinstance(network, str):
        return network
    # Networks stand above this module, so they are found by name.
    named: Clocked = object_at("simnet.network.toml_file:network_named")(network)
    return named


def _calls(
    by_party: Mapping[str, Mapping[str, Sequence[tuple[str, ...]]]],
) -> dict[tuple[str, str], tuple[tuple[str, ...], ...]]:
    return {
        (party, tag): tuple(calls)
        for party, by_tag in by_party.items()
        for tag, calls in by_tag.items()
    }


def _global_generators() -> dict[str, int]:
    _, state, *rest = np.random.get_state(legacy=True)  # noqa: NPY002  # read, never drawn from
    return {
        "random": hash(random.getstate()),
        "numpy.random": hash((np.asarray(state).tobytes(), *rest)),
    }


class _SeldomCollected:
    """A context in which Python collects garbage seldom.

    A collection would walk through all suspended scripts, which may be thousands. If runs in
    several threads overlap, the first run saves Python's thresholds, and the last run restores
    them.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs = 0
        self._thresholds = gc.get_threshold()

    def __enter__(self) -> None:
        with self._lock:
            self._runs += 1
            if self._runs == 1:
                first, *others = self._thresholds = gc.get_threshold()
                if first:
                    gc.set_threshold(max(first, 200_000), *others)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._runs -= 1
            if not self._runs:
                gc.set_threshold(*self._thresholds)


seldom_collected = _SeldomCollected()
