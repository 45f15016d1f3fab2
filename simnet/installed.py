"""What installed packages contribute to simnet: commands, scenarios, experiments, benchmarks and
glossaries.

A package contributes through entry points of the groups below. `simnet list` names contributions
that do not load, with the reason.
"""

import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from simnet.errors import BadInput

# The name under which pip installs this package. On PyPI `simnet` is another package.
DISTRIBUTION = "simnet-workbench"

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
def entries(group: str) -> Sequence[EntryPoint]:
    """Return the entry points of a group, in order of name."""
    return tuple(sorted(entry_points(group=group), key=lambda entry: entry.name))


def packages() -> set[str]:
    """Return "simnet" and the names of the top-level packages that contribute something."""
    modules = [entry.module for group in GROUPS for entry in entries(group)]
    return {"simnet", *(module.partition(".")[0] for module in modules)}


def object_at(place: str) -> Any:
    """Return the object at a place such as `package.module:NAME`, or the module if there is no
    name.

    Raises `BadInput` if the module fails to load or lacks the name.
    """
    try:
        return EntryPoint("", place, "").load()
    except (Exception, SystemExit) as error:
        why = " ".join(str(error).split())
        raise BadInput(f"{place} fails to load: {type(error).__name__}: {why}") from error


def unloadable(group: str) -> dict[str, str]:
    """Return, by name, why entry points of a group cannot be loaded."""
    reasons = {}
    for entry in entries(group):
        try:
            object_at(entry.value)
        except BadInput as error:
            reasons[entry.name] = str(error)
    return reasons


def experiment_places() -> dict[str, str]:
    """Return the place of every contributed experiment, by name, in alphabetical order.

    A *place* is a text such as `package.module:NAME`. A package registers a mapping from names to
    places; a mapping that does not load is left out.
    """
    places_by_name: dict[str, str] = {}
    for entry in entries(EXPERIMENTS):
        try:
            places: Mapping[str, str] = object_at(entry.value)
        except BadInput:
            continue
        places_by_name |= places
    return dict(sorted(places_by_name.items()))
