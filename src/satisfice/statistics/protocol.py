"""What a statistic is: which number of a metric's results is limited, and how one evaluation speaks about it.

The evidence of satisfice is about means. A statistic other than the mean says which mean stands for it: that the 95th
percentile is at most 200 says that on average at least 95 % of results are at most 200. So a statistic takes what an
evaluation returned to a number whose mean is limited (`observed`), and the limit to one on that mean (`asked`).
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np

from satisfice.catalogue import offers
from satisfice.layout.numbers import written
from satisfice.noise.process import Interval, NoiseModel
from satisfice.statistics.raw import Raw, checked_raw, one_number


class Limit(NamedTuple):
    """At least (or at most) `threshold` + `ratio` times the baseline's, up to a tolerance.

    `tolerance_ratio` is a tolerance in parts of the baseline's.
    """

    threshold: float
    tolerance: float
    at_least: bool
    ratio: float = 0.0
    tolerance_ratio: float = 0.0

    @property
    def edge(self) -> float:
        """The threshold with its tolerance."""
        return self.threshold - self.tolerance if self.at_least else self.threshold + self.tolerance

    @property
    def edge_ratio(self) -> float:
        """The part of the baseline's with its tolerance."""
        return self.ratio - self.tolerance_ratio if self.at_least else self.ratio + self.tolerance_ratio


class Observed(NamedTuple):
    """One evaluation as the evidence wants it: against the limit, against the limit with its tolerance, and how many
    observations it sums up."""

    value: float
    within: float
    weight: int = 1


class Estimate(NamedTuple):
    """The statistic itself, and an interval that holds at all times."""

    value: float
    interval: Interval


@runtime_checkable
class Statistic(Protocol):
    """One statistic of a metric's results: a small immutable value. What is written here is right for a mean."""

    def written(self, name: str, /) -> str:
        """The statistic of a metric as a threshold string has it."""
        return name

    def check_limit(self, limit: Limit, /) -> None:
        """Raise InvalidProblem, with the reason, unless the statistic can have this limit."""
        return

    def asked(self, limit: Limit, /) -> Limit:
        """What is asked of the mean of the observed numbers, which know of no baseline any more."""
        return limit._replace(ratio=0.0, tolerance_ratio=0.0)

    def two_sided(self, limit: Limit, /) -> bool:
        """Whether `value` and `within` of what is observed may differ, so that the tolerance is in them already."""
        return limit.tolerance_ratio > 0.0

    def noise_of(self, declared: NoiseModel, /) -> NoiseModel:
        """What is assumed about the observed numbers; InvalidProblem if what was declared cannot be."""
        return declared

    def recorded(self, value: object, /) -> Raw:
        """What was returned, as it is kept; Unexpected says what it should have been."""
        return checked_raw(int(value) if isinstance(value, bool | np.bool_) else value)

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None, /) -> Observed:
        """What was returned, as the evidence wants it; Unexpected says what it should have been."""
        result = one_number(raw)
        if baseline is None:
            return Observed(result, result)
        other = one_number(baseline)
        return Observed(result - limit.ratio * other, result - limit.edge_ratio * other)

    @property
    def observed_range(self) -> tuple[float, float] | None:
        """What the observed numbers lie in, whatever the results are; None where that depends on the results."""
        return None

    @property
    def takes_lists(self) -> bool:
        """Whether an evaluation may return several numbers."""
        return False

    @property
    def beside_baseline(self) -> bool:
        """Whether it looks at the baseline's result, whatever the limit."""
        return False

    def worst(self, limit: Limit, low: float, high: float, /) -> float:
        """The value that misses the limit by most, given what the results can be; not finite if there is none."""
        return low if limit.at_least else high

    def subject(self, name: str, /) -> str:
        """What the noise is about, in words."""
        return name

    def assumption(self, noise: NoiseModel, words: str, /) -> str:
        """What is assumed about the results, the noise model saying so in these words."""
        return words

    def shown_limit(self, limit: Limit, /) -> tuple[float, float]:
        """Threshold and tolerance of what is shown: of parts of the baseline's where the limit is such a part."""
        if limit.ratio and not limit.threshold:
            return limit.ratio, limit.tolerance_ratio
        return limit.threshold, limit.tolerance

    def drawn_noise(self, noise: NoiseModel, /) -> NoiseModel:
        """How results are simulated."""
        return noise

    def drawn_mean(self, value: float, sd: float, limit: Limit, /) -> float:
        """The mean of simulated results, one standard deviation being `sd`, of which the statistic is `value`."""
        return value - limit.ratio if limit.ratio and not limit.threshold else value

    def moved(self, value: float, by: float, /) -> float:
        """The statistic of simulated results whose mean is larger by that much."""
        return value + by

    def in_words(self, value: float, /) -> str:
        """What was observed of one evaluation, as a sentence has it."""
        return written(value)

    def shown(self, mean: float, /) -> float:
        """The mean of what is observed, as a reader wants it."""
        return mean


class OrderStatistic(Statistic, Protocol):
    """A statistic that only the values themselves tell."""

    @property
    def takes_lists(self) -> bool:
        return True

    def estimate(self, runs: Sequence[Sequence[float]], error_rate: float, *, independent: bool) -> Estimate:
        """The statistic of these values, a row for each evaluation; are those of one evaluation independent?"""


def needs_values(statistic: Statistic) -> TypeGuard[OrderStatistic]:
    """Whether only the values themselves tell the statistic."""
    return offers(type(statistic), ("estimate",))
