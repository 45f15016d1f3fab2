"""Find experiments: by name in installed packages, or by the path of a file."""

from functools import lru_cache

from simnet.errors import BadInput
from simnet.installed import experiment_places, object_at
from simnet.scenario.find import load_file, own_file, unknown
from simnet.studies.experiment import Experiment


def names() -> list[str]:
    """Return the names of the experiments in installed packages."""
    return list(experiment_places())


@lru_cache  # a worker calls this function for every chunk
def find_experiment(name_or_file: str) -> tuple[str, Experiment]:
    """Return an experiment and its name.

    Raises `BadInput` if nothing has this name, if the file or the package does not load, and if the
    object found is not an experiment.
    """
    path = own_file(name_or_file)
    if path is not None:
        found = getattr(load_file(path), "EXPERIMENT", None)
        return path.stem, _experiment(found, f"{path} defines no EXPERIMENT")
    known = experiment_places()
    if name_or_file not in known:
        raise unknown("experiment", name_or_file, known)
    place = known[name_or_file]
    return name_or_file, _experiment(object_at(place), f"{place} is no experiment")


def module_of(name_or_file: str) -> str:
    """Return the module that a worker should import before it runs an experiment."""
    return experiment_places().get(name_or_file, __name__).partition(":")[0]


def _experiment(found: object, otherwise: str) -> Experiment:
    if not isinstance(found, Experiment):
        raise BadInput(f"{otherwise} of type simnet.Experiment")
    return found
