"""`simnet coalitions --runs`: its output fits a terminal, its JSON is true of the runs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.harness.many_cases import for_each
from tests.harness.shell import RING, WIDTH, refusal, simnet, words

SEARCHED = "sets of users of any size were searched"
NOT_SEARCHED = "Not searched: coalitions with parties of another role"
JUDGED_TOO = "Without --runs, the command judges some or all of these, too."
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

SCALING = """
from simnet import Field, Seat, Tag, seats

F, T = Field(101), Tag("piece")


class Scaling:
    items = 5

    def parties(self):
        return seats("u", self.user, 3)

    async def user(self, me, item):
        held = me.secret(lambda item: [item], item, field=F, shape=(1,))
        if me.index == 1:
            await me.send(T, "u2", held * me.coins.field(F, (1,)))
        elif me.index == 2:
            await me.receive(T, "u1")
"""


@pytest.mark.slow
def test_the_seed_is_that_of_the_first_run() -> None:
    def rows(seed: int, runs: int) -> Any:
        given = ("--users", 7, "--items", 3, "--seed", seed, "--runs", runs, "--json", "-")
        return simnet("coalitions", "tss", *given).json["rows"]

    assert rows(5, 3) == rows(5, 3)
    assert any(rows(5, 1) != rows(seed, 1) for seed in range(6, 12))


def test_what_is_passed_on_is_searched_and_what_is_not_certain_is_said(tmp_path: Path) -> None:
    """In the ring {u2, u4} reads u3. A secret times a coin may be read, or not."""
    assert simnet("coalitions", RING, "--runs", 2, "--json", "-").json["safe"] == 1
    file = tmp_path / "scaling.py"
    file.write_text(SCALING, encoding="utf-8")
    told = simnet("coalitions", file, "--runs", 2, "--json", "-").json
    assert (told["complete"], told["safe"], told["note"]) == (False, None, "")
    shown = words(simnet("coalitions", file, "--runs", 2).out)
    assert shown.startswith("The search is not complete and may have missed small sets: ")
    assert "of the sets that were searched, none can compute" in shown
    assert SEARCHED not in shown


@pytest.mark.slow
def test_a_run_without_secrets_is_refused() -> None:
    for population, reason in (("actors", "no party has declared a secret"), ("crowd", "a crowd")):
        options = ("--users", 5, "--runs", 2, "--population", population)
        assert reason in refusal(simnet("coalitions", "local_mean", *options))


# What a person reads


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES)
def test_what_is_told_fits_a_terminal(name: str, options: str) -> None:
    result = simnet("coalitions", name, *options.split(), "--runs", 2)
    assert result.status == 0
    assert result.out.strip()
    assert max(map(len, result.out.splitlines())) <= WIDTH
    for part in ("Traceback", "None", "nan", "BreakingSet", "{}"):
        assert part not in result.out


def test_the_table_is_that_of_json() -> None:
    given = ("tss", "--users", 7, "--items", 3, "--runs", 3)
    shown, told = simnet("coalitions", *given).out, simnet("coalitions", *given, "--json", "-").json
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
    assert words(shown).endswith(SEARCHED)
    assert (
        "the smallest set that can compute a function of another user's secrets, in 3 runs, has "
        f"{told['safe'] + 1} user" in words(shown)
    )


def test_json_in_a_file_leaves_the_words_on_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    result = simnet("coalitions", "dpds", "--users", 3, "--items", 2, "--runs", 1, "--json", file)
    assert "in 1 run, no set of users" in words(result.out)
    assert json.loads(file.read_text(encoding="utf-8"))["rows"] == []


# Figures


@pytest.mark.parametrize(("name", "options"), [CASES[0], CASES[4]], ids=["some break", "none does"])
def test_a_figure_is_a_picture(name: str, options: str, tmp_path: Path) -> None:
    file = tmp_path / "figure.png"
    result = simnet("coalitions", name, *options.split(), "--runs", 2, "--figure", file)
    assert (result.status, result.err) == (0, "")
    assert file.read_bytes().startswith(PNG)
    assert file.stat().st_size > 5000


# Refusals


@for_each(
    "arguments, named",
    [
        ("tss --users 5 --items 3 --runs 2 --user u1", "leave out --user"),
        ("tss --users 5 --items 3 --runs 0", "--runs takes a whole number from 1, got 0"),
        ("tss --users 5 --items 3 --runs -2", "got -2"),
        ("nowhere --runs 2", "nowhere"),
        ("tss --set nonsense=3 --runs 2", "nonsense"),
        ("tss --users 5 --items 3 --set participation=2 --runs 2", "participation"),
        ("tss_prime --users 5 --items 3 --set bound=5 --runs 2", "bound"),
        ("tss --users many --runs 2", "many"),
        ("dpds --users 200000 --runs 2", "more than the limit of"),
        ("dpds_shamir --users 2 --runs 2", "the threshold is at most the number of users, 2"),
        (
            "tss --users 20 --set sharing=shamir:99 --runs 2",
            "the threshold is at most the number of users, 20",
        ),
        ("tss --users 4 --items 2 --runs 1 --figure no/such/place.png", "cannot be written"),
        ("tss --users 4 --items 2 --runs 1 --figure figure.nonsense", "cannot be drawn"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(arguments: str, named: str) -> None:
    assert named in refusal(simnet("coalitions", *arguments.split()))


def test_a_figure_that_cannot_be_drawn_is_refused_before_anything_is_played() -> None:
    given = ("--users", 4, "--items", 2, "--runs", 1, "--figure", "figure.nonsense")
    assert simnet("coalitions", "tss", *given).out == ""
