"""Choosing the arm for the next evaluation. Only here.

A choice depends on the state, the number of the ask, and on what is under way: `under_way` (K,) counts the evaluations
of each arm that were asked for and are not folded yet, None where there are none.
"""

from collections.abc import Callable
from math import inf, isnan, sqrt

import numpy as np

from satisfice.catalogue import by_class, offers
from satisfice.rules.protocol import (
    CLOCK,
    DRAWN,
    IN_MONEY,
    INDEX,
    MARGIN,
    OPENING,
    RESCORED_PER_CHOICE,
    ClockRule,
    DrawnRule,
    IndexRule,
    Kind,
    MarginRule,
    PricedRule,
    kind_of,
)
from satisfice.search.costs import cost_of
from satisfice.search.earlier import worth
from satisfice.search.opening import UnderWay, busy, due_first
from satisfice.search.state import LAST, UNSCORED, Parts, SearchState
from satisfice.search.tournament import SCORE, climb, leader_of
from satisfice.stopping.decision import KEEP, excess_of, shortfall_of

FEW_UNDER_WAY = 4
"""That many evaluations of an arm may be under way at once whatever is known of it, where scores have no unit."""

FEW_ARMS = 64
"""Up to how many are looked at one after the other; of more, the best are taken off the board in turn."""


def choose(state: SearchState, parts: Parts, rng: np.random.Generator, number: int, under_way: UnderWay) -> int:
    """The arm for ask `number` (0, 1, 2, ...): one that is due whoever leads, else whom the rule puts first.

    -1 while all items of all undecided arms were asked for, and results are out.
    """
    arm = due_first(parts.rule, state, parts, number, under_way)
    if arm >= 0 and has_more(state, parts, arm, under_way):
        return int(arm)
    arm = leading_arm(parts.rule, state, parts, rng, number, under_way)
    return arm if arm >= 0 and has_more(state, parts, arm, under_way) else least_asked(state, parts, under_way)


def has_more(state: SearchState, parts: Parts, arm: int, under_way: UnderWay) -> bool:
    """Whether another evaluation of an arm would say anything: not after the last item of a set."""
    return bool(state.pulls[arm] + busy(under_way, arm) < parts.most)


def least_asked(state: SearchState, parts: Parts, under_way: UnderWay) -> int:
    """The arm that was asked for least, for when nothing is known of any arm that is left."""
    found = -1
    fewest = 0
    for arm in range(state.pulls.shape[0]):
        if state.decisions[arm] == KEEP and has_more(state, parts, arm, under_way):
            asked = state.pulls[arm] + busy(under_way, arm)
            if found < 0 or asked < fewest:
                found = arm
                fewest = asked
    return found


def _top(state: SearchState) -> int:
    return leader_of(state.board) if state.board[1, SCORE] > -inf else -1


def _by_index(
    rule: IndexRule, state: SearchState, parts: Parts, rng: np.random.Generator, number: int, under_way: UnderWay
) -> int:
    """Evaluations under way count as made: an arm's optimism falls with every one of them."""
    leader = _top(state)
    if under_way is None or leader < 0:
        return leader
    moved = 0
    while under_way[leader] > 0 and moved < state.held.shape[0]:
        score = _index(rule, state, parts, leader, under_way[leader])
        if score == state.board[1, SCORE]:  # it was moved already, or moving it changes nothing
            break
        state.held[moved] = leader
        moved += 1
        climb(state.board, leader, score)
        leader = leader_of(state.board)
    for place in range(moved):
        climb(state.board, state.held[place], _index(rule, state, parts, state.held[place], 0))
    return leader


def _index(rule: IndexRule, state: SearchState, parts: Parts, arm: int, under_way: int) -> float:
    pulls = state.pulls[arm]
    shortfall = shortfall_of(state.deficits, arm, pulls)
    excess = excess_of(state.deficits, arm, pulls, parts.tolerances)
    return rule.priority(shortfall, excess, parts.bonuses[pulls + under_way])


def _by_margins(
    rule: MarginRule,
    state: SearchState,
    parts: Parts,
    rng: np.random.Generator,
    number: int,
    under_way: UnderWay,
) -> int:
    """The arm with the best score, given what is under way of it; no other arm can have a better one."""
    leader = first = _top(state)
    if under_way is None or leader < 0:
        return leader
    if state.pulls.shape[0] <= FEW_ARMS:
        return _best_of_few(rule, state, parts, first, under_way)
    best = -inf
    chosen = first
    passed = 0
    while leader >= 0 and state.board[1, SCORE] > best:
        score = state.board[1, SCORE]
        burdened = with_burden(rule, state, parts, leader, score, under_way[leader])
        if burdened > best:
            best = burdened
            chosen = leader
        if under_way[leader] == 0:
            break
        state.held[passed], state.held_scores[passed] = leader, score
        passed += 1
        climb(state.board, leader, -inf)
        leader = _top(state)
    for place in range(passed):
        climb(state.board, state.held[place], state.held_scores[place])
    return chosen


def _best_of_few(rule: MarginRule, state: SearchState, parts: Parts, leader: int, under_way: UnderWay) -> int:
    """The same: of those that are as good with what is under way, the one with the better score, and the first."""
    leaves = state.board.shape[0] // 2
    chosen, chosen_score = leader, state.board[1, SCORE]
    best = with_burden(rule, state, parts, leader, chosen_score, busy(under_way, leader))
    for arm in range(state.pulls.shape[0]):
        score = state.board[leaves + arm, SCORE]
        if score > best:
            burdened = with_burden(rule, state, parts, arm, score, busy(under_way, arm))
            if burdened > best or (burdened == best and score > chosen_score):
                best = burdened
                chosen = arm
                chosen_score = score
    return chosen


def _in_evaluations(
    rule: PricedRule, state: SearchState, parts: Parts, arm: int, score: float, under_way: int
) -> float:
    """A score is minus what is to be spent on the arm: what is under way is added to it, and so others get a part.

    But for those results that have come and wait for an earlier one: the score rests on them already.

    By measurement (benchmarks.workers) 32 workers use 1.28 times one worker's evaluations. Before waiting results were
    in the score it was 1.66, where half of what is under way gave 1.73, a quarter 1.71, and a limit to it 2.04 to 2.30.
    """
    unknown = int(under_way - state.ahead[arm])
    return score - unknown * cost_of(parts.costs, arm)


def _few_at_once(rule: object, state: SearchState, parts: Parts, arm: int, score: float, under_way: int) -> float:
    """An arm with as many evaluations under way as results, and more than a few, has enough of them."""
    return score if under_way < max(FEW_UNDER_WAY, state.pulls[arm]) else -inf


with_burden = by_class(lambda rule: _in_evaluations if offers(rule, (*IN_MONEY, *OPENING)) else _few_at_once)
"""(rule, state, parts, arm, score, under way) -> the score less what is under way, never more than the score."""


def _by_clock(
    rule: ClockRule, state: SearchState, parts: Parts, rng: np.random.Generator, number: int, under_way: UnderWay
) -> int:
    leader = -1
    best = -inf
    for arm in range(state.pulls.shape[0]):
        if state.decisions[arm] == KEEP and state.pulls[arm] > 0:
            bonus = state.bonuses[arm]
            if busy(under_way, arm) > 0:
                bonus = parts.bonuses[state.pulls[arm] + busy(under_way, arm)]
            score = rule.priority_at(state.shortfalls[arm], state.excesses[arm], bonus, number)
            if score > best or leader < 0 or isnan(score):
                leader = arm
                best = score
    return leader


def _by_draws(
    rule: DrawnRule, state: SearchState, parts: Parts, rng: np.random.Generator, number: int, under_way: UnderWay
) -> int:
    """Scores are drawn anew for all arms if they are few, else for some in turn and those with new results."""
    count = state.pulls.shape[0]
    first = number * RESCORED_PER_CHOICE % count
    leader = -1
    for _ in range(1 + rule.redraws()):
        if count <= RESCORED_PER_CHOICE:
            leader, best = best_drawn(rule, state, rng)
        else:
            best = draw_some(rule, state, rng, first)
            leader = _top(state)
        if best >= 0.0:
            break
    if state.counts[UNSCORED] == 1:
        state.unscored[state.counts[LAST]] = 0
    elif state.counts[UNSCORED] > 1:
        state.unscored[:] = 0
    state.counts[UNSCORED] = 0
    return leader


def best_drawn(rule: DrawnRule, state: SearchState, rng: np.random.Generator) -> tuple[int, float]:
    """The arm with the best of newly drawn scores, of all arms with results that are not decided."""
    leader = -1
    best = -inf
    for arm in range(state.pulls.shape[0]):
        if state.decisions[arm] == KEEP and state.pulls[arm] + worth(state, arm) > 0:
            score = drawn(rule, state, rng, arm)
            if score > best or leader < 0:
                leader = arm
                best = score
    return leader, best


def draw_some(rule: DrawnRule, state: SearchState, rng: np.random.Generator, first: int) -> float:
    """Draw the scores of some arms in turn, and then of those with new results; the best of these."""
    count = state.pulls.shape[0]
    best = -inf
    for step in range(RESCORED_PER_CHOICE):
        best = max(best, redraw(rule, state, rng, (first + step) % count))
    if state.counts[UNSCORED] == 1:
        arm = state.counts[LAST]
        if (arm - first) % count >= RESCORED_PER_CHOICE:
            best = max(best, redraw(rule, state, rng, arm))
    elif state.counts[UNSCORED] > 1:
        for arm in range(count):
            if state.unscored[arm] == 1 and (arm - first) % count >= RESCORED_PER_CHOICE:
                best = max(best, redraw(rule, state, rng, arm))
    return best


def redraw(rule: DrawnRule, state: SearchState, rng: np.random.Generator, arm: int) -> float:
    """Draw the arm's score and place it on the board; minus infinity where it is decided or has no results."""
    if state.decisions[arm] != KEEP or state.pulls[arm] + worth(state, arm) == 0:
        return -inf
    score = drawn(rule, state, rng, arm)
    climb(state.board, arm, score)
    return score


def drawn(rule: DrawnRule, state: SearchState, rng: np.random.Generator, arm: int) -> float:
    known = state.pulls[arm] + worth(state, arm)
    return rule.drawn_score(rng, state.margins, state.tolerances, arm, 1.0 / sqrt(1.0 * known))


LEADING: dict[Kind, Callable[..., int]] = {INDEX: _by_index, MARGIN: _by_margins, CLOCK: _by_clock, DRAWN: _by_draws}

leading_arm = by_class(lambda rule: LEADING[kind_of(rule)])
"""(rule, state, parts, rng, number, under way) -> the arm that the rule puts first, or -1 if it knows nothing."""
