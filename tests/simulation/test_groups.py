"""Simulated runs whose metrics are measured in groups: what they spend, when they end and what is their best guess."""

from dataclasses import replace
from math import inf, sqrt
from types import SimpleNamespace

import numpy as np
import pytest

import satisfice as sf
from satisfice.search.grouped import best_of_groups, new_groups
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.simulation.grouped import spent_on_groups
from satisfice.stopping.decision import KEEP, REJECT

THRESHOLDS = ["x >= 0 : normal(1) @ cheap", "y >= 0 : normal(1) @ dear", "z <= 0 : normal(1) @ dear"]
COSTS = {"cheap": [1.0, 2.0, 1.0], "dear": [5.0, 3.0, 8.0]}
OF_LINES = np.array([[1.0, 5.0], [2.0, 3.0], [1.0, 8.0]])


def cell_of(**given) -> Cell:
    problem = sf.problem_of(THRESHOLDS, 0.01)
    arms = sf.arms_for(problem, np.zeros((3, 3)))
    plain = Cell(sf.Instance.of(problem, arms, costs=COSTS), sf.Pandora(), sf.Evidence(), 1, 60, 5)
    return replace(plain, **given)


def counts_of(order: np.ndarray) -> np.ndarray:
    return np.bincount(order, minlength=6).reshape(3, 2)


@pytest.mark.parametrize("most", [1, 2, 60])
def test_a_run_ends_with_its_evaluations_and_leaves_what_it_made_of_them(most):
    cell = cell_of(max_evaluations=most)
    _, _, order = run_once(cell)
    kept = run_cell(cell, engine="interpreted").record
    counts = counts_of(order)
    assert len(order) == kept.totals[0] == most
    assert kept.arm_pulls.tolist() == counts.sum(axis=1).tolist()
    assert kept.spent[0] == pytest.approx((counts * OF_LINES).sum())
    guess = kept.guesses[0]
    assert guess >= 0
    assert kept.guess_counts[0].tolist() == counts[guess][[0, 1, 1]].tolist()


@pytest.mark.parametrize("money", [4.0, 55.0, 100.0])
def test_a_run_ends_before_it_would_spend_more_than_there_is(money):
    """And not sooner: with money for the dearest group left it goes on."""
    _, _, order = run_once(cell_of(max_cost=money))
    _, _, longer = run_once(cell_of())
    spent = np.cumsum(OF_LINES.reshape(-1)[longer])
    assert len(order) == np.searchsorted(spent, money, side="right")
    assert order.tolist() == longer[: len(order)].tolist()


def test_what_is_spent_where_all_cost_the_same():
    groups = new_groups(np.array([0, 1, 1]), 2, np.full(1, 1.0))
    groups.counts[:] = [[3, 4], [0, 2]]
    assert spent_on_groups(groups) == 9.0
    groups = groups._replace(costs=np.array([1.0, 10.0, 100.0, 1000.0]))
    assert spent_on_groups(groups) == 2043.0


def test_the_best_guess_has_its_weakest_metric_the_most_standard_errors_beyond():
    """Of arms that are tried and not decided; a metric that was never measured is none beyond, and the first wins."""
    of, rng = np.array([0, 1, 1]), np.random.default_rng(8)
    guesses = set()
    for _ in range(200):
        groups = new_groups(of, 5, np.ones(1))
        groups.counts[:] = rng.integers(0, 4, (5, 2))
        margins = rng.integers(-2, 4, (5, 3)) / 4.0
        decisions = np.where(rng.random(5) < 0.3, REJECT, KEEP)
        state = SimpleNamespace(pulls=groups.counts.sum(axis=1), decisions=decisions, margins=margins)
        weakest = [
            min(sqrt(groups.counts[arm, of[metric]]) * margins[arm, metric] for metric in range(3)) for arm in range(5)
        ]
        able = [arm for arm in range(5) if state.pulls[arm] > 0 and decisions[arm] == KEEP]
        expected = max(able, key=lambda arm: weakest[arm], default=-1)
        assert best_of_groups(state, groups) == expected
        guesses.add(expected)
    assert guesses - {-1} == {0, 1, 2, 3, 4}


def test_a_group_that_was_never_measured_has_no_margin_of_infinity():
    groups = new_groups(np.array([0, 1]), 2, np.ones(1))
    groups.counts[:] = [[1, 0], [1, 1]]
    state = SimpleNamespace(
        pulls=np.array([1, 2]), decisions=np.full(2, KEEP), margins=np.array([[5.0, inf], [0.5, 0.25]])
    )
    assert best_of_groups(state, groups) == 1
