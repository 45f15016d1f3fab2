"""Sweeps: run the trials that a store does not have yet, on a `concurrent.futures` executor.

Trials travel to the workers in chunks, and the results of a chunk are committed to the store when
they come back. A chunk contains no code. So the worker needs the same code as this process, and it
checks that its code has the version that the chunk names.
"""

import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from pathlib import Path
from typing import Any

import attrs

from simnet.errors import BadInput
from simnet.kernel.limits import Limits, limited, limits
from simnet.scenario.find import own_file
from simnet.studies.executors import GONE
from simnet.studies.experiment import Experiment, Job, seed_of
from simnet.studies.find import find_experiment
from simnet.studies.outcome import Failed, failure, outcome
from simnet.studies.store import Result, Store, Versions
from simnet.studies.version import code_version, data_version

CHUNK = 0.25  # a chunk has trials for about so many seconds, and at least one trial
KILLER = "it ended its process each time it was run: a crash, a call of os._exit, or no memory left"
SUSPECTS = (
    "a worker process ended abruptly, perhaps for want of memory: the trials that were under way "
    "are run again one by one"
)
AHEAD = 2  # the number of chunks submitted for each slot, so that no slot has to wait


@attrs.frozen(eq=False)
class Study:
    """An experiment that was found by its name or in a file, with the folder of its data.

    `origin` is this name or file.
    """

    name: str
    origin: str
    experiment: Experiment
    data: Path | None = None

    @classmethod
    def of(cls, origin: str, data: Path | None = None) -> "Study":
        """Return the study with this name or in this file.

        Raises `BadInput` if no such experiment exists.
        """
        path = own_file(origin)
        # Workers have working folders of their own, so they need the absolute path.
        origin = origin if path is None else str(path.absolute())
        name, experiment = find_experiment(origin)
        return cls(name, origin, experiment, None if data is None else data.absolute())

    @property
    def versions(self) -> Versions:
        """Return the versions of the code and of the data.

        Raises `BadInput` if a data file is missing.
        """
        return versions_of(self.origin, self.experiment, self.data)


def versions_of(origin: str, experiment: Experiment, data: Path | None) -> Versions:
    """Return the versions of the code and the data that an experiment's results would have now."""
    return Versions(
        code_version(experiment.trial, own_file(origin), experiment.paired),
        data_version(data, experiment.files),
    )


@attrs.frozen
class Chunk:
    """Trials that travel together to a worker, with the limits for their runs."""

    origin: str
    data: Path | None
    versions: Versions
    jobs: tuple[Job, ...]
    limits: Limits = attrs.field(factory=Limits)


@attrs.define
class SweepCounts:
    """How many trials a sweep finished, how many of these were aborted; how many other trials
    failed, and how many were in the store already.
    """

    done: int = 0
    aborted: int = 0
    failed: int = 0
    skipped: int = 0
    errors: list[str] = attrs.field(factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the counts for JSON."""
        return attrs.asdict(self)


def run_chunk(chunk: Chunk) -> list[Result | Failed]:
    """Run the trials of a chunk, in this process.

    Raises `BadInput` if this process has other code or data than the chunk names, or if the data
    change during the run.
    """
    _, experiment = find_experiment(chunk.origin)
    here = versions_of(chunk.origin, experiment, chunk.data)
    if here != chunk.versions:
        what = "code" if here.code != chunk.versions.code else "data"
        raise BadInput(
            f"a worker has another version of the {what}: repeat the command; a worker on another "
            f"machine needs the same {what} first, and a new start"
        )
    with limited(**attrs.asdict(chunk.limits)):
        outcomes = [outcome(experiment, job, chunk.data) for job in chunk.jobs]
    if data_version(chunk.data, experiment.files) != chunk.versions.data:
        raise BadInput(
            "the data changed while trials ran: no result of these trials was kept; repeat the "
            "command"
        )
    return outcomes


def _silent(_: Any) -> None:
    """Ignore a message."""


def sweep(
    study: Study,
    store: Store,
    executor: Executor,
    slots: int,
    progress: Callable[[int], None] = _silent,
    say: Callable[[str], None] = _silent,
) -> SweepCounts:
    """Run the trials that the store does not have, and commit their results.

    `slots` is the number of trials that the executor runs at once. `progress` is called with the
    number of trials that ended or were skipped since its last call, and `say` with sentences for
    the person who waits. If a trial fails, it is counted, and the others go on. If a worker process
    ends abruptly, the trials that were under way are run again one by one. A trial that keeps
    ending its process has failed.

    Raises `BadInput` if the executor or the store breaks, if a worker has other code or data than
    this process, or if the store has lost results. Then, and on an interrupt, the trials that are
    left are cancelled.
    """
    going = _Sweep(study, store, executor, slots, progress, say)
    try:
        going.go()
    finally:
        going.stop()
    store.confirm()
    return going.tally


class _Sweep:
    """A sweep at work: waiting jobs, chunks that workers have, and suspects.

    A suspect is a job that was under way when a worker process ended abruptly, so this job may be
    the cause. Suspects run alone, one after another, before all other jobs.
    """

    def __init__(
        self,
        study: Study,
        store: Store,
        executor: Executor,
        slots: int,
        progress: Callable[[int], None],
        say: Callable[[str], None],
    ) -> None:
        self.study, self.store, self.executor, self.slots = study, store, executor, slots
        self.progress, self.say = progress, say
        self.versions = study.versions
        self.tally = SweepCounts()
        self.waiting = deque(self._missing())
        self.suspects: deque[Job] = deque()
        self.blamed: Job | None = None  # the suspect whose process ended again while it ran alone
        self.flying: dict[Future[list[Result | Failed]], Chunk] = {}
        self.pace = CHUNK  # the number of seconds that a trial of the latest chunk took

    def _missing(self) -> list[Job]:
        """Return the jobs that the store does not have, in an order that differs between processes.

        So two sweeps of the same jobs seldom run the same job at the same time.
        """
        jobs = list(self.study.experiment.jobs(self.study.name))
        missing = self.store.lacks(self.study.name, self.versions, jobs)
        self._settle(skipped=len(jobs) - len(missing))
        mine = f"order of {os.getpid()}"
        return sorted(missing, key=lambda job: seed_of(mine, job.parameters, job.trial))

    def go(self) -> None:
        while self.suspects or self.waiting or self.flying:
            if self.suspects and not self.flying:
                # The job stays a suspect until its result has come back.
                self._submit([self.suspects[0]])
            while not self.suspects and self.waiting and len(self.flying) < AHEAD * self.slots:
                self._launch()
            landed, _ = wait(self.flying, return_when=FIRST_COMPLETED)
            for future in landed:
                self._keep(future)

    def stop(self) -> None:
        for future in self.flying:
            future.cancel()
        for future in [
            one
            for one in self.flying
            if one.done() and not one.cancelled() and one.exception() is None
        ]:
            self._keep(future)

    def _launch(self) -> None:
        fair = len(self.waiting) // (2 * AHEAD * self.slots)
        size = max(1, min(round(CHUNK / max(self.pace, 1e-6)), fair))
        jobs = [self.waiting.popleft() for _ in range(min(size, len(self.waiting)))]
        missing = self.store.lacks(self.study.name, self.versions, jobs)
        self._settle(skipped=len(jobs) - len(missing))
        if missing:
            self._submit(missing)

    def _submit(self, jobs: Sequence[Job]) -> None:
        study = self.study
        chunk = Chunk(study.origin, study.data, self.versions, tuple(jobs), limits.get())
        try:
            future = self.executor.submit(run_chunk, chunk)
        except BadInput:
            raise
        except Exception as error:
            raise BadInput(
                f"no more trials can be given to workers ({type(error).__name__}: {error}): "
                "committed results are kept; repeat the command to go on"
            ) from error
        self.flying[future] = chunk

    def _keep(self, future: Future[list[Result | Failed]]) -> None:
        jobs = self.flying[future].jobs
        alone = bool(self.suspects) and jobs == (self.suspects[0],)
        outcomes = self._outcomes(future, jobs, alone)
        results = [one for one in outcomes if isinstance(one, Result)]
        failures = [one for one in outcomes if isinstance(one, Failed)]
        added = self.store.add(self.study.name, self.versions, results)
        self.tally.aborted += sum(1 for one in results if one.aborts)
        del self.flying[future]
        if alone and outcomes:
            self.suspects.popleft()
        if results:
            self.pace = sum(one.seconds for one in results) / len(results)
        self._settle(added, len(results) - added, failures)

    def _outcomes(
        self, future: Future[list[Result | Failed]], jobs: Sequence[Job], alone: bool
    ) -> list[Result | Failed]:
        try:
            return future.result()
        except (BadInput, KeyboardInterrupt):
            raise
        except BaseException as error:  # an error that the worker could not catch itself
            # Dask's own classes are told by their names, since Dask may not be installed.
            kind = type(error).__name__
            if isinstance(error, CancelledError) or kind == "FutureCancelledError":
                raise BadInput(GONE) from error  # no trial has failed if the scheduler ends
            if not isinstance(error, BrokenExecutor) and kind != "KilledWorker":
                return [failure(job, f"it was lost: {kind}: {error}") for job in jobs]
            if alone:
                # Once may be chance: somebody ended it, or memory was short. Dask has tried often.
                if self.blamed == jobs[0] or kind == "KilledWorker":
                    return [failure(jobs[0], KILLER)]
                self.blamed = jobs[0]
                return []
            if not self.suspects:
                self.say(SUSPECTS)
            self.suspects.extend(jobs)
            return []

    def _settle(self, done: int = 0, skipped: int = 0, failures: Sequence[Failed] = ()) -> None:
        self.tally.done += done
        self.tally.skipped += skipped
        self.tally.failed += len(failures)
        self.tally.errors.extend(one.error for one in failures)
        self.progress(done + skipped + len(failures))
