"""The commands `run`, `check`, `verify` and `exact-view` work for protocols that somebody is just
writing: these have parties and scripts, and no statements about them.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from simnet.cli.new import starter
from tests.harness.shell import RING, refusal, simnet, words

FIXED = '''"""Two parties and a number: nobody takes part whose number could be set."""

from simnet import Party, Sealed, Seat, Tag, index

NOTE, LOST = Tag("note"), Tag("lost")


class Fixed:
    def parties(self):
        return {"a": Seat(self.asker), "b": Seat(self.listener)}

    async def asker(self, me: Party, bit: Sealed) -> None:
        told = me.disclose(self.checked, bit)
        await me.send(NOTE, to="b", payload=index(told, 2))
        await me.send(LOST, to="b", payload=index(told, 2))

    def checked(self, bit: int) -> int:
        if bit not in (0, 1):
            raise ValueError(f"a bit is 0 or 1, got {bit}")
        return bit

    async def listener(self, me: Party):
        return OUTPUT
'''


@pytest.fixture
def fixed(tmp_path: Path) -> Path:
    path = tmp_path / "fixed.py"
    answer = "int((await me.receive(NOTE, 'a')).numbers())"
    path.write_text(FIXED.replace("OUTPUT", answer))
    return path


def test_a_class_is_run_and_what_a_run_always_has_is_shown() -> None:
    result = simnet("run", RING)
    assert result.status == 0
    shown = words(result.out)
    for part in ("users: u1..u5", "u5 11", "messages sent", "9 messages, 9 payload bytes"):
        assert part in shown
    assert "Could also be shown: the estimate beside the truth (`About.assess`)" in shown


def test_without_formulas_for_a_bill_an_estimate_stands_above_the_traffic(tmp_path: Path) -> None:
    path = tmp_path / "no_bill.py"
    path.write_text(
        "import attrs\n"
        "from protocols.dpds.about import about\n"
        "from protocols.dpds.script import DPDS\n"
        "from simnet import Scenario\n"
        "SCENARIO = Scenario(summary='counts', protocol=DPDS, users=6, items=2,\n"
        "    about=lambda made: attrs.evolve(about(made), expected_bill=None),\n"
        "    parameters={'participation': 0.5})\n"
    )
    shown = words(simnet("run", path).out)
    assert "squared L2" in shown
    assert "user 36 36 30 30" in shown  # messages and bytes, sent and received
    assert "Bill" not in shown


def test_one_of_several_classes_is_named(fixed: Path) -> None:
    fixed.write_text(fixed.read_text() + "\n\nclass Other(Fixed):\n    pass\n")
    assert "classes with `parties` are: Fixed, Other" in refusal(simnet("run", fixed))
    result = simnet("run", f"{fixed}:Other", "--inputs", "1", "--json", "-")
    assert (result.status, result.json["protocol"]) == (0, "Other")


def test_unread_messages_of_parties_to_themselves_are_told() -> None:
    result = simnet("run", "dpds", "--users", 5, "--items", 3, "--no-claims", "--drop", "u3@share")
    said = words(result.out)
    assert "16 messages, 32 payload bytes" in said  # those between different parties
    assert "20 messages with tag 'share' were sent but never received, 4 of them from a" in said


def test_inputs_are_given_and_messages_that_nobody_received_are_told(fixed: Path) -> None:
    result = simnet("run", fixed, "--inputs", "0")
    assert result.status == 0
    assert "1 message with tag 'lost' was sent but never received" in words(result.out)
    document = simnet("run", fixed, "--inputs", "0", "--json", "-").json
    assert document["outputs"] == {"b": 0}
    assert document["ledger"]["unread"] == {"lost": 1}
    assert "a bit is 0 or 1, got 7" in refusal(simnet("run", fixed, "--inputs", "7"))
    assert "2 inputs were given for 1" in refusal(simnet("run", fixed, "--inputs", "0,1"))


@pytest.mark.parametrize("command", [("run",), ("verify", "--corrupt", "b")])
def test_inputs_that_are_guessed_are_called_so(command: tuple[str, ...], fixed: Path) -> None:
    note = "The inputs were made up: they were drawn from 1..3"
    name, *options = command
    assert note in refusal(simnet(name, fixed, *options, "--seed", "1"))  # 2 or 3 is no bit
    fixed.write_text(fixed.read_text().replace("(0, 1)", "(1, 2, 3)").replace(", 2)", ", 4)"))
    assert note in words(simnet(name, fixed, *options).out)
    assert note not in words(simnet(name, fixed, *options, "--inputs", "1").out)
    fixed.write_text(fixed.read_text().replace("class Fixed:", "class Fixed:\n    items = 1"))
    result = simnet(name, fixed, *options, "--seed", "1")
    assert (result.status, note in words(result.out)) == (0, False)


SECRET = '''"""A number that a sends to b as a secret."""

from simnet import Field, Party, Sealed, Seat, Tag

NOTE = Tag("note")


class Secret:
    def parties(self):
        return {"a": Seat(self.asker), "b": Seat(self.listener)}

    async def asker(self, me: Party, bit: Sealed) -> None:
        secret = me.secret(lambda bit: [bit], bit, field=Field(101), shape=(1,))
        await me.send(NOTE, to="b", payload=secret)

    async def listener(self, me: Party) -> None:
        await me.receive(NOTE, "a")
'''


@pytest.mark.parametrize(
    ("command", "has_option"),
    [
        ("show", True),
        ("coalitions", False),
        ("coalitions --runs 2", False),
        pytest.param("check", False, marks=pytest.mark.slow),  # other processes
    ],
)
def test_every_command_says_that_inputs_were_made_up(
    command: str, has_option: bool, tmp_path: Path
) -> None:
    file = tmp_path / "own.py"
    file.write_text(SECRET)
    name, *options = command.split()
    result = simnet(name, file, *options)
    assert result.status == 0
    shown = words(result.out)
    assert "note: the protocol has no `items`" in shown
    assert ("your own with --inputs" in shown) == has_option
    assert ("Say in the class" in shown) != has_option
    file.write_text(SECRET.replace("class Secret:", "class Secret:\n    items = 3"))
    assert "made up" not in simnet(name, file, *options).out


def test_an_error_from_made_up_inputs_is_explained_without_an_option(fixed: Path) -> None:
    said = refusal(simnet("coalitions", fixed, "--seed", "1", "--runs", 2))
    assert "from 1..3, where 3 is the scenario's `items` or the default. Say in the" in said


@pytest.mark.parametrize("command", [("run",), ("verify", "--corrupt", "b"), ("show",)])
def test_an_error_outside_the_doors_is_not_put_down_to_made_up_inputs(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "own.py"
    file.write_text(SECRET.replace('to="b", payload=secret', 'to="b", payload=secret[7]'))
    name, *options = command
    said = refusal(simnet(name, file, *options))
    assert "index" in said
    assert "drawn from" not in said


@pytest.mark.slow
def test_inputs_are_drawn_from_the_items_of_the_class(fixed: Path) -> None:
    fixed.write_text(fixed.read_text().replace("class Fixed:", "class Fixed:\n    items = 1"))
    for seed in range(8):
        assert simnet("run", fixed, "--seed", seed, "--json", "-").json["outputs"] == {"b": 1}


def test_a_column_of_data_is_what_the_parties_hold(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("city\n" + "Rome\nOslo\nRome\n")
    result = simnet("run", RING, "--input", people, "--column", "city", "--json", "-")
    assert result.json["outputs"] == dict.fromkeys(("u1", "u2", "u3"), 5)  # Oslo is 1, Rome 2
    both = simnet("run", RING, "--input", people, "--column", "city", "--inputs", "1,2,3")
    assert "use one of them" in refusal(both)


def test_the_users_and_settings_of_a_class_can_be_set() -> None:
    assert len(simnet("run", RING, "--users", 3, "--json", "-").json["outputs"]) == 3
    assert "no setting is called 'color'" in refusal(simnet("run", RING, "--set", "color=1"))


def test_inputs_are_refused_where_a_scenario_takes_people_from_a_file() -> None:
    refusal(simnet("run", "dpds", "--users", 5, "--inputs", "1,1,1,1,1"))
    refusal(simnet("run", RING, "--figure", "ring.png"))


def test_an_output_without_a_canonical_form_has_no_trace_and_is_no_error(fixed: Path) -> None:
    fixed.write_text(FIXED.replace("OUTPUT", "{1, 2}"))
    document = simnet("run", fixed, "--inputs", "1", "--json", "-").json
    assert document["trace_hash"] is None
    assert "b" in document["trace_hash_lacks"]
    assert document["outputs"] == {"b": "{1, 2}"}


def test_other_instruments_take_the_same_class(fixed: Path) -> None:
    assert simnet("verify", RING, "--corrupt", "u3", "--expect", "output-only").status == 0
    told = simnet("exact-view", fixed, "--corrupt", "b", "--inputs", "0", "--versus", "1")
    assert (told.status, "apart: ε = inf" in told.out) == (0, True)


@pytest.mark.slow  # other processes
def test_a_class_is_checked_under_other_circumstances() -> None:
    assert simnet("check", RING).status == 0


def written(name: str, folder: Path) -> Path:
    assert simnet("new", name, "--folder", folder / name).status == 0
    return folder / name


def test_a_new_protocol_runs_and_its_claims_hold(tmp_path: Path) -> None:
    folder = written("ring_mean", tmp_path)
    assert {path.name for path in folder.iterdir()} == set(starter("ring_mean"))
    for few in ([], ["--users", 3]):
        result = simnet("run", folder / "scenario.py", *few)
        assert result.status == 0
        assert "exposes a user" in result.out
    assert simnet("verify", folder / "ring_mean.py", "--corrupt", "A,B").status == 0
    assert "is there already" in refusal(simnet("new", "ring_mean", "--folder", folder))


@pytest.mark.parametrize("name", ["RingMean", "2sum", "class", "a-b", "_sum", ""])
def test_a_name_that_is_no_module_is_refused(name: str, tmp_path: Path) -> None:
    refusal(simnet("new", name, "--folder", tmp_path / "new"))


@pytest.mark.parametrize(
    "name", ["none", "field", "mapping", "scenario", "simnet", "types", "attr"]
)
def test_a_name_that_the_new_files_need_themselves_is_refused(name: str, tmp_path: Path) -> None:
    assert f"'{name}' is taken" in refusal(simnet("new", name, "--folder", tmp_path / "new"))
    assert not (tmp_path / "new").exists()


def test_the_help_of_new_names_the_class_that_is_written() -> None:
    example = re.search(
        r"such as (\w+)\. .* class is then called (\w+)\.", words(simnet("new", "--help").out)
    )
    assert example is not None
    name, cls = example.groups()
    assert f"class {cls}:" in starter(name)[f"{name}.py"]


FEW_CASES = """
from hypothesis import settings

settings.register_profile("few", max_examples=10)
settings.load_profile("few")
"""


@pytest.mark.slow  # pytest in a process of its own
def test_the_test_of_a_new_protocol_passes(tmp_path: Path) -> None:
    folder = written("my_sum", tmp_path)
    (tmp_path / "conftest.py").write_text(FEW_CASES)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_a_class_beside_the_protocol_is_not_taken_for_one(fixed: Path) -> None:
    fixed.write_text(fixed.read_text() + "\n\nclass Helper:\n    pass\n")
    assert simnet("run", fixed, "--inputs", "1").status == 0
