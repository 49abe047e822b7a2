"""Published contracts of sampling rules, stopping rules and simulated arms."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise, product
from math import inf, isclose, isfinite, isnan
from typing import Any, cast

import numpy as np

from satisfice.arrays import Floats
from satisfice.catalogue import offers
from satisfice.errors import InvalidProblem
from satisfice.extras import need
from satisfice.layout.numbers import rounded
from satisfice.noise import Normal
from satisfice.problem.goal import Goal
from satisfice.problem.metric import Direction, Metric
from satisfice.problem.problem import Problem, problem_of
from satisfice.problem.units import Setting
from satisfice.rules import RULES, MultiTUCB, Pandora, RuleLike, SamplingRule
from satisfice.rules.protocol import IN_MONEY, STEADY, DrawnRule, MarginRule, PricedRule, SteadyRule, kind_of
from satisfice.simulation.arms import arms_for, gaussian_arms
from satisfice.simulation.cell import Cell, run_once
from satisfice.simulation.instance import Instance
from satisfice.simulation.protocol import Arms
from satisfice.stopping import STOPPING_RULES, AlphaBoundary, StoppingLike, StoppingRule, judge_of
from satisfice.testing.noise import check_leeway, fail

PULLS = (*range(1, 21), 50, 100, 1000, 4095, 4096, 10**5, 10**6, 10**9)
SETTINGS = tuple(
    Setting(arms, metrics, error_rate, noise_scale)
    for arms, metrics in ((1, 1), (10, 4), (1000, 20))
    for error_rate in (0.5, 0.05, 1e-6)
    for noise_scale in (1e-3, 1.0, 1e3)
)
COSTS = (1e-9, 0.3, 1.0, 7.0, 1e14)
DRAWS = 1000
FAR = 6.0
"""Standard errors by which an average may miss: about once in 10^9."""


COMPILING = "A check of parts, which compiles them,"


def check_rule(rule: RuleLike) -> None:
    """A sampling rule: finite and repeatable priorities, none that fall with the clock, the same pulls compiled."""
    need(COMPILING, "numba")
    value = RULES.resolve(rule)
    kind = kind_of(type(value))
    if kind.by_draws:
        _check_draws(cast(DrawnRule, value))
    for setting in () if kind.by_draws else SETTINGS:
        for pulls in PULLS:
            bonus = _repeated(value, "bonus", pulls, setting)
            if not isfinite(bonus):
                fail(value, f"bonus({pulls}, {setting}) must be finite, got {bonus}")
            if kind.by_margins:
                _check_margin_priority(cast(MarginRule, value), pulls, bonus)
                continue
            for size in (-10.0, -0.1, 0.0, 0.1, 10.0):
                shortfall = size * setting.noise_scale
                for tolerance in (0.0, 0.05 * setting.noise_scale):
                    _check_priority(value, shortfall, shortfall - tolerance, bonus, max(pulls, setting.arms))
        if kind.by_margins and offers(type(value), STEADY):
            check_leeway(cast(SteadyRule, value), setting)
    _check_engines(_small_instance(), value, AlphaBoundary(), value)


def check_stopping(stopping: StoppingLike) -> None:
    """A stopping rule: the same decisions compiled, under several noise models if it knows them; a boundary has
    widths of zero or more, not smaller for a smaller error rate, in the metrics' unit."""
    need(COMPILING, "numba")
    value = STOPPING_RULES.resolve(stopping)
    for setting in SETTINGS if offers(type(value), ("width",)) else ():
        for pulls in PULLS:
            width = _width(value, pulls, setting)
            stricter = _width(value, pulls, setting._replace(error_rate=setting.error_rate / 2))
            if stricter < width:
                fail(
                    value,
                    f"half the error rate must not make the width smaller, but after {pulls} pulls with {setting} "
                    f"it goes from {width} to {stricter}",
                )
            stretched = _width(value, pulls, setting._replace(noise_scale=2 * setting.noise_scale))
            if not (isclose(stretched, 2 * width, rel_tol=1e-9) or stretched == width == inf):
                fail(
                    value,
                    f"twice the noise scale must make the width twice as large, else the unit of a metric would "
                    f"matter, but after {pulls} pulls with {setting} it goes from {width} to {stretched}",
                )
    for instance in (_noisy_instance(), _small_instance()):
        for goal in (*Goal, 2):
            asked = replace(instance, problem=replace(instance.problem, goal=goal))
            if _fits(value, asked):
                _check_engines(asked, Pandora(), value, value)


def check_arms(arms: Arms, *, seed: int = 0) -> None:
    """Simulated arms: finite results around the means they state, also when rescaled, and the same compiled."""
    need(COMPILING, "numba")
    if not issubclass(type(arms), tuple) or "means" not in getattr(arms, "_fields", ()):
        fail(arms, "arms must be a NamedTuple of arrays, one of them called means")
    means = np.asarray(arms.means)
    if means.ndim != 2 or 0 in means.shape or not np.isfinite(means).all():
        fail(arms, f"means must have shape (K, M) and hold finite numbers, got shape {means.shape}")
    results = _draws(arms, seed)
    if not np.isfinite(results).all():
        arm, _, metric = (int(place) for place in np.argwhere(~np.isfinite(results))[0])
        fail(arms, f"every result must be a finite number, but arm {arm} drew something else for metric {metric}")
    if not np.array_equal(results, _draws(arms, seed)):
        fail(
            arms,
            "a generator with the same seed must give the same results: all randomness must come from rng, and "
            "draw must write all M results and change nothing else",
        )
    _check_averages(arms, results, means)
    metrics = means.shape[1]
    for sign in (1.0, -1.0):
        offset, slope = np.arange(1.0, metrics + 1), sign * (1.0 + np.arange(metrics))
        moved = arms.rescaled(offset, np.asarray(slope, dtype=np.float64))
        for what, got, expected in (
            ("means", np.asarray(moved.means), offset + slope * means),
            ("results", _draws(moved, seed), offset + slope * results),
        ):
            if not np.allclose(got, expected, rtol=1e-9, atol=1e-9 * (1 + np.abs(expected).max())):
                fail(
                    arms, f"rescaled(offset, slope) must have the {what} offset + slope * {what}, with slope = {slope}"
                )
    problem = Problem(
        tuple(Metric(f"m{place}", float(mean), noise=Normal(1.0)) for place, mean in enumerate(means[0])), 0.05
    )
    _check_engines(Instance.of(problem, arms), MultiTUCB(), AlphaBoundary(), arms)


MARGINS, TOLERANCES = np.array([[0.5, -0.25], [3.0, 2.0], [-40.0, 0.0]]), np.full((3, 2), 0.1)


def _check_margin_priority(rule: MarginRule, pulls: int, bonus: float) -> None:
    for arm in range(len(MARGINS)):
        first, second = (rule.margin_priority(MARGINS, TOLERANCES, arm, pulls, bonus) for _ in range(2))
        if first != second or not isfinite(first):
            fail(rule, f"margin_priority must be finite and always the same, got {first} and then {second}")
        for cost in COSTS if offers(type(rule), IN_MONEY) else ():
            money = cast(PricedRule, rule).in_money(first, cost)
            if not isfinite(money) or (cost == 1.0 and money != first):
                fail(
                    rule, f"in_money({first}, {cost}) must be finite, and the priority where the cost is 1, got {money}"
                )


def _check_draws(rule: DrawnRule) -> None:
    for pulls, arm in product(PULLS, range(len(MARGINS))):
        streams = [np.random.default_rng(pulls) for _ in range(2)]
        first, second = (rule.drawn_score(rng, MARGINS, TOLERANCES, arm, pulls**-0.5) for rng in streams)
        if first != second or not isfinite(first):
            fail(rule, f"the score must be finite and the same for the same stream, got {first} and then {second}")
    if not rule.redraws() >= 0:
        fail(rule, f"redraws() must be zero or more, got {rule.redraws()}")


def _check_priority(rule: SamplingRule, shortfall: float, excess: float, bonus: float, total_pulls: int) -> None:
    if not kind_of(type(rule)).by_clock:
        priority = _repeated(rule, "priority", shortfall, excess, bonus)
        if not isfinite(priority):
            fail(rule, f"priority({shortfall}, {excess}, {bonus}) must be finite, got {priority}")
        return
    clock = [total_pulls, total_pulls + 1, 2 * total_pulls, 10 * total_pulls, 10**10]
    priorities = [_repeated(rule, "priority_at", shortfall, excess, bonus, total) for total in clock]
    for total, priority in zip(clock, priorities, strict=True):
        if not isfinite(priority):
            fail(rule, f"priority_at({shortfall}, {excess}, {bonus}, {total}) must be finite, got {priority}")
    for earlier, later in pairwise(range(len(clock))):
        if priorities[later] < priorities[earlier]:
            fail(
                rule,
                f"priority_at({shortfall}, {excess}, {bonus}, total_pulls) must not fall as total_pulls grows, but "
                f"goes from {priorities[earlier]} at {clock[earlier]} to {priorities[later]} at {clock[later]}",
            )


def _width(boundary: StoppingRule, pulls: int, setting: Setting) -> float:
    width = _repeated(boundary, "width", pulls, setting)
    if isnan(width) or width < 0:
        fail(boundary, f"width({pulls}, {setting}) must be zero or more (infinity: not yet), got {width}")
    return width


def _repeated(value: Any, method: str, *arguments: Any) -> float:
    """What the method returns, twice the same."""
    call: Callable[..., Any] = getattr(value, method)
    try:
        first, second = call(*arguments), call(*arguments)
    except Exception as error:
        fail(value, f"{method}{arguments} must return a number, but raised {type(error).__name__}: {error}")
    if isinstance(first, bool) or not isinstance(first, (int, float)):
        fail(value, f"{method}{arguments} must return a number, got {first!r}")
    if first != second and not (isnan(first) and isnan(second)):
        fail(value, f"{method}{arguments} must always return the same, got {first} and then {second}")
    return float(first)


def _check_averages(arms: Arms, results: Floats, means: Floats) -> None:
    averages, spreads = results.mean(axis=1), results.std(axis=1)
    usual = np.abs(results - np.median(results, axis=1, keepdims=True)) < 1e-12 * (1 + np.abs(results))
    tellable = (~usual).sum(axis=1) >= 30  # too few results that differ say nothing about an average
    off = np.abs(averages - means) > FAR * spreads / np.sqrt(results.shape[1])
    if (off & tellable).any():
        arm, metric = (int(place) for place in np.argwhere(off & tellable)[0])
        fail(
            arms,
            f"results must average to means, but metric {metric} of arm {arm} averages "
            f"{rounded(averages[arm, metric], 6)} in {DRAWS} draws, where means says {rounded(means[arm, metric], 6)}",
        )


def _draws(arms: Arms, seed: int) -> Floats:
    """Results of shape (K, DRAWS, M)."""
    rng = np.random.default_rng(seed)
    count, metrics = np.asarray(arms.means).shape
    results = np.full((count, DRAWS, metrics), np.nan)
    for arm in range(count):
        for row in results[arm]:
            arms.draw(rng, arm, row)
    return results


def _fits(stopping: StoppingRule, instance: Instance) -> bool:
    """Whether the stopping rule takes on the problem; a refusal in words is no fault."""
    try:
        judge_of(stopping, instance.problem, len(instance.arm_names))
    except InvalidProblem:
        return False
    return True


def _small_instance() -> Instance:
    """Four arms, one of them good, with metrics of unequal noise and tolerance."""
    problem = Problem(
        (
            Metric("a", 0.5, tolerance=0.1, noise=Normal(1.0)),
            Metric("b", 1.0, Direction.AT_MOST, tolerance=0.1, noise=Normal(2.0)),
        ),
        0.1,
    )
    return Instance.of(problem, gaussian_arms([[0.2, 2.0], [1.5, -1.0], [0.8, 1.2], [-0.5, 0.0]], [1.0, 2.0]))


def _noisy_instance() -> Instance:
    """Three arms, one of them good, with metrics of every noise model."""
    problem = problem_of(
        ["a >= 0 ~ 0.1 : normal(1)", "b >= 0 ~ 0.1", "c >= 0.5 ~ 0.1 : bernoulli", "d <= 1 ~ 0.2 : bounded(0, 2)"], 0.1
    )
    means = [[0.5, 0.5, 0.3, 0.5], [0.5, 0.5, 0.8, 0.5], [-0.5, 0.2, 0.8, 0.5]]
    return Instance.of(problem, arms_for(problem, means, sds=1.0))


def _check_engines(instance: Instance, rule: SamplingRule, stopping: StoppingRule, suspect: object) -> None:
    """A run of 1,000 pulls at most must be the same interpreted and compiled, pull by pull."""
    cell = Cell(instance, rule, stopping, 1, 1000, 1)
    ending, found, order = run_once(cell, engine="interpreted")
    compiled_ending, compiled_found, compiled_order = run_once(cell, engine="compiled")
    if (ending, found) != (compiled_ending, compiled_found) or not np.array_equal(order, compiled_order):
        common = min(len(order), len(compiled_order))
        place = int(np.append(order[:common] != compiled_order[:common], True).argmax())
        fail(suspect, f"a run must be the same interpreted and compiled, but they part after {place} pulls")
