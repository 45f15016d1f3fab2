"""Staircases of random monotone properties equal brute force, with few questions."""

import itertools
import random

from simnet.adversary.coalitions.staircase import Counts, Unsearched, staircase
from tests.harness.many_cases import for_each


def within(smaller: Counts, larger: Counts) -> bool:
    return all(one <= other for one, other in zip(smaller, larger, strict=True))


@for_each("seed", range(60))
def test_a_staircase_equals_brute_force(seed: int) -> None:
    draw = random.Random(seed)
    most = tuple(draw.randint(0, 4) for _ in range(draw.randint(1, 4)))
    causes = [tuple(draw.randint(0, top) for top in most) for _ in range(draw.randint(0, 4))]

    def holds(counts: Counts) -> bool:
        return any(within(cause, counts) for cause in causes)

    every = list(itertools.product(*(range(top + 1) for top in most)))
    having = [each for each in every if holds(each)]
    lacking = [each for each in every if not holds(each)]
    found = staircase(most, holds)
    one = staircase(most, holds, one_of_each=True)
    assert len(one.minimal) == bool(having)
    assert set(one.minimal) <= set(found.minimal)
    assert len(one.maximal) == bool(lacking)
    assert set(one.maximal) <= set(found.maximal)
    assert one.is_nowhere is (not having)
    assert list(found.minimal) == [
        each
        for each in having
        if not any(other != each and within(other, each) for other in having)
    ]
    assert list(found.maximal) == [
        each
        for each in lacking
        if not any(other != each and within(each, other) for other in lacking)
    ]
    assert not found.unsearched


def test_a_million_users_take_few_questions() -> None:
    asked = []

    def holds(counts: Counts) -> bool:
        asked.append(counts)
        users, servers = counts
        return users >= 700_000 or (users >= 123_456 and servers > 0)

    found = staircase((10**6, 3), holds)
    assert found.minimal == ((123_456, 1), (700_000, 0))
    assert found.maximal == ((123_455, 3), (699_999, 0))
    assert len(asked) == len(set(asked)) < 60


def test_a_search_that_ends_early_lists_only_what_is_right_and_says_why() -> None:
    left = 8

    def holds(counts: Counts) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise Unsearched("enough")
        return sum(counts) >= 5

    found = staircase((5, 5, 5), holds)
    assert found.unsearched == "enough"
    assert found.minimal
    assert all(sum(each) == 5 for each in found.minimal)
    assert all(sum(each) == 4 for each in found.maximal)


@for_each("seed", range(60))
def test_uncertain_answers_leave_vectors_open_and_spoil_no_others(seed: int) -> None:
    draw = random.Random(seed)
    most = tuple(draw.randint(0, 3) for _ in range(draw.randint(1, 3)))
    every = list(itertools.product(*(range(top + 1) for top in most)))
    causes = [draw.choice(every) for _ in range(draw.randint(0, 3))]
    uncertain = set(draw.sample(every, draw.randint(0, len(every) // 2)))

    def holds(counts: Counts) -> bool:
        return any(within(cause, counts) for cause in causes)

    found = staircase(most, lambda counts: None if counts in uncertain else holds(counts))
    for counts in every:
        says = found.says(counts)
        assert says in (None, holds(counts))
        if counts not in uncertain:
            assert says is not None
        if says is None:
            assert found.unsearched
