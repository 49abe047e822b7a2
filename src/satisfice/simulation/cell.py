"""One cell of a campaign: one rule on one instance, many times over."""

import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import inf, isfinite
from types import FunctionType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import satisfice
from satisfice.core.beliefs import needs_squares, noise_codes
from satisfice.core.problem import Setting
from satisfice.core.statistics import Integers
from satisfice.core.stopping import judge_of
from satisfice.errors import BrokenRule, unknown_name
from satisfice.plugins import rule_label
from satisfice.simulation import trial
from satisfice.simulation.instance import Instance

BLOCK = 20
"""Repetitions that share a stream: block b of a campaign with seed s draws from child b of SeedSequence(s)."""

Engine = Literal["compiled", "interpreted"]


@dataclass(frozen=True, eq=False)
class Cell:
    """A rule and a stopping rule on an instance, with a budget of evaluations for each repetition."""

    instance: Instance
    rule: Any
    stopping: Any
    repetitions: int
    max_evaluations: int
    seed: int

    def description(self) -> dict[str, Any]:
        """All that determines the cell's results, as plain values."""
        arms = self.instance.arms
        digest = hashlib.sha256()
        for name, part in arms._asdict().items():
            digest.update(name.encode() + np.ascontiguousarray(part).tobytes())
        return {
            "instance": self.instance.name,
            "arms": f"{type(arms).__name__} {digest.hexdigest()[:16]}",
            "thresholds": [str(metric) for metric in self.instance.problem.metrics],
            "error_rate": self.instance.problem.error_rate,
            "tolerances": [metric.tolerance for metric in self.instance.problem.metrics],
            "rule": f"{type(self.rule).__module__}:{rule_label(self.rule)}",
            "stopping": f"{type(self.stopping).__module__}:{rule_label(self.stopping)}",
            "repetitions": self.repetitions,
            "max_evaluations": self.max_evaluations,
            "seed": self.seed,
            "code": [_code_of(type(part)) for part in (arms, self.rule, self.stopping)],
        }

    def key(self) -> str:
        """A short name for the cell that changes with anything that would change its results."""
        text = json.dumps(self.description(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


def _code_of(kind: type) -> str:
    """Which code a class runs: the version of this package, or a digest of a class of the user's own."""
    if kind.__module__.partition(".")[0] == "satisfice":
        return f"satisfice {satisfice.__version__}"
    digest = hashlib.sha256()
    for name, value in sorted(vars(kind).items()):
        if isinstance(value, FunctionType):
            digest.update(name.encode() + value.__code__.co_code + repr(value.__code__.co_consts).encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class CellResult:
    """What the repetitions of a cell did; `arm_pulls` of shape (K,) sums the pulls of each arm over all of them."""

    cell: Cell
    endings: Integers
    found: Integers
    pulls: Integers
    arm_pulls: Integers

    @property
    def timed_out(self) -> NDArray[np.bool_]:
        return np.asarray(self.endings == trial.UNDECIDED)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        return self.cell.instance.is_wrong(self.found, self.endings == trial.NONE)


def run_cell(
    cell: Cell,
    *,
    threads: int = 1,
    engine: Engine = "compiled",
    on_block: Callable[[int, int], None] = lambda repetitions, pulls: None,
) -> CellResult:
    """Run all repetitions of a cell; the result does not depend on the number of threads."""
    run_block = _prepared(cell, engine)
    endings, found, pulls = (np.zeros(cell.repetitions, np.int64) for _ in range(3))
    arm_pulls = np.zeros(len(cell.instance.arm_names), np.int64)

    def run(block: int) -> tuple[int, int, Integers]:
        part = slice(block * BLOCK, min((block + 1) * BLOCK, cell.repetitions))
        block_pulls = np.zeros_like(arm_pulls)
        run_block(block, endings[part], found[part], pulls[part], block_pulls, np.empty((0, 2), np.int64))
        return part.stop - part.start, int(pulls[part].sum()), block_pulls

    for repetitions, total, block_pulls in _in_threads(run, -(-cell.repetitions // BLOCK), threads):
        arm_pulls += block_pulls
        on_block(repetitions, total)
    _check(cell, endings, found)
    return CellResult(cell, endings, found, pulls, arm_pulls)


def run_once(cell: Cell, *, block: int = 0, engine: Engine = "interpreted") -> tuple[int, int, Integers]:
    """The first repetition of a block, with its whole order of pulls: ending, arm found (or -1), arms in order."""
    endings, found, pulls = (np.zeros(1, np.int64) for _ in range(3))
    streaks = np.zeros((cell.max_evaluations, 2), np.int64)
    arm_pulls = np.zeros(len(cell.instance.arm_names), np.int64)
    written = _prepared(cell, engine)(block, endings, found, pulls, arm_pulls, streaks)
    _check(cell, endings, found)
    order = np.repeat(streaks[:written, 0], streaks[:written, 1])
    return int(endings[0]), int(found[0]), order


def _prepared(cell: Cell, engine: Engine) -> Callable[..., int]:
    """The function that runs a block of the cell, with all that its blocks share."""
    _check_parts(cell)
    problem = cell.instance.problem
    count, metrics = len(cell.instance.arm_names), len(problem.metrics)
    setting = problem.setting(count)
    arms, noise = cell.instance.deficits(), noise_codes(problem)
    judge = judge_of(cell.stopping, problem, count)
    tolerances = np.array(problem.standardisation().tolerances)
    first_tables, run_block = trial.first_tables, trial.run_block
    if engine not in ("compiled", "interpreted"):
        raise unknown_name("engine", str(engine), ("compiled", "interpreted"))
    if engine == "compiled":
        from satisfice.simulation.compiled import compiled  # noqa: PLC0415 - only here is numba loaded

        first_tables = compiled(first_tables, cell.rule, judge)
        run_block = compiled(run_block, arms, cell.rule, judge)
    judge, bonuses = first_tables(cell.rule, judge, setting, min(trial.FIRST_TABLE, cell.max_evaluations + 2))

    def run(block: int, *results: Integers) -> int:
        stream = np.random.SeedSequence(cell.seed, spawn_key=(block,))
        rng = np.random.Generator(np.random.PCG64(stream))
        space = trial.workspace(count, metrics, squares=needs_squares(noise))
        budget = cell.max_evaluations
        return run_block(rng, arms, cell.rule, judge, noise, setting, budget, tolerances, bonuses, space, *results)

    return run


def _in_threads(run: Callable[[int], Any], blocks: int, threads: int) -> Iterator[Any]:
    """Results as they come; an interruption waits only for the blocks that are running."""
    pool = ThreadPoolExecutor(max_workers=threads)
    try:
        waiting = iter(range(blocks))
        running: set[Future[Any]] = {
            pool.submit(run, block) for _, block in zip(range(2 * threads), waiting, strict=False)
        }
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(run, block) for _, block in zip(done, waiting, strict=False)}
            for future in done:
                yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _check_parts(cell: Cell) -> None:
    setting = cell.instance.problem.setting(len(cell.instance.arm_names))
    for pulls in (1, 2, 3, 10, 1000, 10**6):
        width = _number(cell.stopping, "width", pulls, setting) if hasattr(cell.stopping, "width") else inf
        if not width >= 0:
            raise BrokenRule(
                f"{rule_label(cell.stopping)} has the width {width} after {pulls} pulls. A width must be zero or more; "
                "infinity means that nothing can be decided yet."
            )
        if hasattr(cell.rule, "bonus") and not isfinite(bonus := _number(cell.rule, "bonus", pulls, setting)):
            raise BrokenRule(
                f"{rule_label(cell.rule)} has the bonus {bonus} after {pulls} pulls. A bonus must be finite."
            )


def _number(part: Any, method: str, pulls: int, setting: Setting) -> float:
    try:
        return float(getattr(part, method)(pulls, setting))
    except (ArithmeticError, ValueError, TypeError) as error:
        raise BrokenRule(
            f"{rule_label(part)} cannot say its {method} after {pulls} pulls: {error}. It must be a number for every "
            "number of pulls from 1 on."
        ) from error


def _check(cell: Cell, endings: Integers, found: Integers) -> None:
    broken = np.flatnonzero(endings == trial.BROKEN)
    if broken.size:
        arm = cell.instance.arm_names[found[broken[0]]]
        raise BrokenRule(
            f"{rule_label(cell.rule)} gave arm {arm!r} a priority that is not a finite number. "
            "A priority must be finite for every number of pulls and every shortfall."
        )
