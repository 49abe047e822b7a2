"""What runs a block of a cell: some repetitions that share a stream of random numbers, and the tables of all blocks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from satisfice.arrays import Integers
from satisfice.catalogue import rule_label
from satisfice.errors import BrokenRule
from satisfice.problem.goal import Goal
from satisfice.search.costs import weights_of, weights_of_arms
from satisfice.search.early_decision import new_aside
from satisfice.search.grouped import group_limits, group_numbers, new_groups
from satisfice.search.state import SearchState, parts_of, room_for_state
from satisfice.simulation import runs, trial
from satisfice.simulation.checks import Engine, check_engine, check_parts
from satisfice.simulation.clock import Timed
from satisfice.simulation.durations import drawing_of
from satisfice.simulation.grouped import InGroups
from satisfice.simulation.observed import ObservedArms
from satisfice.simulation.record import Record, record
from satisfice.simulation.workers import has_slot, new_workers, with_more_slots
from satisfice.stopping import judge_of

if TYPE_CHECKING:  # a cell runs its blocks
    from satisfice.simulation.cell import Cell

BLOCK = 20
"""Repetitions that share a stream: block b of a campaign with seed s draws from child b of SeedSequence(s)."""


def new_record(cell: "Cell", repetitions: int) -> Record:
    """An empty record with room for the `repetitions` of a cell."""
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
    run_block: Callable[..., bool] = runs.run_block
    weights = weights_of(cell.instance.costs)
    costs = cell.instance.costs
    unit = 1.0 if costs is None or len(weights) > 1 else float(costs[0])
    budget = trial.Budget(cell.max_evaluations, cell.max_cost / unit)
    tables = [parts_of(cell.rule, judge, problem, count, np.zeros(0), weights_of_arms(weights, count))]
    check_engine(engine)
    if engine == "compiled":
        from satisfice.simulation.engine import compiled  # noqa: PLC0415 - only here is numba loaded

        longer_judge = compiled(longer_judge, judge)
        bonus_table = compiled(bonus_table, cell.rule)
        run_block = compiled(
            run_block, arms, tables[0], _way(cell, budget, room_for_state(tables[0], extra=tables[0].noise.extra))
        )
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
        state, progress = room_for_state(tables[0], extra=tables[0].noise.extra), np.zeros(4, np.int64)
        way, rng = _way(cell, budget, state), _stream(cell.seed, block)
        streams = (rng, _stream(cell.seed, block, 0)) if isinstance(way, Timed) else rng
        while True:
            parts = tables[0]
            if run_block(streams, arms, state, parts, way, kept, progress, streaks):
                kept.spent[:] *= unit
                return int(progress[trial.WRITTEN])
            if isinstance(way, Timed) and not has_slot(way.workers):
                way = way._replace(workers=with_more_slots(way.workers))
            else:
                extend(2 * len(parts.bonuses))

    extend(min(trial.FIRST_TABLE, cell.max_evaluations + 2))
    return run


def _way(cell: "Cell", budget: trial.Budget, state: SearchState) -> trial.Budget | Timed | InGroups:
    """What drives the runs of a cell, before the first of them."""
    instance, problem = cell.instance, cell.instance.problem
    if problem.groups:
        weights = weights_of(instance.costs)
        groups = new_groups(group_numbers(problem), len(instance.arm_names), weights, group_limits(problem))
        return InGroups(groups, budget)
    if cell.durations is None:
        return budget
    observed, drawing = isinstance(instance.arms, ObservedArms), drawing_of(cell.durations, instance)
    workers = new_workers(cell.workers, budget, drawing, instance.arms.means.shape, observed=observed)
    return Timed(workers, new_aside(state))


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
