"""Finding scenarios: by name among those that installed packages register, or by path."""

import importlib
import importlib.util
import pkgutil
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from simnet.errors import BadInput
from simnet.scenario.scenario import Scenario

# Entry points of these groups name packages whose modules are scenario files,
SCENARIOS = "simnet.scenarios"
EXPERIMENTS = "simnet.experiments"  # or experiment files


def names(group: str = SCENARIOS) -> dict[str, str]:
    """The module of every registered scenario, or experiment, by name, in order of name."""
    found = {}
    for entry in entry_points(group=group):
        package = entry.load()
        for module in pkgutil.iter_modules(package.__path__):
            if not module.ispkg:
                found[module.name] = f"{package.__name__}.{module.name}"
    return dict(sorted(found.items()))


def find(name_or_file: str) -> tuple[str, Scenario]:
    """A scenario and its name. Raises `BadInput` when there is none, or the file defines none."""
    path = own_file(name_or_file)
    if path is not None:
        return path.stem, _scenario(load_file(path), str(path))
    if name_or_file not in names() and name_or_file in names(EXPERIMENTS):
        raise BadInput(f"{name_or_file} is an experiment: simnet reproduce {name_or_file}")
    return name_or_file, _scenario(registered("scenario", name_or_file, SCENARIOS), name_or_file)


def own_file(name_or_file: str) -> Path | None:
    """The file that a scenario or an experiment is named by; None for a registered name."""
    return Path(name_or_file) if name_or_file.endswith(".py") else None


def load_file(path: Path) -> ModuleType:
    """A Python file as a module. Raises `BadInput` when there is none or it fails to load."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"simnet_scenario_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} cannot be loaded as Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{path} fails to load: {type(error).__name__}: {error}") from error
    return module


def registered(kind: str, name: str, group: str) -> ModuleType:
    """The module that is registered under a name. Raises `BadInput` when there is none."""
    known = names(group)
    if name not in known:
        raise BadInput(
            f"no {kind} is called {name!r}: there are {', '.join(known)}; a file ends in .py"
        )
    return importlib.import_module(known[name])


def _scenario(module: ModuleType, source: str) -> Scenario:
    scenario = getattr(module, "SCENARIO", None)
    if not isinstance(scenario, Scenario):
        raise BadInput(f"{source} defines no SCENARIO of type simnet.Scenario")
    return scenario
