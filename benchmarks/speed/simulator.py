"""The compiled simulator against drawing the noise alone and the naive twin, with more threads, with more arms."""

from functools import partial
from time import perf_counter, process_time

import numba
import numpy as np

import satisfice as sf
from benchmarks.bar import Bar, at_least, at_most
from benchmarks.evaluations.contestants import DEFAULT
from benchmarks.rounds import Effort, in_turns
from satisfice.paper.article import BUDGET, SYNTHETIC
from satisfice.rules import RULES
from satisfice.simulation.cell import Cell, run_cell
from tests.helpers import twin

DRAW_BARS = {"multitucb": 0.6, "multilucb": 0.5, "multiapt": 0.5, "multihdoc": 0.5}
REPETITIONS, DRAWS = 200, 4_000_000
DEFAULT_REPETITIONS = 5 * REPETITIONS
"""The default needs fewer evaluations in a run."""
MANY_ARMS = 100_000


def _draw_only(rng: np.random.Generator, normals: int) -> float:
    """Nothing but the noise."""
    total = 0.0
    for _ in range(normals):
        total += rng.standard_normal()
    return total


draw_only = numba.njit(nogil=True)(_draw_only)


def cell_of(rule: str, repetitions: int, instance: sf.Instance = SYNTHETIC, budget: int = BUDGET) -> Cell:
    """Runs of a rule of the paper under its own stopping."""
    return Cell(instance, RULES[rule](), sf.AlphaBoundary(), repetitions, budget, 1)


def default_cell(repetitions: int, instance: sf.Instance = SYNTHETIC, budget: int = BUDGET) -> Cell:
    """Runs of the default of satisfice."""
    return Cell(instance, DEFAULT.rule, DEFAULT.stopping, repetitions, budget, 1)


def seconds_a_pull(cell: Cell) -> float:
    """Of the processor: what else the machine does is not counted, only what it leaves of caches and memory."""
    start = process_time()
    result = run_cell(cell)
    return (process_time() - start) / int(result.pulls.sum())


def seconds_by_the_clock(cell: Cell, threads: int) -> float:
    """Of one pull, by so many threads."""
    start = perf_counter()
    result = run_cell(cell, threads=threads)
    return (perf_counter() - start) / int(result.pulls.sum())


def seconds_a_draw(draws: int) -> float:
    rng = np.random.default_rng(0)
    start = process_time()
    draw_only(rng, draws)
    return (process_time() - start) / draws


def against_the_noise(effort: Effort) -> list[Bar]:
    """noise draws a second against a loop that only draws"""
    metrics = len(SYNTHETIC.problem.metrics)
    draw_only(np.random.default_rng(0), 1)
    for rule in DRAW_BARS:
        run_cell(cell_of(rule, 1))  # compiles
    draws = partial(seconds_a_draw, effort.of(DRAWS))
    pulls = [partial(seconds_a_pull, cell_of(rule, effort.of(REPETITIONS))) for rule in DRAW_BARS]
    draw, *taken = in_turns(effort.rounds, [draws, *pulls])
    return [
        at_least(
            f"{rule}: noise draws a second, against drawing alone",
            draw.over(pull, metrics),
            bar,
            details=f"{pull.median * 1e9:.1f} ns a pull of {metrics} draws, {draw.median * 1e9:.2f} ns a draw alone",
        )
        for (rule, bar), pull in zip(DRAW_BARS.items(), taken, strict=True)
    ]


def naive_seconds_a_pull(pulls: int) -> float:
    """MultiTUCB by the naive twin."""
    rng, problem = np.random.default_rng(0), SYNTHETIC.problem
    results = np.empty(len(problem.metrics))

    def draw(arm: int) -> list[float]:
        SYNTHETIC.arms.draw(rng, arm, results)
        return [float(result) for result in results]

    start = process_time()
    twin.run(twin.question_of(problem), draw, len(SYNTHETIC.arm_names), twin.INDICES["multitucb"], pulls)
    return (process_time() - start) / pulls


def against_the_twin(effort: Effort) -> list[Bar]:
    """pulls a second against the naive plain-Python twin"""
    cell = cell_of("multitucb", effort.of(REPETITIONS))
    compiled, naive = in_turns(
        effort.rounds, [partial(seconds_a_pull, cell), partial(naive_seconds_a_pull, effort.of(3000, least=100))]
    )
    details = f"{1 / compiled.median / 1e6:.1f} million pulls a second against {1 / naive.median:,.0f}"
    return [at_least("multitucb: pulls a second, against the naive twin", naive.over(compiled), 1000, details=details)]


def with_two_threads(effort: Effort) -> list[Bar]:
    """two threads against one"""
    cell = cell_of("multitucb", effort.of(5 * REPETITIONS, least=2))
    one, two = in_turns(effort.rounds, [partial(seconds_by_the_clock, cell, threads) for threads in (1, 2)])
    details = f"{1 / two.median / 1e6:.0f} million pulls a second"
    return [at_least("multitucb: two threads against one", one.over(two), 1.7, details=details)]


def default_against_multitucb(effort: Effort) -> list[Bar]:
    """time a pull of the default against MultiTUCB"""
    run_cell(default_cell(1))  # compiles
    cells = default_cell(effort.of(DEFAULT_REPETITIONS)), cell_of("multitucb", effort.of(REPETITIONS))
    default, multitucb = in_turns(effort.rounds, [partial(seconds_a_pull, cell) for cell in cells])
    details = f"{default.median * 1e9:.0f} ns and {multitucb.median * 1e9:.0f} ns"
    return [at_most(f"{DEFAULT.name}: time a pull, against multitucb", default.over(multitucb), 5, details=details)]


def with_many_arms(effort: Effort) -> list[Bar]:
    """time a pull with 100,000 arms against 10"""
    problem, means = SYNTHETIC.problem, SYNTHETIC.arms.means
    table = np.tile(means, (effort.of(MANY_ARMS) // len(means), 1))
    many, budget = sf.Instance.of(problem, sf.arms_for(problem, table)), 20 * len(table)
    pairs = {
        rule: (cell_of(rule, effort.of(REPETITIONS)), cell_of(rule, 1, many, budget), 5)
        for rule in ("multitucb", "multilucb", "multiapt")
    }
    pairs[DEFAULT.name] = (default_cell(effort.of(DEFAULT_REPETITIONS)), default_cell(1, many, budget), 10)
    bars = []
    for name, (few_cell, many_cell, most) in pairs.items():
        run_cell(few_cell)  # compiles
        few, much = in_turns(min(effort.rounds, 5), [partial(seconds_a_pull, cell) for cell in (few_cell, many_cell)])
        what = f"{name}: time a pull with {len(table):,} arms, against {len(means)}"
        details = f"{few.median * 1e9:.0f} ns and {much.median * 1e9:.0f} ns"
        bars.append(at_most(what, much.over(few), most, details=details))
    return bars


MEASURES = (against_the_noise, against_the_twin, with_two_threads, default_against_multitucb, with_many_arms)
