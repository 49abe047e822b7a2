"""What the released programs do and the text does not say: kept apart from the true rules, and named for what it is.

Without these the printed tables cannot be had; nothing outside this package should use them.
"""

from dataclasses import dataclass
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satisfice.arrays import Floats
from satisfice.problem.units import Setting
from satisfice.rules import MultiAPT, MultiHDoC, MultiTUCB
from satisfice.simulation.cell import CellResult


class MultiLUCBAsReleased(NamedTuple):
    """The released MultiLUCB: least ghat - sqrt(2 sigma^2 (ln(4 K M n^2) / delta) / (2 n)).

    The error rate divides the logarithm instead of its argument: the bonus is several times wider than the width of the
    stopping rule, the more the smaller delta is. `satisfice.MultiLUCB` is the rule of the text.
    """

    union_factor: float = 4.0

    def bonus(self, pulls: int, setting: Setting) -> float:
        variance = setting.noise_scale * setting.noise_scale
        logarithm = log(self.union_factor * setting.arms * setting.metrics) + 2.0 * log(pulls)
        return sqrt(2.0 * variance * (logarithm / setting.error_rate) / (2.0 * pulls))

    def priority(self, shortfall: float, excess: float, bonus: float) -> float:
        return bonus - shortfall


RULES_AS_RELEASED: dict[str, Any] = {
    "MultiAPT": MultiAPT(),
    "MultiHDoC": MultiHDoC(),
    "MultiLUCB": MultiLUCBAsReleased(),
    "MultiTUCB": MultiTUCB(),
}
"""The rules behind the tables, by the heads of the tables' columns."""


class Estimate(NamedTuple):
    """A number with its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True)
class PublishedStatistics:
    """A cell's numbers by the tables' own definitions; mean and sd are None where every run failed."""

    mean: Estimate | None
    sd: Estimate | None
    error_rate_percent: Estimate


def published_failures(result: CellResult) -> NDArray[np.bool_]:
    """What the tables count as an error: a wrong answer, or none within the budget."""
    return np.asarray(result.timed_out | result.wrong)


def published_times(result: CellResult) -> Floats:
    """Stopping times as the tables count them: from zero, and a run out of budget as the longest finished one."""
    times = result.pulls.astype(np.float64) - 1.0
    finished = ~result.timed_out
    if finished.any():
        times[result.timed_out] = times[finished].max()
    return times


def published_statistics(times: Floats, failed: NDArray[np.bool_]) -> PublishedStatistics:
    """Mean, sd and error rate by the tables' definitions.

    The mean is the sum over all runs divided by the number of runs that did not fail, the sd is taken around that mean
    over all runs. Standard errors by the delta method, with the longest finished time taken as given.
    """
    count, successes = times.size, int((~failed).sum())
    rate = _error_rate(count - successes, count)
    if successes == 0:
        return PublishedStatistics(None, None, rate)
    mean = float(times.sum()) / successes
    pull = (times - mean * ~failed) * (count / successes)  # how much each run moves the mean, times the number of runs
    squares = (times - mean) ** 2
    variance = float(squares.mean())
    pull_on_variance = squares - variance - 2.0 * (float(times.mean()) - mean) * pull
    sd = sqrt(variance)
    sd_error = _error_of_average(pull_on_variance) / (2.0 * sd) if sd > 0 else 0.0
    return PublishedStatistics(Estimate(mean, _error_of_average(pull)), Estimate(sd, sd_error), rate)


def _error_of_average(contributions: Floats) -> float:
    """The standard error of an average of centred contributions."""
    count = contributions.size
    return sqrt(float((contributions**2).sum()) / (count * max(count - 1, 1)))


def _error_rate(failures: int, count: int) -> Estimate:
    return Estimate(100.0 * failures / count, 100.0 * rate_error(failures / count, count))


def rate_error(rate: float, count: int) -> float:
    """The standard error of a rate, with half a failure added so that no failures are not taken for certainty."""
    smoothed = (rate * count + 0.5) / (count + 1)
    return sqrt(smoothed * (1 - smoothed) / count)
