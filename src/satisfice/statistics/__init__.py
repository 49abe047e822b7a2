"""Statistics: what of a metric's results a limit is about. The mean, unless a threshold says otherwise."""

from satisfice.statistics.means import ClippedMean, GeometricMean, Match, Mean
from satisfice.statistics.protocol import Estimate, Limit, Observed, OrderStatistic, Statistic, needs_values
from satisfice.statistics.shares import Percentile, Share

MEAN = Mean()

__all__ = [
    "MEAN",
    "ClippedMean",
    "Estimate",
    "GeometricMean",
    "Limit",
    "Match",
    "Mean",
    "Observed",
    "OrderStatistic",
    "Percentile",
    "Share",
    "Statistic",
    "needs_values",
]
