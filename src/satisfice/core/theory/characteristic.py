"""How few pulls can do: what any procedure needs for each unit of ln(1/delta) as delta -> 0.

Lower bounds by change of measure for problems with several right answers (Garivier and Kaufmann 2016; Degenne and
Koolen 2019): for an answer to be safe, every instance on which it is wrong must have been told from the true one.
They are for Gaussian noise of the declared scales. Coins and bounded metrics can be easier than their scale says.
"""

from math import inf, log

from numpy.typing import ArrayLike

from satisfice.core.problem import Problem
from satisfice.core.theory.gaps import Case, Gaps, gaps


def time_to_find(problem: Problem, means: ArrayLike) -> float | None:
    """min_i max_m 2 sigma_m^2/(mu_i^m - xi_m + eps_m)^2, the pulls for each ln(1/delta) that FOUND takes.

    Over arms within tolerance, each of which may be named: with one tolerance for all metrics and a good arm, the
    minimum is at a good one. Infinite when they all lie just at the end of their tolerance; None without any.
    """
    return _time_to_find(gaps(problem, means))


def time_to_rule_out(problem: Problem, means: ArrayLike) -> float | None:
    """sum_i 1/D_i with D_i = max_m (xi_m - mu_i^m)^2/(2 sigma_m^2), the pulls for each ln(1/delta) that NONE takes.

    D_i is over the metrics that fail. Nothing is assumed about the dependence between metrics; if they were known to be
    independent their evidence would add up. None when a good arm exists, for then NONE is wrong.
    """
    return _time_to_rule_out(gaps(problem, means))


def characteristic_time(problem: Problem, means: ArrayLike) -> float:
    """T*: what the cheapest right answer takes, for each unit of ln(1/delta).

    `time_to_find` if a good arm exists, `time_to_rule_out` if no arm is within tolerance. In between both answers
    are right and it is the smaller: the paper asks nothing there, but satisfice never names an arm that is not
    within tolerance nor says NONE when an arm is good, with error at most delta, and instances of these kinds are near.
    """
    return _characteristic_time(gaps(problem, means))


def practical_limit(problem: Problem, means: ArrayLike) -> float:
    """T* ln(1/delta): the expected pulls that no procedure with this guarantee gets much below when delta is small."""
    return characteristic_time(problem, means) * log(1.0 / problem.error_rate)


def _characteristic_time(instance: Gaps) -> float:
    times = (_time_to_find(instance), _time_to_rule_out(instance))
    return min(time for time in times if time is not None)


def _time_to_find(instance: Gaps) -> float | None:
    widest_margin = -min(instance.excesses)
    return None if widest_margin < 0.0 else _time(widest_margin, instance.setting.noise_scale)


def _time_to_rule_out(instance: Gaps) -> float | None:
    if instance.case is Case.GOOD_ARM:
        return None
    return sum(_time(shortfall, instance.setting.noise_scale) for shortfall in instance.shortfalls)


def _time(gap: float, noise_scale: float) -> float:
    """2 sigma^2 / gap^2."""
    ratio = noise_scale / gap if gap > 0.0 else inf
    return 2.0 * ratio * ratio
