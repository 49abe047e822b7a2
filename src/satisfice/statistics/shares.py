"""Shares and percentiles: how many of the results lie on the right side of a number.

A percentile rests on no assumption about the results: q_p <= L exactly if P(x <= L) >= p. With a tolerance in the
metric's own unit an arm is accepted by evidence that P(x <= L + tolerance) > p, and rejected by evidence that
P(x <= L) < p. Where an evaluation returns a list, its share is one result in [0, 1], whatever its length: that holds
under any dependence inside a list, as long as evaluations are independent. What is limited is the mean share over
evaluations, so a short list weighs as much as a long one; with independent trials every number weighs the same instead.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, fsum, inf, log
from statistics import NormalDist

import numpy as np

from satisfice.errors import InvalidProblem
from satisfice.layout.numbers import written
from satisfice.noise import Bernoulli, Bounded, Normal
from satisfice.noise.bernoulli import ones_needed_bernoulli
from satisfice.noise.betting import LOG_WEIGHTS, bets_at
from satisfice.noise.checked import is_undeclared
from satisfice.noise.process import Interval, NoiseModel, is_same, process_of
from satisfice.statistics.protocol import Estimate, Limit, Observed, OrderStatistic, Statistic
from satisfice.statistics.raw import BEYOND, Raw, is_count, share_counted, values_of, weight_of

SHARES = 0.0, 1.0
ANY_SHARE = Bounded.of_range(*SHARES)
"""What every share is, whatever the results."""

ROUNDING = 1e-12
"""A mean share that falls short of another by less has reached it."""

ANYTHING = "results of any distribution, and any dependence inside an evaluation"


def is_any_share(noise: NoiseModel) -> bool:
    """Whether no more is declared of a share than what every share is."""
    return is_same(noise, ANY_SHARE)


def noise_of_shares(declared: NoiseModel) -> NoiseModel:
    """The noise of the shares of evaluations: any, unless more is declared."""
    if is_undeclared(declared):
        return ANY_SHARE
    process = process_of(declared)
    if is_any_share(declared) or process.weighted or process.pooled:
        return declared
    if process.mean_fixes_spread:
        raise InvalidProblem(
            f"a percentile or a share of results that are {declared} says no more than their mean: limit that"
        )
    raise InvalidProblem(
        f"shares of results are 'bounded' (whatever depends on what inside an evaluation; so if nothing is written), "
        f"'independent' (every number of a list counts), or 'normal' from one evaluation to the next; got {declared}"
    )


@dataclass(frozen=True)
class Share(Statistic):
    """The share of results that are at most, or at least, a number, or a part of the baseline's plus a number."""

    bound: float
    at_most: bool = True
    ratio: float = 0.0

    def written(self, name: str) -> str:
        return f"share({name} {'<=' if self.at_most else '>='} {limit_written(self.bound, self.ratio)})"

    @property
    def beside_baseline(self) -> bool:
        return self.ratio != 0.0

    @property
    def observed_range(self) -> tuple[float, float]:
        return SHARES

    @property
    def takes_lists(self) -> bool:
        return True

    def check_limit(self, limit: Limit) -> None:
        if limit.ratio:
            raise InvalidProblem("a share is limited by a number between 0 and 1, not by a baseline")
        if not 0.0 < limit.threshold < 1.0:
            raise InvalidProblem(
                f"the limit of a share must lie strictly between 0 and 1, got {written(limit.threshold)}"
            )

    def noise_of(self, declared: NoiseModel) -> NoiseModel:
        found = noise_of_shares(declared)
        if self.beside_baseline and not is_any_share(found):
            raise InvalidProblem(f"a share of pairs is 'bounded' and never {found}: leave that out")
        return found

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None) -> Observed:
        if baseline is not None:
            bounds = [self.bound + self.ratio * other for other in values_of(baseline)]
            share = passing_pairs(values_of(raw), bounds, at_most=self.at_most)
            return Observed(share, share)
        share = share_counted(raw) if is_count(raw) else passing_share(values_of(raw), self.bound, at_most=self.at_most)
        return Observed(share, share, weight_of(raw))

    def subject(self, name: str) -> str:
        return self.written(name)

    def assumption(self, noise: NoiseModel, words: str) -> str:
        return ANYTHING if is_any_share(noise) else words

    def drawn_noise(self, noise: NoiseModel) -> NoiseModel:
        return Bernoulli()

    def worst(self, limit: Limit, low: float, high: float) -> float:
        return BEYOND if self.at_most == limit.at_least else -BEYOND


@dataclass(frozen=True)
class Percentile(OrderStatistic):
    """The value below which that percentage of results lies."""

    percent: float

    @property
    def share(self) -> float:
        return self.percent / 100.0

    @property
    def observed_range(self) -> tuple[float, float]:
        return SHARES

    def written(self, name: str) -> str:
        return f"median({name})" if self.percent == 50.0 else f"p{written(self.percent)}({name})"

    def check_limit(self, limit: Limit) -> None:
        if not 0.1 <= self.percent <= 99.99:
            raise InvalidProblem(f"a percentile lies between p0.1 and p99.99, got p{written(self.percent)}")
        if limit.ratio:
            raise InvalidProblem(
                "a percentile cannot be limited by a baseline, since percentiles of pairs say little about pairs of "
                "percentiles: limit the share of pairs, as in 'share(metric <= baseline + 3%) >= 0.5', or the mean"
            )

    def asked(self, limit: Limit) -> Limit:
        return Limit(1.0 - self.share if limit.at_least else self.share, 0.0, at_least=True)

    def two_sided(self, limit: Limit) -> bool:
        return limit.tolerance > 0.0

    def noise_of(self, declared: NoiseModel) -> NoiseModel:
        return noise_of_shares(declared)

    def observed(self, raw: Raw, limit: Limit, baseline: Raw | None) -> Observed:
        values = values_of(raw)
        share, wider = (
            passing_share(values, bound, at_most=not limit.at_least) for bound in (limit.threshold, limit.edge)
        )
        return Observed(share, wider, weight_of(raw))

    def subject(self, name: str) -> str:
        return f"the share behind {self.written(name)}"

    def assumption(self, noise: NoiseModel, words: str) -> str:
        return ANYTHING if is_any_share(noise) else words

    def drawn_noise(self, noise: NoiseModel) -> NoiseModel:
        return Normal()

    def drawn_mean(self, value: float, sd: float, limit: Limit) -> float:
        return value - sd * NormalDist().inv_cdf(self.share)

    def worst(self, limit: Limit, low: float, high: float) -> float:
        return -BEYOND if limit.at_least else BEYOND

    def estimate(self, runs: Sequence[Sequence[float]], error_rate: float, *, independent: bool) -> Estimate:
        """The percentile of all values, with limits by inverted evidence (Howard and Ramdas 2022).

        Each limit is wrong at some time with probability at most half the error rate: too high a lower limit means that
        the evidence against "P(x <= q) >= share", q being the percentile, was once as large as that at the limit.
        """
        pooled = sorted(value for run in runs for value in run)
        level = log(2.0 / error_rate)
        if independent or len(pooled) == len(runs):
            middle = pooled[min(len(pooled) - 1, max(0, ceil(self.share * len(pooled)) - 1))]
            return Estimate(middle, self._by_ranks(pooled, level))
        return self._by_runs([sorted(run) for run in runs], pooled, level)

    def _by_ranks(self, ordered: Sequence[float], level: float) -> Interval:
        """Of independent values."""
        count = len(ordered)
        enough = ones_needed_bernoulli(count, level, self.share)
        too_few = count - ones_needed_bernoulli(count, level, 1.0 - self.share)
        return Interval(
            ordered[too_few] if too_few >= 0 else -inf,
            ordered[enough - 1] if enough <= count else inf,
        )

    def _by_runs(self, runs: Sequence[Sequence[float]], pooled: Sequence[float], level: float) -> Estimate:
        """Under any dependence inside a run: each run's share is one result, and a short run weighs as a long one."""

        def within(value: float) -> list[float]:
            return [bisect_right(run, value) / len(run) for run in runs]

        def beyond(value: float) -> list[float]:
            return [1.0 - share for share in within(value)]

        reached = self.share * len(runs) * (1.0 - ROUNDING)
        middle = _first(pooled, lambda value: fsum(within(value)) >= reached)
        enough = _first(pooled, lambda value: log_capital(within(value), self.share) >= level)
        first_open = _first(pooled, lambda value: log_capital(beyond(value), 1.0 - self.share) < level)
        low = -inf if first_open == 0 else pooled[min(first_open, len(pooled) - 1)]
        return Estimate(pooled[middle], Interval(low, pooled[enough] if enough < len(pooled) else inf))


def passing_share(values: Sequence[float], bound: float, *, at_most: bool) -> float:
    """Which part of the values is at most, or at least, the bound."""
    passing = sum(value <= bound for value in values) if at_most else sum(value >= bound for value in values)
    return passing / len(values)


def passing_pairs(values: Sequence[float], bounds: Sequence[float], *, at_most: bool) -> float:
    """Which part of all pairs of a value and a bound has the value at most, or at least, the bound."""
    ordered = sorted(bounds)
    if at_most:
        passing = sum(len(ordered) - bisect_left(ordered, value) for value in values)
    else:
        passing = sum(bisect_right(ordered, value) for value in values)
    return passing / (len(values) * len(ordered))


def log_capital(shares: Sequence[float], theta: float) -> float:
    """ln of the evidence that the mean of results in [0, 1] is above theta: the average capital of the bets."""
    capitals = np.log1p(np.outer(np.array(shares) - theta, bets_at(theta))).sum(axis=0) + LOG_WEIGHTS
    return float(np.logaddexp.reduce(capitals))


def limit_written(number: float, ratio: float) -> str:
    """A limit beside a baseline as a threshold string has it."""
    if not ratio:
        return written(number)
    percent = round(100.0 * ratio - 100.0, 9)
    if not number and 0.0 < percent < 100.0 and (100.0 + percent) / 100.0 == ratio:  # it reads back as the same
        return f"baseline + {written(percent)}%"
    part = f"{written(ratio)} * baseline" if ratio != 1.0 else "baseline"
    return part if not number else f"{part} {'+' if number > 0 else '-'} {written(abs(number))}"


def _first(ordered: Sequence[float], holds: Callable[[float], bool]) -> int:
    """The place of the first value for which it holds, as it does for all after that one."""
    return bisect_left(range(len(ordered)), True, key=lambda place: holds(ordered[place]))
