"""Diagnostics: are results independent and without drift, and normal where they are taken for that?

Nothing is dropped or decided by them. Each looks at a configuration when it has 25, 50, 100, ... results: numbers of
its own that no choice of the search moves, so that a look is at results as they would be without a search. Over all
looks, metrics and configurations results that fit raise an alarm in one study of a hundred at most.

An `Oddity` takes the running sums and the z that results which fit exceed with the allowed probability only, and gives
its number, or None. Drift and lag-1 autocorrelation are odd whatever was declared, and whatever the shape of results.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import asinh, erfc, inf, isfinite, log, sqrt
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from satisfice.layout.numbers import counted, percent, rounded
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row as Results
from satisfice.search.hints import Hint, hint_about, may_be_hinted
from satisfice.search.running_sums import (
    AT_LARGEST,
    COUNT,
    FIELDS,
    FIRST,
    LAGGED,
    LAGGED_SQUARES,
    LARGEST,
    MEAN,
    REPEATS,
    REPEATS_AT_LARGEST,
    SECOND,
    SIZE,
    SMALLEST,
    THIRD,
    TREND,
    Row,
    with_results,
)
from satisfice.statistics import needs_values
from satisfice.statistics.raw import BEYOND, Raw, is_count, is_list, share_counted

ROUNDING = 1e-12
"""A standard deviation that is a smaller part of the mean is rounding."""

LEAST_SQUARES, MOST_SQUARES = 1e-140, 1e140
"""Between them the squares of what is summed up stay within the range of floating-point numbers."""

FAR = 2.0
"""How many times as far from the others' mean as any other result a first one must be: long tails alone make the
first one the farthest in one configuration of n."""

LARGE_SHARE = 0.1
"""One result with a tenth of the sum moves the mean by as much."""

MOSTLY = 0.5
"""Normal results that are rounded repeat each other that often only if the unit is twice their standard deviation."""

FEWEST_AT_CAP, CAP_SHARE, COARSE_SHARE = 5, 0.05, 0.02
"""A cap is where that many results and that share of them are exactly the largest, unless others repeat as well: in
more than 2 % of all, which rounded results do."""


class Oddity(NamedTuple):
    """`share` is its part of the false alarms; `of_normal`: it is odd only for what is taken for about normal.

    One that `explains` comes first, and those that would follow from it are then not told. A check that `fails` speaks
    against what the verdict rests on: one that is odd whatever was declared, or that contradicts a declared `normal`.
    `clause` says so in a line.
    """

    kind: str
    share: float
    number: Callable[[Row, float], float | None]
    words: Callable[[float, int], str]
    advice: str
    of_normal: bool = True
    explains: bool = False
    follows: bool = False
    fails: bool = True
    clause: str = "results are not normal as declared"


def spreads(row: Row) -> bool:
    """Whether results vary by more than rounding, and by numbers to compute with."""
    return LEAST_SQUARES < row[SECOND] < MOST_SQUARES and row[SECOND] > row[COUNT] * (ROUNDING * row[MEAN]) ** 2


def z_of_share(share: float, count: float) -> float:
    """The z of a regressor that takes that share of the sum of squares: Student's t as normal (Wallace 1959)."""
    freedom = count - 2.0
    left = max(1.0 - share, 1e-300)
    return (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0) * sqrt(-freedom * log(min(left, 1.0)))


def share_of_one(row: Row, value: float) -> float:
    """The share of the sum of squares that one result takes beside the mean of the others."""
    return row[COUNT] / (row[COUNT] - 1.0) * (value - row[MEAN]) ** 2 / row[SECOND]


def drift(row: Row, z: float) -> float | None:
    """How many standard deviations the trend goes up over all results; two sides."""
    count = row[COUNT]
    if not spreads(row):
        return None
    steps = count * (count * count - 1.0) / 12.0
    share = min(row[TREND] ** 2 / (steps * row[SECOND]), 1.0)
    if z_of_share(share, count) < two_sided(z):
        return None
    around = max(row[SECOND] * (1.0 - share) / (count - 2.0), 1e-300)
    return row[TREND] / steps * (count - 1.0) / sqrt(around)


def autocorrelation(row: Row, z: float) -> float | None:
    """Of each result with the one before, if it is positive: by products of residuals over the root of their summed
    squares, which few large results that happen to be neighbours do not make large (de la Pena 1999)."""
    if not spreads(row) or row[LAGGED] <= z * sqrt(row[LAGGED_SQUARES]):
        return None
    return min(row[LAGGED] / row[SECOND], 1.0)


def pooled_autocorrelation(lagged: float, squares: float, second: float, z: float) -> float | None:
    """The same of sums over all configurations, each about its own mean."""
    return min(lagged / second, 1.0) if second > LEAST_SQUARES and lagged > z * sqrt(squares) else None


def skewness(row: Row, z: float) -> float | None:
    """Of the sample, by D'Agostino's normal approximation (1970); two sides."""
    if not spreads(row):
        return None
    n = row[COUNT]
    found = sqrt(n) * row[THIRD] / row[SECOND] ** 1.5
    y = found * sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    b = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    w = sqrt(2.0 * (b - 1.0)) - 1.0
    as_normal = asinh(y / sqrt(2.0 / (w - 1.0))) / sqrt(0.5 * log(w))
    return found if abs(as_normal) >= two_sided(z) else None


def warm_up(row: Row, z: float) -> float | None:
    """How many standard deviations of the others the first result is above their mean; two sides."""
    if not spreads(row):
        return None
    count, first = row[COUNT], row[FIRST]
    mean = (row[COUNT] * row[MEAN] - first) / (count - 1.0)
    others = max(row[LARGEST] - mean, mean - row[SMALLEST])
    share = min(share_of_one(row, first), 1.0)
    if abs(first - mean) < FAR * others or z_of_share(share, count) < two_sided(z):
        return None
    around = max(row[SECOND] * (1.0 - share) / (count - 2.0), 1e-300)
    return (first - mean) / sqrt(around)


def largest(row: Row, z: float) -> float | None:
    """The share of the sum in the result that is farthest from the mean; any of them may be it."""
    if not spreads(row):
        return None
    farthest = max((row[FIRST], row[LARGEST], row[SMALLEST]), key=lambda value: abs(value - row[MEAN]))
    share = abs(farthest) / row[SIZE]
    of_any = -NormalDist().inv_cdf(max(tail(z) / (2.0 * row[COUNT]), 1e-300))
    odd = z_of_share(min(share_of_one(row, farthest), 1.0), row[COUNT]) >= of_any
    return share if odd and share >= LARGE_SHARE else None


def repeats(row: Row, z: float) -> float | None:
    """The share of results that are exactly as the one before: 0 if results are continuous."""
    share = (row[REPEATS] + row[REPEATS_AT_LARGEST]) / (row[COUNT] - 1.0)
    return share if share >= MOSTLY else None


def cap(row: Row, z: float) -> float | None:
    """The share of results that are exactly the largest, if hardly any others repeat."""
    count = row[COUNT]
    share = row[AT_LARGEST] / count
    many = row[AT_LARGEST] >= FEWEST_AT_CAP and share >= CAP_SHARE
    return share if many and row[REPEATS] <= COARSE_SHARE * count else None


def two_sided(z: float) -> float:
    """The z of half the probability."""
    return -NormalDist().inv_cdf(max(0.5 * tail(z), 1e-300))


def tail(z: float) -> float:
    """The probability of more than z, accurate however small it is, as 1 - P(at most z) is not."""
    return 0.5 * erfc(z * sqrt(0.5))


def _way(number: float) -> str:
    return "up" if number > 0.0 else "down"


CARRY_OVER = Oddity(
    "autocorrelation",
    0.05,
    autocorrelation,
    lambda r, n: (
        f"carries over: lag-1 autocorrelation {rounded(r, 2)} over {counted(n, 'result')}, so that they tell less "
        "than as many independent ones"
    ),
    "Reset what is left of the evaluation before (caches, queues, heat), pause in between, or make several one "
    "evaluation",
    of_normal=False,
    clause="results carry over",
)

POOLED_SHARE = 0.15
"""The part of the false alarms that the autocorrelation of all configurations together has, when a study ends."""

ALL = (
    Oddity(
        "repeats",
        0.0,
        repeats,
        lambda share, n: f"repeats itself: {percent(share)} of {counted(n, 'result')} are exactly as the one before",
        "Are results cached, or made with the same seed? What is always the same is ': exact', zeros and ones are "
        "': bernoulli', counts ': poisson', other steps ': bounded(LOW, HIGH)'",
        explains=True,
    ),
    Oddity(
        "warm_up",
        0.05,
        warm_up,
        lambda sds, n: (
            f"began with {rounded(abs(sds))} standard deviations {'more' if sds > 0.0 else 'less'} than the "
            f"other {counted(n - 1, 'result')}"
        ),
        "If that was warming up (caches, compilation, connections), let each evaluation warm up before it measures",
        explains=True,
        fails=False,
    ),
    Oddity(
        "cap",
        0.0,
        cap,
        lambda share, n: (
            f"is exactly its largest value in {percent(share)} of {counted(n, 'result')}, as if cut off there"
        ),
        "If a time limit or a queue cuts it off, the mean is too low: raise the limit, declare ': bounded(LOW, HIGH)', "
        "or limit a percentile below it, such as p95({0})",
        follows=True,
    ),
    Oddity(
        "drift",
        0.65,
        drift,
        lambda sds, n: f"drifts {_way(sds)}: by {rounded(abs(sds), 2)} standard deviations over {counted(n, 'result')}",
        "Something changes while you measure (heat, load, growing data, leaks): find it, or compare pairs with a "
        "baseline, '{0} <= baseline + 3%', where it cancels",
        of_normal=False,
        clause="results drift",
    ),
    CARRY_OVER,
    Oddity(
        "skew",
        0.05,
        skewness,
        lambda g, n: f"is skewed: {rounded(g, 2)} after {counted(n, 'result')}, where a normal distribution has 0",
        "A mean then takes many evaluations: limit a percentile, p95({0}), compare pairs with a baseline, or declare "
        "': spread(SD)'",
        follows=True,
    ),
    Oddity(
        "largest",
        0.03,
        largest,
        lambda share, n: f"has {percent(share)} of its sum in one of {counted(n, 'result')}",
        "A stall or a mistake? The mean hangs on how often that happens: look at that evaluation, limit a percentile, "
        "p95({0}), or declare ': spread(SD)'",
        follows=True,
    ),
)
"""In the order in which they are looked at; their shares of the false alarms add up to less than 1. A drift of one
standard deviation is the hardest to see, and has most of them; repeats and caps do not happen to continuous results."""


FALSE_ALARMS = 0.01
"""How often, at most, a study whose results are as declared shows any check."""

LOOKS = {25 * 2**k: share for k, share in enumerate((0.01, 0.02, 0.05, 0.8, 0.05))}
LOOKS |= {25 * 2**k: 0.07 * 0.5 ** (k - 4) for k in range(5, 35)}
"""At how many results of a configuration it is looked at, and which part of the false alarms each look may raise.

Most of it is spent at 200: a drift of one standard deviation over 200 results is 4.1 standard errors, which is seen
in nine of ten studies only at a level of 0.006. What is larger is seen at the earlier looks all the same.
"""

ALL_CONFIGS = "all configurations"
"""Whose results a check is about that looks at all of them together."""

MOST_WAITING = 500
"""How many results are added together at most: one after the other would take several times as long."""

ODDITIES: tuple[Oddity, ...] = ALL


class Check(NamedTuple):
    """One thing that is odd about the results of a metric of a config.

    `number` says how odd after `results` results, `words` what it is and `advice` what to do. One that `failed` speaks
    against what a verdict rests on, and `clause` says in a line of it what it is.
    """

    kind: str
    metric: str
    config: str
    number: float
    results: int
    words: str
    advice: str
    failed: bool = False
    clause: str = ""

    def __str__(self) -> str:
        return f"{self.metric} of {self.config} {self.words}. {self.advice}."


class Stream(NamedTuple):
    """One number of each evaluation that is checked; `normal` if it is taken for about normal, and `declared` so."""

    metric: Metric
    label: str
    normal: bool
    declared: bool
    number: Callable[[Results, Results], float]


class Checks:
    """The running sums of every metric of every arm, and what was found odd at the looks so far."""

    def __init__(self, problem: Problem, arms: Sequence[str]) -> None:
        self._arms = tuple(arms)
        self._streams = streams_of(problem)
        self._rows = np.zeros((len(arms), len(self._streams), len(FIELDS)))
        self._arrived = np.zeros((len(self._streams), len(LOOKS)), dtype=np.int64)
        self._found: dict[tuple[int, int, int], tuple[float, int]] = {}
        self._waiting: list[tuple[int, Sequence[float]]] = []
        self._harmonic = sum(1.0 / place for place in range(1, len(arms) + 1))

    def add_results(self, arm: int, values: Results, baseline: Results) -> None:
        """Add what one evaluation of an arm returned, and the baseline's beside it."""
        self.add(arm, [stream.number(values, baseline) for stream in self._streams])

    def add(self, arm: int, numbers: Sequence[float]) -> None:
        """Add one evaluation of an arm, a number for each stream; nothing is computed before it is asked for."""
        self._waiting.append((arm, numbers))
        if len(self._waiting) >= MOST_WAITING:
            self._take_in()

    def _take_in(self) -> None:
        """Add what waits: the results of each arm on their own, and then look in the order in which they came."""
        by_arm: dict[int, list[int]] = {}
        for when, (arm, _) in enumerate(self._waiting):
            by_arm.setdefault(arm, []).append(when)
        looks: list[tuple[int, int, int, Row]] = []
        rows: dict[tuple[int, int], Row] = {}
        for arm, times in by_arm.items():
            columns = zip(*(self._waiting[when][1] for when in times), strict=True)
            for place, values in enumerate(columns):
                row: Row = self._rows[arm, place].tolist()
                rows[arm, place], seen = _looked_at(row, times, values)
                looks += [(when, place, arm, at_look) for when, at_look in seen]
        self._waiting = []
        for key, row in rows.items():
            self._rows[key] = row
        for _, place, arm, row in sorted(looks):
            self._look(arm, place, row)

    def found(self, *, ended: bool = False) -> tuple[Check, ...]:
        """What is odd, by configuration and metric; once a study has `ended` also of all its configurations."""
        self._take_in()
        single = tuple(self._check(*key, *self._found[key]) for key in sorted(self._found))
        return (*single, *self._pooled()) if ended else single

    def _pooled(self) -> Iterator[Check]:
        """What carries over in all configurations together, where few results of each hide it; looked at once.

        Those that were found to drift or to carry over say so by themselves.
        """
        z = least_z(FALSE_ALARMS * POOLED_SHARE / len(self._streams))
        apart = {(arm, place) for arm, place, kind in self._found if not ODDITIES[kind].of_normal}
        for place, stream in enumerate(self._streams):
            several = [
                arm for arm in np.flatnonzero(self._rows[:, place, COUNT] > 1.0).tolist() if (arm, place) not in apart
            ]
            rows = self._rows[several, place]
            lagged, squares, second, count = rows[:, (LAGGED, LAGGED_SQUARES, SECOND, COUNT)].sum(axis=0).tolist()
            number = pooled_autocorrelation(lagged, squares, second, z)
            if number is not None:
                config = self._arms[several[0]] if len(several) == 1 else ALL_CONFIGS
                yield _check(CARRY_OVER, stream, config, number, int(count))

    def hints(self) -> tuple[Hint, ...]:
        """What to declare of the metrics whose results look like something known."""
        places = [place for place, stream in enumerate(self._streams) if may_be_hinted(stream.metric)]
        if places:
            self._take_in()
        found = (hint_about(self._streams[place].metric, self._rows[:, place]) for place in places)
        return tuple(hint for hint in found if hint is not None)

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of it as arrays, of the arms that have results."""
        self._take_in()
        some = np.flatnonzero(self._rows[:, :, COUNT].any(axis=1))
        return {
            "checks.arms": some,
            "checks.rows": self._rows[some],
            "checks.arrived": self._arrived,
            "checks.found": np.array([(*key, *what) for key, what in self._found.items()]).reshape(-1, 5),
        }

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written."""
        self._waiting = []
        self._rows[:] = 0.0
        self._rows[state["checks.arms"]] = state["checks.rows"]
        self._arrived = np.array(state["checks.arrived"])
        self._found = {
            (int(arm), int(place), int(kind)): (number, int(results))
            for arm, place, kind, number, results in state["checks.found"].tolist()
        }

    def _look(self, arm: int, place: int, row: Row) -> None:
        """Look at a row: the j-th arm with this many results may raise 1/j of the first one's share of false alarms."""
        look = list(LOOKS).index(int(row[COUNT]))
        self._arrived[place, look] += 1
        part = LOOKS[int(row[COUNT])] / (len(self._streams) * self._harmonic * int(self._arrived[place, look]))
        explained = False  # by an oddity before it
        for kind, oddity in enumerate(ODDITIES):
            if (oddity.of_normal and not self._streams[place].normal) or (explained and oddity.follows):
                continue
            number = oddity.number(row, least_z(FALSE_ALARMS * oddity.share * part))
            if number is not None and isfinite(number):
                self._found[arm, place, kind] = (number, int(row[COUNT]))
                explained = explained or oddity.explains

    def _check(self, arm: int, place: int, kind: int, number: float, results: int) -> Check:
        return _check(ODDITIES[kind], self._streams[place], self._arms[arm], number, results)


def _check(oddity: Oddity, stream: Stream, config: str, number: float, results: int) -> Check:
    failed = oddity.fails and (stream.declared or not oddity.of_normal)
    words, advice = oddity.words(number, results), oddity.advice.format(stream.metric.name)
    return Check(
        oddity.kind, stream.label, config, number, results, words, advice, failed, oddity.clause if failed else ""
    )


def _looked_at(row: Row, times: Sequence[int], values: Sequence[float]) -> tuple[Row, list[tuple[int, Row]]]:
    """The row with these results added, but for worst values of failed evaluations; and time and row of each look."""
    if not (max(values) < BEYOND and min(values) > -BEYOND):
        came = [(when, value) for when, value in zip(times, values, strict=True) if abs(value) < BEYOND]
        times, values = [when for when, _ in came], [value for _, value in came]
    start, looks = 0, list[tuple[int, Row]]()
    while start < len(values):
        next_look = next(count for count in LOOKS if count > row[COUNT])
        end = min(start + next_look - int(row[COUNT]), len(values))
        row = with_results(row, values[start:end])
        if row[COUNT] == next_look:
            looks.append((times[end - 1], row))
        start = end
    return row, looks


def least_z(level: float) -> float:
    """What a standard normal number exceeds with that probability."""
    return -NormalDist().inv_cdf(max(level, 1e-300))


def streams_of(problem: Problem) -> list[Stream]:
    """What is checked of each evaluation: the results themselves where a percentile is limited, differences of pairs,
    and what the evidence takes in otherwise; the same numbers once."""
    found: dict[Any, Stream] = {}
    for metric in problem.metrics:
        normal = metric.process.near_normal(metric.noise)
        raw = needs_values(metric.statistic) and not normal
        own = problem.measured.index(metric.name)
        other = problem.compared.index(metric.name) if metric.beside_baseline else None
        label = metric.name if raw else metric.label
        label = f"{label} against the baseline" if metric.beside_baseline else label
        key = (metric.name, None if raw else metric.statistic, metric.ratio)
        known = found.get(key)
        number = _raw_number(own) if raw else _observed_number(metric, own, other)
        declared = normal and not metric.process.checks_shape
        if known is not None:
            normal, declared = normal or known.normal, declared or known.declared
        found[key] = Stream(metric, label, normal, declared, number)
    return list(found.values())


def _raw_number(own: int) -> Callable[[Results, Results], float]:
    return lambda values, baseline: inf if values[own] is None else mean_of(values[own])


def _observed_number(metric: Metric, own: int, other: int | None) -> Callable[[Results, Results], float]:
    def number(values: Results, baseline: Results) -> float:
        if values[own] is None:
            return inf  # not measured, and left out as failed evaluations are
        observed = metric.observed(values[own], None if other is None else baseline[other])
        return float(observed.value)

    return number


def mean_of(raw: Raw) -> float:
    """One number for what an evaluation returned: the mean of a list, the share of a count."""
    if is_count(raw):
        return share_counted(raw)
    return float(sum(raw) / len(raw)) if is_list(raw) else float(raw)
