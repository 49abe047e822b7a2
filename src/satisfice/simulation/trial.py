"""One run of a search on simulated arms: choose, draw, absorb, until there is an answer or the budget is spent.

Plain Python, run as it stands or compiled (see `engine`); both make the same pulls, to the bit, and so does a live
`Search` that is told the same results. One shortcut: an arm is pulled in a streak as long as no other arm could be
chosen in between, which is known in advance from the scores of the others.

How far the sums of an arm may go before anything can come of its results: a streak only folds them until then.

An arm that leads is pulled again and again, and most of its results decide nothing. Where the rule and the judge know
it, a range is found for the sum of each metric within which the arm is neither accepted nor rejected, no account of it
is full, and it stays ahead of all others, whatever order the results come in. What a streak does within that range is
what it would do if it looked at every result, to the bit (tests/equivalence).
"""

from collections.abc import Callable
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers, copy
from satisfice.catalogue import by_class, offers
from satisfice.problem.goal import OPEN, OUT_OF_REACH, REACHED, answer_to
from satisfice.problem.units import Setting
from satisfice.rules.protocol import (
    CLOCK,
    DRAWN,
    INDEX,
    MARGIN,
    STEADY,
    ClockRule,
    Kind,
    SamplingRule,
    SteadyRule,
    kind_of,
)
from satisfice.search.absorb import conclude, fold, looked_at
from satisfice.search.choose import choose
from satisfice.search.costs import cost_of, left_of
from satisfice.search.entrust import entrust, may_be_lent_to
from satisfice.search.opening import at_cost_1, draw_seed, pulls_until_due
from satisfice.search.report import best_guess
from satisfice.search.state import ACCEPTED, POOL_AT, TOTAL, UNDECIDED, Parts, SearchState
from satisfice.search.tournament import leads, rivals_of
from satisfice.simulation.observed import ObservedArms
from satisfice.simulation.protocol import Arms
from satisfice.simulation.record import Record
from satisfice.stopping.decision import ACCEPT, KEEP
from satisfice.stopping.protocol import CalmJudge, Judge

LOW, HIGH = 0, 1
FEWEST = 4
"""For fewer results a range is not looked for: it would take longer than looking at them."""
CLOSE = 20.0
"""Nor for a leader that the next few results may well put behind: the square of its lead, as a part of its score, times
its results is less than this."""


def is_calm(state: SearchState, arm: int) -> bool:
    """Whether all sums of the arm are within their ranges."""
    within = True
    for metric in range(state.deficits.shape[1]):
        total = state.deficits[arm, metric]
        within &= state.calm[LOW, metric] < total
        within &= total < state.calm[HIGH, metric]
    return within


def _looked_at(
    rule: object, state: SearchState, parts: Parts, arm: int, pulls: int, last: int, score: float, reach: float
) -> int:
    """Every result."""
    return 0


def _steady(
    rule: SteadyRule, state: SearchState, parts: Parts, arm: int, pulls: int, last: int, score: float, reach: float
) -> int:
    if last - pulls < FEWEST or state.earlier.shape[1] > 0 or parts.noise.two_sided:
        return 0
    lead = reach / score - 1.0
    if lead * lead * pulls < CLOSE:
        return 0
    found: int = find_range(parts.judge, rule, state, parts, arm, pulls, last, reach)
    return found


calm_until = by_class(lambda rule: _steady if offers(rule, STEADY) else _looked_at)
"""(rule, state, parts, arm, pulls, last, score, reach) -> up to which of an arm's results `is_calm` says that it need
not be looked at: `last`, or 0. It leads with this score, and others have no more than `reach`."""


def _by_judge(
    judge: CalmJudge,
    rule: SteadyRule,
    state: SearchState,
    parts: Parts,
    arm: int,
    pulls: int,
    last: int,
    reach: float,
) -> int:
    if not judge.is_calm(state.memory, arm):
        return 0
    leeway = inf
    if reach > -inf:
        priority = at_cost_1(rule, reach, cost_of(parts.costs, arm))
        leeway = rule.leeway(state.margins, state.tolerances, arm, pulls, last, parts.bonuses[last], priority)
        if leeway <= 0.0:
            return 0
    now, then = pulls / rule.weight(pulls), last / rule.weight(last)
    for metric in range(state.margins.shape[1]):
        least = -inf
        if leeway < inf:
            least = rule.weight(pulls) * (state.margins[arm, metric] + state.tolerances[arm, metric]) - leeway
        low, high = judge.calm(state.memory, arm, metric, pulls, last, least * (then if least > 0.0 else now))
        state.calm[LOW, metric] = low
        state.calm[HIGH, metric] = high
    return last


def _at_every_result(
    judge: Judge,
    rule: SteadyRule,
    state: SearchState,
    parts: Parts,
    arm: int,
    pulls: int,
    last: int,
    reach: float,
) -> int:
    return 0


find_range = by_class(lambda judge: _by_judge if offers(judge, ("is_calm", "calm")) else _at_every_result)
"""(judge, rule, state, parts, arm, pulls, last, reach) -> the same."""


UNDECIDED_RUN, FOUND, NONE, BROKEN, NEEDS_ROOM = OPEN, REACHED, OUT_OF_REACH, 3, 4
"""How a run ends; BROKEN is a score that is not a finite number, NEEDS_ROOM no end: tables have to be longer first."""

RUN, BEGUN, ARM, WRITTEN = range(4)
"""The places of the progress of a block of runs."""

FIRST_TABLE = 1 << 15
"""Tables by number of pulls start with room for this many, or for the budget, and double when it is used up."""

HORIZON = 32
"""Under a clock rule the others are looked at again once the total number of pulls has grown by this fraction."""


NO_LIMIT = 1 << 62


class Budget(NamedTuple):
    """After how many evaluations a run ends, and what they may cost in all, in the unit of `Parts.costs`."""

    evaluations: int
    cost: float = inf


class Ahead(NamedTuple):
    """How far an arm may be pulled before another choice: the best scores before and after it, and a limit."""

    before: float
    after: float
    pulls: int


def bonus_table(bonuses: Floats, rule: SamplingRule, setting: Setting, length: int) -> Floats:
    """The rule's bonus by an arm's number of pulls, with more entries; index 0 is not used."""
    known = bonuses.shape[0]
    longer = np.zeros(length)
    copy(bonuses, longer)
    for pulls in range(max(1, known), length):
        longer[pulls] = bonus_of(rule, pulls, setting)
    return longer


def _own_bonus(rule: ClockRule, pulls: int, setting: Setting) -> float:
    return rule.bonus(pulls, setting)


def _no_bonus(rule: object, pulls: int, setting: Setting) -> float:
    return 0.0


bonus_of = by_class(lambda rule: _no_bonus if kind_of(rule).by_draws else _own_bonus)
"""(rule, pulls, setting) -> the rule's bonus, 0 where it has none."""


def longer_judge(judge: Judge, length: int) -> Judge:
    """The judge with room for that many pulls of one arm."""
    return judge.extended(length)


def _ahead_on_board(rule: SamplingRule, arms: Arms, state: SearchState, arm: int, total: int) -> Ahead:
    before, after, runner_up = rivals_of(state.board, arm)
    expect(arms, state, runner_up)  # should the leader fall behind, that one is next
    until_pooling = state.counts[POOL_AT] - total
    return Ahead(before, after, until_pooling if until_pooling > 0 else NO_LIMIT)


def _ahead_by_clock(rule: ClockRule, arms: Arms, state: SearchState, arm: int, total: int) -> Ahead:
    """Scores rise with the total, so none of the others is higher before the streak ends than the best is then."""
    pulls = 1 + total // HORIZON
    reach = -inf
    for other in range(state.pulls.shape[0]):
        if state.decisions[other] == KEEP and other != arm:
            bonus = state.bonuses[other]
            reach = max(reach, rule.priority_at(state.shortfalls[other], state.excesses[other], bonus, total + pulls))
    return Ahead(reach, -inf, pulls)


def _not_ahead(rule: SamplingRule, arms: Arms, state: SearchState, arm: int, total: int) -> Ahead:
    return Ahead(inf, inf, 1)


AHEAD: dict[Kind, Callable[..., Ahead]] = {
    INDEX: _ahead_on_board,
    MARGIN: _ahead_on_board,
    CLOCK: _ahead_by_clock,
    DRAWN: _not_ahead,
}

ahead = by_class(lambda rule: AHEAD[kind_of(rule)])
"""(rule, arms, state, arm, total) -> how far the chosen arm may be pulled."""


def fetch_ahead(table: Floats | Integers, row: int) -> None:
    """Tell the processor that a row of an array will be needed soon; nothing, in plain Python."""


def expect(arms: Arms, state: SearchState, arm: int) -> None:
    """Fetch what a pull of the arm will need: with many arms it is far away in memory."""
    leaf = state.board.shape[0] // 2 + arm
    fetch_ahead(arms.means, arm)
    fetch_ahead(state.deficits, arm)
    fetch_ahead(state.pulls, arm)
    fetch_ahead(state.ahead, arm)
    fetch_ahead(state.board, leaf)
    fetch_ahead(state.board, leaf >> 1)
    fetch_ahead(state.board, leaf >> 2)
    fetch_ahead(state.board, leaf >> 3)
    fetch_ahead(state.board, leaf >> 4)


def _drawn(arms: Arms, rng: np.random.Generator, arm: int, state: SearchState) -> None:
    arms.draw(rng, arm, state.results)


def _observed(arms: ObservedArms, rng: np.random.Generator, arm: int, state: SearchState) -> None:
    arms.draw_both(rng, arm, state.more[arm], state.results, state.results_within)


draw_into = by_class(lambda arms: _observed if offers(arms, ("draw_both",)) else _drawn)
"""(arms, rng, arm, state): one evaluation, as deficits."""


def pull_streak(
    rng: np.random.Generator, arms: Arms, state: SearchState, parts: Parts, arm: int, limits: Ahead, total: int
) -> tuple[int, int, float]:
    """Pull the arm until it is decided, no longer ahead, or at the limit: its pulls, the decision and its score.

    The score of a clock rule is that of the first pull of the streak: scores rise, and this one rises too.
    """
    pulls = state.pulls[arm]
    last = pulls + limits.pulls
    calm = 0
    while True:
        draw_into(arms, rng, arm, state)
        pulls += 1
        largest = fold(state, parts.noise, arm)
        if pulls < calm and is_calm(state, arm):
            continue
        decision, score = looked_at(state, parts, arm, pulls, total + 1, largest)
        if decision != KEEP or pulls == last or not leads(score, limits.before, limits.after):
            return pulls, decision, score
        calm = calm_until(parts.rule, state, parts, arm, pulls, last, score, max(limits.before, limits.after))


def affordable(state: SearchState, parts: Parts, budget: Budget, arm: int) -> int:
    """How many more evaluations of an arm a limited cost has room for."""
    left = left_of(budget.cost, spent_on(state, parts))
    return int(min(max(left / cost_of(parts.costs, arm), 0.0), 1.0 * NO_LIMIT))


def spent_on(state: SearchState, parts: Parts) -> float:
    """What all evaluations have cost."""
    spent = 0.0
    for arm in range(state.pulls.shape[0]):
        spent += state.pulls[arm] * cost_of(parts.costs, arm)
    return spent


def begin_trial(budget: Budget, rng: np.random.Generator, state: SearchState, parts: Parts) -> None:
    """A new run: only the order in which new arms are opened is drawn."""
    draw_seed(parts.rule, state, rng)


def run_trial(
    budget: Budget,
    rng: np.random.Generator,
    arms: Arms,
    state: SearchState,
    parts: Parts,
    progress: Integers,
    streaks: Integers,
) -> int:
    """Go on with a run until it ends, or until an arm has as many pulls as the tables have room for.

    `streaks` of shape (S, 2) takes the first S pairs (arm, pulls in a row): the whole order of pulls.
    """
    total = state.counts[TOTAL]
    while total < budget.evaluations:
        arm = choose(state, parts, rng, total, None)
        most = budget.evaluations - total
        if budget.cost < inf:
            most = min(most, affordable(state, parts, budget, arm))
        if most < 1:
            break
        before = state.pulls[arm]
        room = parts.bonuses.shape[0] - 1 - before
        if room < 1:
            return NEEDS_ROOM
        entrust(state, parts, arm, total, None)
        free = 1 if may_be_lent_to(parts.judge, state, arm) else pulls_until_due(parts.rule, state, parts, total)
        limits = Ahead(inf, inf, 1) if free <= 1 else ahead(parts.rule, arms, state, arm, total)
        limits = Ahead(limits.before, limits.after, min(limits.pulls, free, most, room))
        pulls, decision, score = pull_streak(rng, arms, state, parts, arm, limits, total)
        total += pulls - before
        conclude(state, parts, arm, pulls, total, decision, score)
        write_streak(progress, streaks, arm, pulls - before)
        ending = ending_after(state, parts, progress, arm, decision, score)
        if ending != UNDECIDED_RUN:
            return ending
    return UNDECIDED_RUN


def write_streak(progress: Integers, streaks: Integers, asked: int, pulls: int) -> None:
    """Note what was asked for, and how often in a row, as long as there is room."""
    if progress[WRITTEN] < streaks.shape[0]:
        streaks[progress[WRITTEN], 0] = asked
        streaks[progress[WRITTEN], 1] = pulls
        progress[WRITTEN] += 1


def ending_after(state: SearchState, parts: Parts, progress: Integers, arm: int, decision: int, score: float) -> int:
    """Whether a run ends after a result of an arm, and how; the first arm that is accepted is noted.

    What was decided about the arm is handed over, where it is known: with many arms it is far away in memory.
    """
    if decision == KEEP:
        if not isfinite(score):
            progress[ARM] = arm
            return BROKEN
        return UNDECIDED_RUN
    if decision == ACCEPT and progress[ARM] < 0:
        progress[ARM] = arm
    ending = int(answer_to(parts.setting, state.counts[ACCEPTED], state.counts[UNDECIDED]))
    if ending == NONE:
        progress[ARM] = -1
    return ending


def best_of_trial(budget: Budget, state: SearchState, parts: Parts) -> int:
    """The best guess where the budget ends a run, or -1."""
    return best_guess(state, parts.noise)


def note_spent(budget: Budget, state: SearchState, parts: Parts, kept: Record, run: int) -> None:
    kept.spent[run] = spent_on(state, parts)
