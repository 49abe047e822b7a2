"""Who ends next and whose results are due, beside plain lists: the soonest end first, results in order of asking."""

from types import SimpleNamespace

import numpy as np
import pytest

from satisfice.search.state import ASKS, COUNTS
from satisfice.simulation.durations import Drawing
from satisfice.simulation.event_loop import (
    AT_WORK,
    LASTED,
    NOW,
    begin,
    end_next,
    has_slot,
    is_due,
    new_workers,
    send_home,
    take_due,
    with_more_slots,
)
from satisfice.simulation.trial import Budget

ARMS, METRICS = 4, 2
DRAWING = Drawing(0, 0.0, 0, 0.0, 1.0, 0.0, 1.0)


def fresh(count: int):
    workers = new_workers(count, Budget(10**6, 1e9), DRAWING, (ARMS, METRICS), observed=False)
    send_home(workers)
    state = SimpleNamespace(results=np.zeros(METRICS), results_within=np.zeros(METRICS), counts=np.zeros(COUNTS, int))
    return workers, state


@pytest.mark.parametrize("count", [1, 2, 7, 40])
def test_they_end_in_time_and_are_taken_in_the_order_of_asking(count):
    """Durations are whole numbers, so that many end at the same moment: the earlier ask is then first."""
    rng, (workers, state) = np.random.default_rng(count), fresh(count)
    running, lines, clock, lasted, asked, waited = [], [[] for _ in range(ARMS)], 0.0, 0.0, 0, 0
    for _ in range(600):
        while len(running) < count and has_slot(workers):
            arm, duration = int(rng.integers(ARMS)), float(rng.integers(1, 5 if rng.random() < 0.9 else 60))
            state.results[:], state.results_within[:] = (asked, -asked), (2 * asked, 3 * asked)
            begin(workers, state, arm, duration)
            running.append((clock + duration, asked, arm))
            lines[arm].append([asked, False])
            asked, lasted = asked + 1, lasted + duration
        if not has_slot(workers):
            workers, waited = with_more_slots(workers), waited + 1
        soonest = min(running)
        running.remove(soonest)
        clock = soonest[0]
        line = end_next(workers)
        assert (line, workers.clock[NOW], workers.clock[LASTED]) == (soonest[2], clock, lasted)
        assert (workers.counts[AT_WORK], state.counts[ASKS]) == (len(running), asked)
        next(each for each in lines[line] if each[0] == soonest[1])[1] = True
        for arm in range(ARMS):
            assert is_due(workers, arm) == bool(lines[arm] and lines[arm][0][1])
        while is_due(workers, line):
            number, arrived = lines[line].pop(0)
            assert arrived
            assert take_due(workers, state, line) == line
            assert state.results.tolist() == [number, -number]
            assert state.results_within.tolist() == [2 * number, 3 * number]
        assert workers.early.tolist() == [sum(arrived for _, arrived in each) for each in lines]
    assert not waited or workers.slots.shape[0] == (count + 64) << waited


def test_a_place_that_was_given_back_is_used_again():
    workers, state = fresh(3)
    for _ in range(500):
        begin(workers, state, 0, 1.0)
        assert take_due(workers, state, end_next(workers)) == 0
    assert has_slot(workers)
    assert workers.slots.shape[0] == 3 + 64
    send_home(workers)
    assert (workers.lines.tolist(), workers.early.tolist()) == ([[-1, -1]] * ARMS, [0] * ARMS)
    assert (workers.clock.tolist(), workers.waiting.tolist()) == ([0.0, 0.0], [0] * ARMS)
    assert workers.counts.tolist() == [0, 0, -1]
