"""Hints what to declare of a metric of which nothing is declared, as soon as its results look like something known.

A hint is a guess and decides nothing. It is made of the running sums that `diagnostics` keeps, since values themselves
are not kept.
"""

from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.checked import is_undeclared
from satisfice.noise.propose import Kind, Summary, recognised
from satisfice.problem.metric import Metric
from satisfice.search.running_sums import (
    AT_LARGEST,
    COUNT,
    FIRST,
    LARGEST,
    MEAN,
    REPEATS,
    REPEATS_AT_LARGEST,
    SECOND,
    SMALLEST,
    WHOLE,
)
from satisfice.statistics import MEAN as THE_MEAN

FEWEST_RESULTS = 5
"""Results of one configuration, or results at a cap, before anything is said."""

MOST_REPEATS = 0.02
"""With more results like the one before, those at the largest value aside, results are coarse and not capped."""

ALIKE = 1.0 - 1e-9
"""A sum of squares that is as large as that of two values, but for rounding, is theirs."""


class Hint(NamedTuple):
    """What to declare of a metric; one that `blocks` stands for results by which nothing is ever decided undeclared."""

    metric: str
    blocks: bool
    words: str

    def __str__(self) -> str:
        return f"{self.words}."


def may_be_hinted(metric: Metric) -> bool:
    """Whether it is a mean of which nothing is declared."""
    return not metric.beside_baseline and metric.statistic == THE_MEAN and is_undeclared(metric.noise)


def hint_about(metric: Metric, rows: Floats) -> Hint | None:
    """The hint about such a metric, from the running sums of each arm's results (K, FIELDS)."""
    rows = rows[rows[:, COUNT] >= 2.0]
    if not len(rows) or rows[:, COUNT].max() < FEWEST_RESULTS:
        return None
    seen = summary_of_rows(rows)
    found = recognised(metric.name, seen)
    if found is None or (found.kind is Kind.CAPPED and seen.at_highest.max() < FEWEST_RESULTS):
        return None
    return Hint(metric.label, found.kind in (Kind.EXACT, Kind.ZERO_ONE), found.sentence(metric.label))


def summary_of_rows(rows: Floats) -> Summary:
    """What results are like, of arms that have two or more; `largest` and `smallest` of a row leave the first out."""
    count, first = rows[:, COUNT], rows[:, FIRST]
    lowest, highest = np.minimum(first, rows[:, SMALLEST]), np.maximum(first, rows[:, LARGEST])
    at_highest = np.where(rows[:, LARGEST] == highest, rows[:, AT_LARGEST], 0.0) + (first == highest)
    share = at_highest / count
    of_two_values = count * share * (1.0 - share) * (highest - lowest) ** 2
    finer = (rows[:, SECOND] < ALIKE * of_two_values) | (share == 1.0)
    repeats = rows[:, REPEATS] + np.where(highest < highest.max(), rows[:, REPEATS_AT_LARGEST], 0.0)
    return Summary(
        counts=count,
        means=rows[:, MEAN],
        squares=rows[:, SECOND],
        lowest=lowest,
        highest=highest,
        at_highest=at_highest,
        whole=bool((rows[:, WHOLE] == count).all()),
        others_differ=bool(repeats.sum() <= MOST_REPEATS * count.sum() and finer.all()),
    )
