"""The store of results: an SQLite file with one row a trial.

A study of an hour is stopped, repeated, and run by two machines at once; none of that may lose a
result, count one twice, or mistake an old result for a new one. So:

- The key of a row is the experiment, its parameters in one canonical form, the trial's place, the
  version of the code that the trial can reach, and that of the data that it reads. A sweep asks
  which keys are missing and runs those. Results of other code stay, and are not read.
- A row that is there is never written over: a trial is a function of its key, so that a second
  result could only be the same. Two sweeps that have run one trial agree, and the later is counted
  as skipped.
- A chunk of results is one transaction. What is committed outlives the process and the machine's
  power; what is not has never been there. The file is in write-ahead mode, so that readers never
  wait, and writers wait for each other.
- Every row carries a digest of its cells, which is checked whenever it is read. A file of another
  program, of another format, or with broken pages is refused, and left as it is.

Example. A sweep of two trials writes these rows, and is then repeated with three:

    experiment  parameters        trial  code   data       seed  numbers          ...
    tiny        {"shift":1.0}     0      4e7c.. synthetic  8127  {"value": 3.1}
    tiny        {"shift":1.0}     1      4e7c.. synthetic  5530  {"value": 4.4}

The second sweep finds trials 0 and 1 under its key, and runs trial 2 alone. Had somebody changed a
function that the trial calls, `code` would differ, and it would run all three.
"""

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import attrs

from simnet.errors import BadInput
from simnet.studies.experiment import Job, Measurements

APPLICATION = int.from_bytes(b"smnt", "big")  # SQLite keeps it in the file's header
FORMAT = 2
MAGIC = b"SQLite format 3\0"
PATIENCE = 60.0  # seconds that a writer waits for another
SCHEMA = """\
CREATE TABLE trials (
    experiment TEXT NOT NULL, parameters TEXT NOT NULL, trial INTEGER NOT NULL,
    code TEXT NOT NULL, data TEXT NOT NULL,
    seed INTEGER NOT NULL, numbers TEXT NOT NULL, seconds REAL NOT NULL, processor REAL NOT NULL,
    finished REAL NOT NULL, digest TEXT NOT NULL,
    PRIMARY KEY (experiment, parameters, trial, code, data)
) STRICT, WITHOUT ROWID
"""


@attrs.frozen
class Versions:
    """What a result depends on besides its parameters and seed."""

    code: str
    data: str


@attrs.frozen
class Result:
    """A finished trial: its numbers, and the seconds that it took.

    They are those of the clock, and of a processor's time.
    """

    job: Job
    numbers: Measurements
    seconds: float
    processor: float = 0.0


@attrs.frozen
class StoredTrial:
    """A row of the store; `finished` is when it was written, in seconds since 1970."""

    experiment: str
    versions: Versions
    result: Result
    finished: float


class Store:
    """An open store.

    Everything raises `BadInput` when the file cannot be read or written any more.
    """

    def __init__(self, path: Path, reading: bool = False) -> None:
        """Open the file, or make it unless it is for reading alone.

        Raises `BadInput`, leaving the file as it is, unless it is a sound store.
        """
        self.path = path
        with _refusing(path):
            self._connection = _reader(path) if reading else _writer(path)

    def __enter__(self) -> "Store":
        """The store itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self._connection.close()

    def finished(self, experiment: str, versions: Versions) -> set[tuple[str, int]]:
        """Parameters and places of the trials that are there."""
        query = (
            "SELECT parameters, trial FROM trials WHERE experiment = ? AND code = ? AND data = ?"
        )
        with _refusing(self.path):
            return set(self._connection.execute(query, (experiment, versions.code, versions.data)))

    def lacks(self, experiment: str, versions: Versions, jobs: Iterable[Job]) -> list[Job]:
        """Those of the jobs that are not there."""
        query = (
            "SELECT 1 FROM trials WHERE experiment = ? AND parameters = ? AND trial = ? AND code = "
            "? AND data = ?"
        )
        with _refusing(self.path):
            find = self._connection.execute
            return [
                job
                for job in jobs
                if find(
                    query, (experiment, job.parameters, job.trial, versions.code, versions.data)
                ).fetchone()
                is None
            ]

    def add(self, experiment: str, versions: Versions, results: Sequence[Result]) -> int:
        """Commit results, all or none; how many were not there before.

        Results that are there stay as they are.
        """
        now = time.time()
        rows = [
            _sealed(
                (
                    experiment,
                    one.job.parameters,
                    one.job.trial,
                    versions.code,
                    versions.data,
                    one.job.seed,
                    json.dumps(dict(one.numbers)),
                    one.seconds,
                    one.processor,
                    now,
                )
            )
            for one in results
        ]
        with _refusing(self.path), _transaction(self._connection):
            before = self._connection.total_changes
            self._connection.executemany(
                "INSERT OR IGNORE INTO trials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows
            )
            return self._connection.total_changes - before

    def kept(
        self, experiment: str | None = None, versions: Versions | None = None
    ) -> list[StoredTrial]:
        """Rows in order of their keys.

        They are of one experiment, and of one version of code and data, if these are given.
        """
        wanted = {"experiment": experiment}
        if versions is not None:
            wanted |= {"code": versions.code, "data": versions.data}
        chosen = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join(f"{name} = :{name}" for name in chosen) or "true"
        query = (
            f"SELECT * FROM trials WHERE {where} ORDER BY experiment, code, data, parameters, trial"
        )
        with _refusing(self.path):
            rows = self._connection.execute(query, chosen).fetchall()
        broken = next((row for row in rows if _sealed(row[:-1]) != row), None)
        if broken is not None:
            raise BadInput(
                f"{self.path} is corrupted: trial {broken[2]} of {broken[0]}, {broken[1]}, was "
                "changed"
            )
        return [_kept(row) for row in rows]


def default_store() -> Path:
    """Where results go unless a file is named: `simnet/results.sqlite` among the user's state."""
    state = os.environ.get("XDG_STATE_HOME")
    return (
        (Path(state) if state else Path.home() / ".local" / "state") / "simnet" / "results.sqlite"
    )


def _sealed(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """A row with a digest of its cells."""
    return *row, hashlib.blake2b(json.dumps(row).encode(), digest_size=8).hexdigest()


def _kept(row: tuple[Any, ...]) -> StoredTrial:
    experiment, parameters, trial, code, data, seed, numbers, seconds, processor, finished, _ = row
    found: Measurements = json.loads(numbers)
    return StoredTrial(
        experiment,
        Versions(code, data),
        Result(Job(parameters, trial, seed), found, seconds, processor),
        finished,
    )


def _refuse_foreign(path: Path) -> None:
    """Raise `BadInput` unless the file calls itself a store of this format.

    Nothing is written to it. The header is read as bytes: SQLite itself might put files beside that
    of another program.
    """
    with path.open("rb") as file:
        header = file.read(100)
    if not header.startswith(MAGIC) or len(header) < 100:
        raise BadInput(
            f"{path} is no store of results, and was left as it is: name another file with --store"
        )
    version, application = (int.from_bytes(header[at : at + 4], "big") for at in (60, 68))
    if application != APPLICATION:
        raise BadInput(
            f"{path} is a database of another program, and was left as it is: name another file"
        )
    if version != FORMAT:
        raise BadInput(
            f"{path} has format {version} and this version of simnet reads format {FORMAT}; it was "
            f"left as it is: {'update simnet' if version > FORMAT else 'name another file'}"
        )


def _refuse_corrupted(path: Path, connection: sqlite3.Connection) -> None:
    """Raise `BadInput` unless pages and table are sound."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    tables = connection.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
    if found != "ok":
        raise BadInput(f"{path} is corrupted, and was left as it is: {' '.join(found.split())}")
    # SQLite keeps the statement that made the table, as that version of simnet broke its lines.
    if [" ".join(sql.split()) for (sql,) in tables if sql] != [" ".join(SCHEMA.split())]:
        raise BadInput(
            f"{path} is corrupted, and was left as it is: its tables are not those of a store"
        )


def _reader(path: Path) -> sqlite3.Connection:
    """A connection to a sound store that changes no row.

    Where nobody can write, SQLite must not try to put its files for locks beside this one.
    """
    _refuse_foreign(path)
    real = path.resolve()  # beside which SQLite puts them
    mode = (
        "mode=rw"
        if _can_write(real)
        else "mode=ro"
        if _log(real).exists()
        else "mode=ro&immutable=1"
    )
    connection = sqlite3.connect(
        f"{real.as_uri()}?{mode}", timeout=PATIENCE, isolation_level=None, uri=True
    )
    with _closing_on_error(connection):
        connection.execute("PRAGMA query_only = ON")
        _refuse_corrupted(path, connection)
    return connection


def _writer(path: Path) -> sqlite3.Connection:
    """A connection to a sound store, which is made if there is none.

    Its commits outlive the machine's power.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size:
        _refuse_foreign(path)
    if not _can_write(path.resolve()):
        raise BadInput(f"{path} or its folder cannot be written to: name another file with --store")
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    with _closing_on_error(connection):
        connection.execute("PRAGMA synchronous = FULL")
        _make_table(connection)
        _refuse_corrupted(path, connection)
        _write_ahead(connection)
    return connection


def _can_write(real: Path) -> bool:
    """Whether the file, if it is there, and files beside it may be written."""
    return all(os.access(one, os.W_OK) for one in (real, real.parent) if one.exists())


def _log(real: Path) -> Path:
    """Where SQLite keeps what is committed and not yet in the file."""
    return real.with_name(real.name + "-wal")


def _make_table(connection: sqlite3.Connection) -> None:
    """Make the table in a new file; whoever comes first does, and others wait and find it."""
    with _transaction(connection):
        if not connection.execute("PRAGMA application_id").fetchone()[0]:
            connection.execute(SCHEMA.strip())
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors, such as a full disk, have rolled back already
            connection.execute("ROLLBACK")
        raise


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Set write-ahead mode; SQLite does not wait here for others who are making the same store."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


@contextlib.contextmanager
def _closing_on_error(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise


@contextlib.contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Errors of the file system and of SQLite as `BadInput`."""
    try:
        yield
    except UnicodeDecodeError as error:  # of a message that quotes what was read
        raise BadInput(
            f"{path} is corrupted, and was left as it is: its text cannot be read"
        ) from error
    except sqlite3.Error as error:
        code, words = (
            (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF,
            " ".join(str(error).split()),
        )
        if code == sqlite3.SQLITE_FULL:
            raise BadInput(
                f"there is no room left for {path}: everything committed is kept; make room and "
                "repeat the command"
            ) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise BadInput(f"{path} is corrupted, and was left as it is: {words}") from error
        if code == sqlite3.SQLITE_IOERR:
            raise BadInput(
                f"{path} cannot be written any more ({words}): everything committed is kept; is "
                "there room, or a limit on the size of files?"
            ) from error
        log = _log(path.resolve())
        if code == sqlite3.SQLITE_CANTOPEN and log.exists():
            raise BadInput(
                f"{path} was left by a sweep that did not end: copy it, with {log.name}, to where "
                "you can write"
            ) from error
        raise BadInput(f"{path} cannot be used as a store of results: {words}") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be used as a store of results: {error.strerror}") from error
