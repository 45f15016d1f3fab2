"""The laws of the draws: we count words to show that uniform, Bernoulli, subset and categorical
draws are exact.

The chi-square tests have fixed seeds; on fresh seeds each would raise a false alarm with
probability 1e-6.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simnet.coins import exact
from simnet.coins.coins import Coins
from simnet.coins.sampled import SampledCoins, SampledDiscrete, SampledField
from simnet.coins.streams import Words
from simnet.values.field import Field
from simnet.values.meter import Meter
from tests.harness.fuzz import cases
from tests.harness.laws import Unplayed, law_of_choices
from tests.harness.many_cases import for_each
from tests.harness.words import FALSE_ALARM, WordTape, fits

Array = np.ndarray[Any, np.dtype[Any]]

WORD = 2**64


def as_words(lanes: Array) -> Words:
    return lanes.view(np.uint64)


# uniform_below

SMALL_BOUNDS = (
    1,
    2,
    3,
    5,
    7,
    127,
    251,
    256,
    5003,
    13108,
    2**14 - 3,
    2**14,
)  # 13108 rejects one lane in five
LARGE_BOUNDS = (
    *(2**14 + 1, 65521, 65537, 2**30 - 35, 2**30),
    *(
        2**30 + 1,
        2**31 - 1,
        4294967311,
        2**61 - 1,
        2**62 - 57,
        2**62,
        2**62 + 1,
        3 * 2**61 + 1,
        2**63 - 1,
        2**63,
    ),
)


def whole_multiples(bound: int, dtype: np.dtype[Any]) -> int:
    """How many values of a lane are accepted: as many as make every residue equally frequent, and
    no fewer.
    """
    return (1 << 8 * dtype.itemsize) // bound * bound


@for_each("bound", SMALL_BOUNDS)
def test_every_residue_of_a_16_bit_lane_is_equally_frequent(bound: int) -> None:
    generator = np.random.default_rng(bound)
    first, later = (
        generator.permutation(2**16).astype(np.uint16),
        generator.permutation(2**16).astype(np.uint16),
    )
    tape = WordTape(as_words(np.concatenate([first, later])))
    drawn = exact.uniform_below(tape, bound, 2**16)
    assert set(tape.asked) == {np.dtype(np.uint16)}
    edge = whole_multiples(bound, tape.asked[0])
    kept = first < edge
    assert (drawn[kept] == first[kept] % bound).all()
    assert (np.bincount(drawn[kept], minlength=bound) == edge // bound).all()
    # Rejected lanes are replaced, in order, by accepted later ones.
    replacements = iter((later[later < edge] % bound).tolist())
    assert all(value in replacements for value in drawn[~kept].tolist())


@for_each("bound", [3, 251, 5003, 13108, 65521, 2**31 - 1, 2**62 - 57, 2**63 - 1])
@for_each("rejected", [1, 2, 3, 10])
def test_a_lane_is_replaced_until_one_is_accepted(bound: int, rejected: int) -> None:
    for residue in (0, 1, bound - 1):
        tape = WordTape([WORD - 1] * rejected + [_filled(bound, residue)] * 12)
        assert exact.uniform_below(tape, bound, 1).tolist() == [residue]


def _filled(bound: int, residue: int) -> int:
    """A word all of whose lanes, of the width that the bound takes, are accepted and leave this
    residue.
    """
    probe = WordTape([0])
    exact.uniform_below(probe, bound, 1)
    bits = 8 * probe.asked[0].itemsize
    lane = whole_multiples(bound, probe.asked[0]) - bound + residue
    return sum(lane << shift for shift in range(0, 64, bits))


@given(st.sampled_from(SMALL_BOUNDS + LARGE_BOUNDS) | st.integers(1, 2**63), st.data())
def test_lanes_are_accepted_below_the_largest_multiple_of_the_bound(
    bound: int, data: st.DataObject
) -> None:
    probe = WordTape([0])
    exact.uniform_below(probe, bound, 1)
    (dtype,) = probe.asked
    edge, span = whole_multiples(bound, dtype), 1 << 8 * dtype.itemsize
    assert span - edge < bound
    near = [value % span for at in (0, bound, edge - bound, edge) for value in (at - 1, at, at + 1)]
    lanes = data.draw(
        st.lists(st.sampled_from(near) | st.integers(0, span - 1), min_size=8, max_size=8)
    )
    tape = WordTape(
        [*as_words(np.array(lanes, dtype=dtype)).tolist(), *[_filled(bound, bound // 2)] * 40]
    )
    drawn = exact.uniform_below(tape, bound, 8)
    assert drawn.tolist() == [lane % bound if lane < edge else bound // 2 for lane in lanes]


@pytest.mark.parametrize("bound", [1, 2, 251, 13108, 65537, 2**61 - 1])
def test_spare_room_changes_no_draw(bound: int) -> None:
    words = np.random.default_rng(5).integers(WORD, size=4000, dtype=np.uint64)
    for count, spare in itertools.product([0, 1, 7, 100], [0, 1, 5]):
        drawn = exact.uniform_below(WordTape(words), bound, count, spare)
        assert drawn.shape == (count + spare,)
        assert drawn.flags.writeable
        assert (drawn[:count] < bound).all()
        edge = whole_multiples(bound, drawn.dtype)
        lanes = words.view(drawn.dtype)[:count]
        assert (drawn[:count][lanes < edge] == lanes[lanes < edge] % bound).all()


# integer_below


@pytest.mark.parametrize(
    "bound",
    [
        1,
        2,
        3,
        2**63 + 1,
        2**64 - 1,
        2**64,
        2**64 + 1,
        10**30,
        2**128 - 1,
        2**128,
        2**128 + 1,
        3 * 2**190,
    ],
)
@cases(25)
@given(st.data())
def test_integers_of_any_size_are_accepted_below_the_largest_multiple(
    bound: int, data: st.DataObject
) -> None:
    length = max(math.ceil((bound - 1).bit_length() / 64), 1)
    span = WORD**length
    edge = span // bound * bound
    near = [value % span for at in (0, bound, edge) for value in (at - 1, at, at + 1)]
    numbers = data.draw(st.lists(st.sampled_from(near) | st.integers(0, span - 1), max_size=4))
    numbers.append(edge - bound // 2 - 1)
    tape = WordTape(
        number >> 64 * place & (WORD - 1) for number in numbers for place in reversed(range(length))
    )
    accepted = next(place for place, number in enumerate(numbers) if number < edge)
    assert exact.integer_below(tape, bound) == numbers[accepted] % bound
    assert tape.left.size == length * (len(numbers) - accepted - 1)


# bernoulli

CHANCES = (
    0,
    1,
    0.5,
    0.1,
    1 / 3,
    Fraction(1, 3),
    Fraction(2, 3),
    Fraction(1, 2**70),
    1 - Fraction(1, 2**70),
    1e-300,
)


def digits(chance: Fraction) -> Iterator[int]:
    """The digits of a probability below 1 in base 2**64."""
    while True:
        chance *= WORD
        yield int(chance)
        chance -= int(chance)


@st.composite
def words_near(draw: st.DrawFn, chance: Fraction) -> list[int]:
    """Words that agree with the digits of the chance for a while, and then differ a little or
    anyhow.
    """
    same = list(itertools.islice(digits(chance), draw(st.integers(0, 3)))) if chance < 1 else []
    digit = next(digits(chance)) if not same else 0
    near = [x for x in (digit - 1, digit + 1, 0, 1, WORD - 1) if 0 <= x < WORD]
    return [
        *same,
        draw(st.sampled_from(near) | st.integers(0, WORD - 1)),
        draw(st.integers(0, WORD - 1)),
        0,
        WORD - 1,
    ]


def below(words: Iterable[int], chance: Fraction) -> bool | None:
    """Whether the number 0.words in base 2**64 lies below the chance; None while its next words may
    decide.
    """
    low, unit = Fraction(0), Fraction(1)
    for word in words:
        unit /= WORD
        low += word * unit
        if low >= chance:
            return False
        if low + unit <= chance:
            return True
    return None


@given(st.sampled_from(CHANCES) | st.fractions(0, 1) | st.floats(0, 1), st.data())
def test_a_bernoulli_draw_compares_a_uniform_number_with_the_chance(
    chance: float | Fraction, data: st.DataObject
) -> None:
    precisely = Fraction(chance)
    words = data.draw(words_near(precisely))
    expected = below(words, precisely)
    if expected is None:
        return
    assert exact.bernoulli(WordTape(words), precisely) is expected
    assert exact.bernoullis(WordTape(words), precisely, 1).tolist() == [expected]


THIRD = WORD // 3  # every digit of 1/3
TENTH = int(Fraction(0.1) * WORD)  # the float 0.1 has no further digits


@for_each(
    "chance, words, outcome",
    [
        (Fraction(1, 3), [THIRD - 1], True),
        (Fraction(1, 3), [THIRD + 1], False),
        (Fraction(1, 3), [THIRD, THIRD - 1], True),
        (Fraction(1, 3), [THIRD, THIRD + 1], False),
        (Fraction(1, 3), [THIRD, THIRD, THIRD, 0], True),
        (Fraction(1, 3), [THIRD, THIRD, THIRD, WORD - 1], False),
        (Fraction(1, 2**70), [1], False),
        (Fraction(1, 2**70), [0, 2**58 - 1], True),
        (Fraction(1, 2**70), [0, 2**58], False),
        (1 - Fraction(1, 2**70), [WORD - 2], True),
        (1 - Fraction(1, 2**70), [WORD - 1, WORD - 2**58 - 1], True),
        (1 - Fraction(1, 2**70), [WORD - 1, WORD - 2**58], False),
        (Fraction(0.5), [2**63 - 1], True),
        (Fraction(0.5), [2**63], False),
        (Fraction(0.1), [TENTH - 1], True),
        (Fraction(0.1), [TENTH], False),
        (Fraction(0), [0], False),
        (Fraction(1), [WORD - 1], True),
    ],
)
def test_ties_are_settled_by_the_following_digits(
    chance: Fraction, words: list[int], outcome: bool
) -> None:
    one, many = WordTape(words), WordTape(words)
    assert exact.bernoulli(one, chance) is outcome
    assert exact.bernoullis(many, chance, 1).tolist() == [outcome]
    assert one.left.size == many.left.size == 0


def test_ties_among_many_draws_are_settled_one_by_one() -> None:
    heads = [THIRD, THIRD - 1, THIRD, THIRD + 1, THIRD, 0, THIRD]
    settled = [[THIRD - 1], [THIRD, THIRD + 1], [WORD - 1], [THIRD, THIRD, 5]]
    tape = WordTape([*heads, *itertools.chain(*settled)])
    expected = [True, True, False, False, False, True, True]
    assert exact.bernoullis(tape, Fraction(1, 3), len(heads)).tolist() == expected
    assert tape.left.size == 0


def test_impossible_and_certain_events() -> None:
    edges = [0, 1, 2**63, WORD - 1]
    for word in edges:
        assert not exact.bernoulli(WordTape([word]), Fraction(0))
        assert exact.bernoulli(WordTape([word]), Fraction(1))
    assert exact.bernoullis(WordTape(edges), Fraction(0), 4).tolist() == [False] * 4
    assert exact.bernoullis(WordTape(edges), Fraction(1), 4).tolist() == [True] * 4


# Many draws of one chance


def eighths(lanes: Iterable[int]) -> list[int]:
    """Bytes as the words that they are cut from, filled up with zeros."""
    padded = np.array([*lanes, *[0] * 7], dtype=np.uint8)
    return [int(word) for word in as_words(padded[: padded.size // 8 * 8])]


@pytest.mark.parametrize("numerator", [0, 1, 2, 85, 128, 255, 256])
def test_many_draws_take_a_byte_each(numerator: int) -> None:
    order = np.random.default_rng(numerator).permutation(256)
    tape = WordTape(eighths(order))
    drawn = exact.bernoullis(tape, Fraction(numerator, 256), 256)
    assert (drawn == (order < numerator)).all()
    assert tape.left.size in (0, 32)  # a certain event takes none


@given(st.sampled_from(CHANCES) | st.fractions(0, 1) | st.floats(0, 1), st.data())
def test_a_byte_that_begins_like_the_chance_is_compared_further_on(
    chance: float | Fraction, data: st.DataObject
) -> None:
    precisely = Fraction(chance)
    digit = int(precisely * 256)
    near = st.sampled_from([x for x in (digit - 1, digit + 1, 0, 255) if 0 <= x < 256])
    lanes = data.draw(st.lists(near, min_size=exact.MANY, max_size=exact.MANY + 9))
    if digit < 256:
        for place in data.draw(st.sets(st.integers(0, exact.MANY - 1), max_size=5)):
            lanes[place] = digit
    rest = precisely * 256 - digit
    further = (
        [data.draw(words_near(rest)) for lane in lanes if lane == digit]
        if digit < 256 and rest
        else []
    )
    settled = [below(words[:1], rest) for words in further]
    if None in settled:
        return
    expected = iter(settled)
    tape = WordTape([*eighths(lanes), *(words[0] for words in further)])
    drawn = exact.bernoullis(tape, chance, len(lanes)).tolist()
    assert drawn == [next(expected, False) if lane == digit else lane < digit for lane in lanes]


def test_many_draws_that_begin_alike_take_a_second_byte_each() -> None:
    chance, seconds = Fraction(1, 3), [84, 86, 85, *range(61)]  # every digit of 1/3 is 85
    tape = WordTape([*eighths([85] * 64), *eighths(seconds), THIRD - 1])
    drawn = exact.bernoullis(tape, chance, 64)
    assert drawn.tolist() == [True, False, True, *[True] * 61]
    assert tape.left.size == 0


@pytest.mark.parametrize(
    "chance", [0, 1, 0.1, 1 / 3, Fraction(1, 3), Fraction(1, 2**70), 1 - Fraction(1, 2**70), 0.999]
)
def test_many_draws_follow_their_law(chance: float | Fraction) -> None:
    drawn = SampledCoins(12, "u1").bernoullis(chance, 3 << 17)  # some portions of them
    heads = int(drawn.sum())
    assert stats.binomtest(heads, drawn.size, float(chance)).pvalue > FALSE_ALARM
    if 0.01 < chance < 0.99:
        pairs = np.bincount(drawn[::2] * 2 + drawn[1::2], minlength=4)
        each = np.array([1 - float(chance), float(chance)])
        assert fits(pairs, np.outer(each, each).ravel() * drawn.size / 2)


# Binomial counts


def binomial(trials: int, chance: Fraction) -> dict[int, Fraction]:
    weights = {
        k: math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k)
        for k in range(trials + 1)
    }
    return {k: weight for k, weight in weights.items() if weight}


@pytest.mark.parametrize(
    "chance",
    [Fraction(1, 2), Fraction(3, 8), Fraction(5, 16), Fraction(15, 16), Fraction(0), Fraction(1)],
)
@pytest.mark.parametrize("trials", [0, 1, 2, 5])
def test_binomial_counts_have_exactly_their_law(
    monkeypatch: pytest.MonkeyPatch, chance: Fraction, trials: int
) -> None:
    """Every number of heads that fair coins can show at each digit, with its chance, for chances of
    few digits.
    """
    pending: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    law: dict[int, Fraction] = {}
    while pending:
        shown, weight = pending.pop()
        played = iter(shown)

        def heads(_: Any, tosses: Array, played: Iterator[int] = played) -> Array:
            count = next(played, None)
            if count is None:
                raise Unplayed(int(tosses[0]))
            return np.array([count])

        monkeypatch.setattr(exact, "heads", heads)
        try:
            outcome = int(exact.binomials(WordTape([]), np.array([trials]), chance)[0])
            law[outcome] = law.get(outcome, Fraction(0)) + weight
        except Unplayed as more:
            fair = binomial(more.bound, Fraction(1, 2))
            pending += [((*shown, count), weight * part) for count, part in fair.items()]
    assert law == binomial(trials, chance)


def test_counts_of_very_many_trials() -> None:
    trials = np.array([0, 10**8 + 7, 3, 2 * 10**7])
    drawn = SampledCoins(14, "u1").binomials(trials, 0.1).plain
    assert drawn[0] == 0
    assert (
        abs(drawn - trials * 0.1) <= 5.3 * np.sqrt(trials * 0.09) + (trials < 10) * 3
    ).all()  # 1e-6 for both


# subset and categorical


@pytest.mark.parametrize(
    ("count", "members"), [(0, 0), (0, 3), (1, 1), (1, 5), (2, 5), (3, 5), (5, 5), (3, 7)]
)
def test_every_subset_is_equally_likely(
    monkeypatch: pytest.MonkeyPatch, count: int, members: int
) -> None:
    def draw(choose: Callable[[Any, int], int]) -> tuple[int, ...]:
        monkeypatch.setattr(exact, "integer_below", choose)
        return tuple(exact.sparse_subset(WordTape([]), count, members).tolist())

    chance = Fraction(1, math.comb(members, count))
    assert law_of_choices(draw) == dict.fromkeys(
        itertools.combinations(range(members), count), chance
    )


@pytest.mark.parametrize(
    ("count", "members"), [(0, 0), (0, 3), (1, 1), (1, 5), (2, 5), (3, 5), (5, 5), (3, 6)]
)
def test_every_subset_is_equally_likely_by_keys(count: int, members: int) -> None:
    orders = list(itertools.permutations(range(members)))
    drawn = Counter(
        tuple(exact.dense_subset(WordTape(list(keys)), count, members).tolist()) for keys in orders
    )
    sets = list(itertools.combinations(range(members), count))
    assert drawn == dict.fromkeys(sets, len(orders) // len(sets))


def test_equal_keys_are_drawn_again() -> None:
    assert exact.dense_subset(WordTape([5, 1, 5, 9, 2, 7]), 1, 3).tolist() == [1]


def test_a_weighted_subset_has_its_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly, for every size, favoured member and weight: a set that holds it is `weight` times as
    likely.
    """
    for count, members, weight in itertools.product(
        (1, 2, 3), (3, 4), (Fraction(1, 2), Fraction(3))
    ):

        def draw(
            choose: Callable[[Any, int], int],
            count: int = count,
            members: int = members,
            weight: Fraction = weight,
        ) -> tuple[int, ...]:
            def toss(_: Any, chance: Fraction) -> bool:
                return choose(None, chance.denominator) < chance.numerator

            monkeypatch.setattr(exact, "bernoulli", toss)
            monkeypatch.setattr(exact, "integer_below", choose)
            monkeypatch.setattr(exact, "subset", exact.sparse_subset)
            return tuple(exact.weighted_subset(WordTape([]), count, members, 1, weight).tolist())

        sets = list(itertools.combinations(range(members), count))
        total = sum(weight if 1 in one else 1 for one in sets)
        assert law_of_choices(draw) == {
            one: (weight if 1 in one else 1) / Fraction(total) for one in sets
        }


@pytest.mark.parametrize(
    "weights", [[1], [3, 1], [0, 2, 0, 5, 1, 0], [100, 1, 155], [5000, 1, 3], [70_000, 2, 0, 1]]
)
def test_each_index_has_a_chance_in_proportion_to_its_weight(weights: list[int]) -> None:
    total = sum(weights)
    probe = WordTape([0])
    exact.uniform_below(probe, total, 1)
    lanes = np.zeros(-(-total // 4) * 4, dtype=probe.asked[0])
    lanes[:total] = np.arange(total)
    drawn = exact.categorical(
        WordTape(as_words(lanes)), weights, total
    )  # every number below the total once
    assert np.bincount(drawn, minlength=len(weights)).tolist() == weights
    assert drawn.tolist() == sorted(drawn)


def test_weights_up_to_2_63_keep_their_boundaries() -> None:
    weights = [2**62, 1, 0, 2**62 - 2]
    words = [
        0,
        2**62 - 1,
        2**62,
        2**62 + 1,
        2**63 - 2,
        2**63 - 1,
        2**63 + 2**62 - 2,
        2**64 - 2,
        2**64 - 1,
        *[5] * 20,
    ]
    drawn = exact.categorical(WordTape(words), weights, 9).tolist()
    assert drawn == [
        0,
        0,
        1,
        3,
        3,
        0,
        0,
        0,
        0,
    ]  # of sum 2**63 - 1: the last two words give way to a 5


# Reals


def test_uniform_reals_are_the_high_bits_of_a_word() -> None:
    words = [0, 2**11 - 1, 2**11, 2**63, WORD - 1]
    assert _played(words).uniform(5).tolist() == [0, 0, 2.0**-53, 0.5, 1 - 2.0**-53]


def test_exponential_reals_are_finite() -> None:
    drawn = _played([0, 2**63, WORD - 1]).exponential(3)
    np.testing.assert_allclose(drawn, [0, math.log(2), 53 * math.log(2)], rtol=1e-15)


def test_normal_reals_are_finite() -> None:
    assert np.isfinite(_played([0, 2**63, WORD - 1]).normal(3).plain).all()


def test_normal_reals_are_symmetric() -> None:
    words = [0, 2**11, 2**40, 2**62, 2**63 - 1]  # each with the other sign
    low, high = (
        _played(played).normal(5).plain for played in (words, [word ^ 1 for word in words])
    )
    assert low.tolist() == (-high).tolist()


def _played(words: list[int]) -> Coins:
    source = SampledDiscrete(0, "u1")
    source._stream = WordTape(words)
    return Coins(source, SampledField(0, "u1"))


@pytest.mark.parametrize(
    ("kind", "law_of_one"), [("uniform", "uniform"), ("normal", "norm"), ("exponential", "expon")]
)
def test_reals_follow_their_laws(kind: str, law_of_one: str) -> None:
    drawn = getattr(SampledCoins(11, "u1"), kind)(50_000).plain
    assert stats.kstest(drawn, law_of_one).pvalue > FALSE_ALARM


# Chi-square


@for_each("modulus", [2, 3, 5, 251, 5003, 65537, 4294967311])
@for_each("shape", [(200_000,), (400, 500)])
def test_field_elements_are_uniform(modulus: int, shape: tuple[int, ...]) -> None:
    drawn = SampledCoins(7, "u1").field(Field(modulus), shape).numbers().ravel().astype(np.uint64)
    count, buckets = drawn.size, min(modulus, 5003)
    assert drawn.max() < modulus
    edges = [-(-place * modulus // buckets) for place in range(buckets + 1)]
    by_size = np.histogram(drawn.astype(np.int64), bins=np.array(edges) - 0.5)[0]
    assert fits(by_size, np.diff(edges) * (count / modulus))
    last = min(modulus, 64)
    by_residue = np.bincount((drawn % np.uint64(last)).astype(np.int64), minlength=last)
    sizes = np.array([len(range(residue, modulus, last)) for residue in range(last)])
    assert fits(by_residue, sizes * (count / modulus))


@pytest.mark.parametrize("modulus", [2, 3, 5, 251])
def test_neighbouring_field_elements_are_independent(modulus: int) -> None:
    drawn = SampledCoins(8, "u1").field(Field(modulus), (300_000, 2)).numbers().astype(np.int64)
    counts = np.bincount(drawn[:, 0] * modulus + drawn[:, 1], minlength=modulus**2)
    assert fits(counts, np.full(modulus**2, 300_000 / modulus**2))


def test_finite_draws_follow_their_laws() -> None:
    coins = SampledCoins(9, "u1")
    assert fits(np.bincount(coins.integers(7, 70_000).plain, minlength=7), np.full(7, 10_000))
    for chance in (Fraction(1, 3), 0.1):
        heads = int(coins.bernoullis(chance, 50_000).sum())
        assert fits(
            np.array([heads, 50_000 - heads]), np.array([float(chance), 1 - float(chance)]) * 50_000
        )
    assert fits(
        np.bincount(coins.categorical([1, 2, 0, 5], 8_000).plain)[[0, 1, 3]],
        np.array([1000, 2000, 5000]),
    )
    for members in (5, 70):  # by keys, and one by one
        drawn = Counter(tuple(coins.subset(2, members).tolist()) for _ in range(10_000))
        observed = np.array([drawn[pair] for pair in itertools.combinations(range(members), 2)])
        assert fits(observed.reshape(5, -1).sum(axis=1), np.full(5, 2_000))


# What coins refuse


@for_each(
    "draw",
    [
        lambda coins: coins.bernoulli(-0.1),
        lambda coins: coins.bernoulli(1.1),
        lambda coins: coins.bernoullis(Fraction(4, 3), 2),
        lambda coins: coins.bernoulli(float("nan")),
        lambda coins: coins.binomials(np.array([2, -1]), 0.5),
        lambda coins: coins.binomials(np.array([2]), 1.5),
        lambda coins: coins.integers(0, 1),
        lambda coins: coins.integers(-1, 1),
        lambda coins: coins.integers(2**63 + 1, 1),
        lambda coins: coins.subset(4, 3),
        lambda coins: coins.subset(-1, 3),
        lambda coins: coins.subset(2, 2**63 + 1),
        lambda coins: coins.weighted_subset(1, 2**63 + 1, 1, 2),
        lambda coins: coins.weighted_subset(4, 3),
        lambda coins: coins.weighted_subset(-1, 3),
        lambda coins: coins.weighted_subset(1, 3, 3, 2),
        lambda coins: coins.weighted_subset(1, 3, -1, 2),
        lambda coins: coins.weighted_subset(1, 3, 1, 0),
        lambda coins: coins.categorical([], 1),
        lambda coins: coins.categorical([0, 0], 1),
        lambda coins: coins.categorical([2, -1], 1),
        lambda coins: coins.categorical([2**62, 2**62], 1),
        lambda coins: coins.weighted_subset(1, 3, 1, math.inf),
        lambda coins: coins.weighted_subset(1, 3, 1, math.nan),
        lambda coins: coins.bernoullis(0.5, -1),
        lambda coins: coins.integers(5, -1),
        lambda coins: coins.categorical([1, 2], -1),
        lambda coins: coins.normal(-1),
        lambda coins: coins.discrete_laplace(Fraction(2), -1),
        lambda coins: coins.field(Field(5), (-1,)),
        lambda coins: coins.field(Field(5), (2, -1)),
    ],
)
def test_impossible_draws_are_refused_and_not_billed(draw: Callable[[SampledCoins], Any]) -> None:
    meter = Meter()
    with pytest.raises(ValueError, match=r"\d|NaN"):
        draw(SampledCoins(0, "u1", meter))
    assert not meter.counts
