"""Published contracts that are about error rates: of stopping rules, and of noise models."""

from collections.abc import Callable, Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.catalogue import rule_label
from satisfice.layout.numbers import rounded, written
from satisfice.noise import Normal
from satisfice.noise.process import NoiseModel, has_own_process, process_of
from satisfice.problem.metric import Direction, Metric
from satisfice.problem.problem import Problem
from satisfice.rules import RULES, RuleLike
from satisfice.simulation.arms import arms_for, gaussian_arms
from satisfice.simulation.binomial import rate_interval
from satisfice.simulation.cell import Cell, run_cell
from satisfice.simulation.instance import Instance
from satisfice.simulation.protocol import Arms
from satisfice.simulation.trial import FOUND, NONE
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES, StoppingLike
from satisfice.testing.calm_checks import check_calm
from satisfice.testing.contract import fail
from satisfice.testing.noise_checks import (
    check_evidence,
    check_increasing,
    check_intervals,
    check_live,
    check_results,
    check_value,
    drawn,
)


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
