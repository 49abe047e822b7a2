"""Earlier results in a search: they steer the choice, and nothing else."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem
from satisfice.problem.metric import as_metric
from satisfice.search.earlier import MOST_WORTH, Earlier, doubted, hint_of
from satisfice.search.tournament import SCORE

LIMITS = ["a >= 0 ~ 0.1 : normal(1)", "b <= 0 ~ 0.1 : normal(1)"]
NAMES = ["first", "second", "third", "fourth"]


def saying(margins, worth=100) -> Earlier:
    """Earlier results with these margins, of each arm in all metrics the same."""
    table = np.repeat(np.array(margins, dtype=float)[:, np.newaxis], len(LIMITS), axis=1)
    return Earlier(table, np.full(table.shape, 0.1), np.full(table.shape, worth))


def search(earlier=None, **given) -> sf.Search:
    return sf.Search(sf.problem_of(LIMITS, 0.05), NAMES, earlier=earlier, **given)


@pytest.mark.parametrize("rule", ["pandora", "thompson", "murphy"])
def test_what_looked_best_is_looked_at_first(rule):
    steered = search(saying([-3.0, -2.0, 2.0, -3.0]), rule=rule)
    assert [steered.choose(number) for number in range(3)] == [2, 2, 2]


def test_arms_of_which_nothing_is_known_are_tried_once():
    earlier = saying([-1.0, 0.0, 2.0, 0.0])
    earlier.worth[1], earlier.worth[3, 0] = 0, 0  # of the fourth one metric is known
    steered = search(earlier)
    asked = []
    for number in range(4):
        asked.append(steered.choose(number))
        steered.fold(asked[-1], (0.0, 0.0))
    assert set(asked[::3]) == {1, 3}, "for every third evaluation, while the leader looks good"
    assert asked[1:3] == [2, 2]


def test_margins_are_those_of_a_search_that_was_told_the_same():
    for written in ("a >= 0 ~ 0.1 : normal(2)", "a <= 0.5 ~ 0.1 : bernoulli", "a >= 3 ~ 0.1", "a <= 1 : bounded(0, 2)"):
        metric, values = as_metric(written), [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0]
        told = sf.Search(sf.Problem((metric,)), ["arm"])
        for value in values:
            told.fold(0, (value,))
        found = hint_of(metric, [(value, None) for value in values])
        assert found.results == len(values)
        assert (found.margin, found.tolerance) == (told._state.margins[0, 0], told._state.tolerances[0, 0])
    assert hint_of(as_metric("a >= 0 : normal(1)"), []) == (0, 0.0, 0.0)


def test_decisions_depend_on_an_arms_own_new_results_alone():
    """The same results of each arm, whatever was said before: the same evidence, progress, intervals and decisions."""
    tapes = np.random.default_rng(4).normal([[0.5, -0.5], [-0.5, 0.3], [0.2, 0.1], [0.4, -0.3]], 1.0, (150, 4, 2))
    cold, warm = search(), search(saying([-5.0, 5.0, 0.0, -1.0]))
    for number, arm in product(range(150), range(4)):
        for each in (cold, warm):
            each.fold(arm, tuple(tapes[number, arm].tolist()))
        assert cold.statuses()[arm] == warm.statuses()[arm] or number % 10, "looked at now and then"
    assert cold.statuses() == warm.statuses()
    assert cold.verdict == warm.verdict


def test_the_guess_is_made_of_new_results():
    steered = search(saying([9.0, -9.0, 0.0, 0.0]))
    for place, value in enumerate((-1.0, 1.0, -1.0, -1.0)):
        steered.fold(place, (value, -value))
    assert steered.verdict.guess.arm == "second"


def test_what_is_contradicted_is_soon_worth_little():
    counts = np.full((3, 1), 16.0)
    agreeing, variances = np.array([0.2, -0.3, 0.1]), np.full(3, 1 / 4 + 1 / 16)
    assert doubted(counts, variances, agreeing).tolist() == counts.tolist()
    assert doubted(counts, variances, agreeing + 2.0).max() < 0.5
    assert doubted(np.array([[0.0]]), variances, agreeing).tolist() == [[0.0]]


@pytest.mark.parametrize(
    ("arm", "value", "left"),
    [(0, -2.0, 0.0), (0, 1.0, 1.0), (1, -2.0, 1.0)],
    ids=["contradicted", "confirmed", "of another arm, of which nothing was known"],
)
def test_after_a_few_new_results_it_is_asked_how_far_they_agree_with_the_earlier_ones(arm, value, left):
    earlier = saying([1.0, 0.0, 1.0, 1.0], worth=16)
    earlier.worth[1] = 0
    steered = search(earlier)
    before = steered._state.earlier_worth.copy()
    for _ in range(8):
        steered.fold(arm, (value, -value))
    assert steered._state.earlier_worth == pytest.approx(left * before, abs=0.3), "of all arms, as they came together"


def test_earlier_results_that_are_wrong_are_outweighed():
    """What was praised fails from the first result on: after a few of each the one that passes is found."""
    steered = search(saying([2.0, 2.0, 2.0, -2.0], worth=10_000))
    count = 0
    while (name := steered.ask()) is not None:
        value = 1.0 if name == "fourth" else -1.0
        steered.tell(name, {"a": value, "b": -value})
        count += 1
    assert (steered.verdict.arm, count < 4 * MOST_WORTH) == ("fourth", True)


def test_a_state_can_be_taken_over():
    earlier, rng = saying([1.0, -1.0, 0.5, -0.5]), np.random.default_rng(2)
    one, other = search(earlier), search(earlier)
    for number in range(37):
        one.fold(one.choose(number), tuple(rng.normal(-0.5, 1.0, 2).tolist()))
    other.restore({name: array.copy() for name, array in one.state().items()})
    for number in range(37, 80):
        place = other.choose(number)
        assert one.choose(number) == place
        row = tuple(rng.normal(0.0, 1.0, 2).tolist())
        one.fold(place, row)
        other.fold(place, row)
    assert one.statuses() == other.statuses()


@pytest.mark.parametrize("rule", ["multitucb", "multihdoc", "uniform"])
def test_rules_that_do_not_look_at_margins_cannot_be_steered(rule):
    with pytest.raises(InvalidProblem, match=r"does not look at margins, .* Take the rule 'pandora'"):
        search(saying([0.0] * 4), rule=rule)


def test_what_others_cost_is_expected_of_arms_that_only_earlier_results_tell_of():
    """Until an arm has costs of its own it weighs the mean of the others, whenever one of these is told."""
    steered, free = search(saying([0.5, 1.5, 1.0, 0.8]), reports_cost=True), search(saying([0.5, 1.5, 1.0, 0.8]))
    size = steered._state.board.shape[0] // 2
    before = free._state.board[size:, SCORE].copy()
    steered.fold(0, (0.5, -0.5))
    for cost, mean in ((30.0, 30.0), (10.0, 20.0)):
        steered.note_cost(0, cost)
        assert steered._state.board[size:, SCORE][1:] == pytest.approx(mean * before[1:])
    steered.fold(1, (0.5, -0.5))
    own = steered._state.board[size + 1, SCORE]
    steered.note_cost(2, 80.0)
    assert steered._state.board[size + 3, SCORE] == pytest.approx((20.0 + 80.0) / 2 * before[3])
    assert steered._state.board[size + 1, SCORE] == own, "it has a result of its own"


@pytest.mark.parametrize("value", [-0.5, 0.1, 0.4])
def test_what_is_left_of_earlier_results_follows_from_what_chance_explains(value):
    """The means of 8 new and 16 earlier results, of two metrics, differ by chance with the variance 1/8 + 1/16."""
    earlier = saying([1.0, 0.0, 1.0, 1.0], worth=16)
    earlier.worth[1] = 0
    steered = search(earlier)
    for _ in range(8):
        steered.fold(0, (value, -value))
    variance = 1 / 8 + 1 / 16
    beyond_chance = max(2 * (1.0 - value) ** 2 / variance - 2 - sqrt(2 * 2), 0.0)
    left = 1 / (1 / 16 + beyond_chance / (2 / variance))
    assert steered._state.earlier_worth[[0, 2, 3]] == pytest.approx(np.full((3, 2), left))
    assert (left < 16.0) == (value < 0.3)


@pytest.mark.parametrize("size", [1e200, 1e308])
def test_earlier_results_beyond_all_numbers_say_nothing(size):
    """Their squares are infinite: nobody knows a margin, and without one there is no hint."""
    with np.errstate(all="ignore"):
        hint = hint_of(as_metric("x >= 0 : normal"), [(size, None), (-size, None), (3.0 * size / 4.0, None)])
    assert hint == (0, 0.0, 0.0)
    assert hint_of(as_metric("x >= 0 : normal"), [(1.0, None), (2.0, None)]).results == 2
    assert hint_of(as_metric("x >= 0 : normal"), []) == (0, 0.0, 0.0)
