"""One cell of a campaign: one rule on one instance, many times over, in blocks that share random numbers and tables."""

import hashlib
import json
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from math import inf
from threading import Lock
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import satisfice
from satisfice.arrays import Floats, Integers
from satisfice.catalogue import fields_of, rule_label
from satisfice.errors import BrokenRule
from satisfice.problem.goal import Goal
from satisfice.rules import SamplingRule
from satisfice.search.costs import weights_of, weights_of_arms
from satisfice.search.early_decision import new_aside
from satisfice.search.grouped import group_limits, group_numbers, new_groups
from satisfice.search.report import ArmSums, Report
from satisfice.search.state import SearchState, parts_of, room_for_state
from satisfice.simulation import runs, trial
from satisfice.simulation.checks import Engine, check_engine, check_parts
from satisfice.simulation.durations import Durations, drawing_of
from satisfice.simulation.event_loop import Timed, has_slot, new_workers, with_more_slots
from satisfice.simulation.grouped import InGroups
from satisfice.simulation.instance import Instance
from satisfice.simulation.observed import ObservedArms
from satisfice.simulation.record import Record, record
from satisfice.stopping import StoppingRule, judge_of

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


@dataclass(frozen=True, eq=False)
class Cell:
    """A rule and a stopping rule on an instance, with budgets of evaluations and of money for each repetition.

    Where evaluations have durations, that many workers evaluate at a time in simulated time.
    """

    instance: Instance
    rule: SamplingRule
    stopping: StoppingRule
    repetitions: int
    max_evaluations: int
    seed: int
    workers: int = 1
    durations: Durations | None = None
    max_cost: float = inf

    def description(self) -> dict[str, Any]:
        """All that determines the cell's results, as plain values."""
        arms = self.instance.arms
        digest = hashlib.sha256()
        for name, part in fields_of(arms).items():
            digest.update(name.encode() + np.ascontiguousarray(part).tobytes())
        timed = {} if self.durations is None else {"workers": self.workers, "durations": str(self.durations)}
        costs = self.instance.costs
        priced: dict[str, Any] = {} if costs is None else {"costs": hashlib.sha256(costs.tobytes()).hexdigest()[:16]}
        priced |= {} if self.max_cost == inf else {"max_cost": self.max_cost}
        return priced | {
            "instance": self.instance.name,
            "arms": f"{type(arms).__name__} {digest.hexdigest()[:16]}",
            "thresholds": [str(metric) for metric in self.instance.problem.metrics],
            "error_rate": self.instance.problem.error_rate,
            "goal": str(self.instance.problem.goal),
            "tolerances": [metric.tolerance for metric in self.instance.problem.metrics],
            "rule": f"{type(self.rule).__module__}:{rule_label(self.rule)}",
            "stopping": f"{type(self.stopping).__module__}:{rule_label(self.stopping)}",
            "repetitions": self.repetitions,
            "max_evaluations": self.max_evaluations,
            "seed": self.seed,
            "code": [_code_of(type(part)) for part in (arms, self.rule, self.stopping)],
            **timed,
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
    """What the repetitions of a cell did; see `Record` for its arrays."""

    cell: Cell
    record: Record

    @property
    def endings(self) -> Integers:
        return self.record.endings

    @property
    def found(self) -> Integers:
        return self.record.found

    @property
    def pulls(self) -> Integers:
        return self.record.totals

    @property
    def spent(self) -> Floats | None:
        """What each repetition cost; None if nobody knows."""
        return None if self.cell.instance.costs is None else self.record.spent

    @property
    def arm_pulls(self) -> Integers:
        return self.record.arm_pulls

    @property
    def asked(self) -> Integers:
        """How many evaluations were asked for until the end of each repetition, used or not."""
        return self.pulls if self.cell.durations is None else self.record.asked

    @property
    def times(self) -> NDArray[np.float64]:
        """Until the end of each repetition, in units of a mean evaluation; empty without durations."""
        durations, kept = self.cell.durations, self.record
        mean = None if durations is None else durations.mean
        return kept.times / (kept.lasted.sum() / max(1, kept.asked.sum()) if mean is None else mean)

    @property
    def timed_out(self) -> NDArray[np.bool_]:
        return np.asarray(self.endings == trial.UNDECIDED_RUN)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        return self.cell.instance.is_wrong(self.found, self.endings == trial.NONE, self.record.decided)

    @cached_property
    def p_values(self) -> NDArray[np.float64]:
        """Of the best guess where the budget ended a run, else NaN; it holds whatever the budget and the guess."""
        problem, count = self.cell.instance.problem, len(self.cell.instance.arm_names)
        report = Report(problem, count, self.cell.stopping, judge_of(self.cell.stopping, problem, count))
        kept = self.record
        rows = zip(kept.guesses.tolist(), kept.guess_pulls.tolist(), kept.guess_deficits, kept.guess_more, strict=True)
        counts = map(tuple, kept.guess_counts.tolist())
        sums = [
            ArmSums(guess, pulls, *own, *own)._replace(counts=each)
            for (guess, pulls, *own), each in zip(rows, counts, strict=True)
        ]
        return np.array([report.p_value(each) if each.arm >= 0 else np.nan for each in sums])


def run_cell(
    cell: Cell,
    *,
    threads: int = 1,
    engine: Engine = "compiled",
    on_block: Callable[[int, int], None] = lambda repetitions, pulls: None,
) -> CellResult:
    """Run all repetitions of a cell; the result does not depend on the number of threads."""
    run_block = prepared(cell, engine)
    kept = new_record(cell, cell.repetitions)

    def run(block: int) -> tuple[int, int, Integers]:
        part = slice(block * BLOCK, min((block + 1) * BLOCK, cell.repetitions))
        rows = Record._make([*(each[part] for each in kept[:-1]), np.zeros_like(kept.arm_pulls)])
        run_block(block, rows, np.empty((0, 2), np.int64))
        return part.stop - part.start, int(rows.totals.sum()), rows.arm_pulls

    for repetitions, total, block_pulls in _in_threads(run, -(-cell.repetitions // BLOCK), threads):
        kept.arm_pulls[:] += block_pulls
        on_block(repetitions, total)
    check_record(cell, kept)
    return CellResult(cell, kept)


def run_once(cell: Cell, *, block: int = 0, engine: Engine = "interpreted") -> tuple[int, int, Integers]:
    """The first repetition of a block, with its whole order of asks: ending, arm found (or -1), arms in order."""
    kept = new_record(cell, 1)
    streaks = np.zeros((cell.max_evaluations, 2), np.int64)
    written = prepared(cell, engine)(block, kept, streaks)
    check_record(cell, kept)
    order = np.repeat(streaks[:written, 0], streaks[:written, 1])
    return int(kept.endings[0]), int(kept.found[0]), order


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
