"""A live search of percentiles and sets of items makes the very pulls of a simulated run, interpreted and compiled."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import RULES
from satisfice.simulation.cell import Cell
from tests.helpers.driving import Run, assert_same, search_of, simulated_run, stream_of

ARMS = [[99.0, 104.0], [101.5, 100.0], [120.0, 90.0]]
THRESHOLDS = ["p90(x) <= 100 ~ 4", "p20(y) >= 100 ~ 4"]


def live(cell: Cell, block: int) -> Run:
    """A search that is told what the simulator draws."""
    rng, names = stream_of(cell.seed, block), list(cell.instance.arm_names)
    search, results, order = search_of(cell, rng), np.empty(len(cell.instance.problem.metrics)), []
    while len(order) < cell.max_evaluations and (name := search.ask()) is not None:
        order.append(names.index(name))
        cell.instance.arms.draw(rng, order[-1], results)
        search.tell(name, dict(zip(cell.instance.problem.measured, results.tolist(), strict=True)))
    verdict = search.verdict
    return Run(str(verdict.outcome), None if verdict.arm is None else names.index(verdict.arm), order)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(
    "rule",
    [pytest.param(rule, marks=() if rule == "pandora" else pytest.mark.full) for rule in RULES],
)
def test_percentiles(rule, engine):
    problem = sf.problem_of(THRESHOLDS, 0.1)
    instance = sf.Instance.of(problem, sf.arms_for(problem, ARMS, sds=8.0))
    pulls = 0
    for block in range(40):
        cell = Cell(instance, RULES[rule](), sf.Evidence(), 1, 800, 20)
        run = live(cell, block)
        assert_same(run, simulated_run(cell, block, engine))
        pulls += len(run.order)
        if pulls > 2_000:
            return
    raise AssertionError("too few pulls")


def test_sets_of_items_interpreted_and_compiled():
    problem = sf.problem_of(["x >= 0.8 ~ 0.02 : bernoulli of 400", "y <= 0.3 : bernoulli of 400"], 0.1)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.79, 0.2], [0.7, 0.29], [0.82, 0.31]]))
    cell = Cell(instance, sf.Pandora(), sf.Evidence(), 1, 2_000, 20)
    for block in range(6):
        assert_same(simulated_run(cell, block, "interpreted"), simulated_run(cell, block, "compiled"))
