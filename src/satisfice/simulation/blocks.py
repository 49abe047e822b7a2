"""What runs a block of a cell: some repetitions that share a stream of random numbers, and the tables of all blocks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from satisfice.arrays import Integers
from satisfice.catalogue import rule_label
from satisfice.errors import BrokenRule
from satisfice.problem.goal import Goal
from satisfice.search.costs import weights_of, weights_of_arms
from satisfice.search.groups import group_numbers, new_groups
from satisfice.search.pending import new_aside
from satisfice.search.state import new_state, parts_of
from satisfice.simulation import clock, trial
from satisfice.simulation.checks import Engine, check_engine, check_parts
from satisfice.simulation.durations import drawing_of
from satisfice.simulation.grouped import run_grouped_block
from satisfice.simulation.observed import ObservedArms
from satisfice.simulation.record import Record, record
from satisfice.simulation.workers import Workers, has_slot, new_workers, with_more_slots
from satisfice.stopping import judge_of

if TYPE_CHECKING:  # a cell runs its blocks
    from satisfice.simulation.cell import Cell

BLOCK = 20
"""Repetitions that share a stream: block b of a campaign with seed s draws from child b of SeedSequence(s)."""


def new_record(cell: "Cell", repetitions: int) -> Record:
    """An empty record of so many repetitions of a cell."""
    problem = cell.instance.problem
    arms = len(cell.instance.arm_names)
    extra = problem.noise(arms).extra
    decisions, clocked = problem.goal is not Goal.ANY, cell.durations is not None
    size, grouped = len(problem.metrics), bool(problem.groups)
    return record(repetitions, arms, size, extra, decisions=decisions, clocked=clocked, grouped=grouped)


def prepared(cell: "Cell", engine: Engine) -> Callable[[int, Record, Integers], int]:
    """The function that runs a block of the cell, with all that its blocks share; how many streaks were written."""
    problem, count = cell.instance.problem, len(cell.instance.arm_names)
    check_parts(cell.rule, cell.stopping, problem.setting(count))
    arms, judge = cell.instance.deficits(), judge_of(cell.stopping, problem, count)
    longer_judge, bonus_table = trial.longer_judge, trial.bonus_table
    run_block: Callable[..., bool] = trial.run_block if cell.durations is None else clock.run_clocked_block
    if problem.groups:
        run_block = run_grouped_block
    weights = weights_of(cell.instance.costs)
    costs = cell.instance.costs
    unit = 1.0 if costs is None or len(weights) > 1 else float(costs[0])
    budget = trial.Budget(cell.max_evaluations, cell.max_cost / unit)
    tables = [parts_of(cell.rule, judge, problem, count, np.zeros(0), weights_of_arms(weights, count))]
    groups = new_groups(group_numbers(problem), count, weights) if problem.groups else None
    check_engine(engine)
    if engine == "compiled":
        from satisfice.simulation.engine import compiled  # noqa: PLC0415 - only here is numba loaded

        longer_judge = compiled(longer_judge, judge)
        bonus_table = compiled(bonus_table, cell.rule)
        run_block = compiled(run_block, arms, tables[0], *(() if groups is None else (groups,)))
    lock = Lock()

    def extend(length: int) -> None:
        """Longer tables, for all blocks."""
        with lock:
            parts = tables[0]
            if len(parts.bonuses) < length:
                # numba makes a judge anew: Ctrl-C in the midst of that is fatal, so it is done in another thread
                with ThreadPoolExecutor(max_workers=1) as aside:
                    longer = aside.submit(longer_judge, parts.judge, length).result()
                bonuses = bonus_table(parts.bonuses, cell.rule, parts.setting, length)
                tables[0] = parts._replace(judge=longer, bonuses=bonuses)

    def run(block: int, kept: Record, streaks: Integers) -> int:
        rng, workers = _stream(cell.seed, block), _workers(cell, budget)
        streams = rng if workers is None else (rng, _stream(cell.seed, block, 0))
        state, progress = new_state(tables[0], extra=tables[0].noise.extra), np.zeros(4, np.int64)
        own = None if groups is None else groups._replace(counts=0 * groups.counts, margins=0.0 * groups.margins)
        aside = new_aside(state)
        while True:
            parts = tables[0]
            limits: tuple[Any, ...] = (budget,) if workers is None else (workers, aside)
            limits = limits if own is None else (own, budget)
            if run_block(streams, arms, state, parts, *limits, kept, progress, streaks):
                kept.spent[:] *= unit
                return int(progress[trial.WRITTEN])
            if workers is None or has_slot(workers):
                extend(2 * len(parts.bonuses))
            else:
                workers = with_more_slots(workers)

    extend(min(trial.FIRST_TABLE, cell.max_evaluations + 2))
    return run


def _workers(cell: "Cell", budget: trial.Budget) -> Workers | None:
    """The workers of a cell whose evaluations have durations."""
    if cell.durations is None:
        return None
    instance = cell.instance
    return new_workers(
        cell.workers,
        budget,
        drawing_of(cell.durations, instance),
        instance.arms.means.shape,
        observed=isinstance(instance.arms, ObservedArms),
    )


def _stream(*place: int) -> np.random.Generator:
    """The random numbers of a seed and a block; and of its durations, which have a further number."""
    seed, *key = place
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def check_record(cell: "Cell", kept: Record) -> None:
    """BrokenRule where a rule gave a priority that is none."""
    broken = np.flatnonzero(kept.endings == trial.BROKEN)
    if broken.size:
        arm = cell.instance.arm_names[kept.found[broken[0]]]
        raise BrokenRule(
            f"{rule_label(cell.rule)} gave arm {arm!r} a priority that is not a finite number. "
            "A priority must be finite for every number of pulls and every shortfall."
        )
