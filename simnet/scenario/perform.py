"""Performs a scenario: one run, compared with what is stated about its protocol."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isnan
from typing import Any, cast

import attrs

from simnet import markup
from simnet.contract import OverItems, Protocol
from simnet.errors import BadInput
from simnet.installed import object_at
from simnet.kernel.deadlines import Clocked
from simnet.kernel.run import Run, run
from simnet.kernel.schedule import Schedule
from simnet.kernel.seating import seated
from simnet.record.ledger import Traffic
from simnet.scenario.claims import Adversaries
from simnet.scenario.drops import drop_outs_json, fates_of
from simnet.scenario.judging import judge_claims
from simnet.scenario.population import Population, TablePopulation, in_chance_order
from simnet.scenario.scenario import Scenario
from simnet.stated.about import About, Totals
from simnet.stated.assessment import Assessment
from simnet.stated.bill import Bill, BillRow, measured
from simnet.stated.privacy import PrivacyStatement, Statements


@attrs.frozen(eq=False, repr=False)
class Performance:
    """The result of `perform` if an estimate is compared with the truth: one run with its estimate,
    bill, privacy and verdicts.

    `assessment` has the estimate beside the truth with intervals and errors, `bill` the cost of
    each role, `privacy` the statements on the privacy of one user, and `adversaries` the verdict on
    each claim. `plot()` draws the estimate.

    >>> from simnet import perform
    >>> result = perform("dpds", users=20, items=3, seed=1)
    >>> result.assessment.estimate.shape
    (3,)
    >>> result.run.ledger.total().messages
    400
    >>> all(judged.holds for judged in result.adversaries)
    True
    """

    name: str
    scenario: Scenario
    population: Population
    run: Run
    about: About
    assessment: Assessment
    bill: Bill = attrs.field(converter=Bill)
    privacy: Statements = attrs.field(factory=Statements, converter=Statements)
    adversaries: Adversaries = attrs.field(factory=Adversaries, converter=Adversaries)
    drop: tuple[str, ...] = ()  # the texts that said who drops out
    # Whether the scenario drew the inputs from the seed, so that they are nobody's.
    is_drawn: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of what is estimated, such as items or weights."""
        return self.population.labels if self.assessment.labels is None else self.assessment.labels

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings as the protocol understood them, in the types that JSON has."""
        settings = self.scenario.settings()
        if "users" in settings:  # a file may bring other users than the setting says
            settings["users"] = self.run.people
        if "items" in settings and self.scenario.data == "items":
            settings["items"] = len(self.population.labels)
        return plain_parameters(settings, self.run.protocol, self.about)

    def judged(self, progress: Callable[[float], None] = lambda _: None) -> "Performance":
        """Return the same performance with its scenario's claims judged.

        `progress` is called as in `simnet.scenario.judging.judge_claims`.
        """
        return judged(self, progress)

    def plot(self) -> Any:
        """Return a matplotlib figure of the estimate beside the truth, with its intervals.

        Raises `BadInput` when matplotlib is not installed.
        """
        # Imported here, because that module imports this module.
        from simnet.scenario.figure import estimate_figure

        return estimate_figure(self)

    def show(self) -> Any:
        """Return a page that shows the run: who sends messages to whom, and in a small run what
        coalitions learn.

        A notebook displays the page, and the page's method `save` writes the page into a file.
        """
        # The page stands above this module, so it is found by its name.
        return object_at("simnet.page.notebook:shown")(self)

    @property
    def _heading(self) -> str:
        settings = parameters_in_words(self.parameters)
        parts = [
            f"{len(self.population.inputs):,} users from {self.population.source}",
            *([settings] if settings else []),
            f"seed {self.run.seed}",
        ]
        return f"{self.name}: {'; '.join(parts)}"

    @property
    def _error(self) -> str:
        assessed = self.assessment
        expected = assessed.expected_squared_l2
        beside = "" if isnan(expected) else f", expected {expected:.4g}"
        return f"squared L2 error {assessed.squared_l2:.4g}{beside}"

    def __repr__(self) -> str:
        ledger = self.run.ledger
        return (
            f"{self._heading}\n{self._error}; {ledger.messages_in_words}, "
            f"{ledger.payload_in_words}, {ledger.rounds_in_words}"
        )

    def _repr_html_(self) -> str:
        assessed, labels = self.assessment, self.labels
        heads = ["", "truth", "estimate", f"{assessed.confidence:.0%} interval"]
        rows = [
            [
                labels[place],
                f"{assessed.truth[place]:.4g}",
                f"{assessed.estimate[place]:.4g}",
                f"{assessed.low[place]:.4g} to {assessed.high[place]:.4g}"
                if assessed.has_intervals
                else "",
            ]
            for place in assessed.shown
        ]
        hidden = len(labels) - len(rows)
        ledger = self.run.ledger
        sent = f"{ledger.messages_in_words}, {ledger.payload_in_words}"
        parts = [
            markup.paragraph(self._heading, bold=True),
            markup.table(heads, rows, numbers=(1, 2, 3)),
            markup.paragraph(f"and {hidden:,} more") if hidden else "",
            markup.paragraph(self._error),
        ]
        folds: dict[str, Statements | Adversaries | Bill] = {
            "Privacy of one user": self.privacy,
            "What coalitions learn": self.adversaries,
            f"Bill: {sent}": self.bill,
        }
        parts += [
            markup.folded(title, content._repr_html_())
            for title, content in folds.items()
            if content
        ]
        return "".join(parts)

    def as_json(self) -> dict[str, Any]:
        """Return the result as an object for JSON."""
        labels, assessed = self.labels, self.assessment
        return {
            "scenario": self.name,
            "protocol": type(self.run.protocol).__name__,
            "parameters": self.parameters,
            "source": self.population.source,
            **(
                {}
                if not isinstance(self.population, TablePopulation)
                else {"domains": self.population.schema.origins}
            ),
            "seed": self.run.seed,
            "estimate": dict(zip(labels, assessed.estimate.tolist(), strict=True)),
            **(
                {}
                if assessed.raw is None
                else {"raw": dict(zip(labels, assessed.raw.tolist(), strict=True))}
            ),
            "interval": dict(
                zip(
                    labels,
                    zip(assessed.low.tolist(), assessed.high.tolist(), strict=True),
                    strict=True,
                )
            ),
            "confidence": assessed.confidence,
            "truth": dict(zip(labels, assessed.truth.tolist(), strict=True)),
            "squared_l2": assessed.squared_l2,
            **({} if assessed.raw is None else {"raw_squared_l2": assessed.raw_squared_l2}),
            "mse": assessed.mse,
            **({"parts": assessed.mse_of_parts()} if assessed.parts else {}),
            **({} if assessed.scores is None else {"scores": attrs.asdict(assessed.scores)}),
            "expected_squared_l2": assessed.expected_squared_l2,
            "deviation_squared_l2": assessed.deviation_squared_l2,
            "privacy": privacy_json(self.privacy),
            "bill": [row.as_json() for row in self.bill],
            "ledger": ledger_json(self.run),
            "adversaries": [judged.as_json() for judged in self.adversaries],
            **drop_outs_json(self.run, self.about),
            **trace_json(self.run),
            "seconds": self.run.seconds,
        }


def trace_json(done: Run) -> dict[str, Any]:
    """Return the trace hash for JSON, or null and the reason why there is no hash."""
    trace = done.trace
    if trace.lacking is None:
        return {"trace_hash": trace.hash}
    return {"trace_hash": None, "trace_hash_lacks": trace.lacking}


def perform(
    name: str,
    scenario: Scenario,
    population: Population,
    seed: int,
    *,
    observe: Iterable[str] = (),
    schedule: Schedule | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
) -> Performance:
    """Run a scenario on a population, and state its privacy at `epsilon` and at `delta`.

    If `epsilon` or `delta` is None, the protocol chooses this number. Raises `BadInput` for
    parameters that do not fit, for a protocol whose `About` record has no `assess`, and for a run
    above the limits of `simnet.kernel.limits`.
    """
    played = play_on(
        scenario,
        population,
        seed,
        observe=observe,
        schedule=schedule,
        threads=threads,
        progress=progress,
    )
    return assessed(name, scenario, played, epsilon, delta)


@attrs.frozen(eq=False)
class Played:
    """A run of a scenario on a population, and what is said about its protocol.

    `drop` are the texts that said who drops out.
    """

    population: Population
    run: Run
    about: About
    drop: tuple[str, ...] = ()


def play_on(
    scenario: Scenario,
    population: Population,
    seed: int,
    *,
    observe: Iterable[str] = (),
    schedule: Schedule | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    drop: Sequence[str] = (),
    network: Clocked | None = None,
) -> Played:
    """Run a scenario on a population. Raises `BadInput` as `perform` does.

    `drop` says who drops out: see `simnet.scenario.drops`. `network` decides deadlines.
    """
    protocol = scenario.build_for(population)
    about = scenario.described(protocol)
    if about.assess is None:
        raise BadInput(
            f"{about.name} does not say how to compare its estimate with the truth: give the "
            "scenario an `about` whose record has `assess`"
        )
    if scenario.in_chance_order:
        population = in_chance_order(population, seed)
    fates, messages = fates_of(drop, protocol, population.inputs, seed, network)
    done = run(
        protocol,
        population.inputs,
        seed,
        observe=observe,
        schedule=schedule,
        threads=threads,
        progress=progress,
        fates=fates,
        network=network,
        message_fates=messages,
    )
    return Played(population, done, about, tuple(drop))


def assessed(
    name: str,
    scenario: Scenario,
    played: Played,
    epsilon: float | None = None,
    delta: float | None = None,
) -> Performance:
    """Return what is said about a run that was not aborted: estimate, bill and privacy."""
    about, done, totals = played.about, played.run, played.population.totals
    assert about.assess is not None
    return Performance(
        name,
        scenario,
        played.population,
        done,
        about,
        about.assess(done, totals),
        bill(about, done),
        privacy_of(about, done, totals, epsilon, delta),
        drop=played.drop,
    )


def privacy_of(
    about: About,
    done: Run,
    totals: Totals,
    epsilon: float | None = None,
    delta: float | None = None,
) -> tuple[PrivacyStatement, ...]:
    """Return the privacy statements of the run's protocol, at `epsilon` and at `delta` if the
    protocol can; it chooses a number that is None.

    Raises `BadInput` for a number at which nothing can be stated.
    """
    try:
        return tuple(about.privacy(done, totals, epsilon, delta))
    except ValueError as error:
        raise BadInput(str(error)) from error


def judged(
    performance: Performance, progress: Callable[[float], None] = lambda _: None
) -> Performance:
    """Judge the scenario's claims, and return the performance with the results.

    See `simnet.scenario.judging`, also for `progress`.
    """
    claims = performance.scenario.claims
    if not claims:
        return performance
    found = judge_claims(claims, performance.run, performance.about, progress)
    return attrs.evolve(performance, adversaries=found)


def bill(about: About, done: Run) -> list[BillRow]:
    """Return the entries of the protocol's expected bill, each with what the ledger measured."""
    if about.expected_bill is None:
        return []
    return [
        measured(about.name, entry, done.ledger, done.roster.role(entry.role).size)
        for entry in about.expected_bill(done)
    ]


def synthetic(scenario: Scenario, users: int | None, seed: int) -> Population:
    """Return synthetic people for a scenario; `users` None stands for as many as it has.

    If the protocol takes no argument `users`, the scenario has as many users as parties take an
    input; if it takes no argument `items`, but has such an attribute, this attribute counts.
    Raises `BadInput`, before any people are drawn, for a run above the limits of
    `simnet.kernel.limits`.
    """
    wanted = scenario.users if users is None else users
    protocol = scenario.build(wanted, scenario.items)
    if users is None and "users" not in scenario.sizes:
        wanted = sum(seat.size for seat in seated(protocol).seats if seat.takes_input)
    has_items = isinstance(protocol, OverItems) and isinstance(protocol.items, int)
    if has_items and not {"items", "schema"} & {*scenario.sizes}:
        scenario = attrs.evolve(scenario, items=protocol.items)
    return scenario.synthetic(wanted, seed)


def privacy_json(statements: Sequence[PrivacyStatement]) -> dict[str, Any]:
    """Return what the first statement says and, under `statements`, the list of all statements, for
    JSON; nothing if there are no statements.
    """
    if not statements:
        return {}
    return {
        **statements[0].as_json(),
        "statements": [statement.as_json() for statement in statements],
    }


def ledger_json(done: Run) -> dict[str, Any]:
    """Return what a run sent, and what each role sent, received and computed, for JSON."""
    ledger, total = done.ledger, done.ledger.total()
    sent, received, operations = (
        ledger.by("role", "sent"),
        ledger.by("role", "received"),
        ledger.operations(),
    )
    return {
        "messages": total.messages,
        "payload_bytes": total.payload_bytes,
        "frame_bytes": total.frame_bytes,
        "rounds": ledger.rounds,
        "by_role": {
            role: {
                "sent": attrs.asdict(sent.get(role, Traffic())),
                "received": attrs.asdict(received.get(role, Traffic())),
                "operations": dict(operations[role]),
            }
            for role in done.roster.roles
        },
        "logical": attrs.asdict(ledger.total(counting="logical")),
        "unread": ledger.unread(),
    }


def plain_parameters(
    settings: Mapping[str, Any], protocol: Protocol, about: About
) -> dict[str, Any]:
    """Return the settings as the protocol understood them, in the types that JSON has. A value of
    any other type becomes text.
    """
    fields = {**_fields(protocol), **about.parameters}
    shown = {name: fields.get(name, value) for name, value in settings.items()}
    return {
        name: value if isinstance(value, int | float | str | None) else str(value)
        for name, value in shown.items()
    }


def _fields(protocol: Protocol) -> Mapping[str, Any]:
    kind: type = type(protocol)
    if attrs.has(kind):
        return attrs.asdict(cast(attrs.AttrsInstance, protocol), recurse=False)
    return vars(protocol)


def parameters_in_words(settings: Mapping[str, Any]) -> str:
    """Return `name=value` for every setting that has a value, except `users` and `items`."""
    shown = {
        name: value
        for name, value in settings.items()
        if name not in ("users", "items") and value is not None
    }
    return ", ".join(f"{name}={value}" for name, value in shown.items())
