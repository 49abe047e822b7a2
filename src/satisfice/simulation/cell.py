"""One cell of a campaign: one rule on one instance, many times over."""

import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from satisfice.core.problem import Setting
from satisfice.core.statistics import Integers
from satisfice.errors import BrokenRule, unknown_name
from satisfice.plugins import rule_label
from satisfice.simulation import trial
from satisfice.simulation.instance import Instance

BLOCK = 20
"""Repetitions that share a stream: block b of a campaign with seed s draws from child b of SeedSequence(s)."""

Engine = Literal["compiled", "interpreted"]


@dataclass(frozen=True, eq=False)
class Cell:
    """A rule and a boundary on an instance, with a budget of evaluations for each repetition."""

    instance: Instance
    rule: Any
    boundary: Any
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
            "boundary": f"{type(self.boundary).__module__}:{rule_label(self.boundary)}",
            "repetitions": self.repetitions,
            "max_evaluations": self.max_evaluations,
            "seed": self.seed,
        }

    def key(self) -> str:
        """A short name for the cell that changes with anything that would change its results."""
        text = json.dumps(self.description(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


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
    _check_parts(cell)
    run_block = _run_block_of(cell, engine)
    endings, found, pulls = (np.zeros(cell.repetitions, np.int64) for _ in range(3))
    arm_pulls = np.zeros(len(cell.instance.arm_names), np.int64)

    def run(block: int) -> tuple[int, int, Integers]:
        part = slice(block * BLOCK, min((block + 1) * BLOCK, cell.repetitions))
        block_pulls = np.zeros_like(arm_pulls)
        arguments = _arguments(cell, block)
        run_block(*arguments, endings[part], found[part], pulls[part], block_pulls, np.empty((0, 2), np.int64))
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
    run_block = _run_block_of(cell, engine)
    written = run_block(*_arguments(cell, block), endings, found, pulls, arm_pulls, streaks)
    _check(cell, endings, found)
    order = np.repeat(streaks[:written, 0], streaks[:written, 1])
    return int(endings[0]), int(found[0]), order


def _run_block_of(cell: Cell, engine: Engine) -> Callable[..., int]:
    if engine == "interpreted":
        return trial.run_block
    if engine != "compiled":
        raise unknown_name("engine", str(engine), ("compiled", "interpreted"))
    from satisfice.simulation.compiled import compiled_run_block  # noqa: PLC0415 - only here is numba loaded

    return compiled_run_block(cell.instance.arms, cell.rule, cell.boundary)


def _arguments(cell: Cell, block: int) -> tuple[Any, ...]:
    problem = cell.instance.problem
    arms = len(cell.instance.arm_names)
    stream = np.random.SeedSequence(cell.seed, spawn_key=(block,))
    return (
        np.random.Generator(np.random.PCG64(stream)),
        cell.instance.deficits(),
        cell.rule,
        cell.boundary,
        problem.setting(arms),
        cell.max_evaluations,
        np.array(problem.standardisation().tolerances),
        trial.workspace(arms, len(problem.metrics)),
    )


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
        width = _number(cell.boundary, "width", pulls, setting)
        if not width >= 0:
            raise BrokenRule(
                f"{rule_label(cell.boundary)} has the width {width} after {pulls} pulls. A width must be zero or more; "
                "infinity means that nothing can be decided yet."
            )
        if not isfinite(bonus := _number(cell.rule, "bonus", pulls, setting)):
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
