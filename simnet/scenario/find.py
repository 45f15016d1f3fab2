"""Finding scenarios: by name among those that installed packages contribute, or by path."""

import importlib.util
import pkgutil
import sys
from pathlib import Path
from types import ModuleType

from simnet.errors import BadInput
from simnet.installed import SCENARIOS, entries, experiment_places, object_at
from simnet.scenario.scenario import Scenario

_FOLDERS: set[Path] = set()  # of scenario and experiment files that were loaded, on the import path


def names() -> dict[str, str]:
    """The module of every contributed scenario by name, in order of it.

    Packages that do not load are left out.
    """
    found = {}
    for entry in entries(SCENARIOS):
        try:
            package = object_at(entry.value)
        except BadInput:
            continue
        for module in pkgutil.iter_modules(package.__path__):
            if not module.ispkg:
                found[module.name] = f"{package.__name__}.{module.name}"
    return dict(sorted(found.items()))


def find(name_or_file: str) -> tuple[str, Scenario]:
    """A scenario and its name. Raises `BadInput` when there is none, or the file defines none."""
    path = own_file(name_or_file)
    if path is not None:
        return path.stem, _scenario(load_file(path), str(path))
    known = names()
    if name_or_file in known:
        return name_or_file, _scenario(object_at(known[name_or_file]), name_or_file)
    if name_or_file in experiment_places():
        raise BadInput(f"{name_or_file} is an experiment: simnet reproduce {name_or_file}")
    raise unknown("scenario", name_or_file, known)


def unknown(kind: str, name: str, known: dict[str, str]) -> BadInput:
    """The error that nothing of this kind has the name."""
    return BadInput(
        f"no {kind} is called {name!r}: there are {', '.join(known)}; a file ends in .py"
    )


def own_file(name_or_file: str) -> Path | None:
    """The file that a scenario or an experiment is named by; None for a contributed name."""
    return Path(name_or_file) if name_or_file.endswith(".py") else None


def load_file(path: Path) -> ModuleType:
    """A Python file as a module, which may import what lies beside it.

    Raises `BadInput` when there is none or it fails to load.
    """
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(f"simnet_scenario_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} cannot be loaded as Python")
    _import_from(path.absolute().parent)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise BadInput(f"{path} fails to load: {type(error).__name__}: {error}") from error
    return module


def _import_from(folder: Path) -> None:
    """Put the folder first on the import path, as Python does for a script that it runs.

    Two folders may both have a `helper.py`. What was imported from beside another file is forgotten
    where a module of the same name lies here, so that one is not taken for the other.
    """
    here = {path.stem for path in folder.glob("*.py")}
    for name in here & sys.modules.keys():
        file = getattr(sys.modules[name], "__file__", None)
        if file is not None and Path(file).parent in _FOLDERS - {folder}:
            del sys.modules[name]
    if str(folder) in sys.path:
        sys.path.remove(str(folder))
    sys.path.insert(0, str(folder))
    _FOLDERS.add(folder)


def _scenario(module: ModuleType, source: str) -> Scenario:
    scenario = getattr(module, "SCENARIO", None)
    if not isinstance(scenario, Scenario):
        raise BadInput(f"{source} defines no SCENARIO of type simnet.Scenario")
    return scenario
