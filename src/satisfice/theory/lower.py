"""The paper's lower bound, as it is printed (Definition 4, Theorem 4)."""

from math import inf, log

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.layout.numbers import written
from satisfice.noise.entropy import binary_relative_entropy
from satisfice.problem.problem import Problem
from satisfice.theory.gaps import Case, Standing, gaps


def lower_bound_as_printed(problem: Problem, means: ArrayLike) -> float:
    """Theorem 4 to the letter, for means of shape (K, M) and thresholds in [0, 1]; not always a lower bound.

    (ln(1/(2 delta)) - delta) / max_i min_m d(mu_i^m, xi_m), i over the good arms, or over all arms if none is good;
    0 where this is negative. The theorem is about metrics that are coins, and about a tolerance of 0: it looks at
    neither the declared noise nor the declared tolerances.

    With one good arm it holds, with several in the limit of small delta. It is infinite when every good arm has a
    mean just at its threshold, for no number of pulls tells such an arm from one that fails. With no good arm it
    does not hold in general: every arm has to be ruled out, so the arms' times add up where the print takes the
    shortest, and the minimum over m runs over metrics that pass too, so that a mean just above its threshold makes
    an arm look hard which another metric rules out at once. The print may be far too low there, or far too
    high, up to infinity. `Needs.characteristic_time` has neither fault.
    """
    instance = gaps(problem, means)
    table = np.array(means, dtype=np.float64)
    _check_unit_interval(problem, table)
    good_only = instance.case is Case.GOOD_ARM
    information = max(
        min(binary_relative_entropy(mean, metric.threshold) for mean, metric in zip(row, problem.metrics, strict=True))
        for row, standing in zip(table.tolist(), instance.standings, strict=True)
        if standing is Standing.GOOD or not good_only
    )
    evidence = log(1.0 / (2.0 * problem.error_rate)) - problem.error_rate
    if evidence <= 0.0:
        return 0.0
    return evidence / information if information > 0.0 else inf


def _check_unit_interval(problem: Problem, means: Floats) -> None:
    remedy = "The paper's lower bound is about probabilities; rescale the metric, or look at the characteristic time."
    for metric, column in zip(problem.metrics, means.T, strict=True):
        if not 0.0 <= metric.threshold <= 1.0:
            raise InvalidProblem(
                f"Expected the threshold of {metric.name!r} to lie in [0, 1], got {written(metric.threshold)}. {remedy}"
            )
        outside = np.flatnonzero((column < 0.0) | (column > 1.0))
        if outside.size:
            arm = int(outside[0])
            raise InvalidInstance(
                f"Expected means in [0, 1], but arm {arm + 1} has {written(column[arm])} for {metric.name!r}. {remedy}"
            )
