"""How long a study may still take: it goes on from where it is, many times over, with results drawn from its own.

Nothing is assumed about noise. In each run every configuration has a distribution drawn from what its results say of
it (Ferguson 1973), so that what is uncertain about its means is uncertain here, too. It is shrunk towards what all
configurations have in common, by as much as their means differ: the one that looks best is seldom as good as it looks,
and one with few results, or none, is like the others.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from math import ceil, inf, isfinite
from time import thread_time
from typing import Any, NamedTuple

import numpy as np

from satisfice.errors import SatisficeError
from satisfice.search.search import Search
from satisfice.search.verdict import Outcome
from satisfice.study.events import Event
from satisfice.study.past_results import Kept, PastResults, Source, Urn
from satisfice.study.spec import Spec
from satisfice.study.view import StudyView

LEAST_RUNS, MOST_RUNS = 20, 100
"""Runs that there is time for at least, however long each takes, and at most."""

MOST_CONFIGS = 20_000
"""With more of them each run would take longer to begin than there is time for."""

MOST_EVENTS = 200_000
"""Of a longer log what came last is enough."""

WARM_UP = 100
"""Evaluations after which it is known how long one takes to simulate."""


@dataclass(frozen=True)
class Forecast:
    """What is left of a study at its present estimates, by `runs` of it that were simulated after `at` evaluations.

    `evaluations` and `cost` are medians, those with `_90` what nine of ten runs keep to; None where that is more than
    `limit` evaluations, after which runs were cut off, or where nobody knows what evaluations cost. They come on top of
    the evaluations that there were and of what was `spent`. `found` and `none`
    are the shares of runs that ended so, and `within` is the share that ended before the budget did, if there is one.
    """

    at: int
    spent: float
    runs: int
    limit: int
    evaluations: int | None
    evaluations_90: int | None
    cost: float | None
    cost_90: float | None
    found: float
    none: float
    within: float | None

    def as_dict(self) -> dict[str, Any]:
        """The same in plain values that any JSON writer takes."""
        return asdict(self)


class Budget(NamedTuple):
    """What a study may still have of evaluations and of costs."""

    evaluations: float = inf
    cost: float = inf


def budget_of(view: StudyView) -> Budget:
    """What is left of what a study may have."""
    most, cost = view.policy.max_evaluations, view.cost
    return Budget(
        inf if most is None else max(0, most - view.counts.told),
        inf if cost is None or cost.most is None else max(0.0, cost.most - cost.spent),
    )


class Beginning(NamedTuple):
    """All that simulated runs begin with: the study, its search as arrays, its results, its budget and its present."""

    spec: Spec
    arrays: Mapping[str, Any]
    results: Mapping[int, Sequence[Kept]]
    budget: Budget
    at: int
    spent: float = 0.0


def beginning_of(view: StudyView, results: Mapping[int, Sequence[Kept]]) -> Beginning:
    """Where a study is, with what its results were."""
    spent = 0.0 if view.cost is None else view.cost.spent
    return Beginning(view.spec, view.search_arrays(), results, budget_of(view), view.counts.folded, spent)


def beginning_from(view: StudyView, read: Callable[[int, int], Iterable[Event]]) -> Beginning | None:
    """The same with results from the log, which `read` reads after a position up to another; None after a verdict."""
    if view.outcome is not Outcome.UNDECIDED:
        return None
    results = PastResults(view.spec)
    results.follow(read(max(0, view.position - MOST_EVENTS), view.position))
    return beginning_of(view, results.by_line)


class Run(NamedTuple):
    """How a simulated run ended, after how many evaluations and what they cost."""

    outcome: Outcome
    evaluations: int
    cost: float

    @property
    def ended(self) -> bool:
        return self.outcome is not Outcome.UNDECIDED


def forecast(beginning: Beginning, *, seconds: float) -> Forecast | None:
    """What is left of a study, by runs that take about `seconds` of processor time; None if it is too early.

    Runs are cut off where `LEAST_RUNS` of that length would use up the time, each at the same number of evaluations:
    those that were cut off are longer than the others, and none is left out for being long.
    """
    source = Source(beginning.results, len(beginning.spec.groups) or 1)
    if not source.is_rich or len(beginning.spec.names) > MOST_CONFIGS:
        return None
    until, rng = thread_time() + seconds, np.random.default_rng(beginning.at)
    priced = beginning.spec.cost is not None
    try:
        each = _pace(_steps(_search(beginning), source.drawn(rng), WARM_UP, priced))
        limit = max(WARM_UP, int((until - thread_time()) / (LEAST_RUNS * each)))
        runs: list[Run] = []
        for run in islice(runs_of(beginning, source, rng, limit), MOST_RUNS):
            runs.append(run)
            if len(runs) >= LEAST_RUNS // 2 and thread_time() >= until:
                break
    except SatisficeError:  # a rule or a model that fails on what may happen; the study itself is not concerned
        return None
    return _summary(beginning, runs, limit, priced)


def runs_of(beginning: Beginning, source: Source, rng: np.random.Generator, limit: int) -> Iterator[Run]:
    """Simulated runs without end, each cut off after that many evaluations."""
    while True:
        yield _run(_search(beginning), source.drawn(rng), limit, beginning.spec.cost is not None)


def _pace(steps: Iterator[float]) -> float:
    """Seconds of processor time for each step, by the later half of them: whatever is made once is made by then."""
    times = [thread_time(), *(thread_time() for _ in steps)]
    half = len(times) // 2
    return max(1e-6, (times[-1] - times[half]) / max(1, len(times) - 1 - half))


def _search(beginning: Beginning) -> Search:
    search = beginning.spec.search()
    search.restore(beginning.arrays)
    return search


def _run(search: Search, draw: Urn, limit: int, priced: bool) -> Run:
    made, spent = 0, 0.0
    for cost in _steps(search, draw, limit, priced):
        made += 1
        spent += cost
    return Run(search.outcome, made, spent)


def _steps(search: Search, draw: Urn, limit: int, priced: bool) -> Iterator[float]:
    """Go on until there is a verdict or the limit is reached: what each evaluation costs."""
    first = search.asks
    for number in range(first, first + limit):
        line = search.choose(number)
        if line is None:
            return
        result = draw(line)
        expected = search.costs.expected(line) if priced else None
        search.note_cost(line, result.cost)
        search.fold(line, result.values, result.baseline)
        yield (expected or 0.0) if result.cost is None else result.cost


def _summary(beginning: Beginning, runs: Sequence[Run], limit: int, priced: bool) -> Forecast:
    ended = [run for run in runs if run.ended]
    cut = [inf] * (len(runs) - len(ended))
    lengths = sorted([*(run.evaluations for run in ended), *cut])
    costs = sorted([*(run.cost for run in ended), *cut])
    budget, share = beginning.budget, 1 / len(runs)
    within = sum(run.evaluations <= budget.evaluations and run.cost <= budget.cost for run in ended)
    return Forecast(
        at=beginning.at,
        spent=beginning.spent,
        runs=len(runs),
        limit=limit,
        evaluations=_quantile(lengths, 0.5, int),
        evaluations_90=_quantile(lengths, 0.9, int),
        cost=_quantile(costs, 0.5, float) if priced else None,
        cost_90=_quantile(costs, 0.9, float) if priced else None,
        found=share * sum(run.outcome is Outcome.FOUND for run in ended),
        none=share * sum(run.outcome is Outcome.NONE for run in ended),
        within=share * within if isfinite(min(budget)) else None,
    )


def place_of(share: float, runs: int) -> int:
    """Which of the runs, ordered by length, is the quantile: one more run is as likely in each of runs + 1 gaps."""
    return ceil(share * (runs + 1))


def _quantile(values: Sequence[float], share: float, kind: type) -> Any:
    """The value that one more run would not exceed with a probability of `share`; None of what was cut off."""
    found = values[min(len(values), place_of(share, len(values))) - 1]
    return kind(found) if isfinite(found) else None
