"""Many workers, simulated: one worker is the plain run, both engines agree, and a live study makes the same asks."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import RULES
from satisfice.rules.protocol import kind_of
from satisfice.simulation.cell import Cell, run_cell
from satisfice.simulation.durations import as_durations
from satisfice.simulation.event_loop import FIRST_SLOTS
from satisfice.stopping import STOPPING_RULES
from tests.helpers.clocked import DURATIONS, assert_same_asks, clocked_run, first_of, search_run, study_run
from tests.helpers.close_calls import close_call
from tests.helpers.driving import simulated_run
from tests.helpers.quick_part import quick

BUDGET, SEED = 600, 20
BY_BELIEFS = ("pandora", "thompson", "murphy")
"""Rules that need no known scale."""


def noise_of(rule: str, stopping: str) -> str:
    """Noise whose first metric is 0 or more, as a duration is; counts cost an interpreted run little."""
    if stopping == "alpha":
        return "mixed, of known scale"
    return "poisson" if rule in BY_BELIEFS else "bounded"


def cell_of(
    rule: str = "pandora",
    stopping: str = "transfer",
    *,
    workers: int = 1,
    durations: str | None = "lognormal(1)",
    passes: bool = True,
    goal: str = "any",
    noise: str | None = None,
    budget: int = BUDGET,
    repetitions: int = 1,
) -> Cell:
    instance = close_call(noise or noise_of(rule, stopping), passes=passes, goal=goal)
    lasting = None if durations is None else as_durations(durations)
    parts = RULES[rule](), STOPPING_RULES[stopping]()
    return Cell(instance, *parts, repetitions, budget, SEED, workers, lasting)


ENGINES = ("interpreted", "compiled")
QUICK = ("pandora", "transfer")
"""What others compile, too."""
PAIRS = list(product(RULES, STOPPING_RULES))


@pytest.mark.parametrize(
    ("rule", "stopping", "engine"),
    [
        pytest.param(*pair, engine, marks=() if engine == "interpreted" or pair == QUICK else pytest.mark.full)
        for pair, engine in product(PAIRS, ENGINES)
        if pair != ("pandora", "alpha") or engine == "interpreted"
    ],
)
def test_one_worker_is_the_plain_run(rule, stopping, engine):
    for block, durations in enumerate(DURATIONS):
        plain = cell_of(rule, stopping, durations=None, passes=block % 2 == 0)
        timed = cell_of(rule, stopping, durations=durations, passes=block % 2 == 0)
        run, clocked = simulated_run(plain, block, engine), clocked_run(timed, block, engine)
        assert clocked[:3] == run


def test_one_worker_leaves_the_same_records():
    """All but the times: guesses and decisions, too, where the budget ends a run."""
    for goal, engine, repetitions in (("any", "compiled", 25), ("all", "interpreted", 3)):
        timed = cell_of(durations="lognormal(1)", goal=goal, budget=300, repetitions=repetitions)
        plain = replace(timed, durations=None)
        here, there = run_cell(timed, engine=engine), run_cell(plain, engine=engine)
        assert here.timed_out.any() or goal == "all"
        same = [name for name in here.record._fields if name not in ("asked", "times", "lasted")]
        for name in same:
            assert np.array_equal(getattr(here.record, name), getattr(there.record, name)), name
        assert np.array_equal(here.asked, there.pulls)


ENGINES_ON = list(product(("evidence", "transfer"), DURATIONS, (3, 32), ("poisson", "bounded")))


@pytest.mark.parametrize(
    ("stopping", "durations", "workers", "noise"),
    quick(
        ENGINES_ON,
        ("transfer", "constant", 3, "bounded"),
        ("transfer", "metric(m0)", 3, "poisson"),
        ("transfer", "lognormal(1)", 32, "poisson"),
        ("transfer", "lognormal(1) + 5% x 30", 32, "poisson"),
    ),
)
def test_both_engines_agree(stopping, durations, workers, noise):
    cells = [
        cell_of(stopping=stopping, durations=durations, workers=workers, passes=passes, noise=noise, repetitions=2)
        for passes in (True, False)
    ]
    for cell in cells:
        here, there = run_cell(cell, engine="interpreted"), run_cell(cell, engine="compiled")
        for name in here.record._fields:
            assert np.array_equal(getattr(here.record, name), getattr(there.record, name)), name


ROWS = [
    *(("pandora", stopping, goal) for stopping in ("evidence", "transfer") for goal in ("any", "all")),
    *(("multitucb", "alpha", "any"), ("multihdoc", "evidence", "all"), ("uniform", "evidence", "any")),
]


@pytest.mark.parametrize("workers", [4, pytest.param(32, marks=pytest.mark.full)])
@pytest.mark.parametrize(("rule", "stopping", "goal"), [row for row in ROWS if row[1:] != ("transfer", "all")])
def test_a_study_makes_the_same_asks(rule, stopping, goal, workers):
    """Told the same results on the same schedule of completions, it asks for the same and ends at the same time."""
    ends = set()
    for block, durations in enumerate(DURATIONS):
        cell = cell_of(rule, stopping, durations=durations, workers=workers, goal=goal, passes=block % 2 == 0)
        live = study_run(cell, block)
        assert_same_asks(live, clocked_run(cell, block))
        if block == 0:
            used, asked, time = first_of(cell)
            assert (used, asked) == (live.used, len(live.asks))
            assert time == pytest.approx(live.time, rel=1e-12)
        ends.add(live.outcome)
    assert ends - {"UNDECIDED"} or (rule, goal) != ("pandora", "any"), "nothing was decided"


@pytest.mark.parametrize("rule", [name for name in RULES if kind_of(RULES[name]).by_draws])
def test_a_search_whose_rule_draws_makes_the_same_asks(rule):
    for block, durations in enumerate(DURATIONS):
        cell = cell_of(rule, durations=durations, workers=16, passes=block % 2 == 0)
        assert_same_asks(search_run(cell, block), clocked_run(cell, block))


def test_the_only_result_that_came_before_its_turn_may_decide():
    """Of short runs with coins many end so: an evaluation is under way, and the next of the arm was quicker."""
    problem = sf.problem_of(["m0 >= 0.9 : bernoulli"], 0.1)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.3], [0.2]]))
    for block in range(20):
        cell = Cell(instance, sf.Pandora(), sf.Evidence(), 1, 200, SEED, 4, as_durations("lognormal(1)"))
        assert_same_asks(search_run(cell, block), clocked_run(cell, block))


def test_a_straggler_holds_up_more_results_than_there_is_room_for():
    """Slots double as they are needed; the run is the live one all the same."""
    cell = cell_of(durations="lognormal(1) + 5% x 30", workers=200, budget=2500, noise="normal")
    live = study_run(cell)
    for engine in ENGINES:
        assert_same_asks(live, clocked_run(cell, engine=engine))
    assert len(live.asks) - live.used > 2 * (cell.workers + FIRST_SLOTS)


@pytest.mark.full
def test_sets_of_items_are_drawn_without_replacement_whatever_is_under_way():
    """35 of 40 items pass, which all 40 results prove; drawn with replacement, some runs would come to another end."""
    problem = sf.problem_of(["x >= 0.85 : bernoulli of 40"], 0.001)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.875]]))
    for workers, engine in product((1, 64), ENGINES):
        cell = Cell(instance, sf.Pandora(), sf.Evidence(), 40, 60, SEED, workers, as_durations("lognormal(1)"))
        result = run_cell(cell, engine=engine)
        assert (result.found == 0).all()
        assert result.pulls.max() <= 40


def test_percentiles_last_as_long_as_what_they_are_taken_of():
    """Not as long as whether the limit was kept, which is all that the evidence sees."""
    problem = sf.problem_of(["p90(x) <= 100 ~ 4"], 0.1)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[96.0]], sds=8.0))
    cell = Cell(instance, sf.Pandora(), sf.Evidence(), 20, 400, SEED, 1, as_durations("metric(x)"))
    result = run_cell(cell, engine="interpreted")
    mean = result.record.lasted.sum() / result.asked.sum()
    assert mean == pytest.approx(96.0 - 1.2816 * 8.0, abs=1.0)
