"""Reporting sets: the law of Definition 3.1, exactly; how often a set holds the user's item; and
what the set tells about the item.
"""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from protocols.mechanisms.reporting import epsilon_of_set, inclusion, reporting_set
from protocols.tss.script import TSS
from simnet.coins import exact
from simnet.coins.sampled import SampledCoins
from simnet.kernel.ideal import holders
from simnet.values.sealed import Input, Sealed
from tests.harness.laws import Set, law_of_choices, law_of_definition
from tests.harness.many_cases import for_each

SMALL = [
    (k, items, gamma)
    for items in (1, 2, 3, 4)
    for k in range(1, items + 1)
    for gamma in (None, 1.5, 2.0, 10.0)
]
small = pytest.mark.parametrize(("k", "items", "gamma"), SMALL)


def law_of(
    monkeypatch: pytest.MonkeyPatch, draw: Callable[[SampledCoins], Any]
) -> dict[Any, Fraction]:
    """The exact law of what a script draws by `bernoulli` and `weighted_subset`."""

    def played(choose: Callable[[Any, int], int]) -> Any:
        def toss(_: Any, chance: Fraction | float) -> bool:
            return choose(None, Fraction(chance).denominator) < Fraction(chance).numerator

        monkeypatch.setattr(exact, "bernoulli", toss)
        monkeypatch.setattr(exact, "integer_below", choose)
        monkeypatch.setattr(exact, "subset", exact.sparse_subset)
        return draw(SampledCoins(0, "u1"))

    return law_of_choices(played)


@small
def test_the_law_of_a_set_is_that_of_definition_3_1(
    monkeypatch: pytest.MonkeyPatch, k: int, items: int, gamma: float | None
) -> None:
    for held in (None, *range(items)):

        def draw(coins: SampledCoins, held: int | None = held) -> Set:
            return tuple(reporting_set(k, items, held, gamma, coins).tolist())

        assert law_of(monkeypatch, draw) == law_of_definition(k, items, held, gamma), held


@pytest.mark.parametrize(
    ("k", "items", "gamma"), [(1, 1, 2.0), (1, 2, None), (1, 2, 2.0), (2, 3, 3.0), (2, 4, 1.5)]
)
@pytest.mark.parametrize("p", [0.25, 1.0])
def test_answer_and_set_of_a_user_together(
    monkeypatch: pytest.MonkeyPatch, k: int, items: int, gamma: float | None, p: float
) -> None:
    """Exactly: who takes no part draws uniformly, who does draws for its item."""
    protocol = TSS(2, items, p, k, gamma)

    def draw(coins: SampledCoins) -> tuple[Any, Set]:
        user = holders(["u1"], 0)[0]  # with the same coins, through its doors
        answer, chosen = protocol.answer(Sealed(Input("u1", 1)), user)
        return tuple(answer.numbers().tolist()), tuple(chosen.tolist())

    one, none = (1, *[0] * (items - 1)), (0,) * items
    expected = {
        (one, chosen): Fraction(p) * chance
        for chosen, chance in law_of_definition(k, items, 0, gamma).items()
    }
    if p < 1:
        idle = law_of_definition(k, items, None, gamma).items()
        expected |= {(none, chosen): (1 - Fraction(p)) * chance for chosen, chance in idle}
    assert law_of(monkeypatch, draw) == expected


@small
def test_inclusion_is_the_enumerated_chance(k: int, items: int, gamma: float | None) -> None:
    for held in range(items):
        inside = sum(
            chance
            for one, chance in law_of_definition(k, items, held, gamma).items()
            if held in one
        )
        assert inclusion(k, items, gamma) == inside


@small
@for_each("p", [0.25, 0.5, 1.0])
def test_epsilon_is_the_largest_enumerated_ratio(
    k: int, items: int, gamma: float | None, p: float
) -> None:
    idle = law_of_definition(k, items, None, gamma)
    laws = []
    for held in range(items):
        active = law_of_definition(k, items, held, gamma)
        laws.append(
            {one: Fraction(p) * active[one] + (1 - Fraction(p)) * idle[one] for one in idle}
        )
    largest = max(a[one] / b[one] for a, b in itertools.product(laws, repeat=2) for one in idle)
    found, bound = epsilon_of_set(k, items, p, gamma)
    assert found == pytest.approx(math.log(largest), abs=1e-15)
    assert bound == pytest.approx(math.log(gamma) if gamma else 0)  # Theorem 3.3
    assert found <= bound + 1e-15
