"""The mean, the means of logarithms and of clipped results, and matches such as `exit_code == 0`."""

from dataclasses import dataclass
from json import dumps
from math import exp, inf, isfinite, log, nan
from re import fullmatch

import numpy as np

from satisfice.errors import InvalidProblem
from satisfice.given import is_number, why_unwritable
from satisfice.layout.numbers import written
from satisfice.noise.checked import is_undeclared
from satisfice.noise.exact import Exact
from satisfice.noise.process import NoiseModel, process_of
from satisfice.statistics.protocol import Limit, Observed, Statistic
from satisfice.statistics.raw import Raw, Unexpected, checked_number, is_count, one_number, share_counted, weight_of

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


LONGEST = 200
"""Characters of a text that can be matched."""

PLAIN = r"[A-Za-z_][\w.\-/]*"
"""What a text looks like that needs no quotes."""


@dataclass(frozen=True)
class Match(Statistic):
    """Whether a result equals `value`: 0 where it does, 1 where it does not, so that the mean must be 0."""

    value: str | float | bool

    @property
    def shown_value(self) -> str:
        """The value as a threshold string has it."""
        if isinstance(self.value, bool):
            return str(self.value).lower()
        if isinstance(self.value, str):
            is_plain = fullmatch(PLAIN, self.value) and self.value not in ("true", "false", "baseline")
            return self.value if is_plain else dumps(self.value, ensure_ascii=False)
        return written(self.value)

    def check_limit(self, limit: Limit) -> None:
        if (limit.threshold, limit.tolerance, limit.ratio, limit.tolerance_ratio) != (0.0, 0.0, 0.0, 0.0):
            raise InvalidProblem("a result matches a value or does not: there is no other limit, and no tolerance")

    def noise_of(self, declared: NoiseModel) -> NoiseModel:
        if not (is_undeclared(declared) or process_of(declared).certain):
            raise InvalidProblem(f"a result that must be {self.shown_value} is ': exact', got ': {declared}'")
        return Exact()

    def recorded(self, value: object) -> Raw:
        if isinstance(value, str):
            if len(value) > LONGEST or why_unwritable(value):
                raise Unexpected(f"a text of at most {LONGEST} characters that can be kept")
            return value
        if isinstance(value, bool | np.bool_):
            return float(value)
        if is_number(value):
            return checked_number(value)
        raise Unexpected("a text, a number, or true or false")

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None) -> Observed:
        same = type(raw) is str if isinstance(self.value, str) else type(raw) is not str
        differs = float(not (same and raw == self.value))
        return Observed(differs, differs)

    @property
    def observed_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def worst(self, limit: Limit, low: float, high: float) -> float:
        return 1.0

    def in_words(self, value: float) -> str:
        return self.shown_value if value == 0.0 else f"something other than {self.shown_value}"

    def shown_limit(self, limit: Limit) -> tuple[float, float]:
        return self.shown(0.0), 0.0

    def shown(self, mean: float) -> float:
        """The number itself where results match, or 1 for a text; not a number where they do not."""
        if mean != 0.0:
            return nan
        return 1.0 if isinstance(self.value, str) else float(self.value)
