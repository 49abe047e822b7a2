"""Metrics measured in groups: answers are wrong no more often than promised, whatever is measured when.

As in `test_validity`, with means on the boundaries, each metric a group of its own, and costs that pull towards the
mistake; in studies with many evaluations under way whose durations are their results. Two mistakes are caught: results
folded as they come back, and results that an evaluation adds unasked where they look good.
"""

from dataclasses import replace

import numpy as np
import pytest

import satisfice as sf
from satisfice.simulation.cell import Cell, run_cell
from satisfice.stopping import DEFAULT_STOPPING
from tests.helpers.edge_cases import LAWS, Edge, check_rate
from tests.helpers.live_errors import DURATIONS, Evaluations, is_wrong, names_of, study_is_wrong

TEMPTING = {
    "what fails is dear": ("he he", (1.0, 50.0)),
    "what fails is cheap": ("eh eh", (1.0, 50.0)),
    "each fails in another": ("eh he", (1.0, 3.0)),
    "all are just good": ("gg gg", (1.0, 5.0)),
    "one is just good": ("gg ff", (5.0, 1.0)),
}


def case_of(law, tempting, **more):
    """The case, its metrics in groups, and the costs of its lines."""
    shape, costs = TEMPTING[tempting]
    case = Edge(LAWS[law], tuple(shape.split()), sf.Evidence(), sf.Pandora(), **more)
    problem = case.problem()
    metrics = tuple(replace(metric, group=f"g{place}") for place, metric in enumerate(problem.metrics))
    return case, replace(problem, metrics=metrics), dict(zip(("g0", "g1"), costs, strict=True))


def grouped_study_is_wrong(law, tempting, run, *, under_way, durations, budget):
    """One study in memory, told of each evaluation the group that was asked for."""
    case, problem, costs = case_of(law, tempting, budget=budget)

    def said(pull, results):
        return {name: results[name] for name in problem.by_group[int(pull.groups[0][1:])].measured}

    asked = {"thresholds": problem.metrics, "cost": costs, "stopping": DEFAULT_STOPPING}
    return study_is_wrong(case, run, under_way=under_way, durations=durations, said=said, **asked)


def simulated(law, tempting, *, runs, budget, engine):
    case, problem, costs = case_of(law, tempting)
    instance = sf.Instance.of(problem, case.instance().arms, costs=costs)
    cell = Cell(instance, case.rule, case.stopping, runs, budget, 7)
    return run_cell(cell, threads=2, engine=engine).wrong, case.error_rate


@pytest.mark.parametrize("tempting", TEMPTING)
def test_simulated(tempting):
    check_rate(*simulated("normal", tempting, runs=100, budget=150, engine="interpreted"))


@pytest.mark.full
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("tempting", TEMPTING)
def test_simulated_at_length(law, tempting):
    check_rate(*simulated(law, tempting, runs=3000, budget=2000, engine="compiled"))


@pytest.mark.full
@pytest.mark.parametrize("durations", DURATIONS)
@pytest.mark.parametrize("tempting", TEMPTING)
def test_studies_with_many_under_way(tempting, durations):
    wrong = [
        grouped_study_is_wrong("normal", tempting, run, under_way=32, durations=durations, budget=300)
        for run in range(300)
    ]
    check_rate(np.array(wrong), 0.2)


def test_studies_whose_durations_are_their_results():
    wrong = [
        grouped_study_is_wrong(
            "normal", "what fails is cheap", run, under_way=8, durations="passing results first", budget=60
        )
        for run in range(60)
    ]
    check_rate(np.array(wrong), 0.2)


def hasty_is_wrong(run, *, under_way=64, budget=400):
    """The mistake to be caught: the results of a line are folded as they come back."""
    case, problem, _ = case_of("normal", "what fails is cheap")
    search = sf.Search(problem, names_of(case), seed=run)
    at_work = Evaluations(case, run, DURATIONS["passing results first"])
    outstanding = np.zeros(4, dtype=np.int64)
    while search.outcome is sf.Outcome.UNDECIDED:
        while len(at_work.ends) < under_way and at_work.begun < budget:
            line = search.choose(at_work.begun, outstanding)
            outstanding[line] += 1
            at_work.begin(line // 2, line)
        if not at_work.ends:
            break
        line, results = at_work.next_end()
        outstanding[line] -= 1
        search.fold(line, (results[line % 2],))
    return is_wrong(case, search.verdict)


def generous_is_wrong(run, *, budget=150):
    """The mistake to be caught: an evaluation adds a result that was not asked for, where it looks good."""
    case, problem, _ = case_of("normal", "what fails is cheap")
    search, rng = sf.Search(problem, names_of(case), seed=run), np.random.default_rng([5, run])
    arms, results = case.instance().arms, np.empty(2)
    for number in range(budget):
        line = search.choose(number)
        if line is None:
            break
        for asked in (True, False):
            arms.draw(rng, line // 2, results)
            if asked or results[line % 2] > case.law.threshold:
                search.fold(line, (results[line % 2],))
    return is_wrong(case, search.verdict)


@pytest.mark.parametrize("mistaken", [hasty_is_wrong, generous_is_wrong])
def test_mistakes_are_caught(mistaken):
    wrong = np.array([mistaken(run) for run in range(25)])
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(wrong, 0.2)
