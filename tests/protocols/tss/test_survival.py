"""How likely random colluders break a run of TSS: held against enumeration and simulation."""

import itertools
from fractions import Fraction
from math import comb, isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.tss.prime import tss
from protocols.tss.script import TSS
from protocols.tss.survival import broken
from tests.harness.fuzz import cases


def made(users: int, items: int, reported: int, phi: int, sharing: str) -> TSS:
    found = tss(
        users=users, items=items, participation=1.0, reported=reported, bound=phi, sharing=sharing
    )
    assert isinstance(found, TSS)
    return found


@st.composite
def instances(draw):
    users, items = draw(st.integers(2, 4)), draw(st.integers(1, 2))
    sharing = draw(st.sampled_from(["additive", "shamir:1", "shamir:2", "shamir:3"]))
    phi = draw(st.integers(0, users - 1))
    protocol = made(users, items, draw(st.integers(1, items)), phi, sharing)
    return protocol, draw(st.integers(0, users - 1))


def exact(protocol: TSS, colluders: int) -> tuple[Fraction, Fraction]:
    """The probabilities that item 1 is broken, and that some item is, by going through everything.

    Users 0 to c - 1 collude.
    """
    n, N, k = protocol.users, protocol.items, protocol.reported  # noqa: N806
    sets = list(itertools.combinations(range(N), k))
    first = some = Fraction(0)
    for chosen in itertools.product(sets, repeat=n):
        chances = []
        for item in range(N):
            reporters = [user for user, own in enumerate(chosen) if item in own]
            size = protocol.group_size(len(reporters))
            needed = protocol.sharing.needed(max(size, 1))
            inside = sum(
                comb(colluders, x) * comb(n - colluders, size - x)
                for x in range(needed, size + 1)
                if size - x <= n - colluders
            )
            honest = any(user >= colluders for user in reporters)
            chances.append(Fraction(inside, comb(n, size)) if honest else Fraction(0))
        first += chances[0]
        intact = Fraction(1)
        for chance in chances:
            intact *= 1 - chance
        some += 1 - intact
    return first / len(sets) ** n, some / len(sets) ** n


@cases(40)
@given(instances())
def test_bounds_enclose_what_an_enumeration_gives(instance: tuple[TSS, int]) -> None:
    protocol, colluders = instance
    found = broken(protocol, colluders)
    first, some = exact(protocol, colluders)
    assert isclose(found.items[0], first, rel_tol=1e-9, abs_tol=1e-12)
    assert found.lowest - 1e-12 <= some <= found.highest + 1e-12


@pytest.mark.parametrize(("reported", "phi", "colluders"), [(12, 0, 2), (12, 0, 100), (3, 40, 300)])
def test_unlikely_numbers_of_reporters_count_if_few_users_are_elected_then(
    reported: int, phi: int, colluders: int
) -> None:
    n, alpha = 1000, Fraction(reported, 30)
    chance = Fraction(0)
    for m in range(colluders + 1):
        size = max(phi + 1, m)
        opened = Fraction(comb(colluders, size), comb(n, size))
        honest = 1 - Fraction(comb(colluders, m), comb(n, m))
        chance += comb(n, m) * alpha**m * (1 - alpha) ** (n - m) * opened * honest
    found = broken(made(n, 30, reported, phi, "additive"), colluders)
    assert found.items[0] == pytest.approx(float(chance), rel=1e-9, abs=0)
    assert found.lowest <= found.highest == pytest.approx(30 * float(chance), rel=1e-9, abs=0)


@pytest.mark.parametrize("users", [50, 1000, 100_000])
def test_with_additive_sharing_only_the_number_of_honest_users_matters(users: int) -> None:
    for honest in (10, 20, 40):
        found = broken(made(users, 10, 4, 0, "additive"), users - honest)
        # (1 - α)^h that all elected collude; with about the same chance all reporters do, too
        opened = 0.6**honest
        assert found.items[0] == pytest.approx(opened * (1 - opened), rel=3 / users)


@pytest.mark.long
def test_simulated_elections_lie_within_the_bounds() -> None:
    """A false alarm has a chance below 1 in 10,000 for each setting."""
    rng = np.random.default_rng(5)
    trials = 20_000
    for protocol, colluders in (
        (made(30, 8, 3, 12, "additive"), 26),
        (made(20, 5, 2, 0, "additive"), 14),
        (made(24, 6, 2, 4, "shamir:4"), 5),
    ):
        n, N, k = protocol.users, protocol.items, protocol.reported  # noqa: N806
        hits = 0
        for _ in range(trials):
            reports = np.argsort(rng.random((n, N)), axis=1) < k
            for item in range(N):
                m = int(reports[:, item].sum())
                size = protocol.group_size(m)
                inside = int((rng.permutation(n)[:size] < colluders).sum())
                needed = protocol.sharing.needed(max(size, 1))
                if size and inside >= needed and reports[colluders:, item].any():
                    hits += 1
                    break
        share, found = hits / trials, broken(protocol, colluders)
        slack = 4 * (0.25 / trials) ** 0.5
        assert found.lowest - slack <= share <= found.highest + slack


@pytest.mark.parametrize("colluders", [-1, 5])
def test_impossible_numbers_of_colluders_are_refused(colluders: int) -> None:
    with pytest.raises(ValueError, match="from 0 to n - 1 = 4, got"):
        broken(made(5, 2, 1, 0, "additive"), colluders)
