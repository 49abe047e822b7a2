"""What is known of the arms: sums of deficits, and the shortfall they estimate (paper, Algorithm 1).

`deficits` has shape (K, M) and holds sums over an arm's results; `pulls` has shape (K,).
"""

from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def fold(deficits: Floats, arm: int, results: Floats) -> float:
    """Add one result, already in units of deficits and of shape (M,), to the arm's sums; the largest sum comes back."""
    largest = -inf
    for metric in range(results.shape[0]):
        total = deficits[arm, metric] + results[metric]
        deficits[arm, metric] = total
        largest = max(largest, total)
    return largest


def copy(source: Any, target: Any) -> None:
    """Write a vector over the beginning of another; assigning to a slice compiles for seconds, to say how it fails."""
    for place in range(source.shape[0]):
        target[place] = source[place]


def fold_squares(squares: Floats, arm: int, results: Floats) -> None:
    """Add one result's squares to the arm's sums, where they are wanted at all."""
    if squares.shape[0] > 0:
        for metric in range(results.shape[0]):
            squares[arm, metric] += results[metric] * results[metric]


def excess_of(deficits: Floats, arm: int, pulls: int, tolerances: Floats) -> float:
    """max_m (mean deficit - tolerance): zero or less where the arm's means are all within tolerance."""
    worst = -inf
    for metric in range(tolerances.shape[0]):
        worst = max(worst, deficits[arm, metric] / pulls - tolerances[metric])
    return worst
