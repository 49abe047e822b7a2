"""The groups of a search whose metrics are measured in groups, and how often each was measured."""

from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.problem.problem import NO_LIMIT, Problem


class Groups(NamedTuple):
    """G groups of M metrics of K arms: `of` (M,) says which group a metric is of, and `sizes` (G,) how many it has.

    `costs` are those of lines, (K G,), or (1,) if all are the same, and `counts` (K, G) the results of each so far.
    `most` (G,) is how often an arm can be measured in a group, for sets of items. `margins` and `tolerances` (K, M) are
    of use while an arm is scored: those of one group, side by side.
    """

    of: Integers
    sizes: Integers
    costs: Floats
    counts: Integers
    most: Integers
    margins: Floats
    tolerances: Floats


def group_numbers(problem: Problem) -> Integers:
    """The number of the group of each metric, (M,)."""
    return np.array([problem.groups.index(metric.group) for metric in problem.metrics], dtype=np.int64)


def group_limits(problem: Problem) -> Integers:
    """How often an arm can be measured in each group, (G,)."""
    return np.array([group.most_evaluations for group in problem.by_group], dtype=np.int64)


def new_groups(of: Integers, arms: int, costs: Floats, most: Integers | None = None) -> Groups:
    """The groups of a search in which nothing is measured yet."""
    sizes = np.bincount(of).astype(np.int64)
    counts = np.zeros((arms, len(sizes)), dtype=np.int64)
    limits = np.full(len(sizes), NO_LIMIT) if most is None else most
    return Groups(of, sizes, costs, counts, limits, np.zeros((arms, len(of))), np.zeros((arms, len(of))))
