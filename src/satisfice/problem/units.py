"""The one unit for all metrics, and what rules are told of a problem."""

from typing import NamedTuple


class Setting(NamedTuple):
    """What a sampling rule or a stopping rule may know of the problem: scalars only.

    arms is K, metrics is M, error_rate is delta and noise_scale is sigma in the paper. Shortfalls are
    in units in which the noise of every metric has this one scale. The search ends once `wanted` arms are accepted, or
    too many rejected for that; with `find_all`, once every arm is decided.
    """

    arms: int
    metrics: int
    error_rate: float
    noise_scale: float
    wanted: int = 1
    find_all: bool = False


class Standardisation(NamedTuple):
    """The affine map of results to deficits: deficit_m = slope_m * (result_m - threshold_m).

    A deficit is positive where the result misses its threshold, and its noise scale is the same in every metric.
    `tolerances` are in units of deficits. With one noise scale for all metrics the unit is the metric's own.
    """

    thresholds: tuple[float, ...]
    slopes: tuple[float, ...]
    tolerances: tuple[float, ...]
    noise_scale: float
