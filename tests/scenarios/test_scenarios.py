"""Every scenario that is registered runs, and its bill and its error are as they should be."""

import json
import os
import subprocess
import sys
from math import isnan

import attrs
import numpy as np
import pytest

from simnet.coins.streams import Stream
from simnet.glossary import explained
from simnet.kernel.schedule import Shuffled
from simnet.scenario.determinism import HASH_SEEDS, REPLICAS, replicas, trace
from simnet.scenario.find import find, names
from simnet.scenario.perform import perform
from tests.harness.many_cases import for_each

# The scenario `multiplication` has no bill by formula, and its output is no estimate.
BILLED = [name for name in names() if name != "multiplication"]


@pytest.mark.slow
@for_each("name", BILLED)
def test_a_scenario_runs_as_its_bill_says(name: str) -> None:
    _, scenario = find(name)
    small = attrs.evolve(scenario, users=60, items=5)
    result = perform(name, small, small.synthetic(60, 0), 0)
    assert all(row.holds for row in result.bill)
    assert all(explained(row.expectation.quantity) for row in result.bill)
    assert not result.run.ledger.unread()
    if not isnan(result.assessment.expected_squared_l2):  # of a model it is not known
        assert abs(result.assessment.deviations) < 6


def small(name: str) -> dict[str, str]:
    """Settings with which a run of the scenario is short."""
    sizes = find(name)[1].sizes
    return {size: value for size, value in (("users", "20"), ("items", "3")) if size in sizes}


@pytest.mark.slow
def test_dpds_is_the_same_whatever_the_circumstances() -> None:
    _, traces = replicas("dpds", small("dpds"), 0)
    assert len(traces) == REPLICAS
    assert len(set(traces.values())) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_a_scenario_is_the_same_whatever_the_schedule_and_the_number_of_threads(name: str) -> None:
    ordinary = trace(name, small(name), 0)
    assert trace(name, small(name), 0, schedule=Shuffled(1)) == ordinary
    assert trace(name, small(name), 0, threads=1) == ordinary
    assert trace(name, small(name), 0, threads=3) == ordinary


TRACES = """
import json, sys
import attrs
from simnet.scenario.determinism import trace
print(json.dumps([attrs.astuple(trace(*asked)) for asked in json.loads(sys.argv[1])]))
"""


@pytest.mark.slow  # two new processes
def test_every_scenario_is_the_same_whatever_the_hash_seed() -> None:
    asked = [[name, small(name), 0] for name in names()]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", TRACES, json.dumps(asked)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
        )
        for seed in HASH_SEEDS
    ]
    first, *others = [json.loads(process.communicate()[0]) for process in started]
    assert len(first) == len(names())
    for other in others:
        assert {
            name for name, one, two in zip(names(), first, other, strict=True) if one != two
        } == set()


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
