"""The simulator, interpreted and compiled, makes the very pulls of the naive twin, and ends as it does."""

from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import RULES
from satisfice.search.search import Search
from satisfice.search.verdict import OutcomeCode
from satisfice.simulation import trial
from satisfice.simulation.cell import BLOCK, run_cell, run_once
from tests.helpers import cases, twin
from tests.helpers.quick_part import COMPILED_OFTEN, quick

PAPER_RULES = [rule for rule in RULES if rule in twin.INDICES]
OFTEN = quick(RULES, *COMPILED_OFTEN)
GAUSSIAN = [
    cases.synthetic,
    cases.medical,
    cases.one_arm,
    cases.one_metric,
    cases.no_tolerance,
    cases.none_good,
    cases.ties,
    cases.ties_of_bad_arms,
    cases.unequal,
]
OTHER_FAMILIES = [cases.mixed, cases.correlated, cases.recorded]
MIXED = (cases.mixed, cases.coins)
SEED = 11


def simulated(instance, rule, budget, *, engine, block=0):
    """A run of the simulator in the twin's words."""
    ending, found, order = run_once(
        cases.cell(instance, RULES[rule], budget=budget, seed=SEED), block=block, engine=engine
    )
    assert (found >= 0) == (ending == trial.FOUND)
    return OutcomeCode(ending).name, found if found >= 0 else None, order.tolist()


def twin_run(instance, rule, budget, block=0):
    return twin.run_instance(instance, rule, budget, SEED, block)


def test_the_twin_knows_every_rule_of_the_paper():
    assert {"multitucb", "multihdoc", "multilucb", "multiapt"} <= set(PAPER_RULES)


@pytest.mark.parametrize("rule", PAPER_RULES)
@pytest.mark.parametrize("instance", GAUSSIAN + OTHER_FAMILIES)
def test_interpreted_is_the_twin(instance, rule):
    assert simulated(instance(), rule, 3000, engine="interpreted") == twin_run(instance(), rule, 3000)


@pytest.mark.parametrize("rule", PAPER_RULES)
@pytest.mark.parametrize("instance", GAUSSIAN + OTHER_FAMILIES)
def test_a_search_told_the_same_results_is_the_twin(instance, rule):
    """The search that is asked and told from outside, one evaluation at a time."""
    case = instance()
    search = Search(case.problem, case.arm_names, rule=RULES[rule](), stopping=sf.AlphaBoundary())
    draw, order = twin.draw_from(case.arms, SEED), []
    while len(order) < 1000 and (arm := search.ask()) is not None:
        order.append(case.arm_names.index(arm))
        search.tell(arm, dict(zip(case.problem.metric_names, draw(order[-1]), strict=True)))
    verdict = search.verdict
    assert verdict.evaluations == len(order)
    found = None if verdict.arm is None else case.arm_names.index(verdict.arm)
    assert (verdict.outcome, found, order) == twin_run(case, rule, 1000)


@pytest.mark.parametrize("rule", OFTEN)
@pytest.mark.parametrize("instance", GAUSSIAN)
def test_compiled_is_interpreted(instance, rule):
    assert simulated(instance(), rule, 3000, engine="compiled") == simulated(
        instance(), rule, 3000, engine="interpreted"
    )


@pytest.mark.parametrize(
    ("instance", "rule"),
    [
        # each family is compiled in about three seconds: in the fast part the one that other tests need too
        pytest.param(instance, rule, marks=() if rule == "multitucb" and instance in MIXED else pytest.mark.full)
        for instance in [*OTHER_FAMILIES, cases.coins]
        for rule in RULES
    ],
)
def test_compiled_is_interpreted_on_other_arms(instance, rule):
    assert simulated(instance(), rule, 3000, engine="compiled") == simulated(
        instance(), rule, 3000, engine="interpreted"
    )


def test_the_cases_end_in_all_three_ways():
    """Else the comparisons above would say less than they seem to."""
    endings = {twin_run(instance(), "multitucb", 3000)[0] for instance in GAUSSIAN}
    assert endings == {twin.FOUND, twin.NONE, twin.UNDECIDED}


class Steps(NamedTuple):
    """An arm's priority falls once in three pulls: streaks end in ties with arms before and after."""

    length: int = 3

    def bonus(self, pulls, setting):
        return -float(pulls // self.length)

    def priority(self, shortfall, excess, bonus):
        return bonus - shortfall


class StepsByTheClock(NamedTuple):
    """Priorities that also rise, once in fifty pulls, by an excess that differs from arm to arm."""

    length: int = 3

    def bonus(self, pulls, setting):
        return -float(pulls // self.length)

    def priority_at(self, shortfall, excess, bonus, total_pulls):
        return bonus - excess * (total_pulls // 50)


@pytest.mark.parametrize("means", [[[0.75, 0.5]] * 5, [[0.75, 0.5], [0.625, 0.375], [0.875, 0.625], [0.75, 0.5]]])
@pytest.mark.parametrize(
    ("rule", "index"),
    [
        (Steps(), lambda ghat, excess, n, t, km, sigma, delta: ghat + n // 3),
        (StepsByTheClock(), lambda ghat, excess, n, t, km, sigma, delta: n // 3 + excess * (t // 50)),
    ],
)
def test_ties_go_to_the_first_arm(rule, index, means):
    instance = cases.gaussian(means, [0.5, 0.25], sd=0.0, tolerance=0.125)
    draw = twin.draw_from(instance.arms, SEED)
    outcome, _, expected = twin.run(twin.question_of(instance.problem), draw, len(means), index, 300)
    assert outcome == twin.UNDECIDED
    assert run_once(cases.cell(instance, rule, budget=300))[2].tolist() == expected


@pytest.mark.parametrize("rule", PAPER_RULES)
def test_any_budget(rule):
    """Fewer pulls than arms, as many, one more, exactly as many as the run takes, one less, one more."""
    instance = cases.no_tolerance()
    needed = len(twin_run(instance, rule, 100_000)[2])
    for budget in (1, 2, 3, 4, 5, needed - 1, needed, needed + 1):
        expected = twin_run(instance, rule, budget)
        assert len(expected[2]) == min(budget, needed)
        assert (expected[0] == twin.UNDECIDED) == (budget < needed)
        assert simulated(instance, rule, budget, engine="interpreted") == expected
        assert simulated(instance, rule, budget, engine="compiled") == expected


@pytest.mark.parametrize("rule", PAPER_RULES)
def test_tables_grow_interpreted(rule, monkeypatch):
    monkeypatch.setattr(trial, "FIRST_TABLE", 2)
    assert simulated(cases.medical(), rule, 3000, engine="interpreted") == twin_run(cases.medical(), rule, 3000)


@pytest.mark.parametrize("rule", PAPER_RULES)
def test_tables_grow_compiled(rule, monkeypatch):
    """One arm at its threshold is never decided, the others soon are: its pulls outgrow the first two tables."""
    monkeypatch.setattr(trial, "FIRST_TABLE", 2048)
    instance = cases.gaussian([[-2.0], [0.5], [-2.0]], [0.5])
    expected = twin_run(instance, rule, 10_000)
    assert expected[2].count(1) > 2 * trial.FIRST_TABLE
    assert simulated(instance, rule, 10_000, engine="compiled") == expected


@pytest.mark.parametrize("rule", PAPER_RULES)
def test_campaigns_are_many_twins(rule):
    """The first repetition of each block is the twin on that block's stream; pulls of arms are summed over all."""
    cell = cases.cell(cases.medical(), RULES[rule], budget=500, seed=SEED, repetitions=2 * BLOCK + 3)
    result = run_cell(cell)
    for block in range(3):
        outcome, arm, order = twin_run(cell.instance, rule, 500, block)
        place = block * BLOCK
        assert OutcomeCode(result.endings[place]).name == outcome
        assert result.found[place] == (-1 if arm is None else arm)
        assert result.pulls[place] == len(order)
    assert result.arm_pulls.sum() == result.pulls.sum()


def test_pulls_of_arms_are_counted():
    cell = cases.cell(cases.medical(), sf.MultiTUCB, budget=500, seed=SEED)
    order = twin_run(cell.instance, "multitucb", 500)[2]
    assert run_cell(cell).arm_pulls.tolist() == np.bincount(order, minlength=5).tolist()


def test_threads_change_nothing():
    cell = cases.cell(cases.medical(), sf.MultiTUCB, budget=5000, repetitions=5 * BLOCK + 7)
    alone, together = run_cell(cell, threads=1), run_cell(cell, threads=7)
    for part in ("endings", "found", "pulls", "arm_pulls"):
        assert np.array_equal(getattr(alone, part), getattr(together, part))
    assert len(set(alone.pulls.tolist())) > 1


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_longer_campaign_begins_like_a_shorter_one(engine):
    short, long = (
        run_cell(cases.cell(cases.medical(), sf.MultiLUCB, budget=300, repetitions=count), engine=engine)
        for count in (BLOCK + 5, 2 * BLOCK + 1)
    )
    for part in ("endings", "found", "pulls"):
        assert np.array_equal(getattr(short, part), getattr(long, part)[: BLOCK + 5])


def test_repetitions_differ():
    """Streams of blocks are not shared: neither neighbours in a block nor first repetitions of blocks are equal."""
    pulls = run_cell(cases.cell(cases.medical(), sf.MultiLUCB, budget=5000, repetitions=5 * BLOCK)).pulls
    assert len(set(pulls.tolist())) > 4 * BLOCK
    assert len(set(pulls[::BLOCK].tolist())) == 5
