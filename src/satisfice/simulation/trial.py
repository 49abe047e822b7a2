"""One run of a sampling rule under a stopping rule on simulated arms: the only loop there is.

Plain Python, run as it stands or compiled (see `compiled`); both make the same pulls, to the bit.
"""

from math import inf, isfinite, log, sqrt
from typing import Any

import numpy as np

from satisfice.arrays import Floats, Integers, copy, excess_of
from satisfice.problem.problem import Setting
from satisfice.rules.protocol import (
    LOOKS,
    bonus_of,
    draws_scores,
    follows_the_clock,
    goes_by_beliefs,
    priority_of,
    promise_of,
    stay_of,
)
from satisfice.search.margins import NoiseCodes, believe, first_sharing, next_sharing, share_spreads
from satisfice.search.tournament import clear, climb, leader_of, rivals_of
from satisfice.simulation.leading import expect, leader_by_draws, leader_by_the_clock
from satisfice.simulation.pulling import pull_while_ahead
from satisfice.simulation.workspace import Record, Workspace
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.stopping.protocol import forget_all, settle_accounts

UNDECIDED, FOUND, NONE, BROKEN = 0, 1, 2, 3
"""How a run ends; BROKEN is a priority that is not a finite number."""

FIRST_TABLE = 1 << 15
"""Tables by number of pulls start with room for this many, or for the budget, and double when it is used up."""

HORIZON = 32
"""Under a clock rule the others are looked at again once the total number of pulls has grown by this fraction."""


def longer_bonuses(bonuses: Floats, rule: Any, setting: Setting, length: int) -> Floats:
    """The rule's bonus by an arm's number of pulls, with more entries; index 0 is not used."""
    known = bonuses.shape[0]
    longer = np.empty(length)
    copy(bonuses, longer)
    for pulls in range(max(1, known), length):
        longer[pulls] = bonus_of(rule, pulls, setting)
    return longer


def longer_tables(judge: Any, length: int) -> Any:
    """The judge with room for so many pulls of one arm."""
    return judge.extended(length)


def believe_anew(rule: Any, space: Workspace, noise: NoiseCodes, level: float) -> None:
    """Let every arm's beliefs, and its place if promises make it, follow from what all arms say about their noise."""
    share_spreads(space.spreads, space.deficits, space.squares, space.pulls, noise)
    for arm in range(space.pulls.shape[0]):
        if space.decisions[arm] == KEEP:
            pulls = space.pulls[arm]
            believe(space.strengths, space.slacks, space.deficits, space.squares, arm, pulls, noise, space.spreads)
            if not draws_scores(rule):
                climb(space.board, arm, promise_of(rule, space.strengths, space.slacks, arm, pulls, level))


def run_trial(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    noise: NoiseCodes,
    setting: Setting,
    budget: int,
    tolerances: Floats,
    bonuses: Floats,
    space: Workspace,
    streaks: Integers,
) -> tuple[int, int, int, int, Any, Floats]:
    """One run: how it ended, the arm found, the pulls made, the streaks written, and the tables as they have grown.

    `streaks` of shape (S, 2) takes the first S pairs (arm, pulls in a row): the whole order of pulls, if wanted.
    """
    by_the_clock = follows_the_clock(rule)
    by_draws = draws_scores(rule)
    by_beliefs = goes_by_beliefs(rule)
    level = log(setting.arms / setting.error_rate)
    space.pulls[:] = 0
    space.deficits[:] = 0.0
    space.squares[:] = 0.0
    forget_all(judge, space.latched)
    space.spreads[:] = 0.0
    space.shortfalls[:] = 0.0
    space.decisions[:] = KEEP
    clear(space.board)
    count = active = setting.arms
    arm = total = written = looks = 0
    accepted = -1
    sharing = first_sharing(count) if by_beliefs and noise.shared else budget + 1
    horizon = budget
    rivals_before = rivals_after = inf  # no score is ahead of that: one pull, then look again
    while total < budget:
        if total < count:
            arm = total
            rivals_before = inf
        elif by_the_clock:
            horizon = 1 + total // HORIZON
            rivals_after = -inf
            arm, score, rivals_before = leader_by_the_clock(rule, space, total, horizon)
            if not isfinite(score):
                return BROKEN, arm, total, written, judge, bonuses
        elif by_draws:
            rivals_before = rivals_after = -inf
            arm = leader_by_draws(rng, rule, space, level, looks * LOOKS % count, arm)
            looks += 1
            horizon = stay_of(rule, space.pulls[arm])
        elif by_beliefs:
            rivals_before = rivals_after = -inf
            arm = leader_of(space.board)
            horizon = stay_of(rule, space.pulls[arm])
        else:
            arm = leader_of(space.board)
            rivals_before, rivals_after, runner_up = rivals_of(space.board, arm)
            expect(arms, space, runner_up)  # should the leader fall behind, that one is next
        before = space.pulls[arm]
        if before + (horizon if by_beliefs and total >= count else 1) >= bonuses.shape[0]:
            bonuses = longer_bonuses(bonuses, rule, setting, 2 * bonuses.shape[0])
            judge = judge.extended(bonuses.shape[0])
        longest = min(before + min(horizon, budget - total), bonuses.shape[0] - 1)
        most = before + 1 if rivals_before == inf else longest
        after, shortfall, decision = pull_while_ahead(
            rng, arms, rule, judge, bonuses, space, tolerances, total, arm, most, rivals_before, rivals_after
        )
        space.pulls[arm] = after
        total += after - before
        settle_accounts(judge, space.deficits, space.latched, space.pulls, arm)
        if written < streaks.shape[0]:
            streaks[written, 0] = arm
            streaks[written, 1] = after - before
            written += 1
        if decision != KEEP:
            space.decisions[arm] = decision
            active -= 1
            shortfall = inf
            if decision == ACCEPT and accepted < 0:
                accepted = arm
            if active == 0 or (decision == ACCEPT and not setting.find_all):
                return NONE if accepted < 0 else FOUND, accepted, total, written, judge, bonuses
        excess = excess_of(space.deficits, arm, after, tolerances)
        if by_the_clock:
            space.shortfalls[arm] = shortfall
            space.excesses[arm] = excess
            space.bonuses[arm] = bonuses[after]
        elif by_beliefs:
            space.shortfalls[arm] = shortfall
            space.bonuses[arm] = 1.0 / sqrt(after)
            believe(space.strengths, space.slacks, space.deficits, space.squares, arm, after, noise, space.spreads)
            score = -inf
            if decision == KEEP:
                score = promise_of(rule, space.strengths, space.slacks, arm, after, level)
            if decision != KEEP or not by_draws:
                climb(space.board, arm, score)
            if total >= sharing:
                sharing = next_sharing(count, total)
                believe_anew(rule, space, noise, level)
        else:
            score = -inf
            if decision == KEEP:
                score = priority_of(rule, shortfall, excess, bonuses[after], total)
                if not isfinite(score):
                    return BROKEN, arm, total, written, judge, bonuses
            climb(space.board, arm, score)
    return UNDECIDED, accepted, total, written, judge, bonuses


def best_guess(space: Workspace, noise: NoiseCodes) -> int:
    """The arm, not rejected, whose weakest metric is the most standard errors beyond its threshold, or -1."""
    guess = -1
    best = -inf
    for arm in range(space.pulls.shape[0]):
        pulls = space.pulls[arm]
        if pulls > 0 and space.decisions[arm] != REJECT:
            believe(space.strengths, space.slacks, space.deficits, space.squares, arm, pulls, noise, space.spreads)
            weakest = inf
            for metric in range(space.strengths.shape[1]):
                weakest = min(weakest, space.strengths[arm, metric])
            weakest *= sqrt(1.0 * pulls)
            if weakest > best or guess < 0:
                guess = arm
                best = weakest
    return guess


def run_block(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    noise: NoiseCodes,
    setting: Setting,
    budget: int,
    tolerances: Floats,
    bonuses: Floats,
    space: Workspace,
    kept: Record,
    streaks: Integers,
) -> int:
    """As many runs as the record has rows, one after another on one stream.

    Returns how many streaks of the last run were written.
    """
    written = 0
    for repetition in range(kept.endings.shape[0]):
        ending, arm, total, written, judge, bonuses = run_trial(
            rng, arms, rule, judge, noise, setting, budget, tolerances, bonuses, space, streaks
        )
        kept.endings[repetition] = ending
        kept.found[repetition] = arm
        kept.totals[repetition] = total
        for each in range(space.pulls.shape[0]):
            kept.arm_pulls[each] += space.pulls[each]
        if setting.find_all:
            copy(space.decisions, kept.decided[repetition])
        if ending == UNDECIDED:
            guess = best_guess(space, noise)
            kept.guesses[repetition] = guess
            if guess >= 0:
                kept.guess_pulls[repetition] = space.pulls[guess]
                copy(space.deficits[guess], kept.guess_sums[repetition, 0])
                if space.squares.shape[0] > 0:
                    copy(space.squares[guess], kept.guess_sums[repetition, 1])
    return written
