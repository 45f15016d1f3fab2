"""What installed packages contribute to simnet: commands, scenarios, experiments, benchmarks and
glossaries.

A package contributes through entry points of the groups below. `simnet list` names contributions
that do not load, with the reason.
"""

import re
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from simnet.errors import BadInput

# The name under which pip installs this package. On PyPI `simnet` is another package.
DISTRIBUTION = "simnet-workbench"
OWN = ("simnet", "protocols", "scenarios")  # its packages

# Starts another Python. With -P, it imports nothing from the current folder, whose files nobody has
# named.
PYTHON = (sys.executable, "-P")

COMMANDS = "simnet.commands"  # each entry is a function, and its name is the name of a command
SCENARIOS = "simnet.scenarios"  # packages whose modules are scenario files
EXPERIMENTS = "simnet.experiments"  # mappings from names to the places of experiments
BENCHMARKS = "simnet.benchmarks"  # sequences of benchmarks
GLOSSARIES = "simnet.glossaries"  # packages with a file glossary.md
GROUPS = (COMMANDS, SCENARIOS, EXPERIMENTS, BENCHMARKS, GLOSSARIES)


def extra_missing(purpose: str, library: str, extra: str) -> str:
    """Return a message that names a missing optional library and says how to install it."""
    command = f"{shlex.quote(sys.executable)} -m pip install '{DISTRIBUTION}[{extra}]'"
    return f"{purpose} needs {library}: {command}"


@cache  # reading the entry points of all distributions takes 10 ms
def all_entries() -> Any:  # in Python 3.11 another class than later
    """Return the entry points of all groups, which have a method `select`."""
    return entry_points()


@cache
def entries(group: str) -> Sequence[EntryPoint]:
    """Return the entry points of a group: those of this distribution first, and then the others, in
    order of name. So others cannot take a name away from this distribution.
    """

    def place(entry: EntryPoint) -> tuple[bool, str]:
        return entry.value.partition(".")[0] not in OWN, entry.name

    return tuple(sorted(all_entries().select(group=group), key=place))


def packages() -> set[str]:
    """Return "simnet" and the names of the top-level packages that contribute something."""
    places = [entry.value for group in GROUPS for entry in entries(group)]
    return {"simnet", *(re.split(r"[.:\s]", place)[0] for place in places)}


def object_at(place: str) -> Any:
    """Return the object at a place such as `package.module:NAME`, or the module if there is no
    name.

    Raises `BadInput` if the module fails to load or lacks the name.
    """
    try:
        return EntryPoint("", place, "").load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # such as `sys.exit`, or a class of the module's own
        why = " ".join(str(error).split())
        raise BadInput(f"{place} fails to load: {type(error).__name__}: {why}") from error


def contribution(entry: EntryPoint) -> Any:
    """Return what an entry point contributes.

    Raises `BadInput` if it does not load, or if it is not what entries of its group are.
    """
    found = object_at(entry.value)
    if entry.group in (SCENARIOS, GLOSSARIES):
        is_right, kind = isinstance(getattr(found, "__path__", None), Iterable), "a package"
    elif entry.group == EXPERIMENTS:
        kind = "a mapping from names to places"
        is_right = isinstance(found, Mapping) and all(
            isinstance(text, str) for item in found.items() for text in item
        )
    elif entry.group == BENCHMARKS:
        kind = "a sequence of benchmarks"
        is_right = isinstance(found, Sequence) and all(
            isinstance(getattr(each, "name", None), str) for each in found
        )
    else:
        is_right, kind = callable(found), "a function"
    if not is_right:
        raise BadInput(f"{entry.value} is no {kind.partition(' ')[2]}: {entry.group} takes {kind}")
    return found


def unloadable(group: str, taken: Iterable[str] = ()) -> dict[str, str]:
    """Return, by name, why entry points of a group cannot be used: because they do not load, or
    because their name is `taken`.
    """
    reasons = {}
    for entry in entries(group):
        try:
            contribution(entry)
        except BadInput as error:
            reasons[entry.name] = str(error)
        if entry.name in taken:
            reasons[entry.name] = f"{entry.value} has the name of another command"
    return reasons


def experiment_places() -> dict[str, str]:
    """Return the place of every contributed experiment, by name, in alphabetical order.

    A *place* is a text such as `package.module:NAME`. A package registers a mapping from names to
    places; a mapping that does not load is left out.
    """
    places_by_name: dict[str, str] = {}
    for entry in entries(EXPERIMENTS):
        try:
            places: Mapping[str, str] = contribution(entry)
        except BadInput:
            continue
        places_by_name = {**places, **places_by_name}
    return dict(sorted(places_by_name.items()))
