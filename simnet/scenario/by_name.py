"""Scenarios for people who work in Python: find one by name, and perform it with data and settings.

A call gives the result of the command with equal settings::

    simnet run dpds --users 50 --items 3 --seed 1      perform("dpds", users=50, items=3, seed=1)
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs

from simnet.arrays import Numbers
from simnet.contract import Protocol
from simnet.errors import BadInput
from simnet.network.network import Network
from simnet.network.toml_file import network_named
from simnet.scenario import find as finding
from simnet.scenario import perform as performing
from simnet.scenario import plain
from simnet.scenario.columns import MISSING, Column
from simnet.scenario.drops import lacks_estimate
from simnet.scenario.from_class import scenario_of_class
from simnet.scenario.from_columns import items_of_column, numbers_of_column
from simnet.scenario.numbered import numbering_in_words, own_inputs
from simnet.scenario.perform import Performance, synthetic
from simnet.scenario.plain import PlainRun
from simnet.scenario.population import IntegerPopulation, ItemPopulation, Population
from simnet.scenario.scenario import NONE, Scenario

People = Population | Column | Sequence[Any] | Numbers


def find(place: str, **settings: Any) -> Scenario:
    """Return the scenario that a name, `FILE.py` or `FILE.py:Class` stands for.

    `settings` replace the values of the scenario's settings. Raises `BadInput` for a name that no
    scenario has, and for a setting that is unknown or has a value of the wrong type.

    >>> find("dpds", users=50).settings()["users"]
    50
    """
    return finding.find(place)[1].with_settings(_as_text(settings))


def perform(
    what: str | Scenario | Protocol | type,
    /,
    *,
    data: People | None = None,
    seed: int = 0,
    claims: bool = True,
    at_epsilon: float | None = None,
    at_delta: float | None = None,
    name: str | None = None,
    observe: Iterable[str] = (),
    progress: Callable[[int], None] | None = None,
    drop: str | Sequence[str] = (),
    network: Network | str | None = None,
    **settings: Any,
) -> Performance | PlainRun:
    """Run a scenario once and return its result, as `simnet run` shows it.

    Parameters
    ----------
    what
        The name of a scenario, the path of a file with one, a `Scenario`, or a protocol of your own
        (the class or an object). If nothing compares the protocol's estimate with the truth, the
        result is a `PlainRun`.
    data
        What the users hold: a list or an array with one item or number for each user, a column of a
        file (`read_column`), or a population. Without data, users are made up from the seed. If
        no estimate is compared with the truth, a list is handed to the parties as it is.
    seed
        The seed of the run's random numbers.
    claims
        Whether the scenario's claims about coalitions are judged.
    at_epsilon, at_delta
        State the δ at this ε, and the ε at this δ, if the protocol can. By default the protocol
        chooses the numbers.
    name
        What the result is called. By default this is the name of the scenario or of its file or,
        for a class, a protocol or a `Scenario`, the name of the protocol's class or function.
    observe
        Names of parties whose messages are kept one by one in `result.run`.
    progress
        A function that is called whenever a block of field elements has been added to sums, with
        the number of these elements.
    drop
        Who drops out, as texts of `simnet run --drop`, such as "0.1" or "u3@masked". The
        result is a `PlainRun` if the run was aborted, or if the party that returns the estimate
        dropped out.
    network
        The network that decides deadlines, its name, or the name of its TOML file; a protocol
        without deadlines needs none.
    settings
        Settings of the scenario, such as `users=100` or `participation=0.2`. With data, `users`
        is how many of the users are drawn, unless the data are handed to the parties as they are.
        For a list or a column of items, `items=N` says that the items are 1..N.

    Raises `BadInput` for settings or data that do not fit, and for a run above the
    limits (see `limited`). A script
    may refuse data only when it runs; then `ScriptError` is raised.

    >>> result = perform("dpds", data=["tea", "milk", "tea", "tea"], participation=0.5, seed=1)
    >>> result.labels
    ('milk', 'tea')
    >>> [row.holds for row in result.adversaries][:2]
    [True, True]
    """
    own_name, scenario = _found(what)
    drop = [drop] if isinstance(drop, str) else drop
    network = network_named(network) if isinstance(network, str) else network
    chosen = scenario.with_settings(_as_text(settings, data))
    called = own_name if name is None else name
    is_drawn = data is None
    if not _assesses(scenario, chosen, data):
        numbering = None
        if isinstance(data, Population | Column):
            people = _people(chosen, data, settings, seed)
            if isinstance(people, ItemPopulation) and isinstance(data, Column):
                people = own_inputs(
                    chosen,
                    people,
                    is_declared="items" in settings,
                    declare="Name the items with `items=N` if they are the numbers 1 to N",
                    give="give the inputs themselves as a list",
                )
            if isinstance(people, ItemPopulation | IntegerPopulation):
                numbering = numbering_in_words(people)
            chosen, data = chosen.fitted(people), people.inputs
        else:
            chosen = scenario.with_settings(_as_text(settings))
        played = plain.play(
            called,
            chosen,
            seed,
            data,
            observe=observe,
            progress=progress,
            epsilon=at_epsilon,
            delta=at_delta,
            drop=drop,
            network=network,
        )
        played = attrs.evolve(played, is_drawn=is_drawn, numbering=numbering)
        return played.judged() if claims else played
    on = performing.play_on(
        chosen,
        _people(chosen, data, settings, seed),
        seed,
        observe=observe,
        progress=progress,
        drop=drop,
        network=network,
    )
    if lacks_estimate(on.run, on.about):
        aborted = PlainRun(
            name=called, scenario=chosen, run=on.run, about=on.about, is_drawn=is_drawn
        )
        return aborted.judged() if claims else aborted
    performed = performing.assessed(called, chosen, on, at_epsilon, at_delta)
    result = attrs.evolve(performed, is_drawn=is_drawn)
    return result.judged() if claims else result


def _assesses(scenario: Scenario, chosen: Scenario, data: People | None) -> bool:
    """Return whether the protocol compares its estimate with the truth.

    Without a population we ask the protocol with its default settings, because the chosen
    settings, such as the name of a column, may fit only the data.
    """
    if scenario.about is None or not isinstance(data, Population):
        return scenario.assesses
    return chosen.described(chosen.build_for(data)).assess is not None


def _found(what: str | Scenario | Protocol | type) -> tuple[str, Scenario]:
    if isinstance(what, str):
        return finding.find(what)
    if isinstance(what, Scenario):
        made = what.protocol if isinstance(what.protocol, type) else type(what.protocol)
        return getattr(what.protocol, "__name__", made.__name__), what
    if isinstance(what, type):
        return what.__name__, scenario_of_class(what)
    if not isinstance(what, Protocol):
        raise BadInput(
            f"{what!r} is neither the name of a scenario, nor a Scenario, nor a protocol: a "
            "protocol has a method parties()"
        )
    protocol = what
    users = sum(seat.size for seat in protocol.parties().values() if seat.takes_input)
    return type(what).__name__, Scenario(
        summary=type(what).__name__,
        protocol=lambda: protocol,
        parameters={},
        sizes=(),
        users=users,
        items=getattr(protocol, "items", 2),
    )


def _people(
    scenario: Scenario, data: People | None, settings: dict[str, Any], seed: int
) -> Population:
    if data is None:
        return synthetic(scenario, None, seed)
    people = data if isinstance(data, Population) else _from_column(scenario, data, settings)
    return people.sample(scenario.users, seed) if "users" in settings else people


def _from_column(
    scenario: Scenario, data: Column | Sequence[Any] | Numbers, settings: dict[str, Any]
) -> Population:
    if scenario.data == "table":
        raise BadInput(
            "the users of this scenario hold rows of a table: read them with `simnet run --input "
            "FILE --numeric ... --categorical ...`, or give no data and let them be made up"
        )
    if isinstance(data, Column):
        column = data
    else:
        texts = ["" if value is None else str(value) for value in data]
        column = Column.of("data", "a list", texts)
        column.refuse(
            lambda text: text.lower() in MISSING,
            lambda text: f"has no value ({text!r}): fill it in or leave it out",
        )
    if scenario.on_values:
        numbers = numbers_of_column(column, *scenario.range, "low=... and high=...")
        return numbers if isinstance(data, Column) else attrs.evolve(numbers, source="a list")
    items = settings.get("items")
    domain = None if items is None else [str(item) for item in range(1, items + 1)]
    if domain is None and scenario.has_none and NONE in column.labels:
        # The last item means "none of the other items".
        domain = [*sorted(set(column.labels) - {NONE}), NONE]
    people = items_of_column(column, domain)
    scenario.refuse_unnamed_none(people.labels)
    return people if isinstance(data, Column) else attrs.evolve(people, source="a list")


def _as_text(settings: dict[str, Any], data: object = None) -> dict[str, str]:
    """Return settings as texts, without `items` if there are data, which have items of their
    own.
    """
    of_data = {"items"} if data is not None else set[str]()
    return {name: str(value) for name, value in settings.items() if name not in of_data}
