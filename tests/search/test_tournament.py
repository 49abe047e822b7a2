"""The leaderboard is an argmax with ties to the first, whatever happens to it."""

from math import inf

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from satisfice.search.tournament import clear, climb, leader_of, leads, rivals_of, tournament_size

SCORES = st.one_of(st.integers(-3, 3).map(float), st.just(-inf))
"""Few values, so that ties are the rule; minus infinity is an arm that is out."""


@settings(max_examples=100)
@given(
    st.integers(1, 19).flatmap(
        lambda arms: st.tuples(st.just(arms), st.lists(st.tuples(st.integers(0, arms - 1), SCORES), min_size=10))
    )
)
def test_it_is_an_argmax_with_ties_to_the_first(game):
    arms, moves = game
    scores = [-inf] * arms
    board = np.full((2 * tournament_size(arms), 2), np.nan)
    clear(board)
    for arm, score in moves:
        scores[arm] = score
        climb(board, arm, score)
        before, after, _ = rivals_of(board, arm)
        assert before == max(scores[:arm], default=-inf)
        assert after == max(scores[arm + 1 :], default=-inf)
        best = scores.index(max(scores))
        if scores[best] > -inf:
            assert leader_of(board) == best
            assert leads(score, before, after) == (best == arm)


@given(st.integers(1, 10_000))
def test_its_size_is_the_next_power_of_two(arms):
    size = tournament_size(arms)
    assert size & (size - 1) == 0
    assert max(2, arms) <= size < max(4, 2 * arms)
