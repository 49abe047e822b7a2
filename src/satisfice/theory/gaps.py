"""How far every arm is from its thresholds: all that the bounds know of an instance."""

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance
from satisfice.problem.means import checked_means
from satisfice.problem.metric import known_scale
from satisfice.problem.problem import Problem
from satisfice.problem.units import Setting

ROUNDING = 1e-12
"""A gap below this part of the noise scale is zero: 0.5 - 0.495 is not 0.005 in floating point."""


class Standing(StrEnum):
    """What an arm is."""

    GOOD = "good"
    WITHIN_TOLERANCE = "within tolerance"
    FAILING = "failing"


class Case(StrEnum):
    """What an instance is, which decides on the answers that are right."""

    GOOD_ARM = "a good arm exists"
    ONLY_WITHIN_TOLERANCE = "no arm is good, but some arm is within tolerance"
    NO_GOOD_ARM = "no arm is within tolerance"


class Gaps(NamedTuple):
    """The arms' distances from their thresholds, in units in which every metric has the noise scale of `setting`.

    `shortfalls` are g_i = max_m (xi_m - mu_i^m) and `excesses` h_i = max_m (xi_m - eps_m - mu_i^m). With one
    tolerance for all metrics h_i = g_i - epsilon: where the paper writes epsilon - g_i the bounds take -h_i, and
    h_i where it writes g_i - epsilon.
    """

    shortfalls: tuple[float, ...]
    excesses: tuple[float, ...]
    setting: Setting

    @property
    def standings(self) -> tuple[Standing, ...]:
        return tuple(_standing(g, h) for g, h in zip(self.shortfalls, self.excesses, strict=True))

    @property
    def good(self) -> int:
        """How many arms are good."""
        return sum(shortfall <= 0 for shortfall in self.shortfalls)

    @property
    def case(self) -> Case:
        if min(self.shortfalls) <= 0:
            return Case.GOOD_ARM
        return Case.ONLY_WITHIN_TOLERANCE if min(self.excesses) <= 0 else Case.NO_GOOD_ARM


def gaps(problem: Problem, means: ArrayLike) -> Gaps:
    """The gaps of arms with these means, of shape (K, M); bounds are in units of noise, so its scale must be known."""
    for metric in problem.metrics:
        known_scale(metric)
    return standings(problem, means)


def standings(problem: Problem, means: ArrayLike) -> Gaps:
    """The same for what needs no noise scale: which arms are good; a metric of unknown scale keeps its own unit."""
    standard = problem.standardisation()
    slopes = np.array(
        [
            slope if metric.is_plain else -1.0 if metric.limit.at_least else 1.0
            for metric, slope in zip(problem.metrics, standard.slopes, strict=True)
        ]
    )
    thresholds, tolerances = np.array([metric.shown_limit for metric in problem.metrics]).T
    table = checked_means(means, problem.metric_names)
    with np.errstate(over="ignore"):  # what overflows is not finite, which is looked at next
        deficits = slopes * (table - thresholds)
    if not np.isfinite(deficits).all():
        arm, metric = _first_not_finite(deficits)
        raise InvalidInstance(
            f"Expected means within reach of their thresholds, but arm {arm + 1} is further from that of "
            f"{problem.metric_names[metric]!r} than a number can say. Use a larger unit for this metric."
        )
    return Gaps(
        shortfalls=_worst(deficits, standard.noise_scale),
        excesses=_worst(deficits - np.abs(slopes) * tolerances, standard.noise_scale),
        setting=problem.setting(table.shape[0]),
    )


def _standing(shortfall: float, excess: float) -> Standing:
    if shortfall <= 0:
        return Standing.GOOD
    return Standing.WITHIN_TOLERANCE if excess <= 0 else Standing.FAILING


def _worst(deficits: Floats, noise_scale: float) -> tuple[float, ...]:
    worst = deficits.max(axis=1)
    return tuple(np.where(np.abs(worst) <= ROUNDING * noise_scale, 0.0, worst).tolist())


def _first_not_finite(table: Floats) -> tuple[int, int]:
    arm, metric = np.argwhere(~np.isfinite(table))[0]
    return int(arm), int(metric)
