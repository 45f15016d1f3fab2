"""The JSON of every command fits its schema in docs/reference/schemas."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.harness.data import ROOT
from tests.harness.marks import long_but
from tests.harness.shell import RING, simnet
from tests.harness.undecided import UNDECIDED

SCHEMAS = {
    file.stem: json.loads(file.read_text())
    for file in sorted((ROOT / "docs/reference/schemas").glob("*.json"))
}
COMMANDS = [
    ("run", "run dpds --users 20 --items 3"),
    ("run", "run dpds --users 20 --items 3 --at-epsilon 1"),
    ("run", "run tss --users 20 --items 4 --gamma 2 --reported 1"),
    ("run", "run tss_prime --users 20 --items 4 --reported 1"),
    ("run", "run dpdg --users 20"),
    (
        "run",
        "run tss_robust --users 60 --items 6 --sharing shamir:100% --drop u1@heard",
    ),
    ("run", "run weighted"),
    ("run", "run weighted_mean"),
    ("run", "run local_frequency --users 200 --mechanism olh"),
    ("run", "run local_mean --users 50"),
    ("run", "run local_table --users 50"),
    ("run", "run sampled_frequency --users 200"),
    ("run", "run sampled_personal --users 200"),
    ("run", "run sampling_privacy --users 20"),
    ("run", "run sampling_privacy_clear --users 20"),
    ("run", "run ldp_sgd --users 2000"),
    ("run", "run calibrated_frequency --users 2000 --items 20 --heavy 0.1"),
    ("run-protocol", f"run {RING}"),
    ("verify", "verify dpds --users 5 --items 2 --corrupt u1,server"),
    ("verify", "verify dpds --users 5 --items 2 --corrupt u1,server --drop u3@partial"),
    ("run", "run dpds --users 20 --items 3 --drop u4@partial:after"),
    ("verify", "verify tss --users 6 --items 2 --corrupt S2 --reported 1 --runs 3"),
    ("verify", "verify dpds --users 5 --items 2 --corrupt network"),
    ("verify", "verify sampling_privacy --users 12 --corrupt reader"),
    ("verify", "verify ldp_sgd --users 200 --corrupt server"),
    ("verify", f"verify {RING} --corrupt u2,u4"),
    ("exact-view", f"exact-view {RING} --users 3 --items 2 --corrupt u1 --inputs 1,1,1"),
    ("exact-view", "exact-view dpds --users 2 --items 1 --corrupt u1 --inputs 1,1 --versus 1,1"),
    (
        "exact-view",
        "exact-view committee --users 2 --items 2 --members 2 --sharing shamir:2 "
        "--corrupt server --inputs 1,1 --versus 1,2 --drop u2@share",
    ),
    ("coalitions-over-runs", "coalitions tss --users 12 --items 3 --reported 1 --runs 2"),
    ("coalitions-over-runs", f"coalitions {RING} --runs 2"),
    ("coalitions", "coalitions tss --users 4 --items 2 --reported 1"),
    ("coalitions-by-count", "coalitions tss --users 14 --items 2 --reported 1"),
    ("coalitions-by-count", "coalitions dpds_shamir --users 13 --items 2"),
    ("coalitions-some", f"coalitions {RING} --users 13 --user u2,u5"),
    ("check", "check dpds --users 5 --items 2"),
    ("bench", "bench ping-pong --repeat 1"),
    ("network", "network"),
    ("run", "run dpds --users 20 --items 3 --network mobile"),
    ("list", "list"),
    ("list-name", "list tss"),
    ("list-name", "list fig2"),
    ("explain", "explain"),
    ("table1", "table1 --users 20 --items 3 --participation 0.5 --reported 1 --phi 2"),
    ("mechanism", "mechanism duchi-multi --epsilon 1 --attributes 4"),
    ("mechanism", "mechanism pm --epsilon 1"),
    ("mechanism", "mechanism grr --epsilon 1 --items 3"),
    ("privacy", "privacy dpds --counts 20,30 --participation 0.3 --epsilon 1"),
    ("privacy", "privacy dpcs --counts 20,30 --participation 0.3 --delta 1e-6"),
    ("privacy", "privacy tss-s1 --items 10 --reported 2 --participation 0.3 --gamma 2"),
    ("privacy-views", "privacy tss --counts 20,30 --participation 0.3 --reported 1"),
    ("privacy-dpdg", "privacy dpdg --users 100 --epsilon 0.5 --delta 1e-6 --colluders 3"),
    ("privacy-participation", "privacy participation --counts 200,300 --epsilon 1 --delta 1e-4"),
    ("privacy-users", "privacy users --share 0.1 --participation 0.3 --epsilon 1 --delta 1e-4"),
    (
        "privacy-advise",
        "privacy advise --users 1000 --items 5 --rarest 90 --epsilon 0.5 --delta 1e-4",
    ),
    ("compare", "compare dpds oue tss --items 5 --users 4,1e3,1e4 --epsilon 1 --delta 1e-4"),
    ("privacy-thresholds", "privacy thresholds --users 20 --drop 0.1,0.9"),
    ("privacy-compose", "privacy compose --group 33,40@0.1x5 --delta 1e-6"),
    ("privacy-degree", "privacy degree --users 1000 --corrupt 0.1 --drop 0.1"),
    ("privacy-degree", "privacy degree --users 100 --corrupt 0 --drop 0.1 --server lying"),
    ("privacy-survive", "privacy survive --users 100 --items 5 --reported 2 --colluders 80"),
    ("privacy-completes", "privacy completes --users 100 --drop 0.1 --runs 20"),
    ("claims", "claims jia biswas"),
    ("run-protocol", "run dpds --users 20 --items 3 --drop 0.2 --seed 3"),
    ("run-protocol", "run dpdg --users 20 --items 3 --drop 0.1"),
    ("run-protocol", "run tss_prime --users 30 --items 3 --reported 1 --drop 0.1"),
    ("run-protocol", "run secagg --users 5 --items 2 --drop u3@masked:damaged:server"),
    ("run", "run secagg --users 8 --items 2 --network mobile --drop u3@masked"),
    ("run", "run local_frequency --users 50 --population actors --drop 0.1"),
    ("verify", "verify dpds --users 5 --items 2 --corrupt u1 --collections 2 --runs 2"),
    (
        "verify",
        "verify secagg --users 5 --items 2 --corrupt server,u1 --drop u3@masked:lost:server",
    ),
    ("check", "check dpds --users 4 --items 2 --drop u1@share"),
    ("run", "run sampled_frequency --users 50 --network mobile"),
    ("run-protocol", "run dpds --users 5 --items 2 --drop u1@share"),
    ("run-protocol", "run dpds --users 5 --items 2 --drop u1@share --network mobile"),
    ("run-protocol", f"run {RING} --drop u2@running"),
    ("run-protocol", f"run {RING} --network mobile --network broadband"),
    ("run", "run dpds --users 20 --items 3 --at-epsilon 0.5 --at-delta 1e-3"),
    ("run", "run dpds --users 20 --items 3 --no-claims"),
    ("verify", "verify dpds --users 4 --items 2 --corrupt u1 --collections 2"),
    ("verify", "verify dpds --users 4 --items 2 --corrupt network --collections 2"),
    (
        "verify",
        "verify local_frequency --users 4 --items 2 --corrupt server --collections 2 --runs 2",
    ),
    ("verify", "verify dpds --users 4 --items 2 --corrupt u1 --runs 2 --drop 0.2"),
    ("verify", "verify dpds --users 5 --items 2 --corrupt u1 --by symmetry"),
    ("verify", f"verify {RING} --corrupt u1 --drop u2@running --runs 2"),
    ("coalitions", "coalitions dpds --users 4 --items 2 --drop u1@share"),
    ("coalitions", "coalitions secagg --users 4 --items 2 --network mobile"),
    ("coalitions-some", "coalitions dpds_shamir --users 13 --items 2 --drop u1@share"),
    ("coalitions-over-runs", "coalitions dpds --users 4 --items 2 --runs 2"),
    ("exact-view", "exact-view dpds --users 2 --items 2 --corrupt u1 --inputs 1,1 --drop u2@share"),
]
NO_PRIVACY = """
import attrs
from protocols.dpds.about import about
from protocols.dpds.script import DPDS
from simnet import Scenario

SCENARIO = Scenario(
    summary="counts",
    protocol=DPDS,
    users=6,
    items=2,
    parameters={"participation": 0.5},
    about=lambda made: attrs.evolve(about(made), privacy=lambda *view: ()),
)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "command"),
    long_but(COMMANDS, *(pair for pair in COMMANDS if pair[0] != "bench")),
    ids=lambda word: word,
)
def test_the_output_fits_its_schema(name: str, command: str) -> None:
    done = simnet(*command.split(), "--json", "-")  # a missed target of a benchmark is status 1
    jsonschema.validate(done.json, SCHEMAS[name])


@pytest.mark.slow
def test_an_undecided_verdict_fits_its_schema(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(UNDECIDED)
    for more in ((), ("--collections", 2), ("--runs", 2)):
        found = simnet("verify", file, "--inputs", 5, "--corrupt", "b", *more, "--json", "-").json
        assert found["shares"]["verdict"] == "undecided"
        jsonschema.validate(found, SCHEMAS["verify"])
    for name, more in (("coalitions", ()), ("coalitions-over-runs", ("--runs", 2))):
        done = simnet("coalitions", file, *more, "--json", "-")
        jsonschema.validate(done.json, SCHEMAS[name])


LEAK = """
from simnet import Field, Seat, Tag, seats

T, F = Tag("t"), Field(101)

class Leak:
    def __init__(self, users: int = 3, items: int = 2):
        self.users, self.items = users, items

    def parties(self):
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me, number):
        secret = me.secret(lambda x: x, number, field=F, shape=())
        mask = me.coins.field(F, ())
        await me.send(T, "server", secret + mask)
        await me.send(T, "server", mask * 5)

    async def server(self, me):
        for user in me.all("user"):
            for _ in range(2):
                await me.receive(T, user)
"""


def test_json_has_the_attack_and_the_remarks_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "leak.py"
    file.write_text(LEAK)
    command = ("verify", file, "--corrupt", "server", "--inputs", "1,2,2", "--expect", "nothing")
    text = " ".join(simnet(*command).out.split())
    found = simnet(*command, "--json", "-").json
    jsonschema.validate(found, SCHEMAS["verify"])
    assert not found["met"]
    assert f"expected: {found['expected']}" in text
    (remark,) = found["remarks"]
    assert remark in text
    assert len(found["shares"]["functions"]) == 3
    for function in found["shares"]["functions"]:
        attack = function["computed_from"]
        assert attack["numbers"] == len(attack["messages"]) == 2
        total = sum(each["factor"] * each["number"] for each in attack["messages"])
        assert (total - attack["own_part"] - function["value"]) % function["modulus"] == 0
        for each in attack["messages"]:
            link = f"{each['sender']}→{each['recipient']}"
            assert f"{each['number']} ({each['tag']}, {link})" in text


def test_a_run_without_privacy_statements_fits_its_schema(tmp_path: Path) -> None:
    file = tmp_path / "no_privacy.py"
    file.write_text(NO_PRIVACY)
    found = simnet("run", file, "--json", "-").json
    assert found["privacy"] == {}
    jsonschema.validate(found, SCHEMAS["run"])
    part = SCHEMAS["run"]["properties"]["privacy"]
    for wrong in (None, {"epsilon": 1.0}):
        assert not jsonschema.Draft202012Validator(part).is_valid(wrong)


def test_the_numbering_of_a_column_fits_the_schemas(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("city\nRome\nOslo\nRome\n")
    column = (RING, "--input", file, "--column", "city")
    for name, command in (("run-protocol", ("run",)), ("verify", ("verify", "--corrupt", "u2"))):
        found = simnet(*command, *column, "--json", "-").json
        assert "input 1" in found["numbering"]
        jsonschema.validate(found, SCHEMAS[name])


@pytest.mark.long
def test_the_outputs_of_studies_and_certificates_fit_their_schemas(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    simnet(
        *[
            "verify",
            "dpds",
            "--users",
            "3",
            "--items",
            "2",
            "--corrupt",
            "u1",
            "--certificate",
            "c.json",
        ]
    )
    for name, command in (
        ("sweep", "sweep fig2 --trials 1 --quick --store s.jsonl"),
        ("results", "results --store s.jsonl"),
        ("results", "results fig2 --store s.jsonl"),
        ("reproduce", "reproduce fig2 --quick --trials 1 --store s.jsonl --out out"),
        ("verify-check", "verify --check c.json"),
        ("run", "run dpds --users 20 --items 3 --log run.log"),
        ("time", "time run.log"),
    ):
        jsonschema.validate(simnet(*command.split(), "--json", "-").json, SCHEMAS[name])


@pytest.mark.slow
def test_every_schema_is_tried_and_says_what_each_key_means() -> None:
    tried = {name for name, _ in COMMANDS} | {
        "sweep",
        "results",
        "reproduce",
        "verify-check",
        "time",
    }
    assert tried == set(SCHEMAS)
    for name, schema in SCHEMAS.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        for key, part in _keys(schema):
            assert part.get("description", "").endswith("."), (name, key)


def _keys(schema: Any) -> list[tuple[str, dict[str, Any]]]:
    """Every key that the schema names, with its part of the schema."""
    if isinstance(schema, list):
        return [pair for part in schema for pair in _keys(part)]
    if not isinstance(schema, dict):
        return []
    own = list(schema.get("properties", {}).items())
    below = [part for key, part in schema.items() if key != "properties"]
    return [*own, *_keys([part for _, part in own]), *_keys(below)]
