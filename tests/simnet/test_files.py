"""Files are written whole or not at all, by whatever part of the project."""

import ast
import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simnet
from protocols.dpds.script import DPDS
from simnet import save
from simnet.cli.output import write_json
from simnet.cli.page import write_part
from simnet.errors import BadInput
from simnet.files import refuse_unwritable, whole_file, write_whole
from simnet.network.recorded import recorded
from simnet.scenario.figure import blank_figure, write_figure
from simnet.studies.store import Store
from simnet.studies.table import write_csv, write_parquet
from tests.harness.data import ROOT
from tests.harness.shell import simnet as command

PART = "<!-- part -->\n<!-- /part -->\n"


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


ROWS: list[dict[str, Any]] = [{"users": 3, "error": 0.5}]

WRITERS: dict[str, Callable[[Path], None]] = {
    "x.bin": lambda path: write_whole(path, b"new"),
    "x.json": lambda path: write_json({"a": [1, 2]}, str(path)),
    "x.csv": lambda path: write_csv(ROWS, path),
    "x.parquet": lambda path: write_parquet(ROWS, path),
    "x.svg": lambda path: write_figure(blank_figure()(), path),
    "x.png": lambda path: write_figure(blank_figure()(), path),
    "x.md": lambda path: write_part(path, "part", ["new"]),
    "x.transcript": lambda path: save(simnet.run(DPDS(2, 1, 0.5), [1, 1]).transcript, path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_the_old_file_survives_a_write_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path = tmp_path / name
    path.write_text(PART)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(BadInput, match=rf"{name} cannot be written: No space left on device"):
            WRITERS[name](path)
    assert (path.read_text(), names_in(tmp_path)) == (PART, [name])
    WRITERS[name](path)
    assert (path.read_bytes() != PART.encode(), names_in(tmp_path)) == (True, [name])


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_or_an_interrupt_while_writing_leaves_the_old_file(
    tmp_path: Path, error: type[BaseException]
) -> None:
    path = tmp_path / "x"
    path.write_text("old")

    def interrupted() -> None:
        with whole_file(path) as file:
            file.write(b"half of the ne")
            raise error

    with pytest.raises(error):
        interrupted()
    assert (path.read_text(), names_in(tmp_path)) == ("old", ["x"])


def test_links_and_permissions_stay_and_pipes_are_written_to(tmp_path: Path) -> None:
    path, link, pipe = tmp_path / "x", tmp_path / "link", tmp_path / "pipe"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "new \udc80")
    assert (path.read_text(), link.is_symlink()) == ("new \\udc80", True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "through")
    assert os.read(reading, 99) == b"through"
    os.close(reading)
    unnamed, writing = os.pipe()  # as `--json /dev/stdout | ...` and `--json >(...)` have it
    write_whole(Path(f"/dev/fd/{writing}"), "through")
    assert os.read(unnamed, 99) == b"through"
    os.close(unnamed)
    os.close(writing)
    write_whole(Path("/dev/null"), "gone")


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("mode", [None, 0o600, 0o640, 0o666])
@pytest.mark.parametrize("private", [False, True])
def test_nobody_reads_a_file_while_it_is_written_who_may_not_read_it_then(
    tmp_path: Path, umask: int, mode: int | None, private: bool
) -> None:
    path, before = tmp_path / "x", os.umask(umask)
    try:
        if mode is not None:
            path.touch()
            path.chmod(mode)
        with whole_file(path, private) as file:
            while_written = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
    finally:
        os.umask(before)
    new = 0o600 if private else 0o666
    assert stat.S_IMODE(path.stat().st_mode) == (new & ~umask if mode is None else mode)
    assert while_written == stat.S_IMODE(path.stat().st_mode)


def test_only_the_owner_may_read_transcripts_logs_and_stores(tmp_path: Path) -> None:
    done = simnet.run(DPDS(2, 1, 0.5), [1, 1])
    save(done.transcript, tmp_path / "x.transcript")
    recorded(done).save(tmp_path / "x.npz")
    Store(tmp_path / "x.jsonl").__exit__(None, None, None)
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


SEED = 271828182845
OF_RUNS = [  # commands that write files in which their seed may be
    "run tss --users 2 --items 2 --json j --log l",
    "show tss --users 2 --items 1 --html h --svg s.svg",
    "verify tss --users 3 --items 2 --corrupt u1 --certificate c --json j",
    "coalitions tss --users 2 --items 2 --certificates folder --json j",
    "coalitions tss --users 20 --items 2 --certificates folder --json j",
]


@pytest.mark.parametrize("line", OF_RUNS)
def test_only_the_owner_may_read_a_file_that_holds_a_seed(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = command(*line.split(), "--seed", str(SEED))
    assert done.status == 0, done.err
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    telling = [path for path in files if str(SEED).encode() in path.read_bytes()]
    assert telling
    for path in telling:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_only_the_owner_may_read_pages_and_tables_of_trials(tmp_path: Path) -> None:
    simnet.perform("dpds", users=2, items=2, seed=SEED).show().save(tmp_path / "x.html")
    write_csv([{"seed": SEED}], tmp_path / "x.csv")
    write_parquet([{"seed": SEED}], tmp_path / "x.parquet")
    for path in tmp_path.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


@pytest.mark.parametrize("where", ["none/x.json", ".", "x/y.json", "n" * 300])
def test_what_cannot_be_written_is_known_before(tmp_path: Path, where: str) -> None:
    (tmp_path / "x").touch()
    for refused in (refuse_unwritable, lambda path: write_whole(path, "")):
        with pytest.raises(
            BadInput,
            match=r"cannot be written: (it is a folder|there is no folder|File name too long)",
        ):
            refused(tmp_path / where)


@pytest.mark.slow
def test_nothing_writes_files_in_another_way() -> None:
    """The store appends lines itself; the helper's own files are those that it renames."""
    allowed = {"simnet/files.py"}
    ways = {"write_text", "write_bytes", "write_table", "savefig", "tofile", "savez"}
    found = []
    for room in ("simnet", "protocols", "scenarios"):
        for path in (ROOT / room).rglob("*.py"):
            source = str(path.relative_to(ROOT))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if not isinstance(node, ast.Call) or source in allowed:
                    continue
                name = getattr(node.func, "attr", getattr(node.func, "id", ""))
                modes = [a.value for a in node.args if isinstance(a, ast.Constant)]
                opens = name == "open" and any(
                    m in ("w", "wb", "x", "xb", "a", "ab") for m in modes
                )
                if name in ways or opens:
                    found.append(f"{source}:{node.lineno} {name}")
    drawn_into_memory = [one for one in found if one.endswith(("savefig", "write_table"))]
    assert len(drawn_into_memory) == 2
    assert [one for one in found if one not in drawn_into_memory] == []


def write_half(path: Path) -> None:
    with whole_file(path) as file:
        file.write(b"half")
        raise KeyError


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no folder in memory")
def test_a_file_in_shared_memory_is_written_whole_or_not_at_all() -> None:
    path = Path(f"/dev/shm/simnet-{os.getpid()}")
    try:
        write_whole(path, b"old")
        with pytest.raises(KeyError):
            write_half(path)
        assert path.read_bytes() == b"old"
    finally:
        path.unlink(missing_ok=True)
