"""Shamir's sharing: any t reports recover the sum, t - 1 shares tell nothing, and the protocols run
with it.
"""

from collections import Counter
from itertools import combinations, product
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.dpds.script import DPDS
from protocols.sharing.schemes import (
    Additive,
    Shamir,
    ShamirPercent,
    lagrange_at_zero,
    sharing_named,
)
from simnet import Field, constant, run
from simnet.coins.sampled import SampledCoins
from simnet.values.meter import Meter
from tests.harness.many_cases import for_each
from tests.harness.tape import TapeCoins

LARGE = Field.above(1 << 61)


@given(
    st.integers(1, 5),
    st.integers(1, 6),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=4),
    st.sampled_from([Field(7), Field(101), Field.above(1 << 32), LARGE]),
)
def test_any_t_reports_recover_the_sum(
    threshold: int, parties: int, values: list[int], field: Field
) -> None:
    sharing = Shamir(threshold)
    secrets = [constant(field, [value, 2 * value]) for value in values]
    blocks = [
        sharing.share(secret, parties, SampledCoins(0, f"u{user}")).evaluate()
        for user, secret in enumerate(secrets)
    ]
    partials, total = blocks[0], secrets[0]
    for block, secret in zip(blocks[1:], secrets[1:], strict=True):
        partials, total = partials + block, total + secret
    assert partials.shape == (parties, 2)
    for some in combinations(range(parties), min(threshold, parties)):
        reports = [partials[j] for j in some]
        points = [j + 1 for j in some]
        assert sharing.interpolate(reports, points) == total
        assert sharing.interpolate(reports[::-1], points[::-1]) == total
    assert (
        sharing.interpolate([partials[j] for j in range(parties)], range(1, parties + 1)) == total
    )


@given(st.data(), st.sampled_from([2, 3, 7, 101, LARGE.modulus]))
def test_lagrange_weights_give_every_polynomial_at_zero(data: st.DataObject, modulus: int) -> None:
    points = data.draw(
        st.lists(st.integers(1, modulus - 1), min_size=1, max_size=min(5, modulus - 1), unique=True)
    )
    terms = st.integers(0, modulus - 1)
    coefficients = data.draw(st.lists(terms, min_size=1, max_size=len(points)))
    values = [sum(c * x**e for e, c in enumerate(coefficients)) for x in points]
    weights = lagrange_at_zero(points, modulus).tolist()
    assert (
        sum(w * value for w, value in zip(weights, values, strict=True)) % modulus
        == coefficients[0]
    )


def laws(
    q: int, parties: int, threshold: int, seen_by: tuple[int, ...]
) -> list[Counter[tuple[int, ...]]]:
    """For every secret of F_q, how often some parties see each tuple of shares, over all tapes."""
    found = []
    for value in range(q):
        law: Counter[tuple[int, ...]] = Counter()
        for tape in product(range(q), repeat=threshold - 1):
            coins: Any = TapeCoins(iter(tape), True)
            rows = Shamir(threshold).share(constant(Field(q), [value]), parties, coins).evaluate()
            law[tuple(rows.numbers()[list(seen_by), 0].tolist())] += 1
        found.append(law)
    return found


SIZES = [(3, 2, 2), (5, 3, 2), (5, 4, 3), (5, 3, 3), (7, 4, 3)]
sizes = pytest.mark.parametrize(("q", "parties", "threshold"), SIZES)


@sizes
def test_fewer_than_t_shares_are_uniform_and_independent_of_the_secret(
    q: int, parties: int, threshold: int
) -> None:
    """Exactly: any t - 1 take every tuple of values equally often, whatever the secret."""
    for seen_by in combinations(range(parties), threshold - 1):
        uniform = Counter(product(range(q), repeat=threshold - 1))
        assert laws(q, parties, threshold, seen_by) == [uniform] * q


@sizes
def test_t_shares_determine_the_secret(q: int, parties: int, threshold: int) -> None:
    for seen_by in combinations(
        range(parties), threshold
    ):  # a law blind to the secret would pass the test above
        assert all(
            not set(a) & set(b) for a, b in combinations(laws(q, parties, threshold, seen_by), 2)
        )


@given(st.integers(1, 4), st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(0, 99))
def test_many_secrets_are_shared_one_by_one(threshold: int, parties: list[int], seed: int) -> None:
    field = Field(11)
    secrets = constant(field, [3 * k % 11 for k in range(len(parties))])
    for sharing in (Shamir(threshold), Additive()):
        block = sharing.share_each(secrets, parties, SampledCoins(seed, "u1")).evaluate()
        assert block.shape == (sum(parties),)
        stop = 0
        for k, count in enumerate(parties):
            start, stop = stop, stop + count
            if isinstance(sharing, Additive):
                assert block[start:stop].sum() == secrets[k]
                continue
            for some in combinations(range(count), min(threshold, count)):
                reports = [block[start + j] for j in some]
                assert sharing.interpolate(reports, [j + 1 for j in some]) == secrets[k]


def test_secrets_of_one_user_are_masked_independently() -> None:
    """Exactly, over all tapes: of two secrets shared at once, one share each says nothing about
    either.
    """
    views = set()
    for values in product(range(3), repeat=2):
        seen: Counter[tuple[int, ...]] = Counter()
        for tape in product(range(3), repeat=2):
            coins: Any = TapeCoins(iter(tape), True)
            block = Shamir(2).share_each(constant(Field(3), values), [2, 2], coins).evaluate()
            seen[tuple(block.numbers()[[0, 3]].tolist())] += 1
        views.add(frozenset(seen.items()))
    assert len(views) == 1


@for_each("sharing", [Additive(), Shamir(1), Shamir(2), Shamir(3), Shamir(9)])
@for_each("parties", [1, 2, 3, 6])
def test_it_costs_what_it_says(sharing: Any, parties: int) -> None:
    for block in ("share", "share_each"):
        meter = Meter()
        secret = constant(Field(101), [7, 8, 9]).metered(meter)
        coins = SampledCoins(0, "u1", meter)
        counts = parties if block == "share" else [parties] * 3
        getattr(sharing, block)(secret, counts, coins).evaluate()
        cost = sharing.share_cost(parties)
        said = {"FS": 3 * cost.draws, "FA": 3 * cost.additions, "FM": 3 * cost.products}
        assert {kind: count for kind, count in meter.counts.items() if count} == {
            k: c for k, c in said.items() if c
        }


@for_each("sharing", [Additive(), Shamir(1), Shamir(3), ShamirPercent(60)])
def test_costs_for_an_array_are_those_for_its_numbers(sharing: Any) -> None:
    for costs in (sharing.share_cost, sharing.recovery_cost):
        each = [attrs.astuple(costs(parties)) for parties in range(1, 9)]
        together = np.broadcast_arrays(np.arange(1.0, 9), *attrs.astuple(costs(np.arange(1.0, 9))))
        assert np.array(together[1:]).T.tolist() == [list(map(float, one)) for one in each]


@pytest.mark.parametrize("parties", [3, 4, 9])
def test_a_field_without_enough_points_is_refused(parties: int) -> None:
    with pytest.raises(
        ValueError, match=rf"F_3 has fewer than {parties} points .*needs a larger field"
    ):
        Shamir(2).share(constant(Field(3), [1]), parties, SampledCoins(0, "u1"))
    assert Shamir(2).share(constant(Field(3), [1]), 2, SampledCoins(0, "u1")).shape == (2, 1)


@pytest.mark.parametrize("threshold", [0, -1])
def test_a_threshold_below_one_is_refused(threshold: int) -> None:
    with pytest.raises(ValueError, match=rf"threshold is at least 1, got {threshold}"):
        Shamir(threshold)


@pytest.mark.parametrize("threshold", [3, 4, 50])
def test_a_threshold_above_the_parties_needs_them_all(threshold: int) -> None:
    field = Field(5)
    for value in range(5):
        block = (
            Shamir(threshold)
            .share(constant(field, [value]), 3, SampledCoins(value, "u1"))
            .evaluate()
        )
        assert Shamir(threshold).interpolate([block[j] for j in range(3)], (1, 2, 3)) == constant(
            field, [value]
        )
    assert run(DPDS(3, 2, 1.0, Shamir(threshold)), [1, 2, 2]).outputs["server"].tolist() == [
        1 / 3,
        2 / 3,
    ]


@pytest.mark.parametrize(("text", "sharing"), [("additive", Additive()), ("shamir:3", Shamir(3))])
def test_sharings_have_names(text: str, sharing: Any) -> None:
    assert sharing_named(text) == sharing
    assert str(sharing) == text
    assert sharing_named(sharing) is sharing


@pytest.mark.parametrize(
    "text",
    [
        "",
        "additive:",
        "additive:2",
        "shamir",
        "shamir:",
        "shamir:x",
        "shamir:-1",
        "shamir:1.5",
        "none",
    ],
)
def test_other_names_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="sharing is 'additive' or 'shamir:t'"):
        DPDS(3, 2, 1.0, text)


def test_only_t_reports_are_used() -> None:
    """Reports beyond the first t may be anything."""
    field, sharing = Field(11), Shamir(2)
    block = sharing.share(constant(field, [4, 5]), 4, SampledCoins(0, "u1")).evaluate()
    junk = constant(field, [9, 9])
    assert sharing.interpolate([block[2], block[0], junk, junk], [3, 1, 2, 4]) == constant(
        field, [4, 5]
    )
    assert np.array_equal(lagrange_at_zero([3, 1], 11), lagrange_at_zero([1, 3], 11)[::-1])
