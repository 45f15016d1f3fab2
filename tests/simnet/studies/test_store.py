"""The store: what is committed stays, what is not ours is left alone, and errors say what to do."""

import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.errors import BadInput
from simnet.studies.experiment import Job, canonical, seed_of
from simnet.studies.store import (
    APPLICATION,
    FORMAT,
    SCHEMA,
    Result,
    Store,
    Versions,
    default_store,
)
from tests.harness.data import ROOT
from tests.harness.results import HERE, result

finite = st.floats(allow_nan=False)


def test_what_is_added_is_kept_in_order(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results.sqlite"
    with Store(path) as store:
        assert store.add("e", HERE, [result(2), result(0)]) == 2
        assert store.add("e", HERE, [result(1), result(2)]) == 1
    with Store(path) as store:
        assert [one.result for one in store.kept("e", HERE)] == [result(0), result(1), result(2)]
        assert store.finished("e", HERE) == {('{"x":1}', trial) for trial in range(3)}
        assert store.lacks("e", HERE, [result(trial).job for trial in range(5)]) == [
            result(3).job,
            result(4).job,
        ]


def test_a_row_that_is_there_stays(tmp_path: Path) -> None:
    with Store(tmp_path / "s") as store:
        store.add("e", HERE, [result(0, 1.0)])
        assert store.add("e", HERE, [result(0, 2.0)]) == 0
        assert store.kept()[0].result.numbers == {"value": 1.0}


def test_other_code_and_other_data_are_other_results(tmp_path: Path) -> None:
    versions = [HERE, Versions("other", "data"), Versions("code", "other")]
    with Store(tmp_path / "s") as store:
        for value, one in enumerate(versions):
            assert store.add("e", one, [result(0, value)]) == 1
            assert store.lacks("f", one, [result(0).job]) == [result(0).job]
        assert [store.kept("e", one)[0].result.numbers["value"] for one in versions] == [0, 1, 2]
        assert len(store.kept()) == 3


@given(st.dictionaries(st.text(), finite | st.integers() | st.text(), max_size=5))
def test_numbers_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, numbers: dict[str, float]
) -> None:
    with Store(tmp_path_factory.mktemp("s") / "s") as store:
        store.add("e", HERE, [Result(Job("{}", 0, 7), numbers, 0.0)])
        assert store.kept()[0].result.numbers == numbers


@given(
    st.dictionaries(
        st.text(), finite | st.integers() | st.text() | st.none() | st.booleans(), max_size=5
    )
)
def test_parameters_have_one_form_whatever_their_order(parameters: dict[str, float]) -> None:
    backwards = dict(reversed(parameters.items()))
    assert canonical(parameters) == canonical(backwards)
    assert 0 <= seed_of("e", canonical(parameters), 3) < 2**63


def test_many_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    """Also when all of them find that there is no file yet."""
    start = threading.Barrier(4)

    def write(path: Path, writer: int) -> int:
        start.wait()
        with Store(path) as store:
            return sum(
                store.add("e", HERE, [result(trial)]) for trial in range(writer, writer + 20)
            )

    with ThreadPoolExecutor(4) as threads:
        for path in (tmp_path / str(number) for number in range(10)):
            added = sum(threads.map(partial(write, path), range(0, 40, 10)))
            with Store(path) as store:
                assert added == len(store.kept()) == 50


# files that are no store


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE music (title)")
    connection.close()


def newer_format(path: Path) -> None:
    Store(path).__exit__(None, None, None)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    connection.close()


def corrupted(path: Path) -> None:
    with Store(path) as store:
        store.add("e", HERE, [result(trial, trial / 7) for trial in range(2000)])
    with path.open("r+b") as file:
        file.seek(4096 * 3)
        file.write(b"\xff" * 4096 * 5)


def cut_short(path: Path) -> None:
    with Store(path) as store:
        store.add("e", HERE, [result(trial, trial / 7) for trial in range(2000)])
    os.truncate(path, 4096 * 5)


def without_its_table(path: Path) -> None:
    Store(path).__exit__(None, None, None)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE trials")
        connection.execute("CREATE TABLE trials (title)")
    connection.close()


def with_broken_text(path: Path) -> None:
    Store(path).__exit__(None, None, None)
    whole = bytearray(path.read_bytes())
    whole[whole.index(b"trials", 100)] = 0xFF
    path.write_bytes(whole)


NO_STORES: list[tuple[Callable[[Path], object], str]] = [
    (
        lambda path: path.write_text("title,year\nSo What,1959\n"),
        "is no store of results, and was left as it is",
    ),
    (lambda path: path.write_bytes(b"SQLite format 3\0"), "is no store of results"),
    (foreign_database, "is a database of another program, and was left as it is"),
    (
        newer_format,
        f"has format {FORMAT + 1} and this version of simnet reads format {FORMAT}.*update simnet",
    ),
    (corrupted, "is corrupted, and was left as it is"),
    (cut_short, "is corrupted, and was left as it is"),
    (without_its_table, "its tables are not those of a store"),
    (with_broken_text, "is corrupted, and was left as it is"),
]


@pytest.mark.parametrize(("make", "words"), NO_STORES, ids=range(len(NO_STORES)))
def test_what_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], object], words: str
) -> None:
    path = tmp_path / "file"
    make(path)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=words):
        Store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "change", [('value": 1.5', 'value": 2.5'), ('value": 1.5', 'value": 1.5,')]
)
def test_a_row_that_was_changed_is_refused(tmp_path: Path, change: tuple[str, str]) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0), result(1)])
        assert len(store.kept()) == 2
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE trials SET numbers = replace(numbers, ?, ?) WHERE trial = 1", change
        )
    connection.close()
    with Store(path) as store, pytest.raises(BadInput, match="corrupted: trial 1 of e"):
        store.kept()


def test_reading_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0)])
        with Store(path, reading=True) as reader:  # while somebody writes
            assert len(reader.kept()) == 1
    before = path.read_bytes()
    path.parent.chmod(0o555)
    try:
        with Store(path, reading=True) as reader:
            assert len(reader.kept()) == 1
        assert [one.name for one in path.parent.iterdir()] == ["s"]
    finally:
        path.parent.chmod(0o755)
    assert path.read_bytes() == before
    (tmp_path / "empty").touch()
    with pytest.raises(BadInput, match="is no store of results"):
        Store(tmp_path / "empty", reading=True)
    assert not (tmp_path / "empty").read_bytes()


def test_what_is_read_stays_sound_while_others_write(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0)])
    with Store(path, reading=True) as reader:
        with Store(path) as store:
            store.add("e", HERE, [result(trial) for trial in range(1, 30_000)])
        assert len(reader.kept()) == 30_000


def test_a_link_to_a_store_is_the_store(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    path, link = tmp_path / "folder" / "s", tmp_path / "link"
    link.symlink_to(path)
    with Store(link) as store:
        store.add("e", HERE, [result(0)])
        for name in (path, link):
            with Store(name, reading=True) as reader:
                assert len(reader.kept()) == 1


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    """Such as one that was being made when its process was killed."""
    (tmp_path / "s").touch()
    with Store(tmp_path / "s") as store:
        assert store.add("e", HERE, [result(0)]) == 1


def test_nothing_is_put_beside_a_database_of_another_program(tmp_path: Path) -> None:
    foreign_database(tmp_path / "file")
    with pytest.raises(BadInput):
        Store(tmp_path / "file")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_sound_store_is_not_taken_for_a_corrupted_one(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(trial, trial / 7) for trial in range(2000)])
    with Store(path) as store:
        assert len(store.kept()) == 2000
    header = path.read_bytes()[:100]
    assert int.from_bytes(header[68:72], "big") == APPLICATION


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be used as a store of results"):
        Store(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be used as a store of results"):
        Store(tmp_path / "file" / "below")


# no room left


def fill(store: Store) -> None:
    for trial in range(1, 1000):
        store.add("e", HERE, [result(trial, point='{"x":"' + "long " * 100 + '"}')])


def test_no_room_left_keeps_what_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0)])
        store._connection.execute("PRAGMA max_page_count = 8")  # a small disk
        with pytest.raises(
            BadInput,
            match=r"no room left for .*: everything committed is kept; make room and repeat",
        ):
            fill(store)
        there = store.kept()
        assert result(0) in [one.result for one in there]
        assert 1 < len(there) < 1000
    with Store(path) as store:  # whose limit is gone, as when room was made
        assert store.kept() == there
        assert store.add("e", HERE, [result(1000)]) == 1


FILL = """
import sys
from pathlib import Path
from tests.harness.results import HERE, result
from simnet.errors import BadInput
from simnet.studies.store import Store

with Store(Path(sys.argv[1])) as store:
    try:
        for trial in range(10_000):
            store.add("e", HERE, [result(trial, point='{"x":"' + "long " * 400 + '"}')])
            print(trial, flush=True)
    except BadInput as error:
        print(error)
"""


def test_a_disk_that_fills_up_keeps_what_is_committed(tmp_path: Path) -> None:
    """A file system of 600 kB, mounted in a name space of its own."""
    program, disk, out = tmp_path / "fill.py", tmp_path / "disk", tmp_path / "out"
    program.write_text(FILL)
    disk.mkdir()
    out.mkdir()
    script = (
        f"mount -t tmpfs -o size=600k none {disk} || exit 9; {sys.executable} {program} "
        f"{disk}/s; cp {disk}/s* {out}/"
    )
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    if done.returncode == 9 or done.stderr.startswith("unshare"):
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    *committed, told = done.stdout.splitlines()
    assert "no room left for" in told
    with Store(out / "s") as store:
        assert len(store.kept()) == len(committed) > 10


def test_the_store_is_in_the_users_folder_for_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_store() == tmp_path / "simnet" / "results.sqlite"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_store() == tmp_path / ".local" / "state" / "simnet" / "results.sqlite"


def test_a_store_whose_statement_has_other_line_breaks_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the formatter, which breaks the lines of SCHEMA, makes no store unreadable."""
    with monkeypatch.context() as patched:
        patched.setattr("simnet.studies.store.SCHEMA", SCHEMA.replace(", ", ",\n  "))
        with Store(tmp_path / "s") as store:
            store.add("e", HERE, [result(0)])
    for reading in (True, False):
        with Store(tmp_path / "s", reading=reading) as store:
            assert len(store.kept()) == 1
