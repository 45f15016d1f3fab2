"""Finds a scenario by its name in an installed package, or by the path of its file."""

import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from simnet.contract import Protocol
from simnet.errors import BadInput
from simnet.installed import SCENARIOS, contribution, entries, experiment_places, object_at
from simnet.nearest import nearest
from simnet.scenario.from_class import scenario_of_class
from simnet.scenario.scenario import Scenario

# The name and the scenario of each place that `found_already` was told.
_FOUND: dict[str, tuple[str, Scenario]] = {}
_FOLDERS: set[Path] = set()  # the folders of loaded files, which are on the import path


def names() -> dict[str, str]:
    """Return the modules of the scenarios in installed packages, by name in alphabetical order.

    Packages that do not load are left out.
    """
    return {name: modules[0] for name, modules in sorted(_modules().items())}


def _modules() -> dict[str, list[str]]:
    modules: dict[str, list[str]] = {}
    for entry in entries(SCENARIOS):
        try:
            package = contribution(entry)
        except BadInput:
            continue
        for module in pkgutil.iter_modules(package.__path__):
            if not module.ispkg:
                modules.setdefault(module.name, []).append(f"{package.__name__}.{module.name}")
    return modules


def find(place: str) -> tuple[str, Scenario]:
    """Return the name and the scenario that `NAME`, `FILE.py` or `FILE.py:Class` stands for.

    A file defines `SCENARIO`, or one class with `parties()`. Such a class becomes a scenario whose
    settings are the class's parameters. If a file has several such classes, `FILE.py:Class` names
    one. Raises `BadInput` when there is no such scenario.
    """
    if place in _FOUND:
        return _FOUND[place]
    path, colon, class_name = place.partition(".py:")
    if colon or own_file(place) is not None:
        file = Path(f"{path}.py" if colon else place)
        module = load_file(file)
        scenario = getattr(module, "SCENARIO", None)
        if not class_name and isinstance(scenario, Scenario):
            return file.stem, scenario
        return class_name or file.stem, scenario_of_class(_own_class(module, file, class_name))
    known = _modules()
    if place in known:
        module_name, *others = known[place]
        if others:
            raise BadInput(
                f"{place} names {len(others) + 1} scenarios, {' and '.join(known[place])}: rename "
                "one of these modules, or give the path of the file"
            )
        scenario = getattr(object_at(module_name), "SCENARIO", None)
        if not isinstance(scenario, Scenario):
            raise BadInput(f"{place} defines no SCENARIO of type simnet.Scenario")
        return place, scenario
    if place in experiment_places():
        raise BadInput(f"{place} is an experiment: run it with simnet reproduce {place}")
    raise unknown("scenario", place, names())


@contextmanager
def found_already(place: str, found: tuple[str, Scenario]) -> Iterator[None]:
    """Make `find` return this scenario for a place without loading its file again."""
    _FOUND[place] = found
    try:
        yield
    finally:
        del _FOUND[place]


def _own_class(module: ModuleType, file: Path, class_name: str) -> type:
    found = (
        value
        for value in vars(module).values()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and issubclass(value, Protocol)
    )
    protocols = list(dict.fromkeys(found))  # two variables may hold one class
    named = [cls for cls in protocols if cls.__name__ == class_name] if class_name else protocols
    if len(named) != 1:
        listed = ", ".join(cls.__name__ for cls in protocols) or "none"
        counted = f"no SCENARIO of type simnet.Scenario and {len(protocols)} protocols"
        has = f"no protocol {class_name!r}" if class_name else counted
        name_one = f". Name one: {file}:Class" if protocols else ""
        raise BadInput(f"{file} has {has}; classes with `parties` are: {listed}{name_one}")
    return named[0]


def unknown(kind: str, name: str, known: dict[str, str]) -> BadInput:
    """Return the error for an unknown name; it shows the name that was probably meant, or all
    names.
    """
    meant = nearest(name, known)
    if meant is not None:
        return BadInput(
            f"no {kind} is called {name!r}: did you mean {meant}? `simnet list` shows all names"
        )
    return BadInput(
        f"no {kind} is called {name!r}: the names are {', '.join(known)}. A file is given by its "
        "path, which ends in .py"
    )


def own_file(name_or_file: str) -> Path | None:
    """Return the path if the text is the path of a Python file; None for a name."""
    return Path(name_or_file) if name_or_file.endswith(".py") else None


def load_file(path: Path) -> ModuleType:
    """Load a Python file as a module; it may import modules from its own folder.

    Raises `BadInput` when there is no such file, or when it fails to load.
    """
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    from simnet.vault.chamber import before_file  # not for installed scenarios

    before_file()
    spec = importlib.util.spec_from_file_location(f"simnet_scenario_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"{path} cannot be loaded as Python")
    _import_from(path.absolute().parent)
    module = importlib.util.module_from_spec(spec)
    # `dataclasses` looks for the module of a class in this dictionary.
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, BadInput):  # its text already says what is wrong and what to do
            raise BadInput(f"{path}: {error}") from error
        remedy = (
            ": install the package that has it, or set PYTHONPATH to the folder that it lies in"
            if isinstance(error, ModuleNotFoundError)
            else ""
        )
        raise BadInput(f"{path} fails to load: {type(error).__name__}: {error}{remedy}") from error
    return module


def _import_from(folder: Path) -> None:
    """Put the folder first on the import path, as Python does for a script that it runs.

    If a module with the name of a file in this folder was imported from a folder of an earlier
    call, we make Python forget that module; otherwise an import here would give the file of the
    other folder.
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
