"""The options and steps that `simnet sweep` and `simnet reproduce` share."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from cyclopts import Parameter

from simnet.cli.options import Networks, Settings, settings_of
from simnet.cli.tell import tell
from simnet.errors import BadInput

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from simnet.studies.store import Store
    from simnet.studies.sweep import Study, SweepCounts

ERRORS_SHOWN = 5


@Parameter(name="*")
@attrs.frozen
class StudyOptions:
    """The options that say how an experiment is run."""

    set_: Settings = None
    (
        "Replace the values of a parameter: `--set epsilon=0.2,0.4`. You can give this option "
        "several times."
    )
    network: Networks = None
    (
        "Say how long the runs take on this network: a name (see `simnet network`) or a TOML file. "
        "You can give this option several times; each network has trials of its own."
    )
    trials: int | None = None
    "The number of trials at every point of the grid."
    quick: bool = False
    "Run only the points and trials that each experiment has for a first look."
    workers: int | None = None
    (
        "The number of local processes. Without this option, and without --cluster, there is one "
        "for each processor."
    )
    cluster: str | None = None
    (
        "Run the trials on the Dask cluster whose scheduler has this address, such as "
        "`tcp://host:8786`."
    )
    store: Path | None = None
    (
        "The file that keeps the results. Without this option it is simnet/results.jsonl in the "
        "folder $XDG_STATE_HOME, or in ~/.local/state if this variable is not set."
    )
    data: Path | None = None
    (
        "The folder with the real data. Without this option, an experiment that can read such data "
        "makes people up, and says so."
    )

    make_up_missing: bool = False
    (
        "If the folder of data lacks the files of an experiment, make people up, and label them "
        "so. Without this option the command is refused."
    )

    def studies(self, origins: Sequence[str]) -> "list[Study]":
        """Return the experiments with these names or files, changed as the options say.

        Raises `BadInput` as `study` does, and when the folder of data lacks files, unless
        `make_up_missing` is set.
        """
        from simnet.studies.missing import complete

        return complete([self.study(origin) for origin in origins], self.make_up_missing)

    def study(self, origin: str) -> "Study":
        """Return the experiment with this name or file, changed as the options say.

        Raises `BadInput` if there is no such experiment or no such folder of data, or if an option
        does not fit the experiment.
        """
        from simnet.studies.experiment import NETWORK
        from simnet.studies.sweep import Study

        study = Study.of(origin, self.folder())
        experiment = study.experiment.quickly() if self.quick else study.experiment
        settings = dict(settings_of(self.set_))
        if self.network:
            if not experiment.takes_network:
                raise BadInput(f"{study.name} has no measure for --network: leave it out")
            settings[NETWORK] = ",".join(self.network)
        experiment = experiment.with_settings(settings).with_trials(self.trials)
        return attrs.evolve(study, experiment=experiment)

    def folder(self) -> Path | None:
        """Return the folder of data, or None. Raises `BadInput` when the folder does not exist."""
        if self.data is not None and not self.data.is_dir():
            raise BadInput(f"--data takes a folder, and there is no folder {self.data}")
        return self.data

    def open_store(self) -> "Store":
        """Open the store of results and take damaged lines out. If there are such lines, say on
        standard error how many.
        """
        from simnet.studies.store import Store, default_store

        store = Store(self.store or default_store())
        if store.damaged:
            tell(
                f"{damage_in_words(store)}, and taken out: a sweep of "
                "their experiment runs the lost trials again"
            )
        return store

    @contextlib.contextmanager
    def executor(self, studies: Sequence["Study"]) -> Iterator[tuple["Executor", int]]:
        """Yield the executor that runs the trials, and the number of trials that it runs at once.
        Raises `BadInput` for options that do not fit together.
        """
        from simnet.studies.executors import dask_cluster, local_processes
        from simnet.studies.find import module_of

        if self.cluster is not None and self.workers is not None:
            raise BadInput(
                "--workers is the number of local processes, and a --cluster has its own workers: "
                "give only one of them"
            )
        if self.cluster is not None:
            place = dask_cluster(self.cluster, tell)
        else:
            place = local_processes(self.workers, [module_of(study.origin) for study in studies])
        with place as (executor, slots):
            yield executor, slots


def damage_in_words(store: "Store") -> str:
    """Return words that say how many lines of a store are damaged."""
    many = store.damaged != 1
    return (
        f"{store.damaged:,} line{'s' if many else ''} of {store.path} "
        f"{'were' if many else 'was'} damaged or unfinished"
    )


def run_study(study: "Study", store: "Store", executor: "Executor", slots: int) -> "SweepCounts":
    """Run the trials that the store lacks, with a progress bar."""
    from simnet.cli.progress import progress_bar
    from simnet.cli.reproduce import counted
    from simnet.studies.sweep import sweep

    total = len(study.experiment.points()) * study.experiment.trials
    try:
        with progress_bar(study.name, total, "trials") as progress:
            tally = sweep(study, store, executor, slots, progress, tell)
    except KeyboardInterrupt:
        jobs = list(study.experiment.jobs(study.name))
        there = len(jobs) - len(store.lacks(study.name, study.versions, jobs))
        tell(
            f"interrupted: the store has {counted(there)} of {study.name}; the same command goes "
            "on from "
            "there"
        )
        raise
    for error in tally.errors[:ERRORS_SHOWN]:
        tell(f"{study.name}: {error}")
    if tally.failed > ERRORS_SHOWN:
        more = tally.failed - ERRORS_SHOWN
        tell(f"{study.name}: {more:,} more trial{'' if more == 1 else 's'} failed")
    return tally
