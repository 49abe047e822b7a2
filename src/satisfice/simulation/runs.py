"""Runs one after another, as many as a record has rows, whatever drives them.

Plain Python, run as it stands or compiled (see `engine`). What drives a run is its *way*, a NamedTuple: a `Budget`
alone, `Timed` with workers in simulated time, or `InGroups` where metrics are measured in groups.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from satisfice.arrays import Integers, copy
from satisfice.catalogue import by_class
from satisfice.search.state import TOTAL, Parts, SearchState, forget
from satisfice.simulation.event_loop import Streams, Timed, begin_clocked, best_of_clocked, note_clock, run_clocked
from satisfice.simulation.grouped import InGroups, begin_in_groups, best_in_groups, note_groups, run_in_groups
from satisfice.simulation.protocol import Arms
from satisfice.simulation.record import Record
from satisfice.simulation.trial import (
    ARM,
    BEGUN,
    NEEDS_ROOM,
    RUN,
    UNDECIDED_RUN,
    WRITTEN,
    Budget,
    begin_trial,
    best_of_trial,
    note_spent,
    run_trial,
)


class Steps(NamedTuple):
    """How a run begins, goes on, what it guesses at its end, and what is noted of it beside all that others note."""

    begin: Callable[..., None]
    go_on: Callable[..., int]
    guess: Callable[..., int]
    note: Callable[..., None]


WAYS: dict[Any, Steps] = {
    Budget: Steps(begin_trial, run_trial, best_of_trial, note_spent),
    Timed: Steps(begin_clocked, run_clocked, best_of_clocked, note_clock),
    InGroups: Steps(begin_in_groups, run_in_groups, best_in_groups, note_groups),
}

begin_run = by_class(lambda way: WAYS[way].begin)
"""(way, streams, state, parts): a new run of a state in which nothing is known."""

go_on = by_class(lambda way: WAYS[way].go_on)
"""(way, streams, arms, state, parts, progress, streaks) -> how the run ends, or NEEDS_ROOM."""

guess_of = by_class(lambda way: WAYS[way].guess)
"""(way, state, parts) -> the best guess of a run that its budget ended."""

note_end = by_class(lambda way: WAYS[way].note)
"""(way, state, parts, kept, run): what else is known at the end of a run."""


def run_block(
    streams: np.random.Generator | Streams,
    arms: Arms,
    state: SearchState,
    parts: Parts,
    way: Budget | Timed | InGroups,
    kept: Record,
    progress: Integers,
    streaks: Integers,
) -> bool:
    """As many runs as the record has rows, one after another on one stream; False where room must be made first.

    `progress` holds the run that is next, whether it has begun, the arm it found or -1, and the streaks it wrote: the
    same call goes on there.
    """
    while progress[RUN] < kept.endings.shape[0]:
        run = progress[RUN]
        if progress[BEGUN] == 0:
            forget(state, parts)
            begin_run(way, streams, state, parts)
            progress[BEGUN] = 1
            progress[ARM] = -1
            progress[WRITTEN] = 0
        ending = go_on(way, streams, arms, state, parts, progress, streaks)
        if ending == NEEDS_ROOM:
            return False
        if ending == UNDECIDED_RUN:
            keep_guess(state, kept, run, guess_of(way, state, parts))
        keep_record(state, kept, run, ending, progress[ARM])
        note_end(way, state, parts, kept, run)
        progress[RUN] += 1
        progress[BEGUN] = 0
    return True


def keep_record(state: SearchState, kept: Record, run: int, ending: int, arm: int) -> None:
    """Write down how a run ended."""
    kept.endings[run] = ending
    kept.found[run] = arm
    kept.totals[run] = state.counts[TOTAL]
    for each in range(state.pulls.shape[0]):
        kept.arm_pulls[each] += state.pulls[each]
    if kept.decided.shape[1] > 0:
        copy(state.decisions, kept.decided[run])


def keep_guess(state: SearchState, kept: Record, run: int, guess: int) -> None:
    """Write down what is known of the best guess."""
    kept.guesses[run] = guess
    if guess >= 0:
        kept.guess_pulls[run] = state.pulls[guess]
        copy(state.deficits_within[guess], kept.guess_deficits[run])
        for metric in range(state.deficits.shape[1]):
            copy(state.more_within[guess, metric], kept.guess_more[run, metric])
