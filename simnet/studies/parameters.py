"""Gives types to the parameters of a trial.

A store and a grid know parameters as names with values. A trial declares in a class which
parameters it takes::

    @attrs.frozen(kw_only=True)
    class Collection:
        users: int
        epsilon: float
        delta: float | None = None  # a parameter that some points of the grid lack

    @typed(Collection)
    def trial(collection: Collection, seed: int, data: Path | None) -> Numbers:
        ...

Then type checkers can check how a trial uses its parameters. A parameter that the class does not
have raises a `TypeError`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from simnet.studies.experiment import Parameters

C = TypeVar("C")
R = ParamSpec("R")
T = TypeVar("T")


def typed(
    kind: Callable[..., C],
) -> Callable[[Callable[Concatenate[C, R], T]], Callable[Concatenate[Parameters, R], T]]:
    """Turn a trial that takes an instance of a class into a trial that takes parameters by name.
    The other arguments stay the same.
    """

    def adapt(function: Callable[Concatenate[C, R], T]) -> Callable[Concatenate[Parameters, R], T]:
        @wraps(function)
        def adapted(parameters: Parameters, /, *args: R.args, **rest: R.kwargs) -> T:
            return function(kind(**parameters), *args, **rest)

        return adapted

    return adapt
