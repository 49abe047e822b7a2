"""Who is next, where that takes more than a look at the leaderboard."""

from math import inf, isnan
from typing import Any

import numpy as np

from satisfice.rules.protocol import LOOKS, priority_of
from satisfice.search.tournament import SCORE, climb, leader_of
from satisfice.simulation.workspace import Workspace


def leader_by_the_clock(rule: Any, space: Workspace, total_pulls: int, horizon: int) -> tuple[int, float, float]:
    """Who is ahead when all priorities rise with the total number of pulls: leader, its score, the others' reach.

    No other arm has a higher score than their reach during the next `horizon` pulls of the leader. Arms that are
    out have an infinite shortfall.
    """
    shortfalls, excesses, bonuses = space.shortfalls, space.excesses, space.bonuses
    leader = -1
    best = -inf
    for arm in range(shortfalls.shape[0]):
        if shortfalls[arm] < inf:
            score = priority_of(rule, shortfalls[arm], excesses[arm], bonuses[arm], total_pulls)
            if isnan(score):
                return arm, score, inf
            if score > best or leader < 0:
                leader = arm
                best = score
    reach = -inf
    for arm in range(shortfalls.shape[0]):
        if shortfalls[arm] < inf and arm != leader:
            score = priority_of(rule, shortfalls[arm], excesses[arm], bonuses[arm], total_pulls + horizon)
            reach = max(reach, score)
    return leader, best, reach


def leader_by_draws(rng: np.random.Generator, rule: Any, space: Workspace, level: float, first: int, last: int) -> int:
    """Who is ahead when scores are drawn anew: for all arms if they are few, else for `LOOKS` and the one pulled last.

    Arms that are out have an infinite shortfall.
    """
    strengths, slacks, shortfalls, blurs = space.strengths, space.slacks, space.shortfalls, space.bonuses
    count = shortfalls.shape[0]
    leader = 0
    for _ in range(1 + rule.redraws()):
        best = -inf
        if count <= LOOKS:
            leader = -1
            for arm in range(count):
                if shortfalls[arm] < inf:
                    score = rule.drawn_score(rng, strengths, slacks, arm, blurs[arm], level)
                    if score > best or leader < 0:
                        leader = arm
                        best = score
        else:
            if shortfalls[last] < inf:
                climb(space.board, last, rule.drawn_score(rng, strengths, slacks, last, blurs[last], level))
            for step in range(LOOKS):
                arm = (first + step) % count
                if shortfalls[arm] < inf:
                    climb(space.board, arm, rule.drawn_score(rng, strengths, slacks, arm, blurs[arm], level))
            leader = leader_of(space.board)
            best = space.board[1, SCORE]
        if best >= 0.0:
            break
    return leader


def fetch_ahead(table: Any, row: int) -> None:
    """Tell the processor that a row of an array will be needed soon; nothing, in plain Python."""


def expect(arms: Any, space: Workspace, arm: int) -> None:
    """Fetch what a pull of the arm will need: with many arms it is far away in memory."""
    leaf = space.board.shape[0] // 2 + arm
    fetch_ahead(arms.means, arm)
    fetch_ahead(space.deficits, arm)
    fetch_ahead(space.pulls, arm)
    fetch_ahead(space.board, leaf)
    fetch_ahead(space.board, leaf >> 1)
    fetch_ahead(space.board, leaf >> 2)
    fetch_ahead(space.board, leaf >> 3)
    fetch_ahead(space.board, leaf >> 4)
