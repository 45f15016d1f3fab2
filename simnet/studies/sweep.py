"""Sweeps: run the trials of an experiment that a store lacks, on any `concurrent.futures` executor.

Trials travel in chunks of about a quarter of a second, each committed as it comes back. A chunk
names its experiment and holds plain numbers, so whoever runs it needs the same code installed, and
is asked whether it has.
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
from simnet.scenario.find import own_file
from simnet.studies.executors import GONE
from simnet.studies.experiment import Experiment, Job, seed_of
from simnet.studies.find import find_experiment
from simnet.studies.outcome import Failed, failure, outcome
from simnet.studies.store import Result, Store, Versions
from simnet.studies.version import code_version, data_version

CHUNK = 0.25  # seconds of work that travel together, at least one trial
KILLER = "it ended its process each time it was run: a crash, a call of os._exit, or no memory left"
SUSPECTS = (
    "a worker process ended abruptly, perhaps for want of memory: the trials that were under way "
    "are run again one by one"
)
AHEAD = 2  # chunks in flight for each slot, so that none runs dry


@attrs.frozen(eq=False)
class Study:
    """An experiment as found under a name or in a file, with the folder of its data.

    `origin` is that name or file.
    """

    name: str
    origin: str
    experiment: Experiment
    data: Path | None = None

    @classmethod
    def of(cls, origin: str, data: Path | None = None) -> "Study":
        """The experiment of that name or file. Raises `BadInput` when there is none."""
        path = own_file(origin)
        origin = (
            origin if path is None else str(path.absolute())
        )  # workers have working folders of their own
        name, experiment = find_experiment(origin)
        return cls(name, origin, experiment, None if data is None else data.absolute())

    @property
    def versions(self) -> Versions:
        """The versions of the code and of the data.

        Raises `BadInput` when a file of the data is missing.
        """
        return versions_of(self.origin, self.experiment, self.data)


def versions_of(origin: str, experiment: Experiment, data: Path | None) -> Versions:
    """The versions that an experiment's results have here and now."""
    return Versions(
        code_version(experiment.trial, own_file(origin)), data_version(data, experiment.files)
    )


@attrs.frozen
class Chunk:
    """Trials that travel together, with what is needed to run them elsewhere."""

    origin: str
    data: Path | None
    versions: Versions
    jobs: tuple[Job, ...]


@attrs.define
class SweepCounts:
    """How a sweep went: trials that it did, that raised, and that were there already."""

    done: int = 0
    failed: int = 0
    skipped: int = 0
    errors: list[str] = attrs.field(factory=list)

    def as_json(self) -> dict[str, Any]:
        """The keys that scripts rely on."""
        return attrs.asdict(self)


def run_chunk(chunk: Chunk) -> list[Result | Failed]:
    """Run the trials of a chunk, in whatever process.

    Raises `BadInput` where code or data are not the chunk's, or the data change meanwhile.
    """
    _, experiment = find_experiment(chunk.origin)
    here = versions_of(chunk.origin, experiment, chunk.data)
    if here != chunk.versions:
        what = "code" if here.code != chunk.versions.code else "data"
        raise BadInput(
            f"a worker has another version of the {what}: install the same, and start it anew"
        )
    outcomes = [outcome(experiment, job, chunk.data) for job in chunk.jobs]
    if data_version(chunk.data, experiment.files) != chunk.versions.data:
        raise BadInput(
            "the data changed while trials ran: nothing of these was kept; repeat the command"
        )
    return outcomes


def _silent(_: Any) -> None:
    """Tell nobody."""


def sweep(
    study: Study,
    store: Store,
    executor: Executor,
    slots: int,
    progress: Callable[[int], None] = _silent,
    say: Callable[[str], None] = _silent,
) -> SweepCounts:
    """Run every trial that the store lacks, and commit each soon after it ends.

    `slots` is how many trials the executor runs at once; `progress` is called with the number of
    trials settled, and `say` with a sentence on what a person would want to know meanwhile. A trial
    that raises is counted, and the others go on. Where a process ends abruptly, the trials under
    way are run again one by one, and one that ends its process alone, twice, has failed.

    At the end the store is read again. Raises `BadInput` when the executor or the store breaks, or
    the store has lost results; on that or an interrupt, what has come back is committed, and the
    rest is cancelled.
    """
    going = _Sweep(study, store, executor, slots, progress, say)
    try:
        going.go()
    finally:
        going.stop()
    store.confirm()
    return going.tally


class _Sweep:
    """A sweep under way: jobs that wait, chunks in flight, and suspects.

    Suspects were under way when a process ended abruptly, so that one of them may have ended it.
    They are run alone, one after another, before anything else.
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
        self.blamed: Job | None = None  # the suspect whose process has ended once more, alone
        self.flying: dict[Future[list[Result | Failed]], Chunk] = {}
        self.pace = CHUNK  # seconds a trial takes, by the latest chunk

    def _missing(self) -> list[Job]:
        """The jobs that the store lacks, in an order of this process.

        Sweeps of the same jobs then seldom run the same ones at once, and cheap and dear trials
        come mixed, so that the progress so far tells how long the rest takes.
        """
        jobs = list(self.study.experiment.jobs(self.study.name))
        missing = self.store.lacks(self.study.name, self.versions, jobs)
        self._settle(skipped=len(jobs) - len(missing))
        mine = f"order of {os.getpid()}"
        return sorted(missing, key=lambda job: seed_of(mine, job.parameters, job.trial))

    def go(self) -> None:
        while self.suspects or self.waiting or self.flying:
            if self.suspects and not self.flying:
                self._submit([self.suspects[0]])  # it is a suspect until it has landed
            while not self.suspects and self.waiting and len(self.flying) < AHEAD * self.slots:
                self._launch()
            landed, _ = wait(self.flying, return_when=FIRST_COMPLETED)
            for future in landed:
                self._keep(future)

    def stop(self) -> None:
        """Cancel what is in flight, and keep what has landed."""
        for future in self.flying:
            future.cancel()
        for future in [
            one
            for one in self.flying
            if one.done() and not one.cancelled() and one.exception() is None
        ]:
            self._keep(future)

    def _launch(self) -> None:
        """Send the next jobs off, but for those that another sweep has settled meanwhile."""
        fair = len(self.waiting) // (2 * AHEAD * self.slots)
        size = max(1, min(round(CHUNK / max(self.pace, 1e-6)), fair))
        jobs = [self.waiting.popleft() for _ in range(min(size, len(self.waiting)))]
        missing = self.store.lacks(self.study.name, self.versions, jobs)
        self._settle(skipped=len(jobs) - len(missing))
        if missing:
            self._submit(missing)

    def _submit(self, jobs: Sequence[Job]) -> None:
        chunk = Chunk(self.study.origin, self.study.data, self.versions, tuple(jobs))
        try:
            future = self.executor.submit(run_chunk, chunk)
        except BadInput:
            raise
        except Exception as error:
            raise BadInput(
                f"no trial can be handed out any more ({type(error).__name__}: {error}): "
                "everything done is kept; repeat the command to go on"
            ) from error
        self.flying[future] = chunk

    def _keep(self, future: Future[list[Result | Failed]]) -> None:
        """Commit what a chunk gave, and count it."""
        jobs = self.flying[future].jobs
        alone = bool(self.suspects) and jobs == (self.suspects[0],)
        outcomes = self._outcomes(future, jobs, alone)
        results = [one for one in outcomes if isinstance(one, Result)]
        failures = [one for one in outcomes if isinstance(one, Failed)]
        added = self.store.add(self.study.name, self.versions, results)
        del self.flying[future]
        if alone and outcomes:
            self.suspects.popleft()
        if results:
            self.pace = sum(one.seconds for one in results) / len(results)
        self._settle(added, len(results) - added, failures)

    def _outcomes(
        self, future: Future[list[Result | Failed]], jobs: Sequence[Job], alone: bool
    ) -> list[Result | Failed]:
        """What a chunk gave, or nothing yet if its jobs are suspects now.

        Raises `BadInput` when nobody is left to run.
        """
        try:
            return future.result()
        except (BadInput, KeyboardInterrupt):
            raise
        except BaseException as error:  # whatever a worker could not catch itself
            # Dask's own classes are told by their names, since Dask may not be installed.
            kind = type(error).__name__
            if isinstance(error, CancelledError) or kind == "FutureCancelledError":
                raise BadInput(GONE) from error  # a scheduler that goes is no trial's failure
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
