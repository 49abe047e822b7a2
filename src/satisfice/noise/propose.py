"""A declaration that would suit a metric, guessed from a few results.

A guess from few results can be wrong, so each one comes with the condition under which it holds. Nothing is decided by
it: people copy it, or they do not.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import chain
from math import sqrt
from numbers import Real
from statistics import NormalDist, fmean
from typing import NamedTuple

from satisfice.layout.numbers import counted, rounded, written

FEWEST_AT_CAP = 3
"""Results that are exactly the largest, while hardly any others repeat."""
FEWEST_COUNTS = 5
"""Degrees of freedom: with fewer whole numbers no variance is compared with a mean."""
LARGEST_COUNT = 1000
"""Whole numbers with a larger mean are rarely counts of independent events: rather milliseconds or bytes."""
MISFIT = 0.05
"""Poisson counts are taken for something else with this probability on either side."""
TIME_NAMES = ("time", "latency", "duration", "delay", "elapsed", "seconds", "_ms", "_us", "_ns", "_s")
DIGITS = 6


class Kind(StrEnum):
    """What results look like."""

    EXACT = "exact"
    ZERO_ONE = "bernoulli"
    COUNT = "poisson"
    CAPPED = "bounded"
    LIST = "list"
    TIME = "time"
    OTHER = "other"


class Proposal(NamedTuple):
    """What results of a metric look like, and how to limit it then.

    `declaration` is what follows the colon of a threshold, empty if nothing is declared. `statistic` is a percentile to
    limit in place of the mean, such as `p95`, or empty. `seen` and `advice` are the two halves of a sentence.
    """

    kind: Kind
    declaration: str
    statistic: str
    seen: str
    advice: str

    def sentence(self, name: str) -> str:
        """The whole sentence: 'size was 750 in all 5 results: if it is always the same, declare it exact'."""
        return f"{name} {self.seen}: {self.advice}"

    def threshold(self, name: str, limit: str) -> str:
        """A threshold string for a limit such as '<= 800'."""
        what = f"{self.statistic}({name})" if self.statistic else name
        return f"{what} {limit}{f' : {self.declaration}' if self.declaration else ''}"


def proposed(name: str, by_config: Iterable[Sequence[object]]) -> Proposal | None:
    """A proposal for the metric of that name, from the results of each configuration in order.

    Results are numbers, booleans, texts or lists of numbers. None if no configuration has two results.
    """
    groups = [list(results) for results in by_config if len(results)]
    if max(map(len, groups), default=0) < 2:
        return None
    every = list(chain.from_iterable(groups))
    if any(isinstance(value, list | tuple | dict) for value in every):
        return _of_lists(name)
    if all(isinstance(value, Real) for value in every):
        numbers = [[float(value) for value in group if isinstance(value, Real)] for group in groups]
        return _zero_one(numbers) or _exact(groups) or _capped(name, numbers) or _counts(numbers) or _others(name)
    return _exact(groups)


def _of_lists(name: str) -> Proposal:
    return Proposal(
        Kind.LIST,
        "",
        "p95",
        "is a list of numbers in each result",
        f"limit a percentile, p95({name}), or a share, share({name} <= X)",
    )


def _exact(groups: list[list[object]]) -> Proposal | None:
    if any(value != group[0] for group in groups for value in group):
        return None
    return Proposal(Kind.EXACT, "exact", "", _the_same(groups), "if it is always the same, declare it exact")


def _zero_one(groups: list[list[float]]) -> Proposal | None:
    values = {value for group in groups for value in group}
    if not values <= {0.0, 1.0}:
        return None
    if all(len(set(group)) == 1 for group in groups):
        advice = "if every result is 0 or 1, declare it bernoulli; if it is always the same, exact"
        return Proposal(Kind.ZERO_ONE, "bernoulli", "", _the_same(groups), advice)
    seen = f"was 0 or 1 in {_all_results(sum(map(len, groups)))}"
    return Proposal(Kind.ZERO_ONE, "bernoulli", "", seen, "if it is never anything else, declare it bernoulli")


def _capped(name: str, groups: list[list[float]]) -> Proposal | None:
    every = [value for group in groups for value in group]
    cap = max(every)
    others = [value for value in every if value != cap]
    capped = len(every) - len(others)
    if capped < FEWEST_AT_CAP or len(set(others)) < max(2, len(others)):
        return None
    declaration = f"bounded(0, {written(cap)})" if min(every) >= 0.0 else ""
    seen = f"was exactly its largest, {rounded(cap, DIGITS)}, in {capped:,} of {_results(len(every))}"
    bounded = f", or declare {declaration}" if declaration else ""
    advice = f"if a time limit or a queue cuts it off there, limit a percentile below it, such as p90({name}){bounded}"
    return Proposal(Kind.CAPPED, declaration, "", seen, advice)


def _counts(groups: list[list[float]]) -> Proposal | None:
    """Counts, if their variance fits their mean: Fisher's index of dispersion, as normal (Wilson and Hilferty 1931)."""
    every = [value for group in groups for value in group]
    if any(value < 0.0 or value != round(value) for value in every):
        return None
    used = [group for group in groups if len(group) > 1 and any(group)]
    freedom = sum(len(group) - 1 for group in used)
    if freedom < FEWEST_COUNTS or max(map(fmean, used)) > LARGEST_COUNT:
        return None
    index = sum(sum((value - fmean(group)) ** 2 for value in group) / fmean(group) for group in used)
    z = ((index / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom))
    if not MISFIT <= NormalDist().cdf(z) <= 1 - MISFIT:
        return None
    lowest, highest = rounded(min(every), DIGITS), rounded(max(every), DIGITS)
    seen = f"was a whole number, {lowest} to {highest}, in {_all_results(len(every))}"
    return Proposal(Kind.COUNT, "poisson", "", seen, "if it counts events that are independent, declare it poisson")


def _others(name: str) -> Proposal:
    if name.lower().endswith(TIME_NAMES):
        advice = f"for its mean declare nothing; to limit its slow results instead, use p95({name})"
        return Proposal(Kind.TIME, "", "", "varies", advice)
    advice = "declare nothing, or bounded(LOW, HIGH) if no result can lie outside a range that you know"
    return Proposal(Kind.OTHER, "", "", "varies", advice)


def _the_same(groups: Sequence[Sequence[object]]) -> str:
    count, first = sum(map(len, groups)), groups[0][0]
    if len(groups) == 1 or all(group[0] == first for group in groups):
        return f"was {_shown(first)} in {_all_results(count)}"
    return f"was the same in all results of each of {counted(len(groups), 'configuration')}"


def _shown(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, Real):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return rounded(float(value), DIGITS)


def _all_results(count: int) -> str:
    return "both results" if count == 2 else f"all {_results(count)}"


def _results(count: int) -> str:
    return counted(count, "result")
