"""Public data sets: files are derived from small made-up originals, and downloaded from a server on
this machine.
"""

import errno
import gzip
import hashlib
import http.server
import os
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scenarios.data import fetching
from scenarios.data.derive import (
    ADULT,
    CENSUS,
    SESSIONS,
    adult,
    census,
    first_sessions,
    gowalla_cells,
    item_counts,
)
from scenarios.data.fetching import fetch_data, fetched, made, readers
from scenarios.data.registry import ELSEWHERE, FILES, Derived, Original
from simnet.errors import BadInput
from simnet.scenario.columns import read_column
from simnet.studies.find import find_experiment, names
from tests.harness.data import DATA


def test_census_keeps_21_fields_and_the_class() -> None:
    fields = [str(place) for place in range(41)]
    rows = census([[", ".join([*fields, "- 50000."]), ", ".join([*fields, "50000+."]), ""]])
    assert rows[0] == [*CENSUS.values(), "income_over_50k"]
    assert [row[-1] for row in rows[1:]] == ["0", "1"]
    assert rows[1][:3] == ["0", "1", "4"]


def test_adult_is_both_parts_without_the_full_stop() -> None:
    row = ", ".join(["1"] * 14)
    rows = adult([[f"{row}, <=50K", ""], ["|1x3 Cross validator", f"{row}, >50K."]])
    assert rows[0] == list(ADULT)
    assert [one[-2:] for one in rows[1:]] == [["<=50K", "train"], [">50K", "test"]]


def test_items_are_counted_over_baskets() -> None:
    assert item_counts([["3 1 2 ", "1 30", "1"]]) == [
        ["item", "count"],
        ["1", "3"],
        ["2", "1"],
        ["3", "1"],
        ["30", "1"],
    ]


def test_a_users_cell_is_that_with_the_most_check_ins_the_lowest_of_a_tie() -> None:
    places = [
        "0\t30.0\t-100.0",
        "1\t44.9\t-80.1",
        "2\t35\t-95",
        "3\t45\t-90",
        "4\t29.9\t-90",
    ]  # 0, 11, 5, none, none
    tune, test, train = (
        ["7\t0\t1"],
        ["7\t1\t1", "6000\t2\t9", "8\t3\t5"],
        ["7\t2\t1", "6000\t0\t99", "9\t1\t4"],
    )
    assert gowalla_cells([places, tune, test, train])[1:] == [
        ["7", "0", "1", "full"],
        ["9", "11", "4", "full"],
        ["6000", "5", "9", "last30"],
    ]


@pytest.mark.data
@pytest.mark.parametrize("name", FILES)
def test_digests_are_those_of_the_files(name: str) -> None:
    content = (DATA / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    assert hashlib.sha256(content).hexdigest() == FILES[name].sha256


@pytest.mark.data
def test_patients_follow_from_their_rows() -> None:
    name = "breast_cancer_ljubljana.csv"
    _, *rows = (DATA / name).read_text().splitlines(keepends=True)
    original = "".join(rows).encode()
    assert hashlib.sha256(original).hexdigest() == FILES[name].originals[0].sha256
    assert made(name, FILES[name], [original]) == (DATA / name).read_bytes()


def test_sessions_after_the_first_are_left_out() -> None:
    assert first_sessions([["1 2", *["2"] * (SESSIONS - 1), "2 3 4"]]) == [
        ["item", "count"],
        ["1", "1"],
        ["2", str(SESSIONS)],
    ]


def test_every_file_that_experiments_read_is_fetched_or_said_not_to_be() -> None:
    read = {file for name in names() for file in find_experiment(name)[1].files}
    assert read == {*FILES, *ELSEWHERE}
    assert readers("gowalla_nyc_locations.csv.gz") == ["joy_fig2"]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    """The address of a server of the files in the folder `served`."""
    (tmp_path / "served").mkdir()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(tmp_path / "served"))

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{serving.server_port}"
        serving.shutdown()
        thread.join()


RAW, CSV = b"1 2\n2\n", b"item,count\n1,1\n2,2\n"
NAME = "retail_counts.csv.gz"


@pytest.fixture
def data(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the data, of which one file can be had from the server and no other is known."""
    (tmp_path / "served" / "raw.gz").write_bytes(gzip.compress(RAW))
    good = Original(f"{server}/raw.gz", hashlib.sha256(RAW).hexdigest())
    derived = Derived((good,), item_counts, hashlib.sha256(CSV).hexdigest())
    monkeypatch.setattr(fetching, "FILES", {NAME: derived})
    return tmp_path / "data"


def test_files_are_fetched_checked_and_made(
    tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch_data(data, NAME)
    assert read_column(data / NAME, "count").values == ("1", "2")
    (tmp_path / "served" / "raw.gz").unlink()
    fetch_data(data, NAME)
    assert f"{NAME} is already in" in capsys.readouterr().out
    fetch_data(data)
    assert "gowalla_nyc_locations.csv.gz cannot be fetched" in capsys.readouterr().out


WHOLE = gzip.compress(CSV, mtime=0)


@pytest.mark.parametrize(
    "there",
    [b"", WHOLE[:20], WHOLE[:-1], gzip.compress(b"item,count\n9,9\n"), b"no gzip at all"],
    ids=["empty", "cut short", "without its end", "other rows", "no gzip"],  # gzip tells the time
)
def test_a_file_that_is_there_but_is_not_whole_is_made_again(data: Path, there: bytes) -> None:
    data.mkdir()
    (data / NAME).write_bytes(there)
    fetch_data(data)
    assert gzip.decompress((data / NAME).read_bytes()) == CSV
    assert (data / f"{NAME}.old").read_bytes() == there


def test_a_file_is_made_whole_or_not_at_all(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(BadInput, match="No space left on device"):
            fetch_data(data)
    assert [path.name for path in data.iterdir()] == ["originals"]
    fetch_data(data)
    assert gzip.decompress((data / NAME).read_bytes()) == CSV


def test_an_original_of_another_digest_is_not_unpacked(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bomb: 4 kB that unpack to 4 MB, where 1 MB are taken at most."""
    monkeypatch.setattr(fetching, "MOST_BYTES", 1 << 20)
    bomb, served = bytes(1 << 22), tmp_path / "served" / "raw.gz"
    served.write_bytes(gzip.compress(bomb))
    original = Original(f"{server}/raw.gz", hashlib.sha256(bomb).hexdigest())
    with pytest.raises(BadInput, match="unpacks to more than 1,048,576 bytes"):
        fetched(original, tmp_path / "cache")
    served.write_bytes(gzip.compress(RAW))  # what was wrong is not kept
    good = Original(original.url, hashlib.sha256(RAW).hexdigest())
    assert fetched(good, tmp_path / "cache") == RAW


def test_another_file_and_no_connection_are_told(tmp_path: Path, server: str) -> None:
    (tmp_path / "served" / "raw.dat").write_bytes(b"1 2\n")
    (tmp_path / "served" / "raw.gz").write_bytes(gzip.compress(b"1 2\n"))
    for name in ("raw.dat", "raw.gz"):
        with pytest.raises(BadInput, match="is another file, or has changed"):
            fetched(Original(f"{server}/{name}", "0" * 64), tmp_path / "cache")
    with pytest.raises(BadInput, match="is there a connection to the internet"):
        fetched(Original("http://127.0.0.1:9/none", "0" * 64), tmp_path / "cache")
    with pytest.raises(
        BadInput, match=r"no public original is known of 'x': the files .* census_income\.csv\.gz"
    ):
        fetch_data(tmp_path, "x")
    with pytest.raises(
        BadInput,
        match=r"of 'gowalla_nyc_locations\.csv\.gz' \(it has the columns location_id and checkins",
    ):
        fetch_data(tmp_path, "gowalla_nyc_locations.csv.gz")


def test_every_digest_is_one() -> None:
    files: list[Any] = [one for file in FILES.values() for one in (file, *file.originals)]
    digests = [file.sha256 for file in files]
    assert all(len(one) == 64 and int(one, 16) for one in digests)
    assert max(Counter(digests).values()) == 1
