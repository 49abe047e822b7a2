"""Costs steer the choice and end budgets, and are no excuse: answers are wrong no more often than promised.

As in `test_validity`, with means on the boundaries, and costs that pull towards the mistake that is possible: failing
configurations are cheap and good ones dear, or costs are what the very results say.
"""

from dataclasses import replace

import numpy as np
import pytest

import satisfice as sf
from satisfice.simulation.cell import Cell, run_cell
from tests.helpers.edge_cases import LAWS, Edge, check_rate
from tests.helpers.live_errors import is_wrong, names_of, study_is_wrong
from tests.helpers.quick_part import quick

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
    cell = Cell(instance, case.rule, case.stopping, runs, budget, 7, max_cost=max_cost)
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


# Costs that are what the results say: the cheaper an evaluation was, the more, or the less, it speaks for its config.

REPORTED = {
    "what passes is cheap": lambda beyond: float(np.exp(np.clip(-beyond, -20.0, 20.0))),
    "what fails is cheap": lambda beyond: float(np.exp(np.clip(beyond, -20.0, 20.0))),
}


def spent_study_is_wrong(case: Edge, run: int, tempting: str, *, under_way: int, max_cost: float) -> bool:
    """One study whose evaluations report costs that depend on their results, with a budget of money."""
    first = case.problem().metric_names[0]

    def said(pull: sf.Pull, results: dict[str, float]) -> dict[str, float]:
        return results | {"usd": REPORTED[tempting]((results[first] - case.law.threshold) / case.law.sd)}

    first_in = {"under_way": under_way, "durations": "passing results first"}
    return study_is_wrong(case, run, **first_in, said=said, cost="usd", max_cost=max_cost)


LIVE = [
    *((stopping, "normal", shape) for stopping in STOPPING for shape in ("e e", "g e g")),
    ("evidence", "unknown scale", "e"),
    ("evidence", "unknown scale", "g"),
    ("evidence", "coins", "e"),
    ("evidence", "coins", "g"),
]


def live_case(stopping: str, law: str, shape: str, **changes) -> Edge:
    return Edge(LAWS[law], shape.split(), STOPPING[stopping], budget=100, seed=14).but(**changes)


PASSING, FAILING = REPORTED
SOME = quick(
    [(*row, tempting) for row in LIVE for tempting in REPORTED],
    ("evidence", "normal", "e e", PASSING),
    ("evidence", "normal", "g e g", FAILING),
    ("transfer", "normal", "e e", PASSING),
    ("transfer", "normal", "g e g", FAILING),
    ("evidence", "unknown scale", "e", PASSING),
    ("evidence", "coins", "g", FAILING),
)


@pytest.mark.parametrize(("stopping", "law", "shape", "tempting"), SOME)
def test_studies_whose_costs_are_what_their_results_say(stopping, law, shape, tempting):
    case = live_case(stopping, law, shape)
    found = [spent_study_is_wrong(case, run, tempting, under_way=8, max_cost=200.0) for run in range(40)]
    check_rate(np.array(found), case.error_rate)


@pytest.mark.full
@pytest.mark.parametrize("tempting", REPORTED)
@pytest.mark.parametrize(("stopping", "law", "shape"), LIVE)
def test_studies_whose_costs_are_what_their_results_say_at_length(stopping, law, shape, tempting):
    case = live_case(stopping, law, shape, budget=500, error_rate=0.1)
    found = [spent_study_is_wrong(case, run, tempting, under_way=32, max_cost=2000.0) for run in range(400)]
    check_rate(np.array(found), case.error_rate)


def frugal_search_is_wrong(case: Edge, run: int) -> bool:
    """The mistake to be caught: what turned out dear is not told, as if it had not been measured."""
    search = sf.Search(case.problem(), names_of(case), stopping=case.stopping, seed=run, reports_cost=True)
    rng, results = np.random.default_rng([case.seed, run]), np.empty(len(case.shape[0]))
    for _ in range(case.budget):
        arm = search.ask()
        if arm is None:
            break
        case.instance().arms.draw(rng, int(arm), results)
        usd = REPORTED["what passes is cheap"]((results[0] - case.law.threshold) / case.law.sd)
        if usd <= 2.0:
            search.tell(arm, dict(zip(case.problem().metric_names, results.tolist(), strict=True)), cost=usd)
    return is_wrong(case, search.verdict)


def test_leaving_out_what_was_dear_is_caught():
    case = live_case("evidence", "normal", "e")
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(np.array([frugal_search_is_wrong(case, run) for run in range(40)]), case.error_rate)
