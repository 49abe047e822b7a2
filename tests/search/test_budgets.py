"""Every judge keeps a budget exactly, and guesses alike in a search and in a simulation when it ends one."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import RULES
from satisfice.search.verdict import OutcomeCode
from satisfice.simulation import trial
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.stopping import STOPPING_RULES
from tests.helpers.close_calls import close_call
from tests.helpers.driving import live_run, stream_of, told_run

BUDGETS = (1, 3, 4, 5, 6, 37, 90)


@pytest.mark.parametrize("stopping", STOPPING_RULES)
@pytest.mark.parametrize("rule", RULES)
def test_a_budget_is_kept_exactly(rule, stopping):
    """Fewer pulls than arms, as many, one more, and any number."""
    for budget in BUDGETS:
        cell = Cell(
            close_call("normal", passes=True, error_rate=1e-9), RULES[rule](), STOPPING_RULES[stopping](), 1, budget, 3
        )
        ending, found, order = run_once(cell)
        assert (OutcomeCode(ending).name, found, len(order)) == ("UNDECIDED", -1, budget)


@pytest.mark.parametrize(
    ("rule", "stopping"), [("pandora", "evidence"), ("pandora", "transfer"), ("multitucb", "alpha")]
)
def test_a_budget_is_kept_exactly_at_compiled_speed(rule, stopping):
    for budget in BUDGETS:
        instance = close_call("normal", passes=True, error_rate=1e-9)
        cell = Cell(instance, RULES[rule](), STOPPING_RULES[stopping](), 40, budget, 3)
        result = run_cell(cell)
        assert result.timed_out.all()
        assert (result.pulls == budget).all()
        assert result.arm_pulls.sum() == 40 * budget


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
@pytest.mark.parametrize("stopping", ["evidence", "transfer"])
def test_tables_that_begin_short_change_nothing(stopping, engine, monkeypatch):
    """Tables by number of pulls double when they are used up, in the midst of a run."""
    cell = Cell(close_call("normal", passes=True), sf.Pandora(), STOPPING_RULES[stopping](), 1, 900, 6)
    long = run_once(cell, engine=engine)
    monkeypatch.setattr(trial, "FIRST_TABLE", 16)
    short = run_once(cell, engine=engine)
    assert np.bincount(long[2]).max() > 32
    assert short[:2] == long[:2]
    assert np.array_equal(short[2], long[2])


@pytest.mark.parametrize("stopping", STOPPING_RULES)
@pytest.mark.parametrize("noise", ["normal", "by arm", "bernoulli"])
def test_the_guess_is_the_same_live_and_simulated(noise, stopping):
    """`test_direct_sums` says which arm that is."""
    for budget in BUDGETS:
        cell = Cell(
            close_call(noise, passes=True, error_rate=1e-9), sf.Pandora(), STOPPING_RULES[stopping](), 1, budget, 3
        )
        result = run_cell(cell, engine="interpreted")
        run, search = live_run(cell)
        assert (run.outcome, len(run.order), result.timed_out[0]) == ("UNDECIDED", budget, True)
        guess = search.verdict.guess
        assert guess is not None
        assert guess.arm == cell.instance.arm_names[result.record.guesses[0]]
        if stopping != "transfer":  # there a search knows what was moved, and a record does not
            assert guess.p_value == pytest.approx(result.p_values[0], rel=1e-12)


TRANSFERS = [("normal(1)", 1.0), ("bernoulli", 0.5), ("subgaussian(2)", 2.0)]


def asked(noise: str, sd: float, margins: list[float]) -> sf.Instance:
    limit = 0.5 if noise == "bernoulli" else 0.0
    problem = sf.problem_of([f"a >= {limit} ~ {sd / 8!r} : {noise}"], 0.05)
    return sf.Instance.of(problem, sf.arms_for(problem, limit + sd * np.array(margins)[:, None]))


@pytest.mark.parametrize("rule", ["pandora", "murphy", "multitucb", "uniform"])
@pytest.mark.parametrize(("noise", "sd"), TRANSFERS)
def test_transfers_reach_a_verdict(noise, sd, rule):
    """In no more evaluations than without them, on the whole."""
    needed = {}
    for stopping in ("evidence", "transfer"):
        lengths = []
        for run in range(6):
            for margins, outcome in (([-0.4, 0.5, -0.5, -0.3, -0.6, -0.4], "FOUND"), ([-0.5, -0.6, -0.5], "NONE")):
                instance = asked(noise, sd, margins)
                search = sf.Search(instance.problem, instance.arm_names, rule=rule, stopping=stopping, seed=run)
                made = told_run(search, instance, stream_of(run), 3000)
                assert (made.outcome, made.found) == (outcome, 1 if outcome == "FOUND" else None)
                lengths.append(len(made.order))
        needed[stopping] = sum(lengths)
    assert needed["transfer"] < 1.25 * needed["evidence"]


def test_the_key_of_a_cell_changes_with_the_version(monkeypatch):
    """Results kept by another version of the package are not taken for this one's."""
    cell = Cell(close_call("normal", passes=True), sf.Pandora(), sf.Evidence(), 10, 100, 1)
    before = cell.key()
    assert cell.key() == before
    monkeypatch.setattr(sf, "__version__", f"{sf.__version__}.post1")
    assert cell.key() != before
