"""Checks beside the evidence: do results look as every declaration takes them to be, independent and without drift,
and where they are taken for about normal, like that?

Nothing is dropped or decided by them. Each looks at a configuration when it has 25, 50, 100, ... results: numbers of
its own that no choice of the search moves, so that a look is at results as they would be without a search. Over all
looks, metrics and configurations results that fit raise an alarm in one study of a hundred at most.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf, isfinite
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.problem.results import Row as Results
from satisfice.search import oddities
from satisfice.search.hints import Hint, hint_about, may_be_hinted
from satisfice.search.oddities import Oddity
from satisfice.search.running_sums import COUNT, FIELDS, LAGGED, LAGGED_SQUARES, SECOND, Row, with_results
from satisfice.statistics import needs_values
from satisfice.statistics.raw import BEYOND, Raw, is_count, is_list, share_counted

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

ODDITIES: tuple[Oddity, ...] = oddities.ALL


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
        z = least_z(FALSE_ALARMS * oddities.POOLED_SHARE / len(self._streams))
        apart = {(arm, place) for arm, place, kind in self._found if not ODDITIES[kind].of_normal}
        for place, stream in enumerate(self._streams):
            several = [
                arm for arm in np.flatnonzero(self._rows[:, place, COUNT] > 1.0).tolist() if (arm, place) not in apart
            ]
            rows = self._rows[several, place]
            lagged, squares, second, count = rows[:, (LAGGED, LAGGED_SQUARES, SECOND, COUNT)].sum(axis=0).tolist()
            number = oddities.pooled_autocorrelation(lagged, squares, second, z)
            if number is not None:
                config = self._arms[several[0]] if len(several) == 1 else ALL_CONFIGS
                yield _check(oddities.CARRY_OVER, stream, config, number, int(count))

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
