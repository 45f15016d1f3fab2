"""Runs a protocol without comparing an estimate with the truth.

Theory of operation. With an `About` record, a run can be compared with the truth, a cost table and
a privacy claim. A protocol that somebody is just writing has no such record, but it can be run,
too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import attrs
import numpy as np

from simnet import markup
from simnet.arrays import Numbers
from simnet.contract import Ideal, OverItems, Protocol
from simnet.doors.call import comes_from_a_door
from simnet.errors import BadInput, ScriptError
from simnet.installed import object_at
from simnet.kernel.deadlines import Clocked
from simnet.kernel.run import Run, run
from simnet.kernel.schedule import Schedule
from simnet.kernel.seating import seated
from simnet.scenario.claims import Adversaries
from simnet.scenario.drops import drop_outs_json, fates_of, lacks_estimate
from simnet.scenario.judging import judge_claims
from simnet.scenario.perform import (
    bill,
    ledger_json,
    plain_parameters,
    privacy_json,
    privacy_of,
    synthetic,
    trace_json,
)
from simnet.scenario.population import in_chance_order
from simnet.scenario.scenario import Scenario
from simnet.stated.about import About, Totals
from simnet.stated.bill import Bill
from simnet.stated.privacy import Statements
from simnet.values.residues import Residues

OUTPUTS_SHOWN = 10  # parties
Inputs = Sequence[Any] | Numbers  # one input for each party whose script takes one


@attrs.frozen(eq=False, kw_only=True, repr=False)
class PlainRun:
    """The result of `perform` for a protocol that does not say how its estimate is assessed, and
    for a run that was aborted.

    The result does not compare an estimate with the truth. For an aborted run it does not compare
    the bill with a formula either, and it has no statement of privacy.

    >>> import attrs
    >>> from simnet import Seat, perform
    >>> @attrs.frozen
    ... class Dice:
    ...     def parties(self):
    ...         return {"thrower": Seat(self.thrower)}
    ...
    ...     async def thrower(self, me):
    ...         return 1 + int(me.coins.bernoulli(0.5))
    >>> perform(Dice()).run.outputs["thrower"] in (1, 2)
    True
    """

    name: str
    scenario: Scenario
    run: Run
    about: About
    bill: Bill = attrs.field(factory=Bill, converter=Bill)
    privacy: Statements = attrs.field(factory=Statements, converter=Statements)
    adversaries: Adversaries = attrs.field(factory=Adversaries, converter=Adversaries)
    guess: str | None = None  # how inputs were made up for a protocol that does not say its inputs
    numbering: str | None = None  # the values of a column, each with the input that it became
    # Whether the scenario drew the inputs from the seed, so that they are nobody's.
    is_drawn: bool = False

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings as the protocol understood them, in the types that JSON has."""
        return plain_parameters(self.scenario.settings(), self.run.protocol, self.about)

    @property
    def is_aborted(self) -> bool:
        """Whether the run was aborted, or the party that returns the estimate dropped out."""
        return lacks_estimate(self.run, self.about)

    @property
    def more_to_show(self) -> Mapping[str, str]:
        """What else could be shown of the protocol, by the method or field that is missing."""
        protocol, about = self.run.protocol, self.about
        # An aborted run states no privacy, although its protocol may have the function.
        has_privacy = about.privacy is not attrs.fields(About).privacy.default
        lacking = {
            "functionality": (isinstance(protocol, Ideal), "what the output itself reveals"),
            "items": (isinstance(protocol, OverItems), "exact views against all neighbours"),
            "About.assess": (about.assess is not None, "the estimate beside the truth"),
            "About.expected_bill": (about.expected_bill is not None, "the bill beside a formula"),
            "About.privacy": (has_privacy, "ε and δ of each view"),
            "Scenario.claims": (bool(self.scenario.claims), "what coalitions learn"),
        }
        return {method: words for method, (is_there, words) in lacking.items() if not is_there}

    def judged(self, progress: Callable[[float], None] = lambda _: None) -> "PlainRun":
        """Judge the scenario's claims on the run, and return the run with the results."""
        return judged(self, progress) if self.scenario.claims else self

    def show(self) -> Any:
        """Return a page that shows the run: who sends messages to whom, and in a small run what
        coalitions learn.

        A notebook displays the page, and the page's method `save` writes the page into a file.
        """
        # The page stands above this module, so it is found by its name.
        return object_at("simnet.page.notebook:shown")(self)

    @property
    def assessment(self) -> NoReturn:
        """Raise `BadInput`: no estimate was compared with the truth."""
        raise BadInput(self._without_estimate("assess"))

    def plot(self) -> Any:
        """Raise `BadInput`: there is no estimate beside a truth to draw."""
        raise BadInput(self._without_estimate("draw"))

    def _without_estimate(self, verb: str) -> str:
        if self.about.assess is None:
            return (
                f"{self.name} has no estimate to {verb} beside the truth: give the scenario an "
                "`about` whose record has `assess`. The outputs of the parties are in "
                "`run.outputs`"
            )
        return (
            f"this run of {self.name} has no estimate to {verb} beside the truth, because "
            "parties dropped out or aborted: `run.gone` and `run.aborts` name them. The outputs of "
            "the parties are in `run.outputs`"
        )

    def __repr__(self) -> str:
        ledger = self.run.ledger
        lines = [
            f"{self.name}: seed {self.run.seed}; {ledger.messages_in_words}, "
            f"{ledger.payload_in_words}, {ledger.rounds_in_words}",
            *([] if self.numbering is None else [self.numbering]),
            *(f"{name} returned {plain(output)}" for name, output in self._outputs()),
        ]
        return "\n".join(lines)

    def _outputs(self) -> list[tuple[str, Any]]:
        returned = [(name, out) for name, out in self.run.outputs.items() if out is not None]
        return returned[:OUTPUTS_SHOWN]

    def _repr_html_(self) -> str:
        ledger = self.run.ledger
        parts = [
            markup.paragraph(f"{self.name}; seed {self.run.seed}", bold=True),
            *([] if self.numbering is None else [markup.paragraph(self.numbering)]),
            markup.table(
                ["party", "output"], [(name, plain(out)) for name, out in self._outputs()]
            ),
            markup.paragraph(
                f"{ledger.messages_in_words}, {ledger.payload_in_words}, {ledger.rounds_in_words}"
            ),
        ]
        if self.privacy:
            parts.append(markup.folded("Privacy of one user", self.privacy._repr_html_()))
        if self.adversaries:
            parts.append(markup.folded("What coalitions learn", self.adversaries._repr_html_()))
        if self.bill:
            parts.append(markup.folded("Bill", self.bill._repr_html_()))
        return "".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return the run for JSON."""
        return {
            "scenario": self.name,
            "protocol": type(self.run.protocol).__name__,
            "parameters": self.parameters,
            "seed": self.run.seed,
            "outputs": {name: plain(output) for name, output in self.run.outputs.items()},
            "privacy": privacy_json(self.privacy),
            "bill": [row.as_json() for row in self.bill],
            "ledger": ledger_json(self.run),
            "adversaries": [judged.as_json() for judged in self.adversaries],
            "more_to_show": dict(self.more_to_show),
            **({} if self.numbering is None else {"numbering": self.numbering}),
            **drop_outs_json(self.run, self.about),
            **trace_json(self.run),
            "seconds": self.run.seconds,
        }


def play(
    name: str,
    scenario: Scenario,
    seed: int,
    inputs: Inputs | None = None,
    *,
    observe: Iterable[str] = (),
    progress: Callable[[int], None] | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    drop: Sequence[str] = (),
    network: Clocked | None = None,
) -> PlainRun:
    """Run a scenario without comparing its estimate with the truth.

    Without `inputs`, the parties take the inputs of synthetic people, who are drawn with the seed.
    `observe` names the parties whose messages are kept one by one. `drop` says who drops out, and
    `network` decides deadlines. If the inputs have totals (see `totals_of`) and the run was not
    aborted, privacy is stated at `epsilon` and at `delta`; the protocol chooses a number that is
    None. Raises `BadInput` for parameters that do not fit, and for a run above the limits of
    `simnet.kernel.limits`.
    """
    protocol, own_inputs = prepared(scenario, seed, inputs)
    fates, messages = fates_of(drop, protocol, own_inputs, seed, network)
    guess = guessed_inputs_in_words(scenario, protocol) if inputs is None else None
    with explained_by(guess):
        done = run(
            protocol,
            own_inputs,
            seed,
            observe=observe,
            progress=progress,
            fates=fates,
            network=network,
            message_fates=messages,
        )
    about = scenario.described(protocol)
    if lacks_estimate(done, about):
        return PlainRun(name=name, scenario=scenario, run=done, about=about, guess=guess)
    totals = totals_of(scenario, own_inputs)
    stated = () if totals is None else privacy_of(about, done, totals, epsilon, delta)
    return PlainRun(
        name=name,
        scenario=scenario,
        run=done,
        about=about,
        bill=bill(about, done),
        privacy=stated,
        guess=guess,
    )


def totals_of(scenario: Scenario, inputs: Inputs) -> Totals | None:
    """Return the sum of the inputs if the scenario's users hold numbers, or the number of holders
    of each item if the inputs are items of the scenario.

    Returns None for inputs that are neither, such as rows of a table.
    """
    values = np.asarray(inputs)
    if values.ndim != 1 or values.dtype.kind not in "iuf":
        return None
    if scenario.on_values:
        return np.array([values.sum()])
    if values.dtype.kind == "f" or not ((values >= 1) & (values <= scenario.items)).all():
        return None
    return np.bincount(values, minlength=scenario.items + 1)[1:]


def judged(result: PlainRun, progress: Callable[[float], None] = lambda _: None) -> PlainRun:
    """Judge the scenario's claims on the run, and return the run with the results."""
    claims = judge_claims(result.scenario.claims, result.run, result.about, progress)
    return attrs.evolve(result, adversaries=claims)


def replica(
    scenario: Scenario,
    seed: int,
    *,
    observe: Callable[[Sequence[str]], Iterable[str]],
    schedule: Schedule | None,
    threads: int | None,
    drop: Sequence[str] = (),
    network: Clocked | None = None,
) -> Run:
    """Run a scenario on synthetic people; `observe` picks the observed parties by name, `drop` says
    who drops out, and `network` decides deadlines.
    """
    protocol, inputs = prepared(scenario, seed, None)
    parties = list(protocol.parties())
    fates, messages = fates_of(drop, protocol, inputs, seed, network)
    return run(
        protocol,
        inputs,
        seed,
        observe=observe(parties),
        schedule=schedule,
        threads=threads,
        fates=fates,
        network=network,
        message_fates=messages,
    )


def prepared(scenario: Scenario, seed: int, inputs: Inputs | None) -> tuple[Protocol, Inputs]:
    """Return a scenario's protocol and its inputs: the given inputs, or the inputs of synthetic
    people.
    """
    protocol: Protocol = scenario.build(scenario.users, scenario.items)
    about = scenario.described(protocol)
    if inputs is not None:
        return protocol, inputs
    if about.assess is None:
        return protocol, inputs_for(scenario, protocol, seed)
    people = synthetic(scenario, None, seed)
    seated = in_chance_order(people, seed) if scenario.in_chance_order else people
    return scenario.build_for(people), seated.inputs


def inputs_for(scenario: Scenario, protocol: Protocol, seed: int) -> Inputs:
    """Return inputs of synthetic people: one for each party whose script takes an input or, if the
    party is a crowd, one for each of its members.

    Raises `BadInput` when the protocol cannot seat its parties.
    """
    wanted = sum(seat.size for seat in seated(protocol).seats if seat.takes_input)
    if isinstance(protocol, OverItems) and isinstance(protocol.items, int):
        scenario = attrs.evolve(scenario, items=protocol.items)
    if not wanted:
        return []
    people = scenario.synthetic(wanted, seed)
    return (in_chance_order(people, seed) if scenario.in_chance_order else people).inputs


def guessed_inputs_in_words(
    scenario: Scenario, protocol: Protocol, has_option: bool = True
) -> str | None:
    """Return a note on inputs that were made up, because the protocol does not say which inputs are
    possible.

    `has_option` says whether the command at hand has the option `--inputs`; only then the note
    advises to use it. Returns None if no party takes an input, if the protocol has `items` or takes
    an argument `items`, or if the scenario has an `about` or says what the inputs are.
    """
    is_said = isinstance(protocol, OverItems) or scenario.about is not None
    takes_inputs = any(seat.takes_input for seat in seated(protocol).seats)
    if is_said or scenario.data != "items" or "items" in scenario.sizes or not takes_inputs:
        return None
    say = "Give your own with --inputs, or say" if has_option else "Say"
    return (
        "the protocol has no `items`, so its possible inputs are unknown. The inputs were made up: "
        f"they were drawn from 1..{scenario.items}, where {scenario.items} is the scenario's "
        f"`items` or the default. {say} in the class which inputs are possible: with `items = 5`, "
        "for example, an input is a whole number from 1 to 5. For other ranges, such as 0 to 10, "
        'see the page "Users who hold whole numbers" in the documentation'
    )


@contextmanager
def explained_by(guess: str | None) -> Iterator[None]:
    """Add the note on guessed inputs, if there is one, to a `ScriptError` that comes from the
    function of a door: perhaps the function refuses these inputs. Other errors of a script do not
    get the note, because they mostly have other reasons.
    """
    try:
        yield
    except ScriptError as error:
        if guess is None or error.__cause__ is None or not comes_from_a_door(error.__cause__):
            raise
        raise ScriptError(f"{error}. Note: {guess}") from error.__cause__


def plain(output: Any) -> Any:
    """Return an output in the types that JSON has; a value of any other type becomes text.

    Field elements become their numbers.

    >>> plain([np.int64(3), np.array([1, 2])])
    [3, [1, 2]]
    """
    if isinstance(output, Residues):
        return plain(output.numbers())
    if isinstance(output, np.ndarray | np.generic):
        return plain(output.tolist())
    if isinstance(output, Mapping):
        return {str(key): plain(value) for key, value in output.items()}
    if isinstance(output, list | tuple):
        return [plain(value) for value in output]
    return output if isinstance(output, int | float | str | None) else str(output)
