"""Trials with typed parameters: parameters are given by name, and values that do not fit are
refused.
"""

from pathlib import Path

import attrs
import pytest

from simnet.studies.experiment import Experiment, Measurements
from simnet.studies.here import table_here
from simnet.studies.parameters import typed
from simnet.studies.table import Measure


@attrs.frozen(kw_only=True)
class Point:
    users: int
    delta: float | None = None


@typed(Point)
def trial(point: Point, seed: int, data: Path | None) -> Measurements:
    del seed, data
    return {"value": float(point.users if point.delta is None else 0)}


EXPERIMENT = Experiment(
    "Numbers of users",
    "nobody",
    trial,
    [{"users": [1, 2]}, {"users": [3], "delta": [0.5]}],
    [Measure("value")],
)


def test_a_point_of_the_grid_becomes_an_object() -> None:
    table = table_here(EXPERIMENT, "typed")
    assert [row["value"] for row in table.rows] == [1.0, 2.0, 0.0]
    assert trial.__name__ == "trial"
    assert trial.__module__ == __name__  # whose imports are the trial's


@pytest.mark.parametrize(
    ("parameters", "wrong"),
    [({"users": 1, "gamma": 2.0}, "gamma"), ({"delta": 1.0}, "users")],
)
def test_a_parameter_too_many_or_too_few_is_named(parameters: dict[str, float], wrong: str) -> None:
    with pytest.raises(TypeError, match=wrong):
        trial(parameters, 0, None)
