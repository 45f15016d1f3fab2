"""The command line: JSON, exit status, and one clear line for every error."""

import csv
import gzip
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simnet.cli.main import main
from simnet.record.trace import Trace
from simnet.scenario.determinism import trace
from simnet.scenario.figure import estimate_figure
from simnet.scenario.find import find
from simnet.scenario.perform import perform
from simnet.scenario.synthetic import zipf_items
from tests.harness.data import DATA, ROOT
from tests.harness.shell import Result, process, refusal, simnet, words

SMALL = ("run", "dpds", "--set", "users=12", "--set", "items=3")
TABLE1 = ("table1", "--users", 5, "--items", 2, "--participation", 0.5)
COMMANDS = ("run", "list", "check", "bench", "table1", "reproduce", "sweep", "results")
OWN = """
from protocols.dpds.about import about
from protocols.dpds.script import DPDS
from simnet import Scenario

SCENARIO = Scenario(
    summary="My own",
    protocol=DPDS,
    about=about,
    parameters={"participation": 0.25},
    users=9,
    items=2,
)
"""


def column(path: Path, *values: object) -> Path:
    """A CSV file with a column `city`."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "city"), *enumerate(values)])
    return path


# run


def test_files_of_other_forms_are_read_as_the_options_say(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes("user: city\n1:Zürich\n2:Bern\n".encode("latin-1"))
    given = ("run", "dpds", "--input", path, "--column", "city", "--no-claims", "--json", "-")
    form = ("--delimiter", ":", "--encoding", "latin-1")
    assert set(simnet(*given, *form).json["truth"]) == {"Bern", "Zürich"}
    assert "--encoding" in refusal(simnet(*given))
    assert "more rows than 1" in refusal(simnet(*given, *form, "--max-rows", 1))
    assert "goes with --input" in refusal(simnet("run", "dpds", *form))


def test_run_prints_json_and_nothing_else() -> None:
    result = simnet(*SMALL, "--seed", "5", "--json", "-")
    assert result.status == 0
    told = result.json
    assert set(told) >= {
        "scenario",
        "protocol",
        "parameters",
        "seed",
        "estimate",
        "interval",
        "truth",
        "squared_l2",
        "mse",
        "expected_squared_l2",
        "privacy",
        "ledger",
        "adversaries",
        "seconds",
    }
    assert (told["scenario"], told["protocol"], told["seed"]) == ("dpds", "DPDS", 5)
    assert told["parameters"].items() >= {"users": 12, "items": 3, "participation": 0.5}.items()
    for key in ("estimate", "interval", "truth"):
        assert list(told[key]) == ["1", "2", "3"]
    assert all(low <= high for low, high in told["interval"].values())
    assert sum(told["truth"].values()) == pytest.approx(1)
    squares = [(told["estimate"][label] - told["truth"][label]) ** 2 for label in "123"]
    assert told["squared_l2"] == pytest.approx(sum(squares))
    assert told["mse"] == pytest.approx(sum(squares) / 3)
    assert told["expected_squared_l2"] == pytest.approx(1 / 12)
    assert set(told["privacy"]) >= {
        "epsilon",
        "delta",
        "log10_delta",
        "relation",
        "view",
        "assumption",
        "statements",
    }
    assert isinstance(told["adversaries"], list)
    assert told["seconds"] > 0


def test_parameters_are_told_as_they_are_set() -> None:
    for name, value in simnet(*SMALL, "--json", "-").json["parameters"].items():
        assert isinstance(value, int | float | str), f"{name} is {value!r}: no --set could say so"


def test_the_ledger_in_json_is_that_of_the_protocol() -> None:
    ledger = simnet(*SMALL, "--json", "-").json["ledger"]
    assert set(ledger) >= {"messages", "payload_bytes", "frame_bytes", "rounds", "by_role"}
    assert (ledger["messages"], ledger["rounds"]) == (12 * 12, 2)
    assert ledger["payload_bytes"] == 12 * 12 * 2  # three elements of F_13, four bits each
    assert ledger["frame_bytes"] == 12 * 12 * (2 + 14)
    assert set(ledger["by_role"]) == {"user", "server"}
    for role in ledger["by_role"].values():
        assert set(role) == {"sent", "received", "operations"}
    sent, received = (
        sum(r[way]["messages"] for r in ledger["by_role"].values()) for way in ("sent", "received")
    )
    assert sent == received == ledger["messages"]
    assert ledger["by_role"]["user"]["operations"]["BS"] == 12


def test_json_goes_to_a_file_beside_the_tables(tmp_path: Path) -> None:
    result = simnet(*SMALL, "--json", tmp_path / "out.json")
    assert result.status == 0
    told = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert told["scenario"] == "dpds"
    for word in ("item", "truth", "estimate", "squared L2", "against the paper", "messages"):
        assert word in result.out


@pytest.mark.slow
def test_a_run_follows_from_its_seed() -> None:
    one, same, other = (simnet(*SMALL, "--seed", seed, "--json", "-").json for seed in (1, 1, 2))
    assert {**one, "seconds": 0} == {**same, "seconds": 0}
    assert one["trace_hash"] != other["trace_hash"]


@pytest.mark.slow
def test_users_is_short_for_a_setting(tmp_path: Path) -> None:
    path = column(tmp_path / "x.csv", *"abcabcabc")
    for people in ((), ("--input", path, "--column", "city")):
        short = simnet("run", "dpds", *people, "--users", 4, "--json", "-").json
        long = simnet("run", "dpds", *people, "--set", "users=4", "--json", "-").json
        assert short["parameters"]["users"] == 4
        assert {**short, "seconds": 0} == {**long, "seconds": 0}


@pytest.mark.parametrize("domain", [None, "Zürich,Basel,a b,Ulm"])
def test_items_are_labels_of_the_column(tmp_path: Path, domain: str | None) -> None:
    path = column(tmp_path / "x.csv", "Zürich", "a b", "Zürich", "Basel")
    given = () if domain is None else ("--domain", domain)
    told = simnet("run", "dpds", "--input", path, "--column", "city", *given, "--json", "-").json
    labels = ["Basel", "Zürich", "a b"] if domain is None else domain.split(",")
    truth = {"Basel": 0.25, "Zürich": 0.5, "a b": 0.25}
    assert list(told["truth"].items()) == [(label, truth.get(label, 0)) for label in labels]
    assert list(told["estimate"]) == list(told["interval"]) == labels
    assert told["parameters"]["items"] == len(labels)


def test_numbers_are_labels_too(tmp_path: Path) -> None:
    path = column(tmp_path / "x.csv", 10, 9, 10, 2.5)
    told = simnet("run", "dpds", "--input", path, "--column", "city", "--json", "-").json
    assert list(told["truth"]) == ["2.5", "9", "10"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sampling_privacy", "sampling_privacy_clear"])
def test_no_item_silently_becomes_none(tmp_path: Path, name: str) -> None:
    path = column(tmp_path / "x.csv", "60-69", "70-79", "60-69", "50-59")
    given = ("run", name, "--input", path, "--column", "city", "--json", "-")
    refused = simnet(*given)
    assert refused.status == 2
    assert "the label of the last item must be 'none'" in " ".join(refused.err.split())
    assert list(simnet(*given, "--set", "none=false").json["truth"]) == ["50-59", "60-69", "70-79"]
    path.write_text(path.read_text().replace("70-79", "none"))
    assert simnet(*given, "--domain", "50-59,60-69,none").json["truth"]["none"] == 0.25
    assert list(simnet("run", name, "--users", 20, "--json", "-").json["truth"]) == ["1", "none"]


REAL = [("breast_cancer_ljubljana.csv", "tumor_size"), ("adult.csv.gz", "education")]


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(("file", "name"), REAL)
def test_real_data_is_estimated(file: str, name: str) -> None:
    path = DATA / file
    opener: Any = gzip.open if file.endswith("gz") else open
    with opener(path, "rt", encoding="utf-8") as rows:
        count = Counter(row[name] for row in csv.DictReader(rows))
    told = simnet(
        "run", "dpds", "--input", path, "--column", name, "--users", 280, "--json", "-"
    ).json
    assert set(told["truth"]) == set(count)
    assert told["parameters"]["users"] == 280
    distance = sum((told["truth"][label] - count[label] / count.total()) ** 2 for label in count)
    assert (
        distance < 0.04
    )  # the expected one is below 1/280; Markov: false alarm below 0.1, and the seed is fixed


# What a person sees


def test_the_table_fits_its_page() -> None:
    assert "…" not in simnet(*SMALL).out  # every label has one character, the page has 80


@pytest.mark.slow
@pytest.mark.parametrize("label", ["[/b]", "[red]", "a_$x^$", ":cat:", "x" * 20])
def test_a_label_is_printed_as_it_is(tmp_path: Path, label: str) -> None:
    path = column(tmp_path / "x.csv", label, "b", label)
    result = simnet("run", "dpds", "--input", path, "--column", "city")
    assert result.status == 0
    assert f"\n{label} " in result.out


@pytest.mark.parametrize("name", ["weight [kg]", "a[/b]"])
def test_the_name_of_a_column_is_printed_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / "x.csv").write_text(f"{name}\na\nb\n")
    assert (
        f"column {name!r} of x.csv"
        in simnet("run", "dpds", "--input", tmp_path / "x.csv", "--column", name).out
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "start"), [("x.png", b"\x89PNG"), ("x.svg", b"<?xml"), ("x.pdf", b"%PDF")]
)
def test_a_figure_is_written(tmp_path: Path, name: str, start: bytes) -> None:
    assert simnet(*SMALL, "--figure", tmp_path / name, "--json", "-").json["scenario"] == "dpds"
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("name", "items", "drawn", "title"),
    [
        ("calibrated_frequency", 90, 40, "Local frequency"),
        ("local_frequency", 40, 40, "Local frequency"),
        ("dpds", 5, 5, "DPDS"),
    ],
)
def test_a_figure_shows_the_most_frequent_of_many_items(
    name: str, items: int, drawn: int, title: str
) -> None:
    found = find(name)[1]
    users = 20 if name == "dpds" else 500
    population = zipf_items(users, items, 0)
    result = perform(name, found, population, 0)
    axes = estimate_figure(result).axes[0]
    labels = [text.get_text() for text in axes.get_xticklabels()]
    assert len(labels) == len(axes.patches) == drawn
    shown = [population.labels.index(label) for label in labels]
    hidden = np.delete(result.assessment.truth, shown)
    assert [bar.get_height() for bar in axes.patches] == result.assessment.truth[shown].tolist()
    assert not hidden.size or hidden.max() <= result.assessment.truth[shown].min()
    assert axes.get_xlabel() == (
        f"the most frequent items: 40 of {items}"
        if hidden.size
        else "item, the most frequent first"
    )
    assert axes.get_title(loc="left").startswith(f"{title}, {users} users")


@pytest.mark.slow
@pytest.mark.parametrize("label", ["$5-$10", "a_$x^$", "x" * 100, "Zürich"])
def test_a_figure_takes_any_label(tmp_path: Path, label: str) -> None:
    path = column(tmp_path / "x.csv", label, "b", label)
    result = simnet(
        "run", "dpds", "--input", path, "--column", "city", "--figure", tmp_path / "x.png"
    )
    assert (result.status, (tmp_path / "x.png").is_file()) == (0, True), result.err


@pytest.mark.parametrize("arguments", [SMALL, ("list",), TABLE1])
def test_without_a_terminal_there_is_neither_a_bar_nor_colour(
    monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...]
) -> None:
    monkeypatch.setattr("simnet.cli.progress.PATIENCE", -1.0)  # a bar would appear at once
    result = simnet(*arguments)
    assert result.status == 0
    assert result.out.replace("\n", "").isprintable()
    assert result.err == ""


def test_on_a_terminal_there_is_a_bar(
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # else the test above shows nothing
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr("simnet.cli.progress.PATIENCE", -1.0)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(SystemExit):
        main([*SMALL, "--json", "-"])
    assert "\x1b[" in terminal.getvalue()
    assert "100%" in terminal.getvalue()


# Other commands


def test_list_names_every_scenario() -> None:
    rows, listed = simnet("list", "--json", "-").json, simnet("list").out
    assert {"dpdg", "dpds", "tss", "tss_prime", "weighted"} <= {
        row["name"] for row in rows if row["kind"] == "scenario"
    }
    for row in rows:
        assert set(row) == {"name", "kind", "summary"}
        assert row["name"] in listed


def test_table1_refuses_an_epsilon_of_dpdg_in_words_about_its_own_options() -> None:
    of_dpdg = (*TABLE1, "--delta", 1e-5, "--epsilon")
    assert simnet(*of_dpdg, 1).status == 0
    refused = refusal(simnet(*of_dpdg, 1.5))
    assert "--epsilon is at most 1, got 1.5" in refused
    assert "analytic" not in refused  # no option of this command sets the calibration


def test_table1_gives_every_entry() -> None:
    result = simnet(*TABLE1, "--json", "-")
    assert result.status == 0
    for row in result.json:
        assert set(row) == {
            "protocol",
            "role",
            "kind",
            "quantity",
            "direction",
            "scope",
            "counting",
            "paper",
            "exact",
            "expected",
            "measured",
            "bytes",
            "note",
        }
        assert row["protocol"] == "dpds"
        assert row["role"] in ("user", "server")
        assert row["kind"] in ("computation", "communication")
        assert row["direction"] in ("sent", "received", "none")
        assert row["scope"] in ("per-user", "total")
        assert row["counting"] in ("logical", "wire")
        assert row["measured"] == row["exact"] == row["expected"]


COUNTS_ITS_CALLS = """
from itertools import count

import attrs

from simnet import Seat

CALLS = count()


@attrs.frozen
class Counted:
    users: int = 2
    items: int = 3

    def parties(self):
        return {"u1": Seat(self.user), "u2": Seat(self.user)}

    async def user(self, me, item):
        return me.disclose(lambda item: item + IMPURE, item)
"""


@pytest.mark.parametrize("impure", ["next(CALLS)", "0"])
def test_check_says_what_differs_and_why_this_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, impure: str
) -> None:
    def in_this_process(*asked: Any, hash_seed: str) -> Trace:
        return trace(*asked)

    monkeypatch.setattr("simnet.scenario.determinism._in_new_process", in_this_process)
    file = tmp_path / "counted.py"
    file.write_text(COUNTS_ITS_CALLS.replace("IMPURE", impure), encoding="utf-8")
    found = simnet("check", file)
    is_pure = impure == "0"
    assert found.status == (0 if is_pure else 1)
    assert ("differs" in found.out) is not is_pure
    assert ("seed and inputs are the same. This is a fault" in words(found.out)) is not is_pure


@pytest.mark.slow
def test_check_finds_a_run_the_same_whatever_the_circumstances() -> None:
    result = simnet("check", "dpds", "--users", 12, "--set", "items=3", "--json", "-")
    assert result.status == 0
    told = result.json
    assert told["same"] is True
    assert set(told["runs"].values()) == {told["hash"]}
    assert len(told["runs"]) >= 5


@pytest.mark.slow
def test_bench_says_whether_its_targets_are_met(tmp_path: Path) -> None:
    page = tmp_path / "speed.md"
    kept = "Median of 5.\n\n| figure | sizes |\n| --- | --- |\n| other | old |\n"
    page.write_text(f"<!-- speed -->\n{kept}| help | old |\n| last | old |\n<!-- /speed -->\n")
    result = simnet("bench", "help", "--repeat", 1, "--json", "-", "--page", page)
    (row,) = result.json
    before, new, after = page.read_text().partition(f"| help | {row['sizes']} |")
    assert before == f"<!-- speed -->\n{kept}"  # the rows of other benchmarks stay
    assert " of 1) |" in new + after
    assert after.endswith(" |\n| last | old |\n<!-- /speed -->\n")
    assert set(row) >= {"name", "sizes", "unit", "target", "median", "least", "most", "met"}
    assert result.status == (0 if row["met"] else 1)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_shows_an_example(command: str) -> None:
    result = simnet(*command.split(), "--help")
    assert result.status == 0
    assert re.search(rf"For example:\s+(?:• )?simnet {command}", result.out)


def test_help_names_every_command() -> None:
    text = simnet("--help").out
    assert all(re.search(rf"\b{command} ", text) for command in COMMANDS)


# A scenario of one's own


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(OWN)
    return path


def test_a_scenario_file_is_run_by_its_path(own: Path) -> None:
    told = simnet("run", own, "--set", "items=3", "--json", "-").json
    assert told["scenario"] == "mine"
    assert told["parameters"].items() >= {"users": 9, "items": 3, "participation": 0.25}.items()
    assert "My own" in simnet("run", own).out


@pytest.mark.slow
def test_a_scenario_file_is_checked_by_its_path_also_if_it_prints(own: Path) -> None:
    own.write_text(f"{OWN}\nprint('loaded', end='')\n")
    found = simnet("check", own, "--set", "participation=0.5")
    assert found.status == 0
    assert "loaded" in found.out
    assert "hash seed 2" in found.out


@pytest.mark.parametrize("decorator", ["dataclasses.dataclass(frozen=True)", "attrs.frozen"])
def test_a_scenario_file_may_define_its_own_records(tmp_path: Path, decorator: str) -> None:
    record = f"import attrs, dataclasses\n\n@{decorator}\nclass Mine:\n    name: str\n"
    (tmp_path / "mine.py").write_text(f"from __future__ import annotations\n{record}{OWN}")
    assert simnet("run", tmp_path / "mine.py").status == 0


# What is refused


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("run nope", "no scenario is called 'nope': the names are calibrated_frequency, committee"),
        ("run nope.py", "there is no file nope.py"),
        ("run", "run needs SCENARIO, which is missing"),
        ("frobnicate", "frobnicate"),
        ("run dpds --bogus", "--bogus"),
        ("run dpds extra", "extra"),
        (
            "run dpds --set nonsense=1",
            "no setting is called 'nonsense': this scenario has users, items, participation",
        ),
        ("run dpds --set users", "--set takes name=value, got 'users'"),
        ("run dpds --set", "--set"),
        ("run dpds --set participation=0", "above 0 and at most 1, got 0.0"),
        ("run dpds --set participation=1.5", "above 0 and at most 1, got 1.5"),
        ("run dpds --set participation=-0.1", "above 0 and at most 1, got -0.1"),
        ("run dpds --set participation=nan", "above 0 and at most 1, got nan"),
        ("run dpds --set participation=half", "participation=half is not a number"),
        ("run dpds --set users=1", "at least 2 users, got users=1"),
        ("run dpds --set users=0", "users=0"),
        ("run dpds --users -5", "users=-5"),
        ("run dpds --set users=3.5", "users=3.5 is not a whole number"),
        ("run dpds --set items=0", "items=0"),
        ("run dpds --seed x", "--seed"),
        ("run dpds --users many", "--users"),
        ("run dpds --column city", "--column goes with --input"),
        ("run dpds --domain a,b", "--domain goes with --input"),
        ("run dpds --missing NA", "--missing goes with --input"),
        ("run dpds --max-rows 0", "--max-rows goes with --input"),
        ("run notebooks/ring_sum.py --column city", "--column goes with --input"),
        ("verify dpds --corrupt u1 --counts n", "--counts goes with --input"),
        ("run dpds --input nope.csv --column city", "there is no file nope.csv"),
        ("run dpds --input . --column city", ". is a folder, where a file of data is expected"),
        ("table1", "table1 needs --users, which is missing"),
        ("table1 --users 1 --items 2 --participation 0.5", "at least 2 users, got users=1"),
        ("table1 --users 5 --items 0 --participation 0.5", "items=0"),
        ("table1 --users 5 --items 2 --participation nan", "above 0 and at most 1, got nan"),
        ("check nope", "no scenario is called 'nope'"),
        ("check dpds --users 1", "at least 2 users, got users=1"),
        ("bench nope", "no benchmark is called 'nope': there are stream"),
        ("bench help --repeat 0", "repeat=0"),
        (f"run dpds --set users={10**26}", "users"),  # refused before as many people are drawn
        (f"table1 --users {10**26} --items 2 --participation 0.5", "users"),
        ("network mobile --prices", "--prices measures this machine, not a network"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments: str, words: str) -> None:
    assert words in refusal(simnet(*arguments.split()))


BROKEN = {
    "x.csv": [
        ("id,town\n1,a\n2,b\n", "no column 'city': it has id, town"),
        ("", "x.csv is empty"),
        ("id,city\n", "no rows"),
        ("id,city\n1,a\n2,NaN\n", "row 2 of column 'city' of x.csv has no value ('NaN')"),
        ("id,city\n1,a\n2,\n", "row 2 of column 'city' of x.csv has no value"),
        ("id,city\n1,a\n2\n", "line 3 of x.csv has 1 field, the header has 2"),
        ('id,city\n1,"a\n', "x.csv cannot be read as CSV"),
        ("id,city\n1,Z\udcfcrich\n", "x.csv cannot be read as UTF-8"),
        ("id,city\n1,a\n", "at least 2 users, got users=1"),
    ],
    "x.csv.gz": [("no gzip", "x.csv.gz cannot be read as CSV")],
    "x.parquet": [("no parquet", "x.parquet cannot be read as Parquet")],
}


@pytest.mark.parametrize(
    ("name", "content", "words"), [(name, *case) for name in BROKEN for case in BROKEN[name]]
)
def test_a_bad_file_is_refused_in_one_line(
    tmp_path: Path, name: str, content: str, words: str
) -> None:
    (tmp_path / name).write_bytes(content.encode(errors="surrogateescape"))
    assert words in refusal(simnet("run", "dpds", "--input", tmp_path / name, "--column", "city"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "--input needs --column"),
        (
            ("--column", "city", "--domain", "a,b"),
            "row 3 of column 'city' of x.csv holds 'c', which is outside",
        ),
        (("--column", "city", "--domain", "a,b,c,b"), "the domain names 'b' more than once"),
        (("--column", "city", "--domain", ""), "--domain names no item"),
        (("--column", "city", "--domain", "a\nb,c"), "domain"),
        (("--column", "city", "--users", "4"), "from 1 to 3 users can be drawn"),
        (("--column", "city", "--users", "0"), "from 1 to 3 users can be drawn"),
        (("--column", "city", "--set", "users=4"), "from 1 to 3 users can be drawn"),
        (("--column", "city", "--set", "items=3"), "--domain"),
    ],
)
def test_options_that_do_not_fit_the_file_are_refused(
    tmp_path: Path, options: tuple[str, ...], words: str
) -> None:
    assert words in refusal(
        simnet("run", "dpds", "--input", column(tmp_path / "x.csv", *"abc"), *options)
    )


@pytest.mark.slow
def test_an_absurd_bill_is_refused_before_it_is_paid(tmp_path: Path) -> None:
    path = column(tmp_path / "x.csv", *(row % 30 for row in range(60_000)))
    text = refusal(simnet("run", "dpds", "--input", path, "--column", "city"))
    assert "3,600,000,000 messages" in text
    assert "108,000,000,000 elements" in text
    assert "raise the limit with --max-elements" in text
    assert simnet("run", "dpds", "--input", path, "--column", "city", "--users", 20).status == 0


def test_the_limit_can_be_moved() -> None:
    assert "432 elements" in refusal(simnet(*SMALL, "--max-elements", 431))
    assert simnet(*SMALL, "--max-elements", 432).status == 0


@pytest.mark.parametrize("where", ["nowhere/out.json", "."])
@pytest.mark.parametrize("arguments", [SMALL, ("list",), TABLE1])
def test_json_that_cannot_be_written_is_refused(
    tmp_path: Path, where: str, arguments: tuple[object, ...]
) -> None:
    path = tmp_path / where
    assert f"{path} cannot be written" in refusal(simnet(*arguments, "--json", path))


@pytest.mark.parametrize(("where", "what"), [("nowhere/x.png", "written"), ("x.nonsense", "drawn")])
def test_a_figure_that_cannot_be_written_is_refused(tmp_path: Path, where: str, what: str) -> None:
    path = tmp_path / where
    assert f"{path} cannot be {what}" in refusal(simnet(*SMALL, "--figure", path))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "mine.py has no SCENARIO of type simnet.Scenario and 0 protocols"),
        ("SCENARIO = 3", "mine.py has no SCENARIO of type simnet.Scenario and 0 protocols"),
        ("SCENARIO = ", "mine.py fails to load: SyntaxError"),
        ("import nothing_of_that_name", "mine.py fails to load: ModuleNotFoundError"),
        ("raise RuntimeError('two\\nlines')", "mine.py fails to load: RuntimeError: two lines"),
        ("import sys\nsys.exit('gone')", "mine.py"),
        (OWN + "object.__setattr__(SCENARIO, 'protocol', object)", "object() takes no arguments"),
        (OWN + "object.__setattr__(SCENARIO, 'parameters', {'chance': 1})", "chance"),
    ],
)
def test_a_scenario_file_that_is_none_is_refused(tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "mine.py").write_text(content)
    assert words in refusal(simnet("run", tmp_path / "mine.py"))


def test_a_class_that_a_scenario_file_lacks_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(OWN)
    refused = refusal(simnet("run", f"{tmp_path / 'mine.py'}:Theirs"))
    assert "mine.py has no protocol 'Theirs'; classes with `parties` are: " in refused


FAILING = """
from protocols.dpds.about import about
from protocols.dpds.script import DPDS, SHARE
from simnet import Scenario

class Mine(DPDS):
    async def server(self, me):
        {}

SCENARIO = Scenario(
    summary="fails",
    protocol=Mine,
    about=about,
    parameters={{"participation": 0.25}},
    users=3,
    items=2,
)
"""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("raise KeyError('lost')", "server in round 1"),
        (
            "await me.gather_sum(SHARE, senders=me.all('user'))",
            "the run cannot go on: server waits for u1",
        ),
    ],
)
def test_a_script_that_fails_is_named(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "mine.py").write_text(FAILING.format(line))
    assert words in refusal(simnet("run", tmp_path / "mine.py"))


def test_an_interrupt_is_no_bad_input(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("raise KeyboardInterrupt")
    assert simnet("run", tmp_path / "mine.py") == Result(130, "", "simnet: interrupted\n")


# Real processes


@pytest.mark.slow
def test_a_process_prints_json_alone() -> None:
    done = process(*SMALL, "--json", "-", stdout=subprocess.PIPE)
    assert done.returncode == 0
    assert json.loads(done.stdout)["parameters"]["users"] == 12


@pytest.mark.slow
def test_a_process_refuses_in_one_line() -> None:
    done = process("run", "dpds", "--set", "users=1", stdout=subprocess.PIPE)
    assert "at least 2 users" in refusal(Result(done.returncode, done.stdout, done.stderr))
    assert done.stdout == ""


@pytest.mark.slow
def test_debug_shows_where_an_error_comes_from() -> None:
    done = process("--debug", "run", "nope")
    assert "Traceback" in done.stderr
    assert "BadInput: no scenario is called 'nope'" in done.stderr


@pytest.mark.slow
def test_debug_leaves_the_exit_status_as_it_is() -> None:
    assert process("--debug", "run", "nope").returncode == 2  # 1 would say that a claim fails


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [SMALL, (*SMALL, "--json", "-"), ("--help",), ("run", "dpds", "--help")],
    ids=["tables", "json", "help", "help of a command"],
)
def test_a_reader_who_leaves_early_ends_the_command_with_141(words: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = process(*words, stdout=writing)
    os.close(writing)
    # 128 + SIGPIPE, as for every command of a pipe whose reader has ended
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
def test_output_that_finds_no_room_is_told_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = process(*SMALL, stdout=full)
    told = refusal(Result(done.returncode, "", done.stderr))
    assert told == "standard output cannot be written: No space left on device"


@pytest.mark.slow
def test_closed_output_is_no_failure() -> None:
    command = f'exec "{sys.executable}" -m simnet list >&-'
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
def test_a_command_whose_reader_has_ended_does_not_pass_for_a_success() -> None:
    command = [sys.executable, "-m", "simnet", "list"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe) as done:
        assert done.stdout
        assert done.stderr
        done.stdout.close()
        assert done.stderr.read() == b""
    assert done.returncode == 141
