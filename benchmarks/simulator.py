"""The compiled simulator against drawing the noise alone and the naive twin, with more threads, with more arms."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

import numba
import numpy as np

import satisfice as sf
from satisfice.comparison.bar import Bar
from satisfice.comparison.contestants import DEFAULT
from satisfice.paper.settings import SYNTHETIC
from satisfice.rules import RULES
from satisfice.simulation.cell import Cell, run_cell

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import twin

BUDGET = 200_000
ROUNDS = 7
DRAW_BARS = {"multitucb": 0.6, "multilucb": 0.5, "multiapt": 0.5, "multihdoc": 0.35}


@numba.njit(nogil=True)
def draw_only(rng: np.random.Generator, normals: int) -> float:
    """Nothing but the noise."""
    total = 0.0
    for _ in range(normals):
        total += rng.standard_normal()
    return total


def cell_of(rule: str, instance: sf.Instance = SYNTHETIC, repetitions: int = 200, budget: int = BUDGET) -> Cell:
    return Cell(instance, RULES[rule](), sf.AlphaBoundary(), repetitions, budget, 1)


def default_cell(instance: sf.Instance = SYNTHETIC, repetitions: int = 1000, budget: int = BUDGET) -> Cell:
    """The default of satisfice."""
    return Cell(instance, DEFAULT.rule, DEFAULT.stopping, repetitions, budget, 1)


def seconds_a_pull(cell: Cell, threads: int = 1) -> float:
    start = perf_counter()
    result = run_cell(cell, threads=threads)
    return (perf_counter() - start) / int(result.pulls.sum())


def best_of(rounds: int, *timed: Callable[[], float]) -> Iterator[float]:
    """The best time of each, measured in turns so that all see the same machine."""
    times = [[measure() for measure in timed] for _ in range(rounds)]
    return (min(column) for column in zip(*times, strict=True))


def seconds_a_draw() -> float:
    rng = np.random.default_rng(0)
    start = perf_counter()
    draw_only(rng, 4_000_000)
    return (perf_counter() - start) / 4_000_000


def against_the_noise() -> list[Bar]:
    """noise draws a second against a loop that only draws"""
    metrics = len(SYNTHETIC.problem.metrics)
    bars = []
    draw_only(np.random.default_rng(0), 1)
    for rule, bar in DRAW_BARS.items():
        cell = cell_of(rule)
        run_cell(cell_of(rule, repetitions=1))
        pull, draw = best_of(ROUNDS, lambda cell=cell: seconds_a_pull(cell), seconds_a_draw)
        details = f"{pull * 1e9:.1f} ns a pull of {metrics} draws, {draw * 1e9:.2f} ns a draw alone"
        bars.append(
            Bar(f"{rule}: noise draws a second, against drawing alone", metrics * draw / pull, bar, True, "", details)
        )
    return bars


def against_the_twin() -> list[Bar]:
    """pulls a second against the naive plain-Python twin"""
    instance = SYNTHETIC
    pulls = 3000

    def naive() -> float:
        rng = np.random.default_rng(0)
        results = np.empty(len(instance.problem.metrics))

        def draw(arm: int) -> list[float]:
            instance.arms.draw(rng, arm, results)
            return results.tolist()

        start = perf_counter()
        twin.run(twin.question_of(instance.problem), draw, len(instance.arm_names), twin.INDICES["multitucb"], pulls)
        return (perf_counter() - start) / pulls

    cell = cell_of("multitucb")
    compiled, slow = best_of(3, lambda: seconds_a_pull(cell), naive)
    details = f"{1 / compiled / 1e6:.1f} million pulls a second against {1 / slow:,.0f}"
    return [Bar("multitucb: pulls a second, against the naive twin", slow / compiled, 1000, True, "", details)]


def with_two_threads() -> list[Bar]:
    """two threads against one"""
    cell = cell_of("multitucb", repetitions=1000)
    one, two = best_of(ROUNDS, lambda: seconds_a_pull(cell), lambda: seconds_a_pull(cell, threads=2))
    return [
        Bar(
            "multitucb: two threads against one",
            one / two,
            1.8,
            True,
            "",
            f"{1 / two / 1e6:.0f} million pulls a second",
        )
    ]


def with_many_arms() -> list[Bar]:
    """time a pull with 100,000 arms against 10"""
    means = np.tile(SYNTHETIC.arms.means, (10_000, 1))
    problem = SYNTHETIC.problem
    many = sf.Instance.of(problem, sf.arms_for(problem, means))
    budget = 20 * len(means)
    pairs = {
        rule: (cell_of(rule), cell_of(rule, many, repetitions=1, budget=budget), 5)
        for rule in ("multitucb", "multilucb", "multiapt")
    }
    pairs[DEFAULT.name] = (default_cell(), default_cell(many, repetitions=1, budget=budget), 20)
    bars = []
    for name, (few_cell, many_cell, most) in pairs.items():
        run_cell(few_cell)  # compiles
        few, much = best_of(3, lambda cell=few_cell: seconds_a_pull(cell), lambda cell=many_cell: seconds_a_pull(cell))
        details = f"{few * 1e9:.0f} ns and {much * 1e9:.0f} ns"
        bars.append(Bar(f"{name}: time a pull with 100,000 arms, against 10", much / few, most, False, "", details))
    return bars


def default_against_multitucb() -> list[Bar]:
    """time a pull of the default against MultiTUCB"""
    ours, theirs = default_cell(), cell_of("multitucb")
    run_cell(default_cell(repetitions=1))  # compiles
    default, multitucb = best_of(ROUNDS, lambda: seconds_a_pull(ours), lambda: seconds_a_pull(theirs))
    details = f"{default * 1e9:.0f} ns and {multitucb * 1e9:.0f} ns"
    return [Bar(f"{DEFAULT.name}: time a pull, against multitucb", default / multitucb, 4, False, "", details)]


MEASURES = (against_the_noise, against_the_twin, with_two_threads, default_against_multitucb, with_many_arms)
