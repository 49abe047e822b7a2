"""One run of a sampling rule under a boundary on simulated arms: the only loop there is.

Plain Python, run as it stands or compiled (see `compiled`); both make the same pulls, to the bit.
"""

from math import inf, isfinite, isnan
from typing import Any, NamedTuple

import numpy as np

from satisfice.core.decision import ACCEPT, KEEP, REJECT, fails, passes
from satisfice.core.leaderboard import clear, climb, leader_of, leaderboard_size, leads
from satisfice.core.problem import Setting
from satisfice.core.rules.protocol import follows_the_clock, priority_of
from satisfice.core.statistics import Floats, Integers, excess_of, fold

UNDECIDED, FOUND, NONE, BROKEN = 0, 1, 2, 3
"""How a run ends; BROKEN is a priority that is not a finite number."""

FIRST_TABLE = 4096
"""Tables of bonuses and widths start with room for this many pulls of one arm, and double when it is used up."""

HORIZON = 32
"""Under a clock rule the others are looked at again once the total number of pulls has grown by this fraction."""


class Workspace(NamedTuple):
    """What is known of K arms with M metrics during a run.

    `deficits` (K, M) and `pulls` (K,) are the statistics; `board` is the leaderboard of rules that go at the
    arms' own pace; `shortfalls`, `excesses` and `bonuses` (K,) serve clock rules. `results` (M,) is one evaluation.
    """

    deficits: Floats
    pulls: Integers
    board: Floats
    shortfalls: Floats
    excesses: Floats
    bonuses: Floats
    results: Floats


def workspace(arms: int, metrics: int) -> Workspace:
    """Room for so many arms and metrics, in one piece: numpy asks for huge pages where an array is large."""
    size = leaderboard_size(arms)
    ends = np.cumsum([arms * metrics, arms, 4 * size, arms, arms, arms, metrics])
    deficits, pulls, board, shortfalls, excesses, bonuses, results = np.split(np.empty(ends[-1]), ends[:-1])
    return Workspace(
        deficits.reshape(arms, metrics),
        pulls.view(np.int64),
        board.reshape(2 * size, 2),
        shortfalls,
        excesses,
        bonuses,
        results,
    )


class Tables(NamedTuple):
    """The boundary's width and the rule's bonus by an arm's number of pulls; index 0 is not used."""

    widths: Floats
    bonuses: Floats


def extended(tables: Tables, rule: Any, boundary: Any, setting: Setting, length: int) -> Tables:
    """The tables with more entries."""
    known = tables.widths.shape[0]
    widths = np.empty(length)
    bonuses = np.empty(length)
    widths[:known] = tables.widths
    bonuses[:known] = tables.bonuses
    for pulls in range(max(1, known), length):
        widths[pulls] = boundary.width(pulls, setting)
        bonuses[pulls] = rule.bonus(pulls, setting)
    return Tables(widths, bonuses)


def pull_while_ahead(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    tables: Tables,
    space: Workspace,
    tolerances: Floats,
    largest_tolerance: float,
    total_pulls: int,
    arm: int,
    most: int,
    before: float,
    after: float,
) -> tuple[int, float, int]:
    """Pull the arm until it is decided, no longer ahead of the arms before and after it, or pulled `most` times.

    Returns its pulls, its shortfall and the decision.
    """
    widths = tables.widths
    bonuses = tables.bonuses
    deficits = space.deficits
    results = space.results
    pulls = space.pulls[arm]
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        width = widths[pulls]
        # the excess is at least shortfall - largest_tolerance, in floating point too: seldom worth computing
        if passes(shortfall - largest_tolerance, width) and passes(excess_of(deficits, arm, pulls, tolerances), width):
            return pulls, shortfall, ACCEPT
        if fails(shortfall, width):
            return pulls, shortfall, REJECT
        if pulls == most:
            return pulls, shortfall, KEEP
        excess = excess_of(deficits, arm, pulls, tolerances)  # costs nothing where the rule does not look at it
        if not leads(priority_of(rule, shortfall, excess, bonuses[pulls], total_pulls), before, after):
            return pulls, shortfall, KEEP


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


def run_trial(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    boundary: Any,
    setting: Setting,
    budget: int,
    tolerances: Floats,
    tables: Tables,
    space: Workspace,
    streaks: Integers,
) -> tuple[int, int, int, int, Tables]:
    """One run: how it ended, the arm found, the pulls made, the streaks written, and the tables as they have grown.

    `streaks` of shape (S, 2) takes the first S pairs (arm, pulls in a row): the whole order of pulls, if wanted.
    """
    by_the_clock = follows_the_clock(rule)
    largest_tolerance = tolerances.max()
    space.pulls[:] = 0
    space.deficits[:] = 0.0
    clear(space.board)
    count = active = setting.arms
    arm = total = written = 0
    horizon = budget
    rivals_before = rivals_after = inf  # infinite while they are not known: one pull, then look again
    while total < budget:
        if total < count:
            arm = total
            rivals_before = inf
        elif by_the_clock:
            horizon = 1 + total // HORIZON
            rivals_after = -inf
            arm, score, rivals_before = leader_by_the_clock(rule, space, total, horizon)
            if not isfinite(score):
                return BROKEN, arm, total, written, tables
        else:
            arm = leader_of(space.board)
        before = space.pulls[arm]
        room = tables.widths.shape[0]
        if before + 1 >= room:
            room *= 2
            tables = extended(tables, rule, boundary, setting, room)
        most = before + 1 if rivals_before == inf else min(before + min(horizon, budget - total), room - 1)
        after, shortfall, decision = pull_while_ahead(
            rng, arms, rule, tables, space, tolerances, largest_tolerance, total, arm, most, rivals_before, rivals_after
        )
        space.pulls[arm] = after
        total += after - before
        if written < streaks.shape[0]:
            streaks[written, 0] = arm
            streaks[written, 1] = after - before
            written += 1
        if decision == ACCEPT:
            return FOUND, arm, total, written, tables
        if decision == REJECT:
            active -= 1
            if active == 0:
                return NONE, -1, total, written, tables
            shortfall = inf
        excess = excess_of(space.deficits, arm, after, tolerances)
        if by_the_clock:
            space.shortfalls[arm] = shortfall
            space.excesses[arm] = excess
            space.bonuses[arm] = tables.bonuses[after]
        else:
            score = -inf
            if decision == KEEP:
                score = priority_of(rule, shortfall, excess, tables.bonuses[after], total)
                if not isfinite(score):
                    return BROKEN, arm, total, written, tables
            rivals_before, rivals_after = climb(space.board, arm, score)
            if leader_of(space.board) != arm:
                rivals_before = inf
    return UNDECIDED, -1, total, written, tables


def run_block(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    boundary: Any,
    setting: Setting,
    budget: int,
    tolerances: Floats,
    space: Workspace,
    endings: Integers,
    found: Integers,
    totals: Integers,
    arm_pulls: Integers,
    streaks: Integers,
) -> int:
    """As many runs as `endings` has places, one after another on one stream; `arm_pulls` sums the pulls of each arm.

    Returns how many streaks of the last run were written.
    """
    tables = extended(Tables(np.empty(0), np.empty(0)), rule, boundary, setting, FIRST_TABLE)
    written = 0
    for repetition in range(endings.shape[0]):
        ending, arm, total, written, tables = run_trial(
            rng, arms, rule, boundary, setting, budget, tolerances, tables, space, streaks
        )
        endings[repetition] = ending
        found[repetition] = arm
        totals[repetition] = total
        arm_pulls += space.pulls
    return written
