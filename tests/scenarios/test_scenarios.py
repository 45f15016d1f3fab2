"""Every scenario that is registered runs, and its bill and its error are as they should be."""

from math import isnan

import attrs
import numpy as np
import pytest

from simnet.coins.streams import Stream
from simnet.glossary import explained
from simnet.scenario.determinism import replicas, trace
from simnet.scenario.find import find, names
from simnet.scenario.perform import perform
from tests.harness.many_cases import for_each
from tests.harness.marks import slow_but


@for_each("name", names())
def test_a_scenario_runs_as_its_bill_says(name: str) -> None:
    _, scenario = find(name)
    small = attrs.evolve(scenario, users=60, items=5)
    result = perform(name, small, small.synthetic(60, 0), 0)
    assert all(row.holds for row in result.bill)
    assert all(explained(row.expectation.quantity) for row in result.bill)
    assert not result.run.ledger.unread()
    if not isnan(result.assessment.expected_squared_l2):  # of a model it is not known
        assert abs(result.assessment.deviations) < 6


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_but(names(), "dpds"))
def test_a_scenario_is_the_same_whatever_the_circumstances(name: str) -> None:
    sizes = find(name)[1].sizes
    settings = {size: value for size, value in (("users", "20"), ("items", "3")) if size in sizes}
    traces = replicas(name, settings, 0)
    assert len(traces) == 7
    assert len(set(traces.values())) == 1


def test_coins_that_are_no_function_of_the_seed_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fresh = iter(range(10**6))
    monkeypatch.setattr(Stream, "_source", lambda _: np.random.SFC64(next(fresh)))
    settings = {"users": "5", "items": "2", "participation": "1"}
    assert trace("dpds", settings, 0) != trace("dpds", settings, 0)


def test_the_first_scenario_is_there() -> None:
    assert "dpds" in names()


@pytest.mark.parametrize("name", ["weighted", "weighted_mean"])
def test_a_group_is_no_part_of_a_sorted_file(name: str) -> None:
    """Of 400 users sorted by what they hold, 100 to a group, every group has some of either half:
    by chance always.
    """
    _, scenario = find(name)
    people = scenario.synthetic(400, 0)
    ordered = people.sample(400, 0)
    ordered.inputs[:] = np.sort(people.inputs)
    inputs = perform(name, scenario, ordered, 0).run.inputs
    held = np.concatenate([np.atleast_1d(inputs[party]) for party in inputs])
    upper = (held > np.median(people.inputs)).reshape(4, 100).mean(axis=1)
    assert (abs(upper - 0.5) < 0.27).all()  # more than five deviations
    assert sorted(held) == sorted(people.inputs)
