"""The least time in which many workers can make so many evaluations: no rule that uses them all is quicker.

Workers are never idle and nothing is evaluated in vain, but the last evaluation has to end, and the longest of many is
long. Over the ideal, in which evaluations could be cut into pieces, it is the larger the fewer there are. Only a run
that need not wait for all of them, since a late one is of another arm or could change nothing, is quicker.
"""

from heapq import heapreplace

import numpy as np

from satisfice.simulation.durations import Drawing, as_durations, drawing_of, duration_of
from satisfice.simulation.instance import Instance

DRAWS = 40_000
"""Durations that are drawn for one figure, about."""


def floor_of(evaluations: float, workers: int, durations: str, instance: Instance, *, seed: int) -> float:
    """The mean time until so many evaluations have ended, over their sum a worker."""
    count = max(1, round(evaluations))
    lasting = as_durations(durations)
    rng, drawing, results = np.random.default_rng(seed), drawing_of(lasting, instance), np.zeros(1)
    times = [_time(rng, drawing, count, workers, results) for _ in range(max(4, DRAWS // count))]
    return float(np.mean(times)) * workers / (count * (lasting.mean or 1.0))


def _time(rng: np.random.Generator, drawing: Drawing, count: int, workers: int, results: np.ndarray) -> float:
    """When the last of them ends, each begun by whoever is free first."""
    ends = [0.0] * workers
    last = 0.0
    for _ in range(count):
        end = ends[0] + duration_of(rng, drawing, results)
        heapreplace(ends, end)
        last = max(last, end)
    return last
