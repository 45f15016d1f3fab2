"""Finding experiments: by name among those that installed packages register, or by path."""

from functools import lru_cache

from simnet.errors import BadInput
from simnet.scenario.find import EXPERIMENTS, load_file, names, own_file, registered
from simnet.studies.experiment import Experiment


@lru_cache  # workers ask for every chunk
def find_experiment(name_or_file: str) -> tuple[str, Experiment]:
    """An experiment and its name.

    Raises `BadInput` when there is none, or the file defines none.
    """
    path = own_file(name_or_file)
    if path is None:
        module = registered("experiment", name_or_file, EXPERIMENTS)
    else:
        module = load_file(path)
    experiment = getattr(module, "EXPERIMENT", None)
    if not isinstance(experiment, Experiment):
        raise BadInput(f"{name_or_file} defines no EXPERIMENT of type simnet.Experiment")
    return name_or_file if path is None else path.stem, experiment


def module_of(name_or_file: str) -> str:
    """The module that a worker should have loaded to run an experiment.

    It is the experiment's own, or for a file the package's.
    """
    return names(EXPERIMENTS).get(name_or_file, __name__)
