"""Published contracts that are about error rates: of stopping rules, and of noise models."""

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import inf, log, sqrt
from typing import NamedTuple, NoReturn

import numpy as np

from satisfice.arrays import Floats
from satisfice.catalogue import rule_label
from satisfice.errors import BrokenContract, SatisficeError
from satisfice.layout.numbers import rounded, written
from satisfice.noise import Normal
from satisfice.noise.protocol import NoiseModel, has_own_process, process_of
from satisfice.problem.metric import Direction, Metric, as_metric
from satisfice.problem.problem import Problem
from satisfice.rules import RULES, RuleLike
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

ENGINES: tuple[Engine, ...] = ("interpreted", "compiled")
PRINTED = re.compile(r"[a-z_]\w*(\([^()=]*\))?")


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
    `increasing`, and intervals that cover; and a live search must make the pulls of a simulated one.
    """
    _check_value(noise)
    process = process_of(noise)
    scale = process.scale_at(noise, threshold) if noise.scale is None else float(noise.scale)
    if not 0 < scale < inf:
        _fail(
            noise,
            f"the scale at the threshold {written(threshold)} must be positive, got {scale}: give another threshold",
        )
    found = []
    for direction in Direction:
        problem = Problem((Metric("metric", threshold, direction, 0.03 * scale, noise),), error_rate)
        worse = -0.03 * scale if direction is Direction.AT_LEAST else 0.03 * scale
        at_edge, at_threshold = (_instance(problem, [mean], scale, arms_of) for mean in (threshold + worse, threshold))
        if has_own_process(noise):
            results = _drawn(at_threshold, 200, np.random.default_rng(seed))
            _check_results(noise, results)
            _check_evidence(noise, problem, results, scale)
            _check_increasing(noise, problem, results)
            _check_intervals(noise, at_threshold, confidence)
            effects = np.array([-0.5, 0.2, 1.0]) * (1.0 if direction is Direction.AT_LEAST else -1.0)
            means = [process.mean_beyond(noise, threshold, effect, scale) for effect in effects.tolist()]
            _check_live(noise, _instance(problem, means, scale, arms_of), seed)
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
        _fail(noise, f"arms_of(means) must give arms with the means {means.tolist()}, got {arms.means.tolist()}")
    return Instance.of(problem, arms)


def _drawn(instance: Instance, count: int, rng: np.random.Generator) -> list[float]:
    """That many results of the first arm."""
    results = np.empty((count, 1))
    for row in results:
        instance.arms.draw(rng, 0, row)
    return [float(value) for value in results[:, 0]]


def _check_results(noise: NoiseModel, results: list[float]) -> None:
    process = process_of(noise)
    low, high = process.bounds(noise)
    for value in results:
        if not process.fits(noise, value) or not low <= value <= high:
            _fail(noise, f"a result that it draws must be one that it allows ({process.expected(noise)}), got {value}")
    for other in (float("nan"), inf, "1", None):
        if process.fits(noise, other):
            _fail(noise, f"a result must be a finite number, but {other!r} is allowed")


def _check_evidence(noise: NoiseModel, problem: Problem, results: list[float], scale: float) -> None:
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
                    _fail(noise, f"`{name}` must be monotone in the deficit, but goes from {before} to {after}")
            need = needed(0, pulls, level)
            for deficit, now in zip(sums, evidence, strict=True):
                said = bool(enough(0, pulls, deficit, more, 1.0, need))
                missed = now > level + 1e-6 and not said
                if missed or (name == "within" and said and now < level - 1e-6):
                    _fail(noise, f"`enough_{name}` must agree with `{name}`: ln E = {now}, level {level}, got {said}")


def _check_increasing(noise: NoiseModel, problem: Problem, results: list[float]) -> None:
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
                _fail(
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


def _check_intervals(noise: NoiseModel, instance: Instance, confidence: float, runs: int = 200) -> None:
    if process_of(noise).interval is None:
        return
    problem, mean = instance.problem, float(instance.arms.means[0, 0])
    missed = 0
    for run in range(runs):
        search = Search(problem, ["arm"])
        ever = False
        for number, value in enumerate(_drawn(instance, 64, np.random.default_rng(run)), start=1):
            search.fold(0, (value,))
            if number & (number - 1) == 0:  # after 1, 2, 4, 8, ... results
                low, high = search.status(0).intervals[0]
                ever = ever or not low <= mean <= high
        missed += ever
    if rate_interval(missed, runs, confidence)[0] > problem.error_rate:
        _fail(noise, f"its intervals must cover the mean, but miss it in {missed} of {runs} runs")


def _check_live(noise: NoiseModel, instance: Instance, seed: int) -> None:
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
            _fail(noise, f"a live search must make the pulls of a simulated one, but not those of the {engine} one")


def _check_value(noise: NoiseModel) -> None:
    scale = noise.scale
    if scale is None and not has_own_process(noise):
        _fail(noise, "the scale must be a number, or there must be a process with evidence that needs none")
    if scale is not None and (isinstance(scale, bool) or not isinstance(scale, int | float) or not 0 < scale < inf):
        _fail(noise, f"the scale must be a positive finite number, got {scale!r}")
    if noise.scale != scale:
        _fail(noise, f"the scale must always be the same, got {scale!r} and then {noise.scale!r}")
    try:
        hash(noise)
    except TypeError:
        _fail(noise, "a noise model must be hashable: make it a NamedTuple of numbers")
    for name in getattr(noise, "_fields", None) or ("scale",):
        try:
            setattr(noise, name, 1.0)
        except AttributeError:
            continue
        _fail(noise, f"a noise model must be immutable, but {name!r} could be set: make it a NamedTuple")
    if has_own_process(noise):
        _check_reads_back(noise)
    elif not PRINTED.fullmatch(str(noise)):
        _fail(noise, f"it must print like 'normal(2)', as in threshold strings, but prints {noise!s:.60}")


def _check_reads_back(noise: NoiseModel) -> None:
    try:
        read = as_metric(f"metric >= 1 : {noise}").noise
    except SatisficeError as error:
        _fail(noise, f"it must read back from what it prints, {str(noise)!r:.60}, but: {error}")
    if type(read) is not type(noise) or read != noise:
        _fail(noise, f"it must read back from what it prints, {str(noise)!r:.60}, but that is {read!r}")


def _error_counts(suspect: object, accepting: Cell, rejecting: Cell, confidence: float) -> ErrorCounts:
    """How often both cells end wrongly, FOUND and NONE; fails where that is more often than promised."""
    counts = []
    for cell, ending, what in ((accepting, FOUND, "accepts an arm"), (rejecting, NONE, "answers NONE")):
        wrong = int((run_cell(cell).endings == ending).sum())
        error_rate = cell.instance.problem.error_rate
        low, high = rate_interval(wrong, cell.repetitions, confidence)
        if low > error_rate:
            arms, metrics = cell.instance.arms.means.shape
            _fail(
                suspect,
                f"with {rule_label(cell.rule)} it {what} wrongly in {wrong} of {cell.repetitions} runs with {arms} "
                f"arms and {metrics} metrics, a rate between {rounded(low)} and {rounded(high)}, "
                f"where {written(error_rate)} is promised",
            )
        counts.append(wrong)
    return ErrorCounts(counts[0], counts[1], accepting.repetitions)


def _fail(value: object, promise: str) -> NoReturn:
    raise BrokenContract(f"{type(value).__name__}: {promise}.")
