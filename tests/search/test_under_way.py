"""Asks are spread by what each is worth, given what is under way."""

from functools import partial

import numpy as np
import pytest

import satisfice as sf
from satisfice.search import choose as choices
from satisfice.search import early_decision
from satisfice.search.absorb import fold
from satisfice.search.choose import FEW_UNDER_WAY, choose
from satisfice.search.early_decision import MOST_AHEAD
from satisfice.search.tournament import climb

SCORES = (-60.0, -72.5, -300.0)


class Plain(sf.Pandora):
    """A rule whose priority is in no unit."""

    in_money = None


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> sf.Search:
    """Three arms that were opened, with these scores; no look is owed to any."""
    monkeypatch.setattr(sf.Pandora, "looks_owed", lambda rule, number, arms, score: 0.0)
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


@pytest.mark.parametrize("rule", [sf.Pandora(), Plain()])
def test_few_arms_looked_at_in_a_row_are_the_best_taken_off_the_board_in_turn(rule, monkeypatch):
    """Scores and burdens are of few values, so that ties are the rule; some arms are out."""
    monkeypatch.setattr(sf.Pandora, "looks_owed", lambda rule, number, arms, score: 0.0)
    search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"], 0.05), list("abcdefg"), rule=rule)
    for arm in "abcdefg":
        search.tell(arm, {"x": 1.0})
    rng = np.random.default_rng(7)
    for _ in range(1000):
        for place, score in enumerate(rng.integers(-8, 1, size=7)):
            climb(search._state.board, place, float(score) if score > -8 else -np.inf)
        under_way = rng.integers(0, 6, size=7).tolist()
        found = []
        for few in (64, 0):
            monkeypatch.setattr(choices, "FEW_ARMS", few)
            found.append(chosen(search, under_way))
        assert found[0] == found[1], (search._state.board, under_way)


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


@pytest.mark.parametrize(
    "thresholds", [["x >= 0 : normal(1)"], ["x >= 0.3 : bounded(0, 1)", "y <= 1"], ["x >= 0.5 : bernoulli"]]
)
def test_what_was_folded_for_the_last_choice_is_not_folded_again(thresholds, monkeypatch: pytest.MonkeyPatch):
    """Exactly as if it were, whether a result comes behind the others, fills a gap, or is the one all wait for."""
    folds, rng, digits = [0], np.random.default_rng(5), 0 if "bernoulli" in thresholds[0] else 9
    monkeypatch.setattr(early_decision, "fold", lambda *given: folds.__setitem__(0, folds[0] + 1) or fold(*given))
    kept, anew = (sf.Search(sf.problem_of(thresholds, 1e-9), ["a", "b"]) for _ in range(2))
    lines: list[list[tuple[tuple[float, ...], tuple[()]] | None]] = [[None, None], [None, None]]
    spent, most = [0, 0], 0
    for number in range(400):
        place = int(rng.integers(2))
        line, result = lines[place], (tuple(np.round(rng.random(len(thresholds)), digits).tolist()), ())
        gaps = [at for at, one in enumerate(line) if one is None]
        at = gaps[0] if number % 150 == 149 else int(rng.choice([*gaps[1:], *[len(line)] * 6]))
        line[at : at + 1] = [result]
        while line[0] is not None:
            due = line.pop(0)
            for search in (kept, anew):
                search.fold(place, due[0])
            line += [] if line else [None, None]
        anew._ahead.clear()
        for which, search in enumerate((kept, anew)):
            before = folds[0]
            search.hold(place, sum(one is not None for one in line), partial(list, line))
            search.choose(number)
            spent[which] += folds[0] - before
        for name in ("board", "margins", "tolerances", "ahead", "deficits", "more"):
            assert np.array_equal(getattr(kept._state, name), getattr(anew._state, name))
        most = max(most, int(kept._state.ahead.max()))
    assert most == MOST_AHEAD
    assert spent[0] < spent[1] / 4


def test_what_was_folded_ahead_before_an_arm_had_more_results_is_of_no_use(search):
    """The same three wait as before, behind another number of results."""
    search.hold(2, 3, lambda: [None, *[((0.4,), ())] * 3])
    search.choose(101)
    for value in (-0.5, 0.2):
        search.fold(2, (value,))
    search.hold(2, 3, lambda: [None, *[((0.4,), ())] * 3])
    search.choose(102)
    known = search._state.margins.copy()
    search._ahead.clear()
    search.steer_by(2, lambda: [None, *[((0.4,), ())] * 3])
    search.choose(103)
    assert np.array_equal(search._state.margins, known)


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
