"""Asks are spread by what each is worth, given what is under way."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.search.choose import FEW_UNDER_WAY, choose
from satisfice.search.pending import MOST_AHEAD
from satisfice.search.tournament import climb

SCORES = (-60.0, -72.5, -300.0)


class Plain(sf.Pandora):
    """A rule whose priority is in no unit."""

    in_money = None


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> sf.Search:
    """Three arms that were opened, with these scores; no look is owed to any."""
    monkeypatch.setattr(sf.Pandora, "looks_owed", lambda rule, number, arms: 0.0)
    search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"], 0.05), ["a", "b", "c"])
    for arm, mean in zip("abc", (1.0, 0.9, 0.1), strict=True):
        search.tell(arm, {"x": mean})
    for place, score in enumerate(SCORES):
        climb(search._state.board, place, score)
    return search


def chosen(search: sf.Search, under_way: list[int]) -> int:
    parts = search._parts
    before = search._state.board.copy()
    arm = choose(search._state, parts, np.random.default_rng(0), 100, np.array(under_way))
    assert np.array_equal(search._state.board, before)
    return int(arm)


def test_what_is_under_way_is_added_to_what_is_to_be_spent(search):
    assert [chosen(search, [count, 0, 0]) for count in (0, 12, 13, 300)] == [0, 0, 1, 1]
    assert [chosen(search, [20, count, 0]) for count in (7, 8, 9)] == [1, 0, 0]
    assert chosen(search, [250, 250, 0]) == 2
    assert chosen(search, [250, 250, 20]) == 0


def test_dear_evaluations_are_added_at_their_cost(search):
    search._parts = search._parts._replace(costs=np.array([4.0, 1.0, 1.0]))
    assert [chosen(search, [count, 0, 0]) for count in (3, 4)] == [0, 1]


def test_results_that_wait_for_an_earlier_one_steer_the_choice_and_nothing_else(search):
    """The second result of `c` is out: those behind it change whom to ask for, not what is known of any arm."""
    known, under_way = (search.statuses(), search.verdict), [0, 0, 9]
    assert search.choose(101, under_way) == 0
    search.hold(2, 8, lambda: [None, *[((4.0,), ())] * 8])
    assert search.choose(102, under_way) == 2
    assert (search.statuses(), search.verdict) == known
    search.fold(2, (0.1,))
    assert search._state.ahead[2] == 0


def test_however_many_wait_so_many_are_looked_at(search):
    """One that never comes may hold up any number of results, and each choice folds those that steer it anew."""
    search.hold(2, 500, lambda: [None, *[((4.0,), ())] * MOST_AHEAD, *[((-9.0,), ())] * (500 - MOST_AHEAD)])
    assert search.choose(101, [0, 0, 0]) == 2
    assert search._state.ahead[2] == MOST_AHEAD


def test_what_has_come_is_not_under_way(search):
    search._state.ahead[0] = 5
    assert [chosen(search, [count, 0, 0]) for count in (17, 18)] == [0, 1]


def test_of_a_rule_without_a_unit_few_are_under_way_at_once(search):
    search._parts = search._parts._replace(rule=Plain())
    assert [chosen(search, [count, 0, 0]) for count in (FEW_UNDER_WAY - 1, FEW_UNDER_WAY)] == [0, 1]
    assert chosen(search, [FEW_UNDER_WAY] * 3) == 0


def test_whom_an_index_puts_first_counts_what_is_under_way_of_every_arm():
    """Each in turn, however many were passed over on the way to it."""
    names = [f"c{place}" for place in range(40)]
    study = sf.create_study(names, ["x >= 1 ~ 0.1 : normal(1)"], rule="uniform")
    study.exchange([(pull, {"x": 1.0}) for pull in study.ask(40)])
    assert [pull.name for pull in study.ask(120)] == names * 3
