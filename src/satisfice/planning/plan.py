"""Planning: the study that is about to run, simulated under scenarios, before anything is spent."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from satisfice.arrays import Floats
from satisfice.cluster import ExecutorLike
from satisfice.errors import InvalidProblem
from satisfice.given import is_whole, shown
from satisfice.layout.escape import table
from satisfice.layout.notebook import in_notebook
from satisfice.layout.numbers import fixed, rounded
from satisfice.layout.text_table import text_table
from satisfice.planning.scenarios import (
    CLEARLY,
    JUST,
    SCENARIOS,
    ArmCounts,
    Guesses,
    chosen_scenarios,
    guesses_for,
    instance_of,
)
from satisfice.problem.cost import CostLike, cost_of
from satisfice.problem.goal import Goal, GoalLike
from satisfice.problem.metric import Metric, as_metric
from satisfice.problem.problem import Problem, problem_of
from satisfice.rules import DEFAULT_RULE, RuleLike
from satisfice.simulation.campaign import Progress, plan_cells, run_campaign
from satisfice.simulation.checks import Engine
from satisfice.simulation.distributions import distributions_of
from satisfice.simulation.durations import Durations
from satisfice.simulation.results import CampaignResult, time_text
from satisfice.simulation.summary import CellSummary, Timing
from satisfice.stopping import DEFAULT_STOPPING, StoppingLike, judge_of
from satisfice.stopping.by_evidence import evidence_of
from satisfice.study.known_limits import ruled_out, split
from satisfice.theory import Standing, bounds


def planned_costs(cost: CostLike, configs: Any, problem: Problem) -> tuple[float, ...]:
    """What one evaluation of each configuration costs, as `create_study` would read it; of each group, if any."""
    if isinstance(configs, Mapping):
        named = [(str(name), parameters or {}) for name, parameters in configs.items()]
    elif isinstance(configs, Sequence):
        named = [(str(name), {}) for name in configs]
    else:
        named = [(str(place + 1), {}) for place in range(int(configs))]
    found = cost_of(cost, named, problem.measured, problem.groups)
    if found.by_config is None:
        raise InvalidProblem(
            f"Evaluations report their cost as {found.metric!r}, and a plan cannot know it before. Give a guess: a "
            "number, numbers by configuration, or an expression of their parameters."
        )
    return found.by_config


def spread_costs(costs: Sequence[float], kinds: ArmCounts, groups: int = 1) -> Floats:
    """The costs for the arms of a scenario, in their order: each kind has cheap and dear ones, one alone the median.

    Small kinds choose first, at equal distances among what is left from the cheapest to the dearest. With groups of
    metrics an arm has a cost for each of the `groups`.
    """
    each = np.array(costs, dtype=np.float64).reshape(-1, groups)
    sizes = [len(each) - sum(kinds), kinds.just_fail, kinds.within_tolerance, kinds.just_pass, kinds.clearly_pass]
    starts = np.cumsum([0, *sizes])
    left, given = each[np.argsort(each.sum(axis=1), kind="stable")], np.empty_like(each)
    for kind in sorted(range(len(sizes)), key=lambda kind: sizes[kind]):
        size = sizes[kind]
        places = ((np.arange(size) + 0.5) * len(left) / max(size, 1)).astype(np.int64)
        given[starts[kind] : starts[kind] + size] = left[places]
        left = np.delete(left, places, axis=0)
    return given.reshape(-1)


@dataclass(frozen=True)
class ScenarioPlan:
    """What the study would take in one scenario: `passing` configurations are good, `limit` is T* ln(1/error rate).

    Runs that ended without an answer count with the whole budget: their share is `runs.timed_out`. Where workers were
    asked for, `with_workers` are their runs beside those of one worker.
    """

    scenario: str
    passing: int
    limit: float | None
    runs: CellSummary
    with_workers: CellSummary | None = None

    def as_dict(self) -> dict[str, Any]:
        named = {"scenario": self.scenario, "passing": self.passing, "limit": self.limit}
        beside = {} if self.with_workers is None else {"with_workers": _numbers(self.with_workers)}
        return named | _numbers(self.runs) | beside


def _numbers(runs: CellSummary) -> dict[str, Any]:
    timing = runs.timing
    times = {} if timing is None else {"asked": timing.asked, "time": timing.time, "time_90": timing.time_90}
    return {
        "mean": runs.mean,
        "standard_error": runs.standard_error,
        "median": runs.median,
        "quantile_90": runs.quantile_90,
        "quantile_99": runs.quantile_99,
        "maximum": runs.maximum,
        "found": runs.found,
        "none": runs.none,
        "undecided": runs.timed_out,
        "wrong": runs.wrong,
        "cost": None if runs.cost is None else asdict(runs.cost),
    } | times


def table_line(each: ScenarioPlan, budget: int) -> tuple[str, ...]:
    """A line of the table; a number that the budget has cut off is marked with '+'."""
    runs = each.runs
    cut = runs.timed_out > 0

    def number(value: float, hit: bool) -> str:
        return f"{fixed(value, 0)}{'+' if hit else ''}"

    return (
        each.scenario,
        number(runs.mean, cut),
        number(runs.median, cut and runs.median >= budget),
        number(runs.quantile_90, cut and runs.quantile_90 >= budget),
        *_costs(runs),
        *_endings(runs),
    )


def timed_line(scenario: str, runs: CellSummary, timing: Timing) -> tuple[str, ...]:
    """Evaluations used and asked for, and the time until the answer, its mean and what 90 % of the runs keep to."""
    cut = "+" if runs.timed_out > 0 else ""
    return (
        scenario,
        f"{timing.workers:,}",
        *(f"{fixed(number, 0)}{cut}" for number in (runs.mean, timing.asked)),
        *(f"{time_text(time)}{cut}" for time in (timing.time, timing.time_90)),
        *_costs(runs),
        *_endings(runs),
    )


def _costs(runs: CellSummary) -> tuple[str, ...]:
    """What runs cost, where that is known: the mean, and what 90 % of them keep to."""
    cut = "+" if runs.timed_out > 0 else ""
    return () if runs.cost is None else (f"{rounded(runs.cost.mean)}{cut}", rounded(runs.cost.quantile_90))


def _endings(runs: CellSummary) -> tuple[str, ...]:
    """How many runs found one, found none or were cut off, in percent."""
    return tuple(fixed(100 * share, 0) for share in (runs.found, runs.none, runs.timed_out))


BUDGET, REPETITIONS = 100_000, 500
MOST_CONFIGS = 1_000_000
"""As many as a study can have."""


@dataclass(frozen=True)
class StudyPlan:
    """A study as planned, and what it would take in each scenario; print it for a table."""

    problem: Problem
    configs: int
    guesses: Guesses
    budget: int
    scenarios: tuple[ScenarioPlan, ...]
    result: CampaignResult
    max_cost: float | None = None

    @property
    def timing(self) -> Timing | None:
        """The workers and durations of the plan, where there are any."""
        last = self.scenarios[-1].with_workers or self.scenarios[-1].runs
        return last.timing

    def by_shape(self) -> dict[str, dict[str, float]]:
        """For undeclared metrics: about how many evaluations it takes to accept a configuration that just passes.

        By the shape of their results. Simulated ones are normal, or as declared; skewed ones take longer.
        """
        evidence = evidence_of(judge_of(self.result.cells[0].cell.stopping, self.problem, self.configs))
        if evidence is None:
            return {}
        found = {
            metric.name: metric.process.by_shape(metric.noise, evidence.accept_level, self.guesses.just)
            for metric in self.problem.metrics
        }
        return {name: shapes for name, shapes in found.items() if shapes}

    def taken_as_one_number(self) -> tuple[str, ...]:
        """The limits on what an evaluation may return several numbers of, or a count; simulated ones return one."""
        metrics = self.problem.metrics
        return tuple(one.label for one in metrics if one.statistic.takes_lists or one.process.weighted)

    def as_dict(self) -> dict[str, Any]:
        """The same in plain values that any JSON writer takes."""
        first = self.scenarios[0].runs
        cell, timing = self.result.cells[0].cell, self.timing
        timed = {} if timing is None else {"workers": timing.workers, "durations": timing.durations}
        return {
            "thresholds": [str(metric) for metric in self.problem.metrics],
            "error_rate": self.problem.error_rate,
            "goal": self.problem.goal,
            "configs": self.configs,
            "spread": self.guesses.by_metric(self.problem),
            "just": self.guesses.just,
            "clearly": self.guesses.clearly,
            "rule": first.rule,
            "stopping": first.stopping,
            "budget": self.budget,
            "max_cost": self.max_cost,
            "repetitions": first.repetitions,
            "seed": cell.seed,
            **timed,
            "by_shape": self.by_shape(),
            "taken_as_one_number": list(self.taken_as_one_number()),
            "scenarios": [each.as_dict() for each in self.scenarios],
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """The distribution of evaluations in each scenario, as a matplotlib figure, also saved if a path is given."""
        from satisfice.plots import plot_plan, save_figure  # noqa: PLC0415 - loads matplotlib

        figure = plot_plan([(each.scenario, each.runs, each.limit) for each in self.scenarios], self.budget)
        if path is not None:
            save_figure(figure, Path(path))
        return figure

    def __str__(self) -> str:
        return text_table((*self.heads, "found %", "none %", "undecided %"), self.table_lines())

    def _repr_html_(self) -> str:
        heads = (*self.heads, "found %", "none %", "undecided %")
        return in_notebook(table(heads, self.table_lines(), numbers=range(1, len(heads))))

    @property
    def heads(self) -> tuple[str, ...]:
        """What the columns of the table are called, before the shares of the three endings."""
        timed = ("scenario", "workers", "used", "asked", "time", "90 %")
        priced = ("cost", "cost, 90 %") if self.is_priced else ()
        return (*(("scenario", "mean", "median", "90 %") if self.timing is None else timed), *priced)

    def table_lines(self) -> list[tuple[str, ...]]:
        """A line for each scenario, with workers a second one; a number that the budget has cut off has a '+'."""
        if self.timing is None:
            return [table_line(each, self.budget) for each in self.scenarios]
        named = [pair for each in self.scenarios for pair in ((each.scenario, each.runs), ("", each.with_workers))]
        return [timed_line(name, runs, runs.timing) for name, runs in named if runs is not None and runs.timing]

    @property
    def is_priced(self) -> bool:
        """Whether it is known what evaluations cost."""
        return self.scenarios[0].runs.cost is not None


def plan(
    thresholds: Problem | Iterable[Metric | str],
    configs: int | Sequence[Any] | Mapping[str, Any],
    *,
    error_rate: float = 0.05,
    goal: GoalLike = Goal.ANY,
    spread: Mapping[str, float] | None = None,
    just: float = JUST,
    clearly: float = CLEARLY,
    scenarios: Sequence[str] | None = None,
    rule: RuleLike = DEFAULT_RULE,
    stopping: StoppingLike = DEFAULT_STOPPING,
    budget: int = BUDGET,
    cost: CostLike | None = None,
    max_cost: float | None = None,
    repetitions: int = REPETITIONS,
    seed: int = 0,
    workers: int = 1,
    durations: str | Durations | None = None,
    threads: int | None = None,
    executor: ExecutorLike | None = None,
    folder: str | Path | None = None,
    engine: Engine = "compiled",
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> StudyPlan:
    """How many evaluations to expect of a study with these thresholds and configurations, by scenario.

    `configs` is their number, or whatever `create_study` takes. `spread` guesses the standard deviation of one
    evaluation by metric, and is needed for metrics that are undeclared, bounded or normal of unknown variance. `just`
    and `clearly` say in these standard deviations how far means are from their thresholds. `scenarios` names those to
    look at. `cost` is what an evaluation costs, as for `create_study`: then a plan says what studies cost. Which of the
    configurations pass nobody knows: each kind has cheap and dear ones, and one alone the median cost.
    A run ends at `budget` evaluations, or before it would cost more than `max_cost`. With `workers`, or with
    `durations` such as 'lognormal(1) + 0.5% x 30', studies are simulated in time, with that many evaluations at a time
    beside one at a time; what they cost is then that of all that was asked for. With a `folder`, finished
    scenarios are kept there and not run again; with an `executor`, a Dask client for instance, they are spread over its
    workers.
    """
    if not isinstance(thresholds, Problem):
        thresholds, configs = _in_question(tuple(map(as_metric, thresholds)), configs)
    problem = thresholds if isinstance(thresholds, Problem) else problem_of(thresholds, error_rate, goal=goal)
    count = _count(configs)
    if not is_whole(budget, 1):
        raise InvalidProblem(f"The budget must be a whole number of evaluations, 1 or more, got {shown(budget)}.")
    guesses = guesses_for(problem, spread, just, clearly)
    instances = [instance_of(name, problem, count, guesses) for name in chosen_scenarios(problem, count, scenarios)]
    if not isinstance(workers, int):
        raise InvalidProblem(f"A plan is for one number of workers, a whole number of 1 or more, got {shown(workers)}.")
    if cost is not None:
        costs, wanted = planned_costs(cost, configs, problem), problem.setting(count).wanted
        kinds, groups = [SCENARIOS[one.name](count, wanted) for one in instances], len(problem.by_group)
        priced = zip(instances, kinds, strict=True)
        instances = [replace(one, costs=spread_costs(costs, each, groups)) for one, each in priced]
    cells = plan_cells(
        instances,
        [rule],
        stopping=stopping,
        repetitions=repetitions,
        max_evaluations=budget,
        max_cost=max_cost,
        seed=seed,
        workers=workers,
        durations=durations,
    )
    result = run_campaign(
        cells, folder=folder, threads=threads, executor=executor, engine=engine, on_progress=on_progress
    )
    rows = []
    each = len(cells) // len(instances)  # one worker's runs, and then those of many
    for place, instance in enumerate(instances):
        runs, *beside = result.summaries[each * place : each * (place + 1)]
        known = bounds(problem, instance.arms.means, distributions=distributions_of(instance))
        passing = sum(standing is Standing.GOOD for standing in known.standings)
        limit = None if problem.groups else known.practical_limit  # which is of evaluations that measure everything
        rows.append(ScenarioPlan(instance.name, passing, limit, runs, *beside))
    return StudyPlan(problem, count, guesses, int(budget), tuple(rows), result, max_cost)


def _in_question(metrics: Sequence[Metric], configs: Any) -> tuple[Sequence[Metric], Any]:
    """The limits on what is measured, and the configurations that no limit on a parameter rules out."""
    if not isinstance(configs, Mapping) or not all(isinstance(each, Mapping) for each in configs.values()):
        return metrics, configs
    known, measured = split(metrics, list(configs.items()))
    out = ruled_out([str(metric) for metric in known], list(configs.items()))
    if len(out) == len(configs) > 0:
        raise InvalidProblem(
            f"No configuration passes {' and '.join(metric.limited for metric in known)}, so there is nothing to plan."
        )
    return measured, {name: each for name, each in configs.items() if name not in out}


def _count(configs: Any) -> int:
    count = len(configs) if isinstance(configs, Sequence | Mapping) and not isinstance(configs, str) else configs
    if not is_whole(count, 1):
        raise InvalidProblem(
            f"Expected the number of configurations, 1 or more, or their names, got {shown(configs, 60)}."
        )
    if int(count) > MOST_CONFIGS:
        raise InvalidProblem(f"A plan is for at most {MOST_CONFIGS:,} configurations, got {shown(count)}.")
    return int(count)
