"""Verdicts on a protocol made for the purpose: one run, or several with other seeds."""

import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from simnet.adversary.judge import verdict
from simnet.adversary.verdict import SHARE_FINDINGS, Verdict
from simnet.contract import Protocol
from simnet.errors import BadInput
from simnet.kernel.run import Run, run
from simnet.scenario.find import find, load_file
from simnet.scenario.scenario import Required, Scenario
from simnet.stated.about import About, Listed

CONFIDENCE = 0.95
USERS, ITEMS = 5, 3  # of a class that names no defaults
MOST_MESSAGES = 10_000_000  # of a run that is judged: its forms take some 300 bytes each
_KINDS: dict[Any, Any] = {
    "int": int,
    "float": float,
    "str": str,
    "bool": bool,
}  # annotations that stayed text


@attrs.frozen(eq=False)
class Verified:
    """A verdict on runs of a protocol; `public` is what it says travelled in clear, run by run."""

    protocol: Protocol
    about: About
    verdict: Verdict
    public: tuple[Listed, ...]


@attrs.frozen
class VerdictCounts:
    """How often each verdict was found in several runs."""

    counts: dict[str, int]
    leaking_seed: int | None  # the smallest

    def as_json(self) -> dict[str, Any]:
        """Counts, shares and exact intervals by verdict."""
        runs = sum(self.counts.values())
        verdicts = {
            finding: {
                "count": count,
                "share": count / runs,
                "interval": list(clopper_pearson(count, runs)),
            }
            for finding, count in self.counts.items()
        }
        return {
            "runs": runs,
            "confidence": CONFIDENCE,
            "verdicts": verdicts,
            "smallest_leaking_seed": self.leaking_seed,
        }


def protocol_of(text: str) -> Scenario:
    """The scenario that `NAME`, `FILE.py` or `FILE.py:Class` stands for.

    A class becomes a scenario whose settings are the class's parameters.

    Raises `BadInput` when there is none, or several classes to choose from.
    """
    path, colon, name = text.partition(".py:")
    if not colon and not text.endswith(".py"):
        return find(text)[1]
    file = Path(path + ".py" if colon else path)
    module = load_file(file)
    if not name and isinstance(getattr(module, "SCENARIO", None), Scenario):
        scenario: Scenario = module.SCENARIO
        return scenario
    made_here = [
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and issubclass(value, Protocol)
    ]
    chosen = [value for value in made_here if value.__name__ == name] if name else made_here
    if len(chosen) != 1:
        listed = ", ".join(value.__name__ for value in made_here) or "none"
        asked = f"no protocol {name!r}" if name else f"{len(made_here)} protocols"
        raise BadInput(
            f"{file} has {asked}; classes with `parties` are: {listed}. Name one: {file}:Class"
        )
    return _scenario_of(chosen[0])


def _scenario_of(made: type) -> Scenario:
    """A class of the user's own as a scenario: its parameters with their defaults are settings."""
    try:
        signature = inspect.signature(made, eval_str=True)
    except NameError:  # annotations that are there for type checkers alone
        signature = inspect.signature(made)
    several = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    wanted = {name: one for name, one in signature.parameters.items() if one.kind not in several}
    defaults = {
        name: Required(_KINDS.get(one.annotation, one.annotation))
        if one.default is inspect.Parameter.empty
        else one.default
        for name, one in wanted.items()
    }

    def size(name: str, otherwise: int) -> int:
        default = defaults.get(name)
        return default if isinstance(default, int) else otherwise

    sizes = tuple(name for name in ("users", "items") if name in wanted)
    parameters = {name: value for name, value in defaults.items() if name not in sizes}
    return Scenario(
        summary=made.__name__,
        protocol=made,
        parameters=parameters,
        users=size("users", USERS),
        items=size("items", ITEMS),
        sizes=sizes,
    )


def verify(
    scenario: Scenario,
    corrupt: str,
    seed: int,
    inputs: Sequence[int] | None = None,
    collections: int = 1,
) -> Verified:
    """The verdict on one run, or on several collections from the same inputs.

    The runs have the seeds from `seed` on.

    Inputs are uniform items drawn from the seed, unless given.

    Raises `BadInput` for parameters, inputs or a set that do not fit.
    """
    protocol, held = _prepared(scenario, seed, inputs, collections)
    runs = [run(protocol, held, one) for one in range(seed, seed + collections)]
    about = scenario.described(protocol)
    return Verified(
        protocol,
        about,
        verdict(runs, corrupt, about),
        tuple(about.public(one) for one in runs),
    )


def played(scenario: Scenario, seed: int, inputs: Sequence[int] | None = None) -> Run:
    """One run of a scenario's protocol that is small enough to be judged."""
    protocol, held = _prepared(scenario, seed, inputs, 1)
    return run(protocol, held, seed)


def _prepared(
    scenario: Scenario, seed: int, inputs: Sequence[int] | None, collections: int
) -> tuple[Any, Any]:
    """The protocol, and what its parties hold."""
    protocol = scenario.build(scenario.users, scenario.items)
    work = scenario.described(protocol).workload
    if work is not None and work.messages * collections > MOST_MESSAGES:
        raise BadInput(
            f"a verdict on {work.messages * collections:,} messages with "
            f"{work.elements * collections:,} field elements would "
            f"take too much memory: judge fewer users (at most {MOST_MESSAGES:,} messages)"
        )
    return protocol, _inputs(scenario, protocol, seed) if inputs is None else list(inputs)


def verify_runs(
    scenario: Scenario,
    corrupt: str,
    seeds: Sequence[int],
    inputs: Sequence[int] | None = None,
    collections: int = 1,
    progress: Callable[[int], None] = lambda _: None,
) -> VerdictCounts:
    """How often each verdict is found over several seeds; `progress` is called after every run."""
    counts: Counter[str] = Counter(dict.fromkeys(SHARE_FINDINGS, 0))
    leaking = None
    for seed in seeds:
        finding = verify(scenario, corrupt, seed, inputs, collections).verdict.finding
        counts[finding] += 1
        if finding == "leaks" and leaking is None:
            leaking = seed
        progress(1)
    return VerdictCounts(dict(counts), leaking)


def clopper_pearson(count: int, runs: int) -> tuple[float, float]:
    """The Clopper-Pearson interval of a share; it covers at least at rate `CONFIDENCE`."""
    from scipy.special import betaincinv  # here, not above: it takes a while to load

    tail = (1 - CONFIDENCE) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, runs - count + 1, tail))
    high = 1.0 if count == runs else float(betaincinv(count + 1, runs - count, 1 - tail))
    return low, high


def _inputs(scenario: Scenario, protocol: Any, seed: int) -> Any:
    try:
        seats = protocol.parties()
    except Exception as error:
        raise BadInput(
            f"the protocol cannot seat its parties: {type(error).__name__} {error}"
        ) from error
    asking = sum(seat.size for seat in seats.values() if seat.takes_input)
    return scenario.synthetic(asking, seed).inputs if asking else []
