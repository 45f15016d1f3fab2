"""`simnet verify --by symmetry`: the output, its JSON and the certificate."""

import json
from pathlib import Path

import jsonschema
import pytest

from simnet.adversary.check import BadCertificate, canonical_text, check
from tests.harness.data import ROOT
from tests.harness.shell import refusal, simnet, words

SMALL = ("verify", "dpds", "--users", 9, "--items", 2, "--seed", 3)
SCHEMA = json.loads((ROOT / "docs/reference/schemas/verify.json").read_text())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("corrupt", "finding", "exposed"),
    [
        ("4 users", "nothing", []),
        ("network", "nothing", []),
        ("server, 4 users", "output-only", []),
        (
            "server, all users but one",
            "output-only",
            ["u9: secret 1, elements 1 to 2"],
        ),
    ],
)
def test_a_verdict_is_that_of_elimination_and_its_json_fits_the_schema(
    corrupt: str, finding: str, exposed: list[str]
) -> None:
    told = simnet(*SMALL, "--corrupt", corrupt, "--by", "symmetry", "--json", "-").json
    direct = simnet(*SMALL, "--corrupt", corrupt, "--by", "elimination", "--json", "-").json
    jsonschema.validate(told, SCHEMA)
    assert told["corrupt"] == direct["corrupt"]
    assert told["shares"]["verdict"] == direct["shares"]["verdict"] == finding
    assert told["discrete"]["independent"] is direct["discrete"]["independent"] is True
    assert told["shares"]["by_symmetry"]["exposed"][:1] == exposed
    leaks = {leak["party"] for leak in direct["shares"]["leaks"]}
    assert bool(leaks) == bool(exposed)
    sizes = told["shares"]["by_symmetry"]["systems"][0]["classes"]
    assert sum(sizes.values()) == 10


@pytest.mark.parametrize("corrupt", ["4 users", "network", "server, all users but one"])
def test_its_certificate_is_accepted_and_says_what_was_printed(
    tmp_path: Path, corrupt: str
) -> None:
    file = tmp_path / "proof.json"
    result = simnet(*SMALL, "--corrupt", corrupt, "--by", "symmetry", "--certificate", file)
    assert (result.status, result.err) == (0, "")
    shown = words(result.out)
    assert 'by Theorem 1 of the page "Verdicts on many parties that are alike"' in shown
    read = check(file.read_text())
    learned = {"nothing": "learns nothing", "output-only": "learns only the output"}
    assert learned[read.statement] in shown
    content = json.loads(file.read_text())
    (field,) = content["fields"]
    if corrupt != "network":
        field["learned" if read.statement != "nothing" else "shift"] = []
        with pytest.raises(BadCertificate):
            check(canonical_text(content))
    again = simnet("verify", "--check", file)
    assert (again.status, again.err) == (0, "")
    assert "is the certificate of this run" in words(again.out)


def test_what_is_not_alike_is_refused_in_one_line() -> None:
    ring = ROOT / "notebooks" / "ring_sum.py"
    asked = ("verify", f"{ring}", "--users", 40, "--corrupt", "u1", "--by", "symmetry")
    assert "cannot be judged by symmetry" in refusal(simnet(*asked))


@pytest.mark.parametrize(
    "option", [("--runs", 2), ("--collections", 2), ("--drop", "u3@share"), ("--network", "mobile")]
)
def test_options_for_other_runs_are_refused(option: tuple[object, object]) -> None:
    said = refusal(simnet(*SMALL, "--corrupt", "u1", "--by", "symmetry", *option))
    assert said.endswith(f"leave out {option[0]}")


def test_the_exit_status_is_that_of_the_expectation() -> None:
    asked = (*SMALL, "--corrupt", "4 users", "--by", "symmetry", "--expect")
    assert simnet(*asked, "nothing").status == 0
    assert simnet(*asked, "leaks").status == 1


def test_the_output_says_how_many_kinds_and_systems_it_does_not_show() -> None:
    command = ("verify", "tss", "--users", 12, "--items", 12, "--reported", 8, "--by", "symmetry")
    corrupt = ("--corrupt", "S1,S2,u1..u11")
    told = simnet(*command, *corrupt, "--json", "-").json["shares"]["by_symmetry"]
    printed = words(simnet(*command, *corrupt).out)
    assert len(told["exposed"]) > 5
    assert f"; and {len(told['exposed']) - 5} more" in printed
    assert (
        f"alike, in the largest of {len(told['systems'])} systems of equations: u12: 1" in printed
    )
