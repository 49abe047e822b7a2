"""One run of a search by many workers in simulated time: who is free asks, and results come as evaluations end.

Plain Python, run as it stands or compiled (see `engine`). What is chosen and what is folded, and in which order, is
that of a study: a choice knows what was asked for and is not folded yet, results that come early wait for those that
were asked for before them unless those cannot change what is decided, and the run ends with the verdict, whatever is
still under way. One worker makes the very pulls of `trial`.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
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
from satisfice.search.opening import draw_seed
from satisfice.search.report import best_guess
from satisfice.search.state import ASKS, POOL_AT, Parts, SearchState
from satisfice.simulation.durations import Drawing, duration_of
from satisfice.simulation.observed import ObservedArms
from satisfice.simulation.protocol import Arms
from satisfice.simulation.record import Record
from satisfice.simulation.trial import (
    NEEDS_ROOM,
    UNDECIDED_RUN,
    Budget,
    ending_after,
    spent_on,
    write_streak,
)
from satisfice.stopping.decision import KEEP

AT_WORK, UNUSED, RETURNED = range(3)
"""The places of `counts`: workers at work, the first slot never used, the last one given back or -1."""

NOW, LASTED = range(2)
"""The places of `clock`: the time, and the durations of all that was asked for."""

NUMBER, SLOT = range(2)
"""The columns of `tickets`: the number of the ask, and the slot of its results."""

ARM, NEXT, ARRIVED = range(3)
"""The columns of `slots`: the arm, the slot behind it in its line (or given back before it), and 1 with its results."""

FIRST, LAST = range(2)
"""The columns of `lines`: the slots at both ends, or -1."""

FIRST_SLOTS = 64
SET_COLUMNS = 3
"""As many further sums of an arm as drawing from a set of items looks at."""


class Workers(NamedTuple):
    """W workers on one search among K arms with M metrics, and S slots for results that are not folded.

    `ends` (W,) is a binary heap of when evaluations end, `tickets` (W, 2) what they are. `slots` (S, 3), `results` and
    `results_within` (S, M) hold them, `lines` (K, 2) their order. `waiting` (K,) counts what was asked for and is
    not folded, `early` (K,) those of them that have come; `drawn` (K, M, 3) are the sums of what was drawn from sets of
    items. A run asks at most `budget` times, and for what costs at most `most_cost`, in the unit of `Parts.costs`.
    """

    budget: int
    most_cost: float
    drawing: Drawing
    ends: Floats
    tickets: Integers
    slots: Integers
    results: Floats
    results_within: Floats
    lines: Integers
    waiting: Integers
    early: Integers
    drawn: Floats
    clock: Floats
    counts: Integers


def new_workers(count: int, budget: Budget, drawing: Drawing, shape: tuple[int, ...], *, observed: bool) -> Workers:
    """`count` workers before the first ask, on a search of shape (K, M)."""
    slots = count + FIRST_SLOTS
    arms, metrics = shape
    return Workers(
        budget=budget.evaluations,
        most_cost=budget.cost,
        drawing=drawing,
        ends=np.zeros(count),
        tickets=np.zeros((count, 2), np.int64),
        slots=np.zeros((slots, 3), np.int64),
        results=np.zeros((slots, metrics)),
        results_within=np.zeros((slots, metrics)),
        lines=np.zeros((arms, 2), np.int64),
        waiting=np.zeros(arms, np.int64),
        early=np.zeros(arms, np.int64),
        drawn=np.zeros((arms, metrics, SET_COLUMNS) if observed else (0, 0, 0)),
        clock=np.zeros(2),
        counts=np.zeros(3, np.int64),
    )


def with_more_slots(workers: Workers) -> Workers:
    """The same with twice the room for results that wait."""
    results, within = (np.concatenate([each, 0.0 * each]) for each in (workers.results, workers.results_within))
    return workers._replace(
        slots=np.concatenate([workers.slots, 0 * workers.slots]), results=results, results_within=within
    )


def send_home(workers: Workers) -> None:
    """The state before the first ask."""
    workers.lines[:] = -1
    workers.waiting[:] = 0
    workers.early[:] = 0
    workers.drawn[:] = 0.0
    workers.clock[:] = 0.0
    workers.counts[:] = 0
    workers.counts[RETURNED] = -1


def has_slot(workers: Workers) -> bool:
    """Whether there is room for the results of one more ask."""
    return bool(workers.counts[RETURNED] >= 0 or workers.counts[UNUSED] < workers.slots.shape[0])


def begin(workers: Workers, state: SearchState, arm: int, duration: float) -> None:
    """A free worker begins an evaluation of the arm, whose results will be `state.results`."""
    slot = workers.counts[RETURNED]
    if slot >= 0:
        workers.counts[RETURNED] = workers.slots[slot, NEXT]
    else:
        slot = workers.counts[UNUSED]
        workers.counts[UNUSED] = slot + 1
    workers.slots[slot, ARM] = arm
    workers.slots[slot, NEXT] = -1
    workers.slots[slot, ARRIVED] = 0
    for metric in range(workers.results.shape[1]):
        workers.results[slot, metric] = state.results[metric]
        workers.results_within[slot, metric] = state.results_within[metric]
    last = workers.lines[arm, LAST]
    if last >= 0:
        workers.slots[last, NEXT] = slot
    else:
        workers.lines[arm, FIRST] = slot
    workers.lines[arm, LAST] = slot
    workers.waiting[arm] += 1
    number, at_work = state.counts[ASKS], workers.counts[AT_WORK]
    state.counts[ASKS] = number + 1
    workers.counts[AT_WORK] = at_work + 1
    workers.clock[LASTED] += duration
    rise(workers.ends, workers.tickets, at_work, workers.clock[NOW] + duration, number, slot)


def end_next(workers: Workers) -> int:
    """The evaluation that ends next has its results; the time is then, its worker is free; its line."""
    slot = workers.tickets[0, SLOT]
    workers.clock[NOW] = workers.ends[0]
    left = workers.counts[AT_WORK] - 1
    workers.counts[AT_WORK] = left
    sink(workers.ends, workers.tickets, left)
    workers.slots[slot, ARRIVED] = 1
    arm = int(workers.slots[slot, ARM])
    workers.early[arm] += 1
    return arm


def is_due(workers: Workers, line: int) -> bool:
    """Whether the first in the line has its results."""
    first = workers.lines[line, FIRST]
    return bool(first >= 0 and workers.slots[first, ARRIVED] == 1)


def take_due(workers: Workers, state: SearchState, line: int) -> int:
    """Take the first in the line out of it: its results are in `state.results`, its arm comes back."""
    slot = workers.lines[line, FIRST]
    arm = workers.slots[slot, ARM]
    read(workers, state, slot)
    workers.early[arm] -= 1
    following = workers.slots[slot, NEXT]
    workers.lines[line, FIRST] = following
    if following < 0:
        workers.lines[line, LAST] = -1
    workers.slots[slot, NEXT] = workers.counts[RETURNED]
    workers.counts[RETURNED] = slot
    return int(arm)


def read(workers: Workers, state: SearchState, slot: int) -> None:
    """Write the results in a slot into the state."""
    for metric in range(workers.results.shape[1]):
        state.results_within[metric] = workers.results_within[slot, metric]
        state.results[metric] = workers.results[slot, metric]


# a binary heap, the soonest end first; of equal ones that of the earlier ask


def is_sooner(end: float, number: int, other_end: float, other_number: int) -> bool:
    return end < other_end or (end == other_end and number < other_number)


def rise(ends: Floats, tickets: Integers, place: int, end: float, number: int, slot: int) -> None:
    """Put an end into the heap, from its last place upwards."""
    while place > 0:
        above = (place - 1) >> 1
        if not is_sooner(end, number, ends[above], tickets[above, NUMBER]):
            break
        move(ends, tickets, above, place)
        place = above
    put(ends, tickets, place, end, number, slot)


def sink(ends: Floats, tickets: Integers, count: int) -> None:
    """Take the first out of the heap, which leaves `count`: the last one sinks from the top to its place."""
    end, number, slot = ends[count], tickets[count, NUMBER], tickets[count, SLOT]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= count:
            break
        if below + 1 < count and is_sooner(
            ends[below + 1], tickets[below + 1, NUMBER], ends[below], tickets[below, NUMBER]
        ):
            below += 1
        if not is_sooner(ends[below], tickets[below, NUMBER], end, number):
            break
        move(ends, tickets, below, place)
        place = below
    put(ends, tickets, place, end, number, slot)


def move(ends: Floats, tickets: Integers, source: int, target: int) -> None:
    put(ends, tickets, target, ends[source], tickets[source, NUMBER], tickets[source, SLOT])


def put(ends: Floats, tickets: Integers, place: int, end: float, number: int, slot: int) -> None:
    ends[place] = end
    tickets[place, NUMBER] = number
    tickets[place, SLOT] = slot


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
