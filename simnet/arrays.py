"""Names for the numpy arrays that the whole project speaks of, each declared once.

A type says what the numbers are; the shape is in the docstring of whoever takes or returns them.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]  # places in another array
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]  # of whatever type: as narrow as a field allows, for example
Words = npt.NDArray[np.uint64]  # 64 bits without a sign
