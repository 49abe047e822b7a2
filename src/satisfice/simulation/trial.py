"""One run of a sampling rule under a boundary on simulated arms: the only loop there is.

Plain Python, run as it stands or compiled (see `compiled`); both make the same pulls, to the bit.
"""

from math import inf, isfinite, isnan
from typing import Any

import numpy as np

from satisfice.core.decision import ACCEPT, KEEP, REJECT, fails, passes
from satisfice.core.leaderboard import ahead, build, climb
from satisfice.core.problem import Setting
from satisfice.core.rules.protocol import follows_the_clock, priority_of
from satisfice.core.statistics import Floats, Integers, excess_of, fold

UNDECIDED, FOUND, NONE, BROKEN = 0, 1, 2, 3
"""How a run ends; BROKEN is a priority that is not a finite number."""

FIRST_TABLE = 4096


def extend_bonuses(rule: Any, setting: Setting, table: Floats, length: int) -> Floats:
    """The rule's bonus by number of pulls, up to a greater length; index 0 is not used."""
    longer = np.empty(length)
    longer[: table.shape[0]] = table
    for pulls in range(max(1, table.shape[0]), length):
        longer[pulls] = rule.bonus(pulls, setting)
    return longer


def extend_widths(boundary: Any, setting: Setting, table: Floats, length: int) -> Floats:
    """The boundary's width by number of pulls, up to a greater length; index 0 is not used."""
    longer = np.empty(length)
    longer[: table.shape[0]] = table
    for pulls in range(max(1, table.shape[0]), length):
        longer[pulls] = boundary.width(pulls, setting)
    return longer


def pull_while_ahead(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    arm: int,
    pulls: int,
    most: int,
    total_pulls: int,
    rival_score: float,
    rival: int,
    deficits: Floats,
    results: Floats,
    tolerances: Floats,
    largest_tolerance: float,
    widths: Floats,
    bonuses: Floats,
) -> tuple[int, float, int]:
    """Pull the arm until it is decided, no longer ahead of its rival, or pulled `most` times.

    Returns its pulls, its shortfall and the decision.
    """
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        width = widths[pulls]
        # the excess is at least shortfall - largest_tolerance, in floating point too: seldom worth computing
        if passes(shortfall - largest_tolerance, width) and passes(
            excess_of(deficits, arm, pulls, tolerances), width
        ):
            return pulls, shortfall, ACCEPT
        if fails(shortfall, width):
            return pulls, shortfall, REJECT
        if pulls == most:
            return pulls, shortfall, KEEP
        excess = excess_of(
            deficits, arm, pulls, tolerances
        )  # costs nothing where the rule does not look at it
        if not ahead(
            priority_of(rule, shortfall, excess, bonuses[pulls], total_pulls), arm, rival_score, rival
        ):
            return pulls, shortfall, KEEP


def leader_by_the_clock(
    rule: Any, total_pulls: int, horizon: int, shortfalls: Floats, excesses: Floats, own_bonuses: Floats
) -> tuple[int, float, float]:
    """Who is ahead when all priorities rise with the total number of pulls: leader, its score, and what the others can reach.

    No other arm has a higher score than the third number during the next `horizon` pulls of the leader. Arms that
    are out have an infinite shortfall.
    """
    leader = -1
    best = -inf
    for arm in range(shortfalls.shape[0]):
        if shortfalls[arm] < inf:
            score = priority_of(rule, shortfalls[arm], excesses[arm], own_bonuses[arm], total_pulls)
            if isnan(score):
                return arm, score, inf
            if score > best or leader < 0:
                leader = arm
                best = score
    reach = -inf
    for arm in range(shortfalls.shape[0]):
        if shortfalls[arm] < inf and arm != leader:
            score = priority_of(rule, shortfalls[arm], excesses[arm], own_bonuses[arm], total_pulls + horizon)
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
    widths: Floats,
    bonuses: Floats,
    deficits: Floats,
    results: Floats,
    pulls: Integers,
    shortfalls: Floats,
    excesses: Floats,
    own_bonuses: Floats,
    champions: Integers,
    scores: Floats,
    streaks: Integers,
) -> tuple[int, int, int, int, Floats, Floats]:
    """One run: how it ended, the arm found, the pulls made, the streaks written, and the tables as they have grown.

    All arrays but `tolerances` are working space. `streaks` of shape (S, 2) takes the first S pairs (arm, pulls in
    a row): the whole order of pulls, if wanted.
    """
    by_the_clock = follows_the_clock(rule)
    largest_tolerance = tolerances.max()
    count = pulls.shape[0]
    leaf = champions.shape[0] // 2
    pulls[:] = 0
    deficits[:] = 0.0
    scores[:] = -inf
    total = 0
    active = count
    written = 0
    arm = 0
    rival = -1
    rival_score = inf
    horizon = budget
    while total < budget:
        first_round = total < count
        if first_round:
            arm = total
        elif by_the_clock:
            horizon = 1 + total // 32
            arm, score, rival_score = leader_by_the_clock(
                rule, total, horizon, shortfalls, excesses, own_bonuses
            )
            if not isfinite(score):
                return BROKEN, arm, total, written, widths, bonuses
        else:
            if total == count:
                build(champions, scores)
            arm = champions[1]
        if pulls[arm] + 1 >= widths.shape[0]:
            length = 2 * widths.shape[0]
            widths = extend_widths(boundary, setting, widths, length)
            bonuses = extend_bonuses(rule, setting, bonuses, length)
        before = pulls[arm]
        most = (
            before + 1
            if rival_score == inf
            else min(before + min(horizon, budget - total), widths.shape[0] - 1)
        )
        after, shortfall, decision = pull_while_ahead(
            rng,
            arms,
            rule,
            arm,
            before,
            most,
            total,
            rival_score,
            rival,
            deficits,
            results,
            tolerances,
            largest_tolerance,
            widths,
            bonuses,
        )
        pulls[arm] = after
        total += after - before
        if written < streaks.shape[0]:
            streaks[written, 0] = arm
            streaks[written, 1] = after - before
            written += 1
        if decision == ACCEPT:
            return FOUND, arm, total, written, widths, bonuses
        if decision == REJECT:
            active -= 1
            if active == 0:
                return NONE, -1, total, written, widths, bonuses
            shortfall = inf
        excess = excess_of(deficits, arm, after, tolerances)
        if by_the_clock:
            shortfalls[arm] = shortfall
            excesses[arm] = excess
            own_bonuses[arm] = bonuses[after]
            continue
        score = -inf
        if decision == KEEP:
            score = priority_of(rule, shortfall, excess, bonuses[after], total)
            if not isfinite(score):
                return BROKEN, arm, total, written, widths, bonuses
        if first_round:
            scores[leaf + arm] = score
        else:
            rival_score, rival = climb(champions, scores, arm, score)
            if champions[1] != arm:
                rival_score = inf  # the new leader's rival is not known before its first climb
    return UNDECIDED, -1, total, written, widths, bonuses


def run_block(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    boundary: Any,
    setting: Setting,
    budget: int,
    tolerances: Floats,
    leaderboard_size: int,
    endings: Integers,
    found: Integers,
    totals: Integers,
    arm_pulls: Integers,
    streaks: Integers,
) -> int:
    """As many runs as `endings` has places, one after another on one stream; `arm_pulls` sums the pulls of each arm.

    Returns how many streaks of the last run were written.
    """
    count = setting.arms
    deficits = np.empty((count, setting.metrics))
    results = np.empty(setting.metrics)
    pulls = np.empty(count, np.int64)
    shortfalls = np.empty(count)
    excesses = np.empty(count)
    own_bonuses = np.empty(count)
    champions = np.empty(2 * leaderboard_size, np.int64)
    scores = np.empty(2 * leaderboard_size)
    widths = extend_widths(boundary, setting, np.empty(0), FIRST_TABLE)
    bonuses = extend_bonuses(rule, setting, np.empty(0), FIRST_TABLE)
    written = 0
    for repetition in range(endings.shape[0]):
        ending, arm, total, written, widths, bonuses = run_trial(
            rng,
            arms,
            rule,
            boundary,
            setting,
            budget,
            tolerances,
            widths,
            bonuses,
            deficits,
            results,
            pulls,
            shortfalls,
            excesses,
            own_bonuses,
            champions,
            scores,
            streaks,
        )
        endings[repetition] = ending
        found[repetition] = arm
        totals[repetition] = total
        arm_pulls += pulls
    return written
