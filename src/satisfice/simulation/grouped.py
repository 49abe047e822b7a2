"""One run of a search whose metrics are measured in groups: choose a line, draw, absorb its metrics, until it ends.

As in `trial`, plain Python that runs as it stands or compiled, and makes the asks of a live `Search` to the bit. Each
evaluation is chosen on its own: there are no streaks.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Integers
from satisfice.search.choose import choose
from satisfice.search.costs import cost_of, left_of
from satisfice.search.grouped import Groups, absorb_group, best_of_groups, forget_groups, next_group
from satisfice.search.opening import draw_seed
from satisfice.search.state import TOTAL, Parts, SearchState
from satisfice.simulation.protocol import Arms
from satisfice.simulation.record import Record
from satisfice.simulation.trial import (
    NEEDS_ROOM,
    UNDECIDED_RUN,
    Budget,
    draw_into,
    ending_after,
    write_streak,
)


class InGroups(NamedTuple):
    """The groups of a search, and its budget."""

    groups: Groups
    budget: Budget


def begin_in_groups(way: InGroups, rng: np.random.Generator, state: SearchState, parts: Parts) -> None:
    """A new run."""
    forget_groups(state, way.groups)
    draw_seed(parts.rule, state, rng)


def run_in_groups(
    way: InGroups,
    rng: np.random.Generator,
    arms: Arms,
    state: SearchState,
    parts: Parts,
    progress: Integers,
    streaks: Integers,
) -> int:
    """Go on with a run until it ends, or until a line has as many results as the tables have room for.

    `streaks` of shape (S, 2) takes the first S asks as pairs (line, 1).
    """
    groups = way.groups
    budget = way.budget
    size = groups.sizes.shape[0]
    while state.counts[TOTAL] < budget.evaluations:
        arm = choose(state, parts, rng, state.counts[TOTAL], None)
        group = next_group(state, groups, arm, groups.sizes[:0])
        line = arm * size + group
        if budget.cost < inf and cost_of(groups.costs, line) > left_of(budget.cost, spent_on_groups(groups)):
            break
        if groups.counts[arm, group] + 1 >= parts.bonuses.shape[0]:
            return NEEDS_ROOM
        draw_into(arms, rng, arm, state)
        score = absorb_group(state, parts, groups, arm, group)
        write_streak(progress, streaks, line, 1)
        ending = ending_after(state, parts, progress, arm, state.decisions[arm], score)
        if ending != UNDECIDED_RUN:
            return ending
    return UNDECIDED_RUN


def spent_on_groups(groups: Groups) -> float:
    """What all evaluations have cost."""
    spent = 0.0
    size = groups.sizes.shape[0]
    for arm in range(groups.counts.shape[0]):
        for group in range(size):
            spent += groups.counts[arm, group] * cost_of(groups.costs, arm * size + group)
    return spent


def best_in_groups(way: InGroups, state: SearchState, parts: Parts) -> int:
    """The best guess where the budget ends a run, or -1."""
    return best_of_groups(state, way.groups)


def note_groups(way: InGroups, state: SearchState, parts: Parts, kept: Record, run: int) -> None:
    """What a run cost, and how often the metrics of its best guess were measured."""
    groups, guess = way.groups, kept.guesses[run]
    kept.spent[run] = spent_on_groups(groups)
    if guess >= 0:
        for metric in range(groups.of.shape[0]):
            kept.guess_counts[run, metric] = groups.counts[guess, groups.of[metric]]
