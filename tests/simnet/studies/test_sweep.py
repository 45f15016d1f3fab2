"""Sweeps give the same table whoever runs them, in whatever order, and however often they are
stopped.
"""

import contextlib
import os
import signal
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver
from pathlib import Path
from pickle import PicklingError
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.errors import BadInput
from simnet.kernel.limits import limited
from simnet.studies import sweep as sweeping_module
from simnet.studies.executors import local_processes, processors
from simnet.studies.outcome import Failed
from simnet.studies.remembered import remembered
from simnet.studies.store import Store, Versions
from simnet.studies.sweep import Chunk, Study, run_chunk, sweep
from tests.harness.sweeping import command, count, rows, swept, tiny, told, wait_until


@pytest.fixture
def undisturbed(tmp_path: Path) -> list[Any]:
    swept(tiny(), tmp_path / "undisturbed")
    return rows(tiny(), tmp_path / "undisturbed")


@pytest.fixture
def marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which each trial leaves a file, with a letter for each time that it was run."""
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setenv("SIMNET_TEST_MARKS", str(folder))
    return folder


def runs(marks: Path) -> list[int]:
    return [path.stat().st_size for path in marks.iterdir()]


@pytest.mark.slow
def test_a_sweep_runs_every_trial_once_and_a_second_one_none(tmp_path: Path, marks: Path) -> None:
    first, second = swept(tiny(), tmp_path / "s"), swept(tiny(), tmp_path / "s")
    assert (first.done, first.skipped, first.failed) == (120, 0, 0)
    assert (second.done, second.skipped, second.failed) == (0, 120, 0)
    assert runs(marks) == [1] * 120


@pytest.mark.slow
def test_progress_adds_up_to_all_trials(tmp_path: Path) -> None:
    for _ in range(2):
        steps: list[int] = []
        with Store(tmp_path / "s") as store, ThreadPoolExecutor(1) as executor:
            sweep(tiny(fails="some"), store, executor, 1, steps.append)
        assert sum(steps) == 120


@pytest.mark.slow
def test_more_trials_and_more_points_run_only_those(tmp_path: Path, marks: Path) -> None:
    swept(tiny(10), tmp_path / "s")
    assert swept(tiny(15), tmp_path / "s").done == 15
    assert swept(tiny(15, shift="2,3"), tmp_path / "s").as_json()["skipped"] == 15
    assert runs(marks) == [1] * 60


@pytest.mark.slow
def test_rows_are_in_the_order_of_the_grid_with_parameters_seed_and_numbers(
    undisturbed: list[Any],
) -> None:
    assert [(row["shift"], row["trial"]) for row in undisturbed] == [
        (s, t) for s in (0, 1, 2) for t in range(40)
    ]
    assert len({row["seed"] for row in undisturbed}) == 120
    assert set(undisturbed[0]) == {
        "shift",
        "pause",
        "fails",
        "trial",
        "seed",
        "value",
        "expected",
        "length",
    }


@pytest.mark.parametrize("slots", [1, 2, 7])
def test_threads_agree_bit_for_bit(tmp_path: Path, undisturbed: list[Any], slots: int) -> None:
    swept(tiny(), tmp_path / "s", ThreadPoolExecutor(slots), slots)
    assert rows(tiny(), tmp_path / "s") == undisturbed


@pytest.mark.slow
def test_processes_agree_bit_for_bit(tmp_path: Path, undisturbed: list[Any]) -> None:
    with local_processes(2) as (executor, slots), Store(tmp_path / "s") as store:
        tally = sweep(tiny(), store, executor, slots)
    assert tally.done == 120
    assert rows(tiny(), tmp_path / "s") == undisturbed


def test_order_does_not_matter(
    tmp_path: Path, undisturbed: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, start in enumerate((1, 77, 5000)):
        monkeypatch.setattr(os, "getpid", lambda start=start: start)
        swept(tiny(), tmp_path / f"s{place}")
        assert rows(tiny(), tmp_path / f"s{place}") == undisturbed


def test_trials_that_raise_are_counted_and_the_others_go_on(tmp_path: Path) -> None:
    study = tiny(fails="some")
    seeds = [job.seed for job in study.experiment.jobs(study.name)]
    unlucky = sum(seed % 3 == 0 for seed in seeds)
    tally = swept(study, tmp_path / "s")
    assert (tally.failed, tally.done) == (unlucky, len(seeds) - unlucky)
    assert 0 < unlucky < len(seeds)
    assert "ArithmeticError: seeds that 3 divides are bad luck" in tally.errors[0]
    again = swept(study, tmp_path / "s")  # what failed is tried again, the rest is there
    assert (again.failed, again.done, again.skipped) == (unlucky, 0, len(seeds) - unlucky)


@pytest.mark.long
def test_a_trial_that_ends_its_process_fails_by_name_and_the_others_are_run(
    tmp_path: Path,
) -> None:
    study, said = tiny(11, fails="few die"), list[str]()
    killers = [job for job in study.experiment.jobs(study.name) if job.seed % 31 == 0]
    assert len(killers) == 1
    with Store(tmp_path / "s") as store, local_processes(1) as (executor, slots):
        tally = sweep(study, store, executor, slots, say=said.append)
    assert (tally.done, tally.failed) == (32, 1)
    for killer in killers:
        (error,) = [
            one for one in tally.errors if f"trial {killer.trial} of {killer.parameters}" in one
        ]
        assert "it ended its process each time it was run" in error
    assert len(said) == 1
    assert "run again one by one" in said[0]


@pytest.mark.long
@pytest.mark.parametrize("whom", ["server", "workers"])
def test_processes_are_started_anew_when_they_are_killed(tmp_path: Path, whom: str) -> None:
    """The server that forks the workers, or all workers, while chunks are handed out."""
    settled = 0

    def kill(steps: int) -> None:
        nonlocal settled
        before, settled = settled, settled + steps
        if any(before < place <= settled for place in (2, 12)):
            server: Any = vars(forkserver)["_forkserver"]
            pid = server._forkserver_pid
            for victim in [pid] if whom == "server" else children(pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, signal.SIGKILL)

    with local_processes(2) as (executor, slots), Store(tmp_path / "s") as store:
        tally = sweep(tiny(6), store, executor, slots, kill)
    assert (tally.done, tally.failed) == (18, 0)
    swept(tiny(6), tmp_path / "undisturbed")
    assert rows(tiny(6), tmp_path / "s") == rows(tiny(6), tmp_path / "undisturbed")


class Faulty(ThreadPoolExecutor):
    """An executor that fails as drawn: on handing out, on running, or whenever a killer runs."""

    def __init__(self, on_submit: list[Any], on_run: list[Any], killers: set[int]) -> None:
        super().__init__(2)
        self.on_submit, self.on_run, self.killers = on_submit, on_run, killers

    def submit(self, function: Any, chunk: Any) -> Any:  # type: ignore[override]
        error = self.on_submit.pop() if self.on_submit else None
        if error is not None:
            raise error
        return super().submit(self.run, function, chunk)

    def run(self, function: Any, chunk: Chunk) -> Any:
        error = self.on_run.pop() if self.on_run else None
        if error is not None:
            raise error
        if any(job.seed in self.killers for job in chunk.jobs):
            raise BrokenProcessPool("a process ended")
        return function(chunk)


class KilledWorker(Exception):  # Dask's name
    """As Dask calls it."""


ERRORS = [
    BrokenProcessPool("gone"),
    KilledWorker("gone"),
    EOFError(),
    OSError("pipe"),
    RuntimeError("closed"),
    CancelledError(),
    SystemExit(0),
    PicklingError("what?"),
]
SCRIPTS = st.lists(st.none() | st.sampled_from(ERRORS), max_size=12)


@given(
    st.lists(st.none() | st.sampled_from(ERRORS[:5]), max_size=12),
    SCRIPTS,
    st.sets(st.integers(0, 14)),
)
def test_whatever_fails_the_sweep_ends_with_all_counted_or_one_line(
    tmp_path_factory: pytest.TempPathFactory,
    on_submit: list[Any],
    on_run: list[Any],
    killers: set[int],
) -> None:
    path, study = tmp_path_factory.mktemp("s") / "s", tiny(5)
    jobs = list(study.experiment.jobs(study.name))
    seeds = {jobs[place].seed for place in killers}
    lost = sum(one is not None for one in on_run)
    try:
        tally = swept(study, path, Faulty(on_submit[:], on_run[:], seeds), 2)
    except BadInput:
        assert any(one is not None for one in on_submit) or CancelledError in map(type, on_run)
    else:
        assert tally.done + tally.failed == len(jobs)
        assert len(killers) <= tally.failed <= len(killers) + lost
        assert all("trial" in one for one in tally.errors)
    again = swept(study, path)
    assert again.done + again.skipped == len(jobs)


def test_a_store_that_is_deleted_under_a_sweep_is_noticed_whenever_that_is(tmp_path: Path) -> None:
    path = tmp_path / "s"
    for place in (1, 15):
        left = place

        def delete(steps: int) -> None:
            nonlocal left
            left -= steps
            if left <= 0:
                path.unlink(missing_ok=True)

        with (
            pytest.raises(BadInput, match="was deleted while it was in use"),
            Store(path) as store,
            ThreadPoolExecutor(1) as executor,
        ):
            sweep(tiny(5), store, executor, 1, delete)


def test_another_version_of_the_code_or_the_data_is_refused(tmp_path: Path) -> None:
    study = tiny()
    jobs = tuple(study.experiment.jobs(study.name))[:2]
    assert len(run_chunk(Chunk(study.origin, None, study.versions, jobs))) == 2
    for versions, what in (
        (Versions("old", study.versions.data), "code"),
        (Versions(study.versions.code, "old"), "data"),
    ):
        with pytest.raises(BadInput, match=f"a worker has another version of the {what}"):
            run_chunk(Chunk(study.origin, None, versions, jobs))


def test_data_that_change_while_trials_run_keep_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    study = tiny(1)
    versions = iter(["before", "after"])
    monkeypatch.setattr(sweeping_module, "data_version", lambda *_: next(versions))
    chunk = Chunk(
        study.origin,
        None,
        Versions(study.versions.code, "before"),
        tuple(study.experiment.jobs(study.name)),
    )
    versions = iter(["before", "after"])
    with pytest.raises(BadInput, match="the data changed while trials ran"):
        run_chunk(chunk)


def test_what_is_remembered_of_a_folder_is_read_again_when_a_file_changes(tmp_path: Path) -> None:
    asked = []

    @remembered
    def load(folder: Path, name: str) -> str:
        asked.append(name)
        return (folder / name).read_text()

    (tmp_path / "one").write_text("1")
    assert [load(tmp_path, "one") for _ in range(3)] == ["1"] * 3
    (tmp_path / "one").write_text("22")
    assert [load(tmp_path, "one") for _ in range(3)] == ["22"] * 3
    assert len(asked) == 2


def test_changed_data_are_other_results(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("one")
    swept(tiny(2, tmp_path), tmp_path / "s")
    words.write_text("other")
    assert swept(tiny(2, tmp_path), tmp_path / "s").done == 6
    assert {row["length"] for row in rows(tiny(2, tmp_path), tmp_path / "s")} == {5}
    assert {row["length"] for row in rows(tiny(2), tmp_path / "s")} == set()
    words.unlink()
    with pytest.raises(BadInput, match=r"words\.txt cannot be read"):
        swept(tiny(2, tmp_path), tmp_path / "s")


class Interrupted(ThreadPoolExecutor):
    """An executor on which the user loses patience after some chunks."""

    def __init__(self, after: int) -> None:
        super().__init__(1)
        self.left = after

    def submit(self, *given: Any, **named: Any) -> Any:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        future = super().submit(*given, **named)
        future.exception()  # wait for it: it has landed, and nobody has fetched it yet
        return future


def test_an_interrupt_keeps_what_has_landed(
    tmp_path: Path, undisturbed: list[Any], marks: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        swept(tiny(), tmp_path / "s", Interrupted(2))
    kept = count(tiny(), tmp_path / "s")
    assert kept == len(runs(marks)) > 0
    assert swept(tiny(), tmp_path / "s").done == 120 - kept
    assert rows(tiny(), tmp_path / "s") == undisturbed
    assert runs(marks) == [1] * 120


@pytest.mark.slow
def test_chunks_are_of_a_quarter_of_a_second(tmp_path: Path) -> None:
    sizes: list[int] = []

    class Watched(ThreadPoolExecutor):
        def submit(self, function: Any, chunk: Any) -> Any:  # type: ignore[override]
            sizes.append(len(chunk.jobs))
            return super().submit(function, chunk)

    swept(tiny(300), tmp_path / "s", Watched(1))
    assert sizes[0] == 1  # nobody knows yet how long a trial takes
    assert max(sizes) > 20
    swept(tiny(1, pause="0.3"), tmp_path / "slow", Watched(1))
    assert sizes[-1] == 1


def test_the_number_of_workers_is_that_of_processors() -> None:
    with local_processes(None) as (_, slots):
        assert slots == processors() >= 1
    with pytest.raises(BadInput, match="is at least 1, got workers=0"), local_processes(0):
        raise AssertionError


def test_a_failed_chunk_counts_its_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(chunk: Chunk) -> Any:
        raise RuntimeError("the worker is gone")

    monkeypatch.setattr(sweeping_module, "run_chunk", lost)
    tally = swept(tiny(4), tmp_path / "s")
    assert (tally.done, tally.failed) == (0, 12)
    assert "it was lost: RuntimeError: the worker is gone" in tally.errors[0]


def test_a_limit_on_messages_holds_for_trials_in_other_threads_and_processes(
    tmp_path: Path,
) -> None:
    study = Study.of("table1")
    few = study.experiment.with_settings({"protocol": "dpds", "users": "5", "items": "2"})
    study = attrs.evolve(study, experiment=few.with_trials(1))
    with limited(messages=24):
        tally = swept(study, tmp_path / "store.jsonl")
    assert (tally.done, tally.failed) == (0, 1)
    assert "the run sends more messages than the limit of 24" in tally.errors[0]
    with limited(messages=25):
        assert swept(study, tmp_path / "store.jsonl").done == 1


def test_failed_is_not_confused_with_a_result() -> None:
    study = tiny(20, fails="some")
    outcomes = run_chunk(
        Chunk(study.origin, None, study.versions, tuple(study.experiment.jobs(study.name)))
    )
    assert {isinstance(one, Failed) for one in outcomes} == {True, False}


# processes of their own


@pytest.mark.slow
def test_killed_and_resumed_gives_the_table_of_an_undisturbed_sweep(
    tmp_path: Path, marks: Path
) -> None:
    """Kill -9 of the process that commits.

    Its workers follow, and the same command goes on where it stopped.
    """
    path, study = tmp_path / "s", tiny(pause="0.02")
    first = command(path, "--set", "pause=0.02", "--workers", "2", marks=marks)
    wait_until(lambda: count(study, path) >= 10, "ten trials are kept")
    workers = children(first.pid)
    os.kill(first.pid, signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL
    first.communicate()
    wait_until(lambda: not any(map(alive, workers)), "the workers have ended")
    before = rows(study, path)
    assert 10 <= len(before) < 120
    again = told(command(path, "--set", "pause=0.02", "--workers", "2", marks=marks))
    assert (again["done"], again["skipped"], again["failed"]) == (120 - len(before), len(before), 0)
    swept(study, tmp_path / "undisturbed")
    assert rows(study, path) == rows(study, tmp_path / "undisturbed")
    committed = {f"{row['shift']}-{row['seed']}" for row in before}
    assert {(marks / name).stat().st_size for name in committed} == {
        2
    }  # by it, and by the undisturbed one; not again


@pytest.mark.slow
def test_an_interrupt_from_the_terminal_keeps_what_is_done(tmp_path: Path) -> None:
    """Ctrl-C reaches the whole process group."""
    path, study = tmp_path / "s", tiny(pause="0.3")
    going = command(path, "--set", "pause=0.3", "--workers", "2")
    wait_until(lambda: count(study, path) >= 5, "five trials are kept")
    workers = children(going.pid)
    os.killpg(going.pid, signal.SIGINT)
    out, err = going.communicate(timeout=60)
    assert going.returncode == 130
    assert out == ""
    kept = count(study, path)
    assert f"the store has {kept} trial" in err
    assert "of tiny_experiment; the same command goes on from there" in err
    assert err.endswith("simnet: interrupted\n")
    assert "Traceback" not in err
    assert 5 <= kept < 120
    wait_until(lambda: not any(map(alive, workers)), "the workers have ended")


@pytest.mark.slow
@pytest.mark.parametrize("pause", [0.0, 0.1, 0.2, 0.4, 0.6])
def test_an_interrupt_while_workers_start_prints_no_traceback(tmp_path: Path, pause: float) -> None:
    going = command(tmp_path / "s", "--set", "pause=0.05", "--workers", "2")
    wait_until(lambda: bool(children(going.pid)), "the first process is there")
    time.sleep(pause)
    os.killpg(going.pid, signal.SIGINT)
    out, err = going.communicate(timeout=60)
    assert (going.returncode, out) == (130, "")
    assert all(line.startswith("simnet: ") for line in err.splitlines()), err


@pytest.mark.long
def test_two_sweeps_at_once_share_the_work(tmp_path: Path, marks: Path) -> None:
    path, study = tmp_path / "s", tiny(pause="0.02")
    both = [command(path, "--set", "pause=0.02", "--workers", "1", marks=marks) for _ in range(2)]
    tallies = [told(one) for one in both]
    assert sum(one["done"] for one in tallies) == 120
    assert all(one["done"] + one["skipped"] == 120 and not one["failed"] for one in tallies)
    repeated = sum(runs(marks)) - 120
    assert repeated < 60  # they meet late; what is in flight may be run by both, and gives the same
    swept(study, tmp_path / "undisturbed")
    assert rows(study, path) == rows(study, tmp_path / "undisturbed")


def children(parent: int) -> list[int]:
    """Every descendant of a process."""
    found = [int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
    return found + [one for child in found for one in children(child)]


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
