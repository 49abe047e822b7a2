"""The mean, which is limited where nothing else is written, and the means of logarithms and of clipped results."""

from dataclasses import dataclass
from math import exp, inf, isfinite, log

from satisfice.errors import InvalidProblem
from satisfice.layout.numbers import written
from satisfice.statistics.protocol import Limit, Observed, Statistic
from satisfice.statistics.raw import Raw, Unexpected, is_count, one_number, share_counted, weight_of

LARGEST_EXPONENT = 700.0
"""Beyond it e to that power is no floating-point number."""


@dataclass(frozen=True)
class Mean(Statistic):
    """The mean; beside a baseline, of result - ratio * baseline, the two evaluated back to back."""

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None) -> Observed:
        if is_count(raw) and baseline is None:
            share = share_counted(raw)
            return Observed(share, share, weight_of(raw))
        return super().observed(raw, limit, baseline)


@dataclass(frozen=True)
class GeometricMean(Statistic):
    """The geometric mean of positive results: the mean of their logarithms, a different question, openly asked."""

    def written(self, name: str) -> str:
        return f"geomean({name})"

    def check_limit(self, limit: Limit) -> None:
        if limit.ratio and (limit.threshold or limit.tolerance):
            raise InvalidProblem(
                "a geometric mean beside a baseline is limited by a part of it, with a tolerance in percent, as in "
                "'baseline + 3% ~ 1%'"
            )
        threshold, edge = _positive(limit)
        if not (threshold > 0.0 and edge > 0.0):
            raise InvalidProblem(
                "the limit of a geometric mean must be positive, and stay positive with its tolerance taken off"
            )

    def asked(self, limit: Limit) -> Limit:
        threshold, edge = map(log, _positive(limit))
        return Limit(threshold, abs(edge - threshold), limit.at_least)

    def two_sided(self, limit: Limit) -> bool:
        return False

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None) -> Observed:
        result = _log(raw) - (0.0 if baseline is None else _log(baseline))
        return Observed(result, result)

    def worst(self, limit: Limit, low: float, high: float) -> float:
        return inf

    def subject(self, name: str) -> str:
        return f"ln {name}"

    def drawn_mean(self, value: float, sd: float, limit: Limit) -> float:
        return log(value)

    def moved(self, value: float, by: float) -> float:
        return value * exp(by)

    def shown(self, mean: float) -> float:
        return exp(mean) if mean < LARGEST_EXPONENT else inf


@dataclass(frozen=True)
class ClippedMean(Statistic):
    """The mean of results, those above `most` taken for `most`: a different question, openly asked."""

    most: float

    def written(self, name: str) -> str:
        return f"clip({name}, {written(self.most)})"

    def check_limit(self, limit: Limit) -> None:
        if not isfinite(self.most):
            raise InvalidProblem(f"clip(metric, most) expects a finite number, got {self.most}")
        if limit.ratio:
            raise InvalidProblem("a clipped mean cannot be limited by a baseline: limit the mean or the geomean")
        if not max(limit.threshold, limit.edge) < self.most:
            raise InvalidProblem(
                f"no clipped result is above {written(self.most)}, which the limit and its tolerance must stay below: "
                "clip at a larger number"
            )

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None) -> Observed:
        result = min(one_number(raw), self.most)
        return Observed(result, result)

    def worst(self, limit: Limit, low: float, high: float) -> float:
        return low if limit.at_least else self.most


def _positive(limit: Limit) -> tuple[float, float]:
    """Limit and limit with tolerance, of results or of their parts of the baseline's."""
    return (limit.ratio, limit.edge_ratio) if limit.ratio else (limit.threshold, limit.edge)


def _log(raw: Raw) -> float:
    number = one_number(raw)
    if number <= 0.0:
        raise Unexpected("a positive number")
    return log(number)
