"""The command `simnet exact-view`: its JSON is true, its numbers are the known ones, and errors
take one line.
"""

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from simnet.exhaustive.compare import Comparison
from tests.harness.shell import Result, refusal, simnet, words

PRIME = "tss_prime --users 3 --items 2 --set reported=1 --set bound=1"
SMALL = "dpds --users 2 --items 2"
KEYS = {
    "protocol",
    "corrupt",
    "inputs",
    "versus",
    "same",
    "epsilon",
    "delta0",
    "delta0_exact",
    "delta",
    "tapes",
    "tier",
}


def exact_view(text: str, *more: object) -> Result:
    return simnet("exact-view", *text.split(), *more)


def found(text: str, *more: object) -> Any:
    """The JSON, and nothing else on standard output."""
    result = exact_view(text, *more, "--json", "-")
    assert (result.status, result.err) == (0, "")
    return result.json


# Drop-outs.

ROBUST = "committee --users 2 --items 2 --members 2 --sharing shamir:2 --set participation=1.0"


def test_a_user_who_drops_out_before_sending_is_told_by_nobody() -> None:
    told = found(f"{ROBUST} --corrupt server --inputs 1,1 --versus 1,2 --drop u2@share")
    assert told["same"] is True
    assert told["ideal"]["same"] is True
    assert told["fates"] == {"u2": "share"}
    assert told["endings"] == [{"probability": "1", "outcome": "result", "aborts": []}]


def test_the_ideal_world_tells_as_much_as_the_view_of_who_was_counted() -> None:
    told = found(f"{ROBUST} --corrupt server --inputs 1,1 --versus 2,1 --drop u2@share")
    assert told["same"] is False
    assert told["ideal"]["delta0_exact"] == told["delta0_exact"] == "1"


def test_an_aborted_run_is_an_ending_with_its_reason() -> None:
    text = "dpds --users 2 --items 2 --corrupt u1 --inputs 1,1 --versus 1,2 --drop u2@share"
    told = found(text)
    (ending,) = told["endings"]
    assert ending["outcome"] == "aborted"
    assert any("dropped out" in one["reason"] for one in ending["aborts"])
    assert "the run is aborted with probability 1" in words(exact_view(text).out)


def test_a_message_that_is_lost_belongs_to_the_view_of_its_recipient() -> None:
    base = "committee --users 2 --items 2 --members 2 --sharing shamir:1 --set participation=1.0"
    text = f"{base} --inputs 1,1 --versus 1,2 --drop c1@partial:lost:server"
    told = found(f"{text} --corrupt server")
    assert told["message_fates"] == ["c1@partial:lost:server"]
    assert told["delta0_exact"] == told["ideal"]["delta0_exact"] == "1"
    assert "these messages go astray: c1@partial" in words(exact_view(f"{text} --corrupt u1").out)
    assert found(f"{text} --corrupt u1")["same"] is True


def test_fates_by_chance_follow_from_the_seed() -> None:
    text = f"{ROBUST} --corrupt server --inputs 1,1 --versus 1,2 --drop 0.9 --seed"
    drawn = [found(f"{text} {seed}")["fates"] for seed in (0, 0, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[1:] != [drawn[0]] * 3


# The numbers.


@pytest.mark.slow
def test_the_printed_example_comes_out_exactly() -> None:
    told = found(f"{PRIME} --set gamma=2 --corrupt u1 --inputs 1,1,1 --versus 1,1,2")
    assert set(told) >= KEYS
    assert told["same"] is False
    assert told["epsilon"] == math.log(Fraction(7, 5))
    assert told["delta0"] == float(Fraction(103, 648))
    assert Fraction(told["delta0_exact"]) == Fraction(103, 648)
    assert (told["tapes"], told["tier"], told["protocol"]) == (480, "enumerated", "tss_prime")
    assert (told["corrupt"], told["inputs"], told["versus"]) == (["u1"], [1, 1, 1], [1, 1, 2])
    assert told["delta"] == {"epsilon": 0, "delta": told["delta0"]}


@pytest.mark.slow
def test_under_uniform_reporting_sets_the_example_is_the_same() -> None:
    told = found(f"{PRIME} --corrupt u1 --inputs 1,1,1 --versus 1,1,2")
    assert (told["same"], told["epsilon"], told["delta0"], told["tapes"]) == (True, 0, 0, 480)
    assert told["delta0_exact"] == "0"


@pytest.mark.slow
@pytest.mark.parametrize("enumerate_field", [False, True])
def test_the_server_of_dpds_is_told_counts_and_users_nothing(enumerate_field: bool) -> None:
    more = ["--enumerate-field"] if enumerate_field else []
    server = found(f"{SMALL} --corrupt server --inputs 1,1 --versus 1,2", *more)
    assert (server["same"], server["epsilon"], server["delta0_exact"]) == (False, "inf", "1/2")
    assert server["tapes"] == (324 if enumerate_field else 4)
    for corrupt in ("u1", "network", "u1,network"):
        user = found(f"{SMALL} --corrupt {corrupt} --inputs 1,1 --versus 1,2", *more)
        assert (user["same"], user["epsilon"], user["delta0"]) == (True, 0, 0)


@pytest.mark.parametrize(("threshold", "same"), [(2, True), (1, False)])
def test_the_sharing_can_be_set(threshold: int, same: bool) -> None:
    told = found(f"{SMALL} --set sharing=shamir:{threshold} --corrupt u1 --inputs 1,1 --versus 1,2")
    assert told["same"] is same
    assert told["delta0_exact"] == ("0" if same else "1/2")


@pytest.mark.parametrize("corrupt", ["u1,server", "u1, server", "server,u1"])
def test_sets_are_written_as_for_verdicts(corrupt: str) -> None:
    told = found(f"{SMALL} --inputs 1,1 --versus 1,2 --corrupt", corrupt)
    assert told["corrupt"] == ["u1", "server"]
    assert (told["epsilon"], told["delta0_exact"]) == ("inf", "1/2")


def test_a_collusion_set_may_be_given_in_several_options() -> None:
    told = found(f"{SMALL} --inputs 1,1 --versus 1,2 --corrupt u1 --corrupt server")
    assert told["corrupt"] == ["u1", "server"]


@pytest.mark.slow
def test_delta_is_told_at_the_epsilon_asked_for() -> None:
    text = f"{PRIME} --set gamma=2 --corrupt u1 --inputs 1,1,1 --versus 1,1,2"
    compared = Comparison(TSSPrime(3, 2, 0.5, 1, 2, bound=1), "u1").compare([1, 1, 1], [1, 1, 2])
    for epsilon in (0.1, 0.4):
        told = found(text, "--at-epsilon", epsilon)
        assert told["delta"]["epsilon"] == epsilon
        assert told["delta"]["delta"] == pytest.approx(compared.delta(epsilon), abs=1e-12)
        assert (told["delta"]["delta"] == 0) == (epsilon == 0.4)
        assert told["delta0_exact"] == "103/648"


# Neighbours.


def test_without_other_inputs_the_worst_neighbour_is_told() -> None:
    told = found("dpds --users 3 --items 2 --corrupt server --inputs 1,1,2")
    comparison = Comparison(DPDS(3, 2, 0.5), "server")
    deltas = {
        tuple(other): comparison.compare([1, 1, 2], other).delta()
        for other in ([2, 1, 2], [1, 2, 2], [1, 1, 1])
    }
    assert Fraction(told["delta0_exact"]) == max(deltas.values()) == deltas[tuple(told["versus"])]
    assert told["epsilon"] == "inf"
    assert told["inputs"] == [1, 1, 2]


@pytest.mark.slow
@pytest.mark.parametrize("corrupt", ["S1", "u1", "network"])
def test_the_largest_epsilon_and_delta_are_those_of_all_neighbours(corrupt: str) -> None:
    told = found(
        (
            "tss_prime --users 2 --items 2 --set reported=1 --set bound=1 --set gamma=2 "
            "--inputs 1,2 --corrupt"
        ),
        corrupt,
        "--at-epsilon",
        0.1,
    )
    comparison = Comparison(TSSPrime(2, 2, 0.5, 1, 2, bound=1), corrupt)
    honest = [place for place in range(2) if f"u{place + 1}" != corrupt]
    neighbours = [
        [3 - item if at == place else item for at, item in enumerate([1, 2])] for place in honest
    ]
    compared = [comparison.compare([1, 2], other) for other in neighbours]
    assert told["epsilon"] == max(one.epsilon for one in compared)
    assert told["delta"]["delta"] == pytest.approx(
        float(max(one.delta(0.1) for one in compared)), abs=1e-12
    )
    assert told["versus"] in [*neighbours, [1, 2]]
    if corrupt == "S1":
        assert told["epsilon"] == math.log(Fraction(7, 5))
        assert told["delta0_exact"] == "1/6"


def test_neighbours_that_all_look_the_same_are_said_to() -> None:
    told = found("dpds --users 3 --items 3 --corrupt u1,u3 --inputs 1,2,3")
    assert (told["same"], told["epsilon"], told["delta0"]) == (True, 0, 0)
    shown = words(exact_view("dpds --users 3 --items 3 --corrupt u1,u3 --inputs 1,2,3").out)
    assert "sees exactly the same" in shown
    assert "on 1, 2, 3 and all 2 neighbouring inputs" in shown


# What a person reads.


@pytest.mark.slow
def test_a_person_is_told_the_numbers_and_how_many_worlds_there_were() -> None:
    shown = exact_view(
        f"{PRIME} --set gamma=2 --corrupt u1 --inputs 1,1,1 --versus 1,1,2 --at-epsilon 0.3"
    )
    assert shown.status == 0
    text = words(shown.out)
    assert "480 worlds" in text
    assert "{u1} can tell 1, 1, 1 and 1, 1, 2 apart" in text
    assert "ε = 0.336472" in text
    assert "δ(0) = 103/648 = 0.158951" in text
    assert "δ(0.3) = " in text
    same = words(exact_view(f"{SMALL} --corrupt u1 --inputs 1,1 --versus 1,2").out)
    assert "4 worlds" in same
    assert "{u1} sees exactly the same on 1, 1 and 1, 2: the laws of its view are equal" in same


def test_json_goes_to_a_file_beside_what_a_person_reads(tmp_path: Path) -> None:
    file = tmp_path / "found.json"
    shown = exact_view(f"{SMALL} --corrupt server --inputs 1,1 --versus 1,2 --json", file)
    assert shown.status == 0
    assert "can tell" in shown.out
    assert json.loads(file.read_text(encoding="utf-8")) == found(
        f"{SMALL} --corrupt server --inputs 1,1 --versus 1,2"
    )


# A protocol of one's own.

OWN = """
import attrs

from simnet import Field, Party, Seat, Tag, bits, constant

BIT, MASKED = Tag("bit"), Tag("masked")


@attrs.frozen
class Replies:
    items: int = 2
    masked: bool = True

    def parties(self):
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, item):
        secret = me.secret(lambda held: [held], item, field=Field(5), shape=(1,))
        mask = (
            me.coins.field(Field(5), (1,))
            if self.masked
            else constant(Field(5), [me.coins.integers(4, 1).plain[0]])
        )
        await me.send(MASKED, "server", secret + mask)

    async def server(self, me: Party):
        await me.receive(MASKED, "u1")


@attrs.frozen
class Opens:
    items: int = 2
    modulus: int = 5

    def parties(self):
        return {"u1": Seat(self.user), "server": Seat(self.server)}

    async def user(self, me: Party, item):
        mask = me.coins.field(Field(self.modulus), (1,))
        small = me.disclose(lambda opened, item: int(opened[0]) < item, mask, item)
        await me.send(BIT, "server", bits([small]))

    async def server(self, me: Party):
        await me.receive(BIT, "u1")
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("own") / "own.py"
    file.write_text(OWN)
    return file


@pytest.mark.parametrize("enumerate_field", ["--enumerate-field", "--no-enumerate-field"])
def test_a_protocol_in_a_file_is_played_out_too(own: Path, enumerate_field: str) -> None:
    sound = found(f"{own}:Replies --corrupt server --inputs 1 --versus 2", enumerate_field)
    assert (sound["same"], sound["delta0"]) == (True, 0)
    broken = found(
        f"{own}:Replies --corrupt server --inputs 1 --versus 2 --set masked=false", enumerate_field
    )
    assert (broken["delta0_exact"], broken["epsilon"], broken["tapes"]) == ("1/4", "inf", 4)


@pytest.mark.parametrize("enumerate_field", ["--enumerate-field", "--no-enumerate-field"])
def test_a_script_that_opens_and_sends_is_played_out(own: Path, enumerate_field: str) -> None:
    told = found(f"{own}:Opens --corrupt server --inputs 1 --versus 2", enumerate_field)
    assert (told["delta0_exact"], told["tapes"]) == ("1/5", 5)
    assert told["epsilon"] == math.log(2)


def test_more_ways_to_open_than_there_may_be_worlds_are_refused_by_name(own: Path) -> None:
    said = refusal(
        exact_view(f"{own}:Opens --set modulus=2147483647 --corrupt server --inputs 1 --versus 2")
    )
    assert said.startswith("u1 opens field elements by me.disclose of a lambda")
    assert "2,147,483,647 possible values" in said
    assert "use a smaller field" in said


# What cannot be done.

WRONG = [  # arguments, what the one line says
    (f"{SMALL} --corrupt u9 --inputs 1,1", "'u9'"),
    (f"{SMALL} --corrupt u1 --inputs 1,1,1", "3 inputs were given for 2 parties"),
    (f"{SMALL} --corrupt u1 --inputs 1,x", "whole numbers separated by commas, got '1,x'"),
    (f"{SMALL} --corrupt u1 --inputs 1,1 --versus 1", "1 input was given for 2 parties"),
    (f"{SMALL} --corrupt u1 --inputs 1,1 --versus 1,x", "--versus takes whole numbers"),
    (
        f"{SMALL} --corrupt u1 --inputs 1,1 --versus 2,1",
        "u1 is in the coalition and knows its own input",
    ),
    (f"{SMALL} --corrupt u1 --inputs 1,3", "1..2, got 3"),
    (f"{SMALL} --corrupt u1 --inputs 1,1 --versus 1,0", "1..2, got 0"),
    (f"{SMALL} --corrupt u1 --inputs 1,1 --limit x", "--limit"),
    (f"{SMALL} --corrupt u1 --inputs 1,1 --set users=3", "users is given twice: 3 and 2"),
    (f"{SMALL} --corrupt u1 --inputs 1,1 --set sharing=none", "sharing"),
    (f"{SMALL} --corrupt u1", "--inputs"),
    (f"{SMALL} --inputs 1,1", "--corrupt"),
    ("no_such --corrupt u1 --inputs 1,1", "no_such"),
    (
        "dpdg --users 2 --items 2 --corrupt u1 --inputs 1,1",
        "coins.normal has too many outcomes",
    ),
    ("dpds --corrupt u1 --inputs 1,1", "2 inputs were given for"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "says"), WRONG)
def test_what_cannot_be_done_is_said_in_one_line(arguments: str, says: str) -> None:
    assert says in refusal(exact_view(arguments))
    result = exact_view(arguments, "--json", "-")
    assert says in refusal(result)
    assert result.out == ""


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "enough"), [(3, False), (4, True), (323, False), (324, True)])
def test_more_worlds_than_the_limit_are_refused_with_limit_and_estimate(
    limit: int, enough: bool
) -> None:
    more = ["--enumerate-field"] if limit > 4 else []
    result = exact_view(f"{SMALL} --corrupt u1 --inputs 1,1 --versus 1,2 --limit {limit}", *more)
    if enough:
        assert result.status == 0
        return
    said = refusal(result)
    assert f"more than {limit} worlds" in said
    assert f"about {324 if more else 4}" in said
    assert "raise the limit" in said


@pytest.mark.parametrize(
    ("epsilon", "corrupt"), list(product(("-1", "nan", "inf"), ("u1", "server")))
)
def test_an_epsilon_that_is_none_is_refused(epsilon: str, corrupt: str) -> None:
    refusal(
        exact_view(f"{SMALL} --corrupt {corrupt} --inputs 1,1 --versus 1,2 --at-epsilon={epsilon}")
    )


def test_a_large_epsilon_leaves_what_one_side_alone_can_see() -> None:
    told = found(f"{SMALL} --corrupt server --inputs 1,1 --versus 1,2 --at-epsilon 1000")
    assert told["delta"] == {"epsilon": 1000, "delta": 0.5}
