"""Arrays of numbers, and the one operation on them that compiled code needs."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def copy(source: Any, target: Any) -> None:
    """Write a vector over the beginning of another; numba compiles an assignment to a slice for seconds."""
    for place in range(source.shape[0]):
        target[place] = source[place]
