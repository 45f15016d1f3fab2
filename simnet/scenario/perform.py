"""Perform a scenario: build the protocol, refuse what is absurd, run it, assess the estimate, read
the bill.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import attrs

from simnet.errors import BadInput, SimnetError
from simnet.kernel.run import Run, run
from simnet.kernel.schedule import Schedule
from simnet.record.ledger import Traffic
from simnet.scenario.claims import Judged, judge_claims
from simnet.scenario.population import Population, in_chance_order
from simnet.scenario.scenario import Scenario
from simnet.stated.assessment import Assessment
from simnet.stated.bill import BillRow, measured
from simnet.stated.privacy import PrivacyStatement

LIMIT = 100_000_000_000  # field elements: some minutes of one core
# With more users, or more messages than this, claims are judged on a copy if there is one
JUDGED_USERS = 1000
JUDGED_MESSAGES = 1_500_000
COPY_USERS = (
    200,
    400,
    800,
    1000,
)  # that has so many users, the first number that its parameters allow


@attrs.frozen(eq=False)
class Performance:
    """A scenario's run with what it is worth and what it cost."""

    name: str
    scenario: Scenario
    population: Population
    run: Run
    assessment: Assessment
    bill: tuple[BillRow, ...]
    privacy: tuple[PrivacyStatement, ...] = ()
    adversaries: tuple[Judged, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """What is estimated."""
        return self.population.labels if self.assessment.labels is None else self.assessment.labels

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings, as the protocol took them; what JSON has no word for as text."""
        return plain_parameters(self.scenario.settings(), self.run.protocol)

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        labels, assessed = self.labels, self.assessment
        return {
            "scenario": self.name,
            "protocol": type(self.run.protocol).__name__,
            "parameters": self.parameters,
            "source": self.population.source,
            **(
                {}
                if (schema := getattr(self.population, "schema", None)) is None
                else {"domains": schema.origins}
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
            "privacy": _privacy_json(self.privacy),
            "ledger": _ledger_json(self.run),
            "adversaries": [judged.as_json() for judged in self.adversaries],
            **_trace_json(self.run),
            "seconds": self.run.seconds,
        }


def _trace_json(done: Run) -> dict[str, Any]:
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
    limit: int = LIMIT,
    observe: Iterable[str] = (),
    schedule: Schedule | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
) -> Performance:
    """Run a scenario on a population, and state its privacy at `epsilon` and at `delta`.

    Raises `BadInput` for parameters that do not fit or a bill above the limit.
    """
    protocol = scenario.build_for(population)
    refuse_absurd(protocol, limit)
    if scenario.in_chance_order:
        population = in_chance_order(population, seed)
    done = run(
        protocol,
        population.inputs,
        seed,
        observe=observe,
        schedule=schedule,
        threads=threads,
        progress=progress,
    )
    return Performance(
        name,
        scenario,
        population,
        done,
        protocol.assess(done, population.totals),
        tuple(bill(protocol, done)),
        privacy_of(done, population.totals, epsilon, delta),
    )


def privacy_of(
    done: Run, totals: Any, epsilon: float | None = None, delta: float | None = None
) -> tuple[PrivacyStatement, ...]:
    """What the run's protocol states of its privacy.

    Raises `BadInput` for an ε or a δ that is none.
    """
    if not hasattr(done.protocol, "privacy"):
        return ()
    try:
        return tuple(done.protocol.privacy(done, totals, epsilon, delta))
    except ValueError as error:
        raise BadInput(str(error)) from error


def judged(
    performance: Performance, progress: Callable[[int], None] = lambda _: None
) -> Performance:
    """The same with its scenario's claims judged: on the run itself, or on a copy of it with fewer
    users.

    `progress` is called with the number of steps done, of which there are one more than claims.
    """
    scenario, done = performance.scenario, performance.run
    if not scenario.claims:
        return performance
    protocol = done.protocol
    if protocol.users > JUDGED_USERS or protocol.workload()[0] > JUDGED_MESSAGES:
        done = _copy(performance)
    return attrs.evolve(
        performance, adversaries=tuple(judge_claims(scenario.claims, done, progress))
    )


def _copy(performance: Performance) -> Run:
    """The run once more with fewer users, as few as the protocol's parameters allow.

    If none of these, itself.
    """
    scenario, done = performance.scenario, performance.run
    for size in COPY_USERS:
        people = performance.population.sample(min(done.protocol.users, size), done.seed)
        try:
            return run(scenario.build_for(people), people.inputs, done.seed)
        except (
            SimnetError
        ):  # parameters that do not fit so few, or a server that can make nothing of their answers
            if size == COPY_USERS[-1] and done.protocol.workload()[0] > JUDGED_MESSAGES:
                raise
    return done


def bill(protocol: Any, done: Run) -> list[BillRow]:
    """Every entry of the protocol's expected bill, held against the ledger."""
    return [
        measured(protocol.name, entry, done.ledger, done.roster.role(entry.role).size)
        for entry in protocol.expected_bill(done)
    ]


def refuse_absurd(protocol: Any, limit: int) -> None:
    """Raise `BadInput` when a run would move more elements than the limit, with the bill that it
    would cost.
    """
    messages, elements = protocol.workload()
    if elements > limit:
        items = f" with {protocol.items:,} items" if hasattr(protocol, "items") else ""
        moved = f"{elements:,} elements"
        if hasattr(type(protocol), "field"):  # there may be no field so large
            moved = (
                f"{elements:,} field elements (about "
                f"{elements * protocol.users.bit_length() / 8 / 1e9:,.3g} GB)"
            )
        raise BadInput(
            f"{protocol.users:,} users{items} would cost {messages:,} messages and {moved}, "
            f"the limit is {limit:,}: "
            "sample fewer with --users, or raise --max-elements"
        )


def synthetic(scenario: Scenario, users: int, seed: int, limit: int = LIMIT) -> Population:
    """Uniform users for a scenario.

    Raises `BadInput`, before drawing them, when a run would cost too much.
    """
    refuse_absurd(scenario.build(users, scenario.items), limit)
    return scenario.synthetic(users, seed)


def _privacy_json(statements: Sequence[PrivacyStatement]) -> dict[str, Any]:
    """The first statement's keys, and all statements."""
    if not statements:
        return {}
    return {**statements[0].as_json(), "statements": [one.as_json() for one in statements]}


def _ledger_json(done: Run) -> dict[str, Any]:
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


def plain_parameters(settings: Mapping[str, Any], protocol: Any) -> dict[str, Any]:
    """Settings as the protocol took them; what JSON has no word for as text."""
    taken = {name: getattr(protocol, name, value) for name, value in settings.items()}
    return {
        name: value if isinstance(value, int | float | str | None) else str(value)
        for name, value in taken.items()
    }


def parameters_in_words(settings: Mapping[str, Any]) -> str:
    """`name=value` for every setting that has a value, but for the numbers of users and items."""
    told = {
        name: value
        for name, value in settings.items()
        if name not in ("users", "items") and value is not None
    }
    return ", ".join(f"{name}={value}" for name, value in told.items())
