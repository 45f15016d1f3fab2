"""The probability that a run completes: against runs in which users drop out at every place."""

import itertools
from collections.abc import Sequence
from math import isclose

import numpy as np
import pytest

from protocols import DPDG, DPDS, TSS, SecAgg, SecAggPlus
from protocols.committee.script import Committee, RobustDPDS
from protocols.local_frequency.script import local_frequency
from protocols.local_mean.script import local_mean
from protocols.privacy.completion import (
    STEPS,
    Deployment,
    completes_on_a_circle,
    completions,
    on_a_circle,
)
from protocols.privacy.completion_drawing import completion_figure
from protocols.secagg.coalitions import rings
from simnet import Fate, run, sends
from simnet.contract import Protocol
from tests.harness.secagg_prediction import question

RATE, MEMBER_RATE = 0.3, 0.2


def chance_of_a_result(protocol: Protocol, inputs: Sequence[int], rates: dict[str, float]) -> float:
    """The probability of a result, from a run for each way to drop out before some message.

    A party that drops out is equally likely to do so before each of its messages.
    """
    sent = {name: own for name, own in sends(protocol, inputs).items() if name[0] in rates}
    total = 0.0
    for places in itertools.product(*(range(len(own) + 1) for own in sent.values())):
        chance, fates = 1.0, {}
        for place, (name, own) in zip(places, sent.items(), strict=True):
            rate = rates[name[0]]
            chance *= 1 - rate if place == len(own) else rate / len(own)
            if place < len(own):
                fates[name] = Fate(own[place].tag, own[place].place)
        total += chance * (run(protocol, inputs, fates=fates).outcome == "result")
    return total


def stated(protocol: str, **settings: float) -> float:
    deployment = Deployment(**{"threshold": 2, "member_rate": MEMBER_RATE, **settings})
    found = {option.protocol: option for option in completions(deployment, RATE)}[protocol]
    assert found.exact
    assert isclose(found.lowest + found.most_aborts, 1)
    return found.lowest


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "protocol", "settings"),
    [
        ("dpds", DPDS(3, 2, 1.0), {}),
        ("dpdg", DPDG(3, 2, 0.5, 1e-5), {}),
        ("tss", TSS(3, 2, 1.0, 2), {}),
        ("dpds_robust", RobustDPDS(3, 2, 1.0, sharing="shamir:2"), {}),
        ("committee", Committee(2, 2, 1.0, 3, "shamir:2"), {}),
        ("committee", Committee(2, 1, 1.0, 2, "additive"), {"members": 2}),
        ("secagg", SecAgg(question(3), 2), {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_laws_are_those_of_runs_with_every_fate(name, protocol, settings) -> None:
    inputs = [1] * protocol.users
    runs = chance_of_a_result(protocol, inputs, {"u": RATE, "c": MEMBER_RATE})
    assert isclose(runs, stated(name, users=protocol.users, **settings), rel_tol=1e-9)


def test_one_report_of_a_local_mechanism_is_enough() -> None:
    for protocol in (local_frequency(users=4, items=2), local_mean(users=4)):
        runs = chance_of_a_result(protocol, [1] * 4, {"u": RATE})
        assert isclose(runs, stated("local mechanisms", users=4), rel_tol=1e-9)


@pytest.mark.slow
def test_runs_of_secagg_plus_complete_as_the_circle_says() -> None:
    rng = np.random.default_rng(3)
    outcomes = set()
    for _ in range(40):
        n, degree = [(6, 2), (7, 4), (8, 4)][rng.integers(3)]
        t = int(rng.integers(2, degree + 1))
        leaves = rng.choice(5, n, p=[0.06, 0.06, 0.06, 0.06, 0.76])
        fates = {f"u{u + 1}": Fate(STEPS[at]) for u, at in enumerate(leaves) if at < len(STEPS)}
        done = run(SecAggPlus(question(n), t, degree=degree), [1] * n, 5, fates=fates)
        circle = leaves[_order(n, degree)]
        assert (done.outcome == "result") == completes_on_a_circle(circle[None], degree, t)[0]
        outcomes.add(done.outcome)
    assert outcomes == {"result", "aborted"}


def _order(n: int, degree: int) -> list[int]:
    """The users in the order of the circle of seed 5, found by walking from neighbour to neighbour:
    the next user shares the most neighbours with the last one.
    """
    near = rings(run(SecAggPlus(question(n), 2, degree=degree), [1] * n, 5))
    groups = {name: {name, *ring} for name, ring in near.items()}
    for order in itertools.permutations(sorted(groups)[1:]):
        names = [min(groups), *order]
        if all(
            groups[name]
            == {names[(at + step) % n] for step in range(-degree // 2, degree // 2 + 1)}
            for at, name in enumerate(names)
        ):
            return [int(name[1:]) - 1 for name in names]
    raise AssertionError("these are no neighbours on a circle")


def every_way_to_leave(n: int) -> np.ndarray:
    return np.array(list(itertools.product(range(len(STEPS) + 1), repeat=n)), dtype=np.int8)


@pytest.mark.parametrize(("n", "degree", "t"), [(6, 2, 2), (6, 4, 3), (5, 4, 3)])
def test_bounds_and_simulation_enclose_the_law_of_a_small_circle(n, degree, t) -> None:
    leaves = every_way_to_leave(n)
    chances = np.prod(np.where(leaves == 4, 1 - RATE, RATE / 4), axis=1)
    exact = float(chances @ completes_on_a_circle(leaves, degree, t))
    found = on_a_circle(n, degree, t, RATE, runs=2000)
    if degree == n - 1:  # one group
        assert found.exact
        assert isclose(found.lowest, exact)
        return
    assert found.lowest <= exact <= found.highest
    assert found.simulated is not None
    assert found.simulated.low <= exact <= found.simulated.high


def test_simulations_of_a_large_circle_lie_between_the_bounds() -> None:
    for rate in (0.2, 0.25, 0.3, 0.35):
        found = on_a_circle(1000, 52, 28, rate, runs=300, seed=2)
        assert found.simulated is not None
        assert found.simulated.high >= found.lowest
        assert found.simulated.low <= found.highest
        assert found.lowest < found.highest


@pytest.mark.parametrize("rate", [0.0, 1e-9, 0.1, 0.5, 1.0])
def test_probabilities_are_probabilities_at_every_rate(rate) -> None:
    deployment = Deployment(
        100, 67, degree=16, neighbour_threshold=6, members=5, member_threshold=3, member_rate=rate
    )
    for option in completions(deployment, rate, runs=10):
        assert 0 <= option.lowest <= option.highest <= 1
        assert isclose(option.lowest + option.most_aborts, 1)
        if rate in (0, 1):
            assert option.lowest == option.highest == 1 - rate


def test_small_probabilities_of_an_abort_are_not_rounded_away() -> None:
    found = {option.protocol: option for option in completions(Deployment(100, 20), 0.1)}
    assert 0 < found["secagg"].most_aborts < 1e-50
    assert found["local mechanisms"].most_aborts == pytest.approx(1e-100)


def test_bounds_that_rounding_makes_equal_are_not_called_exact() -> None:
    found = on_a_circle(1000, 100, 2, 0.01)
    assert found.lowest == found.highest == 1
    assert 0 < found.most_aborts < 1e-190
    assert not found.exact
    for rate in (0.0, 1.0):
        found = on_a_circle(1000, 100, 2, rate, runs=10)
        assert found.exact
        assert found.lowest == found.highest == 1 - rate
        assert found.simulated is None  # the command would say that no exact law is known


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"users": 1}, "users is at least 2"),
        ({"threshold": 11}, "threshold is at most 10"),
        ({"degree": 4}, "or neither"),
        ({"degree": 3, "neighbour_threshold": 2}, "even"),
        ({"degree": 4, "neighbour_threshold": 6}, "at most 5"),
        ({"degree": 10, "neighbour_threshold": 3}, "degree is at most 9"),
        ({"member_threshold": 4}, "member_threshold is at most 3"),
        ({"member_rate": 1.5}, "probability"),
    ],
)
def test_deployments_out_of_range_are_refused(change, message) -> None:
    with pytest.raises(ValueError, match=message):
        Deployment(**{"users": 10, "threshold": 5, **change})


def test_a_rate_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="rate is a probability"):
        completions(Deployment(10, 5), -0.1)
    for rate in (5.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="rate is a probability"):
            completion_figure(Deployment(10, 5), rate)


def test_a_negative_number_of_runs_is_refused() -> None:
    deployment = Deployment(100, 60, degree=10, neighbour_threshold=6)
    with pytest.raises(ValueError, match="runs is at least 0"):
        completions(deployment, 0.1, runs=-1)
    with pytest.raises(ValueError, match="runs is at least 0"):
        on_a_circle(100, 10, 6, 0.1, runs=-1)
