"""One search, two drivers: a live search makes the very pulls of a simulated run, interpreted and compiled.

Every rule of the catalogue under every stopping rule, noise model and goal, pull by pull and in the verdict, over at
least 2,000 pulls a case. Rules that draw are given the same random numbers. The fast part has every rule under every
stopping rule interpreted, and every noise model compiled, for one arm and for all, under the pairs that other tests
compile anyway.
"""

from itertools import product

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem
from satisfice.rules import RULES
from satisfice.simulation.cell import Cell, run_cell
from satisfice.stopping import STOPPING_RULES
from satisfice.stopping.decision import ACCEPT, REJECT
from tests.helpers.close_calls import NOISES, UNKNOWN, close_call
from tests.helpers.driving import Run, assert_same, live_run, simulated_run, stream_of

GOALS = ("any", 2, "all")
PULLS, BUDGET, SEED = 2000, 1500, 20
CASES = list(product(RULES, STOPPING_RULES, NOISES, GOALS))
BY_BELIEFS = ("pandora", "thompson", "murphy")
QUICK = {"alpha": "mixed, of known scale", "evidence": "bounded", "transfer": "by arm"}
"""Noise whose tables cost the interpreted simulator little, and which no other stopping rule has here."""


def is_refused(rule: str, stopping: str, noise: str, goal: str | int) -> bool:
    """Refused by design: scales that must be known and are not."""
    return noise in UNKNOWN and (rule not in BY_BELIEFS or stopping == "alpha")


def is_quick(rule: str, stopping: str, noise: str, goal: str | int, engine: str) -> bool:
    if engine == "compiled":
        if goal == 2 or (stopping == "transfer" and goal != "any"):
            return False
        return (rule, stopping) in (("multitucb", "alpha"), ("pandora", "evidence"), ("pandora", "transfer"))
    return noise == QUICK[stopping] and goal == "any"


ALLOWED = [case for case in CASES if not is_refused(*case)]
ROWS = [
    pytest.param(*case, engine, marks=() if is_quick(*case, engine) else pytest.mark.full)
    for case, engine in product(ALLOWED, ("interpreted", "compiled"))
]


def chain(rule: str, stopping: str, noise: str, goal: str | int) -> list[Cell]:
    """Runs of a case, on instances with and without an arm that passes in turn."""
    parts = RULES[rule](), STOPPING_RULES[stopping]()
    return [Cell(close_call(noise, passes=turn % 2 == 0, goal=goal), *parts, 1, BUDGET, SEED) for turn in range(40)]


def check_equal(cells: list[Cell], engine: str, pulls: int = PULLS) -> list[Run]:
    """Live runs, each equal to the simulated one, until there are pulls enough."""
    runs: list[Run] = []
    for turn, cell in enumerate(cells):
        live, _ = live_run(cell, turn)
        assert_same(live, simulated_run(cell, turn, engine))
        runs.append(live)
        if sum(len(run.order) for run in runs) >= pulls:
            return runs
    raise AssertionError(f"{len(cells)} runs were too few for {pulls} pulls")


@pytest.mark.parametrize(("rule", "stopping", "noise", "goal", "engine"), ROWS)
def test_a_search_is_the_simulated_run(rule, stopping, noise, goal, engine):
    check_equal(chain(rule, stopping, noise, goal), engine)


def test_what_is_refused_is_exactly_what_is_left_out():
    refused = []
    for rule, stopping, noise, goal in CASES:
        case = close_call(noise, passes=True, goal=goal)
        try:
            sf.Search(case.problem, case.arm_names, rule=rule, stopping=stopping)
        except InvalidProblem:
            refused.append((rule, stopping, noise, goal))
    assert refused == [case for case in CASES if is_refused(*case)]
    assert len(ALLOWED) == 612, "a new rule, stopping rule, noise model or goal: is it compared?"


@pytest.mark.parametrize("noise", NOISES)
def test_standardising_rounds_alike_in_both(noise):
    """What the simulator draws is what a search makes of the same results: else equality could not be exact."""
    instance = close_call(noise, passes=True)
    standard = instance.problem.standardisation()
    drawn, told = np.empty(len(NOISES[noise])), np.empty(len(NOISES[noise]))
    here, there = stream_of(1), stream_of(1)
    for turn in range(400):
        instance.arms.draw(here, turn % 4, told)
        instance.deficits().draw(there, turn % 4, drawn)
        assert (np.array(standard.slopes) * (told - np.array(standard.thresholds))).tolist() == drawn.tolist()


def test_the_runs_end_in_all_three_ways():
    """Else the comparisons would say less than they seem to."""
    cells = [cell for noise in ("normal", "bernoulli") for cell in chain("multitucb", "evidence", noise, "any")[:3]]
    outcomes = {live_run(cell, turn)[0].outcome for turn, cell in enumerate(cells)}
    short = Cell(*(cells[0].instance, cells[0].rule, cells[0].stopping), 1, 50, SEED)
    assert outcomes | {live_run(short)[0].outcome} == {"FOUND", "NONE", "UNDECIDED"}


def many(noise: str, rule: str, count: int = 100) -> list[Cell]:
    """More arms than a rule that draws scores anew for one choice; a few pass."""
    problem = sf.problem_of([f"a >= 0 ~ 0.25 : {noise}", f"b <= 0 ~ 0.125 : {noise}"], 0.1)
    means = np.random.default_rng(8).normal([-0.6, 0.6], 0.6, (count, 2))
    instance = sf.Instance.of(problem, sf.gaussian_arms(means, 1.0))
    return [Cell(instance, RULES[rule](), sf.Evidence(), 1, 400, SEED) for _ in range(40)]


@pytest.mark.parametrize(
    ("rule", "engine"),
    [
        pytest.param(rule, engine, marks=() if engine == "interpreted" else pytest.mark.full)
        for rule, engine in product(RULES, ("interpreted", "compiled"))
    ],
)
def test_many_arms(rule, engine):
    noise = "normal" if rule in BY_BELIEFS else "normal(1)"
    check_equal(many(noise, rule), engine, 400 if engine == "interpreted" else PULLS)


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize(("wanted", "outcome"), [(2, "FOUND"), (5, "FOUND"), (9, "NONE"), (12, "NONE")])
def test_several_are_found_or_too_few(wanted, outcome, engine):
    """The same pulls, the same arms accepted and rejected, and the same answer; seven of twelve pass."""
    problem = sf.problem_of(["a >= 0 ~ 0.25 : normal(1)", "b <= 0 ~ 0.125 : normal(1)"], 0.1, goal=wanted)
    margins = np.array([1.0, -1.0, 0.5, 0.75, -0.5, 0.625, 0.5, -0.75, 1.5, -1.0, 0.875, -0.5])
    instance = sf.Instance.of(problem, sf.gaussian_arms(np.column_stack([margins, -margins]), 1.0))
    cell = Cell(instance, sf.Pandora(), sf.Evidence(), 1, BUDGET, SEED)
    (live, search), simulated = live_run(cell), run_cell(cell, engine=engine)
    assert_same(live, simulated_run(cell, 0, engine))
    assert live.outcome == outcome
    decided = simulated.record.decided[0]
    names = np.array(instance.arm_names)
    assert sorted(search.verdict.accepted) == sorted(names[decided == ACCEPT])
    assert sorted(search.verdict.rejected) == sorted(names[decided == REJECT])
    enough = (
        len(search.verdict.accepted) == wanted if outcome == "FOUND" else len(search.verdict.rejected) == 13 - wanted
    )
    assert enough
    assert not simulated.wrong.any()


@pytest.mark.parametrize(
    ("noise", "engine"), [("normal", "interpreted"), ("bernoulli", "compiled"), ("mixed, all", "compiled")]
)
def test_metrics_declared_independent(noise, engine):
    cells = chain("pandora", "evidence", noise, "any")
    independent = [
        Cell(cell.instance, cell.rule, sf.Evidence(independent_metrics=True), 1, BUDGET, SEED) for cell in cells
    ]
    runs = check_equal(independent, engine)
    assert {run.outcome for run in runs} >= {"NONE"}
