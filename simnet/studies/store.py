r"""The store of results: a file of text with a line for each finished trial.

A study of an hour may be stopped, repeated, or run by two processes at once. Disks fill up, and
files are damaged or deleted. The store should then not count a result twice, show a wrong result,
or report a lost result as kept. So:

- The key of a line is the experiment, its parameters in one canonical form, the trial's number, the
  version of the code that the trial can reach, and the version of the data that the trial reads. A
  sweep asks which keys are missing, and runs the trials with these keys. Results of other code stay
  in the file.
- The line of a result is written over only if it is damaged. If two sweeps have run one trial, the
  later result is not added, because a trial is a function of its key.
- Writers append under a lock, a chunk of results at a time, and wait for the disk. A line that a
  killed process left unfinished has no line end, and the next writer cuts it off.
- Every line of a trial ends in a digest of the line. A line that does not fit its digest, or
  repeats a key, is damaged and is not read. If no intact line has the trial of a damaged line, the
  trial counts as missing. Whoever opens the file for writing blanks damaged lines, and the next
  sweep runs the missing trials again.
- After every commit we check that the path still leads to the file that was opened. At its end a
  sweep reads the whole file again.

Example. A sweep of two trials writes these lines, and is then repeated with three trials::

    {"simnet": "results", "format": 3}
    {"experiment": "tiny", "parameters": "{\"shift\":1.0}", "trial": 0, "code": "4e7c..", ...
    {"experiment": "tiny", "parameters": "{\"shift\":1.0}", "trial": 1, "code": "4e7c..", ...

The second sweep finds the keys of trials 0 and 1, and runs only trial 2. If somebody had changed a
function that the trial calls, `code` would differ, and the second sweep would run all three trials.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from sys import intern
from types import TracebackType
from typing import Any, BinaryIO, NotRequired, TypedDict

import attrs

from simnet.errors import BadInput
from simnet.files import NO_ROOM
from simnet.foreign import parsed, typed
from simnet.record.fate import Ending
from simnet.studies.experiment import LABEL, Job, Measurements

FORMAT = 3
HEADER = b'{"simnet": "results", "format": %d}\n' % FORMAT
SEAL = ', "digest": "{}"}}\n'  # the end of each line of a trial, with 16 hexadecimal digits
SEAL_LENGTH = len(SEAL.format("0" * 16))
HEAD = 1 << 16  # a store must show within this number of bytes that it is a store
PATIENCE = 60.0  # the number of seconds that a writer waits for another writer

Key = tuple[str, str, str, str, int]  # experiment, code, data, parameters, trial


@attrs.frozen
class Versions:
    """The versions of code and data that a result depends on, besides its parameters and seed."""

    code: str
    data: str


@attrs.frozen
class Result:
    """A finished trial: its numbers, and the seconds that it took by the clock and on a
    processor.

    If its run was aborted, `aborts` are the parties that aborted or waited for ever, and there are
    no numbers.
    """

    job: Job
    numbers: Measurements
    seconds: float
    processor: float = 0.0
    aborts: tuple[Ending, ...] = ()


class _Line(TypedDict):
    experiment: str
    parameters: str
    trial: int
    code: str
    data: str
    seed: int
    numbers: dict[str, float | str]
    seconds: float
    processor: float
    aborts: NotRequired[list[tuple[str, int, str]]]


@attrs.frozen
class StoredTrial:
    """One line of the store, read back."""

    experiment: str
    versions: Versions
    result: Result


class Store:
    """An open store.

    `damaged` is the number of damaged lines that were found, and of unfinished lines that were cut
    off. A store that is open for reading only leaves both as they are; any other store blanks
    damaged lines. Methods raise `BadInput` when the file cannot be read or written any more.
    """

    def __init__(self, path: Path, reading: bool = False) -> None:
        """Open the file. Make it if it does not exist, unless it is opened for reading only.

        Raises `BadInput`, and leaves the file as it is, if it is not a store. Raises `BadInput`
        also if a file that is opened for reading does not exist.
        """
        self.path = path
        self.damaged = 0
        # The path stays right if this process changes its working folder.
        self._place = path.absolute()
        self._writing = not reading
        self._there: set[Key] = set()
        self._end = 0  # the place up to which the file has been read
        with _refusing(path):
            if self._writing:
                path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT if self._writing else os.O_RDONLY
            self._descriptor = os.open(path, flags | os.O_CLOEXEC, 0o600)
            try:
                _refuse_foreign(path, self._descriptor, self._writing)
                with self._locked():
                    self._catch_up()
                    if self._writing and not self._end:
                        self._append(HEADER)
                        _wait_for_disk(self._place.parent)
            except BaseException:
                os.close(self._descriptor)
                raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._descriptor)

    def lacks(self, experiment: str, versions: Versions, jobs: Iterable[Job]) -> list[Job]:
        """Return the jobs whose results the store does not have."""
        with _refusing(self.path), self._locked():
            self._catch_up()
        return [job for job in jobs if _key(experiment, versions, job) not in self._there]

    def add(self, experiment: str, versions: Versions, results: Sequence[Result]) -> int:
        """Commit results, and return how many of them were new.

        Results that the store has already are not changed. When the method returns, the results are
        on disk.
        """
        with _refusing(self.path), self._locked():
            self._catch_up()
            new = {_key(experiment, versions, one.job): one for one in results}
            lines = [
                _line(experiment, versions, one)
                for key, one in new.items()
                if key not in self._there
            ]
            self._append(b"".join(lines))
            self._catch_up()
        return len(lines)

    def kept(
        self, experiment: str | None = None, versions: Versions | None = None
    ) -> list[StoredTrial]:
        """Return the stored trials in the order in which they were written.

        The result can be limited to one experiment, and to one version of code and data.
        """
        found: dict[Key, StoredTrial] = {}
        with _refusing(self.path), self._reader(0) as file:
            for line in file:
                one = _trial(line)
                if (
                    one is not None
                    and experiment in (None, one.experiment)
                    and versions in (None, one.versions)
                ):
                    found.setdefault(_key(one.experiment, one.versions, one.result.job), one)
        return list(found.values())

    def confirm(self) -> None:
        """Read the whole file again. Raises `BadInput` unless it still has every committed
        result.
        """
        with _refusing(self.path):
            self._refuse_replaced()
        with Store(self._place, reading=True) as again:
            lost = len(self._there - again._there)
        if lost:
            raise BadInput(
                f"{self.path} has lost results that were kept in it ({lost:,}): another program "
                "has changed the file; repeat the command to run their trials again"
            )

    def _refuse_replaced(self) -> None:
        opened = os.fstat(self._descriptor)
        try:
            found = self._place.stat()
        except FileNotFoundError:
            change = "deleted"
        else:
            if (found.st_dev, found.st_ino) != (opened.st_dev, opened.st_ino):
                change = "replaced by another file"
            elif found.st_size < self._end:
                change = "cut short"
            else:
                return
        raise BadInput(
            f"{self.path} was {change} while it was in use: results that were in it may be lost; "
            "repeat the command to run their trials again"
        )

    def _catch_up(self) -> None:
        if self._writing:
            self._refuse_replaced()
        with self._reader(self._end) as file:
            for line in file:
                if not line.endswith(b"\n"):
                    # The writer of this line was killed: a living writer would hold the lock.
                    if self._writing:
                        self.damaged += 1
                        os.ftruncate(self._descriptor, self._end)
                    return
                if line not in (HEADER, b"\n") and not self._noted(_trial(line)):
                    self.damaged += 1
                    if self._writing:
                        os.pwrite(self._descriptor, b"\n" * len(line), self._end)
                self._end += len(line)

    def _noted(self, one: StoredTrial | None) -> bool:
        if one is None:
            return False
        key = _key(one.experiment, one.versions, one.result.job)
        new = key not in self._there
        self._there.add(key)
        return new

    def _append(self, content: bytes) -> None:
        try:
            os.lseek(self._descriptor, self._end, os.SEEK_SET)
            left = memoryview(content)
            while left:
                left = left[os.write(self._descriptor, left) :]
            os.fsync(self._descriptor)
        except OSError:
            with contextlib.suppress(OSError):  # an unfinished line does no harm, but takes room
                os.ftruncate(self._descriptor, self._end)
            raise

    def _reader(self, start: int) -> BinaryIO:
        file = open(self._descriptor, "rb", closefd=False)  # noqa: SIM115  # callers close it
        file.seek(start)
        return file

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other writers out. Readers need no lock: they stop before an unfinished line."""
        if not self._writing:
            yield
            return
        until = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise BadInput(
                        f"another process has been writing {self.path} for {PATIENCE:.0f} s: it "
                        "may hang. Everything committed is kept"
                    ) from None
                time.sleep(0.002)
        try:
            yield
        finally:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)


def default_store() -> Path:
    """Return where results go by default: `simnet/results.jsonl` in the folder `$XDG_STATE_HOME`,
    or in `~/.local/state` if this variable is not set.
    """
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "simnet" / "results.jsonl"


def _key(experiment: str, versions: Versions, job: Job) -> Key:
    """Return the key of a trial. Equal texts share memory, because there are many keys."""
    return (
        intern(experiment),
        intern(versions.code),
        intern(versions.data),
        intern(job.parameters),
        job.trial,
    )


def _line(experiment: str, versions: Versions, result: Result) -> bytes:
    job = result.job
    # Only lines of aborted runs have this key, so stores without such runs are as they were.
    aborts = [[ending.party, ending.round, ending.reason] for ending in result.aborts]
    text = json.dumps(
        {
            "experiment": experiment,
            "parameters": job.parameters,
            "trial": job.trial,
            "code": versions.code,
            "data": versions.data,
            "seed": job.seed,
            "numbers": dict(result.numbers),
            "seconds": result.seconds,
            "processor": result.processor,
            **({"aborts": aborts} if aborts else {}),
        }
    )[:-1].encode()
    return text + SEAL.format(_digest(text)).encode()


def _trial(line: bytes) -> StoredTrial | None:
    text, seal = line[:-SEAL_LENGTH], line[-SEAL_LENGTH:]
    if not text or seal != SEAL.format(_digest(text)).encode():
        return None
    try:  # the digest has no key, so anybody can write a line that fits it
        found: _Line = typed(parsed(text + b"}", "JSON"), _Line)
        typed(parsed(found["parameters"], "JSON"), dict[str, Any])
        for name, value in found["numbers"].items():
            typed(value, str if name == LABEL else float)
    except BadInput:
        return None
    return StoredTrial(
        found["experiment"],
        Versions(found["code"], found["data"]),
        Result(
            Job(found["parameters"], found["trial"], found["seed"]),
            found["numbers"],
            found["seconds"],
            found["processor"],
            tuple(Ending(*ending) for ending in found.get("aborts", ())),
        ),
    )


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _wait_for_disk(folder: Path) -> None:
    """Wait until the name of a new file is on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_foreign(path: Path, descriptor: int, writing: bool) -> None:
    """Raise `BadInput` unless the file begins like a store.

    If the first line is damaged, an intact line soon after it is enough. A file that is opened for
    writing may be empty, or may hold only a part of the first line if the process that made it was
    killed.
    """
    head = os.pread(descriptor, HEAD, 0)
    if writing and HEADER.startswith(head):
        return
    if head.startswith(HEADER) or any(map(_trial, head.splitlines(keepends=True))):
        return
    other = re.match(rb'{"simnet": "results", "format": (\d+)}\n', head)
    if other:
        raise BadInput(
            f"{path} has format {int(other[1])} and this version of simnet reads format {FORMAT}; "
            "the file was left as it is: name another file with --store, or use the version of "
            "simnet that wrote this one"
        )
    raise BadInput(
        f"{path} is no store of results that this version of simnet reads, and was left as it is: "
        "name another file with --store"
    )


@contextlib.contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise BadInput(
                f"there is no room left for {path}, or it has reached the limit of a file's size: "
                "everything committed is kept; make room and repeat the command"
            ) from error
        raise BadInput(f"{path} cannot be used as a store of results: {error.strerror}") from error
