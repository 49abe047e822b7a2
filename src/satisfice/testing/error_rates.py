"""Published contracts that are about error rates: of stopping rules, and of noise models."""

import re
from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple, NoReturn

import numpy as np

from satisfice.arrays import Floats
from satisfice.catalogue import rule_label
from satisfice.errors import BrokenContract
from satisfice.noise import Normal
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.rules import RULES
from satisfice.simulation.arms import arms_for, gaussian_arms
from satisfice.simulation.cell import Cell, run_cell
from satisfice.simulation.instance import Instance
from satisfice.simulation.summary import rate_interval
from satisfice.simulation.trial import FOUND, NONE
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES

PRINTED = re.compile(r"[a-z_]\w*(\([^()=]*\))?")


class ErrorCounts(NamedTuple):
    """How often a rule with a boundary was wrong in the two hardest cases, of how many runs each."""

    false_accepts: int
    false_nones: int
    runs: int


def check_error_rate(
    stopping: Any = "alpha",
    *,
    rule: Any = "multitucb",
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
    noise: Any,
    arms_of: Callable[[Floats], Any] | None = None,
    *,
    threshold: float = 0.0,
    error_rate: float = 0.2,
    repetitions: int = 1000,
    max_evaluations: int = 1000,
    seed: int = 0,
    confidence: float = 0.999,
) -> ErrorCounts:
    """A noise model: a scale that is positive, an immutable value that prints well, and answers that are wrong no more
    often than promised on arms with such noise.

    `arms_of(means)` makes simulated arms with means of shape (K, 1), as noisy as declared; without it they are
    those of `arms_for`, normal with the declared scale if the model is your own. There is one arm, first exactly at
    threshold - tolerance, where accepting counts as wrong, then exactly at the threshold, where NONE does.
    """
    _check_value(noise)
    scale = 1.0 if noise.scale is None else float(noise.scale)
    problem = Problem((Metric("metric", threshold, tolerance=0.03 * scale, noise=noise),), error_rate)
    cells = []
    for mean in (threshold - 0.03 * scale, threshold):
        means = np.array([[mean]])
        arms = arms_for(problem, means, sds=scale) if arms_of is None else arms_of(means)
        if not np.allclose(np.asarray(arms.means), means):
            _fail(noise, f"arms_of(means) must give arms with the means {means.tolist()}, got {arms.means.tolist()}")
        instance = Instance.of(problem, arms)
        cells.append(Cell(instance, RULES.resolve("pandora"), DEFAULT_STOPPING, repetitions, max_evaluations, seed))
    return _error_counts(noise, cells[0], cells[1], confidence)


def _check_value(noise: Any) -> None:
    scale = noise.scale
    if scale is None and not isinstance(noise, Normal):
        _fail(noise, "the scale must be a number: only normal noise may leave it to be estimated")
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
    if not PRINTED.fullmatch(str(noise)):
        _fail(noise, f"it must print like 'normal(2)', as in threshold strings, but prints {noise!s:.60}")


def _error_counts(suspect: Any, accepting: Cell, rejecting: Cell, confidence: float) -> ErrorCounts:
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
                f"arms and {metrics} metrics, a rate between {low:.3g} and {high:.3g}, "
                f"where {error_rate:g} is promised",
            )
        counts.append(wrong)
    return ErrorCounts(counts[0], counts[1], accepting.repetitions)


def _fail(value: Any, promise: str) -> NoReturn:
    raise BrokenContract(f"{type(value).__name__}: {promise}.")
