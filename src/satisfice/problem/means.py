"""Tables of true means, a row for each arm."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.given import shown


def checked_means(means: ArrayLike, metrics: Sequence[str] | None = None) -> Floats:
    """The means as an array of shape (K, M), or an error that says which row does not fit."""
    try:
        table = np.array(means, dtype=np.float64)
    except (TypeError, ValueError, OverflowError, RecursionError):
        table = np.empty(0)
    if table.ndim != 2 or 0 in table.shape:
        raise InvalidInstance(_ragged(means, len(metrics) if metrics else None))
    if metrics is not None and table.shape[1] != len(metrics):
        raise InvalidInstance(
            f"Expected {len(metrics)} means for each arm, one for each threshold ({', '.join(metrics)}), "
            f"got {table.shape[1]}."
        )
    if not np.isfinite(table).all():
        arm, metric = (int(place) for place in np.argwhere(~np.isfinite(table))[0])
        where = repr(metrics[metric]) if metrics is not None else f"metric {metric + 1}"
        raise InvalidInstance(
            f"Every mean must be a finite number, but arm {arm + 1} has {table[arm, metric]} for {where}. "
            "Give the mean you assume there, or leave the arm out."
        )
    return np.ascontiguousarray(table)


def _ragged(means: object, metrics: int | None) -> str:
    wanted = "Expected the means as one row for each arm" + (
        f", each with {metrics} numbers" if metrics else ", all of the same length"
    )
    if isinstance(means, (list, tuple)) and means:
        if not all(isinstance(row, (list, tuple)) for row in means):
            return f"{wanted}, as in [[0.1, 0.2], [0.3, 0.4]]; got a flat list or something that is no number."
        lengths = [len(row) for row in means]
        odd = next((index for index, length in enumerate(lengths) if length != (metrics or lengths[0])), None)
        if odd is not None:
            return f"{wanted}, but row {odd + 1} has {lengths[odd]}."
        return f"{wanted}, but some entry is not a number."
    return f"{wanted}, got {shown(means, 60)}."
