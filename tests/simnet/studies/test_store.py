"""The store: committed results stay, foreign files are left alone, and damage only makes results
missing.
"""

import fcntl
import json
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet.errors import BadInput
from simnet.studies import store as store_module
from simnet.studies.experiment import LABEL, Job, canonical, seed_of
from simnet.studies.store import (
    FORMAT,
    HEADER,
    SEAL,
    SEAL_LENGTH,
    Result,
    Store,
    Versions,
    _digest,
    default_store,
)
from tests.harness.data import ROOT
from tests.harness.results import HERE, result

finite = st.floats(allow_nan=False)


def test_what_is_added_is_kept_in_order(tmp_path: Path) -> None:
    path = tmp_path / "new" / "results"
    with Store(path) as store:
        assert store.add("e", HERE, [result(2), result(0)]) == 2
        assert store.add("e", HERE, [result(1), result(2)]) == 1
    with Store(path) as store:
        assert [one.result for one in store.kept("e", HERE)] == [result(2), result(0), result(1)]
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


@given(
    st.dictionaries(st.text(), finite | st.integers(), max_size=5),
    st.integers(0, 9) | finite | st.sampled_from([inf, nan]),
    st.text(st.characters(codec=None), max_size=3),
)
def test_results_come_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory,
    numbers: dict[str, float | str],
    seconds: float,
    point: str,
) -> None:
    """Whatever the kind of their seconds, and with lone surrogates in the parameters."""
    path = tmp_path_factory.mktemp("s") / "s"
    numbers[LABEL] = point.encode(errors="replace").decode()
    added = Result(Job(canonical({"x": point}), 0, 2**64), numbers, seconds)
    for expected in (1, 0):
        with Store(path) as store:
            assert store.add("e", HERE, [added]) == expected
            assert repr([one.result for one in store.kept()]) == repr([added])
            assert not store.damaged


@given(
    st.dictionaries(
        st.text(), finite | st.integers() | st.text() | st.none() | st.booleans(), max_size=5
    )
)
def test_parameters_have_one_form_whatever_their_order(parameters: dict[str, float]) -> None:
    backwards = dict(reversed(parameters.items()))
    assert canonical(parameters) == canonical(backwards)
    assert 0 <= seed_of("e", canonical(parameters), 3) < 2**63


@pytest.mark.slow
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
                assert not store.damaged


# damage

TRIALS = 60  # some 12 kB
COUNT = st.integers(0, 16_000)


@st.composite
def damaged(draw: st.DrawFn, whole: bytes) -> bytes:
    """A store's bytes after one accident."""
    start, length = draw(COUNT) % len(whole), draw(COUNT) % 5000 + 1
    end = min(start + length, len(whole))
    other = draw(COUNT) % len(whole)
    kind = draw(st.sampled_from(["flip", "zeros", "noise", "page", "cut", "gap", "twice", "tail"]))
    if kind == "flip":
        flipped = whole[start] ^ (1 << draw(st.integers(0, 7)))
        return whole[:start] + bytes([flipped]) + whole[start + 1 :]
    middle = {
        "zeros": bytes(end - start),
        "noise": draw(st.randoms(use_true_random=False)).randbytes(end - start),
        "page": whole[other : other + end - start],
        "gap": b"",
        "twice": whole[start:end] * 2,
    }
    if kind in middle:
        return whole[:start] + middle[kind] + whole[end:]
    return whole[: max(start, len(HEADER))] if kind == "cut" else whole + whole[start:end]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sound") / "s"
    with Store(path) as store:
        for trial in range(0, TRIALS, 3):
            store.add("e", HERE, [result(trial + k, trial / 7) for k in range(3)])
    return path.read_bytes()


@given(st.data())
def test_after_any_damage_results_are_right_or_missing_and_can_be_added_again(
    tmp_path_factory: pytest.TempPathFactory, sound: bytes, data: st.DataObject
) -> None:
    """Or the file has become no store, is refused, and is left alone."""
    path = tmp_path_factory.mktemp("damaged") / "s"
    before = data.draw(damaged(sound))
    path.write_bytes(before)
    expected = {trial: result(trial, trial // 3 * 3 / 7) for trial in range(TRIALS)}
    try:
        with Store(path, reading=True) as reader:
            found = [one.result for one in reader.kept()]
    except BadInput:
        with pytest.raises(BadInput, match=r"is no store of results|has format"):
            Store(path)
        assert path.read_bytes() == before
        return
    assert path.read_bytes() == before
    assert all(one == expected[one.job.trial] for one in found)
    assert len({one.job.trial for one in found}) == len(found)
    with Store(path) as store:
        missing = store.lacks("e", HERE, [one.job for one in expected.values()])
        assert len(missing) == TRIALS - len(found)
        assert store.damaged >= reader.damaged
        assert store.add("e", HERE, [expected[job.trial] for job in missing]) == len(missing)
        store.confirm()
    with Store(path, reading=True) as reader:
        assert not reader.damaged
        assert {one.result.job.trial: one.result for one in reader.kept()} == expected


def test_damage_is_counted_and_a_page_written_over_another_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(trial) for trial in range(4)])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(b"1.5", b"2.5"), lines[1], lines[4]]))
    with Store(path, reading=True) as reader:
        assert reader.damaged == 2
        assert [one.result.job.trial for one in reader.kept()] == [0, 3]


ODD = [
    *(b'{"a": 1', b"[]", b"[" * 5000, b'{"trial": ' + b"9" * 5000, b"", b"\xff", b'{"aborts": 5'),
    *(b'{"parameters": []', b'{"numbers": {"value": null}', b'{"trial": true', b'{"odd": 1'),
    *(b'{"numbers": {"value": "text"}', b'{"seconds": ' + b"9" * 400, b'{"parameters": "[1"'),
]


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd[:20].decode(errors="replace"))
def test_a_line_with_a_right_digest_and_odd_contents_is_damaged(tmp_path: Path, odd: bytes) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0)])
    line = path.read_bytes().splitlines()[-1][: -SEAL_LENGTH + 1]
    # Of two equal keys the later one counts.
    text = line + b", " + odd.removeprefix(b"{") if odd.startswith(b"{") else odd
    with path.open("ab") as file:
        file.write(text + SEAL.format(_digest(text)).encode())
    with Store(path, reading=True) as reader:
        assert (reader.damaged, [one.result for one in reader.kept()]) == (1, [result(0)])


def foreign_database(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE music (title)")
    connection.close()


NO_STORES: list[tuple[Callable[[Path], object], str]] = [
    (
        lambda path: path.write_text("title,year\nSo What,1959\n"),
        "is no store of results that this version of simnet reads, and was left as it is",
    ),
    (foreign_database, "is no store of results"),
    (lambda path: path.write_bytes(bytes(10_000)), "is no store of results"),
    (
        lambda path: path.write_bytes(HEADER.replace(b"%d" % FORMAT, b"%d" % (FORMAT + 1))),
        f"has format {FORMAT + 1} and this version of simnet reads format {FORMAT}.*name another",
    ),
]


@pytest.mark.parametrize(("make", "words"), NO_STORES, ids=range(len(NO_STORES)))
def test_what_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, make: Callable[[Path], object], words: str
) -> None:
    path = tmp_path / "file"
    make(path)
    before = path.read_bytes()
    for reading in (True, False):
        with pytest.raises(BadInput, match=words):
            Store(path, reading=reading)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("part", [b"", HEADER[:9], HEADER])
def test_a_file_whose_maker_was_killed_becomes_a_store(tmp_path: Path, part: bytes) -> None:
    (tmp_path / "s").write_bytes(part)
    with Store(tmp_path / "s") as store:
        assert store.add("e", HERE, [result(0)]) == 1
    assert (tmp_path / "s").read_bytes().startswith(HEADER)


def test_what_a_killed_writer_left_is_cut_off_by_the_next_one(tmp_path: Path) -> None:
    """Also by one that had the store open before; readers overlook it."""
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0)])
        with path.open("ab") as file:
            file.write(b'{"experiment": "e", "para')
        with Store(path, reading=True) as reader:
            assert (len(reader.kept()), reader.damaged) == (1, 0)
        store.add("e", HERE, [result(1)])
        assert (len(store.kept()), store.damaged) == (2, 1)
    lines = path.read_text().splitlines()
    assert [json.loads(line).get("trial") for line in lines] == [None, 0, 1]


ACCIDENTS: list[tuple[Callable[[Path], object], str]] = [
    (Path.unlink, "was deleted while it was in use"),
    (lambda path: path.rename(path.with_name("t")), "was deleted while it was in use"),
    (
        lambda path: path.with_name("new").replace(path),
        "was replaced by another file while it was in use",
    ),
    (lambda path: os.truncate(path, 0), "was cut short while it was in use"),
]


@pytest.mark.parametrize(("happens", "words"), ACCIDENTS, ids=range(len(ACCIDENTS)))
def test_a_store_that_goes_while_it_is_in_use_is_noticed(
    tmp_path: Path, happens: Callable[[Path], object], words: str
) -> None:
    path = tmp_path / "s"
    with Store(tmp_path / "new") as other, Store(path) as store:
        other.add("e", HERE, [result(7)])
        store.add("e", HERE, [result(0)])
        happens(path)
        for use in (lambda: store.add("e", HERE, [result(1)]), store.confirm):
            with pytest.raises(BadInput, match=words):
                use()


def test_a_store_that_loses_results_while_it_is_in_use_is_noticed_at_the_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0), result(1)])
        store.confirm()
        path.write_bytes(path.read_bytes().replace(b"1.5", b"2.5", 1))
        with pytest.raises(BadInput, match=r"has lost results that were kept in it \(1\)"):
            store.confirm()


def test_a_process_that_stands_still_while_it_writes_is_waited_for_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "PATIENCE", 0.05)
    with Store(tmp_path / "s") as store, (tmp_path / "s").open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(BadInput, match="another process has been writing"):
            store.add("e", HERE, [result(0)])
        fcntl.flock(other, fcntl.LOCK_UN)
        assert store.add("e", HERE, [result(0)]) == 1


def test_reading_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "s"
    with Store(path) as store:
        store.add("e", HERE, [result(0)])
        with Store(path, reading=True) as reader:  # while somebody writes
            assert len(reader.kept()) == 1
    before = path.read_bytes()
    path.chmod(0o444)
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
            store.add("e", HERE, [result(trial) for trial in range(1, 1000)])
            assert len(reader.kept()) == 1000


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "below"):
        with pytest.raises(BadInput, match="cannot be used as a store of results"):
            Store(path)


# no room left

FILL = """
import resource, sys
from pathlib import Path
from tests.harness.results import HERE, result
from simnet.errors import BadInput
from simnet.studies.store import Store

if sys.argv[2] == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
with Store(Path(sys.argv[1])) as store:
    try:
        for trial in range(10_000):
            store.add("e", HERE, [result(trial, point='{"x":"' + "long " * 400 + '"}')])
            print(trial, flush=True)
    except BadInput as error:
        print(error)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["disk", "limit"])
def test_a_disk_that_fills_up_keeps_what_is_committed(tmp_path: Path, kind: str) -> None:
    """A file system of 600 kB, mounted in a name space of its own; or a limit on a file's size."""
    program, disk, out = tmp_path / "fill.py", tmp_path / "disk", tmp_path / "out"
    program.write_text(FILL)
    disk.mkdir()
    out.mkdir()
    fill = f"{sys.executable} {program} {disk}/s {kind}; cp {disk}/s* {out}/"
    mount = f"mount -t tmpfs -o size=600k none {disk} || exit 9; {fill}"
    done = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", mount]
        if kind == "disk"
        else ["sh", "-c", fill],
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
        assert not store.damaged
        assert store.add("e", HERE, [result(10_000)]) == 1


def test_the_store_is_in_the_users_folder_for_state(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_store() == tmp_path / "simnet" / "results.jsonl"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_store() == tmp_path / ".local" / "state" / "simnet" / "results.jsonl"
