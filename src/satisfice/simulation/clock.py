"""One run of a search by many workers in simulated time: who is free asks, and results come as evaluations end.

Plain Python, run as it stands or compiled (see `engine`). What is chosen and what is folded, and in which order, is
that of a study: a choice knows what was asked for and is not folded yet, results that come early wait for those that
were asked for before them unless those cannot change what is decided, and the run ends with the verdict, whatever is
still under way. One worker makes the very pulls of `trial`.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Integers
from satisfice.catalogue import by_class, offers
from satisfice.search.absorb import absorb, fold
from satisfice.search.choose import choose
from satisfice.search.costs import cost_of, left_of
from satisfice.search.early_decision import (
    BOTH,
    MOST_AHEAD,
    Aside,
    bring_back,
    decide_now,
    decides,
    lay_aside,
    looks_ahead,
    may_decide,
    rests_on_enough,
    score_ahead,
    suppose,
    used,
)
from satisfice.search.early_decision import is_due as is_worth_a_look
from satisfice.search.entrust import entrust
from satisfice.search.guess import best_guess
from satisfice.search.opening import draw_seed
from satisfice.search.state import ASKS, POOL_AT, Parts, SearchState
from satisfice.simulation.durations import duration_of
from satisfice.simulation.observed import ObservedArms
from satisfice.simulation.protocol import Arms
from satisfice.simulation.record import Record
from satisfice.simulation.trial import (
    NEEDS_ROOM,
    UNDECIDED_RUN,
    ending_after,
    spent_on,
    write_streak,
)
from satisfice.simulation.workers import (
    ARRIVED,
    AT_WORK,
    FIRST,
    LASTED,
    NEXT,
    NOW,
    Workers,
    begin,
    end_next,
    has_slot,
    is_due,
    read,
    send_home,
    take_due,
)
from satisfice.stopping.decision import KEEP

Streams = tuple[np.random.Generator, np.random.Generator]
"""One for results and rules that draw, as without a clock, and one for durations."""


def next_arm(rng: np.random.Generator, state: SearchState, parts: Parts, workers: Workers) -> int:
    """The arm of the next ask, as a study chooses it."""
    number = state.counts[ASKS]
    return int(choose(state, parts, rng, number, workers.waiting))


def has_money(state: SearchState, parts: Parts, workers: Workers, arm: int) -> bool:
    """Whether the budget has room for one more evaluation of an arm, beside all that was asked for."""
    if workers.most_cost == inf:
        return True
    return cost_of(parts.costs, arm) <= left_of(workers.most_cost, spent_on_asked(state, parts, workers))


def spent_on_asked(state: SearchState, parts: Parts, workers: Workers) -> float:
    """What all evaluations cost that were asked for, folded or not."""
    spent = spent_on(state, parts)
    for arm in range(workers.waiting.shape[0]):
        spent += workers.waiting[arm] * cost_of(parts.costs, arm)
    return spent


def fold_due(state: SearchState, parts: Parts, workers: Workers, line: int) -> tuple[int, float]:
    """Fold the first in the line, as a study does: its arm, and the arm's new score."""
    arm = take_due(workers, state, line)
    score = absorb(state, parts, arm)
    workers.waiting[arm] -= 1
    return arm, score


def decide_early(state: SearchState, parts: Parts, workers: Workers, aside: Aside, arm: int) -> bool:
    """Decide about an arm if the results of it that have come decide whatever the missing ones before them are."""
    for decision in BOTH:
        if may_decide(parts.judge, state, parts.noise, arm, decision):
            lay_aside(state, parts.noise, aside, arm)
            came = came_until_decided(state, parts, workers, arm, decision)
            bring_back(state, parts.noise, aside, arm)
            if came > 0:
                decide_now(state, parts, arm, decision, came)
                return True
    return False


def came_until_decided(state: SearchState, parts: Parts, workers: Workers, arm: int, decision: int) -> int:
    """Suppose the missing results of an arm: after how many of those that have come it is decided so, or 0."""
    slot, pulls, came, left = workers.lines[arm, FIRST], state.pulls[arm], 0, workers.early[arm]
    while came < left:
        pulls += 1
        if workers.slots[slot, ARRIVED] == 1:
            read(workers, state, slot)
            came += 1
        else:
            suppose(state, parts.noise, decision)
        if decides(state, parts, arm, pulls, decision) and rests_on_enough(state, parts, arm, decision, came):
            return came
        slot = workers.slots[slot, NEXT]
    return 0


def look_ahead(state: SearchState, parts: Parts, workers: Workers, aside: Aside, arm: int) -> None:
    """Let the results of an arm that have come before their turn steer the choice, if there are such."""
    slot, came, left = workers.lines[arm, FIRST], 0, min(workers.early[arm], MOST_AHEAD)
    if left == 0 or not looks_ahead(parts.rule, state, arm):
        return
    lay_aside(state, parts.noise, aside, arm)
    while came < left:
        if workers.slots[slot, ARRIVED] == 1:
            read(workers, state, slot)
            fold(state, parts.noise, arm)
            came += 1
        slot = workers.slots[slot, NEXT]
    score_ahead(state, parts, arm, came)
    bring_back(state, parts.noise, aside, arm)


def _drawn(arms: Arms, streams: Streams, arm: int, state: SearchState, workers: Workers) -> float:
    arms.draw(streams[0], arm, state.results)
    return duration_of(streams[1], workers.drawing, state.results)


def _observed(arms: ObservedArms, streams: Streams, arm: int, state: SearchState, workers: Workers) -> float:
    """What was drawn for other asks counts as drawn, folded or not."""
    arms.draw(streams[0], arm, state.results)
    duration = duration_of(streams[1], workers.drawing, state.results)
    arms.observe(streams[0], arm, workers.drawn[arm], state.results, state.results_within)
    arms.note_drawn(state.results, workers.drawn[arm])
    return duration


draw_lasting = by_class(lambda arms: _observed if offers(arms, ("draw_both",)) else _drawn)
"""(arms, streams, arm, state, workers) -> how long an evaluation takes, whose results are then in the state."""


class Timed(NamedTuple):
    """Workers in simulated time, and what they try without keeping it."""

    workers: Workers
    aside: Aside


def begin_clocked(way: Timed, streams: Streams, state: SearchState, parts: Parts) -> None:
    """A new run: nobody is at work."""
    draw_seed(parts.rule, state, streams[0])
    send_home(way.workers)


def run_clocked(
    way: Timed,
    streams: Streams,
    arms: Arms,
    state: SearchState,
    parts: Parts,
    progress: Integers,
    streaks: Integers,
) -> int:
    """Go on with a run until it ends, or until tables or slots have to be more first.

    `streaks` of shape (S, 2) takes the first S asks as pairs (arm, 1).
    """
    workers = way.workers
    while True:
        while workers.counts[AT_WORK] < workers.ends.shape[0] and state.counts[ASKS] < workers.budget:
            if not has_slot(workers):
                return NEEDS_ROOM
            arm = next_arm(streams[0], state, parts, workers)
            if arm < 0 or not has_money(state, parts, workers, arm):
                break
            if state.pulls[arm] + workers.waiting[arm] + 1 >= parts.bonuses.shape[0]:
                return NEEDS_ROOM
            entrust(state, parts, arm, state.counts[ASKS], workers.waiting)
            duration = draw_lasting(arms, streams, arm, state, workers)
            begin(workers, state, arm, duration)
            write_streak(progress, streaks, arm, 1)
        if workers.counts[AT_WORK] == 0:
            return UNDECIDED_RUN
        pooled_at = state.counts[POOL_AT]  # by which all arms are scored anew
        line = end_next(workers)
        while is_due(workers, line):
            arm, score = fold_due(state, parts, workers, line)
            ending = ending_after(state, parts, progress, arm, state.decisions[arm], score)
            if ending != UNDECIDED_RUN:
                return ending
        if (
            state.decisions[line] == KEEP
            and is_worth_a_look(workers.early[line])
            and decide_early(state, parts, workers, way.aside, line)
        ):
            ending = ending_after(state, parts, progress, line, state.decisions[line], 0.0)
            if ending != UNDECIDED_RUN:
                return ending
        if state.counts[POOL_AT] != pooled_at:
            for each in range(state.pulls.shape[0]):
                look_ahead(state, parts, workers, way.aside, each)
        else:
            look_ahead(state, parts, workers, way.aside, line)


def best_of_clocked(way: Timed, state: SearchState, parts: Parts) -> int:
    """The best guess where the budget ends a run, or -1."""
    return best_guess(state, parts.noise)


def note_clock(way: Timed, state: SearchState, parts: Parts, kept: Record, run: int) -> None:
    """What was asked for, used or not, what that cost, and how long it took."""
    kept.totals[run] = used(state)
    kept.asked[run] = state.counts[ASKS]
    kept.times[run] = way.workers.clock[NOW]
    kept.spent[run] = spent_on_asked(state, parts, way.workers)
    kept.lasted[run] = way.workers.clock[LASTED]
