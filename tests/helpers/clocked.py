"""Live searches and studies driven by workers in simulated time: slow, obvious twins of the simulator's clock."""

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from math import exp
from typing import Any, NamedTuple

import numpy as np

import satisfice as sf
from satisfice.search.verdict import OutcomeCode
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.simulation.checks import Engine
from tests.helpers.driving import search_of, seed_of, stream_of

Duration = Callable[[np.random.Generator, dict[str, float]], float]


class Timed(NamedTuple):
    """How a run ended: outcome, place of the arm found, arms in the order of asks, evaluations used, time."""

    outcome: str
    found: int | None
    asks: list[int]
    used: int
    time: float


def with_stragglers(plain: Duration, share: float, factor: float) -> Duration:
    def duration(rng: np.random.Generator, results: dict[str, float]) -> float:
        ordinary = plain(rng, results)
        return ordinary * factor if rng.random() < share else ordinary

    return duration


def lognormal(sigma: float) -> Duration:
    return lambda rng, results: exp(sigma * (rng.standard_normal() - sigma / 2))


DURATIONS: dict[str, Duration] = {
    "constant": lambda rng, results: 1.0,
    "lognormal(1)": lognormal(1.0),
    "lognormal(1) + 5% x 30": with_stragglers(lognormal(1.0), 0.05, 30.0),
    "metric(m0)": lambda rng, results: max(0.0, results["m0"]),
}
"""What the texts mean, written once more."""


class AtWork:
    """Evaluations under way, whose results are drawn when they begin, on the streams of a simulated block."""

    def __init__(self, cell: Cell, block: int) -> None:
        self.instance, self.duration = cell.instance, DURATIONS[str(cell.durations)]
        self.rng = stream_of(cell.seed, block)
        self.clock = np.random.Generator(np.random.PCG64(np.random.SeedSequence(cell.seed, spawn_key=(block, 0))))
        self.now, self.asks = 0.0, list[int]()
        self._ends: list[tuple[float, int, Any, dict[str, float]]] = []

    def __len__(self) -> int:
        return len(self._ends)

    def begin(self, place: int, ticket: Any) -> None:
        row = np.empty(len(self.instance.problem.metrics))
        self.instance.arms.draw(self.rng, place, row)
        results = dict(zip(self.instance.problem.measured, row.tolist(), strict=True))
        end = self.now + self.duration(self.clock, results)
        heappush(self._ends, (end, len(self.asks), ticket, results))
        self.asks.append(place)

    def next_end(self) -> tuple[Any, dict[str, float]]:
        self.now, _, ticket, results = heappop(self._ends)
        return ticket, results

    def ended(self, verdict: sf.Verdict) -> Timed:
        place = None if verdict.arm is None else self.instance.arm_names.index(verdict.arm)
        return Timed(str(verdict.outcome), place, self.asks, verdict.evaluations, self.now)


def study_run(cell: Cell, block: int = 0) -> Timed:
    """A study in memory: workers ask when they are free and tell when they are done."""
    problem, names = cell.instance.problem, list(cell.instance.arm_names)
    at_work = AtWork(cell, block)
    study = sf.create_study(
        names,
        problem.metrics,
        error_rate=problem.error_rate,
        goal=problem.goal,
        rule=cell.rule,
        stopping=cell.stopping,
        storage="memory",
        seed=seed_of(cell.rule, at_work.rng),
    )
    while True:
        while len(at_work) < cell.workers and (pull := study.ask(max_evaluations=cell.max_evaluations)) is not None:
            at_work.begin(names.index(pull.name), pull)
        if not at_work:
            break
        study.tell(*at_work.next_end())
        if study.outcome is not sf.Outcome.UNDECIDED:
            break
    assert study.counts().asked == len(at_work.asks)
    return at_work.ended(study.verdict())


def search_run(cell: Cell, block: int = 0) -> Timed:
    """A search whose rule draws from the block's stream; results are folded in each arm's order of asking."""
    at_work = AtWork(cell, block)
    search, budget = search_of(cell, at_work.rng), cell.max_evaluations
    waiting = np.zeros(len(cell.instance.arm_names), dtype=np.int64)
    early: dict[tuple[int, int], tuple[float, ...]] = {}

    def in_line(place: int) -> list[Any]:
        last = max((number for arm, number in early if arm == place), default=-1)
        rows = [early.get((place, number)) for number in range(int(search.pulls[place]), last + 1)]
        return [None if row is None else (row, ()) for row in rows]

    while search.outcome is sf.Outcome.UNDECIDED:
        while len(at_work) < cell.workers and len(at_work.asks) < budget:
            place = search.choose(len(at_work.asks), waiting)
            number = int(waiting[place] + search.pulls[place])
            waiting[place] += 1
            at_work.begin(place, (place, number))
        if not at_work:
            break
        ticket, results = at_work.next_end()
        early[ticket] = tuple(results.values())
        place = ticket[0]
        while (due := (place, int(search.pulls[place]))) in early and search.outcome is sf.Outcome.UNDECIDED:
            search.fold(place, early.pop(due))
            waiting[place] -= 1
        came = sum(arm == place for arm, _ in early)
        if came and search.outcome is sf.Outcome.UNDECIDED:
            search.hold(place, came, partial(in_line, place))
    return at_work.ended(search.verdict)


def clocked_run(cell: Cell, block: int = 0, engine: Engine = "interpreted") -> Timed:
    """The same by the simulator; used and time are those of the block's first repetition."""
    ending, found, order = run_once(cell, block=block, engine=engine)
    return Timed(OutcomeCode(ending).name, found if found >= 0 else None, order.tolist(), -1, np.nan)


def first_of(cell: Cell, engine: Engine = "interpreted") -> tuple[int, int, float]:
    """Evaluations used and asked for, and the time, of a cell's only repetition."""
    result = run_cell(cell, engine=engine)
    return int(result.pulls[0]), int(result.asked[0]), float(result.record.times[0])


def assert_same_asks(one: Timed, other: Timed) -> None:
    """Equality of asks and ending, with a message that says where the two part."""
    parted = next((place for place, (a, b) in enumerate(zip(one.asks, other.asks, strict=False)) if a != b), None)
    assert parted is None, f"ask {parted} is of arm {one.asks[parted]} here and of arm {other.asks[parted]} there"
    assert (one.outcome, one.found, len(one.asks)) == (other.outcome, other.found, len(other.asks))
