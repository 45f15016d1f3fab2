"""Integers and reals that count the operations done on them.

An opened field array, a received list of indices or a draw of reals is a numpy array like any
other; arithmetic on it is billed to the party that holds it: additions of integers as nA,
multiplications and divisions as RM.
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
    """A numpy array whose arithmetic is billed to `meter`; results carry the meter on."""

    meter: Meter | None

    @classmethod
    def of(cls, values: npt.ArrayLike, meter: Meter | None) -> Self:
        """A view of `values` that bills to `meter`."""
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
        """The numbers without the meter; shape as is."""
        return self.view(np.ndarray)


def _plain(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, Metered) else value


def _operation(ufunc: np.ufunc, inputs: tuple[Any, ...]) -> Operation | None:
    """Which operation a ufunc counts as.

    Sums of reals are not in the papers' tables, and go unbilled.
    """
    operation = _OPERATION.get(ufunc)
    if operation == "nA" and any(np.asarray(_plain(value)).dtype.kind == "f" for value in inputs):
        return None
    return operation


def _times(method: str, inputs: tuple[Any, ...], options: dict[str, Any], result: Any) -> int:
    """How often the operation was done: folding m numbers into one takes m - 1 of them."""
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
