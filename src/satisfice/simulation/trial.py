"""One run of a sampling rule under a boundary on simulated arms: the only loop there is.

Plain Python, run as it stands or compiled (see `compiled`); both make the same pulls, to the bit.
"""

from math import inf, isfinite, isnan, log, sqrt
from typing import Any, NamedTuple

import numpy as np

from satisfice.core.beliefs import FIRST_SHARING, NoiseCodes, believe, next_sharing, share_spreads
from satisfice.core.decision import ACCEPT, KEEP, REJECT, fails, passes
from satisfice.core.leaderboard import SCORE, clear, climb, leader_of, leaderboard_size, leads, rivals_of
from satisfice.core.problem import Setting
from satisfice.core.rules.protocol import (
    LOOKS,
    bonus_of,
    draws_scores,
    follows_the_clock,
    goes_by_beliefs,
    priority_of,
    promise_of,
    stay_of,
)
from satisfice.core.statistics import Floats, Integers, copy, excess_of, fold, fold_squares
from satisfice.core.stopping.protocol import forget_all, settle_accounts
from satisfice.core.stopping.sufficiency import all_certain, hopeless

UNDECIDED, FOUND, NONE, BROKEN = 0, 1, 2, 3
"""How a run ends; BROKEN is a priority that is not a finite number."""

FIRST_TABLE = 1 << 15
"""Tables by number of pulls start with room for this many, or for the budget, and double when it is used up."""

HORIZON = 32
"""Under a clock rule the others are looked at again once the total number of pulls has grown by this fraction."""


class Workspace(NamedTuple):
    """What is known of K arms with M metrics during a run.

    `deficits` (K, M), `squares` (K, M, or without rows where no metric needs them) and `pulls` (K,) are the statistics,
    `latched` (K, M or more) is the judge's memory. `board` is the leaderboard; `shortfalls`, `excesses` and `bonuses`
    (K,) serve clock rules; for rules that go by beliefs `strengths` and `slacks` (K, M) are what is believed, `bonuses`
    blurs, and `spreads` (2, M) what arms say of each other's noise. `results` (M,) is one evaluation, `decisions` (K,)
    what has been decided.
    """

    deficits: Floats
    squares: Floats
    latched: Floats
    strengths: Floats
    slacks: Floats
    spreads: Floats
    pulls: Integers
    board: Floats
    shortfalls: Floats
    excesses: Floats
    bonuses: Floats
    results: Floats
    decisions: Integers


class Record(NamedTuple):
    """What R repetitions did, a row for each: how they ended, the arm found or -1, the pulls made, the best guess.

    `decided` of shape (R, K), or without columns where one arm is looked for, holds the decision about every arm;
    `guess_pulls` and `guess_sums` (R, 2, M) the guess's pulls and its sums of deficits and of their squares where the
    budget ended a run. `arm_pulls` (K,) sums the pulls of each arm over all repetitions.
    """

    endings: Integers
    found: Integers
    totals: Integers
    decided: Integers
    guesses: Integers
    guess_pulls: Integers
    guess_sums: Floats
    arm_pulls: Integers


def record(repetitions: int, arms: int, metrics: int, *, find_all: bool) -> Record:
    """An empty record."""
    return Record(
        endings=np.zeros(repetitions, np.int64),
        found=np.zeros(repetitions, np.int64),
        totals=np.zeros(repetitions, np.int64),
        decided=np.zeros((repetitions, arms if find_all else 0), np.int64),
        guesses=np.full(repetitions, -1, np.int64),
        guess_pulls=np.zeros(repetitions, np.int64),
        guess_sums=np.zeros((repetitions, 2, metrics)),
        arm_pulls=np.zeros(arms, np.int64),
    )


def workspace(arms: int, metrics: int, *, squares: bool = False, memory: int | None = None) -> Workspace:
    """Room for so many arms and metrics, in one piece: numpy asks for huge pages where an array is large."""
    size = leaderboard_size(arms)
    table = (arms, metrics)
    shapes = [
        table,
        table if squares else (0, metrics),
        (arms, metrics if memory is None else memory),
        table,
        table,
        (2, metrics),
        (arms,),
        (2 * size, 2),
        *[(arms,)] * 3,
        (metrics,),
        (arms,),
    ]
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])
    parts = np.split(np.empty(ends[-1]), ends[:-1])
    fields = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    fields[6], fields[-1] = fields[6].view(np.int64), fields[-1].view(np.int64)
    return Workspace(*fields)


def longer_bonuses(bonuses: Floats, rule: Any, setting: Setting, length: int) -> Floats:
    """The rule's bonus by an arm's number of pulls, with more entries; index 0 is not used."""
    known = bonuses.shape[0]
    longer = np.empty(length)
    copy(bonuses, longer)
    for pulls in range(max(1, known), length):
        longer[pulls] = bonus_of(rule, pulls, setting)
    return longer


def pull_under_boundary(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    bonuses: Floats,
    space: Workspace,
    tolerances: Floats,
    total_pulls: int,
    arm: int,
    most: int,
    before: float,
    after: float,
) -> tuple[int, float, int]:
    """Pull the arm until it is decided, no longer ahead of the arms before and after it, or pulled `most` times.

    Returns its pulls, its shortfall and the decision.
    """
    widths, largest_tolerance = judge.widths, judge.largest_tolerance
    deficits, squares, results = space.deficits, space.squares, space.results
    pulls = space.pulls[arm]
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        fold_squares(squares, arm, results)
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


def pull_under_evidence(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    bonuses: Floats,
    space: Workspace,
    tolerances: Floats,
    total_pulls: int,
    arm: int,
    most: int,
    before: float,
    after: float,
) -> tuple[int, float, int]:
    """The same when evidence decides."""
    constants, tables, bets, ratios = judge.constants, judge.tables, judge.bets, judge.ratios
    accept_level, reject_level, noise_scale = judge.accept_level, judge.reject_level, judge.noise_scale
    product_level = judge.product_level
    deficits, squares, latched, results = space.deficits, space.squares, space.latched, space.results
    pulls = space.pulls[arm]
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        fold_squares(squares, arm, results)
        if all_certain(constants, tables, bets, ratios, accept_level, deficits, squares, latched, arm, pulls):
            return pulls, shortfall, ACCEPT
        if shortfall > 0.0 and hopeless(
            constants, tables, bets, ratios, reject_level, product_level, noise_scale, deficits, squares, arm, pulls
        ):
            return pulls, shortfall, REJECT
        if pulls == most:
            return pulls, shortfall, KEEP
        excess = excess_of(deficits, arm, pulls, tolerances)
        if not leads(priority_of(rule, shortfall, excess, bonuses[pulls], total_pulls), before, after):
            return pulls, shortfall, KEEP


def pull_under_judge(
    rng: np.random.Generator,
    arms: Any,
    rule: Any,
    judge: Any,
    bonuses: Floats,
    space: Workspace,
    tolerances: Floats,
    total_pulls: int,
    arm: int,
    most: int,
    before: float,
    after: float,
) -> tuple[int, float, int]:
    """The same under any judge: by its methods, which costs more than taking its tables in hand."""
    deficits, squares, latched, results = space.deficits, space.squares, space.latched, space.results
    pulls = space.pulls[arm]
    while True:
        arms.draw(rng, arm, results)
        pulls += 1
        shortfall = fold(deficits, arm, results) / pulls
        fold_squares(squares, arm, results)
        if judge.accepts(deficits, squares, latched, arm, pulls, shortfall):
            return pulls, shortfall, ACCEPT
        if judge.rejects(deficits, squares, arm, pulls, shortfall):
            return pulls, shortfall, REJECT
        if pulls == most:
            return pulls, shortfall, KEEP
        excess = excess_of(deficits, arm, pulls, tolerances)
        if not leads(priority_of(rule, shortfall, excess, bonuses[pulls], total_pulls), before, after):
            return pulls, shortfall, KEEP


def loop_for(judge: Any) -> Any:
    """The inner loop that fits a judge, or a judge's class."""
    if hasattr(judge, "widths"):
        return pull_under_boundary
    return pull_under_evidence if hasattr(judge, "constants") else pull_under_judge


def pull_while_ahead(*arguments: Any) -> tuple[int, float, int]:
    """The inner loop that fits the judge (the fourth argument)."""
    pulled: tuple[int, float, int] = loop_for(arguments[3])(*arguments)
    return pulled


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
    sharing = count + FIRST_SHARING if by_beliefs and noise.shared else budget + 1
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


def longer_tables(judge: Any, length: int) -> Any:
    """The judge with room for so many pulls of one arm."""
    return judge.extended(length)
