"""Numpy arrays of integers and reals that count the arithmetic done on them.

A script gets the plain numbers that it receives or draws as a `Metered` array, for example indices
or reals. The party that holds such an array is billed for `+`, `-` and `sum` on integers (as nA)
and for `*`, `/` and `//` (as RM), but not for a change of sign, `@` and `**`. `simnet.values.meter`
explains the names nA and RM.

Example. If a party holds an array `x` of five integers, then `x + 1` is billed as five nA,
`x.sum()` as four nA, and `2.5 * x` as five RM.
"""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from simnet.arrays import Numbers
from simnet.values.meter import Meter, Operation

_OPERATION: dict[np.ufunc, Operation] = {
    np.add: "nA",
    np.subtract: "nA",
    np.multiply: "RM",
    np.divide: "RM",
    np.floor_divide: "RM",
}


class Metered(np.ndarray[Any, np.dtype[Any]]):
    """A numpy array whose arithmetic is billed to `meter`, as the module says. Results of billed
    operations have the same meter.
    """

    meter: Meter | None

    @classmethod
    def of(cls, values: npt.ArrayLike, meter: Meter | None) -> Self:
        """Return `values` as an array whose arithmetic is billed to `meter`."""
        array = np.asarray(values).view(cls)
        array.meter = meter
        return array

    def __array_finalize__(self, source: Any) -> None:
        self.meter = getattr(source, "meter", None)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if options.get("out") is not None:
            options["out"] = tuple(_plain(array) for array in options["out"])
        if "where" in options:
            options["where"] = _plain(options["where"])
        result = getattr(ufunc, method)(*(_plain(value) for value in inputs), **options)
        meter = next(
            (value.meter for value in inputs if isinstance(value, Metered) and value.meter), None
        )
        operation = _operation(ufunc, inputs)
        if meter and operation:
            meter.bill(operation, _times(method, inputs, options, result))
        return Metered.of(result, meter) if isinstance(result, np.ndarray | np.generic) else result

    @property
    def plain(self) -> Numbers:
        """The same numbers as a plain numpy array of the same shape, without a meter."""
        return self.view(np.ndarray)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Metered) else value


def _operation(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Operation | None:
    """Return the operation that a ufunc is billed as; None if it is not billed.

    The papers' tables do not count additions of reals, so these are not billed.
    """
    operation = _OPERATION.get(ufunc)
    if operation == "nA" and any(np.asarray(_plain(value)).dtype.kind == "f" for value in inputs):
        return None
    return operation


def _times(method: str, inputs: tuple[Any, ...], options: dict[str, Any], result: Any) -> int:
    """Return how many operations are billed."""
    array = np.asarray(_plain(inputs[0]))
    axis = options.get("axis") or 0
    match method:
        case "reduce":
            done = array.size - np.size(result)
        case "accumulate":
            done = array.size - array.size // max(array.shape[axis], 1)
        case "reduceat":
            beside = array.size // max(array.shape[axis], 1)
            done = (array.shape[axis] - int(np.min(inputs[1]))) * beside - np.size(result)
        case "at":
            done = np.size(array[inputs[1]])
        case _:
            done = np.size(result)
    return max(int(done), 0)
