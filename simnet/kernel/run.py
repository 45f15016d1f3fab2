"""`run`: play a protocol once, and keep what happened.

What lives as long as a run stands in a `_Stage`: the parties' state, the ledger, the recorder, the
turns, and the link that carries messages. Every party is a task of its own, and the turns see to
it that only one goes on at a time; a run is over when all have finished, or when nobody can go on.
What is left is a `Run`, which is plain data.
"""

import copy
import functools
import gc
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import attrs
import numpy as np

from simnet.coins.streams import OUTSIDE_RUNS
from simnet.contract import Protocol
from simnet.doors.call import unsealed
from simnet.errors import BadInput, ScriptError
from simnet.kernel.actor import Actor, Script
from simnet.kernel.blame import blamed
from simnet.kernel.drawn import Draw, DrawsNoted
from simnet.kernel.inputs import Inputs, inputs_by_name
from simnet.kernel.mail import Mail
from simnet.kernel.party import Party
from simnet.kernel.reading import Reading, Sampled
from simnet.kernel.schedule import Schedule
from simnet.kernel.seating import seated
from simnet.kernel.stall import stall
from simnet.kernel.summing import Summing
from simnet.kernel.turns import Turns
from simnet.record.ledger import Ledger
from simnet.record.trace import NoCanonicalForm, Trace, trace_hash
from simnet.record.transcript import Recorder, Transcript
from simnet.record.view import View
from simnet.roster import Roster
from simnet.values.field import FieldArray
from simnet.values.sealed import Input, Sealed

Delay = Callable[[int], float]


def one_step(frame_bytes: int) -> float:  # noqa: ARG001  # the interface names the size
    """The delay of a link on which every message takes one unit of time.

    Completion time then counts rounds.
    """
    return 1.0


@attrs.frozen
class Unread:
    """Messages that nobody received; of a summed tag, neither senders nor recipients are known."""

    tag: str
    messages: int
    sender: str | None = None
    recipient: str | None = None

    def __str__(self) -> str:
        number = "1 message" if self.messages == 1 else f"{self.messages:,} messages"
        link = "" if self.sender is None else f" from {self.sender} to {self.recipient}"
        return f'{number} "{self.tag}"{link}'


@attrs.frozen(eq=False)
class Run:
    """What one run of a protocol left behind.

    `outputs` and `clocks` are by party's name: what its script returned, and when it finished on
    the logical clock; `secrets` are the declared values of every party; `seconds` is wall time.
    """

    protocol: Any  # whoever reads its parameters knows its class
    seed: int
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    secrets: Mapping[str, tuple[FieldArray, ...]]
    ledger: Ledger
    transcript: Transcript
    clocks: Mapping[str, float]
    seconds: float
    roster: Roster = attrs.field(repr=False)
    unread_mail: tuple[Unread, ...] = attrs.field(default=(), repr=False)
    schedule: Schedule | None = attrs.field(default=None, repr=False)  # as it was before the run
    # Generators outside the run (`random`, `numpy.random`) whose state changed while it went on. It
    # may be the script that drew from them: tells why a run that is read again differs.
    foreign_randomness: tuple[str, ...] = attrs.field(default=(), repr=False)

    @functools.cached_property
    def unread(self) -> tuple[Unread, ...]:
        """Messages that were sent and never received: no error, but often a mistake."""
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
    def completion(self) -> float:
        """When the last party finished, on the logical clock."""
        return max(self.clocks.values())

    @property
    def people(self) -> int:
        """How many parties hold an input, the members of crowds counted."""
        seats = zip(self.roster.names, self.roster.seats, strict=True)
        return sum(seat.size for name, seat in seats if name in self.inputs)

    def coins(self, party: str) -> tuple[Draw, ...]:
        """What the coins of a party gave: the value, law and place of every draw.

        In the order of its script; those of deferred blocks stand where the blocks were evaluated.
        The run is played once more for this. Raises `BadInput` for a party that is none, and
        `ScriptError` when the script does not do the same again.
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
        )
        if again.trace != self.trace:
            raise ScriptError(
                f"the run is another one when it is played again for the coins of {party}: a "
                "script draws every random number from me.coins, reads no clock and keeps nothing "
                "from one run to the next"
            )
        return tuple(noting.draws)

    def within(self, scope: str) -> "Run":
        """The part of the run whose parties' names begin with `scope`.

        Names in it are without the scope. Ledger, transcript and roster stay those of the whole
        run.
        """

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
            clocks=inside(self.clocks),
        )

    def view(self, coalition: Iterable[str]) -> View:
        """What the named parties know together.

        Raises `BadInput` unless all of them were observed.
        """
        return self.transcript.view(coalition)

    @functools.cached_property
    def trace_hash(self) -> str:
        """A digest of ledger, outputs and observed messages: equal for equal runs.

        No schedule changes it. Raises `NoCanonicalForm`, naming the party, for an output that
        cannot be hashed, such as a set.
        """
        return trace_hash(self.ledger, self.outputs, self.transcript.messages)

    @property
    def trace(self) -> Trace:
        """The trace hash or, for outputs that cannot be hashed, one without them that says why."""
        try:
            return Trace(self.trace_hash)
        except NoCanonicalForm as error:
            return Trace(trace_hash(self.ledger, {}, self.transcript.messages), str(error))


def run(
    protocol: Protocol,
    inputs: Inputs = (),
    seed: int = 0,
    *,
    observe: Iterable[str] = (),
    schedule: Schedule | None = None,
    threads: int | None = None,
    delay: Delay = one_step,
    reading: Reading | None = None,
    progress: Callable[[int], None] | None = None,
) -> Run:
    """Play a protocol once; the result is a function of protocol, inputs and seed alone.

    `inputs` go to the parties whose role asks for one, by name or in order; a crowd takes one for
    each of its members, and its script is given them as an array. The transcript holds every
    message that a party in `observe` sends or receives. `threads` evaluate deferred blocks
    (default: one a processor where blocks are large, else none), `delay` gives the time on the
    logical clock that a frame of so many bytes takes, `progress` is called with field elements
    done.

    Raises `BadInput` for inputs that do not fit the parties, `ScriptError` when a script breaks a
    rule or raises, `Stall` when the run cannot go on. An interrupt ends the run, at the latest when
    it comes a second time.
    """
    if threads is not None and threads < 1:
        raise BadInput(f"blocks are evaluated by at least one thread, got threads={threads}")
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise BadInput(f"a seed is a whole number, got {seed!r}")
    observe = [observe] if isinstance(observe, str) else observe
    unused = copy.deepcopy(schedule)
    before = _global_generators()
    with seldom_collected:
        stage = _Stage(
            protocol,
            inputs,
            seed,
            frozenset(observe),
            schedule,
            threads,
            delay,
            reading or Sampled(),
            progress,
        )
        done = stage.play()
    after = _global_generators()
    drawn_from = tuple(name for name in before if before[name] != after[name])
    return attrs.evolve(done, schedule=unused, foreign_randomness=drawn_from)


class _Stage:
    """Everything that lives as long as one run."""

    def __init__(
        self,
        protocol: Protocol,
        inputs: Inputs,
        seed: int,
        observe: frozenset[str],
        schedule: Schedule | None,
        threads: int | None,
        delay: Delay,
        reading: Reading,
        progress: Callable[[int], None] | None,
    ) -> None:
        self.protocol = protocol
        self.seed = seed
        self.roster = seated(protocol)
        for name in sorted(OUTSIDE_RUNS.intersection(self.roster.names)):
            raise BadInput(
                f"a party is called {name!r}, and its coins would be those that choose the "
                f"{name} of a scenario: give it another name"
            )
        self.inputs = inputs_by_name(inputs, self.roster)
        self.recorder = Recorder(
            frozenset(self.roster.find(name) for name in observe), len(self.roster)
        )
        self.ledger = Ledger(self.roster, delay, self.recorder)
        self.actors = [self._actor(number) for number in range(len(self.roster))]
        reading.begin(self.actors)
        self.turns = Turns(schedule, self._start, lambda: self.ledger.total().messages)
        roster, actors, ledger, recorder, turns = (
            self.roster,
            self.actors,
            self.ledger,
            self.recorder,
            self.turns,
        )
        self.summing = Summing(
            roster, actors, ledger, recorder, turns, reading, threads, progress or (lambda _: None)
        )
        self.mail = Mail(roster, actors, ledger, recorder, turns, self.summing, schedule)
        self.reading = reading

    def play(self) -> Run:
        start = time.perf_counter()
        for actor in self.actors:
            actor.meter.in_script = True
        try:
            self.turns.play(self.actors)
            self._refuse_stalled()
            self._refuse_failed_outputs()
            self.summing.finish()
            self.reading.end()
            return self._result(start)
        # These know each other: taken apart, they are freed now and not by a garbage collection.
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
            self.recorder.transcript(self.seed, self.roster.names, self.inputs),
            {name: actor.clock for name, actor in by_name.items()},
            time.perf_counter() - start,
            self.roster,
            unread_mail=tuple(self._unread_mail()),
        )

    def _output(self, actor: Actor) -> Any:
        """What a party's script has returned. Raises `ScriptError` for what another one holds."""
        try:
            return unsealed(actor.output, actor.name, actor.meter)
        except TypeError as error:
            raise blamed(actor, error) from error

    def _unread_mail(self) -> Iterator[Unread]:
        names = self.roster.names
        for actor in self.actors:
            for tag, box in actor.boxes.items():
                for sender, messages in box.counts().items():
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
        party = Party(actor, self.roster, self.mail, self.reading, self.seed)
        script: Any = self.roster.scripts[actor.role]
        coroutine: Script = (
            script(party, self._sealed_input(actor)) if actor.name in self.inputs else script(party)
        )
        return coroutine

    def _sealed_input(self, actor: Actor) -> Sealed:
        value = self.reading.input(actor.name, self.inputs[actor.name])
        return Sealed(Input(actor.name, value))

    def _refuse_failed_outputs(self) -> None:
        """Raise what the function of an output door has raised, by the party's name."""
        for actor in self.actors:
            if actor.output_failure is not None:
                raise blamed(actor, actor.output_failure) from actor.output_failure

    def _refuse_stalled(self) -> None:
        """Raise unless all parties have finished."""
        if not all(actor.finished for actor in self.actors):
            self.summing.refuse_late()
            raise stall(self.actors)


def _global_generators() -> dict[str, int]:
    """A hash of the state of each generator that every module of the process can draw from."""
    _, state, *rest = np.random.get_state(legacy=True)  # noqa: NPY002  # read, never drawn from
    return {
        "random": hash(random.getstate()),
        "numpy.random": hash((np.asarray(state).tobytes(), *rest)),
    }


class _SeldomCollected:
    """Has Python collect garbage seldom, while any thread is in it.

    Every collection walks through thousands of suspended scripts, and finds no cycles to free. Of
    the runs that overlap in several threads the first saves the thresholds, the last restores them.
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
