"""Names for the types of numpy arrays that the project uses.

A type says which numbers an array contains, and not which shape it has.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]  # positions in another array
Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]  # numbers of any type, for example the narrow type of a small field
Words = npt.NDArray[np.uint64]  # 64 bits without a sign
