"""Weighted aggregation over local mechanisms (Yang et al., Fig. 5): weights, errors, verdicts,
truncated data.

Statistical tests have a false-alarm rate of 1e-6 or less each; seeds are fixed.
"""

from math import exp, sinh, tanh
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest, truncnorm

from protocols.catalogue import about
from protocols.dpds.script import DPDS
from protocols.mechanisms.named import FREQUENCY, NUMERIC
from protocols.weighted.groups import weighted, weighted_mean
from protocols.weighted.script import Weighted, WeightedGroup
from protocols.weighted.weights import METHODS
from simnet import run
from simnet.adversary.judge import verdict
from simnet.errors import BadInput
from simnet.scenario.find import find
from simnet.scenario.perform import perform
from simnet.scenario.synthetic import normal_numbers, uniform_items
from tests.harness.laws import output_law
from tests.harness.many_cases import for_each
from tests.harness.marks import long_but

SETTINGS = {
    "s1": (0.1, 0.4, 0.7, 1.0),
    "s2": (0.1, 0.1, 0.8, 1.0),
    "s3": (0.1, 0.1, 0.1, 1.0),
    "s4": (0.1, 0.8, 0.7, 1.0),
}
frequencies = for_each("protocol", FREQUENCY)
numbers = for_each("protocol", NUMERIC)
seatings = for_each("population", ["actors", "crowd", "aggregate"])


def frequency_groups(setting: str, **given: Any) -> Weighted:
    return weighted(
        **{"users": 10_000, "items": 30, "epsilons": ",".join(map(str, SETTINGS[setting])), **given}
    )


def mean_groups(setting: str, **given: Any) -> Weighted:
    texts = {"epsilons": ",".join(map(str, SETTINGS[setting])), "low": -4.0, "high": 4.0}
    return weighted_mean(**{"users": 10_000, **texts, **given})


def oue_squared_l2(epsilon: float, items: int) -> float:
    """N q (1 - q) / (p - q)² for those who do not hold the item, and p (1 - p) / (p - q)² for the
    one who does.
    """
    return (items - 1) / sinh(epsilon / 2) ** 2 + (1 / tanh(epsilon / 2)) ** 2


def grr_squared_l2(epsilon: float, items: int) -> float:
    p, q = exp(epsilon) / (exp(epsilon) + items - 1), 1 / (exp(epsilon) + items - 1)
    return (p * (1 - p) + (items - 1) * q * (1 - q)) / (p - q) ** 2


# weights


@pytest.mark.parametrize("setting", SETTINGS)
def test_variances_of_groups_are_those_of_one_user(setting: str) -> None:
    """V_j = n_j times the expected squared L2 error, written out here from p and q."""
    for protocol, squared in (("oue", oue_squared_l2), ("grr", grr_squared_l2)):
        expected = [squared(epsilon, 30) for epsilon in SETTINGS[setting]]
        assert frequency_groups(setting, protocol=protocol).variances == pytest.approx(expected)
    duchi = [16 / tanh(epsilon / 2) ** 2 for epsilon in SETTINGS[setting]]  # a unit is 4
    assert mean_groups(setting, protocol="duchi").variances == pytest.approx(duchi)


@for_each("setting", SETTINGS)
@for_each("protocol", [*FREQUENCY, *NUMERIC])
def test_weighing_by_variance_is_best(setting: str, protocol: str) -> None:
    make = frequency_groups if protocol in FREQUENCY else mean_groups
    found = {
        method: make(setting, protocol=protocol, method=method).expected_squared_l2
        for method in METHODS
    }
    best = make(setting, protocol=protocol)
    assert found["vwa"] == pytest.approx(
        1 / sum(n / v for n, v in zip(best.sizes, best.variances, strict=True))
    )
    assert found["owa"] == pytest.approx(found["vwa"], rel=1e-6)
    assert found["vwa"] < min(found["uwa"], found["cpa"])
    assert best.weights * best.variances == pytest.approx(
        np.full(4, best.weights[0] * best.variances[0])
    )


# runs


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "items"), long_but([("grr", 2), ("grr", 3), ("oue", 2)], ("grr", 2), ("grr", 3))
)
def test_the_deviation_is_that_of_all_reports(protocol: str, items: int) -> None:
    """Two groups, of two users and of one; every outcome of every coin is played."""
    made = weighted(
        users=3, items=items, epsilons="0.5,2", method="uwa", protocol=protocol, population="crowd"
    )
    held = [1, 2, items]
    law: Any = output_law(made, held)
    chances = np.array([float(chance) for chance in law.values()])
    assessed = about(made).assess(run(made, held, 1), np.bincount(held, minlength=items + 1)[1:])
    errors = np.sum((np.array(list(law)) - assessed.truth) ** 2, axis=1)
    mean = chances @ errors
    assert assessed.expected_squared_l2 == pytest.approx(mean, rel=1e-9)
    spread = np.sqrt(chances @ (errors - mean) ** 2)
    assert assessed.deviation_squared_l2 == pytest.approx(spread, rel=1e-9)


@seatings
@frequencies
def test_groups_with_local_frequencies_run_however_users_are_seated(
    protocol: str, population: Any
) -> None:
    made = weighted(users=11, items=3, epsilons="0.5,1,2", protocol=protocol, population=population)
    held = [1 + user % 3 for user in range(11)]
    done = run(made, held, 1)
    inside = [done.outputs[f"g{place}.server"] for place in (1, 2, 3)]
    assert done.outputs["server"] == pytest.approx(
        sum(s * one for s, one in zip(made.shares, inside, strict=True))
    )
    assessed = about(made).assess(done, np.bincount(held, minlength=4)[1:])
    assert assessed.expected_squared_l2 == pytest.approx(about(made).expected_squared_l2)
    assert done.ledger.total().messages == 11 + 3
    assert not done.ledger.unread()


@for_each("population", ["actors", "crowd"])
@numbers
def test_groups_with_local_means_run_however_users_are_seated(
    protocol: str, population: Any
) -> None:
    made = weighted_mean(
        users=11, epsilons="0.5,1,2", protocol=protocol, low=0.0, high=10.0, population=population
    )
    held = np.linspace(0, 10, 11)
    done = run(made, held, 1)
    inside = [done.outputs[f"g{place}.server"] for place in (1, 2, 3)]
    assert done.outputs["server"] == pytest.approx([made.shares @ np.array(inside)])
    assessed = about(made).assess(done, np.array([held.sum()]))
    assert assessed.truth == pytest.approx(
        [made.shares @ [held[:4].mean(), held[4:8].mean(), held[8:].mean()]]
    )
    assert assessed.expected_squared_l2 <= about(made).expected_squared_l2 * (
        1 + 1e-9
    )  # the weights' is the worst
    assert not done.ledger.unread()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "method"), long_but([("oue", "vwa"), ("grr", "uwa")], ("oue", "vwa"))
)
def test_the_error_of_frequencies_meets_its_expectation(protocol: str, method: Any) -> None:
    """100 runs; |z| < 5.5: false alarm about 4e-8."""
    made, held = (
        frequency_groups("s1", protocol=protocol, method=method, items=8),
        uniform_items(10_000, 8, 0),
    )
    assessed = [
        about(made).assess(run(made, held.inputs, seed), held.totals) for seed in range(100)
    ]
    errors = np.array([one.squared_l2 for one in assessed])
    assert abs(errors.mean() - about(made).expected_squared_l2) < 5.5 * errors.std() / 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("protocol", "target"),
    long_but(
        [("duchi", "distribution"), ("pm", "distribution"), ("pm", "population")],
        ("duchi", "distribution"),
    ),
)
def test_the_error_of_means_meets_its_expectation(protocol: str, target: Any) -> None:
    """225 runs on standard normal data; |z| < 5.5: false alarm about 4e-8."""
    made, people = (
        mean_groups("s1", protocol=protocol, users=2000, target=target),
        normal_numbers(2000, -4, 4, 0),
    )
    assessed = [
        about(made).assess(run(made, people.inputs, seed), people.totals) for seed in range(225)
    ]
    errors = np.array([one.squared_l2 for one in assessed])
    assert abs(errors.mean() - assessed[0].expected_squared_l2) < 5.5 * errors.std() / 15
    assert (
        assessed[0].expected_squared_l2 <= about(made).expected_squared_l2 * (1 + 1e-9)
        or target == "population"
    )


# what is learnt


@pytest.mark.slow
def test_the_server_sees_no_shares_and_the_largest_epsilon_is_stated() -> None:
    made = weighted(users=8, items=3, epsilons="0.5,2", protocol="oue", population="actors")
    done = run(made, [1, 2, 3, 1, 2, 3, 1, 2])
    for corrupt in (["server"], ["g2.server"], ["g1.server", "server"]):
        found = verdict(done, corrupt, about(made))
        assert found.finding == "no-shares"
        assert found.discrete.disclosure is not None
        assert found.discrete.disclosure.epsilon == pytest.approx(2)
    stated = about(made).privacy(done, np.array([3, 3, 2]), None, None)
    assert [(one.view[:2], one.epsilon) for one in stated] == [
        ("g1", pytest.approx(0.5)),
        ("g2", pytest.approx(2)),
    ]


def test_of_groups_that_share_secrets_nothing_is_stated() -> None:
    mixed = Weighted(
        (
            WeightedGroup(DPDS(3, 2, 0.5), about),
            *weighted(users=3, items=2, epsilons="1", protocol="oue").groups,
        )
    )
    assert about(mixed).disclosure({"estimate"}) is None
    done = run(mixed, {"g1.u1": 1, "g1.u2": 2, "g1.u3": 1, "g2.crowd": [1, 2, 2]})
    assert np.isfinite(done.outputs["server"]).all()
    made = weighted(users=3, items=2, epsilons="1", protocol="oue")
    assert about(made).disclosure({"unheard"}) is None


# standard normal data


def test_normal_data_are_truncated_to_the_declared_range_and_say_so() -> None:
    people = normal_numbers(50_000, -1.0, 2.0, 3)
    assert (
        people.source
        == "a synthetic standard normal population, truncated to -1..2 (81.8595% of the law)"
    )
    assert ((people.inputs >= -1) & (people.inputs <= 2)).all()
    assert kstest(people.inputs, truncnorm(-1, 2).cdf).pvalue > 1e-6
    assert kstest(people.inputs, truncnorm(-4, 4).cdf).pvalue < 1e-6


@pytest.mark.parametrize(
    ("users", "low", "high", "what"),
    [
        (0, -4, 4, "at least one user"),
        (5, 8, 9, "wider"),
        (5, 1, -1, "wider"),
        (5, np.nan, 1, "wider"),
    ],
)
def test_ranges_without_normal_data_are_refused(
    users: int, low: float, high: float, what: str
) -> None:
    with pytest.raises(BadInput, match=what):
        normal_numbers(users, low, high, 0)


def test_the_scenario_runs_on_normal_data() -> None:
    name, scenario = find("weighted_mean")
    made = scenario.with_settings({"users": "400", "protocol": "duchi"})
    result = perform(name, made, made.synthetic(400, 1), 1)
    assert "standard normal" in result.population.source
    assert abs(result.assessment.deviations) < 6


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"protocol": "oue"}, "protocol is hm or pm"),
        ({"low": 4.0, "high": 4.0}, "a range"),
        ({"epsilons": "0"}, "above|positive"),
    ],
)
def test_bad_parameters_are_refused(change: dict[str, Any], what: str) -> None:
    with pytest.raises(ValueError, match=what):
        mean_groups("s1", **change)
