"""Losses of sampled counts: one collection is compared with the closed form, and several
collections with enumeration.
"""

from fractions import Fraction
from itertools import pairwise, product
from math import comb, exp, inf, log, prod
from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from protocols.privacy.composition import Composition
from protocols.privacy.count_losses import removal, replacement
from protocols.privacy.loss import Losses
from protocols.privacy.profile import log_delta_at
from protocols.privacy.sampled_counts import Removal, Replacement
from tests.harness.fuzz import cases
from tests.harness.many_cases import for_each

P = 1 - exp(-0.5)

ONCE = [
    (33, P, 0.5),
    (33, P, 0.0),
    (1, 0.4, 1.0),
    (2, 0.4, 0.3),
    (2, 1.0, 3.0),
    (400, P, 0.5),
    (10**4, 0.5, 0.02),
    (33, 0.999, 2.0),
    (200, 1e-4, 0.001),
    (10**5, 1 - 1e-9, 0.0),
    (1000, 0.5, 1.0),
]


@pytest.mark.slow
@for_each("count, participation, epsilon", ONCE)
def test_one_removal_is_that_of_the_closed_form(
    count: int, participation: float, epsilon: float
) -> None:
    truth = log_delta_at(Removal(count, participation), epsilon)
    low, high = Composition([(removal(count, participation), 1)]).log_delta_ends(epsilon)
    assert low - 1e-11 <= truth <= high + 1e-11
    assert high - low < 1e-3


MOVES = [
    (33, 33, P, 0.5),
    (1, 0, 0.4, 1.0),
    (2, 1, 0.4, 0.3),
    (400, 400, P, 0.5),
    (1000, 50, 0.3, 0.2),
]


@pytest.mark.parametrize(("origin", "target", "participation", "epsilon"), MOVES)
def test_one_replacement_is_that_of_the_closed_form(
    origin: int, target: int, participation: float, epsilon: float
) -> None:
    truth = log_delta_at(Replacement(origin, target, participation), epsilon)
    pairs = replacement(origin, target, participation)
    low, high = Composition([(pair, 1) for pair in pairs]).log_delta_ends(epsilon)
    assert low - 1e-11 <= truth <= high + 1e-11
    assert high - low < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.002, 0.005, 0.02])
def test_a_million_holders(epsilon: float) -> None:
    """δ of 1e-3, 1e-14 and 1e-134 by the closed form."""
    low, high = Composition([(removal(10**6, 0.4), 1)]).log_delta_ends(epsilon)
    truth = log_delta_at(Removal(10**6, 0.4), epsilon)
    assert low - 1e-9 <= truth <= high + 1e-9  # the closed form's own masses are right to 1e-11
    assert high - low < 1e-3


@for_each("count", [10, 1000, 10**7])
@for_each("participation", [1e-8, 1e-3, 0.3, 0.999, 1 - 1e-9])
def test_the_error_of_a_mass_is_below_its_bound(count: int, participation: float) -> None:
    before, ctx.prec = ctx.prec, 300
    try:
        law = removal(count, participation).forward
        assert isinstance(law, Losses)
        p = arb(participation)
        for place in range(0, len(law.losses), max(len(law.losses) // 20, 1)):
            # the loss is ln(Π (1 - p) / (Π - x))
            x = round(count - count * (1 - participation) * exp(-law.losses[place]))
            exact = arb(count + 1).lgamma() - arb(x + 1).lgamma() - arb(count - x + 1).lgamma()
            exact += x * p.log() + (count - x) * (1 - p).log()
            off = arb(float(law.log_masses[place])) - exact
            assert abs(float(off)) <= law.mass_error
    finally:
        ctx.prec = before


def binomial(count: int, chance: Fraction) -> list[Fraction]:
    return [comb(count, x) * chance**x * (1 - chance) ** (count - x) for x in range(count + 1)] + [
        Fraction(0)
    ] * 6


@cases(10)
@given(
    st.integers(1, 4), st.integers(0, 3), st.integers(1, 2), st.fractions(1, 8, max_denominator=9)
)
def test_several_collections_by_enumeration(
    origin: int, target: int, times: int, ratio: Fraction
) -> None:
    """A user moves, and every collection shows both counts; δ at ε = log ratio is exact."""
    chance = Fraction(3, 8)
    laws = [binomial(count, chance)[:5] for count in (origin, target, origin - 1, target + 1)]
    before = [a * b for a, b in product(laws[0], laws[1])]
    after = [a * b for a, b in product(laws[2], laws[3])]
    shown = [(a, b) for a, b in zip(before, after, strict=True) if a or b]
    joint = [
        (prod(a for a, _ in seen), prod(b for _, b in seen))
        for seen in product(shown, repeat=times)
    ]
    there, back = (
        sum(max(x - ratio * y, Fraction(0)) for x, y in pairs)
        for pairs in (joint, [(b, a) for a, b in joint])
    )
    views = [(pair, times) for pair in replacement(origin, target, float(chance))]
    found = Composition(views).delta(log(ratio))
    assert found.low <= float(max(there, back)) <= found.high


@pytest.mark.slow
@pytest.mark.parametrize("count", [1, 2, 50])
@pytest.mark.parametrize("participation", [1e-9, 0.5, 1 - 1e-9])
@pytest.mark.parametrize("delta", [1e-10, 1e-3])
def test_epsilon_comes_out_in_odd_places(count: int, participation: float, delta: float) -> None:
    """One atom holds nearly everything, or next to nothing, or infinite losses decide."""
    views = Composition([(removal(count, participation), 7)])
    found = views.epsilon(delta)
    assert 0 <= found.low <= found.high
    assert found.high == inf or views.delta(found.high).low <= delta


def test_repetition_costs() -> None:
    """More collections, more δ.

    And 100 collections of 400 holders are far from harmless at ε = 0.5.
    """
    deltas = [Composition([(removal(400, P), times)]).delta(0.5) for times in (1, 2, 10, 100)]
    assert all(a.high < b.low for a, b in pairwise(deltas))
    assert deltas[0].high < 1e-23
    assert deltas[-1].low > 1e-3


def test_certain_participation_is_seen_through() -> None:
    views = Composition([(removal(5, 1.0), 2)])
    assert views.delta(10.0).low > 1 - 1e-12
    assert views.epsilon(0.5).low == inf


@pytest.mark.parametrize(
    ("count", "participation", "what"),
    [
        (0, 0.5, "count is at least 1"),
        (5, 0.0, "participation is a probability"),
        (5, 1.1, "participation is a probability"),
        (5, float("nan"), "participation is a probability"),
        (10**10, 0.5, "count is at most 1000000000"),
    ],
)
def test_nonsense_is_refused(count: int, participation: float, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        removal(count, participation)


@pytest.mark.parametrize("count", [1.5, True])
def test_a_count_of_the_wrong_type_is_refused(count: Any) -> None:
    with pytest.raises(TypeError, match="count is a whole number"):
        removal(count, 0.5)
