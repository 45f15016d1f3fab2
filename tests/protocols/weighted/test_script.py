"""Weighted aggregation: Table II; each group runs as it would alone; the estimate is the weighted
mean of the groups.
"""

import functools
from itertools import pairwise, product
from math import exp, expm1
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols.catalogue import about
from protocols.dpdg.script import DPDG
from protocols.dpds.script import DPDS
from protocols.tss.prime import TSSPrime
from protocols.tss.script import TSS
from protocols.weighted.groups import weighted
from protocols.weighted.script import Weighted
from protocols.weighted.weights import METHODS, error, weights
from simnet import run
from simnet.stated.assessment import Assessment
from tests.harness.fuzz import cases
from tests.harness.ideal import handed
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but
from tests.harness.weighted import weighted_groups

Floats = np.ndarray[Any, np.dtype[np.float64]]

SETTINGS = {
    "s1": (0.1, 0.4, 0.7, 1.0),
    "s2": (0.1, 0.1, 0.8, 1.0),
    "s3": (0.1, 0.1, 0.1, 1.0),
    "s4": (0.1, 0.8, 0.7, 1.0),
}
TABLE_2 = {
    "s1": (0.0316, 0.1477, 0.3045, 0.5162),
    "s2": (0.0333, 0.0333, 0.3885, 0.5448),
    "s3": (0.0517, 0.0517, 0.0517, 0.8449),
    "s4": (0.0259, 0.3017, 0.2495, 0.4229),
}
ERRORS = {  # Δ in thousandths, spec 9.6 and 10
    "vwa": {"s1": 1.2015, "s2": 1.268, "s3": 1.967, "s4": 0.985},
    "owa": {"s1": 1.2015, "s2": 1.268, "s3": 1.967, "s4": 0.985},
    "uwa": {"s1": 3.277, "s2": 5.104, "s3": 7.277, "s4": 2.973},
    "cpa": {"s1": 9.508, "s2": 9.508, "s3": 9.508, "s4": 9.508},
}


def variances(epsilons: tuple[float, ...]) -> list[float]:
    return [1 / expm1(epsilon) for epsilon in epsilons]


def of_setting(setting: str, method: Any) -> Weighted:
    return weighted(
        users=1000, items=30, epsilons=",".join(map(str, SETTINGS[setting])), method=method
    )


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("method", ["vwa", "owa"])
def test_the_weights_are_those_of_table_2(setting: str, method: Any) -> None:
    for found in (
        weights(method, [250] * 4, variances(SETTINGS[setting])),
        of_setting(setting, method).weights,
    ):
        assert np.round(found, 4).tolist() == list(TABLE_2[setting])


@for_each("setting", SETTINGS)
@for_each("method", METHODS)
def test_the_errors_are_those_of_the_spec(setting: str, method: Any) -> None:
    protocol = of_setting(setting, method)
    assert protocol.sizes == [250] * 4
    assert about(protocol).expected_squared_l2 * 1000 == pytest.approx(
        ERRORS[method][setting], abs=0.6e-3
    )
    used = [min(SETTINGS[setting])] * 4 if method == "cpa" else SETTINGS[setting]
    assert protocol.variances == pytest.approx(variances(tuple(used)))
    groups: Any = [group.protocol for group in protocol.groups]
    assert [group.participation for group in groups] == pytest.approx(
        [1 - exp(-epsilon) for epsilon in used]
    )


groups_of = st.lists(st.tuples(st.integers(2, 2000), st.floats(0.05, 3)), min_size=1, max_size=6)


@pytest.mark.parametrize(
    "epsilons", [*SETTINGS.values(), (0.05, 3.0), (0.01, 0.5, 1.0, 5.0), (0.7,)], ids=str
)
def test_owa_is_vwa(epsilons: tuple[float, ...]) -> None:
    sizes, spread = [250] * len(epsilons), variances(epsilons)
    assert weights("owa", sizes, spread) == pytest.approx(weights("vwa", sizes, spread), abs=1e-6)


@cases(25)
@given(groups_of)
@example([(2, 0.9375), (2, 0.25), (740, 3.0)])
def test_owa_is_vwa_for_groups_of_any_sizes(groups: list[tuple[int, float]]) -> None:
    sizes, spread = [size for size, _ in groups], variances(tuple(epsilon for _, epsilon in groups))
    assert weights("owa", sizes, spread) == pytest.approx(weights("vwa", sizes, spread), abs=1e-6)


@given(groups_of)
def test_the_best_error_has_a_closed_form(groups: list[tuple[int, float]]) -> None:
    sizes, spread = [size for size, _ in groups], variances(tuple(epsilon for _, epsilon in groups))
    best = weights("vwa", sizes, spread)
    assert best.sum() == pytest.approx(1)
    assert best * np.array(spread) == pytest.approx(
        np.full(len(groups), best[0] * spread[0])
    )  # w_j in 1 / V_j
    assert error(best, sizes, spread) == pytest.approx(
        1 / sum(n / v for n, v in zip(sizes, spread, strict=True))
    )


@given(groups_of, st.data())
def test_no_weights_are_better_and_their_scale_does_not_matter(
    groups: list[tuple[int, float]], data: Any
) -> None:
    sizes, spread = [size for size, _ in groups], variances(tuple(epsilon for _, epsilon in groups))
    other = np.array(
        data.draw(st.lists(st.floats(0.01, 1), min_size=len(groups), max_size=len(groups)))
    )
    found = (
        sum(w**2 * n * v for w, n, v in zip(other, sizes, spread, strict=True))
        / (other @ np.array(sizes)) ** 2
    )
    assert error(other, sizes, spread) == pytest.approx(found)
    assert error(7 * other, sizes, spread) == pytest.approx(found)
    assert error(weights("vwa", sizes, spread), sizes, spread) <= found * (1 + 1e-12)


@pytest.mark.parametrize("method", ["uwa", "cpa"])
def test_uwa_and_cpa_weigh_all_users_alike(method: Any) -> None:
    assert weights(method, [2, 5, 9], [1.0, 2.0, 7.0]) == pytest.approx([1 / 3] * 3)


# Runs


@st.composite
def instances(draw: st.DrawFn) -> tuple[Weighted, list[int]]:
    items = draw(st.integers(1, 3))
    sharing = draw(st.sampled_from(["additive", "shamir:2"]))

    def group() -> Any:
        n, p = draw(st.integers(2, 4)), draw(st.sampled_from([0.3, 0.8]))
        k, gamma = draw(st.integers(1, items)), draw(st.sampled_from([None, 2.0]))
        return draw(
            st.sampled_from(
                [
                    DPDS(n, items, p, sharing),
                    TSS(n, items, p, k, gamma, sharing),
                    TSSPrime(
                        users=n,
                        items=items,
                        participation=p,
                        reported=k,
                        gamma=gamma,
                        sharing=sharing,
                        bound=1,
                    ),
                    DPDG(n, items, 0.5, 1e-5, 4, sharing=sharing),
                ]
            )
        )

    groups = tuple(group() for _ in range(draw(st.integers(1, 3))))
    users = sum(one.users for one in groups)
    held = draw(st.lists(st.integers(1, items), min_size=users, max_size=users))
    return Weighted(
        weighted_groups(groups),
        draw(st.sampled_from(METHODS)),
        draw(st.sampled_from(["distribution", "population"])),
    ), held


def estimates(protocol: Weighted, held: list[int], seed: int) -> list[Floats]:
    """Each group's estimate in the ideal world."""
    ideal = handed(protocol, held, seed)
    found = []
    for place, group in enumerate(protocol.groups, 1):
        sums = ideal[f"g{place}.{group.estimator}"]
        counts = sums.numbers(signed=isinstance(group.protocol, DPDG))
        inner: Any = group.protocol
        of_all_items = [range(inner.items)] if isinstance(inner, TSS) else []
        found.append(np.asarray(inner.estimate(*of_all_items, counts)))
    return found


@given(instances(), st.integers(0, 1000))
def test_real_and_ideal_worlds_agree_and_the_server_weighs_the_groups(
    instance: tuple[Weighted, list[int]], seed: int
) -> None:
    protocol, held = instance
    done, inside = run(protocol, held, seed), estimates(protocol, held, seed)
    for place, group in enumerate(protocol.groups, 1):
        assert np.array_equal(done.outputs[f"g{place}.{group.estimator}"], inside[place - 1])
    raw = protocol.weights * np.array([group.protocol.users for group in protocol.groups])
    assert protocol.shares == pytest.approx(raw / raw.sum())
    mean = sum(share * one for share, one in zip(raw / raw.sum(), inside, strict=True))
    assert done.outputs["server"] == pytest.approx(mean, rel=1e-12, abs=1e-12)
    assert not done.ledger.unread()


CASES = {
    "dpds": Weighted(weighted_groups([DPDS(6, 3, 0.3), DPDS(5, 3, 0.7), DPDS(4, 3, 0.5)])),
    "tss": Weighted(weighted_groups([TSS(6, 3, 0.5, 2, 2.0), TSS(5, 3, 0.9, 1)])),
    "mixed, uwa": Weighted(weighted_groups([DPDS(6, 3, 0.5), TSS(5, 3, 0.9, 2)]), "uwa"),
    "dpdg": Weighted(weighted_groups([DPDG(6, 3, 1.0, 0.3), DPDG(9, 3, 0.5, 0.3)])),
}


@functools.cache  # both targets have the same groups, and so the same estimates in them
def drawn_estimates(case: str, runs: int) -> Floats:
    """The groups' estimates, weighted and added up, of so many seeds."""
    protocol = Weighted(CASES[case].groups, CASES[case].method)
    return np.array(
        [
            sum(
                protocol.shares[g] * one
                for g, one in enumerate(estimates(protocol, held_by(protocol), seed))
            )
            for seed in range(runs)
        ]
    )


def held_by(protocol: Weighted) -> list[int]:
    return [1 + (user * user) % 7 % 3 for user in range(protocol.users)]


@pytest.mark.slow
@pytest.mark.parametrize("target", ["distribution", "population"])
@pytest.mark.parametrize("case", long_but(CASES, "dpds"))
def test_mean_and_error_of_the_estimate_meet_their_expectations(case: str, target: Any) -> None:
    """1,500 runs through the functionality; |z| < 5.5: false alarm about 4e-8 for each mean, below
    1e-6 together.
    """
    groups, runs = CASES[case].groups, 1500
    protocol = Weighted(groups, CASES[case].method, target)
    held = held_by(protocol)
    assessed: Assessment = about(protocol).assess(
        run(protocol, held), np.bincount(held, minlength=4)[1:]
    )
    shares, starts = protocol.shares, np.cumsum([0, *protocol.sizes])
    inside = [np.bincount(held[a:b], minlength=4)[1:] / (b - a) for a, b in pairwise(starts)]
    mixed = sum(share * one for share, one in zip(shares, inside, strict=True))
    truth = (
        mixed if target == "distribution" else np.bincount(held, minlength=4)[1:] / protocol.users
    )
    assert assessed.truth == pytest.approx(truth)
    drawn = drawn_estimates(case, runs)
    assert np.all(abs(drawn.mean(axis=0) - mixed) <= 5.5 * drawn.std(axis=0) / np.sqrt(runs))
    errors = ((drawn - truth) ** 2).sum(axis=1)
    assert abs(errors.mean() - assessed.expected_squared_l2) < 5.5 * errors.std() / np.sqrt(runs)
    noise = ((drawn - mixed) ** 2).sum(axis=1)
    assert abs(noise.mean() - about(protocol).expected_squared_l2) < 5.5 * noise.std() / np.sqrt(
        runs
    )
    if target == "distribution":
        assert assessed.expected_squared_l2 == pytest.approx(about(protocol).expected_squared_l2)
    elif protocol.method != "uwa":  # all users alike: the groups' mixture is the population
        assert assessed.expected_squared_l2 > about(protocol).expected_squared_l2 * 1.001


@pytest.mark.parametrize(
    ("chances", "target"),
    [((0.3, 0.8), "distribution"), ((0.1, 0.6), "distribution"), ((0.5, 0.5), "population")],
)
@pytest.mark.parametrize("method", ["vwa", "uwa"])
def test_the_deviation_is_that_of_all_samples(
    method: Any, chances: tuple[float, float], target: Any
) -> None:
    """With p = 1/2 the noise has no third moments, so the deviation is exact for both targets."""
    sizes, held = (2, 4), np.array([1, 1, 1, 2, 3, 3])
    protocol = Weighted(
        weighted_groups([DPDS(n, 3, p) for n, p in zip(sizes, chances, strict=True)]),
        method,
        target,
    )
    assessed = about(protocol).assess(
        run(protocol, held.tolist()), np.bincount(held, minlength=4)[1:]
    )
    of_user = np.repeat(chances, sizes)
    scale = np.repeat(protocol.shares / np.array(sizes), sizes) / of_user
    weights, errors = [], []
    for sample in map(np.array, product((0, 1), repeat=6)):
        weights.append(np.prod(np.where(sample, of_user, 1 - of_user)))
        estimate = np.bincount(held, sample * scale, minlength=4)[1:]
        errors.append(np.sum((estimate - assessed.truth) ** 2))
    mean = np.average(errors, weights=weights)
    spread = np.sqrt(np.average((np.array(errors) - mean) ** 2, weights=weights))
    assert assessed.expected_squared_l2 == pytest.approx(mean)
    assert assessed.deviation_squared_l2 == pytest.approx(spread, rel=1e-9)


@for_each("protocol", ["dpds", "tss", "dpdg", "grr", "oue"])
@for_each("items", [2, 3])
def test_one_group_has_the_deviation_that_its_protocol_states(protocol: str, items: int) -> None:
    made = weighted(users=9, items=items, epsilons="0.7", protocol=protocol)
    held = [1 + user * user % items for user in range(9)]
    done, totals = run(made, held, 1), np.bincount(held, minlength=items + 1)[1:]
    alone = made.groups[0].about.assess
    assert alone is not None
    assert about(made).assess(done, totals).deviation_squared_l2 == pytest.approx(
        alone(done.within("g1."), totals).deviation_squared_l2
    )


@for_each("kind", ["dpds", "tss", "dpdg"])
@for_each("method", METHODS)
def test_it_runs_over_every_protocol(kind: str, method: Any) -> None:
    protocol = weighted(
        users=11, items=3, epsilons="0.3,0.8,1", method=method, protocol=kind, reported=2
    )
    assert protocol.sizes == [4, 4, 3]
    assert {group.about.name for group in protocol.groups} == {kind}
    held = [1 + user % 3 for user in range(11)]
    assessed = about(protocol).assess(run(protocol, held), np.bincount(held, minlength=4)[1:])
    assert np.isfinite(assessed.estimate).all()
    assert assessed.estimate.shape == (3,)


def test_groups_have_the_sizes_and_reporting_sets_that_are_given() -> None:
    """Unequal n_j enter the weighted error; TSS has the default k and the γ of the scenario tss."""
    protocol = weighted(
        users=11, items=5, epsilons="0.5,1", protocol="tss", gamma=2.0, group_users="3,8"
    )
    assert protocol.sizes == [3, 8]
    for group in protocol.groups:
        assert isinstance(group.protocol, TSS)
        assert (group.protocol.reported, group.protocol.gamma) == (2, 2.0)
    by_share = weighted(users=11, items=5, epsilons="0.5,1", protocol="tss", alpha=0.6)
    assert {getattr(group.protocol, "reported", None) for group in by_share.groups} == {3}


def test_variances_of_gaussian_groups_depend_on_their_size() -> None:
    small, large = (
        Weighted(weighted_groups([DPDG(n, 5, 0.5, 1e-5)])).variances[0] for n in (100, 200)
    )
    assert small == pytest.approx(
        2 * large, rel=1e-4
    )  # V_j = n_j N V_G, V_G in proportion to 1 / n_j²


@pytest.mark.parametrize("method", METHODS)
def test_a_group_that_does_not_err_is_weighed(method: Any) -> None:
    """p = 1: no noise, V = 0; whoever weighs by it must not answer with NaN."""
    protocol = Weighted(weighted_groups([DPDS(3, 2, 0.5), DPDS(3, 2, 1.0)]), method)
    estimate = run(protocol, [1, 1, 2, 1, 2, 2]).outputs["server"]
    assert np.isfinite(estimate).all()
    if method in ("vwa", "owa"):
        assert estimate == pytest.approx([1 / 3, 2 / 3], abs=1e-3)
        assert about(protocol).expected_squared_l2 == pytest.approx(0, abs=1e-9)


def test_groups_that_do_not_err_are_averaged() -> None:
    protocol = Weighted(weighted_groups([DPDS(2, 2, 1.0), DPDS(2, 2, 1.0)]))
    assert run(protocol, [1, 2, 2, 2]).outputs["server"].tolist() == [0.25, 0.75]


GOOD: dict[str, Any] = {"users": 8, "items": 3, "epsilons": "0.1,0.5"}


@for_each(
    "change, what",
    [
        ({"epsilons": "0.1,0"}, "epsilons are positive finite numbers separated by commas"),
        ({"epsilons": "0.1,-1"}, "epsilons are positive finite numbers separated by commas"),
        ({"epsilons": "0.1,nan"}, "epsilons are positive finite numbers separated by commas"),
        ({"epsilons": "0.1,inf"}, "epsilons are positive finite numbers separated by commas"),
        # the variance of such a group would be infinite, and `owa` would search for ever
        ({"epsilons": "0.1,1e-320", "method": "owa"}, "epsilon is positive, from 1e-100"),
        ({"epsilons": ""}, "budgets|epsilons"),
        ({"epsilons": "0.1;0.5"}, "budgets|epsilons"),
        ({"users": 3}, "each group has at least 2 users: got a group of 1"),
        ({"items": 0}, "at least 1 item"),
        ({"method": "best"}, "method is vwa or owa or uwa or cpa, got 'best'"),
        ({"target": "truth"}, "target is distribution or population, got 'truth'"),
        (
            {"protocol": "rappor"},
            "protocol is dpds or tss or dpdg or oue or sue or grr or olh or hadamard, got 'rappor'",
        ),
        ({"protocol": "tss", "reported": 4}, "1 to 3 items"),
        ({"protocol": "tss", "alpha": 0.4}, "as with alpha=0.3333; alpha=0.4 gives 1.2"),
        ({"protocol": "tss", "alpha": 1 / 3, "reported": 1}, "not both"),
        ({"protocol": "tss", "gamma": 1.0}, "gamma"),
        ({"group_users": "4,5"}, "add up to 9, but users is 8"),
        ({"group_users": "8"}, "the number of sizes is 1, and that of epsilons is 2"),
        ({"users": 1}, "users must be at least the number of groups, 2: got users=1"),
        ({"group_users": "8,0"}, "sizes of groups are whole numbers above 0"),
        ({"group_users": "a,b"}, "sizes of groups are whole numbers above 0"),
        ({"protocol": "dpdg", "delta": 0.0}, "delta lies between 0 and 1"),
        ({"protocol": "dpdg", "epsilons": "0.5,2"}, "classic calibration"),
        ({"protocol": "dpds", "delta": -1.0}, "delta lies between 0 and 1"),
        ({"protocol": "dpds", "reported": 4}, "1 to 3 items"),
        ({"protocol": "dpds", "gamma": 1.0}, "gamma"),
        ({"protocol": "dpds", "population": "town"}, "population is actors"),
    ],
)
def test_bad_parameters_are_refused(change: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        weighted(**GOOD | change)


def test_groups_must_have_the_same_items() -> None:
    for groups in ((), (DPDS(3, 2, 0.5), DPDS(3, 3, 0.5))):
        with pytest.raises(
            ValueError, match="at least one group, and all groups need the same number of items"
        ):
            Weighted(weighted_groups(groups))


@pytest.mark.parametrize(
    ("sizes", "spread"),
    [([1, 1], [1, float("inf")]), ([1, 1], [1, -1]), ([1, 1], [1, 1e200]), ([0, 1], [1, 1])],
)
def test_owa_refuses_numbers_with_which_its_search_would_not_end(
    sizes: list[int], spread: list[float]
) -> None:
    with pytest.raises(ValueError, match=r"a group|variance"):
        weights("owa", sizes, spread)


def test_a_tiny_variance_does_not_overflow() -> None:
    assert weights("vwa", [1, 1], [1e-320, 1e-320]).tolist() == [0.5, 0.5]
    assert weights("vwa", [1, 2], [1e-310, 1.0]) == pytest.approx([1, 0])
