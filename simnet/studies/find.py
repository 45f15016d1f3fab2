"""Finding experiments: by name among those that installed packages contribute, or by path."""

from functools import lru_cache

from simnet.errors import BadInput
from simnet.installed import experiment_places, object_at
from simnet.scenario.find import load_file, own_file, unknown
from simnet.studies.experiment import Experiment


def names() -> list[str]:
    """The names of all contributed experiments, in order."""
    return list(experiment_places())


@lru_cache  # workers ask for every chunk
def find_experiment(name_or_file: str) -> tuple[str, Experiment]:
    """An experiment and its name.

    Raises `BadInput` when there is none, or what is at its place is none.
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
    """The module that a worker should have loaded to run an experiment.

    It is the one of the experiment's record, or for a file this one.
    """
    return experiment_places().get(name_or_file, __name__).partition(":")[0]


def _experiment(found: object, otherwise: str) -> Experiment:
    if not isinstance(found, Experiment):
        raise BadInput(f"{otherwise} of type simnet.Experiment")
    return found
