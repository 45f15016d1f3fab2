"""What `simnet sweep` and `simnet reproduce` share.

Which experiments are asked for, where their trials run, and where results are kept.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from cyclopts import Parameter

from simnet.cli.options import Settings, settings_of
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
    """How an experiment is run."""

    set_: Settings = None
    (
        "Values of a parameter, with commas between them: `--set epsilon=0.2,0.4`. May be given "
        "several times."
    )
    trials: int | None = None
    "So many trials at every point of the grid."
    quick: bool = False
    "Fewer points and fewer trials."
    workers: int | None = None
    "So many local processes; by default one a processor."
    cluster: str | None = None
    (
        "Run on the Dask cluster whose scheduler has this address, such as `tcp://host:8786`, and "
        "not here."
    )
    store: Path | None = None
    "The file of results; by default simnet/results.jsonl in the user's folder for state."
    data: Path | None = None
    "A folder with the real data; without one, people are made up, and labelled so."

    make_up_missing: bool = False
    (
        "Make people up for an experiment whose files the folder of data lacks, labelled so, in "
        "place of refusing it."
    )

    def studies(self, origins: Sequence[str]) -> "list[Study]":
        """The experiments of these names or files, as the options change them.

        Raises `BadInput` when the folder of data lacks files, unless people are to be made up for
        those.
        """
        from simnet.studies.missing import complete

        return complete([self.study(origin) for origin in origins], self.make_up_missing)

    def study(self, origin: str) -> "Study":
        """The experiment of that name or file, as the options change it."""
        from simnet.studies.sweep import Study

        study = Study.of(origin, self.folder())
        experiment = study.experiment.quickly() if self.quick else study.experiment
        experiment = experiment.with_settings(settings_of(self.set_)).with_trials(self.trials)
        return attrs.evolve(study, experiment=experiment)

    def folder(self) -> Path | None:
        """The folder of data. Raises `BadInput` when there is none."""
        if self.data is not None and not self.data.is_dir():
            raise BadInput(f"--data takes a folder, and there is no folder {self.data}")
        return self.data

    def open_store(self) -> "Store":
        """The store of results, without damaged lines: standard error says if there were any."""
        from simnet.studies.store import Store, default_store

        store = Store(self.store or default_store())
        if store.damaged:
            tell(f"{damage_in_words(store)}, and taken out: lost trials are run again")
        return store

    @contextlib.contextmanager
    def executor(self, studies: Sequence["Study"]) -> Iterator[tuple["Executor", int]]:
        """Where trials run, and how many at once."""
        from simnet.studies.executors import dask_cluster, local_processes
        from simnet.studies.find import module_of

        if self.cluster is not None and self.workers is not None:
            raise BadInput(
                "--workers counts local processes, and --cluster has workers of its own: give one "
                "of them"
            )
        if self.cluster is not None:
            place = dask_cluster(self.cluster, tell)
        else:
            place = local_processes(self.workers, [module_of(study.origin) for study in studies])
        with place as (executor, slots):
            yield executor, slots


def damage_in_words(store: "Store") -> str:
    """How many lines of a store are damaged."""
    many = store.damaged != 1
    return (
        f"{store.damaged:,} line{'s' if many else ''} of {store.path} "
        f"{'were' if many else 'was'} damaged or unfinished"
    )


def run_study(study: "Study", store: "Store", executor: "Executor", slots: int) -> "SweepCounts":
    """Sweep with a progress bar.

    An interrupt says what is kept, errors of trials go to standard error.
    """
    from simnet.cli.progress import progress_bar
    from simnet.studies.sweep import sweep

    total = len(study.experiment.points()) * study.experiment.trials
    try:
        with progress_bar(study.name, total, "trials") as progress:
            tally = sweep(study, store, executor, slots, progress, tell)
    except KeyboardInterrupt:
        jobs = list(study.experiment.jobs(study.name))
        there = len(jobs) - len(store.lacks(study.name, study.versions, jobs))
        tell(f"{there:,} trials of {study.name} are kept; the same command goes on from there")
        raise
    for error in tally.errors[:ERRORS_SHOWN]:
        tell(f"{study.name}: {error}")
    if tally.failed > ERRORS_SHOWN:
        tell(f"{study.name}: and {tally.failed - ERRORS_SHOWN:,} more trials failed")
    return tally
