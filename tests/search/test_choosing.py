"""Whom a choice goes to, beside the plain definition: the best of all arms, with what is under way of each."""

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import satisfice as sf
from satisfice.rules.protocol import RESCORED_PER_CHOICE
from satisfice.search import choose, grouped
from satisfice.search.state import LAST, UNSCORED
from satisfice.search.tournament import climb, leader_of
from satisfice.stopping.decision import REJECT

PROBLEM = sf.problem_of(["x >= 0 ~ 0.5 : normal(1)", "y >= 0 : normal(1)"], 0.1)
MANY = 3 * RESCORED_PER_CHOICE + 5


class Dealt(NamedTuple):
    """Scores as they are dealt out in turn, and who got one."""

    most_redraws: int = 3

    def drawn_score(self, rng, margins, tolerances, arm, sd):
        rng.drawn.append(arm)
        return rng.scores[len(rng.drawn) - 1]

    def redraws(self):
        return self.most_redraws


class Deck:
    """What is dealt, in place of a source of random numbers."""

    def __init__(self, scores):
        self.scores, self.drawn = scores, []


def search_of(arms: int, rule: object = "thompson", seed: int = 1) -> sf.Search:
    """Every arm has one to three results."""
    search, rng = sf.Search(PROBLEM, [str(arm) for arm in range(arms)], rule=rule), np.random.default_rng(seed)
    for arm in range(arms):
        for _ in range(1 + arm % 3):
            search.tell(str(arm), {"x": rng.normal(-0.2), "y": rng.normal(-0.2)})
    search.score()
    return search


def lead(search: sf.Search, rule: object, rng: object, number: int, under_way=None) -> int:
    return int(choose.leading_arm(rule, search._state, search._parts, rng, number, under_way))


@pytest.mark.parametrize("arms", [5, RESCORED_PER_CHOICE])
@pytest.mark.parametrize("reached", [0, 1, 2, 3, 4])
def test_scores_are_drawn_again_until_one_reaches_zero(arms, reached):
    """Exactly 0 is enough; after the last round the best of its own scores leads, whatever was drawn before."""
    search, rng = search_of(arms), np.random.default_rng(3)
    rounds = -0.5 - rng.random((5, arms))
    rounds[reached, 2] = 0.0
    deck = Deck(rounds.ravel())
    made = min(reached, Dealt().most_redraws) + 1
    assert lead(search, Dealt(), deck, 7) == int(np.argmax(rounds[made - 1]))
    assert deck.drawn == [*range(arms)] * made


@pytest.mark.parametrize("reached", [0, 1, 3, 4])
@pytest.mark.parametrize("news", [[], [120], [2, 120, 150]])
def test_of_many_arms_some_are_drawn_again_until_one_of_these_reaches_zero(reached, news):
    """Those whose turn it is, and those with new results, which have none afterwards."""
    search, rng, number = search_of(MANY), np.random.default_rng(4), 4
    state, first = search._state, number * RESCORED_PER_CHOICE % MANY
    state.counts[UNSCORED], state.counts[LAST] = len(news), news[-1] if news else 0
    state.unscored[:] = 0
    state.unscored[news] = 1
    turn = [(first + step) % MANY for step in range(RESCORED_PER_CHOICE)]
    asked = turn + [arm for arm in news if arm not in turn]
    rounds = -0.5 - rng.random((5, len(asked)))
    rounds[reached, len(asked) - 1] = 0.0
    for arm in range(MANY):
        climb(state.board, arm, -9.0)
    deck = Deck(rounds.ravel())
    made = min(reached, Dealt().most_redraws) + 1
    leader = asked[int(np.argmax(rounds[made - 1]))]
    assert lead(search, Dealt(), deck, number) == leader == leader_of(state.board)
    assert deck.drawn == asked * made
    assert not state.unscored.any()
    assert state.counts[UNSCORED] == 0


def test_nobody_draws_for_an_arm_that_is_decided_or_has_no_results():
    search = search_of(6)
    search._state.decisions[1] = REJECT
    search._state.pulls[4] = 0
    deck = Deck([-3.0, -2.0, -1.0, 5.0])
    assert lead(search, Dealt(), deck, 0) == 5
    assert deck.drawn == [0, 2, 3, 5]
    assert [choose.redraw(Dealt(), search._state, None, arm) for arm in (1, 4)] == [-inf, -inf]


def test_a_score_is_drawn_with_the_spread_of_a_mean_of_so_many_results():
    search = search_of(3)
    drawn = []

    class Noted(Dealt):
        def drawn_score(self, rng, margins, tolerances, arm, sd):
            drawn.append(sd)
            return 0.0

    lead(search, Noted(), None, 0)
    assert drawn == pytest.approx([1.0, 1.0 / sqrt(2.0), 1.0 / sqrt(3.0)])


class Late(NamedTuple):
    """A clock rule: the bonus of so many pulls, and a little more for each ask."""

    slope: float = 0.125

    def bonus(self, pulls, setting):
        return 1.0 / pulls

    def priority_at(self, shortfall, excess, bonus, total_pulls):
        return bonus - shortfall + self.slope * total_pulls * bonus


def test_a_clock_rule_counts_what_is_under_way_as_made():
    search, rule = search_of(9, Late()), Late()
    state, rng = search._state, np.random.default_rng(5)
    chosen = set()
    for number in range(40):
        under_way = rng.integers(0, 3, 9)
        means = state.deficits / state.pulls[:, None]
        bonuses = [rule.bonus(pulls, None) for pulls in (state.pulls + under_way).tolist()]
        plain = [
            rule.priority_at(float(means[arm].max()), 0.0, bonuses[arm], number) if state.decisions[arm] == 0 else -inf
            for arm in range(9)
        ]
        chosen.add(lead(search, rule, None, number, under_way))
        assert lead(search, rule, None, number, under_way) == int(np.argmax(plain))
    assert len(chosen) > 1


@pytest.mark.parametrize("rule", ["pandora", "multitucb", "multilucb"])
@pytest.mark.parametrize("arms", [12, 70])
def test_an_arm_with_much_under_way_leaves_the_next_to_others(rule, arms):
    """The best with its burden, however many arms there are; and the board is as it was."""
    search, rng = search_of(arms, rule), np.random.default_rng(6)
    state, parts, board = search._state, search._parts, search._state.board.copy()
    leaves, chosen = board.shape[0] // 2, set()
    by_margins = rule == "pandora"
    for _ in range(30):
        under_way = np.where(rng.random(arms) < 0.6, rng.integers(0, 9, arms), 0)
        under_way[leader_of(board)] = rng.integers(1, 400)
        arm = lead(search, parts.rule, None, 10, under_way)
        if by_margins:
            burdened = [
                choose.with_burden(parts.rule, state, parts, one, board[leaves + one, 0], int(under_way[one]))
                for one in range(arms)
            ]
        else:
            burdened = [choose._index(parts.rule, state, parts, one, int(under_way[one])) for one in range(arms)]
            burdened = [score if board[leaves + one, 0] > -inf else -inf for one, score in enumerate(burdened)]
        assert burdened[arm] == max(burdened)
        np.testing.assert_array_equal(state.board, board)
        chosen.add(arm)
    assert len(chosen) > 1


def test_rules_whose_scores_have_no_unit_have_few_evaluations_of_an_arm_at_once():
    search = search_of(3)
    search._state.pulls[:] = 2, 4, 9
    scores = [
        [choose._few_at_once(None, search._state, None, arm, 0.5, under_way) for under_way in (0, 3, 4, 8, 9)]
        for arm in range(3)
    ]
    assert scores == [[0.5, 0.5, -inf, -inf, -inf]] * 2 + [[0.5, 0.5, 0.5, 0.5, -inf]]


@pytest.mark.parametrize("mean", [-3.0, -0.4, 0.0, 0.7, 2.5])
@pytest.mark.parametrize("sd", [0.05, 1.0, 2.0])
def test_the_shortfall_of_a_margin_is_its_mean_square_below_zero(mean, sd):
    lowest = min(mean - 12 * sd, -12 * sd)
    exact, _ = quad(lambda d: d * d * norm.pdf(d, mean, sd), lowest, 0.0, points=[mean] if mean < 0 else None)
    assert grouped.squared_shortfall(mean, sd) == pytest.approx(exact, rel=1e-6, abs=1e-15)
    assert grouped.squared_shortfall(31.0 * sd, sd) == 0.0
    assert grouped.squared_shortfall(-40.0 * sd, sd) == pytest.approx(1601.0 * sd * sd)
