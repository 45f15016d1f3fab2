"""Finding scenarios: by name among those that installed packages register, or by path."""

import importlib
import importlib.util
import pkgutil
import sys
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from simnet.errors import BadInput
from simnet.study.scenario import Scenario

GROUP = "simnet.scenarios"  # entry points of this group name packages whose modules are scenario files


def names() -> dict[str, str]:
    """The module of every registered scenario, by name, in order of name."""
    found = {}
    for entry in entry_points(group=GROUP):
        package = entry.load()
        for module in pkgutil.iter_modules(package.__path__):
            found[module.name] = f"{package.__name__}.{module.name}"
    return dict(sorted(found.items()))


def find(name_or_file: str) -> tuple[str, Scenario]:
    """A scenario and its name. Raises `BadInput` when there is none, or the file defines none."""
    if name_or_file.endswith(".py"):
        path = Path(name_or_file)
        return path.stem, _scenario(load_file(path), str(path))
    known = names()
    if name_or_file not in known:
        raise BadInput(f"no scenario is called {name_or_file!r}: there are {', '.join(known)}; a file ends in .py")
    return name_or_file, _scenario(importlib.import_module(known[name_or_file]), name_or_file)


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


def _scenario(module: ModuleType, source: str) -> Scenario:
    scenario = getattr(module, "SCENARIO", None)
    if not isinstance(scenario, Scenario):
        raise BadInput(f"{source} defines no SCENARIO of type simnet.Scenario")
    return scenario
