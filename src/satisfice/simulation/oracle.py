"""The practical floor: an oracle that knows the arms and only has to prove what it knows.

It knows which arm it will name and how all results are distributed. For every metric it runs Wald's (1945) sequential
probability ratio test against the nearest distribution on the wrong side, that is, it makes the best fixed bet
(`best_bet`), and it names the arm when every metric's evidence has once reached 1/level. For NONE it rejects arm after
arm, each by the metric that speaks loudest; to classify all arms it does the one or the other with each, and to find
several it names the easiest, or rejects the easiest until too few are left. A rule that has to find out what the oracle
knows can hardly need less at that level.

The limit T* ln(1/delta) leaves out what the oracle still pays for: several metrics of equal difficulty, of which the
slowest decides, and evidence that overshoots.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf, isfinite, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.errors import InvalidInstance
from satisfice.layout.numbers import rounded
from satisfice.noise.process import Bet
from satisfice.search.verdict import Outcome
from satisfice.simulation.checks import Engine, check_engine
from satisfice.simulation.distributions import distributions_of
from satisfice.simulation.instance import Instance
from satisfice.simulation.protocol import Arms
from satisfice.stopping.error_budget import shares_for
from satisfice.theory.distributions import Distributions
from satisfice.theory.gaps import Standing
from satisfice.theory.information import Needs, Side, best_bet, information, needs

MOST_DRAWS = 2e8
"""Evaluations to simulate in all: beyond them repetitions are saved."""
FEWEST = 50
"""Repetitions that are made in any case."""
CANDIDATES, RIVALRY = 8, 2.5
"""How many arms the oracle tries to name, at most: of those that take up to RIVALRY times the least in theory."""


@dataclass(frozen=True)
class OracleFloor:
    """The mean number of evaluations of the oracle, with its standard error; `arm` is the one that it names, or all."""

    answer: Outcome
    arm: str | None
    level: float
    mean: float
    standard_error: float
    repetitions: int

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"answer": str(self.answer)}


def oracle_floor(
    instance: Instance,
    *,
    shared: bool = False,
    repetitions: int = 1000,
    seed: int = 0,
    engine: Engine = "compiled",
    distributions: Distributions | None = None,
) -> OracleFloor:
    """How many evaluations the oracle takes for the cheapest right answer.

    It spends the whole error rate on the one answer that it knows to be right, or, when `shared`, what is left of it
    where every arm might be the one: the error rate over K to name an arm, and the reject share of `Evidence` for NONE.
    """
    known = distributions_of(instance) if distributions is None else distributions
    found = needs(instance.problem, instance.arms.means, distributions=known)
    plans = list(_plans(_Oracle(instance, known, *_levels(instance, shared)), found))
    if not plans:
        raise InvalidInstance(
            "Expected an instance that can be decided, but every arm lies just at a threshold or at the end of a "
            "tolerance, and no number of evaluations tells on which side. Move a threshold, or change a tolerance."
        )
    return min((_run(instance, plan, repetitions, seed, engine) for plan in plans), key=lambda floor: floor.mean)


class _Task(NamedTuple):
    """One arm to decide: its bets, one for each metric, what ln of their evidence must reach, and how long it takes."""

    arm: int
    bets: list[Bet]
    levels: list[float]
    expected: float


class _Plan(NamedTuple):
    """What the oracle does for an answer: decide these arms, one after another."""

    answer: Outcome
    arm: str | None
    level: float
    tasks: list[_Task]


class _Oracle(NamedTuple):
    """What the oracle knows, and the error rates at which it accepts or rejects an arm."""

    instance: Instance
    distributions: Distributions
    accept: float
    reject: float

    def accepting(self, arm: int) -> _Task:
        """All metrics have to cross."""
        numbers, bets = self._numbers(arm, Side.ACCEPT)
        level = log(1.0 / self.accept)
        return _Task(arm, bets, [level] * len(bets), level / min(numbers))

    def rejecting(self, arm: int) -> _Task:
        """The metric that says most has to cross."""
        numbers, bets = self._numbers(arm, Side.REJECT)
        level, worst = log(1.0 / self.reject), numbers.index(max(numbers))
        levels = [level if metric == worst else -inf for metric in range(len(bets))]
        return _Task(arm, bets, levels, level / numbers[worst])

    def _numbers(self, arm: int, side: Side) -> tuple[list[float], list[Bet]]:
        metrics = [metric.of_arm(arm) for metric in self.instance.problem.metrics]
        known = list(zip(metrics, self.instance.arms.means[arm].tolist(), self.distributions[arm], strict=True))
        numbers = [information(metric, mean, side, distribution) for metric, mean, distribution in known]
        bets = [
            best_bet(metric, mean, side, distribution) if number > 0.0 else Bet(0.0)
            for number, (metric, mean, distribution) in zip(numbers, known, strict=True)
        ]
        return numbers, bets


def _plans(oracle: _Oracle, found: Needs) -> Iterator[_Plan]:
    """The right answers that can be proven at all."""
    names, setting = oracle.instance.arm_names, found.instance.setting
    everything = range(len(names))
    if setting.find_all:
        if all(isfinite(min(pair)) for pair in zip(found.accept, found.reject, strict=True)):
            cheaper = [found.accept[arm] <= found.reject[arm] for arm in everything]
            tasks = [oracle.accepting(arm) if cheaper[arm] else oracle.rejecting(arm) for arm in everything]
            yield _Plan(Outcome.FOUND if any(cheaper) else Outcome.NONE, None, oracle.accept, tasks)
        return
    for arms in _candidates(found, setting.wanted):
        named = ", ".join(names[arm] for arm in arms)
        yield _Plan(Outcome.FOUND, named, oracle.accept, [oracle.accepting(arm) for arm in arms])
    easiest = sorted(everything, key=lambda arm: found.reject[arm])[: setting.arms - setting.wanted + 1]
    if found.instance.good < setting.wanted and isfinite(sum(found.reject[arm] for arm in easiest)):
        yield _Plan(Outcome.NONE, None, oracle.reject, [oracle.rejecting(arm) for arm in sorted(easiest)])


def _levels(instance: Instance, shared: bool) -> tuple[float, float]:
    rate, arms = instance.problem.error_rate, len(instance.arm_names)
    return (rate / arms, shares_for(instance.problem.setting(arms)).reject) if shared else (rate, rate)


def _candidates(found: Needs, wanted: int) -> list[list[int]]:
    """What to name: the easiest arms within tolerance or, where one is looked for, each of those that may be it.

    With several metrics at stake the easiest on paper may not be the easiest.
    """
    within = [arm for arm, standing in enumerate(found.instance.standings) if standing is not Standing.FAILING]
    order = sorted((arm for arm in within if isfinite(found.accept[arm])), key=lambda arm: found.accept[arm])
    if wanted > 1:
        return [order[:wanted]] if len(order) >= wanted else []
    return [[arm] for arm in order if found.accept[arm] <= RIVALRY * found.accept[order[0]]][:CANDIDATES]


def _run(instance: Instance, plan: _Plan, repetitions: int, seed: int, engine: Engine) -> OracleFloor:
    expected = sum(task.expected for task in plan.tasks)
    if expected * FEWEST > MOST_DRAWS:
        raise InvalidInstance(
            f"The oracle would need about {rounded(expected)} evaluations, too many to simulate. Look at the "
            "practical limit instead."
        )
    count = max(FEWEST, min(repetitions, int(MOST_DRAWS / (expected + 1.0))))
    arms, add = instance.arms, add_oracle_runs
    check_engine(engine)
    if engine == "compiled":
        from satisfice.simulation.engine import compiled  # noqa: PLC0415 - only here is numba loaded

        add = compiled(add_oracle_runs, arms)
    totals = np.zeros(count, np.int64)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    chosen = np.array([task.arm for task in plan.tasks], np.int64)
    bets, levels = (np.array([task[field] for task in plan.tasks], np.float64) for field in (1, 2))
    add(rng, arms, chosen, bets, levels, totals)
    error = float(totals.std(ddof=1)) / sqrt(count)
    return OracleFloor(plan.answer, plan.arm, plan.level, float(totals.mean()), error, count)


def add_oracle_runs(
    rng: np.random.Generator, arms: Arms, chosen: Integers, bets: Floats, levels: Floats, totals: Integers
) -> None:
    """For each run, pull the chosen arms one after another until all bets have reached their levels; count the pulls.

    Plain Python, run as it stands or compiled.
    """
    metrics = levels.shape[1]
    results, evidence = np.zeros(metrics), np.zeros(metrics)
    for place in range(chosen.shape[0]):
        for run in range(totals.shape[0]):
            waiting = 0
            for metric in range(metrics):
                evidence[metric] = 0.0
                waiting += 1 if levels[place, metric] > 0.0 else 0
            while waiting > 0:
                arms.draw(rng, chosen[place], results)
                totals[run] += 1
                for metric in range(metrics):
                    if evidence[metric] < levels[place, metric]:
                        evidence[metric] += gain(bets[place, metric], results[metric])
                        waiting -= 1 if evidence[metric] >= levels[place, metric] else 0


def gain(bet: Floats, result: float) -> float:
    """What a result adds to ln of the evidence of a bet: the fields of `Bet` in their order."""
    step = result - bet[0]
    if bet[1] > 0.0:
        growth = 1.0 + bet[3] * step
        return log(growth) if growth > 0.0 else -inf
    return float(bet[2] + step * (bet[3] + step * bet[4]))
