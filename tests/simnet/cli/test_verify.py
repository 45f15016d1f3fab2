"""The command `simnet verify`: its JSON is true of the run; exit status, certificates, and
protocols in a user's own files.
"""

import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from protocols.catalogue import about
from protocols.mechanisms.reporting import epsilon_of_set
from simnet import BadInput, Run, certificate_text, run
from simnet.adversary.check import canonical_text, check
from simnet.adversary.verdict import SHARE_FINDINGS
from simnet.scenario.find import find
from simnet.scenario.synthetic import uniform_items
from simnet.scenario.verify import clopper_pearson
from tests.harness.certificates.readers import NODE, NodeReader, python_reader
from tests.harness.data import ROOT
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.shell import RING, WIDTH, Result, refusal, simnet, words
from tests.harness.timing import stopwatch
from tests.harness.undecided import UNDECIDED

# What is told is true

CASES = [  # protocol, more options, set, what it learns
    ("dpds", "--users 5 --items 3", "u1", "nothing"),
    ("dpds", "--users 5 --items 3", "u1..u4", "nothing"),
    ("dpds", "--users 5 --items 3", "u2,server", "output-only"),
    ("dpds", "--users 4 --items 2", "u1..u3,server", "output-only"),
    ("dpds", "--users 6 --items 2 --set sharing=shamir:2", "u3,u5", "leaks"),
    ("dpds", "--users 4 --items 2", "network", "nothing"),
    ("dpdg", "--users 5 --items 2", "all users but one", "nothing"),
    ("dpdg", "--users 5 --items 2", "server", "output-only"),
    ("dpdg", "--users 5 --items 2", "server,all users but one", "output-only"),
    ("dpdg", "--users 5 --items 2 --set sharing=shamir:2", "u1,u2", "leaks"),
    ("tss", "--users 8 --items 4", "S1", "nothing"),
    ("tss", "--users 8 --items 4", "S1,S2", "output-only"),
    ("tss", "--users 8 --items 6 --set reported=1 --set gamma=3", "all users but one", "leaks"),
    ("tss_prime", "--users 8 --items 6 --set bound=3 --set reported=1", "u1..u3", "nothing"),
    ("tss_prime", "--users 8 --items 4 --set bound=3", "u1,S2", "output-only"),
    ("dpds_shamir", "--users 6 --items 2", "u1,u2", "nothing"),
    ("dpds_shamir", "--users 6 --items 2", "u1..u3", "leaks"),
    ("weighted", "--users 12 --items 2", "g1.u1,g2.u1", "nothing"),
    ("weighted", "--users 12 --items 2", "g3.server", "output-only"),
    ("weighted", "--users 12 --items 2", "server", "nothing"),
]
COMPARED = [
    (*case, seed) for case in CASES for seed in (0, 5) if (case[1], seed) != (CASES[12][1], 5)
]


def is_met(name: str, options: str, finding: str, expected: str) -> bool:
    """Whether an expectation is met: of groups' estimates and of adaptive sets more is learned."""
    if expected in ("nothing", "output-only") and (name == "weighted" or "gamma" in options):
        return False
    return finding == expected.removesuffix("-from-shares")


def played(name: str, options: str, seed: int, observed: bool = False) -> Run:
    """The run that the command is about, played by other means."""
    parts = (
        options.replace("--set ", "")
        .replace("--users ", "users=")
        .replace("--items ", "items=")
        .split()
    )
    scenario = find(name)[1].with_settings(dict(part.split("=") for part in parts))
    protocol = scenario.build(scenario.users, scenario.items)
    people = uniform_items(scenario.users, scenario.items, seed)
    return run(
        protocol, people.items.tolist(), seed, observe=protocol.parties() if observed else ()
    )


@pytest.mark.parametrize(
    ("name", "options", "corrupt", "finding", "seed"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] * (case[-1] != 0 or number % 3 > 0))
        for number, case in enumerate(COMPARED)
    ],
)
def test_what_json_tells_is_true_of_the_run(
    name: str, options: str, corrupt: str, finding: str, seed: int
) -> None:
    result = simnet(
        "verify", name, *options.split(), "--corrupt", corrupt, "--seed", seed, "--json", "-"
    )
    assert (result.status, result.err) == (0, "")
    told = result.json
    assert set(told) == {
        "protocol",
        "parameters",
        "seed",
        "corrupt",
        "shares",
        "discrete",
        "public",
        "ideal_world",
        "reductions",
        "remarks",
    }
    assert set(told["shares"]) >= {"verdict", "tier", "functions", "leaks"}
    assert set(told["discrete"]) >= {"sees", "independent", "epsilon", "bound", "tier"}
    done = played(name, options, seed)
    assert (told["protocol"], told["seed"]) == (about(done.protocol).name, seed)
    assert told["shares"]["verdict"] == finding
    assert told["shares"]["tier"] == ("bound" if finding == "undecided" else "proved")
    assert told["parameters"]["users"] == len(done.inputs)
    assert set(told["corrupt"]) <= {*done.roster.names, "network"}

    def held(term: dict[str, Any]) -> int:
        assert term["party"] not in told["corrupt"]
        return int(done.secrets[term["party"]][term["secret"]].numbers()[int(term["item"]) - 1])

    functions, leaks = told["shares"]["functions"], told["shares"]["leaks"]
    for function in functions:
        assert set(function) >= {"terms", "value"}
        assert all(set(term) >= {"party", "item", "coefficient"} for term in function["terms"])
        total = sum(term["coefficient"] * held(term) for term in function["terms"])
        assert function["value"] == total % function["modulus"]
    for leak in leaks:
        assert set(leak) >= {"party", "item", "value", "recovered"}
        assert leak["value"] == leak["recovered"] == held(leak)
    single = {
        (one["terms"][0]["party"], one["terms"][0]["item"])
        for one in functions
        if len(one["terms"]) == 1
    }
    assert {(leak["party"], leak["item"]) for leak in leaks} == single
    assert bool(functions) == (finding in ("output-only", "leaks"))
    assert all(function["in_output"] for function in functions) == (finding != "leaks")


@pytest.mark.slow
@pytest.mark.parametrize("more", ["", "--set gamma=3", "--set bound=3", "--set sharing=shamir:2"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_is_called_public_is_what_travels_in_clear(more: str, seed: int) -> None:
    name = "tss_prime" if "bound" in more else "tss"
    options = f"--users 7 --items 5 {more}"
    told = simnet(
        "verify", name, *options.split(), "--corrupt", "S1", "--seed", seed, "--json", "-"
    ).json["public"]
    sets: dict[str, list[str]] = {}
    elected: dict[str, list[str]] = {}
    done = played(name, options, seed, observed=True)
    for message in done.transcript.messages:
        if message.tag == "reporting set":
            sets[done.roster.names[message.sender]] = [
                str(item) for item, bit in enumerate(message.payload.numbers(), 1) if bit
            ]
        if message.tag == "elected" and done.roster.names[message.recipient] == "S2":
            item, group = message.payload[0].numbers(), message.payload[-1].numbers()
            elected[str(item + 1)] = [f"u{user + 1}" for user in group]
    assert told == {"reporting_sets": sets, "elected": elected}


@pytest.mark.slow
@given(st.integers(2, 9), st.integers(1, 5), st.data())
@cases(15)
def test_the_discrete_part_is_bounded_as_the_reporting_sets_are(
    users: int, items: int, data: st.DataObject
) -> None:
    reported = data.draw(st.integers(1, items))
    gamma = data.draw(st.none() | st.integers(2, 9))
    parameters = [f"reported={reported}", f"gamma={gamma}", "participation=0.5"]
    more = [part for one in parameters for part in ("--set", one)]
    told = simnet(
        "verify", "tss", "--users", users, "--items", items, *more, "--corrupt", "S1", "--json", "-"
    ).json
    discrete = told["discrete"]
    (seen,) = discrete["sees"]
    assert (seen["what"], seen["from"], seen["carries"]) == ("reporting set", "user", "bd")
    assert seen["senders"] == seen["messages"] == users
    assert discrete["tier"] == ("proved" if gamma is None else "enumerated")
    assert (discrete["epsilon"], discrete["bound"]) == pytest.approx(
        epsilon_of_set(reported, items, 0.5, gamma)
    )
    assert discrete["epsilon"] <= discrete["bound"] + 1e-12
    assert discrete["independent"] == (discrete["epsilon"] == 0)
    assert discrete["independent"] == (gamma is None or reported == items)
    assert gamma is None or discrete["bound"] == pytest.approx(log(gamma))


@pytest.mark.parametrize("corrupt", ["u1", "server", "all users"])
def test_nothing_discrete_is_seen_where_messages_carry_field_elements_alone(corrupt: str) -> None:
    told = simnet(
        "verify", "dpds", "--users", 4, "--items", 2, "--corrupt", corrupt, "--json", "-"
    ).json
    assert (told["discrete"]["sees"], told["public"]) == ([], {})
    assert (
        told["discrete"]["independent"],
        told["discrete"]["epsilon"],
        told["discrete"]["tier"],
    ) == (
        True,
        0,
        "proved",
    )


@pytest.mark.parametrize(
    ("name", "options"), [("dpds", "--users 4 --items 2"), ("tss", "--users 6 --items 3")]
)
def test_the_network_sees_all_traffic_and_no_secret(name: str, options: str) -> None:
    told = simnet("verify", name, *options.split(), "--corrupt", "network", "--json", "-").json
    (seen,) = told["discrete"]["sees"]
    total = played(name, options, 0).ledger.total()
    assert (seen["what"], seen["messages"], seen["bytes"]) == (
        "traffic",
        total.messages,
        total.frame_bytes,
    )
    assert [sum(column) for column in list(zip(*seen["links"], strict=True))[3:]] == [
        seen["messages"],
        seen["bytes"],
    ]
    assert told["corrupt"] == ["network"]
    assert told["shares"]["verdict"] == "nothing"


NOISY = """
from simnet import Field, Seat, Tag, reals

F, NOTE = Field.above(100), Tag("note")


class Mine:
    def parties(self):
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me, item):
        me.secret(lambda item: item, item, field=F, shape=())
        noisy = me.disclose(lambda item, coins: item + coins.normal(1), item)
        await me.send(NOTE, "server", reals(noisy))

    async def server(self, me):
        await me.receive(NOTE, "u1")
"""


def test_what_cannot_be_enumerated_and_is_not_stated_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(NOISY)
    options = (tmp_path / "mine.py", "--inputs", "5", "--corrupt", "server")
    told = simnet("verify", *options, "--json", "-").json
    found = told["discrete"]
    assert (found["independent"], found["epsilon"], found["bound"]) == (None,) * 3
    assert found["tier"] == "not judged"
    assert told["shares"]["verdict"] == "nothing"
    for expected in ("nothing", "nothing-from-shares"):
        status = simnet("verify", *options, "--expect", expected).status
        assert status == (expected == "nothing")


def test_what_a_group_s_server_publishes_is_judged() -> None:
    told = simnet(
        "verify", "weighted", "--users", 8, "--items", 2, "--corrupt", "server", "--json", "-"
    ).json
    assert (told["discrete"]["independent"], told["discrete"]["epsilon"]) == (False, "inf")
    assert told["discrete"]["tier"] == "enumerated"
    assert told["shares"]["verdict"] == "nothing"


@pytest.mark.slow
def test_groups_that_publish_reporting_sets_are_said_to() -> None:
    options = ("--users", 8, "--items", 2, "--set", "protocol=tss")
    assert simnet("verify", "weighted", *options, "--corrupt", "g1.S1", "--json", "-").json[
        "public"
    ]


def test_inputs_are_those_that_are_given() -> None:
    options = (
        "--users",
        3,
        "--items",
        4,
        "--set",
        "participation=1",
        "--corrupt",
        "server,u1,u2",
        "--inputs",
        "1,2,4",
    )
    leaks = simnet("verify", "dpds", *options, "--json", "-").json["shares"]["leaks"]
    assert {(leak["party"], leak["item"]): leak["recovered"] for leak in leaks} == {
        ("u3", "1"): 0,
        ("u3", "2"): 0,
        ("u3", "3"): 0,
        ("u3", "4"): 1,
    }


@pytest.mark.slow
def test_a_set_may_be_written_in_several_ways() -> None:
    ways = [
        ["--corrupt", "u1,u2,u3"],
        ["--corrupt", "u1..u3"],
        ["--corrupt", "u3, u1 ,u2"],
        ["--corrupt", "all users but 1"],
        ["--corrupt", "all users but one"],
        ["--corrupt", "u1", "--corrupt", "u2..u3"],
    ]
    told = [
        simnet("verify", "dpds", "--users", 4, "--items", 2, *way, "--json", "-").json["corrupt"]
        for way in ways
    ]
    assert told == [["u1", "u2", "u3"]] * len(ways)


def test_a_role_of_a_group_can_be_named() -> None:
    result = simnet(
        "verify", "weighted", "--users", 8, "--items", 2, "--corrupt", "all g1.users", "--json", "-"
    )
    assert result.json["corrupt"] == ["g1.u1", "g1.u2"]


# Exit status


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "corrupt", "finding"), long_but(CASES[::2], *CASES[::4])
)
@pytest.mark.parametrize(
    "expected",
    long_but(
        [*SHARE_FINDINGS, "nothing-from-shares", "output-only-from-shares"],
        "nothing",
        "output-only",
        "leaks",
        "nothing-from-shares",
    ),
)
def test_the_status_is_1_when_something_else_was_expected(
    name: str, options: str, corrupt: str, finding: str, expected: str
) -> None:
    result = simnet("verify", name, *options.split(), "--corrupt", corrupt, "--expect", expected)
    met = is_met(name, options, finding, expected)
    assert result.status == (not met)
    assert (f"expected: {expected}" in result.out) == (not met)


@pytest.mark.parametrize("where", ["-", "out.json"])
def test_json_is_written_also_when_something_else_was_expected(tmp_path: Path, where: str) -> None:
    file = where if where == "-" else str(tmp_path / where)
    options = ("--users", 3, "--items", 2, "--corrupt", "u1", "--expect", "leaks", "--json", file)
    result = simnet("verify", "dpds", *options)
    assert result.status == 1
    text = result.out if where == "-" else Path(file).read_text(encoding="utf-8")
    assert json.loads(text)["shares"]["verdict"] == "nothing"


SMALL = "dpds --users 3 --items 2"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("nope --corrupt u1", "no scenario is called 'nope'"),
        ("nope.py --corrupt u1", "there is no file nope.py"),
        ("nope.py:Mine --corrupt u1", "there is no file nope.py"),
        (
            f"{RING}:Nobody --corrupt u1",
            "no protocol 'Nobody'; classes with `parties` are: RingSum",
        ),
        (f"{RING}:Seat --corrupt u1", "no protocol 'Seat'"),
        ("dpds", "--corrupt"),
        (
            f"{SMALL} --corrupt u4",
            "'u4', which is no party of this run (users: u1..u3, server: server)",
        ),
        (f"{SMALL} --corrupt S1", "'S1'"),
        (f"{SMALL} --corrupt u3..u1", "'u3..u1'"),
        (f"{SMALL} --corrupt u1..", "'u1..'"),
        (f"{SMALL} --corrupt ..u3", "'..u3'"),
        (f"{SMALL} --corrupt u1..u9", "'u1..u9'"),
        (f"{SMALL} --corrupt ,", "this coalition is empty"),
        (f"{SMALL} --corrupt= ", "this coalition is empty"),
        (f"{SMALL} --corrupt all%users%but%3", "is empty: the role user has 3 parties"),
        (f"{SMALL} --corrupt all%readers", "a role that nobody plays"),
        ("dpds --users 3 --set users=4 --corrupt u1", "--users means the same as --set users"),
        ("dpds --items 3 --set items=4 --corrupt u1", "items is given twice: 4 and 3"),
        (f"{SMALL} --corrupt u1 --runs 0", "--runs takes a whole number from 1, got 0"),
        (f"{SMALL} --corrupt u1 --runs -1", "--runs takes a whole number from 1, got -1"),
        (
            f"{SMALL} --corrupt u1 --collections 0",
            "--collections takes a whole number from 1, got 0",
        ),
        (f"{SMALL} --corrupt u1 --runs some", "--runs"),
        (f"{SMALL} --corrupt u1 --seed some", "--seed"),
        (f"{SMALL} --corrupt u1 --expect everything", "everything"),
        (
            f"{SMALL} --corrupt u1 --inputs 1,x,2",
            "--inputs takes whole numbers separated by commas, got '1,x,2'",
        ),
        (f"{SMALL} --corrupt u1 --inputs 1,,2", "--inputs takes whole numbers"),
        (f"{SMALL} --corrupt u1 --inputs 1.5,1,2", "--inputs takes whole numbers"),
        (f"{SMALL} --corrupt u1 --inputs 1,2", "2 inputs were given for 3 parties"),
        (f"{SMALL} --corrupt u1 --inputs 1,2,1,2", "4 inputs were given for 3 parties"),
        (f"{SMALL} --corrupt u1 --inputs 1,2,3", "u3 in round 1"),
        (f"{SMALL} --corrupt u1 --inputs 0,2,1", "a whole number in 1..2, got 0"),
        ("dpds --users 1 --corrupt u1", "at least 2 users, got users=1"),
        ("dpds --items 0 --corrupt u1", "items=0"),
        ("dpds --users many --corrupt u1", "--users"),
        (f"{SMALL} --set participation=2 --corrupt u1", "above 0 and at most 1, got 2.0"),
        (f"{SMALL} --set participation=half --corrupt u1", "participation=half is not a number"),
        (f"{SMALL} --set nonsense=1 --corrupt u1", "no setting is called 'nonsense'"),
        (f"{SMALL} --set sharing=ring --corrupt u1", "got 'ring'"),
        ("tss --users 5 --items 3 --set reported=4 --corrupt u1", "reported=4"),
        ("tss --users 5 --items 3 --set gamma=0.5 --corrupt u1", "gamma"),
        ("tss_prime --users 5 --items 3 --corrupt u1", "bound lies in 0..4, got 10"),
        ("weighted --users 8 --items 2 --set epsilons=0 --corrupt server", "epsilons are positive"),
        (f"{SMALL} --corrupt u1 --json nowhere/out.json", "cannot be written"),
        (f"{SMALL} --corrupt u1 --certificate nowhere/out.json", "cannot be written"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(arguments: str, said: str) -> None:
    result = simnet("verify", *(part.replace("%", " ") for part in arguments.split(" ") if part))
    assert said in refusal(result)


@pytest.mark.slow
def test_a_process_refuses_in_one_line() -> None:
    command = [
        sys.executable,
        "-m",
        "simnet.cli.main",
        "verify",
        "dpds",
        "--users",
        "1",
        "--corrupt",
        "u1",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "at least 2 users" in refusal(Result(done.returncode, done.stdout, done.stderr))
    assert done.stdout == ""


def test_an_absurd_bill_is_refused_before_it_is_paid(monkeypatch: pytest.MonkeyPatch) -> None:
    def paid(*_: object, **__: object) -> None:
        raise AssertionError("the run has begun")

    monkeypatch.setattr("simnet.scenario.verify.run", paid)
    monkeypatch.setattr("simnet.adversary.orbits.outline.run", paid)
    assert "more than the limit of 100,000,000,000" in refusal(
        simnet("verify", "dpds", "--users", 60_000, "--corrupt", "u1")
    )


# Several runs


@pytest.mark.slow
def test_the_counts_of_several_runs_add_up() -> None:
    options = (
        "--users",
        4,
        "--items",
        3,
        "--set",
        "reported=1",
        "--corrupt",
        "all users but one",
        "--seed",
        3,
    )
    told = simnet("verify", "tss", *options, "--runs", 5, "--json", "-").json["runs"]
    assert set(told) == {"runs", "confidence", "verdicts", "smallest_leaking_seed"}
    assert set(told["verdicts"]) == {"nothing", "output-only", "leaks", "undecided", "no-shares"}
    assert sum(row["count"] for row in told["verdicts"].values()) == told["runs"] == 5
    for row in told["verdicts"].values():
        assert row["share"] == row["count"] / 5
        exact = binomtest(row["count"], 5).proportion_ci(
            confidence_level=told["confidence"], method="exact"
        )
        assert row["interval"] == pytest.approx([exact.low, exact.high], abs=1e-9)
    alone = [
        simnet("verify", "tss", *options[:-1], seed, "--json", "-").json for seed in range(3, 8)
    ]
    found = [one["shares"]["verdict"] for one in alone]
    assert {finding: row["count"] for finding, row in told["verdicts"].items()} == {
        finding: found.count(finding) for finding in told["verdicts"]
    }
    assert {"nothing", "leaks"} == set(found)
    assert told["smallest_leaking_seed"] == 3 + found.index("leaks")


@pytest.mark.slow
def test_without_leaks_there_is_no_leaking_seed() -> None:
    options = ("--users", 3, "--items", 2, "--corrupt", "u1", "--runs", 3)
    assert (
        simnet("verify", "dpds", *options, "--json", "-").json["runs"]["smallest_leaking_seed"]
        is None
    )
    assert "smallest leaking seed" not in simnet("verify", "dpds", *options).out


@given(st.integers(1, 300), st.data())
def test_intervals_are_those_of_clopper_and_pearson(runs: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, runs))
    exact = binomtest(count, runs).proportion_ci(confidence_level=0.95, method="exact")
    assert clopper_pearson(count, runs) == pytest.approx((exact.low, exact.high), abs=1e-9)


@pytest.mark.slow
@given(st.integers(1, 3), st.integers(0, 1000), st.sampled_from(["dpds", "tss", "dpdg"]), st.data())
@cases(25)
def test_collections_are_judged_together(
    collections: int, seed: int, name: str, data: st.DataObject
) -> None:
    users, items = 4, data.draw(st.integers(1, 3))
    scenario = find(name)[1].with_settings({"users": str(users), "items": str(items)})
    held = data.draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    runs = {
        one: run(scenario.build(users, items), held, one) for one in range(seed, seed + collections)
    }
    corrupt = data.draw(
        st.sampled_from(["S2", "S1,S2"] if name == "tss" else ["server", "server,u1"])
    )
    options = (
        "--users",
        users,
        "--items",
        items,
        "--inputs",
        ",".join(map(str, held)),
        "--seed",
        seed,
    )
    told = simnet(
        "verify", name, *options, "--corrupt", corrupt, "--collections", collections, "--json", "-"
    ).json
    assert told["seed"] == seed
    functions = told["shares"]["functions"]
    assert {term.get("run", 1) for one in functions for term in one["terms"]} <= set(
        range(1, collections + 1)
    )
    for function in functions:
        values = [
            term["coefficient"]
            * int(
                runs[seed + term.get("run", 1) - 1]
                .secrets[term["party"]][0]
                .numbers()[int(term["item"]) - 1]
            )
            for term in function["terms"]
        ]
        assert function["value"] == sum(values) % function["modulus"]


@pytest.mark.slow
def test_reporting_sets_are_told_of_every_collection() -> None:
    options = (
        "--users",
        5,
        "--items",
        4,
        "--corrupt",
        "S1",
        "--inputs",
        "1,2,3,4,1",
        "--json",
        "-",
    )
    alone = [simnet("verify", "tss", *options, "--seed", seed).json["public"] for seed in (0, 1)]
    together = json.dumps(
        simnet("verify", "tss", *options, "--collections", 2).json["public_by_run"]
    )
    assert alone[0] != alone[1]
    assert all(json.dumps(one["reporting_sets"])[1:-1] in together for one in alone)


@pytest.mark.slow
def test_what_is_expected_is_expected_of_every_run() -> None:
    options = (
        "--users",
        4,
        "--items",
        3,
        "--set",
        "reported=1",
        "--corrupt",
        "all users but one",
        "--runs",
        5,
    )
    found = simnet("verify", "tss", *options, "--seed", 3, "--json", "-").json["shares"]["verdict"]
    assert simnet("verify", "tss", *options, "--seed", 3, "--expect", found).status == 1
    steady = ("--users", 3, "--items", 2, "--corrupt", "u1", "--runs", 3)
    assert simnet("verify", "dpds", *steady, "--expect", "nothing").status == 0


# Certificates

SMALL_SUM = ("dpds", "--users", 4, "--items", 2, "--corrupt", "u1,server")


def checked(*files: object) -> Result:
    """What the lone checker says, in a process of its own."""
    command = [sys.executable, "-m", "simnet.adversary.check", *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    """The certificate of what a server and a user learn."""
    file = tmp_path / "c.json"
    assert simnet("verify", *SMALL_SUM, "--certificate", file).status == 0
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "corrupt", "finding"), [CASES[place] for place in (1, 2, 11, 12, 17)]
)
def test_a_certificate_is_that_of_its_run_and_of_no_other(
    tmp_path: Path, name: str, options: str, corrupt: str, finding: str
) -> None:
    file = tmp_path / "c.json"
    made = simnet("verify", name, *options.split(), "--corrupt", corrupt, "--certificate", file)
    assert made.status == 0
    again = simnet("verify", "--check", file, "--json", "-")
    assert (again.status, again.json["difference"]) == (0, None)
    text = file.read_text()
    assert check(text).statement == finding
    assert again.json["proved"] == check(text).proved
    seed = json.loads(text)["runs"][0]["seed"]
    file.write_text(text.replace(f'"seed":{seed}', f'"seed":{seed + 1}'))
    other = simnet("verify", "--check", file, "--json", "-")
    assert other.status == 1
    assert other.json["difference"].startswith("runs[0].")


def test_equal_verdicts_are_equal_files(tmp_path: Path, proof: Path) -> None:
    simnet("verify", *SMALL_SUM, "--certificate", tmp_path / "again.json")
    assert proof.read_text() == (tmp_path / "again.json").read_text()


def test_the_lone_checker_says_what_is_proved_and_what_is_not(tmp_path: Path, proof: Path) -> None:
    shown = checked(proof)
    assert (shown.status, shown.err) == (0, "")
    work, proved, not_shown = shown.out.splitlines()
    assert re.fullmatch(r"Checking takes \d+ products\.", work)
    assert "tells {u1, server} the linear functions of the secrets of other parties" in proved
    assert not_shown.startswith("Not shown by this file: ")
    assert checked("--limit", 3, proof).err.endswith("more than the limit of 3 products\n")
    (tmp_path / "bad.json").write_text("{}")
    both = checked(proof, tmp_path / "bad.json")
    assert (both.status, both.out.count("Proved"), both.err.count("is refused")) == (1, 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    ["", "[]\n", "{}\n", "nonsense", '{"version": 1}', "3\n", "[" * 100_000, "\xff", "1" * 9999],
)
def test_what_is_no_certificate_is_refused_in_one_line(tmp_path: Path, content: str) -> None:
    file = tmp_path / "c.json"
    file.write_text(content, encoding="latin-1")
    result = checked(file)
    assert (result.status, result.out) == (1, "")
    assert re.fullmatch(r"the certificate is refused: \S.*\n", result.err)
    assert len(result.err) < 400
    assert "Traceback" not in checked(tmp_path / "nope.json").err


@pytest.mark.slow
def test_a_file_says_no_more_of_given_inputs_than_it_must(tmp_path: Path) -> None:
    """Without seed and digests it is as good a proof, for whoever can give them again."""
    file, held = tmp_path / "c.json", ("--inputs", "1,2,2,1")
    surely = ("--set", "participation=1")
    simnet("verify", *SMALL_SUM, *surely, *held, "--seed", 5, "--certificate", file)
    run = json.loads(file.read_text())["runs"][0]
    assert (run["seed"], run["inputs"], run["trace"]) == (None, None, None)
    assert "give --seed" in simnet("verify", "--check", file, *held).err
    assert simnet("verify", "--check", file, *held, "--seed", 5).status == 0
    others = simnet("verify", "--check", file, "--inputs", "1,1,1,1", "--seed", 5)
    assert (others.status, "learned" in others.out) == (1, True)
    shown = simnet("verify", *SMALL_SUM, *held, "--certificate", file, "--with-seed")
    assert "gives away: The seeds" in words(shown.out)
    assert simnet("verify", "--check", file, *held).status == 0


def test_people_of_a_file_are_judged_and_certified(tmp_path: Path) -> None:
    people, file = tmp_path / "people.csv", tmp_path / "c.json"
    people.write_text("city\nRome\nOslo\nRome\nOslo\nRome\n")
    column = ("--input", people, "--column", "city")
    made = simnet("verify", "dpds", *column, "--corrupt", "u1,server", "--certificate", file)
    assert made.status == 0
    certificate = json.loads(file.read_text())
    assert certificate["runs"][0]["seed"] is None
    assert certificate["protocol"]["parameters"]["users"] == "5"
    assert simnet("verify", "--check", file, *column, "--seed", 0).status == 0


def test_the_certificate_is_about_the_first_of_several_runs(tmp_path: Path) -> None:
    options = ("--users", 3, "--items", 2, "--corrupt", "u1", "--runs", 3, "--seed", 7)
    simnet("verify", "dpds", *options, "--certificate", tmp_path / "c.json")
    runs = json.loads((tmp_path / "c.json").read_text())["runs"]
    assert [run["seed"] for run in runs] == [7]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--corrupt", "u1"), "leave out --corrupt"),
        (("--seed", 3), "first run of this certificate has seed 0, not 3"),
        (("--users", 4), "leave out --users"),
        (("--runs", 2), "leave out --runs"),
        (("--collections", 2), "leave out --collections"),
        (("--with-seed",), "leave out --with-seed"),
        (("dpdg",), "is about 'dpds', not dpdg"),
        (("--inputs", "1,1,1,1"), None),
    ],
)
def test_what_the_file_says_is_not_said_again(
    proof: Path, options: tuple[object, ...], told: str | None
) -> None:
    result = simnet("verify", *options, "--check", proof)
    assert result.status == (1 if told is None else 2)
    assert (told or "runs[0].inputs") in words(result.err + result.out)


def test_a_file_chooses_no_program_and_writes_no_line(tmp_path: Path, proof: Path) -> None:
    ran, program, file = tmp_path / "ran", tmp_path / "program.py", tmp_path / "forged.json"
    program.write_text(f"open({str(ran)!r}, 'w')")
    content = json.loads(proof.read_text())
    content["protocol"]["scenario"] = str(program)
    file.write_text(canonical_text(content))
    assert "does not name a registered scenario" in words(simnet("verify", "--check", file).err)
    assert not ran.exists()
    file.write_text(canonical_text({"\nforged.json is right": 1}))
    assert "'\\nforged.json is right' is not expected here" in words(
        simnet("verify", "--check", file).out
    )


def test_a_certificate_of_a_file_that_is_elsewhere_says_what_to_write(
    tmp_path: Path, proof: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = json.loads(proof.read_text())
    for scenario in ("own_sum.py", "own_sum.py:Mine"):
        content["protocol"]["scenario"] = scenario
        proof.write_text(canonical_text(content))
        monkeypatch.chdir(tmp_path)
        told = words(refusal(simnet("verify", "--check", proof)))
        assert f"about '{scenario}', and there is no such file in this folder" in told
        assert f"simnet verify FOLDER/{scenario} --check {proof}" in told
    refused = refusal(simnet("verify", "own_sum.py:Mine", "--check", proof))
    assert "there is no file own_sum.py" in refused


@pytest.mark.slow
def test_a_forged_file_takes_no_long_time(tmp_path: Path, proof: Path) -> None:
    """Doors and rows are many in one file, and products in the other."""
    content, file = json.loads(proof.read_text()), tmp_path / "forged.json"
    (field,) = content["fields"]
    content["statement"], content["runs"][0]["sent"]["share"] = "nothing", [1, 10**6]
    content["families"] = [
        {"factors": [], "holders": ["u2"], "kind": kind, "label": "", "seed": None, "size": size}
        for kind, size in (("coin", 1), ("secret", 6_000))
    ]
    field |= {"lanes": 1, "unknowns": [[0, 0]], "messages": [], "learned": [], "ideal": []}
    field |= {"shift": [], "opened": [{"door": 0, "form": [], "seen": True}] * 20_000}
    field |= {"changes": [], "given": [], "rest": [], "factor": []}
    door = {"discloses": True, "function": "", "has_input": False, "in_full": False}
    content["doors"] = [door | {"kind": "disclose", "made": None, "party": "u2"}] * 10_000
    with stopwatch() as watch:
        assert check(canonical_text(content)).products == 0
    assert watch.seconds < 3
    content["doors"], field["opened"], field["changes"] = [], [], None
    field["unknowns"] += [[1, place] for place in range(6_000)]
    field["shift"] = [[0, [[place, 1] for place in range(1, 6_001)]]]
    message = {"box": None, "from": "u2", "key": None, "piece": 0, "round": 1, "run": 1}
    rows = [[place, [[0, 1]]] for place in range(20_000)]
    field["messages"] = [message | {"tag": "share", "to": "u1", "rows": rows}]
    file.write_text(canonical_text(content))
    refused = simnet("verify", "--check", file)
    assert refused.status == 1
    assert "more than the limit" in words(refused.out)


def test_a_flag_before_the_scenario_takes_no_value() -> None:
    options = ("dpds", "--users", 3, "--participation", 1, "--corrupt", "u1")
    assert simnet("verify", "--with-seed", *options).status == 0


def test_who_stops_reading_is_told_nothing_of_the_proof(proof: Path) -> None:
    command = [sys.executable, "-m", "simnet.adversary.check", str(proof)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process:  # type: ignore[call-overload]
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.slow
def test_a_file_says_that_what_was_sent_may_hang_on_inputs(tmp_path: Path) -> None:
    options = ("--users", 4, "--items", 2, "--corrupt", "u1", "--certificate", tmp_path / "c.json")
    for gamma, is_said in (("none", False), ("2", True)):
        shown = simnet("verify", "tss", *options, "--set", f"gamma={gamma}")
        assert ("How much was sent under each tag" in words(shown.out)) == is_said


def test_a_verdict_without_certificate_is_told_all_the_same(tmp_path: Path) -> None:
    path, proof = tmp_path / "mine.py", tmp_path / "c.json"
    path.write_text(UNDECIDED)
    options = (path, "--inputs", "5", "--corrupt", "b")
    told = simnet("verify", *options, "--json", "-").json["shares"]
    assert (told["verdict"], told["at_least"], told["at_most"]) == ("undecided", "nothing", "leaks")
    shown = simnet("verify", *options, "--certificate", proof)
    assert "at least nothing and at most more than the output" in words(shown.out)
    assert "(seed 0; undecided, bound)" in words(shown.out)
    assert not proof.exists()


# Files of one's own

HEAD = """
from simnet import Field, Seat, Tag, constant, seats

NOTE = Tag("note")
F = Field.above(100)
"""
BODY = """
    def parties(self):
        return seats("u", self.user, self.users)

    async def user(self, me, item):
        mine = me.secret(lambda item: item, item, field=F, shape=())
        if me.index == 1:
            await me.send(NOTE, to="u2", payload=mine)
        if me.index == 2:
            await me.receive(NOTE, "u1")
"""
FIELDS = """
class {name}:
    users: int
    items: int
    rounds: int
    chance: float = 0.5
    flag: bool = False
    word: str = "plain"
    limit: int | None = None
"""
DECORATORS = {
    "attrs": "import attrs\n{head}\n@attrs.frozen{fields}{body}",
    "dataclass": "import dataclasses\n{head}\n@dataclasses.dataclass(frozen=True){fields}{body}",
}


def source(decorator: str = "attrs", name: str = "Mine", future: bool = False) -> str:
    future_line = "from __future__ import annotations\n" if future else ""
    text = DECORATORS[decorator].format(head=HEAD, fields=FIELDS.format(name=name), body=BODY)
    return future_line + text


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        path = tmp_path / "mine.py"
        path.write_text(text)
        return path

    return write


Own = Callable[[str], Path]


@pytest.mark.parametrize("future", [False, True])
@pytest.mark.parametrize("decorator", DECORATORS)
def test_parameters_of_a_class_are_settings_of_their_own_type(
    own: Own, decorator: str, future: bool
) -> None:
    path = own(source(decorator, future=future))
    given = {
        "users": "4",
        "items": "2",
        "rounds": "7",
        "chance": "1",
        "flag": "yes",
        "word": "9",
        "limit": "3",
    }
    more = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
    told = simnet("verify", path, *more, "--corrupt", "u2", "--json", "-").json
    assert told["protocol"] == "Mine"
    taken = {
        "users": 4,
        "items": 2,
        "rounds": 7,
        "chance": 1.0,
        "flag": True,
        "word": "9",
        "limit": 3,
    }
    assert told["parameters"] == taken
    assert {name: type(value) for name, value in told["parameters"].items()} == {
        name: type(value) for name, value in taken.items()
    }
    assert told["shares"]["verdict"] == "leaks"


@pytest.mark.parametrize("decorator", DECORATORS)
def test_parameters_that_are_not_set_have_their_defaults(own: Own, decorator: str) -> None:
    told = simnet(
        "verify", own(source(decorator)), "--set", "rounds=1", "--corrupt", "u2", "--json", "-"
    ).json
    assert told["parameters"] == {
        "users": 5,
        "items": 3,
        "rounds": 1,
        "chance": 0.5,
        "flag": False,
        "word": "plain",
        "limit": None,
    }


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("rounds=x", "rounds=x is not a whole number"),
        ("flag=9", "flag takes true or false, got '9'"),
        ("chance=x", "chance=x is not a number"),
        ("other=1", "this scenario has users, items, rounds"),
    ],
)
def test_a_setting_that_does_not_fit_a_class_is_refused_in_one_line(
    own: Own, setting: str, said: str
) -> None:
    assert said in refusal(
        simnet("verify", own(source(future=True)), "--set", setting, "--corrupt", "u1")
    )


def test_a_parameter_without_default_must_be_given(own: Own) -> None:
    assert "rounds" in refusal(simnet("verify", own(source()), "--corrupt", "u2"))


def test_a_scenario_in_a_file_comes_before_its_classes(own: Own) -> None:
    text = source() + "\n\nfrom simnet import Scenario\n"
    text += 'SCENARIO = Scenario(summary="mine", protocol=Mine, users=3, items=2, '
    text += 'parameters={"rounds": 4, "chance": 0.25})\n'
    told = simnet("verify", own(text), "--corrupt", "u2", "--json", "-").json
    assert told["parameters"] == {"users": 3, "items": 2, "rounds": 4, "chance": 0.25}
    named = simnet(
        "verify", f"{own(text)}:Mine", "--set", "rounds=1", "--corrupt", "u2", "--json", "-"
    ).json
    assert named["parameters"]["users"] == 5


def test_imported_classes_do_not_count(own: Own) -> None:
    path = own(
        "from protocols.dpds.script import DPDS\nfrom protocols.tss.script import TSS\n" + source()
    )
    told = simnet("verify", path, "--set", "rounds=1", "--corrupt", "u2", "--json", "-").json
    assert told["protocol"] == "Mine"
    assert "no protocol 'DPDS'; classes with `parties` are: Mine" in refusal(
        simnet("verify", f"{path}:DPDS", "--corrupt", "u1")
    )


def test_one_of_several_classes_is_named(own: Own) -> None:
    # a second name of a class is no second class
    path = own(source() + "\n\n@attrs.frozen\nclass Other(Mine):\n    pass\n\nSAME = Other\n")
    assert "2 protocols; classes with `parties` are: Mine, Other" in refusal(
        simnet("verify", path, "--corrupt", "u1")
    )
    for name in ("Mine", "Other"):
        more = ("--set", "rounds=1", "--corrupt", "u2", "--json", "-")
        assert simnet("verify", f"{path}:{name}", *more).json["protocol"] == name


@for_each(
    "text, said",
    [
        ("", "0 protocols; classes with `parties` are: none"),
        ("SCENARIO = 3", "0 protocols"),
        ("from protocols.dpds.script import DPDS", "0 protocols"),
        ("import nothing_of_that_name", "fails to load: ModuleNotFoundError"),
        ("class", "fails to load: SyntaxError"),
        ("raise RuntimeError('two\\nlines')", "fails to load: RuntimeError: two lines"),
        (
            HEAD
            + "class Mine:\n    users = 3"
            + BODY.replace(
                "me.secret(lambda item: item, item, field=F, shape=())", "constant(F, 1)"
            ),
            "no honest party declared a secret",
        ),
        (HEAD + "class Mine:\n    users = 3" + BODY.replace('"u2"', '"u9"'), "u9"),
        (
            HEAD + "class Mine:\n    users = 3" + BODY.replace("mine = ", "mine = {}['lost'] or "),
            "u1 in round",
        ),
        (
            HEAD + "class Mine:\n    users = 3" + BODY.replace("self.user", "self.nobody"),
            "has no attribute 'nobody'",
        ),
        (HEAD + "class Mine:\n    users = 0" + BODY, "has no parties"),
        (
            HEAD
            + (
                "class Mine:\n    def __init__(self, users):\n        raise ValueError('no such "
                "thing')\n"
            )
            + BODY,
            "no such thing",
        ),
    ],
)
def test_a_file_without_a_protocol_that_runs_is_refused_in_one_line(
    own: Own, text: str, said: str
) -> None:
    assert said in refusal(simnet("verify", own(text), "--corrupt", "u1"))


def test_annotations_may_be_for_type_checkers_alone(own: Own) -> None:
    lines = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from fractions import Fraction\n"
    )
    text = source("dataclass", future=True).replace("\n\n", f"\n{lines}\n", 1)
    path = own(text.replace("int | None = None", "Fraction | None = None"))
    assert simnet("verify", path, "--set", "rounds=1", "--corrupt", "u1").status == 0


def test_annotations_may_be_inherited_from_another_file(own: Own) -> None:
    (own("").parent / "base_of_mine.py").write_text(
        "from __future__ import annotations\nimport attrs\nfrom fractions import Fraction\n"
        "@attrs.frozen\nclass Base:\n    users: int = 3\n    ratio: Fraction = Fraction(1, 2)\n"
    )
    text = (
        "import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent))\nimport "
        "attrs\n"
    )
    text += (
        f"from base_of_mine import Base\nsys.path.pop(0)\n{HEAD}\n@attrs.frozen\nclass "
        f"Mine(Base):\n    more: int = 1\n"
    )
    assert simnet("verify", own(text + BODY), "--corrupt", "u1").status == 0


def test_the_sharing_of_a_protocol_file_can_be_set() -> None:
    path = ROOT / "protocols" / "dpds" / "script.py"
    more = (
        "--set",
        "participation=1",
        "--set",
        "sharing=shamir:2",
        "--users",
        4,
        "--corrupt",
        "u1,u2",
    )
    assert simnet("verify", path, *more, "--expect", "leaks").status == 0


@pytest.mark.parametrize(
    "error", ["KeyError('lost')", "ZeroDivisionError('by zero')", "AssertionError('never')"]
)
def test_a_constructor_that_fails_is_told_in_one_line(own: Own, error: str) -> None:
    text = f"{HEAD}class Mine:\n    def __init__(self, users):\n        raise {error}\n{BODY}"
    refusal(simnet("verify", own(text), "--corrupt", "u1"))


def test_parties_that_fail_are_told_in_one_line(own: Own) -> None:
    text = f"{HEAD}class Mine:\n    users = 3{BODY}".replace(
        "return seats", "raise ValueError('no seat')  #"
    )
    refusal(simnet("verify", own(text), "--corrupt", "u1"))


def test_keywords_of_a_constructor_are_no_parameter(own: Own) -> None:
    text = (
        f"{HEAD}class Mine:\n    users = 3\n    def __init__(self, **options):\n        "
        f"self.options = options\n{BODY}"
    )
    assert (
        "options"
        not in simnet("verify", own(text), "--corrupt", "u1", "--json", "-").json["parameters"]
    )


FIXED = HEAD + "class Mine:" + BODY.replace("self.users", "3")


def test_a_number_of_users_that_a_class_does_not_take_is_refused(own: Own) -> None:
    refusal(simnet("verify", own(FIXED), "--users", 7, "--corrupt", "u1"))


def test_a_class_of_fixed_size_is_not_said_to_have_no_users(own: Own) -> None:
    told = simnet("verify", own(FIXED), "--corrupt", "u1", "--json", "-").json["parameters"]
    assert told.get("users") in (None, 3)


@pytest.mark.parametrize("name", ["nope", "nope.py", "nope.py:Mine"])
def test_what_stands_for_no_protocol_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput):
        find(name)


# What a person reads


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options", "corrupt", "finding"), CASES)
@pytest.mark.parametrize("more", long_but(["", "--runs 3"], ""))
def test_a_verdict_fits_a_terminal(
    name: str, options: str, corrupt: str, finding: str, more: str
) -> None:
    result = simnet("verify", name, *options.split(), "--corrupt", corrupt, *more.split())
    assert result.status == 0
    assert max(map(len, result.out.splitlines())) <= WIDTH
    assert "Traceback" not in result.out
    sentence = {
        "nothing": "learns nothing",
        "output-only": "learns only the output",
        "leaks": "learns ",
    }
    assert sentence.get(finding, finding) in words(result.out)
    assert "disclosed: " in result.out
    for part in ("None", "nan", "  ·", "{}"):
        assert part not in result.out


def test_a_verdict_shows_whose_secrets_are_exposed_and_how() -> None:
    more = (
        "--users",
        4,
        "--items",
        2,
        "--set",
        "participation=1",
        "--inputs",
        "1,2,2,1",
        "--corrupt",
        "u1..u3",
    )
    shown = words(simnet("verify", "dpds_shamir", *more).out)
    assert shown.startswith("{u1..u3} learns u4's items 1, 2 in this run (seed 0; proved).")
    assert "u4[1] = 1 (beyond the output)" in shown
    assert "u4[2] = 0 (beyond the output)" in shown
    assert "(share, u4→u1)" in shown
    assert "2 of 2 attacks give the true value" in shown


def test_the_arithmetic_that_is_shown_is_right() -> None:
    shown = words(
        simnet("verify", "dpds_shamir", "--users", 4, "--items", 1, "--corrupt", "u1..u3").out
    )
    (line,) = re.findall(
        (
            r"u4\[1\] = (\d+) \(beyond the output\) = (.*?)(?: - (\d+) \(own coins and "
            r"secrets\))? mod (\d+)"
        ),
        shown,
    )
    value, messages, own_part, modulus = line
    terms = re.findall(r"([+-])? ?(?:(\d+)·)?(\d+) \(share, \S+\)", messages)
    total = sum(
        (-1 if sign == "-" else 1) * int(weight or 1) * int(number)
        for sign, weight, number in terms
    )
    assert (total - int(own_part or 0)) % int(modulus) == int(value)


@pytest.mark.slow
def test_a_loss_without_bound_is_told_in_words() -> None:
    shown = words(simnet("verify", "sampling_privacy_clear", "--users", 8, "--corrupt", "A1").out)
    assert "and 5 more parties" in shown
    assert "- 0 (own" not in shown
    shown = words(simnet("verify", "weighted", "--users", 8, "--corrupt", "server").out)
    assert "disclosed values: no finite ε in this run" in shown
    assert "disclosed: no finite ε" in shown


def test_functions_beyond_the_first_few_are_counted() -> None:
    shown = words(simnet("verify", "dpds", "--users", 3, "--items", 11, "--corrupt", "server").out)
    assert "and 3 more functions; --json writes all of them" in shown


def test_json_in_a_file_leaves_the_words_on_the_terminal(tmp_path: Path) -> None:
    file = tmp_path / "out.json"
    result = simnet("verify", "dpds", "--users", 3, "--items", 2, "--corrupt", "u1", "--json", file)
    assert "{u1} learns nothing" in result.out
    assert json.loads(file.read_text(encoding="utf-8"))["shares"]["verdict"] == "nothing"


MORE_THAN_OUTPUT = """
import attrs
from simnet import Field, Seat, Tag, seats

F = Field.above(100)


@attrs.frozen
class Mine:
    users: int = 3
    items: int = 2

    def parties(self):
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    def answer(self, item, user):
        return user.secret(lambda item: [item, item + 1], item, field=F, shape=(2,))

    async def user(self, me, item):
        users = me.names("user")
        mask = me.coins.field(F, (2,))
        await me.send(Tag("mask"), to=users[me.index % self.users], payload=mask)
        other = await me.receive(Tag("mask"), users[me.index - 2])
        await me.send(Tag("hidden"), to="server", payload=self.answer(item, me) + mask - other)

    async def server(self, me):
        await me.gather(Tag("hidden"), me.all("user"))

    def functionality(self, items, users):
        answers = [self.answer(item, user) for item, user in zip(items, users, strict=True)]
        return {"server": type(answers[0]).stack(answers).sum()[:1]}
"""


def test_a_sum_that_the_ideal_world_hides_is_a_leak(own: Own) -> None:
    told = simnet("verify", own(MORE_THAN_OUTPUT), "--corrupt", "server", "--json", "-").json
    assert told["shares"]["verdict"] == "leaks"
    allowed = defaultdict(list)
    for function in told["shares"]["functions"]:
        allowed[function["in_output"]].append({term["item"] for term in function["terms"]})
    assert allowed == {True: [{"1"}], False: [{"2"}]}


def test_a_functionality_without_names_of_parties_is_told_what_to_return(own: Own) -> None:
    text = MORE_THAN_OUTPUT.replace('{"server": type(', "(type(").replace("[:1]}", "[:1])")
    said = refusal(simnet("verify", own(text), "--corrupt", "server"))
    assert "got field elements: return, for example, {" in said


def test_the_headline_names_what_goes_beyond_the_output(own: Own) -> None:
    shown = words(simnet("verify", own(MORE_THAN_OUTPUT), "--corrupt", "server").out)
    assert shown.startswith("{server} learns u1[2] + u2[2] + u3[2] =")


@pytest.mark.slow
def test_a_certificate_names_who_dropped_out(tmp_path: Path) -> None:
    file = tmp_path / "committee.json"
    run_of = ("verify", "committee", "--users", 4, "--items", 2, "--corrupt", "c1,c2")
    fates = ("--drop", "u2@share:2", "--drop", "u3@share")
    assert simnet(*run_of, *fates, "--certificate", file).status == 0
    named = json.loads(file.read_text(encoding="utf-8"))["runs"][0]["fates"]
    assert named == {"u2": "share:2", "u3": "share"}
    assert simnet("verify", "--check", file).status == 0
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace('"u3":"share"', '"u3":"share:after"'), encoding="utf-8")
    changed = simnet("verify", "--check", file)
    assert changed.status == 1
    assert "is not the certificate of this run" in " ".join(changed.out.split())


@pytest.mark.slow
@pytest.mark.parametrize("what", ["lost", "duplicated"])
def test_a_certificate_names_which_messages_went_astray(what: str, tmp_path: Path) -> None:
    file, fate = tmp_path / "secagg.json", f"u2@masked:{what}:server"
    run_of = ("verify", "secagg", "--users", 4, "--items", 2, "--corrupt", "server")
    assert simnet(*run_of, "--drop", fate, "--certificate", file).status == 0
    assert simnet("verify", "--check", file).status == 0
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["runs"][0]["message_fates"] == [fate]
    read = python_reader(file.read_bytes())
    assert read is not None
    if NODE is not None:
        with NodeReader() as node:
            assert node(file.read_bytes()) == read
            for wrong in ([], [""], fate, [1]):
                content["runs"][0]["message_fates"] = wrong
                damaged = certificate_text(content).encode()
                assert python_reader(damaged) is None
                assert node(damaged) is None
    content["runs"][0]["message_fates"] = [fate.replace("u2", "u3")]
    file.write_text(certificate_text(content), encoding="utf-8")
    changed = simnet("verify", "--check", file)
    assert changed.status == 1
    assert "is not the certificate of this run" in " ".join(changed.out.split())


@pytest.mark.slow
def test_a_certificate_of_keys_and_boxes_is_read_again_with_its_drop_outs(tmp_path: Path) -> None:
    file = tmp_path / "secagg.json"
    made = simnet(
        *("verify", "secagg", "--users", 4, "--items", 2, "--drop", "u3@masked"),
        *("--corrupt", "u1,server", "--certificate", file),
    )
    assert made.status == 0
    checked = simnet("verify", "--check", file)
    assert checked.status == 0
    words = " ".join(checked.out.split())
    assert "seeds and keys made from field elements. Assumed: ideal random functions" in words
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["known"]
    assert content["closed"]
    content["known"].pop()
    file.write_text(certificate_text(content), encoding="utf-8")
    assert simnet("verify", "--check", file).status == 1
