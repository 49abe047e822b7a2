"""Costs steer the choice and end budgets, and are no excuse: answers are wrong no more often than promised.

As in `test_validity`, with means on the boundaries, and costs that pull towards the mistake that is possible: failing
configurations are cheap and good ones dear, or costs are what the very results say.
"""

from dataclasses import replace

import numpy as np
import pytest

import satisfice as sf
from edge_cases import LAWS, Edge, check_rate
from satisfice.simulation.cell import Cell, run_cell

TEMPTING = {
    "failing ones, cheap and dear": ("e e e", (1.0, 10.0, 100.0)),
    "a good one is dear": ("e g e", (1.0, 100.0, 2.0)),
    "a good one is cheap": ("ff gg ff", (100.0, 1.0, 50.0)),
    "all are good, one is dear": ("gg gg", (1.0, 100.0)),
    "each fails in one": ("eh he", (1.0, 100.0)),
}
STOPPING = {"evidence": sf.Evidence(), "transfer": sf.TransferredEvidence()}


def wrong_in_simulations(stopping, law, tempting, *, goal="any", runs, budget, max_cost=float("inf")):
    shape, costs = TEMPTING[tempting]
    case = Edge(LAWS[law], shape.split(), STOPPING[stopping], sf.Pandora(), goal=goal)
    instance = replace(case.instance(), costs=np.array(costs))
    cell = Cell(instance, case.rule, case.stopping, runs, budget, 7, max_cost)
    return run_cell(cell, threads=2).wrong, case.error_rate


@pytest.mark.parametrize(
    ("stopping", "law"), [("evidence", "normal"), ("evidence", "unknown scale"), ("transfer", "normal")]
)
@pytest.mark.parametrize("tempting", TEMPTING)
def test_simulated(stopping, law, tempting):
    check_rate(*wrong_in_simulations(stopping, law, tempting, runs=600, budget=800))


@pytest.mark.parametrize("tempting", TEMPTING)
def test_simulated_with_a_budget_of_money(tempting):
    check_rate(*wrong_in_simulations("evidence", "normal", tempting, runs=600, budget=800, max_cost=3000.0))


@pytest.mark.full
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("tempting", TEMPTING)
@pytest.mark.parametrize("goal", ["any", "all"])
def test_simulated_at_length(law, tempting, goal):
    check_rate(*wrong_in_simulations("evidence", law, tempting, goal=goal, runs=3000, budget=1500))
