"""The groups of a search whose metrics are measured in groups, and how often each was measured."""

from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.problem.problem import Problem


class Groups(NamedTuple):
    """G groups of M metrics of K arms: `of` (M,) says which group a metric is of, and `sizes` (G,) how many it has.

    `costs` are those of lines, (K G,), or (1,) if all are the same, and `counts` (K, G) the results of each so far.
    `margins` and `tolerances` (K, M) are of use while an arm is scored: those of one group, side by side.
    """

    of: Integers
    sizes: Integers
    costs: Floats
    counts: Integers
    margins: Floats
    tolerances: Floats


def group_numbers(problem: Problem) -> Integers:
    """The number of the group of each metric, (M,)."""
    return np.array([problem.groups.index(metric.group) for metric in problem.metrics], dtype=np.int64)


def new_groups(of: Integers, arms: int, costs: Floats) -> Groups:
    """The groups of a search in which nothing is measured yet."""
    sizes = np.bincount(of).astype(np.int64)
    counts = np.zeros((arms, len(sizes)), dtype=np.int64)
    return Groups(of, sizes, costs, counts, np.zeros((arms, len(of))), np.zeros((arms, len(of))))
