"""What is looked at of one noise model: its value, its results, its evidence, its intervals, and a live search."""

import re
from itertools import pairwise
from math import inf, log, sqrt

import numpy as np

from satisfice.errors import SatisficeError
from satisfice.noise.process import NoiseModel, has_own_process, is_same, process_of
from satisfice.problem.metric import as_metric
from satisfice.problem.problem import Problem
from satisfice.rules import RULES
from satisfice.search.opening import seed_from
from satisfice.search.search import Search
from satisfice.simulation.binomial import rate_interval
from satisfice.simulation.cell import Cell, run_once
from satisfice.simulation.checks import Engine
from satisfice.simulation.instance import Instance
from satisfice.stopping import DEFAULT_STOPPING
from satisfice.testing.contract import fail

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
