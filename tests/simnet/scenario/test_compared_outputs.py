"""Outputs are compared with the ideal world's, and numbers that are taken mod q are mentioned."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simnet import Field, Party, Seat, Tag, constant, run, seats
from simnet.scenario.compared_outputs import MULTIPLE, OTHER_COINS, OTHER_SHAPE, compare_outputs
from simnet.scenario.find import find, names
from simnet.scenario.plain import replica
from simnet.testing import assert_learns_nothing
from simnet.values.residues import reduced_constants
from tests.harness.data import ROOT
from tests.harness.many_cases import for_each
from tests.harness.shell import simnet
from tests.harness.wrong_sign import WrongSign

MASK, NOTE = Tag("mask"), Tag("note")
WRONG_SIGN = ROOT / "tests/harness/wrong_sign.py"


@attrs.frozen
class Add:
    """Users send numbers to a server without masks; `script` and `ideal` say what differs."""

    users: int = 3
    modulus: int = 101
    script: str = ""
    ideal: str = ""
    reduce: bool = False

    @property
    def field(self) -> Field:
        return Field(self.modulus)

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    async def user(self, me: Party, number: Any) -> None:
        if self.script == "tosses":
            int(me.coins.integers(5, 1)[0])
        if self.script == "another door":
            me.disclose(lambda coins: int(coins.integers(5, 1)[0]))
        await me.send(NOTE, "server", self.secret(number, me))

    async def server(self, me: Party) -> Any:
        users = me.names("user")[1 if self.script == "forgets u1" else 0 :]
        total: Any = sum(await me.gather(NOTE, users))
        if self.script == "multiple":
            total = total * 7
        if self.script == "noise":
            noise = me.disclose(lambda coins: 1 + int(coins.integers(5, 1)[0]))
            total = total + constant(self.field, [noise, 0])
        if self.script == "own coins":
            total = total + constant(self.field, [1 + int(me.coins.integers(5, 1)[0]), 0])
        if self.script == "plain":
            return me.disclose(list, total)
        return total if self.script == "returns" else [me.output(list, total)]

    def secret(self, number: Any, user: Any) -> Any:
        def with_coin(number: int, coins: Any) -> list[int]:
            return [number, int(coins.integers(7, 1)[0])]

        return user.secret(with_coin, number, field=self.field, shape=(2,), reduce=self.reduce)

    def functionality(self, numbers: Sequence[Any], users: Sequence[Any]) -> Mapping[str, Any]:
        pairs = zip(numbers, users, strict=True)
        if self.ideal == "other function":
            return {
                "server": sum(
                    user.secret(
                        lambda number, coins: [number, int(coins.integers(7, 1)[0])],
                        number,
                        field=self.field,
                        shape=(2,),
                    )
                    for number, user in pairs
                )
            }
        answers = [self.secret(number, user) for number, user in pairs]
        if self.ideal == "each":
            return {"server": answers}
        if self.ideal == "fails":
            raise ValueError("no")
        if self.ideal == "nothing":
            return {}
        return {"server": sum(answers)}


def compared(inputs: Sequence[int] = (5, 6, 8), **parameters: Any) -> str:
    return compare_outputs(run(Add(**parameters), list(inputs), seed=3)).in_words


@pytest.mark.parametrize("script", ["", "returns", "tosses"])
def test_equal_outputs(script: str) -> None:
    assert compared(script=script) == "outputs equal the ideal world's"


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"script": "multiple"}, MULTIPLE),
        ({"script": "noise"}, OTHER_COINS),
        ({"script": "own coins"}, OTHER_COINS),
        ({"script": "another door"}, OTHER_COINS),
        ({"script": "plain"}, "no field elements"),
        ({"ideal": "other function"}, OTHER_COINS),
        ({"ideal": "each"}, OTHER_SHAPE),
        ({"ideal": "fails"}, "functionality"),
        ({"ideal": "nothing"}, "no party that gets something has an output"),
    ],
)
def test_no_false_alarm(parameters: dict[str, str], reason: str) -> None:
    words = compared(**parameters)
    assert words.startswith("outputs are not compared with the ideal world's (")
    assert reason in words


@given(st.lists(st.integers(0, 60), min_size=2, max_size=4))
def test_a_forgotten_user_is_a_difference(inputs: list[int]) -> None:
    done = run(Add(users=len(inputs), script="forgets u1"), inputs)
    own, all_ = (
        done.outputs["server"][0],
        sum(rows[0] for rows in done.secrets.values()).numbers(),  # type: ignore[union-attr]
    )
    found = compare_outputs(done)
    if list(own) == all_.tolist():
        assert found.in_words == "outputs equal the ideal world's"
    elif not found.reasons:
        assert found.differences == (
            f"server returned {[int(each) for each in own]}, the ideal world hands it "
            f"{all_.tolist()}",
        )
    else:  # one factor for all inputs that occur
        assert list(found.reasons.values()) == [MULTIPLE]


@attrs.frozen
class Sum:
    """Users send numbers; the server returns `result` of these, the ideal world their sum."""

    result: Callable[[Any], Any]
    users: int

    def parties(self) -> Mapping[str, Seat]:
        return {**seats("u", self.user, self.users), "server": Seat(self.server)}

    def secret(self, number: Any, user: Any) -> Any:
        return user.secret(int, number, field=Field(101), shape=())

    async def user(self, me: Party, number: Any) -> None:
        await me.send(NOTE, "server", self.secret(number, me))

    async def server(self, me: Party) -> Any:
        return self.result(list(await me.gather(NOTE, me.all("user"))))

    def functionality(self, numbers: Sequence[Any], users: Sequence[Any]) -> Mapping[str, Any]:
        return {"server": sum(map(self.secret, numbers, users))}


class SumOfItems(Sum):
    items = 30


@given(
    st.sampled_from([Sum, SumOfItems]),
    st.lists(st.integers(1, 30), min_size=1, max_size=3),
    st.sampled_from(["multiple", "more", "constant", "weighted"]),
    st.integers(2, 100),
)
def test_only_one_factor_for_other_sums_is_no_difference(
    kind: type[Sum], inputs: list[int], what: str, number: int
) -> None:
    def result(rows: list[Any]) -> Any:
        match what:
            case "multiple":
                return sum(rows) * number
            case "more":
                return sum(rows) + constant(Field(101), number)
            case "constant":
                return sum(rows) * 0 + constant(Field(101), number)
        return rows[0] * number

    found = compare_outputs(run(kind(result, len(inputs)), inputs))
    wrong = what != "multiple" and (what, len(inputs)) != ("weighted", 1)
    if found.equal:  # as it happens
        assert wrong
    else:
        assert bool(found.differences) == wrong


def test_masks_that_do_not_cancel() -> None:
    words = "server returned 1655081529, the ideal world hands it 10"
    done = run(WrongSign(), [1, 2, 3, 4])
    assert compare_outputs(done).in_words == words
    with pytest.raises(AssertionError, match=words):
        assert_learns_nothing(done, "server")
    told = simnet("run", WRONG_SIGN, "--inputs", "1,2,3,4", "--json", "-")
    assert told.status == 1
    assert told.json["ideal_world"]["differences"] == [words]
    told = simnet("verify", WRONG_SIGN, "--inputs", "1,2,3,4", "--corrupt", "server")
    assert told.status == 0
    assert words in told.out


@pytest.mark.slow
@for_each("name", names())
def test_built_in_scenarios_return_what_the_ideal_world_hands_out(name: str) -> None:
    scenario = find(name)[1]
    sizes = {"users": "12", "items": "4"}
    chosen = scenario.with_settings({k: v for k, v in sizes.items() if k in scenario.sizes})
    for seed in range(3):
        done = replica(chosen, seed, observe=lambda _: (), schedule=None, threads=None)
        found = compare_outputs(done)
        assert not found.differences
        assert not found.reductions


# Numbers that are taken mod q.


def reductions(inputs: Sequence[int], **parameters: Any) -> tuple[str, ...]:
    reduced_constants.clear()
    return compare_outputs(run(Add(users=len(inputs), **parameters), list(inputs))).reductions


@given(st.lists(st.integers(-500, 500), min_size=1, max_size=4), st.booleans())
def test_a_secret_of_a_number_of_at_least_q_is_told_once(inputs: list[int], reduce: bool) -> None:
    told = reductions(inputs, reduce=reduce)
    large = [place for place, number in enumerate(inputs, 1) if number >= 101]
    if reduce:
        assert told == ()
    elif large:
        assert len(told) == 1
        first = f"u{large[0]}'s function gave {inputs[large[0] - 1]}, taken mod 101"
        assert told[0].startswith(first)
        others = "1 other function" if len(large) == 2 else f"{len(large) - 1} other functions"
        assert (f"(and so did {others})" in told[0]) == (len(large) > 1)
    elif max(0, sum(inputs)) >= 101:
        assert told == (f"the ideal world hands server the sum {sum(inputs)}, taken mod 101",)
    else:
        assert told == ()


@pytest.mark.parametrize("numbers", [[300], [[3, 300]], np.array([1, 300]), 300, [2**63 + 5]])
def test_a_constant_of_a_number_of_at_least_q_is_told(numbers: Any) -> None:
    reduced_constants.clear()
    constant(Field(101), numbers, reduce=True)
    constant(Field(101), [-300, 100, True])
    assert not reduced_constants
    constant(Field(101), numbers)
    constant(Field(101), [400])
    assert reduced_constants == [(int(np.max(numbers)), 101)]
    assert reductions([1]) == ()
    constant(Field(101), [400])
    told = compare_outputs(run(Add(users=1), [1])).reductions
    assert [sentence.partition(";")[0] for sentence in told] == [
        "a constant was made of 400, taken mod 101"
    ]
    reduced_constants.clear()


@attrs.frozen
class Votes(Add):
    """As `Add`, without coins, and with items."""

    items: int = 9

    def secret(self, number: Any, user: Any) -> Any:
        return user.secret(
            lambda item: [item, 1], number, field=self.field, shape=(2,), reduce=self.reduce
        )


@given(st.integers(1, 5), st.sampled_from([2, 3, 5, 7, 11, 13, 17, 31, 47]), st.booleans())
def test_a_sum_that_can_wrap_is_told(users: int, modulus: int, reduce: bool) -> None:
    done = run(Votes(users=users, modulus=modulus, reduce=reduce), [1] * users)
    told = compare_outputs(done).reductions
    if reduce or 9 * users < modulus:
        assert told == ()
    elif users >= modulus:
        assert told == (f"the ideal world hands server the sum {users}, taken mod {modulus}",)
    else:
        assert told == (
            f"if every input is 9, the ideal world hands server the sum {9 * users}, taken mod "
            f"{modulus}",
        )


def test_reduce_is_no_part_of_what_makes_two_secrets_the_same() -> None:
    class Mixed(Add):
        def functionality(self, numbers: Sequence[Any], users: Sequence[Any]) -> Any:
            return Add(reduce=True).functionality(numbers, users)

    done = run(Mixed(), [1, 2, 3])
    assert compare_outputs(done).in_words == "outputs equal the ideal world's"
    assert_learns_nothing(done, "u1")
