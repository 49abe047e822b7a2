"""A declaration that would suit a metric, guessed from a few results.

A guess from few results can be wrong, so each one comes with the condition under which it holds. Nothing is decided by
it: people copy it, or they do not.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import chain
from math import sqrt
from numbers import Real
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
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


class Summary(NamedTuple):
    """What tells kinds of metrics apart: of each of K configurations, arrays of shape (K,), and of all results.

    `squares` are summed about the mean, `at_highest` counts the results that are exactly the highest. `whole` says that
    all results are whole numbers, `others_differ` that hardly any repeat but the highest of all.
    """

    counts: Floats
    means: Floats
    squares: Floats
    lowest: Floats
    highest: Floats
    at_highest: Floats
    whole: bool
    others_differ: bool


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
        return recognised(name, summary_of(numbers)) or _others(name)
    return _texts(groups)


def summary_of(groups: Sequence[Sequence[float]]) -> Summary:
    """What the results of each configuration are like; each has one at least."""
    arrays = [np.array(group) for group in groups]
    every = np.concatenate(arrays)
    others = every[every != every.max()]
    return Summary(
        counts=np.array([float(len(each)) for each in arrays]),
        means=np.array([each.mean() for each in arrays]),
        squares=np.array([((each - each.mean()) ** 2).sum() for each in arrays]),
        lowest=np.array([each.min() for each in arrays]),
        highest=np.array([each.max() for each in arrays]),
        at_highest=np.array([float((each == each.max()).sum()) for each in arrays]),
        whole=bool((every == np.round(every)).all()),
        others_differ=len(set(others.tolist())) == len(others),
    )


def recognised(name: str, seen: Summary) -> Proposal | None:
    """A proposal for numbers of a recognisable kind: constants, zeros and ones, counts, and what is cut off."""
    return _zero_one(seen) or _exact(seen) or _capped(name, seen) or _counts(seen)


def _of_lists(name: str) -> Proposal:
    return Proposal(
        Kind.LIST,
        "",
        "p95",
        "is a list of numbers in each result",
        f"limit a percentile, p95({name}), or a share, share({name} <= X)",
    )


def _texts(groups: list[list[object]]) -> Proposal | None:
    if any(value != group[0] for group in groups for value in group):
        return None
    shown = [str(group[0]).lower() if isinstance(group[0], bool) else str(group[0]) for group in groups]
    return _constant(_the_same(shown, sum(map(len, groups))))


def _exact(seen: Summary) -> Proposal | None:
    return _constant(_same_numbers(seen)) if (seen.lowest == seen.highest).all() else None


def _constant(seen: str) -> Proposal:
    return Proposal(Kind.EXACT, "exact", "", seen, "if it is always the same, declare it exact")


def _zero_one(seen: Summary) -> Proposal | None:
    if not seen.whole or seen.lowest.min() < 0.0 or seen.highest.max() > 1.0:
        return None
    if (seen.lowest == seen.highest).all():
        advice = "if every result is 0 or 1, declare it bernoulli; if it is always the same, exact"
        return Proposal(Kind.ZERO_ONE, "bernoulli", "", _same_numbers(seen), advice)
    words = f"was 0 or 1 in {_all_results(int(seen.counts.sum()))}"
    return Proposal(Kind.ZERO_ONE, "bernoulli", "", words, "if it is never anything else, declare it bernoulli")


def _capped(name: str, seen: Summary) -> Proposal | None:
    total, highest = int(seen.counts.sum()), float(seen.highest.max())
    capped = int(seen.at_highest[seen.highest == highest].sum())
    if capped < FEWEST_AT_CAP or total - capped < 2 or not seen.others_differ:
        return None
    declaration = f"bounded(0, {written(highest)})" if seen.lowest.min() >= 0.0 else ""
    words = f"was exactly its largest, {rounded(highest, DIGITS)}, in {capped:,} of {_results(total)}"
    bounded = f", or declare {declaration}" if declaration else ""
    advice = f"if a time limit or a queue cuts it off there, limit a percentile below it, such as p90({name}){bounded}"
    return Proposal(Kind.CAPPED, declaration, "", words, advice)


def _counts(seen: Summary) -> Proposal | None:
    """Counts, if their variance fits their mean: Fisher's index of dispersion, as normal (Wilson and Hilferty 1931)."""
    if not seen.whole or seen.lowest.min() < 0.0:
        return None
    used = (seen.counts > 1.0) & (seen.highest > 0.0)
    freedom = float((seen.counts[used] - 1.0).sum())
    if freedom < FEWEST_COUNTS or seen.means[used].max() > LARGEST_COUNT:
        return None
    index = float((seen.squares[used] / seen.means[used]).sum())
    z = ((index / freedom) ** (1 / 3) - (1 - 2 / (9 * freedom))) / sqrt(2 / (9 * freedom))
    if not MISFIT <= NormalDist().cdf(z) <= 1 - MISFIT:
        return None
    lowest, highest = rounded(float(seen.lowest.min()), DIGITS), rounded(float(seen.highest.max()), DIGITS)
    words = f"was a whole number, {lowest} to {highest}, in {_all_results(int(seen.counts.sum()))}"
    return Proposal(Kind.COUNT, "poisson", "", words, "if it counts events that are independent, declare it poisson")


def _others(name: str) -> Proposal:
    if name.lower().endswith(TIME_NAMES):
        advice = f"for its mean declare nothing; to limit its slow results instead, use p95({name})"
        return Proposal(Kind.TIME, "", "", "varies", advice)
    advice = "declare nothing, or bounded(LOW, HIGH) if no result can lie outside a range that you know"
    return Proposal(Kind.OTHER, "", "", "varies", advice)


def _same_numbers(seen: Summary) -> str:
    return _the_same([rounded(float(value), DIGITS) for value in seen.lowest], int(seen.counts.sum()))


def _the_same(by_config: Sequence[str], count: int) -> str:
    if len(set(by_config)) == 1:
        return f"was {by_config[0]} in {_all_results(count)}"
    return f"was the same in all results of each of {counted(len(by_config), 'configuration')}"


def _all_results(count: int) -> str:
    return "both results" if count == 2 else f"all {_results(count)}"


def _results(count: int) -> str:
    return counted(count, "result")
