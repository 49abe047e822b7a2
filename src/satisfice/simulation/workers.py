"""What simulated workers are at, as arrays: who ends next, and which results wait for one that was asked for earlier.

As in a study, results are folded in the order of asking: each arm's results stand in a line of their own.
"""

from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.search.state import ASKS, SearchState
from satisfice.simulation.durations import Drawing
from satisfice.simulation.trial import Budget

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
