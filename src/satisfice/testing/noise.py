"""Published contracts of noise models and stopping rules: values, results, evidence, intervals, error rates."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import exp, inf, isnan, log, sqrt
from typing import NamedTuple, NoReturn, cast

import numpy as np

from satisfice.arrays import Floats
from satisfice.catalogue import rule_label
from satisfice.errors import BrokenContract, SatisficeError
from satisfice.layout.numbers import rounded, written
from satisfice.noise import Normal
from satisfice.noise.process import TOLERANCE, NoiseModel, has_own_process, is_same, never_calm, process_of
from satisfice.problem.metric import Direction, Metric, as_metric
from satisfice.problem.problem import Problem
from satisfice.problem.units import Setting
from satisfice.rules import RULES, RuleLike
from satisfice.rules.protocol import MarginRule, SteadyRule
from satisfice.search.opening import seed_from
from satisfice.search.search import Search
from satisfice.simulation.arms import arms_for, gaussian_arms
from satisfice.simulation.binomial import rate_interval
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.simulation.checks import Engine
from satisfice.simulation.instance import Instance
from satisfice.simulation.protocol import Arms
from satisfice.simulation.trial import FOUND, NONE
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES, StoppingLike


def fail(value: object, promise: str) -> NoReturn:
    """Say what the value, of somebody's own, was expected to do, and what it did."""
    raise BrokenContract(f"{type(value).__name__}: {promise}.")


RULE_RUNS, NOISE_RUNS = 500, 1000
LATER = 80
"""Results, at most, that are told in advance."""
ARMS, METRICS = 12, 3
SMALL = 1e-6
"""A part by which sums may be rounded."""


def check_leeway(rule: SteadyRule, setting: Setting, seed: int = 0) -> None:
    """As long as no metric's score falls by more than the leeway, the priority must stay above the reach."""
    by_margins, rng = cast(MarginRule, rule), np.random.default_rng(seed)
    for _ in range(RULE_RUNS):
        pulls = int(exp(rng.uniform(0.0, 9.0)))
        last = pulls + int(rng.integers(1, LATER))
        margins, tolerances = np.zeros((ARMS, METRICS)), np.full((ARMS, METRICS), rng.choice([0.0, 0.1]))
        margins[0] = rng.normal(1.0, 2.0, METRICS) / pulls**0.5
        priority = by_margins.margin_priority(margins, tolerances, 0, pulls, by_margins.bonus(pulls, setting))
        reach = priority - abs(priority) * 10.0 ** rng.uniform(-4.0, 1.0)
        leeway = rule.leeway(margins, tolerances, 0, pulls, last, by_margins.bonus(last, setting), reach)
        if isnan(leeway) or leeway < 0.0:
            fail(rule, f"leeway must be zero or more, got {leeway} after {pulls} results")
        if leeway > 0.0:
            _check_fall(rule, setting, (margins, tolerances), (pulls, last), min(leeway, 1e3), reach, rng)


def _check_fall(
    rule: SteadyRule,
    setting: Setting,
    standing: tuple[Floats, Floats],
    pulls: tuple[int, int],
    leeway: float,
    reach: float,
    rng: np.random.Generator,
) -> None:
    by_margins, (margins, tolerances), (first, last) = cast(MarginRule, rule), standing, pulls
    scores = rule.weight(first) * (margins[0] + tolerances[0])
    for _ in range(5):
        now = int(rng.integers(first + 1, last + 1))
        fallen = scores - leeway * rng.choice([0.0, 1.0, 1.0, -0.5], METRICS)
        margins[0] = fallen / rule.weight(now) - tolerances[0]
        priority = by_margins.margin_priority(margins, tolerances, 0, now, by_margins.bonus(now, setting))
        if not priority > reach:
            fail(
                rule,
                f"no score falls by more than the leeway, {leeway}, from result {first} to result {now}, and the "
                f"priority becomes {priority}, which is not above {reach}",
            )


def check_calm(noise: NoiseModel, problem: Problem, seed: int = 0) -> None:
    """Between the two sums nothing may be enough, and the margin must be what was asked for."""
    if process_of(noise).between is never_calm:
        return
    table, rng = problem.noise(1), np.random.default_rng(seed)
    tolerance, more = table.numbers[0, TOLERANCE], np.zeros(table.extra)
    for _ in range(NOISE_RUNS):
        pulls = int(exp(rng.uniform(0.0, 10.0)))
        last = pulls + int(rng.integers(1, LATER))
        level, ratio, least = rng.uniform(0.5, 9.0), rng.uniform(0.1, 1.0), rng.normal(0.0, 2.0) * pulls**0.5
        needs = table.needed_within(0, pulls, level), table.needed_below(0, pulls, level)
        low, high = table.between(0, pulls, last, *needs, least, ratio)
        for total in (np.nextafter(low, high), np.nextafter(high, low), rng.uniform(low, high)) if low < high else ():
            now = int(rng.integers(pulls, last + 1))
            sums = 0, now, float(total), more, ratio
            for side in ("within", "below"):
                if getattr(table, f"enough_{side}")(*sums, getattr(table, f"needed_{side}")(0, now, level)):
                    fail(noise, f"a sum of {total} of {now} results is said to be calm, and enough_{side} says enough")
            margin, sd = table.margin_and_sd(*sums, 0.0, 0.0)
            if not now * (margin + tolerance / sd) >= least - SMALL * (1.0 + now * tolerance):
                fail(noise, f"a sum of {total} of {now} results is said to keep a total of {least}, and does not")


ENGINES: tuple[Engine, ...] = ("interpreted", "compiled")
PRINTED = re.compile(r"[a-z_]\w*(\([^()=]*\))?")


def drawn(instance: Instance, count: int, rng: np.random.Generator) -> list[float]:
    """That many results of the first arm."""
    results = np.empty((count, 1))
    for row in results:
        instance.arms.draw(rng, 0, row)
    return [float(value) for value in results[:, 0]]


def check_results(noise: NoiseModel, results: list[float]) -> None:
    process = process_of(noise)
    low, high = process.bounds(noise)
    for value in results:
        if not process.fits(noise, value) or not low <= value <= high:
            fail(noise, f"a result that it draws must be one that it allows ({process.expected(noise)}), got {value}")
    for other in (float("nan"), inf, "1", None):
        if process.fits(noise, other):
            fail(noise, f"a result must be a finite number, but {other!r} is allowed")


def check_evidence(noise: NoiseModel, problem: Problem, results: list[float], scale: float) -> None:
    """Evidence by the sum of deficits, the further sums being those of simulated results."""
    table, slope = problem.noise(1), problem.standardisation().slopes[0]
    threshold, level = problem.metrics[0].threshold, log(20.0)
    low, high = process_of(noise).bounds(noise)
    for pulls in (1, 3, 10, 100):
        more = np.zeros(max(1, table.extra))
        for result in results[:pulls]:
            deficit = slope * (result - threshold)
            more[0] += deficit * deficit
            if table.own_sums:
                table.fold(0, more, deficit, 1.0)
        if process_of(noise).extra > 0:
            means = np.linspace(max(low, threshold - 3 * scale), min(high, threshold + 3 * scale), 25)
            reach = sqrt(pulls * more[0])  # no sum of deficits is larger
            sums = sorted(one for one in (pulls * slope * (means - threshold)).tolist() if abs(one) <= reach)
        else:  # sums that results can have: some are the largest drawn, the others the smallest
            larger = np.unique(np.linspace(0, pulls, 25).astype(int))
            totals = larger * max(results) + (pulls - larger) * min(results)
            sums = sorted((slope * (totals - pulls * threshold)).tolist())
        for name, needed, enough, sign in (
            ("within", table.needed_within, table.enough_within, -1.0),
            ("below", table.needed_below, table.enough_below, 1.0),
        ):
            evidence = [float(getattr(table, name)(0, pulls, deficit, more, 1.0)) for deficit in sums]
            for before, after in pairwise(evidence):
                if not sign * before <= sign * after + 1e-9 * (1.0 + abs(before)):
                    fail(noise, f"`{name}` must be monotone in the deficit, but goes from {before} to {after}")
            need = needed(0, pulls, level)
            for deficit, now in zip(sums, evidence, strict=True):
                said = bool(enough(0, pulls, deficit, more, 1.0, need))
                missed = now > level + 1e-6 and not said
                if missed or (name == "within" and said and now < level - 1e-6):
                    fail(noise, f"`enough_{name}` must agree with `{name}`: ln E = {now}, level {level}, got {said}")


def check_increasing(noise: NoiseModel, problem: Problem, results: list[float]) -> None:
    """Where evidence is said to increase with every result: one that passes by more must never count against it."""
    if not process_of(noise).increasing:
        return
    slope, threshold = problem.standardisation().slopes[0], problem.metrics[0].threshold
    best, worst = sorted((min(results), max(results)), key=lambda one: slope * (one - threshold))
    for place in (0, 1, 7, 30):
        rows = [
            _evidence_over_time(problem, [*results[:place], one, *results[place + 1 : 60]]) for one in (worst, best)
        ]
        for (within, below), (more, less) in zip(*rows, strict=True):
            slack = 1e-9 * (1.0 + abs(within) + abs(below))
            if more < within - slack or less > below + slack:
                fail(
                    noise,
                    f"it is declared increasing, but {best} in place of {worst} counts against passing: ln E "
                    f"goes from {within} to {more} for it, and from {below} to {less} against it",
                )


def _evidence_over_time(problem: Problem, results: list[float]) -> list[tuple[float, float]]:
    """ln of the evidence for and against after each result."""
    table, slope = problem.noise(1), problem.standardisation().slopes[0]
    more, total, found = np.zeros(max(1, table.extra)), 0.0, []
    for pulls, result in enumerate(results, start=1):
        deficit = slope * (result - problem.metrics[0].threshold)
        total += deficit
        more[0] += deficit * deficit
        if table.own_sums:
            table.fold(0, more, deficit, 1.0)
        within, below = (float(side(0, pulls, total, more, 1.0)) for side in (table.within, table.below))
        found.append((within, below))
    return found


def check_intervals(noise: NoiseModel, instance: Instance, confidence: float, runs: int = 200) -> None:
    if process_of(noise).interval is None:
        return
    problem, mean = instance.problem, float(instance.arms.means[0, 0])
    missed = 0
    for run in range(runs):
        search = Search(problem, ["arm"])
        ever = False
        for number, value in enumerate(drawn(instance, 64, np.random.default_rng(run)), start=1):
            search.fold(0, (value,))
            if number & (number - 1) == 0:  # after 1, 2, 4, 8, ... results
                low, high = search.status(0).intervals[0]
                ever = ever or not low <= mean <= high
        missed += ever
    if rate_interval(missed, runs, confidence)[0] > problem.error_rate:
        fail(noise, f"its intervals must cover the mean, but miss it in {missed} of {runs} runs")


def check_live(noise: NoiseModel, instance: Instance, seed: int) -> None:
    """A live search that is told the results of a simulated one makes its pulls, and those of the compiled one."""
    cell = Cell(instance, RULES.resolve("pandora"), DEFAULT_STOPPING, 1, 500, seed)
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0,))))
    search, row = Search(instance.problem, instance.arm_names, seed=seed_from(rng)), np.empty(1)
    order: list[int] = []
    while len(order) < cell.max_evaluations and (name := search.ask()) is not None:
        order.append(instance.arm_names.index(name))
        instance.arms.draw(rng, order[-1], row)
        search.tell(name, {"metric": float(row[0])})
    for engine in ENGINES:
        simulated = run_once(cell, engine=engine)[2].tolist()
        if simulated != order:
            fail(noise, f"a live search must make the pulls of a simulated one, but not those of the {engine} one")


def check_value(noise: NoiseModel) -> None:
    scale = noise.scale
    if scale is None and not has_own_process(noise):
        fail(noise, "the scale must be a number, or there must be a process with evidence that needs none")
    if scale is not None and (isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < inf):
        fail(noise, f"the scale must be a positive finite number, got {scale!r}")
    if noise.scale != scale:
        fail(noise, f"the scale must always be the same, got {scale!r} and then {noise.scale!r}")
    try:
        hash(noise)
    except TypeError:
        fail(noise, "a noise model must be hashable: make it a NamedTuple of numbers")
    for name in getattr(noise, "_fields", None) or ("scale",):
        try:
            setattr(noise, name, 1.0)
        except AttributeError:
            continue
        fail(noise, f"a noise model must be immutable, but {name!r} could be set: make it a NamedTuple")
    if has_own_process(noise):
        _check_reads_back(noise)
    elif not PRINTED.fullmatch(str(noise)):
        fail(noise, f"it must print like 'normal(2)', as in threshold strings, but prints {noise!s:.60}")


def _check_reads_back(noise: NoiseModel) -> None:
    try:
        read = as_metric(f"metric >= 1 : {noise}").noise
    except SatisficeError as error:
        fail(noise, f"it must read back from what it prints, {str(noise)!r:.60}, but: {error}")
    if not is_same(read, noise):
        fail(noise, f"it must read back from what it prints, {str(noise)!r:.60}, but that is {read!r}")


class ErrorCounts(NamedTuple):
    """How often a rule with a boundary was wrong in the two hardest cases, of how many runs each."""

    false_accepts: int
    false_nones: int
    runs: int


def check_error_rate(
    stopping: StoppingLike = "alpha",
    *,
    rule: RuleLike = "multitucb",
    error_rate: float = 0.2,
    arms: int = 1,
    metrics: int = 1,
    tolerance: float = 0.05,
    repetitions: int = 2000,
    max_evaluations: int = 2000,
    seed: int = 0,
    confidence: float = 0.999,
) -> ErrorCounts:
    """Whether answers are wrong no more often than promised where that is hardest: with means on the very boundary.

    First every arm has one metric exactly at threshold - tolerance, and accepting any of them counts as wrong. Then one
    arm is exactly at all thresholds, the others far below, and NONE is wrong. The noise scale is 1; a tolerance that is
    small against the width at `max_evaluations` leaves no right answer to end a run before a wrong one. The check fails
    when the Clopper-Pearson interval of one of the two rates lies above the error rate; if the boundary is sound, each
    does so with a probability of at most (1 - confidence)/2.
    """
    parts = RULES.resolve(rule), STOPPING_RULES.resolve(stopping)
    rows = np.arange(arms)
    accepting = np.full((arms, metrics), 10.0)
    accepting[rows, rows % metrics] = -tolerance
    rejecting = np.full((arms, metrics), -3.0)
    rejecting[arms // 2] = 0.0
    problem = Problem(
        tuple(Metric(f"m{m}", 0.0, tolerance=tolerance, noise=Normal(1.0)) for m in range(metrics)), error_rate
    )
    cells = [
        Cell(Instance.of(problem, gaussian_arms(means, 1.0)), *parts, repetitions, max_evaluations, seed)
        for means in (accepting, rejecting)
    ]
    return _error_counts(parts[1], cells[0], cells[1], confidence)


def check_noise(
    noise: NoiseModel,
    arms_of: Callable[[Floats], Arms] | None = None,
    *,
    threshold: float = 0.0,
    error_rate: float = 0.2,
    repetitions: int = 1000,
    max_evaluations: int = 1000,
    seed: int = 0,
    confidence: float = 0.999,
) -> ErrorCounts:
    """A noise model: an immutable value that prints well, and answers that are wrong no more often than promised on
    arms with such noise, with a threshold that is a lower limit and one that is an upper limit.

    `arms_of(means)` makes simulated arms with means of shape (K, 1), as noisy as declared; without it they are
    those of `arms_for`, normal with the declared scale if the model is your own and has no process. There is one arm,
    first exactly at the end of the tolerance, where accepting counts as wrong, then exactly at the threshold, where
    NONE does. A model with a process must also read back as it prints, allow the results that it draws and no others,
    have evidence that is monotone in the sum of deficits and shortcuts that agree with it, and in every result if it is
    `increasing`, ranges of calm in which nothing is enough, and intervals that cover; a live search must make the pulls
    of a simulated one.
    """
    check_value(noise)
    process = process_of(noise)
    scale = process.scale_at(noise, threshold) if noise.scale is None else float(noise.scale)
    if not 0 < scale < inf:
        fail(
            noise,
            f"the scale at the threshold {written(threshold)} must be positive, got {scale}: give another threshold",
        )
    found = []
    for direction in Direction:
        problem = Problem((Metric("metric", threshold, direction, 0.03 * scale, noise),), error_rate)
        worse = -0.03 * scale if direction is Direction.AT_LEAST else 0.03 * scale
        at_edge, at_threshold = (_instance(problem, [mean], scale, arms_of) for mean in (threshold + worse, threshold))
        if has_own_process(noise):
            results = drawn(at_threshold, 200, np.random.default_rng(seed))
            check_results(noise, results)
            check_evidence(noise, problem, results, scale)
            check_increasing(noise, problem, results)
            check_calm(noise, problem, seed)
            check_intervals(noise, at_threshold, confidence)
            effects = np.array([-0.5, 0.2, 1.0]) * (1.0 if direction is Direction.AT_LEAST else -1.0)
            means = [process.mean_beyond(noise, threshold, effect, scale) for effect in effects.tolist()]
            check_live(noise, _instance(problem, means, scale, arms_of), seed)
        cells = [
            Cell(instance, RULES.resolve("pandora"), DEFAULT_STOPPING, repetitions, max_evaluations, seed)
            for instance in (at_edge, at_threshold)
        ]
        found.append(_error_counts(noise, cells[0], cells[1], confidence))
    return ErrorCounts(*(sum(numbers) for numbers in zip(*found, strict=True)))


def _instance(
    problem: Problem, column: Sequence[float], scale: float, arms_of: Callable[[Floats], Arms] | None
) -> Instance:
    means = np.array(column)[:, np.newaxis]
    arms = arms_for(problem, means, sds=scale) if arms_of is None else arms_of(means)
    if not np.allclose(np.asarray(arms.means), means):
        noise = problem.metrics[0].noise
        fail(noise, f"arms_of(means) must give arms with the means {means.tolist()}, got {arms.means.tolist()}")
    return Instance.of(problem, arms)


def _error_counts(suspect: object, accepting: Cell, rejecting: Cell, confidence: float) -> ErrorCounts:
    """How often both cells end wrongly, FOUND and NONE; fails where that is more often than promised."""
    counts = []
    for cell, ending, what in ((accepting, FOUND, "accepts an arm"), (rejecting, NONE, "answers NONE")):
        wrong = int((run_cell(cell).endings == ending).sum())
        error_rate = cell.instance.problem.error_rate
        low, high = rate_interval(wrong, cell.repetitions, confidence)
        if low > error_rate:
            arms, metrics = cell.instance.arms.means.shape
            fail(
                suspect,
                f"with {rule_label(cell.rule)} it {what} wrongly in {wrong} of {cell.repetitions} runs with {arms} "
                f"arms and {metrics} metrics, a rate between {rounded(low)} and {rounded(high)}, "
                f"where {written(error_rate)} is promised",
            )
        counts.append(wrong)
    return ErrorCounts(counts[0], counts[1], accepting.repetitions)
