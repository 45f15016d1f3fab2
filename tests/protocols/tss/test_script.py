"""TSS and TSS′: real outputs equal ideal ones, counts have the right law, elections are as
published, and edge cases are right.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from protocols.catalogue import about
from protocols.tss.enumerated import s2_enumerated
from protocols.tss.prime import TSSPrime, tss
from protocols.tss.script import TSS
from simnet import BadInput, ScriptError, run
from simnet.kernel.run import Run
from tests.harness.ideal import handed, users_with_inputs
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but

SHARINGS = ("additive", "shamir:1", "shamir:2", "shamir:3")


@st.composite
def instances(draw: st.DrawFn) -> tuple[TSS, list[int]]:
    items = draw(st.integers(1, 4))
    held = draw(st.lists(st.integers(1, items), min_size=2, max_size=7))
    bound = draw(st.none() | st.integers(0, len(held) - 1))
    return tss(
        users=len(held),
        items=items,
        participation=draw(st.sampled_from([0.3, 1.0])),
        reported=draw(st.integers(1, items)),
        gamma=draw(st.sampled_from([None, 2.0])),
        bound=bound,
        sharing=draw(st.sampled_from(SHARINGS)),
    ), held


def ideal_counts(protocol: TSS, held: Sequence[int], seed: int) -> np.ndarray[Any, Any]:
    """What the functionality hands S2: the count of each item."""
    return np.asarray(handed(protocol, held, seed)["S2"].numbers())


def ideal_estimate(protocol: TSS, held: Sequence[int], seed: int) -> np.ndarray[Any, Any]:
    return protocol.estimate(range(protocol.items), ideal_counts(protocol, held, seed))


def counted(done: Run) -> np.ndarray[Any, Any]:
    """The oracle: item by item, the answers of those who report on it, from the declared secrets
    and S1's sets.
    """
    answers = np.array([secrets[0].numbers() for secrets in done.secrets.values()])
    return np.asarray((answers * done.outputs["S1"][0]).sum(axis=0))


@given(instances(), st.integers(0, 1000))
def test_real_and_ideal_worlds_agree_on_the_same_coins(
    instance: tuple[TSS, list[int]], seed: int
) -> None:
    protocol, held = instance
    done = run(protocol, held, seed)
    assert ideal_counts(protocol, held, seed).tolist() == counted(done).tolist()
    assert np.array_equal(done.outputs["S2"], ideal_estimate(protocol, held, seed))


@given(instances(), st.integers(0, 1000))
def test_sets_have_k_items_and_elections_the_size_they_must(
    instance: tuple[TSS, list[int]], seed: int
) -> None:
    protocol, held = instance
    sets, elected = run(protocol, held, seed).outputs["S1"]
    assert sets.sum(axis=1).tolist() == [protocol.reported] * protocol.users
    chosen = [
        protocol.answer(item, user)[1].tolist()
        for user, item in users_with_inputs(protocol, held, seed)
    ]
    assert [np.flatnonzero(row).tolist() for row in sets] == chosen
    floor = protocol.bound + 1 if isinstance(protocol, TSSPrime) else 0
    for reporters, group in zip(sets.sum(axis=0), elected, strict=True):
        assert len(set(group.tolist())) == len(group) == max(floor, reporters)
        assert all(0 <= user < protocol.users for user in group)


@pytest.mark.slow
@pytest.mark.parametrize("runs", long_but([2000, 4000], 2000))
@pytest.mark.parametrize("gamma", long_but([None, 3.0], None))
def test_counts_follow_a_binomial_law(gamma: float | None, runs: int) -> None:
    """Chi-square over runs through the functionality, 3 items.

    False alarm 1e-6 each, seeds fixed.
    """
    support = (9, 4, 0)
    protocol = TSS(13, 3, 0.7, 2, gamma)
    chance = 0.7 * (2 / 3 if gamma is None else 2 * 3 / (2 * 3 + 1))
    assert float(protocol.chance) == pytest.approx(chance)
    held = [1] * support[0] + [2] * support[1]
    counts: list[Counter[int]] = [Counter(), Counter(), Counter()]
    for seed in range(runs):
        for item, count in enumerate(ideal_counts(protocol, held, seed).tolist()):
            counts[item][count] += 1
    assert counts[2] == {0: runs}  # an item nobody holds
    for item in range(2):
        law = runs * stats.binom(support[item], chance).pmf(np.arange(support[item] + 1))
        seen = np.array([counts[item][k] for k in range(support[item] + 1)])
        common = law >= 5
        seen, law = (
            np.append(seen[common], seen[~common].sum()),
            np.append(law[common], law[~common].sum()),
        )
        keep = law > 1e-9
        assert stats.chisquare(seen[keep], law[keep]).pvalue > 1e-6


EDGES: dict[str, tuple[TSS, list[int]]] = {
    "items without reporters": (TSS(2, 4, 1.0, 1), [1, 2]),  # at least two of the four
    "one reporter, or none or two": (TSS(2, 2, 1.0, 1, 2.0), [1, 2]),
    "k = N": (TSS(4, 3, 0.5, 3, 2.0), [1, 2, 3, 3]),
    "k = 1": (TSS(5, 3, 0.5, 1), [1, 2, 3, 3, 1]),
    "N = 1": (TSS(3, 1, 0.5, 1, 2.0), [1, 1, 1]),
    "φ + 1 = n": (TSSPrime(users=4, items=3, participation=0.5, reported=1, bound=3), [1, 2, 3, 3]),
    "φ + 1 = n, no reporters": (
        TSSPrime(users=2, items=4, participation=1.0, reported=1, bound=1),
        [1, 2],
    ),
    "φ = 0": (TSSPrime(users=3, items=4, participation=1.0, reported=1, bound=0), [1, 2, 2]),
    "an item nobody holds": (TSS(4, 3, 1.0, 2, 2.0), [1, 1, 2, 2]),
    "all hold one item": (TSS(6, 3, 1.0, 3, 2.0), [2] * 6),
    "p tiny": (TSS(3, 2, 1e-12, 1), [1, 2, 2]),
}


@pytest.mark.slow
@pytest.mark.parametrize("sharing", SHARINGS)
@pytest.mark.parametrize("edge", EDGES)
def test_edge_cases_run_and_are_right(edge: str, sharing: str) -> None:
    model, held = EDGES[edge]
    protocol = attrs.evolve(model, sharing=sharing)
    for seed in range(10):
        done = run(protocol, held, seed)
        assert np.allclose(
            done.outputs["S2"] * float(protocol.chance) * protocol.users, counted(done)
        )
        assert not done.ledger.unread()


@pytest.mark.slow
def test_the_edge_cases_occur() -> None:
    seen: dict[str, set[int]] = {edge: set() for edge in EDGES}
    for edge, (protocol, held) in EDGES.items():
        for seed in range(10):
            seen[edge] |= set(run(protocol, held, seed).outputs["S1"][0].sum(axis=0).tolist())
    assert 0 in seen["items without reporters"] & seen["φ + 1 = n, no reporters"]
    assert seen["one reporter, or none or two"] == {0, 1, 2}
    assert seen["k = N"] == {4}
    assert seen["N = 1"] == {3}


@for_each("bound", [None, 0, 2, 5])
@for_each("sharing", SHARINGS)
@for_each("gamma", [None, 2.0])
def test_it_is_exact_when_all_take_part_and_report_on_everything(
    bound: int | None, sharing: str, gamma: float | None
) -> None:
    protocol = tss(
        users=6, items=3, participation=1.0, reported=3, gamma=gamma, bound=bound, sharing=sharing
    )
    assert run(protocol, [1, 1, 3, 1, 3, 1]).outputs["S2"].tolist() == [4 / 6, 0, 2 / 6]
    assert about(protocol).expected_squared_l2 == 0


def test_reports_default_to_two_fifths_of_the_items() -> None:
    made = [tss(users=5, items=items, participation=0.5) for items in (1, 2, 12, 30)]
    assert [protocol.reported for protocol in made] == [1, 1, 5, 12]
    assert all(type(protocol) is TSS for protocol in made)


@pytest.mark.parametrize("item", [0, 4, -1, float("nan")])
def test_an_item_outside_the_domain_is_refused(item: Any) -> None:
    with pytest.raises(ScriptError, match=rf"u2 .*item .*1\.\.3, got {item}"):
        run(TSS(3, 3, 1.0, 1), [1, item, 2])


@pytest.mark.parametrize("item", [1.5, None, "1"])
def test_an_item_that_is_no_whole_number_is_refused_clearly(item: Any) -> None:
    with pytest.raises(ScriptError, match=r"u2 .*item"):
        run(TSS(3, 3, 1.0, 1), [1, item, 2])


@pytest.mark.parametrize("item", [0, 4])
def test_an_item_outside_the_domain_is_refused_even_from_a_user_who_takes_no_part(
    item: int,
) -> None:
    with pytest.raises(ScriptError, match=rf"u2 .*item .*1\.\.3, got {item}"):
        run(TSS(3, 3, 1e-12, 1), [1, item, 2])


def test_s2_is_not_enumerated_for_an_instance_that_is_not_tiny() -> None:
    with pytest.raises(BadInput, match="at most 9, got 20 users and 2 items"):
        s2_enumerated([10, 10], 0.5, 1, None, 1.0)
