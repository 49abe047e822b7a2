"""One run of a search whose metrics are measured in groups: choose a line, draw, absorb its metrics, until it ends.

As in `trial`, plain Python that runs as it stands or compiled, and makes the asks of a live `Search` to the bit. Each
evaluation is chosen on its own: there are no streaks.
"""

from math import inf, isfinite

import numpy as np

from satisfice.arrays import Integers, copy
from satisfice.problem.goal import answer_to
from satisfice.search.choose import choose
from satisfice.search.costs import cost_of, left_of
from satisfice.search.grouped import absorb_group, best_of_groups, forget_groups, next_group
from satisfice.search.groups import Groups
from satisfice.search.opening import draw_seed
from satisfice.search.state import ACCEPTED, TOTAL, UNDECIDED, Parts, SearchState, forget
from satisfice.simulation.protocol import Arms
from satisfice.simulation.record import Record
from satisfice.simulation.trial import (
    ARM,
    BEGUN,
    BROKEN,
    NEEDS_ROOM,
    NONE,
    RUN,
    UNDECIDED_RUN,
    WRITTEN,
    Budget,
    draw_into,
)
from satisfice.stopping.decision import ACCEPT, KEEP


def run_groups(
    rng: np.random.Generator,
    arms: Arms,
    state: SearchState,
    parts: Parts,
    groups: Groups,
    budget: Budget,
    progress: Integers,
    streaks: Integers,
) -> int:
    """Go on with a run until it ends, or until a line has as many results as the tables have room for.

    `streaks` of shape (S, 2) takes the first S asks as pairs (line, 1).
    """
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
        if progress[WRITTEN] < streaks.shape[0]:
            streaks[progress[WRITTEN], 0] = line
            streaks[progress[WRITTEN], 1] = 1
            progress[WRITTEN] += 1
        decision = state.decisions[arm]
        if decision == KEEP and not isfinite(score):
            progress[ARM] = arm
            return BROKEN
        if decision == ACCEPT and progress[ARM] < 0:
            progress[ARM] = arm
        ending = answer_to(parts.setting, state.counts[ACCEPTED], state.counts[UNDECIDED])
        if ending == NONE:
            progress[ARM] = -1
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


def run_grouped_block(
    rng: np.random.Generator,
    arms: Arms,
    state: SearchState,
    parts: Parts,
    groups: Groups,
    budget: Budget,
    kept: Record,
    progress: Integers,
    streaks: Integers,
) -> bool:
    """As many runs as the record has rows, as `trial.run_block` makes them; False where room must be made first."""
    while progress[RUN] < kept.endings.shape[0]:
        if progress[BEGUN] == 0:
            forget(state, parts)
            forget_groups(state, groups)
            draw_seed(parts.rule, state, rng)
            progress[BEGUN] = 1
            progress[ARM] = -1
            progress[WRITTEN] = 0
        ending = run_groups(rng, arms, state, parts, groups, budget, progress, streaks)
        if ending == NEEDS_ROOM:
            return False
        keep_grouped_record(state, groups, kept, progress[RUN], ending, progress[ARM])
        progress[RUN] += 1
        progress[BEGUN] = 0
    return True


def keep_grouped_record(state: SearchState, groups: Groups, kept: Record, run: int, ending: int, arm: int) -> None:
    """Write down how a run ended."""
    kept.endings[run] = ending
    kept.found[run] = arm
    kept.totals[run] = state.counts[TOTAL]
    kept.spent[run] = spent_on_groups(groups)
    for each in range(state.pulls.shape[0]):
        kept.arm_pulls[each] += state.pulls[each]
    if kept.decided.shape[1] > 0:
        copy(state.decisions, kept.decided[run])
    if ending == UNDECIDED_RUN:
        guess = best_of_groups(state, groups)
        kept.guesses[run] = guess
        if guess >= 0:
            for metric in range(groups.of.shape[0]):
                kept.guess_counts[run, metric] = groups.counts[guess, groups.of[metric]]
            kept.guess_pulls[run] = state.pulls[guess]
            copy(state.deficits_within[guess], kept.guess_deficits[run])
            for metric in range(state.deficits.shape[1]):
                copy(state.more_within[guess, metric], kept.guess_more[run, metric])
