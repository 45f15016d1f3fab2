"""Pairs of inputs that show that a coalition learns more than the output."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

from simnet import Field, Party, Sealed
from simnet.adversary.door_laws.door_law import DoorLaws
from simnet.adversary.door_laws.witness import SecretFunction, has_witness
from tests.harness.door_laws import ReadRuns, play_with, read
from tests.harness.scripts import idle

F5, F7, F101 = Field(5), Field(7), Field(101)
Function = tuple[int, Mapping[int, int]]  # modulus and terms


def search(runs: ReadRuns, beyond: Sequence[Function], ideal: Sequence[Function]) -> bool | None:
    def functions(pairs: Sequence[Function]) -> list[SecretFunction]:
        return [SecretFunction(modulus=modulus, terms=terms) for modulus, terms in pairs]

    return has_witness(
        functions(beyond),
        functions(ideal),
        runs.disclosing,
        runs.graph,
        runs.domain,
        DoorLaws(),
    )


def users(*scripts: Callable[..., Any], items: int = 3) -> ReadRuns:
    named = {f"u{number}": script for number, script in enumerate(scripts, start=1)}
    return read(play_with([1] * len(scripts), **named, z=idle), {"z"}, items)


def holding(field: Field, *functions: Callable[..., Any]) -> Callable[..., Any]:
    """A user who makes a secret of one element of each of these functions of its input."""

    async def user(me: Party, item: Sealed) -> None:
        for function in functions:
            me.secret(function, item, field=field, shape=(1,))

    return user


def same(x: int) -> list[int]:
    return [x]


def square(x: int) -> list[int]:
    return [x * x]


def test_a_secret_itself_has_a_witness() -> None:
    runs = users(holding(F5, same))
    assert search(runs, [(5, {runs.unknown("u1"): 2})], []) is True


def test_a_summand_beyond_the_sum_has_a_witness_of_two_parties() -> None:
    runs = users(holding(F5, same), holding(F5, same))
    one, two = runs.unknown("u1"), runs.unknown("u2")
    assert search(runs, [(5, {one: 1})], [(5, {one: 1, two: 1})]) is True


def test_a_square_beyond_the_number_has_none() -> None:
    runs = users(holding(F5, same, square))
    x, squared = runs.unknown("u1"), runs.unknown("u1", 1)
    assert search(runs, [(5, {squared: 1})], [(5, {x: 1})]) is False
    # The other way round: 2² = 3² in F_5.
    assert search(runs, [(5, {x: 1})], [(5, {squared: 1})]) is True


def test_a_function_that_is_the_same_for_all_inputs_has_none() -> None:
    runs = users(holding(F5, same, lambda x: [3 * x]))
    assert search(runs, [(5, {runs.unknown("u1"): 3, runs.unknown("u1", 1): 4})], []) is False


def test_one_bit_over_two_fields_is_one_bit() -> None:
    async def user(me: Party, item: Sealed) -> None:
        me.secret(lambda x: [x % 2], item, field=F5, shape=(1,))
        me.secret(lambda x: [x % 2], item, field=F7, shape=(1,))

    runs = users(user)
    first, second = runs.unknown("u1"), runs.unknown("u1", 1)
    assert search(runs, [(7, {second: 1})], [(5, {first: 1})]) is False
    assert search(runs, [(7, {second: 1})], []) is True


def test_what_was_disclosed_leaves_no_witness() -> None:
    async def user(me: Party, item: Sealed) -> None:
        mine = me.secret(same, item, field=F5, shape=(1,))
        me.disclose(lambda x: int(x[0]), mine)

    runs = users(user)
    assert search(runs, [(5, {runs.unknown("u1"): 1})], []) is False


def test_what_was_disclosed_with_noise_leaves_one() -> None:
    def noisy(x: Any, coins: Any) -> int:
        return int(x[0]) if coins.bernoulli(0.5) else int(coins.integers(3, 1)[0]) + 1

    async def user(me: Party, item: Sealed) -> None:
        me.disclose(noisy, me.secret(same, item, field=F5, shape=(1,)))

    runs = users(user)
    assert search(runs, [(5, {runs.unknown("u1"): 1})], []) is True


def coin_or(x: int, coins: Any) -> list[int]:
    return [x if coins.bernoulli(Fraction(1, 2)) else 0]


def test_coins_of_others_do_not_wrap_round_a_large_field() -> None:
    scripts = [holding(F101, coin_or)] * 10
    runs = users(*scripts)
    total = {runs.unknown(f"u{number}"): 1 for number in range(1, 11)}
    assert search(runs, [(101, total)], []) is True
    assert search(runs, [(101, {runs.unknown("u1"): 1})], [(101, total)]) is True


def test_coins_of_others_that_may_wrap_round_are_not_searched() -> None:
    def uniform(x: int, coins: Any) -> list[int]:
        del x
        return [int(coins.integers(5, 1)[0])]

    runs = users(holding(F5, same), holding(F5, uniform))
    both = {runs.unknown("u1"): 1, runs.unknown("u2"): 1}
    # The sum is uniform, so there is no witness; the search of u1 alone cannot tell.
    assert search(runs, [(5, both)], []) is None


def test_a_coin_that_hides_an_input_within_one_party_leaves_no_witness() -> None:
    async def user(me: Party, item: Sealed) -> None:
        coin = me.secret(lambda c: c.integers(5, 1).plain, field=F5, shape=(1,))
        me.secret(lambda x, n: x + n, item, coin, field=F5, shape=(1,))

    runs = users(user)
    coin, masked = runs.unknown("u1"), runs.unknown("u1", 1)
    assert search(runs, [(5, {masked: 1})], []) is False
    assert search(runs, [(5, {masked: 1}), (5, {coin: 1})], []) is True
    assert search(runs, [(5, {masked: 1})], [(5, {coin: 1})]) is True


def test_secrets_that_are_made_of_field_coins_are_not_searched() -> None:
    async def user(me: Party, item: Sealed) -> None:
        mask = me.coins.field(F5, (1,))
        me.secret(lambda x, r: x + r, item, mask, field=F5, shape=(1,))

    runs = users(user)
    assert search(runs, [(5, {runs.unknown("u1"): 1})], []) is None


@pytest.mark.parametrize("same_inputs", [True, False])
def test_the_same_input_in_two_runs_is_one_input(same_inputs: bool) -> None:
    async def user(me: Party, item: Sealed) -> None:
        me.secret(lambda x, c: [x + 0 * c.bernoulli(0.5)], item, field=F5, shape=(1,))

    done = [play_with([1], seed=seed, u1=user, z=idle) for seed in (1, 2)]
    runs = read(done, {"z"}, 3, same_inputs)
    first, second = (runs.secret("u1", run=run).family or 0 for run in (0, 1))
    difference = {first << 36: 1, second << 36: 4}
    assert search(runs, [(5, difference)], []) is not same_inputs


def test_lanes_stand_for_as_many_functions() -> None:
    async def user(me: Party, item: Sealed) -> None:
        me.secret(lambda x: [0, 0, x], item, field=F5, shape=(3,))

    runs = users(user)
    for lanes, expected in ((2, False), (3, True)):
        told = SecretFunction(modulus=5, terms={runs.unknown("u1"): 1}, lanes=lanes)
        found = has_witness([told], [], [], runs.graph, runs.domain, DoorLaws())
        assert found is expected
