"""The paper's bounds as they are printed: the lower one (Definition 4, Theorem 4), and the upper one.

How long MultiTUCB takes at most in expectation, as the paper has it (Definition 3, Theorems 2 and 3, Corollary 1).

The formulas are those of the statements. The proofs in its appendix end elsewhere, so no number here is a promise:

* Definition 3: Lemma 2 proves it with sqrt(K M / delta) for K M / delta, and also inside the inner logarithm. The
  print is the larger of the two for gaps up to 1.6 noise scales. Beyond sqrt(4 pi / sqrt(3)) = 2.7 noise scales
  the inner logarithm is not positive and the print is undefined; its limit from where it is defined is 0.
* Theorem 2: Lemma 5 has g_i - g_i* - 2 eps0 where the theorem has + eps0. The last term counts exp(-2 n eps0^2),
  which is for a noise scale of 1/2: alone among the bounds it depends on the unit of measurement. Lemma 7 sums over
  rounds what it knows about pulls, while a good arm with an unlucky start is left until all others are rejected:
  MultiTUCB's expected time can exceed the theorem (tests/paper/test_bounds.py has an instance).
* Theorem 3: Lemma 3 proves it with 2 K M sigma^2 / eps0^2.
* Corollary 1 without a good arm: epsilon - g_i - eps0 must be g_i - epsilon - eps0, as Theorem 3 has it.

`slack` is eps0 of the paper: how much of a gap the bound gives away to the noise of the estimates.
"""

from collections.abc import Callable
from math import exp, floor, inf, isfinite, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.given import shown
from satisfice.layout.numbers import written
from satisfice.noise.entropy import binary_relative_entropy
from satisfice.problem.problem import Problem
from satisfice.problem.units import Setting
from satisfice.theory.gaps import Case, Gaps, Standing, gaps


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


LARGEST_EXPONENT = 700.0
"""exp() of more than this is out of range."""

GOLDEN = (sqrt(5.0) - 1.0) / 2.0


class UpperBound(NamedTuple):
    """The least value that a theorem gives, and the slack (eps0) that gives it."""

    slack: float
    pulls: float


def pulls_to_decide(distance: float, slack: float, setting: Setting) -> float:
    """t_i(eps0), after which an arm's estimate seldom leaves it undecided (paper, Definition 3).

    `distance` is epsilon - g_i of a good arm, g_i - epsilon of one that is not within tolerance. With
    a = (distance - eps0)^2 and c = 4 sqrt(3) pi sigma^2/(3 a) it is max{4 sigma^2/a ln(2 c K M/delta ln c), 0}, and 0
    where ln c is not positive.
    """
    _check_slack(slack, distance, zero_allowed=True)
    ratio = setting.noise_scale / (distance - slack)
    inner = 4.0 * sqrt(3.0) * pi / 3.0 * ratio * ratio
    if inner <= 1.0:
        return 0.0
    # the logarithm of the product as a sum: no overflow for the smallest gaps and error rates
    arms_and_metrics = log(setting.arms) + log(setting.metrics) - log(setting.error_rate)
    outer = log(2.0) + log(inner) + arms_and_metrics + log(log(inner))
    return max(4.0 * ratio * ratio * outer, 0.0)


def upper_bound_good_arm(problem: Problem, means: ArrayLike, *, slack: float) -> float:
    """Theorem 2 at one eps0: expected pulls of MultiTUCB when a good arm exists; `means` has shape (K, M).

    t_i* + sum_{i != i*} 8 sigma^2 ln(K M max_i floor(t_i)) / (g_i - g_i* + eps0)^2 + 2 (K+1) M sigma^2/eps0^2
    + K^3 M exp(4 eps0^2)/(2 eps0^2), where i* has the least g and t_i is `pulls_to_decide`, which only arms that are
    good or not within tolerance have. The sum is over rounds up to K max_i floor(t_i): with none of these it is 0.
    """
    instance = gaps(problem, means)
    _check_case(instance, Case.GOOD_ARM)
    _check_slack(slack, _largest_slack(instance))
    return _theorem_2(instance, slack)


def upper_bound_no_good_arm(problem: Problem, means: ArrayLike, *, slack: float) -> float:
    """Theorem 3 at one eps0: expected pulls of MultiTUCB when no arm is within tolerance; `means` has shape (K, M).

    sum_i t_i + K M sigma^2/eps0^2, where t_i is `pulls_to_decide`.
    """
    instance = gaps(problem, means)
    _check_case(instance, Case.NO_GOOD_ARM)
    _check_slack(slack, _largest_slack(instance))
    return _theorem_3(instance, slack)


def least_upper_bound(problem: Problem, means: ArrayLike) -> UpperBound:
    """The least value over eps0 of the theorem that applies: Theorem 2 with a good arm, Theorem 3 without."""
    instance = gaps(problem, means)
    theorem = _theorem_2 if instance.case is Case.GOOD_ARM else _theorem_3
    return _least(lambda slack: theorem(instance, slack), _largest_slack(instance))


def largest_slack(problem: Problem, means: ArrayLike) -> float:
    """The end, not itself allowed, of the interval from 0 from which Theorems 2 and 3 let eps0 be chosen.

    The least |h_i| over arms that are good or not within tolerance.
    """
    return _largest_slack(gaps(problem, means))


def corollary_slope(problem: Problem, means: ArrayLike, *, slack: float = 0.0) -> float:
    """What Theorems 2 and 3 grow by for each unit of ln(1/delta) as delta -> 0 (paper, Corollary 1).

    4 sigma^2/(epsilon - g_i* - eps0)^2 with a good arm, sum_i 4 sigma^2/(g_i - epsilon - eps0)^2 without. A slack
    of 0 gives the infimum over eps0. The factor 4 is the analysis'; that of the stopping rule is 2.
    """
    instance = gaps(problem, means)
    if instance.case is Case.GOOD_ARM:
        largest = min(_distances(instance, Standing.GOOD))
        distances = [-instance.excesses[_leader(instance)]]
    else:
        largest = _largest_slack(instance)
        distances = _distances(instance, Standing.FAILING)
    _check_interval(largest)
    _check_slack(slack, largest, zero_allowed=True)
    return sum(4.0 * _squared(instance.setting.noise_scale / (distance - slack)) for distance in distances)


def _theorem_2(instance: Gaps, slack: float) -> float:
    setting = instance.setting
    arms, metrics = setting.arms, setting.metrics
    best = _leader(instance)
    longest = max(pulls_to_decide(distance, slack, setting) for distance in _decidable(instance))
    if not isfinite(longest):
        return inf
    rounds = log(arms * metrics * floor(longest)) if longest >= 1.0 else 0.0
    others = sum(
        8.0 * rounds * _squared(setting.noise_scale / (shortfall - instance.shortfalls[best] + slack))
        for arm, shortfall in enumerate(instance.shortfalls)
        if arm != best
    )
    estimates = 2.0 * (arms + 1) * metrics * _squared(setting.noise_scale / slack)
    growth = 4.0 * slack * slack
    late = arms**3 * metrics / 2.0 * _squared(1.0 / slack) * exp(growth) if growth < LARGEST_EXPONENT else inf
    return pulls_to_decide(-instance.excesses[best], slack, setting) + others + estimates + late


def _theorem_3(instance: Gaps, slack: float) -> float:
    setting = instance.setting
    decided = sum(pulls_to_decide(excess, slack, setting) for excess in instance.excesses)
    return decided + setting.arms * setting.metrics * _squared(setting.noise_scale / slack)


def _least(bound: Callable[[float], float], largest: float) -> UpperBound:
    """The minimum over (0, largest): a grid that is logarithmic towards both ends, then a search around its best point.

    Both ends matter: the last term of Theorem 2 may want a slack far below the gaps, and where the smallest gap is
    not that of arm i* the theorem only grows with ln(t_i) as the slack comes near it.
    """

    def slack_at(position: float) -> float:
        return largest / (1.0 + exp(-position))

    grid = [0.25 * step for step in range(-160, 113)]
    values = [bound(slack_at(position)) for position in grid]
    pulls, at = min(zip(values, range(len(grid)), strict=True))
    best = UpperBound(slack_at(grid[at]), pulls)
    if not isfinite(pulls):
        return best
    around = grid[max(at - 1, 0)], grid[min(at + 1, len(grid) - 1)]
    slack = slack_at(_golden_section(lambda position: bound(slack_at(position)), *around))
    return min(best, UpperBound(slack, bound(slack)), key=lambda each: each.pulls)


def _golden_section(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one valley is least (Kiefer 1953), within a millionth of the interval."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    for _ in range(30):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = function(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = function(right)
    return left if at_left <= at_right else right


def _leader(instance: Gaps) -> int:
    """i* of the paper: the arm of the least shortfall, the first of several."""
    return instance.shortfalls.index(min(instance.shortfalls))


def _distances(instance: Gaps, standing: Standing) -> list[float]:
    """|h_i| of the arms of that standing."""
    return [
        abs(excess) for excess, found in zip(instance.excesses, instance.standings, strict=True) if found is standing
    ]


def _decidable(instance: Gaps) -> list[float]:
    """|h_i| of the arms for which Definition 3 has a t_i."""
    return _distances(instance, Standing.GOOD) + _distances(instance, Standing.FAILING)


def _largest_slack(instance: Gaps) -> float:
    if instance.case is Case.ONLY_WITHIN_TOLERANCE:
        raise InvalidInstance(
            "Expected a good arm, or no arm within tolerance: in between the paper promises no answer and bounds "
            "nothing. Make the tolerance smaller or a threshold easier, or look at the practical limit."
        )
    largest = min(_decidable(instance))
    _check_interval(largest)
    return largest


def _check_interval(largest: float) -> None:
    if largest <= 0.0:
        raise InvalidInstance(
            "Expected every good arm to pass with something to spare, but the mean of one lies just at its threshold "
            "and the tolerance is zero: the paper's bounds do not exist there. Give the metric a tolerance."
        )


def _check_case(instance: Gaps, wanted: Case) -> None:
    if instance.case is not wanted:
        raise InvalidInstance(
            f"This bound is for instances where {wanted}, but here {instance.case}. "
            "Use least_upper_bound to get the bound that applies, if there is one."
        )


def _check_slack(slack: float, largest: float, *, zero_allowed: bool = False) -> None:
    if not (0.0 < slack < largest or (zero_allowed and slack == 0.0 < largest)):
        raise InvalidInstance(
            f"The slack (eps0 in the paper) must be {'zero or more' if zero_allowed else 'positive'} and less than "
            f"{written(largest)}, the smallest gap that the bound is about, got {shown(slack)}. "
            "Take half that gap, or use least_upper_bound, which chooses the best slack."
        )


def _squared(value: float) -> float:
    return value * value  # unlike **, this overflows to infinity
