"""Instances and formulas that the tests of the bounds share."""

from dataclasses import replace
from math import exp, floor, log, pi, sqrt

import numpy as np

from satisfice.noise import Normal
from satisfice.problem.metric import Direction
from satisfice.problem.problem import problem_of

PROBLEM = problem_of(["a >= 0.5 ~ 0.1 : normal(2)", "b >= 0.4 ~ 0.1 : normal(2)"], error_rate=0.05)
WITH_GOOD_ARM = [[0.8, 0.9], [0.1, 0.9], [0.9, 0.2], [0.45, 0.6]]  # g = -0.3, 0.4, 0.2 and 0.05: within tolerance
WITHOUT = [[0.1, 0.9], [0.9, 0.1], [0.0, 0.0]]  # g = 0.4, 0.3, 0.5
IN_BETWEEN = [[0.45, 0.6], [0.1, 0.9]]


def t_as_printed(root_a, sigma, arms, metrics, delta):
    """Definition 3, typed from the paper."""
    a = root_a**2
    inner = log(4 * sqrt(3) * pi * sigma**2 / (3 * a))
    return max(4 * sigma**2 / a * log(8 * sqrt(3) * sigma**2 * pi * arms * metrics / delta / (3 * a) * inner), 0)


def theorem_2_as_printed(slack, g, epsilon, sigma, metrics, delta):
    """Theorem 2, typed from the paper."""
    arms = len(g)
    g_star = min(g)
    t = [t_as_printed(abs(x - epsilon) - slack, sigma, arms, metrics, delta) for x in g if x <= 0 or x > epsilon]
    t_star = t_as_printed(epsilon - g_star - slack, sigma, arms, metrics, delta)
    logarithm = log(arms * metrics * max(floor(each) for each in t))
    total = t_star
    for i in range(arms):
        if i != g.index(g_star):
            total += 8 * sigma**2 * logarithm / (g[i] - g_star + slack) ** 2
    total += 2 * (arms + 1) * metrics * sigma**2 / slack**2
    return total + arms**3 * metrics / (2 * slack**2) * exp(4 * slack**2)


def in_other_units(problem, means, factor, metric=0):
    """The same instance with one metric measured in another unit, and turned round if the factor is negative."""
    old = problem.metrics[metric]
    turned = Direction.AT_MOST if old.direction is Direction.AT_LEAST else Direction.AT_LEAST
    new = replace(
        old,
        threshold=factor * old.threshold,
        tolerance=abs(factor) * old.tolerance,
        noise=Normal(abs(factor) * old.noise.scale),
        direction=old.direction if factor > 0 else turned,
    )
    table = np.array(means, dtype=float)
    table[:, metric] *= factor
    metrics = (*problem.metrics[:metric], new, *problem.metrics[metric + 1 :])
    return replace(problem, metrics=metrics), table
