"""Streams and coins: no two parties share words, and a party's words depend on seed, purpose and
name alone.
"""

import ast
import inspect
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simnet.scenario
from simnet import BadInput, run
from simnet.coins.coins import Coins, Deferred
from simnet.coins.sampled import SampledCoins
from simnet.coins.streams import OUTSIDE_RUNS, Stream
from simnet.values.field import Field, FieldArray
from simnet.values.meter import Meter
from tests.harness.many_cases import for_each
from tests.harness.scripts import Scripts, idle

FIELD = Field(2**61 - 1)  # two independent draws of ten elements agree with chance 2**-610
SHAPE = (5, 2)
DEVIATIONS = 4.9  # a standard normal lies further out with probability 1e-6


def block(coins: Coins) -> FieldArray:
    return coins.field(FIELD, SHAPE)


def elements(coins: Coins) -> list[Any]:
    return list(block(coins).numbers().tolist())


def rows(deferred: Deferred) -> list[Any]:
    return list(deferred.evaluate().numbers().tolist())


# Words


def test_the_first_words_of_a_stream_are_pinned() -> None:
    stream = Stream(0, "u1", "field")
    pinned = [0xBAB65027F0C90827, 0xD92099A3E9682B9D, 0xCC6CD1ACE6A2194B, 0xD68941862A242FE1]
    assert [stream.word() for _ in range(4)] == pinned


def test_the_first_draws_of_a_party_are_pinned() -> None:
    coins = SampledCoins(0, "u1")
    own = coins.deferred(Field(7), (8,), lambda own: own.field(Field(7), (8,)))
    assert coins.field(Field(7), (8,)).numbers().tolist() == [1, 6, 2, 2, 0, 0, 5, 4]
    assert coins.integers(100, 8).tolist() == [49, 25, 27, 88, 30, 73, 17, 99]
    assert coins.subset(3, 20).tolist() == [0, 17, 19]
    assert coins.subset(3, 200).tolist() == [12, 45, 156]
    assert coins.weighted_subset(2, 9, 4, 2.5).tolist() == [0, 6]
    assert coins.categorical([1, 2, 3], 8).tolist() == [2, 1, 0, 2, 1, 1, 1, 2]
    assert coins.bernoullis(0.5, 8).tolist() == [False, True, False, True, False, True, True, True]
    assert rows(own) == [3, 4, 6, 0, 5, 1, 2, 5]


def test_the_first_of_many_draws_are_pinned() -> None:
    coins = SampledCoins(0, "u1")
    assert np.packbits(coins.bernoullis(1 / 3, 100)).tobytes().hex() == "8f86010416a0486600a2480020"
    assert coins.binomials(np.array([0, 5, 1000, 10**6]), 0.1).tolist() == [0, 0, 94, 100490]


def test_seeds_parties_and_purposes_have_streams_of_their_own() -> None:
    seeds, parties = (0, 1, -1, 10, 11, 2**70), ("u1", "u11", "u2", "1", "server", "")
    keys = list(itertools.product(seeds, parties, ("", "field", "discrete")))
    assert len({Stream(*key).word() for key in keys}) == len(keys)


@pytest.mark.parametrize("cuts", [[10], [3, 7], [1, 0, 9], [5, 1, 4]])
def test_words_come_in_the_same_order_however_they_are_taken(cuts: list[int]) -> None:
    whole, parts, single = (Stream(4, "u1", "field") for _ in range(3))
    expected = whole.words(10).tolist()
    assert [word for cut in cuts for word in parts.words(cut).tolist()] == expected
    assert [single.word() for _ in range(10)] == expected


@for_each("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
@for_each("count", [0, 1, 7, 8, 9])
def test_lanes_are_words_cut_low_bits_first(
    dtype: type[np.unsignedinteger[Any]], count: int
) -> None:
    width = 8 * np.dtype(dtype).itemsize
    words = Stream(4, "u1", "field").words(10).tolist()
    expected = [
        word >> shift & (1 << width) - 1 for word in words for shift in range(0, 64, width)
    ][:count]
    stream = Stream(4, "u1", "field")
    lanes = stream.lanes(count, np.dtype(dtype))
    assert lanes.dtype == dtype
    assert (lanes.tolist(), lanes.flags.writeable) == (expected, True)
    assert stream.word() == words[-(-count * width // 64)]  # what is left of a word is not used


# Coins


def test_a_name_with_a_slash_has_a_stream_of_its_own() -> None:
    parties = ("a", "discrete/a", "field/a", "1/discrete/a", "/a", "a/", "block 1 discrete/a")
    purposes = ("discrete", "field", "block 1 discrete", "block 1 field", "schedule")
    keys = list(itertools.product((1, 11), parties, purposes))
    assert len({Stream(*key).word() for key in keys}) == len(keys)


@pytest.mark.parametrize("purpose", ["a/", "block 1 ", "other block 2 "])
def test_a_purpose_that_could_be_taken_for_another_stream_is_refused(purpose: str) -> None:
    with pytest.raises(ValueError, match="purpose"):
        SampledCoins(1, "u1", purpose=purpose)


@pytest.mark.parametrize("name", sorted(OUTSIDE_RUNS))
def test_no_party_plays_with_the_coins_of_a_scenario(name: str) -> None:
    with pytest.raises(BadInput, match=f"a party may not be called '{name}'"):
        run(Scripts(**{name: idle}))


def test_a_seed_is_no_truth_value() -> None:  # True and 1 are equal, their streams are not
    with pytest.raises(BadInput, match="a seed is a whole number of type int, got True"):
        run(Scripts(a=idle), seed=True)


def test_what_scenarios_draw_outside_of_runs_is_listed() -> None:
    folder = Path(inspect.getfile(simnet.scenario)).parent
    drawn = {
        node.args[1].value
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "SampledCoins"
        if isinstance(node.args[1], ast.Constant)
    }
    assert drawn == OUTSIDE_RUNS


def test_coins_depend_on_seed_and_name_alone() -> None:
    alone = SampledCoins(5, "u2")
    expected = (elements(alone), alone.integers(2**63, 10).tolist())
    crowd = [SampledCoins(5, name, Meter()) for name in ("u1", "u2", "server")]
    drawn = [elements(coins) for coins in crowd]
    integers = [coins.integers(2**63, 10).tolist() for coins in reversed(crowd)][::-1]
    assert (drawn[1], integers[1]) == expected


def test_seeds_and_parties_differ() -> None:
    keys = [(5, "u1"), (5, "u2"), (6, "u1"), (6, "u2")]
    for draw in (elements, lambda coins: coins.integers(2**63, 10).tolist()):
        assert len({str(draw(SampledCoins(*key))) for key in keys}) == len(keys)


def test_purposes_differ() -> None:
    plain, set_apart = SampledCoins(5, "u1"), SampledCoins(5, "u1", purpose="other ")
    assert elements(plain) != elements(set_apart)
    assert plain.integers(2**63, 10).tolist() != set_apart.integers(2**63, 10).tolist()


def test_discrete_and_field_draws_share_no_words() -> None:
    coins = SampledCoins(5, "u1")
    numbers = [x for row in elements(coins) for x in row]
    assert not set(numbers) & set(SampledCoins(5, "u1").integers(FIELD.modulus, 100).tolist())


@pytest.mark.parametrize(
    "draw",
    [
        lambda coins: coins.bernoulli(0.5),
        lambda coins: coins.integers(10, 3),
        lambda coins: coins.subset(2, 5),
        lambda coins: coins.weighted_subset(2, 5, 1, 3),
        lambda coins: coins.categorical([1, 1], 3),
        lambda coins: coins.normal(3),
        lambda coins: coins.deferred(FIELD, SHAPE, block).evaluate(),
    ],
)
def test_other_draws_leave_field_elements_as_they_are(draw: Callable[[SampledCoins], Any]) -> None:
    coins = SampledCoins(5, "u1")
    draw(coins)
    assert elements(coins) == elements(SampledCoins(5, "u1"))


# Deferred blocks


def test_blocks_have_words_of_their_own() -> None:
    coins = SampledCoins(5, "u1")
    blocks = [coins.deferred(FIELD, SHAPE, block) for _ in range(3)]
    drawn = [
        elements(coins),
        *map(rows, blocks),
        elements(SampledCoins(5, "u2").deferred(FIELD, SHAPE, block).coins),
    ]
    numbers = [x for array in drawn for row in array for x in row]
    assert len(set(numbers)) == len(numbers)


def test_a_block_within_a_block_has_words_of_its_own() -> None:
    coins = SampledCoins(5, "u1")

    def nested(own: Coins) -> FieldArray:
        return own.deferred(FIELD, SHAPE, block).evaluate()

    first, second = (coins.deferred(FIELD, SHAPE, nested) for _ in range(2))
    flat = [coins.deferred(FIELD, SHAPE, block) for _ in range(3)]
    drawn = [str(rows(made)) for made in (first, second, *flat)]
    assert len(set(drawn)) == len(drawn)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_blocks_do_not_depend_on_when_they_are_evaluated(order: tuple[int, ...]) -> None:
    eager = SampledCoins(5, "u1")
    expected = [
        (
            rows(eager.deferred(FIELD, SHAPE, block)),
            elements(eager),
            eager.integers(2**63, 4).tolist(),
        )
        for _ in "abc"
    ]
    lazy = SampledCoins(5, "u1")
    blocks, drawn = [], []
    for _ in range(3):
        blocks.append(lazy.deferred(FIELD, SHAPE, block))
        drawn.append((elements(lazy), lazy.integers(2**63, 4).tolist()))
    late = {place: rows(blocks[place]) for place in order}
    assert [(late[place], *drawn[place]) for place in range(3)] == expected


@pytest.mark.parametrize(
    "draw", [lambda own: own.integers(2**40, 1), lambda own: own.bernoulli(0.5)]
)
def test_a_block_draws_field_elements_alone(draw: Callable[[Coins], Any]) -> None:
    """When it is evaluated does not matter: no discrete coin shapes what others do."""

    def mixed(own: Coins) -> FieldArray:
        return block(own) * int(draw(own))

    with pytest.raises(TypeError, match="a deferred block may draw only field elements"):
        SampledCoins(5, "u1").deferred(FIELD, SHAPE, mixed).evaluate()


def test_a_block_of_another_shape_than_announced_is_refused() -> None:
    deferred = SampledCoins(5, "u1").deferred(FIELD, (2, 5), block)
    with pytest.raises(ValueError, match=r"announced with shape \(2, 5\), but has shape \(5, 2\)"):
        deferred.evaluate()


# Independence, on fixed seeds; on fresh ones a false alarm comes once in 1e6 comparisons

STREAMS = [
    (1, "u1", "field"),
    (1, "u2", "field"),
    (2, "u1", "field"),
    (1, "u1", "discrete"),
    (1, "u1", "block 1 field"),
]


@for_each("one, other", list(itertools.combinations(STREAMS, 2)))
def test_streams_are_uncorrelated(one: tuple[int, str, str], other: tuple[int, str, str]) -> None:
    count = 50_000
    left, right = Stream(*one).words(count), Stream(*other).words(count)
    correlation = np.corrcoef(left / 2.0**64, right / 2.0**64)[0, 1]
    assert abs(correlation) * count**0.5 < DEVIATIONS
    differing = int(np.bitwise_count(left ^ right).sum())
    assert abs(differing - 32 * count) / (16 * count) ** 0.5 < DEVIATIONS


@pytest.mark.parametrize("key", STREAMS, ids=str)
def test_every_bit_of_a_stream_is_a_fair_coin(key: tuple[int, str, str]) -> None:
    count = 50_000
    words = Stream(*key).words(count)
    ones = np.array([int((words >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)])
    assert ((ones - count / 2) ** 2).sum() / (
        count / 4
    ) < 132.7  # chi-square of 64 degrees: 1e-6 lies above
