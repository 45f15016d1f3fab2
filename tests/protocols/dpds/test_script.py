"""DPDS: counts have the right law, shares tell nothing, and items are checked.

Properties of all protocols are tested in tests/contract.
"""

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from protocols.catalogue import about
from protocols.dpds.script import DPDS
from simnet import Run, ScriptError, run
from tests.harness.ideal import handed
from tests.harness.marks import long_but
from tests.harness.tape import Tape, tapes


@st.composite
def instances(draw: st.DrawFn) -> tuple[DPDS, list[int]]:
    items = draw(st.integers(1, 5))
    held = draw(st.lists(st.integers(1, items), min_size=2, max_size=12))
    return DPDS(len(held), items, draw(st.sampled_from([0.1, 0.5, 1.0]))), held


@given(instances(), st.integers(0, 100))
def test_the_estimate_is_the_scaled_sum_of_the_declared_secrets(
    instance: tuple[DPDS, list[int]], seed: int
) -> None:
    protocol, held = instance
    done = run(protocol, held, seed)
    responses = [secrets[0].numbers() for secrets in done.secrets.values()]
    assert len(responses) == protocol.users
    for item, response in zip(held, responses, strict=True):
        assert response.sum() <= 1
        assert response.sum() == response[item - 1]
    assert np.allclose(
        done.outputs["server"], sum(responses) / (protocol.participation * protocol.users)
    )


def test_everyone_takes_part_when_p_is_one() -> None:
    assert run(DPDS(4, 3, 1.0), [1, 1, 3, 1]).outputs["server"].tolist() == [0.75, 0, 0.25]


@pytest.mark.slow
@pytest.mark.parametrize("runs", long_but([1500, 4000], 1500))
def test_counts_follow_a_binomial_law(runs: int) -> None:
    """Chi-square over runs through the functionality; false alarm 1e-6 each, seeds fixed."""
    support, p = (9, 4), 0.3
    protocol = DPDS(13, 2, p)
    held = [1] * support[0] + [2] * support[1]
    counts: list[Counter[int]] = [Counter(), Counter()]
    for seed in range(runs):
        for item, count in enumerate(handed(protocol, held, seed)["server"].numbers().tolist()):
            counts[item][count] += 1
    for item in range(2):
        law = stats.binom(support[item], p)
        bins = [k for k in range(support[item] + 1) if runs * law.pmf(k) >= 5]
        seen = np.array([*(counts[item][k] for k in bins), 0])
        expected = np.array([*(runs * law.pmf(k) for k in bins), 0])
        seen[-1], expected[-1] = runs - seen.sum(), runs - expected.sum()
        keep = expected > 1e-9
        assert stats.chisquare(seen[keep], expected[keep]).pvalue > 1e-6


@pytest.mark.long
def test_intervals_cover_at_their_rate() -> None:
    """300 runs, 4 items; with coverage at least 95 %, a false alarm has probability below 1e-6."""
    protocol = DPDS(40, 4, 0.4)
    held = [1] * 20 + [2] * 12 + [3] * 7 + [4]
    support = np.bincount(held, minlength=5)[1:]
    covered = 0
    for seed in range(300):
        assessed = about(protocol).assess(run(protocol, held, seed), support)
        covered += int(((assessed.low <= assessed.truth) & (assessed.truth <= assessed.high)).sum())
    assert covered >= stats.binom(1200, 0.95).ppf(1e-6)


def view_laws(users: int, active: bool) -> tuple[Counter[Any], Counter[Any]]:
    """Return how often each view occurs over all tapes of DPDS with N = 1: for all users but the
    last, and for these users with the server.
    """
    of_users: Counter[Any] = Counter()
    with_server: Counter[Any] = Counter()
    protocol, last = DPDS(users, 1, 1.0), f"u{users}"
    corrupt = tuple(f"u{user}" for user in range(1, users))
    everybody = (*corrupt, "server")
    for tape in tapes(protocol.field.modulus, users, users - 1):
        done = run(protocol, [1] * users, observe=everybody, reading=Tape(tape, {last: active}))
        own = tuple(tape[name] for name in corrupt)
        of_users[own, received_by(done, corrupt)] += 1
        with_server[own, received_by(done, everybody)] += 1
    return of_users, with_server


def received_by(done: Run, coalition: tuple[str, ...]) -> Any:
    return tuple(
        (*message.place, *message.payload.numbers().ravel().tolist())
        for message in done.view(coalition).received
    )


# 9 and 15,625 tapes
@pytest.mark.parametrize("users", [2, pytest.param(3, marks=(pytest.mark.slow, pytest.mark.long))])
def test_all_users_but_one_see_whether_the_last_takes_part_only_with_the_server(users: int) -> None:
    """Exactly, over all tapes. A view blind to the last user would pass the first half alone."""
    takes_part, stays_away = view_laws(users, True), view_laws(users, False)
    assert takes_part[0] == stays_away[0]
    assert takes_part[1] != stays_away[1]


@pytest.mark.parametrize("item", [0, 4, -1])
def test_an_item_outside_the_domain_is_refused(item: int) -> None:
    with pytest.raises(
        ScriptError, match=rf"u2 in round 1: an item is a whole number in 1..3, got {item}"
    ):
        run(DPDS(3, 3, 1.0), [1, item, 2])


def test_the_field_is_the_smallest_that_cannot_wrap() -> None:
    assert [DPDS(n, 1, 0.5).field.modulus for n in (2, 3, 4, 100, 5000)] == [3, 5, 5, 101, 5003]


def test_large_blocks_and_small_ones_are_summed_alike() -> None:
    held = [1 + user % 3 for user in range(300)]
    counts = run(DPDS(300, 3, 1.0), held).outputs["server"] * 300
    assert np.rint(counts).tolist() == [100, 100, 100]


def test_every_tape_is_played() -> None:
    assert sum(1 for _ in tapes(3, 2, 1)) == len(list(product(range(3), repeat=2)))
