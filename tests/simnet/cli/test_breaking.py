"""The command `simnet breaking`: its output fits a terminal, its JSON is true of the runs, and
errors take one line.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from simnet.adversary.search import smallest_breaking_sets
from simnet.scenario.breaking import smallest_sizes
from simnet.scenario.find import find
from simnet.scenario.verify import clopper_pearson, played
from tests.harness.shell import RING, WIDTH, refusal, simnet, words

ADDITIVE = "every coin occurs in at most two messages: the search is exact for sets of any size"
NOT_SEARCHED = "Not searched: coalitions with parties of another role"
JUDGED_TOO = "`simnet coalitions` judges these too."
PNG = b"\x89PNG\r\n\x1a\n"

CASES = [  # protocol, options
    ("tss", "--users 7 --items 3"),
    ("tss", "--users 6 --items 4 --set reported=1 --set gamma=3"),
    ("tss_prime", "--users 7 --items 3 --set bound=3"),
    ("tss_prime", "--users 6 --items 3 --set bound=2 --set sharing=shamir:2"),
    ("dpds", "--users 4 --items 2"),
    ("dpds_shamir", "--users 5 --items 2"),
    ("dpdg", "--users 4 --items 2"),
    ("weighted", "--users 12 --items 2"),
]

RELAYING = """
import attrs
from simnet import Field, Seat, Tag, seats

F, T = Field(101), Tag("piece")
NOT_SEARCHED = "Not searched: coalitions with parties of another role"
JUDGED_TOO = "`simnet coalitions` judges these too."


@attrs.frozen
class Relaying:
    users: int = 4
    items: int = 5

    def parties(self):
        return seats("u", self.user, self.users)

    async def user(self, me, item):
        held = me.secret(lambda item: [item], item, field=F, shape=(1,))
        if me.index == 1:
            await me.send(T, "u2", held + me.coins.field(F, (1,)))
        elif me.index == 2:
            await me.send(T, "u3", await me.receive(T, "u1", shape=(1,)))
        elif me.index == 3:
            await me.receive(T, "u2")
"""


def scenario_of(name: str, options: str) -> Any:
    parts = (
        options.replace("--set ", "")
        .replace("--users ", "users=")
        .replace("--items ", "items=")
        .split()
    )
    return find(name)[1].with_settings(dict(part.split("=") for part in parts))


# What JSON tells is true


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES)
def test_json_is_true_of_the_runs(name: str, options: str) -> None:
    result = simnet("breaking", name, *options.split(), "--runs", 2, "--seed", 3, "--json", "-")
    assert (result.status, result.err) == (0, "")
    told = result.json
    keys = {"runs", "confidence", "rows", "safe", "complete", "note", "unsearched", "overlooked"}
    assert set(told) == keys
    sizes = smallest_sizes(scenario_of(name, options), [3, 4])
    assert (told["runs"], told["confidence"]) == (2, 0.95)
    assert (told["safe"], told["complete"], told["note"]) == (
        sizes.safe,
        sizes.complete,
        sizes.note,
    )
    flat = [size for of in sizes.runs for size in of if size is not None]
    assert [row["size"] for row in told["rows"]] == sorted(set(flat))
    for row in told["rows"]:
        assert set(row) == {"size", "users", "runs", "interval"}
        share = sum(
            any(size is not None and size <= row["size"] for size in of) for of in sizes.runs
        )
        assert row["runs"] == share / 2
        assert row["interval"] == pytest.approx(list(clopper_pearson(share, 2)))
        assert row["users"] == pytest.approx(
            sum(size <= row["size"] for size in flat) / sum(map(len, sizes.runs))
        )
    assert told["safe"] == (min(flat) - 1 if flat else None)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES[:6])
@pytest.mark.parametrize("user", ["u1", "u4"])
def test_json_names_the_minimal_sets_of_a_user(name: str, options: str, user: str) -> None:
    told = simnet(
        "breaking", name, *options.split(), "--user", user, "--seed", 2, "--json", "-"
    ).json
    found = smallest_breaking_sets(played(scenario_of(name, options), 2), user)
    assert set(told) == {"user", "sets", "complete", "note", "unsearched", "overlooked"}
    assert (told["unsearched"], told["overlooked"]) == (found.unsearched, found.overlooked)
    assert (told["user"], told["complete"], told["note"]) == (user, found.complete, found.note)
    assert told["sets"] == [
        {
            "users": list(one.users),
            "values": {str(item): value for item, value in one.values.items()},
            "fixes": one.identifies_input,
        }
        for one in found.sets
    ]


def test_the_seed_is_that_of_the_first_run() -> None:
    def rows(seed: int, runs: int) -> Any:
        given = ("--users", 7, "--items", 3, "--seed", seed, "--runs", runs, "--json", "-")
        return simnet("breaking", "tss", *given).json["rows"]

    assert rows(5, 3) == rows(5, 3)
    assert any(rows(5, 1) != rows(seed, 1) for seed in range(6, 12))


def test_the_bound_of_tss_prime_holds_in_every_run() -> None:
    given = ("--users", 8, "--items", 3, "--set", "bound=4", "--runs", 5, "--json", "-")
    assert simnet("breaking", "tss_prime", *given).json["safe"] >= 4


def test_a_note_says_why_a_search_is_not_complete(tmp_path: Path) -> None:
    file = tmp_path / "relaying.py"
    file.write_text(RELAYING, encoding="utf-8")
    for more in ((), ("--user", "u1")):
        result = simnet("breaking", file, "--runs", 2, *more, "--json", "-")
        assert result.status == 0
        assert result.json["complete"] is False
        assert "other users forward values that contain the user's coins" in result.json["note"]


@pytest.mark.parametrize("more", ["--runs 2", "--user u3"])
def test_a_ring_is_first_said_to_be_searched_in_part(more: str) -> None:
    """Here {u2, u4} reads u3, and the search, which does not follow relays, finds nothing."""
    shown = words(simnet("breaking", RING, *more.split()).out)
    assert shown.startswith("The search is not complete and may have missed small sets: the ")
    assert "the user forwards values that it received" in shown
    assert "; ." not in shown
    told = simnet("breaking", RING, *more.split(), "--json", "-").json
    assert (told["complete"], told.get("safe"), bool(told["overlooked"])) == (False, None, True)


def test_a_run_without_secrets_is_refused() -> None:
    assert "no party has declared a secret" in refusal(
        simnet("breaking", "local_mean", "--runs", 2)
    )


# What a person reads


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES)
@pytest.mark.parametrize("more", ["--runs 2", "--user"])
def test_what_is_told_fits_a_terminal(name: str, options: str, more: str) -> None:
    who = f"{more} {'g1.u1' if name == 'weighted' else 'u1'}" if more == "--user" else more
    result = simnet("breaking", name, *options.split(), *who.split())
    assert result.status == 0
    assert result.out.strip()
    assert max(map(len, result.out.splitlines())) <= WIDTH
    for part in ("Traceback", "None", "nan", "BreakingSet", "{}"):
        assert part not in result.out


@pytest.mark.parametrize("more", ["--user u3", "--runs 1"])
def test_many_users_fit_a_terminal(more: str) -> None:
    result = simnet("breaking", "tss", "--users", 40, "--items", 2, *more.split())
    assert max(map(len, result.out.splitlines())) <= WIDTH
    assert ADDITIVE in words(result.out)


def test_the_table_is_that_of_json() -> None:
    given = ("tss", "--users", 7, "--items", 3, "--runs", 3)
    shown, told = simnet("breaking", *given).out, simnet("breaking", *given, "--json", "-").json
    first, second, *lines = shown.splitlines()
    assert words(f"{first} {second}") == f"{NOT_SEARCHED} (S1, S2). {JUDGED_TOO}"
    assert re.fullmatch(
        r"users in coalition +can read a secret of +in share of runs +95% interval *", lines[0]
    )
    assert len(told["rows"]) > 1
    for line, row in zip(lines[1:], told["rows"], strict=False):
        low, high = row["interval"]
        wanted = (
            f"{row['size']} {row['users']:.1%} of users {row['runs']:.1%} {low:.3f}..{high:.3f}"
        )
        assert words(line) == wanted
    assert (
        f"the smallest set that can read something of another user, in 3 runs, has "
        f"{told['safe'] + 1} user" in words(shown)
    )


def test_nothing_found_is_said_in_words() -> None:
    shown = words(simnet("breaking", "dpds", "--users", 4, "--items", 2, "--runs", 2).out)
    assert "in 2 runs, no set of users can read anything of another user" in shown
    shown = words(simnet("breaking", "dpds", "--users", 4, "--items", 2, "--user", "u2").out)
    assert shown == (
        f"{NOT_SEARCHED} (server). {JUDGED_TOO} no set of users can read anything of u2 {ADDITIVE}"
    )


def test_the_sets_of_a_user_are_said_in_words() -> None:
    given = ("--users", 5, "--items", 2, "--set", "participation=1", "--user", "u1")
    shown = words(simnet("breaking", "dpds_shamir", *given).out)
    assert re.match(
        (
            rf"{NOT_SEARCHED} \(server\)\. {JUDGED_TOO} "
            r"3 users, u2, u3, u4, can read of u1: item 1 = (0|1), item 2 = (0|1), which "
            r"determines the input of u1 "
        ),
        shown,
    )
    assert shown.count("= 1") == 1


def test_json_in_a_file_leaves_the_words_on_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    result = simnet("breaking", "dpds", "--users", 3, "--items", 2, "--runs", 1, "--json", file)
    assert "in 1 run, no set of users" in words(result.out)
    assert json.loads(file.read_text(encoding="utf-8"))["rows"] == []


# Figures


@pytest.mark.parametrize(("name", "options"), [CASES[0], CASES[4]], ids=["some break", "none does"])
def test_a_figure_is_a_picture(name: str, options: str, tmp_path: Path) -> None:
    file = tmp_path / "figure.png"
    result = simnet("breaking", name, *options.split(), "--runs", 2, "--figure", file)
    assert (result.status, result.err) == (0, "")
    assert file.read_bytes().startswith(PNG)
    assert file.stat().st_size > 5000


def test_a_figure_may_be_a_drawing(tmp_path: Path) -> None:
    file = tmp_path / "figure.svg"
    assert (
        simnet("breaking", "tss", "--users", 5, "--items", 3, "--runs", 2, "--figure", file).status
        == 0
    )
    assert "<svg" in file.read_text(encoding="utf-8")


def test_a_figure_of_one_user_is_drawn_or_refused(tmp_path: Path) -> None:
    file = tmp_path / "figure.png"
    result = simnet("breaking", "tss", "--users", 5, "--items", 3, "--user", "u1", "--figure", file)
    assert result.status == 2 or file.exists()


# Refusals


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ("tss --users 5 --items 3 --user u9", "no party of this run is called 'u9'"),
        ("tss --users 5 --items 3 --user S2", "S2 has declared no secret"),
        ("tss --users 5 --items 3 --runs 0", "--runs 0"),
        ("tss --users 5 --items 3 --runs -2", "--runs -2"),
        ("tss --users 5 --items 3 --max-size 0", "--max-size 0"),
        ("nowhere", "nowhere"),
        ("tss --set nonsense=3", "nonsense"),
        ("tss --users 5 --items 3 --set participation=2", "participation"),
        ("tss_prime --users 5 --items 3 --set bound=5", "bound"),
        ("tss --users many", "many"),
        ("dpds --users 100000", "too much memory"),
        ("dpds_shamir --users 2", "there are 2 users: the threshold is at most 2"),
        ("tss --users 20 --set sharing=shamir:99", "there are 20 users: the threshold is"),
        ("tss --users 4 --items 2 --runs 1 --figure no/such/place.png", "cannot be written"),
        ("tss --users 4 --items 2 --runs 1 --figure figure.nonsense", "cannot be drawn"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: str, named: str) -> None:
    assert named in refusal(simnet("breaking", *arguments.split()))


def test_a_figure_that_cannot_be_drawn_is_refused_before_anything_is_played() -> None:
    given = ("--users", 4, "--items", 2, "--runs", 1, "--figure", "figure.nonsense")
    assert simnet("breaking", "tss", *given).out == ""
