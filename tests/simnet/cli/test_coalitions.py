"""`simnet coalitions`: its table, its certificates, and what it refuses."""

import json
from pathlib import Path

import pytest

from simnet import Party, Seat, run, seats
from simnet.adversary.check import check
from simnet.adversary.coalitions.answer import Answer, CountedPart, CountedStanding, Kind
from simnet.adversary.coalitions.staircase import Staircase
from simnet.cli.counted import print_found
from simnet.cli.output import console
from simnet.scenario.large_coalitions import Searched
from tests.harness.shell import RING, refusal, simnet


@pytest.mark.slow
def test_each_coalition_that_is_listed_gets_a_certificate_that_reads_again(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    found = simnet(
        *("coalitions", "secagg", "--users", 3, "--items", 1, "--drop", "u3@masked"),
        *("--certificates", folder),
    )
    assert found.status == 0
    files = sorted(folder.glob("*.json"))
    assert f"certificates written to {folder}: {len(files)}" in " ".join(found.out.split())
    assert {"server.json", "u1-server.json"} <= {file.name for file in files}
    for file in files:
        assert check(file.read_text(encoding="utf-8")).proved
        if file.name == "u1-server.json":
            assert simnet("verify", "--check", file).status == 0


def test_a_certificate_of_a_coalition_names_a_file_without_its_folders(tmp_path: Path) -> None:
    program, folder = tmp_path / "own.py", tmp_path / "proofs"
    program.write_text(RING.read_text(encoding="utf-8"), encoding="utf-8")
    found = simnet("coalitions", program, "--user", "u1", "--certificates", folder)
    assert found.status == 0
    file = min(folder.glob("*.json"))
    assert json.loads(file.read_text(encoding="utf-8"))["protocol"]["scenario"] == "own.py"
    assert simnet("verify", program, "--check", file).status == 0


def test_a_large_run_is_counted_and_each_line_has_a_certificate(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    found = simnet("coalitions", "dpds", "--users", 50, "--items", 2, "--certificates", folder)
    assert found.status == 0
    lines = [" ".join(line.split()) for line in found.out.splitlines()]
    assert "each user exposed by at least all 49 1" in lines
    assert "not exposed by at most 48 1" in lines
    said = " ".join(lines)
    assert "The lists are complete" in said
    assert 'see the page "Breaking sets" in the documentation' in said
    assert "Not searched: which coalitions learn more than their output" in said
    files = sorted(folder.glob("*.json"))
    assert len(files) == 4
    sets = []
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert check(text).proved
        sets.append(json.loads(text)["set"])
    assert [*(f"u{number}" for number in range(1, 50)), "server"] in sets
    assert ["server"] in sets


@pytest.mark.slow
def test_a_run_with_shamirs_sharing_is_counted() -> None:
    found = simnet("coalitions", "dpds_shamir", "--users", 20, "--items", 2, "--json", "-").json
    (part,) = found["parts"]
    assert [kind["name"] for kind in part["kinds"]] == ["user", "server"]
    (standing,) = part["standings"]
    assert standing["exposing"] == {"minimal": [[3, 0]], "maximal": [[2, 1]], "unsearched": ""}
    assert found["complete"]


def test_a_run_that_cannot_be_counted_says_why_and_that_more_may_exist() -> None:
    found = simnet("coalitions", RING, "--users", 13, "--user", "u7")
    said = " ".join(found.out.split())
    assert found.status == 0
    assert "cannot be judged by counts" in said
    assert "why: symmetry does not apply: the parties of this run are of too many different" in said
    assert "u6, u8" in said
    assert "all others but u8" in said
    assert "Not complete" in said
    assert "no coalition" not in said


def test_drop_outs_are_not_counted() -> None:
    found = simnet("coalitions", "dpds", "--users", 13, "--items", 1, "--drop", "u3@share:after")
    said = " ".join(found.out.split())
    assert "u3" in said
    assert "counted only in runs without drop-outs and without a network" in said


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--users", 13, "--figure", "coalitions.svg"), "--figure draws runs with at most 12"),
        (("--users", 4, "--user", "u9"), "no party of this run is called 'u9'"),
        (("--users", 4, "--user", "server"), "'server' has declared no secret"),
    ],
)
def test_options_that_do_not_fit_the_size_are_refused(
    options: tuple[object, ...], reason: str
) -> None:
    refused = simnet("coalitions", "dpds", "--items", 1, *options)
    assert reason in " ".join(refusal(refused).split())


def test_the_table_of_a_small_run_shows_the_users_that_are_asked_for() -> None:
    shown = simnet("coalitions", RING, "--users", 5, "--user", "u2,u4").out
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert [line for line in lines if line.startswith("u2 u1, u3")]
    assert [line for line in lines if line.startswith("u4 u3, u5")]
    assert not [line for line in lines if line.startswith("u3 ")]


COPIES_A_SECRET = """
from simnet import Field, Seat, Tag

F, NOTE = Field(101), Tag("note")

class Copies:
    def parties(self):
        return {"u1": Seat(self.first), "u2": Seat(self.second), "server": Seat(self.server)}

    async def first(self, me, number):
        await me.send(NOTE, "u2", me.secret(lambda x: [x], number, field=F, shape=(1,)))

    async def second(self, me, number):
        received = await me.receive(NOTE, "u1", shape=(1,))
        await me.send(NOTE, "server", me.secret(lambda x: x, received, field=F, shape=(1,)))

    async def server(self, me):
        await me.receive(NOTE, "u2", shape=(1,))
"""


def test_coalitions_that_no_column_covers_are_counted(tmp_path: Path) -> None:
    """The server learns u2's copy of u1's secret. Its verdict is decided, so no note on undecided
    verdicts says that it may expose u1.
    """
    file = tmp_path / "copies.py"
    file.write_text(COPIES_A_SECRET)
    shown = simnet("coalitions", file, "--json", tmp_path / "told.json").out
    text = " ".join(shown.split())
    standing = json.loads((tmp_path / "told.json").read_text())["standings"][0]
    assert (standing["party"], standing["exposing"]) == ("u1", [["u2"]])
    assert (standing["may_expose"], standing["may_touch"]) == (1, 1)
    for verb in ("expose", "touch"):
        line = f"it is not known whether they {verb} a party; the table leaves them out (1 for u1)"
        assert line in text
    assert "not known" not in simnet("coalitions", file, "--user", "u2").out


@pytest.mark.parametrize(
    ("protocol", "user", "reason"),
    [
        (RING, "u99", "no party of this run is called 'u99'"),
        ("dpds", "u99", "no party of this run is called 'u99'"),
        ("dpds", "server", "'server' has declared no secret"),
        ("dpds_shamir", "server", "'server' has declared no secret"),
    ],
)
def test_a_user_without_a_secret_is_refused_in_a_large_run(
    protocol: str, user: str, reason: str
) -> None:
    refused = simnet("coalitions", protocol, "--users", 13, "--user", user)
    assert reason in " ".join(refusal(refused).split())


@pytest.mark.slow
def test_the_tables_of_a_counted_run_show_the_users_that_are_asked_for() -> None:
    options = ("coalitions", "tss", "--users", 14, "--items", 3, "--seed", 4)
    found = simnet(*options, "--json", "-").json
    kinds = [
        {kind["name"] for kind in part["kinds"] if kind["has_secret"] and "u2" in kind["members"]}
        for part in found["parts"]
    ]
    shown = simnet(*options, "--user", "u2").out
    assert any(kinds)
    assert shown.count(" exposed by at least ") == sum(map(bool, kinds))


def test_counts_are_said_in_full_and_nothing_that_was_not_found_is_denied() -> None:
    """A search that ended early prints `none found`, and never `no coalition`."""
    kinds = (
        Kind("user", tuple(f"u{number}" for number in range(1, 31)), True, ("share",)),
        Kind("server", ("server",), False, ()),
    )
    stairs = Staircase(
        (), (), "more than 2,000 coalitions would have to be judged for one part of the run"
    )
    whole = Staircase((), ((29, 1),))
    part = CountedPart(("x",), ("share",), kinds, (CountedStanding(kinds[0], stairs, whole),))
    found = Answer(31, (part,), (), 7, ())
    out = console(None)
    with out.capture() as captured:
        print_found(out, Searched(run(Quiet(), [1], 1), found, (), lambda _: None))
    lines = [" ".join(line.split()) for line in captured.get().splitlines()]
    assert "each user exposed by at least none found" in lines
    assert "each user touched by at least no coalition" in lines
    assert "not touched by at most all 29 1" in lines
    assert any("The lists are not complete" in line for line in lines)
    assert not any("The lists are complete" in line for line in lines)


class Quiet:
    """One user who does nothing."""

    def parties(self) -> dict[str, Seat]:
        return seats("u", self.user, 1)

    async def user(self, me: Party, number: int) -> None: ...
