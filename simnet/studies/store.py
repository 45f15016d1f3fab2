r"""The store of results: a file of text to which every finished trial adds a line.

A study of an hour is stopped, repeated, and run by two machines at once; disks fill up, and files
are damaged or deleted. None of that may lose a result that was said to be kept, count one twice, or
show a wrong one. So:

- The key of a line is the experiment, its parameters in one canonical form, the trial's place, the
  version of the code that the trial can reach, and that of the data that it reads. A sweep asks
  which keys are missing and runs those. Results of other code stay, and are not read.
- A line is never written over. A trial is a function of its key, so that a second result could only
  be the same: two sweeps that have run one trial agree, and the later is counted as skipped.
- Writers append under a lock, a chunk of results at a time, and wait for the disk. What a killed
  process left unfinished has no line end, and the next writer cuts it off.
- Every line ends in a digest of itself. A line that does not fit its digest, or repeats a key, is
  damage; its trial is missing like one that was never run. Whoever opens the file for writing
  blanks damaged lines, and the next sweep runs their trials again.
- After every commit the file's place is compared with where it was opened. A sweep ends with
  reading the whole file again: it says that a trial is kept after having seen it in the file.

Example. A sweep of two trials writes these lines, and is then repeated with three::

    {"simnet": "results", "format": 3}
    {"experiment": "tiny", "parameters": "{\"shift\":1.0}", "trial": 0, "code": "4e7c..", ...
    {"experiment": "tiny", "parameters": "{\"shift\":1.0}", "trial": 1, "code": "4e7c..", ...

The second sweep finds trials 0 and 1 under its key, and runs trial 2 alone. Had somebody changed a
function that the trial calls, `code` would differ, and it would run all three. The version written
last is the one whose line stands last: lines have an order that no clock can set back.

An earlier store was a database. It needed four ways of opening and their locks, could not tell a
page written over another, and refused a file whole for one bad row.
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
from typing import BinaryIO

import attrs

from simnet.errors import BadInput
from simnet.files import NO_ROOM
from simnet.studies.experiment import Job, Measurements

FORMAT = 3
HEADER = b'{"simnet": "results", "format": %d}\n' % FORMAT
SEAL = ', "digest": "{}"}}\n'  # what a line ends in, with 16 hexadecimal digits
SEAL_LENGTH = len(SEAL.format("0" * 16))
HEAD = 1 << 16  # bytes in which something must tell that a file is a store
PATIENCE = 60.0  # seconds that a writer waits for another

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
    """

    job: Job
    numbers: Measurements
    seconds: float
    processor: float = 0.0


@attrs.frozen
class StoredTrial:
    """One line of the store, read back."""

    experiment: str
    versions: Versions
    result: Result


class Store:
    """An open store.

    `damaged` is the number of damaged or unfinished lines that were found. They are removed, unless
    the store is open for reading only. Every method raises `BadInput` when the file cannot be read
    or written any more.
    """

    def __init__(self, path: Path, reading: bool = False) -> None:
        """Open the file. Make it if it does not exist, unless it is opened for reading only.

        Raises `BadInput`, and leaves the file as it is, if it is not a store.
        """
        self.path = path
        self.damaged = 0
        self._place = path.absolute()  # whatever folder this process goes to
        self._writing = not reading
        self._there: set[Key] = set()
        self._end = 0  # up to here the file has been read
        with _refusing(path):
            if self._writing:
                path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT if self._writing else os.O_RDONLY
            self._descriptor = os.open(path, flags | os.O_CLOEXEC, 0o666)
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
        """Return the store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        os.close(self._descriptor)

    def lacks(self, experiment: str, versions: Versions, jobs: Iterable[Job]) -> list[Job]:
        """Return those of the jobs that the store does not have."""
        with _refusing(self.path), self._locked():
            self._catch_up()
        return [job for job in jobs if _key(experiment, versions, job) not in self._there]

    def add(self, experiment: str, versions: Versions, results: Sequence[Result]) -> int:
        """Commit results, and return how many of them were new.

        Results that the store has already are not changed. Committed results survive the end of the
        process and a loss of power.
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

        They can be limited to one experiment, and to one version of code and data.
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
                f"{lost:,} results that were kept in {self.path} are not there any more: another "
                "program has changed the file; repeat the command to run their trials again"
            )

    def _refuse_replaced(self) -> None:
        """Raise `BadInput` if the file was replaced, deleted or cut since it was opened."""
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
            f"{self.path} was {change} while it was in use: results that were kept in it are lost; "
            "repeat the command to run their trials again"
        )

    def _catch_up(self) -> None:
        """Read the lines that were added since the last reading."""
        if self._writing:
            self._refuse_replaced()
        with self._reader(self._end) as file:
            for line in file:
                if not line.endswith(b"\n"):
                    if self._writing:  # its writer was killed, or it would hold the lock
                        self.damaged += 1
                        os.ftruncate(self._descriptor, self._end)
                    return
                if line not in (HEADER, b"\n") and not self._noted(_trial(line)):
                    self.damaged += 1
                    if self._writing:
                        os.pwrite(self._descriptor, b"\n" * len(line), self._end)
                self._end += len(line)

    def _noted(self, one: StoredTrial | None) -> bool:
        """Note the trial of a line, and return whether the line holds a trial that is new."""
        if one is None:
            return False
        key = _key(one.experiment, one.versions, one.result.job)
        new = key not in self._there
        self._there.add(key)
        return new

    def _append(self, content: bytes) -> None:
        """Write bytes at the end of the file, all or none of them, and wait for the disk."""
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
        """Return a buffered reader of the file from a place on, which sees everything written so
        far.
        """
        file = open(self._descriptor, "rb", closefd=False)  # noqa: SIM115  # callers close it
        file.seek(start)
        return file

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other writers out. Readers need no lock, because they stop before an unfinished
        line.
        """
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
    """Return where results go by default: `simnet/results.jsonl` in the user's state folder."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "simnet" / "results.jsonl"


def _key(experiment: str, versions: Versions, job: Job) -> Key:
    """Return the key that identifies a result. Equal texts of keys share memory, because there are
    many keys.
    """
    return (
        intern(experiment),
        intern(versions.code),
        intern(versions.data),
        intern(job.parameters),
        job.trial,
    )


def _line(experiment: str, versions: Versions, result: Result) -> bytes:
    """Return a trial as a line of the store, which ends in its digest."""
    job = result.job
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
        }
    )[:-1].encode()
    return text + SEAL.format(_digest(text)).encode()


def _trial(line: bytes) -> StoredTrial | None:
    """Return the trial that a line holds, or None if the line does not end in its digest."""
    text, seal = line[:-SEAL_LENGTH], line[-SEAL_LENGTH:]
    if not text or seal != SEAL.format(_digest(text)).encode():
        return None
    found = json.loads(text + b"}")
    return StoredTrial(
        found["experiment"],
        Versions(found["code"], found["data"]),
        Result(
            Job(found["parameters"], found["trial"], found["seed"]),
            found["numbers"],
            found["seconds"],
            found["processor"],
        ),
    )


def _digest(text: bytes) -> str:
    return hashlib.blake2b(text, digest_size=8).hexdigest()


def _wait_for_disk(folder: Path) -> None:
    """Wait until the name of a new file is on disk, so that it survives a loss of power."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refuse_foreign(path: Path, descriptor: int, writing: bool) -> None:
    """Raise `BadInput` unless the file begins like a store.

    If the first line is damaged, an intact line soon after it is enough. A new store may be empty,
    or may hold only a part of the first line if the process that made it was killed.
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
            "it was left as it is: update simnet, or name another file with --store"
        )
    raise BadInput(
        f"{path} is no store of results that this version of simnet reads, and was left as it is: "
        "name another file with --store"
    )


@contextlib.contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Turn errors of the file system into `BadInput`."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise BadInput(
                f"there is no room left for {path}, or it has reached the limit of a file's size: "
                "everything committed is kept; make room and repeat the command"
            ) from error
        raise BadInput(f"{path} cannot be used as a store of results: {error.strerror}") from error
