"""Results in the form in which a store keeps them."""

from simnet.studies.experiment import Job, seed_of
from simnet.studies.store import Result, Versions

HERE = Versions("code", "data")


def result(trial: int, value: float = 1.5, point: str = '{"x":1}') -> Result:
    return Result(Job(point, trial, seed_of("e", point, trial)), {"value": value}, 0.25)
